"""Positions worked out by hand from the rulebook and the rulings, whose ids stand at each."""

import json
from pathlib import Path

import numpy as np
import pytest
from ruamel.yaml import YAML

from sims.core.records import OVER, RESTING
from sims.core.rng import choice, words
from sims.vengeance import GAME, state
from sims.vengeance.state import (
    BUY,
    BY_DICE,
    BY_ITSELF,
    BY_PLUS,
    BY_RECON,
    DECLINE,
    DONE,
    EFFECT,
    ENDURE,
    EXTRA,
    FIGHT,
    HEAL,
    HEALING_DIE,
    ITEM,
    LOOT,
    LOOT_DIE,
    MARK,
    MARK_SPACE,
    PREP,
    PURCHASE,
    PURCHASE_DIE,
    RECON,
    RECON_DIE,
    ROLL,
    STOP,
    TAKE_LOOT,
    TARGET,
    TRAIN,
    TRAINING_DIE,
    USE,
    action_of,
    assign_of,
    throw_of,
)
from sims.vengeance.state import (
    CLEAR as CLEARING,
)
from tests.vengeance.common import (
    ALL,
    BLOCKER,
    BOSS,
    BOX,
    CLEAR,
    EVADE,
    GATE,
    GRIT,
    GRUNT,
    GUARD,
    GUNMAN,
    HALL,
    HEALTH_5,
    HENCHMAN,
    HIT_BOSS,
    JUMP,
    KILL,
    KILL_2,
    KILL_ADJACENT,
    LAIR,
    LEAP,
    LEFT,
    ONCE,
    RIGHT,
    START_TILE,
    TOUGH,
    VISIT_4,
    VISIT_ADJACENT,
    Position,
    mask,
)

DASH, PUNCH, FIRE, CHARGE = range(4)
BASICS = 15


def use(ability, mode=BY_DICE):
    return action_of(USE, ability, mode)


def at(target):
    return action_of(TARGET, target)


def mark(objective):
    return action_of(MARK, objective)


def item(number):
    return action_of(ITEM, number)


done = decline = action_of(DECLINE)


def without(*dead):
    return ALL & ~mask(*dead)


# Moving


def test_a_move_goes_next_door_and_visits():
    game = Position().fights(sets={DASH: 1}).do(use(DASH))
    assert game.kind == EFFECT
    assert game.mine.targets == mask(HALL)
    game.do(at(HALL))
    assert game.player().room == HALL
    assert game.player().visited == mask(GATE, HALL)  # VR30: the entry is visited from the start


def test_an_active_blocker_stops_moves_and_so_the_rest_of_a_charge():
    """VR20: Charge moves first, so it cannot be used at all next to a Blocker (VX6)."""
    game = Position().fights(room=HALL, sets={DASH: 1, CHARGE: 1, PUNCH: 1})
    assert game.mine.use[BY_DICE] == mask(PUNCH)


@pytest.mark.parametrize("away", [{"living": without(BLOCKER)}, {"evaded": mask(BLOCKER)}])
def test_a_dead_or_evaded_blocker_stops_nobody(away):
    game = Position().fights(room=HALL, sets={DASH: 1}, **away)
    assert game.do(use(DASH)).mine.targets == mask(GATE, LEFT, RIGHT)


def test_a_blocker_next_door_does_not_stop():
    assert Position().fights(sets={DASH: 1}).mine.use[BY_DICE] == mask(DASH)


def test_a_charge_moves_and_then_hits_there():
    game = Position().fights(sets={CHARGE: 1}).do(use(CHARGE), at(HALL))
    assert game.mine.targets == mask(BLOCKER, GRUNT)
    game.do(at(GRUNT))
    assert game.player().living == without(GRUNT)


def test_a_declined_effect_ends_the_ability():
    """VR21"""
    game = Position().fights(sets={CHARGE: 1, PUNCH: 1}).do(use(CHARGE), decline)
    assert game.player().room == GATE
    assert game.player().sets.sum() == 1


def test_a_jump_passes_one_room_and_does_not_visit_it():
    """VR32: gate to left or right, over the hall, whose Blocker does not matter."""
    game = Position().fights(sets={JUMP: 1}, owned=BASICS | mask(JUMP)).do(use(JUMP))
    assert game.mine.targets == mask(LEFT, RIGHT)
    game.do(at(LEFT))
    assert game.player().visited == mask(GATE, LEFT)


def test_a_jump_2_passes_one_room_or_two():
    """From the gate over the hall, and over left or right to the lair; no room twice."""
    game = Position().fights(sets={LEAP: 1}, owned=BASICS | mask(LEAP)).do(use(LEAP))
    assert game.mine.targets == mask(LEFT, RIGHT, LAIR)


@pytest.mark.parametrize(("knob", "found"), [(True, 0), (False, mask(JUMP))])
def test_whether_a_blocker_stops_jumps(knob, found):
    """VR22. From the hall a jump over left or right reaches the lair, and no other room."""
    game = Position(jump_blocked=knob).fights(room=HALL, sets={JUMP: 1, PUNCH: 1}, owned=BASICS | mask(JUMP))
    assert game.mine.use[BY_DICE] == found | mask(PUNCH)
    if found:
        assert game.do(use(JUMP)).mine.targets == mask(LAIR)


def test_sneaking_past_a_blocker_is_for_one_move():
    """Bob's tile: sneak, move, move. In the hall the first is free, and from the left nothing holds."""
    game = Position(hero=1).fights(room=HALL, owned=BASICS | mask(9)).do(use(9, BY_ITSELF), at(0), at(LEFT))
    assert game.player().sneak == 0
    assert game.mine.targets == mask(HALL, LAIR)
    game.do(at(HALL))
    assert game.player().room == HALL


# Damage


def test_a_tough_guy_takes_two_hits_of_any_abilities():
    game = Position().fights(room=LEFT, sets={PUNCH: 2}).do(use(PUNCH), at(TOUGH))
    assert game.player().living == ALL
    assert game.player().dot1 == mask(TOUGH)
    game.do(use(PUNCH), at(TOUGH))
    assert game.player().living == without(TOUGH)
    assert game.player().kills.tolist() == [0, 1, 0, 0, 0]


def test_dots_go_at_the_end_of_the_fighting_phase():
    """VR26"""
    game = Position().fights(room=LEFT, sets={PUNCH: 1}).do(use(PUNCH), at(TOUGH))
    assert game.player().dot1 == 0  # there was nothing left to do
    assert game.player().living == ALL


def test_a_punch_with_a_hit_plus_hits_twice_each_whom_it_likes():
    """VR29"""
    game = Position().fights(room=HALL, plus={PUNCH: 1}).do(use(PUNCH, BY_PLUS), at(GRUNT))
    assert game.kind == EFFECT
    game.do(at(BLOCKER))
    assert game.player().living == without(GRUNT, BLOCKER)


def test_a_punch_by_recon_hits_once():
    """VR63"""
    game = Position().fights(room=HALL, recon=mask(PUNCH), sets={DASH: 1}).do(use(PUNCH, BY_RECON), at(BLOCKER))
    assert game.kind == FIGHT
    assert game.player().recon == 0


def test_a_shot_goes_next_door_alone():
    game = Position().fights(room=HALL, sets={FIRE: 1}).do(use(FIRE))
    assert game.mine.targets == mask(TOUGH, HENCHMAN, GUNMAN)


def test_close_fire_reaches_the_own_room_too():
    game = Position().fights(room=HALL, sets={FIRE: 1}, always={state.CLOSE_FIRE: 1}).do(use(FIRE))
    assert game.mine.targets == mask(BLOCKER, GRUNT, TOUGH, HENCHMAN, GUNMAN)


def test_shots_of_one_item_may_go_to_different_rooms():
    game = Position().fights(room=HALL, bought={1: 1}).do(item(1), at(TOUGH), at(GUNMAN))
    assert game.player().living == without(GUNMAN)


def test_power_adds_to_the_next_damage():
    """Two damage at once kill a Tough Guy."""
    game = Position().fights(room=LEFT, bought={2: 1}).do(item(2), at(0), at(TOUGH))
    assert game.player().living == without(TOUGH)


@pytest.mark.parametrize("gain", ["power", "sneak", "pierce", "shield"])
def test_what_adds_up_may_be_more_than_a_byte_counts(gain):
    """A hundred dice on tiles of one die, eight gains each: 800."""
    p = Position().put(**{gain: 800}).player()
    assert getattr(p, gain) == 800


def test_evaded_minions_can_be_damaged():
    game = Position().fights(room=HALL, sets={PUNCH: 1}, evaded=mask(GRUNT)).do(use(PUNCH))
    assert game.mine.targets == mask(BLOCKER, GRUNT)


# The boss


def test_an_active_grunt_in_its_room_protects_the_boss():
    game = Position().fights(room=LAIR, sets={PUNCH: 1}).do(use(PUNCH))
    assert game.mine.targets == mask(GUARD)


@pytest.mark.parametrize("away", [{"living": without(GUARD)}, {"evaded": mask(GUARD)}])
def test_without_an_active_grunt_it_can_be_damaged(away):
    """VR23. Grunts elsewhere do not matter."""
    game = Position().fights(room=LAIR, plus={PUNCH: 1}, **away).do(use(PUNCH, BY_PLUS), at(BOSS), at(BOSS))
    assert game.player().damage == 2
    assert game.player().living & mask(BOSS) == 0


def test_pierce_strikes_past_the_grunts():
    game = Position(hero=1).fights(room=LAIR, owned=BASICS | mask(8)).do(use(8, BY_ITSELF), at(0))
    assert game.mine.targets == mask(GUARD, BOSS)
    game.do(at(BOSS))
    assert game.player().damage == 1
    assert game.player().pierce == 0


def test_armour_ignores_the_first_damage_of_a_round():
    """Boss 2: of two Punches with two Hits each the first Hit is lost."""
    game = Position(boss=2).fights(room=LAIR, living=without(GUARD), plus={PUNCH: 2})
    game.do(use(PUNCH, BY_PLUS), at(BOSS), at(BOSS))
    assert game.player().damage == 1
    game.do(use(PUNCH, BY_PLUS), at(BOSS), at(BOSS))
    assert game.player().damage == 3


def test_damage_beyond_its_health_is_ignored():
    game = Position().fights(room=LAIR, living=without(GUARD), damage=1, power=5, sets={PUNCH: 1})
    game.do(use(PUNCH), at(BOSS))
    assert game.player().damage == 2


@pytest.mark.parametrize(("boss", "found"), [(0, mask(BLOCKER, GRUNT, BOSS)), (3, mask(BLOCKER, GRUNT))])
def test_shots_at_the_boss_from_next_door(boss, found):
    """Boss 3 cannot be shot."""
    game = Position(boss=boss).fights(room=LEFT, living=without(GUARD), sets={FIRE: 1}).do(use(FIRE))
    assert game.mine.targets == found


@pytest.mark.parametrize(("boss", "found"), [(0, mask(0, BOSS)), (1, mask(0))])
def test_henchmen_guard_the_boss_where_it_says_so(boss, found):
    """Boss 1 has them as guards; den 3 has one of them in its lair, and nobody else."""
    game = Position(boss=boss, den=3).fights(room=1, sets={PUNCH: 1}).do(use(PUNCH))
    assert game.mine.targets == found


# Kill and evade


@pytest.mark.parametrize(
    ("knob", "found"),
    [
        ("room", mask(TOUGH)),
        ("adjacent", mask(TOUGH, BLOCKER, GRUNT, GUARD)),
        ("den", mask(BLOCKER, GRUNT, TOUGH, HENCHMAN, GUNMAN, GUARD)),
    ],
)
def test_kill_crosses_out_any_minion_in_range_and_never_the_boss(knob, found):
    """VR24, VR26, VR27"""
    game = Position(kill_range=knob).fights(room=LEFT, sets={KILL: 1}, owned=BASICS | mask(KILL)).do(use(KILL))
    assert game.mine.targets == found
    game.do(at(TOUGH))
    assert game.player().living == without(TOUGH)


def test_kill_ignores_what_a_minion_can_take():
    game = Position().fights(
        room=HALL, sets={KILL: 1}, owned=BASICS | mask(KILL), always={state.BLOCKER_HEALTH: 2}
    )  # fmt: skip
    game.do(use(KILL), at(BLOCKER))
    assert game.player().living == without(BLOCKER)


def test_evade_marks_a_minion_here_or_next_door():
    game = Position().fights(room=HALL, sets={DASH: 1}, owned=BASICS | mask(EVADE)).do(use(EVADE, BY_ITSELF))
    assert game.mine.targets == mask(BLOCKER, GRUNT, TOUGH, HENCHMAN, GUNMAN)
    game.do(at(BLOCKER))
    assert game.player().evaded == mask(BLOCKER)
    assert game.mine.use[BY_DICE] == mask(DASH)  # VR23: it stops nobody now
    assert game.mine.use[BY_ITSELF] == 0  # VR64b: once a Fighting Phase


# Health


def test_start_of_fighting_comes_before_the_wounds_of_health_dice():
    """VR19: Start (wound, hit) in the hall; then two dice cross out two spaces more."""
    game = Position().starts(room=HALL, owned=BASICS | mask(START_TILE), endured=2, sets={PUNCH: 1})
    assert game.mine.use[BY_ITSELF] == mask(START_TILE)
    assert game.mine.use[BY_DICE] == 0
    game.do(use(START_TILE, BY_ITSELF), at(0))
    assert (game.player().wounds, game.player().endured) == (1, 2)
    game.do(at(GRUNT))
    assert (game.player().wounds, game.player().endured) == (3, 0)
    assert game.mine.use[BY_DICE] == mask(PUNCH)


def test_start_tiles_are_for_the_start():
    """VX8"""
    game = Position().starts(room=HALL, owned=BASICS | mask(START_TILE), sets={PUNCH: 1}).do(done)
    assert game.mine.use[BY_ITSELF] == 0


def test_wounds_without_space_are_ignored():
    """VR37"""
    game = Position().starts(wounds=2, endured=3, sets={DASH: 1})
    assert game.player().wounds == 3


def test_heal_needs_a_wound():
    """VR38"""
    assert Position().fights(bought={0: 1}, sets={DASH: 1}).mine.items == 0
    game = Position().fights(bought={0: 1}, wounds=2, sets={DASH: 1}).do(item(0), at(0))
    assert game.player().wounds == 1


def test_round_wounds_come_with_those_of_the_dice():
    """Cyd's trait."""
    assert Position(hero=2).starts(endured=1, sets={DASH: 1}).player().wounds == 2


def test_items_work_once_a_charge():
    game = Position().fights(bought={0: 2}, wounds=3, sets={DASH: 1}).do(item(0), at(0), item(0), at(0))
    assert game.mine.items == 0
    assert game.player().wounds == 1


# Objectives


@pytest.mark.parametrize(
    ("objective", "room", "yes", "no"),
    [
        (CLEAR, HALL, {"living": without(BLOCKER, GRUNT)}, {"living": without(GRUNT), "evaded": mask(BLOCKER)}),
        (CLEAR, HALL, {"living": without(0, 1)}, {"living": without(0, 1), "lived": without(0, 1)}),
        (KILL_2, LEFT, {"living": without(GUARD, BLOCKER)}, {"living": without(BLOCKER)}),
        (VISIT_ADJACENT, LEFT, {"visited": mask(GATE, HALL, LEFT, LAIR)}, {"visited": mask(GATE, HALL, LEFT)}),
        (KILL_ADJACENT, RIGHT, {"living": without(GRUNT, GUARD)}, {"living": without(GUARD)}),
        (HIT_BOSS, LAIR, {"damage": 1, "living": without(GUARD)}, {}),
        (HEALTH_5, LAIR, {"spaces": 5}, {"spaces": 4}),
        (VISIT_4, LAIR, {"visited": mask(GATE, HALL, LEFT, LAIR)}, {"visited": mask(GATE, HALL, LAIR)}),
    ],
)  # fmt: skip
def test_objectives(objective, room, yes, no):
    """VR33 to VR36, VR67 to VR69: in the room, once, while it holds."""
    game = Position().fights(room=room, sets={DASH: 1}, **{"lived": ALL} | yes)
    assert game.mine.marks >> objective & 1
    game.do(mark(objective))
    assert game.player().marked == mask(objective)
    assert not game.mine.marks >> objective & 1
    assert not Position().fights(room=room, sets={DASH: 1}, **{"lived": ALL} | no).mine.marks >> objective & 1
    assert not Position().fights(room=GATE, sets={DASH: 1}, **{"lived": ALL} | yes).mine.marks >> objective & 1


def test_an_objective_may_be_marked_between_two_effects():
    """A Charge into the lair with the boss hit before."""
    game = Position().fights(room=LEFT, damage=1, sets={CHARGE: 1}).do(use(CHARGE), at(LAIR))
    assert game.kind == EFFECT
    game.do(mark(HIT_BOSS))
    assert game.kind == EFFECT
    assert game.player().marked == mask(HIT_BOSS)


# Rolling


def test_dice_that_fit_are_assigned_and_free_one_wound():
    """VR4"""
    game = Position().rolls(hand=(2, 0, 0, 0), woe=2).do(assign_of(DASH, 0))
    p = game.player()
    assert (p.sets[DASH], p.hand.tolist(), p.woe, p.fresh) == (1, [0, 0, 0, 0], 1, 1)


def test_a_wound_on_a_health_space_frees_all_others():
    """VR4, VR5"""
    game = Position().rolls(hand=(1, 0, 0, 0), woe=3).do(action_of(ENDURE))
    p = game.player()
    assert (p.endured, p.woe, p.fresh) == (1, 0, 2)
    assert game.mine.most == 1


def test_wounds_need_a_free_health_space():
    """VR5: a space that is crossed out or has a die is not free. VR9: with wounds alone one must stop then."""
    game = Position().rolls(hand=(1, 0, 0, 0), woe=3, wounds=1, endured=1)
    assert game.may(action_of(ENDURE))
    game = Position().rolls(hand=(1, 0, 0, 0), woe=3, wounds=1, endured=2)
    assert not game.may(action_of(ENDURE))
    game = Position().rolls(hand=(0, 0, 0, 0), woe=4, wounds=3)
    assert game.kind != ROLL


@pytest.mark.parametrize(
    ("hand", "found"),
    [
        ((2, 0, 0, 0), {DASH: [(2, 0, 0, 0)]}),
        ((0, 0, 2, 1), {PUNCH: [(0, 0, 2, 1)]}),
        ((0, 0, 0, 3), {PUNCH: [(0, 0, 0, 3)]}),
        ((0, 0, 2, 2), {PUNCH: [(0, 0, 2, 1), (0, 0, 1, 2)]}),
        ((1, 2, 0, 1), {FIRE: [(1, 2, 0, 0), (0, 2, 0, 1)]}),
        ((0, 2, 1, 0), {}),
        ((1, 1, 1, 1), {CHARGE: [(1, 1, 1, 1)]}),
        ((2, 0, 2, 0), {DASH: [(2, 0, 0, 0)], CHARGE: [(2, 0, 2, 0)]}),
        ((1, 1, 2, 0), {CHARGE: [(1, 1, 2, 0)]}),
    ],
)
def test_which_dice_fit(hand, found):
    """A hit-plus is a hit, but not vice versa; VR65: which of the sets is the player's choice."""
    game = Position().rolls(hand=hand, fresh=0)
    fits, pack = game.mine.fits, game.table.fixed.pack[0]
    seen = {
        ability: [tuple(pack.faces[ability, k].tolist()) for k in range(35) if int(fits[ability]) >> k & 1]
        for ability in range(12)
        if fits[ability]
    }
    assert {key: sorted(value) for key, value in seen.items()} == {key: sorted(value) for key, value in found.items()}


def test_a_punch_with_a_hit_plus_is_kept_apart():
    game = Position().rolls(hand=(0, 0, 2, 2))
    game.do(assign_of(PUNCH, 1))  # hit, hit, hit-plus: the second multiset of its list
    assert (game.player().sets[PUNCH], game.player().sets_plus[PUNCH]) == (0, 1)
    assert game.player().hand.tolist() == [0, 0, 0, 1]


def test_a_1x_tile_gets_dice_once():
    """VR3: and none while its recon is marked; a basic ability may have both, but for a knob."""
    game = Position().rolls(owned=BASICS | mask(ONCE), hand=(2, 0, 0, 0))
    assert game.may(assign_of(ONCE, 0))
    game.do(assign_of(ONCE, 0))
    assert not game.may(assign_of(ONCE, 0))
    game = Position().rolls(owned=BASICS | mask(ONCE), recon=mask(ONCE, DASH), hand=(2, 0, 0, 0))
    assert not game.may(assign_of(ONCE, 0))
    assert game.may(assign_of(DASH, 0))
    game = Position(recon_blocks="all").rolls(recon=mask(DASH), hand=(2, 1, 0, 0))
    assert not game.may(assign_of(DASH, 0))


def test_tiles_without_dice_or_passive_ones_get_none():
    game = Position().rolls(owned=BASICS | mask(EVADE, GRIT), hand=(1, 1, 1, 1))
    assert not any(game.may(assign_of(each, 0)) for each in (EVADE, GRIT))


def test_taking_is_up_to_the_limit_and_the_pool():
    """VR6, VR10: three after a Beating."""
    assert Position().rolls(hand=(1, 0, 0, 0)).mine.most == 3
    assert Position().rolls(hand=(1, 0, 0, 0), beatings=1).mine.most == 2
    game = Position(pool=4).rolls(hand=(1, 1, 0, 0))
    assert game.mine.most == 2
    game.do(throw_of(1, 1, 0, 0, 0))
    assert game.player().taken == 1
    assert game.board.pool == 1


def dry_round(*left, hand=(1, 1, 1, 0)):
    """The column, where of a pool of four so many dice are left when the race of each round ends."""
    game = Position(pool=4)
    for turn, dice in enumerate(left):
        game.board.turn = turn
        game.rolls(hand=hand)
        game.do(action_of(STOP, game.board.pool - dice))
    assert game.state == OVER
    return game.row()["dry_round"]


def test_the_first_round_in_which_the_pool_ran_dry_is_told():
    """VX20: three dice in hand, and the fourth is taken by who stops (VX3), or left."""
    assert dry_round(1, 1, 1, 1) == -1
    assert dry_round(0, 1, 1, 1) == 1
    assert dry_round(1, 0, 1, 0) == 2
    assert dry_round(1, 1, 1, 0) == 4
    assert dry_round(0, 0, 0, 0, hand=(1, 1, 1, 1)) == 1  # nobody took the last one in the race


def test_what_is_kept_is_not_rolled():
    """And what is rolled falls where the luck of this game says: roll 2 of seat 0 in round 1."""
    game = Position(seats=2).rolls(hand=(1, 1, 1, 0))
    game.player(1).rolling = 0
    game.do(throw_of(1, 0, 0, 1, 0))
    faces = [int(choice(word, 6)) for word in words(0, 0, 5, 1024 * 0 + 2)[:3]]
    hand = np.bincount([(0, 0, 1, 2, 3, 4)[face] for face in faces], minlength=5)
    hand[2] += 1
    p = game.player()
    assert [*p.hand.tolist(), int(p.woe)] == hand.tolist()


def test_a_roll_rolls_at_least_one_die():
    """VX3"""
    game = Position().rolls(hand=(1, 1, 1, 0))
    assert not game.may(throw_of(0, 1, 1, 1, 0))
    assert game.may(throw_of(1, 1, 1, 1, 0))
    assert game.may(throw_of(0, 1, 1, 0, 0))
    assert not game.may(throw_of(0, 2, 0, 0, 0))


@pytest.mark.parametrize(("clock", "may"), [(20, True), (21, False)])
def test_the_timer(clock, may):
    """VR2: medium, 30 seconds at 1.5 a roll: dice are taken up to time 20."""
    game = Position()
    game.rolls(hand=(1, 1, 0, 0))
    game.player().clock = clock * 65536
    game.go(state.RACING)
    assert (game.mine.most > 0) == may
    assert game.may(throw_of(0, 1, 0, 0, 0))


def test_the_timer_at_another_speed():
    """Twice as fast: roll 40 falls at 20."""
    game = Position(speeds=(2.0,))
    for clock, may in ((40, True), (41, False)):
        game.rolls(hand=(1, 1, 0, 0))
        game.player().clock = clock * 65536
        game.go(state.RACING)
        assert (game.mine.most > 0) == may


def test_max_rolls_ends_rolling():
    """VR1b"""
    game = Position(max_rolls=1).rolls(hand=(1, 1, 1, 0), woe=1)
    assert not game.may(throw_of(0, 0, 0, 0, 0))
    assert game.table.t.secret[0].unfinished == 1


def test_who_has_too_few_dice_for_any_ability_stops():
    """VX4: one die, three on Punch, and an empty pool."""
    game = Position(pool=4).rolls(hand=(1, 0, 0, 0), sets={PUNCH: 1})
    assert game.kind != ROLL
    assert Position(pool=5).rolls(hand=(1, 0, 0, 0), sets={PUNCH: 1}).kind == ROLL


# Who rolls when


def order_of(game, count):
    """The seats in the order of their rolls, each rolling on whatever it has."""
    seats = []
    while len(seats) < count:
        seats.append(game.seat)
        p = game.player(game.seat)
        p.hand[:], p.woe, p.fresh = (2, 2, 0, 0), 0, 0
        game._settle()
        game.go(state.RACING).do(throw_of(0, 0, 0, 0, 0))
    return seats


def start_race(seats, speeds):
    game = Position(seats=seats, speeds=speeds)
    while game.kind == PREP:
        game.do(action_of(DONE))
    return game


def test_rolls_fall_by_speed():
    """VR1: speeds 1 and 2.5: times 1, 2, ... against 0.4, 0.8, 1.2, 1.6, 2.0 (even then), ..."""
    game = start_race(2, (1.0, 2.5))
    assert order_of(game, 5) == [1, 1, 0, 1, 1]


def test_equal_times_fall_in_an_order_drawn_anew():
    """VR1: at every time the second word of each seat's clock says who is first: the lower one."""
    game = start_race(2, ())
    wanted = []
    for n in range(1, 13):
        first = words(0, 0, 6, 1024 * 0 + n)[1] > words(0, 0, 6, 1024 * 1 + n)[1]
        wanted += [int(first), 1 - int(first)]
    assert order_of(game, 24) == wanted
    assert len({tuple(wanted[k : k + 2]) for k in range(0, 24, 2)}) == 2


# Preparation


def prepares(**fields):
    game = Position()
    game.put(**fields)
    return game.go(state.PREPARING)


def deed(what, target, token, second=0):
    return action_of(what, target, token, second)


def test_training_marks_two_spaces_or_the_last_one():
    """VR60"""
    game = prepares(todo={TRAINING_DIE: 2}, trained=7)
    game.do(deed(TRAIN, 0, TRAINING_DIE))
    assert game.player().trained == 9
    game.do(deed(TRAIN, 0, TRAINING_DIE))
    assert game.player().trained == 10


def test_healing_marks_a_space_or_clears_two_wounds():
    """VR60: or one, where there is one."""
    game = prepares(todo={HEALING_DIE: 3}, wounds=3)
    game.do(deed(HEAL, CLEARING, HEALING_DIE), deed(HEAL, CLEARING, HEALING_DIE), deed(HEAL, MARK_SPACE, HEALING_DIE))
    assert (game.player().wounds, game.player().spaces) == (0, 4)


def test_an_impossible_action_is_any_other_but_loot():
    """VR18: a full training track."""
    game = prepares(todo={TRAINING_DIE: 1}, trained=10)
    assert not game.may(deed(TRAIN, 0, TRAINING_DIE))
    assert game.may(deed(PURCHASE, 2, TRAINING_DIE))
    assert game.may(deed(HEAL, MARK_SPACE, TRAINING_DIE))
    assert game.may(deed(RECON, PUNCH, TRAINING_DIE))
    assert not game.may(deed(TAKE_LOOT, 0, TRAINING_DIE))


def test_a_possible_action_is_what_it_shows():
    game = prepares(todo={PURCHASE_DIE: 1})
    assert not game.may(deed(TRAIN, 0, PURCHASE_DIE))
    assert game.may(deed(PURCHASE, 3, PURCHASE_DIE))


def test_loot_is_a_space_or_any_other_action_and_the_extra_one_any_but_loot():
    """VR15: it needs no room."""
    game = prepares(todo={LOOT_DIE: 1, EXTRA: 1})
    for token in (LOOT_DIE, EXTRA):
        assert game.may(deed(TRAIN, 0, token))
        assert game.may(deed(RECON, DASH, token))
    assert game.may(deed(TAKE_LOOT, 0, LOOT_DIE))
    assert not game.may(deed(TAKE_LOOT, 0, EXTRA))


def test_one_single_and_one_double_recon_a_phase():
    """VR16, VR61: the double one takes two actions."""
    game = prepares(todo={RECON_DIE: 3, EXTRA: 1})
    assert not game.may(deed(RECON, CHARGE, RECON_DIE))
    game.do(deed(RECON, PUNCH, RECON_DIE))
    assert not game.may(deed(RECON, DASH, RECON_DIE))
    assert game.may(deed(TRAIN, 0, RECON_DIE))  # VX5: no single one is left
    game.do(deed(RECON, CHARGE, RECON_DIE, EXTRA))
    assert game.player().recon == mask(PUNCH, CHARGE)
    assert game.player().todo.tolist() == [0, 0, 0, 1, 0, 0]


def test_a_double_recon_may_take_loot_and_an_impossible_action():
    game = prepares(todo={TRAINING_DIE: 1, LOOT_DIE: 1}, trained=10)
    game.do(deed(RECON, CHARGE, TRAINING_DIE, LOOT_DIE))
    assert game.player().recon == mask(CHARGE)
    game = prepares(todo={TRAINING_DIE: 1, LOOT_DIE: 1}, trained=9)
    assert not game.may(deed(RECON, CHARGE, TRAINING_DIE, LOOT_DIE))


def test_a_full_loot_track():
    """VR57"""
    game = prepares(todo={LOOT_DIE: 1}, loot=3)
    assert not game.may(deed(TAKE_LOOT, 0, LOOT_DIE))
    assert game.may(deed(TRAIN, 0, LOOT_DIE))


def test_items_have_so_many_charges():
    """VR17: used ones stay marked."""
    game = prepares(todo={PURCHASE_DIE: 1}, bought={0: 3})
    assert not game.may(deed(PURCHASE, 0, PURCHASE_DIE))
    assert game.may(deed(PURCHASE, 1, PURCHASE_DIE))


def test_tiles_are_paid_with_marked_uncrossed_spaces_four_at_most():
    """VR12, VR13"""
    game = prepares(todo={}, trained=5, spent=2)
    game.do(action_of(BUY, ONCE))
    assert (game.player().spent, game.player().owned) == (4, BASICS | mask(ONCE))
    game.do(action_of(BUY, GRIT))
    assert game.player().always[state.ARMOUR] == 1
    assert game.kind != PREP  # nothing is left to pay with
    game = prepares(todo={}, trained=9, owned=BASICS | mask(4, 5, 6))
    game.do(action_of(BUY, 7))
    assert game.kind != PREP


def test_a_tile_brings_or_takes_an_extra_action_at_once():
    """VX19. One that is used cannot be taken."""
    haste, sloth = action_of(BUY, 10), action_of(BUY, 11)
    train = deed(TRAIN, 0, EXTRA)
    game = Position(hero=3).put(todo={EXTRA: 1}).go(state.PREPARING).do(train, haste)
    assert game.player().todo[EXTRA] == 1
    game.do(sloth)
    assert game.player().todo[EXTRA] == 0
    game = Position(hero=3).put(todo={EXTRA: 1}).go(state.PREPARING).do(train, sloth)
    assert game.player().todo[EXTRA] == 0
    game.do(haste)
    assert game.player().todo[EXTRA] == 1


def test_everything_is_optional():
    game = prepares(todo={LOOT_DIE: 1, EXTRA: 1}).do(action_of(DONE))
    assert game.kind != PREP


def test_the_beginning_of_a_round():
    """VR59: the dice of the box always show training, healing, recon; four dice; the extra action."""
    game = Position(seats=2)
    for seat in range(2):
        p = game.player(seat)
        assert p.todo.tolist() == [1, 0, 1, 1, 0, 1]
        assert p.fresh == 4
    assert game.board.pool == 24 - 8


# Resolution


def test_loot_of_visited_and_cleared_rooms():
    """VR39: an action each icon, once. Evaded minions are out of the way; the room on the right is not visited."""
    game = Position().resolves(visited=mask(GATE, LEFT), evaded=mask(TOUGH), living=without(HENCHMAN, GUNMAN))
    assert game.kind == LOOT
    game.do(action_of(TAKE_LOOT, 0, LOOT_DIE))
    assert game.player().loot == 1
    assert game.player().looted == mask(LEFT)
    assert game.kind != LOOT
    game = Position().resolves(visited=mask(GATE, RIGHT), living=without(HENCHMAN, GUNMAN), looted=mask(LEFT))
    game.do(action_of(TRAIN, 0, LOOT_DIE))
    assert game.kind == LOOT  # the second icon
    game.do(action_of(DONE))
    assert game.player().looted == mask(LEFT, RIGHT)
    assert Position().resolves(visited=mask(GATE, LEFT, RIGHT)).kind != LOOT


def test_recon_in_resolution_is_single_and_stays():
    """VR70. Marks of before are cleared first."""
    game = Position().resolves(visited=mask(RIGHT), living=without(HENCHMAN, GUNMAN), recon=mask(DASH, CHARGE))
    assert game.player().recon == 0
    assert not game.may(action_of(RECON, CHARGE, LOOT_DIE))
    game.do(action_of(RECON, PUNCH, LOOT_DIE), action_of(RECON, DASH, LOOT_DIE))
    assert game.player().recon == mask(PUNCH, DASH)


@pytest.mark.parametrize(
    ("room", "fields", "wounds"),
    [
        (GATE, {}, 0),
        (HALL, {}, 1),  # the Gunman on the right
        (RIGHT, {}, 2),  # he and the Henchman; the boss is next door
        (RIGHT, {"evaded": mask(GUNMAN)}, 1),
        (LEFT, {}, 0),
        (LAIR, {}, 2),  # the boss, and the Gunman next door
        (LAIR, {"living": without(BOSS)}, 1),
        (RIGHT, {"always": {state.ARMOUR: 1}}, 1),
        (RIGHT, {"shield": 2}, 0),
        (RIGHT, {"wounds": 1, "spaces": 2}, 1),
        (RIGHT, {"always": {state.HENCHMAN_WOUNDS: 1}}, 3),
        (LEFT, {"always": {state.BOSS_REACH: 1}}, 1),
    ],
)
def test_wounds_of_resolution(room, fields, wounds):
    game = Position().resolves(room=room, **{"spaces": 6} | fields)
    assert game.player().suffered == wounds


def test_a_full_health_track_is_a_beating():
    """VR43: all wounds cleared, three spaces, three dice from now on."""
    game = Position().resolves(room=RIGHT, spaces=4, wounds=2)
    p = game.player()
    assert (p.beatings, p.wounds, p.spaces, p.out) == (1, 0, 3, 0)
    assert game.state == RESTING
    game.table.advance()
    assert game.player().fresh == 3  # VR10


def test_the_second_beating_kills():
    """VR45, VR71: alone, the game is over, and lost."""
    game = Position().resolves(room=RIGHT, wounds=2, beatings=1)
    assert game.state == OVER
    row = game.row()
    assert (row["alive_0"], row["winner"], row["winners"], row["rounds"]) == (0, -1, 0, 1)
    assert (row["way_out_0"], row["score_0"]) == (2, -2)  # VX18: nothing scored, and from the right by the hall


def test_resolution_tiles_and_items_alone_work_there():
    """VR43: healing in time keeps a Beating off."""
    game = Position().resolves(room=RIGHT, wounds=1, bought={0: 1, 3: 1}, sets={PUNCH: 1})
    assert game.kind == FIGHT
    assert game.mine.items == mask(3)
    assert game.mine.use[BY_DICE] == 0
    game.do(item(3), at(0))
    assert (game.player().wounds, game.player().beatings) == (2, 0)


def test_evaded_minions_return():
    assert Position().resolves(evaded=mask(GRUNT)).player().evaded == 0


# The end


def ends(seats=1, players=({},), **knobs):
    """The end of round 4: with these fields of the players."""
    game = Position(seats=seats, **knobs)
    game.board.turn = 3
    for seat, fields in enumerate(players):
        game.put(seat, todo={}, fresh=0, **fields)
    game.board.active, game.board.stage = seats, state.ARRIVING
    game.go(state.RESOLVING)
    assert game.state == OVER
    return game.row()


def test_the_score_is_read_off_the_board():
    """Loot 3, training 5 (VR14), damage 2 of a boss of 2: value 2 and 5 more, objectives 2 + 4; from the lair to the
    gate the way by the left holds the Tough Guy and the hall's Blocker and Grunt: 2 rooms, the lair is empty."""
    row = ends(players=[{
        "loot": 2, "trained": 5, "spent": 4, "damage": 2, "living": without(BOSS, GUARD), "marked": mask(0, 3),
        "room": LAIR
    }])  # fmt: skip
    parts = ("loot_0", "training_0", "boss_0", "kill_0", "objectives_0", "way_out_0", "score_0")
    assert [row[each] for each in parts] == [3, 5, 2, 5, 6, 2, 19]


def test_spent_experience_may_count_less():
    """VR14, VR72: five marked, four of these crossed out."""
    row = ends(spent_counts=False, players=[{"trained": 5, "spent": 4}])
    assert row["training_0"] == 1


@pytest.mark.parametrize(
    ("room", "dead", "rooms"),
    [(GATE, (), 0), (HALL, (), 1), (LEFT, (), 2), (LAIR, (), 3), (LAIR, (TOUGH,), 2), (LAIR, (HENCHMAN,), 3)],
)
def test_the_way_out_has_the_fewest_rooms_with_an_enemy(room, dead, rooms):
    """VR47, VR48: both ends counted."""
    assert ends(players=[{"room": room, "living": without(*dead)}])["way_out_0"] == rooms


def test_ties_are_broken_by_free_health_spaces_and_then_shared():
    """VR50"""
    row = ends(2, [{"trained": 3}, {"trained": 3, "spaces": 4}])
    assert (row["winner"], row["winners"], row["ending"]) == (1, 2, state.ENDINGS.index("health"))
    row = ends(2, [{"trained": 3, "wounds": 1}, {"trained": 3, "spaces": 4, "wounds": 2}])
    assert (row["winner"], row["winners"], row["ending"]) == (-1, 3, state.ENDINGS.index("shared"))
    row = ends(2, [{"trained": 4, "wounds": 1}, {"trained": 3, "spaces": 4}])
    assert (row["winner"], row["winners"], row["ending"]) == (0, 1, state.ENDINGS.index("scored"))


def test_the_dead_are_last_whatever_their_score():
    """VR45, VX18: its board stands as it is."""
    row = ends(2, [{"trained": 10, "out": 1, "beatings": 2}, {"trained": 0}])
    assert (row["winner"], row["score_0"], row["score_1"]) == (1, 10, 0)


def test_a_score_can_be_negative_and_wins_against_a_lower_one():
    """VR47, VX18: one space of experience is a point; three rooms with enemies from the lair, one from the hall."""
    row = ends(2, [{"room": LAIR, "trained": 1}, {"room": HALL, "trained": 0}], den=0)
    assert (row["score_0"], row["way_out_0"]) == (1 - 3, 3)
    assert (row["score_1"], row["way_out_1"]) == (0 - 1, 1)
    assert (row["winner"], row["ending"]) == (1, state.ENDINGS.index("scored"))


def test_no_score_is_lower_than_its_column_says(tmp_path):
    """VX18: sixteen rooms in a row, as many as a den may have (`content/README.md`), an enemy in each; the hero in the
    last of them has scored nothing."""
    pack = YAML(typ="safe", pure=True).load(Path(BOX))
    doors = [[f"r{near}" for near in (place - 1, place + 1) if 0 <= near < 16] for place in range(16)]
    rooms = [{"id": f"r{place}", "doors": near, "minions": ["grunt"]} for place, near in enumerate(doors)]
    pack["dens"][0]["front"] = pack["dens"][0]["front"] | {"rooms": rooms, "entry": "r0", "boss": "r15"}
    path = tmp_path / "row.yaml"
    path.write_text(json.dumps(pack), encoding="utf-8")  # JSON is YAML
    row = ends(content=str(path), den=0, players=[{"room": 15}])
    assert (row["score_0"], row["way_out_0"]) == (-16, 16)
    lowest = {column.name: column.lowest for column in GAME.columns(2, GAME.knobs()) if column.lowest}
    assert lowest == {"score_0": -16, "score_1": -16}


@pytest.mark.parametrize(
    ("fields", "way"),
    [
        ({"looted": mask(LEFT, RIGHT)}, "loot"),
        ({"looted": mask(LEFT)}, "lost"),
        ({"living": without(BOSS, 0, 1, 2), "damage": 2}, "boss"),
        ({"living": without(BOSS, 0, 1), "damage": 2}, "lost"),
        ({"living": without(0, 1, 2, 3)}, "lost"),
    ],
)
def test_winning_alone(fields, way):
    """VR53, VR54: all loot, or the boss and half of the six minions."""
    row = ends(players=[fields])
    assert state.ENDINGS[row["ending"]] == way
    assert (row["solo_won"], row["winner"]) == ((0, -1) if way == "lost" else (1, 0))


@pytest.mark.parametrize(("knob", "wounds"), [(True, 2), (False, 0)])
def test_whether_round_4_has_a_resolution(knob, wounds):
    """VR46"""
    game = Position(last_resolution=knob)
    game.board.turn = 3
    game.fights(room=RIGHT, spaces=6)
    assert game.state == OVER
    assert game.row()["wounds_0"] == wounds


def test_set_up():
    """Bob: four health spaces and two experience ones; Training marks one."""
    game = Position(hero=1)
    assert (game.player().spaces, game.player().trained) == (4, 2)
    game.do(deed(TRAIN, 0, TRAINING_DIE))
    assert game.player().trained == 3


@pytest.mark.parametrize(("seats", "dice"), [(1, 16), (2, 24), (3, 35), (4, 46)])
def test_pools(seats, dice):
    """VR56"""
    assert Position(seats=seats).table.fixed.record[0].pool == dice


def test_dens_heroes_and_bosses_are_dealt_without_repetition():
    """VR55"""
    game = Position(seats=4, hero=-1, boss=-1)
    for name in ("hero", "boss", "den"):
        assert sorted(int(getattr(game.player(seat), name)) for seat in range(4)) == [0, 1, 2, 3]
