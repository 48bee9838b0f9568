"""Luck has coordinates: what is rolled depends on seed, game, duel, side and die, and on nothing else.

So variants of the rules and line-ups of policies meet the same dice wherever they roll the same thing. (That these are
the right dice is for `test_naive.py`, that they are fair for `test_against_exact.py`.)
"""

from dataclasses import replace
from itertools import pairwise, product

import numpy as np
import pytest

from lab.arena import play
from sims.core.game import Setting, encode
from sims.viking import GAME, rules
from sims.viking.table import Table
from tests.viking import common, naive

SEED = 2**40 + 17
GAMES = np.concatenate([np.arange(5000, dtype=np.uint64), np.arange(2**45, 2**45 + 1000, dtype=np.uint64)])


def rolled(seats=2, seed=SEED, words=False, games=GAMES, duel=0, **knobs):
    """(first, again) of duel number `duel`, each [side, die, game]: copies of what lies on a table."""
    table = Table(Setting(encode(GAME.knobs(**knobs)), seats, seed, words), games.size)
    table.deal(np.arange(games.size, dtype=np.int32), games)
    table.counters[rules.DUELS] = duel
    table._roll()
    return table.first.copy(), table.again.copy()


@pytest.mark.parametrize("sides", [4, 6, 12])
def test_a_new_die_moves_no_other(sides):
    by_dice = {dice: rolled(dice=dice, sides=sides) for dice in (2, 3, 4, 5)}
    for fewer, more in pairwise(by_dice):
        for some, all_of_them in zip(by_dice[fewer], by_dice[more], strict=True):
            assert (some == all_of_them[:, :fewer]).all()


def test_every_die_has_luck_of_its_own():
    """Ten dice of a first roll and ten of a reroll: no two alike more often than chance has it, within 5 sigma."""
    dice = np.concatenate([array.reshape(10, -1) for array in rolled(dice=5)])
    n = GAMES.size
    for i, j in product(range(20), repeat=2):
        if i < j:
            assert abs((dice[i] == dice[j]).sum() - n / 6) < 5 * np.sqrt(n * 5 / 36), (i, j)


@pytest.mark.parametrize("change", [{"seed": SEED + 1}, {"seed": SEED + 2**32}, {"duel": 1}, {"games": GAMES + 10_000}])
def test_another_seed_duel_or_game_is_other_luck(change):
    one, other = rolled()[0], rolled(**change)[0]
    n = one.size
    assert abs((one == other).sum() - n / 6) < 5 * np.sqrt(n * 5 / 36)


def test_sides_move_nothing():
    """Die 0 is its word scaled: with more sides the face is as high or higher, by the very same parts of the range."""
    face = {sides: rolled(sides=sides) for sides in (4, 6, 8, 10, 12)}
    for roll in range(2):
        die = {sides: arrays[roll][:, 0].astype(int) for sides, arrays in face.items()}
        for fewer, more in pairwise(die):
            assert (die[fewer] <= die[more]).all()
            assert (die[fewer] < die[more]).any()
        assert (die[6] == (die[12] + 1) // 2).all()
        assert (die[4] == (die[12] + 2) // 3).all()
        assert (die[4] == (die[8] + 1) // 2).all()


def test_the_fourth_die_is_scaled_likewise():
    """It begins a word of its own."""
    for small, large in zip(rolled(dice=4, sides=6), rolled(dice=4, sides=12), strict=True):
        assert (small[:, 3] == (large[:, 3].astype(int) + 1) // 2).all()


@pytest.mark.parametrize(
    "change",
    [
        {"seats": 4},
        {"words": True},
        {"start_life": 200},
        {"heal": "total"},
        {"tied_triple": "hit_only"},
        {"reroll_order": "simultaneous"},
        {"max_duels": 1},
    ],
    ids=lambda change: next(iter(change)),
)
def test_other_rules_the_same_dice(change):
    for one, other in zip(rolled(), rolled(**change), strict=True):
        assert (one == other).all()


def test_lanes_and_company_do_not_matter():
    first, again = rolled()
    chosen = np.random.default_rng(1).permutation(GAMES.size)[:1500]  # more than are rolled in one go
    for one, other in zip(rolled(games=GAMES[chosen]), (first, again), strict=True):
        assert (one == other[..., chosen]).all()


def first_duel(lineup, seats=2):
    """(first, again) of the first duel, as it is played by these policies."""
    match = common.match(lineup, seats, SEED, max_duels=1)
    found = []

    def watch(table, ask):
        if ask is not None and ask.view.kind == rules.SPEAK and not found:  # before a reroll is laid
            found.append((table.first.copy(), table.again.copy()))

    play(match, 0, 2000, lambda games, rows: None, watch=watch)
    ((first, again),) = found
    return first, again


@pytest.mark.parametrize("lineup", [("random", "keep"), ("keep", "random"), ("threshold", "trailing"), ("random",) * 3])
def test_policies_do_not_change_the_dice(lineup):
    """Nor do the words that random draws: whom it faces, what it rerolls."""
    keepers = first_duel(("keep", "keep"))
    for one, other in zip(first_duel(lineup, len(lineup)), keepers, strict=True):
        assert (one == other).all()


def test_words_that_nobody_reads_change_nothing():
    match = common.match(("threshold", "trailing", "healer"), 3, SEED)
    assert not match.setting.words
    drawn = replace(match, setting=match.setting._replace(words=True))
    assert (common.rows(match, 300) == common.rows(drawn, 300)).all()


def test_a_policy_gets_a_word_of_its_own_for_every_decision():
    """Known answers: the words of rounds 0 to 2 and of a strike at one coordinate, that of a target at another."""
    table = Table(Setting(encode(GAME.knobs()), 3, SEED, True), 4)
    table.deal(np.arange(4, dtype=np.int32), GAMES[-4:])
    table.counters[rules.DUELS] = 7
    lucks = [naive.Luck(SEED, int(game), 7, 3, 6) for game in GAMES[-4:]]
    seen = {}
    for ask in table._choose_foe():
        seen["target"] = ask.view.word.tolist()
        ask.action[:] = 1
    table._roll()
    table.first[:] = np.reshape([(1, 2, 4), (5, 4, 3)], (2, 3, 1))  # seat 0 speaks first
    table.again[:] = np.reshape([(6, 6, 6), (5, 5, 5)], (2, 3, 1))
    rules.speak_first(table.knobs.reroll_order, table.dice, table.first, table.reroll, table.speaker)
    for ask, action in zip(table._speak(), (0, 0b110, 0b001), strict=True):  # waits; 5-5-5; 6-2-4
        seen[ask.view.chance] = ask.view.word.tolist()
        ask.action[:] = action
    for ask in table._strike():
        seen["strike"] = ask.view.word.tolist()
        ask.action[:] = rules.ATTACK
    assert seen == {
        "target": [luck.target_word() for luck in lucks],
        **{chance: [luck.speaking_word(chance) for luck in lucks] for chance in range(3)},
        "strike": [luck.choice_word() for luck in lucks],
    }


@pytest.mark.parametrize("lanes", [1, 3, 64])
def test_results_do_not_depend_on_lanes_or_on_where_a_block_begins(lanes):
    match = common.match(("random", "trailing", "healer"), 3, SEED)
    whole = common.rows(match, 120)
    assert (common.rows(match, 120, lanes=lanes) == whole).all()
    assert (common.rows(match, 50, first=70, lanes=lanes) == whole[70:]).all()
