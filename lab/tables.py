"""Results as tables for people: in the terminal, or as CSV.

A table is a list of columns; a column has a heading and cells, and a cell is text, a number or a figure with interval.
"""

import csv
import io
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isfinite, isnan
from typing import Any

from rich.console import Console
from rich.table import Table

from lab import catalogue
from lab.errors import BadInput, unknown

Row = dict[str, Any]
GENERAL = ("part", "game", "seats", "policies", "rotate_seats", "seed")


@dataclass(frozen=True)
class Figure:
    """An estimate with the half-width of its 95 % interval (the larger one, where it is not symmetric)."""

    estimate: float
    low: float
    high: float
    percent: bool = False

    def __str__(self) -> str:
        if isnan(self.estimate):
            return "-"
        scale = 100 if self.percent else 1
        half = max(self.estimate - self.low, self.high - self.estimate) * scale
        if not isfinite(half):
            return f"{self.estimate * scale:.4g}"
        digits = _digits(half)
        return f"{self.estimate * scale:.{digits}f} ± {half:.{digits}f}"


def _digits(half: float) -> int:
    """Decimals that show a half-width with two figures."""
    if half == 0:
        return 2
    digits = 1
    while half * 10**digits < 9.5 and digits < 6:
        digits += 1
    return digits


def parameters(row: Row) -> Row:
    """What a study can vary, of a cell's row."""
    general = {name: row[name] for name in GENERAL if name != "part" or row["part"]}
    knobs: Row = json.loads(row["knobs"])
    return general | {"policies": ", ".join(row["policies"])} | knobs


def varied(rows: Sequence[Row]) -> list[str]:
    """Names of the parameters that differ between cells."""
    all_parameters = [parameters(row) for row in rows]
    names = dict.fromkeys(name for each in all_parameters for name in each)
    return [name for name in names if len({str(each.get(name)) for each in all_parameters}) > 1]


def summary(rows: Sequence[Row], by: Sequence[str] | None = None) -> list[Row]:
    """One line a cell (or a group of cells that agree in `by`): parameters, games, win shares, headline columns."""
    names = _checked(rows, by) if by is not None else varied(rows)
    seats = max(row["seats"] for row in rows)
    lines = []
    for group in _groups(rows, names if by is not None else None):
        line: Row = {name: parameters(group[0]).get(name, "") for name in names}
        line |= {"cells": len(group)} if by is not None else {}
        line["games"] = sum(row["games"] for row in group)
        for seat in range(seats):
            figures = [row["win_share"][seat] for row in group if seat < row["seats"]]
            line[f"win {seat} %"] = _average(figures, "estimate", percent=True) if figures else ""
        if any(row["rotate_seats"] for row in group):
            line |= _entry_shares(group, seats)
        for name in _headlines(rows):
            line[name] = _average([metric for row in group if (metric := _metric(row, name))], "mean")
        lines.append(line)
    return lines


def _entry_shares(group: Sequence[Row], seats: int) -> Row:
    """Win shares by line-up entry, which differ from those by seat where seats are rotated."""
    shares = {}
    for entry in range(seats):
        figures = [row["win_share_policy"][entry] for row in group if entry < row["seats"]]
        shares[f"win entry {entry} %"] = _average(figures, "estimate", percent=True) if figures else ""
    return shares


def column(rows: Sequence[Row], name: str, by: Sequence[str] | None = None) -> list[Row]:
    """One line a cell or group: one results column in full."""
    known = dict.fromkeys(metric["column"] for row in rows for metric in row["metrics"])
    if name not in known:
        raise BadInput(unknown("a results column", name, known))
    names = _checked(rows, by) if by is not None else varied(rows)
    lines = []
    for group in _groups(rows, names if by is not None else None):
        metrics = [metric for row in group if (metric := _metric(row, name))]
        line: Row = {each: parameters(group[0]).get(each, "") for each in names}
        line |= {"cells": len(group)} if by is not None else {}
        line["n"] = sum(metric["n"] for metric in metrics)
        line[f"mean {name}"] = _average(metrics, "mean")
        if len(metrics) == 1:
            line |= {"sd": round(metrics[0]["sd"], 4)} | _quantiles(metrics[0])
        lines.append(line)
    return lines


def _quantiles(metric: Row) -> Row:
    """5 %, 50 % and 95 % quantiles of the defined values of a histogram."""
    pairs = [(value, n) for value, n in zip(metric["values"], metric["counts"], strict=True) if value >= 0]
    return {f"{q} %": _quantile(pairs, metric["n"] * q / 100) for q in (5, 50, 95)}


def _quantile(pairs: list[tuple[int, int]], rank: float) -> int | str:
    seen = 0
    for value, n in pairs:
        seen += n
        if seen >= rank:
            return value
    return f"> {pairs[-1][0]}" if pairs else "-"


def _checked(rows: Sequence[Row], by: Sequence[str]) -> list[str]:
    known = dict.fromkeys(name for row in rows for name in parameters(row))
    for name in by:
        if name not in known:
            raise BadInput(unknown("a knob or parameter of these cells", name, known))
    return list(by)


def _groups(rows: Sequence[Row], by: Sequence[str] | None) -> list[list[Row]]:
    if by is None:
        return [[row] for row in rows]
    groups: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(str(parameters(row).get(name)) for name in by), []).append(row)
    return list(groups.values())


def _average(figures: Sequence[Row], key: str, *, percent: bool = False) -> Figure | str:
    """Mean over cells with equal weight. Its half-width is the mean of theirs, which holds however the cells' errors
    hang together: cells of one study share their luck."""
    if not figures:
        return ""
    means = [sum(each[name] for each in figures) / len(figures) for name in (key, "low", "high")]
    return Figure(means[0], means[1], means[2], percent)


def _metric(row: Row, name: str) -> Row | None:
    return next((metric for metric in row["metrics"] if metric["column"] == name and metric["n"]), None)


def _headlines(rows: Iterable[Row]) -> list[str]:
    names: dict[str, None] = {}
    for row in rows:
        game = catalogue.game(row["game"])
        columns = game.columns(row["seats"], game.knobs(**json.loads(row["knobs"])))
        names |= {each.name: None for each in columns if each.headline}
    return list(names)


# Out


def show(lines: Sequence[Row], console: Console, *, title: str = "", caption: str = "") -> None:
    """Print lines as a table."""
    table = Table(title=title or None, caption=caption or None, title_justify="left", caption_justify="left")
    for name in lines[0]:
        number = all(isinstance(line[name], int | float | Figure) or line[name] == "" for line in lines)
        table.add_column(name, justify="right" if number else "left", no_wrap=number)
    for line in lines:
        table.add_row(*(f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
                        for value in line.values()))  # fmt: skip
    console.print(table)


def to_csv(lines: Sequence[Row]) -> str:
    """The same lines for machines: a figure becomes three columns, and percentages become shares."""
    flat = [_flat(line) for line in lines]
    names = dict.fromkeys(name for line in flat for name in line)
    out = io.StringIO()
    writer = csv.DictWriter(out, list(names), lineterminator="\n")
    writer.writeheader()
    writer.writerows(flat)
    return out.getvalue()


def _flat(line: Row) -> Row:
    flat: Row = {}
    for name, value in line.items():
        if isinstance(value, Figure):
            plain = name.removesuffix(" %").replace(" ", "_")
            flat |= {plain: value.estimate, f"{plain}_low": value.low, f"{plain}_high": value.high}
        else:
            flat[name.replace(" ", "_")] = value
    return flat
