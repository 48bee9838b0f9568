"""What adds: everything that is kept of the games of a cell.

A tally is a handful of exact integers: histograms of every results column and sums over game numbers. Tallies of
disjoint sets of games add up, in any order, to the same tally; blocks, resuming and merging are this one operation.
Memory does not grow with the number of games.

The unit of statistics is the *game number*: with rotated seats, all rotations of a game number are played on the same
luck and belong together. For a quantity that is v in a play, or not defined there, a unit contributes u, the sum of v
over its rotations, and m, the number of rotations in which it is defined; `units` has the sums of m, u, u*u, u*m
and m*m, which are all that a mean and its standard error need.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lab import arena, cross
from lab.arena import Match
from sims.core.kernel import kernel

LOWEST, BINS = -1, 4097
"""Histograms are exact from LOWEST on for BINS values; what lies above is counted and summed apart. What is counted is
a value less the lowest one of its column (`Column.lowest`), so that LOWEST is "not defined" in every column."""

WIN = 60
"""A win is 60 parts, so that up to six winners share it in whole parts."""


@dataclass
class Tally:
    """See the module. Quantities: the results columns, then the win parts by seat, then by line-up entry."""

    games: int
    """Game numbers."""
    rotations: int
    counts: NDArray[np.int64]
    """[BINS, 1 + columns] plays by value less the column's lowest; column 0: the winners as a bit mask. (Values first:
    what lies BINS apart would meet in one place of the processor's cache.)"""
    above: NDArray[np.object_]
    """[1 + columns, 3] ints: number, sum and sum of squares of the values above the histogram."""
    units: NDArray[np.object_]
    """[columns + 2 * seats, 5] ints: sums over game numbers of m, u, u*u, u*m, m*m."""
    crossed: NDArray[np.object_]
    """[quantities of `lab.cross`, 5] ints: the same sums of shares of wins by category."""
    lowest: NDArray[np.int32]
    """[1 + columns] `Column.lowest`; of the bit mask 0."""

    def __add__(self, other: Tally) -> Tally:
        if self.rotations != other.rotations or self.counts.shape != other.counts.shape:
            raise ValueError("these tallies are not of the same cell")
        return Tally(
            self.games + other.games,
            self.rotations,
            self.counts + other.counts,
            self.above + other.above,
            self.units + other.units,
            self.crossed + other.crossed,
            self.lowest,
        )

    @property
    def plays(self) -> int:
        return self.games * self.rotations

    def histogram(self, column: int) -> dict[int, int]:
        """Plays by value: of the winners' bit mask for 0, of the game's column c for c + 1."""
        first, line = LOWEST + int(self.lowest[column]), self.counts[:, column]
        return {int(i) + first: int(line[i]) for i in np.flatnonzero(line)}

    def defined(self, column: int) -> dict[int, int]:
        """The histogram without the plays in which the column is not defined."""
        return {value: n for value, n in self.histogram(column).items() if value >= self.lowest[column]}


def tally_block(matches: tuple[Match, ...], first: int, count: int) -> Tally:
    """Play `count` game numbers from `first` on, in every rotation, and tally them."""
    tally, _ = _play(matches, first, count, keep=False)
    return tally


def tally_and_rows(matches: tuple[Match, ...], first: int, count: int) -> tuple[Tally, NDArray[np.int32]]:
    """As `tally_block`, and the results of every play: int32 [count, rotations, 1 + columns]."""
    return _play(matches, first, count, keep=True)


def _play(matches: tuple[Match, ...], first: int, count: int, *, keep: bool) -> tuple[Tally, NDArray[np.int32]]:
    setting, rotations = matches[0].setting, len(matches)
    width = 1 + len(matches[0].columns)
    counts = np.zeros((BINS, width), np.int64)
    above = np.zeros((width, 4), np.int64)
    keep = keep or rotations > 1
    rows = np.empty((count if keep else 0, rotations, width), np.int32)
    crossing = _Crossing(matches[0])
    lowest = np.array([0, *matches[0].lowest(matches[0].columns)], np.int32)
    floors = lowest if lowest.any() else None
    room = np.empty((0 if floors is None else matches[0].game.lanes, width), np.int32)
    for r, match in enumerate(matches):

        def sink(games: NDArray[np.uint64], results: NDArray[np.int32], r: int = r) -> None:
            _count(_raised(results, floors, room), counts, above)
            if rotations == 1:
                crossing.add_plays(results)
            if keep:
                _place((games - np.uint64(first)).astype(np.int64), results, r, rows)

        arena.play(match, first, count, sink)
    if rotations > 1:
        crossing.add_games(rows)
    exact = np.array([_whole(line) for line in above], object)
    if rotations > 1:
        units = _units_of_rows(_raised(rows, floors), setting.seats)
    else:
        units = _units_of_counts(counts, exact, setting.seats)
    for c in np.flatnonzero(lowest):
        number, total, squares = exact[c]
        exact[c] = _lowered((number, total, squares, total, number), int(lowest[c]))[:3]
        units[c - 1] = _lowered(units[c - 1], int(lowest[c]))
    return Tally(count, rotations, counts, exact, units, crossing.total(), lowest), rows


def _raised(
    rows: NDArray[np.int32], lowest: NDArray[np.int32] | None, room: NDArray[np.int32] | None = None
) -> NDArray[np.int32]:
    """Rows [..., 1 + columns] less the lowest value of each column (None: it is 0 in all); in `room`, if there is any
    to be used again."""
    if lowest is None:
        return rows
    return np.subtract(rows, lowest, out=None if room is None else room[: len(rows)])


def _lowered(sums: Sequence[int], lowest: int) -> list[int]:
    """Sums of m, u, u*u, u*m, m*m, of values to each of which the lowest one is added."""
    m, u, uu, um, mm = sums
    return [m, u + lowest * m, uu + 2 * lowest * um + lowest**2 * mm, um + lowest * mm, mm]


class _Crossing:
    """Adds up what is crossed with winning."""

    def __init__(self, match: Match) -> None:
        self.seats, self.sources = match.setting.seats, cross.as_array(match.crossed)
        self.counts = cross.counts(match.crossed, self.seats)
        self.scratch, self.touched = np.zeros((match.quantities, 2), np.int64), np.zeros(match.quantities, np.int64)
        self.sums = np.zeros((match.quantities, 5), np.int64)

    def add_plays(self, rows: NDArray[np.int32]) -> None:
        """Rows [play, 1 + columns], each a game number of its own: then counts tell all, and are quick."""
        cross.count(rows, self.sources, self.counts)

    def add_games(self, rows: NDArray[np.int32]) -> None:
        """Rows [game, rotation, 1 + columns]."""
        cross.add(rows, self.seats, WIN, self.sources, self.scratch, self.touched, self.sums)

    def total(self) -> NDArray[np.object_]:
        cross.add_counted(self.counts, self.seats, WIN, self.sources, self.scratch, self.touched, self.sums)
        return self.sums.astype(object)


@kernel
def _place(places, results, rotation, rows):  # type: ignore[no-untyped-def]
    """rows[places[j], rotation] = results[j]"""
    for j in range(places.size):
        for c in range(results.shape[1]):
            rows[places[j], rotation, c] = results[j, c]


@kernel
def _count(rows, counts, above):  # type: ignore[no-untyped-def]
    """Add rows [play, column] to the histograms. above: number, sum, and the squares' sum in two halves of 32 bits."""
    for j in range(rows.shape[0]):
        for c in range(rows.shape[1]):
            place = np.uint32(rows[j, c] - LOWEST)
            if place < BINS:
                counts[place, c] += 1
            else:
                value = np.int64(rows[j, c])
                above[c, 0] += 1
                above[c, 1] += value
                above[c, 2] += value * value >> 32
                above[c, 3] += value * value & 0xFFFFFFFF


def _whole(line: NDArray[np.int64]) -> list[int]:
    number, total, high, low = map(int, line)
    return [number, total, (high << 32) + low]


def _win_parts(mask: int, seats: int) -> list[int]:
    """How many of a win's parts each seat gets."""
    return [WIN // mask.bit_count() if mask >> seat & 1 else 0 for seat in range(seats)]


def _units_of_counts(counts: NDArray[np.int64], above: NDArray[np.object_], seats: int) -> NDArray[np.object_]:
    """Units of one play each, of values as they are counted: all sums follow from the histograms."""
    values = np.arange(LOWEST, LOWEST + BINS)
    units: list[list[int]] = []
    for line, (more, total, squares) in zip(counts.T[1:], above[1:], strict=True):
        n = int(line[1:].sum()) + more
        u, uu = int(line[1:] @ values[1:]) + total, int(line[1:] @ values[1:] ** 2) + squares
        units.append([n, u, uu, u, n])
    masks = {int(i) + LOWEST: int(counts[i, 0]) for i in np.flatnonzero(counts[:, 0])}
    plays = sum(masks.values())
    for seat in range(seats):
        parts = [(n, _win_parts(mask, seats)[seat]) for mask, n in masks.items()]
        u, uu = sum(n * part for n, part in parts), sum(n * part * part for n, part in parts)
        units.append([plays, u, uu, u, plays])
    return np.array(units + units[-seats:], object)


def _units_of_rows(rows: NDArray[np.int32], seats: int) -> NDArray[np.object_]:
    """Units of several plays each, from rows [game, rotation, 1 + columns]."""
    sums = np.zeros((rows.shape[2] - 1 + 2 * seats, 7), np.int64)
    _add_units(rows, seats, sums)
    return np.array([_unit_sums(line) for line in sums], object)


@kernel
def _add_units(rows, seats, sums):  # type: ignore[no-untyped-def]
    """Add every unit's m, u, squares of u in three parts, u*m, m*m. The parts' sums stay within 64 bits."""
    games, rotations, width = rows.shape
    for j in range(games):
        for c in range(1, width):
            m, u = np.int64(0), np.int64(0)
            for r in range(rotations):
                value = np.int64(rows[j, r, c])
                m += value >= 0
                u += value if value >= 0 else 0
            _add_unit(m, u, sums[c - 1])
        for seat in range(seats):
            of_seat, of_entry = 0, 0
            for r in range(rotations):
                mask = rows[j, r, 0]
                sat = (seat + r) % seats
                winners = 0
                for each in range(seats):
                    winners += (mask >> each) & 1
                part = WIN // max(1, winners)
                of_seat += part * ((mask >> seat) & 1)
                of_entry += part * ((mask >> sat) & 1)
            _add_unit(rotations, of_seat, sums[width - 1 + seat])
            _add_unit(rotations, of_entry, sums[width - 1 + seats + seat])


@kernel(inline=True)
def _add_unit(m, u, sums):  # type: ignore[no-untyped-def]
    high, low = u >> 20, u & 0xFFFFF
    sums[0] += m
    sums[1] += u
    sums[2] += high * high
    sums[3] += high * low
    sums[4] += low * low
    sums[5] += u * m
    sums[6] += m * m


def _unit_sums(line: NDArray[np.int64]) -> list[int]:
    """Sums of m, u, u*u, u*m, m*m."""
    m, u, high, mixed, low, um, mm = map(int, line)
    return [m, u, (high << 40) + (mixed << 21) + low, um, mm]


def compile_all(matches: tuple[Match, ...]) -> None:
    """Compile, or load, every kernel that playing these matches calls, by a few rounds of play of a few games."""
    for match in matches:
        arena.play(match, 0, 32, lambda games, rows: None, rounds=4)
    _count(np.zeros((1, 1), np.int32), np.zeros((BINS, 1), np.int64), np.zeros((1, 4), np.int64))
    _place(np.zeros(0, np.int64), np.zeros((0, 1), np.int32), 0, np.zeros((0, 1, 1), np.int32))
    _add_units(np.zeros((0, 1, 1), np.int32), 0, np.zeros((0, 7), np.int64))
    for match in matches[:1]:
        crossing, width = _Crossing(match), 1 + len(match.columns)
        crossing.add_plays(np.zeros((0, width), np.int32))
        crossing.add_games(np.zeros((0, 1, width), np.int32))
        crossing.total()
