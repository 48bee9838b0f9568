"""Shred of Redemption as one plain compiled loop: one game after the other, its player asked at every decision.

It calls the rules' and the policy's own functions, and its games are those of the table to the last bit, to which a
test holds it. What `lab bench` compares with it is the rest: lanes in lockstep, views, arrays of answers, and their
checks.
"""

import numpy as np

from sims.core.game import encode
from sims.core.kernel import kernel
from sims.core.records import ASKED, OVER
from sims.redemption import GAME, rules
from sims.redemption.policies import scrap
from sims.redemption.rules import ACTING, HISTORY, LAYOUT, Game, Lanes

LINEUP = ("scrapper",)


def play(seed, first, count, sums):
    """Play games `first` to `first + count - 1`, default knobs, and add each results column to its place in `sums`.

    seed, first: below 2**63. sums: int64 [columns], in the order of `columns`.
    """
    board, secret = (np.zeros(2, dtype).view(np.recarray) for dtype in (LAYOUT.board, LAYOUT.secret))
    state = np.zeros((3, 1), np.int8)
    lane = Lanes(board, secret, *state, np.zeros(1, np.uint32), np.zeros(1, np.int16))
    _play(rules.make_fixed(encode(GAME.knobs())), lane, np.uint64(seed), first, count, sums)


@kernel
def _play(fixed, lane, key, first, count, sums):
    """The first records of `lane` are played with, the second are blank."""
    f, board, secret = fixed.record[0], lane.board, lane.secret
    trials, rows, only = np.empty_like(board), np.zeros((1, sums.size + 1), np.int32), np.zeros(1, np.int32)
    for game in range(first, first + count):
        board[0], secret[0] = board[1], secret[1]
        secret[0].key, secret[0].game = key, game
        g = Game(f, board[0], secret[0])
        rules.set_up(g)
        step = rules.run(g, HISTORY)
        while step != OVER:
            step = rules.hear(g, scrap(f, board[0], secret[0].kind, trials)) if step == ASKED else ACTING
            step = rules.run(g, step)
        rules.record(only, fixed, lane, rows)
        for column in range(sums.size):
            sums[column] += rows[0, 1 + column]
