"""Two cells on the same luck: what adds, and the differences that follow from it.

Both cells play the same game numbers, all rotations of each. A game number is the unit of statistics: for a quantity
it contributes, for each of the cells, u, the sum of its values over the rotations, and m, the number of rotations in
which it is defined. A pair tally keeps the sums of these four numbers and of their products, as exact integers, all
that the difference of two means and its standard error need, paired or not.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import inf, nan, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lab.arena import Match
from lab.estimate import student
from lab.tally import WIN, tally_and_rows

SAFE = 2**23
"""Products of numbers below this, 2**17 of them, add up within 64 bits."""


@dataclass
class PairTally:
    """Quantities: see `quantities`; wins in parts, as in `lab.tally`."""

    games: int
    """Game numbers, each played by both cells."""
    plays: int
    """Of both cells together."""
    sums: NDArray[np.object_]
    """[quantity, 4] ints: sums over game numbers of u, m of the first cell, u, m of the second."""
    products: NDArray[np.object_]
    """[quantity, 4, 4] ints: sums of their products."""

    def __add__(self, other: PairTally) -> PairTally:
        if self.sums.shape != other.sums.shape:
            raise ValueError("these tallies are not of the same pair")
        return PairTally(
            self.games + other.games,
            self.plays + other.plays,
            self.sums + other.sums,
            self.products + other.products,
        )


@dataclass(frozen=True)
class Difference:
    """A quantity in both cells, and the second less the first. Intervals are for 95 %."""

    quantity: str
    first: float
    second: float
    difference: float
    low: float
    high: float
    worth: float
    """How many games of unpaired play one paired game is worth, for the width of this interval; nan when unpaired."""


class _Term(NamedTuple):
    """What is compared of a column: its value, or whether that is a certain label."""

    column: str
    value: int | None = None


def quantities(one: tuple[Match, ...], other: tuple[Match, ...]) -> tuple[str, ...]:
    """Names of what is compared: the columns of both (of a category how often each label comes, of a column that holds
    a seat's number nothing), shares of wins by seat and, where these rotate, by entry."""
    titles, seats = _common(one, other)
    kinds = ("seat", "entry") if len(one) > 1 else ("seat",)
    return (*titles, *(f"win_share {kind} {place}" for kind in kinds for place in range(seats)))


def _common(one: tuple[Match, ...], other: tuple[Match, ...]) -> tuple[list[str], int]:
    """The titles of the terms that both have, and the number of seats that both have."""
    known = _terms(other[0])
    titles = [title for title in _terms(one[0]) if title in known]
    return titles, min(one[0].setting.seats, other[0].setting.seats)


def _terms(match: Match) -> dict[str, _Term]:
    found: dict[str, _Term] = {}
    for name in match.columns:
        if name not in match.labels:
            found[name] = _Term(name)
        for value, label in enumerate(match.labels.get(name, ())):
            found[f"{name}[{label}]"] = _Term(name, value)
    return found


def play_pair(one: tuple[Match, ...], other: tuple[Match, ...], first: int, count: int) -> PairTally:
    """Play game numbers in both cells, in all their rotations."""
    titles, seats = _common(one, other)
    units = np.concatenate([_units(each, titles, seats, first, count) for each in (one, other)], axis=1)
    safe = np.abs(units).max(axis=(1, 2), initial=0) < SAFE
    products = [_products(line if fits else line.astype(object)) for line, fits in zip(units, safe, strict=True)]
    sums = np.array([[int(each) for each in line.sum(axis=1)] for line in units], object)
    return PairTally(count, count * (len(one) + len(other)), sums, np.array(products, object))


def _units(matches: tuple[Match, ...], titles: list[str], seats: int, first: int, count: int) -> NDArray[np.int64]:
    """[quantity, (u, m), game]"""
    _, rows = tally_and_rows(matches, first, count)
    known = _terms(matches[0])
    terms = [known[title] for title in titles]
    columns = [each.column for each in terms]
    values = rows[:, :, [matches[0].columns.index(name) + 1 for name in columns]].astype(np.int64)
    defined = values >= matches[0].lowest(columns)
    for place, each in enumerate(terms):
        if each.value is not None:
            values[:, :, place] = values[:, :, place] == each.value
    u, m = np.where(defined, values, 0).sum(axis=1), defined.sum(axis=1)
    parts = _win_parts(rows[:, :, 0], matches[0].setting.seats)
    wins = parts.sum(axis=1)[:, :seats]
    if len(matches) > 1:  # in rotation r, entry e sits in seat e + r
        by_entry = np.stack([np.roll(parts[:, r], -r, axis=1) for r in range(len(matches))]).sum(axis=0)
        wins = np.concatenate([wins, by_entry[:, :seats]], axis=1)
    plays = np.full_like(wins, rows.shape[1])
    return np.stack([np.concatenate([u, wins], axis=1).T, np.concatenate([m, plays], axis=1).T], axis=1)


def _win_parts(masks: NDArray[np.int32], seats: int) -> NDArray[np.int64]:
    """[game, rotation, seat] parts of a win."""
    won = masks[:, :, None] >> np.arange(seats) & 1
    parts: NDArray[np.int64] = won * (WIN // np.maximum(1, won.sum(axis=2, keepdims=True)).astype(np.int64))
    return parts


def _products(line: NDArray[Any]) -> list[list[int]]:
    return [[int(each) for each in row] for row in line @ line.T]


def differences(tally: PairTally, names: tuple[str, ...], *, paired: bool) -> list[Difference]:
    """The difference of every quantity. paired: whether both cells met the same luck."""
    return [
        _difference(name, [int(each) for each in sums], products, tally.games, paired)
        for name, sums, products in zip(names, tally.sums, tally.products, strict=True)
    ]


def _difference(name: str, sums: list[int], products: Any, games: int, paired: bool) -> Difference:
    u, m, v, k = sums
    scale = WIN if name.startswith("win_share ") else 1
    if m == 0 or k == 0:
        return Difference(name, u / m / scale if m else nan, v / k / scale if k else nan, nan, nan, nan, nan)
    first, second = Fraction(u, m), Fraction(v, k)
    # The residuals of both ratios, each in units of its mean m: a game number's share in the difference (linearised).
    none = Fraction(0)
    one = [-Fraction(games, m), first * Fraction(games, m), none, none]
    other = [none, none, Fraction(games, k), -second * Fraction(games, k)]
    alone = _form(one, products) + _form(other, products)
    together = _form([a + b for a, b in zip(one, other, strict=True)], products)
    half = inf
    if games > 1:
        half = student(games - 1) * sqrt((together if paired else alone) / games / (games - 1)) / scale
    gap = float(second - first) / scale
    worth = float(alone / together) if paired and together else nan
    return Difference(name, float(first) / scale, float(second) / scale, gap, gap - half, gap + half, worth)


def _form(c: list[Fraction], products: Any) -> Fraction:
    """The sum over games of (c . x) squared, exactly."""
    return sum((c[i] * c[j] * int(products[i][j]) for i in range(4) for j in range(4)), Fraction(0))
