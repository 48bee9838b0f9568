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
    FACES,
    OP,
    REROLL,
    apply,
    count_options,
    lowest,
    matches,
    nth_option,
    reach,
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
def choose_best(fixed, board, trial):
    """The option with the highest V right after its primitive; ties: the first. `trial[0]` is overwritten."""
    if fixed.step[board.effect, board.step, OP] == REROLL:  # what it will show is not known
        return nth_option(board, i64(0))
    best, found = i64(-100), i64(0)
    for n in range(count_options(board) + board.may):
        trial[0] = board
        option = nth_option(board, i64(n))
        apply(fixed, trial[0], option, u64(0), u64(0))
        value = standing(fixed, trial[0])
        if value > best:
            best, found = value, option
    return found


@kernel
def tried(fixed, board, verb, place, trials):
    """V after an action, its choices made by V; draws, looks and rerolls do nothing. `trials[:2]` are overwritten."""
    trials[1] = board
    b = trials[1]
    start_action(fixed, b, verb, place)
    while reach(fixed, b, True, u64(0), u64(0)):
        apply(fixed, b, choose_best(fixed, b, trials), u64(0), u64(0))
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
        return choose_best(fixed, board, trials)
    if board.matched:
        return action_of(DECLARE, i64(0))
    found = best_action(fixed, board, trials)
    return found if found >= 0 else draw_or_concede(fixed, board)


@policy("Tries every action, takes the first that brings most matches less regrets; else draws.", costly=True)
@kernel
def scrapper(view, weights, prepared, action):
    fixed, kind, seat, board = view.fixed.record[0], view.kind, view.seat, view.board
    trials = np.empty_like(board[:2]) if board.size > 1 else np.empty_like(np.repeat(board, 2))
    for i in range(action.size):
        if seat[i] >= 0:
            action[i] = scrap(fixed, board[i], kind[i], trials)
