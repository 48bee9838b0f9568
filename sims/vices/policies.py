"""Policies of Vices & Vengeance: the baselines, exactly as the rulings define them.

A policy answers every view that it is shown; answers where `view.seat` is -1 are ignored.
"""

import numpy as np

from sims.core.game import policy
from sims.core.kernel import kernel
from sims.core.rng import choice
from sims.vices.rules import (
    DECLINE,
    OWN,
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
