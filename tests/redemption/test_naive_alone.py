"""The naive version by itself: positions worked out by hand from the rulebook and the rulings.

A formation is written in letters: Kindness, Charity, Learning, reStraint, Diligence, Humility, Regret; small ones are
used, `-` is a gap. Die i shows the vice that is written in its place by the letter of the virtue that counters it.
"""

from collections import Counter

import pytest

from tests.redemption.naive import REGRET, VIRTUES, Game, State, Token

LETTERS = dict(zip("KCLSDHR", (*VIRTUES, REGRET), strict=True))
VICES = dict(zip("KCLSDH", ("Wrath", "Greed", "Ignorance", "Gluttony", "Sloth", "Pride"), strict=True))
NOTHING = [{"swap_dice": {"pair": "any", "may": True}}]
RULEBOOK = {
    "match": "automatic", "used_discard": "strong", "max_actions": 200, "formation": 5, "cards": 5,
    "start_regrets": 6, "choose_from": 2, "card_draw": 2, "first_card": -1,
}  # fmt: skip


class Script:
    """Luck, and a player, that answer what is written; options that were offered are kept."""

    def __init__(self, *answers):
        self.answers, self.offered = [*answers], []

    def next(self, purpose, options):
        return self.answers.pop(0)

    def __call__(self, state, options):
        self.offered.append(options)
        wanted = self.answers.pop(0)
        return options.index(wanted)


def pack(use=NOTHING, discard=NOTHING, card=NOTHING, reckoning=NOTHING, top=()):
    """Each die has its dominant vice on the faces 0, 2 and 4, and the next three on 1, 3 and 5."""
    vices = [*VICES.values()]
    return {
        "virtues": {
            virtue: {"counters": vice, "use": use, "discard": discard}
            for virtue, vice in zip(VIRTUES, vices, strict=True)
        },
        "dice": {
            vice: [vice, vices[(n + 1) % 6], vice, vices[(n + 2) % 6], vice, vices[(n + 3) % 6]]
            for n, vice in enumerate(vices)
        },
        "cards": [{"name": "card", "top": [*top], "effect": card}],
        "reckonings": [{"name": "reckoning", "effect": reckoning}],
    }


def laid(row, dice="KCLSD", bag="", luck=None, cards=(), **effects):
    """A state with this formation; what is not written is in the supply."""
    tokens = [None if letter == "-" else Token(LETTERS[letter.upper()], letter.islower()) for letter in row]
    there = Counter(LETTERS[letter] for letter in bag) + Counter(token.kind for token in tokens if token)
    supply = Counter(dict.fromkeys(VIRTUES, 6) | {REGRET: 12})
    supply.subtract(there)
    return State(
        pack(**effects), luck or Script(), [(VICES[letter], 0) for letter in dice], tokens,
        Counter(LETTERS[letter] for letter in bag), supply, [*cards],
    )  # fmt: skip


def shown(state):
    """The formation in letters."""
    letters = {name: letter for letter, name in LETTERS.items()}
    return "".join(
        "-" if token is None else letters[token.kind].lower() if token.used else letters[token.kind]
        for token in state.row
    )


@pytest.mark.parametrize(
    ("row", "matches", "is_match"),
    [
        ("KCLSD", 5, True),
        ("kClsD", 5, True),  # used ones count
        ("KCLSDHH", 5, True),  # SR10: those beyond are free stock
        ("KCLSDHR", 5, False),  # SR10: a regret anywhere
        ("RKCLSD", 5, False),  # SR38: virtues are counted, not places
        ("KCLS", 4, False),
        ("CKLSD", 3, False),
        ("", 0, False),
    ],
)
def test_match(row, matches, is_match):
    state = laid(row)
    assert (state.matches, state.is_match) == (matches, is_match)
    assert state.value == matches - row.count("R")


@pytest.mark.parametrize(
    ("row", "option", "after"),
    [
        ("KCLD", ("move", 3, 1), "KDCL"),
        ("KCLD", ("move", 0, 2), "CLKD"),
        ("K-LD", ("move", 3, 1), "KDL-"),  # SR31: into the gap, and leaves one
        ("K-LD", ("move", 3, 0), "DK-L"),  # gaps shift, too
        ("K-LD", ("swap", 0, 3), "D-LK"),
        ("KRc", ("remove", 1), "K-c"),
        ("KRc", ("turn", 2, "Humility"), "KRH"),  # SR33: fresh, in its place
        ("KRc", ("refresh", 2), "KRC"),
        ("K-", ("gain", "Charity"), "K-C"),  # SR18: to the right of the gap
    ],
)
def test_what_an_option_does(row, option, after):
    state = laid(row)
    state.do(option)
    assert shown(state) == after


def options(row, dice="KCLSD", cards=(), **primitive):
    [(name, said)] = primitive.items()
    return laid(row, dice, cards=cards).options(name, said)


def test_options_in_their_order():
    assert options("K-CL", swap={"pair": "neighbours"}) == [("swap", 2, 3)]
    assert options("K-CL", swap={"pair": "any"}) == [("swap", 0, 2), ("swap", 0, 3), ("swap", 2, 3)]
    assert options("K-C", move={"up_to": 1}) == [("move", 0, 1), ("move", 2, 1)]
    assert options("kRC", exhaust={"what": "fresh", "which": "leftmost"}) == [("exhaust", 2)]
    assert options("kRC", remove={"what": "any", "which": "rightmost"}) == [("remove", 2)]
    assert options("", set_die={"die": 2}) == [("face", 1, face) for face in (1, 2, 3, 4, 5)]
    assert options("", turn_die={"die": 1}) == [("face", 0, 1), ("face", 0, 5)]  # SR34: either way round
    assert options("", swap_dice={"pair": "neighbours"}) == [("swap_dice", n, n + 1) for n in range(4)]
    assert options("", cards=[7, 3], lose_card={"which": "rightmost"}) == [("lose_card", 1)]


def test_turning_needs_the_supply_and_another_kind():
    """SR33: all six of Kindness and of Charity are in the formation. The leftmost is not passed over."""
    row = "K" * 6 + "C" * 6
    assert options(row, turn={"to": "Kindness", "what": "virtue", "which": "chosen"}) == []
    assert options("CK", turn={"to": "Charity", "what": "virtue", "which": "leftmost"}) == []
    assert options("CK", turn={"to": "Charity", "what": "virtue", "which": "chosen"}) == [("turn", 1, "Charity")]
    to = [("turn", 11, virtue) for virtue in VIRTUES[2:]]
    assert options(row, turn={"to": "chosen", "what": "any", "which": "rightmost"}) == to


def test_virtues_are_in_the_packs_order():
    """Backwards: Humility, Diligence, Restraint, Learning, Charity, Kindness; regrets come last all the same."""
    state = laid("C", bag="KHR", luck=Script(0, 1, 0))
    state.pack["virtues"] = dict(reversed(state.pack["virtues"].items()))
    assert state.options("gain", {"virtue": "chosen"}) == [("gain", virtue) for virtue in reversed(VIRTUES)]
    turns = [("turn", 0, virtue) for virtue in reversed(VIRTUES) if virtue != "Charity"]
    assert state.options("turn", {"to": "chosen", "what": "virtue", "which": "chosen"}) == turns
    state.effect([{"draw": 3}], Script())
    assert shown(state) == "CHRK"


def test_a_face_that_shows_a_vice_twice_over_is_passed():
    """SR34: a die of Wrath, Wrath, Wrath, and three others, lying on the second."""
    state = laid("")
    state.pack["dice"]["Wrath"] = ["Wrath", "Wrath", "Wrath", "Greed", "Pride", "Sloth"]
    state.dice[0] = ("Wrath", 1)
    assert state.next_faces(0) == [3, 5]


USES = [
    # Before, its place, the effect, answers, after, in the supply of Kindness more
    ("KC", 0, NOTHING, [("leave",)], "kC", 0),  # SR32
    ("kC", 0, NOTHING, [("leave",)], "C", 1),  # SR13
    ("KC", 0, [{"swap": "any"}], [], "Ck", 0),  # it is followed
    ("kCL", 0, [{"move": 2}], [("move", 0, 2)], "CL", 1),
    ("KC", 0, [{"remove": {"count": 1, "what": "virtue"}}], [], "C", 1),  # taken away: nothing more
    ("KC", 0, [{"turn": {"to": "Humility", "which": "leftmost"}}], [], "HC", 1),
    ("KC", 0, [{"exhaust": "all"}], [], "kc", 0),  # it was fresh: it turns, and does not leave
    ("kc", 0, [{"refresh": {"count": "all", "which": "leftmost"}}], [], "C", 1),  # it was used: it leaves
    ("KC", 0, [{"return": {"count": 1, "what": "fresh"}}, {"draw": 1}], [], "CK", 0),  # what comes again is another
]


@pytest.mark.parametrize(("row", "place", "effect", "answers", "after", "more"), USES)
def test_use(row, place, effect, answers, after, more):
    state = laid(row, luck=Script(0), use=effect)
    before = state.supply["Kindness"]
    state.use(place, Script(*answers))
    assert shown(state) == after
    assert state.supply["Kindness"] - before == more


def test_the_gap_of_a_discard_stays_until_the_effect_ends():
    """SR14, SR31"""
    state = laid("KCL", discard=[{"swap": "neighbours"}])
    state.discard(1, "strong", Script())
    assert shown(state) == "KL", "K and L are not neighbours before the gap closes"
    player, state = Script(("move", 2, 1)), laid("KCL", discard=[{"move": 1}])
    state.discard(1, "strong", player)
    assert player.offered == [[("move", 0, 1), ("move", 2, 1)]]
    assert shown(state) == "KL"
    state = laid("KCL", discard=[{"gain": "Charity"}])
    state.discard(1, "strong", Script())
    assert shown(state) == "KLC", "what has left is in the supply again (SR16)"


def test_a_used_token_discarded():
    """SR12"""
    for knob, after in (("strong", "KH"), ("weak", "KC")):
        state = laid("Kl", use=[{"gain": "Charity"}], discard=[{"gain": "Humility"}])
        state.discard(1, knob, Script())
        assert shown(state) == after


def test_a_use_needs_something_to_do():
    """SR21: there is no regret. A Discard and a card need nothing."""
    state = laid("KR", use=[{"remove": 1}], cards=[0])
    assert state.actions(False)[0] == ("use", 0)
    state = laid("K", use=[{"remove": {"count": 1, "may": True}}], cards=[0])
    assert state.actions(True) == [("discard", 0), ("card", 0), ("card_draw", 0), ("declare",), ("concede",)]


def test_what_is_left_is_left_with_all_that_remains():
    player, state = Script(("remove", 0), ("leave",)), laid("RRR")
    state.effect([{"remove": {"count": "all", "may": True}}, {"gain": "Kindness"}], player)
    assert shown(state) == "-RRK"
    assert player.offered == [[("remove", 0), ("leave",)], [("remove", 1), ("leave",)]]


def test_looking_and_keeping():
    """SR35: the bag holds K, C and two regrets, in this order; the third and then the first are taken."""
    player, state = Script(("keep", 1)), laid("", bag="KCRR", luck=Script(2, 0))
    state.effect([{"look": 2}], player)
    assert player.offered == [[("keep", 0), ("keep", 1)]]
    assert shown(state) == "K"
    assert state.bag == Counter({"Charity": 1, REGRET: 2})


def test_discarding_a_card():
    """SR20: a regret of the supply goes into the bag before two are drawn. SR6: without one, two are drawn."""
    state = laid("K", bag="C", luck=Script(1, 0), cards=[0])
    state.card_draw(0, 2)
    assert (shown(state), state.bag.total(), state.cards) == ("KRC", 0, [])
    state = laid("R" * 12, bag="CH", luck=Script(1, 0), cards=[0])
    state.card_draw(0, 2)
    assert shown(state) == "R" * 12 + "HC"


def test_scrapper_keeps_what_counters_most():
    """Drawn are a Wrath die (three Wrath, one each of Greed, Ignorance, Gluttony) and a Pride die (three Pride,
    one each of Wrath, Greed, Ignorance)."""
    game = Game(pack(), RULEBOOK, 0, 0, "scrapper")
    game.state.dice = [("Wrath", 0), ("Pride", 0)]
    tops = [["Kindness"], ["Charity", "Charity"], ["Humility", "Learning"], ["Diligence", REGRET, "Restraint"]]
    game.pack["cards"] = [{"top": top} for top in tops]
    assert [game.policy.countered(card) for card in range(4)] == [4, 4, 5, 1]
    assert game.policy.keep([3, 1, 0]) == 1, "the first of those that are alike"


def test_scrapper_takes_the_first_action_of_highest_gain():
    """Of KRLR both virtues match and two regrets are there; C, which would, too, is in the bag."""
    game = Game(pack(discard=[{"draw": 1}]), RULEBOOK, 0, 0, "scrapper")
    game.state = laid("KRLR", dice="KLSDC", bag="C", cards=[0], discard=[{"draw": 1}], card=[{"remove": 2}])
    actions = game.state.actions(False)
    assert actions[game.policy.act(actions)] == ("card", 0), "V rises from 2 - 2 to 2"
    game.state.cards = []
    actions = game.state.actions(False)
    assert actions[game.policy.act(actions)] == ("discard", 0), "nothing gains: the leftmost that draws"
    game.state.pack = pack()
    assert actions[game.policy.act(actions)] == ("concede",)


def test_the_start_bag():
    """SR5: six of Kindness is all there are. The bag has one of each virtue, five of Kindness more, six regrets."""
    game = Game(pack(top=["Kindness"] * 9), RULEBOOK | {"cards": 1}, 0, 0, "random")
    game.history()
    game.reflection()
    there = game.state.bag + Counter(token.kind for token in game.state.row)
    assert there == Counter({"Kindness": 6, REGRET: 6} | dict.fromkeys(VIRTUES[1:], 1))
    assert len(game.state.tokens("virtue")) == 5
    assert game.state.row[-1].is_virtue, "it ends with the fifth"


@pytest.mark.parametrize(
    ("match", "row", "reckoning", "ending", "row_after"),
    [
        ("automatic", "KCLSD", [{"gain": "Humility"}], "won", "KCLSDH"),  # SR7, SR9
        ("automatic", "KCLSD", [{"remove": {"count": "all", "what": "any"}}], "lost", ""),  # SR23
        ("automatic", "KCLSD", [{"add_regret": 1}], "", "KCLSDR"),
        ("declared", "KCLSD", [{"add_regret": 1}], "", "KCLSD"),  # SR8
        ("automatic", "KCLSR", [{"add_regret": 1}], "", "KCLSR"),
        ("automatic", "R", [], "lost", "R"),
    ],
)
def test_the_reckoning(match, row, reckoning, ending, row_after):
    game = Game(pack(reckoning=reckoning), RULEBOOK | {"match": match}, 0, 0, "random")
    game.state = laid(row)
    game.look_for_match()
    assert (game.ending, shown(game.state)) == (ending, row_after)
    assert game.is_reckoned == (match == "automatic" and row == "KCLSD")
