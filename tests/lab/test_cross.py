"""Shares of wins by category, against plain sums over plays."""

import numpy as np
import pytest

from lab.cross import Quantity, add, add_counted, as_array, count, counts, sources
from lab.tally import WIN
from sims.core.game import Column

SEATS = 3
COLUMNS = (
    Column("winner", "", "seat"),
    Column("first_seat", "", "seat"),
    Column("hero_0", "", "hero", labels=("red", "blue")),
    Column("hero_1", "", "hero", labels=("red", "blue")),
    Column("hero_2", "", "hero", labels=("red", "blue")),
    Column("card_7", "", "seat + 1"),
    Column("score_0", "", "points"),
    Column("ending", "", "ending", labels=("goal", "limit")),
)


def test_what_is_crossed():
    found, quantities = sources(COLUMNS, SEATS)
    assert len(found) == 1 + 3 + 1 + 1
    assert quantities[:6] == (
        Quantity("order of play", "first", -1),
        Quantity("order of play", "second", -1),
        Quantity("order of play", "third", -1),
        Quantity("hero", "red", -1),
        Quantity("hero", "blue", -1),
        Quantity("card_7", "", -1),
    )
    assert [(each.value, each.seat) for each in quantities[6:]] == [
        (label, seat) for label in ("goal", "limit") for seat in (-2, 0, 1, 2)
    ]


def played(rng, games, rotations):
    """Rows of random plays: winners as a bit mask, then the columns."""
    rows = np.zeros((games, rotations, 1 + len(COLUMNS)), np.int32)
    shape = games, rotations
    rows[:, :, 0] = rng.choice([0, 1, 2, 4, 3, 7], shape)
    rows[:, :, 2] = rng.integers(0, SEATS, shape)
    for hero in range(SEATS):
        rows[:, :, 3 + hero] = rng.integers(-1, 2, shape)
    rows[:, :, 6] = rng.integers(0, SEATS + 1, shape)
    rows[:, :, 8] = rng.integers(0, 2, shape)
    return rows


def cases(row):
    """By the definition: every (quantity, parts of a win) that a play gives."""
    mask = int(row[0])
    part = [WIN // mask.bit_count() if mask >> seat & 1 else 0 for seat in range(SEATS)]
    for place, name in enumerate(("first", "second", "third")):
        yield ("order of play", name, -1), part[(row[2] + place) % SEATS]
    for seat in range(SEATS):
        if row[3 + seat] >= 0:
            yield ("hero", ("red", "blue")[row[3 + seat]], -1), part[seat]
    if row[6]:
        yield ("card_7", "", -1), part[row[6] - 1]
    for value, label in enumerate(("goal", "limit")):
        yield ("ending", label, -2), WIN * (row[8] == value)
        if row[8] == value:
            for seat in range(SEATS):
                yield ("ending", label, seat), part[seat]


@pytest.mark.parametrize("rotations", [1, 3])
def test_sums_are_those_of_the_definition(rotations):
    rows = played(np.random.default_rng(5), 200, rotations)
    found, quantities = sources(COLUMNS, SEATS)
    sums = np.zeros((len(quantities), 5), np.int64)
    scratch = np.zeros((len(quantities), 2), np.int64)
    add(rows, SEATS, WIN, as_array(found), scratch, np.zeros(len(quantities), np.int64), sums)
    assert not scratch.any()
    wanted = np.zeros_like(sums)
    for game in rows:
        m, u = dict.fromkeys(quantities, 0), dict.fromkeys(quantities, 0)
        for row in game:
            for quantity, parts in cases(row):
                m[quantity] += 1
                u[quantity] += int(parts)
        for q, quantity in enumerate(quantities):
            a, b = m[quantity], u[quantity]
            wanted[q] += np.array([a, b, b * b, a * b, a * a])
    assert (sums == wanted).all()


def test_plays_that_are_counted_first_give_the_same_sums():
    """Also where a value lies beyond its labels, or below them."""
    rows = played(np.random.default_rng(6), 500, 1)
    rows[::7, 0, 8], rows[::11, 0, 3:5], rows[::13, 0, 2] = 9, 7, -1
    found, quantities = sources(COLUMNS, SEATS)
    scratch, touched = np.zeros((len(quantities), 2), np.int64), np.zeros(len(quantities), np.int64)
    plain, counted = np.zeros((2, len(quantities), 5), np.int64)
    add(rows, SEATS, WIN, as_array(found), scratch, touched, plain)
    table = counts(found, SEATS)
    assert table.pairs.shape == (SEATS * (SEATS - 1) // 2, 2)
    for part in (rows[:200, 0], rows[200:, 0]):
        count(part, as_array(found), table)
    assert table.outcomes.sum() == 500 * len(found)
    add_counted(table, SEATS, WIN, as_array(found), scratch, touched, counted)
    np.testing.assert_array_equal(counted, plain)
