"""The rules of Vices & Vengeance as kernels over lanes.

A *unit* is what the defender scores as one: a die, or a pair (`README.md` lists them). Sets of units, of Sins and of
seats are bit masks. Arrays have the lane as last axis; `Lanes` names them.

What happens in every lane on every roll (the dice, finding matches, scoring) is written without branches, so that a
loop over lanes becomes vector instructions; see `sims/README.md`. What happens in few lanes (a match, the end of a
turn) is done on a list of them, and reads like the rulebook. `table.py` calls these kernels in the order in which they
stand here.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sims.core.kernel import kernel
from sims.core.rng import split, words

i8, i32, u32 = np.int8, np.int32, np.uint32

# Purposes of luck. For events of a roll the index is 32 * turn + roll, both from 0 (`Lanes.at`); the four words and
# the dice that each holds, one after the other, are named here.
DICE = 1  # small Lust, Gluttony, Greed; small Sloth, Wrath, Envy; small Pride, Mirror, Medusa; David, Goliath, Bullet
REST = 2  # Werewolf, d12; d10, d8, large Pride; large Lust, Gluttony, Greed; large Sloth, Wrath, Envy
NEMESIS = 3  # Nemesis dice by owner: seats 0, 1; 2, 3; 4, 5; 6
BULLET = 4  # whether the Silver Bullet stands upright
FIRST = 5  # dice for the first player, as NEMESIS; index: attempt
WORD = 6  # for a policy: the removal
PENALTY = 10  # + Sin: small die, large die, metallic Pride; die taken by Gluttony, first and second further base die
CHOICE_WORD = 20  # + Sin: for a policy: its effect
ASSIGN = 30  # + place in the order of play: Mirror, Lust, Gluttony; Greed, Sloth, Wrath; Envy, Pride; index: attempt
ASSIGN_WORD = 40  # + place in the order of play: for a policy: its Sin; index 0
TIE, TIE_MORE = 50, 51  # pairs of seats 0 to 3, 4 to 6; index: rolling

# Sins, in the order wherever one is needed, and as their matches are resolved (VV1, VV10).
SINS = 7
LUST, GLUTTONY, GREED, SLOTH, WRATH, ENVY, PRIDE = range(SINS)
RESOLUTION = (WRATH, SLOTH, PRIDE, LUST, GREED, GLUTTONY, ENVY)

# Where a large Sin die is that no seat holds.
RESERVE, DESTROYED = -1, -2

# Units: small Sin dice 0 to 6, then these; absorbed Nemesis dice are ABSORBED + their owner's seat.
PAIRS, SPOILERS, OWN, ABSORBED = 7, 10, 13, 14
FULL = (1 << ABSORBED) - 1
SPOILER_SIDES = (12, 10, 8)
PENALTY_DICE = 6  # at most: small, large, metallic Pride, taken, two further ones

# Kinds of decision: a Sin's number, for the choice that its effect leaves, or one of these.
SET_UP, REMOVE = 7, 8
DECLINE = 7  # the answer to ENVY that exchanges nothing

# The options of the knobs, in the order of `Knobs`.
FINISH, IMMEDIATE, EXTRA = range(3)
VOID, FOLLOWS, STAYS = range(3)
ACCUMULATE, SWAP = range(2)
LIGHTER, BORROW = range(2)

FREE, PLAYING, OVER = range(3)

FIRST_ROLL = 6 * 31 + 2 * 25  # six times what a first roll is worth: 7 D6, d12, d10, d8; two pairs

# How a game ended.
EXACT_TARGET, LOWEST_TOTAL, ALL_BEYOND, ROUND_LIMIT = range(4)


class Lanes(NamedTuple):
    """The arrays of a table; those of one byte unless said otherwise."""

    game: NDArray[np.uint64]
    at: NDArray[np.int32]
    """[lane] where in its game: 32 * turn + roll of that turn, both from 0"""
    phase: NDArray[np.int8]
    """[lane] FREE, PLAYING or OVER"""
    defender: NDArray[np.int8]
    first: NDArray[np.int8]
    """[lane] who plays first in every round"""
    reached: NDArray[np.int8]
    """[lane] 1: a total has reached the target, 2: and this is the further round of `final_round: extra`"""
    holder: NDArray[np.int8]
    """[sin, lane] whose large die it is: a seat, RESERVE or DESTROYED"""
    removed: NDArray[np.int8]
    """[lane] the seats whose Nemesis has left the game"""
    guests: NDArray[np.int8]
    """[lane] the seats whose Nemesis was absorbed in this turn"""
    pool: NDArray[np.int32]
    """[lane] int32: the defender's units still to be scored"""
    total: NDArray[np.int32]
    """[seat, lane] int32: points up to the last turn"""
    spent: NDArray[np.int32]
    """[lane] int32: points scored in this turn"""

    small: NDArray[np.int8]
    """[sin, lane] as rolled, like all dice here, whether in play or not"""
    large: NDArray[np.int8]
    pairs: NDArray[np.int8]
    """[die, lane] Mirror, Medusa, David, Goliath, Silver Bullet, Werewolf"""
    spoilers: NDArray[np.int8]
    """[die, lane] d12, d10, d8"""
    nemesis: NDArray[np.int8]
    """[owner, lane]"""
    upright: NDArray[np.int8]
    """[lane] whether the Silver Bullet stands on its base"""
    points: NDArray[np.int8]
    """[unit, lane] what each unit would score now"""

    joining: NDArray[np.int8]
    """[lane] the seats whose Nemesis was absorbed on this roll, and joins the next"""
    matched: NDArray[np.int8]
    """[lane] the Sins whose match is made or still pending on this roll"""
    moved: NDArray[np.int8]
    """[lane] the Sins whose large die has changed hands since this roll"""
    roller: NDArray[np.int8]
    """[sin, lane] who rolled it, of those"""
    maker: NDArray[np.int8]
    """[lane] who makes the match that is being resolved, -1 for nobody"""
    due: NDArray[np.int8]
    """[lane] whether the defender must remove a unit on this roll"""
    seat: NDArray[np.int8]
    """[lane] who decides, -1 for nobody"""
    options: NDArray[np.int32]
    """[lane] int32: the Sins, or units, that may be chosen"""
    penalty: NDArray[np.int8]
    """[die, lane] the last penalty roll: 0 where a die was not rolled"""

    start_sin: NDArray[np.int8]
    """[seat, lane]"""
    sin_matches: NDArray[np.int32]
    """[seat, lane] int32, suffered"""
    nemesis_matches: NDArray[np.int32]
    winners: NDArray[np.int8]
    """[lane] the winner's bit, 0 for none"""
    rounds: NDArray[np.int32]
    rolls: NDArray[np.int32]
    sins_destroyed: NDArray[np.int32]
    nemesis_destroyed: NDArray[np.int32]
    tie_breaks: NDArray[np.int32]
    unfinished: NDArray[np.int32]


# Lists of lanes


@kernel
def list_where(mask, lanes):
    """List the lanes in which `mask` is not 0; their number."""
    n = 0
    for i in range(mask.size):
        lanes[n] = i
        n += mask[i] != 0
    return n


@kernel
def list_phase(phase, wanted, lanes):
    """List the lanes in this phase; their number."""
    n = 0
    for i in range(phase.size):
        lanes[n] = i
        n += phase[i] == wanted
    return n


@kernel(inline=True)
def count(mask):
    """How many bits are set."""
    n = i32(0)
    while mask:
        mask &= mask - 1
        n += 1
    return n


@kernel(inline=True)
def is_several(mask):
    """Whether more than one bit is set."""
    return mask & (mask - 1) != 0


@kernel(inline=True)
def lowest(mask):
    """The place of the lowest set bit; there must be one."""
    place = i32(0)
    while not (mask >> place) & 1:
        place += 1
    return place


@kernel(inline=True)
def nth(mask, n):
    """The place of the n-th set bit, from 0."""
    for _ in range(n):
        mask &= mask - 1
    return lowest(mask)


# Setting up


@kernel
def deal(lanes, games, knobs, key, t):
    """Start these games: nobody has a Sin yet, and the first player is found by dice (VV41)."""
    for j in range(lanes.size):
        i = lanes[j]
        t.game[i], t.phase[i], t.at[i] = games[j], PLAYING, 0
        t.reached[i] = t.removed[i] = t.guests[i] = t.joining[i] = t.matched[i] = t.due[i] = t.winners[i] = 0
        t.pool[i] = t.spent[i] = t.rolls[i] = t.sins_destroyed[i] = t.nemesis_destroyed[i] = 0
        t.tie_breaks[i] = t.unfinished[i] = 0
        t.rounds[i] = 1
        t.seat[i] = -1
        for sin in range(SINS):
            t.holder[sin, i] = RESERVE
        for unit in range(t.points.shape[0]):
            t.points[unit, i] = 0  # nothing of an earlier game is shown
        for seat in range(t.total.shape[0]):
            t.total[seat, i] = knobs.start_total
            t.sin_matches[seat, i] = t.nemesis_matches[seat, i] = 0
        t.first[i] = t.defender[i] = _highest(key, games[j], knobs.nemesis_sides, t.total.shape[0])


@kernel(inline=True)
def _highest(key, game, sides, seats):
    """Who rolls highest; the tied roll again among themselves."""
    tied, attempt = (1 << seats) - 1, 0
    while is_several(tied):
        four = words(key, game, FIRST, attempt)
        rolling, best = tied, 0
        for seat in range(seats):
            low, rest = split(four[seat >> 1], sides)
            face = i32(split(rest, sides)[0] if seat & 1 else low)
            if (rolling >> seat) & 1:
                tied = 1 << seat if face >= best and (tied == rolling or face > best) else tied
                tied = tied | 1 << seat if face == best else tied
                best = max(best, face)
        attempt += 1
    return i8(lowest(tied))


@kernel
def roll_for_sin(place, lanes, key, t):
    """The player at this place in the order of play rolls the Mirror and the Sins that are left until one matches.

    Who has several to choose from is asked; how many are.
    """
    asked, seats = 0, t.total.shape[0]
    for j in range(lanes.size):
        i = lanes[j]
        matching, attempt = 0, 0
        while matching == 0:
            matching = _matching(key, t.game[i], place, attempt, t.holder, i)
            attempt += 1
        t.options[i] = matching
        t.maker[i] = (t.first[i] + place) % seats
        if is_several(matching):
            t.seat[i] = t.maker[i]
            asked += 1
    return asked


@kernel(inline=True)
def _matching(key, game, place, attempt, holder, i):
    """The unassigned Sins that show the number of the Mirror."""
    four = words(key, game, ASSIGN + place, attempt)
    mirror, rest = split(four[0], 6)
    lust, rest = split(rest, 6)
    gluttony = split(rest, 6)[0]
    greed, rest = split(four[1], 6)
    sloth, rest = split(rest, 6)
    wrath = split(rest, 6)[0]
    envy, rest = split(four[2], 6)
    pride = split(rest, 6)[0]
    found, faces = 0, (lust, gluttony, greed, sloth, wrath, envy, pride)
    for sin in range(SINS):
        if faces[sin] == mirror and holder[sin, i] == RESERVE:
            found |= 1 << sin
    return found


@kernel
def take_sin(lanes, action, t):
    """Take in which Sin was chosen in setting up."""
    for j in range(lanes.size):
        i = lanes[j]
        sin = action[i] if t.seat[i] >= 0 else lowest(t.options[i])
        t.holder[sin, i] = t.maker[i]
        t.start_sin[t.maker[i], i] = sin
        t.seat[i] = -1


@kernel
def start_turns(lanes, knobs, t):
    """The defender takes up the dice."""
    for j in range(lanes.size):
        start_turn(lanes[j], knobs, t)


@kernel(inline=True)
def start_turn(i, knobs, t):
    """17 dice; one fewer where Sloth took the own Nemesis and none is borrowed (VV24)."""
    lost = (t.removed[i] >> t.defender[i]) & 1
    t.pool[i] = FULL & ~(1 << OWN) if lost and knobs.no_nemesis == LIGHTER else FULL
    t.spent[i] = 0
    t.guests[i] = 0


# Everybody rolls


@kernel
def draw(key, game, at, purpose, four):
    """The four words at (purpose, at[lane]) of every lane's game."""
    for i in range(game.size):
        four[0, i], four[1, i], four[2, i], four[3, i] = words(key, game[i], purpose, at[i])


@kernel
def faces(word, sides, rows):
    """Take dice of these sides from each word, one after the other, into rows of lanes (two tuples)."""
    for i in range(word.size):
        rest = word[i]
        for d in range(len(rows)):
            value, rest = split(rest, sides[d])
            rows[d][i] = i8(value) + i8(1)


@kernel
def see_bullet(probability, word, upright):
    """Whether the Silver Bullet stands on its base (VV33)."""
    limit = probability * 4294967296.0
    for i in range(word.size):
        upright[i] = i8(word[i] < limit)


@kernel
def value(sides, t):
    """What every unit would score now: the highest number minus the number rolled; a matching pair nothing."""
    for sin in range(SINS):
        _value_die(i8(6), t.small[sin], t.points[sin])
    for pair in range(3):
        _value_pair(t.pairs[2 * pair], t.pairs[2 * pair + 1], t.points[PAIRS + pair])
    _void(t.upright, t.points[PAIRS + 2])
    for die in range(3):
        _value_die(i8(SPOILER_SIDES[die]), t.spoilers[die], t.points[SPOILERS + die])
    for owner in range(t.nemesis.shape[0]):
        _value_die(i8(sides), t.nemesis[owner], t.points[ABSORBED + owner])
        _value_own(i8(owner), t.defender, t.points[ABSORBED + owner], t.points[OWN])


@kernel
def _value_die(sides, face, points):
    for i in range(points.size):
        points[i] = i8(sides - face[i])


@kernel
def _value_pair(one, other, points):
    for i in range(points.size):
        a, b = one[i], other[i]
        points[i] = i8(0) if a == b else i8(i8(12) - a - b)


@kernel
def _void(upright, points):
    for i in range(points.size):
        old = points[i]
        points[i] = i8(0) if upright[i] else old


@kernel
def _value_own(owner, defender, theirs, own):
    for i in range(own.size):
        a, b = theirs[i], own[i]
        own[i] = a if defender[i] == owner else b


# Sin matches


@kernel
def find_matches(t):
    """The small Sin dice in play that show the number of the large one, which an attacker holds."""
    matched, moved, joining, due = t.matched, t.moved, t.joining, t.due
    for i in range(matched.size):
        matched[i] = moved[i] = joining[i] = 0
        due[i] = 1
    for sin in range(SINS):
        _find_match(i8(1 << sin), t.small[sin], t.large[sin], t.holder[sin], t.defender, matched)
    for i in range(matched.size):
        a = matched[i]
        matched[i] = i8(a & i8(t.pool[i]))


@kernel
def _find_match(bit, small, large, holder, defender, matched):
    for i in range(matched.size):
        held, old = holder[i], matched[i]
        meets = (small[i] == large[i]) & (held >= 0) & (held != defender[i])
        matched[i] = i8(old | (bit if meets else i8(0)))


@kernel
def list_matches(lanes, matched, lists, sizes):
    """Of these lanes, list those with a match of each Sin. lists: [sin, place], sizes: [sin], their lengths."""
    for sin in range(SINS):
        sizes[sin] = 0
    for j in range(lanes.size):
        i = lanes[j]
        mask = i32(matched[i])
        while mask:
            sin = lowest(mask)
            lists[sin, sizes[sin]] = i
            sizes[sin] += 1
            mask &= mask - 1


@kernel
def meet(sin, lanes, knobs, key, t):
    """Resolve the matches of one Sin, in these lanes, up to the choice that its effect leaves; how many are asked.

    The penalty counts as a removal (VV2); it is rolled before the effect, save Gluttony's, which the taken die joins.
    """
    asked = 0
    for j in range(lanes.size):
        i = lanes[j]
        t.maker[i] = _maker(sin, i, knobs, t)
        if t.maker[i] < 0:
            t.matched[i] &= ~(1 << sin)
            continue
        t.sin_matches[t.defender[i], i] += 1
        t.due[i] = 0
        t.pool[i] &= ~(1 << sin)  # VV3
        if sin != GLUTTONY:
            _penalise(sin, -1, i, knobs, key, t)
        t.options[i] = _options(sin, i, knobs, t) if (knobs.sins >> sin) & 1 else 0
        if is_several(t.options[i]):
            t.seat[i] = t.maker[i]
            asked += 1
    return asked


@kernel(inline=True)
def _maker(sin, i, knobs, t):
    """Who makes a match: whoever rolled the die, unless it has changed hands since (VV9); -1 for nobody."""
    if not (t.moved[i] >> sin) & 1:
        return t.holder[sin, i]
    if knobs.stolen_match == FOLLOWS:
        return i8(max(t.holder[sin, i], -1))
    if knobs.stolen_match == STAYS:
        return t.roller[sin, i]
    return i8(-1)


@kernel(inline=True)
def _options(sin, i, knobs, t):
    """The Sins that may be chosen, with DECLINE where that is allowed; 0 when there is nothing to take (VV17)."""
    maker, defender, found = t.maker[i], t.defender[i], 0
    for each in range(SINS):
        held = t.holder[each, i]
        reserve, theirs = held == RESERVE, held >= 0 and held != maker
        if sin in (WRATH, GREED):  # VV11, VV13
            may = held == defender
        elif sin == LUST:  # VV16
            may = reserve or (theirs and held != defender)
        elif sin == GLUTTONY:
            may = reserve
        else:  # VV14
            may = sin == ENVY and t.holder[ENVY, i] == maker and (reserve or theirs)
        if may:
            found |= 1 << each
    if sin == ENVY and knobs.envy_optional and found:  # VV15
        found |= 1 << DECLINE
    return found


@kernel
def act(sin, lanes, action, knobs, key, t):
    """Take in the choices, where there were any, and let the effect of this Sin happen (compulsory, VV15)."""
    for j in range(lanes.size):
        i = lanes[j]
        if t.maker[i] < 0:
            continue
        options = t.options[i]
        chosen = -1 if options == 0 else action[i] if t.seat[i] >= 0 else lowest(options)
        t.seat[i] = -1
        if sin == SLOTH and (knobs.sins >> SLOTH) & 1:
            _lose_nemesis(i, t)
        elif chosen >= 0 and chosen != DECLINE:
            _take(sin, chosen, i, knobs, t)
        if sin == GLUTTONY:
            _penalise(sin, chosen, i, knobs, key, t)


@kernel(inline=True)
def _lose_nemesis(i, t):
    """The own Nemesis of whoever made the match leaves the game (VV23), from the defender's pool too (VV22)."""
    maker = t.maker[i]
    t.nemesis_destroyed[i] += 1 - ((t.removed[i] >> maker) & 1)
    t.removed[i] |= 1 << maker
    t.pool[i] &= ~(1 << i32(ABSORBED + maker))


@kernel(inline=True)
def _take(sin, chosen, i, knobs, t):
    """Move the chosen large die (and with Pride's the metallic one, VV8), or destroy it."""
    maker = t.maker[i]
    if sin == WRATH:
        t.holder[chosen, i] = DESTROYED
        t.sins_destroyed[i] += 1
        return
    if sin == ENVY:
        _move(ENVY, t.holder[chosen, i], i, t)
    elif sin != GLUTTONY and knobs.stealing == SWAP:  # VV12
        for each in range(SINS):
            if t.holder[each, i] == maker:
                _move(each, RESERVE, i, t)
    _move(chosen, maker, i, t)


@kernel(inline=True)
def _move(sin, to, i, t):
    """A large die changes hands."""
    if not (t.moved[i] >> sin) & 1:
        t.moved[i] |= 1 << sin
        t.roller[sin, i] = t.holder[sin, i]
    t.holder[sin, i] = to


@kernel(inline=True)
def _penalise(sin, taken, i, knobs, key, t):
    """The penalty roll of a match (VV6), scored at once: every repeated number scores nothing.

    taken: the Sin that Gluttony took, whose die joins, with Pride's the metallic one (VV7), or -1.
    """
    four = words(key, t.game[i], PENALTY + sin, t.at[i])
    small, rest = split(four[0], 6)
    large, rest = split(rest, 6)
    metallic = split(rest, 6)[0]
    joined, rest = split(four[1], 6)
    third, rest = split(rest, 6)
    fourth = split(rest, 6)[0]
    with_pride = (sin == PRIDE or taken == PRIDE) and (knobs.sins >> PRIDE) & 1
    t.penalty[0, i] = i8(small) + 1
    t.penalty[1, i] = i8(large) + 1
    t.penalty[2, i] = i8(metallic) + 1 if with_pride else 0
    t.penalty[3, i] = i8(joined) + 1 if 0 <= taken < SINS else 0
    t.penalty[4, i] = i8(third) + 1 if knobs.penalty_dice > 2 else 0
    t.penalty[5, i] = i8(fourth) + 1 if knobs.penalty_dice > 3 else 0
    seen = repeated = 0
    for die in range(PENALTY_DICE):
        number = 1 << t.penalty[die, i]
        repeated |= seen & number
        seen |= number
    for face in range(1, 6):
        if (seen & ~repeated) >> face & 1:
            t.spent[i] += 6 - face


# Nemesis matches


@kernel
def absorb(t, owners, rolled):
    """The attackers' Nemesis dice that show the number of any that the defender rolled (VV28 to VV30).

    owners: tuple(range(seats)). rolled: [lane] room for the seats whose Nemesis the defender rolls. What joins is
    scored from the next roll on (VV25).
    """
    hit, defender, removed, guests = t.joining, t.defender, t.removed, t.guests
    for i in range(hit.size):
        pool, own = t.pool[i], i8(1) << defender[i]
        rolled[i] = i8(i8(pool >> ABSORBED) | i8((pool >> OWN) & 1) * own)
        hit[i] = 0
    for owner in range(len(owners)):
        for other in range(len(owners)):
            if other != owner:
                _meet_nemesis(i8(1 << owner), i8(1 << other), t.nemesis[owner], t.nemesis[other], rolled, hit)
    for i in range(hit.size):
        away = i8(i8(i8(1) << defender[i]) | removed[i] | guests[i])
        hit[i] = i8(hit[i] & ~away)


@kernel
def _meet_nemesis(bit, other, mine, theirs, rolled, hit):
    for i in range(hit.size):
        a, b, on_table, old = mine[i], theirs[i], rolled[i], hit[i]
        hit[i] = i8(old | (bit if (a == b) & ((on_table & other) != 0) else i8(0)))


@kernel
def note_absorbed(lanes, t):
    """Count the dice absorbed, in lanes in which there are any."""
    for j in range(lanes.size):
        i = lanes[j]
        t.guests[i] |= t.joining[i]
        t.nemesis_matches[t.defender[i], i] += count(t.joining[i])


# The removal


@kernel
def open_removal(t):
    """Ask the defenders what to score. One unit that is due is no choice."""
    for i in range(t.seat.size):
        eligible, due, defender = t.pool[i], t.due[i], t.defender[i]
        asked = (eligible != 0) & ((due == 0) | is_several(eligible))
        t.options[i] = eligible
        t.seat[i] = defender if asked else i8(-1)


@kernel
def score(units, action, t):
    """Score what the defenders chose, or what is due, and let absorbed dice join the next roll (VV26).

    units: tuple of the rows of `points`.
    """
    spent, pool, options, seat, joining = t.spent, t.pool, t.options, t.seat, t.joining
    for i in range(spent.size):
        chosen, due, only = i32(action[i]), t.due[i], options[i]
        forced = only if due else i32(0)
        options[i] = chosen if seat[i] >= 0 else forced
        seat[i] = -1
    for unit in range(len(units)):
        _score(i32(1 << unit), units[unit], options, spent)
    for i in range(spent.size):
        left = pool[i] & ~options[i]
        pool[i] = i32(left | (i32(joining[i]) & 127) << ABSORBED)


@kernel
def _score(bit, points, chosen, spent):
    for i in range(spent.size):
        mine, old = i32(points[i]), spent[i]
        spent[i] = old + (mine if chosen[i] & bit else i32(0))


@kernel
def next_roll(t):
    """Count the roll. Defenders who have nothing left have ended their turn: `due` marks them."""
    at, rolls, due = t.at, t.rolls, t.due
    for i in range(at.size):
        plays, left = i32(t.phase[i] == PLAYING), t.pool[i]
        at[i] += plays
        rolls[i] += plays
        due[i] = i8((left == 0) & (plays != 0))


# The end of a turn, of a round, of the game


@kernel
def end_turns(lanes, knobs, key, t):
    """Add up the turn and go on to the next, or end the game.

    The absorbed dice return to their owners, whom nothing but Sloth can part from them.
    """
    for j in range(lanes.size):
        i = lanes[j]
        seats, defender = t.total.shape[0], t.defender[i]
        t.total[defender, i] += t.spent[i]
        t.at[i] = (((t.at[i] - 1) >> 5) + 1) << 5
        if t.total[defender, i] >= knobs.target and t.reached[i] == 0:  # VV35
            t.reached[i] = 1
        follower = i8(defender + 1 if defender + 1 < seats else 0)
        if _is_last(follower == t.first[i], i, knobs, t):
            t.winners[i] = _winner(i, knobs, key, t)
            t.phase[i] = OVER
        elif follower == t.first[i] and t.rounds[i] == knobs.max_rounds:
            t.unfinished[i] = 1
            t.phase[i] = OVER
        else:
            t.rounds[i] += follower == t.first[i]
            t.defender[i] = follower
            start_turn(i, knobs, t)


@kernel(inline=True)
def _is_last(round_over, i, knobs, t):
    """Whether the turn that ends was the game's last (VV36)."""
    if t.reached[i] == 0 or knobs.final_round == IMMEDIATE:
        return t.reached[i] > 0
    if not round_over:
        return False
    if knobs.final_round == EXTRA and t.reached[i] == 1:
        t.reached[i] = 2
        return False
    return True


@kernel(inline=True)
def _winner(i, knobs, key, t):
    """The winner's bit: exactly the target first, then the lowest total (VV37, VV38); ties are rolled off (VV39)."""
    exact, low, least = 0, 0, 2**30
    for seat in range(t.total.shape[0]):
        total = t.total[seat, i]
        exact |= (total == knobs.target) << seat
        if not (knobs.exact_bust and total > knobs.target):
            low = 1 << seat if total < least else low | (total == least) << seat
            least = min(least, total)
    tied = exact if knobs.exact_wins and exact else low
    while is_several(tied):
        tied = _lowest_pair(tied, t.tie_breaks[i], key, t.game[i], t.total.shape[0])
        t.tie_breaks[i] += 1
    return i8(tied)


@kernel(inline=True)
def _lowest_pair(tied, rolling, key, game, seats):
    """Those of the tied whose ordinary pair scores least."""
    four, more = words(key, game, TIE, rolling), words(key, game, TIE_MORE, rolling)
    found, least = 0, 13
    for seat in range(seats):
        one, rest = split(four[seat] if seat < 4 else more[seat - 4], 6)
        other = i32(split(rest, 6)[0])
        points = 0 if i32(one) == other else 10 - i32(one) - other
        if (tied >> seat) & 1:
            found = 1 << seat if points < least else found | (points == least) << seat
            least = min(least, points)
    return found


@kernel(inline=True)
def _ending(winner, by_target, unfinished):
    """How a game ended; by_target: whether somebody won by meeting the target (VV37), not by a low total (VV38)."""
    if unfinished:
        return ROUND_LIMIT
    if winner < 0:
        return ALL_BEYOND
    return EXACT_TARGET if by_target else LOWEST_TOTAL


@kernel
def look(lanes, knobs, t, sights):
    """What a spectator sees after a turn, in the order of `sights`."""
    seats = t.total.shape[0]
    for j in range(lanes.size):
        i, row = lanes[j], sights[j]
        for seat in range(seats):
            row[seat] = knobs.target - t.total[seat, i]
            row[seats + seat] = (seat - t.defender[i]) % seats
            row[2 * seats + seat] = 0
            row[3 * seats + seat] = 1 - ((t.removed[i] >> seat) & 1)
        for sin in range(SINS):
            if t.holder[sin, i] >= 0:
                row[2 * seats + t.holder[sin, i]] += 1
        row[4 * seats], row[4 * seats + 1] = t.at[i] >> 5, t.reached[i]


@kernel
def look_at_luck(lanes, key, t, sights):
    """How few points the first roll of the turn that has ended was worth to its defender.

    In sixths, less the expectation; of the small Sin dice, two pairs and the Spoilers (the Silver Bullet may stand
    upright, and a Nemesis be lost). sights: [lane, seat], zeros. The dice are looked up anew.
    """
    seats = sights.shape[1]
    for j in range(lanes.size):
        i = lanes[j]
        at = i32(t.at[i] - 32)  # the first roll of that turn
        dice, rest = words(key, t.game[i], DICE, at), words(key, t.game[i], REST, at)
        points = 0
        for word in range(2):
            left = dice[word]
            for _ in range(3):
                face, left = split(left, 6)
                points += 5 - i32(face)
        pride, left = split(dice[2], 6)
        mirror, left = split(left, 6)
        medusa = split(left, 6)[0]
        david, left = split(dice[3], 6)
        goliath = split(left, 6)[0]
        twelve = split(split(rest[0], 6)[1], 12)[0]
        ten, left = split(rest[1], 10)
        eight = split(left, 8)[0]
        points += 5 - i32(pride) + 27 - i32(twelve) - i32(ten) - i32(eight)
        points += 0 if mirror == medusa else 10 - i32(mirror) - i32(medusa)
        points += 0 if david == goliath else 10 - i32(david) - i32(goliath)
        ended = t.defender[i] if t.phase[i] == OVER else (t.defender[i] + seats - 1) % seats
        sights[j, ended] = FIRST_ROLL - 6 * points


@kernel
def record(lanes, knobs, t, rows):
    """Write the results of these lanes, in the order of `columns` after the winners, and free them."""
    seats = t.total.shape[0]
    for j in range(lanes.size):
        i, row = lanes[j], rows[j]
        winner = lowest(t.winners[i]) if t.winners[i] else -1
        exact = 0
        for seat in range(seats):
            exact |= t.total[seat, i] == knobs.target
            row[8 + seat] = t.total[seat, i]
            row[8 + seats + seat] = t.start_sin[seat, i]
            row[8 + 2 * seats + seat] = t.sin_matches[seat, i]
            row[8 + 3 * seats + seat] = t.nemesis_matches[seat, i]
        row[0], row[1] = t.winners[i], winner
        row[2], row[3], row[4] = t.rounds[i], t.at[i] >> 5, t.rolls[i]
        row[5] = winner >= 0 and t.total[winner, i] == knobs.target
        row[6], row[7] = exact, t.first[i]
        last = 8 + 4 * seats
        row[last], row[last + 1] = t.sins_destroyed[i], t.nemesis_destroyed[i]
        row[last + 2], row[last + 3] = t.tie_breaks[i], t.unfinished[i]
        row[last + 4] = _ending(winner, exact and knobs.exact_wins, t.unfinished[i])
        t.phase[i] = FREE


@kernel
def is_legal(kind, seat, options, due, action):
    """Whether every answer is one of the options: a Sin, or a set of units that is not empty where one is due."""
    wrong = 0
    for i in range(seat.size):
        answer, allowed, may_be_empty = action[i], options[i], due[i] == 0
        if kind == REMOVE:
            fine = ((answer & ~allowed) == 0) & ((answer != 0) | may_be_empty)
        else:
            fine = ((answer & ~DECLINE) == 0) & (((allowed >> (answer & DECLINE)) & 1) != 0)
        wrong |= (seat[i] >= 0) & (not fine)
    return wrong == 0
