"""The rules on positions written by hand, from the rulebook and the rulings, whose ids stand beside them.

What is expected was worked out by hand; where luck decides, from its coordinates (`sims/redemption/README.md`) or, for
what must be uniform, with a band of 5 standard errors.
"""

import numpy as np
import pytest
from pydantic import ValidationError

from sims.core.rng import choice
from sims.redemption import GAME, rules
from sims.redemption.rules import (
    ACT,
    CARD_DRAW,
    CHOOSE,
    CONCEDE,
    CONCEDED,
    DECLARE,
    DISCARD,
    EFFECT,
    EXHAUSTED,
    KEEP,
    OUT_OF_ACTIONS,
    USE,
    WON,
)
from sims.redemption.table import Table
from tests.redemption.common import (
    FACES,
    LETTERS,
    NOTHING,
    VIRTUES,
    content,
    counts_of,
    dealt,
    position,
    row_of,
    setting,
    shuffled,
    word,
)

DICE = "KCLRD"
MATCH = "KCLRD"
"""A formation that matches these dice."""


# 1. History -----------------------------------------------------------------------------------------------------------


def test_dice_are_drawn_and_cards_offered_one_after_the_other():
    """SR1, SR3"""
    game = dealt(seed=9, game=3)
    dice, deck = shuffled(9, 3, 1, 24), shuffled(9, 3, 2, 10)
    for turn in range(5):
        assert game.kind == KEEP
        assert game.board.kind[: game.board.dice].tolist() == [die // 4 for die in dice[: turn + 1]]
        assert game.board.offered[: game.board.offers].tolist() == deck[2 * turn : 2 * turn + 2]
        assert not game.is_legal(2)
        assert not game.is_legal(-1)
        game.answer(KEEP, turn % 2)
    assert game.board.card.tolist() == [deck[2 * turn + turn % 2] for turn in range(5)]
    assert game.board.kind.tolist() == [die // 4 for die in dice[:5]]
    assert game.cards == [0, 1, 2, 3, 4]


def test_with_few_cards_those_are_offered_that_are_left():
    """Of 7 cards, two are offered three times, then one, which is kept without being asked, then none."""
    game = dealt(content(cards=[NOTHING] * 7), game=5)
    deck = shuffled(0, 5, 2, 7)
    for turn in range(3):
        assert game.board.offered[:2].tolist() == deck[2 * turn : 2 * turn + 2]
        game.answer(KEEP, 0)
    assert game.kind != KEEP
    assert game.board.card[: game.board.kept].tolist() == [deck[0], deck[2], deck[4], deck[6]]


def test_one_card_to_choose_from_is_kept():
    game = dealt(game=8, choose_from=1)
    assert game.kind != KEEP
    assert game.board.card.tolist() == shuffled(0, 8, 2, 10)[:5]


def test_a_card_that_is_offered_first():
    """The treatment: it changes places with the top of the deck and is offered alone; the rest of that offer is
    skipped, and all else is as without it."""
    deck = shuffled(0, 4, 2, 10)
    for card in range(10):
        game = dealt(game=4, first_card=card)
        changed = [card if each == deck[0] else deck[0] if each == card else each for each in deck]
        assert (game.board.dice, game.board.card[0]) == (2, card)
        for turn in range(1, 5):
            assert game.board.offered[:2].tolist() == changed[2 * turn : 2 * turn + 2]
            game.answer(KEEP, 1)
    game = dealt(game=4, first_card=10)  # the pack has no such card
    assert (game.board.dice, game.board.offered[:2].tolist()) == (1, deck[:2])


@pytest.mark.parametrize("cards", range(6))
def test_how_many_cards_are_kept(cards):
    """SR37: one after each of the first dice."""
    game = dealt(game=2, cards=cards)
    for kept in range(cards):
        assert game.board.dice == kept + 1
        game.answer(KEEP, 0)
    assert game.board.dice == 5
    assert len(game.cards) == cards


# 2. Reflection --------------------------------------------------------------------------------------------------------


def start_row(game, bag, virtues):
    """The start formation from the coordinates of luck: each token of a sorted bag is as likely."""
    left, row = list(bag), ""
    while sum(letter != "x" for letter in row) < virtues and left:
        row += left.pop(int(choice(word(0, game, 4, len(row)), len(left))))
    return row, "".join(left)


@pytest.mark.parametrize("virtues", [5, 6])
@pytest.mark.parametrize("regrets", [0, 6, 12])
def test_the_start_formation(virtues, regrets):
    """SR18, SR35, SR37: drawn until so many virtues lie there; fresh, each to the right end."""
    for game in range(10):
        found = dealt(game=game, cards=0, start_regrets=regrets, formation=virtues, match="declared")
        assert (found.row, found.bag) == start_row(game, "KCLRDH" + "x" * regrets, virtues)
        assert found.supply == "KKKKKCCCCCLLLLLRRRRRDDDDDHHHHH" + "x" * (12 - regrets)
        assert found.board.face.tolist() == [int(choice(word(0, game, 3, die), 6)) for die in range(5)]


def test_a_bag_too_small_for_the_start_formation_is_emptied():
    """SR19: eight virtues are wanted, six are there."""
    game = dealt(game=1, cards=0, formation=8)
    assert game.bag == ""
    assert sorted(game.row) == sorted("KCLRDHxxxxxx")
    assert game.ending() is None


def test_what_stands_on_the_cards_goes_into_the_bag():
    tops = [["Kindness", "Regret"], ["Charity"], [], ["Humility", "Humility"], ["Diligence"]]
    game = dealt(content(cards=[NOTHING] * 5, tops=tops), choose_from=1)
    assert sorted(game.row + game.bag) == sorted("KKCCLRDDHHH" + "x" * 7)


def test_tokens_that_have_run_out_are_not_added():
    """SR5: the supply has five Kindness besides that of the start bag; four and two are wanted."""
    tops = [["Kindness"] * 4, ["Kindness", "Regret"] * 2, [], [], []]
    game = dealt(content(cards=[NOTHING] * 5, tops=tops), choose_from=1, start_regrets=11)
    assert sorted(game.row + game.bag) == sorted("KKKKKKCLRDH" + "x" * 12)


def test_draws_and_rolls_are_uniform():
    """SR35: over 20,000 games the first token is a regret in a half, each virtue in a twelfth; 5 standard errors."""
    count = 20_000
    table = Table(setting(content(), cards=0, match="declared"), count)
    table.deal(np.arange(count, dtype=np.int32), np.arange(count, dtype=np.uint64))
    table.advance()
    for kind in range(7):
        p, found = (1 / 2 if kind == 6 else 1 / 12), (table.t.board.token[:, 0] == kind).mean()
        assert abs(found - p) < 5 * np.sqrt(p * (1 - p) / count)
    for face in range(6):
        assert abs((table.t.board.face == face).mean() - 1 / 6) < 5 * np.sqrt(5 / 36 / (5 * count))


def test_a_start_formation_that_matches_brings_the_reckoning():
    """SR7. The Reckoning does nothing here, so the game is won before any action (SR9)."""
    count = 60_000
    table = Table(setting(content(), cards=0, start_regrets=0, match="declared"), count)
    table.deal(np.arange(count, dtype=np.int32), np.arange(count, dtype=np.uint64))
    table.advance()
    shown = np.take_along_axis(np.array(FACES)[table.t.board.kind], table.t.board.face[..., None].astype(int), 2)[
        ..., 0
    ]
    matching = np.flatnonzero((table.t.board.token[:, :5] == shown).all(axis=1))
    assert matching.size
    assert np.flatnonzero(table.t.board.matched).tolist() == matching.tolist()
    game = int(matching[0])
    result = dealt(game=game, cards=0, start_regrets=0).result()
    assert (result["won"], result["reached_reckoning"], result["actions"]) == (1, 1, 0)
    waiting = dealt(game=game, cards=0, start_regrets=0, match="declared")  # SR8
    assert waiting.board.reckoning == -1
    assert (DECLARE, 0) in waiting.acts()


# 3. Actions -----------------------------------------------------------------------------------------------------------


def test_all_actions():
    """Use and Discard of virtue tokens, effects and draws of cards, conceding; nothing of a regret."""
    game = position("Kxc", cards=2, pack=content(use={"K": [{"draw": 1}], "C": [{"reroll": 1}]}), bag="L")
    cards = {(verb, card) for verb in (EFFECT, CARD_DRAW) for card in (0, 1)}
    assert game.acts() == {(USE, 0), (DISCARD, 0), (USE, 2), (DISCARD, 2), (CONCEDE, 0)} | cards


def test_a_use_that_can_do_nothing_is_not_allowed():
    """SR21: but a Discard and cards are."""
    game = position("KC", cards=1)
    assert game.acts() == {(DISCARD, 0), (DISCARD, 1), (EFFECT, 0), (CARD_DRAW, 0), (CONCEDE, 0)}
    game.effect(0)
    assert (game.row, game.cards) == ("KC", [])
    game.discard(0)
    assert game.row == "C"


ALL = "KKKKKKCCCCCCLLLLLLRRRRRRDDDDDDHHHHHHxxxxxxxxxxxx"


@pytest.mark.parametrize(
    ("effect", "row", "bag", "can"),
    [
        ([{"draw": 1}], "K", "", False),
        ([{"draw": 1}], "K", "x", True),
        ([{"look": 3}], "K", "", False),
        ([{"look": 3}], "K", "C", True),
        ([{"reroll": "chosen"}], "K", "", True),
        ([{"gain": "Charity"}], "K", "CCCCCC", False),
        ([{"gain": "Charity"}], "K", "CCCCC", True),
        ([{"gain": "chosen"}], "K", ALL[1:36], False),
        ([{"gain": "chosen"}], "K", ALL[2:36], True),
        ([{"add_regret": 1}], "K", "x" * 12, False),
        ([{"add_regret": 1}], "K", "x" * 11, True),
        ([{"remove": 1}], "K", "", False),
        ([{"remove": 1}], "Kx", "", True),
        ([{"remove": {"count": 1, "what": "used"}}], "KC", "", False),
        ([{"remove": {"count": 1, "what": "fresh"}}], "K", "", True),  # itself
        ([{"return": {"count": "all", "what": "used"}}], "k", "", True),
        ([{"exhaust": 1}], "k", "", False),
        ([{"exhaust": 1}], "K", "", True),
        ([{"refresh": 1}], "K", "", False),
        ([{"refresh": 1}], "Kc", "", True),
        ([{"turn": "Kindness"}], "K", "", False),  # it is one
        ([{"turn": "Kindness"}], "KC", "", True),
        ([{"turn": "Kindness"}], "KC", "KKKKK", False),
        ([{"turn": {"to": "chosen", "what": "regret"}}], "K", "", False),
        ([{"turn": {"to": "chosen", "what": "regret"}}], "Kx", "", True),
        ([{"swap": "any"}], "K", "", False),
        ([{"swap": "neighbours"}], "Kx", "", True),
        ([{"move": 1}], "K", "", False),
        ([{"move": 1}], "KC", "", True),
        ([{"set_die": 1}], "K", "", True),
        ([{"turn_die": "chosen"}], "K", "", True),
        ([{"swap_dice": "any"}], "K", "", True),
        ([{"lose_card": 1}], "K", "", False),
        ([{"draw": 1}, {"refresh": 1}], "Kc", "", True),  # any of its primitives
        ([{"exhaust": 1}, {"refresh": 1}], "k", "", True),
        ([{"remove": {"count": 1, "may": True}}], "K", "", False),
    ],
)
def test_what_can_do_something(effect, row, bag, can):
    """SR21: as things stand before its first primitive, any primitive has an option, or a token, to do something."""
    game = position(row, bag=bag, pack=content(use={"K": effect}), max_actions=9)
    assert ((USE, 0) in game.acts()) == can


def test_a_lost_card_can_be_done_where_there_is_one():
    game = position("K", cards=1, pack=content(use={"K": [{"lose_card": 1}]}))
    assert (USE, 0) in game.acts()
    assert game.use(0).cards == []


def test_use_of_a_fresh_token():
    """SR32: the effect, then it turns."""
    game = position("KC", bag="L", pack=content(use={"K": [{"draw": 1}]})).use(0)
    assert (game.row, game.bag) == ("kCL", "")


def test_a_fresh_token_that_is_used_cannot_refresh_itself():
    """SR32: it turns after its effect."""
    game = position("Kcl", pack=content(use={"K": [{"refresh": "all"}]})).use(0)
    assert game.kind == CHOOSE
    assert game.firsts() == [1, 2]
    assert game.choose(2).row == "kCL"


def test_use_of_a_used_token():
    """SR13: the effect, then it leaves, to the supply (SR17)."""
    game = position("kC", bag="L", supply=None, pack=content(use={"K": [{"draw": 1}]}))
    before = game.supply.count("K")
    game.use(0)
    assert (game.row, game.bag) == ("CL", "")
    assert game.supply.count("K") == before + 1


def test_a_used_token_leaves_even_if_it_was_refreshed():
    """SR13: it was used when it was used."""
    game = position("kc", pack=content(use={"K": [{"refresh": 1}]})).use(0)
    assert game.firsts() == [0, 1]
    assert game.choose(0).row == "c"


@pytest.mark.parametrize(
    ("effect", "row", "after"),
    [
        ([{"swap": "any"}], "KC", "Ck"),
        ([{"swap": "any"}], "kC", "C"),
        ([{"remove": {"count": 1, "what": "virtue"}}], "KC", "C"),
        ([{"return": {"count": 1, "what": "virtue"}}], "kC", "C"),
        ([{"turn": {"to": "Charity", "which": "leftmost"}}], "KL", "CL"),
        ([{"turn": {"to": "Charity", "which": "leftmost"}}], "kL", "CL"),
        ([{"exhaust": 1}], "KC", "kC"),
        ([{"remove": 1}], "xKC", "kC"),
        ([{"remove": 1}, {"swap": "any"}], "xKC", "Ck"),
    ],
)
def test_the_token_that_is_used_is_followed(effect, row, after):
    """Wherever it is at the end, it turns or leaves; nothing more happens to it once the effect took or turned it."""
    assert position(row, pack=content(use={"K": effect})).use(row.upper().index("K")).row == after


def test_a_token_that_is_used_may_move():
    game = position("KCL", pack=content(use={"K": [{"move": 2}]})).use(0)
    assert game.choose(0, 2).row == "CLk"
    game = position("CKL", pack=content(use={"K": [{"move": 2}]})).use(1)
    assert game.choose(0, 2).row == "kLC"  # all between shift


def test_a_discard():
    """SR14, SR16: the token leaves, to the supply, then the effect: it can come back at once."""
    pack = content(discard={"K": [{"gain": "Kindness"}]})
    game = position("KC", bag="KKKKK", pack=pack)
    assert "K" not in game.supply
    game.discard(0)
    assert (game.row, game.supply.count("K")) == ("CK", 0)


def test_a_discarded_token_draws_with_its_strong_effect_and_not_its_weak_one():
    pack = content(use={"K": [{"draw": 1}]}, discard={"K": [{"draw": 2}]})
    assert position("KC", bag="LL", pack=pack).discard(0).row == "CLL"


@pytest.mark.parametrize(("knob", "token", "drawn"), [
    ("strong", "k", 2), ("strong", "K", 2), ("weak", "k", 1), ("weak", "K", 2),
])  # fmt: skip
def test_discard_of_a_used_token(knob, token, drawn):
    """SR12: its Discard effect, or under `weak` its Use effect; it leaves either way."""
    pack = content(use={"K": [{"draw": 1}]}, discard={"K": [{"draw": 2}]})
    game = position(f"{token}C", bag="LLL", pack=pack, used_discard=knob).discard(0)
    assert game.row == "C" + "L" * drawn


def test_a_weak_discard_is_allowed_where_it_can_do_nothing():
    """SR21, SR12."""
    game = position("kC", pack=content(use={"K": [{"draw": 1}]}), used_discard="weak")
    assert (DISCARD, 0) in game.acts()
    assert (USE, 0) not in game.acts()


def test_the_gap_of_a_discard_parts_its_neighbours():
    """SR31"""
    pack = content(discard={"K": [{"swap": "neighbours"}]})
    assert position("CKL", pack=pack).discard(1).row == "CL"  # nobody has a neighbour
    assert position("CKLR", pack=pack).discard(1).row == "CRL"
    assert position("CKL", pack=content(discard={"K": [{"swap": "any"}]})).discard(1).row == "LC"


def test_a_token_may_be_moved_into_the_gap():
    """SR31: then nothing shifts, and it leaves a gap where it was. Else all between shift, the gap too."""
    pack = content(discard={"K": [{"move": 3}, {"swap": "any"}]})
    for (first, second), row in {
        (3, 1): "CRL.", (2, 1): "CL.R", (0, 1): ".CLR",  # into the gap
        (0, 2): ".LCR", (0, 3): ".LRC", (2, 0): "LC.R", (3, 0): "RC.L", (3, 2): "C.RL", (2, 3): "C.RL",
    }.items():  # fmt: skip
        game = position("CKLR", pack=pack).discard(1)
        assert game.row == "C.LR"
        assert (first, second) in game.options()
        assert game.choose(first, second).row == row
    assert len(position("CKLR", pack=pack).discard(1).options()) == 9


def test_gaps_close_after_the_effect():
    """Not before: the rightmost token is still in place 3 when its neighbour is asked for."""
    pack = content(discard={"K": [{"remove": {"count": 2, "which": "chosen"}}, {"move": 1}]})
    game = position("xKxCxL", pack=pack).discard(1)
    assert game.firsts() == [0, 2, 4]
    assert game.choose(2).firsts() == [0, 4]
    game.choose(4)
    assert game.row == "x..C.L"
    assert game.options() == [(0, 1), (3, 2), (3, 4), (5, 4)]
    assert game.choose(0, 1).row == "xCL"


def test_tokens_of_an_effect_come_behind_its_gaps():
    """SR18: at the right end."""
    pack = content(discard={"K": [{"gain": "Humility"}, {"swap": "neighbours"}]})
    assert position("CK", pack=pack).discard(1).row == "CH"  # C . H: no neighbours


def test_a_card_for_its_effect():
    pack = content(cards=[[{"draw": 1}], [{"draw": 2}]])
    game = position("K", bag="CCC", cards=2, pack=pack).effect(1)
    assert (game.row, game.cards) == ("KCC", [0])
    game.effect(0)
    assert (game.row, game.cards) == ("KCCC", [])


def test_a_card_to_draw():
    """SR20: the regret is in the bag before the draw: of an empty bag it is what is drawn (SR19)."""
    game = position("K", cards=2).card_draw(1)
    assert (game.row, game.bag, game.cards, game.supply.count("x")) == ("Kx", "", [0], 11)


def test_a_card_to_draw_without_a_regret_left():
    """SR6: still draw two."""
    game = position("K", bag="CC" + "x" * 12, cards=1)
    assert "x" not in game.supply
    game.card_draw(0)
    assert len(game.row) == 3
    assert game.board.bag.sum() == 12


@pytest.mark.parametrize("count", [0, 1, 3, 10])
def test_how_many_a_card_draws(count):
    game = position("K", bag="CCCCCLLLLL", cards=1, card_draw=count).card_draw(0)
    assert len(game.row) == 1 + count
    assert len(game.bag) == 11 - count


def test_the_regret_of_a_card_may_be_what_is_drawn_again():
    """SR17: a regret that was removed is in the supply, from where a card brings it back."""
    game = position("Kx", bag="x" * 11, cards=2, pack=content(cards=[[{"remove": 1}], NOTHING]), card_draw=10)
    assert "x" not in game.supply
    game.effect(0)
    assert (game.row, game.supply.count("x")) == ("K", 1)
    game.card_draw(1)
    assert (game.row.count("x"), game.bag.count("x"), game.supply.count("x")) == (10, 2, 0)


# 4. Match, Reckoning, end ---------------------------------------------------------------------------------------------


def matched(row, dice=DICE):
    """Whether a formation matches, once an action that changes nothing is over: the bag is empty."""
    return bool(position(row, dice, effect=[{"draw": 1}], match="declared").effect(0).board.matched)


@pytest.mark.parametrize(
    ("row", "does"),
    [
        ("KCLRD", True),
        ("kClrD", True),  # used ones count
        ("KCLRDH", True),  # SR10: beyond the fifth is free stock
        ("KCLRDKKK", True),
        ("KCLRDx", False),  # SR10: a regret anywhere
        ("xKCLRD", False),
        ("KCLxRD", False),
        ("KCLDR", False),
        ("KCLR", False),
        ("HKCLRD", False),
    ],
)
def test_what_matches(row, does):
    assert matched(row) == does


def test_each_virtue_counters_its_vice():
    assert all(matched(row, row) for row in ("KKKKC", "CCCLL", "LRDHK", "HHHHD", "RRDDR"))


def test_the_first_match_brings_the_reckoning():
    """SR8 `automatic`, SR30: after the action, once gaps are closed."""
    pack = content(reckonings=[[{"add_regret": 1}]])
    game = position("H" + MATCH, DICE, pack=pack)
    assert game.board.reckoning == -1
    game.discard(0)
    assert game.board.reckoning == 0
    assert game.row == MATCH + "x"
    assert game.ending() is None


def test_a_match_inside_an_effect_is_not_looked_for():
    """SR30"""
    effect = [{"remove": 1}, {"add_regret": 1}]
    game = position(MATCH + "x", DICE, effect=effect).effect(0)
    assert (game.row, game.board.reckoning) == (MATCH + "x", -1)


def test_still_matching_after_the_reckoning_is_won():
    """SR9; used tokens count."""
    game = position("H" + MATCH, DICE, pack=content(reckonings=[[{"exhaust": "all"}]])).discard(0)
    assert game.ending() == WON
    result = game.result()
    assert (result["winners"], result["winner"], result["won"], result["matches_end"]) == (1, 0, 1, 5)
    assert (result["actions"], result["tokens_discarded"], result["reckoning"], result["unfinished"]) == (1, 1, 0, 0)


@pytest.mark.parametrize("match", ["automatic", "declared"])
def test_the_second_match_wins_at_once(match):
    """SR30: under both values of `match`."""
    pack = content(cards=[[{"remove": 1}], [{"gain": "Diligence"}]])
    game = position("KCLRx", DICE, cards=2, reckoning=0, pack=pack, match=match).effect(0)
    assert game.ending() is None
    assert game.effect(1).ending() == WON


def test_a_match_is_declared():
    """SR8 `declared`: the player may go on, and declares when ready, as long as it matches."""
    pack = content(use={"K": [{"exhaust": {"count": 1, "which": "rightmost"}}], "C": [{"swap": "any"}]})
    game = position("H" + MATCH, DICE, pack=pack, match="declared")
    assert (DECLARE, 0) not in game.acts()
    game.discard(0)
    assert (game.board.reckoning, game.ending()) == (-1, None)
    assert (DECLARE, 0) in game.acts()
    game.use(0)
    assert game.row == "kCLRd"
    assert (DECLARE, 0) in game.acts()
    game.use(1).choose(0, 1)
    assert game.row == "ckLRd"
    assert (DECLARE, 0) not in game.acts()


def test_declaring_brings_the_reckoning():
    game = position(MATCH, DICE, match="declared").declare()
    assert game.ending() == WON
    result = game.result()
    assert (result["actions"], result["reached_reckoning"]) == (1, 1)


def test_nothing_is_declared_under_automatic():
    assert (DECLARE, 0) not in position(MATCH + "x", DICE, match="automatic").acts()


def test_choices_in_the_reckoning_are_the_players():
    """SR36"""
    pack = content(
        cards=[[{"remove": 1}], [{"gain": "Diligence"}]],
        reckonings=[[{"remove": {"count": 1, "what": "any", "which": "chosen"}}]],
    )
    game = position(MATCH + "x", DICE, cards=2, pack=pack).effect(0)
    assert game.kind == CHOOSE
    assert game.firsts() == [0, 1, 2, 3, 4]
    assert game.choose(4).row == "KCLR"
    assert game.effect(1).ending() == WON


def test_the_reckoning_is_uniform():
    """SR27, over 6,000 games; 5 standard errors. Before it is drawn nobody sees it."""
    count, cards = 6_000, 4
    table = Table(setting(content(reckonings=[[{"add_regret": 1}]] * cards), cards=0, match="declared"), count)
    table.deal(np.arange(count, dtype=np.int32), np.arange(count, dtype=np.uint64))
    table.advance()
    board = table.t.board
    board.kind, board.face, board.length, board.matched = np.arange(5), 0, 5, 1
    board.token[:, :5] = np.arange(5)
    ask = table.advance()
    assert (board.reckoning == -1).all()
    ask.action[:] = rules.action_of(DECLARE, 0)
    table.advance()
    found = np.bincount(board.reckoning, minlength=cards) / count
    assert (np.abs(found - 1 / cards) < 5 * np.sqrt(3 / 16 / count)).all()
    assert board.reckoning[:50].tolist() == [int(choice(word(0, game, 7, 0), cards)) for game in range(50)]


def test_lost_without_virtue_and_card():
    """SR23: the game then ends by itself."""
    game = position("Kx").discard(0)
    assert game.ending() == EXHAUSTED
    result = game.result()
    assert (result["winners"], result["winner"], result["won"], result["unfinished"]) == (0, -1, 0, 0)


def test_with_a_card_left_it_goes_on():
    """SR23"""
    game = position("Kx", cards=1).discard(0)
    assert game.ending() is None
    assert game.acts() == {(EFFECT, 0), (CARD_DRAW, 0), (CONCEDE, 0)}
    assert game.card_draw(0).ending() == EXHAUSTED  # only the regret is drawn


def test_a_virtue_from_the_last_card():
    assert position("x", effect=[{"gain": "Kindness"}]).effect(0).ending() is None


def test_conceding():
    """SR23: at any time; matches are counted by the i-th virtue token, regrets left out (SR38)."""
    game = position("xKxCHRR", DICE).concede()
    assert game.ending() == CONCEDED
    result = game.result()
    assert (result["won"], result["matches_end"], result["actions"], result["reckoning"]) == (0, 3, 1, -1)


@pytest.mark.parametrize(
    ("row", "count"), [("", 0), ("KCLRD", 5), ("xKCLRD", 5), ("CKLRH", 2), ("HKCLRD", 0), ("k", 1)]
)
def test_matches_at_the_end(row, count):
    """SR38"""
    assert position(row, DICE, cards=1, match="declared").concede().result()["matches_end"] == count


def test_after_max_actions_it_is_lost_and_unfinished():
    """SR24"""
    game = position("KCLR", max_actions=2).discard(0)
    assert game.ending() is None
    assert game.discard(0).ending() == OUT_OF_ACTIONS
    result = game.result()
    assert (result["won"], result["unfinished"], result["actions"], result["ending"]) == (0, 1, 2, OUT_OF_ACTIONS)


def test_the_last_action_may_win_or_lose():
    """SR24"""
    assert position("H" + MATCH, DICE, max_actions=1).discard(0).ending() == WON
    assert position("K", max_actions=1).discard(0).ending() == EXHAUSTED
    assert position("K", max_actions=1).concede().ending() == CONCEDED


def test_a_match_that_is_not_declared_in_time_is_lost():
    """SR24, SR8"""
    assert position("H" + MATCH, DICE, match="declared", max_actions=1).discard(0).ending() == OUT_OF_ACTIONS


def test_what_is_counted():
    """Actions of each kind, whatever then left."""
    pack = content(use={"K": [{"reroll": 5}]}, cards=[[{"draw": 1}], NOTHING])
    game = position("KKC", bag="CC", cards=2, pack=pack)
    result = game.use(0).use(0).discard(0).effect(0).card_draw(1).concede().result()
    names = ("actions", "tokens_used", "tokens_discarded", "cards_used", "cards_discarded")
    assert [result[name] for name in names] == [6, 2, 1, 1, 1]


def test_dice_of_the_result_are_as_drawn():
    """Whatever changed places since."""
    game = position("K", "KCLRD", effect=[{"swap_dice": "any"}]).effect(0).choose(0, 4)
    assert game.dice == "DCLRK"
    result = game.concede().result()
    assert [result[f"die_{place}"] for place in range(1, 6)] == [0, 1, 2, 3, 4]


# 5. Primitives --------------------------------------------------------------------------------------------------------


def done(effect, row="KCL", dice=DICE, **more):
    """The game after a card's effect, or at its first choice."""
    return position(row, dice, effect=effect, **more).effect(0)


def test_draw():
    """SR18, SR19, by the coordinates of luck: draws are counted over the whole game."""
    game = done([{"draw": 2}, {"draw": 1}], bag="KCLRDHx", seed=3, game=4)
    left, drawn = list("KCLRDHx"), ""
    for n in range(3):
        drawn += left.pop(int(choice(word(3, 4, 4, n), len(left))))
    assert (game.row, game.bag) == ("KCL" + drawn, "".join(left))
    assert done([{"draw": 12}], bag="DD").row == "KCLDD"
    assert done([{"draw": 1}]).row == "KCL"


def test_look():
    """SR35: what is not kept goes back; options in the order in which they came."""
    game = done([{"look": 3}, {"look": 2}], bag="KCLRDHx", seed=3, game=4)
    left, seen = list("KCLRDHx"), ""
    for n in range(3):
        seen += left.pop(int(choice(word(3, 4, 5, n), len(left))))
    assert game.looked == seen
    assert game.firsts() == [0, 1, 2]
    game.choose(1)
    assert game.row == "KCL" + seen[1]
    left = sorted([*left, seen[0], seen[2]], key="KCLRDHx".index)
    assert len(game.looked) == 2
    assert game.looked == "".join(left.pop(int(choice(word(3, 4, 5, n), len(left)))) for n in (3, 4))
    assert len(game.choose(0).row) == 5
    assert len(game.bag) == 5


def test_look_at_few():
    assert done([{"look": 3}], bag="D").row == "KCLD"  # one option is no decision
    assert done([{"look": 1}], bag="DDD").row == "KCLD"
    game = done([{"look": 3}])
    assert (game.row, game.kind) == ("KCL", -1)
    game = done([{"look": 3}], bag="DH")
    assert game.firsts() == [0, 1]


def test_look_and_leave():
    game = done([{"look": {"count": 2, "may": True}}], bag="DH")
    assert game.options() == [(0, 0), (1, 0), None]
    game.leave()
    assert (game.row, game.bag, game.looked) == ("KCL", "DH", "")
    game = done([{"look": {"count": 1, "may": True}}], bag="D")
    assert game.options() == [(0, 0), None]


def test_reroll():
    """By the coordinates of luck, counting all dice that are rerolled."""
    faces = [int(choice(word(3, 4, 6, n), 6)) for n in range(8)]
    assert done([{"reroll": 2}], seed=3, game=4).board.face.tolist() == [0, faces[0], 0, 0, 0]
    assert done([{"reroll": "all"}], seed=3, game=4).board.face.tolist() == faces[:5]
    game = done([{"reroll": "all"}, {"reroll": "chosen"}], seed=3, game=4)
    assert game.firsts() == [0, 1, 2, 3, 4]
    assert game.choose(3).board.face.tolist() == [*faces[:3], faces[5], faces[4]]


def test_reroll_may_be_left():
    for die in ("all", 3, "chosen"):
        game = done([{"reroll": {"die": die, "may": True}}])
        assert game.options()[-1] is None
        assert len(game.options()) == (6 if die == "chosen" else 2)
        assert game.leave().board.face.tolist() == [0] * 5


def test_gain():
    game = done([{"gain": "Humility"}], supply="KHHx")
    assert (game.row, game.supply) == ("KCLH", "KHx")
    assert done([{"gain": "Humility"}], supply="K").row == "KCL"
    game = done([{"gain": "chosen"}], supply="KHHx")
    assert game.firsts() == [0, 5]
    assert game.choose(5).row == "KCLH"
    assert done([{"gain": "chosen"}], supply="Hx").row == "KCLH"
    assert done([{"gain": "chosen"}], supply="x").row == "KCL"
    game = done([{"gain": {"virtue": "Humility", "may": True}}], supply="H")
    assert game.options() == [(5, 0), None]
    assert game.leave().row == "KCL"


def test_add_regret():
    """SR5: as far as the supply has them."""
    game = done([{"add_regret": 2}], supply="xxx")
    assert (game.row, game.supply) == ("KCLxx", "x")
    assert done([{"add_regret": 5}], supply="xxx").row == "KCLxxx"
    game = done([{"add_regret": {"count": 2, "to": "bag"}}], supply="xxx")
    assert (game.row, game.supply, game.bag.count("x")) == ("KCL", "x", 11)
    assert done([{"add_regret": {"count": 2, "to": "formation"}}], supply="x").row == "KCLx"


WHAT = {"regret": "x", "virtue": "KcL", "fresh": "KL", "used": "c", "any": "KcLx"}


@pytest.mark.parametrize("op", ["remove", "return"])
@pytest.mark.parametrize("what", WHAT)
@pytest.mark.parametrize("which", ["leftmost", "rightmost", "chosen"])
def test_which_token_goes(op, what, which):
    """The row has of every kind twice; SR16, SR17: into the supply, or into the bag."""
    row = "xKcLLcKx"
    places = [place for place, token in enumerate(row) if token in WHAT[what]]
    for chosen in (places if which == "chosen" else [places[0 if which == "leftmost" else -1]]):  # fmt: skip
        game = done([{op: {"count": 1, "what": what, "which": which}}], row, bag="H")
        if which == "chosen":
            assert game.firsts() == places
            game.choose(chosen)
        assert game.row == row[:chosen] + row[chosen + 1 :]
        gone = row[chosen].upper().replace("X", "x")
        assert game.bag == ("H" if op == "remove" else "".join(sorted("H" + gone, key="KCLRDHx".index)))
        total = counts_of(game.supply) + counts_of(game.bag) + counts_of(game.row.upper().replace("X", "x"))
        assert total.tolist() == [6] * 6 + [12]


@pytest.mark.parametrize("op", ["remove", "return"])
def test_how_many_tokens_go(op):
    assert done([{op: 2}], "xKxCx").row == "KCx"
    assert done([{op: {"count": 2, "which": "rightmost"}}], "xKxCx").row == "xKC"
    assert done([{op: "all"}], "xKxCx").row == "KC"
    assert done([{op: 5}], "xKx").row == "K"
    assert done([{op: {"count": "all", "what": "used"}}], "kClx").row == "Cx"
    game = done([{op: {"count": 2, "what": "virtue", "which": "chosen"}}], "KxCL")
    assert game.firsts() == [0, 2, 3]
    assert game.choose(2).firsts() == [0, 3]
    assert game.choose(3).row == "Kx"
    game = done([{op: {"count": "all", "which": "chosen"}}], "xKx")
    assert game.choose(2).row == "K"  # the last is no decision


@pytest.mark.parametrize("op", ["remove", "return"])
def test_what_remains_may_be_left(op):
    """`may`: leaves all that remains of its count."""
    game = done([{op: {"count": 3, "may": True}}, {"gain": "Humility"}], "xKxCx")
    assert game.options() == [(0, 0), None]
    assert game.choose(0).options() == [(2, 0), None]
    assert game.leave().row == "KxCxH"
    game = done([{op: {"count": 1, "may": True}}], "K")
    assert game.kind == -1  # not where there is no other option


@pytest.mark.parametrize(
    ("said", "row", "after"),
    [
        (1, "xkCL", "xkcL"),
        (2, "KCL", "kcL"),
        (9, "KCx", "kcx"),
        ("all", "KxcL", "kxcl"),
        ({"count": 1, "which": "rightmost"}, "KClx", "Kclx"),
        ({"count": 1, "which": "leftmost"}, "xKC", "xkC"),
    ],
)
def test_exhaust(said, row, after):
    assert done([{"exhaust": said}], row).row == after


def test_exhaust_chosen_and_left():
    game = done([{"exhaust": {"count": 2, "which": "chosen"}}], "KcxL")
    assert game.firsts() == [0, 3]
    assert game.choose(3).row == "kcxl"
    game = done([{"exhaust": {"count": "all", "which": "chosen", "may": True}}], "KCL")
    assert game.options() == [(0, 0), (1, 0), (2, 0), None]
    assert game.choose(1).leave().row == "KcL"


@pytest.mark.parametrize(
    ("said", "row", "after"),
    [
        ({"count": 1, "which": "leftmost"}, "KxcL" + "d", "KxCLd"),
        ({"count": 1, "which": "rightmost"}, "KxcLd", "KxcLD"),
        ("all", "kxc", "kxC"),
        (2, "kxc", "kxC"),
    ],
)
def test_refresh(said, row, after):
    game = done([{"refresh": said}], row)
    while game.kind == CHOOSE:
        after = after.replace("k", "K")  # chosen by default, from the left
        game.choose(game.firsts()[0])
    assert game.row == after


def test_refresh_is_chosen_by_default():
    game = done([{"refresh": 1}], "kCx" + "l")
    assert game.firsts() == [0, 3]
    assert game.choose(3).row == "kCxL"
    game = done([{"refresh": {"count": 1, "may": True}}], "kC")
    assert game.options() == [(0, 0), None]


def test_turn():
    """SR33: a fresh one from the supply in the same place; the old one goes there."""
    game = done([{"turn": "Humility"}], "kCx", supply="HHx")
    assert game.options() == [(0, 5), (1, 5)]
    game.choose(0, 5)
    assert (game.row, game.supply) == ("HCx", "KHx")
    assert done([{"turn": "Humility"}], "KC", supply="L").row == "KC"
    assert done([{"turn": "Kindness"}], "kC", supply="K").row == "kK"  # never into what it is


def test_turn_into_a_chosen_virtue():
    game = done([{"turn": "chosen"}], "KxC", supply="KLHx")
    assert game.options() == [(0, 2), (0, 5), (2, 0), (2, 2), (2, 5)]
    assert game.choose(2, 0).row == "KxK"


@pytest.mark.parametrize(
    ("what", "which", "after"),
    [
        ("virtue", "leftmost", "xHCx"),
        ("virtue", "rightmost", "xKHx"),
        ("regret", "leftmost", "HKCx"),
        ("regret", "rightmost", "xKCH"),
        ("any", "leftmost", "HKCx"),
        ("any", "rightmost", "xKCH"),
    ],
)
def test_which_token_turns(what, which, after):
    game = done([{"turn": {"to": "Humility", "what": what, "which": which}}], "xKCx", supply="H")
    assert game.row == after
    assert game.supply == "xKCx"[after.index("H")]


def test_turn_chosen_among_regrets_or_all():
    game = done([{"turn": {"to": "Humility", "what": "regret"}}], "xKHx", supply="H")
    assert game.options() == [(0, 5), (3, 5)]
    game = done([{"turn": {"to": "Humility", "what": "any", "may": True}}], "xKHx", supply="H")
    assert game.options() == [(0, 5), (1, 5), (3, 5), None]
    assert game.leave().row == "xKHx"


def test_swap():
    game = done([{"swap": "neighbours"}], "KxC")
    assert game.firsts() == [0, 1]
    assert game.choose(1).row == "KCx"
    game = done([{"swap": "any"}], "KxC")
    assert game.options() == [(0, 1), (0, 2), (1, 2)]
    assert game.choose(0, 2).row == "CxK"
    assert done([{"swap": "any"}], "Kc").row == "cK"
    assert done([{"swap": "neighbours"}], "K").row == "K"
    game = done([{"swap": {"pair": "neighbours", "may": True}}], "KC")
    assert game.options() == [(0, 0), None]
    assert game.leave().row == "KC"


def test_move():
    """SR25: nothing to the left of the first place; nor beyond the last."""
    game = done([{"move": 1}], "KCLR")
    assert game.options() == [(0, 1), (1, 0), (1, 2), (2, 1), (2, 3), (3, 2)]
    assert game.choose(1, 2).row == "KLCR"
    game = done([{"move": 60}], "KCLx")
    assert len(game.options()) == 12
    assert game.choose(3, 0).row == "xKCL"
    assert done([{"move": 2}], "KCLR").choose(0, 2).row == "CLKR"
    game = done([{"move": {"up_to": 1, "may": True}}], "KC")
    assert game.options() == [(0, 1), (1, 0), None]
    assert done([{"move": 5}], "K").row == "K"


def test_set_die():
    """All faces but the one, by its place, that it shows."""
    game = done([{"set_die": 2}], dice=DICE)
    assert game.firsts() == [8 + face for face in (1, 2, 3, 4, 5)]
    game.choose(8 + 3)
    assert (game.dice, game.board.face.tolist()) == ("KRLRD", [0, 3, 0, 0, 0])  # die C: CLCRCD
    game = done([{"set_die": "chosen"}])
    assert game.firsts() == [8 * die + face for die in range(5) for face in range(1, 6)]
    assert done([{"set_die": {"die": 1, "may": True}}]).options()[-1] is None


def test_turn_die():
    """SR34: the next face either way that shows another vice; the ring is closed."""
    game = done([{"turn_die": 1}])
    assert game.firsts() == [1, 5]
    assert game.choose(5).dice == "RCLRD"  # die K: KCKLKR
    game = done([{"turn_die": "chosen"}])
    assert game.firsts() == [8 * die + face for die in range(5) for face in (1, 5)]
    assert done([{"turn_die": {"die": 1, "may": True}}]).options() == [(1, 0), (5, 0), None]


@pytest.mark.parametrize(
    ("face", "next_ones"), [(0, [3, 5]), (1, [3, 5]), (2, [3, 5]), (3, [2, 4]), (4, [3, 5]), (5, [0, 4])]
)
def test_turn_die_passes_faces_of_the_same_vice(face, next_ones):
    """SR34, a die whose three dominant faces lie side by side: K K K C L R."""
    faces = [[0, 0, 0, 1, 2, 3], *FACES[1:]]
    game = position("K", DICE, pack=content(cards=[[{"turn_die": 1}]], faces=faces), cards=1)
    game.board.face[0] = face
    game.effect(0)
    assert game.firsts() == next_ones


def test_a_die_between_two_faces_of_one_vice():
    """SR34: both neighbours of a face may show the same vice; then both are options."""
    game = position("K", DICE, effect=[{"turn_die": 1}])
    game.board.face[0] = 3  # die K: KCKLKR
    assert game.effect(0).firsts() == [2, 4]


def test_swap_dice():
    game = done([{"swap_dice": "neighbours"}])
    assert game.firsts() == [0, 1, 2, 3]
    assert game.choose(3).dice == "KCLDR"
    game = done([{"swap_dice": "any"}])
    assert game.options() == [(one, other) for one in range(5) for other in range(one + 1, 5)]
    game.choose(1, 4)
    assert (game.dice, game.kinds) == ("KDLRC", "KDLRC")
    assert done([{"swap_dice": {"pair": "any", "may": True}}]).options()[-1] is None


def test_dice_change_places_with_what_they_show():
    game = position("K", DICE, effect=[{"swap_dice": "any"}])
    game.board.face[:] = [0, 1, 0, 0, 5]  # C: CLCRCD shows L; D: DHDKDC shows C
    assert game.effect(0).choose(1, 4).dice == "KCLRL"
    assert game.kinds == "KDLRC"


def test_lose_card():
    """SR36-like choices among the cards that are left, in the order kept; the card that is played is gone."""

    def lost(said, cards=4):
        return position("K", cards=cards, pack=content(cards=[[{"lose_card": said}]] + [NOTHING] * 9)).effect(0)

    game = lost(1)
    assert game.firsts() == [1, 2, 3]
    assert game.choose(2).cards == [1, 3]
    assert lost({"count": 1, "which": "leftmost"}).cards == [2, 3]
    assert lost({"count": 2, "which": "rightmost"}).cards == [1]
    assert lost({"count": 12, "which": "leftmost"}).cards == []
    assert lost(1, cards=2).cards == []
    assert lost(1, cards=1).cards == []
    game = lost({"count": 2, "may": True})
    assert game.choose(1).options() == [(2, 0), (3, 0), None]
    assert game.leave().cards == [2, 3]


def test_primitives_come_one_after_the_other():
    """Each sees what the one before it did."""
    game = done(
        [{"remove": 1}, {"gain": "Humility"}, {"exhaust": {"count": 1, "which": "rightmost"}}, {"draw": 1}],
        "xK",
        bag="D",
    )
    assert game.row == "KhD"


def test_the_longest_formation():
    """All 48 tokens, and 12 gaps: 60 places, of which each can be moved to."""
    row = ALL[:36].lower() + "x" * 12
    game = position(row, effect=[{"remove": "all"}, {"add_regret": 12}, {"move": 60}, {"move": 60}]).effect(0)
    assert game.row == row[:36] + "." * 12 + "x" * 12
    assert {(2, place) for place in range(60) if place != 2} <= set(game.options())
    game.choose(59, 36)
    assert game.row == row[:36] + "x" + "." * 11 + "x" * 11 + "."
    assert game.choose(0, 58).row == row[1:36] + "x" * 12 + row[0]


def test_gaps_close_where_no_place_is_left():
    """A token more, while 13 gaps are open: there is no place 61, so gaps close before the effect ends."""
    effect = [{"remove": {"count": 1, "what": "virtue"}}, {"remove": "all"}, {"add_regret": 12}]
    effect += [{"gain": "chosen"}, {"swap": "neighbours"}]
    game = position(ALL[:36].lower() + "x" * 12, effect=effect).effect(0)
    assert game.row == ALL[1:36].lower() + "x" * 12 + "K"
    assert game.firsts() == list(range(47))


def test_a_primitive_without_options_is_passed_over():
    game = done([{"remove": 1}, {"refresh": 1}, {"gain": "Humility"}], "KC")
    assert game.row == "KCH"


ORDER = "DHKRCL"
"""Of the virtues in a pack of its own."""


def told(letters):
    """Between what virtues are and the letters by which `Position` knows their numbers in that pack."""
    return letters.translate(str.maketrans(ORDER, LETTERS))


def shown(letters):
    return letters.translate(str.maketrans(LETTERS, ORDER))


def test_virtues_are_offered_in_the_packs_order():
    """The supply has Kindness, Charity, Learning and Humility: by the pack Humility (1), Kindness (2), Charity (4) and
    Learning (5)."""
    cards = [[{"gain": "chosen"}], [{"turn": "chosen"}], [{"gain": "Learning"}], [{"turn": "Humility"}]]
    game = {"supply": told("KCLHx"), "cards": 4, "pack": content(cards=cards, order=ORDER)}
    assert position(told("DK"), **game).effect(0).options() == [(1, 0), (2, 0), (4, 0), (5, 0)]
    assert shown(position(told("DK"), **game).effect(0).choose(4).row) == "DKC"
    pairs = [(0, 1), (0, 2), (0, 4), (0, 5), (1, 1), (1, 4), (1, 5)]
    assert position(told("DK"), **game).effect(1).options() == pairs
    assert shown(position(told("DK"), **game).effect(1).choose(1, 5).row) == "DL"
    assert shown(position(told("DK"), **game).effect(2).row) == "DKL"
    assert position(told("DK"), **game).effect(3).options() == [(0, 1), (1, 1)]


def test_the_bag_is_counted_in_the_packs_order():
    """Whatever the order in which it is written here: D, H, K, R, C, L and then regrets."""
    game = position(
        told("K"), bag=told("LLCKDx"), seed=3, game=4, pack=content(cards=[[{"draw": 6}]], order=ORDER), cards=1
    )
    left, drawn = list("DKCLLx"), ""
    for n in range(6):
        drawn += left.pop(int(choice(word(3, 4, 4, n), len(left))))
    assert shown(game.effect(0).row) == "K" + drawn


@pytest.mark.parametrize(("row", "matches"), [("KCLRD", True), ("KCLDR", False)])
def test_a_virtue_counters_its_vice_whatever_its_number(row, matches):
    """Looked for after a card whose effect does nothing."""
    game = position(told(row), DICE, cards=1, pack=content(order=ORDER), match="declared").effect(0)
    assert ((DECLARE, 0) in game.acts()) == matches


# 6. Knobs -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("knob", "low", "high"), [
    ("start_regrets", 0, 12), ("formation", 5, 8), ("cards", 0, 5), ("choose_from", 1, 12), ("card_draw", 0, 10),
    ("max_actions", 1, 10_000),
])  # fmt: skip
def test_bounds(knob, low, high):
    """SR37"""
    for value in (low, high):
        assert getattr(GAME.knobs(**{knob: value}), knob) == value
    for value in (low - 1, high + 1):
        with pytest.raises(ValidationError):
            GAME.knobs(**{knob: value})


def test_defaults_are_the_rulebooks():
    knobs = GAME.knobs()
    assert (knobs.start_regrets, knobs.formation, knobs.cards, knobs.choose_from, knobs.card_draw) == (6, 5, 5, 2, 2)
    assert (knobs.match, knobs.used_discard, knobs.max_actions) == ("automatic", "strong", 200)


def test_letters():
    """What the helpers of these tests rest on."""
    assert [name[0] for name in VIRTUES] == ["K", "C", "L", "R", "D", "H"] == list(LETTERS)
    game = position("KxcH", DICE, bag="Kxx")
    assert (game.row, game.dice, game.bag) == ("KxcH", DICE, "Kxx")
    assert row_of(game.board) == "KxcH"
    assert game.kind == ACT
