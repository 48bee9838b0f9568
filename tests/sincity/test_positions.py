"""Positions written by hand, each from a sentence of the rulebook or from a ruling (by id), played by the kernels.

Cards lie as somebody laid them, and the game is one in whose luck the dice show what the position asks for: "wins(THUG,
2, 1)" is a game in which the Thug finds, and throws more with 2 dice than its target with 1 (`common.game_where`; where
the dice are is written down a second time in `naive.py`). What comes out was worked out by hand. Nobody draws unless a
position says so, and seat 0 is active unless it says otherwise. After every answer `table.check` looks whether every
card is in one place.
"""

import os
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from lab.arena import play
from lab.errors import IllegalAction
from sims.sincity.rules import (
    DISCARD,
    FIGHT,
    FIND,
    FRIEND,
    HELP,
    INVESTIGATE,
    KILL,
    KILLS,
    LAW,
    PASS,
    SAVE,
    SIN,
    SPEND,
    TORTURE,
    TURNS,
)
from sims.sincity.table import determinize
from tests.lanes import answers
from tests.sincity import common
from tests.sincity.common import found, game_where, loses, missed, position, ties, wins

# Characters, with what matters of them in a comment: Fighting, Sin, traits
DAME, STREETWALKER, MODEL, PHOTOGRAPHER, ASSISTANT, NIECE = 0, 4, 5, 6, 7, 8  # victims 1 1 but the Streetwalker 2 1
PRIEST, PSYCHIATRIST, ATHLETE, SECRETARY, LAWYER, STREET_DOC = 16, 17, 32, 38, 65, 66  # 1 2; 1 1 doctor; 4 1; ...
THUG, MONEY_MAN, CROOKED_COP, THIEF, HUGE_THUG, GUARDS = 1, 19, 24, 28, 36, 44  # 2 1; 1 3; 3 2 law; 2 1; 3 1; 2 1 def.
CHAUFFEUR, STOOLIE, STREET_THUG = 14, 53, 51  # criminals 4 1 defender; 1 1 investigation; 2 1
BOMBERS, EXPLOSIVES, COWGIRL, SECURITY, ASSASSIN, SILENT = 9, 10, 31, 33, 48, 52  # agents 4; 4; 3; 3 defender; 5; 6
INVESTIGATOR, POLICEMAN, SOLDIER, ATTORNEY, DETECTIVE, BRUISER = 2, 13, 15, 21, 25, 50  # heroes 3 inv; 2; 5; 1; 3; 5 t.
MILLIONAIRE, DEALER, MADAM, RING, SENATOR, MOB_BOSS = 20, 30, 35, 46, 63, 73  # bosses 1 3; 2 2; 3 2; 2 4; 1 3 law; 3 4
KILLER, TORTURER, SINISTER_DOCTOR, SOCIOPATH = 3, 22, 27, 61  # psychopaths 4 3 tough; 3 2 inv; 3 3 doctor; 4 3
HONEST_COP, PAROLE_OFFICER, PROTECTOR = 39, 45, 60  # heroes 3 1 law; 2 1 law; 4 1 tough

FRIEND_CARD, TWIN_GUNS, BACK_UP, HARDWARE, REVENGE, TAR_PITS = 74, 75, 76, 77, 81, 82
OLD_TOWN, KNOW, ON_THE_RUN, SCENE, BEAT_UP, COPS, PRISON = 83, 84, 85, 86, 87, 88, 89
SEDUCTION, DEAD_COP, HOSPITAL, SUICIDE, EXECUTION, FRAMED, FAVORS = 90, 91, 92, 93, 94, 95, 96


def torture(card, *faces, turn=0):
    return lambda dice: np.isin(dice.torture(card, turn), faces)


def law_roll(card, *faces):
    return lambda dice: np.isin(dice.law(card), faces)


def find_roll(card, face):
    return lambda dice: dice.find(card) == face


def tough(card, survives):
    return lambda dice: (dice.tough(card) >= 4) == survives


def doctor(cause, card, saves, side=1, nth=0):
    return lambda dice: (dice.doctor(cause, card, side, nth) == 6) == saves


def investigation(face, many=None, card=None):
    def wish(dice):
        roll, number = dice.investigate(card)
        return (roll == face) & (number == (many or number))

    return wish


# Setting up, and the Luck Phase ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("copies", "seats"), [(1, 2), (1, 6), (2, 3), (4, 6)])
def test_the_deal(copies, seats):
    """SC1, SC49: so many copies of each of 97 cards, of which everybody is dealt 7."""
    table = common.Table(common.match(["builder"] * seats, deck_copies=copies).setting, 3)
    table.deal(np.arange(3, dtype=np.int32), np.arange(3, dtype=np.uint64))
    common.check(table)
    assert (table.t.board.hand_size[:, :seats] == 7).all()
    assert (table.t.board.deck_size == 97 * copies - 7 * seats).all()


def test_how_many_play():
    """SC49"""
    assert common.GAME.seats == (2, 3, 4, 5, 6)


@pytest.mark.parametrize("seat", [0, 2, 5])
def test_a_card_for_the_opening_hand(seat):
    """Knobs `opening_card`, `opening_seat`: it changes places with the first card of that hand, of who plays."""

    def deal(**knobs):
        table = common.Table(common.match(["builder"] * 3, hand=4, **knobs).setting, 1)
        table.deal(np.zeros(1, np.int32), np.array([8], np.uint64))
        common.check(table)
        return [set(common.cards_in(table.t.secret[0].hand[each])) for each in range(3)]

    plain, treated = deal(), deal(opening_card=SOCIOPATH, opening_seat=seat)
    assert SOCIOPATH not in set().union(*plain)
    moved = [one ^ other for one, other in zip(plain, treated, strict=True)]
    assert [len(each) for each in moved] == [2 * (each == seat) for each in range(3)]
    assert seat == 5 or SOCIOPATH in treated[seat]


@pytest.mark.parametrize("tied", [False, True])
def test_who_rolls_highest_starts(tied):
    """SC3: the tied roll again, and the others do not."""

    def lead(dice):
        one, two, three = (dice.start(0, seat) for seat in range(3))
        again = dice.start(1, 0) < dice.start(1, 1)
        # in the second attempt seat 2 would roll highest
        return (one == two) & (two > three) & again & (dice.start(1, 2) > dice.start(1, 1)) if tied else (
            (two > one) & (two > three)
        )  # fmt: skip

    number = game_where(lead)
    table = common.Table(common.match(["builder"] * 3).setting, 1)
    table.deal(np.zeros(1, np.int32), np.array([number], np.uint64))
    assert table.t.board[0].active == 1


def test_turns_go_clockwise():
    """SC3"""
    game, order = position(seats=3, active=2), []
    for _ in range(5):
        order.append(int(game.secret.turns - 1 + 2) % 3)
        assert game.turn_is_over()
        assert game.board.active == (order[-1] + 1) % 3
        game.next_turn()
    assert order == [2, 0, 1, 2, 0]


def test_two_cards_are_drawn_from_the_top():
    """Luck Phase"""
    game = position(deck=[DAME, THUG, MODEL], draw=2)
    assert game.hand(0) == [DAME, THUG]
    assert game.deck() == [MODEL]
    assert game.hand(1) == []


def test_the_discard_pile_is_shuffled_when_a_card_must_be_drawn():
    """SC41b: when the deck is empty and a card is needed, not before."""
    game = position(deck=[DAME, THUG], pile=[MODEL, NIECE, COWGIRL], draw=2)
    assert game.hand(0) == [DAME, THUG]
    assert (game.deck(), game.pile) == ([], [MODEL, NIECE, COWGIRL])
    game = position(deck=[DAME], pile=[MODEL, NIECE, COWGIRL], draw=2)
    assert DAME in game.hand(0)
    assert len(game.hand(0)) == 2
    assert sorted(game.hand(0) + game.deck()) == [DAME, MODEL, NIECE, COWGIRL]
    assert game.pile == []


def test_no_card_is_drawn_where_there_is_none():
    """SC42"""
    game = position(deck=[DAME], draw=2)
    assert (game.hand(0), game.deck(), game.pile) == ([DAME], [], [])


# Help Phase -----------------------------------------------------------------------------------------------------------


def test_any_number_of_characters_may_be_played():
    """SC4"""
    game = position(hands={0: [DAME, THUG, COWGIRL, KILLER, DEALER, TWIN_GUNS]})
    assert game.deeds() == {card: [-1] for card in (DAME, THUG, KILLER, DEALER, COWGIRL)}
    for card in (COWGIRL, DAME, DEALER, KILLER, THUG):
        game.play(card)
    assert game.free(0) == [DAME, THUG, KILLER, DEALER, COWGIRL]
    assert game.points(0) == 1 + 1 + 3 + 2 + 1
    assert game.secret.plays[0] == 5


def test_a_limit_of_characters():
    """SC4 `help_limit`: so many characters, a boss counts, and an event does not."""
    game = position(hands={0: [DAME, DEALER, THUG, FAVORS]}, deck=[], help_limit=2)
    game.play(DEALER).play(FAVORS)
    assert game.deeds() == {DAME: [-1], THUG: [-1]}
    game.play(THUG)
    assert game.asked is None
    assert game.points(0) == 3
    game = position(hands={0: [DAME, COPS]}, free={0: [THIEF]}, help_limit=1)
    game.play(DAME)
    assert game.deeds() == {COPS: [DAME, THIEF]}


def test_a_second_boss_cannot_be_played():
    """SC6"""
    game = position(hands={0: [DEALER, MADAM, DAME]})
    game.play(DEALER)
    assert game.deeds() == {DAME: [-1]}
    assert not game.is_legal(MADAM)


def test_a_boss_may_be_played_when_the_other_is_gone():
    """SC6"""
    game = position(hands={0: [MADAM, COPS]}, free={0: [DEALER]})
    assert game.deeds() == {COPS: [DEALER]}
    game.play(COPS, DEALER)
    assert game.deeds() == {MADAM: [-1]}


def test_a_new_character_scores_and_acts_at_once():
    """SC5"""
    game = position(wins(THUG, 2, 1), hands={0: [THUG]}, free={1: [DAME]})
    game.play(THUG)
    assert game.points(0) == 1
    game.attack(THUG, DAME)
    assert game.out == [DAME]
    assert game.points(0) == 2


def test_summoning_sickness():
    """SC5: it neither scores, attacks, uses law nor investigates."""
    hand = [THUG, CROOKED_COP, DETECTIVE]
    game = position(hands={0: hand}, free={1: [DAME, HUGE_THUG]}, summoning_sickness=True)
    for card in hand:
        game.play(card)
    assert game.turn_is_over()
    assert game.points(0) == 0
    game.next_turn().no_more()  # the other's turn: it may attack
    game.next_turn().no()  # the Detective may investigate by now
    assert game.points(0) == 1 + 2 + 1
    assert sorted(game.deeds()) == [THUG, CROOKED_COP, DETECTIVE]
    assert sorted(game.law_deeds()) == [CROOKED_COP, DETECTIVE]


def test_what_the_sick_can_do():
    """SC5: it bars a second boss, and protects its boss, from seats that play before its next turn."""
    game = position(hands={0: [DEALER, MADAM, THUG]}, free={1: [COWGIRL]}, summoning_sickness=True)
    game.play(DEALER)
    assert game.deeds() == {THUG: [-1]}
    game.play(THUG)
    game.next_turn()
    assert game.deeds() == {COWGIRL: [THUG]}


def test_a_sick_doctor_helps():
    """SC5"""
    game = position(
        doctor(SUICIDE, STREET_DOC, True, side=0), hands={0: [STREET_DOC, SUICIDE]}, free={0: [DAME]},
        summoning_sickness=True,
    )  # fmt: skip
    game.play(STREET_DOC).play(SUICIDE, DAME)
    assert game.free(0) == [DAME, STREET_DOC]


def test_a_seduced_character_is_never_sick():
    """SC5, SC48: though it was played in this turn of its owner, or is here only now."""
    game = position(hands={0: [SEDUCTION]}, free={1: [THUG, DAME]}, summoning_sickness=True)
    game.play(SEDUCTION, THUG)
    assert game.points(0) == 1
    assert game.deeds() == {THUG: [DAME]}


def test_a_freed_character_is_never_sick():
    """SC5: a psychopath of one's own is discarded, and its captive acts at once."""
    game = position(
        hands={0: [COPS]}, free={0: [KILLER], 1: [DAME]}, captives=[(KILLER, SOLDIER, 0)], summoning_sickness=True
    )
    game.play(COPS, KILLER)
    assert game.free(0) == [SOLDIER]
    assert game.points(0) == 1
    assert game.turn_is_over()  # a hero attacks no victims
    game = position(
        hands={0: [COPS]}, free={0: [KILLER], 1: [THUG]}, captives=[(KILLER, SOLDIER, 0)], summoning_sickness=True
    )
    assert game.play(COPS, KILLER).deeds() == {SOLDIER: [THUG]}


def test_played_captured_and_freed_in_one_turn():
    """SC5: a freed one is never sick."""
    game = position(
        wins(SOCIOPATH, 4, 1), free={0: [SOCIOPATH], 1: [THUG]}, hands={0: [LAWYER, COPS]}, summoning_sickness=True
    )
    game.play(LAWYER).no_more()
    assert game.law_deeds() == {}
    game.attack(SOCIOPATH, LAWYER).play(COPS, SOCIOPATH)
    assert game.free(0) == [LAWYER]
    assert game.law_deeds() == {LAWYER: [THUG]}


# Sin Phase, and investigation -----------------------------------------------------------------------------------------


def test_all_free_characters_score_as_one_sum():
    """SC7b; captives do not score (SC38)."""
    game = position(
        free={0: [DAME, PRIEST, KILLER], 1: [SOCIOPATH]}, captives=[(SOCIOPATH, THUG + 1, 0), (KILLER, NIECE, 1)]
    )
    assert game.points(0) == 1 + 2 + 3
    assert game.points(1) == 0
    assert game.secret.gained[SIN, 0] == 6


def test_victory_comes_before_investigation():
    """SC7b, SC44"""
    game = position(free={0: [PHOTOGRAPHER, KILLER]}, points=[96, 99])
    assert game.result() == (0, SIN, 1)
    assert game.points(0) == 100
    assert position(free={0: [PHOTOGRAPHER, KILLER]}, points=[95, 99]).asked == (INVESTIGATE, 0)


def test_goal():
    """SC44 `goal`"""
    assert position(free={0: [KILLER]}, goal=3).result() == (0, SIN, 1)
    assert position(free={0: [KILLER]}, goal=4).turn_is_over()


def test_one_investigation_a_player():
    """SC20: one roll, if there is a free character with the trait, and only if wanted."""
    free = {0: [PHOTOGRAPHER, SECRETARY], 1: [THUG]}
    game = position(free=free)
    assert game.asked == (INVESTIGATE, 0)
    assert game.no().asked is None
    game = position(investigation(6), free=free)
    assert game.yes().board.bonus_left == 1
    assert game.asked is None
    game = position(free={1: [KILLER]}, captives=[(KILLER, PHOTOGRAPHER, 0)])
    assert game.asked is None  # SC38


def test_an_investigation_each_character():
    """SC20 `each`: two +2, of which one Find roll takes one (SC22)."""
    game = position(
        investigation(6, card=SECRETARY), investigation(5, card=PHOTOGRAPHER), find_roll(THUG, 1), find_roll(THIEF, 3),
        free={0: [PHOTOGRAPHER, SECRETARY, STOOLIE, THUG, THIEF], 1: [DAME]}, investigation="each",
    )  # fmt: skip
    game.yes().yes().no()
    assert game.board.bonus_left == 2
    game.attack(THUG, DAME)
    assert game.asked == (SPEND, 0)
    game.yes()
    assert game.board.bonus_left == 1
    assert game.free(1) == [DAME]  # 1 + 2 is not 4
    game.attack(THIEF, DAME).yes()
    assert game.board.bonus_left == 0
    assert game.board.attacked


@pytest.mark.parametrize("face", [1, 2])
def test_investigation_shows_a_hand(face):
    """SC21: the next opponent clockwise who has cards. Only the roller learns of it, and nothing moves."""
    hands = {0: [TWIN_GUNS], 1: [], 2: [DAME, OLD_TOWN], 3: [MODEL]}
    game = position(investigation(face), free={0: [PHOTOGRAPHER, THUG], 1: [NIECE]}, hands=hands, seats=4)
    assert game.yes().asked == (KILL, 0)
    assert game.known(0, 2) == [DAME, OLD_TOWN]
    assert common.cards_in(game.mine.known[2]) == [DAME, OLD_TOWN]
    assert game.known(0, 3) == game.known(1, 2) == game.known(3, 2) == []
    assert game.mine.next.tolist() == [-1] * 6
    assert game.hand(2) == [DAME, OLD_TOWN]


def test_nobody_has_a_hand_to_show():
    """SC21"""
    game = position(investigation(1), free={0: [PHOTOGRAPHER]}, hands={0: [TWIN_GUNS]})
    assert game.yes().turn_is_over()


@pytest.mark.parametrize(("face", "many"), [(3, 1), (3, 6), (4, 2), (4, 6)])
def test_investigation_shows_the_deck(face, many):
    """SC21: the next D6 cards, which stay where they are."""
    deck = [DAME, MODEL, NIECE, COWGIRL, TWIN_GUNS, OLD_TOWN, KILLER]
    game = position(investigation(face, many), free={0: [PHOTOGRAPHER, THUG], 1: [ASSISTANT]}, deck=deck)
    game.yes()
    assert game.deck() == deck
    assert game.mine.next.tolist() == (deck[:many] + [-1] * 6)[:6]
    assert game.secret.seen_to[1] == 0
    game.no_more().next_turn()  # the other is asked: it has seen nothing
    assert game.turn_is_over()


def test_a_look_at_a_short_deck_shuffles_nothing():
    """SC41b: not for a look."""
    game = position(
        investigation(3, 6), free={0: [PHOTOGRAPHER, THUG], 1: [ASSISTANT]}, deck=[DAME], pile=[MODEL, NIECE]
    )
    game.yes()
    assert game.mine.next.tolist() == [DAME, -1, -1, -1, -1, -1]
    assert game.pile == [MODEL, NIECE]


def test_who_saw_a_card_on_the_deck_knows_who_drew_it():
    """SC21: what is learnt stays learnt."""
    game = position(
        investigation(4, 2), free={0: [PHOTOGRAPHER]}, deck=[DAME, MODEL, NIECE, COWGIRL, THUG, THIEF], draw=2,
    )  # fmt: skip
    game.no_more().yes()  # 0 drew Dame and Model, and saw Niece and Cowgirl
    game.next_turn()
    assert game.hand(1) == [NIECE, COWGIRL]
    assert game.known(0, 1) == [NIECE, COWGIRL]
    assert game.known(1, 0) == []


@pytest.mark.parametrize("spend", [True, False])
def test_the_bonus_of_investigation(spend):
    """SC22: by choice, before the roll; not spent, it may be spent on another, and is gone with the turn."""
    game = position(
        investigation(5), find_roll(THUG, 2), lambda dice: dice.attack(THUG, 2).sum(0) > dice.defence(THUG, 1).sum(0),
        find_roll(THIEF, 1), free={0: [STOOLIE, THUG, THIEF], 1: [DAME, MODEL]},
    )  # fmt: skip
    game.yes().attack(THUG, DAME)
    assert game.asked == (SPEND, 0)
    if spend:
        assert game.yes().out == [DAME]
        assert game.attack(THIEF, MODEL).asked == (KILL, 0)  # nothing is left to spend
    else:
        assert game.no().out == []
        assert game.attack(THIEF, MODEL).asked == (SPEND, 0)
    game = position(investigation(5), free={0: [STOOLIE], 1: [DAME]})
    game.yes().no_more().next_turn().next_turn().no()
    assert game.board.bonus_left == 0


# Attacks: who, whom, how often ----------------------------------------------------------------------------------------

ONE_OF_EACH = {"victim": DAME, "criminal": THUG, "agent": COWGIRL, "hero": SOLDIER, "psychopath": SOCIOPATH}
TARGETS = {
    "hero": {"criminal", "agent", "hero", "psychopath"},
    "psychopath": {"victim"},
    "criminal": {"victim", "hero", "agent", "criminal"},
    "agent": {"criminal", "hero", "agent"},
    "victim": set(),
    "boss": set(),
}
ATTACKERS = {
    "hero": POLICEMAN, "psychopath": KILLER, "criminal": THIEF, "agent": BOMBERS, "victim": ATHLETE, "boss": DEALER,
}  # fmt: skip


@pytest.mark.parametrize("kind", ATTACKERS)
def test_whom_a_kind_may_attack(kind):
    """SC14: each of them, and of the other seat alone."""
    own = [ATTACKERS[kind], HUGE_THUG, SECURITY]
    game = position(free={0: own, 1: ONE_OF_EACH.values(), 2: [MODEL]}, seats=3, active=0)
    if game.asked == (INVESTIGATE, 0):
        game.no()
    wanted = {ONE_OF_EACH[each] for each in TARGETS[kind]} | ({MODEL} if "victim" in TARGETS[kind] else set())
    assert set(game.deeds().get(ATTACKERS[kind], [])) == wanted
    assert set(game.deeds()) == ({HUGE_THUG, ATTACKERS[kind]} if wanted else {HUGE_THUG})


@pytest.mark.parametrize(("kind", "may"), [("hero", True), ("agent", True), ("criminal", False), ("psychopath", False)])
def test_who_may_attack_a_boss(kind, may):
    """SC14"""
    game = position(free={0: [ATTACKERS[kind]], 1: [MOB_BOSS, DAME, MODEL]})
    if game.asked == (INVESTIGATE, 0):
        game.no()
    assert (MOB_BOSS in game.deeds().get(ATTACKERS[kind], [])) == may


def test_a_psychopath_may_attack_its_owners_victims():
    """SC14"""
    game = position(free={0: [KILLER, DAME, THUG], 1: [MODEL]})
    assert game.deeds() == {THUG: [MODEL], KILLER: [DAME, MODEL]}


def test_defenders_cannot_attack_but_are_attacked():
    """SC14, trait Defender"""
    game = position(free={0: [CHAUFFEUR, SECURITY, GUARDS], 1: [DAME, THUG]})
    assert game.turn_is_over()
    assert sorted(game.next_turn().deeds()[THUG]) == [CHAUFFEUR, SECURITY, GUARDS]


@pytest.mark.parametrize(
    ("guard", "protects"),
    [(THUG, True), (COWGIRL, True), (SECURITY, True), (CHAUFFEUR, True), (DAME, False), (SOLDIER, False),
     (SOCIOPATH, False)],
)  # fmt: skip
def test_who_protects_a_boss(guard, protects):
    """SC15: a free agent or criminal of the same player, a defender too."""
    game = position(free={0: [BOMBERS], 1: [DEALER, guard], 2: [THIEF]}, seats=3)
    assert (DEALER in game.deeds()[BOMBERS]) == (not protects)


def test_what_a_boss_is_protected_from():
    """SC16: attacks alone, not law or events."""
    hand = [COPS, SEDUCTION, SUICIDE]
    game = position(free={0: [BOMBERS, LAWYER], 1: [DEALER, THUG]}, hands={0: hand})
    assert game.deeds() == {
        COPS: [THUG, BOMBERS, DEALER, LAWYER], SEDUCTION: [THUG, DEALER], SUICIDE: [THUG, BOMBERS, LAWYER],
    }  # fmt: skip
    game.no_more()
    assert game.deeds()[BOMBERS] == [THUG]
    assert game.law_deeds() == {LAWYER: [THUG, DEALER]}


def test_a_boss_is_open_once_its_guard_is_dead():
    """SC15"""
    game = position(
        wins(THUG, 2, 1), wins(COWGIRL, 3, 2), free={0: [THUG, COWGIRL], 1: [DEALER, STOOLIE]},
    )  # fmt: skip
    assert game.deeds()[COWGIRL] == [STOOLIE]
    game.attack(THUG, STOOLIE)
    assert game.deeds() == {COWGIRL: [DEALER]}
    game.attack(COWGIRL, DEALER)
    assert game.points(0) == 2 + 1 + 2
    assert game.out == [DEALER, STOOLIE]


def test_each_character_attacks_once():
    """SC7, SC8: a failed Find roll uses the attack up."""
    game = position(missed(THUG), missed(THIEF), free={0: [THUG, THIEF], 1: [DAME]})
    game.attack(THUG, DAME)
    assert game.deeds() == {THIEF: [DAME]}
    game.attack(THIEF, DAME)
    assert game.turn_is_over()
    assert game.free(1) == [DAME]


def test_one_attack_a_turn():
    """SC7 `one`: one attack in all, also one whose Find roll failed; law stays possible, for the others."""
    game = position(missed(CROOKED_COP), free={0: [THUG, CROOKED_COP, LAWYER], 1: [DAME]}, attacks="one")
    assert sorted(game.deeds()) == [THUG, CROOKED_COP]
    game.attack(CROOKED_COP, DAME)
    assert game.deeds() == {}
    assert game.law_deeds() == {LAWYER: [DAME]}
    game = position(law_roll(LAWYER, 1), free={0: [THUG, LAWYER], 1: [DAME]}, attacks="one")
    assert game.law(LAWYER, DAME).deeds() == {THUG: [DAME]}  # law is no attack


@pytest.mark.parametrize(
    ("find_on", "face", "finds"), [(4, 3, False), (4, 4, True), (1, 1, True), (6, 5, False), (7, 6, False)]
)
def test_the_find_roll(find_on, face, finds):
    """Kill Phase: 4 or more; knob `find_on`."""
    game = position(find_roll(THUG, face), free={0: [THUG], 1: [DAME]}, hands={1: [TWIN_GUNS]}, find_on=find_on)
    game.attack(THUG, DAME)
    assert game.asked == ((FIGHT, 1) if finds else None)


# Fights ---------------------------------------------------------------------------------------------------------------


def test_the_higher_score_lives():
    """Kill Phase: dice as many as the Fighting; the lower one is out of the game (SC41)."""
    game = position(wins(THUG, 2, 1), free={0: [THUG], 1: [DAME]})
    assert game.attack(THUG, DAME).out == [DAME]
    assert (game.free(0), game.free(1), game.pile) == ([THUG], [], [])
    game = position(loses(THUG, 2, 3), free={0: [THUG], 1: [COWGIRL]})
    assert game.attack(THUG, COWGIRL).out == [THUG]
    assert (game.free(0), game.free(1)) == ([], [COWGIRL])
    assert game.secret.lost[:2].tolist() == [1, 0]


REWARDS = {  # attacker, target, dice of both, and what the winner gets, either way; None: it cannot lose its life so
    "criminal kills victim": (THUG, DAME, 1, 0),
    "criminal against criminal": (THUG, THIEF, 1, 1),
    "criminal against hero": (THUG, POLICEMAN, 1, 0),
    "criminal against agent": (THUG, COWGIRL, 1, 2),
    "agent against criminal": (COWGIRL, THUG, 2, 1),
    "agent against boss": (COWGIRL, DEALER, 2, 0),
    "agent against agent": (COWGIRL, BOMBERS, 2, 2),
    "hero against boss": (POLICEMAN, DEALER, 10, 0),
    "hero against hero": (POLICEMAN, SOLDIER, 0, 0),
    "hero against agent": (POLICEMAN, COWGIRL, 0, 2),
    "hero against criminal": (POLICEMAN, THUG, 0, 1),
}
FIGHTING = {
    THUG: 2, DAME: 1, THIEF: 2, POLICEMAN: 2, COWGIRL: 3, DEALER: 2, BOMBERS: 4, SOLDIER: 5, SOCIOPATH: 4, ATHLETE: 4,
}  # fmt: skip
SINS = {DEALER: 2, SOCIOPATH: 3}


def fight(outcome, attacker, target, *more, **setting):
    """A fight that ends so, in a fresh position; points without those of the Sin Phase."""
    free = {0: [attacker], 1: [target]}
    for seat, cards in setting.pop("others", {}).items():
        free[seat] = [*free.get(seat, []), *cards]
    game = position(outcome(attacker, FIGHTING[attacker], FIGHTING[target]), *more, free=free, **setting)
    if game.asked == (INVESTIGATE, 0):
        game.no()
    return game.attack(attacker, target)


@pytest.mark.parametrize("case", REWARDS)
def test_rewards(case):
    """SC24: for a kill in defence too. SC23: in a tie both are killers."""
    attacker, target, attack, defence = REWARDS[case]

    def kills(outcome, **knobs):
        game = fight(outcome, attacker, target, **knobs)
        assert game.points(0) == 1 + game.secret.gained[KILLS, 0]
        return [*game.secret.gained[KILLS, :2].tolist()], game.out

    assert kills(wins) == ([attack, 0], [target])
    assert kills(loses) == ([0, defence], [attacker])
    assert kills(ties) == ([attack, defence], sorted([attacker, target]))
    assert kills(wins, hero_bounty=3)[0] == [3 if attack == 10 else attack, 0]


def test_hero_and_psychopath():
    """A hero earns 10 for a psychopath; SC34: beaten it is a captive; SC36: in a tie both are killed."""
    game = fight(wins, POLICEMAN, SOCIOPATH)
    assert (game.points(0), game.out, game.held(1)) == (1 + 10, [SOCIOPATH], [])
    game = fight(loses, POLICEMAN, SOCIOPATH, torture(POLICEMAN, 3))
    assert (game.points(1), game.out, game.held(1)) == (1, [], [POLICEMAN])  # 1 for the torture
    assert game.secret.captives[:2].tolist() == [0, 1]
    assert game.secret.lost[:2].tolist() == [0, 0]
    game = fight(ties, POLICEMAN, SOCIOPATH)
    assert (game.points(0), game.points(1), game.out) == (1 + 10, 0, [POLICEMAN, SOCIOPATH])


def test_psychopath_and_victim():
    """SC30: a captive, no reward; SC31: in a tie the victim stays free; beaten, the psychopath is killed."""
    game = fight(wins, SOCIOPATH, ATHLETE, torture(ATHLETE, 4))
    assert (game.held(0), game.free(1), game.out) == ([ATHLETE], [], [])
    assert game.secret.gained[KILLS, 0] == 0
    assert (game.board.captor[ATHLETE], game.board.owner[ATHLETE]) == (SOCIOPATH, 1)
    for outcome in (ties, loses):
        game = fight(outcome, SOCIOPATH, ATHLETE)
        assert (game.free(0), game.free(1), game.out) == ([], [ATHLETE], [SOCIOPATH])
        assert game.points(1) == 0  # victims earn nothing


def test_a_captured_victim_has_no_doctor():
    """SC30: it is not killed, so no doctor rolls, even where a 6 would show."""
    game = fight(wins, SOCIOPATH, ATHLETE, doctor(SOCIOPATH, STREET_DOC, True), torture(ATHLETE, 4),
                 others={1: [STREET_DOC]})  # fmt: skip
    assert (game.held(0), game.free(1)) == ([ATHLETE], [STREET_DOC])


def test_fight_scores():
    """SC9: the sum of the dice, or the highest."""

    def apart(dice):
        one, other = dice.attack(COWGIRL, 3), dice.defence(COWGIRL, 2)
        return (one.sum(0) > other.sum(0)) & (one.max(0) < other.max(0)) & (dice.find(COWGIRL) >= 4)

    assert position(apart, free={0: [COWGIRL], 1: [THUG]}).attack(COWGIRL, THUG).out == [THUG]
    game = position(apart, free={0: [COWGIRL], 1: [THUG]}, fight_score="highest")
    assert game.attack(COWGIRL, THUG).out == [COWGIRL]


def test_a_bonus_is_dice_or_points():
    """SC10: +2 is two more dice, or 2 points."""

    def apart(dice):
        two, four, other = dice.attack(THUG, 2).sum(0), dice.attack(THUG, 4).sum(0), dice.defence(THUG, 3).sum(0)
        return (two + 2 < other) & (four > other) & (dice.find(THUG) >= 4)

    def killed(**knobs):
        game = position(apart, free={0: [THUG], 1: [COWGIRL]}, hands={0: [TWIN_GUNS]}, **knobs)
        return game.attack(THUG, COWGIRL).window((0, TWIN_GUNS)).out

    assert killed() == [COWGIRL]
    assert killed(fight_bonus="total") == [THUG]


@pytest.mark.parametrize(("short", "wanted"), [(2, [THUG, COWGIRL]), (1, [COWGIRL])])
def test_points_are_added_to_the_score(short, wanted):
    """SC10 `total`"""

    def wish(dice):
        one, other = dice.attack(THUG, 2).sum(0), dice.defence(THUG, 3).sum(0)
        return (one + short == other) & (dice.find(THUG) >= 4)

    game = position(wish, free={0: [THUG], 1: [COWGIRL]}, hands={0: [TWIN_GUNS]}, fight_bonus="total")
    assert game.attack(THUG, COWGIRL).window((0, TWIN_GUNS)).out == wanted


# Combat cards ---------------------------------------------------------------------------------------------------------


def test_the_order_in_a_window():
    """SC11: the attacker first, one card or a pass each, until both pass in a row: a pass is not final. SC12: any
    number, the two sides alone."""
    hands = {0: [TWIN_GUNS, BACK_UP, REVENGE], 1: [HARDWARE, TAR_PITS], 2: [78]}
    game = position(
        lambda dice: (dice.find(THUG) >= 4)
        & (dice.attack(THUG, 2 + 2 + 2 + 1).sum(0) > dice.defence(THUG, 2 + 2 + 1).sum(0)),
        free={0: [THUG], 1: [THIEF], 2: [DAME]}, hands=hands, seats=3,
    )  # fmt: skip
    game.attack(THUG, THIEF)
    assert game.asked == (FIND, 0)  # Revenge is for Find rolls too
    assert game.offered() == [REVENGE]
    game.window((0, PASS))
    assert game.asked == (FIGHT, 0)
    assert game.offered() == [TWIN_GUNS, BACK_UP, REVENGE]
    game.window((0, PASS))
    assert game.offered() == [HARDWARE, TAR_PITS]
    game.window((1, HARDWARE), (0, TWIN_GUNS), (1, PASS), (0, BACK_UP), (1, TAR_PITS), (0, REVENGE))
    assert game.out == [THIEF]
    assert game.hand(2) == [78]
    assert game.pile == sorted([TWIN_GUNS, BACK_UP, REVENGE, HARDWARE, TAR_PITS])
    assert game.secret.plays[:3].tolist() == [3, 2, 0]


def test_each_side_has_its_own_bonus():
    """SC11, SC12: the target's owner plays for its own fighter, who wins by that."""

    def wish(dice):
        one, other = dice.attack(THUG, 2).sum(0), dice.defence(THUG, 4)
        return (one > other[:2].sum(0)) & (one < other.sum(0)) & (dice.attack(THUG, 4).sum(0) > other.sum(0))

    def killed(*plays):
        game = position(wish, found(THUG), free={0: [THUG], 1: [THIEF]}, hands={0: [TWIN_GUNS], 1: [HARDWARE]})
        return game.attack(THUG, THIEF).window(*plays).out

    assert killed((0, PASS), (1, PASS)) == [THIEF]
    assert killed((0, PASS), (1, HARDWARE), (0, PASS)) == [THUG]
    assert killed((0, TWIN_GUNS), (1, HARDWARE)) == [THIEF]


def test_both_pass_in_a_row():
    """SC11"""
    game = position(wins(THUG, 2, 2), free={0: [THUG], 1: [THIEF]}, hands={0: [TWIN_GUNS], 1: [HARDWARE]})
    game.attack(THUG, THIEF).window((0, PASS), (1, PASS))
    assert game.out == [THIEF]


def test_a_side_without_cards_passes_unasked():
    """SC11"""
    game = position(
        lambda dice: (dice.find(THUG) >= 4) & (dice.attack(THUG, 2).sum(0) > dice.defence(THUG, 4).sum(0)),
        free={0: [THUG], 1: [THIEF]}, hands={0: [OLD_TOWN], 1: [HARDWARE, BACK_UP, KNOW]},
    )  # fmt: skip
    game.attack(THUG, THIEF).window((0, PASS))  # to find; the target's owner has no card against that
    game.window((1, HARDWARE), (1, PASS))
    assert game.out == [THIEF]


FINDS = {  # the roll, the attacker's cards, the target's, whether it is found
    "none": (3, [], [], False),
    "+1": (3, [REVENGE], [], True),
    "+2": (2, [OLD_TOWN], [], True),
    "+2, not enough": (1, [OLD_TOWN], [], False),
    "+2 and +1": (1, [OLD_TOWN, TAR_PITS], [], True),
    "+2 and +2, -2": (2, [OLD_TOWN, KNOW], [ON_THE_RUN], True),
    "-2": (5, [], [ON_THE_RUN], False),
    "-2, found all the same": (6, [], [ON_THE_RUN], True),
}


@pytest.mark.parametrize("case", FINDS)
def test_cards_on_a_find_roll(case):
    """SC11, SC13: find-2 is for the target's owner."""
    face, ours, theirs, finds = FINDS[case]
    game = position(
        find_roll(THUG, face), lambda dice: dice.attack(THUG, 2).sum(0) > dice.defence(THUG, 1).sum(0),
        free={0: [THUG], 1: [DAME]}, hands={0: ours, 1: theirs},
    )  # fmt: skip
    game.attack(THUG, DAME)
    while game.asked and game.asked[0] == FIND:
        game.answer(FIND, game.offered()[0], game.asked[1])
    assert (game.out == [DAME]) == finds
    assert game.pile == sorted(ours + theirs)


def test_cards_of_others_do_not_count():
    """SC11, SC13: the attacker may not play find-2, nor the target's owner find+2; no Fighting card to find."""
    hands = {0: [ON_THE_RUN, SCENE, TWIN_GUNS], 1: [OLD_TOWN, REVENGE, BEAT_UP]}
    game = position(find_roll(THUG, 1), free={0: [THUG], 1: [DAME]}, hands=hands)
    assert game.attack(THUG, DAME).asked is None


def test_the_owner_speaks_for_its_own_victim():
    """SC11"""
    hand = [OLD_TOWN, ON_THE_RUN, TWIN_GUNS, BACK_UP]
    game = position(
        find_roll(SOCIOPATH, 4), torture(DAME, 4),
        lambda dice: dice.attack(SOCIOPATH, 6).sum(0) > dice.defence(SOCIOPATH, 3).sum(0),
        free={0: [SOCIOPATH, DAME], 1: [MODEL]}, hands={0: hand, 1: [HARDWARE]},
    )  # fmt: skip
    game.attack(SOCIOPATH, DAME).window((0, OLD_TOWN))
    assert game.offered() == [ON_THE_RUN]
    game.window((0, ON_THE_RUN))
    assert game.asked == (FIGHT, 0)
    game.window((0, TWIN_GUNS))
    assert game.board.side == 1
    game.window((0, BACK_UP))
    assert game.held(0) == [DAME]
    assert game.board.owner[DAME] == 0
    assert game.hand(1) == [HARDWARE]


def test_the_bonus_of_investigation_and_cards():
    """SC22: spent before the Find window."""
    game = position(
        investigation(6), find_roll(THUG, 1), free={0: [STOOLIE, THUG], 1: [DAME]},
        hands={0: [REVENGE], 1: [ON_THE_RUN, HARDWARE]},
    )  # fmt: skip
    game.yes().attack(THUG, DAME).yes()
    assert game.asked == (FIND, 0)
    game.window((0, REVENGE))
    assert game.asked == (FIND, 1)
    game.window((1, PASS))
    assert game.asked == (FIGHT, 1)  # 1 + 2 + 1 is 4


# Law ------------------------------------------------------------------------------------------------------------------

LAWS = {  # the roll, the user's cards, the target's, whether the target is jailed
    "6": (6, [], [], True),
    "5": (5, [], [], False),
    "+2": (4, [SCENE], [], True),
    "+2, not enough": (3, [SCENE], [], False),
    "-2": (6, [], [BEAT_UP], False),
    "+2 and -2": (6, [SCENE], [BEAT_UP], True),
}


@pytest.mark.parametrize("case", LAWS)
def test_law(case):
    """SC17: no Find roll, a modified 6 discards the target; SC13: law-2 is for its owner."""
    face, ours, theirs, jailed = LAWS[case]
    game = position(law_roll(LAWYER, face), free={0: [LAWYER], 1: [THUG]}, hands={0: ours, 1: theirs})
    game.law(LAWYER, THUG)
    if ours:
        game.window((0, SCENE))
    if theirs:
        assert game.asked == (LAW, 1)
        game.window((1, BEAT_UP))
    assert game.pile == sorted(ours + theirs + [THUG] * jailed)
    assert game.free(1) == [THUG] * (not jailed)
    assert game.secret.lost[1] == jailed
    assert game.points(0) == 1


def test_cards_of_others_do_not_count_in_law():
    """SC13: the user may not play law-2, nor the target's owner law+2."""
    game = position(law_roll(LAWYER, 6), free={0: [LAWYER], 1: [THUG]}, hands={0: [BEAT_UP], 1: [SCENE, TWIN_GUNS]})
    assert game.law(LAWYER, THUG).pile == [THUG]


def test_who_may_use_law_on_whom():
    """SC17, SC18: anyone free with the trait, who cannot attack too, on any free opposing character; SC38."""
    free = {0: [LAWYER, SENATOR, ATTORNEY, THUG, DAME], 1: [SOCIOPATH, MOB_BOSS, GUARDS]}
    game = position(free=free, captives=[(SOCIOPATH, CROOKED_COP + 1, 0), (SOCIOPATH, MODEL, 1)])
    assert game.law_deeds() == {user: [GUARDS, SOCIOPATH, MOB_BOSS] for user in (ATTORNEY, SENATOR, LAWYER)}


def test_law_instead_of_the_attack():
    """SC17: once a turn, and not besides an attack."""
    game = position(law_roll(HONEST_COP, 1), free={0: [HONEST_COP], 1: [THUG]})
    assert game.deeds() == {HONEST_COP: [THUG]}
    assert game.law(HONEST_COP, THUG).turn_is_over()
    game = position(missed(HONEST_COP), free={0: [HONEST_COP], 1: [THUG]})
    assert game.attack(HONEST_COP, THUG).turn_is_over()


def test_jail_frees_captives():
    """SC39, SC41"""
    game = position(law_roll(LAWYER, 6), free={0: [LAWYER], 1: [SOCIOPATH]}, captives=[(SOCIOPATH, DAME, 0)])
    game.law(LAWYER, SOCIOPATH)
    assert (game.free(0), game.held(1), game.pile) == ([DAME, LAWYER], [], [SOCIOPATH])
    assert game.points(1) == 0  # no captive is left to be tortured


# Doctor, Tough, Hospital Stay -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("saves", [True, False])
def test_a_doctor_of_the_loser(saves):
    """SC25: saved is not killed, so nobody is rewarded. SC26: on a 6."""
    game = fight(wins, THUG, DAME, doctor(THUG, STREET_DOC, saves), others={1: [STREET_DOC]})
    assert game.free(1) == [DAME, STREET_DOC][1 - saves :]
    assert game.points(0) == 1 + (not saves)
    assert game.secret.lost[1] == (not saves)


def test_a_doctor_helps_the_attacker_too():
    """SC26"""
    game = fight(loses, THUG, COWGIRL, doctor(THUG, STREET_DOC, True, side=0), others={0: [STREET_DOC]})
    assert game.free(0) == [THUG, STREET_DOC]
    assert game.points(1) == 0


def test_each_doctor_gives_a_roll_itself_included():
    """SC26"""
    first, second = doctor(THUG, PSYCHIATRIST, False), doctor(THUG, STREET_DOC, True)
    game = fight(wins, THUG, DAME, first, second, others={1: [PSYCHIATRIST, STREET_DOC]})
    assert game.out == []
    game = position(wins(THUG, 2, 2), doctor(THUG, STREET_DOC, True), free={0: [THUG], 1: [STREET_DOC]})
    assert game.attack(THUG, STREET_DOC).free(1) == [STREET_DOC]


@pytest.mark.parametrize("where", ["with the opponent", "captive", "in hand"])
def test_doctors_that_do_not_help(where):
    """SC26, SC38: only free doctors of the owner."""
    dice = wins(THUG, 2, 1), doctor(THUG, STREET_DOC, True), torture(STREET_DOC, 4)
    free, hands = {0: [THUG, SOCIOPATH], 1: [DAME]}, {1: [STREET_DOC] if where == "in hand" else []}
    if where == "with the opponent":
        free[0] = [*free[0], STREET_DOC]
    captives = [(SOCIOPATH, STREET_DOC, 1)] if where == "captive" else []
    game = position(*dice, free=free, hands=hands, captives=captives)
    assert game.attack(THUG, DAME).out == [DAME]


@pytest.mark.parametrize("survives", [True, False])
def test_tough(survives):
    """SC25: killed (reward paid), but on 4+ to the discard pile instead of out of the game."""
    game = position(wins(COWGIRL, 3, 5), tough(BRUISER, survives), free={0: [COWGIRL], 1: [BRUISER]})
    game.attack(COWGIRL, BRUISER)
    assert (game.pile, game.out) == (([BRUISER], []) if survives else ([], [BRUISER]))
    assert game.points(0) == 1 + 2
    assert game.secret.lost[1] == 1
    assert game.free(1) == []


@pytest.mark.parametrize("survives", [True, False])
def test_hospital_stay_may_take_who_was_killed(survives):
    """SC27: Doctor, Tough, and then Hospital Stay, which may take a Tough survivor too. SC29: any player's."""
    dice = wins(COWGIRL, 3, 5), tough(BRUISER, survives)
    game = position(*dice, free={0: [COWGIRL], 1: [BRUISER]}, hands={0: [HOSPITAL]})
    game.attack(COWGIRL, BRUISER)
    assert game.asked == (SAVE, 0)
    assert game.board.dying == BRUISER
    assert game.points(0) == 3
    game.yes()
    assert (game.hand(0), game.pile, game.out) == ([BRUISER], [HOSPITAL], [])
    assert game.known(1, 0) == [BRUISER]  # everybody saw it


def test_no_hospital_stay_for_who_is_saved_by_a_doctor():
    """SC27"""
    game = fight(wins, THUG, DAME, doctor(THUG, STREET_DOC, True), others={1: [STREET_DOC]}, hands={1: [HOSPITAL]})
    assert game.asked is None
    assert game.hand(1) == [HOSPITAL]


def test_who_is_asked_for_hospital_stay():
    """SC29: in turn order from the killed card's owner, until one plays it; it is put into that player's hand."""
    kwargs = {
        "free": {2: [THUG], 0: [DAME, MODEL], 1: [NIECE]}, "seats": 3, "active": 2, "deck_copies": 2,
        "hands": {},
    }  # fmt: skip
    kwargs["free"] = {2: [2 * THUG], 0: [2 * DAME], 1: [2 * NIECE]}
    kwargs["hands"] = {1: [2 * HOSPITAL], 2: [2 * HOSPITAL + 1]}
    game = position(wins(2 * THUG, 2, 1), **kwargs).attack(2 * THUG, 2 * DAME)
    assert game.asked == (SAVE, 1)
    game.no()
    assert game.asked == (SAVE, 2)
    assert game.yes().hand(2) == [2 * DAME]
    assert game.pile == [2 * HOSPITAL + 1]
    assert game.hand(1) == [2 * HOSPITAL]
    game = position(wins(2 * THUG, 2, 1), **kwargs).attack(2 * THUG, 2 * DAME)
    game.yes()
    assert game.asked == (KILL, 2) or game.turn_is_over()
    assert game.hand(1) == [2 * DAME]
    assert game.hand(2) == [2 * HOSPITAL + 1]


def test_the_order_after_a_tie():
    """SC27: doctors, both rewards, victory; then Tough and Hospital Stay for the attacker, then for the defender."""
    game = position(
        ties(BRUISER, 5, 4), tough(BRUISER, True), free={0: [BRUISER], 1: [BOMBERS]}, hands={0: [HOSPITAL]},
    )  # fmt: skip
    game.attack(BRUISER, BOMBERS)
    assert game.points(1) == 2
    assert game.asked == (SAVE, 0)
    assert (game.board.dying, game.pile, game.out) == (BRUISER, [BRUISER], [BOMBERS])
    game.no()
    assert (game.asked, game.board.dying) == ((SAVE, 0), BOMBERS)
    assert game.yes().hand(0) == [BOMBERS]


def test_doctors_of_both_sides_in_a_tie():
    """SC27: the attacker's side has its dice, the defender's its own."""
    dice = ties(THUG, 2, 2), doctor(THUG, PSYCHIATRIST, True, side=0), doctor(THUG, STREET_DOC, False, side=1)
    game = position(*dice, free={0: [THUG, PSYCHIATRIST], 1: [THIEF, STREET_DOC]})
    game.attack(THUG, THIEF)
    assert game.out == [THIEF]
    assert game.secret.gained[KILLS, :2].tolist() == [1, 0]  # the saved one killed; nobody killed it


def test_victory_comes_before_tough_and_hospital_stay():
    """SC27, SC44"""
    game = position(wins(COWGIRL, 3, 5), tough(BRUISER, True), free={0: [COWGIRL], 1: [BRUISER]},
                    hands={1: [HOSPITAL]}, points=[97])  # fmt: skip
    game.attack(COWGIRL, BRUISER)
    assert game.result() == (0, KILLS, 1)
    assert (game.out, game.pile, game.hand(1)) == ([BRUISER], [], [HOSPITAL])


# Victory --------------------------------------------------------------------------------------------------------------


def test_two_reach_the_goal_together():
    """SC44: the active player comes first, then clockwise, whoever has more."""
    game = fight(ties, THUG, COWGIRL, points=[98, 99])
    assert (game.points(0), game.points(1)) == (100, 101)
    assert game.result() == (0, KILLS, 1)
    game = position(ties(THUG, 2, 3), free={1: [THUG], 0: [COWGIRL]}, points=[98, 98], active=1)
    assert game.attack(THUG, COWGIRL).result() == (1, KILLS, 1)
    dice = ties(THUG, 2, 3), torture(DAME, 4)
    game = position(*dice, free={2: [SOCIOPATH], 1: [KILLER]}, captives=[(SOCIOPATH, DAME, 0)], points=[0, 0, 99],
                    seats=3)  # fmt: skip
    assert game.result() == (2, TORTURE, 1)


def test_a_defender_may_win():
    """SC24, SC44"""
    assert fight(loses, THUG, COWGIRL, points=[0, 98]).result() == (1, KILLS, 1)
    assert fight(loses, THUG, COWGIRL, points=[0, 97]).turn_is_over()


def test_victory_by_torture():
    """SC33, SC44: checked after each roll, in order: the captors' owners clockwise from the active player."""
    free, captives = {0: [SOCIOPATH], 1: [KILLER]}, [(SOCIOPATH, DAME, 1), (KILLER, MODEL, 0)]
    dice = torture(DAME, 3), torture(MODEL, 4)
    assert position(*dice, free=free, captives=captives, points=[96, 99]).result() == (0, TORTURE, 1)
    game = position(*dice, free=free, captives=captives, points=[95, 99])
    assert game.result() == (1, TORTURE, 1)
    assert game.points(0) == 99
    game = position(*dice, free=free, captives=captives, points=[95, 99], active=1)
    assert game.result() == (1, SIN, 1)


def test_points_grow_beyond_the_goal():
    """SC44: reaching is enough."""
    game = fight(wins, POLICEMAN, DEALER, points=[95])
    assert game.points(0) == 106
    assert game.result() == (0, KILLS, 1)


@pytest.mark.parametrize(("points", "winner"), [([3, 5], 1), ([5, 5], -1), ([5, 3], 0)])
def test_max_turns(points, winner):
    """SC47: most points win; equal: nobody."""
    game = position(points=points, max_turns=2)
    game.next_turn()
    assert game.result() == (winner, TURNS, 2)


def test_results():
    """The columns: unfinished, who played what, and all by seat."""
    game = position(wins(THUG, 2, 1), hands={0: [THUG, FAVORS]}, free={1: [DAME]}, max_turns=1, deck=[])
    game.play(FAVORS).play(THUG).attack(THUG, DAME)
    rows = np.zeros((1, 1 + len(common.GAME.column_names(2, None))), np.int32)
    game.table.record(np.zeros(1, np.int32), rows)
    row = dict(zip(("winners", *common.GAME.column_names(2, None)), rows[0].tolist(), strict=True))
    assert {name: value for name, value in row.items() if value} == {
        "winners": 1, "turns": 1, "points_0": 2, "sinning_0": 1, "kills_0": 1, "lost_1": 1, "played_0": 2,
        "unfinished": 1, "ending": TURNS, "card_1": 1, "card_96": 1,
    }  # fmt: skip


# Torture --------------------------------------------------------------------------------------------------------------

TORTURES = {  # who, the roll, points of the captor's owner, where it is then
    **{f"victim {face}": (DAME, face, 1, "out") for face in (1, 2)},
    **{f"victim {face}": (DAME, face, 1, "held") for face in (3, 4, 5)},
    "victim 6": (DAME, 6, 0, "free"),
    "hero 1": (SOLDIER, 1, 1, "out"),  # 1 + 1
    **{f"hero {face}": (SOLDIER, face, 1, "held") for face in (2, 3, 4)},
    **{f"hero {face}": (SOLDIER, face, 0, "free") for face in (5, 6)},
}


@pytest.mark.parametrize("case", TORTURES)
def test_torture(case):
    """SC33, SC34: a hero has +1. SC37: it is free under its owner."""
    card, face, points, where = TORTURES[case]
    game = position(torture(card, face), free={0: [SOCIOPATH]}, captives=[(SOCIOPATH, card, 1)])
    assert game.secret.gained[TORTURE, 0] == points
    assert {"out": game.out, "held": game.held(0), "free": game.free(1)}[where] == [card]
    assert game.secret.lost[1] == (where == "out")


def test_torture_at_the_end_of_every_turn():
    """SC33 `every_turn`, `own_turn`"""
    dice = [torture(DAME, 4, turn=turn) for turn in range(3)]
    for knob, wanted in (("every_turn", [1, 2, 3]), ("own_turn", [0, 1, 1])):
        game = position(*dice, free={1: [SOCIOPATH]}, captives=[(SOCIOPATH, DAME, 0)], torture=knob)
        gained = [int(game.secret.gained[TORTURE, 1])]
        for _ in range(2):
            gained.append(int(game.next_turn().secret.gained[TORTURE, 1]))
        assert gained == wanted


def test_torture_is_last_of_all():
    """SC33: after the hand limit, and for whom the psychopath took in this turn."""
    game = position(wins(SOCIOPATH, 4, 1), torture(DAME, 3), free={0: [SOCIOPATH], 1: [DAME]}, hands={0: [77, 78]},
                    max_hand=1)  # fmt: skip
    game.attack(SOCIOPATH, DAME).window((0, PASS))
    assert game.asked == (DISCARD, 0)
    assert game.secret.gained[TORTURE, 0] == 0
    game.answer(DISCARD, 77)
    assert game.secret.gained[TORTURE, 0] == 1


def test_tough_and_doctor_in_torture():
    """SC33: Tough applies. SC28: Doctor does not."""
    captives = [(SOCIOPATH, BRUISER, 1)]
    free = {0: [SOCIOPATH, SINISTER_DOCTOR], 1: [STREET_DOC]}
    game = position(torture(BRUISER, 1), tough(BRUISER, True), free=free, captives=captives)
    assert (game.no_more().pile, game.out) == ([BRUISER], [])
    game = position(torture(BRUISER, 1), tough(BRUISER, False), free=free, captives=captives)
    assert game.no_more().out == [BRUISER]
    assert game.points(0) == 6 + 1


def test_hospital_stay_for_a_captive():
    """SC29, SC33: from the killed card's owner, who controlled it before it was captured."""
    game = position(
        torture(DAME, 1), free={0: [SOCIOPATH]}, captives=[(SOCIOPATH, DAME, 1)], hands={1: [HOSPITAL]},
    )  # fmt: skip
    assert game.asked == (SAVE, 1)
    assert game.points(0) == 4
    assert game.yes().hand(1) == [DAME]
    assert game.turn_is_over()


def test_one_captive_after_the_other():
    """SC33: by lowest id, and Hospital Stay in between."""
    captives = [(SOCIOPATH, MODEL, 1), (SOCIOPATH, DAME, 1), (KILLER, NIECE, 1)]
    dice = torture(DAME, 1), torture(MODEL, 4), torture(NIECE, 5)
    game = position(*dice, free={0: [SOCIOPATH, KILLER]}, captives=captives, hands={1: [HOSPITAL]})
    assert (game.asked, game.board.dying) == ((SAVE, 1), DAME)
    assert game.secret.gained[TORTURE, 0] == 1
    game.no()
    assert game.secret.gained[TORTURE, 0] == 3
    assert game.held(0) == [MODEL, NIECE]


# Captives -------------------------------------------------------------------------------------------------------------


def test_captives_cannot_do_or_suffer_anything():
    """SC38"""
    game = position(
        free={0: [THUG, LAWYER], 1: [SOCIOPATH, DEALER]}, captives=[(SOCIOPATH, DAME, 0), (SOCIOPATH, SOLDIER, 0)],
        hands={0: [COPS, SUICIDE, FRAMED, SEDUCTION]},
    )  # fmt: skip
    assert game.deeds() == {
        COPS: [THUG, DEALER, SOCIOPATH, LAWYER], SUICIDE: [THUG, SOCIOPATH, LAWYER], SEDUCTION: [DEALER, SOCIOPATH],
    }  # fmt: skip
    game.no_more()
    assert game.points(0) == 2
    assert set(game.deeds()) == {COPS, SUICIDE, SEDUCTION}  # the Thug has nobody to attack
    assert game.law_deeds() == {LAWYER: [DEALER, SOCIOPATH]}


LEAVES = {
    "killed in a fight": ("kill", "out"),
    "jailed": ("law", "pile"),
    "discarded": (COPS, "pile"),
    "killed by an event": (SUICIDE, "out"),
}


@pytest.mark.parametrize("how", LEAVES)
def test_captives_of_a_captor_that_leaves_play_are_free(how):
    """SC39, and only its own; they are free under their own owners (SC37)."""
    deed, where = LEAVES[how]
    captives = [(SOCIOPATH, DAME, 0), (SOCIOPATH, MODEL, 2), (KILLER, NIECE, 0)]
    game = position(
        wins(SOLDIER, 5, 4), law_roll(LAWYER, 6), torture(NIECE, 4),
        free={0: [SOLDIER, LAWYER], 1: [SOCIOPATH, KILLER]}, captives=captives, seats=3,
        hands={0: [deed] if isinstance(deed, int) else []},
    )  # fmt: skip
    if deed == "kill":
        game.attack(SOLDIER, SOCIOPATH)
    elif deed == "law":
        game.law(LAWYER, SOCIOPATH)
    else:
        game.play(deed, SOCIOPATH)
    assert game.free(0) == [DAME, SOLDIER, LAWYER]
    assert game.free(2) == [MODEL]
    assert game.held(1) == [NIECE]
    assert SOCIOPATH in {"out": game.out, "pile": game.pile}[where]


def test_a_captor_that_dies_in_a_tie_frees_its_captives():
    """SC31, SC39"""
    game = position(
        ties(SOCIOPATH, 4, 4), free={0: [SOCIOPATH], 1: [ATHLETE]}, captives=[(SOCIOPATH, DAME, 1)],
    )  # fmt: skip
    game.attack(SOCIOPATH, ATHLETE)
    assert game.free(1) == [DAME, ATHLETE]


def test_captives_go_along_with_a_seduced_captor():
    """SC39, SC45: also those of who seduces; the points are the new owner's."""
    captives = [(SOCIOPATH, DAME, 0), (SOCIOPATH, MODEL, 1), (KILLER, NIECE, 0)]
    game = position(
        torture(DAME, 3), torture(MODEL, 4), torture(NIECE, 3), torture(DAME, 6, turn=1), torture(MODEL, 6, turn=1),
        torture(NIECE, 5, turn=1), free={1: [SOCIOPATH, KILLER]}, captives=captives, hands={0: [SEDUCTION]},
    )  # fmt: skip
    game.play(SEDUCTION, SOCIOPATH)
    assert (game.free(0), game.free(1)) == ([SOCIOPATH], [KILLER])
    assert (game.held(0), game.held(1)) == ([DAME, MODEL], [NIECE])
    assert game.secret.gained[TORTURE, :2].tolist() == [2, 1]
    game.next_turn()
    assert (game.free(0), game.free(1)) == ([DAME, SOCIOPATH], [KILLER, MODEL])  # escaped (SC37)


def test_a_captor_saved_by_a_doctor_keeps_its_captives():
    """SC25, SC39"""
    game = position(
        wins(SOLDIER, 5, 3), doctor(SOLDIER, SINISTER_DOCTOR, True), torture(DAME, 4),
        free={0: [SOLDIER], 1: [SINISTER_DOCTOR]}, captives=[(SINISTER_DOCTOR, DAME, 0)],
    )  # fmt: skip
    game.attack(SOLDIER, SINISTER_DOCTOR)
    assert game.held(1) == [DAME]
    assert game.points(0) == 1


def test_a_character_freed_in_the_kill_phase_may_act():
    """SC37, SC48: in the same turn, unless it has acted."""
    game = position(free={0: [THUG], 1: [SOCIOPATH, THIEF]}, captives=[(SOCIOPATH, SOLDIER, 0)], hands={0: [COPS]})
    game.no_more().play(COPS, SOCIOPATH)
    assert game.deeds() == {THUG: [THIEF], SOLDIER: [THIEF]}
    game = position(loses(SOLDIER, 5, 4), free={0: [SOLDIER], 1: [SOCIOPATH, THIEF]}, hands={0: [COPS, PRISON]})
    game.no_more().attack(SOLDIER, SOCIOPATH).play(COPS, SOCIOPATH)
    assert game.free(0) == [SOLDIER]
    assert sorted(game.deeds()) == [PRISON]


# Events ---------------------------------------------------------------------------------------------------------------


def test_events_of_ones_own_turn():
    """SC13: in the Help Phase and in the Kill Phase, others are never played for themselves."""
    at_will = [FRIEND_CARD, COPS, PRISON, SEDUCTION, DEAD_COP, SUICIDE, EXECUTION, FRAMED, FAVORS]
    game = position(free={1: [SOLDIER]}, hands={0: range(74, 97)}, deck=[])
    assert sorted(game.deeds()) == at_will
    assert sorted(game.no_more().deeds()) == at_will


def test_events_need_a_target():
    """SC13b: any free character of the right kind, one's own included."""
    hand = [COPS, SEDUCTION, SUICIDE, FRAMED, FAVORS]
    assert position(hands={0: hand}).deeds() == {FAVORS: [-1]}
    game = position(hands={0: hand}, free={0: [SOLDIER, DEALER, DAME], 1: [POLICEMAN, MADAM, SOCIOPATH]})
    assert game.deeds() == {
        COPS: [DAME, POLICEMAN, SOLDIER, DEALER, MADAM, SOCIOPATH],
        SUICIDE: [DAME, POLICEMAN, SOLDIER, SOCIOPATH],  # no boss
        FRAMED: [POLICEMAN, SOLDIER],  # heroes
        SEDUCTION: [POLICEMAN, SOCIOPATH],  # SC6, SC45: opposing, and no second boss
        FAVORS: [-1],
    }


@pytest.mark.parametrize(("event", "target"), [(COPS, DAME), (PRISON, MADAM), (FRAMED, POLICEMAN)])
@pytest.mark.parametrize("own", [True, False])
def test_discards(event, target, own):
    """Cops Show Up, Prison, Framed: to the discard pile (SC41), the event after its effect."""
    seat = 0 if own else 1
    game = position(free={seat: [target]}, hands={0: [event], 1: [HOSPITAL]})
    game.play(event, target)
    assert game.pile == sorted([event, target])
    assert game.secret.lost[:2].tolist() == [own, not own]
    assert game.free(seat) == []
    assert game.hand(1) == [HOSPITAL]  # it is not killed


@pytest.mark.parametrize("event", [SUICIDE, EXECUTION])
def test_kills_by_events(event):
    """SC25b: Doctor, Tough and Hospital Stay work; nobody is rewarded."""
    game = position(tough(BRUISER, False), free={0: [THUG], 1: [BRUISER]}, hands={0: [event]})
    game.play(event, BRUISER)
    assert (game.out, game.pile) == ([BRUISER], [event])
    game = position(tough(BRUISER, True), free={1: [BRUISER]}, hands={0: [event]})
    assert game.play(event, BRUISER).pile == sorted([event, BRUISER])
    for saves in (True, False):
        game = position(doctor(event, STREET_DOC, saves, side=0), free={1: [DAME, STREET_DOC]}, hands={0: [event]})
        assert game.play(event, DAME).out == [DAME] * (not saves)
        assert game.free(1) == [DAME, STREET_DOC][1 - saves :]
    game = position(free={1: [DAME]}, hands={0: [event, HOSPITAL]})
    assert game.play(event, DAME).yes().hand(0) == [DAME]
    assert sum(game.secret.gained[KILLS].tolist()) == 0


def test_an_event_that_kills_twice_in_a_turn():
    """SC25b, SC26: the doctor rolls anew. Call in Favors brings the card back from the discard pile (SC41b)."""
    dice = doctor(SUICIDE, STREET_DOC, True, side=0), doctor(SUICIDE, STREET_DOC, False, side=0, nth=1)
    game = position(*dice, free={1: [DAME, STREET_DOC]}, hands={0: [SUICIDE, FAVORS]}, deck=[])
    game.play(SUICIDE, DAME).play(FAVORS)
    assert (game.hand(0), game.free(1)) == ([SUICIDE], [DAME, STREET_DOC])
    assert game.play(SUICIDE, DAME).out == [DAME]


def test_a_saved_character_may_be_played_again():
    """SC29: what Hospital Stay puts into the active hand in the Help Phase."""
    game = position(free={0: [DAME]}, hands={0: [SUICIDE, HOSPITAL]})
    game.play(SUICIDE, DAME).yes()
    assert game.deeds() == {DAME: [-1]}
    assert game.play(DAME).points(0) == 1


def test_a_look_for_a_friend():
    """SC46: an agent of one's choice from the deck, which is then shuffled."""
    deck = [DAME, BOMBERS, THUG, ASSASSIN, MODEL, NIECE, THIEF, COPS, COWGIRL]
    game = position(hands={0: [FRIEND_CARD]}, deck=deck)
    game.play(FRIEND_CARD)
    assert game.asked == (FRIEND, 0)
    assert game.offered() == [BOMBERS, COWGIRL, ASSASSIN]
    assert game.pile == []  # SC41b: after its effect
    game.answer(FRIEND, COWGIRL)
    assert game.hand(0) == [COWGIRL]
    assert sorted(game.deck()) == sorted(set(deck) - {COWGIRL})
    assert game.deck() != [card for card in deck if card != COWGIRL]
    assert game.pile == [FRIEND_CARD]
    assert game.secret.shuffles == 2


@pytest.mark.parametrize(("deck", "hand"), [([DAME, BOMBERS, THUG], [BOMBERS]), ([DAME, THUG], []), ([], [])])
def test_no_choice_of_friends(deck, hand):
    """SC46: nothing if there is none; SC41b: no reshuffle for a search."""
    game = position(hands={0: [FRIEND_CARD]}, deck=deck, pile=[ASSASSIN, COWGIRL])
    game.play(FRIEND_CARD)
    assert game.hand(0) == hand
    assert sorted(game.deck()) == sorted(set(deck) - set(hand))
    assert game.pile == [COWGIRL, ASSASSIN, FRIEND_CARD]


def test_draws_by_events():
    """Call in Favors: two cards; Dead Cop: two for everybody, the player first, then clockwise."""
    deck = [DAME, MODEL, NIECE, ASSISTANT, THUG, THIEF, COWGIRL]
    assert position(hands={0: [FAVORS]}, deck=deck).play(FAVORS).hand(0) == [DAME, MODEL]
    game = position(hands={1: [DEAD_COP]}, deck=deck, seats=3, active=1).play(DEAD_COP)
    assert [game.hand(seat) for seat in range(3)] == [[THUG, THIEF], [DAME, MODEL], [ASSISTANT, NIECE]]


def test_an_event_is_not_shuffled_into_its_own_draw():
    """SC41b: a played event reaches the discard pile after its effect."""
    game = position(hands={0: [FAVORS]}, deck=[DAME], pile=[MODEL])
    game.play(FAVORS)
    assert game.hand(0) == [DAME, MODEL]
    assert game.pile == [FAVORS]
    game = position(hands={0: [FAVORS]}, deck=[], pile=[])
    assert game.play(FAVORS).pile == [FAVORS]


def test_seduction():
    """SC45: for good. SC48: it may act in this turn, unless it has."""
    game = position(
        *(missed(THUG, turn=turn) for turn in range(3)), free={0: [DAME], 1: [THUG, THIEF]}, hands={0: [SEDUCTION]}
    )
    game.play(SEDUCTION, THUG)
    assert (game.free(0), game.free(1)) == ([DAME, THUG], [THIEF])
    assert game.points(0) == 2
    assert game.deeds() == {THUG: [THIEF]}
    assert game.secret.lost.tolist() == [0] * 6
    game.no_more().next_turn().no_more().next_turn()
    assert game.free(0) == [DAME, THUG]


def test_seduction_in_the_kill_phase():
    """SC13, SC48"""
    game = position(missed(HUGE_THUG), free={0: [HUGE_THUG], 1: [THUG, THIEF]}, hands={0: [SEDUCTION]})
    game.no_more().attack(HUGE_THUG, THUG).play(SEDUCTION, THUG)
    assert game.deeds() == {THUG: [THIEF]}
    assert game.points(0) == 1  # the Sin Phase was before


def test_a_boss_may_be_seduced_by_who_has_none():
    """SC6, SC45"""
    game = position(free={1: [DEALER, THUG]}, hands={0: [SEDUCTION]})
    assert game.deeds() == {SEDUCTION: [THUG, DEALER]}
    assert game.play(SEDUCTION, DEALER).points(0) == 2


# End Phase ------------------------------------------------------------------------------------------------------------


def test_the_hand_limit():
    """SC43: in one's own End Phase only, down to 7."""
    cards = [75, 76, 77, 78, 79, 80, 81, 82, 83]
    game = position(hands={0: cards, 1: range(84, 88)}, max_hand=7)
    game.answer(DISCARD, 80)
    assert game.offered() == [75, 76, 77, 78, 79, 81, 82, 83]
    game.answer(DISCARD, 75)
    assert game.pile == [75, 80]
    assert len(game.hand(0)) == 7
    game = position(hands={1: cards})
    assert game.turn_is_over()
    assert len(game.hand(1)) == 9


def test_a_hand_limit_of_none():
    """Knob `max_hand`"""
    game = position(hands={0: [75, 76]}, max_hand=0)
    assert game.answer(DISCARD, 76).turn_is_over()  # the last one is no choice
    assert game.hand(0) == []


# What a seat knows ---------------------------------------------------------------------------------------------------


def test_what_a_reshuffle_tells():
    """All other cards lie open, so everybody knows which are in hands."""
    hands = {0: [TWIN_GUNS], 1: [DAME, FAVORS], 2: [THUG]}
    game = position(hands=hands, free={0: [PHOTOGRAPHER]}, deck=[], pile=[MODEL, NIECE, COPS], seats=3, draw=1)
    assert common.cards_in(game.mine.away) == [DAME, THUG, FAVORS]
    assert not game.mine.known.any()


def test_what_a_search_tells():
    """Who looks through the deck knows what is in hands; if no agent is found, the others know of agents."""
    game = position(
        hands={0: [FRIEND_CARD, COPS], 1: [BOMBERS, DAME, TWIN_GUNS]}, free={1: [THUG]}, deck=[THIEF, MODEL]
    )
    game.play(FRIEND_CARD)
    assert common.cards_in(game.mine.away) == [DAME, BOMBERS, TWIN_GUNS]
    game = position(hands={0: [FRIEND_CARD, COWGIRL], 1: [BOMBERS, FAVORS]}, deck=[THIEF, MODEL])
    game.play(FRIEND_CARD).no_more().next_turn()
    assert game.asked == (HELP, 1)
    assert common.cards_in(game.mine.away) == [COWGIRL]
    game = position(hands={0: [FRIEND_CARD, COWGIRL], 1: [FAVORS]}, deck=[THIEF, BOMBERS, SILENT])
    game.play(FRIEND_CARD).answer(FRIEND, SILENT).no_more().next_turn()
    assert common.cards_in(game.mine.away) == []  # nobody else saw which it was


def test_a_shuffle_makes_void_what_was_seen():
    """SC21, SC46"""
    deck = [DAME, MODEL, NIECE, COWGIRL, TWIN_GUNS, OLD_TOWN]
    game = position(investigation(4, 3), free={0: [STOOLIE], 1: [THUG]}, hands={0: [FRIEND_CARD]}, deck=deck)
    game.no_more().yes()
    assert game.mine.next.tolist() == [DAME, MODEL, NIECE, -1, -1, -1]
    game.play(FRIEND_CARD)
    assert game.asked == (KILL, 0)
    assert game.mine.next.tolist() == [-1] * 6


SETTINGS = {
    "default": (["random", "schemer", "brawler"], {}),
    "two decks": (["random"] * 4, {"deck_copies": 2, "investigation": "each", "summoning_sickness": True}),
    "small hands": (["random", "schemer"] * 3, {"hand": 3, "max_hand": 2, "draw": 3, "torture": "own_turn"}),
    "quick": (["random", "random"], {"goal": 40, "attacks": "one", "help_limit": 1, "fight_score": "highest"}),
    "easy to find": (["random", "schemer", "random"], {"find_on": 1, "fight_bonus": "total", "draw": 5}),
}


@cache
def some_tables(name):
    """A match, and copies of its table at some asks. At each step on the way every card is in one place (`check`)."""
    lineup, knobs = SETTINGS[name]
    found, steps, lanes = [], [0], 5

    def watch(table, ask):
        common.check(table)
        steps[0] += 1
        if ask is not None and steps[0] % 7 == 0:
            found.append(table.copy())

    of = common.match(lineup, seed=9, **knobs)
    play(of, 0, lanes, lambda games, rows: None, lanes=lanes, watch=watch, rounds=20)
    return of, found


def answers_of(player, table):
    return answers(table, player.policy.function, player.weights, player.prepared).tolist()


def _once_compiled(name):
    """All policies are compiled anew for more than one deck, which takes half a minute."""
    return pytest.param(name, marks=[pytest.mark.full] if name == "two decks" else [])


@pytest.mark.parametrize("name", [_once_compiled(name) for name in SETTINGS])
def test_hidden_cards_change_no_view_and_no_answer(name):
    """Wherever the cards are that a seat does not know, it sees the same bits, and every policy answers alike."""
    of, tables = some_tables(name)
    knobs, moved = common.GAME.knobs(**SETTINGS[name][1]), 0
    players = [common.player(policy, knobs, of.setting.seats) for policy in common.GAME.policies]
    assert len(tables) > 4
    for number, table in enumerate(tables):
        other = determinize(table, number)
        common.check(other)
        assert (other.view.seat == table.view.seat).all()
        assert (other.view.kind == table.view.kind).all()
        assert (other.view.word == table.view.word).all()
        lanes = table.view.seat >= 0
        for one, new in ((table.view.board, other.view.board), (table.view.mine, other.view.mine)):
            for field in one.dtype.names:  # between them there may be bytes that nobody reads
                assert (one[field][lanes] == new[field][lanes]).all(), field
        for player in players:
            assert answers_of(player, other) == answers_of(player, table), player.title
        moved += bool((other.t.secret.deck != table.t.secret.deck).any())
    assert moved > len(tables) / 2


@pytest.mark.parametrize("name", SETTINGS)
def test_a_deal_anew_keeps_what_was_seen(name):
    """Investigation, draws from where it looked, Hospital Stay, searches, reshuffles: what is known stays so."""
    for number, table in enumerate(some_tables(name)[1]):
        other = determinize(table, number)
        for lane in np.flatnonzero(table.view.seat >= 0):
            old, new, mine = table.t.secret[lane], other.t.secret[lane], table.view.mine[lane]
            me, seats = int(old.seat), table.setting.seats
            assert (new.hand[me] == old.hand[me]).all()
            hands = [common.cards_in(new.hand[seat]) for seat in range(seats)]
            assert [len(hand) for hand in hands] == [len(common.cards_in(old.hand[seat])) for seat in range(seats)]
            for seat in range(seats):
                assert {*common.cards_in(mine.known[seat])} <= {*hands[seat]}
            assert {*common.cards_in(mine.away)} <= {card for s in range(seats) if s != me for card in hands[s]}
            seen = [card for card in mine.next.tolist() if card >= 0]
            assert new.deck[new.top :][: len(seen)].tolist() == seen


def test_a_deal_anew_is_fair():
    """The opponent holds the Dame, which was seen, and one card of four that were not: each equally often."""
    deck = [MODEL, NIECE, COPS]
    game = position(investigation(2), free={0: [PHOTOGRAPHER, HONEST_COP], 1: [GUARDS]}, hands={1: [DAME]}, deck=deck)
    game.yes()
    assert game.known(0, 1) == [DAME]
    game.secret.hand[1][0] |= 1 << THIEF  # as if drawn unseen
    game.board.out[0] &= ~(1 << THIEF)
    game.board.hand_size[1] = 2
    counts = dict.fromkeys([MODEL, NIECE, THIEF, COPS], 0)
    for word in range(400):
        other = determinize(game.table, word)
        hand = common.cards_in(other.t.secret[0].hand[1])
        assert DAME in hand
        counts[sum(hand) - DAME] += 1
    assert min(counts.values()) > 100 - 4.5 * (400 * 3 / 16) ** 0.5
    assert sum(counts.values()) == 400


# Who says what it always answers ------------------------------------------------------------------------------------


def test_who_always_passes_need_not_be_asked_and_nothing_else_changes():
    """Not in windows for cards before a roll; the words of luck of later decisions are the same."""
    of = common.match(["brawler", "schemer", "random", "builder"], seed=5)
    always = tuple(player.policy.always for player in of.players)

    def played(setting):
        asked, rows = Counter(), []

        def watch(table, ask):
            if ask is not None:
                asked.update((int(s), int(k)) for s, k in zip(ask.seat, ask.view.kind, strict=True) if s >= 0)

        def keep(games, found):
            rows.extend(zip(games.tolist(), found.tolist(), strict=True))

        play(replace(of, setting=setting), 0, 100, keep, watch=watch)
        return asked, sorted(rows)

    (asked, rows), (fewer, same) = played(of.setting), played(of.setting._replace(always=always))
    assert same == rows
    hushed = {(seat, int(window)) for seat in (0, 3) for window in (FIND, FIGHT, LAW)} | {(1, int(FIND)), (1, int(LAW))}
    assert hushed <= set(asked)
    assert fewer == {case: n for case, n in asked.items() if case not in hushed}
    unwatched = []
    play(of, 0, 100, lambda games, found: unwatched.extend(zip(games.tolist(), found.tolist(), strict=True)))
    assert sorted(unwatched) == rows


def test_a_policy_that_does_not_do_what_it_says_is_named():
    of = common.match(["brawler", "brawler"])
    liar = replace(of.players[0].policy, always={KILL: PASS})
    of = replace(of, players=(replace(of.players[0], title="liar", policy=liar), of.players[1]))
    with pytest.raises(IllegalAction, match=r"policy 'liar' of seat 0 answered \d+ in game \d+ .* always answers -1"):
        play(of, 0, 20, lambda games, rows: None, watch=lambda table, ask: None)


# Luck -----------------------------------------------------------------------------------------------------------------


def test_other_dice_do_not_move():
    """An attack more, a doctor's roll, an investigation: in the same game all other dice stay as they are."""

    def ends(number, more):
        free = {0: [THIEF, THUG, SOCIOPATH], 1: [COWGIRL], 2: [MODEL]}
        if more:
            free[0].append(STOOLIE)
            free[2].append(STREET_DOC)
        game = position(free=free, captives=[(SOCIOPATH, NIECE, 1)], hands={1: [HOSPITAL]}, seats=3, game=number,
                        deck=[DAME], pile=[75, 76, 77, 78, 79, 80])  # fmt: skip
        if more:
            game.yes().attack(THUG, MODEL)
            while game.asked == (SAVE, 1) or game.asked == (SPEND, 0):
                game.no()
        game.attack(THIEF, COWGIRL)
        while game.asked in ((SAVE, 1), (SPEND, 0)):
            game.no()
        if game.asked and game.asked[0] == KILL:
            game.no_more()
        while game.asked == (SAVE, 1):
            game.no()
        where = [[each in pile for each in (THIEF, COWGIRL, NIECE)] for pile in (game.out, game.held(0), game.free(1))]
        return where

    all_ends = [ends(number, False) for number in range(25)]
    assert all_ends == [ends(number, True) for number in range(25)]
    assert len({str(each) for each in all_ends}) > 4


@pytest.mark.parametrize("lineup", [["brawler"] * 2, ["schemer"] * 2, ["random"] * 2])
def test_line_ups_draw_the_same_cards(lineup):
    """Whoever plays, the deal, the start and the first draw are the same; the brawler's second draw too."""

    def hands(lineup):
        found = []

        def watch(table, ask):
            turn = int(table.t.board[0].turn)
            if ask is not None and ask.view.kind[0] == HELP and len(found) == turn:
                found.append(tuple(common.cards_in(table.t.secret[0].hand[ask.seat[0]])))

        play(common.match(lineup, max_turns=2), 5, 1, lambda games, rows: None, lanes=1, watch=watch)
        return found

    many = 1 if lineup[0] != "brawler" else 2
    assert hands(["builder"] * 2)[:many] == hands(lineup)[:many]


# Without the compiler -------------------------------------------------------------------------------------------------

SLOW = ("test_every_card_is_in_one_place", "test_hidden_cards_change", "test_a_deal_anew")


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="it is so already")
def test_positions_without_the_compiler():
    """Every position above; games that play themselves take too long."""
    others = " and ".join(f"not {name}" for name in (*SLOW, "test_positions_without"))
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", __file__, "-k", others],
        cwd=Path(__file__).parents[2], env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:]
