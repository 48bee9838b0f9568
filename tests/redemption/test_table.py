"""Tables of games: what lies where at every step, what policies can see, and the scalar peer."""

import numpy as np
import pytest

from lab import arena
from sims.core.records import ASKED
from sims.redemption import GAME, scalar
from sims.redemption.table import check, determinize
from tests.lanes import answers
from tests.redemption.common import BOX, match

VARIANTS = {
    "default": {},
    "box": {"content": str(BOX)},
    "declared": {"match": "declared", "used_discard": "weak", "formation": 8},
    "poor": {"cards": 0, "start_regrets": 12, "max_actions": 12},
    "rich": {"choose_from": 12, "card_draw": 10, "start_regrets": 0},
}


def rows_of(of, first, count, **options):
    """[game, 1 + columns], in the order of the numbers."""
    found = {}

    def sink(games, rows):
        found.update(zip(games.tolist(), rows.tolist(), strict=True))

    arena.play(of, first, count, sink, **options)
    return np.array([found[game] for game in range(first, first + count)])


@pytest.mark.parametrize("policy", ["random", "scrapper"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_everything_is_in_one_place_at_every_step(policy, variant):
    """`check`: all tokens, dice and cards, in every lane at every ask and after every round of play."""
    steps = []

    def watch(table, ask):
        check(table)
        steps.append(ask)

    rows_of(match(policy, **VARIANTS[variant]), 0, 60, lanes=20, watch=watch)
    assert len(steps) > 40


def asks(policy, wanted=12, **knobs):
    """Copies of tables that wait for an answer, after more and more steps."""
    tables = []

    def watch(table, ask):
        if ask is not None:
            steps.append(1)
            if len(steps) % 5 == 0 and len(tables) < wanted:
                tables.append(table.copy())

    steps = []
    arena.play(match(policy, **knobs), 0, 60, lambda games, rows: None, watch=watch, rounds=30)
    return tables


@pytest.mark.parametrize("policy", GAME.policies)
def test_policies_do_not_see_what_is_to_come(policy):
    """SR29: two games with the same view and word but other luck; every policy answers alike."""
    of = match(policy)
    player = of.players[0]
    for number, table in enumerate(asks("random")):
        other = determinize(table, number)
        for name in ("kind", "seat", "word", "board"):
            assert getattr(table.view, name).tobytes() == getattr(other.view, name).tobytes(), name
        one, two = (answers(each, player.policy.function, player.weights, player.prepared) for each in (table, other))
        assert one.tolist() == two.tolist()


def test_a_determinized_table_goes_on_in_another_luck():
    """The order of the bag, dice and cards to come are others; all is still in one place, and no rule is broken."""
    random = GAME.policies["random"].function
    for number, table in enumerate(asks("random", wanted=3)):
        other = determinize(table, number)
        waiting = table.t.state == ASKED
        for each in (table, other):
            for _ in range(12):
                answers(each, random)
                each.advance()
                check(each)
        differ = [table.t.board[i].tobytes() != other.t.board[i].tobytes() for i in np.flatnonzero(waiting)]
        assert np.mean(differ) > 0.9


def test_the_scalar_peer_plays_the_same_games():
    """To the last bit: sums of all columns over 400 games."""
    of = match(*scalar.LINEUP, seed=12)
    sums = np.zeros(len(of.columns), np.int64)
    scalar.play(12, 1000, 400, sums)
    rows = rows_of(of, 1000, 400)
    assert sums.tolist() == rows[:, 1:].sum(axis=0).tolist()
    assert sums[of.columns.index("won")] > 0
