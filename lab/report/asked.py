"""What `lab ask` and `lab sense` found, as sections of a report; each says nothing where they have left nothing.

verdicts(r)       the answer first: each clause with its figures, drawn against where they should lie; values found
sensitivity(r)    which knobs move which figure: tables and the tornado
"""

import json
import re
from collections.abc import Iterator
from math import isfinite
from pathlib import Path
from textwrap import fill
from typing import Any

import pandas as pd

from lab import figures
from lab.asks import FINDS, TABLE
from lab.report.output import listed, plus_minus, safe, say, show, table
from lab.results import Results
from lab.store import Store, read_rows

MOST_ROWS = 40
"""A picture has no more figures."""
PICTURES = 12
"""Of clauses."""
LONGEST = 36
"""Letters of a label."""
NEAR = 2
"""Values of a knob that are drawn on each side of those between which a figure crosses."""
COLOURS = {"yes": 0, "no": 1, "not shown": 6}
"""By verdict: which of `figures.COLOURS`, with its marker."""
Row = dict[str, Any]


def verdicts(r: Results) -> None:
    """What the study expects and what was found, as `lab ask` left it."""
    if r.folder is None or not (r.folder / TABLE).is_file():
        return
    rows = [row for row in read_rows(r.folder / TABLE) if not row["visit"]]
    finds = read_rows(r.folder / FINDS) if (r.folder / FINDS).is_file() else []
    say("\n".join(_in_short(rows, finds)))
    if rows:
        table([_line(row) for row in rows], "What was expected; ± intervals that hold at all looks at once.")
    by_clause: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        by_clause.setdefault((row["part"], row["expected"]), []).append(row)
    for (part, text), mine in list(by_clause.items())[:PICTURES]:
        _draw_clause(f"{part}: {text}" if part else text, mine)
    for find in finds:
        _draw_find(find)


def _in_short(rows: list[Row], finds: list[Row]) -> Iterator[str]:
    """The verdict of all together, and of each clause."""
    found = [row["verdict"] for row in rows]
    found += [{"found": "yes", "none": "no"}.get(find["answer"], "not shown") for find in finds]
    whole = next((each for each in ("no", "not shown") if each in found), "yes")
    yield f"- **{whole}**: {sum(each == 'yes' for each in found)} of {len(found)} answers are yes or found."
    for part, text in dict.fromkeys((row["part"], row["expected"]) for row in rows):
        mine = [row for row in rows if (row["part"], row["expected"]) == (part, text)]
        held = [
            f"{verdict} in {count} of {len(mine)}"
            for verdict in COLOURS
            if (count := sum(row["verdict"] == verdict for row in mine))
        ]
        said = listed(held) if len(mine) > 1 else mine[0]["verdict"]
        yield f"- {safe(f'{part}: ' if part else '')}`{text}`: {said}."
    for find in finds:
        where = f" ({safe(find['where'])})" if find["where"] else ""
        yield f"- `{find['knob']}` so that `{find['so_that']}`{where}: {safe(find['words'])}."


def _line(row: Row) -> Row:
    """A verdict as a line of a table."""
    given = {"part": row["part"]} if row["part"] else {}
    where = {"where": row["where"]} if row["where"] else {}
    shown = ", ".join(f"{each['figure']} {_text(each)}" for each in row["figures"])
    return {
        "verdict": row["verdict"], **given, "expected": row["expected"], **where, "figure": shown,
        "games": row["games"], "stopped": row["stopped"], "what would change it": row["what_would_change_it"],
    }  # fmt: skip


def _text(figure: Row) -> str:
    return plus_minus(pd.Series(figure))


def _places(rows: list[Row]) -> tuple[list[str], str]:
    """Labels of where verdicts are about, and how to read them: if names do not fit, only values that differ."""
    whole = [row["where"].replace("policies ", "") or row["line_up"] for row in rows]
    if max(map(len, whole)) <= LONGEST:
        return whole, ""
    names = "|".join(map(re.escape, json.loads(rows[0]["parameters"])))
    told = [re.split(f"(?:^|, )({names}) ", row["where"])[1:] for row in rows]
    values = pd.DataFrame([dict(zip(each[::2], each[1::2], strict=True)) for each in told]).fillna("")
    values = values.loc[:, values.nunique() > 1]
    if values.empty:
        return whole, ""
    return [_joined(line) for line in values.to_numpy().tolist()], f" Rows: {safe('; '.join(values))}."


def _figures_of(rows: list[Row], places: list[str]) -> Iterator[tuple[str, str, Row]]:
    """(label, verdict, figure) of verdicts, of a mixture also of its line-ups. places: labels of the verdicts."""
    for row, label in zip(rows, places, strict=True):
        seats = len(row["figures"]) > 1
        for each in row["figures"]:
            yield (f"{each['figure']}, {label}" if seats else label), row["verdict"], each
        for member in row["members"]:
            for each in member["figures"]:
                label = f"{member['line_up']} ({member['weight']:.0%})"
                yield (f"{each['figure']}, {label}" if seats else label), member["verdict"], each


def _draw_clause(title: str, rows: list[Row]) -> None:
    """Figures against the band where they should lie."""
    places, how = _places(rows)
    every = list(_figures_of(rows, places))
    drawn = every[:MOST_ROWS]
    labels = [_short(label) for label, _, _ in drawn]
    name = rows[0]["figures"][0]["figure"] if len(rows[0]["figures"]) == 1 else "share of wins"
    axes = figures.axes(title, name, size=figures.tall(len(drawn)))
    band = rows[0]["low"], rows[0]["high"]
    for verdict, number in COLOURS.items():
        if any(each == verdict for _, each, _ in drawn):
            some = [_ends(figure) if each == verdict else _ends({}) for _, each, figure in drawn]
            figures.dots(axes, labels, pd.DataFrame(some), verdict, number=number, of=2 * number + 1)  # in the middle
    _shade(axes, *band)
    axes.set_title(fill(title, 30), loc="left", fontsize=12)
    axes.figure.legend(*axes.get_legend_handles_labels(), loc="outside lower left", ncols=3, frameon=False, fontsize=10)
    more = f" The first {MOST_ROWS} of {len(every)}." if len(every) > MOST_ROWS else ""
    games = sorted({row["games"] for row in rows})
    n = f"{games[0]:,}" + (f" to {games[-1]:,}" if len(games) > 1 else "")
    show(axes, f"`{title}`: shaded is where it should lie. After {n} games.{how}{more}")


def _ends(figure: Row) -> Row:
    return {name: figure.get(name, float("nan")) for name in ("estimate", "low", "high")}


def _joined(values: list[str]) -> str:
    """As one label, for which the longest value may have to be cut short."""
    too_long = len("; ".join(values)) - LONGEST
    longest = max(values, key=len)
    return "; ".join(_short(each, len(each) - too_long) if each == longest else each for each in values)


def _short(label: str, room: int = LONGEST) -> str:
    return label if len(label) <= room else label[: max(1, room - 1)] + "…"


def _shade(axes: Any, low: float, high: float) -> None:
    """Shade the band within what is drawn, with a line at each edge that is seen."""
    left, right = axes.get_xlim()
    edges = [edge for edge in (low, high) if isfinite(edge)]
    room = 0.08 * (max([right, *edges]) - min([left, *edges]))
    left, right = min([left, *(edge - room for edge in edges)]), max([right, *(edge + room for edge in edges)])
    axes.axvspan(max(low, left), min(high, right), color="#009E73", alpha=0.15, linewidth=0)
    for edge in edges:
        figures.level(axes, edge)
    axes.set_xlim(left, right)


def _draw_find(find: Row) -> None:
    """The figure at the values that were looked at, the level that it should reach, and where it does."""
    every = pd.DataFrame([{"value": each["value"], **_ends(each["figure"])} for each in find["visits"]])
    visits = _near(every, find)
    title = f"{find['knob']} so that {find['so_that']}"
    axes = figures.axes(title, find["knob"], find["visits"][0]["figure"]["figure"])
    figures.curve(axes, visits["value"], visits)
    figures.level(axes, find["level"], axis="y")
    if find["value"] is not None:
        axes.axvspan(find["low"], find["high"], color="#D55E00", alpha=0.3, linewidth=1)
    where = f" ({safe(find['where'])})" if find["where"] else ""
    games = sum(each["games"] for each in find["visits"])
    some = f", of which the nearest {len(visits)} are drawn" if len(visits) < len(every) else ""
    show(axes, f"`{find['knob']}`{where}: {safe(find['words'])}. {len(every)} values{some}, {games:,} games.")


def _near(visits: pd.DataFrame, find: Row) -> pd.DataFrame:
    """The values around those between which it crosses; all, if there are none."""
    if find["value"] is None:
        return visits
    within = visits.index[visits["value"].between(find["low"], find["high"])]
    return visits.loc[max(0, within.min() - NEAR) : within.max() + NEAR]


def sensitivity(r: Results) -> None:
    """Which knobs move which figure, as `lab sense` left it."""
    if r.folder is None or "sense" not in Store(r.folder).manifest():
        return
    from lab.sense import effects_table, indices_table, notes, read
    from lab.sense.tornado import picture

    found = read(Path(r.folder))
    if lines := indices_table(found):
        table(lines, "What each knob explains of a figure's variance over the cells.")
    table(effects_table(found), f"One knob at a time: {safe(notes(found))}.")
    show(
        picture(found, across=1).axes[0],
        f"The differences, largest first. n = {found.games:,} games at both ends of a bar.",
    )
