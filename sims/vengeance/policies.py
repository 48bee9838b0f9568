"""The baseline policies of Vengeance, exactly as `README.md` defines them.

Each answers one view (`rules.View`). What a policy needs of it are records: `fixed.pack`, `board` with its
`players[seat]`, and `mine` (what may be chosen); their fields: `state.py`.
"""

from sims.core.bits import bit, count, has, lowest, nth
from sims.core.game import policy
from sims.core.kernel import kernel
from sims.core.rng import choice, split
from sims.vengeance.fight import is_protected
from sims.vengeance.pack import ABILITIES
from sims.vengeance.prepare import possible, stands_for
from sims.vengeance.race import in_hand
from sims.vengeance.rules import game_of
from sims.vengeance.state import (
    ACTIONS,
    BOSS,
    BUY,
    BY_DICE,
    BY_PLUS,
    BY_RECON,
    CLEAR,
    DECLINE,
    E_MOVE,
    END,
    ENDURE,
    EXTRA,
    FIGHT,
    HEAL,
    HITS,
    ITEM,
    LOOT,
    LOOT_DIE,
    MARK,
    MARK_SPACE,
    MODES,
    MOVES,
    PLUSES,
    PREP,
    PURCHASE,
    RECON,
    RECON_DIE,
    ROLL,
    SIDE,
    STOP,
    TAKE_LOOT,
    TARGET,
    TOUGH_GUY,
    TRAIN,
    USE,
    action_of,
    assign_of,
    i32,
    i64,
    throw_of,
)

DASH, PUNCH, FIRE, CHARGE = range(4)


# What both baselines share


@kernel(inline=True)
def mark_lowest(m):
    return action_of(MARK, lowest(m.marks))


@kernel(inline=True)
def stop_taking(m):
    return action_of(STOP, m.most)


# random


@kernel
def any_deed(m, token, todo, word):
    """A deed with this action: first the kind, then the target; `END` if none is possible."""
    double = m.double if (token == RECON_DIE or token == EXTRA) and todo[RECON_DIE] + todo[EXTRA] >= 2 else i64(0)
    kinds = i64(0)
    for what in range(TRAIN, BUY):
        if stands_for(m, token, what) and (possible(m, what) or (what == RECON and double != 0)):
            kinds |= bit(what)
    if kinds == 0:
        return action_of(END)
    number, rest = split(word, count(kinds))
    what = nth(kinds, i64(number))
    if what == PURCHASE or what == HEAL:
        options = m.purchase if what == PURCHASE else m.heal
        return action_of(what, nth(options, i64(choice(rest, count(options)))), token)
    if what == RECON:
        return any_recon(m, token, todo, double, rest)
    return action_of(what, 0, token)


@kernel
def any_recon(m, token, todo, double, word):
    """Single ones by number, then double ones; these take two Recon dice, or one and the extra action."""
    singles = count(m.single)
    place = i64(choice(word, singles + count(double)))
    if place < singles:
        return action_of(RECON, nth(m.single, place), token)
    second = RECON_DIE if token == RECON_DIE and todo[RECON_DIE] >= 2 else EXTRA
    return action_of(RECON, nth(double, place - singles), token, second)


@kernel
def any_prep(m, p, word):
    for token in range(ACTIONS):
        if p.todo[token]:
            action = any_deed(m, i64(token), p.todo, word)
            if action != END:
                return action
    place = i64(choice(word, 1 + count(m.buy)))
    return action_of(BUY, nth(m.buy, place - 1)) if place else action_of(END)


@kernel
def any_roll(m, p, word):
    complete = i64(0)
    for ability in range(ABILITIES):
        complete |= i64(m.fits[ability] != 0) << ability
    if complete:
        number, rest = split(word, count(complete))
        ability = nth(complete, i64(number))
        sets = m.fits[ability]
        return assign_of(ability, nth(sets, i64(choice(rest, count(sets)))))
    if in_hand(p) + m.most < 2 or not m.may_roll:
        return stop_taking(m)
    return throw_of(m.most, 0, 0, 0, 0)


@kernel
def any_use(m, word):
    """Done, abilities by number, each in its ways, items."""
    total = 1 + count(m.items)
    for mode in range(MODES):
        total += count(m.use[mode])
    place = i64(choice(word, total)) - 1
    if place < 0:
        return action_of(DECLINE)
    for ability in range(ABILITIES):
        for mode in range(MODES):
            if has(m.use[mode], ability):
                if place == 0:
                    return action_of(USE, ability, mode)
                place -= 1
    return action_of(ITEM, nth(m.items, place))


@policy(
    "Each decision uniform over its legal options; takes all dice it may, marks objectives at once.", uses_word=True
)
@kernel
def random(view, weights, prepared):
    kind, word, m, p = view.kind, view.word, view.mine, view.board.players[view.seat]
    if kind == ROLL:
        return any_roll(m, p, word)
    if kind == PREP:
        return any_prep(m, p, word)
    if kind == LOOT:
        return any_deed(m, LOOT_DIE, p.todo, word)
    if kind == SIDE:
        return i32(choice(word, 2))
    if m.marks:
        return mark_lowest(m)
    if kind == FIGHT:
        return any_use(m, word)
    place = i64(choice(word, 1 + count(m.targets)))
    return action_of(TARGET, nth(m.targets, place - 1)) if place else action_of(DECLINE)


# brawler


@kernel(inline=True)
def plain_deed(m, p, token):
    """What this action is for, in its own right; `END` if it is for nothing."""
    if token == LOOT_DIE:
        return action_of(TAKE_LOOT, 0, token) if m.take_loot else free_deed(m, p, token)
    if token == EXTRA or not possible(m, token + 1):
        return free_deed(m, p, token)
    what = token + 1
    if what == PURCHASE:
        return action_of(what, lowest(m.purchase), token)
    if what == HEAL:
        return action_of(what, CLEAR if has(m.heal, CLEAR) else MARK_SPACE, token)
    if what == RECON:
        return action_of(what, PUNCH, token) if has(m.single, PUNCH) else action_of(END)
    return action_of(what, 0, token)


@kernel
def free_deed(m, p, token):
    """The first possible of clearing, Training, Purchase, Recon of Punch."""
    if has(m.heal, CLEAR):
        return action_of(HEAL, CLEAR, token)
    if m.train:
        return action_of(TRAIN, 0, token)
    if m.purchase:
        return action_of(PURCHASE, lowest(m.purchase), token)
    if has(m.single, PUNCH):
        return action_of(RECON, PUNCH, token)
    return action_of(END)


@kernel(inline=True)
def plain_prep(m, p):
    for token in range(ACTIONS):
        if p.todo[token]:
            action = plain_deed(m, p, i64(token))
            if action != END:
                return action
    return action_of(END)


@kernel(inline=True)
def plain_roll(pack, board, m, p):
    if m.fits[PUNCH]:
        return assign_of(PUNCH, most_pluses(pack, m.fits[PUNCH]))
    if m.fits[CHARGE]:
        return assign_of(CHARGE, lowest(m.fits[CHARGE]))
    if m.fits[DASH]:
        return assign_of(DASH, lowest(m.fits[DASH]))
    if p.woe >= 2 and m.may_endure:
        return action_of(ENDURE)
    dice, sets = in_hand(p) + m.most, i64(0)
    for ability in range(ABILITIES):
        sets += p.sets[ability] + p.sets_plus[ability]
    if sets >= 3 or board.pool == m.most or dice < 2 or not m.may_roll:
        return stop_taking(m)
    hits = p.hand[HITS] if dice >= 3 else 0
    pluses = p.hand[PLUSES] if dice >= 3 else 0
    moves = 0 if dice >= 3 else p.hand[MOVES]
    if hits + pluses + moves == dice:
        return stop_taking(m)
    return throw_of(m.most, moves, 0, hits, pluses)


@kernel
def most_pluses(pack, sets):
    """The multiset for Punch with most hit-plus."""
    best, most = i64(0), i64(-1)
    while sets:
        number = lowest(sets)
        sets &= sets - 1
        if pack.faces[PUNCH, number, PLUSES] > most:
            best, most = number, i64(pack.faces[PUNCH, number, PLUSES])
    return best


@kernel
def foes(g, p):
    """The enemies that a Hit may damage, in the whole den."""
    return p.living & ~BOSS if is_protected(g, p) else p.living


@kernel
def step_of(g, p, others):
    """The room next door that is nearest to the nearest other room with a foe; -1 if there is none."""
    pack, side = g.pack, p.side
    goal, near = i64(-1), i64(99)
    for room in range(pack.rooms[side]):
        away = i64(pack.distance[side, p.room, room])
        if away > 0 and away < near and pack.home[side, room] & others:
            goal, near = i64(room), away
    if goal < 0:
        return goal
    step, near = i64(-1), i64(99)
    doors = pack.doors[side, p.room]
    while doors:
        room = lowest(doors)
        doors &= doors - 1
        if pack.distance[side, room, goal] < near:
            step, near = room, i64(pack.distance[side, room, goal])
    return step


@kernel(inline=True)
def any_way(m, ability):
    """A way to use an ability: recon, dice with a hit-plus, dice; -1 if there is none."""
    for mode in (BY_RECON, BY_PLUS, BY_DICE):
        if has(m.use[mode], ability):
            return mode
    return i64(-1)


@kernel
def plain_fight(g, m, p):
    """A blow if there is a foe, a Charge at one, or a Dash towards one."""
    others = foes(g, p)
    foe = others & g.pack.home[p.side, p.room] != 0
    mode = any_way(m, PUNCH)
    if foe and mode >= 0:
        return action_of(USE, PUNCH, mode)
    step = step_of(g, p, others)
    mode = any_way(m, CHARGE)
    if mode >= 0 and step >= 0 and g.pack.home[p.side, step] & others:
        return action_of(USE, CHARGE, mode)
    mode = any_way(m, DASH)
    if mode >= 0 and step >= 0 and not foe:
        return action_of(USE, DASH, mode)
    return action_of(DECLINE)


@kernel
def plain_effect(g, m, p):
    """A step, or a blow at a dotted Tough Guy, another minion, the boss."""
    b, found = g.board, m.targets
    if g.pack.effects[b.row, b.place] == E_MOVE:
        step = step_of(g, p, foes(g, p))
        return action_of(TARGET, step if step >= 0 else lowest(found))
    dotted = found & p.dot1 & g.pack.of_kind[p.side, TOUGH_GUY]
    return action_of(TARGET, lowest(dotted if dotted else found))


@kernel(inline=True)
def brawl(g, kind, p):
    """What `brawler` answers for player p."""
    m = g.mine
    if kind == ROLL:
        return plain_roll(g.pack, g.board, m, p)
    if kind == PREP:
        return plain_prep(m, p)
    if kind == LOOT:
        return plain_deed(m, p, LOOT_DIE)
    if kind == SIDE:
        return action_of(END)
    if m.marks:
        return mark_lowest(m)
    return plain_fight(g, m, p) if kind == FIGHT else plain_effect(g, m, p)


@policy("Punches what is there, charges and dashes at what is near; no tiles, no items.")
@kernel(inline=True)
def brawler(view, weights, prepared):
    return brawl(game_of(view), view.kind, view.board.players[view.seat])
