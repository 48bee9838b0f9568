"""The baseline policies of Shred of Redemption, exactly as the rulings define them.

Each answers one view (`rules.View`). A policy that tries things does so on copies of the board.
"""

from typing import NamedTuple

import numpy as np

from sims.core.bits import bit, count, lowest
from sims.core.game import policy
from sims.core.kernel import kernel
from sims.core.rng import choice
from sims.redemption.effects import (
    DICE,
    DRAW,
    EXHAUST,
    FACES,
    GAIN,
    GAP,
    LOOK,
    LOSE_CARD,
    NEIGHBOUR,
    NONE,
    OP,
    REFRESH,
    REGRET,
    REMOVE,
    REROLL,
    RETURN,
    SET_DIE,
    SWAP,
    SWAP_DICE,
    TURN,
    TURN_DIE,
    apply,
    count_options,
    nth_option,
    option,
    reach,
    seconds_of,
)
from sims.redemption.rules import (
    ACT,
    CARD_DRAW,
    CONCEDE,
    DECLARE,
    DISCARD,
    EFFECT,
    KEEP,
    LAYOUT,
    USE,
    action_of,
    count_actions,
    discard_effect,
    end_effect,
    nth_action,
    start_action,
)

i64, u32, u64 = np.int64, np.uint32, np.uint64


@policy("Every decision uniform over its legal options; never concedes.", uses_word=True)
@kernel
def random(view, weights, prepared):
    kind, word, b = view.kind, view.word, view.board
    if kind == KEEP:
        return i64(choice(word, b.offers))
    if kind == ACT:
        return i64(nth_action(b, i64(choice(word, count_actions(b)))))
    return i64(nth_option(b, i64(choice(word, count_options(b) + b.may))))


@kernel
def countered(fixed, board, card):
    """Over a card's virtue tokens, the faces of the dice drawn so far that the token's virtue counters, summed."""
    found = i64(0)
    for die in range(board.dice):
        for face in range(FACES):
            found += fixed.top[card, fixed.vice[board.kind[die], face]]
    return found


@kernel
def keep_most(fixed, board):
    """The card offered that counters most; ties: the first."""
    best, found = i64(-1), i64(0)
    for place in range(board.offers):
        value = countered(fixed, board, board.offered[place])
        if value > best:
            best, found = value, i64(place)
    return found


# V is worked out on *sketches* of a board: what dice and virtues are in which order, three bits each


class Sketch(NamedTuple):
    """What V hangs on."""

    need: int
    """The virtue that counters die i, in bits 3 i to 3 i + 2."""
    row: int
    """The i-th virtue token from the left, in the same bits; ones where there is none."""
    virtues: int
    """The places of virtue tokens."""
    regrets: int


FIVE, LOW_BITS = (1 << 15) - 1, 0b001001001001001


@kernel(inline=True)
def sketch(fixed, board):
    need = virtues = regrets = shift = i64(0)
    row = i64(-1)
    for die in range(DICE):
        need |= i64(fixed.vice[board.kind[die], board.face[die]]) << 3 * die
    for place in range(board.length):
        token = i64(board.token[place])
        if token == REGRET:
            regrets += 1
        elif token != GAP:
            virtues |= bit(place)
            if shift < 60:
                row = with_field(row, shift, token & 7)
                shift += 3
    return Sketch(need, row, virtues, regrets)


@kernel(inline=True)
def with_field(row, shift, kind):
    """The row with another kind in a field."""
    return row & ~(i64(7) << shift) | kind << shift


@kernel(inline=True)
def without(row, shift):
    """The row with a field taken out; those after it move up."""
    low = (i64(1) << shift) - 1
    return row & low | row >> 3 & ~low


@kernel(inline=True)
def inserted(row, shift, kind):
    """The row with a field put in; those from there on move back."""
    low = (i64(1) << shift) - 1
    return row & low | kind << shift | (row & ~low) << 3


@kernel(inline=True)
def field_of(virtues, place):
    """Where in the row a virtue stands that is at this place, as a shift; beyond the tenth all count as one."""
    return min(3 * count(virtues & (bit(place) - 1)), i64(30))


@kernel(inline=True)
def value_of(need, row, regrets):
    """V: the virtues that counter the die in their place, less regrets."""
    other = (need ^ row) & FIVE
    return DICE - count((other | other >> 1 | other >> 2) & LOW_BITS) - regrets


@kernel
def standing(fixed, board):
    """V, gaps closed."""
    s = sketch(fixed, board)
    return value_of(s.need, s.row, s.regrets)


@kernel(inline=True)
def standing_after(fixed, board, s, op, first, second):
    """V right after an option of this primitive. s: the board's sketch."""
    need, row, regrets = s.need, s.row, s.regrets
    if op == SET_DIE or op == TURN_DIE:
        die = first >> 3
        need = with_field(need, 3 * die, i64(fixed.vice[board.kind[die], first & 7]))
    elif op == SWAP_DICE:
        one, other = need >> 3 * first & 7, need >> 3 * second & 7
        need = with_field(with_field(need, 3 * first, other), 3 * second, one)
    elif op == GAIN or op == LOOK:
        kind = first if op == GAIN else i64(board.looked[first])
        if kind == REGRET:
            regrets += 1
        else:
            row = inserted(row, field_of(s.virtues, i64(62)), kind)
    else:
        row, regrets = row_after(board, s, op, first, second)
    return value_of(need, row, regrets)


@kernel(inline=True)
def row_after(board, s, op, first, second):
    """Row and regrets right after an option that is about tokens of the formation."""
    row, virtues = s.row, s.virtues
    kind, field = i64(board.token[first]) & 7, field_of(virtues, first)
    if op == REMOVE or op == RETURN:
        return (row, s.regrets - 1) if kind == REGRET else (without(row, field), s.regrets)
    if op == TURN:
        if kind == REGRET:
            return inserted(row, field, second), s.regrets - 1
        return with_field(row, field, second), s.regrets
    if op == SWAP and virtues >> first & virtues >> second & 1:
        other = i64(board.token[second]) & 7
        return with_field(with_field(row, field, other), field_of(virtues, second), kind), s.regrets
    if op == SWAP and kind == REGRET:
        return moved(row, virtues, i64(board.token[second]) & 7, second, first), s.regrets
    return moved(row, virtues, kind, first, second), s.regrets


@kernel
def moved(row, virtues, kind, place, target):
    """The row after a token has gone to another place; going right, it comes after what was at the target."""
    if kind == REGRET:
        return row
    others = virtues & ~bit(place)
    return inserted(without(row, field_of(virtues, place)), field_of(others, target + (target > place)), kind)


@kernel
def choose_best(fixed, board):
    """The option with the highest V right after its primitive; ties: the first."""
    op = fixed.step[board.effect, board.step, OP]
    if op == REROLL or op == EXHAUST or op == REFRESH or op == LOSE_CARD:  # these change no V that could be known
        return nth_option(board, i64(0))
    s = sketch(fixed, board)
    best, found, rest = i64(-100), i64(0), i64(board.firsts)
    while rest:
        first = lowest(rest)
        seconds = seconds_of(board, first)
        while seconds:
            second = lowest(seconds)
            other = first + 1 if board.relation == NEIGHBOUR else second
            value = standing_after(fixed, board, s, op, first, other)
            if value > best:
                best, found = value, option(first, second)
            seconds &= seconds - 1
        rest &= rest - 1
    return i64(NONE) if board.may and value_of(s.need, s.row, s.regrets) > best else found


@kernel
def tried(fixed, board, verb, place, trials):
    """V after an action, its choices made by V; draws, looks and rerolls do nothing. `trials[0]` is overwritten."""
    trials[0] = board
    b = trials[0]
    start_action(fixed, b, verb, place)
    while reach(fixed, b, True, u64(0), u64(0)):
        apply(fixed, b, choose_best(fixed, b), u64(0), u64(0))
    end_effect(b)
    return standing(fixed, b)


@kernel
def best_action(fixed, board, trials):
    """The first action with the highest V; the present V must be exceeded, else -1."""
    best, found = standing(fixed, board), i64(-1)
    rest = i64(board.virtues)
    while rest:
        place = lowest(rest)
        for verb in (USE, DISCARD):
            if verb == DISCARD or board.usable >> place & 1:
                value = tried(fixed, board, verb, place, trials)
                if value > best:
                    best, found = value, action_of(verb, place)
        rest &= rest - 1
    rest = i64(board.cards)
    while rest:
        value = tried(fixed, board, EFFECT, lowest(rest), trials)
        if value > best:
            best, found = value, action_of(EFFECT, lowest(rest))
        rest &= rest - 1
    return found


@kernel
def draws(fixed, effect):
    """Whether an effect draws."""
    found = False
    for step in range(fixed.steps[effect]):
        found |= fixed.step[effect, step, OP] == DRAW
    return found


@kernel
def draw_or_concede(fixed, board):
    """The first card kept is discarded to draw; else the leftmost token whose Discard draws; else the end."""
    if board.cards:
        return action_of(CARD_DRAW, lowest(i64(board.cards)))
    for place in range(board.length):
        if board.virtues >> place & 1 and draws(fixed, discard_effect(fixed, board.token[place])):
            return action_of(DISCARD, i64(place))
    return action_of(CONCEDE, i64(0))


@kernel
def scrap(fixed, board, kind, trials):
    """The answer of `scrapper`."""
    if kind == KEEP:
        return keep_most(fixed, board)
    if kind != ACT:
        return choose_best(fixed, board)
    if board.matched:
        return action_of(DECLARE, i64(0))
    found = best_action(fixed, board, trials)
    return found if found >= 0 else draw_or_concede(fixed, board)


@policy("Tries every action, takes the first that brings most matches less regrets; else draws.")
@kernel
def scrapper(view, weights, prepared):
    return scrap(view.fixed.record, view.board, view.kind, np.empty(1, LAYOUT.board))
