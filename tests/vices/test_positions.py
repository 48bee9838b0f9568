"""Positions written by hand, each from a sentence of the rulebook or from a ruling, set up on a table.

Each case cites what it is taken from: the rulebook in our words, or a ruling by id. Dice are not thrown here but laid
(`Laid`); from there the table plays on by itself, the same position in every lane, with the kernels that play any game.
What comes out was worked out by hand. Only penalty dice cannot be laid: where their numbers matter, a game is looked up
in whose luck they show what the position asks for (`penalties`).

Where a test says nothing else, a roll is *quiet*: no Sin and no Nemesis matches, every small Sin die shows 1 (5
points), pairs match and Spoilers show their highest number (no points), the Nemesis of seat S shows 11 + S (9 - S).
"""

from fractions import Fraction
from functools import cache
from itertools import product
from typing import NamedTuple

import numba
import numpy as np
import pytest

from lab.arena import play
from sims.core.game import Setting, encode
from sims.vices import GAME, rules
from sims.vices.rules import (
    ABSORBED,
    DECLINE,
    DESTROYED,
    ENVY,
    GLUTTONY,
    GREED,
    LUST,
    OVER,
    OWN,
    PLAYING,
    PRIDE,
    REMOVE,
    RESERVE,
    SLOTH,
    WRATH,
)
from sims.vices.table import Table
from tests.vices import common, naive

SINS = ("lust", "gluttony", "greed", "sloth", "wrath", "envy", "pride")
MIRROR, DAVID, BULLET, D12, D10, D8 = range(7, 13)
FULL = set(range(14))
ALL = None
LANES = 37  # enough for the vector instructions and for the loop that does what they leave over


class Laid(Table):
    """A table on which the dice lie as somebody laid them."""

    def _throw(self):
        rules.value(self.knobs.nemesis_sides, self.t)


class Roll(NamedTuple):
    """What was asked on a roll."""

    choices: list
    """Of Sins: (the Sin whose effect it is, who is asked, what is offered)"""
    offered: set
    """Units that the defender may score"""
    due: bool
    asked: bool
    """Whether the defender has a choice."""


def bits(numbers):
    return sum(1 << number for number in numbers)


def members(mask):
    return {number for number in range(32) if int(mask) >> number & 1}


def of_lane(array):
    return array[..., 0].tolist()


@cache
def game_where(wanted):
    """The first game whose luck (of seed 0) is as wanted."""
    return next(game for game in range(1_000_000) if wanted(naive.Luck(0, game, 20, 0.0)))


@cache
def _game_with(penalties):
    def wanted(luck):
        return all(
            face in (None, found)
            for sin, roll, faces in penalties
            for face, found in zip(faces, luck.penalty_dice(sin, roll), strict=False)
        )

    return game_where(wanted)


def game_with(penalties):
    """A game whose penalty rolls show {Sin, or (Sin, number of the roll): numbers}: of small, large and metallic die,
    the die that Gluttony took, and the two further base dice; None for any."""
    keys = [key if isinstance(key, tuple) else (key, 0) for key in penalties]
    return _game_with(tuple((*key, faces) for key, faces in zip(keys, penalties.values(), strict=True)))


def position(
    hold=None, *, seats=4, defender=0, pool=None, guests=(), removed=(), destroyed=(), totals=None, first=0, rounds=1,
    reached=0, penalties=None, game=0, games=None, **knobs,
):  # fmt: skip
    """A table before a roll of the defender. hold: {seat: its Sins}; all others are in reserve, or destroyed. guests:
    the seats whose Nemesis the defender has absorbed, and scored unless it is in the pool (which is full if not given).
    """
    if penalties:
        game = game_with(penalties)
    games = np.full(LANES, game, np.uint64) if games is None else np.array(games, np.uint64)
    lanes = np.arange(games.size, dtype=np.int32)
    table = Laid(Setting(encode(GAME.knobs(**knobs)), seats, 0, True), games.size)
    table.deal(lanes, games)
    table.dealt = lanes[:0]  # all have their Sins
    t = table.t
    t.first[:], t.defender[:], t.rounds[:], t.reached[:], t.removed[:] = first, defender, rounds, reached, bits(removed)
    for seat, sins in (hold or {}).items():
        t.holder[list(sins)] = seat
    t.holder[list(destroyed)] = DESTROYED
    t.sins_destroyed[:], t.nemesis_destroyed[:] = len(destroyed), len(removed)
    if totals:
        t.total[:] = np.reshape(totals, (seats, 1))
    rules.start_turns(lanes, table.knobs, t)
    if pool is not None:
        t.pool[:] = bits(pool)
    t.guests[:] = bits({*guests, *(unit - ABSORBED for unit in members(t.pool[0]) if unit >= ABSORBED)})
    return table


def lay(
    table, *, matches=(), number=3, small=None, large=None, pairs=((6, 6),) * 3, spoilers=(12, 10, 8), nemesis=None,
    upright=False,
):  # fmt: skip
    """The dice of a roll. matches: the Sins whose small and large die show the same number."""
    t = table.t
    t.small[:], t.large[:] = 1, 2
    t.nemesis[:] = np.arange(11, 11 + len(t.nemesis)).reshape(-1, 1)
    t.small[list(matches)] = t.large[list(matches)] = number
    for array, changes in ((t.small, small), (t.large, large), (t.nemesis, nemesis)):
        for row, face in (changes or {}).items():
            array[row] = face
    t.pairs[:] = np.reshape(pairs, (6, 1))
    t.spoilers[:] = np.reshape(spoilers, (3, 1))
    t.upright[:] = upright


def roll(table, *answers, score=ALL, **dice):
    """A whole roll: these dice are laid, who may choose a Sin answers in turn, and the defender scores these units."""
    lay(table, **dice)
    left, choices, removal = list(answers), [], None
    while (ask := table.advance()) is not None:
        view, seat, offered = ask.view, int(ask.seat[0]), members(ask.view.options[0])
        if view.kind == REMOVE:
            removal = offered, bool(view.due[0]), seat >= 0
            assert seat in (-1, view.defender[0])
            ask.action[:] = view.options if score is ALL else bits(score)
        else:
            choices.append((view.kind, seat, offered))
            ask.action[:] = left.pop(0)
        assert GAME.is_legal(view, ask.seat, ask.action)
        assert_lanes_alike(table)
    assert not left
    assert_lanes_alike(table)
    return Roll(choices, *removal)


def assert_lanes_alike(table):
    if (table.game == table.game[0]).all():
        assert all((array == array[..., :1]).all() for array in table.t)


def held(table):
    """Where the large dice are that are not in reserve."""
    return {sin: holder for sin, holder in enumerate(of_lane(table.t.holder)) if holder != RESERVE}


def pool(table):
    return members(table.t.pool[0])


def points(table, seat=0):
    """Of this seat, those of a turn that goes on included."""
    return int(table.t.total[seat, 0] + (table.t.spent[0] if table.t.defender[0] == seat else 0))


def penalty_dice(table):
    """Which dice the last penalty roll had: 0 small, 1 large, 2 metallic, 3 taken, 4 and 5 further ones."""
    return [die for die, face in enumerate(of_lane(table.t.penalty)) if face]


def sin_matches(table, seat=0):
    return int(table.t.sin_matches[seat, 0])


def nemesis_matches(table, seat=0):
    return int(table.t.nemesis_matches[seat, 0])


def absorbed(*seats):
    return {ABSORBED + seat for seat in seats}


# Removing and scoring -------------------------------------------------------------------------------------------------


def test_a_quiet_roll():
    """The defender must score a unit, and may score any; a turn starts with 14 units (VV24, VV34)."""
    table = position({0: [PRIDE], 1: [LUST]})
    assert pool(table) == FULL
    assert roll(table, score={LUST, D12}) == Roll([], FULL, due=True, asked=True)
    assert pool(table) == FULL - {LUST, D12}
    assert points(table) == 5
    assert (table.t.rolls[0], table.t.at[0], table.t.defender[0]) == (1, 1, 0)
    assert roll(table).offered == FULL - {LUST, D12}
    assert points(table) == 5 + 6 * 5 + 9
    assert (table.t.defender[0], table.t.spent[0]) == (1, 0)
    assert pool(table) == FULL


def test_one_unit_that_is_due_is_scored_unasked():
    table = position(pool={D12})
    assert roll(table, spoilers=(8, 1, 1)) == Roll([], {D12}, due=True, asked=False)
    assert points(table) == 4  # the rulebook's own example


UNITS = {
    "a small die": (0, {"small": {LUST: 2}}, 4),
    "a small die's best": (0, {"small": {LUST: 6}}, 0),
    "a small die's worst": (6, {"small": {PRIDE: 1}}, 5),
    "d12": (D12, {"spoilers": (1, 10, 8)}, 11),
    "d10": (D10, {"spoilers": (12, 1, 8)}, 9),
    "d10, middling": (D10, {"spoilers": (12, 4, 8)}, 6),
    "d8": (D8, {"spoilers": (12, 10, 1)}, 7),
    "own Nemesis": (OWN, {"nemesis": {0: 1}}, 19),
    "own Nemesis's best": (OWN, {"nemesis": {0: 20}}, 0),
    "a pair": (MIRROR, {"pairs": ((2, 5), (1, 1), (1, 1))}, 5),
    "a pair the other way round": (MIRROR, {"pairs": ((5, 2), (1, 1), (1, 1))}, 5),
    "a pair's worst": (DAVID, {"pairs": ((1, 1), (1, 2), (1, 1))}, 9),
    "a pair that matches": (DAVID, {"pairs": ((1, 2), (1, 1), (1, 2))}, 0),
    "bullet and werewolf": (BULLET, {"pairs": ((1, 1), (1, 1), (1, 4))}, 7),
    "bullet upright (VV33)": (BULLET, {"pairs": ((1, 1), (1, 1), (1, 4)), "upright": True}, 0),
    "upright is for the bullet alone (VV33)": (MIRROR, {"pairs": ((1, 4), (1, 1), (1, 1)), "upright": True}, 7),
}


@pytest.mark.parametrize("case", UNITS)
def test_points_of_a_unit(case):
    unit, dice, wanted = UNITS[case]
    table = position()
    roll(table, score={unit}, **dice)
    assert points(table) == wanted
    assert pool(table) == FULL - {unit}


def test_equal_dice_zero_only_in_pairs_and_penalty_rolls():
    """VV31: threes everywhere, and two Nemesis dice alike."""
    table = position(pool={LUST, GREED, D12, D10, D8, OWN, *absorbed(2)})
    roll(table, small={LUST: 3, GREED: 3}, spoilers=(3, 3, 3), nemesis={0: 3, 2: 3})
    assert points(table) == 3 + 3 + 9 + 7 + 5 + 17 + 17


def test_nemesis_dice_score_by_their_sides():
    table = position(pool={OWN, *absorbed(3)}, nemesis_sides=100)
    roll(table, nemesis={0: 1, 1: 2, 2: 3, 3: 40})
    assert points(table) == 99 + 60


# Exact facts: every combination of faces once -------------------------------------------------------------------------

PAIRS = list(product(range(1, 7), repeat=2))


def test_a_full_pool_averages_53_and_a_pair_25_sixths():
    """Without attackers' dice, all on one roll. 360 lanes go through the faces of each die equally often."""
    lanes = np.arange(360)
    table = position(games=lanes)
    lay(table)
    t = table.t
    t.small[:] = 1 + lanes % 6
    t.spoilers[:] = [1 + lanes % sides for sides in (12, 10, 8)]
    t.nemesis[0] = 1 + lanes % 20
    t.nemesis[1:] = 0  # which is no number of a die: they match nothing
    pairs = np.array(PAIRS).T[:, lanes % 36]
    for pair in range(3):
        t.pairs[2 * pair : 2 * pair + 2] = pairs
    ask = table.advance()
    assert Fraction(int(t.points[MIRROR : BULLET + 1].sum(dtype=int)), 3 * 360) == Fraction(25, 6)
    ask.action[:] = bits(FULL)
    assert table.advance() is None
    assert Fraction(int(t.total[0].sum()), 360) == 53


@cache
def games_of_all_faces(sin, dice):
    """{faces of these dice in the penalty roll of this Sin: a game that has them}, for every combination."""
    found, game = {}, 0
    while len(found) < 6 ** len(dice):
        faces = naive.Luck(0, game, 20, 0.0).penalty_dice(sin, 0)
        found.setdefault(tuple(faces[die] for die in dice), game)
        game += 1
    return found


PENALTIES = {
    "two dice": (WRATH, None, (0, 1), {}, Fraction(25, 6)),
    "a third base die": (WRATH, None, (0, 1, 4), {"penalty_dice": 3}, Fraction(125, 24)),
    "a fourth base die": (GREED, None, (0, 1, 4, 5), {"penalty_dice": 4}, Fraction(625, 108)),
    "Pride": (PRIDE, None, (0, 1, 2), {}, Fraction(125, 24)),
    "Gluttony with the die that it took": (GLUTTONY, LUST, (0, 1, 3), {}, Fraction(125, 24)),
    "Gluttony with Pride": (GLUTTONY, PRIDE, (0, 1, 2, 3), {}, Fraction(625, 108)),
}


@pytest.mark.parametrize("case", PENALTIES)
def test_mean_of_a_penalty_roll(case):
    sin, taken, dice, knobs, wanted = PENALTIES[case]
    games = games_of_all_faces(sin, dice)
    table = position({1: [sin]}, games=list(games.values()), **knobs)
    roll(table, *([] if taken is None else [taken]), score=(), matches=[sin])
    assert penalty_dice(table) == list(dice)
    assert list(zip(*table.t.penalty[list(dice)].tolist(), strict=True)) == list(games)
    assert Fraction(int(table.t.spent.sum()), len(games)) == wanted


PENALTY_ROLLS = {
    "two equal": ((4, 4), 2, 0),
    "two ones": ((1, 1), 2, 0),
    "two distinct": ((4, 1), 2, 2 + 5),
    "a six is worth nothing anyway": ((6, 1), 2, 5),
    "three equal": ((2, 2, None, None, 2), 3, 0),
    "two of three equal": ((2, 2, None, None, 5), 3, 1),
    "two of three equal, others": ((5, 2, None, None, 2), 3, 1),
    "three distinct": ((1, 2, None, None, 3), 3, 5 + 4 + 3),
    "four equal": ((3, 3, None, None, 3, 3), 4, 0),
    "three of four equal": ((3, 3, None, None, 1, 3), 4, 5),
    "two pairs": ((3, 1, None, None, 1, 3), 4, 0),
    "one pair of four": ((3, 1, None, None, 2, 3), 4, 5 + 4),
    "four distinct": ((5, 1, None, None, 2, 4), 4, 1 + 5 + 4 + 2),
}


@pytest.mark.parametrize("case", PENALTY_ROLLS)
def test_points_of_a_penalty_roll(case):
    faces, count, wanted = PENALTY_ROLLS[case]
    table = position({1: [WRATH]}, penalties={WRATH: faces}, penalty_dice=count)
    roll(table, score=(), matches=[WRATH])
    assert len(penalty_dice(table)) == count
    assert points(table) == wanted


def test_a_penalty_roll_of_six_dice():
    """Four base dice, the taken Pride die and the metallic one: 1 1 2 3 4 5."""
    game = game_where(lambda luck: sorted(luck.penalty_dice(GLUTTONY, 0)) == [1, 1, 2, 3, 4, 5])
    table = position({1: [GLUTTONY]}, game=game, penalty_dice=4)
    roll(table, PRIDE, score=(), matches=[GLUTTONY])
    assert penalty_dice(table) == [0, 1, 2, 3, 4, 5]
    assert points(table) == 4 + 3 + 2 + 1


# Sin matches ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sin", range(7))
def test_what_is_a_match(sin):
    """The same colour and the same number, of a small die in play and a large one that an attacker holds."""

    def matches(hold, out=(), **dice):
        table = position(hold, pool=FULL - set(out), sins=[])
        roll(table, **dice)
        return sin_matches(table)

    other = (sin + 1) % 7
    assert matches({1: [sin]}, matches=[sin]) == 1
    assert matches({3: [sin], 0: [other]}, matches=[sin]) == 1
    assert matches({1: [sin, other]}, small={sin: 4, other: 5}, large={sin: 5, other: 4}) == 0  # the other's number
    assert matches({0: [sin]}, matches=[sin]) == 0  # the defender's own are set aside (VV19)
    assert matches({}, matches=[sin]) == 0  # nobody rolls the reserves (VV20)
    assert matches({1: [sin]}, out=[sin], matches=[sin]) == 0  # the small die is scored already


def test_a_penalty_is_a_removal():
    """VV2: none further is due, and every other unit may be removed all the same. VV3: the small die is out."""
    table = position({1: [PRIDE]}, sins=[], penalties={PRIDE: (4, 1)})
    assert roll(table, score=(), matches=[PRIDE]) == Roll([], FULL - {PRIDE}, due=False, asked=True)
    assert pool(table) == FULL - {PRIDE}
    assert points(table) == 2 + 5
    assert roll(table, score={LUST, D12}).due  # each roll anew
    table = position({1: [PRIDE]}, pool={PRIDE, D12}, sins=[])
    assert roll(table, score=(), matches=[PRIDE]) == Roll([], {D12}, due=False, asked=True)
    assert pool(table) == {D12}


def test_a_turn_may_end_with_a_penalty():
    table = position({1: [PRIDE]}, pool={PRIDE}, sins=[], penalties={PRIDE: (4, 1)})
    assert roll(table, matches=[PRIDE]) == Roll([], set(), due=False, asked=False)
    assert table.t.defender[0] == 1
    assert of_lane(table.t.total) == [7, 0, 0, 0]


def test_a_match_comes_before_the_defender_can_bank_a_six():
    """VV5."""
    table = position({1: [PRIDE]}, sins=[], penalties={PRIDE: (4, 1)})
    assert PRIDE not in roll(table, score=(), matches=[PRIDE], number=6).offered
    assert points(table) == 7


def test_a_colour_matches_once_a_turn():
    """VV4: the large die stays with its holder, but has nothing left to match; in another turn it has."""
    table = position({1: [PRIDE]}, sins=[])
    roll(table, score=(), matches=[PRIDE])
    assert held(table) == {PRIDE: 1}
    assert roll(table, score={LUST}, matches=[PRIDE]).due
    assert sin_matches(table) == 1
    roll(table, score=ALL)
    table.t.defender[:] = 2
    roll(table, matches=[PRIDE])
    assert of_lane(table.t.sin_matches) == [1, 0, 1, 0]


def test_two_matches_are_two_penalty_rolls():
    """VV6: a 2 and a 5 each time, which do not pair up across."""
    table = position({1: [PRIDE], 3: [ENVY]}, sins=[], penalties={PRIDE: (2, 5), ENVY: (5, 2)})
    roll(table, score=(), matches=[PRIDE, ENVY])
    assert points(table) == 2 * (4 + 1)
    assert sin_matches(table) == 2
    assert pool(table) == FULL - {PRIDE, ENVY}


def test_all_seven_may_match_at_once():
    table = position({1: [LUST, SLOTH, WRATH, PRIDE], 3: [GREED, GLUTTONY, ENVY]}, sins=[])
    assert roll(table, matches=range(7)) == Roll([], FULL - set(range(7)), due=False, asked=True)
    assert sin_matches(table) == 7


# Each effect alone ----------------------------------------------------------------------------------------------------


class Effect(NamedTuple):
    hold: dict
    """{seat: its Sins}, seat 0 defending"""
    sin: int
    """that matches"""
    after: dict
    """{Sin: holder} at last, all others in reserve"""
    offered: set | None = None
    """to its holder, None if there is no choice"""
    answer: int | None = None
    points: int = 5
    destroyed: tuple = ()


def holders(hold):
    return {sin: seat for seat, sins in hold.items() for sin in sins}


def same(hold, sin, **more):
    return Effect(hold, sin, holders(hold), **more)


def but(hold, **changes):
    after = holders(hold) | {SINS.index(sin): seat for sin, seat in changes.items()}
    return {sin: holder for sin, holder in after.items() if holder != RESERVE}


TWO = {0: [WRATH, PRIDE], 1: [LUST, SLOTH], 2: [ENVY], 3: [GREED]}  # Gluttony is in reserve
BARE = {1: [WRATH, GREED], 2: [ENVY]}  # the defender has no Sin
ONE = {0: [ENVY], 1: [WRATH, GREED], 2: [PRIDE]}
THREE = {0: [LUST, SLOTH, PRIDE], 1: [WRATH], 2: [GREED, ENVY]}
RESERVES = {0: [WRATH, PRIDE], 1: [GLUTTONY, ENVY], 2: [GREED]}  # of Lust and Sloth
PRIDES = {0: [WRATH, SLOTH], 1: [GLUTTONY, ENVY], 2: [GREED]}  # of Lust and Pride
NONE = {0: [WRATH, PRIDE], 1: [GLUTTONY, SLOTH], 2: [GREED], 3: [LUST, ENVY]}
THEIRS = {0: [WRATH, PRIDE, GREED, GLUTTONY, ENVY], 2: [LUST, SLOTH]}  # nobody else has any
ALONE = {1: [ENVY, LUST, GLUTTONY, GREED], 2: [WRATH]}

EFFECTS = {
    "Wrath: a defender without Sins (VV11)": same(BARE, WRATH),
    "Wrath: the only Sin": Effect(ONE, WRATH, but(ONE, envy=DESTROYED)),
    "Wrath: its player picks": Effect(THREE, WRATH, but(THREE, sloth=DESTROYED), {LUST, SLOTH, PRIDE}, SLOTH),
    "Sloth takes no Sin": same(TWO, SLOTH),
    "Pride: the metallic die joins": same({0: [ENVY], 3: [PRIDE]}, PRIDE, points=8),
    "Lust: from another attacker (VV16)": Effect(TWO, LUST, but(TWO, envy=1), {GLUTTONY, ENVY, GREED}, ENVY),
    "Lust: from the reserves (VV16)": Effect(TWO, LUST, but(TWO, gluttony=1), {GLUTTONY, ENVY, GREED}, GLUTTONY),
    "Lust: never from the defender (VV16)": same(THEIRS, LUST),
    "Lust: nor what is destroyed": Effect(
        {0: [WRATH], 1: [LUST], 2: [GREED]}, LUST, {WRATH: 0, LUST: 1, GREED: 1},
        destroyed=(GLUTTONY, SLOTH, ENVY, PRIDE),
    ),
    "Greed: a defender without Sins": same(BARE, GREED),
    "Greed: the only Sin": Effect(ONE, GREED, but(ONE, envy=1)),
    "Greed: its player picks (VV13)": Effect(THREE, GREED, but(THREE, lust=2), {LUST, SLOTH, PRIDE}, LUST),
    "Gluttony: only from the reserves": Effect(RESERVES, GLUTTONY, but(RESERVES, sloth=1), {LUST, SLOTH}, SLOTH, 7),
    "Gluttony takes Pride (VV7)": Effect(PRIDES, GLUTTONY, but(PRIDES, pride=1), {LUST, PRIDE}, PRIDE, 10),
    "Gluttony: the only reserve": Effect(
        {**NONE, 3: [LUST]}, GLUTTONY, but({**NONE, 3: [LUST]}, envy=1), points=7
    ),
    "Gluttony: no reserves (VV17)": same(NONE, GLUTTONY),
    "Gluttony: all other reserves are destroyed": same(
        {1: [GLUTTONY], 0: [LUST]}, GLUTTONY, destroyed=(GREED, SLOTH, WRATH, ENVY, PRIDE)
    ),
    "Envy: for one in reserve, which Envy then is (VV14)": Effect(
        TWO, ENVY, {WRATH: 0, PRIDE: 0, LUST: 1, SLOTH: 1, GREED: 3, GLUTTONY: 2},
        {WRATH, PRIDE, LUST, SLOTH, GREED, GLUTTONY}, GLUTTONY,
    ),
    "Envy: for the defender's, set aside (VV14)": Effect(
        TWO, ENVY, but(TWO, pride=2, envy=0), {WRATH, PRIDE, LUST, SLOTH, GREED, GLUTTONY}, PRIDE
    ),
    "Envy: for another attacker's, one of several": Effect(
        TWO, ENVY, but(TWO, sloth=2, envy=1), {WRATH, PRIDE, LUST, SLOTH, GREED, GLUTTONY}, SLOTH
    ),
    "Envy: not its own others, nor what is destroyed": Effect(
        ALONE, ENVY, but(ALONE, pride=1, envy=RESERVE), {WRATH, PRIDE}, PRIDE, destroyed=(SLOTH,)
    ),
    "Envy: only one to have": Effect(ALONE, ENVY, but(ALONE, wrath=1, envy=2), destroyed=(SLOTH, PRIDE)),
    "Envy: nothing to have (VV17)": same({3: [ENVY, LUST]}, ENVY, destroyed=(GLUTTONY, GREED, SLOTH, WRATH, PRIDE)),
}  # fmt: skip

SHIFTS = range(4)


def shifted(seats, shift):
    return {(seat + shift) % 4: sins for seat, sins in seats.items()}


def position_of(effect, shift=0, **knobs):
    """The penalty roll shows 2 and 5, a metallic die 3 and one that Gluttony took 4."""
    knobs = {"penalties": {effect.sin: (2, 5, 3, 4)}, "destroyed": effect.destroyed, "defender": shift} | knobs
    return position(shifted(effect.hold, shift), **knobs)


def let_happen(effect, table):
    answers = [] if effect.offered is None else [effect.answer]
    return roll(table, *answers, score=(), matches=[effect.sin])


@pytest.mark.parametrize("shift", SHIFTS)
@pytest.mark.parametrize("case", EFFECTS)
def test_effect(case, shift):
    """Whoever sits where; and with nothing to take there is a penalty all the same (VV17)."""
    effect = EFFECTS[case]
    table = position_of(effect, shift)
    maker = (holders(effect.hold)[effect.sin] + shift) % 4
    found = let_happen(effect, table)
    asked = [] if effect.offered is None else [(effect.sin, maker, effect.offered)]
    assert found == Roll(asked, FULL - {effect.sin}, due=False, asked=True)
    after = {sin: (seat + shift) % 4 if seat >= 0 else seat for sin, seat in effect.after.items()}
    assert held(table) == after | dict.fromkeys(effect.destroyed, DESTROYED)
    assert table.t.sins_destroyed[0] == list(held(table).values()).count(DESTROYED)
    assert points(table, shift) == effect.points
    assert of_lane(table.t.sin_matches) == [int(seat == shift) for seat in range(4)]
    assert table.t.removed[0] == (1 << maker if effect.sin == SLOTH else 0)


@pytest.mark.parametrize("case", EFFECTS)
def test_an_effect_that_is_off(case):
    """Knob `sins`: the penalty remains, of the base dice, and nothing moves."""
    effect = EFFECTS[case]
    table = position_of(effect, sins=[sin for sin in SINS if sin != SINS[effect.sin]])
    assert roll(table, score=(), matches=[effect.sin]) == Roll([], FULL - {effect.sin}, due=False, asked=True)
    assert held(table) == holders(effect.hold) | dict.fromkeys(effect.destroyed, DESTROYED)
    assert penalty_dice(table) == [0, 1]
    assert points(table) == 4 + 1
    assert table.t.removed[0] == 0


def test_positions_side_by_side():
    """Every lane comes out as it does alone, whatever is decided next to it."""
    effects = list(EFFECTS.values())
    alone = [position_of(effect) for effect in effects]
    wide = position(games=range(len(alone)))
    for effect, table in zip(effects, alone, strict=True):
        lay(table, matches=[effect.sin])
    for array, *parts in zip(wide.t, *(table.t for table in alone), strict=True):
        array[...] = np.stack([part[..., 0] for part in parts], axis=-1)
    while (ask := wide.advance()) is not None:
        answers = [0 if ask.view.kind == REMOVE else effect.answer or 0 for effect in effects]
        ask.action[:] = answers
        assert GAME.is_legal(ask.view, ask.seat, ask.action)
    for lane, (effect, table) in enumerate(zip(effects, alone, strict=True)):
        let_happen(effect, table)
        for name, array in wide.t._asdict().items():
            assert array[..., lane].tolist() == getattr(table.t, name)[..., 0].tolist(), (lane, name)


def test_envy_may_decline_where_that_is_a_knob():
    """VV15, also where there is only one Sin to have; with none there is nothing to decline."""
    for answer, after in ((DECLINE, holders(TWO)), (PRIDE, but(TWO, pride=2, envy=0))):
        table = position(TWO, envy_optional=True, penalties={ENVY: (2, 5)})
        choices = roll(table, answer, score=(), matches=[ENVY]).choices
        assert choices == [(ENVY, 2, {WRATH, PRIDE, LUST, SLOTH, GREED, GLUTTONY, DECLINE})]
        assert held(table) == after
        assert points(table) == 4 + 1
        assert (sin_matches(table), table.t.matched[0]) == (1, 1 << ENVY)
    table = position(ALONE, destroyed=(SLOTH, PRIDE), envy_optional=True)
    assert roll(table, DECLINE, score=(), matches=[ENVY]).choices == [(ENVY, 1, {WRATH, DECLINE})]
    assert held(table) == holders(ALONE) | {SLOTH: DESTROYED, PRIDE: DESTROYED}
    table = position({3: [ENVY, LUST]}, destroyed=(GLUTTONY, GREED, SLOTH, WRATH, PRIDE), envy_optional=True)
    assert roll(table, score=(), matches=[ENVY]).choices == []


@pytest.mark.parametrize("case", [case for case in EFFECTS if not case.startswith("Envy")])
def test_all_other_effects_are_compulsory(case):
    """VV15."""
    effect = EFFECTS[case]
    table = position_of(effect, envy_optional=True)
    choices = let_happen(effect, table).choices
    assert [offered for _, _, offered in choices] == ([] if effect.offered is None else [effect.offered])


# Sloth ----------------------------------------------------------------------------------------------------------------


def test_sloth_loses_the_nemesis_of_its_own_player():
    """VV23: not the defender's, nor for more than once; later its player rolls none, attacking or defending (VV24)."""
    table = position({2: [SLOTH]})
    roll(table, matches=[SLOTH], nemesis={0: 5, 2: 5, 3: 6})
    assert (members(table.t.removed[0]), table.t.nemesis_destroyed[0]) == ({2}, 1)
    assert nemesis_matches(table) == 0  # VV22: on this roll already
    roll(table, matches=[SLOTH], nemesis={1: 5, 2: 5, 3: 5})  # seat 1 defends
    assert nemesis_matches(table, 1) == 1  # seat 3's
    assert (members(table.t.removed[0]), table.t.nemesis_destroyed[0]) == ({2}, 1)
    assert sin_matches(table, 1) == 1  # a penalty all the same
    roll(table)
    assert table.t.defender[0] == 2
    assert pool(table) == FULL - {OWN}


ABSORBED_1 = ABSORBED + 1


def test_sloth_loses_a_nemesis_that_lies_in_the_pool():
    """VV22: at once and unscored."""
    table = position({1: [SLOTH]}, pool={SLOTH, D12, ABSORBED_1}, penalties={SLOTH: (2, 5)})
    found = roll(table, matches=[SLOTH], spoilers=(10, 1, 1), nemesis={1: 1})
    assert found == Roll([], {D12}, due=False, asked=True)
    assert of_lane(table.t.total) == [4 + 1 + 2, 0, 0, 0]
    assert table.t.defender[0] == 1
    assert pool(table) == FULL - {OWN}
    assert table.t.nemesis_destroyed[0] == 1


def test_sloth_may_take_the_last_unit():
    """VV22: nothing is left, and the turn is over."""
    table = position({1: [SLOTH]}, pool={SLOTH, ABSORBED_1}, penalties={SLOTH: (2, 5)})
    assert roll(table, matches=[SLOTH]) == Roll([], set(), due=False, asked=False)
    assert of_lane(table.t.total) == [4 + 1, 0, 0, 0]
    assert (table.t.defender[0], table.t.rolls[0]) == (1, 1)


def test_a_nemesis_scored_before_it_is_lost_stays_scored():
    """VV22. Over three rolls: absorbed, scored for 11, lost."""
    table = position({1: [SLOTH]}, penalties={(SLOTH, 2): (2, 5)})
    roll(table, score={D12}, nemesis={0: 9, 1: 9})
    roll(table, score=absorbed(1), nemesis={1: 9})
    assert points(table) == 11
    roll(table, score=(), matches=[SLOTH], nemesis={1: 9})
    assert points(table) == 11 + 4 + 1
    assert (members(table.t.removed[0]), table.t.nemesis_destroyed[0]) == ({1}, 1)
    assert pool(table) == FULL - {D12, SLOTH}


def test_a_lost_nemesis_neither_matches_nor_is_matched_on_that_roll():
    """VV22: seat 1's shows the defender's number; in the pool, the number of seat 2."""
    table = position({1: [SLOTH]})
    roll(table, score=(), matches=[SLOTH], nemesis={0: 7, 1: 7})
    assert nemesis_matches(table) == 0
    assert pool(table) == FULL - {SLOTH}
    table = position({1: [SLOTH]}, pool={SLOTH, D12, ABSORBED_1})
    roll(table, score=(), matches=[SLOTH], nemesis={1: 7, 2: 7})
    assert nemesis_matches(table) == 0
    assert pool(table) == {D12}
    table = position({1: [PRIDE]}, pool={PRIDE, D12, ABSORBED_1})  # the same without Sloth
    roll(table, score=(), matches=[PRIDE], nemesis={1: 7, 2: 7})
    assert nemesis_matches(table) == 1
    assert pool(table) == {D12, *absorbed(1, 2)}


@pytest.mark.parametrize(("no_nemesis", "wanted"), [("lighter", FULL - {OWN}), ("borrow", FULL)])
def test_a_defender_without_nemesis(no_nemesis, wanted):
    """VV24: a borrowed die is matched and scored like one's own; but only while defending."""
    table = position(removed=[0, 3], no_nemesis=no_nemesis)
    assert pool(table) == wanted
    roll(table, score={D12}, nemesis={0: 4, 1: 4, 3: 4})
    assert nemesis_matches(table) == (1 if no_nemesis == "borrow" else 0)
    if no_nemesis == "borrow":
        assert pool(table) == FULL - {D12} | absorbed(1)
        roll(table, score={OWN}, nemesis={0: 8, 1: 2})
        assert points(table) == 12
    table = position(removed=[0], defender=1, no_nemesis=no_nemesis)
    roll(table, score={D12}, nemesis={0: 4, 1: 4})
    assert nemesis_matches(table, 1) == 0


# Effects that meet ----------------------------------------------------------------------------------------------------


def test_the_order_of_resolution():
    """The rulebook: reverse alphabetical, whoever made which."""
    assert [SINS[sin] for sin in rules.RESOLUTION] == sorted(SINS, reverse=True)


def test_wrath_may_leave_nothing_to_greed():
    """VV10: the defender's only Sin is destroyed when Greed's turn comes, which is then a penalty only (VV17)."""
    table = position({0: [PRIDE], 1: [WRATH], 2: [GREED]}, penalties={WRATH: (2, 5), GREED: (1, 3)})
    assert roll(table, score=(), matches=[WRATH, GREED]).choices == []
    assert held(table) == {PRIDE: DESTROYED, WRATH: 1, GREED: 2}
    assert sin_matches(table) == 2
    assert points(table) == (4 + 1) + (5 + 3)


def test_wrath_may_leave_one_to_greed():
    table = position({0: [PRIDE, LUST], 1: [WRATH], 2: [GREED]})
    assert roll(table, PRIDE, score=(), matches=[WRATH, GREED]).choices == [(WRATH, 1, {PRIDE, LUST})]
    assert held(table) == {PRIDE: DESTROYED, WRATH: 1, GREED: 2, LUST: 2}


def test_lust_may_leave_no_reserves_to_gluttony():
    hold = {0: [WRATH, PRIDE], 1: [LUST], 2: [GLUTTONY], 3: [GREED, SLOTH]}
    table = position(hold, penalties={LUST: (2, 5), GLUTTONY: (1, 3)})
    choices = roll(table, ENVY, score=(), matches=[LUST, GLUTTONY]).choices
    assert choices == [(LUST, 1, {GLUTTONY, GREED, SLOTH, ENVY})]
    assert held(table) == but(hold, envy=1)
    assert penalty_dice(table) == [0, 1]
    assert points(table) == (4 + 1) + (5 + 3)


def test_gluttony_may_have_what_greed_returned():
    """VV12 and the order: Greed, swapping, returns Sloth and itself before Gluttony chooses."""
    hold = {0: [WRATH, PRIDE], 1: [GREED, SLOTH], 2: [GLUTTONY], 3: [LUST, ENVY]}
    table = position(hold, stealing="swap")
    choices = roll(table, WRATH, SLOTH, score=(), matches=[GREED, GLUTTONY]).choices
    assert choices == [(GREED, 1, {WRATH, PRIDE}), (GLUTTONY, 2, {GREED, SLOTH})]
    assert held(table) == {PRIDE: 0, WRATH: 1, GLUTTONY: 2, SLOTH: 2, LUST: 3, ENVY: 3}


def test_envy_sees_what_gluttony_took():
    """The order: the only reserve is seat 1's by then, where Envy goes in exchange for it."""
    hold = {0: [WRATH, PRIDE], 1: [GLUTTONY, LUST], 2: [ENVY], 3: [GREED]}
    table = position(hold)
    choices = roll(table, SLOTH, score=(), matches=[GLUTTONY, ENVY]).choices
    assert choices == [(ENVY, 2, {WRATH, PRIDE, GLUTTONY, LUST, GREED, SLOTH})]
    assert held(table) == but(hold, sloth=2, envy=1)


# A match whose die has changed hands ----------------------------------------------------------------------------------
THEFT = {0: [WRATH], 1: [LUST], 2: [GREED], 3: [SLOTH, ENVY, PRIDE]}  # Gluttony is in reserve


@pytest.mark.parametrize(
    ("stolen_match", "after", "matches"),
    [
        ("void", but(THEFT, greed=1), 1),
        ("follows", but(THEFT, greed=1, wrath=1), 2),  # who took Greed makes its match
        ("stays", but(THEFT, greed=1, wrath=2), 2),  # who rolled it does
    ],
)
def test_lust_takes_greed_whose_match_is_pending(stolen_match, after, matches):
    """VV9."""
    table = position(THEFT, stolen_match=stolen_match, penalties={LUST: (2, 5), GREED: (1, 3)})
    found = roll(table, GREED, score=(), matches=[LUST, GREED])
    assert found.choices == [(LUST, 1, {GLUTTONY, GREED, SLOTH, ENVY, PRIDE})]
    assert held(table) == after
    assert sin_matches(table) == matches
    assert points(table) == (4 + 1) + (5 + 3 if matches == 2 else 0)
    assert found.offered == FULL - ({LUST, GREED} if matches == 2 else {LUST})
    assert table.t.matched[0] == (1 << LUST | 1 << GREED if matches == 2 else 1 << LUST)
    assert not found.due  # Lust's penalty was a removal


def test_the_die_of_a_void_match_stays_as_it_lies():
    """VV9: with its number it may be banked on this roll; VV5 is for matches that are made."""
    table = position(THEFT, penalties={LUST: (2, 5)})
    roll(table, GREED, score={GREED}, matches=[LUST, GREED], number=4)
    assert points(table) == (4 + 1) + 2
    assert pool(table) == FULL - {LUST, GREED}


def test_the_colour_of_a_void_match_may_match_again():
    """VV9, for its new holder."""
    table = position(THEFT, penalties={LUST: (2, 5), (GREED, 1): (1, 3)})
    roll(table, GREED, score={D12}, matches=[LUST, GREED])
    assert roll(table, score=(), matches=[LUST, GREED]).choices == []
    assert held(table) == but(THEFT, greed=1, wrath=1)
    assert sin_matches(table) == 2
    assert points(table) == (4 + 1) + (5 + 3)


@pytest.mark.parametrize(("stolen_match", "maker"), [("void", None), ("follows", 1), ("stays", 2)])
def test_lust_takes_gluttony_whose_match_is_pending(stolen_match, maker):
    hold = {0: [WRATH], 1: [LUST], 2: [GLUTTONY], 3: [SLOTH, GREED]}
    table = position(hold, stolen_match=stolen_match, penalties={LUST: (2, 5), GLUTTONY: (1, 3, None, 4)})
    answers = [GLUTTONY] if maker is None else [GLUTTONY, ENVY]
    _, *more = roll(table, *answers, score=(), matches=[LUST, GLUTTONY]).choices
    assert more == ([] if maker is None else [(GLUTTONY, maker, {ENVY, PRIDE})])
    assert held(table) == but(hold, gluttony=1, **({} if maker is None else {"envy": maker}))
    assert points(table) == (4 + 1) + (0 if maker is None else 5 + 3 + 2)


@pytest.mark.parametrize("stolen_match", ["void", "follows", "stays"])
def test_lust_takes_envy_whose_match_is_pending(stolen_match):
    """VV9: who rolled Envy but no longer holds it cannot give it: a penalty only."""
    hold = {0: [WRATH], 1: [LUST], 2: [ENVY, PRIDE], 3: [SLOTH, GREED]}  # Gluttony is in reserve
    table = position(hold, stolen_match=stolen_match, penalties={LUST: (2, 5), ENVY: (1, 3)})
    answers = [ENVY, WRATH] if stolen_match == "follows" else [ENVY]
    _, *more = roll(table, *answers, score=(), matches=[LUST, ENVY]).choices
    offered = {WRATH, PRIDE, SLOTH, GREED, GLUTTONY}
    assert more == ([(ENVY, 1, offered)] if stolen_match == "follows" else [])
    assert held(table) == (but(hold, envy=0, wrath=1) if stolen_match == "follows" else but(hold, envy=1))
    assert sin_matches(table) == (1 if stolen_match == "void" else 2)
    assert points(table) == (4 + 1) + (0 if stolen_match == "void" else 5 + 3)


SWAP = {0: [WRATH, ENVY, PRIDE], 1: [LUST, GLUTTONY], 2: [GREED], 3: [SLOTH]}


@pytest.mark.parametrize("stolen_match", ["void", "follows", "stays"])
def test_a_swap_returns_a_die_whose_match_is_pending(stolen_match):
    """VV9 and VV12: nobody makes the match of a die that went to the reserves, unless who rolled it does: Gluttony may
    then take itself back."""
    table = position(
        SWAP, stealing="swap", stolen_match=stolen_match, penalties={LUST: (2, 5), GLUTTONY: (1, 3, None, 4)}
    )
    stays = stolen_match == "stays"
    choices = roll(table, *([GREED, GLUTTONY] if stays else [GREED]), score=(), matches=[LUST, GLUTTONY]).choices
    assert choices == [(LUST, 1, {GREED, SLOTH}), *([(GLUTTONY, 1, {LUST, GLUTTONY})] if stays else [])]
    after = {WRATH: 0, ENVY: 0, PRIDE: 0, GREED: 1, SLOTH: 3}
    assert held(table) == (after | {GLUTTONY: 1} if stays else after)
    assert sin_matches(table) == (2 if stays else 1)
    assert pool(table) == FULL - ({LUST, GLUTTONY} if stays else {LUST})
    assert points(table) == (4 + 1) + (5 + 3 + 2 if stays else 0)


@pytest.mark.parametrize("stolen_match", ["void", "follows", "stays"])
def test_gluttony_takes_envy_that_a_swap_returned(stolen_match):
    """VV9 and VV12: Envy's match is pending, Envy goes from seat 1 to the reserves and from there to seat 2."""
    hold = {0: [GREED, WRATH, PRIDE], 1: [LUST, ENVY], 2: [GLUTTONY], 3: [SLOTH]}
    table = position(hold, stealing="swap", stolen_match=stolen_match)
    answers = [SLOTH, ENVY, GREED] if stolen_match == "follows" else [SLOTH, ENVY]
    choices = roll(table, *answers, score=(), matches=[LUST, GLUTTONY, ENVY]).choices
    assert choices[:2] == [(LUST, 1, {GLUTTONY, SLOTH}), (GLUTTONY, 2, {LUST, ENVY})]
    envys = [(ENVY, 2, {GREED, WRATH, PRIDE, LUST, SLOTH})]
    assert choices[2:] == (envys if stolen_match == "follows" else [])
    after = {WRATH: 0, PRIDE: 0, SLOTH: 1, GLUTTONY: 2}
    assert held(table) == after | ({GREED: 2, ENVY: 0} if stolen_match == "follows" else {GREED: 0, ENVY: 2})
    assert sin_matches(table) == (2 if stolen_match == "void" else 3)


@pytest.mark.parametrize("stolen_match", ["void", "follows", "stays"])
def test_greed_swaps_envy_whose_match_is_pending_away(stolen_match):
    hold = {0: [WRATH], 1: [GREED, ENVY], 2: [LUST, GLUTTONY, SLOTH, PRIDE]}
    table = position(hold, stealing="swap", stolen_match=stolen_match)
    assert roll(table, score=(), matches=[GREED, ENVY]).choices == []
    assert held(table) == {WRATH: 1, LUST: 2, GLUTTONY: 2, SLOTH: 2, PRIDE: 2}
    assert sin_matches(table) == (2 if stolen_match == "stays" else 1)


@pytest.mark.parametrize("stolen_match", ["void", "follows", "stays"])
def test_a_match_resolved_before_the_die_changes_hands_is_made(stolen_match):
    """Pride comes before Lust: seat 2 made it; and Lust takes the die, which does not match twice."""
    table = position({1: [LUST], 2: [PRIDE]}, stolen_match=stolen_match, penalties={LUST: (2, 5), PRIDE: (1, 3, 3)})
    roll(table, PRIDE, score=(), matches=[LUST, PRIDE])
    assert held(table) == {LUST: 1, PRIDE: 1}
    assert sin_matches(table) == 2
    assert points(table) == (4 + 1) + 5


# Swapping -------------------------------------------------------------------------------------------------------------

LADEN = {0: [WRATH, PRIDE], 1: [LUST, GREED, SLOTH], 2: [ENVY]}  # Gluttony is in reserve


@pytest.mark.parametrize(
    ("sin", "taken", "accumulate", "swap"),
    [
        (LUST, ENVY, but(LADEN, envy=1), {WRATH: 0, PRIDE: 0, ENVY: 1}),
        (LUST, GLUTTONY, but(LADEN, gluttony=1), {WRATH: 0, PRIDE: 0, GLUTTONY: 1, ENVY: 2}),
        (GREED, PRIDE, but(LADEN, pride=1), {WRATH: 0, PRIDE: 1, ENVY: 2}),
    ],
)
def test_a_swapping_taker_returns_all_its_others(sin, taken, accumulate, swap):
    """VV12, the Lust or Greed die included."""
    for stealing, after in (("accumulate", accumulate), ("swap", swap)):
        table = position(LADEN, stealing=stealing)
        roll(table, taken, score=(), matches=[sin])
        assert held(table) == after


def test_a_swapping_taker_that_takes_nothing_returns_nothing():
    """VV12."""
    for hold, sin in ((BARE, GREED), (THEIRS, LUST)):
        table = position(hold, stealing="swap")
        roll(table, score=(), matches=[sin])
        assert held(table) == holders(hold)


@pytest.mark.parametrize("case", [case for case in EFFECTS if not case.startswith(("Lust", "Greed"))])
def test_only_lust_and_greed_swap(case):
    effect = EFFECTS[case]
    table = position_of(effect, stealing="swap")
    let_happen(effect, table)
    assert held(table) == effect.after | dict.fromkeys(effect.destroyed, DESTROYED)


# Pride's metallic die -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("sin", "seat"), [(LUST, 2), (GREED, 0), (GLUTTONY, RESERVE), (ENVY, 2), (ENVY, RESERVE)])
def test_the_metallic_die_travels_with_pride(sin, seat):
    """VV8: however seat 1 came by Pride, on the next roll its match is a roll of three dice (and VV18: not before)."""
    hold = {0: [WRATH], 1: [sin]} | ({} if seat == RESERVE else {seat: [PRIDE, SLOTH]})
    table = position(hold, penalties={(PRIDE, 1): (2, 5, 3)})
    roll(table, PRIDE, score={D12}, matches=[sin], small={PRIDE: 3}, large={PRIDE: 3 if seat == RESERVE else 4})
    assert held(table)[PRIDE] == 1
    before = points(table)
    roll(table, score=(), matches=[PRIDE])
    assert penalty_dice(table) == [0, 1, 2]
    assert points(table) - before == 4 + 1 + 3
    assert sin_matches(table) == 2


def test_gluttony_takes_pride_that_a_swap_returned():
    """VV8: the metallic die lay in reserve with it, and joins (VV7)."""
    hold = {0: [WRATH], 1: [LUST, PRIDE], 2: [GLUTTONY], 3: [SLOTH]}
    table = position(hold, stealing="swap", penalties={LUST: (2, 5), GLUTTONY: (2, 5, 3, 4)})
    choices = roll(table, SLOTH, PRIDE, score=(), matches=[LUST, GLUTTONY]).choices
    assert choices[1] == (GLUTTONY, 2, {LUST, GREED, ENVY, PRIDE})
    assert penalty_dice(table) == [0, 1, 2, 3]
    assert points(table) == (4 + 1) + (4 + 1 + 3 + 2)


def test_without_pride_the_metallic_die_is_never_rolled():
    """Knob `sins`; what Gluttony takes joins all the same (VV7)."""
    sins = [sin for sin in SINS if sin != "pride"]
    table = position(PRIDES, sins=sins, penalties={GLUTTONY: (2, 5, 3, 4)})
    roll(table, PRIDE, score=(), matches=[GLUTTONY])
    assert held(table)[PRIDE] == 1
    assert penalty_dice(table) == [0, 1, 3]
    assert points(table) == 4 + 1 + 2
    roll(table, score=(), matches=[PRIDE])
    assert penalty_dice(table) == [0, 1]


def test_destroyed_pride_is_out_of_the_game():
    """VV8: the metallic die with it."""
    table = position({0: [PRIDE], 1: [WRATH]})
    roll(table, score=ALL, matches=[WRATH])
    roll(table, score=ALL, matches=[PRIDE])  # seat 1 defends, nobody rolls Pride
    assert of_lane(table.t.sin_matches) == [1, 0, 0, 0]


# Dice that changed hands ----------------------------------------------------------------------------------------------


def test_a_taken_sin_rolls_from_the_next_roll_on():
    """VV18: Greed, from the reserves, shows its small die's number at once, and matches on the next roll."""
    table = position({0: [WRATH, PRIDE], 1: [LUST]})
    found = roll(table, GREED, score={D12}, matches=[LUST, GREED])
    assert found.choices == [(LUST, 1, {GLUTTONY, GREED, SLOTH, ENVY})]
    assert sin_matches(table) == 1
    assert roll(table, WRATH, score=(), matches=[GREED]).choices == [(GREED, 1, {WRATH, PRIDE})]
    assert held(table) == {PRIDE: 0, LUST: 1, GREED: 1, WRATH: 1}


def test_a_taken_sin_does_not_roll_against_a_small_die_that_is_out():
    """VV18."""
    table = position({0: [WRATH, PRIDE], 1: [LUST]})
    roll(table, GREED, score={GREED}, matches=[LUST])
    assert roll(table, score={D12}, matches=[GREED]) == Roll([], FULL - {LUST, GREED}, due=True, asked=True)
    assert sin_matches(table) == 1


def test_a_sin_taken_from_an_attacker_is_the_takers_to_roll():
    table = position({1: [LUST], 2: [WRATH], 0: [PRIDE, ENVY]})
    roll(table, WRATH, score={D12}, matches=[LUST])
    assert roll(table, ENVY, score=(), matches=[WRATH]).choices == [(WRATH, 1, {PRIDE, ENVY})]


def test_what_greed_took_rolls_against_whom_it_was_taken_from():
    table = position({0: [SLOTH], 1: [GREED]})
    roll(table, score={D12}, matches=[GREED])
    roll(table, score=(), matches=[SLOTH])
    assert sin_matches(table) == 2
    assert members(table.t.removed[0]) == {1}


def test_what_the_defender_gains_is_set_aside():
    """VV19: Envy is given to the defender, and what it was exchanged for is rolled against it; in the next turn Envy is
    an attacker's."""
    table = position({0: [SLOTH], 1: [ENVY, LUST], 2: [GREED]})
    roll(table, SLOTH, score={D12}, matches=[ENVY])
    assert held(table) == {ENVY: 0, SLOTH: 1, LUST: 1, GREED: 2}
    found = roll(table, score=ALL, matches=[ENVY, SLOTH])
    assert found == Roll([], FULL - {D12, ENVY, SLOTH}, due=False, asked=True)
    assert sin_matches(table) == 2
    assert members(table.t.removed[0]) == {1}
    choices = roll(table, GLUTTONY, score=ALL, matches=[ENVY]).choices  # seat 1 defends
    assert choices == [(ENVY, 0, {LUST, GLUTTONY, GREED, SLOTH, WRATH, PRIDE})]


def test_who_has_lost_everything_plays_on():
    """VV21: seat 2 has neither Sin nor Nemesis; its dice match nothing while seat 1 defends, then it defends itself."""
    table = position({0: [LUST], 1: [GREED]}, removed=[2], defender=1)
    roll(table, matches=range(1, 7), nemesis={1: 5, 2: 5})
    assert (sin_matches(table, 1), nemesis_matches(table, 1)) == (0, 0)
    assert table.t.defender[0] == 2
    assert pool(table) == FULL - {OWN}
    roll(table)
    assert of_lane(table.t.total) == [0, 5 + 6 * 3 + 15, 7 * 5, 0]


# Nemesis dice ---------------------------------------------------------------------------------------------------------


def test_several_absorbed_at_once_wait_for_the_next_roll():
    """VV29, VV25; the defender's own may be scored (VV30). Attackers' dice do not match each other."""
    table = position()
    found = roll(table, score={OWN}, nemesis={0: 7, 1: 7, 2: 7, 3: 4})
    assert found == Roll([], FULL, due=True, asked=True)
    assert nemesis_matches(table) == 2
    assert points(table) == 13
    assert pool(table) == FULL - {OWN} | absorbed(1, 2)
    assert members(table.t.joining[0]) == {1, 2}
    assert roll(table, score=absorbed(2), nemesis={1: 6, 2: 1, 3: 4}).offered == FULL - {OWN} | absorbed(1, 2)
    assert members(table.t.joining[0]) == set()
    assert points(table) == 13 + 19
    table = position()
    roll(table, score={D12}, nemesis={0: 8, 1: 7, 2: 7, 3: 7})
    assert nemesis_matches(table) == 0


def test_one_more_roll_when_everything_else_is_gone():
    """VV26."""
    table = position()
    roll(table, score=ALL, nemesis={0: 20, 3: 20})
    assert points(table) == 7 * 5
    assert pool(table) == absorbed(3)
    assert table.t.defender[0] == 0
    assert roll(table, nemesis={3: 8}) == Roll([], absorbed(3), due=True, asked=False)
    assert of_lane(table.t.total) == [7 * 5 + 12, 0, 0, 0]
    assert (table.t.rolls[0], table.t.defender[0], table.t.guests[0]) == (2, 1, 0)
    table = position(pool={OWN})
    assert roll(table, nemesis={0: 9, 1: 9}) == Roll([], {OWN}, due=True, asked=False)
    assert pool(table) == absorbed(1)


def test_one_more_roll_after_a_penalty():
    """VV26: the penalty takes the last small die, while the own Nemesis is scored and an absorbed one is matched."""
    table = position({1: [PRIDE]}, pool={PRIDE, *absorbed(2)}, sins=[], penalties={PRIDE: (2, 5)})
    found = roll(table, score=ALL, matches=[PRIDE], nemesis={2: 18, 3: 18})
    assert found == Roll([], absorbed(2), due=False, asked=True)
    assert pool(table) == absorbed(3)
    assert points(table) == (4 + 1) + 2


def test_an_absorbed_die_may_be_kept():
    """There is no requirement to remove it at once."""
    table = position()
    roll(table, score={D12}, nemesis={0: 7, 1: 7})
    roll(table, score={D10})
    assert roll(table, score={D8}).offered == FULL - {D12, D10} | absorbed(1)


def test_an_absorbed_die_is_matched_by_others():
    """VV28, from its first roll in the pool; not by the defender's own."""
    table = position()
    roll(table, score={D12}, nemesis={0: 7, 1: 7})
    roll(table, score={D10}, nemesis={0: 5, 1: 5, 2: 5, 3: 6})
    assert nemesis_matches(table) == 2
    roll(table, score={D8}, nemesis={0: 1, 1: 2, 2: 6, 3: 6})
    assert nemesis_matches(table) == 3
    assert pool(table) == FULL - {D12, D10, D8} | absorbed(1, 2, 3)


def test_a_scored_die_is_neither_matched_nor_absorbed_again():
    """VV28: neither seat 1's nor the own is in the pool any more."""
    table = position()
    roll(table, score={D12, OWN}, nemesis={0: 7, 1: 7, 2: 7})
    roll(table, score=absorbed(1))
    assert nemesis_matches(table) == 2
    roll(table, score={D10}, nemesis={0: 5, 1: 6, 2: 8, 3: 5})
    roll(table, score={D8}, nemesis={0: 5, 1: 6, 2: 8, 3: 6})
    roll(table, score={LUST}, nemesis={1: 8, 2: 8})  # seat 1's is with the defender
    assert nemesis_matches(table) == 2
    roll(table, score={GREED}, nemesis={2: 8, 3: 8})
    assert nemesis_matches(table) == 3


def test_absorbed_dice_return_after_the_turn():
    """To their owners: in the next turn they are rolled again, as the defender's own or an attacker's."""
    table = position()
    roll(table, score=ALL, nemesis={0: 7, 1: 7, 2: 7})
    roll(table, score=ALL, nemesis={1: 4, 2: 5})
    assert of_lane(table.t.total) == [7 * 5 + 13 + 16 + 15, 0, 0, 0]
    assert table.t.defender[0] == 1
    assert pool(table) == FULL
    roll(table, score=ALL, nemesis={0: 3, 1: 3, 2: 3})
    assert pool(table) == absorbed(0, 2)
    roll(table, score=ALL, nemesis={0: 19, 2: 18})
    assert of_lane(table.t.total) == [7 * 5 + 13 + 16 + 15, 7 * 5 + 17 + 1 + 2, 0, 0]
    assert table.t.nemesis_destroyed[0] == 0


def test_a_nemesis_keeps_its_owner_when_sins_change_hands():
    """Sloth, once taken, loses the Nemesis of whoever holds it then (VV23)."""
    table = position({0: [SLOTH], 2: [GREED]})
    roll(table, score={D12}, matches=[GREED])
    roll(table, score=(), matches=[SLOTH])
    assert members(table.t.removed[0]) == {2}


# The end of a game ----------------------------------------------------------------------------------------------------


def turn(table, scored):
    """The defender's turn is one roll of the d12, for this many points: 0 to 11."""
    table.t.pool[:] = bits({D12})
    roll(table, spoilers=(12 - scored, 10, 8))


def is_over(table):
    assert_lanes_alike(table)
    assert table.t.phase[0] in (PLAYING, OVER)
    return table.t.phase[0] == OVER


def recorded(table):
    """The results row of the first lane, whose game is over, by column; `winners` is the bit mask."""
    names = ("winners", *GAME.column_names(table.setting.seats, GAME.knobs()))
    rows = np.full((table.game.size, len(names)), -2, np.int32)
    table.record(table.over(), rows)
    assert not table.busy_lanes().size
    return dict(zip(names, rows[0].tolist(), strict=True))


def played(totals, *turns, **changes):
    """The results after these turns, of which the last is the game's last."""
    table = position(totals=totals, **changes)
    for number, scored in enumerate(turns):
        assert not is_over(table), f"after turn {number}"
        turn(table, scored)
    assert is_over(table)
    return recorded(table)


def test_a_turn_adds_to_the_defenders_total():
    table = position(totals=[10, 20, 30, 40], defender=2)
    turn(table, 11)
    assert of_lane(table.t.total) == [10, 20, 41, 40]
    assert (table.t.defender[0], table.t.at[0], table.t.rounds[0]) == (3, 32, 1)
    turn(table, 0)
    assert (table.t.defender[0], table.t.at[0], table.t.rounds[0]) == (0, 64, 2)
    table = position(totals=[10, 20, 30, 40], defender=1, first=2)
    turn(table, 1)
    assert (table.t.defender[0], table.t.rounds[0]) == (2, 2)


def test_everybody_starts_with_points_where_a_knob_says_so():
    """Knob `start_total`: they count like any others, once the turn is over."""
    table = position(start_total=65, final_round="immediate")
    assert of_lane(table.t.total) == [65] * 4
    turn(table, 4)
    assert of_lane(table.t.total) == [69, 65, 65, 65]
    turn(table, 5)
    assert is_over(table)
    assert recorded(table)["winner"] == 1
    table = position(start_total=200)
    turn(table, 0)
    assert not is_over(table)  # the round is finished


def test_the_target_in_mid_turn_is_nothing():
    """VV35: 60 and 10 would be 70, but the turn goes on to 71."""
    table = position(totals=[60, 0, 0, 0], pool={D12, D10, D8}, final_round="immediate")
    roll(table, score={D12}, spoilers=(2, 10, 8))
    assert points(table) == 70
    assert not is_over(table)
    roll(table, score=ALL, spoilers=(1, 9, 8))
    assert is_over(table)
    assert of_lane(table.t.total) == [71, 0, 0, 0]


@pytest.mark.parametrize("scored", [5, 6])
def test_the_round_is_finished(scored):
    """VV36: those play who have not yet played in this round, and no one else. To meet the target is to reach it."""
    row = played([0, 65, 0, 0], scored, 3, 4, defender=1)
    assert [row[f"total_{seat}"] for seat in range(4)] == [0, 65 + scored, 3, 4]
    row = played([0, 65, 0, 0], scored, 3, 4, 2, defender=1, first=1, rounds=7)
    assert [row[f"total_{seat}"] for seat in range(4)] == [2, 65 + scored, 3, 4]
    assert row["rounds"] == 7
    row = played([0, 65, 9, 9], scored, defender=1, first=2)  # who played last in the round
    assert [row[f"total_{seat}"] for seat in range(4)] == [0, 65 + scored, 9, 9]
    assert row["winner"] == (1 if scored == 5 else 0)


def test_the_game_goes_on_below_the_target():
    table = position(totals=[64, 64, 64, 64])
    for _ in range(4):
        turn(table, 5)
    assert not is_over(table)
    assert (table.t.rounds[0], table.t.reached[0]) == (2, 0)


def test_the_end_at_once():
    """Knob `final_round: immediate`; the broken-off round counts."""
    row = played([0, 65, 9, 9], 6, defender=1, final_round="immediate", rounds=5)
    assert (row["winner"], row["rounds"]) == (0, 5)
    assert [row[f"total_{seat}"] for seat in range(4)] == [0, 71, 9, 9]


def test_a_whole_further_round():
    """Knob `final_round: extra`: only the totals after it count. Seat 1, exactly on 70 before it, is not after it."""
    row = played([20, 65, 30, 40], 5, 0, 0, 1, 2, 3, 4, defender=1, final_round="extra")
    assert [row[f"total_{seat}"] for seat in range(4)] == [21, 72, 33, 44]
    assert (row["rounds"], row["winner"], row["anyone_exact"]) == (2, 0, 0)
    row = played([0, 60, 0, 65], 6, 1, 9, 0, 5, defender=3, final_round="extra")  # reached in the round's last turn
    assert [row[f"total_{seat}"] for seat in range(4)] == [1, 69, 0, 76]
    assert (row["rounds"], row["winner"]) == (2, 2)
    row = played([65, 60, 10, 20], 6, 10, 0, 0, 0, 3, 0, 0, final_round="extra")  # two reach it in the first
    assert [row[f"total_{seat}"] for seat in range(4)] == [71, 73, 10, 20]
    assert (row["rounds"], row["winner"]) == (2, 2)


@pytest.mark.parametrize(
    ("totals", "knobs", "winner"),
    [
        ((70, 65, 80, 90), {}, 0),  # exactly 70 beats every lower total
        ((70, 65, 80, 90), {"exact_wins": False}, 1),
        ((71, 65, 80, 64), {}, 3),  # nobody on it: the lowest (VV38)
        ((90, 75, 80, 99), {}, 1),  # all beyond it (VV38)
        ((90, 75, 80, 99), {"exact_bust": True}, -1),
        ((71, 75, 80, 69), {"exact_bust": True}, 3),
        ((90, 70, 80, 99), {"exact_bust": True}, 1),
        ((90, 70, 80, 99), {"exact_bust": True, "exact_wins": False}, 1),  # on it is not beyond it
        ((90, 70, 60, 99), {"exact_bust": True, "exact_wins": False}, 2),
        ((90, 70, 60, 45), {"target": 45}, 3),
        ((120, 70, 60, 45), {"target": 120}, 0),
        ((120, 70, 60, 45), {"target": 120, "exact_wins": False}, 3),
    ],
)
def test_who_wins(totals, knobs, winner):
    row = played(totals, 0, defender=3, reached=1, **knobs)
    assert (row["winner"], row["winners"]) == (winner, 1 << winner if winner >= 0 else 0)
    target = knobs.get("target", 70)
    assert row["exact_win"] == (winner >= 0 and totals[winner] == target)
    assert row["anyone_exact"] == (target in totals)
    assert (row["tie_breaks"], row["unfinished"]) == (0, 0)


def test_exactly_70_early_in_the_round_stands():
    """VV37."""
    row = played([0, 65, 20, 30], 5, 0, 0, defender=1)
    assert (row["winner"], row["exact_win"], row["anyone_exact"]) == (1, 1, 1)


def rolls_of(*pairs):
    """A test of luck: whether these pairs are rolled in the tie-breaks, {seat: points} a rolling."""

    def wanted(luck):
        return all(
            naive.pair_points(*luck.tie_break_pair(seat, rolling)) == scored
            for rolling, scores in enumerate(pairs)
            for seat, scored in scores.items()
        )

    return wanted


def test_two_on_70_tie():
    """VV37, VV39: the lower score of a pair each wins, a match being 0; the 65 is not in it."""
    game = game_where(rolls_of({0: 5, 1: 0, 2: 0}))
    row = played([70, 65, 70, 80], 0, defender=3, reached=1, game=game)
    assert (row["winner"], row["tie_breaks"], row["exact_win"], row["anyone_exact"]) == (2, 1, 1, 1)


def test_the_lowest_tie_again_and_again():
    """VV39: 0 against 0, then 1 against 2."""
    game = game_where(rolls_of({1: 0, 2: 0}, {1: 1, 2: 3}))
    row = played([71, 60, 60, 80], 0, defender=3, reached=1, game=game)
    assert (row["winner"], row["tie_breaks"], row["exact_win"], row["anyone_exact"]) == (1, 2, 0, 0)


def test_who_is_beaten_in_a_tie_break_is_out_of_it():
    """VV39: seats 0 and 1 stay in with less than seat 2, whose second pair, like all of seat 3's, would have won."""

    def wanted(luck):
        first, second = (
            [naive.pair_points(*luck.tie_break_pair(seat, rolling)) for seat in range(4)] for rolling in range(2)
        )
        return first[3] < first[0] == first[1] < first[2] and second[2] < second[1] < second[0]

    row = played([60, 60, 60, 75], 0, defender=3, reached=1, game=game_where(wanted))
    assert (row["winner"], row["tie_breaks"]) == (1, 2)


def test_a_game_cut_off_has_no_winner():
    """Knob `max_rounds`."""
    row = played([10, 20, 30, 40], 1, defender=3, rounds=3, max_rounds=3)
    assert (row["winner"], row["winners"], row["unfinished"], row["rounds"]) == (-1, 0, 1, 3)
    assert (row["exact_win"], row["tie_breaks"]) == (0, 0)
    assert [row[f"total_{seat}"] for seat in range(4)] == [10, 20, 30, 41]
    for rounds, defender in ((2, 3), (3, 2)):
        table = position(totals=[10, 20, 30, 40], defender=defender, rounds=rounds, max_rounds=3)
        turn(table, 1)
        assert not is_over(table)


def test_a_game_decided_in_its_last_round_is_finished():
    row = played([10, 20, 30, 69], 2, defender=3, rounds=3, max_rounds=3)
    assert (row["winner"], row["unfinished"]) == (0, 0)


def test_no_further_round_is_played_beyond_max_rounds():
    row = played([10, 20, 30, 69], 2, defender=3, rounds=3, max_rounds=3, final_round="extra")
    assert (row["winner"], row["unfinished"], row["rounds"]) == (-1, 1, 3)


def test_every_column():
    """Of a game that was set up with known Sins: seat 2 played first, and the turns are those since."""
    table = position(
        {0: [PRIDE], 1: [WRATH], 2: [SLOTH]},
        first=2,
        totals=[66, 50, 40, 30],
        penalties={WRATH: (2, 3), (SLOTH, 1): (6, 5)},
    )
    table.t.start_sin[:] = np.reshape([PRIDE, WRATH, SLOTH, LUST], (4, 1))
    roll(table, score={D12}, matches=[WRATH], nemesis={0: 7, 3: 7})
    table.t.pool[:] = bits({SLOTH, ABSORBED + 3})
    roll(table, score=ALL, matches=[SLOTH], nemesis={3: 18})
    assert not is_over(table)
    turn(table, 1)
    assert is_over(table)
    assert recorded(table) == {
        "winners": 0b1000, "winner": 3, "rounds": 1, "turns": 2, "rolls": 3, "exact_win": 0, "anyone_exact": 0,
        "first_seat": 2,
        "total_0": 66 + 4 + 3 + 1 + 2, "total_1": 51, "total_2": 40, "total_3": 30,
        "start_sin_0": 6, "start_sin_1": 4, "start_sin_2": 3, "start_sin_3": 0,
        "sin_matches_0": 2, "sin_matches_1": 0, "sin_matches_2": 0, "sin_matches_3": 0,
        "nemesis_matches_0": 1, "nemesis_matches_1": 0, "nemesis_matches_2": 0, "nemesis_matches_3": 0,
        "sins_destroyed": 1, "nemesis_destroyed": 1, "tie_breaks": 0, "unfinished": 0, "ending": 1,
    }  # fmt: skip


# House seats ----------------------------------------------------------------------------------------------------------


def test_seats():
    """VV44."""
    assert GAME.seats == (3, 4, 5, 6)
    assert GAME.house_seats == (2, 7)


def test_two_players():
    """VV44: there is no other attacker to take from, so Lust has the reserves; Envy has the defender's as well."""
    table = position({0: [PRIDE, WRATH], 1: [LUST, ENVY]}, seats=2, house_seats=True)
    lay(table)
    rules.find_matches(table.t)
    for sin, offered, answer in (
        (LUST, {GLUTTONY, GREED, SLOTH}, SLOTH),
        (ENVY, {GLUTTONY, GREED, WRATH, PRIDE}, PRIDE),
    ):
        resolving = table._resolve(sin, np.arange(LANES, dtype=np.int32))
        ask = next(resolving)
        assert (ask.view.kind, of_lane(ask.seat), members(table.t.options[0])) == (sin, 1, offered)
        ask.action[:] = answer
        assert next(resolving, None) is None
    assert held(table) == {WRATH: 0, ENVY: 0, LUST: 1, SLOTH: 1, PRIDE: 1}
    assert_lanes_alike(table)


SEVEN = {"seats": 7, "house_seats": True}


def test_seven_players():
    """VV44: no reserves; seat 6 is absorbed and scored, and the turn passes on from it to seat 0."""
    hold = {(sin + 3) % 7: [sin] for sin in range(7)}  # Gluttony is seat 4's, Sloth seat 6's, Wrath the defender's
    table = position(hold, penalties={GLUTTONY: (2, 5)}, **SEVEN)
    found = roll(table, score=ALL, matches=[GLUTTONY, WRATH], nemesis={0: 7, 5: 7, 6: 7})
    assert found == Roll([], FULL - {GLUTTONY}, due=False, asked=True)
    assert held(table) == holders(hold)
    assert pool(table) == absorbed(5, 6)
    assert roll(table, score=absorbed(6), nemesis={5: 2, 6: 1, 4: 1}).offered == absorbed(5, 6)
    assert pool(table) == absorbed(4, 5)
    roll(table, nemesis={4: 19, 5: 18})
    wanted = (4 + 1) + (3 + 5 * 5) + 13 + 19 + 1 + 2
    assert of_lane(table.t.total) == [wanted, 0, 0, 0, 0, 0, 0]
    assert (table.t.defender[0], nemesis_matches(table)) == (1, 3)
    table = position(hold, defender=6, removed=[1], **SEVEN)
    roll(table, WRATH, matches=[LUST, SLOTH], nemesis={6: 7, 0: 7})
    assert members(table.t.removed[0]) == {1}
    assert pool(table) == absorbed(0)
    roll(table, nemesis={0: 7})
    assert table.t.defender[0] == 0


def test_sloth_of_the_seventh_seat():
    table = position({6: [SLOTH]}, pool={SLOTH, D12, ABSORBED + 6, ABSORBED + 5}, **SEVEN)
    roll(table, score=(), matches=[SLOTH], nemesis={6: 7, 1: 7})
    assert pool(table) == {D12, ABSORBED + 5}
    assert members(table.t.removed[0]) == {6}


@pytest.mark.parametrize(("totals", "winner"), [((70, 71, 72, 73, 70, 75, 70), 6), ((80, 81, 82, 83, 84, 60, 60), 5)])
def test_ties_among_the_last_of_seven(totals, winner):
    game = game_where(rolls_of({0: 7, 3: 0, 4: 7, 5: 1, 6: 5}))
    row = played(totals, 0, defender=6, reached=1, game=game, **SEVEN)
    assert (row["winner"], row["winners"], row["tie_breaks"]) == (winner, 1 << winner, 1)


# What is legal --------------------------------------------------------------------------------------------------------


def is_legal(kind, answer, options, due=0, seat=0):
    made = [np.array([each], dtype) for each, dtype in ((seat, np.int8), (options, np.int32), (due, np.int8))]
    return rules.is_legal(kind, *made, np.array([answer], np.int32))


@pytest.mark.parametrize("due", [0, 1])
def test_legal_removals(due):
    """Units of the pool, and not none when one is due."""
    options = bits({LUST, D12, ABSORBED + 6})
    assert is_legal(REMOVE, 0, options, due) == (not due)
    for answer in ({LUST}, {D12, ABSORBED + 6}, {LUST, D12, ABSORBED + 6}):
        assert is_legal(REMOVE, bits(answer), options, due)
    for answer in (bits({GREED}), bits({LUST, GREED}), 1 << 21, -1, -77, 1 << 30):
        assert not is_legal(REMOVE, answer, options, due)
    assert is_legal(REMOVE, -77, options, due, seat=-1)  # nobody is asked


@pytest.mark.parametrize("kind", [rules.SET_UP, LUST, ENVY])
def test_legal_choices(kind):
    options = bits({LUST, PRIDE})
    assert [is_legal(kind, answer, options) for answer in range(-9, 20)] == [a in (LUST, PRIDE) for a in range(-9, 20)]
    assert is_legal(kind, DECLINE, options | 1 << DECLINE)
    assert not is_legal(kind, 1 << PRIDE, options)
    assert is_legal(kind, -77, options, seat=-1)


# Conservation ---------------------------------------------------------------------------------------------------------

ODD = [
    {"target": 150, "nemesis_sides": 3},
    {"target": 150, "nemesis_sides": 2, "stealing": "swap", "stolen_match": "stays", "no_nemesis": "borrow"},
    {"target": 200, "nemesis_sides": 4, "stolen_match": "follows", "envy_optional": True, "stealing": "swap",
     "penalty_dice": 4, "bullet_upright": 0.5, "final_round": "extra"},
]  # fmt: skip
GAMES = 4 if numba.config.DISABLE_JIT else 50


class Watch:
    """Holds every roll to what can be neither lost nor made. Arrays are by game."""

    def __init__(self, knobs, seats):
        self.knobs, self.seats = GAME.knobs(**knobs), seats
        self.rolls = 0
        self.scored, self.points, self.pool = np.zeros((3, GAMES), int)
        self.holder = np.full((7, GAMES), RESERVE)

    def __call__(self, table, ask):
        lanes = np.flatnonzero(table.t.phase == PLAYING if ask is None else table.t.phase)
        game = table.game[lanes].astype(int)
        t = {name: array[..., lanes].astype(int) for name, array in table.t._asdict().items()}
        if ask is None:
            self.check(game, t)
        elif ask.view.kind == REMOVE:
            self.note(game, t, ask.action[lanes])

    def note(self, game, t, action):
        """What the defender is about to score."""
        chosen = np.where(t["seat"] >= 0, action, np.where(t["due"], t["options"], 0))
        assert (t["options"] == t["pool"]).all()
        assert ((chosen & ~t["pool"]) == 0).all()
        self.scored[game] |= chosen
        worth = sum((chosen >> unit & 1) * points for unit, points in enumerate(t["points"]))
        self.points[game] = t["total"].sum(0) + t["spent"] + worth

    def check(self, game, t):
        self.rolls += game.size
        assert (t["total"].sum(0) + t["spent"] == self.points[game]).all()
        self.check_sins(game, t)
        begins = t["at"] % 32 == 0
        self.scored[game[begins]] = 0
        for seat in range(self.seats):
            self.check_nemesis(seat, self.scored[game], t)
        assert (t["nemesis_destroyed"] == sum(t["removed"] >> seat & 1 for seat in range(self.seats))).all()
        assert (t["guests"][begins] == 0).all()
        small = t["pool"] & (1 << OWN) - 1
        assert (small[begins] == (1 << OWN) - 1).all()
        assert ((small & ~self.pool[game])[~begins & (t["rolls"] > 1)] == 0).all()
        assert ((small & self.scored[game]) == 0).all()
        self.pool[game] = small

    def check_sins(self, game, t):
        """A large die is in one place by the way it is kept: with a seat, in reserve, or destroyed for good."""
        assert (t["holder"] >= DESTROYED).all()
        assert (t["holder"] < self.seats).all()
        assert (t["sins_destroyed"] == (t["holder"] == DESTROYED).sum(0)).all()
        gone = (self.holder[:, game] == DESTROYED) & (t["rolls"] > 1)
        assert (t["holder"][gone] == DESTROYED).all()
        self.holder[:, game] = t["holder"]

    def check_nemesis(self, seat, scored, t):
        """In the hand of its owner (in play or not), in the defender's pool, scored by the defender, or lost."""
        lost, guest = t["removed"] >> seat & 1, t["guests"] >> seat & 1
        in_pool, was_scored = t["pool"] >> ABSORBED + seat & 1, scored >> ABSORBED + seat & 1
        places = [(guest == 0) & (lost == 0), in_pool == 1, (was_scored == 1) & (lost == 0), lost == 1]
        assert (sum(place.astype(int) for place in places) == 1).all()
        defends = t["defender"] == seat
        assert (guest[defends] == 0).all()
        if self.knobs.no_nemesis == "lighter":
            assert ((t["pool"] >> OWN & 1)[defends & (lost == 1)] == 0).all()


@pytest.mark.parametrize(("seats", "knobs"), list(zip((4, 7, 7), ODD, strict=True)), ids=["plain", "stays", "follows"])
def test_nothing_is_lost_or_made(seats, knobs):
    watch = Watch(knobs | {"house_seats": True}, seats)
    match = common.match(["random"] * seats, seats, 5, house_seats=True, **knobs)
    found = []
    play(match, 0, GAMES, lambda games, rows: found.append(rows.copy()), watch=watch, lanes=64)
    rows = dict(zip(("winners", *match.columns), np.concatenate(found).T, strict=True))
    assert watch.rolls > 100 * GAMES
    assert rows["sins_destroyed"].sum() > GAMES / 4
    assert rows["nemesis_destroyed"].sum() > GAMES / 4
    assert sum(rows[f"nemesis_matches_{seat}"].sum() for seat in range(seats)) > 10 * GAMES
