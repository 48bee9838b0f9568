"""The tables of a turn's odds against exact recursion over all rolls, and the policies that play by them.

The tables average over `odds.ROLLS` rolls that stand for all, so they are near the exact values and not equal to them;
how near is stated with each test.
"""

from fractions import Fraction
from functools import cache
from itertools import combinations, product

import numpy as np
import pytest

from sims.core.game import Setting, encode
from sims.core.tabulate import tabulate
from sims.vices import GAME, odds, rules
from sims.vices.rules import OWN, PAIRS, REMOVE, SPOILERS
from sims.vices.table import Table
from tests.vices import common

# Exact values, for defenders whom nobody attacks. A position is a sorted tuple of kinds of unit.

POINTS = {
    "small": [Fraction(1, 6)] * 6,
    "d8": [Fraction(1, 8)] * 8,
    "d12": [Fraction(1, 12)] * 12,
    "d20": [Fraction(1, 20)] * 20,
    "pair": [Fraction(sum((0 if a == b else a + b) == n for a in range(6) for b in range(6)), 36) for n in range(10)],
}
"""[points] how likely a unit of this kind is to be worth so many."""
KIND = {"small": odds.SAFE, "pair": odds.PAIR, "d8": odds.D8, "d12": odds.D12, "d20": odds.NEMESIS_DIE}


def rolls(kinds):
    """All (probability, points by unit)."""
    for points in product(*(range(len(POINTS[kind])) for kind in kinds)):
        chance = Fraction(1)
        for kind, value in zip(kinds, points, strict=True):
            chance *= POINTS[kind][value]
        if chance:
            yield chance, points


def sets(size):
    """The ways to score at least one of so many units."""
    return [chosen for k in range(1, size + 1) for chosen in combinations(range(size), k)]


def without(kinds, chosen):
    return tuple(kind for unit, kind in enumerate(kinds) if unit not in chosen)


@cache
def least(kinds):
    """The lowest expected points of the rest of a turn."""
    if not kinds:
        return Fraction(0)
    return sum(chance * min(after_scoring(kinds, points)[0] for points in [points]) for chance, points in rolls(kinds))


def after_scoring(kinds, points):
    """(the least to expect, the set of units with which), when the dice lie so."""
    return min(
        (sum(points[unit] for unit in chosen) + least(without(kinds, chosen)), chosen) for chosen in sets(len(kinds))
    )


@cache
def landing(kinds, need):
    """The highest chance that the rest of a turn costs exactly so many points."""
    if need < 0 or not kinds:
        return Fraction(need == 0)
    return sum(
        chance
        * max(landing(without(kinds, chosen), need - sum(points[u] for u in chosen)) for chosen in sets(len(kinds)))
        for chance, points in rolls(kinds)
    )


def made(attackers=0, wanted=True, sides=20, upright=0.0):
    return tabulate(odds.Odds, odds.make_odds, sides, attackers, upright, wanted)


def place(kinds, attackers=0, m=0, exposed=0):
    count = np.zeros(odds.KINDS, np.int32)
    for kind in kinds:
        count[KIND[kind]] += 1
    count[odds.EXPOSED] = exposed
    return odds.place_of(count, attackers, m)


@pytest.mark.parametrize(("kind", "mean"), [("small", 2.5), ("pair", 25 / 6), ("d8", 3.5), ("d12", 5.5), ("d20", 9.5)])
def test_a_single_unit_costs_its_mean(kind, mean):
    assert float(least((kind,))) == pytest.approx(mean)
    assert made().least[place([kind])] == pytest.approx(mean, abs=0.06)  # 144 is no multiple of 20


POSITIONS = [
    ("small", "small"),
    ("d8", "small"),
    ("pair", "small"),
    ("d12", "d8"),
    ("small",) * 3,
    ("d8", "pair", "small"),
]


@pytest.mark.parametrize("kinds", POSITIONS)
def test_the_least_of_a_few_units_is_near_the_exact_value(kinds):
    assert made().least[place(kinds)] == pytest.approx(float(least(kinds)), abs=0.35)


@pytest.mark.parametrize("kinds", POSITIONS)
def test_the_chance_to_land_is_near_the_exact_value(kinds):
    table = made().landing[place(kinds)]
    exact = np.array([float(landing(kinds, need)) for need in range(30)])
    assert np.abs(table[:30] - exact).max() < 0.07
    assert np.abs(table[:30] - exact).mean() < 0.015
    assert table[:30][exact == 0].max(initial=0) == 0


def test_attackers_cost_what_their_matches_cost():
    """One exposed die: matched in 1 roll of 6, at 25/6 points, else scored at 2.5 on average. One own Nemesis against
    one attacker's: absorbed in 1 roll of 20, which adds one d20 at 9.5."""
    table = made(attackers=1).least
    assert table[place([], 1, exposed=1)] == pytest.approx(25 / 36 + 5 / 6 * 2.5, abs=0.15)
    assert table[place(["d20"], 1, m=1)] == pytest.approx(9.5 + 9.5 / 20, abs=0.25)
    assert table[place(["d20"], 1, m=0)] == pytest.approx(9.5, abs=0.06)


def test_more_attackers_make_a_turn_dearer():
    turns = [made(attackers, wanted=False).turn for attackers in (0, 2, 3)]
    assert turns == sorted(turns)
    assert turns[2] > turns[0] + 5


def test_an_upright_bullet_makes_a_pair_cheaper():
    usual, upright = made(), made(upright=1.0, wanted=False)
    assert upright.least[place(["pair"])] == usual.least[place(["pair"])]  # Mirror and Medusa
    assert upright.least[place(["pair"] * 3)] < usual.least[place(["pair"] * 3)]


def test_tables_are_kept_and_read_again(monkeypatch):
    first = made()
    tabulate.cache_clear()
    monkeypatch.setattr(odds, "fill", None)  # no table can be made now
    again = made()
    assert (again.least == first.least).all()
    assert (again.landing == first.landing).all()
    assert not again.least.flags.writeable
    assert (type(again.attackers), type(again.turn)) == (int, float)


# What the policies do with them


UNITS = {"small": range(7), "pair": range(PAIRS, SPOILERS), "d12": [10], "d10": [11], "d8": [12], "d20": [OWN]}


def answer(name, units, need=1000, due=True, weights=None, **planted):
    """The units that a policy scores, as a set of places in `units`: (kind, points); nobody attacks.

    need: points still needed to land on the target of 200.
    """
    policy = GAME.policies[name]
    knobs = GAME.knobs(target=200, **{k: v for k, v in planted.items() if k in GAME.knobs.model_fields})
    table = Table(Setting(encode(knobs), 3, 1, False), 1)
    t, left = table.t, {kind: list(all_of_them) for kind, all_of_them in UNITS.items()}
    numbers = [left[kind].pop(0) for kind, _ in units]
    t.holder[:] = 0
    t.removed[:] = 0b110
    for number, (_, points) in zip(numbers, units, strict=True):
        t.pool[0] |= 1 << number
        t.points[number, 0] = points
    t.options[:], t.due[:], t.seat[:], t.total[0] = t.pool, due, 0, 200 - need if need <= 200 else 0
    for key, value in planted.items():
        if key not in GAME.knobs.model_fields:
            getattr(t, key)[...] = value
    chosen = weights or policy.weights()
    prepared = policy.prepare(knobs, 3, chosen)
    action = np.zeros(1, np.int32)
    policy.function(table.view._replace(kind=REMOVE), encode(chosen), prepared, action)
    assert action[0] & ~int(t.pool[0]) == 0
    return {place for place, number in enumerate(numbers) if action[0] >> number & 1}


SMALL_POSITIONS = [("small", "small"), ("d8", "small"), ("d8", "pair", "small"), ("d20", "small", "small")]


@pytest.mark.parametrize("kinds", SMALL_POSITIONS)
def test_miser_scores_what_is_nearly_the_best(kinds):
    """On 40 rolls of each position, within 0.4 points of the exact best."""
    generator = np.random.default_rng(1)
    for _ in range(40):
        points = [int(generator.choice(len(POINTS[kind]), p=[float(p) for p in POINTS[kind]])) for kind in kinds]
        chosen = answer("miser", list(zip(kinds, points, strict=True)))
        cost = sum(points[unit] for unit in chosen) + least(without(kinds, chosen))
        assert cost <= after_scoring(kinds, points)[0] + Fraction(2, 5), points


def test_miser_keeps_a_worthless_die_to_roll_beside_a_dear_one():
    """A d20 worth 19 and two small dice worth 0: scoring both small dice leaves 9.5; one of them, less."""
    assert len(answer("miser", [("d20", 19), ("small", 0), ("small", 0)])) == 1


def test_miser_scores_nothing_that_it_need_not():
    assert answer("miser", [("d20", 19), ("small", 5)], due=False) == set()


def test_chaser_lands_when_it_can():
    assert answer("chaser", [("small", 2), ("d8", 3)], need=5) == {0, 1}
    assert answer("chaser", [("small", 2), ("d8", 3), ("pair", 6)], need=11) == {0, 1, 2}


def test_chaser_keeps_the_die_that_can_still_land():
    """4 needed: d8 (3) leaves 1 for the small die, 1 in 6; the small die (5) is too much."""
    assert answer("chaser", [("small", 5), ("d8", 3)], need=4) == {1}


def test_chaser_plays_as_miser_when_it_cannot_land_or_must_not():
    units = [("small", 2), ("d8", 3)]
    low = answer("miser", units)
    assert answer("chaser", units, need=100) == low
    assert answer("chaser", units, need=5, exact_wins=False) == low
    assert answer("chaser", units, need=5, final_round="extra") == low
    assert answer("chaser", units, need=5, final_round="extra", reached=2) == {0, 1}
    late = GAME.policies["chaser"].weights(start=196)
    assert answer("chaser", units, need=5, weights=late) == low
    assert answer("chaser", units, need=5, weights=GAME.policies["chaser"].weights(start=195)) == {0, 1}


def wins(lineup, games=4000):
    """Share of wins of seat 0."""
    return (common.rows(common.match(lineup, len(lineup), seed=70), games)[:, 0] == 1).mean()


def test_miser_chaser_and_spoiler_beat_zeros():
    """One against three: a fair share is 25 %; 5 sigma at 4,000 games is 3.4 %."""
    for name in ("miser", "spoiler", "chaser"):
        assert wins([name, "zeros", "zeros", "zeros"]) > 0.25 + 0.034


def test_chaser_beats_miser():
    assert wins(["chaser", "miser", "miser", "miser"]) > 0.25 + 0.034


def spoiled(options, holder, totals, seat=0, kind=rules.LUST):
    table = Table(Setting(encode(GAME.knobs()), 4, 1, False), 1)
    t = table.t
    t.holder[:, 0], t.total[:, 0], t.seat[:], t.options[:] = holder, totals, seat, sum(1 << sin for sin in options)
    policy, action = GAME.policies["spoiler"], np.zeros(1, np.int32)
    prepared = policy.prepare(GAME.knobs(), 4, policy.weights())
    policy.function(table.view._replace(kind=kind), (), prepared, action)
    return int(action[0])


def test_spoiler_takes_from_whoever_is_closest_to_winning():
    holder = [0, -1, 1, 2, 3, 3, -1]
    assert spoiled([1, 2, 3, 6], holder, [30, 40, 20, 50]) == 3  # seat 2 has the lowest total
    assert spoiled([1, 2, 3, 6], holder, [30, 70, 20, 50]) == 2  # seat 1 is on the target
    assert spoiled([1, 6], holder, [30, 40, 20, 50]) == 1  # the reserves, in Sin order
    assert spoiled([1, 4, 5], holder, [30, 40, 20, 50]) == 4
