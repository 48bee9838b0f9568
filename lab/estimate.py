"""Estimates with intervals, from tallies. All intervals are for 95 %.

- *Shares* (of wins): Wilson's interval (Wilson 1927), with the effective number of games n = p (1 - p) / se**2 in the
  place of n. That is Wilson's own where every play is a unit and wins are not shared; elsewhere se, from the sums over
  game numbers, knows that the rotations of a game number belong together and that shared wins vary less.
- *Means*: Student's interval. Where a column is not defined in every play the mean is a ratio of two sums over game
  numbers, with the standard error of the linearised ratio (Cochran, Sampling Techniques, 3rd ed., 6.4).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, isnan, nan, sqrt
from statistics import NormalDist
from typing import Any

from lab.cell import Cell
from lab.cross import Quantity, sources
from lab.tally import WIN, Tally
from sims.core.game import Column

LEVEL = 0.95
Z = NormalDist().inv_cdf(0.5 + LEVEL / 2)


@dataclass(frozen=True)
class Estimate:
    """A figure with its interval."""

    estimate: float
    low: float
    high: float

    @property
    def half_width(self) -> float:
        return (self.high - self.low) / 2


@dataclass(frozen=True)
class Metric:
    """A results column of a cell. n: plays in which it is defined; sd: between plays; low, high: of the mean."""

    column: str
    n: int
    mean: float
    sd: float
    low: float
    high: float

    @property
    def half_width(self) -> float:
        return (self.high - self.low) / 2


@dataclass(frozen=True)
class Crossed:
    """A share by category: see `lab.cross.Quantity` for the first three. n: the cases in which it is defined."""

    by: str
    value: str
    seat: int
    n: int
    estimate: float
    low: float
    high: float


@dataclass(frozen=True)
class Summary:
    """What a cell's tally says."""

    games: int
    plays: int
    unfinished: int
    no_winner: int
    """Plays without any winner, the unfinished ones included."""
    shared: int
    """Plays with more than one winner."""
    win_share: tuple[Estimate, ...]
    """By seat; shared wins count in equal parts."""
    win_share_policy: tuple[Estimate, ...]
    """By line-up entry."""
    metrics: tuple[Metric, ...]
    win_share_by: tuple[Crossed, ...]
    """By order of play and by every declared category, and how often each `ending` comes."""


def summarise(cell: Cell, columns: Sequence[Column], tally: Tally) -> Summary:
    """columns: the game's, in the tally's order."""
    names = [column.name for column in columns]
    metrics = tuple(_metric(name, tally, c) for c, name in enumerate(names))
    shares = [_share(tally.units[len(columns) + i], tally.games) for i in range(2 * cell.seats)]
    _, quantities = sources(columns, cell.seats)
    crossed = tuple(_crossed(each, line, tally.games) for each, line in zip(quantities, tally.crossed, strict=True))
    winners = tally.histogram(0)
    return Summary(
        games=tally.games,
        plays=tally.plays,
        unfinished=tally.histogram(1 + names.index("unfinished")).get(1, 0),
        no_winner=winners.get(0, 0),
        shared=sum(n for mask, n in winners.items() if mask.bit_count() > 1),
        win_share=tuple(shares[: cell.seats]),
        win_share_policy=tuple(shares[cell.seats :]),
        metrics=metrics,
        win_share_by=crossed,
    )


def _crossed(quantity: Quantity, sums: Sequence[int], games: int) -> Crossed:
    share = _share(sums, games)
    return Crossed(*quantity, int(sums[0]), share.estimate, share.low, share.high)


def _ratio(sums: Sequence[int], n: int) -> tuple[float, float]:
    """Mean of a quantity over the cases in which it is defined, and its standard error; sums over n game numbers."""
    m, u, uu, um, mm = sums
    if m == 0:
        return nan, nan
    mean = u / m
    scatter = (uu * m * m - 2 * u * um * m + u * u * mm) / m**2  # sum of (u - mean * m)**2, without cancellation
    return mean, sqrt(scatter * n / (n - 1)) / m if n > 1 else inf


def _share(sums: Sequence[int], n: int) -> Estimate:
    mean, error = _ratio(sums, n)
    share, error = mean / WIN, error / WIN
    if isnan(share):
        return Estimate(nan, nan, nan)
    if error == 0 and 0 < share < 1:  # every game number the same: as a policy against itself, rotated
        return Estimate(share, share, share)
    cases = sums[0] ** 2 / sums[4]  # worth so many cases of one size: n, where it is defined in every play
    return wilson(share, cases if error in (0, inf) else share * (1 - share) / error**2 * n / (n - 1))


def wilson(share: float, n: float) -> Estimate:
    """Wilson's score interval for a share seen in n games."""
    middle = (share + Z**2 / (2 * n)) / (1 + Z**2 / n)
    half = Z * sqrt(share * (1 - share) / n + Z**2 / (4 * n**2)) / (1 + Z**2 / n)
    return Estimate(share, max(0.0, min(share, middle - half)), min(1.0, max(share, middle + half)))


def _metric(name: str, tally: Tally, column: int) -> Metric:
    mean, error = _ratio(tally.units[column], tally.games)
    n = int(tally.units[column, 0])
    if n == 0:
        return Metric(name, 0, nan, nan, nan, nan)
    half = student(tally.games - 1) * error if tally.games > 1 else inf
    return Metric(name, n, mean, _deviation(tally, column), mean - half, mean + half)


def _deviation(tally: Tally, column: int) -> float:
    """Standard deviation between plays."""
    more, total, squares = tally.above[column + 1]
    defined = tally.defined(column + 1)
    n = sum(defined.values()) + more
    total += sum(value * k for value, k in defined.items())
    squares += sum(value * value * k for value, k in defined.items())
    return sqrt((n * squares - total * total) / n / (n - 1)) if n > 1 else nan


def defined_of(metric: Mapping[str, Any]) -> list[tuple[int, int]]:
    """(value, plays) of a stored histogram (`lab.store.SCHEMA`), ascending; without the lowest value, where that says
    "not defined"."""
    pairs = list(zip(metric["values"], metric["counts"], strict=True))
    plays = sum(metric["counts"]) + int(metric["above"][0])
    return pairs[1:] if metric["n"] < plays else pairs


def student(freedom: int) -> float:
    """Quantile of Student's t for LEVEL; the normal one from 10,000 degrees of freedom on (1e-4 apart)."""
    if freedom >= 10_000:
        return Z
    from scipy.special import stdtrit  # slow to import, and only small runs need it

    return float(stdtrit(freedom, 0.5 + LEVEL / 2))
