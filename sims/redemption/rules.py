"""The course of Shred of Redemption, as kernels over one game at a time.

A game is a state machine: `run` plays on from a *step* until the player has a choice, an action is complete, or the
game is; an answer comes back through `hear`. What the player sees is `board`; `secret` is the table's; `fixed` is the
same for all games of a table. What effects do is in `effects.py`. `play` and `start` run every lane of a table.
"""

from typing import Any, NamedTuple

import numpy as np

from sims.core.bits import bit, count, lowest
from sims.core.kernel import kernel
from sims.core.records import ASKED, DEALT, OVER, RESTING, STOPPED
from sims.core.rng import choice, shuffle, words
from sims.redemption import pack
from sims.redemption.effects import (
    A_VIRTUE,
    DICE,
    FACES,
    PLACES,
    REGRET,
    USED,
    add_regrets,
    append,
    apply,
    as_written,
    begin,
    can_do_something,
    close_gaps,
    draw,
    in_bag,
    is_option,
    is_used,
    kind_of,
    matches,
    pull,
    reach,
    take_away,
    tokens,
)

i8, i16, i32, i64, u32, u64, f64 = np.int8, np.int16, np.int32, np.int64, np.uint32, np.uint64, np.float64

KEPT, OFFERED, LOOKED_AT = 5, 12, 12
"""Room for cards kept, for cards offered, for tokens looked at."""
COPIES = 4
"""Dice of each kind."""

# Purposes of luck; `README.md` lists their words, `effects.py` has the others.
DICE_BAG, DECK, ROLL, DRAWN, RECKONING_CARD, POLICY_WORD = (i64(purpose) for purpose in (1, 2, 3, 4, 7, 20))

# Kinds of decision.
KEEP, ACT, CHOOSE = (i64(kind) for kind in range(3))

# Actions: a verb, and the place of a token or the number of a card kept. See `action_of`.
USE, DISCARD, EFFECT, CARD_DRAW, DECLARE, CONCEDE = (i64(verb) for verb in range(6))

# Steps of a game, below STOPPED.
HISTORY, ACTING, IN_EFFECT = (i64(step) for step in range(3))

# How a game ends.
WON, EXHAUSTED, CONCEDED, OUT_OF_ACTIONS = (i64(ending) for ending in range(4))

# The options of the knobs, in the order of `Knobs`.
AUTOMATIC, DECLARED = range(2)
STRONG, WEAK = range(2)

# Where the effects of an array of the pack begin.
DISCARDS, CARD_EFFECTS, RECKONINGS = i64(6), i64(12), i64(12 + pack.CARDS)

KNOBS = (
    *("match", "used_discard", "start_regrets", "formation", "cards", "choose_from", "card_draw", "max_actions"),
    "first_card",
)


class Layout(NamedTuple):
    """The types of the records."""

    fixed: Any
    board: Any
    secret: Any


def _layout() -> Layout:
    per_kind = (REGRET + 1,)
    fixed = [
        *((name, i64) for name in KNOBS),
        ("pack_cards", i64), ("pack_reckonings", i64),
        ("vice", i8, (pack.KINDS, FACES)), ("top", i16, (pack.CARDS, *per_kind)),
        ("steps", i8, (pack.EFFECTS,)), ("step", i8, (pack.EFFECTS, pack.STEPS, len(pack.FIELDS))),
    ]  # fmt: skip
    board = [
        ("length", i64),  # places of the formation, gaps too
        ("relation", i64), ("firsts", i64), ("seconds", i64), ("reach", i64), ("may", i64),  # options of a CHOOSE
        ("usable", i64), ("virtues", i64),  # ACT: places whose Use can do something, and those of virtue tokens
        ("matched", i64),  # whether the formation matches
        ("cards", i64),  # kept and left, by their number
        ("seen", i64),  # cards of the pack that were offered
        ("actions", i64),  # begun
        ("reckoning", i64),  # the card, -1 before it is drawn
        ("effect", i64), ("step", i64), ("times", i64),  # where in which effect
        ("acting", i64),  # the place of the token that is used, -1
        ("leaves", i64),  # whether it leaves after its effect
        ("dice", i64),  # drawn so far
        ("offers", i64), ("kept", i64),  # how many cards are offered, and were kept
        ("looks", i64),  # tokens looked at now
        ("draws", i64), ("sights", i64), ("rolls", i64),  # tokens drawn, looked at, dice rerolled in this game
        # Luck that is written down (`effects.written_way`), 0 in any game that is played: how many paths there may be;
        # how many there are, and after how many forks; the way at each fork, and of how many; the chance of this path
        ("most", i64), ("paths", i64), ("forks", i64), ("script", i64), ("widths", i64), ("chance", f64),
        ("card", i16, (KEPT,)), ("offered", i16, (OFFERED,)),  # cards of the pack
        ("token", i8, (PLACES,)),  # of the formation (`effects.py`)
        ("looked", i8, (LOOKED_AT,)),
        ("bag", i8, per_kind), ("supply", i8, per_kind),
        ("kind", i8, (DICE,)), ("face", i8, (DICE,)),  # of the dice in their row; faces once they are rolled
    ]  # fmt: skip
    secret = [
        ("key", u64), ("game", u64),
        ("kind", i64), ("seat", i64), ("asked", i64),  # of decision, whose it is, and how many there were
        ("top", i64),  # cards of the deck that were offered
        ("ending", i64),
        ("uses", i64), ("discards", i64), ("effects", i64), ("card_draws", i64),
        ("deck", i16, (pack.CARDS,)), ("dice_bag", i8, (pack.KINDS * COPIES,)),  # shuffled
    ]  # fmt: skip
    return Layout(*(np.dtype(fields, align=True) for fields in (fixed, board, secret)))


LAYOUT = _layout()


class Fixed(NamedTuple):
    """What does not change at a table: `record[0]`."""

    record: Any


class Game(NamedTuple):
    """One game: records of these types."""

    fixed: Any
    board: Any
    secret: Any


def make_fixed(knobs: Any) -> Fixed:
    """knobs: encoded."""
    fixed = np.zeros(1, LAYOUT.fixed).view(np.recarray)
    for name in KNOBS:
        fixed[name] = getattr(knobs, name)
    content = knobs.content.arrays
    fixed.pack_cards, fixed.pack_reckonings = content.cards, content.reckonings
    for name in ("vice", "top", "steps", "step"):
        fixed[name][0] = getattr(content, name)
    fixed.flags.writeable = False
    return Fixed(fixed)


@kernel(inline=True)
def luck(g, purpose, index):
    """The first word at a coordinate of this game."""
    return words(g.secret.key, g.secret.game, purpose, i64(index))[0]


@kernel(inline=True)
def ask(g, kind):
    g.secret.kind = kind
    return ASKED


@kernel(inline=True)
def end(g, ending):
    g.secret.ending = ending
    return OVER


# History and Reflection


@kernel
def set_up(g):
    """All that is shuffled before the first die is drawn."""
    f, b, h = g.fixed, g.board, g.secret
    b.reckoning = b.acting = -1
    for die in range(h.dice_bag.size):
        h.dice_bag[die] = die
    shuffle(h.key, h.game, DICE_BAG, i64(0), h.dice_bag)
    deck = h.deck[: f.pack_cards]
    for card in range(f.pack_cards):
        deck[card] = card
    shuffle(h.key, h.game, DECK, i64(0), deck)
    for place in range(f.pack_cards):
        if deck[place] == f.first_card:
            deck[place], deck[0] = deck[0], deck[place]
            break


@kernel
def history(g):
    """Draw dice and offer cards, up to a choice (SR1)."""
    f, b, h = g.fixed, g.board, g.secret
    while b.dice < DICE:
        b.kind[b.dice] = h.dice_bag[b.dice] // COPIES
        b.dice += 1
        if b.dice > f.cards:
            continue
        offers = min(f.choose_from, f.pack_cards - h.top)
        is_treated = b.dice == 1 and 0 <= f.first_card < f.pack_cards
        b.offers = 1 if is_treated else offers
        for place in range(b.offers):
            b.offered[place] = h.deck[h.top + place]
            b.seen |= bit(h.deck[h.top + place])
        h.top += offers
        if b.offers > 1:
            return ask(g, KEEP)
        if b.offers == 1:
            keep_card(g, i64(0))
    return reflection(g)


@kernel
def keep_card(g, place):
    """The others are out of the game (SR3)."""
    b = g.board
    b.card[b.kept] = b.offered[place]
    b.cards |= bit(b.kept)
    b.kept += 1
    b.offers = 0


@kernel
def reflection(g):
    """Build the bag, roll the dice, draw the start formation."""
    f, b = g.fixed, g.board
    for kind in range(REGRET):
        b.bag[kind], b.supply[kind] = 1, 5
    b.bag[REGRET], b.supply[REGRET] = f.start_regrets, 12 - f.start_regrets
    for place in range(b.kept):
        for kind in range(REGRET + 1):
            added = min(f.top[b.card[place], kind], b.supply[kind])  # SR5
            b.bag[kind] += added
            b.supply[kind] -= added
    for die in range(DICE):
        b.face[die] = as_written(b, choice(luck(g, ROLL, die), FACES), FACES)
    virtues = i64(0)
    while virtues < f.formation and in_bag(b) > 0:
        kind = pull(b, luck(g, DRAWN, b.draws))
        b.draws += 1
        append(b, kind)
        virtues += kind != REGRET
    return judge(g)


# Redemption and Reckoning


@kernel(inline=True)
def judge(g):
    """Whether the formation matches, and what comes of it (SR30)."""
    f, b = g.fixed, g.board
    found, regrets = matches(f, b)
    b.matched = found == DICE and regrets == 0
    if b.matched:
        if b.reckoning >= 0:
            return end(g, WON)  # SR9
        return RESTING if f.match == DECLARED else reckon(g)  # SR7, SR8
    if b.cards == 0 and tokens(b, A_VIRTUE) == 0:
        return end(g, EXHAUSTED)  # SR23
    return RESTING


@kernel(inline=True)
def reckon(g):
    b = g.board
    cards = g.fixed.pack_reckonings
    b.reckoning = as_written(b, choice(luck(g, RECKONING_CARD, i64(0)), cards), cards)  # SR27
    begin(b, RECKONINGS + b.reckoning)
    return IN_EFFECT


@kernel(inline=True)
def act(g):
    """Offer all actions."""
    f, b = g.fixed, g.board
    if b.actions == f.max_actions:
        return end(g, OUT_OF_ACTIONS)  # SR24
    b.virtues = tokens(b, A_VIRTUE)
    b.usable = usable(f, b)
    return ask(g, ACT)


@kernel
def usable(fixed, board):
    """The tokens whose Use can do something (SR21)."""
    found, able = i64(0), i64(0)
    for kind in range(REGRET):
        able |= i64(can_do_something(fixed, board, kind)) << kind
    rest = board.virtues
    while rest:
        place = lowest(rest)
        if able >> kind_of(board.token[place]) & 1:
            found |= bit(place)
        rest &= rest - 1
    return found


@kernel(inline=True)
def action_of(verb, place):
    return place | verb << 6


@kernel(inline=True)
def verb_of(action):
    return i64(action) >> 6


@kernel(inline=True)
def place_of(action):
    return i64(action) & 63


@kernel
def discard_effect(fixed, token):
    """The effect of discarding a token (SR12)."""
    return kind_of(token) if fixed.used_discard == WEAK and is_used(token) else DISCARDS + kind_of(token)


@kernel
def start_action(fixed, board, verb, place):
    """Up to the action's effect; whether it has one, which then is to be gone through."""
    b = board
    if verb == USE:
        token = b.token[place]
        b.acting, b.leaves = place, is_used(token)
        begin(b, kind_of(token))
    elif verb == DISCARD:
        begin(b, discard_effect(fixed, b.token[place]))
        take_away(b, place, b.supply)  # SR14
    else:
        b.cards &= ~bit(place)
        if verb == CARD_DRAW:
            add_regrets(b, i64(1), True)  # SR6
            return False
        begin(b, CARD_EFFECTS + b.card[place])
    return True


@kernel
def end_effect(board):
    """The token that was used turns or leaves (SR13, SR32), and gaps close."""
    b = board
    if b.acting >= 0:
        if b.leaves:
            take_away(b, b.acting, b.supply)
        else:
            b.token[b.acting] |= i8(USED)
        b.acting = -1
    close_gaps(b)


@kernel(inline=True)
def do(g, action):
    """Begin an action."""
    b, h, verb = g.board, g.secret, verb_of(action)
    b.actions += 1
    if verb == CONCEDE:
        return end(g, CONCEDED)
    if verb == DECLARE:
        return reckon(g)
    h.uses += verb == USE
    h.discards += verb == DISCARD
    h.effects += verb == EFFECT
    h.card_draws += verb == CARD_DRAW
    if start_action(g.fixed, b, verb, place_of(action)):
        return IN_EFFECT
    draw(b, g.fixed.card_draw, h.key, h.game)  # SR20
    return judge(g)


@kernel(inline=True)
def go_on(g):
    """Go on with an effect."""
    if reach(g.fixed, g.board, False, g.secret.key, g.secret.game):
        return ask(g, CHOOSE)
    end_effect(g.board)
    return judge(g)


@kernel(inline=True)
def hear(g, action):
    """Take in the answer to the decision that was asked: the step that follows."""
    kind = g.secret.kind
    g.secret.asked += 1
    if kind == ACT:
        return do(g, action)
    if kind == KEEP:
        keep_card(g, i64(action))
        return HISTORY
    apply(g.fixed, g.board, i64(action), g.secret.key, g.secret.game)
    return IN_EFFECT


@kernel(inline=True)
def run(g, step):
    """Play on until the player is asked, an action is complete, or the game is: ASKED, RESTING or OVER."""
    while step < STOPPED:
        if step == ACTING:
            step = act(g)
        elif step == IN_EFFECT:
            step = go_on(g)
        else:
            step = history(g)
    return step


@kernel(inline=True)
def run_on(g, step):
    """Play on until the player is asked or the game is over: ASKED or OVER."""
    step = run(g, step)
    while step == RESTING:
        step = run(g, ACTING)
    return step


# Options of an action


@kernel
def count_actions(board):
    """All but conceding."""
    return count(i64(board.usable)) + count(i64(board.virtues)) + 2 * count(i64(board.cards)) + board.matched


@kernel
def nth_action(board, n):
    """By place Use before Discard, then effects of cards, their draws, and declaring."""
    rest = i64(board.virtues)
    while rest:
        place = lowest(rest)
        if board.usable >> place & 1:
            if n == 0:
                return action_of(USE, place)
            n -= 1
        if n == 0:
            return action_of(DISCARD, place)
        n -= 1
        rest &= rest - 1
    for verb in (EFFECT, CARD_DRAW):
        rest = i64(board.cards)
        while rest:
            if n == 0:
                return action_of(verb, lowest(rest))
            n -= 1
            rest &= rest - 1
    return action_of(DECLARE, i64(0))


@kernel
def is_action(board, action):
    verb, place = verb_of(action), place_of(action)
    if verb == USE:
        return board.usable >> place & 1 != 0
    if verb == DISCARD:
        return board.virtues >> place & 1 != 0
    if verb == EFFECT or verb == CARD_DRAW:
        return board.cards >> place & 1 != 0
    return place == 0 and (verb == CONCEDE or (verb == DECLARE and board.matched != 0))


@kernel(inline=True)
def is_legal(view, action):
    kind, board = view.kind, view.board
    if kind == CHOOSE:
        return is_option(board, action)
    if kind == ACT:
        return is_action(board, action)
    return 0 <= action < board.offers


# Lanes of games


class Lanes(NamedTuple):
    """The arrays of a table, by lane."""

    board: Any
    secret: Any
    state: Any
    """FREE, DEALT, ASKED, RESTING or OVER (`sims.core.records`)"""
    kind: Any
    seat: Any
    """0, or -1 where nobody is asked"""
    word: Any
    action: Any


class View(NamedTuple):
    """What the player sees. For whoever watches a whole table: arrays with the lane last, in `fixed` too."""

    fixed: Any
    """`fixed.record`: the game's knobs, encoded, and the pack's tables (`LAYOUT`)."""
    kind: Any
    """KEEP: the action is a place among the cards offered. ACT: what `action_of` makes of a verb and a place. CHOOSE,
    inside an effect: what `effects.option` makes of a first and a second thing, or NONE."""
    seat: Any
    """0; -1 in a lane where nobody is asked."""
    word: Any
    """uint32: the only randomness that a policy may use; 0 unless the policy declares `uses_word`."""
    board: Any
    """A record: all that lies open (`LAYOUT`), the bag's contents too (SR29)."""


@kernel(pasted=True)
def game_at(fixed, t, i):
    return Game(fixed.record[0], t.board[i], t.secret[i])


@kernel(pasted=True)
def view_of(g, word):
    return View(Fixed(g.fixed), g.secret.kind, g.secret.seat, word, g.board)


@kernel(inline=True)
def policy_word(g):
    return luck(g, POLICY_WORD, g.secret.asked)


@kernel(inline=True)
def first_step(g, state):
    return HISTORY if state == DEALT else ACTING


@kernel
def deal(lanes, games, key, fixed, blank, t):
    """Start these games in these lanes. `blank`: records of zeros."""
    board, secret, state, kind, seat, word, _ = t
    f, no_board, no_secret = fixed.record[0], blank.board[0], blank.secret[0]
    for j in range(lanes.size):
        i = lanes[j]
        board[i], secret[i] = no_board, no_secret
        state[i], seat[i], kind[i], word[i] = DEALT, -1, 0, 0
        secret[i].key, secret[i].game = key, games[j]
        set_up(Game(f, board[i], secret[i]))


@kernel
def record(lanes, fixed, t, rows):
    """Write the results of finished games, winners first and then in the order of `columns`."""
    f, board, secret = fixed.record[0], t.board, t.secret
    for j in range(lanes.size):
        b, h, row = board[lanes[j]], secret[lanes[j]], rows[j]
        won = h.ending == WON
        row[0], row[1], row[2] = won, i32(won) - 1, won
        row[3] = b.reckoning >= 0
        row[4], row[5] = matches(f, b)[0], b.actions
        row[6], row[7], row[8], row[9] = h.uses, h.discards, h.effects, h.card_draws
        row[10] = b.reckoning
        for die in range(DICE):
            row[11 + die] = h.dice_bag[die] // COPIES
        row[16], row[17] = h.ending == OUT_OF_ACTIONS, h.ending
        for card in range(f.pack_cards):
            row[18 + card] = 0
        for place in range(b.kept):
            row[18 + b.card[place]] = 1


@kernel
def look(lanes, fixed, t, sights):
    """Write what a spectator sees, in the order of `sights`."""
    f, board = fixed.record[0], t.board
    for j in range(lanes.size):
        b, row = board[lanes[j]], sights[j]
        found, regrets = matches(f, b)
        row[0], row[1], row[2], row[3] = found, b.length, regrets, count(i64(b.cards))
        row[4], row[5], row[6] = i64(b.bag[REGRET]), in_bag(b), b.reckoning >= 0
        row[7] = b.actions
