"""Results as tables for people: in the terminal, or as CSV.

A table is a list of columns; a column has a heading and cells, and a cell is text, a number or a figure with interval.
"""

import csv
import io
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isfinite, isnan
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from lab import catalogue
from lab.cell import Cell, line_up, seats_in_words
from lab.cross import is_quantity
from lab.errors import BadInput, unknown
from lab.estimate import Estimate, defined_of
from lab.many import discoveries, shrunk, simultaneous

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
    knobs: Row = {name: _listed(value) for name, value in json.loads(row["knobs"]).items()}
    return general | {"policies": line_up(row["policies"])} | knobs


def _listed(value: Any) -> Any:
    """A set of names as text."""
    return (", ".join(map(str, value)) or "none") if isinstance(value, list | tuple) else value


def where(rows: Sequence[Row], conditions: str) -> list[Row]:
    """The cells whose parameters are as `NAME=VALUE,...` says; a value may have commas, and x stands for ×. `cell` is
    the number of a row (`number`)."""
    chosen = list(rows)
    for condition in re.split(r",(?=\s*\w+\s*=)", conditions):
        name, _, value = (part.strip() for part in condition.partition("="))
        if name != "cell":
            _checked(rows, [name])
        found = dict.fromkeys(_asked(row, name) for row in rows)
        if name == "cell" and value not in found:
            raise BadInput(f"{value[:80]!r} is not the number of a cell (0 to {len(rows) - 1})")
        if _typed(value) not in map(_typed, found):
            raise BadInput(unknown(f"a value of {name} in these cells", value, found))
        chosen = [row for row in chosen if _typed(_asked(row, name)) == _typed(value)]
    if not chosen:
        raise BadInput(f"no cell is {conditions}")
    return chosen


def _asked(row: Row, name: str) -> str:
    """A parameter of a cell, or its number."""
    return str(row["number"] if name == "cell" else parameters(row).get(name))


def _typed(value: Any) -> str:
    """A value as one may type it: blanks do not count, nor does how the sign for "times" is written."""
    return str(value).replace("×", "x").replace(" ", "").lower()


def varied(rows: Sequence[Row]) -> list[str]:
    """Names of the parameters that differ between cells."""
    all_parameters = [parameters(row) for row in rows]
    names = dict.fromkeys(name for each in all_parameters for name in each)
    return [name for name in names if len({str(each.get(name)) for each in all_parameters}) > 1]


def varied_of(cell: Cell, varied: Sequence[str]) -> Row:
    """Those of a cell's parameters that differ within its study."""
    return {name: _listed(value) for name, value in cell.parameters().items() if name in varied}


def each_once(rows: Sequence[Row]) -> list[Row]:
    """Without the cells that a study's parts have in common."""
    return list({row["cell"]: row for row in rows}.values())


def by_part(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """The cells of each part of a study; one nameless part if it has none."""
    parts: dict[str, list[Row]] = {}
    for row in rows:
        parts.setdefault(row["part"], []).append(row)
    return parts


def summary(rows: Sequence[Row], by: Sequence[str] | None = None) -> list[Row]:
    """One line a cell (or a group of cells that agree in `by`): parameters, games, win shares, headline columns."""
    seats, names = max(row["seats"] for row in rows), _checked(rows, by)
    rotated, headlines = any(row["rotate_seats"] for row in rows), _headlines(rows)
    lines = []
    for group in _groups(rows, by):
        line = _parameters_of(group, names, by)
        line["games"] = sum(row["games"] for row in group)
        for seat in range(seats):
            line[f"seat {seat} %"] = _shares(group, "win_share", seat)
        for entry in range(seats if rotated else 0):
            line[f"entry {entry} %"] = _shares(group, "win_share_policy", entry)
        for name in headlines:
            line[name] = _average([metric for row in group if (metric := _metric(row, name))], "mean")
        lines.append(line)
    said = {name for line in lines for name, value in line.items() if value != ""}
    return [{name: value for name, value in line.items() if name in said} for line in lines]


def _parameters_of(group: Sequence[Row], names: Sequence[str], by: Sequence[str] | None) -> Row:
    line = {name: parameters(group[0]).get(name, "") for name in names}
    number = {"cell": group[0]["number"]} if "number" in group[0] else {}
    return number | line if by is None else line | {"cells": len(group)}


def _shares(group: Sequence[Row], kind: str, place: int) -> "Figure | str":
    if {place < row["seats"] for row in group} != {True} or len({row["seats"] for row in group}) > 1:
        return ""  # there is no such seat, or it is not the same thing in all these cells
    return _average([row[kind][place] for row in group], "estimate", percent=True)


def column(rows: Sequence[Row], name: str, by: Sequence[str] | None = None) -> list[Row]:
    """One line a cell or group: one results column in full."""
    known = dict.fromkeys(metric["column"] for row in rows for metric in row["metrics"])
    if name not in known:
        raise BadInput(unknown("a results column", name, known))
    _check_quantity(rows, name)
    names, lines = _checked(rows, by), []
    for group in _groups(rows, by):
        metrics = [metric for row in group if (metric := _metric(row, name))]
        line = _parameters_of(group, names, by)
        line["n"] = sum(metric["n"] for metric in metrics)
        line[f"mean {name}"] = _average(metrics, "mean")
        if len(metrics) == 1:
            line |= {"sd": round(metrics[0]["sd"], 4)} | _quantiles(metrics[0])
        lines.append(line)
    return lines


def _check_quantity(rows: Sequence[Row], name: str) -> None:
    """An error if a column's values are names, in any of the cells."""
    if any(each.name == name and not is_quantity(each) for row in rows for each in catalogue.stored_columns(row)):
        known = ", ".join(dict.fromkeys(each["by"] for row in rows for each in row["win_share_by"]))
        raise BadInput(f"the values of {name} are names, which have no mean; `--shares` takes {known or 'none here'}")


def compared(row: Row) -> str:
    """What a comparison is of: `viking, reroll_order open -> simultaneous; 2 seats, ...; 100,000 games`."""
    one, other = json.loads(row["first_parameters"]), json.loads(row["second_parameters"])
    changes = (
        ", ".join(f"{name} {one[name]} -> {other.get(name)}" for name in row["varied"]) or "the same variant twice"
    )
    same = ", ".join(
        seats_in_words(one[name]) if name == "seats" else str(one[name])
        for name in ("seats", "policies")
        if name not in row["varied"]
    )
    kind = "" if row["paired"] else "; unpaired"
    rotated = ", seats rotated" if one["rotate_seats"] else ""
    return f"{row['game']}: {changes}; {same}; {row['games']:,} games{rotated}{kind}"


def differences(row: Row) -> list[Row]:
    """One line a quantity of a comparison that differs at all, shares of wins first."""
    lines = []
    for each in sorted(row["differences"], key=lambda each: not each["quantity"].startswith("win_share ")):
        if each["difference"] == each["low"] == each["high"] == 0:
            continue
        share = each["quantity"].startswith("win_share ") or each["quantity"].endswith("]")  # of a label
        scale = 100 if share else 1
        lines.append(
            {
                "quantity": each["quantity"] + (" %" if share else ""),
                "first": f"{each['first'] * scale:.4f}",
                "second": f"{each['second'] * scale:.4f}",
                "difference": Figure(each["difference"], each["low"], each["high"], percent=share),
                "clear": "yes" if each["low"] > 0 or each["high"] < 0 else "",
                "worth": "" if isnan(each["worth"]) else f"× {each['worth']:.1f}",
            }
        )
    return lines


def crossed(rows: Sequence[Row], *, named: bool = False) -> list[Row]:
    """One line a category's label: how often games end so, and the win shares of who has it; averaged over the cells of
    one number of seats.

    named: also of who is named in a column, such as who first played a card.
    """
    found: dict[tuple[int, str, str], dict[int, list[Row]]] = {}
    for row in each_once(rows):
        for each in row["win_share_by"]:
            if each["n"] and (each["value"] or named):
                key = row["seats"], each["by"], each["value"]
                found.setdefault(key, {}).setdefault(each["seat"], []).append(each)
    several = len({row["seats"] for row in rows}) > 1
    lines: list[Row] = []
    for (number, by, value), seats in found.items():
        line: Row = {"seats": number} if several else {}
        line |= {"by": by, "": value, "n": sum(each["n"] for each in next(iter(seats.values())))}
        for seat, shares in sorted(seats.items()):
            heading = CROSSED.get(seat, f"seat {seat} %")
            line[heading] = _average(shares, "estimate", percent=True)
        lines.append(line)
    return lines


def reached(rows: Sequence[Row]) -> list[Row]:
    """One line a cell and goal that it was played for (`until`): figures whose intervals allow for stopping."""
    names, lines = varied(rows), []
    for row in rows:
        for each in row["goals"] or []:
            line = _parameters_of([row], names, None) | {"goal": each["goal"]}
            percent = each["figure"].startswith("win_share[")
            line["figure"] = each["figure"] + " %" * percent
            line["value"] = Figure(each["estimate"], each["low"], each["high"], percent)
            lines.append(line | {"games": row["games"], "looks": row["looks"], "stopped": row["stopped"]})
    return lines


CROSSED = {-2: "of games %", -1: "win share %"}


def shares(rows: Sequence[Row], name: str) -> list[Row]:
    """One line a cell and label of one category: `order of play`, `ending`, a category of the seats, or a column."""
    known = dict.fromkeys(each["by"] for row in rows for each in row["win_share_by"])
    if name not in known:
        raise BadInput(unknown("a category of these cells", name, known))
    names, lines = varied(rows), []
    for row in rows:
        for line in crossed([row], named=True):
            if line["by"] == name:
                lines.append(_parameters_of([row], names, None) | {key: line[key] for key in line if key != "by"})
    return lines


def ranked(rows: Sequence[Row], name: str) -> list[Row]:
    """The cells by one figure, the highest first, with what is to be said when one picks from many.

    name: a results column, `win_share[SEAT]`, or `win_share_policy[ENTRY]`.
    """
    known = dict.fromkeys(metric["column"] for row in rows for metric in row["metrics"])
    rows = [row for row in each_once(rows) if _figure_of(row, name)]
    if not rows:
        raise BadInput(unknown("a results column, win_share[SEAT] or win_share_policy[ENTRY]", name, known))
    _check_quantity(rows, name)
    found = [Estimate(*(_figure_of(row, name)[key] for key in ("estimate", "low", "high"))) for row in rows]
    percent, names = name.startswith("win_share"), varied(rows)
    mean = sum(each.estimate for each in found) / len(found)
    columns = zip(rows, found, simultaneous(found), shrunk(found), discoveries(found, mean), strict=True)
    lines = []
    for row, each, together, again, differs in sorted(columns, key=lambda line: -line[1].estimate):
        line = _parameters_of([row], names, None) | {"games": row["games"]}
        line |= {name: Figure(each.estimate, each.low, each.high, percent)}
        line |= {"all at once": Figure(together.estimate, together.low, together.high, percent)}
        line |= {"played again": Figure(again.estimate, again.low, again.high, percent)}
        lines.append(line | {"differs": "yes" if differs else ""})
    return lines


def _figure_of(row: Row, name: str) -> Row:
    """A cell's figure: estimate, low, high; empty if it has none."""
    if of := re.fullmatch(r"(win_share|win_share_policy)\[(\d+)\]", name):
        places: list[Row] = row[of[1]]
        return places[int(of[2])] if int(of[2]) < len(places) else {}
    metric = _metric(row, name)
    return metric | {"estimate": metric["mean"]} if metric else {}


def _quantiles(metric: Row) -> Row:
    """5 %, 50 % and 95 % quantiles of the defined values of a histogram."""
    pairs = defined_of(metric)
    return {f"{q} %": _quantile(pairs, metric["n"] * q / 100) for q in (5, 50, 95)}


def _quantile(pairs: list[tuple[int, int]], rank: float) -> int | str:
    seen = 0
    for value, n in pairs:
        seen += n
        if seen >= rank:
            return value
    return f"> {pairs[-1][0]}" if pairs else "-"


def _checked(rows: Sequence[Row], by: Sequence[str] | None) -> list[str]:
    """The parameters that tell the lines apart: `by`, or all that differ."""
    if by is None:
        return varied(rows)
    known = dict.fromkeys(name for row in rows for name in parameters(row))
    for name in by:
        if name not in known:
            raise BadInput(unknown("a knob or parameter of these cells", name, known))
    return list(by)


def _groups(rows: Sequence[Row], by: Sequence[str] | None) -> list[list[Row]]:
    if by is None:
        return [[row] for row in rows]
    groups: dict[tuple[str, ...], list[Row]] = {}
    for row in rows if "part" in by else each_once(rows):
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
        columns = catalogue.stored_columns(row)
        names |= {each.name: None for each in columns if each.headline and not each.labels}
    return list(names)


# Out


def show(lines: Sequence[Row], console: Console, *, title: str = "", caption: str = "") -> None:
    """Print lines as a table, with a caption below; as several with the same first columns where one is too wide."""
    names = list(dict.fromkeys(name for line in lines for name in line))
    endless = console.options.update(width=100_000)
    figures = [name for name in names if any(isinstance(line.get(name), Figure) for line in lines)]
    lead = [name for name in names if name not in figures]
    whole = _table(lines, names)
    fits = whole.__rich_measure__(console, endless).maximum <= console.width
    for some in [names] if fits else _that_fit(lines, lead, figures, console):
        table = _table(lines, some)
        table.title, title = title or None, ""
        console.print(table)
    if caption:
        console.print(caption, style="dim", soft_wrap=True)


def _that_fit(lines: Sequence[Row], lead: list[str], figures: list[str], console: Console) -> list[list[str]]:
    """The columns of each table: the first ones, and as many figures as there is room for."""
    tables, endless = [lead], console.options.update(width=100_000)
    for name in figures:
        longer = [*tables[-1], name]
        too_wide = _table(lines, longer).__rich_measure__(console, endless).maximum > console.width
        if too_wide and tables[-1] != lead:
            tables.append([*lead, name])
        else:
            tables[-1] = longer
    return tables


def _table(lines: Sequence[Row], names: Sequence[str]) -> Table:
    table = Table(title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, padding=(0, 1))
    for name in names:
        number = all(isinstance(line.get(name), int | float | Figure) or not line.get(name) for line in lines)
        whole = number or name == names[0]  # what people copy stands first
        overflow: Any = "ellipsis" if whole else "fold"  # folding cuts what must not wrap, and does not say so
        table.add_column(name, justify="right" if number else "left", no_wrap=whole, overflow=overflow)
    for line in lines:
        table.add_row(*(_text(line.get(name, "")) for name in names))
    return table


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else str(value)


def to_csv(lines: Sequence[Row]) -> str:
    """The same lines for machines: a figure becomes three columns, and percentages become shares."""
    figures = {name for line in lines for name, value in line.items() if isinstance(value, Figure)}
    flat = [_flat(line, figures) for line in lines]
    names = dict.fromkeys(name for line in flat for name in line)
    out = io.StringIO()
    writer = csv.DictWriter(out, list(names), lineterminator="\n")
    writer.writeheader()
    writer.writerows(flat)
    return out.getvalue()


def _flat(line: Row, figures: set[str]) -> Row:
    flat: Row = {}
    for name, value in line.items():
        plain = (name.removesuffix(" %") if name in figures else name).replace(" ", "_")
        if name not in figures:
            flat[plain] = value
        elif isinstance(value, Figure):
            flat |= {plain: value.estimate, f"{plain}_low": value.low, f"{plain}_high": value.high}
        else:  # there is no such figure in this cell
            flat |= dict.fromkeys((plain, f"{plain}_low", f"{plain}_high"), "")
    return flat
