"""Vices & Vengeance as one would write it first: a single compiled loop, one game after the other.

The rules for one line-up alone (`LINEUP`, four seats, default knobs), with plain variables, free branches and a
generator of its own that is asked once a die. `lab bench` times it in turn with the table of lanes, to tell what
lockstep gains or costs. It is a peer in the statistical sense: it does not see the luck of the table, so games differ
and averages agree, to which a test holds it. Ids such as VV9 are those of the rulings.
"""

import numpy as np

from sims.core.kernel import kernel
from sims.core.scalar import begin, roll

LINEUP = ("zeros",) * 4
"""By seat: the policies that are built in."""

SEATS, TARGET, MAX_ROUNDS = 4, 70, 200

SINS = 7
LUST, GLUTTONY, GREED, SLOTH, WRATH, ENVY, PRIDE = range(SINS)
RESOLVED = (WRATH, SLOTH, PRIDE, LUST, GREED, GLUTTONY, ENVY)
NOBODY, DESTROYED = -1, -2
"""Holders of a large Sin die that are not seats. What nobody holds is a reserve; `NOBODY` is also no Sin at all."""

PAIRS, SPOILERS, NEMESIS, ABSORBED, UNITS = 7, 10, 13, 14, 18
"""Where each kind of a defender's units begins: small Sin dice first, absorbed Nemesis dice (by owner) last."""
SIDES = np.array([6] * 10 + [12, 10, 8] + [20] * 5)

LOST, AT_HAND, TAKEN, JOINING = range(4)
"""Of a seat's Nemesis: out of the game, with its owner, with the defender, with the defender from the next roll on."""

WINNER, ROUNDS, TURNS, ROLLS, EXACT_WIN, ANYONE_EXACT, FIRST_SEAT = range(7)
TOTAL, START_SIN, SIN_MATCHES, NEMESIS_MATCHES = range(7, 23, SEATS)
SINS_DESTROYED, NEMESIS_DESTROYED, TIE_BREAKS, UNFINISHED, ENDING = range(23, 28)
"""The columns, in the order of `columns` for four seats."""


@kernel(inline=True)
def roll_pair(state):
    """(next state, the points of a Mythical pair)"""
    state, a = roll(state, 6)
    state, b = roll(state, 6)
    return state, 0 if a == b else 12 - a - b


@kernel(inline=True)
def roll_penalty(state, count, dice):
    """Roll a penalty of `count` dice: (next state, its points). Repeated numbers are worth nothing."""
    for i in range(count):
        state, dice[i] = roll(state, 6)
    points = 0
    for i in range(count):
        alike = 0
        for j in range(count):
            alike += dice[i] == dice[j]
        if alike == 1:
            points += 6 - dice[i]
    return state, points


@kernel(inline=True)
def first_sin(holder, whose):
    """The first Sin, in Sin order, that `whose` seat (or `NOBODY`) holds; `NOBODY` if there is none."""
    for sin in range(SINS):
        if holder[sin] == whose:
            return sin
    return NOBODY


@kernel(inline=True)
def choose_sin(holder, chooser, barred):
    """The first reserve Sin, else the first of the other seats, clockwise, without the `barred` one; else `NOBODY`."""
    sin = first_sin(holder, NOBODY)
    for step in range(1, SEATS):
        seat = (chooser + step) % SEATS
        if sin == NOBODY and seat != barred:
            sin = first_sin(holder, seat)
    return sin


@kernel(inline=True)
def keep_highest(score, still_in):
    """Leave in those with the highest score: (how many they are, one of them)."""
    best = -99
    for seat in range(SEATS):
        if still_in[seat] and score[seat] > best:
            best = score[seat]
    count, last = 0, 0
    for seat in range(SEATS):
        still_in[seat] = still_in[seat] and score[seat] == best
        if still_in[seat]:
            count += 1
            last = seat
    return count, last


@kernel(inline=True)
def choose_first_seat(state, score, still_in):
    still_in[:] = True
    count, seat = SEATS, 0
    while count > 1:  # VV41
        for i in range(SEATS):
            if still_in[i]:
                state, score[i] = roll(state, 20)
        count, seat = keep_highest(score, still_in)
    return state, seat


@kernel(inline=True)
def roll_start_sin(state, holder):
    """Roll the Mirror and the Sin dice of the reserves until some match: (next state, the first of these)."""
    found = NOBODY
    while found == NOBODY:
        state, mirror = roll(state, 6)
        for sin in range(SINS):
            if holder[sin] == NOBODY:
                state, number = roll(state, 6)
                if number == mirror and found == NOBODY:
                    found = sin
    return state, found


@kernel(inline=True)
def resolve_sin(state, sin, defender, holder, nemesis, face, points, dice, sums):
    """Effect and penalty of a Sin match made by the Sin's holder: (next state, the points of the penalty)."""
    attacker = holder[sin]
    count = 2
    if sin == WRATH:
        target = first_sin(holder, defender)
        if target != NOBODY:
            holder[target] = DESTROYED
            sums[SINS_DESTROYED] += 1
    elif sin == SLOTH:
        if nemesis[attacker] != LOST:
            nemesis[attacker] = LOST
            sums[NEMESIS_DESTROYED] += 1
            face[ABSORBED + attacker] = points[ABSORBED + attacker] = 0  # VV22, if it lies in the pool
    elif sin == PRIDE:
        count = 3
    elif sin == LUST:
        taken = choose_sin(holder, attacker, defender)
        if taken != NOBODY:
            holder[taken] = attacker
    elif sin == GREED:
        taken = first_sin(holder, defender)
        if taken != NOBODY:
            holder[taken] = attacker
    elif sin == GLUTTONY:
        taken = first_sin(holder, NOBODY)
        if taken != NOBODY:
            holder[taken] = attacker
            count = 4 if taken == PRIDE else 3  # VV7
    else:  # Envy
        taken = choose_sin(holder, attacker, NOBODY)
        if taken != NOBODY:
            holder[ENVY] = holder[taken]
            holder[taken] = attacker
    return roll_penalty(state, count, dice)


@kernel(inline=True)
def play_turn(state, defender, holder, nemesis, pool, face, points, match, dice, sums):
    """(next state, the points of the turn). A unit worth 0 points is one that leaves the pool in this roll."""
    size = NEMESIS + np.int64(nemesis[defender] == AT_HAND)  # VV24
    for unit in range(size):
        pool[unit] = unit
    turn_points = 0
    while size > 0:
        sums[ROLLS] += 1

        # Everybody rolls, but for the attackers' Nemesis dice.
        match[:] = NOBODY
        matches = 0
        for i in range(size):
            unit = pool[i]
            if unit < PAIRS:
                state, face[unit] = roll(state, 6)
                points[unit] = 6 - face[unit]
                if holder[unit] >= 0 and holder[unit] != defender:
                    state, large = roll(state, 6)
                    if large == face[unit]:
                        match[unit] = holder[unit]
                        matches += 1
            elif unit < SPOILERS:
                state, points[unit] = roll_pair(state)
            else:
                state, face[unit] = roll(state, SIDES[unit])
                points[unit] = SIDES[unit] - face[unit]

        # Sin matches. One whose large die has changed hands is void (VV9).
        if matches > 0:
            for sin in RESOLVED:
                if match[sin] != NOBODY and match[sin] == holder[sin]:
                    sums[SIN_MATCHES + defender] += 1
                    points[sin] = 0  # VV3
                    state, penalty = resolve_sin(state, sin, defender, holder, nemesis, face, points, dice, sums)
                    turn_points += penalty

        # Nemesis matches: the attackers' dice against those at the end of the pool.
        start = size
        while start > 0 and pool[start - 1] >= NEMESIS:
            start -= 1
        joining = 0
        if start < size:
            for seat in range(SEATS):
                if seat != defender and nemesis[seat] == AT_HAND:
                    state, number = roll(state, 20)
                    for i in range(start, size):
                        if face[pool[i]] == number:
                            nemesis[seat] = JOINING
                    joining += nemesis[seat] == JOINING
        sums[NEMESIS_MATCHES + defender] += joining

        # The removal: all that is worth nothing, else the cheapest.
        kept = 0
        for i in range(size):
            if points[pool[i]] > 0:
                pool[kept] = pool[i]
                kept += 1
        if kept == size:
            best = 0
            for i in range(1, size):
                more = points[pool[i]] - points[pool[best]]
                if more < 0 or (more == 0 and SIDES[pool[i]] > SIDES[pool[best]]):
                    best = i
            turn_points += points[pool[best]]
            kept -= 1
            for i in range(best, kept):
                pool[i] = pool[i + 1]
        size = kept

        # Absorbed dice join in unit order (VV25).
        if joining > 0:
            for seat in range(SEATS):
                if nemesis[seat] == JOINING:
                    nemesis[seat] = TAKEN
                    i = size
                    while i > 0 and pool[i - 1] > ABSORBED + seat:
                        pool[i] = pool[i - 1]
                        i -= 1
                    pool[i] = ABSORBED + seat
                    size += 1

    for seat in range(SEATS):
        if nemesis[seat] == TAKEN:
            nemesis[seat] = AT_HAND
    return state, turn_points


@kernel(inline=True)
def settle(state, total, score, still_in, sums):
    """The winner of a game that is over: (next state, seat)."""
    anyone_exact = False
    for seat in range(SEATS):
        anyone_exact = anyone_exact or total[seat] == TARGET
    for seat in range(SEATS):
        score[seat] = -total[seat]
        still_in[seat] = total[seat] == TARGET or not anyone_exact
    count, winner = keep_highest(score, still_in)
    while count > 1:  # VV39
        sums[TIE_BREAKS] += 1
        for seat in range(SEATS):
            if still_in[seat]:
                state, points = roll_pair(state)
                score[seat] = -points
        count, winner = keep_highest(score, still_in)
    sums[EXACT_WIN] += anyone_exact
    sums[ENDING] += not anyone_exact  # 0: exactly the target, 1: lowest total
    sums[ANYONE_EXACT] += anyone_exact
    return state, winner


@kernel
def play(seed, first, count, sums):
    """Play games `first` to `first + count - 1` and add each results column to its place in `sums`.

    seed, first: below 2**63. sums: int64 [columns], in the order of `columns` for four seats.
    """
    total, nemesis, score = np.empty(SEATS, np.int64), np.empty(SEATS, np.int64), np.empty(SEATS, np.int64)
    still_in = np.empty(SEATS, np.bool_)
    holder, match, dice = np.empty(SINS, np.int64), np.empty(SINS, np.int64), np.empty(4, np.int64)
    pool, face, points = np.empty(UNITS, np.int64), np.empty(UNITS, np.int64), np.empty(UNITS, np.int64)
    for game in range(first, first + count):
        state = begin(seed, game)
        total[:] = 0
        nemesis[:] = AT_HAND
        holder[:] = NOBODY
        state, first_seat = choose_first_seat(state, score, still_in)
        sums[FIRST_SEAT] += first_seat
        for step in range(SEATS):
            seat = (first_seat + step) % SEATS
            state, sin = roll_start_sin(state, holder)
            holder[sin] = seat
            sums[START_SIN + seat] += sin

        rounds = 0
        over = False
        while not over and rounds < MAX_ROUNDS:
            rounds += 1
            for step in range(SEATS):
                seat = (first_seat + step) % SEATS
                state, turn_points = play_turn(state, seat, holder, nemesis, pool, face, points, match, dice, sums)
                total[seat] += turn_points
                over = over or total[seat] >= TARGET

        winner = -1
        if over:
            state, winner = settle(state, total, score, still_in, sums)
        sums[WINNER] += winner
        sums[ROUNDS] += rounds
        sums[TURNS] += rounds * SEATS
        sums[UNFINISHED] += not over
        sums[ENDING] += 0 if over else 3
        for seat in range(SEATS):
            sums[TOTAL + seat] += total[seat]
