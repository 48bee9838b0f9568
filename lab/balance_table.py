"""What `lab balance` writes and prints: estimates with intervals, of a measured cell's sums.

Means over game numbers are ratios, with the standard error of the linearised ratio (as in `lab.estimate`); shares have
Wilson's interval with as many cases as that error is worth. What is no mean (variance shares, spans, worths) has the
jackknife's: groups of blocks are left out in turn, which also takes off the bias of the first order (Efron and
Tibshirani, An Introduction to the Bootstrap, 1993, chapter 11).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial, reduce
from itertools import accumulate
from math import inf, isnan, nan, sqrt
from operator import add
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from lab import catalogue, measures
from lab.cell import line_up, seats_in_words
from lab.curve import Floats
from lab.errors import BadInput
from lab.estimate import Estimate, student, wilson
from lab.identity import cell_id
from lab.measures import BINS, RELIABILITY, STEPS
from lab.tables import Figure

if TYPE_CHECKING:
    from lab.balancing import Measured, Sums

TABLE, CURVES = "balance.parquet", "curves.parquet"
_FIGURE = [("estimate", pa.float64()), ("low", pa.float64()), ("high", pa.float64())]
SCHEMA = pa.schema([
    ("cell", pa.string()), ("part", pa.string()), ("game", pa.string()), ("seats", pa.int8()),
    ("policies", pa.list_(pa.string())), ("knobs", pa.string()), ("fitted_on", pa.int64()), ("games", pa.int64()),
    ("measure", pa.string()), ("of", pa.string()), ("unit", pa.string()), *_FIGURE, ("n", pa.int64()),
    ("definition", pa.string()), ("source", pa.string()),
])  # fmt: skip
"""n: plays in which the measure is defined; for skills and variances, game numbers."""
CURVE_SCHEMA = pa.schema([
    ("cell", pa.string()), ("kind", pa.string()), ("place", pa.float64()), ("n", pa.int64()), *_FIGURE,
    *((f"q{q}", pa.float64()) for q in (10, 25, 50, 75, 90)),
])  # fmt: skip
"""kind "winner": place is the part of the turns that have been played, estimate the mean chance of who won in the end,
q10 to q90 its quantiles. kind "reliability": place is the mean of the chances that were given, estimate how often they
came true."""

Row = dict[str, Any]


# Estimates


def ratio(sums: Floats, games: int) -> tuple[float, float]:
    """Mean of u over m, and its standard error, from sums over game numbers of m, u, u*u, u*m, m*m."""
    m, u, uu, um, mm = sums
    if m == 0:
        return nan, nan
    mean = u / m
    scatter = max(0.0, uu - 2 * mean * um + mean * mean * mm)
    return mean, sqrt(scatter * games / (games - 1)) / m if games > 1 else inf


def mean_of(sums: Floats, games: int, share: bool) -> Estimate:
    """share: whether it lies between 0 and 1 in every game."""
    mean, error = ratio(sums, games)
    if isnan(mean):
        return Estimate(nan, nan, nan)
    if share:
        cases = sums[0] ** 2 / sums[4]
        worth = mean * (1 - mean) / error**2 if error > 0 else cases
        return wilson(min(1.0, max(0.0, mean)), max(worth, 1e-9))
    half = student(games - 1) * error
    return Estimate(mean, mean - half, mean + half)


class Jackknife:
    """Intervals for smooth functions of sums; each group of blocks is left out in turn."""

    def __init__(self, groups: list[Sums]) -> None:
        before = list(accumulate(groups, add))
        after = list(accumulate(reversed(groups), add))[::-1]
        self.whole = before[-1]
        inner = [one + other for one, other in zip(before, after[2:], strict=False)]
        self.left = [after[1], *inner, before[-2]]

    def __call__(self, of: Callable[[Sums], float]) -> Estimate:
        n, whole, left = len(self.left), of(self.whole), np.array([of(sums) for sums in self.left])
        estimate = n * whole - (n - 1) * left.mean()
        half = student(n - 1) * sqrt((n - 1) / n * ((left - left.mean()) ** 2).sum())
        return Estimate(float(estimate), float(estimate - half), float(estimate + half))


# Rows


def rows_of(done: Measured) -> list[Row]:
    """The rows of a cell, in the order of `lab.measures.ALL`."""
    cell, total = done.cell, reduce(add, done.groups)
    head = {
        "cell": cell_id(cell), "part": cell.part, "game": cell.game, "seats": cell.seats, "policies": list(cell.titles),
        "knobs": cell.knobs.model_dump_json(), "fitted_on": done.fitted_on, "games": total.games,
    }  # fmt: skip
    rows, jackknife = [], Jackknife(done.groups)
    for name, subject, estimate, n in (*_means(done, total), *_outcome(done, jackknife), *_options(done, jackknife)):
        what = measures.ALL[name]
        figures = {"estimate": estimate.estimate, "low": estimate.low, "high": estimate.high, "n": n}
        rows.append(
            head | {"measure": name, "of": subject, "unit": what.unit, "definition": what.help, "source": what.source}
            | figures
        )  # fmt: skip
    order = list(measures.ALL)
    return sorted(rows, key=lambda row: order.index(row["measure"]))


Line = tuple[str, str, Estimate, int]


def _means(done: Measured, total: Sums) -> Iterator[Line]:
    fair = 1 / done.cell.seats
    for (name, subject), sums in total.units.items():
        n = int(sums[0]) if "skill" not in name else total.games
        if "skill" in name:
            yield name, subject, _less(1.0, mean_of(sums, total.games, share=False), -1), n
        elif name == "starting advantage":
            yield name, subject, _less(fair, mean_of(sums, total.games, share=True), 1), n
        else:
            yield name, subject, mean_of(sums, total.games, share=_is_share(name)), n
        if name == "win share" and subject.startswith("seat") and done.cell.seats > 1:
            yield "seat advantage", subject, _less(fair, mean_of(sums, total.games, share=True), 1), n


def _is_share(name: str) -> bool:
    return measures.ALL[name].unit == "share" and name != "win share, adjusted"


def _less(of: float, figure: Estimate, sign: int) -> Estimate:
    """sign 1: figure less `of`; -1: `of` less figure."""
    ends = sorted((sign * (figure.low - of), sign * (figure.high - of)))
    return Estimate(sign * (figure.estimate - of), *ends)


def _outcome(done: Measured, jackknife: Jackknife) -> Iterator[Line]:
    """What is worked out of the sums of wins."""
    games = jackknife.whole.games
    for name, subject in jackknife.whole.units:
        if name == "win share" and done.known.control.weights.size:
            yield "worth of adjusting", subject, jackknife(partial(_worth, subject)), games
    entries = done.plan.recipe.rotations > 1
    yield "seed span", "", jackknife(partial(_seed_span, entries)), games
    if entries:
        best, worst = _best_and_worst(done)
        span = jackknife(lambda sums: float(_entries(sums)[best] - _entries(sums)[worst]))
        yield "policy span", f"entry {best} less entry {worst}", span, games
        for number, name in enumerate(("policy", "seat", "luck")):
            yield f"{name} in the outcome", "", jackknife(partial(_part, number)), games
        yield "rest of the outcome", "", jackknife(lambda sums: 1 - sum(_parts(sums))), games


def _variance(sums: Floats, games: int) -> float:
    return float(sums[2] / games - (sums[1] / games) ** 2)


def _worth(subject: str, sums: Sums) -> float:
    plain, adjusted = (
        _variance(sums.units[name, subject], sums.games) for name in ("win share", "win share, adjusted")
    )
    return plain / adjusted if adjusted > 0 else nan


def _seed_span(entries: bool, sums: Sums) -> float:
    """Of the mean over a game number's rotations; mean over the line-up."""
    kind, (rotations, seats) = "entry" if entries else "seat", sums.wins.shape
    variances = [_variance(sums.units["win share", f"{kind} {k}"], sums.games) / rotations**2 for k in range(seats)]
    return sqrt(sum(variances) / seats)


def _entries(sums: Sums) -> Floats:
    """[entry] share of wins, in all seats."""
    found: Floats = np.mean([np.roll(line, -r) for r, line in enumerate(sums.wins)], axis=0) / sums.games
    return found


def _best_and_worst(done: Measured) -> tuple[int, int]:
    """By the games that the curve was fitted on, so that the difference in the others is not picked for its luck."""
    shares = np.mean([np.roll(line, -r) for r, line in enumerate(done.known.prior)], axis=0)
    return int(shares.argmax()), int(shares.argmin())


def _parts(sums: Sums) -> tuple[float, float, float]:
    """Parts of the variance of the outcome: policy, seat, luck.

    The outcome is the part of a win of a seat in a rotation. Its variance between policies is that of their shares of
    wins, and likewise between seats. Luck's is the covariance over game numbers of a seat's outcomes in two rotations,
    which share their luck and differ in who sits there.
    """
    rotations, seats = sums.wins.shape
    means, plays = sums.wins / sums.games, rotations * seats
    together, squares = sums.same / sums.games
    total = squares / plays - (means.sum() / plays) ** 2
    policy = _entries(sums).var()
    seat = means.mean(axis=0).var()
    chance = (means.sum(axis=0) ** 2).sum() - (means**2).sum()
    luck = (together - chance) / (plays * (rotations - 1))
    return float(policy / total), float(seat / total), float(luck / total)


def _part(number: int, sums: Sums) -> float:
    return _parts(sums)[number]


def _options(done: Measured, jackknife: Jackknife) -> Iterator[Line]:
    """Of each policy. Decisions of one game hang together, so the interval is the jackknife's over blocks."""
    known = list(dict.fromkeys(done.cell.titles))
    for kind, title in enumerate(known):
        for place, option in enumerate(catalogue.game(done.cell.game).options):
            hits, n = jackknife.whole.chosen[kind, place]
            if not n:
                continue
            found = jackknife(partial(_used, kind, place))
            if isnan(found.low) or found.low == found.high:  # no group can be spared; always, or never
                found = wilson(hits / n, n)
            clipped = Estimate(hits / n, max(0.0, found.low), min(1.0, found.high))
            yield "option use", f"{title}: {option.name}", clipped, int(n)


def _used(kind: int, place: int, sums: Sums) -> float:
    hits, n = sums.chosen[kind, place]
    return hits / n if n else nan


# Curves


def curve_rows(done: Measured) -> list[Row]:
    name, total = cell_id(done.cell), reduce(add, done.groups)
    return [*_winner_rows(name, total), *_reliability_rows(name, total)]


def _winner_rows(name: str, total: Sums) -> Iterator[Row]:
    """Means and quantiles are of the middles of 100 bins."""
    middles = (np.arange(BINS) + 0.5) / BINS
    for step, counts in enumerate(total.fan):
        if n := int(counts.sum()):
            mean = float(counts @ middles / n)
            half = student(total.games - 1) * sqrt(max(0.0, counts @ middles**2 / n - mean**2) / min(n, total.games))
            quantiles = {f"q{q}": float(middles[np.searchsorted(counts.cumsum(), q / 100 * n)]) for q in
                         (10, 25, 50, 75, 90)}  # fmt: skip
            yield {"cell": name, "kind": "winner", "place": step / STEPS, "n": n, "estimate": mean, "low": mean - half,
                   "high": mean + half} | quantiles  # fmt: skip


def _reliability_rows(name: str, total: Sums) -> Iterator[Row]:
    for line in total.reliability[:RELIABILITY]:
        if line[0]:
            found = mean_of(line[:5], total.games, share=True)
            yield {"cell": name, "kind": "reliability", "place": float(line[5] / line[0]), "n": int(line[0]),
                   "estimate": found.estimate, "low": found.low, "high": found.high}  # fmt: skip


# Files


def write(folder: Path, rows: list[Row], curves: list[Row]) -> None:
    from lab.store import write_rows

    write_rows(folder / TABLE, rows, SCHEMA)
    write_rows(folder / CURVES, curves, CURVE_SCHEMA)


def read(folder: Path, name: str = TABLE) -> list[Row]:
    """The rows that `lab balance` wrote there; `BadInput` if there are none."""
    from lab.store import read_rows

    if not (folder / name).is_file():
        raise BadInput(f"{folder}: no balance measures there (`lab balance STUDY` writes them)")
    try:
        return read_rows(folder / name)
    except (pa.ArrowException, OSError) as error:
        raise BadInput(f"{folder / name} cannot be read: {' '.join(str(error).split())[:120]}") from error


# In the terminal


def figure(row: Row) -> Figure:
    return Figure(row["estimate"], row["low"], row["high"], row["unit"] in ("share", "points"))


SHARES = {"win share": "win share %", "win share, adjusted": "adjusted %", "worth of adjusting": "worth",
          "seat advantage": "less a fair one", "starting advantage": "less a fair one"}  # fmt: skip
"""Measures of one subject, and how they are called where they stand side by side."""


UNITS = {"share": "%", "points": "% points"}
"""How units are written where figures stand in percent."""


def overview(rows: list[Row]) -> list[Row]:
    """A table of what is measured of a cell's games as a whole."""
    return [
        {"measure": row["measure"], "figure": figure(row), "unit": UNITS.get(row["unit"], row["unit"]),
         "definition": row["definition"] + (f" ({row['of']})" if row["of"] else "")}
        for row in rows if row["measure"] not in SHARES and row["measure"] != "option use"
    ]  # fmt: skip


def shares(rows: list[Row]) -> list[Row]:
    """A table of who wins in a cell: by seat, by place in the line-up (entry) and by order of play."""
    subjects: dict[str, Row] = {}
    for row in rows:
        if row["measure"] in SHARES:
            kind, _, number = row["of"].partition(" ")
            who = {"policy": row["policies"][int(number)]} if kind == "entry" else {"policy": ""}
            line = subjects.setdefault(row["of"], {"of": row["of"]} | who | dict.fromkeys(SHARES.values(), ""))
            line[SHARES[row["measure"]]] = figure(row)
    kinds = ("seat", "entry", "place")
    return sorted(subjects.values(), key=lambda line: kinds.index(line["of"].partition(" ")[0]))


def options(rows: list[Row]) -> list[Row]:
    """A table of how often each policy of a cell chooses each option, in percent."""
    titles: dict[str, None] = {}
    found: dict[str, Row] = {}
    for row in rows:
        if row["measure"] == "option use":
            policy, _, option = row["of"].rpartition(": ")
            titles[policy] = None
            found.setdefault(option, {})[policy] = figure(row)
    return [{"option": option} | {title: line.get(title, "") for title in titles} for option, line in found.items()]


def title(row: Row) -> str:
    """A cell in one line, from any of its rows."""
    given = json.loads(row["knobs"])
    defaults = catalogue.game(row["game"]).knobs().model_dump(mode="json")
    changed = "".join(f", {name} {value}" for name, value in given.items() if value != defaults[name])
    return f"{row['game']}, {seats_in_words(row['seats'])}, {line_up(row['policies'])}{changed}"


def caption(rows: list[Row]) -> str:
    first = rows[0]
    return (
        f"curve fitted on game numbers 0 to {first['fitted_on'] - 1:,}, measured on the next {first['games']:,}; ± "
        "half-width of a 95 % interval for each figure alone; entry: place in the line-up, over all seats; place: in "
        "the order of play; worth: plain games that one adjusted game is worth"
    )
