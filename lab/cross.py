"""Shares of wins by category: what a game's columns say about who won.

`sources` reads off a game's columns what can be crossed with winning; `lab.tally` adds it up, a *quantity* each:

- by order of play, where the game says who played first (`first_seat`): first, second, ...
- by each label of a category that every seat has (`start_sin_0`, `start_sin_1`, ...): of the seats that have it
- of the seat that a column names (unit "seat", or "seat + 1" where 0 is nobody): of who first played a card
- for a category of the whole game (`ending`): how often each label comes, and the seats' shares of wins among these

A quantity has, per game number with its rotations, m, how often it is defined, and u, the win's parts in these cases.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sims.core.game import Column
from sims.core.kernel import kernel

ORDER, SEATED, NAMED, ENDING = range(4)
PLACES = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
FIRST = "first_seat"
OFFSETS = {"seat": 0, "seat + 1": 1}
"""Units of columns that name a seat, and what they add to its number."""


class Quantity(NamedTuple):
    """A share that is kept."""

    by: str
    """What it is by: "order of play", or a column (of a category that every seat has, without the seat's number)."""
    value: str
    """The label; empty where the column names a seat."""
    seat: int
    """Whose share of wins; -1: of who is in that place, has that label, or is named; -2: how often the label comes."""


class Source(NamedTuple):
    """A column that is crossed with winning, as the kernel reads it."""

    column: int
    kind: int
    base: int
    """Its first quantity."""
    size: int
    """Labels; for NAMED what to take off the value."""
    seat: int


def sources(columns: Sequence[Column], seats: int) -> tuple[tuple[Source, ...], tuple[Quantity, ...]]:
    """What there is to cross in these columns."""
    places = {column.name: place for place, column in enumerate(columns)}
    found: list[Source] = []
    named: list[Quantity] = []
    for place, column in enumerate(columns):
        base, _, seat = column.name.rpartition("_")
        if column.name == FIRST:
            found.append(Source(place, ORDER, len(named), seats, 0))
            named += [Quantity("order of play", PLACES[k], -1) for k in range(seats)]
        elif column.unit in OFFSETS and column.name != "winner" and not column.labels:
            found.append(Source(place, NAMED, len(named), OFFSETS[column.unit], 0))
            named.append(Quantity(column.name, "", -1))
        elif column.labels and base and all(f"{base}_{each}" in places for each in range(seats)) and seat.isdecimal():
            if int(seat) == 0:
                size = len(column.labels)
                of_seats = [places[f"{base}_{each}"] for each in range(seats)]
                found += [Source(each, SEATED, len(named), size, s) for s, each in enumerate(of_seats)]
                named += [Quantity(base, label, -1) for label in column.labels]
        elif column.labels:
            found.append(Source(place, ENDING, len(named), len(column.labels), 0))
            for label in column.labels:
                named += [Quantity(column.name, label, of) for of in (-2, *range(seats))]
    return tuple(found), tuple(named)


def as_array(found: Sequence[Source]) -> NDArray[np.int64]:
    return np.array(found, np.int64).reshape(len(found), len(Source._fields))


@kernel
def add(rows, seats, win, sources, scratch, touched, sums):  # type: ignore[no-untyped-def]
    """Add rows [game, rotation, 1 + columns] to sums [quantity, 5]: of m, u, u*u, u*m, m*m over game numbers.

    scratch: [quantity, 2] zeros; touched: [quantity]. win: the parts of a win.
    """
    for j in range(rows.shape[0]):
        n = 0
        for r in range(rows.shape[1]):
            mask = rows[j, r, 0]
            winners = 0
            for seat in range(seats):
                winners += (mask >> seat) & 1
            part = win // max(1, winners)
            for i in range(sources.shape[0]):
                value, kind, base = rows[j, r, 1 + sources[i, 0]], sources[i, 1], sources[i, 2]
                if kind == NAMED:
                    value -= sources[i, 3]
                    if value >= 0:
                        n = _count(base, part * ((mask >> value) & 1), scratch, touched, n)
                elif 0 <= value < sources[i, 3]:
                    if kind == SEATED:
                        n = _count(base + value, part * ((mask >> sources[i, 4]) & 1), scratch, touched, n)
                    else:
                        for seat in range(seats):
                            q = base + (seat - value) % seats
                            if kind == ENDING:
                                q = base + value * (seats + 1) + 1 + seat
                            n = _count(q, part * ((mask >> seat) & 1), scratch, touched, n)
                if kind == ENDING:
                    for label in range(sources[i, 3]):
                        n = _count(base + label * (seats + 1), win * (label == value), scratch, touched, n)
        for k in range(n):
            q = touched[k]
            m, u = scratch[q, 0], scratch[q, 1]
            scratch[q, 0] = scratch[q, 1] = 0
            sums[q, 0] += m
            sums[q, 1] += u
            sums[q, 2] += u * u
            sums[q, 3] += u * m
            sums[q, 4] += m * m


@kernel(inline=True)
def _count(q, part, scratch, touched, n):  # type: ignore[no-untyped-def]
    """One more case of a quantity; how many quantities have been touched."""
    if scratch[q, 0] == 0:
        touched[n] = q
        n += 1
    scratch[q, 0] += 1
    scratch[q, 1] += part
    return n
