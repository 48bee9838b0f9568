"""The kernels against the naive version: the same games, to the last number of every results column.

`naive.py` shares nothing with the kernels but the coordinates of luck, so a game must not only come out equally often,
but equal. Settings are drawn at random over all knobs, seats, line-ups, weights, seeds and game numbers. When one
disagrees, the message names it, the first game and both rows: play that game with `naive.play` in a debugger.
"""

import random
from itertools import product

import numpy as np
import pytest

from sims.core.game import encode
from sims.viking import GAME, exact, rules
from tests.viking import common, naive

OPTIONS = {
    "start_life": (1, 2, 5, 12, 12, 30, 200),
    "dice": (2, 3, 4, 5),
    "sides": (4, 6, 8, 10, 12),
    "heal": exact.HEALS,
    "tied_triple": exact.TIED_TRIPLES,
    "reroll_order": exact.REROLL_ORDERS,
    "max_duels": (1, 2, 7, 25, 60, 1000),
}
POLICIES = ("keep", "threshold", "trailing", "healer", "random")
FEWER = {2: ("random", "threshold"), 3: POLICIES, 4: ("random", "trailing"), 5: ("random", "healer")}
"""By dice: every number of dice compiles its policies anew, for seconds. The full run leaves none out."""

SETTINGS, GAMES = 100, 20
BLOCKS, BLOCK = 25, 100  # of the full run


def may_never_end(knobs):
    """Whether triples may heal as much as duels cost, so that only `max_duels` ends a game."""
    return knobs["heal"] == "total" or (knobs["heal"] == "face" and knobs["dice"] == 2)


def drawn(number, policies=None):
    """Setting `number`: (line-up of (name, below), seed, first game, lanes, knobs)."""
    rng = random.Random(number)
    knobs = {name: rng.choice(options) for name, options in OPTIONS.items()}
    if may_never_end(knobs):
        knobs["max_duels"] = min(knobs["max_duels"], 60)
    allowed = (policies or {}).get(knobs["dice"], POLICIES)
    lineup = [(rng.choice(allowed), rng.randint(1, 13)) for _ in range(rng.randint(2, 4))]
    seed = rng.choice((0, rng.randrange(1000), rng.randrange(2**32, 2**63)))
    first = rng.choice((0, rng.randrange(10**9), rng.randrange(2**32, 2**63)))
    return lineup, seed, first, rng.choice((None, None, 1, 7)), knobs


def place(policy):
    """A policy of the naive version as `common.match` takes it."""
    name, below = policy
    return (name, {"below": below} if "below" in GAME.policies[name].weights.model_fields else {})


def naive_row(game, seed, lineup, knobs):
    found = naive.play(game, seed, len(lineup), lineup, knobs)
    winners = 1 << found["winner"] if found["winner"] >= 0 else 0
    return found | {"winners": winners}


def assert_agreement(lineup, seed, first, lanes, knobs, games=GAMES):
    match = common.match([place(policy) for policy in lineup], len(lineup), seed, **knobs)
    names = ("winners", *match.columns)
    for game, row in enumerate(common.rows(match, games, first, lanes), first):
        found = dict(zip(names, row.tolist(), strict=True))
        wanted = naive_row(game, seed, lineup, knobs)
        assert found == wanted, f"game {game} of seed {seed}, {lineup}, {lanes} lanes, {knobs}"


@pytest.mark.parametrize("number", range(SETTINGS))
def test_same_games(number):
    assert_agreement(*drawn(number, FEWER))


@pytest.mark.full
@pytest.mark.parametrize("block", range(BLOCKS))
def test_same_games_in_many_settings(block):
    for number in range(BLOCK):
        assert_agreement(*drawn(SETTINGS + block * BLOCK + number))


def test_the_settings_drawn_meet_every_option():
    """Else an agreement would say less than it seems to."""
    met = [drawn(number, FEWER) for number in range(SETTINGS)]
    for name, options in OPTIONS.items():
        assert {knobs[name] for *_, knobs in met} == set(options)
    for dice, names in FEWER.items():
        assert {policy for lineup, *_, knobs in met for policy, _ in lineup if knobs["dice"] == dice} == set(names)
    assert {len(lineup) for lineup, *_ in met} == set(GAME.seats)
    assert {below for lineup, *_ in met for _, below in lineup} == set(range(1, 14))
    assert any(seed >= 2**32 for _, seed, *_ in met)
    assert any(first >= 2**32 for _, _, first, *_ in met)


MIXED = [("trailing", 4), ("random", 0), ("healer", 5)]


@pytest.mark.parametrize("seed", [2**32 - 1, 2**32, 2**63 - 1, 2**63, 2**64 - 1])
def test_seeds_up_to_64_bits(seed):
    assert_agreement(MIXED, seed, 0, None, {})


@pytest.mark.parametrize("first", [2**32 - 10, 2**63 - 10, 2**64 - 1 - GAMES])
def test_game_numbers_up_to_64_bits(first):
    assert_agreement(MIXED, 3, first, None, {})


def naive_changes(hands, healing, knobs):
    """Changes of both lives, of the naive version, where whoever may choose heals or attacks."""
    policy = ("healer" if healing else "threshold", 4)
    return naive.changes_of_life((policy, policy), hands, None, knobs)


@pytest.mark.parametrize("dice", [2, 3, 5])
def test_every_pair_of_hands_has_the_same_result(dice):
    """All multisets of faces against each other, a lane each, in every setting of the knobs of a result."""
    sides = 4 if dice == 5 else 6
    hands = [list(faces) for faces in exact.all_hands(dice, sides).faces]
    pairs = list(product(hands, repeat=2))
    first = np.array(pairs, np.int8).transpose(1, 2, 0).copy()
    total, triple, highest, nothing = np.zeros((4, 2, len(pairs)), np.int8)
    rules.lay(tuple(range(dice)), first, first, nothing, total, triple, highest)
    striker = np.zeros(len(pairs), np.int8)
    rules.find_strikers(total, triple, striker, np.zeros(len(pairs), np.int32))
    for tied_triple, heal, healing in product(exact.TIED_TRIPLES, exact.HEALS, (False, True)):
        knobs = {"tied_triple": tied_triple, "heal": heal}
        codes = encode(GAME.knobs(**knobs))
        delta = np.zeros((2, len(pairs)), np.int8)
        heals = np.where((striker >= 0) & healing, rules.HEAL, rules.ATTACK).astype(np.int8)
        rules.resolve(codes.tied_triple, codes.heal, total, triple, highest, heals, delta)
        wanted = np.array([naive_changes(pair, healing, knobs) for pair in pairs])
        wrong = (wanted != delta.T).any(axis=1)
        assert not wrong.any(), f"{pairs[wrong.argmax()]}, {knobs}, healing: {healing}"
        assert not (delta < 0).all(axis=0).any()  # at most one player loses life
