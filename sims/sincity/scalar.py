"""Sin City as one would write it first: a single compiled loop, one game after the other.

The rules for one line-up alone (`LINEUP`, two seats, default knobs), with lists of cards, free branches and a generator
of its own that is asked once a die. `lab bench` times it in turn with the table of lanes, to tell what lockstep gains or
costs. It is a peer in the statistical sense: it does not see the luck of the table, so games differ and averages agree,
to which a test holds it. Ids such as SC9 are those of the rulings.

What a `brawler` never does is left out: it plays no event, and looks at cards to no purpose. Hence nobody can tell a
shuffled deck from one that yields a random card at each draw, as here.
"""

from typing import Any, NamedTuple

import numpy as np

from sims.core.kernel import kernel
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
APPEAL = 10 * SIN - FIGHT
"""As a target: highest Sin first, then lowest Fighting."""
WORTH = _each(lambda card: 0 if card.kind == "event" else 1000 * card.sin) + np.arange(len(CARDS))
"""In hand: what is worth least is discarded first."""

PREY = np.zeros((7, 7), np.int64)
"""[kind of the attacker, kind of the target] (SC14). A psychopath spares its owner's victims."""
for _hunter, _kinds in (
    (HERO, [CRIMINAL, AGENT, HERO, BOSS, PSYCHOPATH]),
    (PSYCHOPATH, [VICTIM]),
    (CRIMINAL, [VICTIM, HERO, AGENT, CRIMINAL]),
    (AGENT, [CRIMINAL, BOSS, HERO, AGENT]),
):
    PREY[_hunter, _kinds] = 1
REWARD = np.zeros((7, 7), np.int64)
"""[kind of the killer, kind of the killed] (SC24)"""
REWARD[CRIMINAL], REWARD[AGENT] = 1, 2
REWARD[HERO, [BOSS, PSYCHOPATH]] = BOUNTY
ANYONE = np.ones(7, np.int64)

DECK, PILE = 0, 1
HAND, LINE, HELD = range(2, 8, SEATS)
"""The lists of cards. By seat: its hand, its free characters, and the captives of its psychopaths. The last two ascend."""

DOCTORS, GUARDS, SLEUTHS, BOSSES, SINS = range(5)
"""What is known of a seat's free characters: how many there are, and their sum of Sin."""

WINNER, FIRST_SEAT, TURNS = range(3)
POINTS, SINNING, KILLS, TORTURE, LOST, CAPTIVES, PLAYED = range(3, 17, SEATS)
UNFINISHED, ENDING, FIRST_PLAYED = range(17, 20)
"""The columns, in the order of `columns` for two seats."""
BY_SIN, BY_KILL, BY_TORTURE, BY_TURNS = range(4)


class Play(NamedTuple):
    """A game under way."""

    cards: Any
    """[list, place]"""
    size: Any
    """[list]"""
    free: Any
    """[seat, DOCTORS to SINS]"""
    total: Any
    """[seat]: its points"""
    captor: Any
    """[card]: whose captive it is, if it is one"""
    acted: Any
    """[card]: the last turn in which it attacked or used law"""
    seen: Any
    """[card]: whether it has been played"""


u64 = np.uint64
GAMMA, MIX_1, MIX_2 = u64(0x9E3779B97F4A7C15), u64(0xBF58476D1CE4E5B9), u64(0x94D049BB133111EB)


@kernel(inline=True)
def mix(state):
    """The output of splitmix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014)."""
    z = (state ^ (state >> u64(30))) * MIX_1
    z = (z ^ (z >> u64(27))) * MIX_2
    return z ^ (z >> u64(31))


@kernel(inline=True)
def below(state, count):
    """(next state, a number from 0 to `count` - 1)"""
    state += GAMMA
    return state, np.int64(((mix(state) >> u64(32)) * u64(count)) >> u64(32))


@kernel(inline=True)
def roll(state):
    """(next state, a face from 1 to 6)"""
    state, number = below(state, 6)
    return state, 1 + number


@kernel(inline=True)
def roll_sum(state, dice):
    total = 0
    for _ in range(dice):
        state, face = roll(state)
        total += face
    return state, total


@kernel(inline=True)
def append(play, where, card):
    play.cards[where, play.size[where]] = card
    play.size[where] += 1


@kernel(inline=True)
def insert(play, where, card):
    """Put a card in its place in an ascending list."""
    row, i = play.cards[where], play.size[where]
    while i > 0 and row[i - 1] > card:
        row[i] = row[i - 1]
        i -= 1
    row[i] = card
    play.size[where] += 1


@kernel(inline=True)
def remove(play, where, card):
    """Take a card out; the others keep their order."""
    row, i = play.cards[where], 0
    while row[i] != card:
        i += 1
    play.size[where] -= 1
    for j in range(i, play.size[where]):
        row[j] = row[j + 1]


@kernel(inline=True)
def count(play, seat, card, change):
    """A character becomes one of the free ones (`change` 1), or ceases to be (-1)."""
    free = play.free[seat]
    free[DOCTORS] += change * DOCTOR[card]
    free[GUARDS] += change * GUARD[card]
    free[SLEUTHS] += change * SLEUTH[card]
    free[BOSSES] += change * np.int64(KIND[card] == BOSS)
    free[SINS] += change * SIN[card]


@kernel(inline=True)
def enter(play, seat, card):
    insert(play, LINE + seat, card)
    count(play, seat, card, 1)


@kernel(inline=True)
def leave(play, seat, card):
    remove(play, LINE + seat, card)
    count(play, seat, card, -1)
    if KIND[card] == PSYCHOPATH:  # SC39
        kept = 0
        for i in range(play.size[HELD + seat]):
            captive = play.cards[HELD + seat, i]
            if play.captor[captive] == card:
                enter(play, 1 - seat, captive)
            else:
                play.cards[HELD + seat, kept] = captive
                kept += 1
        play.size[HELD + seat] = kept


@kernel(inline=True)
def capture(play, seat, captor, captive, sums):
    """`captor`, of `seat`, takes a character of the other seat."""
    leave(play, 1 - seat, captive)
    insert(play, HELD + seat, captive)
    play.captor[captive] = captor
    sums[CAPTIVES + seat] += 1


@kernel(inline=True)
def bury(state, play, card):
    """Where a killed card goes: out of the game, or if it is tough perhaps on the discard pile (SC25)."""
    if TOUGH[card]:
        state, face = roll(state)
        if face >= 4:
            append(play, PILE, card)
    return state


@kernel(inline=True)
def saved(state, doctors):
    """(next state, whether one of the doctors rolls a 6) (SC26)"""
    alive = False
    for _ in range(doctors):
        if not alive:
            state, face = roll(state)
            alive = face == 6
    return state, alive


@kernel(inline=True)
def draw(state, play, seat):
    if play.size[DECK] == 0:  # SC41b
        for i in range(play.size[PILE]):
            append(play, DECK, play.cards[PILE, i])
        play.size[PILE] = 0
    if play.size[DECK] > 0:  # SC42
        state, i = below(state, play.size[DECK])
        append(play, HAND + seat, play.cards[DECK, i])
        play.size[DECK] -= 1
        play.cards[DECK, i] = play.cards[DECK, play.size[DECK]]
    return state


@kernel(inline=True)
def put_down(play, seat, card, sums):
    enter(play, seat, card)
    sums[PLAYED + seat] += 1
    if not play.seen[card]:
        play.seen[card] = 1
        sums[FIRST_PLAYED + card] += 1 + seat


@kernel(inline=True)
def play_hand(play, seat, sums):
    """Play every character, of the bosses the best one if there is none in play (SC6)."""
    hand = play.cards[HAND + seat]
    boss = NOBODY
    if play.free[seat, BOSSES] == 0:
        for i in range(play.size[HAND + seat]):
            card = hand[i]
            if KIND[card] == BOSS and (
                boss == NOBODY or SIN[card] > SIN[boss] or (SIN[card] == SIN[boss] and card < boss)
            ):
                boss = card
    kept = 0
    for i in range(play.size[HAND + seat]):
        card = hand[i]
        if KIND[card] == EVENT or (KIND[card] == BOSS and card != boss):
            hand[kept] = card
            kept += 1
        else:
            put_down(play, seat, card, sums)
    play.size[HAND + seat] = kept


@kernel(inline=True)
def choose_target(play, foe, prey, boss_too):
    """The best free character of the seat `foe` among those of the kinds of `prey`; `NOBODY` if there is none."""
    line = play.cards[LINE + foe]
    best, appeal = NOBODY, -1000
    for i in range(play.size[LINE + foe]):
        card = line[i]
        if prey[KIND[card]] and APPEAL[card] > appeal and (boss_too or KIND[card] != BOSS):
            best, appeal = card, APPEAL[card]
    return best


@kernel(inline=True)
def fight(state, play, seat, attacker, target, sums):
    """The attacker has found its target: (next state, whether anybody was killed or captured)."""
    foe = 1 - seat
    state, score = roll_sum(state, FIGHT[attacker])
    state, other = roll_sum(state, FIGHT[target])
    if KIND[attacker] == PSYCHOPATH and score > other:  # SC30
        capture(play, seat, attacker, target, sums)
        return state, True
    if KIND[target] == PSYCHOPATH and other > score:  # SC34
        capture(play, foe, target, attacker, sums)
        return state, True

    attacker_dies = other >= score
    target_dies = score >= other and KIND[attacker] != PSYCHOPATH  # SC23, SC31
    if attacker_dies:
        state, alive = saved(state, play.free[seat, DOCTORS])
        attacker_dies = not alive
    if target_dies:
        state, alive = saved(state, play.free[foe, DOCTORS])
        target_dies = not alive
    if target_dies:
        reward = REWARD[KIND[attacker], KIND[target]]
        play.total[seat] += reward
        sums[KILLS + seat] += reward
        sums[LOST + foe] += 1
    if attacker_dies:
        reward = REWARD[KIND[target], KIND[attacker]]
        play.total[foe] += reward
        sums[KILLS + foe] += reward
        sums[LOST + seat] += 1
        leave(play, seat, attacker)
        state = bury(state, play, attacker)
    if target_dies:
        leave(play, foe, target)
        state = bury(state, play, target)
    return state, attacker_dies or target_dies


@kernel(inline=True)
def kill_phase(state, play, seat, turn, bonus, sums):
    """Everybody attacks or else uses law, until nobody can or the game is won."""
    foe = 1 - seat
    i = 0
    while i < play.size[LINE + seat]:
        card = play.cards[LINE + seat, i]
        i += 1
        if play.acted[card] == turn or not (STRIKES[card] or LAW[card]):
            continue
        target, changed = NOBODY, False
        if STRIKES[card]:
            target = choose_target(play, foe, PREY[KIND[card]], play.free[foe, GUARDS] == 0)
        if target != NOBODY:
            play.acted[card] = turn
            state, face = roll(state)
            if face + bonus >= FIND_ON:
                state, changed = fight(state, play, seat, card, target, sums)
                if play.total[seat] >= GOAL or play.total[foe] >= GOAL:
                    break
            bonus = 0
        elif LAW[card] and play.size[LINE + foe] > 0:
            play.acted[card] = turn
            state, face = roll(state)
            if face == 6:
                target = choose_target(play, foe, ANYONE, True)
                sums[LOST + foe] += 1
                leave(play, foe, target)
                append(play, PILE, target)
                changed = True
        if changed:  # those who had nothing to do may have now, and some may be free again
            i = 0
    return state


@kernel(inline=True)
def discard(play, seat):
    hand = play.cards[HAND + seat]
    while play.size[HAND + seat] > MAX_HAND:
        worst = hand[0]
        for i in range(1, play.size[HAND + seat]):
            if WORTH[hand[i]] < WORTH[worst]:
                worst = hand[i]
        remove(play, HAND + seat, worst)
        append(play, PILE, worst)


@kernel(inline=True)
def torture(state, play, active, sums):
    """Roll for every captive, or until the game is won (SC33)."""
    for step in range(SEATS):
        seat = (active + step) % SEATS
        i = 0
        while i < play.size[HELD + seat]:
            captive = play.cards[HELD + seat, i]
            state, face = roll(state)
            if KIND[captive] == HERO:  # SC34
                face += 1
            if face < 6:
                play.total[seat] += 1
                sums[TORTURE + seat] += 1
            if 3 <= face <= 5:
                i += 1
            else:
                remove(play, HELD + seat, captive)
                if face < 3:
                    sums[LOST + 1 - seat] += 1
                    state = bury(state, play, captive)
                else:
                    enter(play, 1 - seat, captive)
            if play.total[seat] >= GOAL:
                return state
    return state


@kernel(inline=True)
def play_turn(state, play, seat, turn, sums):
    """(next state, how the game was won; `NOBODY` if it was not)"""
    for _ in range(DRAW):
        state = draw(state, play, seat)
    play_hand(play, seat, sums)
    sins = play.free[seat, SINS]
    play.total[seat] += sins
    sums[SINNING + seat] += sins
    if play.total[seat] >= GOAL:
        return state, BY_SIN
    bonus = 0
    if play.free[seat, SLEUTHS] > 0:
        state, face = roll(state)
        bonus = 2 if face >= 5 else 0
    state = kill_phase(state, play, seat, turn, bonus, sums)
    if play.total[seat] >= GOAL or play.total[1 - seat] >= GOAL:
        return state, BY_KILL
    discard(play, seat)
    state = torture(state, play, seat, sums)
    if play.total[seat] >= GOAL or play.total[1 - seat] >= GOAL:
        return state, BY_TORTURE
    return state, NOBODY


@kernel(inline=True)
def set_up(state, play):
    """(next state, the seat that starts)"""
    play.size[:] = 0
    play.free[:] = 0
    play.total[:] = 0
    play.acted[:] = 0
    play.seen[:] = 0
    for card in range(KIND.size):
        append(play, DECK, card)
    for seat in range(SEATS):
        for _ in range(HAND_SIZE):
            state = draw(state, play, seat)
    a = b = 0
    while a == b:  # SC3
        state, a = roll(state)
        state, b = roll(state)
    return state, 0 if a > b else 1


@kernel
def play(seed, first, count, sums):
    """Play games `first` to `first + count - 1` and add each results column to its place in `sums`.

    seed, first: below 2**63. sums: int64 [columns], in the order of `columns` for two seats.
    """
    play = Play(
        np.empty((8, KIND.size), np.int64),
        np.empty(8, np.int64),
        np.empty((SEATS, 5), np.int64),
        np.empty(SEATS, np.int64),
        np.empty(KIND.size, np.int64),
        np.empty(KIND.size, np.int64),
        np.empty(KIND.size, np.int64),
    )
    for game in range(first, first + count):
        state = mix(u64(seed) + mix(u64(game) * GAMMA))
        state, first_seat = set_up(state, play)
        seat = 1 - first_seat
        turn, ending = 0, NOBODY
        while ending == NOBODY and turn < MAX_TURNS:
            turn += 1
            seat = 1 - seat
            state, ending = play_turn(state, play, seat, turn, sums)

        if ending != NOBODY:
            winner = seat if play.total[seat] >= GOAL else 1 - seat  # SC44
        else:  # SC47
            winner = NOBODY if play.total[0] == play.total[1] else 0 if play.total[0] > play.total[1] else 1
            ending = BY_TURNS
        sums[WINNER] += winner
        sums[FIRST_SEAT] += first_seat
        sums[TURNS] += turn
        for each in range(SEATS):
            sums[POINTS + each] += play.total[each]
        sums[UNFINISHED] += ending == BY_TURNS
        sums[ENDING] += ending
