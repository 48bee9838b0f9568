"""Policies that weigh what they do: each deed by what it is worth on average, one step ahead.

They share one judge (`tempo` is its plain form) and differ in what they value. A character in play is worth the Sin
that it will still score, `horizon` turns at most, and something for its Fighting; an attack is worth what its outcomes
are worth, by their exact chances (`Odds`); a card is spent on a roll where that raises the worth by `card` or more.
"""

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sims.core.bits import count, lowest
from sims.core.game import knob, policy
from sims.core.kernel import kernel
from sims.sincity.cards import (
    AGENT,
    AIMED,
    BOSS,
    CRIMINAL,
    FIGHT_2,
    FIGHT_OR_FIND,
    HERO,
    JAIL,
    PSYCHOPATH,
    SAVE_KILLED,
    SEDUCE,
    WORD,
)
from sims.sincity.policies import best_fighter, draw_event, lowest_of
from sims.sincity.rules import (
    DICE,
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
    attack_targets,
    event_targets,
    has,
    meet,
)

f64, i64 = np.float64, np.int64

MOST_DICE, MOST_SHIFT = 16, 12
"""More dice, or a bigger difference of bonuses, count as so many."""
CAPTIVE = 5 / 3
"""Points that a captive yields on average: 5/6 a roll until it is dead or away, which a roll ends half the time."""


class Odds(NamedTuple):
    """Chances of a fight: [attacker's dice, defender's dice, MOST_SHIFT + attacker's bonus - defender's]."""

    win: NDArray[np.float64]
    tie: NDArray[np.float64]


def odds(knobs: Any, seats: int, weights: Any) -> Odds:
    """By all outcomes of the dice, under the knob `fight_score`."""
    return _odds(knobs.fight_score)


@cache
def _odds(fight_score: str) -> Odds:
    if fight_score == "sum":
        laws = [np.array([1.0])]
        for _ in range(MOST_DICE):
            laws.append(np.convolve(laws[-1], np.array([0] + [1 / 6] * 6)))
    else:
        faces = np.arange(7)
        laws = [np.diff((faces / 6) ** n, prepend=0.0) for n in range(MOST_DICE + 1)]
        laws[0] = np.array([1.0])
    size = max(len(each) for each in laws) + 2 * MOST_SHIFT
    win, tie = np.zeros((2, MOST_DICE + 1, MOST_DICE + 1, 2 * MOST_SHIFT + 1))
    for a, one in enumerate(laws):
        for b, other in enumerate(laws):
            for shift in range(-MOST_SHIFT, MOST_SHIFT + 1):
                mine, theirs = np.zeros((2, size))
                mine[MOST_SHIFT + shift : MOST_SHIFT + shift + len(one)] = one
                theirs[MOST_SHIFT : MOST_SHIFT + len(other)] = other
                tie[a, b, MOST_SHIFT + shift] = mine @ theirs
                win[a, b, MOST_SHIFT + shift] = mine @ (np.cumsum(theirs) - theirs)
    return Odds(win, tie)


# What characters are worth


@kernel
def income(fixed, cards):
    """The Sin of a set of characters."""
    total = i64(0)
    for w in range(len(cards)):
        total += count(cards[w] & fixed.sins[0, w]) + 2 * count(cards[w] & fixed.sins[1, w])
        total += 4 * count(cards[w] & fixed.sins[2, w])
    return total


@kernel
def turns_left(fixed, board, weights):
    """Turns that a character will still score: until somebody reaches the goal at today's Sin, `horizon` at most."""
    left = f64(weights.horizon)
    for seat in range(fixed.seats):
        need, each = f64(fixed.goal - board.points[seat]), f64(max(income(fixed, board.free[seat]), 1))
        left = min(left, need / each)
    return max(left, 1.0)


@kernel(inline=True)
def worth(fixed, weights, card, left):
    return fixed.sin[card] * left + weights.muscle * fixed.fight[card]


@kernel
def holder(fixed, board, card):
    for seat in range(fixed.seats):
        if has(board.free[seat], card):
            return seat
    return -1


@kernel
def has_able(fixed, board, seat, kind):
    """Whether a seat has a free character of this kind that has not acted."""
    found = i64(0)
    for w in range(board.acted.shape[0]):
        found |= board.free[seat, w] & fixed.of_kind[kind, w] & ~board.acted[w]
    return found != 0


@kernel
def loss(fixed, board, weights, seat, card, left):
    """What it is worth to a seat that an opponent loses a character."""
    other = holder(fixed, board, card)
    value, kind = worth(fixed, weights, card, left), fixed.kind[card]
    hunts = weights.hunt > 0 and (kind == CRIMINAL or kind == AGENT) and has_able(fixed, board, seat, HERO)
    if hunts and meet(board.free[other], fixed.of_kind[BOSS]):  # one guard less before a bounty
        guards = i64(0)
        for w in range(board.acted.shape[0]):
            guards += count(board.free[other, w] & fixed.guards[w])
        value += weights.hunt * fixed.hero_bounty / (2 * max(guards, 1))
    if weights.ward > 0 and kind == HERO and meet(board.free[seat], fixed.of_kind[PSYCHOPATH]):
        value += weights.ward * fixed.hero_bounty / 4
    if fixed.seats > 2:  # who is ahead is everybody's business
        ahead = True
        for each in range(fixed.seats):
            ahead &= each == seat or board.points[each] <= board.points[other]
        value *= 1.0 if ahead else 0.5
    return value


@kernel(inline=True)
def bounty(fixed, killer, killed):
    kind, other = fixed.kind[killer], fixed.kind[killed]
    if kind == CRIMINAL:
        return 1.0
    if kind == AGENT:
        return 2.0
    return f64(fixed.hero_bounty) if kind == HERO and (other == BOSS or other == PSYCHOPATH) else 0.0


# What attacks are worth


@kernel
def fight_worth(fixed, board, weights, prepared, seat, attacker, target, mine, theirs, left):
    """A fight, to the attacker's seat; mine, theirs: bonuses."""
    more = fixed.fight_bonus == DICE
    a = min(fixed.fight[attacker] + (mine if more else 0), MOST_DICE)
    b = min(fixed.fight[target] + (theirs if more else 0), MOST_DICE)
    shift = i64(0) if more else max(min(i64(mine) - theirs, MOST_SHIFT), -MOST_SHIFT)
    win, tie = prepared.win[a, b, MOST_SHIFT + shift], prepared.tie[a, b, MOST_SHIFT + shift]
    lose = 1 - win - tie
    own = has(board.free[seat], target)
    kept = worth(fixed, weights, attacker, left)
    taken = -worth(fixed, weights, target, left) if own else loss(fixed, board, weights, seat, target, left)
    prize, price = bounty(fixed, attacker, target), bounty(fixed, target, attacker)
    if fixed.kind[attacker] == PSYCHOPATH:
        return win * (taken + CAPTIVE + weights.ward) - (lose + tie) * kept - lose * (0.0 if own else price)
    if fixed.kind[target] == PSYCHOPATH:
        price = CAPTIVE
        return win * (taken + prize) - lose * (kept + price) + tie * (taken + prize - kept)
    return win * (taken + prize) - lose * (kept + price) + tie * (taken + prize - kept - price)


@kernel(inline=True)
def chance_to_find(fixed, bonus):
    return max(0.0, min(1.0, (7 - fixed.find_on + bonus) / 6))


@kernel(inline=True)
def chance_of_law(bonus):
    return max(0.0, min(1.0, (1 + bonus) / 6))


@kernel
def best_deed(fixed, board, mine, weights, prepared, seat, left):
    """The attack or use of law that is worth most, if that is more than `nerve`; PASS if none is."""
    can_attack = fixed.attacks == EACH or not board.attacked
    best, found = f64(weights.nerve), i64(PASS)
    for w in range(len(mine.options)):
        rest = mine.options[w] & fixed.characters[w]
        while rest:
            card = w * WORD + lowest(rest)
            rest &= rest - 1
            kind = fixed.kind[card]
            lawful, striker = has(fixed.lawful, card), can_attack and has(fixed.strikers[kind], card)
            for v in range(len(mine.options)):
                targets = attack_targets(fixed, board, mine, seat, kind, v) if striker else i64(0)
                jailed = mine.foes[v] if lawful else i64(0)
                both = targets | jailed
                while both:
                    target = v * WORD + lowest(both)
                    mask = both & -both
                    both &= both - 1
                    if jailed & mask:
                        value = chance_of_law(0) * loss(fixed, board, weights, seat, target, left) + weights.law
                        if value > best:
                            best, found = value, i64(action_of(card, target, 1))
                    if targets & mask:
                        value = chance_to_find(fixed, 0) * fight_worth(
                            fixed, board, weights, prepared, seat, card, target, 0, 0, left
                        )
                        if value > best:
                            best, found = value, i64(action_of(card, target, 0))
    return found


@kernel
def best_harm(fixed, board, mine, weights, seat, left):
    """The event against an opponent's character that takes most, if that is `patience` or more; PASS if none does."""
    best, found = f64(weights.patience), i64(PASS)
    for w in range(len(mine.options)):
        rest = mine.options[w] & fixed.at_will[w]
        while rest:
            card = w * WORD + lowest(rest)
            rest &= rest - 1
            effect = fixed.effect[card]
            if effect < AIMED:
                continue
            for v in range(len(mine.options)):
                targets = event_targets(fixed, board, mine, seat, effect, v) & mine.foes[v]
                while targets:
                    target = v * WORD + lowest(targets)
                    targets &= targets - 1
                    value = loss(fixed, board, weights, seat, target, left)
                    if effect == SEDUCE:
                        value = (value + worth(fixed, weights, target, left)) / 2  # so that it waits for twice as much
                        if weights.ward > 0 and fixed.kind[target] == PSYCHOPATH:
                            value += weights.ward
                    if value > best:
                        best, found = value, i64(action_of(card, target, 0))
    return found


# Parts of a turn


@kernel
def play_character(fixed, board, mine, seat):
    """Every character, the lowest first; a boss, the one with the highest Sin, if it is guarded or nobody threatens."""
    for w in range(len(mine.options)):
        rest = mine.options[w] & fixed.characters[w] & ~fixed.of_kind[BOSS, w]
        if rest:
            return w * WORD + lowest(rest)
    boss, sin = i64(PASS), -1
    for w in range(len(mine.options)):
        rest = mine.options[w] & fixed.of_kind[BOSS, w]
        while rest:
            card = w * WORD + lowest(rest)
            rest &= rest - 1
            if fixed.sin[card] > sin:
                boss, sin = card, i64(fixed.sin[card])
    if boss < 0 or meet(board.free[seat], fixed.guards):
        return boss
    threat = meet(mine.foes, fixed.of_kind[HERO]) or meet(mine.foes, fixed.of_kind[AGENT])
    return i64(PASS) if threat else boss


@kernel
def roll_card(fixed, board, mine, weights, prepared, kind, seat, left):
    """A card for a roll, where it raises what the roll is worth by `card` or more; the smallest that does."""
    me, ours, theirs = i64(board.side), i64(board.bonus[0]), i64(board.bonus[1])
    striker = board.active
    sign = 1.0 if me == 0 else -1.0
    if me == 1 and striker == seat:  # a psychopath and a victim of one owner: the attacker's side has chosen
        return i64(PASS)
    for step in (1, 2):
        effect_1 = FIGHT_OR_FIND if step == 1 else FIGHT_2
        card = lowest_of(mine.options, fixed.of_effect[effect_1])
        if kind != FIGHT and step == 2:
            card = i64(-1)
            for w in range(len(mine.options)):
                rest = mine.options[w] & ~fixed.of_effect[FIGHT_OR_FIND, w]
                if card < 0 and rest:
                    card = w * WORD + lowest(rest)
        if card < 0:
            continue
        more = i64(fixed.worth[fixed.effect[card]])
        if kind == LAW:
            before, after = chance_of_law(ours), chance_of_law(ours + more)
            stake = loss(fixed, board, weights, striker, board.target, left)
        elif kind == FIND:
            before, after = chance_to_find(fixed, ours), chance_to_find(fixed, ours + more)
            stake = fight_worth(fixed, board, weights, prepared, striker, board.attacker, board.target, 0, 0, left)
        else:
            stake = 1.0
            before = fight_worth(
                fixed, board, weights, prepared, striker, board.attacker, board.target, ours, theirs, left
            )
            after = fight_worth(
                fixed, board, weights, prepared, striker, board.attacker, board.target,
                ours + (more if me == 0 else 0), theirs + (more if me == 1 else 0), left,
            )  # fmt: skip
        if sign * (after - before) * stake >= weights.card:
            return card
    return i64(PASS)


@kernel
def kept_worth(fixed, weights, card, left):
    """What a card in hand is worth at the end of one's turn."""
    effect = fixed.effect[card]
    if effect < 0:
        return worth(fixed, weights, card, left)
    if effect < JAIL:
        return 2 * f64(weights.card) + 2
    if effect < FIGHT_2:
        return f64(weights.patience) + 4
    return f64(weights.card) + (2 if effect == FIGHT_2 or effect == SAVE_KILLED else 0)


@kernel
def drop_least(fixed, mine, weights, left):
    least, found = f64(1e9), i64(-1)
    for w in range(len(mine.hand)):
        rest = mine.hand[w]
        while rest:
            card = w * WORD + lowest(rest)
            rest &= rest - 1
            value = kept_worth(fixed, weights, card, left)
            if value < least:
                least, found = value, card
    return found


@kernel
def judge(view, weights, prepared):
    fixed, kind, seat, board, mine = view.fixed.record, view.kind, view.seat, view.board, view.mine
    if kind == HELP:
        card = draw_event(fixed, board, mine)
        return card if card >= 0 else play_character(fixed, board, mine, seat)
    if kind == INVESTIGATE or kind == SPEND:
        return YES
    if kind == FRIEND:
        return best_fighter(fixed, mine.options)
    left = turns_left(fixed, board, weights)
    if kind == KILL:
        found = best_harm(fixed, board, mine, weights, seat, left)
        return found if found != PASS else best_deed(fixed, board, mine, weights, prepared, seat, left)
    if kind == DISCARD:
        return drop_least(fixed, mine, weights, left)
    if kind == SAVE:
        return YES if worth(fixed, weights, board.dying, left) >= weights.card else NO
    return roll_card(fixed, board, mine, weights, prepared, kind, seat, left)


# The policies: one judge, different values


def _weights(**own: float) -> Any:
    """The weights of one of these policies, with the defaults that make it what it is."""
    helps = {
        "horizon": ("Own turns ahead, at most, for which a character's Sin counts.", 1.0, 50.0),
        "muscle": ("Points that a point of Fighting is worth.", 0.0, 10.0),
        "nerve": ("Points that an attack or use of law must promise.", -20.0, 50.0),
        "patience": ("Points that an event must take from an opponent.", 0.0, 100.0),
        "card": ("Points that a card must bring on a roll.", 0.0, 50.0),
        "law": ("Points by which law is preferred.", -20.0, 50.0),
        "hunt": ("How much a guard before a boss is worth, in bounties, to who has a hero.", 0.0, 10.0),
        "ward": ("Points by which captives are preferred, and the care for heroes who hunt psychopaths.", 0.0, 50.0),
    }
    usual = {"horizon": 6.0, "muscle": 3.0, "nerve": 0.0, "patience": 3.0, "card": 3.0}
    usual |= {"law": 0.0, "hunt": 0.0, "ward": 0.0}
    return {
        name: (float, knob((usual | own)[name], help, low=low, high=high)) for name, (help, low, high) in helps.items()
    }


def _judge(name: str, help: str, **own: float) -> Any:
    return policy(help, name=name, prepare=odds, **_weights(**own))(judge)


tempo = _judge("tempo", "Does what is worth most one step ahead: points, threats and losses by their exact chances.")
hunter = _judge("hunter", "As tempo, and clears the guards before bosses for its heroes' bounties.", hunt=2.0)
jailer = _judge(
    "jailer", "As tempo, and uses law and discard events first, on whoever is there.", law=4.0, patience=0.0
)
warden = _judge("warden", "As tempo, and takes captives: psychopaths first, heroes who hunt them away.", ward=3.0)
