"""The scalar peer plays the same game: its means against the table's.

Seeds are fixed. A difference of 5 standard errors has a chance below one in a million where the rules are the same.
"""

from functools import cache
from math import sqrt

import numba
import numpy as np
import pytest

from lab.arena import play
from sims.vices import scalar
from tests.vices.common import match

GAMES = 60 if numba.config.DISABLE_JIT else 100_000
MATCH = match(scalar.LINEUP, scalar.SEATS, seed=20_261_129)
COLUMNS = MATCH.columns


@cache
def scalar_means():
    sums = np.zeros(len(COLUMNS), np.int64)
    with np.errstate(over="ignore"):  # its generator wraps on purpose
        scalar.play(7, 0, GAMES, sums)
    return dict(zip(COLUMNS, sums / GAMES, strict=True))


@cache
def table_moments():
    """{column: (mean, standard deviation)}"""
    found = []
    play(MATCH, 0, GAMES, lambda games, rows: found.append(rows[:, 1:].astype(float)))
    rows = np.concatenate(found)
    return dict(zip(COLUMNS, zip(rows.mean(0), rows.std(0, ddof=1), strict=True), strict=True))


@pytest.mark.parametrize("column", COLUMNS)
def test_means_agree_with_the_table(column):
    mean, deviation = table_moments()[column]
    assert abs(scalar_means()[column] - mean) <= 5 * deviation * sqrt(2 / GAMES)


def test_the_means_are_worth_comparing():
    """A column that is the same in every game would agree too easily. No game is cut off."""
    same = [column for column, (_, deviation) in table_moments().items() if deviation == 0]
    assert same == ["unfinished"]
    assert scalar_means()["unfinished"] == 0


def test_blocks_add_up():
    """Each game has its own luck, so it does not matter where a block of games begins."""
    whole, parts = np.zeros((2, len(COLUMNS)), np.int64)
    with np.errstate(over="ignore"):
        scalar.play(7, 0, 100, whole)
        scalar.play(7, 0, 30, parts)
        scalar.play(7, 30, 70, parts)
    assert whole.tolist() == parts.tolist()


def test_the_rules_are_the_defaults():
    """`scalar` cannot take knobs: it must mean the defaults."""
    knobs = MATCH.setting.knobs
    assert (knobs.target, knobs.max_rounds, knobs.nemesis_sides) == (scalar.TARGET, scalar.MAX_ROUNDS, 20)
    assert len(scalar.LINEUP) == scalar.SEATS
