"""Intervals hold what they promise: many small studies with known truth, and how often their intervals hold it.

Synthetic studies have shares of wins and columns of known distribution; those of Viking Dice have the exact answers
of `sims/viking/exact.py`. Run with `-s` to read the coverage of each.
"""

from collections import defaultdict
from functools import cache

import numpy as np
import pytest

from lab import tally
from lab.estimate import summarise
from lab.tally import BINS, Tally, tally_block
from sims.core.game import Column
from sims.viking import exact
from tests.lab.common import cell, matches

GAMES = 200
COLUMNS = (
    Column("winner", "", "seat"),
    Column("first_seat", "", "seat"),
    Column("poisson", "", "points"),
    Column("skewed", "", "points"),
    Column("sometimes", "", "points"),
    Column("unfinished", "", "games"),
    Column("ending", "", "ending", labels=("goal", "limit")),
)
SHARES = np.linspace(0.03, 0.97, 20)
MEANS = {"poisson": 6.0, "skewed": 9.0, "sometimes": 4.0}
"""Poisson; geometric from 0; defined in a third of the plays, then binomial of 8 and 1/2."""


def synthetic(rng, share):
    """The tally of a study: two seats, of which seat 0 wins this share of all plays, and of those that it begins."""
    rows = np.zeros((GAMES, 1, 1 + len(COLUMNS)), np.int32)
    shape = GAMES, 1
    won = rng.random(shape) < share
    rows[..., 0] = np.where(won, 1, 2)
    rows[..., 1] = 1 - won
    rows[..., 2] = rng.integers(0, 2, shape)
    rows[..., 3] = rng.poisson(MEANS["poisson"], shape)
    rows[..., 4] = rng.geometric(1 / (1 + MEANS["skewed"]), shape) - 1
    rows[..., 5] = np.where(rng.random(shape) < 1 / 3, rng.binomial(8, 0.5, shape), -1)
    rows[..., 7] = rng.random(shape) < share
    return tallied(rows)


def tallied(rows):
    """As the lab does it, from rows [game, rotation, 1 + columns] of two seats."""
    found, quantities = tally.cross.sources(COLUMNS, 2)
    counts, above = np.zeros((BINS, rows.shape[2]), np.int64), np.zeros((rows.shape[2], 4), np.int64)
    tally._count(rows.reshape(-1, rows.shape[2]), counts, above)
    sums, scratch = np.zeros((len(quantities), 5), np.int64), np.zeros((len(quantities), 2), np.int64)
    touched = np.zeros(len(quantities), np.int64)
    tally.cross.add(rows, 2, tally.WIN, tally.cross.as_array(found), scratch, touched, sums)
    units = tally._units_of_rows(rows, 2)
    none = np.array([tally._whole(line) for line in above], object)
    lowest = np.zeros(rows.shape[2], np.int32)
    return Tally(rows.shape[0], rows.shape[1], counts, none, units, sums.astype(object), lowest)


def figures(of, columns, made):
    """Every figure with an interval, by name."""
    found = summarise(of, columns, made)
    yield "win share", found.win_share[0]
    for each in found.metrics:
        if each.column in MEANS or each.column == "duels":
            yield f"mean of {each.column}", each
    for each in found.win_share_by:
        if (each.by, each.value, each.seat) in (
            ("order of play", "first", -1), ("ending", "limit", -2), ("ending", "limit", 0)
        ):  # fmt: skip
            yield f"{each.by}, {each.value}, {each.seat}", each


def synthetic_coverage(studies):
    """{(figure, share): [whether the interval holds the truth]}"""
    rng, of = np.random.default_rng(11), cell("keep")
    held = defaultdict(list)
    for k in range(studies):
        share = float(SHARES[k % SHARES.size])
        truths = {"win share": share, "order of play, first, -1": 0.5, "ending, limit, -2": share}
        truths |= {"ending, limit, 0": share} | {f"mean of {name}": mean for name, mean in MEANS.items()}
        for name, figure in figures(of, COLUMNS, synthetic(rng, share)):
            held[name, share].append(figure.low <= truths[name] <= figure.high)
    return held


OTHERS = (("keep", "threshold"), ("trailing", "random"), ("healer", "keep"))
LINES = [
    (("threshold", "keep"), {"start_life": life, "reroll_order": order})
    for life in (3, 9, 12)
    for order in ("open", "simultaneous", "active_first")
] + [(policies, {"start_life": 6}) for policies in OTHERS]


@cache
def truth(policies, life, order):
    pair = [(name, 4.0) for name in policies]
    return exact.solve(pair, start_life=life, reroll_order=order)


def viking_coverage(studies):
    held = defaultdict(list)
    for k in range(studies):
        policies, knobs = LINES[k % len(LINES)]
        of = cell(*policies, games=GAMES, seed=k, knobs=knobs)
        known = truth(policies, knobs["start_life"], knobs.get("reroll_order", "open"))
        [match] = matches(of)
        columns = match.game.columns(2, of.knobs)
        truths = {"win share": known.win_share[0], "mean of duels": known.duels}
        for name, figure in figures(of, columns, tally_block((match,), 0, GAMES)):
            if name in truths:
                held[name, round(known.win_share[0], 2)].append(figure.low <= truths[name] <= figure.high)
    return held


def assert_calibrated(held, tolerance):
    """The mean over all shares within the tolerance of 95 %; says the worst case."""
    for name in dict.fromkeys(name for name, _ in held):
        by_share = {share: np.mean(hits) for (each, share), hits in held.items() if each == name}
        mean = np.mean([hit for (each, _), hits in held.items() if each == name for hit in hits])
        worst = min(by_share, key=by_share.get)
        print(f"{name}: {mean:.2%} of the intervals hold the truth; worst {by_share[worst]:.1%} at share {worst:.2f}")
        assert abs(mean - 0.95) < tolerance, name


def test_synthetic_studies():
    assert_calibrated(synthetic_coverage(400), 0.01 + 5 * (0.95 * 0.05 / 400) ** 0.5)


def test_studies_of_viking():
    assert_calibrated(viking_coverage(120), 0.01 + 5 * (0.95 * 0.05 / 120) ** 0.5)


@pytest.mark.full
def test_synthetic_studies_in_full():
    """10,000 studies, so that noise is 0.2 points; the band is 1 point and no more."""
    assert_calibrated(synthetic_coverage(10_000), 0.01)


@pytest.mark.full
def test_studies_of_viking_in_full():
    assert_calibrated(viking_coverage(2000), 0.01)
