"""Positions written by hand, each from a sentence of the rulebook or from a ruling, set up on a table.

Each case cites what it is taken from: a card of the rulebook in our words, or a ruling by id. The dice are laid on the
table, its own stages (`_speak`, `_strike`, `_resolve`) play on, and what comes out was worked out by hand.
"""

import numpy as np
import pytest

from sims.core.game import Setting, encode
from sims.viking import GAME, rules
from sims.viking.rules import ATTACK, HEAL, SPEAK, STRIKE, TARGET
from sims.viking.table import Table
from tests.viking import common

ACTIVE, FOE = 0, 1
WAIT, ALL = 0, 0b111


def table_of(lanes=1, seats=2, life=None, active=0, foe=None, **knobs):
    """A table whose lanes all stand before a duel of `active` against `foe`; `life` is by seat."""
    table = Table(Setting(encode(GAME.knobs(**knobs)), seats, 0, True), lanes)
    table.deal(np.arange(lanes, dtype=np.int32), np.arange(lanes, dtype=np.uint64))
    if life:
        table.life[:] = np.reshape(life, (seats, 1))
        table.alive[:] = sum(1 << seat for seat in range(seats) if life[seat] > 0)
    table.who[ACTIVE] = active
    table.who[FOE] = (active + 1) % seats if foe is None else foe
    return table


def lay(table, active_hand, foe_hand, again=None):
    """The first roll of both sides, in all lanes, and what a reroll would show (if nothing is said: ones)."""
    table.first[:] = np.expand_dims((active_hand, foe_hand), -1)
    table.again[:] = np.expand_dims(again, -1) if again else 1
    rules.speak_first(table.knobs.reroll_order, table.dice, table.first, table.reroll, table.speaker)


def settle(table, choice=None):
    """Play a duel out from its final dice. `choice` must be given exactly if somebody may attack or heal (VD15)."""
    table._lay()
    asked = [answer(ask, choice) for ask in table._strike()]
    assert len(asked) == (choice is not None)
    table._resolve()
    return asked


def answer(ask, action):
    ask.action[:] = action
    return ask


def recorded(table):
    """The results row of a table's one lane, whose game is over, by column; `winners` is the bit mask."""
    names = ("winners", *GAME.column_names(table.setting.seats, GAME.knobs()))
    rows = np.full((1, len(names)), -2, np.int32)
    table.record(table.over(), rows)
    return dict(zip(names, rows[0].tolist(), strict=True))


def changes(active_hand, foe_hand, choice=None, **knobs):
    """Change of life of the active player and of the opponent, both of whom have plenty."""
    knobs = {"dice": len(active_hand)} | knobs
    lanes = 40  # enough for the vector instructions and for the loop that does what they leave over
    table = table_of(lanes, life=(100, 100), **knobs)
    lay(table, active_hand, foe_hand)
    settle(table, choice)
    assert (table.life == table.life[:, :1]).all()
    return table.life[0, 0] - 100, table.life[1, 0] - 100


# The result of a duel -------------------------------------------------------------------------------------------------

RESULTS = {
    "the difference is damage: 14 against 10 costs 4": ((6, 5, 3), (5, 4, 1), None, (0, -4)),
    "the difference is damage, one point": ((1, 1, 2), (1, 3, 1), None, (-1, 0)),
    "the difference is damage, as much as there can be": ((6, 6, 5), (1, 1, 2), None, (0, -13)),
    "a higher triple may attack: 4-4-4 against 10 deals 2": ((4, 4, 4), (5, 4, 1), ATTACK, (0, -2)),
    "a higher triple may recover: one die's face, no loss for the other": ((4, 4, 4), (5, 4, 1), HEAL, (4, 0)),
    "a lower triple protects: 2-2-2 against 15 gains 2": ((2, 2, 2), (6, 5, 4), None, (2, 0)),
    "both triples recover, different numbers: 5-5-5 and 3-3-3": ((5, 5, 5), (3, 3, 3), None, (5, 3)),
    "both triples recover, equal totals too (VD4)": ((4, 4, 4), (4, 4, 4), None, (4, 4)),
    "tie: 6-2-2 against 4-3-3 costs the higher die's face (VD18)": ((6, 2, 2), (4, 3, 3), None, (0, -6)),
    "tie: the face and not the difference, one below (VD18)": ((5, 3, 2), (4, 4, 2), None, (0, -5)),
    "tie: the same highest die, the same dice": ((6, 3, 1), (1, 6, 3), None, (0, 0)),
    "tie: the same highest die, other dice": ((5, 5, 1), (5, 4, 2), None, (0, 0)),
    "tie with one triple: hit and healed by default (VD1)": ((4, 4, 4), (6, 5, 1), None, (-2, 0)),
    "tie with one triple: no attack instead (VD3)": ((2, 2, 2), (4, 1, 1), None, (-2, 0)),
}


@pytest.mark.parametrize("case", RESULTS)
def test_result(case):
    active_hand, foe_hand, choice, wanted = RESULTS[case]
    assert changes(active_hand, foe_hand, choice) == wanted
    assert changes(foe_hand, active_hand, choice) == wanted[::-1]
    assert changes(active_hand[::-1], foe_hand[::-1], choice) == wanted


@pytest.mark.parametrize(
    ("tied_triple", "heal", "wanted"),
    [
        ("hit_and_heal", "face", 4 - 6),
        ("hit_and_heal", "total", 12 - 6),
        ("hit_and_heal", "none", -6),
        ("heal_only", "face", 4),
        ("heal_only", "total", 12),
        ("heal_only", "none", 0),
        ("hit_only", "face", -6),
        ("hit_only", "total", -6),
        ("hit_only", "none", -6),
    ],
)
def test_one_triple_in_a_tie(tied_triple, heal, wanted):
    """VD1: 4-4-4 against 6-5-1. What a triple heals also applies within."""
    knobs = {"tied_triple": tied_triple, "heal": heal}
    assert changes((4, 4, 4), (6, 5, 1), **knobs) == (wanted, 0)
    assert changes((6, 1, 5), (4, 4, 4), **knobs) == (0, wanted)


@pytest.mark.parametrize("tied_triple", ["hit_and_heal", "heal_only", "hit_only"])
def test_the_knob_of_tied_triples_is_for_one_triple_in_a_tie(tied_triple):
    """VD1 says nothing of two triples (VD4), of ties without (VD18), or of different totals."""
    for case in set(RESULTS) - {case for case in RESULTS if case.startswith("tie with one triple")}:
        active_hand, foe_hand, choice, wanted = RESULTS[case]
        assert changes(active_hand, foe_hand, choice, tied_triple=tied_triple) == wanted, case


@pytest.mark.parametrize(
    ("heal", "higher", "lower", "both"),
    [("face", (4, 0), (2, 0), (5, 3)), ("total", (12, 0), (6, 0), (15, 9)), ("none", (0, 0), (0, 0), (0, 0))],
)
def test_what_a_triple_heals(heal, higher, lower, both):
    """Knob `heal`. With `none`, choosing to heal stays legal (nobody loses), and a triple still protects."""
    assert changes((4, 4, 4), (5, 4, 1), HEAL, heal=heal) == higher
    assert changes((4, 4, 4), (5, 4, 1), ATTACK, heal=heal) == (0, -2)
    assert changes((2, 2, 2), (6, 5, 4), heal=heal) == lower
    assert changes((5, 5, 5), (3, 3, 3), heal=heal) == both


def test_a_triple_is_all_dice_equal():
    """Knob `dice`: with two dice a pair, with four or five all of them, and nothing less."""
    assert changes((5, 5), (6, 2), HEAL) == (5, 0)
    assert changes((2, 2), (6, 4)) == (2, 0)
    assert changes((3, 3, 3, 1), (6, 6, 6, 2)) == (-10, 0)
    assert changes((2, 2, 2, 2), (6, 6, 6, 2)) == (2, 0)
    assert changes((6, 6, 6, 6, 1), (2, 2, 2, 2, 2)) == (0, 2)
    assert changes((6, 6, 6, 6, 1), (2, 2, 2, 2, 3)) == (0, -14)


def test_the_largest_numbers():
    """Five twelve-sided dice: totals of 60."""
    knobs = {"sides": 12, "heal": "total"}
    assert changes((12,) * 5, (1, 1, 1, 1, 2), ATTACK, **knobs) == (0, -54)
    assert changes((12,) * 5, (1, 1, 1, 1, 2), HEAL, **knobs) == (60, 0)
    assert changes((12,) * 5, (12,) * 5, **knobs) == (60, 60)


@pytest.mark.parametrize("side", [ACTIVE, FOE])
def test_a_triple_made_by_the_reroll_counts(side):
    """VD5: 2-2-1 becomes 2-2-2 and is protected against 15; 5-5-1 becomes 5-5-5 and may heal against 10 (VD15)."""

    def table_with(hand, other, again):
        table, hands, rolls = table_of(), [other, other], [(1, 1, 1), (1, 1, 1)]
        hands[side], rolls[side] = hand, again
        lay(table, *hands, again=rolls)
        table.reroll[side] = 0b100
        return table

    table = table_with((2, 2, 1), (6, 5, 4), (6, 6, 2))
    settle(table)
    assert table.life[side, 0] == 14
    assert table.life[1 - side, 0] == 12

    table = table_with((5, 5, 1), (5, 4, 1), (6, 6, 5))
    (ask,) = settle(table, HEAL)
    assert table.life[side, 0] == 17
    assert table.life[1 - side, 0] == 12
    view = ask.view
    assert (view.seat[0], view.foe[0], view.own_total[0], view.other_total[0]) == (side, 1 - side, 15, 10)
    assert view.own[:, 0].tolist() == [5, 5, 5]
    assert view.other[:, 0].tolist() == [5, 4, 1]


def test_kept_dice_stay_and_new_numbers_are_used():
    """The rulebook; so a reroll can lower the total."""
    table = table_of()
    lay(table, (6, 5, 1), (3, 3, 2), again=((1, 2, 3), (4, 4, 4)))
    table.reroll[ACTIVE] = 0b011  # 6 and 5 become 1 and 2
    settle(table)
    assert table.total[:, 0].tolist() == [4, 8]
    assert table.life[:, 0].tolist() == [8, 12]


# Life and places ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after"), [(2, 0), (3, 1), (12, 10)], ids=["eliminated", "saved by the heal", "plenty"]
)
def test_one_net_change_and_then_the_elimination(before, after):
    """VD2: 4-4-4 in a tie with a 6 loses 6 and gains 4. With 3 life the hit alone would be the end."""
    table = table_of(life=(before, 12))
    lay(table, (4, 4, 4), (6, 5, 1))
    settle(table)
    assert table.life[:, 0].tolist() == [after, 12]
    assert table.alive[0] == (0b11 if after else 0b10)


def test_life_never_falls_below_zero():
    """VD20: 13 damage to a player with 1 life. At 0 it is out."""
    table = table_of(life=(12, 1))
    lay(table, (6, 6, 5), (1, 1, 2))
    settle(table)
    assert table.life[:, 0].tolist() == [12, 0]
    assert table.alive[0] == 0b01


def test_exactly_zero_is_out():
    table = table_of(life=(4, 12))
    lay(table, (5, 4, 1), (6, 5, 3))
    settle(table)
    assert table.life[:, 0].tolist() == [0, 12]
    assert table.alive[0] == 0b10


def test_life_has_no_ceiling():
    """VD20, and the rulebook: one can gain life above 12."""
    table = table_of(life=(12, 1_000_000))
    lay(table, (5, 5, 5), (3, 3, 3))
    settle(table)
    assert table.life[:, 0].tolist() == [17, 1_000_003]


def test_only_the_two_of_a_duel_change():
    table = table_of(seats=4, life=(7, 8, 9, 10), active=2, foe=0)
    lay(table, (5, 5, 5), (3, 3, 3))
    settle(table)
    assert table.life[:, 0].tolist() == [10, 8, 14, 10]


def test_places_by_order_of_elimination():
    """VD22, in four seats: out first is fourth, and so on; the last one standing is first."""
    table = table_of(seats=4, life=(1, 1, 1, 1))
    for active, foe in ((0, 2), (1, 0), (3, 1)):  # each time the opponent falls
        table.who[:, 0] = active, foe
        lay(table, (6, 6, 5), (1, 1, 2))
        settle(table)
    assert table.over().tolist() == [0]
    row = recorded(table)
    assert [row[f"place_{seat}"] for seat in range(4)] == [3, 2, 4, 1]
    assert [row[f"life_{seat}"] for seat in range(4)] == [0, 0, 0, 1]
    assert (row["winner"], row["winners"], row["duels"], row["unfinished"]) == (3, 0b1000, 3, 0)
    assert not table.busy_lanes().size


def test_a_place_is_not_given_twice():
    """Who is out keeps its place, whatever the others do."""
    table = table_of(seats=3, life=(5, 0, 1))
    table.place[1] = 3
    table.who[:, 0] = 0, 2
    lay(table, (6, 6, 5), (1, 1, 2))
    settle(table)
    assert table.place[1:, 0].tolist() == [3, 2]


# The end of a game ----------------------------------------------------------------------------------------------------


def test_a_game_cut_off_has_no_winner():
    """VD21: after `max_duels` duels with two or more alive; nobody alive has a place, and the counters stay."""
    match = common.match(["threshold"] * 3, 3, start_life=200, max_duels=5)
    row = dict(zip(("winners", *match.columns), common.rows(match, 1)[0].tolist(), strict=True))
    assert (row["duels"], row["unfinished"], row["winner"], row["winners"]) == (5, 1, -1, 0)
    assert [row[f"place_{seat}"] for seat in range(3)] == [-1, -1, -1]
    assert row["rerolls"] > 0


def test_a_game_cut_off_keeps_the_place_of_who_is_out():
    """VD21: no places for those alive; VD22 for the one who is not."""
    table = table_of(seats=3, life=(1, 5, 1), max_duels=1)
    lay(table, (1, 1, 2), (6, 6, 5))
    settle(table)
    row = recorded(table)
    assert [row[f"place_{seat}"] for seat in range(3)] == [3, -1, -1]
    assert (row["winner"], row["unfinished"], row["winners"]) == (-1, 1, 0)


def test_a_game_decided_by_its_last_duel_is_finished():
    """VD21 speaks of games with two or more alive."""
    table = table_of(life=(1, 5), max_duels=1)
    lay(table, (1, 1, 2), (6, 6, 5))
    settle(table)
    row = recorded(table)
    assert (row["winner"], row["unfinished"], row["place_0"], row["place_1"]) == (1, 0, 2, 1)


def test_a_game_goes_on_until_max_duels():
    table = table_of(max_duels=2)
    lay(table, (5, 4, 1), (5, 4, 1))
    settle(table)
    assert not table.over().size
    lay(table, (5, 4, 1), (5, 4, 1))
    settle(table)
    assert table.over().tolist() == [0]


# Turns ----------------------------------------------------------------------------------------------------------------


def after_duel(life, active, foe, active_wins):
    """Who is active after a duel in which the loser loses 13 life, and whom it faces unless it may choose."""
    table = table_of(seats=len(life), life=life, active=active, foe=foe)
    high, low = (6, 6, 5), (1, 1, 2)
    lay(table, *((high, low) if active_wins else (low, high)))
    settle(table)
    return table.who[:, 0].tolist()


def test_two_players_take_turns():
    """VD10."""
    assert after_duel((20, 20), 0, 1, active_wins=True) == [1, 0]
    assert after_duel((20, 20), 1, 0, active_wins=True) == [0, 1]


def test_seat_0_begins():
    """VD11."""
    for seats in GAME.seats:
        table = Table(Setting(encode(GAME.knobs()), seats, 0, False), 3)
        table.deal(np.arange(3, dtype=np.int32), np.arange(3, dtype=np.uint64))
        assert table.who.tolist() == [[0] * 3, [1] * 3]


@pytest.mark.parametrize(
    ("life", "active", "foe", "active_wins", "following"),
    [
        ((20, 20, 20), 0, 2, True, 1),  # clockwise, whoever was faced
        ((20, 20, 20), 2, 1, True, 0),  # round the table
        ((1, 20, 20), 0, 2, False, 1),  # the active player was just eliminated: the next from its seat
        ((20, 20, 1), 2, 1, False, 0),
        ((20, 1, 20), 0, 1, True, 2),  # the next in turn was just eliminated: skipped
        ((20, 0, 20, 20), 0, 3, True, 2),  # out long ago: skipped
        ((20, 0, 20, 0), 2, 0, True, 0),
        ((1, 0, 20, 20), 0, 3, False, 2),  # both
        ((20, 0, 0, 1), 3, 0, False, 0),  # the game is over
    ],
)
def test_the_next_living_player_clockwise_is_active(life, active, foe, active_wins, following):
    """VD13."""
    assert after_duel(life, active, foe, active_wins)[0] == following


def test_the_active_player_chooses_among_the_living():
    """VD12: who has two or more living opponents is asked, who has one is not and faces that one."""
    table = table_of(lanes=3, seats=4, active=1)
    life = np.array([(5, 5, 5, 5), (5, 5, 0, 5), (0, 5, 0, 5)]).T
    table.life[:] = life
    table.alive[:] = [0b1111, 0b1011, 0b1010]
    table.who[FOE] = [2, 3, 3]
    asking = table._choose_foe()
    ask = next(asking)
    view = ask.view
    assert (view.kind, view.seats, view.seat.tolist()) == (TARGET, 4, [1, 1])
    assert ask.seat.tolist() == [1, 1]
    assert ask.lanes.tolist() == [0, 1]
    assert view.foe.tolist() == [-1, -1]
    assert view.active.tolist() == [1, 1]
    assert view.life.T.tolist() == [[5, 5, 5, 5], [5, 5, 0, 5]]
    assert not view.own.any()
    assert not view.other.any()
    ask.action[:] = [3, 0]
    assert next(asking, None) is None
    assert table.who[FOE].tolist() == [3, 0, 3]


def test_one_living_opponent_is_faced_unasked():
    """VD12 leaves nothing to choose; `next_turn` sets the opponent."""
    assert after_duel((20, 1, 20), 0, 1, active_wins=True) == [2, 0]
    assert after_duel((20, 0, 1, 20), 3, 2, active_wins=True) == [0, 3]
    table = table_of(seats=3, life=(5, 0, 5), active=2, foe=0)
    assert next(table._choose_foe(), None) is None


# Speaking -------------------------------------------------------------------------------------------------------------


def talk(table, *answers):
    """Let the one lane of a table speak, and demand as many answers as are given; what was shown, ask by ask."""
    seen, left = [], list(answers)
    for ask in table._speak():
        if ask.seat[0] < 0:
            continue
        view = ask.view
        assert view.kind == SPEAK
        assert view.seat[0] == ask.seat[0]
        assert view.own_total[0] == view.own[:, 0].sum()
        assert view.other_total[0] == view.other[:, 0].sum()
        seen.append(
            {
                "seat": int(view.seat[0]),
                "foe": int(view.foe[0]),
                "round": view.chance,
                "own": view.own[:, 0].tolist(),
                "other": view.other[:, 0].tolist(),
                "rerolled": int(view.other_rerolled[0]),
            }
        )
        ask.action[:] = left.pop(0)
    assert not left
    return seen


def speakers(active_hand, foe_hand, *answers, again=((6, 6, 6), (6, 6, 6)), order="open"):
    """The seats that spoke, in order. Seat 0 is active."""
    table = table_of(reroll_order=order)
    lay(table, active_hand, foe_hand, again)
    return [each["seat"] for each in talk(table, *answers)]


LOW, HIGH = (1, 2, 4), (5, 4, 3)
ORDERS = ("open", "simultaneous", "active_first")


@pytest.mark.parametrize("order", ORDERS)
def test_equal_first_totals_or_a_triple_stop_all_rerolls(order):
    """The rulebook: either of them, and it goes straight to the result."""
    assert speakers((6, 4, 1), (5, 4, 2), order=order) == []
    assert speakers((4, 4, 4), (6, 5, 1), order=order) == []
    assert speakers((2, 2, 2), HIGH, order=order) == []
    assert speakers(HIGH, (5, 5, 5), order=order) == []
    assert speakers((5, 5, 5), (3, 3, 3), order=order) == []


def test_a_pair_of_three_dice_or_four_equal_of_five_stop_nobody():
    assert speakers((5, 5, 3), HIGH, WAIT, WAIT) == [1, 0]
    table = table_of(dice=5)
    lay(table, (3, 3, 3, 3, 1), (3, 3, 3, 3, 2))
    assert [each["seat"] for each in talk(table, WAIT, WAIT)] == [0, 1]


def test_two_equal_dice_of_two_are_a_triple():
    table = table_of(dice=2)
    lay(table, (3, 3), (1, 2))
    assert talk(table) == []


def test_open_the_lower_total_speaks_first():
    """VD7."""
    assert speakers(LOW, HIGH, WAIT, WAIT) == [0, 1]
    assert speakers(HIGH, LOW, WAIT, WAIT) == [1, 0]


@pytest.mark.parametrize(
    "answers",
    [
        (WAIT, WAIT),  # two waits in a row end it
        (0b001, WAIT),  # a wait after the other has rerolled ends it
        (0b001, 0b010),  # both have rerolled
        (WAIT, 0b010, WAIT),  # the second chance, not taken
        (WAIT, 0b010, 0b100),  # the second chance, taken
        (ALL, ALL),
    ],
)
def test_open_who_waits_may_answer_a_reroll(answers):
    """VD7, and the rulebook: wait, or change your mind while your reroll is unused, even after the other's."""
    alternating = [0, 1, 0][: len(answers)]
    assert speakers(LOW, HIGH, *answers) == alternating
    assert speakers(HIGH, LOW, *answers) == [1 - seat for seat in alternating]


def test_open_what_each_speaker_sees():
    """VD7: the dice as they lie, with the other's reroll, its total and the mark that it has rerolled."""
    table = table_of(life=(9, 12))
    lay(table, LOW, HIGH, again=((6, 5, 2), (1, 6, 2)))
    first, second, third = talk(table, WAIT, 0b011, 0b001)
    assert first == {"seat": 0, "foe": 1, "round": 0, "own": [1, 2, 4], "other": [5, 4, 3], "rerolled": 0}
    assert second == {"seat": 1, "foe": 0, "round": 1, "own": [5, 4, 3], "other": [1, 2, 4], "rerolled": 0}
    assert third == {"seat": 0, "foe": 1, "round": 2, "own": [1, 2, 4], "other": [1, 6, 3], "rerolled": 1}
    assert table.reroll[:, 0].tolist() == [0b001, 0b011]
    assert table.counters[rules.REROLLS, 0] == 2
    settle(table)
    assert table.total[:, 0].tolist() == [6 + 2 + 4, 1 + 6 + 3]

    table = table_of()
    lay(table, LOW, HIGH, again=((6, 5, 2), (1, 6, 2)))
    _, second = talk(table, 0b101, WAIT)
    assert second == {"seat": 1, "foe": 0, "round": 1, "own": [5, 4, 3], "other": [6, 2, 2], "rerolled": 1}
    assert table.counters[rules.REROLLS, 0] == 1


def test_a_triple_by_reroll_stops_nobody():
    """VD6: only the first roll stops rerolls."""
    assert speakers((4, 4, 1), HIGH, 0b100, 0b100, again=((1, 1, 4), (6, 6, 6))) == [0, 1]
    assert speakers(LOW, (5, 5, 3), WAIT, 0b100, WAIT, again=((1, 1, 1), (1, 1, 5))) == [0, 1, 0]
    assert speakers((4, 4, 1), HIGH, 0b100, 0b100, again=((1, 1, 4), (6, 6, 6)), order="active_first") == [0, 1]


def test_equal_totals_by_reroll_stop_nobody():
    """VD6, likewise: 1-2-4 becomes 6-2-4, as much as 5-4-3."""
    assert speakers(LOW, HIGH, 0b001, WAIT) == [0, 1]


@pytest.mark.parametrize("hands", [(LOW, HIGH), (HIGH, LOW)])
@pytest.mark.parametrize("answers", [(WAIT, WAIT), (0b011, WAIT), (WAIT, 0b011), (0b001, 0b011)])
def test_simultaneous_nobody_sees_the_others_reroll(hands, answers):
    """VD7: both choose before either rolls, once, whoever is ahead."""
    table = table_of(reroll_order="simultaneous")
    lay(table, *hands, again=((6, 6, 6), (6, 6, 6)))
    first, second = talk(table, *answers)
    assert (first["seat"], second["seat"]) == (0, 1)
    assert (first["own"], first["other"], first["rerolled"]) == (list(hands[0]), list(hands[1]), 0)
    assert (second["own"], second["other"], second["rerolled"]) == (list(hands[1]), list(hands[0]), 0)
    assert table.reroll[:, 0].tolist() == list(answers)


@pytest.mark.parametrize("hands", [(LOW, HIGH), (HIGH, LOW)])
@pytest.mark.parametrize("answers", [(WAIT, WAIT), (0b011, WAIT), (WAIT, 0b011), (0b001, 0b011)])
def test_active_first_once_each(hands, answers):
    """VD7: the active player, whoever is ahead, then the other, who sees it; no second chance."""
    table = table_of(reroll_order="active_first")
    lay(table, *hands, again=((6, 6, 6), (6, 6, 6)))
    first, second = talk(table, *answers)
    assert (first["seat"], second["seat"]) == (0, 1)
    assert second["other"] == [6 if answers[0] >> die & 1 else face for die, face in enumerate(hands[0])]
    assert second["rerolled"] == (answers[0] != WAIT)
    assert table.reroll[:, 0].tolist() == list(answers)


@pytest.mark.parametrize(("order", "rerolls"), [("open", 0b001), ("simultaneous", WAIT), ("active_first", 0b001)])
def test_trailing_goes_by_the_total_it_is_shown(order, rerolls):
    """VD7 and the baseline: 1-2-4 becomes 6-6-4 and passes its 10. Under `simultaneous` the first total counts."""
    trailing = GAME.policies["trailing"]
    table = table_of(reroll_order=order)
    lay(table, (1, 2, 4), (1, 4, 5), again=((6, 6, 6), (1, 1, 1)))
    answers = {}
    for ask in table._speak():
        ask.action[:] = 0b011
        if ask.seat[0] == 1:
            trailing.function(ask.view, encode(trailing.weights()), (), ask.action)
        answers[int(ask.seat[0])] = int(ask.action[0])
    assert answers == {0: 0b011, 1: rerolls}


@pytest.mark.parametrize("order", ORDERS)
def test_seats_and_lives_are_shown_right(order):
    """Seat 3 is active and faces seat 1, who speaks first under `open`, being behind."""
    table = table_of(seats=4, life=(7, 8, 0, 10), active=3, foe=1, reroll_order=order)
    table.counters[rules.DUELS] = 6
    lay(table, HIGH, LOW)
    seats = []
    for ask in table._speak():
        view = ask.view
        if view.seat[0] < 0:
            continue
        seats.append((int(view.seat[0]), int(view.foe[0])))
        assert view.life[:, 0].tolist() == [7, 8, 0, 10]
        assert (view.active[0], view.duels[0], view.seats, view.knobs) == (3, 6, 4, table.knobs)
        ask.action[:] = WAIT
    assert seats == ([(1, 3), (3, 1)] if order == "open" else [(3, 1), (1, 3)])


def test_who_strikes_is_shown_right():
    table = table_of(seats=4, life=(7, 8, 0, 10), active=3, foe=1)
    lay(table, (2, 1, 1), (4, 4, 4))
    (ask,) = settle(table, HEAL)
    view = ask.view
    assert (view.kind, view.seat[0], view.foe[0], view.active[0]) == (STRIKE, 1, 3, 3)
    assert view.own[:, 0].tolist() == [4, 4, 4]
    assert view.other[:, 0].tolist() == [2, 1, 1]
    assert view.life[:, 0].tolist() == [7, 8, 0, 10]
    assert ask.lanes.tolist() == [0]
    assert table.life[:, 0].tolist() == [7, 12, 0, 10]


def asks_of_every_kind():
    """(table, ask), not yet answered: of seat 0 to choose, to speak (all three rounds), and to strike."""
    table = table_of(lanes=3, seats=3)
    for ask in table._choose_foe():
        yield table, ask
        ask.action[:] = 1
    lay(table, (4, 4, 1), HIGH, again=((1, 1, 5), (1, 1, 1)))
    for ask, action in zip(table._speak(), (WAIT, ALL, WAIT), strict=True):
        yield table, ask
        ask.action[:] = action
    lay(table, (4, 4, 4), (5, 4, 1))
    table._lay()
    for ask in table._strike():
        yield table, ask
        ask.action[:] = ATTACK


def test_views_are_read_only():
    """A policy answers, and touches nothing."""
    kinds = []
    for _, ask in asks_of_every_kind():
        kinds.append((ask.view.kind, ask.view.chance))
        arrays = [value for value in ask.view if isinstance(value, np.ndarray)]
        assert len(arrays) == 11
        for array in arrays:
            with pytest.raises(ValueError, match="read-only"):
                array[...] = 1
        assert ask.action.flags.writeable
    assert kinds == [(TARGET, 0), (SPEAK, 0), (SPEAK, 1), (SPEAK, 2), (STRIKE, 3)]


def test_views_do_not_show_what_a_reroll_would_bring():
    """Other faces to come, the same views."""

    def seen(again):
        table = table_of()
        lay(table, LOW, HIGH, again)
        return talk(table, WAIT, WAIT)

    assert seen(((1, 1, 1), (1, 1, 1))) == seen(((6, 6, 6), (6, 6, 6)))


# What is counted ------------------------------------------------------------------------------------------------------


def test_triples_and_ties_are_counted_at_the_end_of_a_duel():
    """`triples`: two count 2. `ties`: equal final totals, triples included."""
    wanted = {
        ((5, 5, 5), (3, 3, 3)): (2, 0),
        ((4, 4, 4), (4, 4, 4)): (2, 1),
        ((4, 4, 4), (6, 5, 1)): (1, 1),
        ((6, 1, 1), (3, 3, 2)): (0, 1),
        (LOW, HIGH): (0, 0),
    }
    for hands, counts in wanted.items():
        table = table_of()
        lay(table, *hands)
        settle(table)
        assert (table.counters[rules.TRIPLES, 0], table.counters[rules.TIES, 0]) == counts


def test_a_tie_made_or_undone_by_a_reroll():
    table = table_of()
    lay(table, LOW, HIGH, again=((6, 6, 6), (1, 1, 1)))
    talk(table, 0b001, WAIT)
    settle(table)
    assert table.counters[rules.TIES, 0] == 1
    lay(table, LOW, HIGH, again=((6, 6, 6), (1, 1, 1)))
    talk(table, 0b001, 0b001)
    settle(table)
    assert table.counters[rules.TIES, 0] == 1


def test_rerolls_are_counted_once_a_player():
    counts = {(WAIT, WAIT): 0, (ALL, WAIT): 1, (0b001, 0b110): 2, (WAIT, ALL, WAIT): 1, (WAIT, ALL, ALL): 2}
    for answers, wanted in counts.items():
        table = table_of()
        lay(table, LOW, HIGH)
        talk(table, *answers)
        assert table.counters[rules.REROLLS, 0] == wanted


@pytest.mark.parametrize(
    ("lives", "wanted"),
    [
        ([(12, 12)], 0),
        ([(12, 8)], 0),  # the game's first leader
        ([(12, 12), (12, 8), (12, 12), (13, 12)], 0),  # the same leader after a tie
        ([(12, 8), (7, 8)], 1),
        ([(12, 8), (8, 8), (7, 8)], 1),  # a tie on the way
        ([(12, 8), (7, 8), (8, 8), (9, 8), (3, 8)], 3),
        ([(12, 12, 9), (12, 12, 15), (11, 16, 15)], 1),  # no strict leader at first, then seats 2 and 1
        ([(12, 9, 9), (4, 9, 9), (4, 5, 9), (4, 5, 0)], 2),  # seat 0, tie, seat 2, seat 1
        ([(5, 9, 9, 9), (5, 3, 9, 9), (5, 3, 2, 9), (5, 3, 2, 4)], 1),
    ],
)
def test_lead_changes(lives, wanted):
    """The last strict leader is remembered; a change counts when another seat becomes strict leader."""
    lanes = 37
    leader, counted = np.full(lanes, -1, np.int8), np.zeros(lanes, np.int32)
    for life in lives:
        rules.watch_lead(np.repeat(np.int32(life)[:, None], lanes, axis=1), leader, counted)
    assert counted.tolist() == [wanted] * lanes


# What is legal --------------------------------------------------------------------------------------------------------


def illegal(kind, actions, seat=0, life=(5, 5), dice=3):
    """How many of these actions are against the rules, each asked alone; all together are legal only if each is."""
    table = table_of(lanes=1, seats=len(life), dice=dice)
    view = table.asks[0].view._replace(kind=kind, life=np.int32(life)[:, None])
    one = np.full(1, seat, np.int8)
    bad = sum(not GAME.is_legal(view, one, np.array([action], np.int16)) for action in actions)
    life = np.repeat(np.int32(life)[:, None], len(actions), axis=1)
    seats, together = np.full(len(actions), seat, np.int8), np.array(actions, np.int16)
    assert GAME.is_legal(view._replace(life=life), seats, together) == (bad == 0)
    return bad


def test_legal_ways_to_speak():
    for dice in (2, 3, 4, 5):
        assert illegal(SPEAK, range(2**dice), dice=dice) == 0
        assert illegal(SPEAK, [2**dice, -1, 1000, -32768, 0], dice=dice) == 4


def test_legal_strikes():
    assert illegal(STRIKE, [ATTACK, HEAL]) == 0
    assert illegal(STRIKE, [2, -1, 7, HEAL]) == 3


def test_legal_targets():
    """VD12: any living opponent."""
    assert illegal(TARGET, [0, 3], seat=1, life=(5, 5, 0, 5)) == 0
    assert illegal(TARGET, [1, 2, 4, -1, 32767, 0], seat=1, life=(5, 5, 0, 5)) == 5


def test_nobody_asked_nothing_illegal():
    assert illegal(SPEAK, [99, -5], seat=-1) == 0


@pytest.mark.parametrize("size", [0, 1, 63, 64, 65, 129, 1000])
@pytest.mark.parametrize("share", [0.0, 0.05, 0.5, 1.0])
def test_lanes_are_listed_whatever_their_number(size, share):
    """They are gone through sixty-four at a time, and the rest one by one."""
    luck = np.random.default_rng(size)
    who = np.where(luck.random(size) < share, luck.integers(0, 4, size), -1).astype(np.int8)
    lanes = np.full(size, -7, np.int32)
    number = rules.listed(who, lanes)
    assert lanes[:number].tolist() == [i for i in range(size) if who[i] >= 0]
