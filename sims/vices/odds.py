"""What a defender's units are still worth: tables of expectations over the rest of a turn, computed, not guessed.

For a policy a defender's *position* before a roll is

    safe, exposed    small Sin dice whose large die no attacker holds, or one does: a match costs a penalty roll
    pairs            pairs left, 0 to 3
    spoilers         bit mask of d12, d10, d8
    n, m             Nemesis dice in the pool, and in the hands of attackers, which the pool may yet absorb

`fill` goes through all positions, the smallest first, and averages over the same `ROLLS` rolls in each. It answers two
questions. `least`: the expected points of the rest of the turn, for who wants them low. `landing`: the chance that they
are exactly r, for who wants that. Both play the best of the choices that they look at (`keep_low`, `land`). Left out
are Sins that change hands in mid-turn, the further dice of some penalties, and Nemesis dice in the pool beyond `MOST`.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sims.core.kernel import kernel
from sims.vices.rules import SPOILER_SIDES

i32, f32 = np.int32, np.float32

ROLLS = 144
"""Rolls that stand for all rolls; each die shows all its numbers equally often, as far as that goes."""
MOST = 2
"""Nemesis dice in the pool that are told apart; more count as these."""
REACH = 128
"""A landing is looked at from up to this many points, exclusive."""
FEW = 6
"""With up to so many units left every set of them is looked at for a landing; with more, each alone and all."""

SAFE, EXPOSED, PAIR, D12, D10, D8, NEMESIS_DIE = range(7)
"""Kinds of unit."""
KINDS = 7


class Rolls(NamedTuple):
    """Points of every die, in each of `ROLLS` rolls."""

    small: NDArray[np.int32]
    """[roll, 7]"""
    matched: NDArray[np.int32]
    """[roll, 7] 1 where an attacker's large die shows the same"""
    penalty: NDArray[np.int32]
    """[roll, 7] points of the penalty that this costs"""
    pairs: NDArray[np.int32]
    """[roll, 3]"""
    spoilers: NDArray[np.int32]
    """[roll, 3]"""
    pool: NDArray[np.int32]
    """[roll, MOST] Nemesis dice of the pool"""
    hands: NDArray[np.int32]
    """[roll, attackers] Nemesis dice of the attackers"""


def typical_rolls(nemesis_sides: int, attackers: int, bullet_upright: float) -> Rolls:
    """The rolls that the tables average over; the same ones for the same arguments."""
    generator = np.random.Generator(np.random.Philox(key=70))

    def even(values: NDArray[np.int32], count: int) -> NDArray[np.int32]:
        """[roll, count] all values equally often in each column, or nearly so."""
        column = values[np.arange(ROLLS) * len(values) // ROLLS]
        return np.array([generator.permutation(column) for _ in range(count)], np.int32).T.reshape(ROLLS, count)

    def dice(sides: int, count: int) -> NDArray[np.int32]:
        return even(np.arange(sides, dtype=np.int32), count)

    two = np.array([0 if a == b else a + b for a in range(6) for b in range(6)], np.int32)
    pairs = even(two, 3)
    pairs[:, 2] *= generator.permutation(ROLLS) >= bullet_upright * ROLLS
    return Rolls(
        small=dice(6, 7),
        matched=(dice(6, 7) == 0).astype(np.int32),
        penalty=even(two, 7),
        pairs=pairs,
        spoilers=np.concatenate([dice(sides, 1) for sides in SPOILER_SIDES], axis=1),
        pool=dice(nemesis_sides, MOST),
        hands=dice(nemesis_sides, attackers),
    )


_STRIDE = (256, 32, 8, 4, 2, 1)


@kernel(inline=True)
def place_of(count, attackers, m):
    """The place of a position in the tables. count: [kind] units of each."""
    dice = ((count[SAFE] * 8 + count[EXPOSED]) * 4 + count[PAIR]) * 8 + count[D12] * 4 + count[D10] * 2 + count[D8]
    return dice * (1 + MOST * (attackers + 1)) + _nemesis_place(count[NEMESIS_DIE], attackers, m)


@kernel(inline=True)
def _nemesis_place(n, attackers, m):
    return 0 if n <= 0 else 1 + (min(n, MOST) - 1) * (attackers + 1) + min(m, attackers)


def places(attackers: int) -> int:
    """How many places the tables have."""
    return 8 * 8 * 4 * 8 * (1 + MOST * (attackers + 1))


@kernel
def fill(rolls, attackers, landed, least, landing):
    """Work out one of the tables for all positions; the other is empty.

    least: [place]. landing: [place, REACH]; landed: [REACH] 1 for 0 points away, where a turn has landed, else 0.
    """
    count = np.zeros(KINDS, i32)
    if least.size:
        least[place_of(count, attackers, 0)] = 0
    else:
        landing[place_of(count, attackers, 0)] = landed
    for size in range(1, 13 + MOST + attackers + 1):  # units, and dice that may join them: every roll leaves fewer
        for dice in range(8 * 8 * 4 * 8):
            count[SAFE], count[EXPOSED], count[PAIR] = dice >> 8, dice >> 5 & 7, dice >> 3 & 3
            count[D12], count[D10], count[D8] = dice >> 2 & 1, dice >> 1 & 1, dice & 1
            units = count[SAFE] + count[EXPOSED] + count[PAIR] + count[D12] + count[D10] + count[D8]
            if count[SAFE] + count[EXPOSED] > 7 or units > size:
                continue
            for n in range(min(MOST, size - units) + 1):
                m = size - units - n
                if m <= (attackers if n else 0):
                    count[NEMESIS_DIE] = n
                    _fill_one(rolls, attackers, count, m, least, landing)


@kernel
def _fill_one(rolls, attackers, count, m, least, landing):
    """Average over the rolls at one position."""
    points, kinds, left = np.empty(KINDS + 16, i32), np.empty(KINDS + 16, i32), np.empty(KINDS, i32)
    best, total, low = np.empty(REACH, f32), np.zeros(REACH, f32), 0.0
    for roll in range(ROLLS):
        size, penalty = _lay(rolls, roll, count, points, kinds, left)
        due = left[EXPOSED] == count[EXPOSED]
        joined = 0
        for owner in range(m):
            for die in range(count[NEMESIS_DIE]):
                if rolls.pool[roll, die] == rolls.hands[roll, owner]:
                    joined += 1
                    break
        if least.size:
            low += penalty + keep_low(points, kinds, size, due, left, joined, m - joined, attackers, least)[1]
        else:
            _land_from_anywhere(points, kinds, size, due, left, joined, m - joined, attackers, landing, best)
            now = total[penalty:]
            for i in range(now.size):
                now[i] += best[i]
    if least.size:
        least[place_of(count, attackers, m)] = low / ROLLS
    else:
        for need in range(REACH):
            landing[place_of(count, attackers, m), need] = total[need] / ROLLS


@kernel
def _lay(rolls, roll, count, points, kinds, left):
    """Lay out a roll: (units that can be scored, points of the penalties); `left` counts the units after these."""
    size = penalty = 0
    left[:] = count
    for die in range(count[SAFE] + count[EXPOSED]):
        if die < count[EXPOSED] and rolls.matched[roll, die]:
            penalty += rolls.penalty[roll, die]
            left[EXPOSED] -= 1
        else:
            points[size], kinds[size] = rolls.small[roll, die], EXPOSED if die < count[EXPOSED] else SAFE
            size += 1
    for pair in range(count[PAIR]):
        points[size], kinds[size] = rolls.pairs[roll, pair], PAIR
        size += 1
    for die in range(3):
        if count[D12 + die]:
            points[size], kinds[size] = rolls.spoilers[roll, die], D12 + die
            size += 1
    for die in range(count[NEMESIS_DIE]):
        points[size], kinds[size] = rolls.pool[roll, die], NEMESIS_DIE
        size += 1
    return size, penalty


@kernel
def keep_low(points, kinds, size, due, count, joined, m, attackers, least):
    """(the set of units to score, its points and what is expected after it) for the least sum.

    points, kinds: [unit] of the first `size` units. count: [kind]. joined: Nemesis dice absorbed on this roll, which
    can be scored from the next on. m: those still in the attackers' hands. The set grows by the unit after which the
    least is expected, to the end; with many units left only as long as that lowers it.
    """
    width, n = 1 + MOST * (attackers + 1), count[NEMESIS_DIE] + joined
    count[NEMESIS_DIE] = n
    place = place_of(count, attackers, m)
    count[NEMESIS_DIE] = n - joined
    best, found, chosen, cost = f32(1e9), 0, 0, 0
    if not due or size == 0:
        best = least[place]
    for _ in range(size):
        step, unit, after = f32(1e9), -1, 0
        fewer = place - _nemesis_place(n, attackers, m) + _nemesis_place(n - 1, attackers, m)
        for i in range(size):
            if not chosen >> i & 1:
                there = place - _STRIDE[kinds[i]] * width if kinds[i] != NEMESIS_DIE else fewer
                value = cost + points[i] + least[there]
                if value < step:
                    step, unit, after = value, i, there
        if step >= best and size > FEW:
            break
        chosen, cost, place = chosen | 1 << unit, cost + points[unit], after
        n -= kinds[unit] == NEMESIS_DIE
        if step < best:
            best, found = step, chosen
    return found, best


@kernel(inline=True)
def _sets(size):
    """How many sets of units are looked at for a landing."""
    return 1 << size if size <= FEW else size + 2


@kernel(inline=True)
def _set(number, size):
    """The sets that are looked at: none, then all the others; of many units none, each alone, and all."""
    if size <= FEW:
        return number
    return 0 if number == 0 else 1 << (number - 1) if number <= size else (1 << size) - 1


@kernel(inline=True)
def _score(chosen, points, kinds, size, left):
    """Take a set of units from those left; its points."""
    cost = 0
    for i in range(size):
        if chosen >> i & 1:
            cost += points[i]
            left[kinds[i]] -= 1
    return cost


@kernel
def _land_from_anywhere(points, kinds, size, due, count, joined, m, attackers, landing, best):
    """best: [need] what the best set of units is worth to who needs so many points on this roll."""
    left = np.empty(KINDS, i32)
    best[:] = 0
    for number in range(1 if due and size else 0, _sets(size)):
        left[:] = count
        left[NEMESIS_DIE] += joined
        cost = _score(_set(number, size), points, kinds, size, left)
        after, now = landing[place_of(left, attackers, m)], best[cost:]
        for i in range(now.size):
            mine, old = after[i], now[i]
            now[i] = mine if mine > old else old


@kernel
def land(points, kinds, size, due, count, joined, m, attackers, landing, need):
    """(the set of units to score, what it is worth) for who needs `need` more points; arguments as in `keep_low`."""
    left = np.empty(KINDS, i32)
    best, found = f32(-1), 0
    for number in range(1 if due and size else 0, _sets(size)):
        left[:] = count
        left[NEMESIS_DIE] += joined
        chosen = _set(number, size)
        cost = _score(chosen, points, kinds, size, left)
        value = landing[place_of(left, attackers, m), need - cost] if 0 <= need - cost < REACH else f32(0)
        if value > best:
            best, found = value, chosen
    return found, best


class Odds(NamedTuple):
    """What policies are given: the tables, by `place_of`."""

    attackers: int
    turn: float
    """points expected in a whole turn, kept low, when every attacker holds one Sin"""
    least: NDArray[np.float32]
    """[place] points expected in the rest of the turn, kept low"""
    landing: NDArray[np.float32]
    """[place, points] the chance to land from so many points away; empty where it is not wanted"""


def make_odds(nemesis_sides: int, attackers: int, bullet_upright: float, landing: bool) -> Odds:
    """The tables for these dice and this many attackers."""
    rolls = typical_rolls(nemesis_sides, attackers, bullet_upright)
    least, chances = np.zeros(places(attackers), f32), np.zeros((places(attackers) if landing else 0, REACH), f32)
    landed = np.zeros(REACH, f32)
    landed[0] = 1
    fill(rolls, attackers, landed, least, chances[:0])
    if landing:
        fill(rolls, attackers, landed, least[:0], chances)
    full = np.array([7 - attackers, attackers, 3, 1, 1, 1, 1], i32)
    return Odds(attackers, float(least[place_of(full, attackers, attackers)]), least, chances)
