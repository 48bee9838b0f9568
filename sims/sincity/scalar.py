"""Sin City as one would write it first: a single compiled loop, one game after the other.

The rules for one line-up alone (`LINEUP`, two seats, default knobs), with lists of cards, free branches and a
generator of its own that is asked once a die. `lab bench` times it in turn with the table of lanes, to tell what
lockstep gains or costs. It is a peer in the statistical sense: it does not see the luck of the table, so games differ
and averages agree, to which a test holds it. Ids such as SC9 are those of the rulings.

What a `brawler` never does is left out: it plays no event, and looks at cards to no purpose. Hence nobody can tell a
shuffled deck from one that yields a random card at each draw, as here.
"""

import numpy as np

from sims.core.kernel import kernel
from sims.core.scalar import begin, below, roll
from sims.sincity.cards import CARDS, KINDS

LINEUP = ("brawler", "brawler")
"""By seat: the policies that are built in."""

SEATS, GOAL, MAX_TURNS, HAND_SIZE, DRAW, MAX_HAND, FIND_ON, BOUNTY = 2, 100, 400, 7, 2, 7, 4, 10

VICTIM, CRIMINAL, AGENT, HERO, BOSS, PSYCHOPATH, EVENT = range(7)
NOBODY = -1
"""No card, and no seat."""


def _each(value):
    return np.array([value(card) for card in CARDS], np.int64)


def _with(trait):
    return _each(lambda card: trait in card.traits)


KIND = _each(lambda card: KINDS.index(card.kind))
FIGHT, SIN = _each(lambda card: card.fight), _each(lambda card: card.sin)
DOCTOR, LAW, SLEUTH, TOUGH = _with("doctor"), _with("law"), _with("investigation"), _with("tough")
GUARD = _each(lambda card: card.kind in ("agent", "criminal"))  # SC15
STRIKES = _each(lambda card: card.kind not in ("victim", "boss", "event") and "defender" not in card.traits)
WORTH = _each(lambda card: 0 if card.kind == "event" else 1000 * card.sin) + np.arange(len(CARDS))
"""In hand: what is worth least is discarded first."""

PREY = {
    HERO: (CRIMINAL, AGENT, HERO, BOSS, PSYCHOPATH),
    PSYCHOPATH: (VICTIM,),  # spares its owner's
    CRIMINAL: (VICTIM, HERO, AGENT, CRIMINAL),
    AGENT: (CRIMINAL, BOSS, HERO, AGENT),
}
"""By kind of the attacker (SC14)."""
BY_LAW = EVENT
"""The row of `APPEAL` for those who use law."""


def _appeal(row, bosses, card):
    """As a target: highest Sin, then lowest Fighting, then lowest id."""
    kind = KINDS.index(card.kind)
    legal = kind in PREY.get(row, ()) or (row == BY_LAW and kind != EVENT)
    return 128 * (100 + 10 * card.sin - card.fight) + 127 - card.id if legal and (bosses or kind != BOSS) else 0


APPEAL = np.array([[[_appeal(row, bosses, card) for card in CARDS] for bosses in (0, 1)] for row in range(7)], np.int64)
"""[kind of the attacker, whether bosses are unprotected, target]: 0 if that is no target. The low 7 bits tell which."""
REWARD = np.zeros((7, 7), np.int64)
"""[kind of the killer, kind of the killed] (SC24)"""
REWARD[CRIMINAL], REWARD[AGENT] = 1, 2
REWARD[HERO, [BOSS, PSYCHOPATH]] = BOUNTY

DECK, PILE = 0, 1
HAND, LINE, HELD = range(2, 8, SEATS)
"""The lists of cards, `cards[list, place]`, each of `size[list]`. By seat: its hand, its free characters, the captives
of its psychopaths. The last two ascend."""

DOCTORS, GUARDS, SLEUTHS, BOSSES, SINS, TOTAL = range(6)
"""`side[seat]`: how many of its free characters are such, and the sum of their Sin; its points."""

CAPTOR, ACTED, SEEN = range(3)
"""`marks[., card]`: its captor, while it is captive; the last turn in which it acted; whether it has been played."""

WINNER, FIRST_SEAT, TURNS = range(3)
POINTS, SINNING, KILLS, TORTURE, LOST, CAPTIVES, PLAYED = range(3, 17, SEATS)
UNFINISHED, ENDING, FIRST_PLAYED = range(17, 20)
"""The columns, in the order of `columns` for two seats."""
BY_SIN, BY_KILL, BY_TORTURE, BY_TURNS = range(4)


@kernel(inline=True)
def roll_sum(state, dice):
    total = 0
    for _ in range(dice):
        state, face = roll(state, 6)
        total += face
    return state, total


@kernel(inline=True)
def append(cards, size, where, card):
    cards[where, size[where]] = card
    size[where] += 1


@kernel(inline=True)
def insert(cards, size, where, card):
    """Put a card in its place in an ascending list."""
    i = size[where]
    while i > 0 and cards[where, i - 1] > card:
        cards[where, i] = cards[where, i - 1]
        i -= 1
    cards[where, i] = card
    size[where] += 1


@kernel(inline=True)
def remove(cards, size, where, card):
    """Take a card out; the others keep their order."""
    i = 0
    while cards[where, i] != card:
        i += 1
    size[where] -= 1
    for j in range(i, size[where]):
        cards[where, j] = cards[where, j + 1]


@kernel(inline=True)
def count(side, seat, card, change):
    """A character becomes one of the free ones (`change` 1), or ceases to be (-1)."""
    side[seat, DOCTORS] += change * DOCTOR[card]
    side[seat, GUARDS] += change * GUARD[card]
    side[seat, SLEUTHS] += change * SLEUTH[card]
    side[seat, BOSSES] += change * np.int64(KIND[card] == BOSS)
    side[seat, SINS] += change * SIN[card]


@kernel(inline=True)
def enter(cards, size, side, seat, card):
    insert(cards, size, LINE + seat, card)
    count(side, seat, card, 1)


@kernel(inline=True)
def leave(cards, size, side, marks, seat, card):
    remove(cards, size, LINE + seat, card)
    count(side, seat, card, -1)
    if KIND[card] == PSYCHOPATH:  # SC39
        kept = 0
        for i in range(size[HELD + seat]):
            captive = cards[HELD + seat, i]
            if marks[CAPTOR, captive] == card:
                enter(cards, size, side, 1 - seat, captive)
            else:
                cards[HELD + seat, kept] = captive
                kept += 1
        size[HELD + seat] = kept


@kernel(inline=True)
def capture(cards, size, side, marks, seat, captor, captive, sums):
    """`captor`, of `seat`, takes a character of the other seat."""
    leave(cards, size, side, marks, 1 - seat, captive)
    insert(cards, size, HELD + seat, captive)
    marks[CAPTOR, captive] = captor
    sums[CAPTIVES + seat] += 1


@kernel(inline=True)
def bury(state, cards, size, card):
    """Where a killed card goes: out of the game, or if it is tough perhaps on the discard pile (SC25)."""
    if TOUGH[card]:
        state, face = roll(state, 6)
        if face >= 4:
            append(cards, size, PILE, card)
    return state


@kernel(inline=True)
def saved(state, doctors):
    """(next state, whether one of the doctors rolls a 6) (SC26)"""
    alive = False
    for _ in range(doctors):
        if not alive:
            state, face = roll(state, 6)
            alive = face == 6
    return state, alive


@kernel(inline=True)
def draw(state, cards, size, seat):
    if size[DECK] == 0:  # SC41b
        for i in range(size[PILE]):
            append(cards, size, DECK, cards[PILE, i])
        size[PILE] = 0
    if size[DECK] > 0:  # SC42
        state, i = below(state, size[DECK])
        append(cards, size, HAND + seat, cards[DECK, i])
        size[DECK] -= 1
        cards[DECK, i] = cards[DECK, size[DECK]]
    return state


@kernel(inline=True)
def put_down(cards, size, side, marks, seat, card, sums):
    enter(cards, size, side, seat, card)
    sums[PLAYED + seat] += 1
    if not marks[SEEN, card]:
        marks[SEEN, card] = 1
        sums[FIRST_PLAYED + card] += 1 + seat


@kernel(inline=True)
def play_hand(cards, size, side, marks, seat, sums):
    """Play every character, of the bosses the best one if there is none in play (SC6)."""
    boss = NOBODY
    if side[seat, BOSSES] == 0:
        for i in range(size[HAND + seat]):
            card = cards[HAND + seat, i]
            if KIND[card] == BOSS and (
                boss == NOBODY or SIN[card] > SIN[boss] or (SIN[card] == SIN[boss] and card < boss)
            ):
                boss = card
    kept = 0
    for i in range(size[HAND + seat]):
        card = cards[HAND + seat, i]
        if KIND[card] == EVENT or (KIND[card] == BOSS and card != boss):
            cards[HAND + seat, kept] = card
            kept += 1
        else:
            put_down(cards, size, side, marks, seat, card, sums)
    size[HAND + seat] = kept


@kernel(inline=True)
def choose_target(cards, size, foe, row, bosses):
    """The free character of the seat `foe` with most appeal; `NOBODY` if there is no target."""
    best = 0
    for i in range(size[LINE + foe]):
        best = max(best, APPEAL[row, bosses, cards[LINE + foe, i]])
    return 127 - (best & 127) if best else NOBODY


@kernel(inline=True)
def fight(state, cards, size, side, marks, seat, attacker, target, sums):
    """The attacker has found its target: (next state, whether anybody was killed or captured)."""
    foe = 1 - seat
    state, score = roll_sum(state, FIGHT[attacker])
    state, other = roll_sum(state, FIGHT[target])
    if KIND[attacker] == PSYCHOPATH and score > other:  # SC30
        capture(cards, size, side, marks, seat, attacker, target, sums)
        return state, True
    if KIND[target] == PSYCHOPATH and other > score:  # SC34
        capture(cards, size, side, marks, foe, target, attacker, sums)
        return state, True

    attacker_dies = other >= score
    target_dies = score >= other and KIND[attacker] != PSYCHOPATH  # SC23, SC31
    if attacker_dies:
        state, alive = saved(state, side[seat, DOCTORS])
        attacker_dies = not alive
    if target_dies:
        state, alive = saved(state, side[foe, DOCTORS])
        target_dies = not alive
    if target_dies:
        reward = REWARD[KIND[attacker], KIND[target]]
        side[seat, TOTAL] += reward
        sums[KILLS + seat] += reward
        sums[LOST + foe] += 1
    if attacker_dies:
        reward = REWARD[KIND[target], KIND[attacker]]
        side[foe, TOTAL] += reward
        sums[KILLS + foe] += reward
        sums[LOST + seat] += 1
        leave(cards, size, side, marks, seat, attacker)
        state = bury(state, cards, size, attacker)
    if target_dies:
        leave(cards, size, side, marks, foe, target)
        state = bury(state, cards, size, target)
    return state, attacker_dies or target_dies


@kernel(inline=True)
def kill_phase(state, cards, size, side, marks, seat, turn, bonus, sums):
    """Everybody attacks or else uses law, until nobody can or the game is won."""
    foe = 1 - seat
    i = 0
    while i < size[LINE + seat]:
        card = cards[LINE + seat, i]
        i += 1
        if marks[ACTED, card] == turn or not (STRIKES[card] or LAW[card]):
            continue
        target, changed = NOBODY, False
        if STRIKES[card]:
            target = choose_target(cards, size, foe, KIND[card], np.int64(side[foe, GUARDS] == 0))
        if target != NOBODY:
            marks[ACTED, card] = turn
            state, face = roll(state, 6)
            if face + bonus >= FIND_ON:
                state, changed = fight(state, cards, size, side, marks, seat, card, target, sums)
                if side[seat, TOTAL] >= GOAL or side[foe, TOTAL] >= GOAL:
                    break
            bonus = 0
        elif LAW[card] and size[LINE + foe] > 0:
            marks[ACTED, card] = turn
            state, face = roll(state, 6)
            if face == 6:
                target = choose_target(cards, size, foe, BY_LAW, 1)
                sums[LOST + foe] += 1
                leave(cards, size, side, marks, foe, target)
                append(cards, size, PILE, target)
                changed = True
        if changed:  # those who had nothing to do may have now, and some may be free again
            i = 0
    return state


@kernel(inline=True)
def discard(cards, size, seat):
    while size[HAND + seat] > MAX_HAND:
        worst = cards[HAND + seat, 0]
        for i in range(1, size[HAND + seat]):
            if WORTH[cards[HAND + seat, i]] < WORTH[worst]:
                worst = cards[HAND + seat, i]
        remove(cards, size, HAND + seat, worst)
        append(cards, size, PILE, worst)


@kernel(inline=True)
def torture(state, cards, size, side, active, sums):
    """Roll for every captive, or until the game is won (SC33)."""
    for step in range(SEATS):
        seat = (active + step) % SEATS
        i = 0
        while i < size[HELD + seat]:
            captive = cards[HELD + seat, i]
            state, face = roll(state, 6)
            if KIND[captive] == HERO:  # SC34
                face += 1
            if face < 6:
                side[seat, TOTAL] += 1
                sums[TORTURE + seat] += 1
            if 3 <= face <= 5:
                i += 1
            else:
                remove(cards, size, HELD + seat, captive)
                if face < 3:
                    sums[LOST + 1 - seat] += 1
                    state = bury(state, cards, size, captive)
                else:
                    enter(cards, size, side, 1 - seat, captive)
            if side[seat, TOTAL] >= GOAL:
                return state
    return state


@kernel(inline=True)
def play_turn(state, cards, size, side, marks, seat, turn, sums):
    """(next state, how the game was won; `NOBODY` if it was not)"""
    for _ in range(DRAW):
        state = draw(state, cards, size, seat)
    play_hand(cards, size, side, marks, seat, sums)
    sins = side[seat, SINS]
    side[seat, TOTAL] += sins
    sums[SINNING + seat] += sins
    if side[seat, TOTAL] >= GOAL:
        return state, BY_SIN
    bonus = 0
    if side[seat, SLEUTHS] > 0:
        state, face = roll(state, 6)
        bonus = 2 if face >= 5 else 0
    state = kill_phase(state, cards, size, side, marks, seat, turn, bonus, sums)
    if side[seat, TOTAL] >= GOAL or side[1 - seat, TOTAL] >= GOAL:
        return state, BY_KILL
    discard(cards, size, seat)
    state = torture(state, cards, size, side, seat, sums)
    if side[seat, TOTAL] >= GOAL or side[1 - seat, TOTAL] >= GOAL:
        return state, BY_TORTURE
    return state, NOBODY


@kernel(inline=True)
def set_up(state, cards, size, side, marks):
    """(next state, the seat that starts)"""
    size[:] = 0
    side[:] = 0
    marks[:] = 0
    for card in range(KIND.size):
        cards[DECK, card] = card
    size[DECK] = KIND.size
    for seat in range(SEATS):
        for _ in range(HAND_SIZE):
            state = draw(state, cards, size, seat)
    a = b = 0
    while a == b:  # SC3
        state, a = roll(state, 6)
        state, b = roll(state, 6)
    return state, 0 if a > b else 1


@kernel
def play(seed, first, count, sums):
    """Play games `first` to `first + count - 1` and add each results column to its place in `sums`.

    seed, first: below 2**63. sums: int64 [columns], in the order of `columns` for two seats.
    """
    cards, size = np.empty((8, KIND.size), np.uint8), np.empty(8, np.int64)
    side, marks = np.empty((SEATS, 6), np.int64), np.empty((3, KIND.size), np.int64)
    for game in range(first, first + count):
        state = begin(seed, game)
        state, first_seat = set_up(state, cards, size, side, marks)
        seat = 1 - first_seat
        turn, ending = 0, NOBODY
        while ending == NOBODY and turn < MAX_TURNS:
            turn += 1
            seat = 1 - seat
            state, ending = play_turn(state, cards, size, side, marks, seat, turn, sums)

        if ending != NOBODY:
            winner = seat if side[seat, TOTAL] >= GOAL else 1 - seat  # SC44
        else:  # SC47
            winner = NOBODY if side[0, TOTAL] == side[1, TOTAL] else 0 if side[0, TOTAL] > side[1, TOTAL] else 1
            ending = BY_TURNS
        sums[WINNER] += winner
        sums[FIRST_SEAT] += first_seat
        sums[TURNS] += turn
        for each in range(SEATS):
            sums[POINTS + each] += side[each, TOTAL]
        sums[UNFINISHED] += ending == BY_TURNS
        sums[ENDING] += ending
