"""What `planner` sees that `scrapper` does not, and what it makes of luck, on positions written by hand; and the search
that knows all luck.
"""

from fractions import Fraction

import numpy as np
import pytest

from lab import arena
from sims.core.game import encode
from sims.redemption import GAME, planner
from sims.redemption.clairvoyant import IMPOSSIBLE, POSSIBLE, UNDECIDED, solve
from sims.redemption.planner import MOST
from sims.redemption.rules import CARD_DRAW, CONCEDE, DECLARE, DISCARD, EFFECT, USE, action_of, count_actions
from tests.lanes import answers
from tests.redemption.common import BOX, NOTHING, content, match, position, setting

DICE = "KCLRD"
REMOVES = {"R": [{"remove": 1}]}


def answer(policy, game):
    """What a policy answers to the decision that is asked."""
    player = match(policy).players[0]
    return int(answers(game.table, player.policy.function, player.weights, player.prepared)[0])


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


# What options are worth: worked out by hand


def search(**weights):
    """(weights, options, world) to plan with."""
    policy = GAME.policies["planner"]
    weights = encode(policy.weights(**weights))
    blank = policy.prepare(None, 1, weights)
    boards, secrets = blank.board.copy(), blank.secret.copy()
    options = planner.blank_options(boards[:MOST], secrets[:MOST], weights.exact)
    return weights, options, planner.World(boards[MOST:], secrets[MOST:])


def worths(game, word=1, **weights):
    """What each action is worth to the planner, and the one that it takes."""
    weights, options, world = search(**weights)
    board, order = game.board, np.zeros(MOST, np.int64)
    fixed = game.ask.view.fixed.record[0]
    best = planner.plan(fixed, board, game.kind, np.uint64(word), weights, options, order, world)
    n = int(count_actions(board))
    return dict(zip(options.action[:n].tolist(), options.worth[:n].tolist(), strict=True)), int(best)


def about(number):
    """Exactly, but for the rounding of sums of a dozen products."""
    return pytest.approx(float(number), rel=1e-12)


LAST_TOKEN = {"bag": "DDx", "cards": 1, "reckoning": 0, "pack": content(cards=[[{"draw": 1}]] * 10)}


def test_a_token_decides():
    """A win is 1000; else the Reckoning 30, and V. Of two Diligence and a regret in the bag one is drawn: KCLRD wins,
    KCLRx has V = 4 - 1. Discarding the card puts a second regret into the bag and draws two: KCLRDD in 1/2 x 1/3 wins,
    V is 5 - 1 with one regret, in 2/3, and 4 - 2 with both. Discarding Restraint leaves nothing but that, when V is 4
    (KCLDD: all but the fourth), 3 - 1 or 3 - 2."""
    found, best = worths(position("KCLR", DICE, **LAST_TOKEN))
    assert found[action_of(EFFECT, 0)] == about(Fraction(2, 3) * 1000 + Fraction(1, 3) * 33)
    draws = Fraction(1, 6) * 1000 + Fraction(2, 3) * 34 + Fraction(1, 6) * 32
    assert found[action_of(CARD_DRAW, 0)] == about(draws)
    assert found[action_of(DISCARD, 3)] == about(Fraction(1, 6) * 34 + Fraction(2, 3) * 32 + Fraction(1, 6) * 31)
    assert best == action_of(EFFECT, 0)


def test_what_is_looked_at_decides():
    """Two of D, x, x: in 2/3 Diligence is among them, and is kept."""
    pack = content(cards=[[{"look": 2}]] * 10)
    found, _ = worths(position("KCLR", DICE, bag="Dxx", cards=1, reckoning=0, pack=pack))
    assert found[action_of(EFFECT, 0)] == about(Fraction(2, 3) * 1000 + Fraction(1, 3) * 33)


def test_the_reckoning_decides():
    """One of three brings a regret: V = 5 - 1. Without `declare` nothing is won."""
    pack = content(reckonings=[NOTHING, [{"add_regret": 1}], NOTHING])
    found, best = worths(position("KCLRD", DICE, pack=pack, match="declared"))
    assert found[action_of(DECLARE, 0)] == about(Fraction(2, 3) * 1000 + Fraction(1, 3) * 34)
    assert best == action_of(DECLARE, 0)


TOKEN_OR_FACE = {
    "bag": "DDx", "cards": 2, "reckoning": 0, "card_draw": 0,
    "pack": content(cards=[[{"draw": 1}], [{"gain": "Diligence"}, {"reroll": 5}]] + [NOTHING] * 8),
}  # fmt: skip
FACE = Fraction(1, 2) * 1000 + Fraction(1, 2) * 34
TOKEN = Fraction(2, 3) * 1000 + Fraction(1, 3) * (Fraction(1, 2) * 34 + Fraction(1, 2) * 33)


def test_a_face_decides():
    """The fifth die has Diligence on three faces. If it shows another one V is 4, and the other card is given away. If
    the token is drawn and is a regret, V is 3; the other card then makes it 5 - 1, or 4 - 1 by the same three faces:
    2 x 6 paths."""
    found, best = worths(position("KCLR", DICE, **TOKEN_OR_FACE))
    assert found[action_of(EFFECT, 0)] == about(TOKEN)
    assert found[action_of(EFFECT, 1)] == about(FACE)
    assert best == action_of(EFFECT, 0)


def test_no_word_leads_it_astray():
    """A few samples do."""
    game = position("KCLR", DICE, **TOKEN_OR_FACE)
    assert {worths(game, word)[1] for word in range(100)} == {action_of(EFFECT, 0)}
    assert {worths(game, word, exact=1)[1] for word in range(100)} >= {action_of(EFFECT, 0), action_of(EFFECT, 1)}


def test_a_path_that_ends_is_exact_beside_one_that_is_open():
    """Two paths are followed: Diligence, which wins, and the regret, after which a die is rolled: in each world V is 4
    or 3. All worlds are its own."""
    found, _ = worths(position("KCLR", DICE, **TOKEN_OR_FACE), exact=2, worlds=10)
    lucky = (found[action_of(EFFECT, 0)] - 2000 / 3) * 3 - 33
    assert 0 < lucky < 1
    assert min(abs(lucky - Fraction(n, worlds)) for worlds in (10, 30, 70) for n in range(worlds)) < 1e-9


def test_luck_that_does_not_matter_is_no_luck():
    """The bag has one kind of token, so whatever comes is known: one path."""
    game = position("KCLR", DICE, **(LAST_TOKEN | {"bag": "DDDD"}))
    assert worths(game, exact=1)[0][action_of(EFFECT, 0)] == 1000


@pytest.mark.parametrize("exact", [1, 5, 8, 30])
def test_open_paths_have_their_share_of_worlds(exact):
    """Two of D, D, D, H, x are drawn. Without the regret, 3/5, it is a match (of KCLRHD, Humility is discarded); with D
    and x, 3/10, V is 5 - 1; with H and x, 1/10, it is 4 - 1. Five worlds a word, 400 words: within 5 standard errors,
    whether nothing, the first token or both are followed."""
    game = position("KCLR", DICE, bag="DDDHx", cards=1, reckoning=0, pack=content(cards=[[{"draw": 2}]] * 10))
    fixed = game.ask.view.fixed.record[0]
    _, options, world = search(exact=exact)
    options.action[0] = action_of(EFFECT, 0)
    planner.go_to_luck(fixed, game.board, game.kind, options, 0, world)
    found = []
    for word in range(400):
        planner.follow(fixed, options, 0, exact, np.uint64(word), world)
        if options.paths[0]:
            planner.play_out(fixed, options, 0, exact, np.uint64(word), 0, 5, world)
        found.append(options.worth[0])
    mean = Fraction(3, 5) * 1000 + Fraction(3, 10) * 34 + Fraction(1, 10) * 33
    error = np.std(found) / 20
    assert abs(np.mean(found) - float(mean)) <= 5 * error + 1e-9
    assert (error < 1e-9) == (exact == 30)
    assert options.paths[0] == {1: 1, 5: 3, 8: 1, 30: 0}[exact]


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
