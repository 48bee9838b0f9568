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


def is_quantity(column: Column) -> bool:
    """Whether a column's values are quantities, of which a mean says something, and not names: a category's labels, or
    seats."""
    return not column.labels and column.unit not in OFFSETS


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
            for i in range(sources.shape[0]):
                n = _cases(sources[i], rows[j, r, 1 + sources[i, 0]], mask, seats, win, scratch, touched, n)
        _add_touched(1, scratch, touched, n, sums)


class Counts(NamedTuple):
    """Plays by what they say about who won, each a game number of its own."""

    outcomes: NDArray[np.int64]
    """[source, value + 1, bit mask of winners]; the first and the last value are all that lie below and above."""
    pairs: NDArray[np.int64]
    """[pair, 2] the sources of two seats' labels in one category: a play counts once for a label that both have."""
    alike: NDArray[np.int64]
    """[pair, value + 1, bit mask of winners] the plays in which they do."""


def counts(found: Sequence[Source], seats: int) -> Counts:
    """Of no plays."""
    two = [(i, j) for j in range(len(found)) for i in range(j) if _are_pair(found[i], found[j])]
    shape = 2 + max((_values(each, seats) for each in found), default=0), 1 << seats
    sizes = (len(found), *shape), (len(two), *shape)
    return Counts(np.zeros(sizes[0], np.int64), np.array(two, np.int64).reshape(-1, 2), np.zeros(sizes[1], np.int64))


def _are_pair(one: Source, other: Source) -> bool:
    return one.kind == other.kind == SEATED and one.base == other.base


def _values(source: Source, seats: int) -> int:
    return seats + source.size if source.kind == NAMED else source.size


@kernel
def count(rows, sources, counts):  # type: ignore[no-untyped-def]
    """Add rows [play, 1 + columns] to counts."""
    outcomes, pairs, alike = counts
    last = outcomes.shape[1] - 1
    for j in range(rows.shape[0]):
        mask = np.uint64(rows[j, 0])
        for i in range(sources.shape[0]):  # indices without a sign, of which none could mean "from the end"
            value = min(max(0, rows[j, np.uint64(1 + sources[i, 0])] + 1), last)
            outcomes[i, np.uint64(value), mask] += 1
        for i in range(pairs.shape[0]):
            value = rows[j, 1 + sources[pairs[i, 0], 0]]
            if value == rows[j, 1 + sources[pairs[i, 1], 0]]:
                alike[i, min(max(0, value + 1), last), rows[j, 0]] += 1


@kernel
def add_counted(counts, seats, win, sources, scratch, touched, sums):  # type: ignore[no-untyped-def]
    """As `add`, of counted plays. What seats have alike belongs together: m is 2 and u the sum of their parts, of which
    the squares' sums lack the mixed terms as long as each seat is counted alone."""
    outcomes, pairs, alike = counts
    for i in range(pairs.shape[0]):
        base, size, one, other = sources[pairs[i, 0], 2], sources[pairs[i, 0], 3], pairs[i, 0], pairs[i, 1]
        for value in range(1, size + 1):
            for mask in range(alike.shape[2]):
                n, part = alike[i, value, mask], _part(mask, seats, win)
                a, b = part * ((mask >> sources[one, 4]) & 1), part * ((mask >> sources[other, 4]) & 1)
                sums[base + value - 1, 2] += n * 2 * a * b
                sums[base + value - 1, 3] += n * (a + b)
                sums[base + value - 1, 4] += n * 2
    for i in range(outcomes.shape[0]):
        for value in range(outcomes.shape[1]):
            for mask in range(outcomes.shape[2]):
                if outcomes[i, value, mask]:
                    n = _cases(sources[i], value - 1, mask, seats, win, scratch, touched, 0)
                    _add_touched(outcomes[i, value, mask], scratch, touched, n, sums)


@kernel(inline=True)
def _part(mask, seats, win):  # type: ignore[no-untyped-def]
    """What each winner gets of a win."""
    winners = 0
    for seat in range(seats):
        winners += (mask >> seat) & 1
    return win // max(1, winners)


@kernel
def _cases(source, value, mask, seats, win, scratch, touched, n):  # type: ignore[no-untyped-def]
    """Put a play's cases of a source's quantities into scratch; how many quantities have been touched."""
    kind, base, size = source[1], source[2], source[3]
    part = _part(mask, seats, win)
    if kind == NAMED:
        value -= size
        if value >= 0:
            n = _case(base, part * ((mask >> value) & 1), scratch, touched, n)
    elif 0 <= value < size:
        if kind == SEATED:
            n = _case(base + value, part * ((mask >> source[4]) & 1), scratch, touched, n)
        else:
            for seat in range(seats):
                q = base + (seat - value) % seats
                if kind == ENDING:
                    q = base + value * (seats + 1) + 1 + seat
                n = _case(q, part * ((mask >> seat) & 1), scratch, touched, n)
    if kind == ENDING:
        for label in range(size):
            n = _case(base + label * (seats + 1), win * (label == value), scratch, touched, n)
    return n


@kernel(inline=True)
def _case(q, part, scratch, touched, n):  # type: ignore[no-untyped-def]
    """One more case of a quantity; how many quantities have been touched."""
    if scratch[q, 0] == 0:
        touched[n] = q
        n += 1
    scratch[q, 0] += 1
    scratch[q, 1] += part
    return n


@kernel
def _add_touched(times, scratch, touched, n, sums):  # type: ignore[no-untyped-def]
    """Add the game number in scratch, so many times, and clear scratch."""
    for k in range(n):
        q = touched[k]
        m, u = scratch[q, 0], scratch[q, 1]
        scratch[q, 0] = scratch[q, 1] = 0
        sums[q, 0] += times * m
        sums[q, 1] += times * u
        sums[q, 2] += times * u * u
        sums[q, 3] += times * u * m
        sums[q, 4] += times * m * m
