"""The scalar peer plays the same game: its means against the table's.

Seeds are fixed. A difference of 5 standard errors has a chance below one in a million where the rules are the same.
"""

from functools import cache

import numba
import numpy as np
import pytest

from lab.arena import Match, Player, play
from sims.core.game import Setting, encode
from sims.sincity import GAME, scalar

GAMES = 60 if numba.config.DISABLE_JIT else 40_000
KNOBS = GAME.knobs()
COLUMNS = GAME.column_names(scalar.SEATS, KNOBS)
BY_ORDER = ("points", "sinning", "kills", "torture", "lost", "captives", "played")
READINGS = (*COLUMNS, "won by the first", *(f"{name} of the {who}" for name in BY_ORDER for who in ("first", "second")))


def match():
    policy = GAME.policies[scalar.LINEUP[0]]
    weights = policy.weights()
    prepared = policy.prepare(KNOBS, scalar.SEATS, weights) if policy.prepare else ()
    player = Player(scalar.LINEUP[0], policy, encode(weights), prepared)
    setting = Setting(encode(KNOBS), scalar.SEATS, 20_261_129, policy.uses_word)
    return Match(GAME, setting, (player,) * scalar.SEATS, COLUMNS)


def readings(rows):
    """{reading: its value by game}: the columns, and some of them by order of play."""
    by_column = dict(zip(COLUMNS, rows.T.astype(float), strict=True))
    first = by_column["first_seat"]
    found = by_column | {"won by the first": (by_column["winner"] == first).astype(float)}
    for name in BY_ORDER:
        pair = by_column[f"{name}_0"], by_column[f"{name}_1"]
        found[f"{name} of the first"], found[f"{name} of the second"] = np.where(first == 0, pair, pair[::-1])
    return found


@cache
def of_the_scalar():
    rows = np.zeros((GAMES, len(COLUMNS)), np.int64)
    with np.errstate(over="ignore"):  # its generator wraps on purpose
        for game in range(GAMES):
            scalar.play(7, game, 1, rows[game])
    return readings(rows)


@cache
def of_the_table():
    found = []
    play(match(), 0, GAMES, lambda games, rows: found.append(rows[:, 1:].copy()))
    return readings(np.concatenate(found))


def gap(a, b):
    """The difference of two means in standard errors."""
    difference = abs(a.mean() - b.mean())
    return difference / np.sqrt((a.var() + b.var()) / GAMES) if difference else 0.0


@pytest.mark.parametrize("reading", READINGS)
def test_means_agree_with_the_table(reading):
    assert gap(of_the_scalar()[reading], of_the_table()[reading]) <= 5


@pytest.mark.parametrize("reading", ["turns", *(f"{name} of the first" for name in BY_ORDER)])
def test_spreads_agree_with_the_table(reading):
    ours, theirs = of_the_scalar()[reading], of_the_table()[reading]
    assert gap((ours - theirs.mean()) ** 2, (theirs - theirs.mean()) ** 2) <= 5


def test_the_means_are_worth_comparing():
    """A reading that is the same in every game would agree too easily. No game is cut off, no event is played."""
    same = {name for name, values in of_the_table().items() if values.var() == 0}
    events = {f"card_{card.id}" for card in scalar.CARDS if card.kind == "event"}
    assert events | {"unfinished"} == same
    assert all(of_the_scalar()[name].max() == 0 for name in same)


def test_points_are_those_of_the_three_sources():
    found = of_the_scalar()
    for seat in range(scalar.SEATS):
        sources = sum(found[f"{name}_{seat}"] for name in ("sinning", "kills", "torture"))
        assert (found[f"points_{seat}"] == sources).all()


def test_blocks_add_up():
    """Each game has its own luck, so it does not matter where a block of games begins."""
    whole, parts = np.zeros((2, len(COLUMNS)), np.int64)
    with np.errstate(over="ignore"):
        scalar.play(7, 0, 40, whole)
        scalar.play(7, 0, 10, parts)
        scalar.play(7, 10, 30, parts)
    assert whole.tolist() == parts.tolist()


def test_the_rules_are_the_defaults():
    """`scalar` cannot take knobs: it must mean the defaults."""
    ours = (scalar.GOAL, scalar.MAX_TURNS, scalar.HAND_SIZE, scalar.DRAW)
    assert (KNOBS.goal, KNOBS.max_turns, KNOBS.hand, KNOBS.draw) == ours
    assert (KNOBS.max_hand, KNOBS.find_on, KNOBS.hero_bounty) == (scalar.MAX_HAND, scalar.FIND_ON, scalar.BOUNTY)
    assert (KNOBS.deck_copies, KNOBS.help_limit, KNOBS.summoning_sickness, KNOBS.attacks) == (1, 0, False, "each")
    assert (KNOBS.fight_score, KNOBS.investigation, KNOBS.torture) == ("sum", "once", "every_turn")
    assert len(scalar.LINEUP) == scalar.SEATS
