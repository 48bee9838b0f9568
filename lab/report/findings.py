"""What can be said of any game's results: who wins, and what each varied parameter does to each headline column.

    places(cells) -> the shares of wins, by seat or by entry of the line-up
    quantities(cells) -> headline columns and shares of wins
    effects(cells) -> of every varied parameter, the quantities that it moves, the most moved first

Cells are tables as `lab.results` makes them, of one game. Parameters that are not looked at are averaged over, with
equal weight.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from statistics import NormalDist
from typing import Any

import numpy as np
import pandas as pd

from lab import catalogue, results
from lab.errors import LabError
from lab.estimate import LEVEL, Z, defined_of
from lab.report.output import plus_minus
from lab.results import FIGURE
from sims.core.game import Column, is_list, options_of

FAIR = "fair shares"
"""The unit of wins."""
MOST_LINES = 7
"""As many as can be told apart in one picture."""
GENERAL = ("part", "game", "seats", "policies", "rotate_seats", "seed")


@dataclass(frozen=True, eq=False)
class Quantity:
    """Something that was measured in every cell."""

    name: str
    """`rounds`, `wins of seat 0`; several columns, where they never differ."""
    figures: pd.DataFrame
    """estimate, low, high, and n: plays."""
    spread: float
    """Standard deviation between plays, to tell how much a change is."""
    unit: str = ""
    percent: bool = False
    """Whether it is a share of games."""

    def text(self, row: Any) -> str:
        return plus_minus(row, percent=self.percent)


@dataclass(frozen=True, eq=False)
class Place:
    """A seat, or an entry of the line-up in all its seats."""

    name: str
    wins: pd.DataFrame
    """The share of wins in the cells that have such a place, in multiples of a fair share: estimate, low, high, n."""


# Cells


def line_up_kind(titles: Sequence[str]) -> str:
    """A line-up as a study would write it for any number of seats: `threshold, keep...`"""
    runs = [(title, len(list(run))) for title, run in groupby(titles)]
    before = [title for title, n in runs[:-1] for _ in range(n)]
    last, n = runs[-1]
    return ", ".join([*before, last + "..." if n > 1 or not before else last])


def kinds(cells: pd.DataFrame) -> pd.Series:
    """The kind of each cell's line-up. `one, other` is of the kind `one, other...`, if there are cells of that kind."""
    found = [line_up_kind(row["policies"]) for row in cells["row"]]
    found = [kind + "..." if kind + "..." in found else kind for kind in found]
    return pd.Series(found, index=cells.index, name="policies", dtype=str)


def alike(cells: pd.DataFrame) -> pd.DataFrame:
    """The cells in which everybody plays the same policy."""
    return cells[[len(set(row["policies"])) == 1 for row in cells["row"]]]


def varied_knobs(cells: pd.DataFrame) -> list[str]:
    return [name for name in results.varied(cells) if name not in GENERAL]


def looked_at(cells: pd.DataFrame) -> list[str]:
    """The parameters to look at: the knobs that vary; if there are none, the seats or the line-ups."""
    if knobs := varied_knobs(cells):
        return knobs
    some = [name for name in results.varied(cells) if name in ("seats", "policies")]
    return some[:1] if kinds(cells).nunique() <= MOST_LINES else ["policies"]


def values(cells: pd.DataFrame, name: str) -> pd.Series:
    """A parameter's values: numbers, or labels; of line-ups their kinds."""
    if name == "policies":
        return kinds(cells)
    given = cells[name]
    labels = [label(cells, name, value) for value in given]
    return given if is_scale(given) else pd.Series(labels, index=cells.index, name=name, dtype=str)


def is_scale(series: pd.Series) -> bool:
    """Whether these are numbers, to be drawn as a curve."""
    return all(isinstance(each, int | float | np.number) and not isinstance(each, bool | np.bool_) for each in series)


def label(cells: pd.DataFrame, name: str, value: Any) -> str:
    """A parameter's value, short: a set of names by what is missing, if that is less to say."""
    if isinstance(value, bool | np.bool_):
        return str(bool(value)).lower()
    if not isinstance(value, tuple):
        return str(value)
    info = catalogue.game(cells["game"].iloc[0]).knobs.model_fields.get(name)
    options = options_of(info.annotation) if info is not None and is_list(info.annotation) else ()
    missing = [each for each in options if each not in value]
    if options and not missing:
        return "all"
    return ("all but " + ", ".join(map(str, missing))) if 0 < len(missing) < len(value) else ", ".join(value) or "none"


def described(cells: pd.DataFrame, cell: str, names: Sequence[str]) -> str:
    """Some parameters of a cell: `keep ×3, start_life 9`."""
    given = cells.loc[cell]
    parts = [given[name] if name == "policies" else f"{name} {label(cells, name, given[name])}" for name in names]
    return ", ".join(map(str, parts))


# Who wins


def fair(cells: pd.DataFrame, wins: pd.DataFrame) -> pd.DataFrame:
    """Shares of wins in multiples of a fair share."""
    return wins[FIGURE].mul(cells["seats"], axis=0).assign(n=cells["plays"])


def places(cells: pd.DataFrame) -> list[Place]:
    """Whose shares of wins tell something: entries where seats are rotated and policies differ, else seats."""
    entries = bool(cells["rotate_seats"].all()) and len(alike(cells)) < len(cells)
    kind = "entry" if entries else "seat"
    found = []
    for place in range(cells["seats"].max()):
        some = cells[cells["seats"] > place]
        wins = results.win_share(some, policy=place) if entries else results.win_share(some, seat=place)
        found.append(Place(f"{kind} {place}", fair(some, wins)))
    return found


def clear(figures: pd.DataFrame, level: float, looks: int) -> pd.Series:
    """Which of the figures are clear of a level when so many are looked at together (Bonferroni's correction)."""
    wider = NormalDist().inv_cdf(1 - (1 - LEVEL) / 2 / max(1, looks)) / Z
    below = figures["estimate"] - wider * (figures["estimate"] - figures["low"]) > level
    above = figures["estimate"] + wider * (figures["high"] - figures["estimate"]) < level
    return below | above


# What moves what


def headlines(cells: pd.DataFrame) -> list[Column]:
    """The headline columns that all these cells have; none if their game is not here."""
    try:
        columns = catalogue.stored_columns(cells["row"].iloc[0])
    except LabError:
        return []
    known = set.intersection(*({metric["column"] for metric in row["metrics"]} for row in cells["row"]))
    return [column for column in columns if column.headline and not column.labels and column.name in known]


def quantities(cells: pd.DataFrame) -> list[Quantity]:
    """The headline columns (those that never differ as one), then the shares of wins in multiples of a fair share."""
    found: list[Quantity] = []
    for column in headlines(cells):
        figures = results.mean(cells, column.name)
        if not figures["n"].min():
            continue
        twin = next((k for k, each in enumerate(found) if each.figures.equals(figures)), None)
        if twin is not None:
            found[twin] = replace(found[twin], name=f"{found[twin].name}, {column.name}")
            continue
        is_share = _is_yes_or_no(cells, column)
        found.append(Quantity(column.name, figures, float(figures["sd"].mean()), column.unit, is_share))
    wins = [place for place in places(cells) if len(place.wins) == len(cells)]
    return found + [Quantity(f"wins of {place.name}", place.wins, 1.0, FAIR) for place in wins]


def _is_yes_or_no(cells: pd.DataFrame, column: Column) -> bool:
    """Whether a column counts games: 1 where something was so, else 0."""
    metrics = [metric for row in cells["row"] for metric in row["metrics"] if metric["column"] == column.name]
    return column.unit == "games" and all(dict(defined_of(metric)).keys() <= {0, 1} for metric in metrics)


@dataclass(frozen=True, eq=False)
class Effect:
    """What one parameter does to one quantity."""

    parameter: str
    quantity: Quantity
    lines: dict[str, pd.DataFrame]
    """By kind of line-up (the empty name if they are averaged over): a figure for each value, which is the index."""

    @cached_property
    def strongest(self) -> str:
        """The line on which it changes most."""
        return max(self.lines, key=lambda name: float(np.ptp(self.lines[name]["estimate"])))

    @cached_property
    def ends(self) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
        """(value, figure) of the least and the greatest figure on that line, in the order of the values."""
        line = self.lines[self.strongest]
        places = sorted({int(line["estimate"].argmin()), int(line["estimate"].argmax())})
        first, last = ((line.index[place], line.iloc[place]) for place in (places[0], places[-1]))
        return first, last

    @property
    def size(self) -> float:
        """The largest change, in standard deviations between plays."""
        (_, first), (_, last) = self.ends
        return abs(last.estimate - first.estimate) / self.quantity.spread if self.quantity.spread else 0.0

    @property
    def is_clear(self) -> bool:
        """Whether that change is more than the intervals of its ends allow."""
        (_, first), (_, last) = self.ends
        return bool(first.low > last.high or last.low > first.high)

    @property
    def n(self) -> int:
        return int(sum(line["n"].sum() for line in self.lines.values()))


def effects(cells: pd.DataFrame, parameter: str) -> list[Effect]:
    """What a parameter does to each quantity, and to the wins that it moves most: the most moved first."""
    given, by_kind = values(cells, parameter), kinds(cells)
    apart = parameter != "policies" and 1 < by_kind.nunique() <= MOST_LINES
    names = by_kind if apart else pd.Series("", index=cells.index)
    found = [_effect(parameter, quantity, given, names) for quantity in quantities(cells)]
    found.sort(key=lambda effect: (not effect.is_clear, -effect.size))
    wins = [effect for effect in found if effect.quantity.unit == FAIR]
    return [effect for effect in found if effect not in wins[1:]]


def _effect(parameter: str, quantity: Quantity, given: pd.Series, names: pd.Series) -> Effect:
    lines = {}
    for name in dict.fromkeys(names):
        chosen = (names == name).to_numpy()
        line = results.average(quantity.figures[chosen], given[chosen])
        lines[name] = line.sort_index() if is_scale(given) else line
    return Effect(parameter, quantity, lines)
