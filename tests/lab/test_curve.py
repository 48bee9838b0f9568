"""Winning-chance curves against chances that are known: of a game made up here, and of the exact solver."""

import numpy as np
import pytest

from lab import control, curve, measures
from lab.curve import Snapshots
from lab.traces import Trace

RUIN = curve.layout(("stake_0", "stake_1", "turns", "luck_0", "luck_1"), 2, True, 1)
TOTAL = 12


def ruin(games, seed, up=0.5):
    """Gambler's ruin as a trace: a coin moves one of twelve coins, until somebody has all. Known chances: stake / 12
    with a fair coin (Feller, An Introduction to Probability Theory, 3rd ed., XIV.2)."""
    rng = np.random.default_rng(seed)
    stakes, rows = np.full(games, TOTAL // 2), []
    playing, turn = np.arange(games), 0
    while playing.size:
        turn += 1
        heads = rng.random(playing.size) < up
        stakes[playing] += np.where(heads, 1, -1)
        luck = np.where(heads, 1, -1)
        now = stakes[playing]
        last = (now == 0) | (now == TOTAL)
        rows.append(np.stack([now, TOTAL - now, np.full(now.size, turn), luck, -luck, playing, last], axis=1))
        playing = playing[~last]
    found = np.concatenate(rows)
    found = found[np.argsort(found[:, 5], kind="stable")]
    won = np.stack([stakes == TOTAL, stakes == 0], axis=1).astype(float)
    columns = np.zeros((games, 1), np.int32)
    return Trace(
        found[:, :5].astype(np.int32), found[:, 5], found[:, 2], found[:, 6] == 1, won, columns,
        np.zeros((2, 0, 2), np.int64),
    )  # fmt: skip


def fit(trace):
    on = ~trace.last
    kinds = np.zeros((on.sum(), trace.won.shape[1]), np.int64)
    return curve.fit(RUIN, Snapshots(trace.sights[on], trace.turn[on], kinds, trace.won[trace.game[on]]))


def test_a_fair_gamblers_ruin():
    made = fit(ruin(4000, 1))
    stakes = np.arange(1, TOTAL)
    for turn in (5, 20):
        sights = np.stack([stakes, TOTAL - stakes, np.full(11, turn), stakes * 0, stakes * 0], axis=1)
        chances = made.chances(sights.astype(np.int32), np.full(11, turn), np.zeros(2, np.int64))
        assert chances.sum(axis=1) == pytest.approx(1)
        assert np.abs(chances[:, 0] - stakes / TOTAL).max() < 0.05


def test_seats_are_alike_where_the_rules_are():
    """The same position seen from the other side has the same chances, exchanged, to the last bit."""
    made, trace = fit(ruin(500, 2)), ruin(200, 3)
    other = trace.sights[:, [1, 0, 2, 4, 3]]
    one, two = (made.chances(each, trace.turn, np.zeros(2, np.int64)) for each in (trace.sights, other))
    assert np.abs(one - two[:, ::-1]).max() < 1e-12


def test_chances_depend_on_no_other_row():
    made, trace = fit(ruin(500, 2)), ruin(200, 3)
    whole = made.chances(trace.sights, trace.turn, np.zeros(2, np.int64))
    for rows in (slice(5, 6), slice(0, 77)):
        assert (made.chances(trace.sights[rows], trace.turn[rows], np.zeros(2, np.int64)) == whole[rows]).all()


def test_nobody_winning_has_a_chance_of_its_own():
    """Games that a coin voids: nobody wins 30 % of them, whatever the stakes."""
    trace = ruin(4000, 4)
    void = np.random.default_rng(5).random(4000) < 0.3
    won = trace.won * ~void[:, None]
    on = ~trace.last
    kinds = np.zeros((on.sum(), 2), np.int64)
    made = curve.fit(RUIN, Snapshots(trace.sights[on], trace.turn[on], kinds, won[trace.game[on]]))
    chances = made.chances(trace.sights[on], trace.turn[on], np.zeros(2, np.int64))
    assert 1 - chances.sum(axis=1).mean() == pytest.approx(void.mean(), abs=0.03)


def test_scores_by_hand():
    """Two games of two turns; chances 0.75 and 0.25 after the first turn of each, constant ones of a half."""
    sights = np.zeros((4, 5), np.int32)
    game, turn = np.array([0, 0, 1, 1]), np.array([1, 2, 1, 2])
    won = np.array([[1.0, 0.0], [0.0, 1.0]])
    trace = Trace(sights, game, turn, turn == 2, won, np.zeros((2, 1), np.int32), np.zeros((2, 0, 2), np.int64))
    course = measures.course(trace, np.full((4, 2), (0.75, 0.25)), np.array([0.5, 0.5]))
    found = measures.scores(course)
    assert found["Brier score"] == pytest.approx([2 * 0.25**2, 2 * 0.75**2])
    assert found["log score"] == pytest.approx([-np.log(0.75), -np.log(0.25)])
    assert found["Brier score constant"] == pytest.approx([0.5, 0.5])
    assert found["log score constant"] == pytest.approx([np.log(2)] * 2)
    values = measures.per_game(course, RUIN)
    assert values["surprise"] == pytest.approx([0.25 + 0.25, 0.25 + 0.75])
    assert values["drama"] == pytest.approx([0, 0.5])
    assert values["comebacks"].tolist() == [0, 0]  # 0.25 is not below half of a half
    assert values["decided at"] == pytest.approx([1, 1])
    assert np.isnan(values["runaway leader"]).all()  # nobody leads


def test_leads_by_hand():
    """Stakes of two seats over four turns: seat 0 leads, level, seat 1 leads, seat 1 has won."""
    sights = np.array([[7, 5, 1, 0, 0], [6, 6, 2, 0, 0], [2, 10, 3, 0, 0], [0, 12, 4, 0, 0]], np.int32)
    turn = np.arange(1, 5)
    trace = Trace(sights, turn * 0, turn, turn == 4, np.array([[0.0, 1.0]]), np.zeros((1, 1), np.int32),
                  np.zeros((2, 0, 2), np.int64))  # fmt: skip
    chances = np.array([[0.8, 0.2], [0.5, 0.5], [0.05, 0.95], [0, 1]])
    course = measures.course(trace, chances, np.array([0.5, 0.5]))
    found = measures.per_game(course, RUIN)
    assert found["lead changes"].tolist() == [1]
    assert found["closeness"].tolist() == [12]
    assert found["comebacks"].tolist() == [1]  # 0.2 is below 0.25
    assert found["decided at"].tolist() == [3 / 4]
    assert np.isnan(found["runaway leader"]).all()  # level at half of the turns
    assert found["drama"] == pytest.approx([(0.6 + 0 + 0) / 3])
    fan = measures.fan(course)
    assert fan.sum(axis=1).tolist() == [1] * 21
    assert [int(fan[k].argmax()) for k in (0, 5, 10, 15, 20)] == [50, 20, 50, 95, 99]


def adjusted(made, control_, trace):
    course = measures.course(trace, made.chances(trace.sights, trace.turn, np.zeros(2, np.int64)), np.array([0.5, 0.5]))
    earlier = np.roll(trace.sights, 1, axis=0)
    turns = control.turns(made, course.before, earlier, trace.sights, trace.turn)
    return (
        course,
        turns,
        trace.won[:, 0] - np.bincount(trace.game, weights=control_.given(turns)[:, 0]) if control_ else 0,
    )


def test_luck_takes_off_variance_and_no_mean():
    """In a fair ruin all is luck, and linear in it; what is left of the variance is what the curve gets wrong."""
    trained = ruin(3000, 6)
    made = fit(trained)
    course, turns, _ = adjusted(made, None, trained)
    weights = control.fit(turns, course.after - course.before)
    fresh = ruin(3000, 7)
    left = adjusted(made, weights, fresh)[2]
    assert left.var() < 0.1 * fresh.won[:, 0].var()
    assert abs(left.mean() - 0.5) < 5 * left.std() / np.sqrt(3000)


def coverage(repetitions, games, factor):
    """How often 95 % intervals of adjusted means hold the truth, with weights `factor` times what was fitted."""
    trained = ruin(1000, 8)
    made = fit(trained)
    course, turns, _ = adjusted(made, None, trained)
    weights = control.fit(turns, course.after - course.before)
    weights = control.Control(weights.size, factor * weights.weights)
    hits = 0
    for k in range(repetitions):
        left = adjusted(made, weights, ruin(games, 100 + k))[2]
        hits += abs(left.mean() - 0.5) < 1.96 * left.std(ddof=1) / np.sqrt(games)
    return hits


@pytest.mark.parametrize("factor", [1.0, 0.3])
def test_intervals_of_adjusted_shares_hold_the_truth(factor):
    """Also with weights that are no good: 60 repetitions; fewer than 51 have a chance of 1 in 1,000 (binomial)."""
    assert coverage(60, 200, factor) >= 51


@pytest.mark.full
@pytest.mark.parametrize("factor", [1.0, 0.3, -0.5])
def test_intervals_of_adjusted_shares_hold_the_truth_in_many_repetitions(factor):
    assert 1870 <= coverage(2000, 200, factor) <= 1930


def test_luck_with_an_expectation_would_be_found_out():
    """The same with a coin that is not fair, called fair: the adjusted mean is off, and the interval misses it."""
    trained, biased = ruin(1000, 8), ruin(3000, 9, up=0.55)
    made = fit(trained)
    course, turns, _ = adjusted(made, None, trained)
    weights = control.fit(turns, course.after - course.before)
    left = adjusted(made, weights, biased)[2]
    assert abs(left.mean() - biased.won[:, 0].mean()) > 5 * left.std() / np.sqrt(3000)
