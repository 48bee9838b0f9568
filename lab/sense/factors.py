"""Factors: what a study lists, and the steps of one at a time."""

from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import Any

from lab.cell import Cell
from lab.errors import BadInput
from lab.sense.groups import GROUPS
from lab.sense.model import Combination, Factor
from lab.study import Study


def factors_of(study: Study) -> tuple[list[Factor], dict[Combination, Cell]]:
    """The factors of a study, and its cell of each combination of their levels."""
    cells = [replace(cell, part="", keep_games=0) for cell in study.cells]
    _check(study, cells)
    columns = _columns(cells)
    together: dict[tuple[int, ...], list[str]] = {}
    for name, values in columns.items():
        places = {value: place for place, value in enumerate(dict.fromkeys(map(str, values)))}
        if len(places) > 1:
            together.setdefault(tuple(places[str(value)] for value in values), []).append(name)
    if not together:
        raise BadInput(f"{study.path}: nothing varies; give a knob, the seats or the policies a list of values")
    factors = [_factor(names, codes, columns, cells[0]) for codes, names in together.items()]
    grid = dict(zip(zip(*together, strict=True), cells, strict=True))
    if len(grid) < (whole := prod(len(factor.levels) for factor in factors)):
        parts = list(dict.fromkeys(cell.part for cell in study.cells))
        raise BadInput(
            f"{study.path}: has {len(grid):,} of the {whole:,} combinations of "
            f"{', '.join(f'{factor.name} ({len(factor.levels)})' for factor in factors)}, and sensitivity needs all"
            + (f"; take one of its parts ({', '.join(parts)})" if len(parts) > 1 else "")
        )
    return factors, grid


def _check(study: Study, cells: Sequence[Cell]) -> None:
    """What is no factor must be the same everywhere."""
    for name, why in (
        ("game", "figures of different games cannot be compared"),
        ("seed", "all cells must share their luck; give one seed"),
        ("games", "all cells need as many; give --games"),
    ):
        if len(found := dict.fromkeys(getattr(cell, name) for cell in cells)) > 1:
            raise BadInput(f"{study.path}: {name} is {', '.join(map(str, list(found)[:4]))}: {why}")
    if cells[0].games < GROUPS:
        raise BadInput(f"{study.path}: {cells[0].games} games a cell are too few for intervals; at least {GROUPS}")


def _columns(cells: Sequence[Cell]) -> dict[str, list[Any]]:
    """The values of each parameter, by cell."""
    found = [cell.parameters() for cell in cells]
    columns = {name: [each[name] for each in found] for name in found[0]}
    if len(set(columns["seats"])) > 1:  # the same line-up is longer at a larger table
        columns["policies"] = [_open_ended(cell) for cell in cells]
    return columns


def _open_ended(cell: Cell) -> str:
    """The line-up whatever the number of seats: `threshold, keep...`."""
    shown, repeated, number = cell.line_up.rpartition(" ×")
    return (shown if repeated and number.isdecimal() else cell.line_up) + "..."


def _factor(names: list[str], codes: tuple[int, ...], columns: dict[str, list[Any]], cell: Cell) -> Factor:
    levels = [tuple(columns[name][codes.index(place)] for name in names) for place in range(max(codes) + 1)]
    fields = type(cell.knobs).model_fields
    default = tuple(fields[name].default if name in fields else None for name in names)
    base = levels.index(default) if default in levels else 0
    return Factor(" & ".join(names), tuple(" & ".join(map(_shown, level)) for level in levels), base)


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return (" ".join(map(str, value)) or "none") if isinstance(value, tuple | list) else str(value)


def steps_of(factors: Sequence[Factor]) -> list[tuple[Factor, str, Combination]]:
    """One at a time: each factor, another level of it, and the combination where nothing else leaves its base."""
    base = [factor.base for factor in factors]
    return [
        (factor, label, (*base[:place], level, *base[place + 1 :]))
        for place, factor in enumerate(factors)
        for level, label in enumerate(factor.levels)
        if level != factor.base
    ]
