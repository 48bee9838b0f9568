"""The baseline policies of Sin City, exactly as the rulings define them.

Each answers one view (`rules.View`). What a policy needs of it are three records, `view.fixed.record`, `view.board`
and `view.mine` (their fields: `rules.layout`).
"""

import numpy as np

from sims.core.bits import count, lowest
from sims.core.game import policy
from sims.core.kernel import kernel
from sims.core.rng import choice
from sims.sincity.cards import (
    AIMED,
    ALL_DRAW,
    BOSS,
    DRAW,
    EVENT,
    FIGHT_2,
    SEARCH,
    WORD,
)
from sims.sincity.rules import (
    DISCARD,
    EACH,
    FIGHT,
    FIND,
    FRIEND,
    HELP,
    INVESTIGATE,
    KILL,
    LAW,
    NO,
    PASS,
    SAVE,
    SPEND,
    YES,
    action_of,
    aim,
    any_of,
    attack_targets,
    beyond,
    event_targets,
    has,
    word_of,
)

i64, u32 = np.int64, np.uint32


# Helpers: the best of a set of cards. Ties always go to the lowest.


@kernel(inline=True)
def highest(planes, cards, others):
    """Of the cards in both sets the one with the highest value, -1 for none. planes: the values, by bit."""
    most, found = i64(-1), i64(-1)
    for w in range(len(cards)):
        rest, value = cards[w] & others[w], i64(0)
        for place in range(len(planes) - 1, -1, -1):
            higher = rest & planes[place, w]
            rest = higher if higher else rest
            value = 2 * value + i64(higher != 0)
        value = value if rest else i64(-1)
        found = w * WORD + lowest(rest) if value > most else found
        most = max(value, most)
    return found


@kernel
def best_fighter(fixed, cards):
    """The card with the highest Fighting."""
    best, found = i64(-1), i64(-1)
    for w in range(len(cards)):
        rest = cards[w]
        while rest:
            card = w * WORD + lowest(rest)
            rest &= rest - 1
            if fixed.fight[card] > best:
                best, found = i64(fixed.fight[card]), card
    return found


@kernel(inline=True)
def lowest_of(hand, effects):
    """The lowest card of a hand that is in a set as well, -1 if there is none."""
    found = i64(-1)
    for w in range(len(hand) - 1, -1, -1):
        both = hand[w] & effects[w]
        found = w * WORD + lowest(both) if both else found
    return found


@kernel
def next_of(cards, others, last):
    """The lowest card in both sets beyond `last`, -1 if there is none."""
    for w in range(word_of(last), len(cards)):
        rest = cards[w] & others[w] & beyond(last, w)
        if rest:
            return w * WORD + lowest(rest)
    return i64(-1)


# Parts of the baselines


@kernel(inline=True)
def put_into_play(fixed, mine):
    """Every playable character, lowest first; of several bosses the one with the highest Sin."""
    several = i64(0)
    for w in range(len(mine.options)):
        several += count(mine.options[w] & fixed.of_kind[BOSS, w])
    if several <= 1:
        card = lowest_of(mine.options, fixed.characters)
        return PASS if card < 0 else card
    boss = highest(fixed.sins, mine.options, fixed.of_kind[BOSS])
    for w in range(len(mine.options)):
        rest = mine.options[w] & fixed.characters[w] & ~fixed.of_kind[BOSS, w]
        if word_of(boss) == w:
            rest |= i64(1) << (boss - w * WORD)
        if rest:
            return w * WORD + lowest(rest)
    return boss


@kernel
def drop_card(fixed, mine, keeps):
    """The discard: events, lowest first (with `keeps` those that the schemer keeps before others), then characters."""
    if keeps:
        for w in range(len(mine.hand)):
            kept = mine.hand[w] & fixed.of_kind[EVENT, w] & ~fixed.at_will[w] & ~fixed.of_effect[FIGHT_2, w]
            if kept:
                return w * WORD + lowest(kept)
    event = lowest_of(mine.hand, fixed.of_kind[EVENT])
    return event if event >= 0 else least_sin(fixed, mine.hand)


@kernel
def least_sin(fixed, cards):
    best, found = i64(1000), i64(-1)
    for w in range(len(cards)):
        rest = cards[w]
        while rest:
            card = w * WORD + lowest(rest)
            rest &= rest - 1
            if fixed.sin[card] < best:
                best, found = i64(fixed.sin[card]), card
    return found


@kernel(inline=True)
def deed(fixed, board, mine, seat):
    """The lowest character that has something to do does it: it attacks, or else uses law (all choose the highest
    Sin, then the lowest Fighting)."""
    can_attack = fixed.attacks == EACH or not board.attacked
    card = lowest_of(mine.options, fixed.characters)
    while card >= 0:
        kind = fixed.kind[card]
        if can_attack and has(fixed.strikers[kind], card):
            target = highest(fixed.meekness, mine.exposed, fixed.prey[kind])
            if target >= 0:
                return action_of(card, target, i64(0))
        if has(fixed.lawful, card):
            return action_of(card, highest(fixed.meekness, mine.foes, fixed.characters), i64(1))
        card = next_of(mine.options, fixed.characters, card)
    return PASS


@kernel
def draw_event(fixed, board, mine):
    """The lowest event that draws or searches and was not played in this Help Phase, -1 if there is none."""
    for w in range(len(mine.options)):
        events = fixed.of_effect[DRAW, w] | fixed.of_effect[ALL_DRAW, w] | fixed.of_effect[SEARCH, w]
        rest = mine.options[w] & events & ~board.played[w]
        if rest:
            return w * WORD + lowest(rest)
    return i64(-1)


@kernel
def harmful_event(fixed, board, mine, seat):
    """The lowest event against an opponent's character, which is the one with the highest Sin, then Fighting."""
    for w in range(len(mine.options)):
        rest = mine.options[w] & fixed.at_will[w]
        while rest:
            card = w * WORD + lowest(rest)
            rest &= rest - 1
            if fixed.effect[card] >= AIMED:
                row = aim(fixed, board, seat, fixed.effect[card])
                target = highest(fixed.boldness, mine.foes, fixed.aims[row])
                if target >= 0:
                    return action_of(card, target, i64(0))
    return PASS


@kernel
def fight_card(fixed, board, mine):
    """One Fighting +2 a fight, the lowest."""
    if board.bonus[board.side] > 0:
        return PASS
    return lowest_of(mine.options, fixed.of_effect[FIGHT_2])


@kernel
def other_answer(fixed, mine, kind, keeps):
    """What all baselines but `random` answer to kinds that are not of the Help or Kill Phase."""
    if kind in (INVESTIGATE, SPEND):
        return YES
    if kind == DISCARD:
        return drop_card(fixed, mine, keeps)
    if kind == FRIEND:
        return best_fighter(fixed, mine.options)
    return NO if kind == SAVE else PASS


NO_CARDS = {FIND: PASS, FIGHT: PASS, LAW: PASS}


@policy("Plays every character; never attacks, uses law or plays an event.", always=NO_CARDS)
@kernel(inline=True)
def builder(view, weights, prepared):
    fixed, kind, mine = view.fixed.record, view.kind, view.mine
    if kind == HELP:
        return put_into_play(fixed, mine)
    return PASS if kind == KILL else other_answer(fixed, mine, kind, False)


@policy("As builder, and attacks, or uses law, with everyone who can: the highest Sin that it may.", always=NO_CARDS)
@kernel(inline=True)
def brawler(view, weights, prepared):
    fixed, kind, mine = view.fixed.record, view.kind, view.mine
    if kind == HELP:
        return put_into_play(fixed, mine)
    if kind == KILL:
        return deed(fixed, view.board, mine, view.seat)
    return other_answer(fixed, mine, kind, False)


@policy(
    "As brawler, and plays events: draws first, harm before its attacks, one Fighting +2 a fight.",
    always={FIND: PASS, LAW: PASS},
)
@kernel(inline=True)
def schemer(view, weights, prepared):
    fixed, kind, board, mine = view.fixed.record, view.kind, view.board, view.mine
    if kind == HELP:
        card = draw_event(fixed, board, mine)
        return card if card >= 0 else put_into_play(fixed, mine)
    if kind == KILL:
        answer = PASS if any_of(board.acted) else harmful_event(fixed, board, mine, view.seat)
        return answer if answer != PASS else deed(fixed, board, mine, view.seat)
    return fight_card(fixed, board, mine) if kind == FIGHT else other_answer(fixed, mine, kind, True)


# Any option, each equally likely


@kernel
def targets_of(fixed, board, mine, seat, card, law, targets):
    """Write the legal targets of a card in the Help or the Kill Phase; how many."""
    kind, effect, n = fixed.kind[card], fixed.effect[card], i64(0)
    attacks = fixed.attacks == EACH or not board.attacked
    for w in range(len(targets)):
        if effect >= 0:
            targets[w] = event_targets(fixed, board, mine, seat, effect, w) if not law else 0
        elif law:
            targets[w] = mine.foes[w] if has(fixed.lawful, card) else 0
        elif attacks and has(fixed.strikers[kind], card):
            targets[w] = attack_targets(fixed, board, mine, seat, kind, w)
        else:
            targets[w] = 0
        n += count(targets[w])
    return n


@kernel(inline=True)
def nth(cards, n):
    """The n-th card of a set, from 0; there must be one."""
    for w in range(len(cards)):
        size = count(cards[w])
        if n < size:
            rest = cards[w]
            for _ in range(n):
                rest &= rest - 1
            return w * WORD + lowest(rest)
        n -= size
    return i64(-1)


@kernel
def option(fixed, board, mine, seat, wanted, targets):
    """(the wanted option of the Help or the Kill Phase, how many there are), in the order of the README; pass is 0."""
    seen, found = i64(1), PASS
    for w in range(len(mine.options)):
        rest = mine.options[w]
        while rest:
            card = w * WORD + lowest(rest)
            rest &= rest - 1
            effect = fixed.effect[card]
            if has(mine.hand, card) and effect < AIMED:
                if seen == wanted:
                    found = card
                seen += 1
                continue
            for law in range(2):
                n = targets_of(fixed, board, mine, seat, card, law, targets)
                if seen <= wanted < seen + n:
                    found = i64(action_of(card, nth(targets, wanted - seen), law))
                seen += n
    return found, seen


@kernel
def any_card(mine, word, passes):
    """One of the cards on offer; with `passes` 1 it may also pass."""
    total = i64(passes)
    for w in range(len(mine.options)):
        total += count(mine.options[w])
    place = i64(choice(word, total)) - passes
    return nth(mine.options, place) if place >= 0 else PASS


@policy("Each decision uniform over its legal options.", uses_word=True)
@kernel
def random(view, weights, prepared):
    fixed, kind, seat, board, mine = view.fixed.record, view.kind, view.seat, view.board, view.mine
    if kind in (HELP, KILL):
        targets = np.empty(len(mine.options), np.int64)
        total = option(fixed, board, mine, seat, -1, targets)[1]
        return option(fixed, board, mine, seat, i64(choice(view.word, total)), targets)[0]
    if kind in (INVESTIGATE, SPEND, SAVE):
        return i64(choice(view.word, 2))
    return any_card(mine, view.word, kind != DISCARD and kind != FRIEND)
