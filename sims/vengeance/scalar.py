"""Vengeance as one plain compiled loop: one game after the other, its players asked at every decision.

It calls the rules' and the policy's own functions, and its games are those of the table to the last bit, to which a
test holds it. What `lab bench` compares with it is the rest: lanes in lockstep, views, arrays of answers, and their
checks.
"""

import numpy as np

from sims.core.game import encode
from sims.core.kernel import kernel
from sims.core.records import ASKED, OVER
from sims.vengeance import GAME, rules
from sims.vengeance.policies import brawl
from sims.vengeance.state import BEGINNING, SIDING, Game
from sims.vengeance.table import lanes_of

LINEUP = ("brawler", "brawler")


def play(seed, first, count, sums):
    """Play games `first` to `first + count - 1`, default knobs, and add each results column to its place in `sums`.

    seed, first: below 2**63. sums: int64 [columns], in the order of `columns` for two seats.
    """
    seats = len(LINEUP)
    fixed = rules.make_fixed(encode(GAME.knobs()), seats, ())
    _play(fixed, lanes_of(2), np.uint64(seed), first, count, sums)


@kernel
def _play(fixed, t, key, first, count, sums):
    """The first lane of `t` is played in, the second is blank."""
    f, pack = fixed.record[0], fixed.pack[0]
    board, mine, secret = t.board, t.mine, t.secret
    rows, only = np.zeros((1, sums.size + 1), np.int32), np.zeros(1, np.int32)
    for game in range(first, first + count):
        board[0], mine[0], secret[0] = board[1], mine[1], secret[1]
        secret[0].key, secret[0].game = key, game
        g = Game(f, pack, board[0], secret[0], mine[0])
        rules.set_up(g)
        step = rules.run(g, SIDING)
        while step != OVER:
            h = g.secret
            step = rules.hear(g, brawl(g, h.kind, g.board.players[h.seat])) if step == ASKED else BEGINNING
            step = rules.run(g, step)
        rules.record(only, fixed, t, rows)
        for column in range(sums.size):
            sums[column] += rows[0, 1 + column]
