"""The Fighting and the Resolution Phase of Vengeance, seat by seat: effects, objectives, wounds, Beatings."""

from sims.core.bits import bit, count, has
from sims.core.kernel import kernel
from sims.vengeance.pack import ABILITIES, ITEMS
from sims.vengeance.prepare import offer_loot
from sims.vengeance.state import (
    ADJACENT,
    ARMOUR,
    ARRIVING,
    BLOCKER,
    BOSS,
    BOSS_ARMOUR,
    BOSS_DAMAGE,
    BOSS_REACH,
    BOSS_UNSHOT,
    BOSS_WOUNDS,
    BY_DICE,
    BY_ITSELF,
    BY_PLUS,
    BY_RECON,
    CLOSE_FIRE,
    DECLINE,
    E_EVADE,
    E_HEAL,
    E_HIT,
    E_JUMP1,
    E_JUMP2,
    E_KILL,
    E_MOVE,
    E_PIERCE,
    E_POWER,
    E_SHIELD,
    E_SHOT,
    E_SNEAK,
    E_TRAIN,
    E_WOUND,
    EFFECT,
    ENDING,
    FIGHT,
    FIGHTING,
    FREE,
    G_CLEAR,
    G_HEALTH,
    G_HIT_BOSS,
    G_KILL,
    G_VISIT,
    G_VISIT_ADJACENT,
    GRUNT,
    GRUNT_HEALTH,
    GUARDS,
    GUNMAN,
    GUNMAN_WOUNDS,
    HEALING,
    HENCHMAN,
    HENCHMAN_WOUNDS,
    IN_DEN,
    ITEM,
    LOOT,
    LOOTING,
    MARK,
    MINION,
    RESOLUTION,
    RESOLVING,
    ROUND_WOUNDS,
    ROUNDS,
    START,
    TOUGH_GUY,
    UNBLOCKED,
    USE,
    ask,
    free_spaces,
    i64,
    initial_spaces,
    item_row,
    row_of,
    suffer,
    target_of,
    token_of,
    what_of,
)

# Where enemies are


@kernel(inline=True)
def here(g, p):
    """The enemies of the hero's room, dead or alive."""
    return g.pack.home[p.side, p.room]


@kernel(inline=True)
def next_door(g, p):
    return g.pack.near[p.side, p.room]


@kernel(inline=True)
def is_held(g, p):
    """Whether an active Blocker keeps the hero from moving."""
    blockers = p.living & ~p.evaded & here(g, p) & g.pack.of_kind[p.side, BLOCKER]
    return blockers != 0 and p.sneak == 0 and p.always[UNBLOCKED] == 0


@kernel(inline=True)
def is_protected(g, p):
    """Whether somebody in its room keeps the boss from damage."""
    pack = g.pack
    guards = pack.of_kind[p.side, GRUNT]
    if p.always[GUARDS]:
        guards |= pack.of_kind[p.side, HENCHMAN]
    return (p.living & ~p.evaded & guards & pack.home[p.side, pack.lair[p.side]]) != 0


@kernel(inline=True)
def vulnerable(g, p):
    """The enemies that may be damaged, wherever they are."""
    return p.living & ~BOSS if is_protected(g, p) and p.pierce == 0 else p.living


# Effects


@kernel
def targets(g, p, effect):
    """The targets of an effect: rooms or enemies; 1 where it needs none. 0: it cannot be performed."""
    pack, f = g.pack, g.fixed
    if effect == E_MOVE:
        return i64(0) if is_held(g, p) else pack.doors[p.side, p.room]
    if effect == E_HIT:
        return vulnerable(g, p) & here(g, p)
    if effect == E_SHOT:
        found = vulnerable(g, p) & (next_door(g, p) | here(g, p) if p.always[CLOSE_FIRE] else next_door(g, p))
        return found & ~BOSS if p.always[BOSS_UNSHOT] else found
    if effect == E_JUMP1 or effect == E_JUMP2:
        if f.jump_blocked and is_held(g, p):  # VR22
            return i64(0)
        return pack.jump1[p.side, p.room] if effect == E_JUMP1 else pack.jump2[p.side, p.room]
    if effect == E_EVADE:
        return p.living & ~p.evaded & ~BOSS & (here(g, p) | next_door(g, p))
    if effect == E_KILL:
        found = p.living & ~BOSS  # VR24
        if f.kill_range != IN_DEN:
            found &= here(g, p) | next_door(g, p) if f.kill_range == ADJACENT else here(g, p)
        return found
    if effect == E_HEAL:
        return i64(p.wounds > 0)
    if effect == E_TRAIN:
        return i64(p.trained < g.pack.training_spaces)
    return i64(1)


@kernel
def perform(g, p, effect, target):
    if effect == E_MOVE or effect == E_JUMP1 or effect == E_JUMP2:
        enter(p, target)
    elif effect == E_HIT or effect == E_SHOT:
        damage(g, p, target)
    elif effect == E_WOUND:
        suffer(p, i64(1))
    elif effect == E_HEAL:
        p.wounds -= min(1 + i64(p.always[HEALING]), p.wounds)
    elif effect == E_EVADE:
        p.evaded |= bit(target)
    elif effect == E_KILL:
        cross_off(g, p, target)
    elif effect == E_POWER:
        p.power += 1
    elif effect == E_SNEAK:
        p.sneak += 1
    elif effect == E_PIERCE:
        p.pierce += 1
    elif effect == E_SHIELD:
        p.shield += 1
    else:
        p.trained += 1


@kernel(inline=True)
def enter(p, room):
    p.room = room
    p.visited |= bit(room)
    if p.sneak:
        p.sneak -= 1


@kernel
def kind_of(g, p, minion):
    for kind in range(5):
        if has(g.pack.of_kind[p.side, kind], minion):
            return i64(kind)
    return i64(-1)


@kernel
def cross_off(g, p, minion):
    p.living &= ~bit(minion)
    p.kills[kind_of(g, p, minion)] += 1


@kernel
def damage(g, p, target):
    """One damage, and what `power` adds."""
    amount = 1 + p.power
    p.power = 0
    if p.pierce:
        p.pierce -= 1
    if target == MINION:
        damage_boss(g, p, amount + p.always[BOSS_DAMAGE])
        return
    kind = kind_of(g, p, target)
    needs = 1 + (kind == TOUGH_GUY) + i64(p.always[GRUNT_HEALTH + kind])
    needs = min(max(needs, 1), 3)
    dots = i64(has(p.dot1, target)) + i64(has(p.dot2, target)) + amount
    if dots >= needs:
        cross_off(g, p, target)
        return
    p.dot1 |= bit(target)
    if dots > 1:
        p.dot2 |= bit(target)


@kernel
def damage_boss(g, p, amount):
    """What its armour lets through; beyond its health nothing counts."""
    ignored = min(amount, p.always[BOSS_ARMOUR] - p.ignored)
    p.ignored += ignored
    health = i64(g.pack.boss_health[p.boss])
    p.damage = min(p.damage + amount - ignored, health)
    if p.damage == health:
        p.living &= ~BOSS


# Objectives


@kernel
def mark_options(g, p):
    """The objectives that may be marked now (VR33)."""
    found, side = i64(0), p.side
    for mark in range(g.pack.marks[side]):
        if g.pack.goal_room[side, mark] == p.room and not has(p.marked, mark) and holds(g, p, mark):
            found |= bit(mark)
    return found


@kernel
def holds(g, p, mark):
    pack, side = g.pack, p.side
    goal, amount, of = pack.goal[side, mark], pack.goal_count[side, mark], pack.goal_of[side, mark]
    if goal == G_KILL:  # VR34
        return count(of & ~p.living) >= amount
    if goal == G_CLEAR:  # VR35, VR68
        lived = p.lived & here(g, p)
        return lived != 0 and lived & p.living == 0
    if goal == G_HEALTH:
        return p.spaces >= amount
    if goal == G_VISIT_ADJACENT:
        return pack.doors[side, p.room] & ~p.visited == 0
    if goal == G_HIT_BOSS:
        return p.damage > 0
    if goal == G_VISIT:
        return count(p.visited) >= amount
    return of != 0 and of & p.living == 0  # VR36


# Abilities and items


@kernel
def offer_fight(g, p):
    """Whether there is anything to do in this stage."""
    b, m = g.board, g.mine
    found = i64(0)
    for mode in range(4):
        m.use[mode] = 0
    for ability in range(ABILITIES):
        if has(p.owned, ability):
            ability_options(g, p, ability)
    for mode in range(4):
        found |= m.use[mode]
    m.items = 0
    for item in range(ITEMS):
        row = item_row(p, item)
        if p.bought[item] > p.expended[item] and g.pack.when[row] == b.stage and targets(g, p, g.pack.effects[row, 0]):
            m.items |= bit(item)
    m.marks = mark_options(g, p) if b.stage != RESOLUTION else 0
    return (found | m.items | m.marks) != 0


@kernel
def ability_options(g, p, ability):
    """In which ways an ability can be used now."""
    m, row = g.mine, row_of(p, ability)
    pack, one = g.pack, bit(ability)
    if pack.when[row] != g.board.stage or pack.passive[row]:
        return
    by_itself = pack.dice[row] == 0 and not has(p.used, ability)  # VR64b
    if not (has(p.recon, ability) or p.sets[ability] or p.sets_plus[ability] or by_itself):
        return
    if targets(g, p, pack.effects[row, 0]) == 0:  # VX6
        return
    if has(p.recon, ability):
        m.use[BY_RECON] |= one
    if p.sets[ability]:
        m.use[BY_DICE] |= one
    if p.sets_plus[ability]:
        m.use[BY_PLUS] |= one
    if by_itself:
        m.use[BY_ITSELF] |= one


@kernel
def use(g, p, ability, mode):
    b, row = g.board, row_of(p, ability)
    if mode == BY_RECON:
        p.recon &= ~bit(ability)
    elif mode == BY_DICE:
        p.sets[ability] -= 1
    elif mode == BY_PLUS:
        p.sets_plus[ability] -= 1
    else:
        p.used |= bit(ability)
    if mode == BY_DICE or mode == BY_PLUS:
        b.pool += g.pack.dice[row]
    p.uses[ability] += 1
    b.row, b.place = row, 0
    b.last = g.pack.length_plus[row] if mode == BY_PLUS else g.pack.length[row]


@kernel
def go_on(g, p, step):
    """Ask about the next effect of the deed in progress, or end it (VR20): the next step."""
    b, m = g.board, g.mine
    if b.place < b.last:
        m.targets = targets(g, p, g.pack.effects[b.row, b.place])
        if m.targets:
            m.marks = mark_options(g, p) if b.stage != RESOLUTION else 0
            return ask(g, EFFECT, b.active)
    b.row = -1
    return step


@kernel
def affect(g, action):
    """The answer about an effect."""
    b, what, target = g.board, what_of(action), target_of(action)
    p = g.board.players[b.active]
    if what == DECLINE:
        b.row = -1
    elif what == MARK:
        p.marked |= bit(target)
    else:
        perform(g, p, g.pack.effects[b.row, b.place], target)
        b.place += 1
    return RESOLVING if b.stage == RESOLUTION else FIGHTING


@kernel
def hear_fight(g, action):
    b, what, target = g.board, what_of(action), target_of(action)
    p = g.board.players[b.active]
    step = RESOLVING if b.stage == RESOLUTION else FIGHTING
    if what == USE:
        use(g, p, target, token_of(action))
    elif what == ITEM:
        row = item_row(p, target)
        p.expended[target] += 1
        p.items += 1
        b.row, b.place, b.last = row, 0, g.pack.length[row]
    elif what == MARK:
        p.marked |= bit(target)
    else:
        next_stage(g, p)
    return step


# The course of the phases


@kernel
def next_stage(g, p):
    """The active seat is done with a stage."""
    b = g.board
    if b.stage == START:  # VR19
        b.pool += p.endured
        wounds = p.endured
        p.endured = 0
        suffer(p, wounds)
        suffer(p, i64(p.always[ROUND_WOUNDS]))
        b.stage = FREE
    elif b.stage == FREE:
        p.dot1 = p.dot2 = 0  # VR26
        b.active, b.stage = b.active + 1, START
    else:
        leave(g, p)
        b.active, b.stage = b.active + 1, ARRIVING


@kernel
def fight(g):
    b = g.board
    while b.active < g.fixed.seats:
        p = g.board.players[b.active]
        if p.out:
            b.active += 1
        elif b.row >= 0:
            step = go_on(g, p, FIGHTING)
            if step != FIGHTING:
                return step
        elif offer_fight(g, p):
            return ask(g, FIGHT, b.active)
        else:
            next_stage(g, p)
    return end_fight(g)


@kernel
def end_fight(g):
    b = g.board
    b.active, b.stage = 0, ARRIVING
    is_last = b.turn == ROUNDS - 1 and not g.fixed.last_resolution  # VR46
    return ENDING if is_last else RESOLVING


@kernel
def resolve(g):
    b = g.board
    while b.active < g.fixed.seats:
        p = g.board.players[b.active]
        if p.out:
            b.active += 1
        elif b.stage == ARRIVING:
            p.recon = 0
            b.loots = collect(g, p)
            b.stage = LOOTING
        elif b.stage == LOOTING:
            if b.loots and offer_loot(g, p):
                return ask(g, LOOT, b.active)
            b.loots = 0
            suffer(p, max(threat(g, p) - p.always[ARMOUR] - p.shield, 0))
            b.stage = RESOLUTION
        elif b.row >= 0:
            step = go_on(g, p, RESOLVING)
            if step != RESOLVING:
                return step
        elif offer_fight(g, p):
            return ask(g, FIGHT, b.active)
        else:
            next_stage(g, p)
    return ENDING


@kernel
def collect(g, p):
    """The loot icons of rooms that are visited and cleared (VR39, VR40)."""
    icons, side = i64(0), p.side
    for room in range(g.pack.rooms[side]):
        loot = g.pack.loot[side, room]
        if loot and has(p.visited & ~p.looted, room) and g.pack.home[side, room] & p.living & ~p.evaded == 0:
            icons += loot
            p.looted |= bit(room)
    return icons


@kernel
def threat(g, p):
    """Wounds of Resolution, before armour."""
    pack, side, able = g.pack, p.side, p.living & ~p.evaded
    around = here(g, p) | next_door(g, p)
    wounds = count(able & here(g, p) & pack.of_kind[side, HENCHMAN]) * (1 + i64(p.always[HENCHMAN_WOUNDS]))
    wounds += count(able & around & pack.of_kind[side, GUNMAN]) * (1 + i64(p.always[GUNMAN_WOUNDS]))
    reach = around if p.always[BOSS_REACH] else here(g, p)
    if able & reach & BOSS:
        wounds += 1 + p.always[BOSS_WOUNDS]
    return wounds


@kernel
def leave(g, p):
    """The end of a seat's Resolution: a Beating, perhaps (VR43); evaded minions are back."""
    if free_spaces(p) <= 0:
        beat(g, p)
    p.evaded = p.dot1 = p.dot2 = 0


@kernel
def beat(g, p):
    p.beatings += 1
    p.wounds = 0
    p.spaces = initial_spaces(g, p)
    if p.beatings == 2:  # VR45
        p.out = 1


# What is legal


@kernel(inline=True)
def allowed_fight(m, kind, action):
    """Whether an answer to FIGHT or EFFECT is within the rules."""
    what, target, mode = what_of(action), target_of(action), token_of(action)
    if i64(action) >> 12 or (mode and (kind == EFFECT or what != USE)):
        return False
    if what == DECLINE:
        return target == 0
    if what == MARK:
        return has(m.marks, target)
    if kind == EFFECT:
        return what == USE and has(m.targets, target)
    if what == USE:
        return mode < 4 and has(m.use[mode], target)
    return what == ITEM and has(m.items, target)
