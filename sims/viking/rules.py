"""The rules of Viking Dice as kernels over lanes.

A duel has two *sides*: 0 the active player, 1 its opponent. Arrays have the lane as last axis:

    first, again   [side, die, lane] int8   the faces of the first roll, and those that a reroll would show
    reroll         [side, lane] int8        the dice rerolled, bit d for die d; 0: none (yet)
    total, triple  [side, lane] int8        of the dice as they lie
    speaker        [lane] int8              the side that may reroll now, -1 for none
    who            [side, lane] int8        the seat on each side
    life           [seat, lane] int32       0: out for good (VD20)
    alive          [lane] int8              the living seats, bit s for seat s
    place          [seat, lane] int8        of those who are out
    counters       [counter, lane] int32    what the results count

A loop over lanes becomes vector instructions when nothing in it branches, both operands of a choice are read before
it, and small numbers are kept small (`i8(...)`). So loops over seats stand outside it. Loops over dice may stand
within: `dice` is the tuple (0, 1, 2), whose length is part of its type, so that they are unrolled. Loops also beat
assignments to slices. `table.py` calls these kernels in the order in which they stand here.
"""

import numpy as np

from sims.core.bits import lowest
from sims.core.kernel import kernel
from sims.core.rng import split, words

i8, i16, i32, u64 = np.int8, np.int16, np.int32, np.uint64

# Purposes of luck. The index is the number of the duel in its game, from 0; the four words are named here.
ROLL = 1  # the first roll of sides 0 and 1, their rerolls: dice 0 to 2 of each
MORE = 2  # the same, dice 3 and 4
SPEAK_WORD = 3  # for a policy: speaking rounds 0, 1 and 2; attack or heal
TARGET_WORD = 4  # for a policy: whom to face

# The options of the knobs, in the order of `Knobs`.
OPEN, SIMULTANEOUS, ACTIVE_FIRST = range(3)
HIT_AND_HEAL, HEAL_ONLY, HIT_ONLY = range(3)
FACE, TOTAL, NONE = range(3)

# Kinds of decision, and the answers to the last.
TARGET, SPEAK, STRIKE = range(3)
ATTACK, HEAL = range(2)

# Rows of `counters`, and of `shown`.
DUELS, REROLLS, TRIPLES, TIES, LEAD_CHANGES = range(5)
SEAT, FACING, OWN_TOTAL, OTHER_TOTAL, OTHER_REROLLED, ACTIVE = range(6)

# How a game ended: by the duel that left one player alive, or not at all.
OUTSCORED, TIE_HIT, TRIPLE_ATTACK, DUEL_LIMIT = range(4)


@kernel
def listed(who, lanes):
    """List the lanes in which `who` is not negative; their number.

    Sixty-four lanes at a time (of 32 to 56 the compiler makes no vector instructions) become a set of bits, and only
    those that are set are gone through.
    """
    n, rest = 0, who.size % 64
    for start in range(0, who.size - rest, 64):
        found = u64(0)
        for b in range(64):
            found |= u64(who[start + b] >= 0) << u64(b)
        while found:
            lanes[n] = start + lowest(found)
            n += 1
            found &= found - u64(1)
    for i in range(who.size - rest, who.size):
        lanes[n] = i
        n += who[i] >= 0
    return n


# Choosing whom to face (VD12)


@kernel
def find_choosers(alive, lanes):
    """List the lanes in which the active player has two or more living opponents; their number."""
    n = 0
    for i in range(alive.size):
        lanes[n] = i
        n += _count(alive[i]) > 2
    return n


@kernel
def show_choosers(lanes, who, life, duels, shown, numbers):
    """What the active players of listed lanes see: there is no opponent and there are no dice yet."""
    for j in range(lanes.size):
        shown[SEAT, j] = who[0, lanes[j]]
        shown[FACING, j] = -1
        _show_table(lanes[j], j, who, life, duels, shown, numbers)


@kernel
def choose_foe(lanes, action, foe):
    """Take in whom the active players face."""
    for j in range(lanes.size):
        foe[lanes[j]] = i8(action[j])


@kernel(inline=True)
def _count(mask):
    """How many of four seats are in a bit mask."""
    return i8((mask & 1) + ((mask >> 1) & 1) + ((mask >> 2) & 1) + ((mask >> 3) & 1))


# The first roll


@kernel
def roll(key, game, duels, purpose, sides, four, first_0, first_1, again_0, again_1):
    """Roll up to three dice of both sides, those of a reroll that may never be used included.

    purpose: ROLL or MORE. four: room for four words a lane. first_0, ...: tuples of up to three rows [lane], the dice
    of side 0 as first rolled, and so on.
    """
    draw(key, game, duels, purpose, four)
    _faces(four[0], sides, first_0)
    _faces(four[1], sides, first_1)
    _faces(four[2], sides, again_0)
    _faces(four[3], sides, again_1)


@kernel
def draw(key, game, index, purpose, four):
    """The four words at (purpose, index[lane]) of every lane's game."""
    for i in range(game.size):
        four[0, i], four[1, i], four[2, i], four[3, i] = words(key, game[i], purpose, index[i])


@kernel
def _faces(word, sides, rows):
    """Take the dice of a hand from each word."""
    for i in range(word.size):
        rest = word[i]
        for d in range(len(rows)):
            value, rest = split(rest, sides)
            rows[d][i] = i8(value) + i8(1)


# Speaking: who may reroll, and when (VD6, VD7)


@kernel
def speak_first(order, dice, first, reroll, speaker):
    """Who speaks in round 0: the lower first total under `open`, else the active player.

    Nobody does when the totals are equal or anyone has a triple: then the first roll stands.
    """
    mine, theirs = first[0], first[1]
    for i in range(speaker.size):
        total_0, total_1, triple_0, triple_1 = i8(0), i8(0), True, True
        for d in range(len(dice)):
            a, b = mine[d, i], theirs[d, i]
            total_0, total_1 = i8(total_0 + a), i8(total_1 + b)
            triple_0 = triple_0 & (a == mine[0, i])
            triple_1 = triple_1 & (b == theirs[0, i])
        stands = (total_0 == total_1) | triple_0 | triple_1
        side = i8(total_1 < total_0) if order == OPEN else i8(0)
        speaker[i] = i8(-1) if stands else side
    for side in range(2):
        for i in range(speaker.size):
            reroll[side, i] = 0


@kernel
def show_all(order, chance, first, again, reroll, speaker, who, own, other, shown):
    """What the speakers of all lanes see. Under `simultaneous` nobody sees the other's answer."""
    for i in range(speaker.size):
        side, a, b = speaker[i], who[0, i], who[1, i]
        decider = b if side == 1 else a
        shown[SEAT, i] = decider if side >= 0 else i8(-1)
        shown[FACING, i] = a if side == 1 else b
    for i in range(speaker.size):
        told_0, told_1 = reroll[0, i], reroll[1, i]
        told = told_0 if speaker[i] == 1 else told_1
        shown[OTHER_REROLLED, i] = i8((told != 0) & (order != SIMULTANEOUS))
    for i in range(speaker.size):
        shown[OWN_TOTAL, i] = 0
        shown[OTHER_TOTAL, i] = 0
    for d in range(own.shape[0]):  # outside: with this many arrays in one loop the compiler gives up
        _show_own(first[0, d], first[1, d], speaker, own[d], shown[OWN_TOTAL])
        if order == SIMULTANEOUS or chance == 0:
            _show_own(first[1, d], first[0, d], speaker, other[d], shown[OTHER_TOTAL])
        else:
            _show_other(i8(1 << d), first[0, d], first[1, d], again[0, d], again[1, d], reroll, speaker, other[d],
                        shown[OTHER_TOTAL])  # fmt: skip


@kernel
def _show_own(face_0, face_1, speaker, own, total):
    """One die of the speaker as first rolled (or of the other side, with the sides exchanged)."""
    for i in range(speaker.size):
        a, b = face_0[i], face_1[i]
        face = b if speaker[i] == 1 else a
        own[i] = face
        total[i] = i8(total[i] + face)


@kernel
def _show_other(bit, first_0, first_1, again_0, again_1, reroll, speaker, other, total):
    """One die of the other side as it lies; `bit` of its reroll tells whether it was rolled again."""
    by_0, by_1 = reroll[0], reroll[1]
    for i in range(speaker.size):
        old_0, old_1, new_0, new_1, mask_0, mask_1 = first_0[i], first_1[i], again_0[i], again_1[i], by_0[i], by_1[i]
        now_0 = new_0 if mask_0 & bit else old_0
        now_1 = new_1 if mask_1 & bit else old_1
        face = now_0 if speaker[i] == 1 else now_1
        other[i] = face
        total[i] = i8(total[i] + face)


@kernel(inline=True)
def _goes_on(order, chance, rerolls, other_rerolled):
    """Whether the other side may speak after this answer in speaking round `chance`."""
    if chance == 0:
        return True
    return (order == OPEN) & (chance == 1) & rerolls & (not other_rerolled)  # it had waited, and now sees my reroll


@kernel
def hear(order, chance, action, speaker, reroll, rerolls):
    """Take in the answers (dice to reroll, 0 to wait) and pass the word to the other side, or end the talk."""
    by_0, by_1 = reroll[0], reroll[1]
    for i in range(speaker.size):
        side, mask, a, b, used = speaker[i], i8(action[i]), by_0[i], by_1[i], rerolls[i]
        speaks = side >= 0
        other = a if side == 1 else b
        by_0[i] = mask if side == 0 else a
        by_1[i] = mask if side == 1 else b
        rerolls[i] = used + i32(speaks & (mask != 0))
        goes_on = speaks & _goes_on(order, chance, mask != 0, other != 0)
        speaker[i] = i8(side ^ 1) if goes_on else i8(-1)


@kernel
def show_some(lanes, side_of, dice, first, total, reroll, who, life, duels, own, other, shown, numbers):
    """What side `side_of[lane]` of listed lanes sees: the dice as they lie. numbers: life of every seat, then duels."""
    for j in range(lanes.size):
        i = lanes[j]
        foe = side_of[i] == 1
        for d in range(len(dice)):
            a, b = first[0, d, i], first[1, d, i]
            own[d, j] = b if foe else a
            other[d, j] = a if foe else b
        seat_0, seat_1, total_0, total_1, by_0, by_1 = (
            who[0, i],
            who[1, i],
            total[0, i],
            total[1, i],
            reroll[0, i],
            reroll[1, i],
        )
        shown[SEAT, j] = seat_1 if foe else seat_0
        shown[FACING, j] = seat_0 if foe else seat_1
        shown[OWN_TOTAL, j] = total_1 if foe else total_0
        shown[OTHER_TOTAL, j] = total_0 if foe else total_1
        shown[OTHER_REROLLED, j] = (by_0 if foe else by_1) != 0
        _show_table(i, j, who, life, duels, shown, numbers)


@kernel(inline=True)
def _show_table(i, j, who, life, duels, shown, numbers):
    """What everybody sees all the time."""
    shown[ACTIVE, j] = who[0, i]
    for seat in range(life.shape[0]):
        numbers[seat, j] = life[seat, i]
    numbers[life.shape[0], j] = duels[i]


@kernel
def hear_last(lanes, action, speaker, dice, first, again, reroll, total, triple, highest, rerolls):
    """Take in the answers of the third speaking round, whose dice then lie as rerolled, too."""
    for j in range(lanes.size):
        i, mask = lanes[j], i8(action[j])
        side = speaker[i]
        reroll[side, i] = mask
        rerolls[i] += mask != 0
        for d in range(len(dice)):
            old, new = first[side, d, i], again[side, d, i]
            first[side, d, i] = new if mask & i8(1 << d) else old
        total[side, i], triple[side, i], highest[side, i] = _hand(dice, first[side], i)


# The result of a duel


@kernel(inline=True)
def _hand(dice, faces, i):
    """Total of a hand, whether it is a triple (VD5), and its highest die."""
    total, lowest, highest = i8(0), i8(127), i8(0)
    for d in range(len(dice)):
        face = faces[d, i]
        total = i8(total + face)
        lowest = face if face < lowest else lowest
        highest = face if face > highest else highest
    return total, i8(lowest == highest), highest


@kernel
def lay(dice, first, again, reroll, total, triple, highest):
    """Let the dice of both sides lie as rerolled, in `first`, and look at the hands."""
    for side in range(2):
        _lay(dice, first[side], again[side], reroll[side])
        _look(dice, first[side], total[side], triple[side], highest[side])


@kernel
def _lay(dice, first, again, reroll):
    for d in range(len(dice)):
        old, new, bit = first[d], again[d], i8(1 << d)
        for i in range(reroll.size):
            before, after = old[i], new[i]
            old[i] = after if reroll[i] & bit else before


@kernel
def _look(dice, faces, total, triple, highest):
    for i in range(total.size):
        total[i], triple[i], highest[i] = _hand(dice, faces, i)


@kernel
def hear_strikers(lanes, action, heals):
    """Take in who heals; all others attack."""
    for i in range(heals.size):
        heals[i] = ATTACK
    for j in range(lanes.size):
        heals[lanes[j]] = i8(action[j])


@kernel
def find_strikers(total, triple, striker, lanes):
    """List the lanes in which a higher total is a triple and the lower is not: attack or heal (VD3, VD5, VD15)."""
    for i in range(striker.size):
        mine, theirs, a, b = total[0, i], total[1, i], triple[0, i], triple[1, i]
        foe_may = (theirs > mine) & (b > a)
        active_may = (mine > theirs) & (a > b)
        striker[i] = i8(1) if foe_may else i8(0) if active_may else i8(-1)
    return listed(striker, lanes)


@kernel(inline=True)
def healing(heal, face, total):
    """What a triple heals (knob `heal`)."""
    return face if heal == FACE else total if heal == TOTAL else i8(0)


@kernel(inline=True)
def change(tied_triple, total, triple, high, gain, other_total, other_triple, other_high, winner_heals):
    """Net change of one side's life (VD2); `gain` is what its triple would heal. All cases, then the one that holds."""
    hit = other_high if high < other_high else i8(0)  # VD18
    tie_hit = i8(0) if triple & (tied_triple == HEAL_ONLY) else hit  # VD1
    tie_gain = gain if triple & (tied_triple != HIT_ONLY) else i8(0)  # VD1
    loss = i8(0) if winner_heals else i8(other_total - total)
    lower = gain if triple else i8(-loss)  # a triple protects, and heals
    higher = gain if triple & winner_heals else i8(0)
    apart = higher if total > other_total else lower
    result = i8(tie_gain - tie_hit) if total == other_total else apart
    return gain if triple & other_triple else result  # VD4, whatever the totals


@kernel
def resolve(tied_triple, heal, total, triple, highest, heals, delta):
    """Both sides' net change of life, into `delta`."""
    for i in range(heals.size):
        a, b, high_a, high_b = total[0, i], total[1, i], highest[0, i], highest[1, i]
        triple_a, triple_b = triple[0, i] != 0, triple[1, i] != 0
        choice = heals[i] == HEAL
        gain_a, gain_b = healing(heal, high_a, a), healing(heal, high_b, b)
        delta[0, i] = change(tied_triple, a, triple_a, high_a, gain_a, b, triple_b, high_b, choice)
        delta[1, i] = change(tied_triple, b, triple_b, high_b, gain_b, a, triple_a, high_a, choice)


@kernel
def count(total, triple, triples, ties):
    """What the duel adds to the counters."""
    for i in range(triples.size):
        triples[i] += i32(triple[0, i] + triple[1, i])
        ties[i] += i32(total[0, i] == total[1, i])


@kernel
def change_life(delta, who, life, alive, place):
    """Change the two lives, never below 0 (VD20); who falls to 0 takes the last place that is free (VD22)."""
    standing = np.empty(alive.size, i8)
    for i in range(alive.size):
        standing[i] = _count(alive[i])
        alive[i] = 0
    for seat in range(life.shape[0]):
        _change_seat(i8(seat), delta, who, life[seat], standing, alive, place[seat])


@kernel
def _change_seat(seat, delta, who, life, standing, alive, place):
    active, foe, for_active, for_foe = who[0], who[1], delta[0], delta[1]
    for i in range(alive.size):
        a, b, old, was, last = for_active[i], for_foe[i], life[i], place[i], standing[i]
        plus = b if foe[i] == seat else i8(0)
        plus = a if active[i] == seat else plus
        new = i32(old + plus)
        new = new if new > 0 else i32(0)
        life[i] = new
        place[i] = last if (old > 0) & (new == 0) else was
        alive[i] = i8(alive[i] | (i8(new > 0) << seat))


@kernel
def watch_lead(life, leader, lead_changes):
    """The last strict leader in life is remembered; a change counts when another seat becomes strict leader."""
    best = np.zeros(leader.size, i32)
    ahead = np.full(leader.size, -1, i8)
    for seat in range(life.shape[0]):
        _compare(i8(seat), life[seat], best, ahead)
    for i in range(leader.size):
        who, old, changes = ahead[i], leader[i], lead_changes[i]
        lead_changes[i] = changes + i32((who >= 0) & (old >= 0) & (who != old))
        leader[i] = who if who >= 0 else old


@kernel
def _compare(seat, life, best, ahead):
    """Put `seat` ahead where it has the most life yet, and nobody where it has as much as the best."""
    for i in range(life.size):
        new, high, who = life[i], best[i], ahead[i]
        tied = i8(-1) if new == high else who
        ahead[i] = seat if new > high else tied
        best[i] = new if new > high else high


@kernel
def next_turn(seats, alive, who, duels):
    """The next living player clockwise is active (VD13); it faces the next one after it unless it may choose (VD12)."""
    for i in range(duels.size):
        duels[i] += 1
    if seats == 2:  # they change places (VD10); who is out does not matter any more
        for i in range(duels.size):
            a, b = who[0, i], who[1, i]
            who[0, i] = b
            who[1, i] = a
        return
    active = who[0].copy()
    _clockwise(seats, alive, active, who[0])
    _clockwise(seats, alive, who[0], who[1])


@kernel
def _clockwise(seats, alive, start, out):
    """The next living seat clockwise from `start`; `start` itself when nobody else lives."""
    for i in range(start.size):
        out[i] = start[i]
    for step in range(seats - 1, 0, -1):
        for i in range(start.size):
            mask, after, found = i32(alive[i]), i32(start[i] + step), out[i]
            seat = i32(after - seats) if after >= seats else after
            out[i] = i8(seat) if (mask >> seat) & 1 else found


# The end of a game, and the next


@kernel
def find_over(max_duels, alive, duels, busy, lanes):
    """List the busy lanes with fewer than two alive, or with `max_duels` duels fought (VD21); their number."""
    limit, ended = i32(max_duels), np.empty(busy.size, i8)
    for i in range(busy.size):
        mask, fought, here = alive[i], duels[i], busy[i]
        one = (mask & i8(mask - 1)) == 0
        ended[i] = i8((here != 0) & (one | (fought >= limit))) - i8(1)
    return listed(ended, lanes)


@kernel(inline=True)
def _ending(unfinished, total_0, total_1, triple_0, triple_1):
    """How the last duel ended the game. A tie comes first: there a triple does not attack (VD3)."""
    higher = triple_1 if total_1 > total_0 else triple_0
    apart = TRIPLE_ATTACK if higher else OUTSCORED
    fought = TIE_HIT if total_0 == total_1 else apart
    return DUEL_LIMIT if unfinished else fought


@kernel
def record(lanes, alive, life, place, counters, total, triple, busy, rows):
    """Write the results of finished lanes, winners first and then in the order of `columns`, and free the lanes.

    total, triple: of the last duel.
    """
    seats = life.shape[0]
    lives, places, others = 3, 3 + seats, 3 + 2 * seats
    for j in range(lanes.size):
        i, row = lanes[j], rows[j]
        mask = alive[i]
        unfinished = _count(mask) > 1
        winner, best = -1, -1 if unfinished else 1
        for seat in range(seats):
            left, lost = life[seat, i], i32(place[seat, i])
            row[lives + seat] = left
            row[places + seat] = best if left > 0 else lost
            winner = seat if left > 0 else winner
        row[0] = i8(0) if unfinished else mask
        row[1] = counters[DUELS, i]
        row[2] = -1 if unfinished else winner
        row[others] = counters[REROLLS, i]
        row[others + 1] = counters[TRIPLES, i]
        row[others + 2] = counters[TIES, i]
        row[others + 3] = counters[LEAD_CHANGES, i]
        row[others + 4] = unfinished
        row[others + 5] = _ending(unfinished, total[0, i], total[1, i], triple[0, i], triple[1, i])
        busy[i] = 0


@kernel
def look(lanes, life, alive, active, duels, sights):
    """What a spectator sees after a duel, in the order of `sights`."""
    seats = life.shape[0]
    for j in range(lanes.size):
        i = lanes[j]
        wait = 0
        for seat in range(seats):
            sights[j, seat] = life[seat, i]
            sights[j, seats + seat] = -1
        for step in range(seats):
            seat = (active[i] + step) % seats
            if (alive[i] >> seat) & 1:
                sights[j, seats + seat] = wait
                wait += 1
        sights[j, 2 * seats] = duels[i]


@kernel
def look_at_luck(lanes, key, game, duels, dice, sides, fought, reroll, sights):
    """Twice what the faces of the last duel exceed their expectation by: of the first roll, and of the dice rerolled.

    fought: [side, lane] who fought it. sights: [lane, 2 * seats], zeros. The dice are looked up anew.
    """
    seats = sights.shape[1] // 2
    for j in range(lanes.size):
        i = lanes[j]
        three = words(key, game[i], ROLL, i32(duels[i] - 1))
        more = words(key, game[i], MORE, i32(duels[i] - 1))
        for side in range(2):
            seat = fought[side, i]
            rolled, again = three[side], three[2 + side]
            for d in range(dice):
                if d == 3:
                    rolled, again = more[side], more[2 + side]
                face, rolled = split(rolled, sides)
                other, again = split(again, sides)
                sights[j, seat] += 2 * i32(face) + 1 - sides
                if (reroll[side, i] >> d) & 1:
                    sights[j, seats + seat] += 2 * i32(other) + 1 - sides


@kernel
def deal(lanes, games, start_life, game, alive, life, who, leader, counters, busy):
    """Start these games in these lanes: everybody has `start_life`, and seat 0 is active (VD11)."""
    fresh = np.zeros(busy.size, i8)
    for j in range(lanes.size):
        game[lanes[j]] = games[j]
        fresh[lanes[j]] = 1
    _set(fresh, i8((1 << life.shape[0]) - 1), alive)
    for seat in range(life.shape[0]):
        _set(fresh, i32(start_life), life[seat])
    _set(fresh, i8(0), who[0])
    _set(fresh, i8(1), who[1])
    _set(fresh, i8(-1), leader)
    for each in range(counters.shape[0]):
        _set(fresh, i32(0), counters[each])
    _set(fresh, i8(1), busy)


@kernel
def _set(fresh, value, row):
    """Set a row in the lanes that are fresh: all lanes in order are quicker than a seventh of them out of order."""
    for i in range(row.size):
        old = row[i]
        row[i] = value if fresh[i] else old


# What a policy may answer


@kernel
def is_legal(kind, dice, seats, life, seat, action):
    """Whether the action is within the rules in every view with a seat."""
    bad, limit = i16(0), i16(2 if kind == STRIKE else 1 << dice)
    if kind == TARGET:
        for i in range(seat.size):
            foe = action[i]
            bad |= i16(foe < 0 or foe >= seats or foe == seat[i] or life[foe, i] == 0)
    else:
        for i in range(seat.size):
            bad |= i16((seat[i] >= 0) & ((action[i] < 0) | (action[i] >= limit)))
    return bad == 0
