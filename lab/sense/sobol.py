"""Indices: shares of a variance, without the noise of the games, and their intervals."""

from math import nan, sqrt
from typing import NamedTuple

import numpy as np

from lab.estimate import LEVEL, Estimate
from lab.sense.designs import Design, Floats

DRAWS = 2000
"""Of the bootstrap."""


class Variances(NamedTuple):
    """What a design says about a figure."""

    mean: float
    spread: Estimate
    first: list[Estimate]
    """By factor."""
    total: list[Estimate]


def variances(design: Design, u: Floats, m: Floats, rng: np.random.Generator) -> Variances:
    """u, m: [cell, group] sums of a figure's values, and the number of plays in which it is defined."""
    mean, groups = u.sum(axis=1) / m.sum(axis=1), u.shape[1]
    errors = ((u - mean[:, None] * m) / m.sum(axis=1)[:, None]).T
    means = mean - mean[0]  # where all are alike, nothing but zeros
    noise = design.forms(errors).sum(axis=0) * groups / (groups - 1)
    parts = (design.forms(means) - noise).mean(axis=0)

    drawn = rng.multinomial(groups, np.full(groups, 1 / groups), size=DRAWS) - 1
    forms = design.forms(means + sqrt(groups / (groups - 1)) * drawn @ errors) - 2 * noise
    rows = noise.shape[0]
    weights = rng.multinomial(rows, np.full(rows, 1 / rows), size=DRAWS) / rows
    draws = np.einsum("dr,drp->dp", weights, forms)

    spread = [sqrt(max(0.0, each)) for each in (parts[0], *_middle(draws[:, 0], draws[:, 0]))]
    shares = [_share(parts[place], draws[:, place], parts[0], draws[:, 0]) for place in range(1, parts.size)]
    half = len(shares) // 2
    return Variances(float(mean.mean()), Estimate(*spread), shares[:half], shares[half:])


def _share(part: float, parts: Floats, whole: float, wholes: Floats) -> Estimate:
    """part / whole, moved into 0 to 1 together with its interval where it errs beyond.

    A draw without any variance leaves open what the share is; so do many of them.
    """
    known = wholes > 0
    ratio = parts / np.where(known, wholes, 1.0)
    low, high = _middle(np.where(known, ratio, -np.inf), np.where(known, ratio, np.inf))
    if whole <= 0 or (low, high) == (-np.inf, np.inf):
        return Estimate(nan, 0.0, 1.0)
    share = _clip(part / whole)
    moved = share - part / whole
    return Estimate(share, min(share, _clip(low + moved)), max(share, _clip(high + moved)))


def _middle(lower: Floats, upper: Floats) -> tuple[float, float]:
    """The lower percentile of the one, the upper of the other, between which are 95 %."""
    tail = (1 - LEVEL) / 2
    return float(np.quantile(lower, tail, method="lower")), float(np.quantile(upper, 1 - tail, method="higher"))


def _clip(share: float) -> float:
    return float(min(1.0, max(0.0, share)))
