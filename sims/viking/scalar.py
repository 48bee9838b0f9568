"""Viking Dice as one would write it first: a single compiled loop, one game after the other.

The rules for one line-up alone (`LINEUP`, two seats, default knobs, `open` order), with plain variables, free branches
and a generator of its own. `lab bench` times it in turn with the table of lanes, to tell what lockstep gains or costs.
It is a peer in the statistical sense: it does not see the luck of the table, so games differ and averages agree, to
which a test holds it.
"""

import numpy as np

from sims.core.kernel import kernel
from sims.core.scalar import begin, roll

LINEUP = ("threshold", "trailing")
"""By seat: the policies that are built in."""

BELOW, START_LIFE, MAX_DUELS = 4, 12, 1000


@kernel(inline=True)
def roll_three(state):
    state, a = roll(state, 6)
    state, b = roll(state, 6)
    state, c = roll(state, 6)
    return state, a, b, c


@kernel(inline=True)
def roll_low(state, a, b, c):
    """Reroll the dice that show less than `BELOW`: (next state, the three dice, 1 if there were any)."""
    used = np.int64(a < BELOW or b < BELOW or c < BELOW)
    if a < BELOW:
        state, a = roll(state, 6)
    if b < BELOW:
        state, b = roll(state, 6)
    if c < BELOW:
        state, c = roll(state, 6)
    return state, a, b, c, used


@kernel
def play(seed, first, count, sums):
    """Play games `first` to `first + count - 1` and add each results column to its place in `sums`.

    seed, first: below 2**63. sums: int64 [columns], in the order of `columns` for two seats.
    """
    life, place = np.empty(2, np.int64), np.empty(2, np.int64)
    for game in range(first, first + count):
        state = begin(seed, game)
        life[:] = START_LIFE
        place[:] = -1
        duels = rerolls = triples = ties = lead_changes = 0
        leader = -1
        while life[0] > 0 and life[1] > 0 and duels < MAX_DUELS:
            duels += 1
            state, a, b, c = roll_three(state)
            state, d, e, f = roll_three(state)

            # Rerolls. Whoever of these two waits has no low die or leads, so a third chance to speak changes nothing.
            stands = a + b + c == d + e + f or (a == b and b == c) or (d == e and e == f)
            if not stands and a + b + c < d + e + f:
                state, a, b, c, used = roll_low(state, a, b, c)
                rerolls += used
                if d + e + f < a + b + c:
                    state, d, e, f, used = roll_low(state, d, e, f)
                    rerolls += used
            elif not stands:
                state, d, e, f, used = roll_low(state, d, e, f)
                rerolls += used
                state, a, b, c, used = roll_low(state, a, b, c)
                rerolls += used

            # The result. Both always attack with a higher triple.
            total_0, total_1 = a + b + c, d + e + f
            triple_0, triple_1 = a == b and b == c, d == e and e == f
            triples += triple_0 + triple_1
            ties += total_0 == total_1
            if triple_0 and triple_1:
                life[0] += a
                life[1] += d
            elif total_0 == total_1:
                high_0, high_1 = max(a, b, c), max(d, e, f)
                life[0] += (a if triple_0 else 0) - (high_1 if high_0 < high_1 else 0)
                life[1] += (d if triple_1 else 0) - (high_0 if high_1 < high_0 else 0)
            elif total_0 < total_1:
                life[0] += a if triple_0 else total_0 - total_1
            else:
                life[1] += d if triple_1 else total_1 - total_0

            # Out, and the lead.
            for seat in range(2):
                if life[seat] <= 0:
                    life[seat] = 0
                    place[seat] = 2
                    place[1 - seat] = 1
            ahead = 0 if life[0] > life[1] else 1 if life[1] > life[0] else leader
            lead_changes += leader >= 0 and ahead != leader
            leader = ahead

        unfinished = life[0] > 0 and life[1] > 0
        sums[0] += duels
        sums[1] += -1 if unfinished else np.int64(life[1] > 0)
        sums[2] += life[0]
        sums[3] += life[1]
        sums[4] += place[0]
        sums[5] += place[1]
        sums[6] += rerolls
        sums[7] += triples
        sums[8] += ties
        sums[9] += lead_changes
        sums[10] += unfinished
        if unfinished:
            sums[11] += 3
        elif total_0 == total_1:
            sums[11] += 1
        elif triple_0 if total_0 > total_1 else triple_1:
            sums[11] += 2
