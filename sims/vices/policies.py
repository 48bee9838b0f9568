"""Policies of Vices & Vengeance: the baselines, exactly as the rulings define them, and some worth asking about.

A policy answers every view that it is shown; answers where `view.seat` is -1 are ignored.
"""

import numpy as np

from sims.core.game import Whole, knob, policy
from sims.core.kernel import kernel
from sims.core.rng import choice
from sims.core.tabulate import tabulate
from sims.vices.odds import D12, EXPOSED, KINDS, NEMESIS_DIE, PAIR, SAFE, Odds, keep_low, land, make_odds
from sims.vices.rules import (
    DECLINE,
    EXTRA,
    OWN,
    PAIRS,
    REMOVE,
    RESERVE,
    SINS,
    SPOILER_SIDES,
    SPOILERS,
    count,
    nth,
)

i8, i32 = np.int8, np.int32


@kernel
def asked(view):
    """The lanes in which somebody is asked: for decisions that few lanes wait for."""
    lanes = np.empty(view.seat.size, i32)
    n = 0
    for i in range(view.seat.size):
        lanes[n] = i
        n += view.seat[i] >= 0
    return lanes[:n]


# Choosing a Sin


@kernel
def choose_first(view, action):
    """The first option: reserve Sins, then the other players' clockwise from the chooser, each in Sin order."""
    for i in asked(view):
        action[i] = _first_option(view, i)


@kernel(inline=True)
def _first_option(view, i):
    best, found = 1000, 0
    for sin in range(SINS):
        held = view.holder[sin, i]
        steps = (
            0 if held == RESERVE else held - view.seat[i] if held > view.seat[i] else held - view.seat[i] + view.seats
        )
        if (view.options[i] >> sin) & 1 and SINS * steps + sin < best:
            best, found = SINS * steps + sin, sin
    return found


@kernel
def choose_any(view, action):
    """Any Sin that may be chosen, each equally likely; never declines."""
    for i in asked(view):
        sins = view.options[i] & ~(1 << DECLINE)
        action[i] = nth(sins, choice(view.word[i], count(sins)))


# Removing units


@kernel
def score_zeros(view, action):
    """The units that are worth 0."""
    for i in range(action.size):
        action[i] = 0
    for unit in range(view.points.shape[0]):
        _add_zero(i32(1 << unit), view.points[unit], view.options, action)


@kernel
def _add_zero(bit, points, options, action):
    for i in range(action.size):
        old, mine = action[i], options[i] & bit
        action[i] = old | (mine if points[i] == 0 else i32(0))


@kernel
def score_one_if_due(view, action):
    """Where nothing is chosen though it is due, the unit of the fewest points; ties: more sides, then the earlier."""
    best = np.full(action.size, 2**30, i32)
    for unit in range(view.points.shape[0]):
        sides = 6 if unit < SPOILERS else view.knobs.nemesis_sides if unit >= OWN else SPOILER_SIDES[unit - SPOILERS]
        _keep_least(i32((128 - sides) << 5 | unit), i32(1 << unit), view.points[unit], view.options, best)
    for i in range(action.size):
        chosen, least = action[i], best[i]
        due = (chosen == 0) & (view.due[i] != 0)
        action[i] = i32(1) << (least & 31) if due else chosen


@kernel
def _keep_least(rank, bit, points, options, best):
    for i in range(best.size):
        old = best[i]
        mine = i32(points[i]) << 12 | rank
        better = ((options[i] & bit) != 0) & (mine < old)
        best[i] = mine if better else old


@policy("Scores every eligible unit on every roll; takes the first Sin that it may.")
@kernel
def bank_all(view, weights, prepared, action):
    if view.kind == REMOVE:
        for i in range(action.size):
            action[i] = view.options[i]
    else:
        choose_first(view, action)


@policy("Scores the units worth 0, else, if one is due, the cheapest; takes the first Sin that it may.")
@kernel
def zeros(view, weights, prepared, action):
    if view.kind == REMOVE:
        score_zeros(view, action)
        score_one_if_due(view, action)
    else:
        choose_first(view, action)


@policy("Scores one unit at random when one is due, and takes any Sin.", uses_word=True)
@kernel
def random(view, weights, prepared, action):
    if view.kind == REMOVE:
        for i in range(action.size):
            units, action[i] = view.options[i], 0
            if view.seat[i] >= 0 and view.due[i]:
                action[i] = 1 << nth(units, choice(view.word[i], count(units)))
    else:
        choose_any(view, action)


# Playing by the odds of the rest of the turn


@kernel
def lay_out(view, i, points, kinds, unit_of, count):
    """The units that may be scored, as `odds` wants them; how many they are.

    points, kinds, unit_of: [place] of each. count: [kind].
    """
    size = 0
    count[:] = 0
    for unit in range(view.points.shape[0]):
        if not (view.options[i] >> unit) & 1:
            continue
        if unit < PAIRS:
            held = view.holder[unit, i]
            kind = EXPOSED if held >= 0 and held != view.defender[i] else SAFE
        elif unit < SPOILERS:
            kind = PAIR
        else:
            kind = D12 + unit - SPOILERS if unit < OWN else NEMESIS_DIE
        points[size], kinds[size], unit_of[size] = view.points[unit, i], kind, unit
        count[kind] += 1
        size += 1
    return size


@kernel(inline=True)
def in_hand(view, i):
    """How many attackers hold their Nemesis."""
    everybody = (1 << view.seats) - 1
    return count(everybody & ~(view.removed[i] | view.guests[i] | (1 << view.defender[i])))


@kernel
def chance_low(view, i, points, turn, spread):
    """About the chance that a turn of so many points, in all, goes on to win by the lowest total.

    Against each opponent, level after this round, it is a half; every `spread` points of lead add a half.
    """
    seats, target, chance = view.seats, view.knobs.target, 1.0
    own, mine = view.defender[i], view.total[view.defender[i], i] + points
    if view.knobs.exact_bust and mine > target:
        return 0.0
    for steps in range(1, seats):
        seat = (own + steps) % seats
        plays_yet = (seat - view.first[i]) % seats > (own - view.first[i]) % seats
        theirs = view.total[seat, i] + (turn if plays_yet else 0.0)
        if theirs == target and view.knobs.exact_wins:
            return 0.0
        if not (view.knobs.exact_bust and theirs > target and not plays_yet):
            chance *= min(1.0, max(0.0, 0.5 + 0.5 * (theirs - mine) / spread))
    return chance


@kernel
def score_by_odds(view, odds, start, spread, action):
    """Score what leaves the lowest points to expect, or what gives the best chance to land on the target.

    The latter when there is a table for it, from a total of `start` on, if it is the better chance to win; where a
    whole further round follows (`final_round: extra`), only in that one.
    """
    points, kinds, unit_of, left = np.empty(24, i32), np.empty(24, i32), np.empty(24, i32), np.empty(KINDS, i32)
    for i in asked(view):
        size = lay_out(view, i, points, kinds, unit_of, left)
        total, spent = view.total[view.defender[i], i], view.spent[i]
        position = points, kinds, size, view.due[i] != 0, left, count(view.joining[i]), in_hand(view, i), odds.attackers
        chosen, later = keep_low(*position, odds.least)
        if odds.landing.size and total >= start and (view.knobs.final_round != EXTRA or view.reached[i] == 2):
            landing, chance = land(*position, odds.landing, view.knobs.target - total - spent)
            if chance > 0 and chance >= chance_low(view, i, spent + later, odds.turn, spread):
                chosen = landing
        action[i] = 0
        for place in range(size):
            action[i] |= ((chosen >> place) & 1) << unit_of[place]


def _low_odds(knobs, seats, weights):
    return tabulate(Odds, make_odds, knobs.nemesis_sides, seats - 1, knobs.bullet_upright, False)


def _landing_odds(knobs, seats, weights):
    return tabulate(Odds, make_odds, knobs.nemesis_sides, seats - 1, knobs.bullet_upright, knobs.exact_wins)


@policy(
    "Scores what leaves the fewest points to expect in the rest of the turn; Sins as zeros.",
    prepare=_low_odds,
    costly=True,
)
@kernel
def miser(view, weights, prepared, action):
    if view.kind == REMOVE:
        score_by_odds(view, prepared, 0, 1.0, action)
    else:
        choose_first(view, action)


START = (Whole, knob(0, "Chases from this own total on.", low=0, high=200))
SPREAD = (float, knob(30.0, "Points of lead over an opponent that make winning low certain.", low=1.0, high=1000.0))


@policy(
    "Scores what gives the best chance to land on the target, when that is better than winning low; else as miser.",
    prepare=_landing_odds,
    costly=True,
    start=START,
    spread=SPREAD,
)
@kernel
def chaser(view, weights, prepared, action):
    if view.kind == REMOVE:
        score_by_odds(view, prepared, weights.start, weights.spread, action)
    else:
        choose_first(view, action)


# Hurting whoever is closest to winning


@policy("Scores as miser; takes Sins from whoever is closest to winning.", prepare=_low_odds, costly=True)
@kernel
def spoiler(view, weights, prepared, action):
    if view.kind == REMOVE:
        score_by_odds(view, prepared, 0, 1.0, action)
    else:
        for i in asked(view):
            action[i] = _from_leader(view, i)


@kernel(inline=True)
def _from_leader(view, i):
    """A Sin of the opponent with the lowest total (on the target above all), else from the reserves."""
    best, found = 2**30, 0
    for sin in range(SINS):
        held = view.holder[sin, i]
        rank = 2**20 if held == RESERVE else -1 if view.total[held, i] == view.knobs.target else view.total[held, i]
        if (view.options[i] >> sin) & 1 and rank < best:
            best, found = rank, sin
    return found
