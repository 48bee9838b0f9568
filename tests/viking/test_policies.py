"""The baseline policies, decision by decision, as the rulings define them, on views made by hand."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import chi2, norm

from lab.arena import play
from sims.core.game import encode
from sims.viking import GAME
from sims.viking.rules import ATTACK, HEAL, SPEAK, STRIKE, TARGET
from sims.viking.table import View
from tests.viking import common

WAIT = 0
BY_BELOW = ("threshold", "trailing", "healer")
FIVE_SIGMA = 2 * norm.sf(5)


def view_of(kind, n=1, seats=2, chance=0, **arrays):
    """A view of n decisions. Arrays are given by name, with the lane last, and spread over all lanes if they have one.

    What is not given is as if seat 0, active, with 12 life like everyone, asked before its first roll.
    """
    dice = len(arrays.get("own", (0, 0, 0)))
    shapes = {"own": (dice, n), "other": (dice, n), "life": (seats, n)}
    types = {"life": np.int32, "duels": np.int32, "word": np.uint32}
    values = {"life": 12, "foe": -1 if kind == TARGET else 1} | arrays
    if "own" in values:
        values["own_total"], values["other_total"] = np.sum(values["own"], axis=0), np.sum(values["other"], axis=0)
    made = {}
    for name in View._fields:
        if name not in ("kind", "dice", "chance", "seats", "knobs"):
            made[name] = np.zeros(shapes.get(name, (n,)), types.get(name, np.int8))
            made[name][...] = values.get(name, 0)
            made[name].flags.writeable = False
    scalars = {"kind": kind, "dice": tuple(range(dice)), "chance": chance, "seats": seats}
    return View(**scalars, knobs=encode(GAME.knobs(dice=dice)), **made)


def actions(name, view, **weights):
    policy = GAME.policies[name]
    action = np.full(view.seat.size, -99, np.int16)
    policy.function(view, encode(policy.weights(**weights)), (), action)
    return action.tolist()


def spoken(name, own, other, chance=0, **weights):
    """What the policy rerolls, as the faces of the dice it picks up; [] is to wait."""
    view = view_of(SPEAK, chance=chance, own=np.reshape(own, (-1, 1)), other=np.reshape(other, (-1, 1)))
    (mask,) = actions(name, view, **weights)
    assert 0 <= mask < 2 ** len(own)
    return [face for die, face in enumerate(own) if mask >> die & 1]


def struck(name):
    return actions(name, view_of(STRIKE, own=np.full((3, 1), 4), other=np.ones((3, 1))))


def faced(name, life, active=0):
    view = view_of(TARGET, seats=len(life), life=np.reshape(life, (-1, 1)), seat=active, active=active)
    return actions(name, view)[0]


def test_these_are_the_baselines():
    assert list(GAME.policies) == ["healer", "keep", "random", "threshold", "trailing"]
    for name in BY_BELOW:
        assert GAME.policies[name].weights().below == 4
    assert [name for name, policy in GAME.policies.items() if policy.uses_word] == ["random"]


# keep -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("chance", [0, 1, 2])
def test_keep_never_rerolls(chance):
    assert spoken("keep", (1, 1, 2), (6, 6, 5), chance) == []
    assert spoken("keep", (6, 6, 5), (1, 1, 2), chance) == []


@pytest.mark.parametrize(
    ("life", "active", "foe"),
    [
        ((12, 12, 12), 0, 1),
        ((12, 12, 12), 1, 2),
        ((12, 12, 12), 2, 0),
        ((12, 9, 1, 5), 0, 1),  # whoever is weakest
        ((12, 0, 1, 5), 0, 2),
        ((12, 12, 0, 12), 1, 3),
        ((0, 12, 4, 12), 3, 1),
        ((3, 0, 7, 12), 2, 3),
        ((3, 0, 7, 12), 3, 0),
    ],
)
def test_keep_faces_the_next_living_seat_clockwise(life, active, foe):
    assert faced("keep", life, active) == foe


# threshold and healer: rerolling --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["threshold", "healer"])
@pytest.mark.parametrize("chance", [0, 1])
@pytest.mark.parametrize("other", [(1, 1, 2), (6, 6, 5)])
def test_every_low_die_is_rerolled_whoever_is_ahead(name, chance, other):
    assert spoken(name, (1, 4, 3), other, chance) == [1, 3]
    assert spoken(name, (3, 3, 3), other, chance) == [3, 3, 3]
    assert spoken(name, (6, 5, 2), other, chance) == [2]
    assert spoken(name, (4, 4, 5), other, chance) == []  # no low dice: it waits


@pytest.mark.parametrize("name", ["threshold", "healer"])
def test_who_waited_without_low_dice_waits_again(name):
    """A second chance comes only to who waited, and threshold speaks at its first chance alone."""
    assert spoken(name, (4, 4, 5), (6, 6, 5), chance=2) == []


@pytest.mark.parametrize("name", BY_BELOW)
@pytest.mark.parametrize("below", range(1, 14))
def test_low_is_less_than_below(name, below):
    for own in ((1, 12, below), (max(below - 1, 1), below, 5)):
        assert spoken(name, own, (12, 12, 12), below=below) == [face for face in own if face < below]


@pytest.mark.parametrize(("name", "dice"), [("threshold", 2), ("threshold", 3), ("trailing", 4), ("healer", 5)])
def test_each_die_has_its_bit(name, dice):
    for own in product((3, 4), repeat=dice):
        view = view_of(SPEAK, own=np.reshape(own, (dice, 1)), other=np.full((dice, 1), 6))
        assert actions(name, view) == [sum(1 << die for die, face in enumerate(own) if face < 4)]


# trailing -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("chance", [0, 1, 2])
def test_trailing_rerolls_only_while_strictly_behind(chance):
    assert spoken("trailing", (1, 4, 3), (3, 3, 3), chance) == [1, 3]  # 8 against 9
    assert spoken("trailing", (1, 4, 3), (3, 4, 1), chance) == []  # as much
    assert spoken("trailing", (1, 4, 3), (3, 3, 1), chance) == []  # ahead
    assert spoken("trailing", (4, 4, 5), (6, 6, 5), chance) == []  # behind, but without low dice


def test_trailing_looks_again_at_its_second_chance():
    """It was ahead and waited; the other's reroll put it behind."""
    assert spoken("trailing", (5, 4, 1), (3, 2, 1), chance=0) == []
    assert spoken("trailing", (5, 4, 1), (6, 2, 3), chance=2) == [1]


# Attack or heal -------------------------------------------------------------------------------------------------------


def test_only_healer_heals():
    assert {name: struck(name) for name in ("keep", "threshold", "trailing", "healer")} == {
        "keep": [ATTACK],
        "threshold": [ATTACK],
        "trailing": [ATTACK],
        "healer": [HEAL],
    }


# The weakest ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", BY_BELOW)
@pytest.mark.parametrize(
    ("life", "active", "foe"),
    [
        ((12, 9, 8), 0, 2),
        ((12, 8, 9), 0, 1),
        ((1, 9, 8), 0, 2),  # not itself
        ((12, 0, 9, 10), 0, 2),  # not who is out
        ((12, 12, 12), 0, 1),  # ties: the first clockwise from the active player
        ((12, 12, 12), 1, 2),
        ((12, 12, 12), 2, 0),
        ((5, 12, 5, 12), 1, 2),
        ((5, 12, 5, 12), 3, 0),
        ((5, 5, 12, 9), 2, 0),  # seat 3 is nearer, but not weaker
        ((5, 0, 5, 7), 3, 0),
        ((12, 300, 299, 301), 0, 2),
        ((2, 1, 1, 1), 2, 3),
    ],
)
def test_the_least_life_is_faced(name, life, active, foe):
    assert faced(name, life, active) == foe


# random ---------------------------------------------------------------------------------------------------------------


def p_of_uniform(answers, options):
    """Chance of answers so uneven if all options, and nothing else, were equally likely."""
    counts = np.array([(answers == option).sum() for option in options])
    assert counts.sum() == len(answers), "an answer that is not an option"
    mean = len(answers) / len(options)
    return chi2.sf(((counts - mean) ** 2 / mean).sum(), len(options) - 1)


@pytest.mark.parametrize("dice", [2, 3])
def test_random_maps_its_word_on_the_options(dice):
    """Option k for the k-th of equal parts of all words."""
    options = 2**dice
    part = 2**32 // options
    word = np.array([0, part - 1, part, 2**31, 2**32 - part - 1, 2**32 - part, 2**32 - 1], np.uint32)
    view = view_of(SPEAK, word.size, own=np.full((dice, 1), 6), other=np.ones((dice, 1)), word=word)
    assert actions("random", view) == [0, 0, 1, options // 2, options - 2, options - 1, options - 1]
    view = view_of(STRIKE, 4, word=np.array([0, 2**31 - 1, 2**31, 2**32 - 1], np.uint32))
    assert actions("random", view) == [ATTACK, ATTACK, HEAL, HEAL]


@pytest.mark.parametrize(
    ("life", "active", "living"),
    [((5, 5, 5), 0, [1, 2]), ((5, 5, 5, 5), 2, [3, 0, 1]), ((5, 0, 5, 1), 3, [0, 2]), ((5, 9, 1, 0), 0, [1, 2])],
)
def test_random_faces_any_living_opponent(life, active, living):
    n = len(living)
    word = np.array([2**32 * k // n + edge for k in range(n) for edge in (1, 2**32 // n - 2)], np.uint32)
    view = view_of(TARGET, word.size, len(life), life=np.reshape(life, (-1, 1)), seat=active, active=active, word=word)
    assert actions("random", view) == [seat for seat in living for _ in range(2)]


@pytest.fixture(scope="module")
def answers_of_random():
    """{(kind, round): answers of seats that play random} in the first duel of games of four, under `open`."""
    match = common.match(["random"] * 4, 4, seed=11, max_duels=1)
    found = {}

    def watch(table, ask):
        if ask is not None:
            found.setdefault((ask.view.kind, ask.view.chance), []).append(ask.action[ask.seat >= 0].copy())

    play(match, 0, 200_000, lambda games, rows: None, watch=watch)
    return {key: np.concatenate(answers) for key, answers in found.items()}


@pytest.mark.parametrize(
    ("kind", "chance", "options", "least"),
    [
        (TARGET, 0, [1, 2, 3], 200_000),
        (SPEAK, 0, range(8), 170_000),
        (SPEAK, 1, range(8), 170_000),
        (SPEAK, 2, range(8), 18_000),  # had it no new word, it would wait again, always
        (STRIKE, 3, [ATTACK, HEAL], 4_000),
    ],
)
def test_random_is_uniform_over_its_options(answers_of_random, kind, chance, options, least):
    """Words as they are drawn in play. A false alarm at 5 sigma has a chance below one in a million."""
    answers = answers_of_random[kind, chance]
    assert len(answers) >= least
    assert p_of_uniform(answers, options) > FIVE_SIGMA


def test_unevenness_would_be_seen():
    answers = np.repeat(np.arange(8), 2500)
    assert p_of_uniform(answers, range(8)) == 1
    answers[:300] = 7
    assert p_of_uniform(answers, range(8)) < FIVE_SIGMA


# All ------------------------------------------------------------------------------------------------------------------


def batch_of(kind, n=257):
    """Many different decisions of one kind."""
    rng = np.random.default_rng(5)
    life = rng.integers(0, 4, (4, n))
    seat = rng.integers(0, 4, n)
    life[seat, range(n)] = 3
    life[(seat + 1) % 4, range(n)] += life.astype(bool).sum(axis=0) == 1  # somebody to face
    word = rng.integers(0, 2**32, n, np.uint32)
    hands = {} if kind == TARGET else {"own": rng.integers(1, 7, (3, n)), "other": rng.integers(1, 7, (3, n))}
    return view_of(kind, n, seats=4, life=life, seat=seat, active=seat, word=word, **hands)


def part_of(view, lanes):
    """The view of some of the lanes, in this order."""
    chosen = {}
    for name, value in view._asdict().items():
        if isinstance(value, np.ndarray):
            chosen[name] = np.ascontiguousarray(value[..., lanes])
            chosen[name].flags.writeable = False
    return view._replace(**chosen)


@pytest.mark.parametrize("kind", [TARGET, SPEAK, STRIKE])
@pytest.mark.parametrize("name", GAME.policies)
def test_answers_do_not_depend_on_the_rest_of_the_batch(name, kind):
    view = batch_of(kind)
    whole = np.array(actions(name, view))
    shuffled = np.random.default_rng(6).permutation(whole.size)
    for lanes in (shuffled, shuffled[:100], shuffled[:3], shuffled[:1], np.repeat(shuffled[:5], 40)):
        assert actions(name, part_of(view, lanes)) == whole[lanes].tolist()
    assert actions(name, view) == whole.tolist()


@pytest.mark.parametrize("kind", [TARGET, SPEAK, STRIKE])
@pytest.mark.parametrize("name", ["healer", "keep", "threshold", "trailing"])
def test_only_random_reads_its_word(name, kind):
    view = batch_of(kind)
    other = view._replace(word=part_of(view, slice(None, None, -1)).word)
    assert actions(name, view) == actions(name, other)
    assert actions("random", view) != actions("random", other)


@pytest.mark.parametrize("kind", [TARGET, SPEAK, STRIKE])
@pytest.mark.parametrize("name", GAME.policies)
def test_every_answer_is_legal(name, kind):
    view = batch_of(kind)
    assert GAME.is_legal(view, view.seat, np.array(actions(name, view), np.int16))
