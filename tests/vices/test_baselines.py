"""The baseline policies, decision by decision, as the rulings define them, on views made by hand."""

import numba
import numpy as np
import pytest
from scipy.stats import chi2, norm

from lab.arena import play
from sims.core.game import encode
from sims.vices import GAME
from sims.vices.rules import (
    ABSORBED,
    DECLINE,
    DESTROYED,
    ENVY,
    GLUTTONY,
    GREED,
    LUST,
    OWN,
    PRIDE,
    REMOVE,
    RESERVE,
    SET_UP,
    SLOTH,
    WRATH,
)
from sims.vices.table import View
from tests.vices import common

BASELINES = ("bank_all", "random", "zeros")
FIRST_OPTION = ("bank_all", "zeros")
MIRROR, DAVID, BULLET, D12, D10, D8 = range(7, 13)
SIN_KINDS = (LUST, GLUTTONY, GREED, WRATH, ENVY)
FIVE_SIGMA = 2 * norm.sf(5)


def bits(numbers):
    return sum(1 << number for number in numbers)


def members(mask):
    return {number for number in range(32) if int(mask) >> number & 1}


def view_of(kind, n=1, seats=4, nemesis_sides=20, **arrays):
    """A view of n decisions. Arrays are given by name, with the lane last, and spread over all lanes if they have one.

    What is not given is as if seat 0 was asked, with nothing on the table.
    """
    rows = {"holder": 7, "points": ABSORBED + seats, "total": seats}
    types = dict.fromkeys(("options", "at", "pool", "total", "spent"), np.int32) | {"word": np.uint32}
    made = {}
    for name in View._fields:
        if name not in ("kind", "seats", "knobs"):
            shape = (rows[name], n) if name in rows else (n,)
            made[name] = np.zeros(shape, types.get(name, np.int8))
            made[name][...] = arrays.get(name, RESERVE if name == "holder" else 0)
            made[name].flags.writeable = False
    knobs = encode(GAME.knobs(nemesis_sides=nemesis_sides))
    return View(kind=kind, seats=seats, knobs=knobs, **made)


def actions(name, view):
    policy = GAME.policies[name]
    action = np.full(view.seat.size, -99, np.int32)
    policy.function(view, encode(policy.weights()), (), action)
    return action.tolist()


def scored(name, worth, due, word=0, **more):
    """The units that the policy scores. worth: {eligible unit: points}; all others are worth nothing."""
    seats = more.get("seats", 4)
    points = np.zeros((ABSORBED + seats, 1), np.int8)
    for unit, each in worth.items():
        points[unit] = each
    options = bits(worth)
    view = view_of(REMOVE, points=points, options=options, pool=options, due=int(due), word=word, **more)
    (answer,) = actions(name, view)
    assert GAME.is_legal(view, view.seat, np.array([answer], np.int32))
    return members(answer)


def chosen(name, hold, seat, offered, kind=LUST, word=0, seats=4):
    """The Sin that the policy of this seat takes. hold: {seat: its Sins}, all others are in reserve."""
    holder = np.full((7, 1), RESERVE)
    for place, sins in hold.items():
        holder[list(sins)] = place
    view = view_of(kind, seats=seats, holder=holder, seat=seat, options=bits(offered), word=word)
    (answer,) = actions(name, view)
    assert GAME.is_legal(view, view.seat, np.array([answer], np.int32))
    return answer


def test_these_are_baselines():
    assert set(BASELINES) <= set(GAME.policies)
    assert [name for name in BASELINES if GAME.policies[name].uses_word] == ["random"]
    for name in BASELINES:
        assert not GAME.policies[name].weights.model_fields


# Scoring: bank_all and zeros ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("due", [True, False])
def test_bank_all_scores_every_eligible_unit(due):
    assert scored("bank_all", dict.fromkeys(range(14), 5), due) == set(range(14))
    assert scored("bank_all", {LUST: 5, D12: 11, ABSORBED + 3: 19}, due) == {LUST, D12, ABSORBED + 3}


@pytest.mark.parametrize("due", [True, False])
def test_zeros_scores_every_unit_worth_nothing(due):
    assert scored("zeros", {LUST: 0, GREED: 1, MIRROR: 0, D8: 0, OWN: 0, ABSORBED + 2: 0}, due) == {
        LUST, MIRROR, D8, OWN, ABSORBED + 2,
    }  # fmt: skip
    assert scored("zeros", {PRIDE: 5, ABSORBED: 0}, due) == {ABSORBED}  # what is out is worth nothing as well


def test_zeros_scores_nothing_else_when_nothing_is_due():
    """VV2: after a penalty."""
    assert scored("zeros", {LUST: 1, D12: 1, OWN: 1}, due=False) == set()


CHEAPEST = {
    "the fewest points": ({LUST: 5, GREED: 3, D12: 4, OWN: 9}, GREED),
    "one point less than a die of more sides": ({LUST: 2, OWN: 3}, LUST),
    "ties: d20 before d12": ({LUST: 2, MIRROR: 2, D12: 2, D10: 2, D8: 2, OWN: 2}, OWN),
    "ties: d12 before d10": ({LUST: 2, MIRROR: 2, D12: 2, D10: 2, D8: 2, OWN: 3}, D12),
    "ties: d10 before d8": ({LUST: 2, MIRROR: 2, D10: 2, D8: 2}, D10),
    "ties: d8 before the six-sided": ({LUST: 2, MIRROR: 2, D8: 2}, D8),
    "ties: a pair counts as 6, so the earlier": ({PRIDE: 2, MIRROR: 2, DAVID: 2}, PRIDE),
    "ties: of two pairs the earlier": ({DAVID: 2, BULLET: 2}, DAVID),
    "ties: of two small dice the earlier": ({GREED: 4, WRATH: 4, PRIDE: 4}, GREED),
    "ties: of two Nemesis dice the own": ({OWN: 7, ABSORBED + 1: 7, ABSORBED + 3: 7}, OWN),
    "ties: of two absorbed the lower seat's": ({D12: 7, ABSORBED + 1: 7, ABSORBED + 3: 7}, ABSORBED + 1),
    "a pair's nine": ({MIRROR: 9, D12: 10, OWN: 10}, MIRROR),
    "one unit": ({D12: 11}, D12),
}


@pytest.mark.parametrize("case", CHEAPEST)
def test_zeros_scores_the_cheapest_when_one_is_due(case):
    worth, wanted = CHEAPEST[case]
    assert scored("zeros", worth, due=True) == {wanted}


@pytest.mark.parametrize(
    ("nemesis_sides", "wanted"), [(2, LUST), (6, LUST), (7, OWN), (9, OWN), (100, OWN)]
)  # of 6 sides, too, the earlier
def test_sides_of_a_nemesis_are_a_knob(nemesis_sides, wanted):
    assert scored("zeros", {LUST: 1, OWN: 1}, due=True, nemesis_sides=nemesis_sides) == {wanted}
    assert scored("zeros", {LUST: 1, ABSORBED + 1: 1}, due=True, nemesis_sides=nemesis_sides) == {
        LUST if wanted == LUST else ABSORBED + 1
    }


@pytest.mark.parametrize(("nemesis_sides", "wanted"), [(11, D12), (12, D12), (13, OWN)])
def test_a_nemesis_of_as_many_sides_as_a_spoiler(nemesis_sides, wanted):
    assert scored("zeros", {D12: 3, OWN: 3}, due=True, nemesis_sides=nemesis_sides) == {wanted}


def test_the_most_and_the_least():
    """Ninety-nine points of a d100, and unit 20 of seven players."""
    assert scored("zeros", {OWN: 99, ABSORBED + 1: 98}, due=True, nemesis_sides=100) == {ABSORBED + 1}
    assert scored("zeros", {OWN: 19, ABSORBED + 6: 18}, due=True, seats=7, seat=0) == {ABSORBED + 6}
    assert scored("bank_all", {OWN: 19, ABSORBED + 6: 18}, due=True, seats=7) == {OWN, ABSORBED + 6}


# Choosing a Sin: bank_all and zeros -----------------------------------------------------------------------------------

HOLD = {0: [WRATH, PRIDE], 1: [LUST, SLOTH], 2: [ENVY], 3: [GREED]}  # Gluttony is in reserve

CHOICES = {
    "reserves before anybody": (HOLD, 1, {GLUTTONY, ENVY, GREED}, GLUTTONY),
    "of the reserves the first": ({1: [LUST]}, 1, {PRIDE, ENVY, SLOTH}, SLOTH),
    "of the reserves the first on offer": ({1: [LUST]}, 1, set(range(1, 7)), GLUTTONY),
    "then the next clockwise": (HOLD, 1, {ENVY, GREED}, ENVY),
    "past who has none on offer": (HOLD, 1, {GREED, PRIDE}, GREED),
    "round the table": (HOLD, 2, {LUST, WRATH, GREED}, GREED),
    "round the table to seat 0": (HOLD, 2, {LUST, WRATH, PRIDE, SLOTH}, WRATH),
    "round the table and on": (HOLD, 2, {LUST, SLOTH}, LUST),
    "the seat just before": (HOLD, 0, {GREED, ENVY}, ENVY),
    "from seat 3, seat 0 is next": (HOLD, 3, {LUST, SLOTH, ENVY, PRIDE}, PRIDE),
    "each one's in Sin order": (HOLD, 3, {WRATH, PRIDE}, WRATH),
    "a late Sin near before an early one far": ({1: [PRIDE], 2: [LUST], 0: [ENVY]}, 0, {PRIDE, LUST}, PRIDE),
}


@pytest.mark.parametrize("kind", SIN_KINDS)
@pytest.mark.parametrize("name", FIRST_OPTION)
@pytest.mark.parametrize("case", CHOICES)
def test_the_first_option(case, name, kind):
    hold, seat, offered, wanted = CHOICES[case]
    assert chosen(name, hold, seat, offered, kind) == wanted


@pytest.mark.parametrize("name", FIRST_OPTION)
def test_wrath_and_greed_choose_among_the_defenders_in_sin_order(name):
    for kind in (WRATH, GREED):
        for seat in (1, 2, 3):
            assert chosen(name, {0: [GLUTTONY, SLOTH, ENVY]}, seat, {GLUTTONY, SLOTH, ENVY}, kind) == GLUTTONY


@pytest.mark.parametrize("name", FIRST_OPTION)
def test_envy_always_exchanges(name):
    """With `envy_optional`; what is destroyed is not in reserve."""
    assert chosen(name, HOLD, 2, {WRATH, PRIDE, LUST, SLOTH, GREED, GLUTTONY, DECLINE}, ENVY) == GLUTTONY
    assert chosen(name, {**HOLD, DESTROYED: [GLUTTONY]}, 2, {LUST, WRATH, DECLINE}, ENVY) == WRATH
    assert chosen(name, HOLD, 2, {PRIDE, DECLINE}, ENVY) == PRIDE


@pytest.mark.parametrize("name", FIRST_OPTION)
def test_setting_up_they_take_the_first_in_sin_order(name):
    for seat in range(4):
        assert chosen(name, {}, seat, {SLOTH, WRATH, PRIDE}, SET_UP) == SLOTH
        assert chosen(name, {(seat + 1) % 4: [LUST]}, seat, {ENVY, PRIDE}, SET_UP) == ENVY


@pytest.mark.parametrize("name", FIRST_OPTION)
def test_clockwise_at_two_and_at_seven(name):
    assert chosen(name, {0: [PRIDE], 1: [ENVY]}, 1, {PRIDE, LUST}, ENVY, seats=2) == LUST
    hold = {seat: [6 - seat] for seat in range(7)}
    assert chosen(name, hold, 5, {0, 6, 2}, ENVY, seats=7) == 0  # seat 6's before seat 0's and seat 4's
    assert chosen(name, hold, 6, {6, 1}, ENVY, seats=7) == 6
    assert chosen(name, hold, 3, {6, 4}, ENVY, seats=7) == 6  # seat 0's is four steps away, seat 2's six


# random ---------------------------------------------------------------------------------------------------------------


def edges(n):
    """Words at both ends of each of n equal parts of all words."""
    return [2**32 * k // n + edge for k in range(n) for edge in (1, 2**32 // n - 2)]


@pytest.mark.parametrize(
    "units", [{D12}, {LUST, OWN}, {GREED, MIRROR, D8, OWN, ABSORBED, ABSORBED + 3}, set(range(14))]
)
def test_random_scores_one_unit_when_one_is_due(units):
    """Option k for the k-th of equal parts of all words; nothing else is looked at."""
    for number, word in enumerate(edges(len(units))):
        worth = {unit: unit % 3 for unit in units}
        assert scored("random", worth, due=True, word=word) == {sorted(units)[number // 2]}
        assert scored("random", worth, due=False, word=word) == set()


@pytest.mark.parametrize("kind", [*SIN_KINDS, SET_UP])
@pytest.mark.parametrize("sins", [{LUST, PRIDE}, {GLUTTONY, GREED, WRATH}, set(range(7))])
def test_random_takes_any_sin_on_offer(sins, kind):
    for number, word in enumerate(edges(len(sins))):
        wanted = sorted(sins)[number // 2]
        assert chosen("random", HOLD, 2, sins, kind, word) == wanted
        if kind == ENVY:  # which it never declines
            assert chosen("random", HOLD, 2, sins | {DECLINE}, kind, word) == wanted


def p_of_uniform(answers, options):
    """Chance of answers so uneven if all options, and nothing else, were equally likely."""
    counts = np.array([(answers == option).sum() for option in options])
    assert counts.sum() == len(answers), "an answer that is not an option"
    mean = len(answers) / len(options)
    return chi2.sf(((counts - mean) ** 2 / mean).sum(), len(options) - 1)


GAMES = 40 if numba.config.DISABLE_JIT else 3000


@pytest.fixture(scope="module")
def answers_of_random():
    """{kind: (options, due, answers)} of all decisions of games of four that play random."""
    match = common.match(["random"] * 4, 4, seed=11, envy_optional=True, target=45)
    found = {}

    def watch(table, ask):
        if ask is not None:
            asked = ask.seat >= 0
            each = ask.view.options[asked], ask.view.due[asked], ask.action[asked]
            found.setdefault(ask.view.kind, []).append([array.copy() for array in each])

    play(match, 0, GAMES, lambda games, rows: None, watch=watch)
    return {kind: [np.concatenate(parts) for parts in zip(*asks, strict=True)] for kind, asks in found.items()}


def places(options, answers, several):
    """Which of its options each answer is, where there are this many."""
    found = [
        sorted(members(offered)).index(answer)
        for offered, answer in zip(options.tolist(), answers.tolist(), strict=True)
        if len(members(offered)) == several
    ]
    return np.array(found)


@pytest.mark.parametrize("several", [2, 5, 9, 13])
def test_random_is_uniform_over_units(answers_of_random, several):
    """Words as they are drawn in play. A false alarm at 5 sigma has a chance below one in a million."""
    options, due, answers = answers_of_random[REMOVE]
    assert not answers[due == 0].any()
    units = np.log2(answers[due == 1]).astype(int)
    assert ((1 << units) == answers[due == 1]).all()
    found = places(options[due == 1], units, several)
    assert found.size > GAMES
    assert p_of_uniform(found, range(several)) > FIVE_SIGMA


@pytest.mark.parametrize(
    ("kind", "several"), [(SET_UP, 2), (SET_UP, 3), (LUST, 5), (GLUTTONY, 2), (GREED, 2), (WRATH, 2), (ENVY, 7)]
)
def test_random_is_uniform_over_sins(answers_of_random, kind, several):
    """Of Envy one option is to decline."""
    options, _, answers = answers_of_random[kind]
    found = places(options, answers, several)
    assert found.size > GAMES / 20
    assert p_of_uniform(found, range(several - (kind == ENVY))) > FIVE_SIGMA


def test_unevenness_would_be_seen():
    answers = np.repeat(np.arange(5), 500)
    assert p_of_uniform(answers, range(5)) == 1
    answers[:150] = 4
    assert p_of_uniform(answers, range(5)) < FIVE_SIGMA


# All ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", BASELINES)
def test_lanes_in_which_nobody_is_asked(name):
    """Their answers are ignored; those of the others do not depend on them."""
    rng = np.random.default_rng(4)
    n = 257
    seat = rng.integers(-1, 4, n).astype(np.int8)
    options = np.where(seat >= 0, rng.integers(1, 2**7, n), 0)
    word = rng.integers(0, 2**32, n, np.uint32)
    holder = np.full((7, n), RESERVE)
    holder[LUST], holder[ENVY] = (seat + 1) % 4, (seat + 2) % 4
    points = rng.integers(0, 5, (ABSORBED + 4, n))
    for kind in (*SIN_KINDS, SET_UP, REMOVE):
        shared = {"seat": seat, "word": word, "holder": holder, "points": points, "due": rng.integers(0, 2, n)}
        whole = actions(name, view_of(kind, n, options=options, **shared))
        assert GAME.is_legal(view_of(kind, n, options=options, **shared), seat, np.array(whole, np.int32))
        for lane in np.flatnonzero(seat >= 0)[::20]:
            alone = {key: array[..., lane : lane + 1] for key, array in shared.items()}
            assert actions(name, view_of(kind, options=options[lane], **alone)) == [whole[lane]]
