"""The naive version by itself: known answers of its luck, positions worked out by hand from the rulebook, and what must
hold in any game. That no card is ever lost or doubled is checked by the naive version, at every decision."""

import random

import pytest

from tests.sincity import naive
from tests.sincity.naive import Game, GameOver, ScriptedLuck

# Numbers of the cards met here
DAME, THUG, INVESTIGATOR, SERIAL_KILLER, PHOTOGRAPHER, BOMBERS, EXPLOSIVES = 0, 1, 2, 3, 6, 9, 10
OFFICER, CHAUFFEUR, EX_MILITARY, PSYCHIATRIST, MONEY_MAN, MILLIONAIRE, ATTORNEY = 13, 14, 15, 17, 19, 20, 21
TORTURER, CROOKED_COP, DETECTIVE, SINISTER_DOCTOR, DEALER, SECURITY, MADAM = 22, 24, 25, 27, 30, 33, 35
TRAFFICKING, CRIME_LORD, BRUISER, SILENT_ASSASSIN, SOCIOPATH, SENATOR, LAWYER, STREET_DOC = (
    46,
    49,
    50,
    52,
    61,
    63,
    65,
    66,
)
FRIEND, TWIN_GUNS, BACK_UP, REVENGE, OLD_TOWN, ON_THE_RUN, SCENE, BEAT_UP = 74, 75, 76, 81, 83, 85, 86, 87
COPS, SEDUCTION, DEAD_COP, HOSPITAL, SUICIDE, EXECUTION, FRAMED, FAVORS = 88, 90, 91, 92, 93, 94, 95, 96


def script(*wanted):
    """A policy that takes each option wanted, (kind, what, card, target), when that kind is asked next, and otherwise
    passes. Both sides of a window may be asked for in one script."""
    left = list(wanted)

    def policy(kind, seat, options, game):
        if not left or left[0][0] != kind:
            return 0
        return shown(options).index(tuple(left.pop(0)[1:]))

    return policy


def shown(options):
    """Options without Nones, cards as numbers."""
    return [tuple(part if isinstance(part, str) else part.number for part in option if part) for option in options]


def numbers(cards):
    return [card.number for card in cards]


def a_game(*lineup, luck=None, seats=2, **knobs):
    lineup = [*lineup, *["builder"] * (seats - len(lineup))]
    return Game(seats=seats, knobs={"draw": 0, **knobs}, lineup=lineup, luck=luck or ScriptedLuck())


def attack(kind, mine, theirs, luck, extra=(), other="builder", **position_and_knobs):
    """The Kill Phase in which seat 0's card `mine` acts on `theirs`."""
    places = {"hands", "areas", "captives", "points", "deck", "discard_pile"}
    position = {name: value for name, value in position_and_knobs.items() if name in places}
    knobs = {name: value for name, value in position_and_knobs.items() if name not in places}
    game = a_game(script(("KILL", kind, mine, theirs), *extra), other, luck=luck, **knobs)
    game.position(**{"areas": [[mine], [theirs]], **position})
    game.kill_phase()
    game.check()
    assert luck.spent()
    return game


# Luck -----------------------------------------------------------------------------------------------------------------


def test_known_answers_of_philox():
    """From the authors' Random123 test vectors (kat_vectors)."""
    ones = 2**32 - 1
    assert naive.philox((0,) * 4, (0,) * 2) == (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)
    assert naive.philox((ones,) * 4, (ones,) * 2) == (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)
    counter = (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344)
    assert naive.philox(counter, (0xA4093822, 0x299F31D0)) == (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1)


def test_dice_within_words():
    assert naive.faces_of(0) == [1, 1, 1]
    assert naive.faces_of(2**32 - 1) == [6, 6, 6]
    assert naive.faces_of(2**31) == [4, 1, 1]  # half of the word makes exactly three sixths
    assert naive.faces_of(615 * 2**32 // 6**4 + 1, 4) == [3, 6, 1, 4]  # 615 is 2503 in base 6
    luck = naive.Luck(2**63 + 5, 2**40 + 7)
    words = naive.philox((7, 2**8, naive.DEED_LUCK, 8 * (3 * 512 + 100) + 1), (5, 2**31))
    card = naive.Card(3, 1, "", "")
    assert card.number == 100
    faces = [face for word in words for face in naive.faces_of(word, 4)]
    assert luck.attack_dice(3, card, 15)[7:] == faces[:8]
    assert luck.defence_dice(3, card, 15)[7:] == faces[8:]


def test_coordinates():
    """Of a doctor, the most involved: event 93 is played for the tenth time in turn 2, and the second copy rolls."""
    luck, cards = naive.Luck(5, 7), naive.new_cards(2)
    words = naive.philox((7, 0, naive.DOCTOR_LUCK, 2 * (8 * (2 * 512 + SUICIDE) + 7)), (5, 0))
    dice = [face for word in words for face in naive.faces_of(word)]
    assert [luck.doctor(2, cards[SUICIDE], 9, 0, cards[97 + number]) for number in (17, 27, 66)] == dice[3:6]
    late = naive.philox((7, 0, naive.DEED_LUCK, 8 * (999_999 * 512 + 5) % 2**32), (5, 0))
    assert luck.attack_dice(999_999, cards[5], 5) == [*naive.faces_of(late[0], 4)[1:], *naive.faces_of(late[1], 2)]
    assert luck.defence_dice(999_999, cards[5], 1) == naive.faces_of(late[2], 2)[1:]
    assert luck.find(999_999, cards[5]) == luck.law(999_999, cards[5]) == naive.faces_of(late[0], 1)[0]


def test_a_shuffle_is_of_the_sorted_cards():
    cards = naive.new_cards(2)
    luck = naive.Luck(1, 2)
    once = luck.shuffled(3, cards)
    assert numbers(once) == numbers(luck.shuffled(3, reversed(cards)))
    assert sorted(numbers(once)) == list(range(194))
    assert numbers(once) != numbers(luck.shuffled(4, cards))
    assert numbers(luck.shuffled(0, cards[:1])) == [0]


def test_the_deck():
    kinds = [card.kind for card in naive.new_cards(1)]
    counts = {"victim": 27, "criminal": 15, "agent": 11, "hero": 9, "boss": 8, "psychopath": 4, "event": 23}
    assert {kind: kinds.count(kind) for kind in counts} == counts
    assert len(kinds) == 97
    doctors = [card.id for card in naive.new_cards(1) if "doctor" in card.traits]
    assert doctors == list(naive.DOCTORS)


def test_setting_up():
    game = Game(7, 8, 3, {"hand": 5, "opening_card": SENATOR, "opening_seat": 2})
    plain = Game(7, 8, 3, {"hand": 5})
    game.set_up()
    plain.set_up()
    assert [len(hand) for hand in game.hands] == [5, 5, 5]
    assert game.hands[2][0].id == SENATOR
    assert numbers(game.hands[0])[1:] == numbers(plain.hands[0])[1:]
    elsewhere = Game(7, 8, 2, {"hand": 5, "opening_card": SENATOR, "opening_seat": 2})
    elsewhere.set_up()
    assert numbers(elsewhere.hands[0]) == numbers(plain.hands[0])


# Options --------------------------------------------------------------------------------------------------------------


def test_options_of_the_help_phase():
    hands = [[COPS, BOMBERS, SEDUCTION, TWIN_GUNS, MADAM, FAVORS, HOSPITAL, FRAMED, SUICIDE]]
    areas = [[DEALER, THUG], [SENATOR, DAME]]
    game = a_game().position(hands=hands, areas=areas, captives=[])
    assert shown(game.help_options()) == [
        ("pass",),
        ("play", BOMBERS),  # no second boss, and neither reaction nor bonus nor, without a hero, Framed
        ("play", COPS, DAME),
        ("play", COPS, THUG),
        ("play", COPS, DEALER),
        ("play", COPS, SENATOR),
        ("play", SEDUCTION, DAME),
        ("play", SUICIDE, DAME),
        ("play", SUICIDE, THUG),
        ("play", FAVORS),
    ]


def test_options_of_the_kill_phase():
    areas = [[CROOKED_COP, CHAUFFEUR, SOCIOPATH, DAME, SENATOR], [OFFICER, MILLIONAIRE, THUG, PHOTOGRAPHER]]
    game = a_game().position(hands=[[FAVORS, BOMBERS]], areas=areas, captives=[(SOCIOPATH, 4, 1)])
    assert shown(game.kill_options()) == [
        ("pass",),
        ("attack", CROOKED_COP, THUG),
        ("attack", CROOKED_COP, PHOTOGRAPHER),
        ("attack", CROOKED_COP, OFFICER),
        ("law", CROOKED_COP, THUG),
        ("law", CROOKED_COP, PHOTOGRAPHER),
        ("law", CROOKED_COP, OFFICER),
        ("law", CROOKED_COP, MILLIONAIRE),
        ("attack", SOCIOPATH, DAME),
        ("attack", SOCIOPATH, PHOTOGRAPHER),
        ("law", SENATOR, THUG),
        ("law", SENATOR, PHOTOGRAPHER),
        ("law", SENATOR, OFFICER),
        ("law", SENATOR, MILLIONAIRE),
        ("play", FAVORS),
    ]


@pytest.mark.parametrize(("protector", "safe"), [(SECURITY, True), (THUG, True), (OFFICER, False), (DAME, False)])
def test_who_protects_a_boss(protector, safe):
    game = a_game().position(areas=[[EX_MILITARY], [MADAM, protector]])
    assert (("attack", EX_MILITARY, MADAM) in shown(game.kill_options())) != safe


def test_two_copies_are_in_the_order_of_their_ids():
    game = a_game(deck_copies=2).position(hands=[[THUG + 97, DAME + 97, INVESTIGATOR, DAME]])
    assert [option[1] for option in shown(game.help_options())[1:]] == [DAME, DAME + 97, THUG + 97, INVESTIGATOR]


def test_knobs_on_what_may_be_done():
    game = a_game(script(("HELP", "play", THUG)), help_limit=1).position(hands=[[THUG, BOMBERS, FAVORS]], deck=[])
    game.help_phase()
    assert shown(game.help_options()) == [("pass",), ("play", FAVORS)]
    areas = [[THUG, BOMBERS, ATTORNEY], [OFFICER]]
    acts = script(("KILL", "attack", THUG, OFFICER), ("KILL", "law", ATTORNEY, OFFICER))
    game = a_game(acts, luck=ScriptedLuck(find=[1], law=[5]), attacks="one").position(areas=areas)
    game.kill_phase()
    assert shown(game.kill_options()) == [("pass",)]
    assert game.decisions == [(0, 0, "KILL", 1, 5), (0, 0, "KILL", 1, 2)]


def test_summoning_sickness():
    """Who was just played neither scores, nor acts; it protects. A seduced one scores at once."""
    plays = [("HELP", "play", 52), ("HELP", "play", SECURITY), ("HELP", "play", 53), ("HELP", "play", SEDUCTION, 19)]
    game = a_game(script(*plays), summoning_sickness=True)
    game.position(hands=[[SILENT_ASSASSIN, SECURITY, 53, SEDUCTION]], areas=[[MADAM], [MONEY_MAN, THUG]])
    game.play_turn()
    assert game.points == [2 + 3, 0]
    assert game.is_protected(game.cards[MADAM])
    kinds = [decision[2] for decision in game.decisions]
    assert kinds == ["HELP"] * 4 + ["KILL"]  # no investigation
    assert game.decisions[-1] == (0, 0, "KILL", 0, 2)  # only the seduced may attack


# Rolls and windows ----------------------------------------------------------------------------------------------------


def test_a_failed_find_uses_up_the_attack():
    game = attack("attack", THUG, OFFICER, ScriptedLuck(find=[3]))
    assert shown(game.kill_options()) == [("pass",)]
    assert game.points == [0, 0]


def test_a_pass_is_not_final():
    """The attacker passes, sees On the Run, answers with Old Town, and after another pass Revenge: 4 - 2 + 2 + 1."""
    mine = script(("KILL", "attack", THUG, OFFICER), ("FIND", "pass"), ("FIND", "play", OLD_TOWN), ("FIND", "pass"))
    theirs = script(("FIND", "play", ON_THE_RUN))
    luck = ScriptedLuck(find=[4], attack=[[1, 2]], defence=[[1, 1]])
    game = a_game(mine, theirs, luck=luck)
    game.position(hands=[[OLD_TOWN, REVENGE], [ON_THE_RUN]], areas=[[THUG], [OFFICER]])
    game.kill_phase()
    wanted = [
        ("KILL", 0, 1, 2),
        ("FIND", 0, 0, 3),
        ("FIND", 1, 1, 2),
        ("FIND", 0, 2, 3),  # the defender has no card left, and passes without being asked
        ("FIND", 0, 0, 2),
        ("FIGHT", 0, 0, 2),
    ]
    assert [(kind, *rest) for _, _, kind, *rest in game.decisions] == [(k, o, n) for k, _, o, n in wanted]
    assert [decision[1] for decision in game.decisions] == [seat for _, seat, _, _ in wanted]
    assert game.points == [1, 0]
    assert numbers(game.out_of_the_game) == [OFFICER]
    assert sorted(numbers(game.discard_pile)) == [OLD_TOWN, ON_THE_RUN]


def test_the_owner_speaks_for_both_sides_of_its_own_victim():
    hands = [[OLD_TOWN, ON_THE_RUN, TWIN_GUNS, BACK_UP]]
    extra = [("FIND", "play", OLD_TOWN), ("FIND", "play", ON_THE_RUN)]
    extra += [("FIGHT", "play", BACK_UP), ("FIGHT", "play", TWIN_GUNS)]
    luck = ScriptedLuck(find=[4], attack=[[1] * 5], defence=[[1, 1, 2]])
    game = attack("attack", TORTURER, DAME, luck, extra, hands=hands, areas=[[TORTURER, DAME]])
    assert [decision[1:] for decision in game.decisions] == [
        (0, "KILL", 1, 2),
        (0, "FIND", 1, 2),
        (0, "FIND", 1, 2),
        (0, "FIGHT", 2, 3),
        (0, "FIGHT", 1, 2),
    ]
    assert numbers(game.cards[TORTURER].captives) == [DAME]
    assert game.captured == [1, 0]
    assert game.points == [0, 0]


@pytest.mark.parametrize(
    ("knobs", "attack_dice", "defence_dice"),
    [
        ({}, [1, 1, 1, 2], [1, 3]),  # 5 against 4
        ({"fight_score": "highest"}, [1, 1, 1, 3], [2, 1]),  # 3 against 2
        ({"fight_bonus": "total"}, [1, 2], [1, 3]),  # 3 + 2 against 4
        ({"fight_score": "highest", "fight_bonus": "total"}, [2, 1], [2, 3]),  # 2 + 2 against 3
    ],
)
def test_fights(knobs, attack_dice, defence_dice):
    luck = ScriptedLuck(find=[4], attack=[attack_dice], defence=[defence_dice])
    game = attack("attack", THUG, OFFICER, luck, [("FIGHT", "play", TWIN_GUNS)], hands=[[TWIN_GUNS]], **knobs)
    assert game.kills == game.points == [1, 0]
    assert game.lost == [0, 1]


def test_law():
    """5 + 2 - 2 is too little, 4 + 2 is enough. Neither Tough nor a protector helps against jail."""
    position = {"areas": [[ATTORNEY], [THUG, BRUISER, SENATOR]]}
    hands, plays = [[SCENE], [BEAT_UP]], [("LAW", "play", SCENE)]
    other = script(("LAW", "play", BEAT_UP))
    game = attack("law", ATTORNEY, BRUISER, ScriptedLuck(law=[5]), plays, other, hands=hands, **position)
    assert game.lost == [0, 0]
    assert sorted(numbers(game.discard_pile)) == [SCENE, BEAT_UP]
    for target in (BRUISER, SENATOR):
        game = attack("law", ATTORNEY, target, ScriptedLuck(law=[4]), plays, hands=hands[:1], **position)
        assert game.lost == [0, 1]
        assert sorted(numbers(game.discard_pile)) == [target, SCENE]
        assert game.points == [0, 0]


def test_investigation():
    """Two 5s and, under `each`, two bonuses, of which one roll gets at most one."""
    areas = [[PHOTOGRAPHER, THUG, BOMBERS], [OFFICER, DAME]]
    for investigation, rolls, asked in (("once", 1, 1), ("each", 2, 2)):
        acts = [("INVESTIGATE", "yes")] * rolls
        acts += [("KILL", "attack", THUG, DAME), ("SPEND", "yes"), ("KILL", "attack", BOMBERS, OFFICER)]
        luck = ScriptedLuck(investigate=[(5, 1), (6, 1)][:rolls], find=[1, 1])
        game = a_game(script(*acts), luck=luck, investigation=investigation)
        game.position(areas=[[*areas[0], 53], areas[1]])
        game.play_turn()
        assert [decision[2] for decision in game.decisions].count("SPEND") == asked
        assert luck.spent()


# Killing --------------------------------------------------------------------------------------------------------------


def test_a_hero_kills_a_boss():
    luck = ScriptedLuck(find=[4], attack=[[1, 1, 1, 1, 1]], defence=[[1, 1, 1]])
    game = attack("attack", EX_MILITARY, MADAM, luck)
    assert game.points == [10, 0]
    assert numbers(game.out_of_the_game) == [MADAM]


def test_a_tie_kills_and_pays_both():
    luck = ScriptedLuck(find=[4], attack=[[1, 1, 1, 1]], defence=[[2, 2]])
    game = attack("attack", BOMBERS, THUG, luck)
    assert game.kills == [2, 1]
    assert game.lost == [1, 1]
    assert numbers(game.out_of_the_game) == [BOMBERS, THUG]


def test_of_two_who_reach_the_goal_the_active_player_wins():
    luck = ScriptedLuck(find=[4], attack=[[1, 1, 1, 1]], defence=[[2, 2]])
    game = a_game("builder", script(("KILL", "attack", BOMBERS, THUG)), luck=luck, goal=20)
    game.position(areas=[[THUG], [BOMBERS]], points=[19, 18], active=1)
    with pytest.raises(GameOver):
        game.kill_phase()
    assert (game.winner, game.ending, game.points) == (1, naive.KILL, [20, 20])


def test_a_defender_can_win():
    luck = ScriptedLuck(find=[4], attack=[[1, 1]], defence=[[1, 1, 1, 1]])
    game = a_game(script(("KILL", "attack", THUG, BOMBERS)), luck=luck, goal=20)
    game.position(areas=[[THUG], [BOMBERS]], points=[19, 18])
    with pytest.raises(GameOver):
        game.kill_phase()
    assert (game.winner, game.ending) == (1, naive.KILL)


def test_a_psychopath_that_ties_dies_and_frees_its_captives():
    """The victim stays free and earns nothing; the older captive, a hero, is free under its owner."""
    luck = ScriptedLuck(find=[4], attack=[[1, 1, 1]], defence=[[3]])
    game = attack("attack", TORTURER, DAME, luck, captives=[(TORTURER, OFFICER, 1)])
    assert numbers(game.areas[1]) == [DAME, OFFICER]
    assert game.areas[0] == []
    assert game.points == [0, 0]
    assert game.lost == [1, 0]


def test_a_hero_beaten_by_a_psychopath_is_tortured():
    """It is captive, without a doctor's roll or a reward, and adds 1 on the table: a 5 frees it."""
    luck = ScriptedLuck(find=[4], attack=[[1] * 2], defence=[[1] * 3], torture=[2, 5, 1])
    game = a_game(script(("KILL", "attack", OFFICER, TORTURER)), luck=luck)
    game.position(areas=[[OFFICER, STREET_DOC], [TORTURER]])
    game.kill_phase()
    assert game.captured == [0, 1]
    game.torture()
    assert game.tortured == [0, 1]  # 2 + 1: tortured
    game.torture()
    assert numbers(game.areas[0]) == [STREET_DOC, OFFICER]
    game.capture(game.cards[OFFICER], game.cards[TORTURER])
    game.torture()
    assert game.points == [0, 2]
    assert game.lost == [1, 0]
    assert numbers(game.out_of_the_game) == [OFFICER]  # 1 + 1: killed
    assert luck.spent()


def test_a_doctor_saves_its_side_and_itself():
    """Sinister Doctor and Psychiatrist roll for the former. Its death in a tie with a hero would pay 10."""
    fight = {"find": [4], "attack": [[1, 1, 1, 1, 1]], "defence": [[1, 2, 2]]}
    areas = [[EX_MILITARY], [SINISTER_DOCTOR, PSYCHIATRIST]]
    saved = attack("attack", EX_MILITARY, SINISTER_DOCTOR, ScriptedLuck(**fight, doctor=[6, 5]), areas=areas)
    assert saved.lost == [1, 0]
    assert saved.points == [0, 0]
    dead = attack("attack", EX_MILITARY, SINISTER_DOCTOR, ScriptedLuck(**fight, doctor=[5, 5]), areas=areas)
    assert dead.lost == [1, 1]
    assert dead.points == [10, 0]


def test_tough_and_hospital_stay():
    """A tough hero killed by an agent: the reward is paid; it survives into the discard pile, whence it is fetched by
    the first who wants it, in order from its owner (seat 1), who is asked first and declines."""
    luck = ScriptedLuck(find=[4], attack=[[6] * 6], defence=[[1] * 5], tough=[4])
    mine = script(("KILL", "attack", SILENT_ASSASSIN, BRUISER), ("SAVE", "yes"))
    game = a_game(mine, "builder", luck=luck, seats=3, deck_copies=2)
    hands = [[HOSPITAL], [HOSPITAL + 97], []]
    game.position(hands=hands, areas=[[SILENT_ASSASSIN], [BRUISER]])
    game.kill_phase()
    assert [decision[1:] for decision in game.decisions] == [(0, "KILL", 1, 2), (1, "SAVE", 0, 2), (0, "SAVE", 1, 2)]
    assert numbers(game.hands[0]) == [BRUISER]
    assert numbers(game.discard_pile) == [HOSPITAL]
    assert game.points == [2, 0, 0]
    assert game.lost == [0, 1, 0]
    assert game.row()[f"card_{HOSPITAL}"] == 1


def test_suicide_rewards_nobody_and_knows_doctors():
    for doctor, lost in ((6, 0), (5, 1)):
        luck = ScriptedLuck(doctor=[doctor])
        game = a_game(script(("HELP", "play", SUICIDE, STREET_DOC)), luck=luck)
        game.position(hands=[[SUICIDE]], areas=[[THUG], [STREET_DOC]])
        game.help_phase()
        assert game.lost == [0, lost]
        assert game.points == [0, 0]
        assert numbers(game.discard_pile) == [SUICIDE]


# Captives, seduction, torture -----------------------------------------------------------------------------------------


def test_a_seduced_psychopath_brings_its_captives():
    """Torture goes on under the new owner, with seat 0 as active player before seat 1. Tough applies, and Hospital Stay
    as after any kill; no doctor."""
    luck = ScriptedLuck(torture=[1, 3, 6], tough=[3])
    plays = script(("HELP", "play", SEDUCTION, SOCIOPATH), ("SAVE", "yes"))
    game = a_game(plays, luck=luck)
    areas, hands = [[STREET_DOC], [SOCIOPATH, TORTURER]], [[SEDUCTION, HOSPITAL], []]
    game.position(hands=hands, areas=areas, captives=[(SOCIOPATH, BRUISER, 0), (SOCIOPATH, 54, 1), (TORTURER, 4, 0)])
    game.play_turn()
    assert numbers(game.areas[0]) == [STREET_DOC, SOCIOPATH, 4]
    assert game.sinning == [1 + 3, 0]
    assert game.tortured == [2, 0]  # killed 1 + 1; tortured
    assert numbers(game.hands[0]) == [BRUISER]
    assert game.lost == [1, 0]
    assert luck.spent()


@pytest.mark.parametrize(("torture", "tortured"), [("every_turn", [1, 2]), ("own_turn", [0, 2])])
def test_whose_captives_are_tortured(torture, tortured):
    luck = ScriptedLuck(torture=[3] * sum(tortured))
    game = a_game(luck=luck, torture=torture)
    areas = [[SOCIOPATH], [TORTURER]]
    game.position(areas=areas, captives=[(SOCIOPATH, 4, 1), (TORTURER, 5, 0), (TORTURER, 7, 0)], active=1)
    game.torture()
    assert game.tortured == tortured


def test_victory_after_each_torture_roll():
    """Seat 1 is active, so its captives come first, and the one point that it lacks ends the game."""
    luck = ScriptedLuck(torture=[3])
    game = a_game(luck=luck, goal=10)
    game.position(
        areas=[[SOCIOPATH], [TORTURER]], captives=[(SOCIOPATH, 4, 1), (TORTURER, 5, 0)], points=[9, 9], active=1
    )
    with pytest.raises(GameOver):
        game.torture()
    assert (game.winner, game.ending, game.points) == (1, naive.TORTURE, [9, 10])


def test_an_own_captor_may_be_discarded():
    """One's own characters are legal targets: the captive is free, and acts in the same phase."""
    acts = script(("KILL", "play", COPS, TORTURER), ("KILL", "law", LAWYER, THUG))
    game = a_game(acts, luck=ScriptedLuck(law=[6]), summoning_sickness=True)
    game.position(hands=[[COPS]], areas=[[TORTURER], [THUG]], captives=[(TORTURER, LAWYER, 0)])
    game.kill_phase()
    assert sorted(numbers(game.discard_pile)) == [THUG, TORTURER, COPS]
    assert numbers(game.areas[0]) == [LAWYER]
    assert game.lost == [1, 1]


# Cards and the deck ---------------------------------------------------------------------------------------------------


def test_a_reshuffle_is_without_the_event_being_played():
    game = a_game(script(("HELP", "play", FAVORS))).position(
        hands=[[FAVORS]], deck=[DAME], discard_pile=[THUG, OFFICER]
    )
    game.help_phase()
    assert game.hands[0][0].id == DAME
    assert game.hands[0][1].id in (THUG, OFFICER)
    assert len(game.deck) == 1
    assert numbers(game.discard_pile) == [FAVORS]
    assert game.shuffles == 1


def test_no_card_is_drawn_where_none_is_left():
    game = a_game(script(("HELP", "play", DEAD_COP))).position(hands=[[DEAD_COP]], deck=[DAME, THUG, OFFICER])
    game.help_phase()
    assert [numbers(hand) for hand in game.hands] == [[DAME, THUG], [OFFICER]]
    assert game.shuffles == 0


def test_friend():
    plays = script(("HELP", "play", FRIEND), ("FRIEND", "take", EXPLOSIVES))
    game = a_game(plays).position(hands=[[FRIEND]], deck=[EXPLOSIVES, DAME, BOMBERS])
    game.help_phase()
    assert game.decisions == [(0, 0, "HELP", 1, 2), (0, 0, "FRIEND", 1, 2), (0, 0, "HELP", 0, 2)]
    assert numbers(game.hands[0]) == [EXPLOSIVES]
    for deck, hand in (([EXPLOSIVES, DAME], [EXPLOSIVES]), ([DAME], [])):
        game = a_game(script(("HELP", "play", FRIEND))).position(hands=[[FRIEND]], deck=deck)
        game.help_phase()
        assert [decision[2] for decision in game.decisions] == ["HELP"] * (1 + len(hand))
        assert numbers(game.hands[0]) == hand
        assert game.shuffles == 1


# Baselines ------------------------------------------------------------------------------------------------------------


def chosen(policy, kind, options, seat=0, game=None):
    number = naive.BASELINES[policy](kind, seat, options, game)
    return shown(options)[number]


def test_builder_plays_its_best_boss_in_the_order_of_ids():
    game = a_game("builder").position(hands=[[MADAM, CRIME_LORD, TRAFFICKING, SECURITY, SOCIOPATH, FAVORS, DAME]])
    game.help_phase()
    assert numbers(game.areas[0]) == [DAME, SECURITY, TRAFFICKING, SOCIOPATH]
    assert sorted(numbers(game.hands[0])) == [MADAM, CRIME_LORD, FAVORS]
    game.kill_phase()
    assert game.decisions[-1][2:4] == ("KILL", 0)


@pytest.mark.parametrize(
    ("policy", "order"),
    [
        ("brawler", [TWIN_GUNS, REVENGE, HOSPITAL, FAVORS, DAME, THUG, MONEY_MAN]),
        ("schemer", [REVENGE, HOSPITAL, TWIN_GUNS, FAVORS, DAME, THUG, MONEY_MAN]),
    ],
)
def test_what_is_discarded_first(policy, order):
    game = a_game(policy, max_hand=0).position(hands=[sorted(order)])
    game.hand_limit()
    assert numbers(game.discard_pile) == order
    assert len(game.decisions) == len(order) - 1


def test_brawler():
    """The lowest id acts: it attacks the highest Sin, of two alike the weaker, and uses law only without a target."""
    areas = [[CROOKED_COP, TORTURER, DAME, LAWYER], [MONEY_MAN, 42, CHAUFFEUR]]
    game = a_game("brawler").position(areas=areas)
    assert chosen("brawler", "KILL", game.kill_options()) == ("attack", CROOKED_COP, MONEY_MAN)
    game.cards[CROOKED_COP].acted = True  # Torturer has only its own Dame and Lawyer to attack
    assert chosen("brawler", "KILL", game.kill_options()) == ("law", LAWYER, MONEY_MAN)
    game = a_game("brawler").position(areas=[[EX_MILITARY], [THUG, BOMBERS, 28]])
    assert chosen("brawler", "KILL", game.kill_options()) == ("attack", EX_MILITARY, THUG)


def test_schemer_plays_its_events_at_the_start_of_the_kill_phase_only():
    """Framed has no opposing hero. Suicide takes the highest Sin and of those the strongest."""
    game = a_game("schemer").position(hands=[[FRAMED, SUICIDE]], areas=[[OFFICER, THUG], [34, 42, CROOKED_COP, MADAM]])
    options = game.kill_options()
    assert chosen("schemer", "KILL", options, game=game) == ("play", SUICIDE, CROOKED_COP)
    game.killing_begun = True
    assert chosen("schemer", "KILL", options, game=game) == ("attack", THUG, 34)


def test_schemer_in_the_help_phase_and_in_a_fight():
    """Call in Favors brings Friend, with which it takes the strongest agent; then it plays characters. In its fight it
    plays one of its two bonuses, and so does the defender."""
    luck = ScriptedLuck(find=[4], attack=[[1] * 8], defence=[[1] * 4])
    game = a_game("schemer", "schemer", luck=luck)
    deck = [FRIEND, BACK_UP, BOMBERS, SILENT_ASSASSIN]
    game.position(hands=[[FAVORS, TWIN_GUNS], [77, 78]], areas=[[], [OFFICER]], deck=deck)
    game.play_turn()
    assert game.first_played_by == {FAVORS: 0, FRIEND: 0, SILENT_ASSASSIN: 0, TWIN_GUNS: 0, 77: 1}
    assert game.points == [1 + 2, 0]
    assert luck.spent()


# Games ----------------------------------------------------------------------------------------------------------------

OPTIONS = {
    "deck_copies": (1, 1, 1, 2, 4),
    "help_limit": (0, 0, 1, 3),
    "summoning_sickness": (False, True),
    "attacks": ("each", "one"),
    "fight_score": ("sum", "highest"),
    "fight_bonus": ("dice", "total"),
    "investigation": ("once", "each"),
    "torture": ("every_turn", "own_turn"),
    "goal": (1, 30, 100, 100, 300),
    "max_turns": (1, 20, 60),
    "hand": (1, 7, 15),
    "draw": (0, 2, 2, 10),
    "max_hand": (0, 7, 7, 30),
    "find_on": (1, 4, 7),
    "hero_bounty": (0, 10, 50),
    "opening_card": (-1, SENATOR),
    "opening_seat": (0, 5),
}


def test_any_game():
    """Of settings drawn at random: points are of three sources, and the winner has what the ending says."""
    kinds, endings = set(), set()
    for number in range(40):
        rng = random.Random(number)
        knobs = {name: rng.choice(values) for name, values in OPTIONS.items()}
        seats = rng.randrange(2, 7)
        lineup = [rng.choice(("builder", "brawler", "schemer", "random", "random")) for _ in range(seats)]
        row, decisions = naive.play(rng.randrange(2**64), rng.randrange(2**64), seats, knobs, lineup)
        points = [row[f"points_{seat}"] for seat in range(seats)]
        for seat in range(seats):
            assert points[seat] == sum(row[f"{source}_{seat}"] for source in ("sinning", "kills", "torture"))
        assert row["unfinished"] == (row["ending"] == naive.TURNS) == (max(points) < knobs["goal"])
        if row["unfinished"]:
            assert row["turns"] == knobs["max_turns"]
            assert (row["winner"] < 0) == (points.count(max(points)) > 1)
        assert row["winner"] < 0 or points[row["winner"]] >= min(knobs["goal"], max(points))
        assert len(row) == 3 + 7 * seats + 2 + 97
        kinds |= {decision[2] for decision in decisions}
        endings.add(row["ending"])
    wanted = {"INVESTIGATE", "HELP", "FRIEND", "KILL", "SPEND", "FIND", "FIGHT", "LAW", "SAVE", "DISCARD"}
    assert kinds == wanted
    assert endings >= {naive.SINNING, naive.KILL, naive.TURNS}


def test_the_same_game_again():
    lineup = ["random", "schemer", "brawler"]
    assert naive.play(3, 4, 3, {}, lineup) == naive.play(3, 4, 3, {}, lineup)
    assert naive.play(3, 4, 3, {}, lineup) != naive.play(3, 5, 3, {}, lineup)


def test_games_that_there_are_not():
    for seats, knobs, lineup in (
        (1, {}, []),
        (7, {}, []),
        (2, {"gaol": 3}, []),
        (2, {}, ["random"]),
        (6, {"hand": 17}, []),
    ):
        with pytest.raises(ValueError, match=r"seats|unknown|not a game|exceed"):
            Game(0, 0, seats, knobs, lineup)
