"""The scalar peer plays the same game: its means against the table's, and against the exact solver's.

Seeds are fixed. A difference of 5 standard errors has a chance below one in a million where the rules are the same.
"""

from functools import cache
from math import sqrt

import numba
import numpy as np
import pytest

from sims.viking import exact, scalar
from tests.viking.common import match, names, rows

GAMES = 300 if numba.config.DISABLE_JIT else 300_000
MATCH = match(scalar.LINEUP, seed=20_261_129)
COLUMNS = names(MATCH)


@cache
def scalar_means():
    sums = np.zeros(len(COLUMNS), np.int64)
    with np.errstate(over="ignore"):  # its generator wraps on purpose
        scalar.play(7, 0, GAMES, sums)
    return dict(zip(COLUMNS, sums / GAMES, strict=True))


@cache
def table_moments():
    found = rows(MATCH, GAMES)[:, 1:].astype(float)
    return dict(zip(COLUMNS, zip(found.mean(0), found.std(0, ddof=1), strict=True), strict=True))


@pytest.mark.parametrize("column", COLUMNS)
def test_means_agree_with_the_table(column):
    mean, deviation = table_moments()[column]
    assert abs(scalar_means()[column] - mean) <= 5 * deviation * sqrt(2 / GAMES)


def test_win_shares_agree_with_the_exact_ones():
    assert scalar_means()["unfinished"] == 0
    solution = exact.solve(tuple((name, scalar.BELOW) for name in scalar.LINEUP))
    found = 1 - scalar_means()["winner"], scalar_means()["winner"]
    for share, wanted in zip(found, solution.win_share, strict=True):
        assert abs(share - wanted) < 5 * sqrt(wanted * (1 - wanted) / GAMES)


def test_mean_duels_agree_with_the_exact_ones():
    solution = exact.solve(tuple((name, scalar.BELOW) for name in scalar.LINEUP))
    assert abs(scalar_means()["duels"] - solution.duels) < 5 * table_moments()["duels"][1] / sqrt(GAMES)


def test_blocks_add_up():
    """Each game has its own luck, so it does not matter where a block of games begins."""
    whole, parts = np.zeros((2, len(COLUMNS)), np.int64)
    with np.errstate(over="ignore"):
        scalar.play(7, 0, 100, whole)
        scalar.play(7, 0, 30, parts)
        scalar.play(7, 30, 70, parts)
    assert whole.tolist() == parts.tolist()


def test_the_line_up_is_played_with_default_weights():
    """`scalar` cannot take knobs or weights: it must mean the defaults."""
    assert MATCH.setting.knobs.start_life == scalar.START_LIFE
    assert MATCH.setting.knobs.max_duels == scalar.MAX_DUELS
    assert {player.weights.below for player in MATCH.players} == {scalar.BELOW}
