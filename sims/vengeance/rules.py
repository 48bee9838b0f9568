"""The rules of Vengeance as kernels over one game at a time: its course, its score, and tables of games.

A game is a state machine: `run` plays on from a *step* until somebody has a choice, the round ends, or the game does.
Each step is a function of a `Game` (`state.py`) that returns the next step; an answer comes back through `hear`.
The phases are in `prepare.py`, `race.py` and `fight.py`. `sims/core/records.py` plays many games.

Without the compiler NumPy's rules hold for the numbers in records, hence `i64(...)` where they could overflow.
"""

from typing import Any, NamedTuple

import numpy as np

from sims.core.bits import bit, count, has
from sims.core.kernel import kernel
from sims.core.records import DEALT, OVER, RESTING, STOPPED
from sims.core.rng import choice, shuffle
from sims.vengeance.fight import affect, allowed_fight, fight, hear_fight, resolve
from sims.vengeance.pack import ABILITIES, BOARDS, BOSSES, HEROES
from sims.vengeance.prepare import allowed_deed, hear_loot, hear_prep, prepare
from sims.vengeance.race import allowed_roll, hear_roll, race, start_race
from sims.vengeance.state import (
    ALL_DEAD,
    ALL_LOOT,
    BEGINNING,
    BOSS,
    BOSS_DEAD,
    BY_HEALTH,
    DEAL_BOSSES,
    DEAL_DENS,
    DEAL_HEROES,
    EASY,
    EFFECT,
    EXPERIENCE,
    EXTRA,
    FIGHT,
    FIGHTING,
    FIXED,
    HARD,
    KNOBS,
    LOOT,
    LOST,
    MEDIUM,
    MORE_EXTRA,
    POLICY_WORD,
    PREP,
    PREPARATION_DICE,
    PREPARING,
    RACING,
    RESOLVING,
    ROLL,
    ROUNDS,
    SCORED,
    SHARED,
    SIDE,
    SIDING,
    WAY_OUT,
    Fixed,
    Game,
    ask,
    free_spaces,
    i64,
    initial_spaces,
    limit_of,
    luck,
    sum_up,
)

POOLS = (0, 0, 24, 35, 46)
"""Dice by seats; alone it is the difficulty that says how many."""
SOLO_POOLS = {EASY: 20, MEDIUM: 16, HARD: 12}
SOLO_SECONDS = {EASY: 45, MEDIUM: 30, HARD: 30}
KILL_BONUS = 5


def make_fixed(knobs: Any, seats: int, players: Any) -> Fixed:
    """What does not change at a table. players: by seat what belongs to the player (`speed`); empty for defaults."""
    fixed = np.zeros(1, FIXED).view(np.recarray)
    for name in KNOBS:
        fixed[name][0] = getattr(knobs, name)
    alone = seats == 1
    fixed.seats = seats
    fixed.pool = knobs.pool or (SOLO_POOLS[knobs.difficulty] if alone else POOLS[seats])
    fixed.seconds = SOLO_SECONDS[knobs.difficulty] if alone else 0
    fixed.pace = round(1000 * knobs.seconds_per_roll)
    fixed.speed[0, :] = 1000
    for seat, player in enumerate(players):
        fixed.speed[0, seat] = round(1000 * player.speed)
    fixed.flags.writeable = False
    return Fixed(fixed, knobs.content.arrays.record)


# The beginning


@kernel
def set_up(g):
    """Heroes, dens and bosses are dealt (VR55)."""
    f, b = g.fixed, g.board
    b.turn = b.row = g.secret.seat = -1
    heroes, dens, bosses = np.arange(HEROES), np.arange(BOARDS), np.arange(BOSSES)
    shuffle(g.secret.key, g.secret.game, DEAL_HEROES, 0, heroes)
    shuffle(g.secret.key, g.secret.game, DEAL_DENS, 0, dens)
    shuffle(g.secret.key, g.secret.game, DEAL_BOSSES, 0, bosses)
    for seat in range(f.seats):
        p = g.board.players[seat]
        p.hero = f.hero if f.hero >= 0 else heroes[seat]
        p.den = f.den if f.den >= 0 else dens[seat]
        p.boss = f.boss if f.boss >= 0 else bosses[seat]
        p.owned = 15  # the basic abilities
        sum_up(g, p)
        p.spaces = initial_spaces(g, p)
        p.trained = min(i64(p.always[EXPERIENCE]), g.pack.training_spaces)


@kernel
def choose_sides(g):
    b = g.board
    return ask(g, SIDE, b.active) if b.active < g.fixed.seats else BEGINNING


@kernel
def hear_side(g, action):
    b, pack = g.board, g.pack
    p = g.board.players[b.active]
    p.side = 2 * p.den + action
    p.room = pack.entry[p.side]
    p.visited = bit(p.room)  # VR30
    p.living = BOSS | (bit(pack.minions[p.side]) - 1)
    b.active += 1
    return SIDING


@kernel
def begin_round(g):
    """The Preparation dice, one roll for all (VR59), and dice for everybody (VR10)."""
    f, b = g.fixed, g.board
    b.turn += 1
    b.pool = f.pool
    b.active = 0
    four = luck(g, PREPARATION_DICE, b.turn)
    b.rolled[0] = g.pack.preparation[0, choice(four[0], 6)]
    b.rolled[1] = g.pack.preparation[1, choice(four[1], 6)]
    b.rolled[2] = g.pack.preparation[2, choice(four[2], 6)]
    for seat in range(f.seats):
        p = g.board.players[seat]
        for ability in range(ABILITIES):
            p.sets[ability] = p.sets_plus[ability] = 0
        if not p.out:
            p.lived = p.living
            p.single = p.double = p.used = p.ignored = 0
            p.power = p.sneak = p.pierce = p.shield = 0
            for token in range(p.todo.shape[0]):
                p.todo[token] = 0
            for die in range(3):
                p.todo[b.rolled[die]] += 1
            p.todo[EXTRA] = 1 + p.always[MORE_EXTRA]
            p.fresh = min(limit_of(p), b.pool)
            b.pool -= p.fresh
    return PREPARING


# The end


@kernel
def end_round(g):
    f, b = g.fixed, g.board
    alive = i64(0)
    for seat in range(f.seats):
        p = g.board.players[seat]
        p.survived += 1 - p.out
        alive += 1 - p.out
    if b.turn == ROUNDS - 1 or alive == 0:
        return finish(g, alive)
    return RESTING


@kernel
def finish(g, alive):
    """Who has won, and how."""
    h = g.secret
    h.winners = 0
    if alive == 0:  # VR71
        h.ending = ALL_DEAD
    elif g.fixed.seats == 1:
        h.ending = challenge(g, g.board.players[0])
        h.winners = h.ending != LOST
    else:
        h.ending = compare(g)
    return OVER


@kernel
def challenge(g, p):
    """The end of a solo game: all loot of the den, or its boss and half of its minions (VR53, VR54, VR73)."""
    pack, side = g.pack, p.side
    left = i64(0)
    for room in range(pack.rooms[side]):
        left += pack.loot[side, room] != 0 and not has(p.looted, room)
    if left == 0:
        return ALL_LOOT
    minions = i64(pack.minions[side])
    dead = minions - count(p.living & ~BOSS)
    return BOSS_DEAD if p.living & BOSS == 0 and 2 * dead >= minions else LOST


@kernel
def compare(g):
    """Of those alive the highest score; then free health spaces; then shared (VR50)."""
    h, best, first = g.secret, i64(-1000), i64(0)
    for seat in range(g.fixed.seats):
        p = g.board.players[seat]
        if not p.out:
            points = score(g, p)
            value = 16 * points + free_spaces(p)
            first += points == (best >> 4)
            if points > (best >> 4):
                first = i64(1)
            if value > best:
                best, h.winners = value, bit(seat)
            elif value == best:
                h.winners |= bit(seat)
    if h.winners & (h.winners - 1):
        return SHARED
    return SCORED if first == 1 else BY_HEALTH


@kernel
def training_score(g, p):
    """VR14, VR72"""
    return i64(g.pack.training_value[p.trained if g.fixed.spent_counts else p.trained - p.spent])


@kernel
def boss_score(g, p):
    return i64(g.pack.boss_value[p.side, p.damage])


@kernel
def objective_score(g, p):
    points = i64(0)
    for mark in range(g.pack.marks[p.side]):
        if has(p.marked, mark):
            points += g.pack.goal_points[p.side, mark]
    return points


@kernel
def way_out(g, p):
    """The fewest rooms with a living enemy on a way to the entry, both ends counted (VR47, VR48)."""
    pack, side = g.pack, p.side
    held = i64(0)
    for room in range(pack.rooms[side]):
        if pack.home[side, room] & p.living:
            held |= bit(room)
    reached, cost = bit(p.room), i64(has(held, p.room))
    while True:
        found = doors_of(g, side, reached) & ~reached
        while found & ~held:
            reached |= found & ~held
            found = doors_of(g, side, reached) & ~reached
        if has(reached, pack.entry[side]):
            return max(cost - p.always[WAY_OUT], i64(0))
        reached |= found
        cost += 1


@kernel
def doors_of(g, side, rooms):
    found = i64(0)
    for room in range(g.pack.rooms[side]):
        if has(rooms, room):
            found |= g.pack.doors[side, room]
    return found


@kernel
def score(g, p):
    points = i64(g.pack.loot_value[p.loot]) + training_score(g, p) + boss_score(g, p) + objective_score(g, p)
    if p.living & BOSS == 0:
        points += KILL_BONUS
    return points - way_out(g, p)


# The machine


@kernel(inline=True)
def run(g, step):
    """Play on until somebody is asked, the round is over, or the game: ASKED, RESTING or OVER."""
    while step < STOPPED:
        if step == RACING:
            step = race(g)
        elif step == FIGHTING:
            step = fight(g)
        elif step == RESOLVING:
            step = resolve(g)
        elif step == PREPARING:
            step = prepare(g)
            if step == RACING:
                start_race(g)
        elif step == BEGINNING:
            step = begin_round(g)
        elif step == SIDING:
            step = choose_sides(g)
        else:
            step = end_round(g)
    return step


@kernel(inline=True)
def hear(g, action):
    """Take in the answer to the decision that was asked: the step that follows."""
    kind = g.secret.kind
    g.secret.asked[g.secret.seat] += 1
    if kind == ROLL:
        return hear_roll(g, action)
    if kind == EFFECT:
        return affect(g, action)
    if kind == FIGHT:
        return hear_fight(g, action)
    if kind == PREP:
        return hear_prep(g, action)
    return hear_loot(g, action) if kind == LOOT else hear_side(g, action)


# Lanes of games


class Lanes(NamedTuple):
    """The arrays of a table, by lane."""

    board: Any
    mine: Any
    secret: Any
    state: Any
    """FREE, DEALT, ASKED, RESTING or OVER (`sims.core.records`)"""
    kind: Any
    seat: Any
    """Who decides, -1 where nobody is asked"""
    word: Any
    action: Any


class View(NamedTuple):
    """What a deciding seat sees: everything but the luck to come. For whoever watches a whole table: arrays with the
    lane last, in `fixed` too."""

    fixed: Any
    """`fixed.record`: the game's knobs, encoded (`state.FIXED`); `fixed.pack`: its content (`pack.LAYOUT`)."""
    kind: Any
    """SIDE, PREP, ROLL, FIGHT, EFFECT, LOOT: `README.md` lists options, `state.py` encodes them."""
    seat: Any
    """Who decides; -1 in a lane where nobody is asked."""
    word: Any
    """uint32: the only randomness that a policy may use; 0 unless the policy declares `uses_word`."""
    board: Any
    """A record: what is common (`state.BOARD`), and by seat its `players` (`state.PLAYER`)."""
    mine: Any
    """A record: what the deciding seat may choose (`state.MINE`)."""


@kernel(pasted=True)
def game_at(fixed, t, i):
    return Game(fixed.record[0], fixed.pack[0], t.board[i], t.secret[i], t.mine[i])


@kernel(pasted=True)
def view_of(g, word):
    return View(Fixed(g.fixed, g.pack), g.secret.kind, g.secret.seat, word, g.board, g.mine)


@kernel(pasted=True)
def game_of(view):
    """A game as policies know it: without its secret."""
    return Game(view.fixed.record, view.fixed.pack, view.board, None, view.mine)


@kernel(inline=True)
def policy_word(g):
    h = g.secret
    return luck(g, POLICY_WORD, (h.seat << 20) + h.asked[h.seat])[0]


@kernel(inline=True)
def first_step(g, state):
    return SIDING if state == DEALT else BEGINNING


@kernel
def deal(lanes, games, key, fixed, blank, t):
    """Start these games in these lanes. `blank`: lanes of zeros."""
    board, mine, secret, state, kind, seat, word, _ = t
    f, pack = fixed.record[0], fixed.pack[0]
    for j in range(lanes.size):
        i = lanes[j]
        board[i], mine[i], secret[i] = blank.board[0], blank.mine[0], blank.secret[0]
        state[i], seat[i], kind[i], word[i] = DEALT, -1, 0, 0
        secret[i].key, secret[i].game = key, games[j]
        set_up(Game(f, pack, board[i], secret[i], mine[i]))


@kernel
def record(lanes, fixed, t, rows):
    """Write the results of finished games, winners first and then in the order of `columns`."""
    f, pack = fixed.record[0], fixed.pack[0]
    seats = f.seats
    for j in range(lanes.size):
        i, row = lanes[j], rows[j]
        g = Game(f, pack, t.board[i], t.secret[i], t.mine[i])
        h = g.secret
        row[0] = h.winners
        alone = h.winners != 0 and h.winners & (h.winners - 1) == 0
        row[1] = count(h.winners - 1) if alone else -1
        for seat in range(seats):
            record_seat(g, g.board.players[seat], row, 2 + seat)
        place = 2 + COUNTS * seats
        for hero in range(HEROES):
            for ability in range(ABILITIES):
                for seat in range(seats):
                    p = g.board.players[seat]
                    mine = p.hero == hero and has(p.owned, ability)
                    if ability >= 4:
                        row[place + seat] = p.uses[ability] if mine else -1
                    elif hero == 0:
                        row[place + seat] = p.uses[ability]
                if ability >= 4 or hero == 0:
                    place += seats
        row[place] = h.winners != 0 if seats == 1 else -1
        row[place + 1], row[place + 2] = g.board.turn + 1, h.dry if h.dry else -1
        row[place + 3], row[place + 4] = h.unfinished, h.ending


COUNTS = 27
"""Columns by seat that `record_seat` writes."""


@kernel
def record_seat(g, p, row, place):
    seats, dead_boss = g.fixed.seats, p.living & BOSS == 0
    values = (
        1 - p.out, score(g, p), i64(g.pack.loot_value[p.loot]),
        training_score(g, p), boss_score(g, p), i64(KILL_BONUS) if dead_boss else i64(0), objective_score(g, p),
        way_out(g, p), i64(p.beatings), i64(p.suffered), i64(p.taken), count(p.owned) - 4, i64(p.items),
        i64(p.kills[0]) + p.kills[1] + p.kills[2] + p.kills[3] + p.kills[4], count(p.visited),
        i64(p.kills[0]), i64(p.kills[1]), i64(p.kills[2]), i64(p.kills[3]), i64(p.kills[4]),
        i64(p.hero), i64(p.side), i64(p.boss), i64(p.survived), i64(p.damage), count(p.marked), count(p.looted),
    )  # fmt: skip
    for k in range(len(values)):
        row[place + k * seats] = values[k]


@kernel
def look(lanes, fixed, t, sights):
    """Write what a spectator sees, in the order of `sights`."""
    f, pack = fixed.record[0], fixed.pack[0]
    seats = f.seats
    for j in range(lanes.size):
        i, row = lanes[j], sights[j]
        g = Game(f, pack, t.board[i], t.secret[i], t.mine[i])
        for seat in range(seats):
            p = g.board.players[seat]
            values = (
                score(g, p), i64(pack.loot_value[p.loot]), i64(p.trained), i64(p.damage), count(p.marked),
                count(p.living & ~BOSS), i64(free_spaces(p)), i64(p.beatings), count(p.visited), count(p.owned) - 4,
            )  # fmt: skip
            for k in range(len(values)):
                row[seat + k * seats] = values[k]
        row[10 * seats] = g.board.turn + 1


@kernel(inline=True)
def is_legal(view, action):
    kind, m, p = view.kind, view.mine, view.board.players[view.seat]
    if kind == ROLL:
        return allowed_roll(m, p, action)
    if kind == FIGHT or kind == EFFECT:
        return allowed_fight(m, kind, action)
    if kind == PREP or kind == LOOT:
        return allowed_deed(view.fixed.pack, m, p, kind, action)
    return action == 0 or action == 1
