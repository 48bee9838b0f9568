"""The rules of Sin City as kernels over one game at a time.

A game is a state machine: `run` plays on from a *step* until somebody has a choice, the turn ends, or the game does.
Each step is a function of a `Game` that returns the next step; an answer comes back through `hear`. What is known of a
game lies in three records, by who may see it: `board` (everybody), `mine` (whoever decides), `secret` (the table);
`fixed` is the same for all games of a table. `sims/core/records.py` plays many. Cards and sets of them: see
`cards.py`.

A kernel that is small or runs often is melted into its callers; the others are not, since that would take long to
compile. Without the compiler NumPy's rules hold for the numbers in records, hence `i64(...)` where they could overflow.
"""

from typing import Any, NamedTuple

import numpy as np

from sims.core.bits import count, lowest
from sims.core.kernel import kernel
from sims.core.records import ASKED, DEALT, OVER, RESTING, STOPPED
from sims.core.rng import choice, split, words
from sims.sincity.cards import (
    AGENT,
    AIMED,
    ALL_DRAW,
    AT_WILL,
    BOSS,
    CRIMINAL,
    DOCTORS,
    DRAW,
    EXECUTE,
    HERO,
    IDS,
    INVESTIGATORS,
    PSYCHOPATH,
    SAVE_KILLED,
    SEARCH,
    SEDUCE,
    SORT,
    STAYS,
    TOUGH,
    VICTIM,
    WILLS,
    WORD,
    tables,
)

i8, i16, i32, i64, u32, u64 = np.int8, np.int16, np.int32, np.int64, np.uint32, np.uint64

SEATS = 6
"""At most: what is kept by seat has room for so many."""


def _numbers(n: int, first: int = 0) -> Any:
    """So many constants, as kernels meet them in records: for plain ones Numba would compile a user once a value."""
    return map(i64, range(first, first + n))


# Purposes of luck; `README.md` lists their words.
SHUFFLE, START, DEED, INVESTIGATION, DOCTOR, TOUGH_ROLL, TORTURE_ROLL = _numbers(7, 1)
(POLICY_WORD,) = _numbers(1, 20)
ONCE = 511  # in place of a card, where an investigation is the player's and not a character's

# Kinds of decision. FIND, FIGHT and LAW are windows for cards before a roll, and numbers of rows of `fixed.window`.
FIND, FIGHT, LAW, HELP, KILL, INVESTIGATE, FRIEND, SPEND, SAVE, DISCARD = _numbers(10)

# Answers: NO or YES; a card; PASS; for HELP and KILL a card with its target and the way it acts, see `action_of`.
PASS, NO, YES = _numbers(3, -1)

# Steps of a game, below STOPPED.
HELPING, SINNING, INVESTIGATING, KILLING, WINDOW, ROLLING, BURYING, DISCARDING, TORTURING, ENDING = _numbers(10)

# Where free characters of these kinds are counted (`cards.SORT`).
BOSSES, GUARDS = i64(0xFF << SORT * BOSS), i64((0xFF << SORT * AGENT) | (0xFF << SORT * CRIMINAL))

# What points are for, and how a game ends.
SIN, KILLS, TORTURE, TURNS = _numbers(4)

# The options of the knobs, in the order of `Knobs`.
EACH, ONE = range(2)
SUM, HIGHEST = range(2)
DICE, TOTAL = range(2)
ONCE_A_TURN, EACH_ONE = range(2)
EVERY_TURN, OWN_TURN = range(2)

KNOBS = (
    *("deck_copies", "help_limit", "summoning_sickness", "attacks", "fight_score", "fight_bonus", "investigation"),
    *("torture", "goal", "max_turns", "hand", "draw", "max_hand", "find_on", "hero_bounty"),
    *("opening_card", "opening_seat"),
)


def word_count(copies: int) -> int:
    """Words of a set of cards. Two sizes alone, since each is compiled anew: for one copy, and for four."""
    return 2 if copies == 1 else 8


class Layout(NamedTuple):
    """The types of the records, for sets of so many words."""

    fixed: Any
    board: Any
    secret: Any
    mine: Any


def layout(count: int) -> Layout:
    cards, row, per_seat, cards_per_seat = count * WORD, (count,), (SEATS,), (SEATS, count)
    table = tables(1, count)
    fixed = [
        ("seats", i64), ("cards", i64),
        *((name, i64) for name in KNOBS),
        *((name, value.dtype, value.shape) for name, value in table.items()),
    ]  # fmt: skip
    board = [
        ("acted", i64, row),  # characters that have attacked or used law in this turn (SC48)
        ("fresh", i64, row),  # characters in play that were played in this turn
        ("played", i64, row),  # cards played in this turn
        ("discard", i64, row),
        ("deck_size", i64),
        ("turn", i64),  # from 0
        ("active", i64),
        ("helped", i64),  # characters played in this Help Phase
        ("attacked", i64),  # whether there was an attack in this turn
        ("bonus_left", i64),  # investigations' +2 to a Find roll, not yet spent (SC22)
        ("attacker", i64),  # in a fight, else -1; LAW: who uses it
        ("target", i64),
        ("defender", i64),  # the seat that controls the target
        ("side", i64),  # who is asked: 0 the attacker's side, 1 the defender's
        ("bonus", i16, (2,)),  # by events, and investigation, to the next roll of either side
        ("event", i64),  # being played, else -1
        ("dying", i64),  # SAVE: the card just killed, else -1
        ("hand_size", i16, per_seat),
        ("points", i32, per_seat),
        ("sorts", i64, per_seat),  # how many free characters of each sort (`cards.SORT`)
        ("free", i64, cards_per_seat),  # characters in play and not captive, by who controls them
        ("held", i64, cards_per_seat),  # captives, by who controls the captor
        ("out", i64, row),  # of the game
        ("captor", i16, (cards,)),  # of a captive
        ("owner", i8, (cards,)),  # of a captive: who controlled it, and will when it is free
    ]  # fmt: skip
    secret = [
        ("key", u64), ("game", u64),
        ("dice", u32, (4,)),  # words of an attack, or of law: two for either side, see `throw`
        ("seen_to", i16, per_seat),  # by seat: it knows the deck up to this place
        ("hushed", i16, per_seat),  # by seat: windows, as bits, in which it passes without being asked
        ("informed", i64),  # whether anybody has ever learned of a hidden card
        ("shown_to", i64),  # whose knowledge `mine` shows as it is now, -1: nobody's
        ("foes_of", i64),  # whose opponents `mine` shows as they are now, -1: nobody's
        ("foe_sorts", i64),  # not 0 for the sorts that are among these
        ("fit", i64, row),  # characters that could act against them, if they were free, in the Kill Phase
        ("seen_most", i64),  # the highest of `seen_to`
        ("top", i64),
        ("bottom", i64),  # the deck is deck[top : bottom]
        ("kind", i64), ("seat", i64),  # of the decision that is asked
        ("passes", i64),
        ("dead", i16, (2,)), ("dead_owner", i8, (2,)), ("nth", i64), ("saver", i64),  # killed, and not yet buried
        ("back", i64),  # the step after that, or after an event
        ("cursor", i64), ("torturer", i64),  # where in a list of investigators, or of captives
        ("captured", i64),  # captives that there are
        ("times", i8, (8,)), ("executions", i64),  # by event that kills: how often it was played in this turn
        ("asked", i64),  # decisions in this turn
        ("hand", i64, cards_per_seat),
        ("sorts", i64, per_seat),  # how many cards in hand of each sort (`cards.SORT`)
        ("known", i64, cards_per_seat),  # by seat: cards that it knows to be in the hand where they are
        ("away", i64, cards_per_seat),  # by seat: cards that it knows to be in a hand, if not in whose
        ("shuffles", i64),
        ("first", i64), ("turns", i64), ("winner", i64), ("ending", i64),
        ("gained", i32, (3, SEATS)),  # points by what they are for
        ("lost", i32, per_seat), ("captives", i32, per_seat), ("plays", i32, per_seat),
        ("player", i8, (IDS,)),  # 1 + who first played a card of this id
        ("deck", i16, (cards,)),
    ]  # fmt: skip
    mine = [
        ("hand", i64, row),
        ("options", i64, row),  # cards that may be chosen
        ("foes", i64, row),  # HELP, KILL: the opponents' free characters
        ("exposed", i64, row),  # KILL: those that may be attacked, as far as guards go (SC15)
        ("known", i64, cards_per_seat),  # cards that the seat knows to be in each other hand
        ("away", i64, row),  # further cards that it knows to be in others' hands
        ("next", i16, (6,)),  # the next cards of the deck as far as known, then -1
    ]  # fmt: skip
    return Layout(*(np.dtype(fields, align=True) for fields in (fixed, board, secret, mine)))


class Fixed(NamedTuple):
    """What does not change at a table: `record[0]` (a record by itself would take microseconds a call)."""

    record: Any


class Game(NamedTuple):
    """One game: records of these types (`layout`)."""

    fixed: Any
    board: Any
    secret: Any
    mine: Any


def make_fixed(knobs: Any, seats: int) -> Any:
    """What does not change at a table: knobs, seats, tables of the cards."""
    copies = int(knobs.deck_copies)
    count = word_count(copies)
    fixed = np.zeros(1, layout(count).fixed).view(np.recarray)
    for name, value in tables(copies, count).items():
        fixed[name][0] = value
    for name in KNOBS:
        fixed[name][0] = getattr(knobs, name)
    fixed.seats, fixed.cards = seats, IDS * copies
    fixed.flags.writeable = False
    return Fixed(fixed)


# Sets of cards


@kernel(inline=True)
def word_of(card):
    """card // WORD, for cards from 0 to 391."""
    return (i64(card) * 669) >> 15


@kernel(inline=True)
def has(cards, card):
    w = word_of(card)
    return (cards[w] >> (i64(card) - w * WORD)) & 1 != 0


@kernel(inline=True)
def add(cards, card):
    w = word_of(card)
    cards[w] |= i64(1) << (i64(card) - w * WORD)


@kernel(inline=True)
def drop(cards, card):
    w = word_of(card)
    cards[w] &= ~(i64(1) << (i64(card) - w * WORD))


@kernel(inline=True)
def first(cards):
    """The lowest card of a set, -1 if it is empty."""
    for w in range(cards.shape[0]):
        if cards[w]:
            return w * WORD + lowest(cards[w])
    return i64(-1)


@kernel(inline=True)
def beyond(card, w):
    """The cards of a word that come after this one."""
    place = i64(card) - w * WORD
    if place < 0:
        return i64(-1)
    return i64(-2) << place if place < WORD else i64(0)


@kernel(inline=True)
def any_of(cards):
    found = i64(0)
    for w in range(cards.shape[0]):
        found |= cards[w]
    return found != 0


@kernel(inline=True)
def meet(cards, others):
    """Whether two sets have a card in common."""
    found = i64(0)
    for w in range(cards.shape[0]):
        found |= cards[w] & others[w]
    return found != 0


@kernel(inline=True)
def of(rows, seat):
    """What a seat has of rows by seat. (An index with a sign takes three instructions more: -1 could mean the last.)"""
    return rows[u64(seat)]


@kernel(inline=True)
def number_of(sorts, sort):
    """How many there are of a sort."""
    return (sorts >> (SORT * i64(sort))) & 0xFF


# Luck


@kernel(inline=True)
def luck(g, purpose, index):
    """The four words at a coordinate of this game."""
    return words(g.secret.key, g.secret.game, purpose, i64(index) & 0xFFFFFFFF)


@kernel(inline=True)
def at(g, card):
    """Where: this turn, and a physical card."""
    return g.board.turn * 512 + g.fixed.number[card]


@kernel(inline=True)
def face(word, place):
    """The die at place 0, 1 or 2 of a word."""
    value, rest = split(word, 6)
    for _ in range(place):
        value, rest = split(rest, 6)
    return i64(value) + 1


@kernel
def roll(g, purpose, index):
    """One die."""
    return face(luck(g, purpose, index)[0], i64(0))


@kernel(inline=True)
def eight(word, other, begin, end):
    """Of the eight dice in two words those from `begin` up to before `end`: their sum, and the highest of them."""
    total, high = i64(0), i64(0)
    for half in range(2):
        rest = other if half else word
        for k in range(4):
            value, rest = split(rest, 6)
            is_thrown = i64(begin <= 4 * half + k) & i64(4 * half + k < end)
            total += is_thrown * (i64(value) + 1)
            high = max(high, is_thrown * (i64(value) + 1))
    return total, high


@kernel(inline=True)
def throw(g, side, n):
    """The sum of n dice of a side in a fight, and the highest of them: its dice 1 to n, eight an index. (Die 0 of the
    attacker's is the Find roll, or the law roll.)"""
    drawn = g.secret.dice
    total, high = eight(drawn[2 * side], drawn[2 * side + 1], 1, n + 1)
    for k in range(1, (n + 8) // 8):
        four = luck(g, DEED, 8 * at(g, g.board.attacker) + k)
        more, top = eight(four[2 * side], four[2 * side + 1], 0, n + 1 - 8 * k)
        total, high = total + more, max(high, top)
    return total, high


@kernel
def shuffle_deck(g):
    """As `core.rng.shuffle`, with all words drawn first, which the compiler makes vectors of."""
    h = g.secret
    deck, index = h.deck, h.shuffles * 128
    four = np.empty((4, deck.size // 4 + 1), np.uint32)
    for k in range((h.bottom + 3) // 4):
        four[0, k], four[1, k], four[2, k], four[3, k] = words(h.key, h.game, SHUFFLE, index + k)
    for place in range(h.bottom - 1, 0, -1):
        other = i64(choice(four[place % 4, place // 4], place + 1))
        deck[place], deck[other] = deck[other], deck[place]
    h.shuffles += 1
    forget_places(g)


@kernel
def forget_places(g):
    """Nobody knows any more where in the deck a card is."""
    h = g.secret
    h.seen_most, h.shown_to = 0, -1
    for seat in range(g.fixed.seats):
        h.seen_to[seat] = 0


@kernel(inline=True)
def clockwise(g, seat, steps):
    """The seat so many steps on, less than once around."""
    after = i64(seat) + steps
    return after - g.fixed.seats if after >= g.fixed.seats else after


# The deck and the hands


@kernel(inline=True)
def into_hand(g, seat, card):
    h = g.secret
    add(of(h.hand, seat), card)
    h.sorts[u64(seat)] += g.fixed.in_hand[card]
    g.board.hand_size[u64(seat)] += 1
    h.shown_to = -1


@kernel(inline=True)
def out_of_hand(g, seat, card):
    h = g.secret
    drop(of(h.hand, seat), card)
    h.sorts[u64(seat)] -= g.fixed.in_hand[card]
    g.board.hand_size[u64(seat)] -= 1
    if seat != h.shown_to:  # one's own hand is no secret to oneself
        h.shown_to = -1


@kernel
def draw(g, seat, n):
    """Draw n cards, or as many as there are (SC41b, SC42)."""
    h = g.secret
    for _ in range(n):
        if h.top == h.bottom:
            reshuffle(g)
            if h.bottom == 0:
                break
        card = i64(h.deck[h.top])
        if h.top < h.seen_most:
            recognise(g, card)
        h.top += 1
        into_hand(g, seat, card)
    g.board.deck_size = h.bottom - h.top


@kernel
def recognise(g, card):
    """Who has seen this card on top of the deck knows where it goes."""
    h = g.secret
    for seat in range(g.fixed.seats):
        if h.seen_to[seat] > h.top:
            add(h.known[seat], card)


@kernel
def reshuffle(g):
    """The discard pile becomes the deck. Everybody knows that all other hidden cards are in hands."""
    b, h = g.board, g.secret
    h.top = h.bottom = 0
    h.informed = 1
    forget_places(g)
    for w in range(b.discard.shape[0]):
        pile, held = b.discard[w], i64(0)
        for seat in range(g.fixed.seats):
            held |= h.hand[seat, w]
        for seat in range(g.fixed.seats):
            h.known[seat, w] &= ~pile
            h.away[seat, w] = held
        b.discard[w] = 0
        while pile:
            h.deck[h.bottom] = w * WORD + lowest(pile)
            h.bottom += 1
            pile &= pile - 1
    if h.bottom:
        shuffle_deck(g)


@kernel
def leave_hand(g, seat, card):
    """Play a card: what is counted of that."""
    h, card_id = g.secret, g.fixed.id[card]
    out_of_hand(g, seat, card)
    add(g.board.played, card)
    h.plays[seat] += 1
    if h.player[card_id] == 0:
        h.player[card_id] = seat + 1


# Characters in play


@kernel
def owner_of(g, card):
    """The seat that controls a free character."""
    for seat in range(g.fixed.seats):
        if has(g.board.free[seat], card):
            return seat
    return -1


@kernel(inline=True)
def sick(g, w):
    """Characters that may not yet act (SC5)."""
    return g.board.fresh[w] if g.fixed.summoning_sickness else i64(0)


@kernel(inline=True)
def enter(g, seat, card):
    """A character is free, under this seat."""
    add(of(g.board.free, seat), card)
    g.board.sorts[u64(seat)] += g.fixed.in_play[card]


@kernel(inline=True)
def leave(g, seat, card):
    """It no longer is."""
    drop(of(g.board.free, seat), card)
    drop(g.board.fresh, card)
    g.board.sorts[u64(seat)] -= g.fixed.in_play[card]


@kernel
def remove(g, seat, card):
    """A free character leaves play: its captives are free (SC39)."""
    leave(g, seat, card)
    g.secret.lost[seat] += 1
    g.secret.foes_of = -1
    if g.fixed.kind[card] == PSYCHOPATH:
        for w in range(g.board.out.shape[0]):
            captives = g.board.held[seat, w]
            while captives:
                captive = w * WORD + lowest(captives)
                captives &= captives - 1
                if g.board.captor[captive] == card:
                    release(g, seat, captive)


@kernel(inline=True)
def release(g, holder, captive):
    """Free again, under its owner (SC37)."""
    drop(of(g.board.held, holder), captive)
    enter(g, g.board.owner[captive], captive)
    g.secret.foes_of = -1
    g.secret.captured -= 1


@kernel
def capture(g, seat, card, holder, captor):
    """A victim or a hero becomes the captive of a psychopath (SC30, SC34). Freed, it will not be sick (SC5)."""
    b, h = g.board, g.secret
    leave(g, seat, card)
    add(of(b.held, holder), card)
    b.captor[card], b.owner[card] = captor, seat
    h.captives[holder] += 1
    h.captured += 1
    h.foes_of = -1


@kernel
def seduce(g, card):
    """Take control (SC45). Captives go along with their captor (SC39); whoever has not acted may act (SC48)."""
    b, seat = g.board, owner_of(g, card)
    leave(g, seat, card)
    enter(g, b.active, card)
    g.secret.foes_of = -1
    if g.fixed.kind[card] == PSYCHOPATH:
        for w in range(b.out.shape[0]):
            captives = b.held[seat, w]
            while captives:
                captive = w * WORD + lowest(captives)
                captives &= captives - 1
                if b.captor[captive] == card:
                    drop(b.held[seat], captive)
                    add(b.held[b.active], captive)


# Points and victory


@kernel(inline=True)
def gain(g, seat, points, what):
    g.board.points[seat] += points
    g.secret.gained[what, seat] += points


@kernel
def won(g, what):
    """Whether somebody has reached the goal: the active player first, then clockwise (SC44)."""
    b, h = g.board, g.secret
    for step in range(g.fixed.seats):
        seat = clockwise(g, b.active, step)
        if b.points[seat] >= g.fixed.goal:
            h.winner, h.ending = seat, what
            return True
    return False


@kernel
def reward(g, seat, killer, killed):
    """Points for a kill, in attack or in defence (SC24)."""
    kind, other = g.fixed.kind[killer], g.fixed.kind[killed]
    if kind == CRIMINAL:
        gain(g, seat, i64(1), KILLS)
    elif kind == AGENT:
        gain(g, seat, i64(2), KILLS)
    elif kind == HERO and other in (BOSS, PSYCHOPATH):
        gain(g, seat, g.fixed.hero_bounty, KILLS)


# Asking


@kernel(inline=True)
def ask(g, kind, seat):
    g.secret.kind, g.secret.seat = kind, seat
    return ASKED


@kernel(inline=True)
def ask_whether(g, kind, seat):
    """Ask for YES or NO."""
    for w in range(g.mine.options.shape[0]):
        g.mine.options[w] = 0
    return ask(g, kind, seat)


@kernel(inline=True)
def show(g):
    """What the deciding seat alone knows."""
    h, m, me = g.secret, g.mine, g.secret.seat
    hand = of(h.hand, me)
    for w in range(m.hand.shape[0]):
        m.hand[w] = hand[w]
    if h.informed and h.shown_to != me:
        show_knowledge(g)


@kernel(inline=True)
def show_knowledge(g):
    h, m, me = g.secret, g.mine, g.secret.seat
    h.shown_to = me
    for w in range(m.away.shape[0]):
        m.away[w] = 0
    for seat in range(g.fixed.seats):
        for w in range(m.away.shape[0]):
            hand, known = h.hand[seat, w] if seat != me else i64(0), h.known[me, w]
            m.known[seat, w] = hand & known
            m.away[w] |= hand & ~known & h.away[me, w]
    if h.seen_to[me] > h.top or m.next[0] >= 0:
        for k in range(6):
            m.next[k] = h.deck[h.top + k] if h.top + k < h.seen_to[me] else -1


@kernel(inline=True)
def aim(fixed, board, seat, effect):
    """The row of `fixed.aims` with whom an event may strike (SC13b); who has a boss seduces none (SC6)."""
    return EXECUTE if effect == SEDUCE and number_of(of(board.sorts, seat), BOSS) else effect


@kernel(inline=True)
def event_targets(fixed, board, mine, seat, effect, w):
    """The legal targets, in word w, of an event that seat plays: only seduction must strike an opponent's (SC13b)."""
    own = board.free[seat, w] if effect != SEDUCE else i64(0)
    return (mine.foes[w] | own) & fixed.aims[aim(fixed, board, seat, effect), w]


@kernel(inline=True)
def attack_targets(fixed, board, mine, seat, kind, w):
    """The legal targets, in word w, of an attacker of this kind (SC14)."""
    own = board.free[seat, w] if kind == PSYCHOPATH else i64(0)
    return (mine.exposed[w] | own) & fixed.prey[kind, w]


@kernel(inline=True)
def see_foes(g, seat):
    """The opponents' free characters, and those that no guard protects from attacks (SC15, SC16)."""
    f, b, h, m = g.fixed, g.board, g.secret, g.mine
    if h.foes_of == seat:
        return
    h.foes_of = seat
    h.foe_sorts = exposed = i64(0)
    for w in range(m.foes.shape[0]):
        m.foes[w] = m.exposed[w] = 0
    for step in range(1, f.seats):
        other = clockwise(g, seat, step)
        sorts, free = of(b.sorts, other), of(b.free, other)
        is_guarded = sorts & GUARDS != 0
        h.foe_sorts |= sorts
        exposed |= sorts & ~(BOSSES if is_guarded else i64(0))
        for w in range(m.foes.shape[0]):
            bosses = f.of_kind[BOSS, w]
            m.foes[w] |= free[w]
            m.exposed[w] |= free[w] & ~(bosses if is_guarded else i64(0))
    for w in range(m.foes.shape[0]):
        fit = f.lawful[w] if h.foe_sorts else i64(0)  # SC17, SC18
        for kind in range(CRIMINAL, PSYCHOPATH + 1):
            strikers = f.strikers[kind, w]
            fit |= strikers if exposed & f.prey_sorts[kind] else i64(0)
        h.fit[w] = fit


@kernel(inline=True)
def offer_events(g, seat):
    """The events in hand for one's own turn that have a target or need none (SC13)."""
    f, b, h, m = g.fixed, g.board, g.secret, g.mine
    hand, there = of(h.hand, seat), h.foe_sorts | of(b.sorts, seat)
    for w in range(m.options.shape[0]):
        if hand[w] & f.at_will[w]:
            playable = f.aimless[w]
            for effect in range(AIMED, AT_WILL):
                targets = (h.foe_sorts if effect == SEDUCE else there) & f.aim_sorts[aim(f, b, seat, effect)]
                events = f.of_effect[effect, w]
                playable |= events if targets else i64(0)
            m.options[w] |= hand[w] & playable


@kernel(inline=True)
def offer_help(g):
    """Characters and events that may be played in the Help Phase."""
    f, b, h, m = g.fixed, g.board, g.secret, g.mine
    seat = b.active
    see_foes(g, seat)
    may_help = f.help_limit == 0 or b.helped < f.help_limit  # SC4
    has_boss, hand = number_of(of(b.sorts, seat), BOSS) != 0, of(h.hand, seat)
    for w in range(m.options.shape[0]):
        playable, bosses = f.characters[w], f.of_kind[BOSS, w]
        playable &= ~(bosses if has_boss else i64(0))  # SC6
        m.options[w] = hand[w] & (playable if may_help else i64(0))
    if number_of(of(h.sorts, seat), WILLS):
        offer_events(g, seat)


@kernel(inline=True)
def offer_kill(g):
    """Events that may be played, and characters that may attack or use law, in the Kill Phase."""
    f, b, h, m = g.fixed, g.board, g.secret, g.mine
    seat = b.active
    see_foes(g, seat)
    free, own_victims = of(b.free, seat), number_of(of(b.sorts, seat), VICTIM)
    for w in range(m.options.shape[0]):
        fit, psychopaths = h.fit[w], f.strikers[PSYCHOPATH, w]
        fit |= psychopaths if own_victims else i64(0)  # SC14
        if f.attacks != EACH and b.attacked:  # SC7
            fit &= f.lawful[w] if h.foe_sorts else i64(0)
        m.options[w] = free[w] & fit & ~(b.acted[w] | sick(g, w))
    if number_of(of(h.sorts, seat), WILLS):
        offer_events(g, seat)


@kernel
def offer_window(g, seat):
    """Cards that this side of a roll may play now (SC11, SC12)."""
    for w in range(g.mine.options.shape[0]):
        g.mine.options[w] = of(g.secret.hand, seat)[w] & g.fixed.window[g.secret.kind, g.board.side, w]


@kernel
def offer_agents(g):
    """The agents in the deck."""
    h, m = g.secret, g.mine
    for w in range(m.options.shape[0]):
        m.options[w] = 0
    for place in range(h.top, h.bottom):
        card = i64(h.deck[place])
        if g.fixed.kind[card] == AGENT:
            add(m.options, card)


@kernel
def offer_hand(g, seat):
    for w in range(g.mine.options.shape[0]):
        g.mine.options[w] = g.secret.hand[seat, w]


@kernel
def offer(g):
    """What may be chosen in the decision that is asked, anew."""
    kind = g.secret.kind
    if kind == HELP:
        offer_help(g)
    elif kind == KILL:
        offer_kill(g)
    elif kind <= LAW:
        offer_window(g, g.secret.seat)
    elif kind == FRIEND:
        offer_agents(g)
    elif kind == DISCARD:
        offer_hand(g, g.secret.seat)


# The course of a turn


@kernel(inline=True)
def begin_turn(g):
    """The Luck Phase."""
    b, h = g.board, g.secret
    for w in range(b.acted.shape[0]):
        b.acted[w] = b.fresh[w] = b.played[w] = 0
    b.attacked = b.bonus_left = b.helped = 0
    h.asked = 0
    h.turns += 1
    if h.executions:
        h.executions = 0
        for k in range(h.times.shape[0]):
            h.times[k] = 0
    draw(g, b.active, g.fixed.draw)
    return HELPING


@kernel(inline=True)
def help_phase(g):
    offer_help(g)
    return ask(g, HELP, g.board.active) if any_of(g.mine.options) else SINNING


@kernel(inline=True)
def act_in_help(g, action):
    b, card = g.board, card_of(action)
    if action == PASS:
        return SINNING
    if g.fixed.effect[card] >= 0:
        return play_event(g, card, target_of(action), HELPING)
    leave_hand(g, b.active, card)
    enter(g, b.active, card)
    add(b.fresh, card)
    b.helped += 1
    return HELPING


@kernel(inline=True)
def sin_phase(g):
    """All free characters score as one sum (SC7b)."""
    f, b = g.fixed, g.board
    points = i64(0)
    for w in range(b.fresh.shape[0]):
        able = b.free[b.active, w] & ~sick(g, w)
        points += count(able & f.sins[0, w]) + 2 * count(able & f.sins[1, w]) + 4 * count(able & f.sins[2, w])
    gain(g, b.active, points, SIN)
    g.secret.cursor = -1
    return OVER if won(g, SIN) else INVESTIGATING


@kernel
def next_investigator(g):
    """The investigators of the active player that are still to be asked about; the first of them, -1 for none."""
    b, m = g.board, g.mine
    for w in range(m.options.shape[0]):
        able = b.free[b.active, w] & g.fixed.investigators[w] & ~sick(g, w)
        m.options[w] = able & beyond(g.secret.cursor, w)
    return first(m.options)


@kernel(inline=True)
def investigation_phase(g):
    """SC20: one roll a player, or one a character."""
    h = g.secret
    if not number_of(of(g.board.sorts, g.board.active), INVESTIGATORS):
        return KILLING
    card = next_investigator(g)
    if card < 0 or (h.cursor >= 0 and g.fixed.investigation == ONCE_A_TURN):
        return KILLING
    h.cursor = card
    return ask(g, INVESTIGATE, g.board.active)


@kernel
def investigate(g):
    """SC21, SC22."""
    f, b, h, me = g.fixed, g.board, g.secret, g.board.active
    where = b.turn * 512 + ONCE if f.investigation == ONCE_A_TURN else at(g, h.cursor)
    word = luck(g, INVESTIGATION, where)[0]
    result = face(word, i64(0))
    h.informed, h.shown_to = 1, -1
    if result >= 5:
        b.bonus_left += 1
    elif result >= 3:
        h.seen_to[me] = max(h.seen_to[me], min(h.top + face(word, i64(1)), h.bottom))
        h.seen_most = max(h.seen_most, h.seen_to[me])
    else:
        for step in range(1, f.seats):
            seat = clockwise(g, me, step)
            if b.hand_size[seat] > 0:
                for w in range(b.out.shape[0]):
                    h.known[me, w] |= h.hand[seat, w]
                break
    return INVESTIGATING


@kernel(inline=True)
def kill_phase(g):
    g.board.attacker = g.board.target = -1
    offer_kill(g)
    return ask(g, KILL, g.board.active) if any_of(g.mine.options) else DISCARDING


@kernel(inline=True)
def act_in_kill(g, action):
    card, target = card_of(action), target_of(action)
    if action == PASS:
        return DISCARDING
    if g.fixed.effect[card] >= 0:
        return play_event(g, card, target, KILLING)
    b = g.board
    four = luck(g, DEED, 8 * at(g, card))
    for k in range(4):
        g.secret.dice[k] = four[k]
    add(b.acted, card)
    b.attacker, b.target, b.defender = card, target, owner_of(g, target)
    b.bonus[0] = 0
    if by_law(action):
        return open_window(g, LAW)
    b.attacked = 1
    return ask_whether(g, SPEND, b.active) if b.bonus_left > 0 else open_window(g, FIND)


@kernel(inline=True)
def discard_phase(g):
    """SC43."""
    b, seat = g.board, g.board.active
    if b.hand_size[seat] > g.fixed.max_hand:
        offer_hand(g, seat)
        return ask(g, DISCARD, seat) if b.hand_size[seat] > 1 else discard(g, first(g.mine.options))
    g.secret.torturer, g.secret.cursor = 0, -1
    return TORTURING if g.secret.captured else ENDING


@kernel
def discard(g, card):
    b = g.board
    out_of_hand(g, b.active, card)
    add(b.discard, card)
    return DISCARDING


@kernel(inline=True)
def torture(g):
    """SC33: the captors' owners clockwise from the active player, each one's captives by lowest id, one by one."""
    f, b, h = g.fixed, g.board, g.secret
    while h.torturer < (f.seats if f.torture == EVERY_TURN else 1):
        holder = clockwise(g, b.active, h.torturer)
        for w in range(b.out.shape[0]):
            g.mine.options[w] = b.held[holder, w] & beyond(h.cursor, w)
        captive = first(g.mine.options)
        h.cursor = captive
        if captive < 0:
            h.torturer += 1
        else:
            step = torture_one(g, holder, captive)
            if step != TORTURING:
                return step
    return ENDING


@kernel(inline=True)
def torture_one(g, holder, captive):
    """1-2 killed, 3-5 tortured, 6+ escapes; a hero has +1 (SC34)."""
    b, h, owner = g.board, g.secret, i64(g.board.owner[captive])
    result = roll(g, TORTURE_ROLL, at(g, captive)) + (g.fixed.kind[captive] == HERO)
    if result >= 6:
        release(g, holder, captive)
        return TORTURING
    if result <= 2:  # no doctor helps (SC28)
        drop(of(b.held, holder), captive)
        add(b.out, captive)
        h.captured -= 1
        h.lost[owner] += 1
    gain(g, holder, i64(1), TORTURE)
    if won(g, TORTURE):
        return OVER
    return bury(g, captive, owner, i64(-1), owner, TORTURING) if result <= 2 else TORTURING


@kernel(inline=True)
def end_turn(g):
    f, b, h = g.fixed, g.board, g.secret
    if h.turns >= f.max_turns:  # SC47
        h.ending, h.winner = TURNS, leader(g)
        return OVER
    b.turn += 1
    b.active = clockwise(g, b.active, i64(1))
    return RESTING


@kernel
def leader(g):
    """Who alone has the most points, -1 if nobody."""
    b, best, who = g.board, i64(-1), -1
    for seat in range(g.fixed.seats):
        if b.points[seat] > best:
            best, who = i64(b.points[seat]), seat
        elif b.points[seat] == best:
            who = -1
    return who


# Rolls, and the cards that change them


@kernel(inline=True)
def open_window(g, window):
    g.secret.kind = window
    g.board.side = g.secret.passes = 0
    return WINDOW


@kernel(inline=True)
def window_step(g):
    """One card or a pass each in turn, until both pass in a row; who has no such card passes unasked (SC11)."""
    b, h = g.board, g.secret
    while h.passes < 2:
        seat = b.active if b.side == 0 else b.defender
        has_one = i64(number_of(of(h.sorts, seat), 2 * h.kind + b.side) != 0)
        if has_one & ~(i64(of(h.hushed, seat)) >> h.kind):
            offer_window(g, seat)
            return ask(g, h.kind, seat)
        h.asked += has_one
        h.passes += 1
        b.side ^= 1
    return ROLLING


@kernel(inline=True)
def answer_window(g, card):
    b, h = g.board, g.secret
    if card == PASS:
        h.passes += 1
    else:
        h.passes = 0
        leave_hand(g, h.seat, card)
        add(b.discard, card)
        b.bonus[b.side if h.kind == FIGHT else 0] += g.fixed.worth[g.fixed.effect[card]]
    b.side ^= 1
    return WINDOW


@kernel(inline=True)
def roll_step(g):
    f, b, kind = g.fixed, g.board, g.secret.kind
    if kind == FIGHT:
        return fight(g)
    result = face(g.secret.dice[0], i64(0)) + b.bonus[0]
    if kind == FIND:
        if result < f.find_on:  # SC8
            return KILLING
        b.bonus[0] = b.bonus[1] = 0
        return open_window(g, FIGHT)
    if result >= 6:  # SC17
        remove(g, b.defender, b.target)
        add(b.discard, b.target)
    return KILLING


@kernel(inline=True)
def score(g, side, card):
    """SC9, SC10."""
    f, bonus = g.fixed, i64(g.board.bonus[side])
    more = bonus if f.fight_bonus == DICE else i64(0)
    total, high = throw(g, side, i64(f.fight[card]) + more)
    return (high if f.fight_score == HIGHEST else total) + bonus - more


@kernel(inline=True)
def fight(g):
    f, b = g.fixed, g.board
    attack, defence = score(g, i64(0), b.attacker), score(g, i64(1), b.target)
    if f.kind[b.attacker] == PSYCHOPATH and attack > defence:
        capture(g, b.defender, b.target, b.active, b.attacker)  # SC30
        return KILLING
    if f.kind[b.target] == PSYCHOPATH and attack < defence:
        capture(g, b.active, b.attacker, b.defender, b.target)  # SC34
        return KILLING
    spared = f.kind[b.attacker] == PSYCHOPATH and f.kind[b.target] == VICTIM  # SC31
    return kill(g, attack <= defence, attack >= defence and not spared)


@kernel(inline=True)
def kill(g, attacker_dies, target_dies):
    """SC27: the doctors, both rewards, victory; then Tough and Hospital Stay."""
    b, where = g.board, 16 * at(g, g.board.attacker)
    if attacker_dies:
        attacker_dies = not doctored(g, b.active, where)
    if target_dies:
        target_dies = not doctored(g, b.defender, where + 1)
    if attacker_dies:
        remove(g, b.active, b.attacker)
        add(b.out, b.attacker)
        reward(g, b.defender, b.target, b.attacker)
    if target_dies:
        remove(g, b.defender, b.target)
        add(b.out, b.target)
        reward(g, b.active, b.attacker, b.target)
    if not (attacker_dies or target_dies):
        return KILLING
    if won(g, KILLS):
        return OVER
    dead, other = (b.attacker if attacker_dies else i64(-1)), (b.target if target_dies else i64(-1))
    return bury(g, dead, b.active, other, b.defender, KILLING)


@kernel
def doctored(g, owner, index):
    """Whether a 6 of one of the owner's free doctors saves (SC26)."""
    f, b = g.fixed, g.board
    if not number_of(of(b.sorts, owner), DOCTORS):
        return False
    four = luck(g, DOCTOR, index)
    for w in range(b.out.shape[0]):
        doctors = b.free[owner, w] & f.doctors[w]
        while doctors:
            die = f.slot[w * WORD + lowest(doctors)]
            if face(four[die // 3], die % 3) == 6:
                return True
            doctors &= doctors - 1
    return False


@kernel
def bury(g, card, owner, other, other_owner, back):
    """Go on with what may become of one or two cards just killed (-1: none), and then with step `back`."""
    h = g.secret
    h.dead[0], h.dead[1], h.dead_owner[0], h.dead_owner[1] = card, other, owner, other_owner
    h.nth = h.saver = 0
    h.back = back
    return BURYING


@kernel(inline=True)
def bury_step(g):
    """Tough, then Hospital Stay (SC25, SC27, SC29)."""
    f, b, h = g.fixed, g.board, g.secret
    while h.nth < 2:
        card = i64(h.dead[h.nth])
        if card >= 0:
            if h.saver == 0 and f.traits[card] & TOUGH and roll(g, TOUGH_ROLL, at(g, card)) >= 4:
                drop(b.out, card)
                add(b.discard, card)
            while h.saver < f.seats:
                seat = clockwise(g, h.dead_owner[h.nth], h.saver)
                h.saver += 1
                if number_of(of(h.sorts, seat), STAYS):
                    b.dying = card
                    return ask_whether(g, SAVE, seat)
        h.nth += 1
        h.saver = 0
    return h.back


@kernel
def save(g, answer):
    """Hospital Stay: everybody sees the card go to that hand."""
    f, b, h = g.fixed, g.board, g.secret
    card, seat = b.dying, h.seat
    b.dying = -1
    if answer == YES:
        for w in range(b.out.shape[0]):
            g.mine.options[w] = h.hand[seat, w] & f.of_effect[SAVE_KILLED, w]
        stay = first(g.mine.options)
        leave_hand(g, seat, stay)
        add(b.discard, stay)
        drop(b.out, card)
        drop(b.discard, card)
        into_hand(g, seat, card)
        for other in range(f.seats):
            add(h.known[other], card)
        h.saver = f.seats
        h.informed = 1
    return BURYING


# Events at will


@kernel
def play_event(g, card, target, back):
    f, b, h, seat = g.fixed, g.board, g.secret, g.board.active
    effect = f.effect[card]
    leave_hand(g, seat, card)
    b.event = card
    h.back = back
    if effect == SEARCH:
        return search(g)
    if effect == EXECUTE:
        return execute(g, target)
    if effect == DRAW:
        draw(g, seat, i64(2))
    elif effect == ALL_DRAW:
        for step in range(f.seats):
            draw(g, clockwise(g, seat, step), i64(2))
    elif effect == SEDUCE:
        seduce(g, target)
    else:
        remove(g, owner_of(g, target), target)
        add(b.discard, target)
    return end_event(g)


@kernel(inline=True)
def end_event(g):
    """It reaches the discard pile after its effect (SC41b)."""
    add(g.board.discard, g.board.event)
    g.board.event = -1
    return g.secret.back


@kernel
def execute(g, target):
    """Doctor, Tough and Hospital Stay work; nobody is rewarded (SC25b)."""
    b, h, owner = g.board, g.secret, owner_of(g, target)
    slot = g.fixed.slot[b.event]
    nth = h.times[slot]
    index = 2 * (8 * at(g, b.event) + nth)
    h.times[slot], h.executions = min(nth + 1, 7), 1
    back = end_event(g)
    if doctored(g, owner, index):
        return back
    remove(g, owner, target)
    add(b.out, target)
    return bury(g, i64(target), owner, i64(-1), owner, back)


@kernel
def search(g):
    """Friend (SC46). The player sees the whole deck, so it knows what is in hands; everybody learns that of agents if
    there is none in the deck."""
    f, b, h, m = g.fixed, g.board, g.secret, g.mine
    offer_agents(g)
    h.informed, h.shown_to = 1, -1
    agents = i64(0)
    for w in range(m.options.shape[0]):
        agents += count(m.options[w])
    for w in range(m.options.shape[0]):
        held = i64(0)
        for seat in range(f.seats):
            held |= h.hand[seat, w]
        h.away[b.active, w] |= held
        if agents == 0:
            for seat in range(f.seats):
                h.away[seat, w] |= held & f.of_kind[AGENT, w]
    return ask(g, FRIEND, b.active) if agents > 1 else fetch(g, first(m.options))


@kernel
def fetch(g, agent):
    """Take the agent from the deck (-1: none), and shuffle the rest."""
    b, h, m = g.board, g.secret, g.mine
    for w in range(m.options.shape[0]):
        m.options[w] = 0
    for place in range(h.top, h.bottom):
        add(m.options, i64(h.deck[place]))
    if agent >= 0:
        drop(m.options, agent)
        into_hand(g, b.active, agent)
    h.top = h.bottom = 0
    for w in range(m.options.shape[0]):
        rest = m.options[w]
        while rest:
            h.deck[h.bottom] = w * WORD + lowest(rest)
            h.bottom += 1
            rest &= rest - 1
    b.deck_size = h.bottom
    shuffle_deck(g)
    return end_event(g)


# Answers


@kernel(inline=True)
def action_of(card, target, law):
    """What a card does: alone (target -1), to a target, or by law."""
    return i32(i64(card) | i64(target + 1) << 9 | i64(law) << 18)


@kernel(inline=True)
def card_of(action):
    return i64(action) & 511


@kernel(inline=True)
def target_of(action):
    return ((i64(action) >> 9) & 511) - 1


@kernel(inline=True)
def by_law(action):
    return i64(action) >> 18 != 0


@kernel(inline=True)
def hear(g, action):
    """Take in the answer to the decision that was asked: the step that follows."""
    b, h, kind = g.board, g.secret, g.secret.kind
    h.asked += 1
    if kind == KILL:
        return act_in_kill(g, action)
    if kind == HELP:
        return act_in_help(g, action)
    if kind <= LAW:
        return answer_window(g, action)
    if kind == DISCARD:
        return discard(g, i64(action))
    if kind == INVESTIGATE:
        return investigate(g) if action == YES else INVESTIGATING
    if kind == SPEND:
        if action == YES:
            b.bonus_left -= 1
            b.bonus[0] = 2
        return open_window(g, FIND)
    if kind == SAVE:
        return save(g, action)
    return fetch(g, i64(action))


@kernel(inline=True)
def run(g, step):
    """Play on until somebody is asked, the turn is over, or the game: ASKED, RESTING or OVER."""
    while step < STOPPED:  # in an order in which most steps follow
        if step == WINDOW:
            step = window_step(g)
        if step == ROLLING:
            step = roll_step(g)
        if step == BURYING:
            step = bury_step(g)
        if step == HELPING:
            step = help_phase(g)
        if step == SINNING:
            step = sin_phase(g)
        if step == INVESTIGATING:
            step = investigation_phase(g)
        if step == KILLING:
            step = kill_phase(g)
        if step == DISCARDING:
            step = discard_phase(g)
        if step == TORTURING:
            step = torture(g)
        if step == ENDING:
            step = end_turn(g)
    if step == ASKED:
        show(g)
    return step


# Lanes of games


class Lanes(NamedTuple):
    """The arrays of a table, by lane."""

    board: Any
    secret: Any
    mine: Any
    state: Any
    """FREE, DEALT, ASKED, RESTING or OVER (`sims.core.records`)"""
    kind: Any
    seat: Any
    """Who decides, -1 where nobody is asked"""
    word: Any
    action: Any


class View(NamedTuple):
    """What a deciding seat sees. For whoever watches a whole table: arrays with the lane last, in `fixed` too."""

    fixed: Any
    """`fixed.record`: the game's knobs, encoded, the number of seats, and tables of the cards (`layout`)."""
    kind: Any
    """HELP, KILL: the action is PASS or what `action_of` makes of a card, its target and the way it acts. INVESTIGATE,
    SPEND (the +2 on this Find roll), SAVE (`dying` by Hospital Stay): YES or NO. FIND, FIGHT, LAW: a card to change the
    roll, or PASS. FRIEND, DISCARD: a card."""
    seat: Any
    """Who decides; -1 in a lane where nobody is asked."""
    word: Any
    """uint32: the only randomness that a policy may use; 0 unless the policy declares `uses_word`."""
    board: Any
    """A record: what lies open (`layout`)."""
    mine: Any
    """A record: what the deciding seat alone knows. Of hidden cards it keeps two things: which card is where, as far as
    it saw (`known`, `next`), and which further cards are in others' hands (`away`). What it could conclude beyond that
    is left to policies."""


@kernel(pasted=True)
def game_at(fixed, t, i):
    return Game(fixed.record[0], t.board[i], t.secret[i], t.mine[i])


@kernel(pasted=True)
def view_of(g, word):
    return View(Fixed(g.fixed), g.secret.kind, g.secret.seat, word, g.board, g.mine)


@kernel(inline=True)
def policy_word(g):
    return luck(g, POLICY_WORD, g.board.turn * 4096 + g.secret.asked)[0]


@kernel(inline=True)
def first_step(g, state):
    return begin_turn(g)


@kernel
def recount(fixed, t):
    """Count anew what is counted of sets of cards: of free characters, hands and captives."""
    f = fixed.record[0]
    for i in range(t.state.size):
        b, h, captives = t.board[i], t.secret[i], i64(0)
        for seat in range(f.seats):
            b.sorts[seat] = h.sorts[seat] = 0
            for card in range(f.cards):
                b.sorts[seat] += f.in_play[card] * has(b.free[seat], card)
                h.sorts[seat] += f.in_hand[card] * has(h.hand[seat], card)
                captives += has(b.held[seat], card)
        h.captured = captives


@kernel
def show_again(fixed, t):
    """Show anew what is asked."""
    for i in range(t.state.size):
        if t.state[i] == ASKED:
            g = Game(fixed.record[0], t.board[i], t.secret[i], t.mine[i])
            g.secret.shown_to = g.secret.foes_of = -1
            offer(g)
            show(g)


# The beginning and the end of a game


@kernel
def deal(lanes, games, key, fixed, blank, t):
    """Start these games in these lanes. `blank`: records of zeros."""
    board, secret, mine, state, kind, seat, word, _ = t
    f, no_board, no_secret, no_mine = fixed.record[0], blank.board[0], blank.secret[0], blank.mine[0]
    for j in range(lanes.size):
        i = lanes[j]
        board[i], secret[i], mine[i] = no_board, no_secret, no_mine
        state[i], seat[i], kind[i], word[i] = DEALT, -1, 0, 0
        secret[i].key, secret[i].game = key, games[j]
        set_up(Game(f, board[i], secret[i], mine[i]))


@kernel
def set_up(g):
    f, b, h = g.fixed, g.board, g.secret
    b.attacker = b.target = b.defender = b.event = b.dying = h.winner = h.seat = h.shown_to = h.foes_of = -1
    for k in range(6):
        g.mine.next[k] = -1
    for card in range(f.cards):
        h.deck[card] = card
    h.bottom = f.cards
    shuffle_deck(g)
    if f.opening_card >= 0 and f.opening_seat < f.seats:
        put_at(g, f.opening_card * f.deck_copies, f.opening_seat * f.hand)
    for seat in range(f.seats):
        draw(g, seat, f.hand)
    b.active = h.first = highest(g)


@kernel
def put_at(g, card, place):
    """A treatment: this card changes places with the one at a place of the deck."""
    deck = g.secret.deck
    for other in range(g.secret.bottom):
        if deck[other] == card:
            deck[place], deck[other] = deck[other], deck[place]
            break


@kernel
def highest(g):
    """Who rolls highest starts; the tied roll again (SC3)."""
    seats = g.fixed.seats
    tied, attempt = (1 << seats) - 1, 0
    while tied & (tied - 1):
        four, best, rolling = luck(g, START, i64(attempt)), 0, tied
        for seat in range(seats):
            if (rolling >> seat) & 1:
                die = face(four[seat // 3], seat % 3)
                if die > best:
                    best, tied = die, 0
                if die == best:
                    tied |= 1 << seat
        attempt += 1
    return lowest(i64(tied))


@kernel
def record(lanes, fixed, t, rows):
    """Write the results of finished games, winners first and then in the order of `columns`."""
    seats, board, secret = fixed.record[0].seats, t.board, t.secret
    for j in range(lanes.size):
        b, h, row = board[lanes[j]], secret[lanes[j]], rows[j]
        row[0] = 1 << i32(h.winner) if h.winner >= 0 else 0
        row[1], row[2], row[3] = h.winner, h.first, h.turns
        for seat in range(seats):
            row[4 + seat] = b.points[seat]
            row[4 + seats + seat] = h.gained[SIN, seat]
            row[4 + 2 * seats + seat] = h.gained[KILLS, seat]
            row[4 + 3 * seats + seat] = h.gained[TORTURE, seat]
            row[4 + 4 * seats + seat] = h.lost[seat]
            row[4 + 5 * seats + seat] = h.captives[seat]
            row[4 + 6 * seats + seat] = h.plays[seat]
        rest = 4 + 7 * seats
        row[rest], row[rest + 1] = h.ending == TURNS, h.ending
        for card in range(IDS):
            row[rest + 2 + card] = h.player[card]


@kernel
def look(lanes, fixed, t, sights):
    """Write what a spectator sees, in the order of `sights`."""
    f, board = fixed.record[0], t.board
    for j in range(lanes.size):
        b, seats, row = board[lanes[j]], f.seats, sights[j]
        for seat in range(seats):
            free = b.free[seat]
            row[seat] = b.points[seat]
            row[6 * seats + seat] = b.hand_size[seat]
            sin = fight = number = bosses = psychos = captives = lawful = 0
            for w in range(b.out.shape[0]):
                bosses += count(free[w] & f.of_kind[BOSS, w])
                psychos += count(free[w] & f.of_kind[PSYCHOPATH, w])
                lawful += count(free[w] & f.lawful[w])
                captives += count(b.held[seat, w])
                rest = free[w]
                while rest:
                    card = w * WORD + lowest(rest)
                    sin, fight, number = sin + f.sin[card], fight + f.fight[card], number + 1
                    rest &= rest - 1
            row[seats + seat], row[2 * seats + seat], row[3 * seats + seat] = sin, fight, number
            row[4 * seats + seat], row[5 * seats + seat] = bosses, psychos
            row[7 * seats + seat], row[8 * seats + seat] = captives, lawful
        row[9 * seats], row[9 * seats + 1] = b.active, b.turn


# What a policy may answer


@kernel(inline=True)
def is_legal(view, action):
    fixed, kind, mine = view.fixed.record, view.kind, view.mine
    if kind in (INVESTIGATE, SPEND, SAVE):
        return action in (NO, YES)
    if action == PASS:
        return kind <= KILL
    card = card_of(action)
    if action < 0 or card >= fixed.cards or not has(mine.options, card):
        return False
    if kind != KILL and kind != HELP:
        return action == card
    return is_legal_deed(fixed, view.board, mine, view.seat, action)


@kernel(inline=True)
def is_legal_deed(fixed, board, mine, seat, action):
    """Whether a card that may act in the Help or the Kill Phase may act in this way, on this target."""
    card, target, law = card_of(action), target_of(action), by_law(action)
    kind, effect = fixed.kind[card], fixed.effect[card]
    if i64(action) >> 19 or target >= fixed.cards:
        return False
    if target < 0:
        return not law and (effect < AIMED if effect >= 0 else has(mine.hand, card))
    w = word_of(target)
    if effect >= 0:
        found = event_targets(fixed, board, mine, seat, effect, w) if effect >= AIMED and not law else i64(0)
    elif has(mine.hand, card):
        found = i64(0)
    elif law:
        found = mine.foes[w] if has(fixed.lawful, card) else i64(0)
    elif has(fixed.strikers[kind], card) and (fixed.attacks == EACH or not board.attacked):
        found = attack_targets(fixed, board, mine, seat, kind, w)
    else:
        found = i64(0)
    return (found >> (target - w * WORD)) & 1 != 0
