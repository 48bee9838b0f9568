"""Many figures at once: what to correct for when one looks at all of them, or picks the best.

- `simultaneous`: intervals that hold for all figures together (Bonferroni's inequality, which needs no independence:
  cells of one study share their luck).
- `discoveries`: which figures differ from what they are compared with, at a false discovery rate (Benjamini and
  Yekutieli 2001, valid however the figures hang together).
- `shrunk`: what to expect of each when it is played again. The best of many is best partly by luck; its figure is drawn
  towards the mean of all by the share of the spread that is noise (Efron and Morris 1975, with Morris 1983 for the
  uncertainty of that share).
"""

from collections.abc import Sequence
from math import sqrt
from statistics import NormalDist

import numpy as np

from lab.estimate import LEVEL, Estimate, Z

RATE = 0.05
"""The false discovery rate: at most this share of what is called different is not."""


def widening(count: int) -> float:
    """What a half-width is multiplied by so that so many intervals hold together."""
    return NormalDist().inv_cdf(1 - (1 - LEVEL) / 2 / max(1, count)) / Z


def simultaneous(figures: Sequence[Estimate]) -> list[Estimate]:
    """The same figures with intervals that hold for all of them together."""
    wider = widening(len(figures))
    return [
        Estimate(
            each.estimate,
            each.estimate - wider * (each.estimate - each.low),
            each.estimate + wider * (each.high - each.estimate),
        )
        for each in figures
    ]


def discoveries(figures: Sequence[Estimate], level: float) -> list[bool]:
    """Which of the figures differ from a level."""
    from scipy.stats import false_discovery_control

    chances = [_chance(each, level) for each in figures]
    return [bool(each <= RATE) for each in false_discovery_control(chances, method="by")]


def _chance(figure: Estimate, level: float) -> float:
    """p-value of a figure that is truly at a level, on the side where it lies."""
    half = figure.high - figure.estimate if figure.estimate < level else figure.estimate - figure.low
    if half == 0:
        return 1.0 if figure.estimate == level else 0.0
    return 2 * NormalDist().cdf(-abs(figure.estimate - level) / half * Z)


def shrunk(figures: Sequence[Estimate]) -> list[Estimate]:
    """Each figure drawn towards the mean of all; as they are, if there are fewer than four of them."""
    k = len(figures)
    if k < 4:
        return list(figures)
    y = np.array([each.estimate for each in figures])
    variance = np.array([(each.half_width / Z) ** 2 for each in figures])
    spread = _spread(y, variance)
    weights = 1 / np.maximum(variance + spread, 1e-300)
    middle = float((weights * y).sum() / weights.sum())
    noise = np.divide(variance, variance + spread, out=np.zeros(k), where=variance + spread > 0) * (k - 3) / (k - 1)
    drawn = middle + (1 - noise) * (y - middle)
    # Morris 1983, (1.16): the noise of what is kept, of the common mean, and of the share itself
    own = variance * (1 - (k - 1) / k * noise) + 2 / (k - 3) * noise**2 * (y - middle) ** 2
    return [Estimate(float(a), float(a - Z * sqrt(v)), float(a + Z * sqrt(v))) for a, v in zip(drawn, own, strict=True)]


def _spread(y: "np.ndarray", variance: "np.ndarray") -> float:
    """The variance of the truths, by moments (Morris 1983, (1.15)), where it satisfies itself; 0 if all is noise."""
    spread = max(0.0, float(y.var(ddof=1) - variance.mean()))
    for _ in range(100):
        weights = 1 / np.maximum(variance + spread, 1e-300)
        middle = (weights * y).sum() / weights.sum()
        excess = y.size / (y.size - 1) * (y - middle) ** 2 - variance
        spread, before = max(0.0, float((weights * excess).sum() / weights.sum())), spread
        if abs(spread - before) <= 1e-12 * (1e-300 + spread):
            break
    return spread
