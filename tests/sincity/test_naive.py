"""The kernels against the naive version: the same games, to the last column of results and the last decision.

`naive.py` shares nothing with the kernels but the coordinates of luck and the order in which options are listed.
Settings are drawn at random over all knobs, seats, line-ups, seeds and game numbers. When one disagrees, the message
names it.
"""

import random

import numpy as np
import pytest

from lab import arena
from sims.sincity import GAME, policies, rules
from sims.sincity.table import cards_in, check
from tests.sincity import common, naive

OPTIONS = {
    "deck_copies": (1, 1, 1, 2, 3, 4),
    "help_limit": (0, 0, 1, 2, 5),
    "summoning_sickness": (False, False, True),
    "attacks": ("each", "each", "one"),
    "fight_score": ("sum", "highest"),
    "fight_bonus": ("dice", "total"),
    "investigation": ("once", "each"),
    "torture": ("every_turn", "own_turn"),
    "goal": (100, 100, 1, 10, 30, 250, 1000),
    "max_turns": (400, 400, 5, 40, 150),
    "hand": (7, 7, 1, 3, 15),
    "draw": (2, 2, 0, 1, 5, 10),
    "max_hand": (7, 7, 0, 3, 30),
    "find_on": (4, 4, 1, 2, 6, 7),
    "hero_bounty": (10, 10, 0, 50),
    "opening_card": (-1, -1, -1, 0, 49, 90, 96),
    "opening_seat": (0, 1, 5),
}
IN_CI = 100
POLICIES = ("builder", "brawler", "brawler", "schemer", "schemer", "random", "random")
KINDS = ("FIND", "FIGHT", "LAW", "HELP", "KILL", "INVESTIGATE", "FRIEND", "SPEND", "SAVE", "DISCARD")


def drawn(number):
    """Setting `number`: (line-up, seed, game, knobs)."""
    rng = random.Random(number)
    knobs = {name: rng.choice(options) for name, options in OPTIONS.items()} if rng.random() < 0.8 else {}
    if number < IN_CI:  # more copies are compiled apart, which takes half a minute
        knobs["deck_copies"] = 1
    lineup = [rng.choice(POLICIES) for _ in range(rng.randint(2, 6))]
    return lineup, rng.randrange(2**64), rng.randrange(2**64), knobs


def options(view, i):
    """The legal options in the order of the contract."""
    kind, mine = int(view.kind[i]), view.mine[i]
    if kind in (rules.INVESTIGATE, rules.SPEND, rules.SAVE):
        return [rules.NO, rules.YES]
    cards = cards_in(mine.options)
    if kind in (rules.FRIEND, rules.DISCARD):
        return cards
    if kind <= rules.LAW:
        return [rules.PASS, *cards]
    fixed, board, seat, room = view.fixed.record[0], view.board[i], view.seat[i], np.empty(len(mine.options), np.int64)
    total = int(policies.option(fixed, board, mine, seat, -1, room)[1])
    return [int(policies.option(fixed, board, mine, seat, k, room)[0]) for k in range(total)]


def played(lineup, seed, game, knobs, *, with_decisions):
    """The row of a game, and its decisions as the naive version tells them; conservation is checked on the way."""
    decisions, rows = [], []

    def watch(table, ask):
        if with_decisions:
            check(table)
        if with_decisions and ask is not None:
            listed = options(ask.view, 0)
            told = KINDS[ask.view.kind[0]], listed.index(int(ask.action[0])), len(listed)
            decisions.append((int(ask.view.board[0].turn), int(ask.seat[0]), *told))

    of = common.match(lineup, seed, **knobs)
    arena.play(of, game, 1, lambda games, row: rows.extend(row.copy()), lanes=1, watch=watch)
    return dict(zip(("winners", *of.columns), rows[0].tolist(), strict=True)), decisions


def assert_agreement(number, *, with_decisions):
    lineup, seed, game, knobs = drawn(number)
    setting = f"setting {number}: game {game} of seed {seed}, {lineup}, {knobs}"
    row, decisions = played(lineup, seed, game, knobs, with_decisions=with_decisions)
    wanted, wanted_decisions = naive.play(seed, game, len(lineup), knobs, lineup)
    assert row == wanted | {"winners": 1 << wanted["winner"] if wanted["winner"] >= 0 else 0}, setting
    assert not with_decisions or decisions == [tuple(each) for each in wanted_decisions], setting


@pytest.mark.parametrize("number", range(80))
def test_same_results(number):
    assert_agreement(number, with_decisions=False)


@pytest.mark.parametrize("number", range(80, IN_CI))
def test_same_decisions(number):
    assert_agreement(number, with_decisions=True)


@pytest.mark.full
@pytest.mark.parametrize("block", range(20))
def test_same_decisions_in_full(block):
    for number in range(IN_CI + 100 * block, IN_CI + 100 + 100 * block):
        assert_agreement(number, with_decisions=True)


def test_every_kind_of_decision_was_asked():
    """Of the settings above, so that agreement says something of each."""
    asked = set()
    for number in range(80, 92):
        lineup, seed, game, knobs = drawn(number)
        asked |= {kind for _, _, kind, _, _ in naive.play(seed, game, len(lineup), knobs, lineup)[1]}
    assert asked == set(KINDS)
    assert set(OPTIONS) == set(GAME.knobs.model_fields)
