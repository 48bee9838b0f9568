"""Tallies are exact and add up, whatever the blocks."""

import numpy as np
import pytest

from lab.tally import BINS, LOWEST, WIN, _count, _units_of_rows, _whole, tally_and_rows, tally_block
from tests.lab.common import cell, columns, matches

LINES = {
    "two": cell("threshold", "trailing"),
    "unfinished": cell("keep", "random", "healer", knobs={"max_duels": 4}),
    "rotated": cell("threshold", "random", "keep", rotate_seats=True),
    "rotated, unfinished": cell("trailing", "keep", rotate_seats=True, knobs={"max_duels": 4}),
}


def same(one, other):
    return (
        one.games == other.games
        and (one.counts == other.counts).all()
        and (one.above == other.above).all()
        and (one.units == other.units).all()
        and (one.crossed == other.crossed).all()
    )


@pytest.mark.parametrize("name", LINES)
def test_blocks_add_up_in_any_order(name):
    of = matches(LINES[name])
    whole = tally_block(of, 0, 700)
    parts = [tally_block(of, first, count) for first, count in ((450, 250), (0, 1), (1, 449))]
    assert same(parts[0] + parts[1] + parts[2], whole)
    assert same(parts[2] + (parts[0] + parts[1]), whole)
    assert not same(parts[0] + parts[1], whole)


@pytest.mark.parametrize("name", LINES)
def test_sums_are_those_of_the_rows(name):
    """A second method: plain NumPy on the rows of every play."""
    of = LINES[name]
    tally, rows = tally_and_rows(matches(of), 10, 400)
    seats, names = of.seats, columns(of)
    assert rows.shape == (400, of.rotations, 1 + len(names))
    for c in range(1 + len(names)):
        values, counts = np.unique(rows[:, :, c], return_counts=True)
        assert tally.histogram(c) == dict(zip(values.tolist(), counts.tolist(), strict=True))
    for c in range(len(names)):
        assert tally.units[c].tolist() == unit_sums(rows[:, :, c + 1])
    wins = np.array([[[mask >> s & 1 for s in range(seats)] for mask in line] for line in rows[:, :, 0]])
    parts = wins * WIN // np.maximum(1, wins.sum(axis=2, keepdims=True))
    for seat in range(seats):
        assert tally.units[len(names) + seat].tolist() == unit_sums(parts[:, :, seat])
    for entry in range(seats):
        sat = np.stack([parts[:, r, (entry + r) % seats] for r in range(of.rotations)], axis=1)
        assert tally.units[len(names) + seats + entry].tolist() == unit_sums(sat)


def unit_sums(values):
    m = [sum(1 for each in unit if each >= 0) for unit in values.tolist()]
    u = [sum(each for each in unit if each >= 0) for unit in values.tolist()]
    pairs = list(zip(m, u, strict=True))
    return [sum(m), sum(u), sum(b * b for _, b in pairs), sum(a * b for a, b in pairs), sum(a * a for a in m)]


def test_rotations_meet_the_same_luck_and_the_line_up_moves_by_one_seat():
    """In rotation r, entry e sits in seat (e + r) mod seats, on the luck of the game number."""
    names = ("threshold", "random", "keep")
    _, rotated = tally_and_rows(matches(cell(*names, rotate_seats=True)), 0, 50)
    for r in range(3):
        moved = [names[(seat - r) % 3] for seat in range(3)]
        _, alone = tally_and_rows(matches(cell(*moved)), 0, 50)
        assert (rotated[:, r] == alone[:, 0]).all()


def test_values_beyond_the_histogram_are_summed_apart():
    top = LOWEST + BINS - 1
    values = [-1, 0, top, top + 1, 60_000_000, 2**31 - 1]
    counts, above = np.zeros((BINS, 1), np.int64), np.zeros((1, 4), np.int64)
    _count(np.array(values, np.int32)[:, None], counts, above)
    assert counts.sum() == 3
    assert counts[[0, 1, -1], 0].tolist() == [1, 1, 1]
    beyond = values[3:]
    assert _whole(above[0]) == [3, sum(beyond), sum(each**2 for each in beyond)]


def test_squares_of_large_units_are_exact():
    rows = np.full((100_000, 4, 2), 2**31 - 1, np.int32)
    m, u, uu, um, mm = _units_of_rows(rows, 0)[0]
    big = 4 * (2**31 - 1)
    assert (m, u, uu, um, mm) == (400_000, 100_000 * big, 100_000 * big**2, 400_000 * big, 1_600_000)


def test_tallies_of_different_kinds_do_not_add():
    two, three = tally_block(matches(LINES["two"]), 0, 5), tally_block(matches(LINES["unfinished"]), 0, 5)
    with pytest.raises(ValueError, match="not of the same cell"):
        two + three
