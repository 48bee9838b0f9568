"""Can a deal be won by somebody who knows everything that luck will bring?

The one place that looks into the game's own luck: for a bound, not for play. From the first card to the last action
all decisions are searched in layers, with memory: a state that was met before is not met again. A layer keeps the
`width` most promising states. While none has been dropped the search is exhaustive, and finding no win proves that
there is none; after that, finding none proves nothing.
"""

import numpy as np
from numpy.typing import NDArray

from sims.core.bits import count
from sims.core.game import Setting
from sims.core.kernel import kernel
from sims.core.records import OVER
from sims.redemption import rules
from sims.redemption.effects import count_options, in_bag, matches, nth_option
from sims.redemption.rules import (
    ACT,
    HISTORY,
    KEEP,
    LAYOUT,
    WON,
    Game,
    count_actions,
    nth_action,
    run_on,
)

i64, u64 = np.int64, np.uint64
IMPOSSIBLE, POSSIBLE, UNDECIDED = 0, 1, -1
MOST = 128
"""Options of a state, at most (the last are left out, and the search is exhaustive no more)."""
MEMORY = 1 << 21
"""Places for states met before; half of them are used at most."""
LAYERS = 400


def solve(setting: Setting, first: int, games: int, width: int = 1000) -> NDArray[np.int8]:
    """For each of these game numbers whether it can be won: POSSIBLE, IMPOSSIBLE or UNDECIDED. int8 [games]."""
    fixed = rules.make_fixed(setting.knobs)
    boards = [np.zeros(width, LAYOUT.board).view(np.recarray) for _ in range(2)]
    secrets = [np.zeros(width, LAYOUT.secret).view(np.recarray) for _ in range(2)]
    blank = np.zeros(1, LAYOUT.board).view(np.recarray), np.zeros(1, LAYOUT.secret).view(np.recarray)
    memory = np.zeros(MEMORY, np.uint64)
    found = np.zeros(games, np.int8)
    for place in range(games):
        memory[:] = 0
        boards[0][0], secrets[0][0] = blank[0][0], blank[1][0]
        secrets[0].key[0], secrets[0].game[0] = setting.seed, first + place
        found[place] = search(fixed, *boards, *secrets, memory)
    return found


@kernel
def how_many(board, kind):
    if kind == KEEP:
        return i64(board.offers)
    return i64(count_actions(board)) if kind == ACT else i64(count_options(board) + board.may)


@kernel
def nth(board, kind, n):
    if kind == KEEP:
        return n
    return nth_action(board, n) if kind == ACT else nth_option(board, n)


@kernel(inline=True)
def mixed(state, value):
    """A step of a hash (the finaliser of MurmurHash3, Austin Appleby)."""
    state = (state ^ u64(value)) * u64(0xFF51AFD7ED558CCD)
    state = (state ^ (state >> u64(33))) * u64(0xC4CEB9FE1A85EC53)
    return state ^ (state >> u64(29))


@kernel
def hashed(board, kind):
    """Of all that the rest of the game hangs on: 64 bits, never 0."""
    b = board
    state = mixed(u64(kind + 1), b.dice << 40 | (b.effect * 16 + b.step) << 20 | b.times << 10 | b.acting + 1)
    state = mixed(mixed(state, b.cards), b.seen)
    state = mixed(state, b.draws << 40 | b.sights << 20 | b.rolls)
    state = mixed(state, (b.reckoning + 1) << 8 | b.leaves << 1 | b.matched)
    for place in range(b.kept):
        state = mixed(state, i64(b.card[place]))
    for die in range(rules.DICE):
        state = mixed(state, i64(b.kind[die]) * 8 + b.face[die])
    for token in range(rules.REGRET + 1):
        state = mixed(state, i64(b.bag[token]))
    for place in range(b.length):
        state = mixed(state, i64(b.token[place]) + 1)
    for place in range(b.looks):
        state = mixed(state, i64(b.looked[place]) + 100)
    return state | u64(1)


@kernel
def is_new(memory, state):
    """Whether a state was not met before; it is from now on. A full memory takes in nothing more."""
    place = i64(state >> u64(43))
    for _ in range(64):
        if memory[place] == state:
            return False
        if memory[place] == 0:
            memory[place] = state
            return True
        place = (place + 1) % MEMORY
    return True


@kernel
def promise(fixed, board):
    """What a layer's states are compared by."""
    found, regrets = matches(fixed, board)
    worth = 8 * found - 6 * regrets + 5 * count(i64(board.cards)) + (400 if board.reckoning >= 0 else 0)
    for place in range(board.length):
        worth += 4 if 0 <= board.token[place] < rules.REGRET else 1 if board.token[place] >= rules.USED else 0
    return worth * 16 + min(in_bag(board), i64(15))


@kernel
def search(fixed, boards, next_boards, secrets, next_secrets, memory):
    """Search one deal: `secrets[0]` has its key and number, all else is blank."""
    f, width = fixed.record[0], boards.size
    parent, action, worth = np.empty((3, width * MOST), np.int64)
    trial, hidden = np.empty_like(boards[:1]), np.empty_like(secrets[:1])
    g = Game(f, boards[0], secrets[0])
    rules.set_up(g)
    run_on(g, HISTORY)
    size, exhaustive = 1, True
    for _ in range(LAYERS):
        children = 0
        for s in range(size):
            kind = secrets[s].kind
            options = how_many(boards[s], kind)
            exhaustive = exhaustive and options <= MOST
            for n in range(min(options, i64(MOST))):
                trial[0], hidden[0] = boards[s], secrets[s]
                g, answer = Game(f, trial[0], hidden[0]), nth(boards[s], kind, i64(n))
                step = run_on(g, rules.hear(g, answer))
                if step == OVER:
                    if hidden[0].ending == WON:
                        return POSSIBLE
                elif is_new(memory, hashed(trial[0], hidden[0].kind)):
                    parent[children], action[children], worth[children] = s, answer, promise(f, trial[0])
                    children += 1
        if children == 0:
            return IMPOSSIBLE if exhaustive else UNDECIDED
        exhaustive = exhaustive and children <= width
        best = np.argsort(-worth[:children], kind="mergesort")
        size = min(children, width)
        for place in range(size):
            child = best[place]
            next_boards[place], next_secrets[place] = boards[parent[child]], secrets[parent[child]]
            g = Game(f, next_boards[place], next_secrets[place])
            run_on(g, rules.hear(g, action[child]))
        boards, next_boards = next_boards, boards
        secrets, next_secrets = next_secrets, secrets
    return UNDECIDED
