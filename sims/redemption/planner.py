"""`planner`: plays every promising option to the end in many worlds of its own, and takes the one that wins most.

What is hidden, the order of bag and deck and the dice to come, is dealt anew for each world from what the player
knows; all options of a decision are held against the same worlds. Within a world the game is played on by `scrapper`.
Options are halved in rounds: those that do worst are dropped, and the others meet twice as many worlds.
"""

from typing import Any, NamedTuple

import numpy as np

from sims.core.bits import count
from sims.core.game import Whole, knob, policy
from sims.core.kernel import kernel
from sims.core.records import ASKED, OVER
from sims.core.rng import choice, words
from sims.redemption import rules
from sims.redemption.effects import DICE, EXHAUST, LOSE_CARD, NEIGHBOUR, OP, REFRESH, REROLL, count_options, nth_option
from sims.redemption.policies import scrap, sketch, standing, standing_after, value_of
from sims.redemption.rules import ACT, ACTING, COPIES, KEEP, LAYOUT, WON, Game, count_actions, nth_action

i64, u64 = np.int64, np.uint64

MOST = 160
"""Options that are looked at, at most: 49 tokens with two actions each, cards, declaring."""
WORLD = i64(1)
"""Purpose of the luck that deals a world; its key is the policy's word."""


# Worlds


@kernel
def deal_world(fixed, board, secret, kind, key, number):
    """What is hidden, dealt anew: the dice and cards to come; the bag's order comes with the luck."""
    secret.key, secret.game, secret.kind, secret.ending = key, number, kind, -1
    if board.reckoning >= 0 or kind != KEEP:
        return
    left = np.empty(rules.pack.KINDS, np.int64)
    left[:] = COPIES
    for die in range(board.dice):
        left[board.kind[die]] -= 1
    for die in range(board.dice, DICE):
        place = i64(choice(words(key, number, WORLD, die)[0], rules.pack.KINDS * COPIES - die))
        drawn = 0
        while place >= left[drawn]:
            place -= left[drawn]
            drawn += 1
        left[drawn] -= 1
        secret.dice_bag[die] = drawn * COPIES
    secret.top = count(i64(board.seen))
    size = secret.top
    for card in range(fixed.pack_cards):
        if not board.seen >> card & 1:
            secret.deck[size] = card
            size += 1
    for place in range(size - 1, secret.top, -1):
        other = secret.top + i64(choice(words(key, number, WORLD, DICE + place)[0], place + 1 - secret.top))
        secret.deck[place], secret.deck[other] = secret.deck[other], secret.deck[place]


@kernel
def value_in_world(fixed, board, secret, action, boards):
    """Play an action and go on to the end, `secret` being dealt. `boards[:2]` are overwritten."""
    boards[1] = board
    b = boards[1]
    g = Game(fixed, b, secret)
    step = rules.run(g, rules.hear(g, action))
    while step != OVER:
        step = rules.hear(g, scrap(fixed, b, secret.kind, boards)) if step == ASKED else ACTING
        step = rules.run(g, step)
    if secret.ending == WON:
        return i64(1000)
    return (30 if b.reckoning >= 0 else 0) + standing(fixed, b)


@kernel
def options(fixed, board, kind, width, found):
    """Write down the actions to be looked at: how many."""
    if kind == KEEP:
        for place in range(board.offers):
            found[place] = place
        return board.offers
    if kind == ACT:
        n = min(i64(count_actions(board)), i64(MOST))
        for place in range(n):
            found[place] = nth_action(board, i64(place))
        return n
    return best_options(fixed, board, width, found)


@kernel
def best_options(fixed, board, width, found):
    """The `width` options of a choice after which V is highest."""
    b, s = board, sketch(fixed, board)
    op, n = fixed.step[b.effect, b.step, OP], i64(0)
    alike = op == REROLL or op == EXHAUST or op == REFRESH or op == LOSE_CARD
    values = np.empty(width, np.int64)
    for place in range(count_options(b) + b.may):
        action = nth_option(b, i64(place))
        first, second = action & 63, action >> 6
        if alike or action < 0:
            value = value_of(s.need, s.row, s.regrets)
        else:
            value = standing_after(fixed, b, s, op, first, first + 1 if b.relation == NEIGHBOUR else second)
        if n == width and value <= values[n - 1]:
            continue
        at = n if n < width else n - 1
        while at > 0 and values[at - 1] < value:
            values[at], found[at] = values[at - 1], found[at - 1]
            at -= 1
        values[at], found[at] = value, action
        n = min(n + 1, i64(width))
    return n


@kernel
def plan(fixed, board, kind, key, weights, secret, boards, found, totals):
    """The option that does best."""
    left = options(fixed, board, kind, weights.width, found)
    totals[:left] = 0
    world, worlds = 0, weights.worlds
    while left > 1:
        for place in range(left):
            for number in range(world, world + worlds):
                deal_world(fixed, board, secret, kind, key, u64(number))
                totals[place] += value_in_world(fixed, board, secret, found[place], boards)
        world += worlds
        worlds *= 2
        left = halve(found, totals, left)
    return found[0]


@kernel
def halve(found, totals, n):
    """Sort the better half to the front, best first, ties as they were: how many remain."""
    remain = (n + 1) // 2
    for at in range(remain):
        best = at
        for place in range(at + 1, n):
            if totals[place] > totals[best]:
                best = place
        action, total = found[best], totals[best]
        for place in range(best, at, -1):
            found[place], totals[place] = found[place - 1], totals[place - 1]
        found[at], totals[at] = action, total
    return remain


class Scratch(NamedTuple):
    """What `planner` prepares: a blank record of each kind."""

    secret: Any


def scratch(knobs: Any, seats: int, weights: Any) -> Scratch:
    return Scratch(np.zeros(1, LAYOUT.secret).view(np.recarray))


@policy(
    "Plays every option on to the end in many worlds dealt from what it knows, and takes the one that wins most.",
    prepare=scratch,
    uses_word=True,
    costly=True,
    worlds=(Whole, knob(2, "Worlds in the first round; twice as many in each further one.", low=1, high=1000)),
    width=(Whole, knob(6, "Options of a choice within an effect that are looked at.", low=2, high=64)),
)
@kernel
def planner(view, weights, prepared, action):
    fixed, kind, seat, word, board = view.fixed.record[0], view.kind, view.seat, view.word, view.board
    secret, boards = prepared.secret.copy(), np.empty_like(np.concatenate((board[:1], board[:1])))
    found, totals = np.empty(MOST, np.int64), np.empty(MOST, np.int64)
    for i in range(action.size):
        if seat[i] >= 0:
            key = u64(word[i]) + (u64(1) << u64(40))
            action[i] = plan(fixed, board[i], kind[i], key, weights, secret[0], boards, found, totals)
