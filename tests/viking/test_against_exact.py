"""The simulation against the exact answers of `exact.py`, which shares nothing with it.

One duel: the joint distribution of both changes of life. A game: shares of wins and mean number of duels. And what the
rules say of the first roll. Seeds are fixed; at 5 sigma a false alarm has a chance below one in a million.

    python -m pytest -m full -s tests/viking/test_against_exact.py     # ten million games a line, with a table of z
"""

from itertools import product
from math import sqrt

import numpy as np
import pytest
from scipy.stats import chi2, norm

from lab.arena import play
from sims.core.game import Setting, encode
from sims.viking import GAME, exact
from sims.viking.table import Table
from tests.viking import common
from tests.viking.test_naive import place

GAMES, BLOCK = 200_000, 1_000_000
FIVE_SIGMA = 2 * norm.sf(5)


def named(value):
    if isinstance(value, dict):
        return ",".join(f"{name}={knob}" for name, knob in value.items()) or "default"
    if isinstance(value, tuple):
        return "-".join(f"{name}{below or ''}" for name, below in value)
    return str(value)


# One duel -------------------------------------------------------------------------------------------------------------

PLENTY = 200
"""Life that a few duels cannot bring to an end, so that no change is cut off at 0."""
PAIRS = [
    (("keep", 0), ("threshold", 4)),
    (("trailing", 4), ("trailing", 4)),
    (("trailing", 5), ("healer", 3)),
    (("random", 0), ("trailing", 4)),
    (("random", 0), ("random", 0)),
    (("healer", 6), ("random", 0)),
]


def changes_in(duels, pair, seed, **knobs):
    """Changes of life of seats 0 and 1 in so many duels, int32 [game, 2]. Seat 0 is active in the first."""
    match = common.match([place(policy) for policy in pair], 2, seed, start_life=PLENTY, max_duels=duels, **knobs)
    names = ("winners", *match.columns)
    lives = [names.index("life_0"), names.index("life_1")]
    return common.rows(match, GAMES)[:, lives] - PLENTY


def p_of(changes, law):
    """Chance of changes that are as far from the law, by chi-square; outcomes expected less than 20 times are one."""
    outcomes, counts = np.unique(changes, axis=0, return_counts=True)
    found = dict(zip(map(tuple, outcomes.tolist()), counts.tolist(), strict=True))
    assert set(found) <= set(law), "a change of life that cannot be"
    expected = {outcome: chance * len(changes) for outcome, chance in law.items()}
    common_ones = [outcome for outcome in law if expected[outcome] >= 20]
    observed = [found.get(outcome, 0) for outcome in common_ones]
    wanted = [expected[outcome] for outcome in common_ones]
    rest = len(changes) - sum(wanted)
    if rest > 5:
        observed.append(len(changes) - sum(observed))
        wanted.append(rest)
    distance = sum((seen - mean) ** 2 / mean for seen, mean in zip(observed, wanted, strict=True))
    return chi2.sf(distance, len(wanted) - 1)


@pytest.mark.parametrize("order", exact.REROLL_ORDERS)
@pytest.mark.parametrize("pair", PAIRS, ids=named)
def test_one_duel(pair, order):
    law = exact.one_duel(pair, reroll_order=order)
    changes = changes_in(1, pair, 21, reroll_order=order)
    assert p_of(changes, law) > FIVE_SIGMA
    assert not (changes < 0).all(axis=1).any()  # at most one player loses life


@pytest.mark.parametrize(
    ("pair", "knobs"),
    [
        ((("healer", 4), ("random", 0)), {"heal": "total", "tied_triple": "hit_only"}),
        ((("healer", 4), ("threshold", 4)), {"heal": "none", "tied_triple": "heal_only"}),
        ((("trailing", 6), ("random", 0)), {"dice": 2, "sides": 8, "reroll_order": "simultaneous"}),
        ((("trailing", 2), ("random", 0)), {"dice": 4, "sides": 4, "heal": "total", "tied_triple": "heal_only"}),
    ],
    ids=named,
)
def test_one_duel_of_other_rules(pair, knobs):
    assert p_of(changes_in(1, pair, 22, **knobs), exact.one_duel(pair, **knobs)) > FIVE_SIGMA


def after_both(first, second):
    """The law of the sum of two independent changes."""
    law = {}
    for (one, chance), (other, factor) in product(first.items(), second.items()):
        total = one[0] + other[0], one[1] + other[1]
        law[total] = law.get(total, 0.0) + chance * factor
    return law


@pytest.mark.parametrize("order", ["open", "active_first"])
@pytest.mark.parametrize("pair", [PAIRS[1], PAIRS[3]], ids=named)
def test_two_duels_with_turns_taken(pair, order):
    """VD10: seat 1 is active in the second, which matters under `active_first`."""
    laws = [exact.one_duel(pair, active=active, reroll_order=order) for active in (0, 1)]
    assert p_of(changes_in(2, pair, 23, reroll_order=order), after_both(*laws)) > FIVE_SIGMA


def test_another_law_would_be_noticed():
    """The other order of rerolls, the other pair, the other active seat."""
    pair = PAIRS[1]
    changes = changes_in(1, pair, 21, reroll_order="active_first")
    assert p_of(changes, exact.one_duel(pair, reroll_order="active_first")) > FIVE_SIGMA
    assert p_of(changes, exact.one_duel(pair, reroll_order="open")) < FIVE_SIGMA
    assert p_of(changes, exact.one_duel(pair, reroll_order="active_first", active=1)) < FIVE_SIGMA


# A whole game ---------------------------------------------------------------------------------------------------------

MATCHES = [
    ((("keep", 0), ("keep", 0)), {}),
    ((("threshold", 4), ("keep", 0)), {}),
    ((("threshold", 4), ("trailing", 4)), {}),
    ((("trailing", 4), ("trailing", 4)), {"reroll_order": "active_first"}),
    ((("trailing", 5), ("threshold", 3)), {"reroll_order": "simultaneous"}),
    ((("healer", 4), ("threshold", 4)), {}),
    ((("healer", 4), ("healer", 4)), {"tied_triple": "heal_only"}),
    ((("random", 0), ("threshold", 4)), {}),
    ((("random", 0), ("random", 0)), {"reroll_order": "active_first"}),
    ((("trailing", 4), ("random", 0)), {"tied_triple": "hit_only", "heal": "none"}),
    ((("healer", 4), ("trailing", 4)), {"heal": "total"}),
    ((("trailing", 4), ("healer", 5)), {"sides": 8, "reroll_order": "simultaneous"}),
    ((("threshold", 3), ("trailing", 3)), {"dice": 4, "sides": 4}),
    ((("trailing", 4), ("threshold", 5)), {"start_life": 30}),
]
QUICK = [MATCHES[k] for k in (2, 3, 4, 6, 7, 9)]


def play_out(pair, knobs, games, seed):
    """Wins of seat 0 and of seat 1, sum and sum of squares of the duels, and unfinished games: exact integers."""
    match = common.match([place(policy) for policy in pair], 2, seed, **knobs)
    names = ("winners", *match.columns)
    columns = [names.index(name) for name in ("winner", "duels", "unfinished")]
    sums = np.zeros(5, np.int64)
    for first in range(0, games, BLOCK):
        winner, duels, unfinished = common.rows(match, min(BLOCK, games - first), first)[:, columns].T.astype(np.int64)
        sums += [(winner == 0).sum(), (winner == 1).sum(), duels.sum(), (duels**2).sum(), unfinished.sum()]
    return sums.tolist()


def z_scores(pair, knobs, games):
    """By how many standard errors the share of wins of seat 0 and the mean number of duels are off.

    Every match has a seed of its own, so that their errors are independent.
    """
    seed = games + MATCHES.index((pair, knobs))
    truth = exact.solve(pair, **knobs)
    wins, losses, total, squares, unfinished = play_out(pair, knobs, games, seed)
    assert unfinished == 0
    assert wins + losses == games
    share, mean = wins / games, total / games
    error_of_share = sqrt(truth.win_share[0] * truth.win_share[1] / games)
    error_of_mean = sqrt((squares / games - mean**2) / (games - 1))
    z = (share - truth.win_share[0]) / error_of_share, (mean - truth.duels) / error_of_mean
    print(
        f"\n{z[0]:+6.2f} {z[1]:+6.2f} standard errors: {share:.6f} for {truth.win_share[0]:.6f} wins,"
        f" {mean:8.5f} for {truth.duels:8.5f} duels in {games:,} games of {named(pair)} {named(knobs)}"
    )
    return z


@pytest.mark.parametrize(("pair", "knobs"), QUICK, ids=named)
def test_games(pair, knobs):
    z = z_scores(pair, knobs, GAMES)
    assert max(map(abs, z)) < 5


@pytest.mark.full
@pytest.mark.parametrize(("pair", "knobs"), MATCHES, ids=named)
def test_ten_million_games(pair, knobs):
    z = z_scores(pair, knobs, 10_000_000)
    assert max(map(abs, z)) < 4.5


# The first roll -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def first_rolls():
    """A table of a million games after the first roll of the first duel."""
    lanes = 1_000_000
    table = Table(Setting(encode(GAME.knobs()), 2, 26, False), lanes)
    table.deal(np.arange(lanes, dtype=np.int32), np.arange(lanes, dtype=np.uint64))
    table._roll()
    return table


def off(holds, chance):
    """By how many standard errors the share of games in which something holds is off."""
    return (holds.mean() - chance) / sqrt(chance * (1 - chance) / holds.size)


def is_triple(first):
    return (first == first[:, :1]).all(axis=1)


def test_equal_first_totals(first_rolls):
    totals = first_rolls.first.sum(axis=1)
    assert abs(off(totals[0] == totals[1], 0.0928498)) < 5


def test_no_reroll_allowed(first_rolls):
    assert abs(off(first_rolls.speaker < 0, 0.1446759)) < 5


def test_two_triples(first_rolls):
    assert abs(off(is_triple(first_rolls.first).all(axis=0), 1 / 1296)) < 5


@pytest.mark.parametrize("roll", ["first", "again"])
def test_every_roll_of_three_dice_is_as_likely(first_rolls, roll):
    """6**3 outcomes of either side, of the first roll and of what a reroll would show."""
    for dice in getattr(first_rolls, roll):
        counts = np.bincount(np.ravel_multi_index(dice.astype(int) - 1, (6, 6, 6)), minlength=216)
        mean = counts.sum() / 216
        assert chi2.sf(((counts - mean) ** 2 / mean).sum(), 215) > FIVE_SIGMA


@pytest.mark.parametrize(("dice", "sides"), [(2, 4), (4, 6), (5, 10), (3, 12)])
def test_every_face_is_as_likely(dice, sides):
    table = Table(Setting(encode(GAME.knobs(dice=dice, sides=sides)), 2, 27, False), GAMES)
    table.deal(np.arange(GAMES, dtype=np.int32), np.arange(GAMES, dtype=np.uint64))
    table._roll()
    for faces in np.concatenate([table.first, table.again]).reshape(4 * dice, GAMES):
        counts = np.bincount(faces, minlength=sides + 1)
        assert counts[0] == 0
        mean = GAMES / sides
        assert chi2.sf(((counts[1:] - mean) ** 2 / mean).sum(), sides - 1) > FIVE_SIGMA


def test_at_most_one_player_loses_life_in_a_duel():
    """In every duel of whole games, of all baselines, three at a table."""
    match = common.match(["random", "healer", "trailing"], 3, 28)
    losers = np.zeros(3, np.int64)

    def watch(table, ask):
        if ask is None:
            losers[:] += np.bincount((table.delta < 0).sum(axis=0), minlength=3)

    play(match, 0, 50_000, lambda games, rows: None, watch=watch)
    assert losers[2] == 0
    assert losers[1] > losers[0] > 0
