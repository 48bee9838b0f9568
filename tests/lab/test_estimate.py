"""Estimates against other people's formulas, and against what they promise."""

import math

import numpy as np
import pytest
from scipy import stats

from lab.estimate import student, summarise, wilson
from lab.tally import tally_and_rows, tally_block
from sims.viking.exact import solve
from tests.lab.common import cell, columns, matches, sheet


@pytest.mark.parametrize(("k", "n"), [(0, 10), (1, 10), (10, 10), (37, 100), (5000, 10_000), (1, 10**6)])
def test_wilson_is_scipys(k, n):
    theirs = stats.binomtest(k, n).proportion_ci(method="wilson")
    ours = wilson(k / n, n)
    assert ours.low == pytest.approx(theirs.low, abs=1e-12)
    assert ours.high == pytest.approx(theirs.high, abs=1e-12)
    assert ours.low <= ours.estimate <= ours.high


@pytest.mark.parametrize("freedom", [1, 2, 30, 9_999, 10_000, 10**7])
def test_student_is_scipys(freedom):
    assert student(freedom) == pytest.approx(stats.t.ppf(0.975, freedom), rel=2e-4)


def test_without_rotation_shares_are_plain_wilson_and_means_plain_student():
    of = cell("threshold", "trailing")
    tally, rows = tally_and_rows(matches(of), 0, 500)
    summary = summarise(of, sheet(of), tally)
    wins = int((rows[:, 0, 0] == 1).sum())
    theirs = stats.binomtest(wins, 500).proportion_ci(method="wilson")
    assert summary.win_share[0].low == pytest.approx(theirs.low, abs=1e-12)
    assert summary.win_share[0].high == pytest.approx(theirs.high, abs=1e-12)
    assert summary.win_share == summary.win_share_policy
    assert sum(each.estimate for each in summary.win_share) == pytest.approx(1)
    for c, metric in enumerate(summary.metrics):
        values = rows[:, 0, 1 + c]
        assert metric.mean == pytest.approx(values.mean())
        assert metric.sd == pytest.approx(values.std(ddof=1))
        half = stats.t.ppf(0.975, 499) * values.std(ddof=1) / math.sqrt(500)
        assert metric.high - metric.mean == pytest.approx(half)
        assert metric.mean - metric.low == pytest.approx(half)


def test_what_is_not_defined_is_left_out_of_means():
    of = cell("keep", "trailing", "random", knobs={"max_duels": 5})
    tally, rows = tally_and_rows(matches(of), 0, 3000)
    metric = {each.column: each for each in summarise(of, sheet(of), tally).metrics}["place_0"]
    values = rows[:, 0, 1 + columns(of).index("place_0")]
    defined = values[values > 0]
    assert 0 < metric.n == len(defined) < 3000
    assert metric.mean == pytest.approx(defined.mean())
    assert metric.sd == pytest.approx(defined.std(ddof=1))
    assert metric.half_width == pytest.approx(1.96 * defined.std() / math.sqrt(len(defined)), rel=2e-3)


def test_unfinished_games_have_no_winner_and_are_counted():
    of = cell("keep", "trailing", "random", knobs={"max_duels": 5})
    tally, rows = tally_and_rows(matches(of), 0, 1000)
    summary = summarise(of, sheet(of), tally)
    assert summary.unfinished == summary.no_winner == int(rows[:, 0, 1 + columns(of).index("unfinished")].sum()) > 0
    assert sum(each.estimate for each in summary.win_share) == pytest.approx(1 - summary.no_winner / 1000)


def test_rotated_seats_use_the_game_number_as_unit():
    """The standard error of a rotated share is that of the means over rotations, by plain NumPy."""
    of = cell("threshold", "keep", rotate_seats=True)
    tally, rows = tally_and_rows(matches(of), 0, 2000)
    share = summarise(of, sheet(of), tally).win_share_policy[0]
    units = np.stack([rows[:, 0, 0] == 1, rows[:, 1, 0] == 2], axis=1).mean(axis=1)
    assert share.estimate == pytest.approx(units.mean())
    assert share.half_width == pytest.approx(1.96 * units.std(ddof=1) / math.sqrt(2000), rel=2e-3)


def test_a_policy_against_itself_rotated_is_exactly_even():
    of = cell("threshold", rotate_seats=True)
    summary = summarise(of, sheet(of), tally_block(matches(of), 0, 1000))
    assert {(each.estimate, each.low, each.high) for each in summary.win_share_policy} == {(0.5, 0.5, 0.5)}


@pytest.mark.parametrize("games", [1, 2])
def test_tiny_runs_promise_nothing(games):
    of = cell("keep", "random")
    summary = summarise(of, sheet(of), tally_block(matches(of), 0, games))
    assert summary.win_share[0].half_width > 0.3
    assert summary.metrics[0].high - summary.metrics[0].low > 1 or games == 2
    assert math.isnan(summary.metrics[0].sd) == (games == 1)


def test_intervals_cover_the_exact_answer_as_often_as_they_say():
    """400 small studies with known truth: coverage of 95 % intervals within 5 sigma of a binomial."""
    names, truth = ("threshold", "trailing"), solve((("threshold", 4), ("trailing", 4)))
    of, studies, games = cell(*names), 400, 250
    covered = {"share": 0, "duels": 0}
    for study in range(studies):
        summary = summarise(of, sheet(of), tally_block(matches(of), study * games, games))
        covered["share"] += summary.win_share[0].low <= truth.win_share[0] <= summary.win_share[0].high
        covered["duels"] += summary.metrics[0].low <= truth.duels <= summary.metrics[0].high
    band = 5 * math.sqrt(0.05 * 0.95 * studies)
    for name, hits in covered.items():
        assert abs(hits - 0.95 * studies) < band, (name, hits)
