"""The baseline policies of Viking Dice, exactly as the rulings define them.

Each is a loop over the lanes of a view (`table.View`) that writes one action a lane. How to keep such a
loop fast is told at the top of `rules.py`.
"""

import numpy as np

from sims.core.game import Whole, knob, policy
from sims.core.kernel import kernel
from sims.core.rng import choice
from sims.viking.rules import ATTACK, HEAL, SPEAK, STRIKE, TARGET

i8, i16, i32 = np.int8, np.int16, np.int32

BELOW = (Whole, knob(4, "Rerolls dice that show less than this.", low=1, high=13))


@kernel(inline=True)
def low_dice(view, below, i):
    """Bit mask of the own dice that show less than `below`."""
    mask = i16(0)
    for d in range(len(view.dice)):
        mask |= i16(view.own[d, i] < below) << d
    return mask


@kernel
def reroll_below(view, below, action):
    """Reroll every own die that shows less than `below`; if there is none, wait."""
    limit = i8(below)
    for i in range(action.size):
        action[i] = low_dice(view, limit, i)


@kernel
def answer_all(answer, action):
    for i in range(action.size):
        action[i] = answer


@kernel(inline=True)
def steps_to(seat, own, seats):
    """How far clockwise from `own` a seat is."""
    return i32(seat - own) if seat >= own else i32(seat - own + seats)


@kernel
def face_first(view, by_life, action):
    """Face the living opponent with the least life, ties to the first clockwise; or simply the first clockwise."""
    best = np.full(action.size, 2**31 - 1, i32)
    for each in range(view.seats):
        seat, life = i8(each), view.life[each]
        for i in range(action.size):
            own, lives, least, chosen = view.seat[i], life[i], best[i], action[i]
            order = i32(steps_to(seat, own, i8(view.seats)) + (lives << 3) * by_life)
            better = (lives > 0) & (seat != own) & (order < least)
            best[i] = order if better else least
            action[i] = i16(seat) if better else chosen


@kernel
def face_next(view, action):
    """Face the next living player clockwise."""
    face_first(view, i32(0), action)


@kernel
def face_weakest(view, action):
    """Face the living opponent with the least life; ties to the first of them clockwise."""
    face_first(view, i32(1), action)


@policy("Never rerolls, always attacks, faces the next player clockwise.")
@kernel
def keep(view, weights, prepared, action):
    if view.kind == TARGET:
        face_next(view, action)
    else:
        answer_all(0, action)  # wait; attack


@policy("Rerolls every die below `below` at its first chance, attacks, faces the weakest.", below=BELOW)
@kernel
def threshold(view, weights, prepared, action):
    if view.kind == TARGET:
        face_weakest(view, action)
    elif view.kind == STRIKE:
        answer_all(ATTACK, action)
    else:
        reroll_below(view, weights.below, action)


@policy("As threshold, but rerolls only while its total is lower than the opponent's.", below=BELOW)
@kernel
def trailing(view, weights, prepared, action):
    if view.kind == TARGET:
        face_weakest(view, action)
    elif view.kind == STRIKE:
        answer_all(ATTACK, action)
    else:
        limit = i8(weights.below)
        for i in range(action.size):
            mask = low_dice(view, limit, i)
            action[i] = mask if view.own_total[i] < view.other_total[i] else i16(0)


@policy("As threshold, but heals with a higher triple.", below=BELOW)
@kernel
def healer(view, weights, prepared, action):
    if view.kind == TARGET:
        face_weakest(view, action)
    elif view.kind == STRIKE:
        answer_all(HEAL, action)
    else:
        reroll_below(view, weights.below, action)


@policy("Each decision uniform over its legal options.", uses_word=True)
@kernel
def random(view, weights, prepared, action):
    if view.kind == TARGET:
        face_any(view, action)
    elif view.kind == SPEAK:
        for i in range(action.size):
            action[i] = choice(view.word[i], 1 << view.own.shape[0])
    else:
        for i in range(action.size):
            action[i] = choice(view.word[i], 2)


@kernel
def face_any(view, action):
    """Face a living opponent, each equally likely: the k-th clockwise."""
    for i in range(action.size):
        living = 0
        for seat in range(view.seats):
            living += view.life[seat, i] > 0 and seat != view.seat[i]
        left = int(choice(view.word[i], living))
        for step in range(1, view.seats):
            seat = (view.seat[i] + step) % view.seats
            if view.life[seat, i] > 0:
                if left == 0:
                    action[i] = seat
                left -= 1
