"""The Preparation Phase of Vengeance, and Loot actions in Resolution, which are the same deeds."""

from sims.core.bits import bit, count, has
from sims.core.kernel import kernel
from sims.vengeance.pack import ABILITIES, BASICS, ITEMS
from sims.vengeance.state import (
    ACTIONS,
    BUY,
    CLEAR,
    CLEARING,
    DONE,
    EXTRA,
    HEAL,
    LOOT,
    LOOT_DIE,
    MARK_SPACE,
    MORE_EXTRA,
    MORE_TRAINING,
    PREP,
    PREPARING,
    PURCHASE,
    RACING,
    RECON,
    RESOLVING,
    TAKE_LOOT,
    TRAIN,
    ask,
    i64,
    row_of,
    second_of,
    sum_up,
    target_of,
    token_of,
    what_of,
)

TILE_LIMIT = BASICS + 4


# What is possible


@kernel(inline=True)
def offer_deeds(g, p):
    """What may be done now by an action of Preparation, whichever that is."""
    pack, m = g.pack, g.mine
    m.train = p.trained < pack.training_spaces and 2 + i64(p.always[MORE_TRAINING]) > 0
    m.purchase = item_options(g, p)
    m.heal = i64(p.spaces < pack.health) << MARK_SPACE
    m.heal |= i64(p.wounds > 0 and 2 + i64(p.always[CLEARING]) > 0) << CLEAR
    m.single = i64(0) if p.single else recon_options(g, p, 1)
    m.double = i64(0) if p.double else recon_options(g, p, 2)
    m.take_loot = p.loot < pack.loot_spaces
    m.buy = 0


@kernel
def item_options(g, p):
    """Items with a charge that is not yet marked (VR17)."""
    found = i64(0)
    for item in range(ITEMS):
        found |= i64(p.bought[item] < g.fixed.item_charges) << item
    return found


@kernel
def recon_options(g, p, kind):
    """Owned abilities with such a recon space (1 single, 2 double) that is not marked."""
    found = i64(0)
    for ability in range(ABILITIES):
        if has(p.owned & ~p.recon, ability) and g.pack.recon[row_of(p, ability)] == kind:
            found |= bit(ability)
    return found


@kernel
def tile_options(g, p):
    """Tiles that can be paid with marked, uncrossed spaces; four at most (VR13)."""
    found = i64(0)
    if count(p.owned) < TILE_LIMIT:
        for ability in range(BASICS, ABILITIES):
            if not has(p.owned, ability) and g.pack.price[row_of(p, ability)] <= p.trained - p.spent:
                found |= bit(ability)
    return found


@kernel(inline=True)
def possible(m, what):
    """Whether a deed can be done, for some target."""
    if what == TRAIN:
        return m.train != 0
    if what == PURCHASE:
        return m.purchase != 0
    if what == HEAL:
        return m.heal != 0
    if what == RECON:
        return m.single != 0
    return m.take_loot != 0


@kernel(inline=True)
def stands_for(m, token, what):
    """Whether an action may be used for a deed: an impossible one is any other but Loot (VR18)."""
    if token == EXTRA:
        return what != TAKE_LOOT
    if token == LOOT_DIE or what == token + 1:
        return True
    return what != TAKE_LOOT and not possible(m, token + 1)


@kernel
def has_pair(m, p):
    """Whether two actions are left that may be Recon (VR61)."""
    n = i64(0)
    for token in range(ACTIONS):
        if p.todo[token] and stands_for(m, token, RECON):
            n += p.todo[token]
    return n >= 2


@kernel
def has_deed(m, p):
    """Whether any deed is possible with an action that is left."""
    for token in range(ACTIONS):
        if p.todo[token]:
            for what in range(TRAIN, BUY):
                if possible(m, what) and stands_for(m, token, what):
                    return True
    return m.double != 0 and has_pair(m, p)


@kernel(inline=True)
def offer_prep(g, p):
    """Whether there is anything to choose but to be done."""
    offer_deeds(g, p)
    g.mine.buy = tile_options(g, p)
    return g.mine.buy != 0 or has_deed(g.mine, p)


@kernel
def offer_loot(g, p):
    """A Loot action in Resolution: recon is single there (VR70), tiles are not for sale."""
    offer_deeds(g, p)
    m = g.mine
    m.single, m.double = recon_options(g, p, 1), 0
    return m.train or m.purchase or m.heal or m.single or m.take_loot


# What is done


@kernel(inline=True)
def deed(g, p, what, target):
    pack = g.pack
    if what == TRAIN:
        p.trained = min(p.trained + 2 + p.always[MORE_TRAINING], pack.training_spaces)  # VR60
    elif what == PURCHASE:
        p.bought[target] += 1
    elif what == HEAL:
        if target == MARK_SPACE:
            p.spaces += 1
        else:
            p.wounds -= min(2 + i64(p.always[CLEARING]), p.wounds)
    elif what == RECON:
        p.recon |= bit(target)
    else:
        p.loot += 1


@kernel
def buy(g, p, ability):
    row = row_of(p, ability)
    p.spent += g.pack.price[row]
    p.owned |= bit(ability)
    if g.pack.passive[row]:
        before = p.always[MORE_EXTRA]
        sum_up(g, p)
        p.todo[EXTRA] = max(p.todo[EXTRA] + p.always[MORE_EXTRA] - before, 0)


@kernel(inline=True)
def prepare(g):
    """Everybody performs its actions, seat by seat (VX1)."""
    b = g.board
    while b.active < g.fixed.seats:
        p = g.board.players[b.active]
        if not p.out and offer_prep(g, p):
            return ask(g, PREP, b.active)
        b.active += 1
    return RACING


@kernel(inline=True)
def hear_prep(g, action):
    b, what, target = g.board, what_of(action), target_of(action)
    p = g.board.players[b.active]
    if what == DONE:
        b.active += 1
    elif what == BUY:
        buy(g, p, target)
    else:
        p.todo[token_of(action)] -= 1
        if what == RECON:
            if g.pack.recon[row_of(p, target)] == 2:
                p.todo[second_of(action)] -= 1
                p.double = 1
            else:
                p.single = 1
        deed(g, p, what, target)
    return PREPARING


@kernel
def hear_loot(g, action):
    b = g.board
    b.loots -= 1
    if what_of(action) != DONE:
        deed(g, g.board.players[b.active], what_of(action), target_of(action))
    return RESOLVING


# What is legal


@kernel(inline=True)
def allowed_deed(pack, m, p, kind, action):
    """Whether an answer to PREP or LOOT is within the rules."""
    what, target, token, second = what_of(action), target_of(action), token_of(action), second_of(action)
    if what == DONE or what == BUY:
        plain = i64(action) >> 9 == 0
        return plain and (target == 0 if what == DONE else kind == PREP and has(m.buy, target))
    if (
        i64(action) >> 15
        or what > BUY
        or token >= ACTIONS
        or (token != LOOT_DIE if kind == LOOT else p.todo[token] == 0)
    ):
        return False
    if what == RECON and target < ABILITIES and has(m.double, target):
        return allowed_double(m, p, token, second)
    if second or not stands_for(m, token, what) or not possible(m, what):
        return False
    if what == PURCHASE:
        return has(m.purchase, target)
    if what == HEAL:
        return has(m.heal, target)
    if what == RECON:
        return has(m.single, target)
    return target == 0


@kernel
def allowed_double(m, p, token, second):
    """Two actions, the lower first, that may both be Recon (VR61)."""
    if second < token or second >= ACTIONS or p.todo[second] < 1 + (second == token):
        return False
    return stands_for(m, token, RECON) and stands_for(m, second, RECON)
