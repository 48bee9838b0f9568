"""What `planner` sees that `scrapper` does not, on positions written by hand; and the search that knows all luck."""

import numpy as np
import pytest

from lab import arena
from sims.redemption.clairvoyant import IMPOSSIBLE, POSSIBLE, UNDECIDED, solve
from sims.redemption.rules import CARD_DRAW, CONCEDE, DECLARE, DISCARD, EFFECT, USE, action_of
from tests.redemption.common import BOX, content, match, position, setting

DICE = "KCLRD"
REMOVES = {"R": [{"remove": 1}]}


def answer(policy, game):
    """What a policy answers to the decision that is asked."""
    player = match(policy).players[0]
    action = np.zeros(1, np.int16)
    player.policy.function(game.ask.view, player.weights, player.prepared, action)
    return int(action[0])


def test_planner_takes_the_one_action_that_wins():
    """After the Reckoning all dice are countered, and one regret lies there: using Restraint removes it."""
    game = position("KCLRDx", DICE, reckoning=0, pack=content(use=REMOVES))
    assert answer("planner", game) == action_of(USE, 3)


def test_planner_sees_two_actions_ahead():
    """Restraint is used: using it would take it away with the regret. The card makes it fresh first, which by itself
    gains nothing, so `scrapper` gives the card away."""
    game = position("KCLrDx", DICE, reckoning=0, cards=1, pack=content(use=REMOVES, cards=[[{"refresh": 1}]] * 10))
    assert answer("scrapper", game) == action_of(CARD_DRAW, 0)
    assert answer("planner", game) == action_of(EFFECT, 0)


def test_planner_prepares_for_the_reckoning():
    """Every Reckoning brings a regret, and Restraint, which removes one, is used. Under `declared` it pays to make it
    fresh before declaring: `scrapper` declares at once."""
    pack = content(use=REMOVES, cards=[[{"refresh": 1}]] * 10, reckonings=[[{"add_regret": 1}, {"lose_card": 1}]])
    game = position("KCLrD", DICE, cards=1, pack=pack, match="declared")
    assert answer("scrapper", game) == action_of(DECLARE, 0)
    assert answer("planner", game) == action_of(EFFECT, 0)


def test_planner_concedes_only_when_nothing_else_is_there():
    game = position("KxR", DICE, pack=content())
    assert answer("scrapper", game) == action_of(CONCEDE, 0)
    assert answer("planner", game) in (action_of(DISCARD, 0), action_of(DISCARD, 2))


# All luck known


def won_by(policy, games, **knobs):
    """The numbers of the games that a policy wins."""
    won = {}
    played = match(policy, **knobs)
    place = 1 + played.columns.index("won")
    arena.play(played, 0, games, lambda numbers, rows: won.update(zip(numbers.tolist(), rows[:, place], strict=True)))
    return [number for number in range(games) if won[number]]


@pytest.mark.parametrize("knobs", [{"content": str(BOX)}, {"content": str(BOX), "match": "declared", "cards": 2}])
def test_what_a_policy_wins_can_be_won(knobs):
    won = won_by("scrapper", 20, **knobs)
    found = solve(setting(**knobs), 0, 20, 200)
    assert len(won) > 5
    assert set(found[won].tolist()) == {POSSIBLE}


def test_no_line_wins_where_the_reckoning_cannot_be_undone():
    """Whatever is drawn, the Reckoning's regrets stay: the search ends, nothing dropped, and has proved it."""
    pack = content(use={"K": [{"reroll": "all"}]}, reckonings=[[{"add_regret": 12}]])
    found = solve(setting(pack, cards=0, start_regrets=0), 0, 20, 3000)
    assert found.tolist() == [IMPOSSIBLE] * 20


def test_a_search_that_drops_states_proves_nothing():
    pack = content(use={"K": [{"reroll": "all"}]}, reckonings=[[{"add_regret": 12}]])
    assert set(solve(setting(pack, cards=0, start_regrets=0), 0, 20, 2).tolist()) == {UNDECIDED}


def test_a_deal_is_searched_alike_whatever_is_searched_beside_it():
    knobs = {"content": str(BOX), "cards": 0}
    assert solve(setting(**knobs), 3, 4, 50).tolist() == solve(setting(**knobs), 0, 7, 50)[3:].tolist()
