"""The baseline policies of Shred of Redemption, exactly as the rulings define them.

Each is a loop over the lanes of a view (`table.View`). Arrays are taken from the view before the loop: within it every
`view.name` would count references. A policy that tries things does so on copies of a lane's board.
"""

import numpy as np

from sims.core.game import policy
from sims.core.kernel import kernel
from sims.core.rng import choice
from sims.redemption.effects import (
    DRAW,
    EXHAUST,
    FACES,
    GAIN,
    GAP,
    LOOK,
    LOSE_CARD,
    MOVE,
    NEIGHBOUR,
    NONE,
    OP,
    REFRESH,
    REMOVE,
    REROLL,
    RETURN,
    SWAP,
    SWAP_DICE,
    TURN,
    append,
    apply,
    count_options,
    lowest,
    matches,
    move,
    nth_option,
    option,
    reach,
    seconds_of,
    shift,
    swap,
    swap_dice,
)
from sims.redemption.rules import (
    ACT,
    CARD_DRAW,
    CONCEDE,
    DECLARE,
    DISCARD,
    EFFECT,
    KEEP,
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
def random(view, weights, prepared, action):
    kind, seat, word, board = view.kind, view.seat, view.word, view.board
    for i in range(action.size):
        if seat[i] < 0:
            continue
        b = board[i]
        if kind[i] == KEEP:
            action[i] = choice(word[i], b.offers)
        elif kind[i] == ACT:
            action[i] = nth_action(b, i64(choice(word[i], count_actions(b))))
        else:
            action[i] = nth_option(b, i64(choice(word[i], count_options(b) + b.may)))


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


@kernel
def standing(fixed, board):
    """V: matches less regrets, gaps closed."""
    found, regrets = matches(fixed, board)
    return found - regrets


@kernel
def standing_after(fixed, board, op, first, second):
    """V right after an option of this primitive. The board is changed for that, and changed back."""
    token, length = i64(board.token[first]), board.length
    if op == REMOVE or op == RETURN:
        board.token[first] = GAP
    elif op == TURN:
        board.token[first] = second
    elif op == SWAP:
        swap(board, first, second)
    elif op == MOVE:
        fills_gap = board.token[second] == GAP
        move(board, first, second)
    elif op == GAIN:
        append(board, first)
    elif op == LOOK:
        append(board, board.looked[first])
    elif op == SWAP_DICE:
        swap_dice(board, first, second)
    else:
        face = board.face[first >> 3]
        board.face[first >> 3] = first & 7
    value = standing(fixed, board)
    board.length = length
    if op == SWAP:
        swap(board, first, second)
    elif op == MOVE:
        if fills_gap:
            swap(board, second, first)
        else:
            shift(board, second, first)
    elif op == SWAP_DICE:
        swap_dice(board, first, second)
    elif op <= TURN:
        board.token[first] = token
    else:
        board.face[first >> 3] = face
    return value


@kernel
def choose_best(fixed, board):
    """The option with the highest V right after its primitive; ties: the first."""
    op = fixed.step[board.effect, board.step, OP]
    if op == REROLL or op == EXHAUST or op == REFRESH or op == LOSE_CARD:  # these change no V that could be known
        return nth_option(board, i64(0))
    best, found, rest = i64(-100), i64(0), i64(board.firsts)
    while rest:
        first = lowest(rest)
        seconds = seconds_of(board, first)
        while seconds:
            second = lowest(seconds)
            other = first + 1 if board.relation == NEIGHBOUR else second
            value = standing_after(fixed, board, op, first, other)
            if value > best:
                best, found = value, option(first, second)
            seconds &= seconds - 1
        rest &= rest - 1
    return i64(NONE) if board.may and standing(fixed, board) > best else found


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
        trials[0] = board
        return choose_best(fixed, trials[0])
    if board.matched:
        return action_of(DECLARE, i64(0))
    found = best_action(fixed, board, trials)
    return found if found >= 0 else draw_or_concede(fixed, board)


@policy("Tries every action, takes the first that brings most matches less regrets; else draws.", costly=True)
@kernel
def scrapper(view, weights, prepared, action):
    fixed, kind, seat, board = view.fixed.record[0], view.kind, view.seat, view.board
    trials = np.empty_like(board[:1])
    for i in range(action.size):
        if seat[i] >= 0:
            action[i] = scrap(fixed, board[i], kind[i], trials)
