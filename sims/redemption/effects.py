"""What effects do: primitives on the *board* of one game, the record of all that the player sees (`rules.layout`).

An effect is a list of primitives. `reach` goes on with it until a choice is reached, whose options are a *first*
thing (a place of the formation, a die, a virtue, a card: sets of them are bit masks), and for some a *second* one;
`apply` does what was chosen. Rules and policies both call this: a policy tries an effect on a copy of the board, with
luck of its own or, `trying`, with none. Primitives are defined in `content/README.md`, in the same order.
"""

import numpy as np

from sims.core.bits import bit, count, lowest
from sims.core.kernel import kernel
from sims.core.rng import choice, words
from sims.redemption.pack import ALL, CHOSEN, FIELDS

i8, i64, u64 = np.int8, np.int64, np.uint64

# Tokens: a kind (a virtue's number, or REGRET), and 8 if used. GAP: an empty place (SR31).
REGRET, GAP, USED = 6, -1, 8
DICE, FACES = 5, 6
PLACES = 60
"""Of the formation: 48 tokens and 12 gaps, if need be (`append`). A set of places is one word, without its sign."""

(
    DRAW, LOOK, REROLL, GAIN, ADD_REGRET, REMOVE, RETURN, EXHAUST, REFRESH, TURN, SWAP, MOVE, SET_DIE, TURN_DIE,
    SWAP_DICE, LOSE_CARD,
) = range(16)  # fmt: skip
OP, COUNT, WHAT, WHICH, TO, MAY = range(len(FIELDS))
A_REGRET, A_VIRTUE, ANY, FRESH, SPENT = range(5)
OF_CHOICE, LEFTMOST, RIGHTMOST = range(3)

# What the second thing of an option is.
ALONE, NEIGHBOUR, LATER, PLACE, OTHER_KIND = range(5)
NONE = -1
"""The answer that leaves a primitive which may be left."""
WAY_BITS = 6
"""Of a script, for each fork: which way."""

# Purposes of luck; `README.md` lists their words.
DRAWN, LOOKED, REROLLED = (i64(purpose) for purpose in (4, 5, 6))


@kernel(inline=True)
def kind_of(token):
    return i64(token) & 7


@kernel(inline=True)
def is_used(token):
    return i64(token) >= USED


# The formation


@kernel
def tokens(board, what):
    """The places with such a token."""
    found = i64(0)
    for place in range(board.length):
        token = i64(board.token[place])
        if token == GAP:
            continue
        if token == REGRET:
            fits = what == A_REGRET or what == ANY
        elif what == FRESH or what == SPENT:
            fits = (token >= USED) == (what == SPENT)
        else:
            fits = what != A_REGRET
        if fits:
            found |= bit(place)
    return found


@kernel(inline=True)
def append(board, kind):
    """To the right end, fresh (SR18). Gaps close before the effect has ended only where no place is left there."""
    if board.length == PLACES:
        close_gaps(board)
    board.token[board.length] = kind
    board.length += 1


@kernel
def take_away(board, place, store):
    """A token goes to the bag or to the supply (SR16, SR17), and leaves a gap."""
    store[kind_of(board.token[place])] += 1
    board.token[place] = GAP
    if board.acting == place:
        board.acting = -1


@kernel
def close_gaps(board):
    """Tokens slide to the left."""
    length = i64(0)
    for place in range(board.length):
        if board.token[place] != GAP:
            board.token[length] = board.token[place]
            if board.acting == place:
                board.acting = length
            length += 1
    board.length = length


@kernel
def matches(fixed, board):
    """At how many of the five places the i-th virtue token counters die i (SR38), and how many regrets there are."""
    found = virtues = regrets = i64(0)
    for place in range(board.length):
        kind = kind_of(board.token[place])
        if board.token[place] == REGRET:
            regrets += 1
        elif board.token[place] != GAP:
            if virtues < DICE and fixed.vice[board.kind[virtues], board.face[virtues]] == kind:
                found += 1
            virtues += 1
    return found, regrets


# Luck that is written down: `planner` follows its paths one by one. In every game that is played `board.most` is 0


@kernel
def written_way(board, ways):
    """Which of its ways an event of luck goes, by the board's script; -1 from where paths would be too many on."""
    b = board
    if b.paths * ways > b.most:
        b.most = 0
        return i64(-1)
    if ways == 1:
        return i64(0)
    shift = WAY_BITS * b.forks
    b.paths *= ways
    b.forks += 1
    b.widths |= i64(ways) << shift
    return b.script >> shift & (bit(WAY_BITS) - 1)


@kernel
def as_written(board, drawn, ways):
    """The outcome of an event of so many equally likely ones; drawn: what the words say."""
    way = written_way(board, ways) if board.most else i64(-1)
    if way < 0:
        return i64(drawn)
    board.chance /= ways
    return way


@kernel
def written_kind(board, drawn):
    """The kind of a token that is pulled from the bag; drawn: what the words say. Only kinds that are there count."""
    kinds = i64(0)
    for kind in range(REGRET + 1):
        kinds += board.bag[kind] > 0
    way = written_way(board, kinds)
    if way < 0:
        return drawn
    kind = i64(0)
    while way > 0 or board.bag[kind] == 0:
        way -= board.bag[kind] > 0
        kind += 1
    board.chance *= board.bag[kind] / in_bag(board)
    return kind


# The bag


@kernel
def pull(board, word):
    """A token of the bag, uniform (SR35): its kind. There must be one."""
    size = i64(0)
    for kind in range(REGRET + 1):
        size += board.bag[kind]
    place, kind = i64(choice(word, size)), i64(0)
    while place >= board.bag[kind]:
        place -= board.bag[kind]
        kind += 1
    if board.most:
        kind = written_kind(board, kind)
    board.bag[kind] -= 1
    return kind


@kernel
def in_bag(board):
    size = i64(0)
    for kind in range(REGRET + 1):
        size += board.bag[kind]
    return size


@kernel
def draw(board, n, key, game):
    """Draw n tokens, or what there is (SR19)."""
    for _ in range(min(i64(n), in_bag(board))):
        append(board, pull(board, words(key, game, DRAWN, board.draws)[0]))
        board.draws += 1


@kernel
def look(board, n, key, game):
    """Take n tokens from the bag, or what there is, to choose from."""
    board.looks = min(i64(n), in_bag(board))
    for place in range(board.looks):
        board.looked[place] = pull(board, words(key, game, LOOKED, board.sights)[0])
        board.sights += 1


@kernel
def keep(board, chosen):
    """Keep one of the tokens looked at, or none; the others go back (SR35)."""
    for place in range(board.looks):
        if place == chosen:
            append(board, board.looked[place])
        else:
            board.bag[board.looked[place]] += 1
    board.looks = 0


@kernel
def add_regrets(board, n, to_bag):
    """From the supply, as far as it goes (SR5)."""
    for _ in range(min(i64(n), i64(board.supply[REGRET]))):
        board.supply[REGRET] -= 1
        if to_bag:
            board.bag[REGRET] += 1
        else:
            append(board, REGRET)


# Dice


@kernel
def reroll(board, die, key, game):
    board.face[die] = as_written(board, choice(words(key, game, REROLLED, board.rolls)[0], FACES), FACES)
    board.rolls += 1


@kernel
def adjacent(fixed, board, die, way):
    """The next face of the ring, in this direction, that shows another vice (SR34)."""
    vice, face = fixed.vice[board.kind[die]], i64(board.face[die])
    other = (face + way) % FACES
    while vice[other] == vice[face]:
        other = (other + way) % FACES
    return other


# Options


@kernel(inline=True)
def one_of(mask, which):
    """Those of the set that may be chosen."""
    if which == LEFTMOST:
        return mask & -mask
    if which == RIGHTMOST:
        high = mask
        while high & (high - 1):
            high &= high - 1
        return high
    return mask


@kernel
def available(board, virtue):
    """The virtues of which the supply has a token: all, or the one that is named."""
    found = i64(0)
    for kind in range(REGRET):
        if board.supply[kind] > 0 and (virtue == CHOSEN or virtue == kind):
            found |= bit(kind)
    return found


@kernel
def faces(fixed, board, op, to):
    """Dice with faces that they may show, as bits 8 * die + face."""
    found = i64(0)
    for die in range(DICE):
        if to == CHOSEN or to == die:
            if op == SET_DIE:
                found |= (bit(FACES) - 1 & ~bit(board.face[die])) << (8 * die)
            else:
                found |= bit(8 * die + adjacent(fixed, board, die, 1)) | bit(8 * die + adjacent(fixed, board, die, -1))
    return found


@kernel
def find_options(fixed, board):
    """Write down the options of the primitive that is reached; how many there are, leaving it not counted."""
    step = fixed.step[board.effect, board.step]
    op, which, to = step[OP], step[WHICH], i64(step[TO])
    board.relation, board.firsts, board.seconds, board.reach = ALONE, 0, 0, to
    if op <= LOOK:
        board.firsts = bit(board.looks) - 1
    elif op == REROLL:
        board.firsts = bit(DICE) - 1 if to == CHOSEN else bit(0) if to == ALL else bit(to)
    elif op == GAIN:
        board.firsts = available(board, to)
    elif op <= TURN:
        board.firsts = one_of(tokens(board, step[WHAT]), which)
        if op == TURN:
            board.relation, board.seconds = OTHER_KIND, available(board, to)
    elif op == SWAP or op == SWAP_DICE:
        things = tokens(board, ANY) if op == SWAP else bit(DICE) - 1
        board.relation = LATER if to else NEIGHBOUR
        board.firsts = things if to else things & things >> 1
    elif op == MOVE:
        board.relation, board.firsts, board.seconds = PLACE, tokens(board, ANY), bit(board.length) - 1
    elif op == LOSE_CARD:
        board.firsts = one_of(i64(board.cards), which)
    else:
        board.firsts = faces(fixed, board, op, to)
    return count_options(board)


@kernel
def seconds_of(board, first):
    """What may go with a first thing, as a bit mask; bit 0 if there is no second thing."""
    if board.relation == LATER:
        return board.firsts & (i64(-2) << first)
    if board.relation == PLACE:
        low = max(i64(0), first - board.reach)
        return board.seconds & (bit(min(i64(62), first + board.reach + 1)) - bit(low)) & ~bit(first)
    if board.relation == OTHER_KIND:
        return board.seconds & ~bit(kind_of(board.token[first]))
    return i64(1)


@kernel
def count_options(board):
    if board.relation <= NEIGHBOUR:
        return count(i64(board.firsts))
    n, rest = i64(0), i64(board.firsts)
    while rest:
        n += count(seconds_of(board, lowest(rest)))
        rest &= rest - 1
    return n


@kernel(inline=True)
def option(first, second):
    """An answer to a choice."""
    return first | second << 6


@kernel
def nth_option(board, n):
    """The option with this number, from 0, in the order of the pack's README; NONE after the last."""
    rest = i64(board.firsts)
    while rest:
        first = lowest(rest)
        seconds = seconds_of(board, first)
        while seconds:
            if n == 0:
                return option(first, lowest(seconds))
            n -= 1
            seconds &= seconds - 1
        rest &= rest - 1
    return i64(NONE)


@kernel
def is_option(board, action):
    if action < 0 or action >= 1 << 12:
        return action == NONE and board.may != 0
    first, second = i64(action) & 63, i64(action) >> 6
    return board.firsts >> first & 1 != 0 and seconds_of(board, first) >> second & 1 != 0


@kernel
def can_do_something(fixed, board, effect):
    """Whether, as things stand, any primitive of an effect has something to do (SR21)."""
    board.effect = effect
    for step in range(fixed.steps[effect]):
        board.step = step
        op = fixed.step[effect, step, OP]
        if op <= LOOK:
            able = in_bag(board) > 0
        elif op == ADD_REGRET:
            able = board.supply[REGRET] > 0
        else:
            able = find_options(fixed, board) > 0
        if able:
            return True
    return False


# The course of an effect


@kernel(inline=True)
def begin(board, effect):
    board.effect, board.step, board.times, board.looks = effect, 0, 0, 0


@kernel(inline=True)
def next_step(board):
    board.step += 1
    board.times = 0


@kernel
def reach(fixed, board, trying, key, game):
    """Go on until a choice is reached: how many options it has; 0: the effect has ended.

    trying: primitives that draw, look or reroll do nothing. key, game: of the luck to be used otherwise.
    """
    while board.step < fixed.steps[board.effect]:
        step = fixed.step[board.effect, board.step]
        op = step[OP]
        if op == ADD_REGRET:
            add_regrets(board, step[COUNT], step[TO])
            next_step(board)
        elif trying and op <= REROLL:
            next_step(board)
        elif op == DRAW:
            draw(board, step[COUNT], key, game)
            next_step(board)
        else:
            if op == LOOK and board.looks == 0:
                look(board, step[COUNT], key, game)
            n, board.may = find_options(fixed, board), step[MAY]
            if n + board.may > 1 and n > 0:
                return n + board.may
            if n == 0:
                next_step(board)
            else:
                apply(fixed, board, nth_option(board, 0), key, game)
    return i64(0)


@kernel
def apply(fixed, board, action, key, game):
    """Do what was chosen, and go on to what comes next. key, game: of the luck of a reroll."""
    step = fixed.step[board.effect, board.step]
    op, first, second = step[OP], i64(action) & 63, i64(action) >> 6
    if op == LOOK:
        keep(board, action)
    if action == NONE:
        next_step(board)
        return
    if op == REROLL:
        for die in range(DICE):
            if die == first or step[TO] == ALL:
                reroll(board, die, key, game)
    elif op == GAIN:
        board.supply[first] -= 1
        append(board, first)
    elif op == REMOVE:
        take_away(board, first, board.supply)
    elif op == RETURN:
        take_away(board, first, board.bag)
    elif op == EXHAUST:
        board.token[first] |= i8(USED)
    elif op == REFRESH:
        board.token[first] = kind_of(board.token[first])
    elif op == TURN:  # SR33
        take_away(board, first, board.supply)
        board.supply[second] -= 1
        board.token[first] = second
    elif op == SWAP:
        swap(board, first, first + 1 if board.relation == NEIGHBOUR else second)
    elif op == MOVE:
        move(board, first, second)
    elif op == SET_DIE or op == TURN_DIE:
        board.face[first >> 3] = first & 7
    elif op == SWAP_DICE:
        swap_dice(board, first, first + 1 if board.relation == NEIGHBOUR else second)
    elif op == LOSE_CARD:
        board.cards &= ~bit(first)
    board.times += 1
    repeats = REMOVE <= op <= REFRESH or op == LOSE_CARD
    if not repeats or (board.times >= step[COUNT] and step[COUNT] != ALL):
        next_step(board)


@kernel
def swap(board, one, other):
    board.token[one], board.token[other] = board.token[other], board.token[one]
    if board.acting == one:
        board.acting = other
    elif board.acting == other:
        board.acting = one


@kernel
def move(board, place, target):
    """A token goes to another place: into a gap (SR31), or all between shift by one."""
    if board.token[target] == GAP:
        swap(board, place, target)
    else:
        shift(board, place, target)


@kernel
def shift(board, place, target):
    """What is at a place goes to another, and all between shift by one."""
    way = 1 if target > place else -1
    while place != target:
        swap(board, place, place + way)
        place += way


@kernel
def swap_dice(board, one, other):
    board.kind[one], board.kind[other] = board.kind[other], board.kind[one]
    board.face[one], board.face[other] = board.face[other], board.face[one]
