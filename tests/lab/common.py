"""Cells of Viking Dice for tests of the lab."""

from lab import catalogue, seating
from lab.cell import Cell, Entry


def entry(name, **weights):
    return Entry(name, catalogue.policy("viking", name).weights(**weights))


def cell(*policies, seats=None, games=1000, knobs=None, **options):
    """Policies by name or as entries; one serves all seats."""
    entries = [each if isinstance(each, Entry) else entry(each) for each in policies]
    seats = seats or max(2, len(entries))
    lineup = tuple(entries * seats if len(entries) == 1 else entries)
    return Cell("viking", seats, lineup, catalogue.game("viking").knobs(**knobs or {}), games=games, **options)


def matches(of):
    plan = seating.recipe(of)
    return seating.matches(plan, seating.prepare(plan))


def columns(of):
    return seating.column_names(seating.recipe(of))


def sheet(of):
    """The columns as the fact sheet has them."""
    return seating.columns(seating.recipe(of))
