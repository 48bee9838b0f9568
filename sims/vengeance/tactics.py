"""`raider`, the strong policy of Vengeance: it looks for the best order of its Fighting Phase, and rolls for that.

- **Fighting.** `plan` searches sequences of abilities, items, targets by beam, on copies of the player's record, with
  the rules' own functions; `worth` says what a position is worth.
- **Rolling.** An ability is worth what one more use of it adds to the plan. Dice are kept by the chance that an ability
  is complete within three rolls (`chances`, exact), times that worth.
- **Preparation.** Each deed has a price in points; tiles and items are rated by their effects.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sims.core.bits import bit, count, has, lowest
from sims.core.game import Whole, knob, policy
from sims.core.kernel import kernel
from sims.vengeance.fight import mark_options, perform, targets, threat
from sims.vengeance.pack import ABILITIES, BASICS, EFFECTS, FIRST_ITEM, ITEMS, MODIFIERS, ROWS, SHELF
from sims.vengeance.prepare import possible, stands_for
from sims.vengeance.race import in_hand, takes_dice
from sims.vengeance.rules import KILL_BONUS, boss_score, game_of, objective_score, way_out
from sims.vengeance.state import (
    ACTIONS,
    ARMOUR,
    BOSS,
    BUY,
    BY_DICE,
    BY_PLUS,
    BY_RECON,
    CLEARING,
    DECLINE,
    DONE,
    EFFECT,
    ENDURE,
    FIGHT,
    FREE,
    HEAL,
    ITEM,
    LOOT,
    LOOT_DIE,
    MARK,
    MARK_SPACE,
    PLAYER,
    PREP,
    PURCHASE,
    RECON,
    RESOLUTION,
    ROLL,
    ROUNDS,
    START,
    STOP,
    TARGET,
    TRAIN,
    USE,
    action_of,
    assign_of,
    i32,
    i64,
    item_row,
    limit_of,
    row_of,
    throw_of,
)

NODE = np.dtype((np.record, PLAYER))
MOST = 12
"""Positions that a search keeps at a time, at most."""
DEPTH = 14
"""Choices that it looks ahead."""
HORIZON = 3
"""Rolls ahead."""
ODDS = (2 / 6, 1 / 6, 1 / 6, 1 / 6)
"""Of a die: move, shot, hit, hit-plus."""

EFFECT_RATES = {
    "move": 0.3, "hit": 1.0, "shot": 1.0, "wound": -0.5, "heal": 0.15, "jump1": 0.5, "jump2": 0.6, "evade": 0.2,
    "kill": 1.2, "power": 0.4, "sneak": 0.2, "pierce": 0.3, "shield": 0.2, "train": 0.3,
}  # fmt: skip
"""Points of a use, from what tiles proved worth when a player was given one of them alone."""
MODIFIER_RATES = {"armour": 2.0, "boss_damage": 2.0, "training": 1.0, "clearing": 0.3}
OTHER_RATE = 0.3


# What is worked out once


class Tables(NamedTuple):
    """See `prepare`."""

    chance: NDArray[np.float32]
    """[ability's row, dice kept as `hand_of`, dice rolled] that it is complete within `HORIZON` rolls."""
    rate: NDArray[np.float64]
    """[row of deeds] what a use of an ability or an item is worth, roughly; for tiles what it is worth to have them."""


def prepare(knobs: Any, seats: int, weights: Any) -> Tables:
    record = SHELF.load(knobs.content).arrays.record[0]
    chance = chances(record.fits)
    return Tables(chance, rates(record, chance))


def chances(fits: NDArray[np.int64]) -> NDArray[np.float32]:
    """The chance that an ability is complete within `HORIZON` rolls, its dice being kept as is best for it alone."""
    hands = np.arange(625)
    faces = np.array([hands // 5**face % 5 for face in range(4)])
    size = faces.sum(axis=0)
    parts = [[k for k in hands if (faces[:, k] <= faces[:, hand]).all()] if size[hand] <= 4 else [] for hand in hands]
    kept = (fits != 0).astype(float)  # [row, hand]
    for _ in range(HORIZON):
        rolled = np.zeros((len(fits), 625, 5))
        rolled[:, :, 0] = kept
        for dice in range(1, 5):
            for hand in hands[size + dice <= 4]:
                rolled[:, hand, dice] = rolled[:, hand, dice - 1] / 6  # a wound
                for face, odds in enumerate(ODDS):
                    rolled[:, hand, dice] += odds * rolled[:, hand + 5**face, dice - 1]
        better = kept.copy()
        for hand in hands[size <= 4]:
            for part in parts[hand]:
                better[:, hand] = np.maximum(better[:, hand], rolled[:, part, size[hand] - size[part]])
        kept = np.where(fits != 0, 1.0, better)
    return rolled.astype(np.float32)


def rates(record: Any, chance: NDArray[np.float32]) -> NDArray[np.float64]:
    """See `Tables.rate`."""
    found = np.zeros(ROWS)
    points = np.array([EFFECT_RATES.get(name, 0.0) for name in EFFECTS])
    for row in range(ROWS):
        found[row] = points[record.effects[row, : record.length[row]]].sum()
        found[row] += 0.6 * points[record.effects[row, record.length[row] : record.length_plus[row]]].sum()
        if BASICS <= row < FIRST_ITEM:
            found[row] = _tile_rate(record, row, found[row], float(chance[row, 0, 4]))
    return found


def _tile_rate(record: Any, row: int, effects: float, chance: float) -> float:
    """A passive tile; one that works by itself every round; one that is complete with this chance."""
    if record.passive[row]:
        names = dict(zip(MODIFIERS, record.always[row].tolist(), strict=True))
        return float(sum(MODIFIER_RATES.get(name, OTHER_RATE) * value for name, value in names.items()))
    if not record.dice[row]:
        return effects
    return 2 * effects * chance * (0.6 if record.once[row] else 1.0)


# What a position is worth


@kernel
def worth(g, p, stage, w):
    """Points that the end of this phase promises. stage: the wounds of Resolution are over in RESOLUTION."""
    left = ROUNDS - 1 - g.board.turn
    dead = p.living & BOSS == 0
    points = float(boss_score(g, p) + objective_score(g, p))
    if dead:
        points += KILL_BONUS
    minions = i64(g.pack.minions[p.side])
    kills = minions - count(p.living & ~BOSS)
    icons = icons_of(g, p)
    points += w.kill * kills + w.loot * icons + w.visit * count(p.visited)
    points -= w.away * nearest(g, p) if left else float(way_out(g, p))
    points -= danger(g, p, stage, left, w)
    if g.fixed.seats == 1:
        points += w.challenge * progress(g, p, kills, minions, icons)
    return points


@kernel
def icons_of(g, p):
    """Loot icons that are collected, or will be in Resolution."""
    icons, side = i64(0), p.side
    for room in range(g.pack.rooms[side]):
        if g.pack.loot[side, room]:
            ready = has(p.visited, room) and g.pack.home[side, room] & p.living & ~p.evaded == 0
            if ready or has(p.looted, room):
                icons += g.pack.loot[side, room]
    return icons


@kernel
def nearest(g, p):
    """Doors to the nearest room with an enemy, or with loot that is not collected."""
    pack, side, found = g.pack, p.side, 99
    for room in range(pack.rooms[side]):
        wanted = pack.home[side, room] & p.living != 0 or (pack.loot[side, room] != 0 and not has(p.looted, room))
        if wanted and pack.distance[side, p.room, room] < found:
            found = i64(pack.distance[side, p.room, room])
    return found if found < 99 else 0


@kernel
def danger(g, p, stage, left, w):
    """What wounds cost: a Beating the dice of the rounds that are left, a second one everything."""
    wounds = i64(0) if stage == RESOLUTION else max(threat(g, p) - p.always[ARMOUR] - p.shield, i64(0))
    if left == 0 and not g.fixed.last_resolution:
        return 0.0
    free = p.spaces - p.wounds - wounds
    if free > 0:
        return w.wound * (p.spaces - free) * min(left, 1)
    return w.death if p.beatings else w.beating * left


@kernel
def progress(g, p, kills, minions, icons):
    """How near the challenge is to being won, up to 1, on the better of its two ways."""
    total = i64(0)
    for room in range(g.pack.rooms[p.side]):
        total += g.pack.loot[p.side, room]
    loot = icons / total if total else 1.0
    half = (minions + 1) // 2
    fight = 0.5 * p.damage / g.pack.boss_health[p.boss] + (0.5 * min(kills, half) / half if half else 0.5)
    best = max(loot, fight)
    return best * best


# The search


class Scratch(NamedTuple):
    """Two generations of positions, and room for one more."""

    players: Any
    head: Any
    """[position] row, place and last of the deed in progress (row -1 for none), and the first action; -1 for none."""
    value: Any


@kernel
def scratch():
    return Scratch(np.zeros(2 * MOST + 1, NODE), np.zeros((2 * MOST, 4), np.int64), np.zeros(2 * MOST, np.float64))


@kernel
def plan(g, p, stage, row, place, last, w, width, s):
    """(what the best sequence from here is worth, its first action; DECLINE or done where nothing is better)"""
    best, first = worth(g, p, stage, w), i64(DECLINE)
    now, number = 0, 1
    s.players[0] = p
    s.head[0, 0], s.head[0, 1], s.head[0, 2], s.head[0, 3] = row, place, last, -1
    for _ in range(DEPTH):
        then, found = MOST - now, 0
        for k in range(now, now + number):
            found = expand(g, stage, w, width, s, k, then, found)
        for k in range(then, then + found):
            if s.value[k] > best + 1e-9:
                best, first = s.value[k], s.head[k, 3]
        if found == 0:
            break
        now, number = then, found
    return best, first


@kernel
def expand(g, stage, w, width, s, k, then, found):
    """Put what may follow position k into the next generation; how many are there now."""
    p = s.players[k]
    row, place, last, first = s.head[k, 0], s.head[k, 1], s.head[k, 2], s.head[k, 3]
    if row >= 0 and place < last:
        open_targets = targets(g, p, g.pack.effects[row, place])
        if open_targets:
            return follow(g, stage, w, width, s, k, then, found, open_targets, row, place, last, first, -1, -1, -1)
    for ability in range(ABILITIES):
        if has(p.owned, ability):
            found = use_ability(g, stage, w, width, s, k, then, found, ability, first)
    for item in range(ITEMS):
        row = item_row(p, item)
        if p.bought[item] > p.expended[item] and is_time(g.pack.when[row], stage):
            open_targets = targets(g, p, g.pack.effects[row, 0])
            if open_targets:
                root = first if first >= 0 else i64(action_of(ITEM, item))
                found = follow(
                    g, stage, w, width, s, k, then, found, open_targets, row, 0, g.pack.length[row], root, -1, -1, item
                )
    return found


@kernel(inline=True)
def is_time(when, stage):
    """Whether a deed can still be used in this phase."""
    return when == stage or (stage == START and when == FREE)


@kernel
def use_ability(g, stage, w, width, s, k, then, found, ability, first):
    p = s.players[k]
    row = row_of(p, ability)
    pack = g.pack
    if pack.passive[row] or not is_time(pack.when[row], stage):
        return found
    by_itself = pack.dice[row] == 0 and not has(p.used, ability)
    if not (has(p.recon, ability) or p.sets[ability] or p.sets_plus[ability] or by_itself):
        return found
    open_targets = targets(g, p, pack.effects[row, 0])
    if open_targets == 0:
        return found
    for mode in range(4):
        if mode == BY_RECON:
            able = has(p.recon, ability)
        elif mode == BY_DICE:
            able = p.sets[ability] > 0
        elif mode == BY_PLUS:
            able = p.sets_plus[ability] > 0
        else:
            able = by_itself
        if able:
            last = pack.length_plus[row] if mode == BY_PLUS else pack.length[row]
            root = first if first >= 0 else i64(action_of(USE, ability, mode))
            found = follow(g, stage, w, width, s, k, then, found, open_targets, row, 0, last, root, ability, mode, -1)
    return found


@kernel
def follow(g, stage, w, width, s, k, then, found, open_targets, row, place, last, first, ability, mode, item):
    """One position for each target of an effect."""
    effect, spare = g.pack.effects[row, place], 2 * MOST
    while open_targets:
        target = lowest(open_targets)
        open_targets &= open_targets - 1
        s.players[spare] = s.players[k]
        p = s.players[spare]
        if ability >= 0:
            consume(p, ability, mode)
        if item >= 0:
            p.expended[item] += 1
        perform(g, p, effect, target)
        p.marked |= mark_options(g, p)
        root = first if first >= 0 else i64(action_of(TARGET, target))
        goes_on = place + 1 < last
        found = insert(s, then, found, width, worth(g, p, stage, w), row if goes_on else -1, place + 1, last, root)
    return found


@kernel
def consume(p, ability, mode):
    if mode == BY_RECON:
        p.recon &= ~bit(ability)
    elif mode == BY_DICE:
        p.sets[ability] -= 1
    elif mode == BY_PLUS:
        p.sets_plus[ability] -= 1
    else:
        p.used |= bit(ability)


@kernel
def insert(s, then, found, width, value, row, place, last, root):
    """Keep the spare position if it is among the best of its generation, and not there already."""
    new, slot = s.players[2 * MOST], then
    for k in range(then, then + found):
        if s.value[k] == value and s.head[k, 0] == row and s.head[k, 1] == place and alike(s.players[k], new):
            return found
        if s.value[k] < s.value[slot]:
            slot = k
    if found < width:
        slot, found = then + found, found + 1
    elif value <= s.value[slot]:
        return found
    s.players[slot] = new
    s.value[slot] = value
    s.head[slot, 0], s.head[slot, 1], s.head[slot, 2], s.head[slot, 3] = row, place, last, root
    return found


@kernel(inline=True)
def alike(p, q):
    return p.living == q.living and p.room == q.room and p.dot1 == q.dot1 and p.recon == q.recon and p.used == q.used


# Rolling


@kernel
def value_abilities(g, p, w, s, values):
    """What one more use of each ability adds to the best plan."""
    s_player = np.zeros(1, NODE)
    s_player[0] = p
    me = s_player[0]
    me.wounds = min(me.wounds + me.endured, me.spaces)
    me.endured = 0
    base = plan(g, me, START, -1, 0, 0, w, w.width_rolling, s)[0]
    for ability in range(ABILITIES):
        values[ability] = 0.0
        if has(p.owned, ability) and takes_dice(g, p, ability) and g.pack.dice[row_of(p, ability)] <= limit_of(p):
            row = row_of(p, ability)
            if g.pack.when[row] == RESOLUTION:
                values[ability] = w.mending * min(p.wounds + p.endured, 2)
                continue
            me.sets[ability] += 1
            more = plan(g, me, START, -1, 0, 0, w, w.width_rolling, s)[0] - base
            me.sets[ability] -= 1
            values[ability] = max(more, w.reserve * g.pack.dice[row])
    return base


@kernel
def choose_roll(g, p, w, tables, s, values):
    m = g.mine
    value_abilities(g, p, w, s, values)
    best, found = 0.0, i64(-1)
    for ability in range(ABILITIES):
        if m.fits[ability] and values[ability] > best:
            best, found = values[ability], i64(ability)
    if found >= 0 and best >= w.patience:
        return assign_of(found, best_set(g, p, found))
    if p.woe >= 2 and m.may_endure and w.grit > 0 and endures(p, w):
        return action_of(ENDURE)
    dice = in_hand(p) + m.most
    if dice < 2 or not m.may_roll:
        return assign_of(found, best_set(g, p, found)) if found >= 0 else action_of(STOP, m.most)
    return keep(g, p, tables, values, dice)


@kernel(inline=True)
def endures(p, w):
    """Whether a wound may be taken for dice: if so many health spaces stay free."""
    return p.spaces - p.wounds - p.endured - 1 >= w.grit


@kernel
def best_set(g, p, ability):
    """The multiset with most hit-plus where that matters, else the one with fewest."""
    sets, row = g.mine.fits[ability], row_of(p, ability)
    sign = 1 if g.pack.length_plus[row] > g.pack.length[row] else -1
    best, most = i64(0), i64(-99)
    while sets:
        number = lowest(sets)
        sets &= sets - 1
        if sign * i64(g.pack.faces[row, number, 3]) > most:
            best, most = number, sign * i64(g.pack.faces[row, number, 3])
    return best


@kernel
def keep(g, p, tables, values, dice):
    """The dice to keep: by the chances of all abilities, each times its worth."""
    best, answer = -1.0, action_of(STOP, g.mine.most)
    for a in range(p.hand[0] + 1):
        for b in range(p.hand[1] + 1):
            for c in range(p.hand[2] + 1):
                for d in range(p.hand[3] + 1):
                    rolled = dice - a - b - c - d
                    if rolled > 0:
                        hand, total = a + 5 * b + 25 * c + 125 * d, 0.0
                        for ability in range(ABILITIES):
                            if values[ability] > 0:
                                total += values[ability] * tables.chance[row_of(p, ability), hand, rolled]
                        if total > best:
                            best, answer = total, throw_of(g.mine.most, a, b, c, d)
    return answer


# Preparation, and loot


@kernel
def price(g, p, what, target, w, tables):
    """Points that a deed is worth."""
    pack, left = g.pack, ROUNDS - g.board.turn
    if what == TRAIN:
        gain = i64(pack.training_value[min(p.trained + 2, pack.training_spaces)]) - pack.training_value[p.trained]
        return gain + (w.training * (left - 1) if count(p.owned) < BASICS + 4 else 0.0)
    if what == PURCHASE:
        return w.item * tables.rate[item_row(p, target)] * (1.0 if p.bought[target] - p.expended[target] < 2 else 0.3)
    if what == HEAL:
        if target == MARK_SPACE:
            return w.space + 0.2 * (p.wounds > 1)
        return w.cure * min(p.wounds, 2 + i64(p.always[CLEARING])) * (1.0 if p.beatings or left > 1 else 0.3)
    if what == RECON:
        row = row_of(p, target)
        return w.recon * basic_rate(tables, row)
    return float(i64(pack.loot_value[p.loot + 1]) - pack.loot_value[p.loot]) + w.looting


@kernel(inline=True)
def basic_rate(tables, row):
    return tables.rate[row] if row < BASICS else 0.8


@kernel
def best_deed(g, p, token, w, tables):
    """(its price, the deed): the best with this action; END where none is possible."""
    m, best, found = g.mine, -1.0, action_of(DONE)
    for what in range(TRAIN, BUY):
        if possible(m, what) and stands_for(m, token, what):
            options = i64(1)
            if what == PURCHASE:
                options = m.purchase
            elif what == HEAL:
                options = m.heal
            elif what == RECON:
                options = m.single
            while options:
                target = lowest(options)
                options &= options - 1
                value = price(g, p, what, target, w, tables)
                if value > best:
                    best, found = value, action_of(what, target, token)
    return best, found


@kernel
def choose_prep(g, p, w, tables):
    tile = best_tile(g, p, w, tables)
    if tile >= 0:
        return action_of(BUY, tile)
    for token in range(ACTIONS):
        if p.todo[token]:
            action = best_deed(g, p, i64(token), w, tables)[1]
            if action != DONE:
                return action
    return action_of(DONE)


@kernel
def best_tile(g, p, w, tables):
    """The tile to buy now: the best rated of those that can be paid, if it is among the best for the free slots; until
    it is bought, none but the one that the weights ask for."""
    asked = i64(BASICS + w.first_tile - 1)
    if w.first_tile and not has(p.owned, asked):
        return asked if has(g.mine.buy, asked) else i64(-1)
    best, found, options = w.tile, i64(-1), g.mine.buy
    while options:
        ability = lowest(options)
        options &= options - 1
        if tables.rate[row_of(p, ability)] > best:
            best, found = tables.rate[row_of(p, ability)], ability
    better = i64(0)
    for ability in range(BASICS, ABILITIES):
        better += not has(p.owned, ability) and tables.rate[row_of(p, ability)] > best
    is_late = g.board.turn >= 2
    return found if found >= 0 and (is_late or better < BASICS + 4 - count(p.owned)) else i64(-1)


@kernel
def better_side(g, p):
    """The side that has more to gain near its entry."""
    best, found = -1.0, i64(0)
    for back in range(2):
        side, total = 2 * p.den + back, 0.0
        for room in range(g.pack.rooms[side]):
            total += g.pack.loot[side, room] * 1.5 / (1 + g.pack.distance[side, g.pack.entry[side], room])
        for mark in range(g.pack.marks[side]):
            room = g.pack.goal_room[side, mark]
            total += g.pack.goal_points[side, mark] / (1.0 + g.pack.distance[side, g.pack.entry[side], room])
        if total > best:
            best, found = total, i64(back)
    return found


# The policy


@kernel
def raid(view, weights, prepared):
    g, kind, p = game_of(view), view.kind, view.board.players[view.seat]
    if kind == ROLL:
        return choose_roll(g, p, weights, prepared, scratch(), np.zeros(ABILITIES))
    if kind == PREP:
        return choose_prep(g, p, weights, prepared)
    if kind == LOOT:
        return best_deed(g, p, LOOT_DIE, weights, prepared)[1]
    if kind == FIGHT or kind == EFFECT:
        return choose_fight(g, p, weights, scratch())
    return i32(weights.side - 1) if weights.side else i32(better_side(g, p))


@kernel
def choose_fight(g, p, w, s):
    b, m = g.board, g.mine
    if m.marks:
        return action_of(MARK, lowest(m.marks))
    row = b.row
    first = plan(g, p, b.stage, row, b.place, b.last, w, w.width, s)[1]
    if row < 0 and b.stage == START and not can_start(m, first):
        return action_of(DECLINE)
    return first


@kernel
def can_start(m, action):
    """Whether an action is open in this stage; the plan looks beyond Start of Fighting."""
    what, target, mode = action & 7, (action >> 3) & 63, (action >> 9) & 7
    if what == USE:
        return has(m.use[mode], target)
    return what == ITEM and has(m.items, target)


def _weights(**given: tuple[float, str, float, float]) -> Any:
    return {name: (float, knob(value, help, low=low, high=high)) for name, (value, help, low, high) in given.items()}


raider = policy(
    "Searches the order of its Fighting Phase, rolls for what adds most to it, buys and heals by price.",
    name="raider",
    prepare=prepare,
    width=(Whole, knob(8, "Positions that the search keeps in Fighting.", low=1, high=MOST)),
    width_rolling=(Whole, knob(3, "The same while rolling.", low=1, high=MOST)),
    first_tile=(Whole, knob(0, "Which of the hero's tiles it buys before all others; 0: it decides.", low=0, high=8)),
    side=(Whole, knob(0, "Of the den: 0: the one with more to gain near its entry; 1: front; 2: back.", low=0, high=2)),
    **_weights(
        kill=(0.5, "Points of a dead minion.", 0.0, 10.0),
        loot=(2.0, "Points of a loot icon that will be collected.", 0.0, 20.0),
        visit=(0.1, "Points of a visited room.", 0.0, 10.0),
        away=(0.15, "Points lost by each door to the nearest room with something to do.", 0.0, 10.0),
        wound=(0.4, "Points of a wound that stays.", 0.0, 10.0),
        beating=(2.0, "Points of a first Beating, for each round that is left.", 0.0, 20.0),
        death=(30.0, "Points of a second Beating.", 0.0, 100.0),
        challenge=(20.0, "Points of winning alone.", 0.0, 100.0),
        mending=(0.05, "Points of a wound that a Resolution ability heals.", 0.0, 10.0),
        reserve=(0.02, "Points of a die's worth of ability without use in the plan.", 0.0, 5.0),
        patience=(0.05, "Points that a set must add to be assigned at once.", 0.0, 5.0),
        grit=(1.0, "Health spaces that must stay free for a wound to be taken for dice; 0: never.", 0.0, 12.0),
        training=(0.4, "Points of Training for tiles, for each round to come.", 0.0, 10.0),
        item=(0.8, "Points of an item's charge, times its rate.", 0.0, 10.0),
        space=(0.5, "Points of a health space.", 0.0, 10.0),
        cure=(0.6, "Points of a wound cleared in Preparation.", 0.0, 10.0),
        recon=(1.2, "Points of a recon mark, times the ability's rate.", 0.0, 10.0),
        looting=(0.2, "Points of a Loot space beyond its value.", -5.0, 5.0),
        tile=(0.2, "The rate that a tile must have to be bought.", -5.0, 10.0),
    ),
)(raid)
