"""The Rolling Phase of Vengeance: a race of clocks over one pool of dice."""

import math

import numpy as np

from sims.core.bits import has
from sims.core.kernel import kernel
from sims.core.rng import choice
from sims.vengeance.pack import ABILITIES
from sims.vengeance.state import (
    ALL,
    ASSIGN,
    CLOCK,
    ENDURE,
    FIGHTING,
    ONE,
    PLUSES,
    POISSON,
    RACING,
    ROLL,
    ROLL_DICE,
    START,
    STOP,
    THROW,
    ask,
    free_spaces,
    i64,
    kept_of,
    limit_of,
    luck,
    row_of,
    set_of,
    target_of,
    what_of,
)

FACE_OF = np.array([0, 0, 1, 2, 3, 4], np.int64)
"""The faces of a die: two moves, shot, hit, hit-plus, wound."""
WOUND = 4
SLICES = 4096


def _gaps() -> list[int]:
    """The mean of each 4096th of the unit exponential, from the longest gaps on, in units of a clock."""

    def area(u: float) -> float:
        return u - u * math.log(u) if u else 0.0

    return [round(ONE * SLICES * (area((k + 1) / SLICES) - area(k / SLICES))) for k in range(SLICES)]


GAPS = np.array(_gaps(), np.int64)


# Clocks


@kernel(inline=True)
def word_index(g, seat, p):
    return 1024 * (4 * g.board.turn + seat) + p.roll


@kernel(inline=True)
def schedule(g, seat, p):
    """The next roll."""
    p.roll += 1
    if g.fixed.clock == POISSON:
        p.clock += GAPS[i64(luck(g, CLOCK, word_index(g, seat, p))[0]) >> 20]
    else:
        p.clock += ONE


@kernel(inline=True)
def next_roller(g):
    """The seat whose next roll falls first, -1 if nobody rolls any more; equal times in random order (VR1)."""
    speed, found = g.fixed.speed, i64(-1)
    for seat in range(g.fixed.seats):
        p = g.board.players[seat]
        if p.rolling:
            if found < 0:
                found = i64(seat)
                continue
            first = g.board.players[found]
            mine, other = p.clock * speed[found], first.clock * speed[seat]
            if mine < other or (mine == other and order(g, seat, p) < order(g, found, first)):
                found = i64(seat)
    return found


@kernel(inline=True)
def order(g, seat, p):
    return luck(g, CLOCK, word_index(g, seat, p))[1]


# Dice


@kernel(inline=True)
def throw(g, seat, p):
    """Roll the unrolled dice."""
    four = luck(g, ROLL_DICE, word_index(g, seat, p))
    for j in range(p.fresh):
        word = four[0] if j == 0 else four[1] if j == 1 else four[2] if j == 2 else four[3]
        face = FACE_OF[choice(word, 6)]
        if face == WOUND:
            p.woe += 1
        else:
            p.hand[face] += 1
    p.fresh = 0


@kernel(inline=True)
def hand_of(p):
    """The dice in hand as a number, for `pack.fits`."""
    hand = p.hand
    return i64(hand[0]) + 5 * i64(hand[1]) + 25 * i64(hand[2]) + 125 * i64(hand[3])


@kernel(inline=True)
def in_hand(p):
    """Dice that are not wounds; the unrolled are not."""
    hand = p.hand
    return p.fresh + hand[0] + hand[1] + hand[2] + hand[3]


@kernel(inline=True)
def takes_dice(g, p, ability):
    """Whether dice may still be assigned to an ability in this phase (VR3)."""
    row = row_of(p, ability)
    if not has(p.owned, ability) or g.pack.dice[row] == 0:
        return False
    if has(p.recon, ability) and (g.fixed.recon_blocks == ALL or g.pack.once[row]):
        return False
    return not g.pack.once[row] or p.sets[ability] + p.sets_plus[ability] == 0


# Choices


@kernel(inline=True)
def offer_roll(g, p):
    """Whether there is anything to choose but to stop."""
    m = g.mine
    hand, own = hand_of(p), p.owned
    found, least = i64(0), i64(99)
    m.most = most_to_take(g, p)
    for ability in range(ABILITIES):
        m.fits[ability] = 0
        if has(own, ability) and takes_dice(g, p, ability):
            row = row_of(p, ability)
            m.fits[ability] = g.pack.fits[row, hand]
            found |= m.fits[ability]
            least = min(least, i64(g.pack.dice[row]))
    dice = in_hand(p)
    m.may_endure = p.woe > 0 and free_spaces(p) > p.endured  # VR5
    m.may_roll = dice + m.most > 0 and p.roll < g.fixed.max_rolls
    if m.most == 0 and dice + p.woe < least:  # VX4
        return False
    if dice + m.most > 0 and not m.may_roll:
        g.secret.unfinished = 1
    return found != 0 or m.may_endure or m.may_roll or m.most > 0


@kernel(inline=True)
def most_to_take(g, p):
    """Dice that may be taken now: up to the limit (VR6), and alone up to the beep (VR2)."""
    f = g.fixed
    if f.seconds and p.clock * f.pace > f.seconds * ONE * f.speed[0]:
        return i64(0)
    return min(limit_of(p) - in_hand(p) - p.woe, g.board.pool)


@kernel(inline=True)
def race(g):
    b = g.board
    while True:
        if b.active < 0:
            b.active = next_roller(g)
            if b.active < 0:
                return end_race(g)
            throw(g, b.active, g.board.players[b.active])
        p = g.board.players[b.active]
        if offer_roll(g, p):
            return ask(g, ROLL, b.active)
        stop(g, p)


@kernel
def start_race(g):
    for seat in range(g.fixed.seats):
        p = g.board.players[seat]
        p.clock = p.roll = 0
        p.rolling = 1 - p.out
        if p.rolling:
            schedule(g, seat, p)
    g.board.active = -1


@kernel(inline=True)
def stop(g, p):
    p.rolling = 0
    g.board.active = -1


@kernel(inline=True)
def take(g, p, dice):
    g.board.pool -= dice
    p.fresh += dice
    p.taken += dice


@kernel(inline=True)
def assign(g, p, ability, number):
    """Dice to an ability, which frees a wound (VR4)."""
    row = row_of(p, ability)
    faces = g.pack.faces[row, number]
    for face in range(4):
        p.hand[face] -= faces[face]
    if faces[PLUSES] and g.pack.length_plus[row] > g.pack.length[row]:
        p.sets_plus[ability] += 1
    else:
        p.sets[ability] += 1
    if p.woe:
        p.woe -= 1
        p.fresh += 1


@kernel(inline=True)
def endure(p):
    """A wound to a health space, which frees all others (VR4)."""
    p.endured += 1
    p.fresh += p.woe - 1
    p.woe = 0


@kernel(inline=True)
def hear_roll(g, action):
    b, what, amount = g.board, what_of(action), target_of(action)
    p = g.board.players[b.active]
    if what == ASSIGN:
        assign(g, p, amount, set_of(action))
    elif what == ENDURE:
        endure(p)
    elif what == STOP:
        take(g, p, amount)
        stop(g, p)
    else:
        take(g, p, amount)
        for face in range(4):
            kept = kept_of(action, face)
            p.fresh += p.hand[face] - kept
            p.hand[face] = kept
        schedule(g, b.active, p)
        b.active = -1
    return RACING


@kernel
def end_race(g):
    """What is in hand goes back. Only now: so the pool is empty here if it was at any time of the race (VX20)."""
    b, h = g.board, g.secret
    if b.pool == 0 and h.dry == 0:
        h.dry = b.turn + 1
    for seat in range(g.fixed.seats):
        p = g.board.players[seat]
        b.pool += in_hand(p) + p.woe
        p.fresh = p.woe = 0
        for face in range(4):
            p.hand[face] = 0
    b.active, b.stage = 0, START
    return FIGHTING


@kernel(inline=True)
def allowed_roll(m, p, action):
    """Whether an answer to ROLL is within the rules."""
    what, amount = what_of(action), target_of(action)
    if what == ASSIGN:
        if amount >= ABILITIES or i64(action) >> 15:
            return False
        return has(m.fits[amount], set_of(action))
    if what == THROW:
        return m.may_roll != 0 and amount <= m.most and allowed_throw(p, amount, action)
    return i64(action) >> 9 == 0 and (
        amount <= m.most if what == STOP else amount == 0 and what == ENDURE and m.may_endure != 0
    )


@kernel
def allowed_throw(p, taken, action):
    """Whether these dice can be kept, and one at least is rolled (VX3)."""
    kept = i64(0)
    for face in range(4):
        if kept_of(action, face) > p.hand[face]:
            return False
        kept += kept_of(action, face)
    return i64(action) >> 21 == 0 and in_hand(p) + taken > kept
