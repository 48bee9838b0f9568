"""What a study's cells are played for, where it says `until` in place of a number of games.

until: {win_share: 0.001}                      half-width of every seat's share of wins
until: {column: rounds, half_width: 0.01}      of a column's mean
until: "anyone_exact < 0.1"                    a verdict (`lab.clauses`)
until: [..., ...]                              all of these
"""

from collections.abc import Sequence
from math import inf
from pathlib import Path
from typing import NamedTuple

from lab.cell import Cell
from lab.clauses import Clause, Stat, check, read_clause
from lab.lineup import some
from sims.core.document import Given

HOW = "write {win_share: 0.001}, {column: NAME, half_width: NUMBER}, or a clause as under expect"


class Goal(NamedTuple):
    """What a cell is played for."""

    clause: Clause
    half_width: float | None
    """To be reached by all its figures; None: until the clause is decided."""


def read_goals(given: Given, folder: Path) -> tuple[Goal, ...]:
    """The goals of a part of a study."""
    listed = some(given) if isinstance(given.value, list) else [given]
    return tuple(_goal(each, folder) for each in listed)


def _goal(given: Given, folder: Path) -> Goal:
    if isinstance(given.value, str):
        return Goal(read_clause(given, folder), None)
    if not isinstance(given.value, dict):
        raise given.wrong(f"is not a goal; {HOW}")
    fields = given.named("keys of a goal")
    for name in fields:
        if name not in ("win_share", "column", "half_width"):
            raise given.wrong_key("a key of a goal", name, ("win_share", "column", "half_width"))
    if set(fields) == {"win_share"}:
        return _precision(given, Stat("win_share", whose="any seat"), fields["win_share"])
    if set(fields) != {"column", "half_width"}:
        raise given.error(f"is incomplete; {HOW}")
    if not isinstance(fields["column"].value, str):
        raise fields["column"].wrong("is not the name of a results column")
    return _precision(given, Stat("mean", fields["column"].value), fields["half_width"])


def _precision(given: Given, stat: Stat, wanted: Given) -> Goal:
    half = wanted.value
    if isinstance(half, bool) or not isinstance(half, int | float) or not 0 < half < inf:
        raise wanted.wrong("is not a half-width: a number above 0")
    text = f"{stat.column or 'win_share'} ± {half:g}"
    return Goal(Clause(text, stat, -inf, inf, False, given, Path()), float(half))


def check_goals(goals: Sequence[Goal], cell: Cell, columns: tuple[str, ...]) -> None:
    """Raise `BadInput` if a cell has nothing of what a goal is about."""
    for goal in goals:
        if goal.clause.stat.kind == "gain":
            raise goal.clause.given.error("is about a gain, which `lab ask` decides; a sweep plays its cells alone")
        check(goal.clause, cell, columns)
