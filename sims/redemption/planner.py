"""`planner`: works out what each promising option is worth, an expectation over all luck to come, and takes the best.

After the option `scrapper` plays on to the end, along every path that luck can take: for each kind of token that may
come out of the bag, each face of a die, each Reckoning card. A path is left *open* where it would fork once more and be
one of more than `exact`. An option is worth the sum, over its paths, of their chance times

- of a path that has come to the end: what the game has come to. This is exact, no sampling comes in;
- of an open path: the mean of play-outs from there on, by luck that is dealt anew for each *world* from what the player
  knows. All options of a decision are held against the same worlds; each open path of an option has its share of them,
  as large as its chance.

So where what is hidden is small, or does not matter, nothing is sampled, and one play-out a path is all there is. Which
card to keep is sampled always: five dice are still to be rolled, which are 7776 paths.

Options are halved in rounds: those that do worst are dropped, and the others meet twice as many worlds.
"""

from typing import Any, NamedTuple

import numpy as np

from sims.core.bits import bit, count
from sims.core.game import Whole, knob, policy
from sims.core.kernel import kernel
from sims.core.records import OVER
from sims.core.rng import choice, words
from sims.redemption import rules
from sims.redemption.effects import (
    DICE,
    EXHAUST,
    LOSE_CARD,
    NEIGHBOUR,
    OP,
    REFRESH,
    REROLL,
    WAY_BITS,
    count_options,
    nth_option,
)
from sims.redemption.policies import scrap, sketch, standing, standing_after, value_of
from sims.redemption.rules import (
    ACT,
    COPIES,
    KEEP,
    LAYOUT,
    WON,
    Game,
    count_actions,
    nth_action,
    run_on,
)

i64, u64, f64 = np.int64, np.uint64, np.float64

MOST = 160
"""Options that are looked at, at most: 49 tokens with two actions each, cards, declaring."""
WORLD, SHARE = i64(1), i64(2)
"""Purposes of the luck that deals a world and that shares worlds out among open paths; the key is the policy's word."""
STOP, GO_ON = (i64(then) for then in range(2))


class World(NamedTuple):
    """Where a game is played on: records, the first board being for what `scrapper` tries."""

    boards: Any
    """[2]"""
    secret: Any
    """[1]"""


class Options(NamedTuple):
    """The options of a decision, and what is found out about them."""

    action: Any
    """[option]"""
    board: Any
    """[option] how the game stands just before luck first falls"""
    secret: Any
    """[option] what goes with it"""
    answer: Any
    """[option] to what is asked there: the option itself, if luck falls at once"""
    paths: Any
    """[option] how many paths are open"""
    script: Any
    """[option, path] of an open path: its way at each fork (`effects.written_way`)"""
    chance: Any
    """[option, path] that it is taken, or an open path before it"""
    ended: Any
    """[option] what paths that have reached the end are worth"""
    played: Any
    """[option] the sum over all play-outs of open paths"""
    worth: Any
    """[option] of all paths, as far as it is known"""


@kernel
def blank_options(boards, secrets, exact):
    """Room for as many options as there are records."""
    n = boards.size
    action, answer, paths, played = np.empty((4, n), np.int64)
    ended, worth = np.empty((2, n), np.float64)
    script, chance = np.empty((n, exact), np.int64), np.empty((n, exact), np.float64)
    return Options(action, boards, secrets, answer, paths, script, chance, ended, played, worth)


# Worlds


@kernel
def deal_world(fixed, board, secret, key, number):
    """What is hidden, dealt anew: the dice and cards to come; the bag's order comes with the luck."""
    secret.key, secret.game = key, number
    if secret.kind != KEEP:
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
def go_to_luck(fixed, board, kind, options, o, world):
    """Play option o on to the last decision before luck falls, or to that before the end."""
    options.board[o], options.answer[o] = board, options.action[o]
    b, h = options.board[o], options.secret[o]
    b.most, b.paths, b.chance = 1, 1, 1.0
    h.kind, h.ending = kind, -1
    while kind != KEEP:
        world.boards[1], world.secret[0] = options.board[o], options.secret[o]
        g = Game(fixed, world.boards[1], world.secret[0])
        step = run_on(g, rules.hear(g, options.answer[o]))
        if step == OVER or g.board.most == 0:
            return
        options.answer[o] = scrap(fixed, g.board, g.secret.kind, world.boards)
        options.board[o], options.secret[o] = g.board, g.secret


@kernel
def value_in_world(fixed, options, o, script, most, then, key, number, world):
    """Play option o on to the end, from where luck first falls.

    Luck takes the path that the script says. Where paths would be more than `most`, `then` says whether to STOP or to
    GO_ON by the luck of this world.
    """
    world.boards[1], world.secret[0] = options.board[o], options.secret[o]
    b, h = world.boards[1], world.secret[0]
    deal_world(fixed, b, h, key, number)
    b.script, b.most = script, most
    g = Game(fixed, b, h)
    step = run_on(g, rules.hear(g, options.answer[o]))
    while step != OVER and not (then == STOP and b.most == 0):
        step = run_on(g, rules.hear(g, scrap(fixed, b, h.kind, world.boards)))
    if h.ending == WON:
        return i64(1000)
    return (30 if b.reckoning >= 0 else 0) + standing(fixed, b)


# Options


@kernel
def find_options(fixed, board, kind, width, found):
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


# Their worth


@kernel
def follow(fixed, options, o, most, key, world):
    """Follow every path of option o, to the end or until there are too many."""
    ended = chance = 0.0
    script, n = i64(0), i64(0)
    while script >= 0:
        value = value_in_world(fixed, options, o, script, most, STOP, key, u64(0), world)
        path = world.boards[1]
        if path.most:
            ended += path.chance * value
        else:
            chance += path.chance
            options.script[o, n], options.chance[o, n] = script, chance
            n += 1
        script = next_script(path)
    options.ended[o], options.worth[o], options.paths[o], options.played[o] = ended, ended, n, 0


@kernel
def next_script(path):
    """The next path: the next way at the last fork that has one, and the first at all after it; -1: there is none."""
    low = bit(WAY_BITS) - 1
    for fork in range(path.forks - 1, -1, -1):
        shift = WAY_BITS * fork
        way = (path.script >> shift & low) + 1
        if way < path.widths >> shift & low:
            return path.script & (bit(shift) - 1) | way << shift
    return i64(-1)


@kernel
def play_out(fixed, options, o, most, key, first, worlds, world):
    """Play the open paths of option o on in so many worlds, from number `first` on."""
    last, at = options.paths[o] - 1, i64(0)
    each = options.chance[o, last] / worlds
    offset = f64(words(key, u64(first), SHARE, 0)[0]) / 2.0**32
    for n in range(worlds):
        while at < last and options.chance[o, at] <= each * (n + offset):
            at += 1
        script = options.script[o, at]
        options.played[o] += value_in_world(fixed, options, o, script, most, GO_ON, key, u64(first + n), world)
    options.worth[o] = options.ended[o] + options.chance[o, last] * options.played[o] / (first + worlds)


@kernel
def plan(fixed, board, kind, key, weights, options, order, world):
    """The option that is worth most. Those that were looked at are numbered in `order`, the best of them sorted."""
    left = find_options(fixed, board, kind, weights.width, options.action)
    most = weights.exact if kind != KEEP else 1
    for o in range(left):
        order[o] = o
        go_to_luck(fixed, board, kind, options, o, world)
        follow(fixed, options, o, most, key, world)
    first, worlds = i64(0), i64(weights.worlds)
    while left > 1:
        for o in order[:left]:
            if options.paths[o]:
                play_out(fixed, options, o, most, key, first, worlds, world)
        first += worlds
        worlds *= 2
        left = halve(order, options.worth, left)
    return options.action[order[0]]


@kernel
def halve(order, worth, n):
    """Sort the better half to the front, best first, ties as they were: how many remain."""
    remain = (n + 1) // 2
    for at in range(remain):
        best = at
        for place in range(at + 1, n):
            if worth[order[place]] > worth[order[best]]:
                best = place
        chosen = order[best]
        for place in range(best, at, -1):
            order[place] = order[place - 1]
        order[at] = chosen
    return remain


class Scratch(NamedTuple):
    """What `planner` prepares: blank records, for each option and for a world."""

    board: Any
    secret: Any


def scratch(knobs: Any, seats: int, weights: Any) -> Scratch:
    return Scratch(*(np.zeros(MOST + 2, dtype).view(np.recarray) for dtype in (LAYOUT.board, LAYOUT.secret)))


@policy(
    "Plays every option on to the end, along all paths of luck where they are few, else in worlds dealt from what it "
    "knows, and takes the one that wins most.",
    prepare=scratch,
    uses_word=True,
    exact=(Whole, knob(12, "Paths of luck that are followed exactly, at most; beyond, worlds.", low=1, high=64)),
    worlds=(Whole, knob(2, "Worlds in the first round; twice as many in each further one.", low=1, high=1000)),
    width=(Whole, knob(6, "Options of a choice within an effect that are looked at.", low=2, high=64)),
)
@kernel
def planner(view, weights, prepared):
    boards, secrets, order = prepared.board.copy(), prepared.secret.copy(), np.empty(MOST, np.int64)
    options, world = blank_options(boards[:MOST], secrets[:MOST], weights.exact), World(boards[MOST:], secrets[MOST:])
    key = u64(view.word) + (u64(1) << u64(40))
    return plan(view.fixed.record, view.board, view.kind, key, weights, options, order, world)
