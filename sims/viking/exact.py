"""Viking Dice for two seats, answered exactly: no sampling, no random numbers.

Two questions are answered. `one_duel` gives the joint distribution of the two changes of life in one duel;
`solve` follows that distribution until somebody is out, and gives the shares of wins and the mean number of duels.
Both serve as the truth the simulation is tested against, so nothing here is shared with it.

How. The order of the dice in a hand never matters, so a hand is a multiset: 56 of them with three six-sided dice.
The state of a duel is one matrix, `mass[hand of seat 0, hand of seat 1]`, and a chance to speak is a linear map of it:
a part of the mass waits, the rest is sent on by a matrix `rerolled[old hand, new hand]`. The five baselines all fit,
because whether one rerolls may depend on both hands, but which dice one then rerolls depends on one's own hand alone.

The rulings honoured here are cited by id (VD1, VD2, ...) beside the code; `README.md` of this game lists them.
Read next: `one_duel`, then the three functions named after the values of `reroll_order`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations_with_replacement, product
from math import factorial, prod
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Policy = tuple[str, float]
Law = dict[tuple[int, int], float]

POLICIES = ("keep", "threshold", "trailing", "healer", "random")
REROLL_ORDERS = ("open", "simultaneous", "active_first")
TIED_TRIPLES = ("hit_and_heal", "heal_only", "hit_only")
HEALS = ("face", "total", "none")

NEGLIGIBLE = 1e-9
"""Probability that `solve` may leave out by cutting off high lives."""
UNDECIDED = 1e-12
"""`solve` stops following games once fewer than this share of them are still going on."""
KNOWN_HANDS = 130
"""Kinds of hands up to which `answer` takes a second or less: 56 for three D6, 126 for four."""
HEADROOM = (64, 128, 256, 512)
"""Life above `start_life` at which `solve` cuts off, tried in this order until the loss is negligible."""


# Hands ----------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Hands:
    """Every hand of `dice` dice as a multiset, in lexicographic order of its sorted faces; n of them.

    `faces`: the sorted faces, one tuple a hand. The arrays all have shape (n,), in the same order: `chance`, the
    probability to roll the hand (float64, sums to 1); `total`, the sum of the faces; `highest`, the highest face
    (both int64); `triple`, whether all dice are equal (bool; called so with any number of dice).
    """

    faces: tuple[tuple[int, ...], ...]
    chance: Floats
    total: Ints
    highest: Ints
    triple: Bools


def orderings(faces: tuple[int, ...]) -> int:
    """The number of distinct orders in which these faces can lie: the ways to roll this multiset."""
    return factorial(len(faces)) // prod(factorial(faces.count(face)) for face in set(faces))


@cache
def all_hands(dice: int = 3, sides: int = 6) -> Hands:
    """All hands of `dice` dice with faces 1 to `sides`. The result is shared between callers: do not write to it."""
    faces = tuple(combinations_with_replacement(range(1, sides + 1), dice))
    return Hands(
        faces=faces,
        chance=np.array([orderings(hand) for hand in faces], dtype=np.float64) / float(sides) ** dice,
        total=np.array([sum(hand) for hand in faces], dtype=np.int64),
        highest=np.array([max(hand, default=0) for hand in faces], dtype=np.int64),
        triple=np.array([len(set(hand)) == 1 for hand in faces], dtype=np.bool_),
    )


def first_rolls(hands: Hands) -> Floats:
    """Probability of each pair of first rolls, shape (n, n): [hand of seat 0, hand of seat 1]."""
    return np.outer(hands.chance, hands.chance)


def may_reroll(hands: Hands) -> Bools:
    """Whether a pair of first rolls leaves rerolls open, shape (n, n): totals differ and neither is a triple.

    Only first rolls are looked at: a triple made by a reroll stops nobody (VD6).
    """
    allowed: Bools = (_lead(hands) != 0) & ~hands.triple[:, None] & ~hands.triple[None, :]
    return allowed


def _lead(hands: Hands) -> Ints:
    """Own total minus the other's, shape (n, n): [own hand, other's hand]."""
    return hands.total[:, None] - hands.total[None, :]


# Policies -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Voice:
    """What a policy does in a duel, as probabilities. n is the number of hands.

    `wants`: float64 (n, n), [own hand, other's hand], the probability to reroll at a chance to speak.
    `rerolled`: float64 (n, n), [own hand, own new hand], the new hand once it rerolls; each row sums to 1.
    `heals`: the probability to heal where a higher triple gives the choice.
    """

    wants: Floats
    rerolled: Floats
    heals: float


def _voice(policy: Policy, dice: int, sides: int) -> Voice:
    name, below = policy
    if name not in POLICIES:
        raise ValueError(f"{name!r} is not a baseline of viking ({', '.join(POLICIES)})")
    hands = all_hands(dice, sides)
    n = len(hands.faces)
    if name == "keep":
        return Voice(np.zeros((n, n)), np.eye(n), heals=0.0)
    if name == "random":
        # One of the 2**dice options is to wait. A second chance draws anew: it is the same map applied again.
        return Voice(np.full((n, n), 1 - 0.5**dice), _reroll_any(dice, sides), heals=0.5)
    # A second chance to speak comes only to one who waited, having no low die. It has none then either, so that
    # "at its first chance" needs no memory here.
    has_low = np.array([min(hand) < below for hand in hands.faces], dtype=np.float64)
    wants = np.repeat(has_low[:, None], n, axis=1)
    if name == "trailing":
        wants *= _lead(hands) < 0
    return Voice(wants, _reroll_low(below, dice, sides), heals=float(name == "healer"))


@cache
def _completed(kept: tuple[int, ...], dice: int, sides: int) -> Floats:
    """Distribution, shape (n,), of the hand made of the faces `kept` and fresh rolls of the other dice."""
    index = _index(dice, sides)
    row = np.zeros(len(index))
    fresh = all_hands(dice - len(kept), sides)
    for faces, chance in zip(fresh.faces, fresh.chance, strict=True):
        row[index[tuple(sorted(kept + faces))]] += chance
    return row


@cache
def _index(dice: int, sides: int) -> dict[tuple[int, ...], int]:
    return {faces: i for i, faces in enumerate(all_hands(dice, sides).faces)}


def _reroll_low(below: float, dice: int, sides: int) -> Floats:
    """New hands after every die showing less than `below` is rerolled (the hand itself where there is none)."""
    kept = [tuple(face for face in hand if face >= below) for hand in all_hands(dice, sides).faces]
    return np.array([_completed(faces, dice, sides) for faces in kept])


@cache
def _reroll_any(dice: int, sides: int) -> Floats:
    """New hands after a non-empty set of dice, each set equally likely, is rerolled."""
    keeps = [mask for mask in product((False, True), repeat=dice) if not all(mask)]

    def row(hand: tuple[int, ...]) -> Floats:
        mean = np.zeros(len(_index(dice, sides)))
        for mask in keeps:
            kept = tuple(face for face, keep in zip(hand, mask, strict=True) if keep)
            mean += _completed(kept, dice, sides) / len(keeps)
        return mean

    return np.array([row(hand) for hand in all_hands(dice, sides).faces])


# Speaking (VD7) -------------------------------------------------------------------------------------------------------


def _speak(mass: Floats, seat: int, voice: Voice) -> tuple[Floats, Floats]:
    """One chance to speak for `seat`: the part of `mass` that waits, and the part that rerolls, already rolled.

    All three are (n, n), [hand of seat 0, hand of seat 1]; the two parts add up to as much as `mass`.
    """
    own = mass if seat == 0 else mass.T
    waited = own * (1 - voice.wants)
    rerolled = voice.rerolled.T @ (own * voice.wants)
    return (waited, rerolled) if seat == 0 else (waited.T, rerolled.T)


def _speak_last(mass: Floats, seat: int, voice: Voice) -> Floats:
    """A chance to speak after which nothing follows, whatever was said."""
    waited, rerolled = _speak(mass, seat, voice)
    return waited + rerolled


def _open(mass: Floats, voices: Sequence[Voice], hands: Hands) -> Floats:
    """Final hands when the lower first total speaks first and both may wait and see."""
    seat_0_lower = _lead(hands) < 0
    return _open_from(mass * seat_0_lower, 0, voices) + _open_from(mass * ~seat_0_lower, 1, voices)


def _open_from(mass: Floats, first: int, voices: Sequence[Voice]) -> Floats:
    second = 1 - first
    waited, rerolled = _speak(mass, first, voices[first])
    answered = _speak_last(rerolled, second, voices[second])
    both_waited, only_second = _speak(waited, second, voices[second])
    return answered + both_waited + _speak_last(only_second, first, voices[first])


def _simultaneous(mass: Floats, voices: Sequence[Voice]) -> Floats:
    """Final hands when both choose on the first rolls, before either rerolls."""
    wants_0, wants_1 = voices[0].wants, voices[1].wants.T
    settled_0 = mass * (1 - wants_0), mass * wants_0
    none, only_0 = (part * (1 - wants_1) for part in settled_0)
    only_1, both = (part * wants_1 for part in settled_0)
    roll_0, roll_1 = voices[0].rerolled.T, voices[1].rerolled
    return none + roll_0 @ only_0 + (only_1 + roll_0 @ both) @ roll_1


def _active_first(mass: Floats, voices: Sequence[Voice], active: int) -> Floats:
    """Final hands when the active player decides once, and then the other, who has seen the outcome."""
    decided = _speak_last(mass, active, voices[active])
    return _speak_last(decided, 1 - active, voices[1 - active])


# Result of a duel -----------------------------------------------------------------------------------------------------


def may_choose(hands: Hands) -> Bools:
    """Whether the own hand gives the choice to attack or heal, shape (n, n): [own hand, other's hand].

    A triple, a strictly higher total (VD3), and no triple opposite (VD4); decided on the final hands (VD15).
    """
    return hands.triple[:, None] & ~hands.triple[None, :] & (_lead(hands) > 0)


def own_change(hands: Hands, *, healing: bool, tied_triple: str = "hit_and_heal", heal: str = "face") -> Ints:
    """Nominal change of one's own life, int64 (n, n): [own final hand, other's final hand].

    `healing` is what is chosen by whichever of the two `may_choose`; it is ignored where nobody may. The change is one
    net number (VD2), before the floor at 0 life (VD20). The other's change is the transpose of the same matrix.
    """
    lead = _lead(hands)
    triple, opposed = hands.triple[:, None], hands.triple[None, :]
    gain = np.broadcast_to(_healed(hands, heal)[:, None], lead.shape)
    hit = np.broadcast_to(hands.highest[None, :], lead.shape)
    zero = np.zeros_like(lead)
    # In a tie a lone triple has the lower highest die always: its faces are the mean of the other hand's, whose
    # highest is above that mean. So its holder is the one who is hit (VD1).
    tied = {"hit_and_heal": gain - hit, "heal_only": gain, "hit_only": -hit}[tied_triple]
    return np.select(
        [
            triple & opposed,  # VD4: whatever the totals
            triple & (lead > 0),
            triple & (lead < 0),  # protected; a triple made by the reroll is as good (VD5)
            triple,
            (lead < 0) & opposed,
            lead < 0,
            (lead == 0) & (hands.highest[:, None] < hands.highest[None, :]),  # VD18: the face, not the difference
        ],
        [gain, gain if healing else zero, gain, tied, zero if healing else lead, lead, -hit],
        default=0,
    )


def _healed(hands: Hands, heal: str) -> Ints:
    """Life gained by a healing triple, shape (n,); meaningful only where the hand is a triple."""
    return {"face": hands.highest, "total": hands.total, "none": np.zeros_like(hands.total)}[heal]


def _settle(mass: Floats, voices: Sequence[Voice], hands: Hands, tied_triple: str, heal: str) -> Law:
    """The distribution of the two changes of life, from that of the two final hands."""
    choosing = may_choose(hands)
    heals = choosing * voices[0].heals + choosing.T * voices[1].heals
    law: Law = {}
    for healing, part in ((False, mass * (1 - heals)), (True, mass * heals)):
        change = own_change(hands, healing=healing, tied_triple=tied_triple, heal=heal)
        least, values = int(change.min()), int(change.max() - change.min()) + 1
        pair = (change - least) * values + (change.T - least)  # both changes in one number
        chances = np.bincount(pair.ravel(), weights=part.ravel())
        for number in np.flatnonzero(chances).tolist():
            outcome = number // values + least, number % values + least
            law[outcome] = law.get(outcome, 0.0) + float(chances[number])
    return law


def one_duel(
    policies: Sequence[Policy],
    *,
    active: int = 0,
    reroll_order: str = "open",
    tied_triple: str = "hit_and_heal",
    heal: str = "face",
    dice: int = 3,
    sides: int = 6,
) -> Law:
    """The joint distribution of the changes of life in one duel between seats 0 and 1.

    Args:
        policies: a pair of (name, below), by seat: names in `POLICIES`, `below` a face value, ignored by keep and
            random.
        active: the active seat. It matters with `reroll_order="active_first"` and with nothing else (VD10).
        reroll_order: one of `REROLL_ORDERS` (VD7).
        tied_triple: one of `TIED_TRIPLES`, what a lone triple does in a tie (VD1).
        heal: one of `HEALS`, what a triple heals, in a tie as well (VD1).
        dice: dice a hand, at least 2. The work grows with the cube of the number of hands: 56 for 3d6, 4368 for 5d12.
        sides: faces a die, at least 2.

    Returns:
        {(change of seat 0, change of seat 1): probability}, in points of life, before the floor at 0 life (VD20).
        Only possible outcomes are listed; the probabilities sum to 1 within 1e-12.

    Raises:
        ValueError: a name or value that is not listed above.
    """
    _check(policies, active, dice, sides)
    _check_choice("reroll_order", reroll_order, REROLL_ORDERS)
    _check_choice("tied_triple", tied_triple, TIED_TRIPLES)
    _check_choice("heal", heal, HEALS)
    hands = all_hands(dice, sides)
    voices = [_voice(policy, dice, sides) for policy in policies]
    mass, speaking = first_rolls(hands), may_reroll(hands)
    if reroll_order == "open":
        spoken = _open(mass * speaking, voices, hands)
    elif reroll_order == "simultaneous":
        spoken = _simultaneous(mass * speaking, voices)
    else:
        spoken = _active_first(mass * speaking, voices, active)
    return _settle(mass * ~speaking + spoken, voices, hands, tied_triple, heal)


def _check(policies: Sequence[Policy], active: int, dice: int, sides: int) -> None:
    if len(policies) != 2:
        raise ValueError(f"exact answers are for 2 seats, found {len(policies)} policies")
    if active not in (0, 1):
        raise ValueError(f"active is a seat, 0 or 1, found {active!r}")
    if dice < 2 or sides < 2:
        raise ValueError(f"a hand has 2 dice and a die 2 sides at least, found dice={dice!r}, sides={sides!r}")


def _check_choice(knob: str, value: str, allowed: Sequence[str]) -> None:
    if value not in allowed:
        raise ValueError(f"{knob}={value!r} is not one of {', '.join(allowed)}")


# A whole game ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Solution:
    """The exact answers about a game of two seats.

    `win_share`: the probability that seat 0, seat 1 wins. They sum to 1 - `neglected`.
    `duels`: the mean number of duels in a game.
    `cap`: the highest life that was followed.
    `neglected`: the probability of the games that were not followed to their end, nearly all of which rose above `cap`.
        Each win share is too low by at most this; `duels` is too low by this times the mean number of duels such a
        game still had to go.
    `followed`: the number of duels after which at most `UNDECIDED` of the games still went on, so that any `max_duels`
        from here on changes nothing.
    """

    win_share: tuple[float, float]
    duels: float
    cap: int
    followed: int
    neglected: float


def solve(policies: Sequence[Policy], *, start_life: int = 12, cap: int | None = None, **duel_knobs: Any) -> Solution:
    """Shares of wins and mean number of duels of a game of two seats.

    A Markov chain over both lives and the active seat. Seat 0 is active first (VD11) and the seats take turns (VD10,
    VD13). The chain is followed forward, duel by duel, until it is decided but for a share of `UNDECIDED`.

    Life has no ceiling (VD20), so the chain is infinite. Games in which a life rises above a cap are dropped, and their
    probability is reported. The cap starts at `start_life` + `HEADROOM[0]` and is raised until what is neglected is
    below `NEGLIGIBLE`, which takes well under a second with the default knobs and up to a minute where triples heal
    about as much as duels cost. Pass `cap` to set it by hand, say to see that a higher one changes nothing; then
    nothing is demanded of what is neglected.

    `max_duels` (VD21) is not modelled: games go on to their end. With sane knobs the default of 1000 makes no
    difference (the default rules are decided, but for a share of `UNDECIDED`, after about a hundred duels); `followed`
    in the answer says from which value on that is so.

    Args:
        policies: as in `one_duel`.
        start_life: life of each seat at the start, in points, at least 1.
        cap: the highest life to follow, in points; by default it is chosen.
        duel_knobs: the knobs of `one_duel`, without `active`.

    Raises:
        ValueError: as in `one_duel`; or lives rise so readily that no affordable cap is high enough. That is so where
            triples heal more than duels cost, such as `dice=2, heal="total"`: such games need not end.
    """
    laws = [one_duel(policies, active=active, **duel_knobs) for active in (0, 1)]
    if start_life < 1 or (cap is not None and cap < start_life):
        raise ValueError(f"1 <= start_life <= cap is needed, found start_life={start_life!r}, cap={cap!r}")
    if cap is not None:
        return _follow(laws, start_life, cap, give_up_at=1.0)
    for headroom in HEADROOM:
        solution = _follow(laws, start_life, start_life + headroom, give_up_at=NEGLIGIBLE)
        if solution.neglected < NEGLIGIBLE:
            return solution
    raise ValueError(f"life rises above {start_life + HEADROOM[-1]} in too many games for an exact answer")


def _follow(laws: Sequence[Law], start_life: int, cap: int, give_up_at: float) -> Solution:
    """Play all games at once, duel by duel, until they are decided or more than `give_up_at` has left through the top.

    `playing[i, j]` is the probability that the game goes on with lives i + 1 and j + 1.
    """
    playing = np.zeros((cap, cap))
    playing[start_life - 1, start_life - 1] = 1.0
    wins = [0.0, 0.0]
    escaped, duels, number = 0.0, 0.0, 0
    going_on = 1.0
    while going_on > UNDECIDED and escaped <= give_up_at:
        duels += going_on  # a game has as many duels as there are duels at whose start it goes on
        playing, won, lost = _after_duel(playing, laws[number % 2])
        wins = [wins[0] + won[0], wins[1] + won[1]]
        escaped += lost
        going_on = float(playing.sum())
        number += 1
    return Solution((wins[0], wins[1]), duels, cap, number, escaped + going_on)


def _after_duel(playing: Floats, law: Law) -> tuple[Floats, tuple[float, float], float]:
    """One duel: the games that go on, those just won by seat 0 and by seat 1, those with a life above the cap."""
    cap = len(playing)
    down = max(max(-change for change in pair) for pair in law)
    up = max(max(pair) for pair in law)
    down, up = max(down, 0), max(up, 0)
    # A sheet with room on all sides: index i is life i + 1 - down, so the first `down` lines are lives of 0 or less.
    sheet = np.zeros((down + cap + up, down + cap + up))
    for (change_0, change_1), chance in law.items():
        row, column = down + change_0, down + change_1
        sheet[row : row + cap, column : column + cap] += chance * playing
    # No duel costs both seats life, so that the two eliminations exclude each other.
    seat_0_out, seat_1_out = float(sheet[:down].sum()), float(sheet[:, :down].sum())
    still = sheet[down : down + cap, down : down + cap]
    above = float(sheet[down + cap :, down:].sum() + sheet[down : down + cap, down + cap :].sum())
    return still, (seat_1_out, seat_0_out), above


def answer(seats: int, knobs: Any, lineup: Sequence[tuple[str, Any]]) -> dict[str, float]:
    """What is known exactly of a cell, for self-checks: `win_share[SEAT]` and columns by name; {} if nothing is.

    knobs, and each policy's weights: the models. Known are two seats of baselines with hands of at most `KNOWN_HANDS`
    kinds, where no game meets `max_duels`.
    """
    if seats != 2 or not {name for name, _ in lineup} <= set(POLICIES):
        return {}
    rules = {"reroll_order": knobs.reroll_order, "tied_triple": knobs.tied_triple, "heal": knobs.heal}
    policies = [(name, float(getattr(weights, "below", 0))) for name, weights in lineup]
    if len(all_hands(knobs.dice, knobs.sides).faces) > KNOWN_HANDS:
        return {}
    try:
        found = solve(policies, start_life=knobs.start_life, dice=knobs.dice, sides=knobs.sides, **rules)
    except ValueError:
        return {}
    if found.followed > knobs.max_duels:
        return {}
    return {"win_share[0]": found.win_share[0], "win_share[1]": found.win_share[1], "duels": found.duels}
