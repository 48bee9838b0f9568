"""Many figures at once, against published values and by repetition."""

import numpy as np
import pytest

from lab.estimate import Estimate, Z
from lab.many import discoveries, shrunk, simultaneous, widening


def estimate(value, half):
    return Estimate(value, value - half, value + half)


def test_bonferroni_by_the_normal_table():
    """Quantiles of the normal distribution at 0.9975 and 0.99975 (any table): 2.807034, 3.480756."""
    assert widening(1) == pytest.approx(1)
    assert widening(10) == pytest.approx(2.807034 / 1.959964, abs=1e-6)
    [each] = set(simultaneous([Estimate(3, 2, 5)] * 100))
    assert (each.low, each.high) == pytest.approx((3 - 3.480756 / 1.959964, 3 + 2 * 3.480756 / 1.959964))


def test_discoveries_are_those_of_benjamini_and_yekutieli():
    """Step-up by hand: p <= rank / k / (1 + 1/2 + 1/3 + 1/4) * 5 %; in units of z: p of 3.5, 2.9, 2.3, 0."""
    figures = [estimate(z, Z) for z in (2.3, 0.0, -3.5, 2.9)]  # p = 0.0214, 1, 0.00047, 0.0037
    assert discoveries(figures, 0) == [False, False, True, True]  # thresholds 0.006, 0.012, 0.018, 0.024
    assert discoveries([Estimate(1, 1, 1), Estimate(2, 2, 2)], 1) == [False, True]


def test_shrinking_is_that_of_efron_and_morris():
    """The batters of "Stein's paradox in statistics" (Scientific American 236, 1977): shrinking factor 0.212, grand
    average 0.265, Clemente 0.400 -> 0.294, the last (Alvis) 0.156 -> 0.242."""
    hits = [18, 17, 16, 15, 14, 14, 13, 12, 11, 11, 10, 10, 10, 10, 10, 9, 8, 7]
    averages = [each / 45 for each in hits]
    mean = sum(averages) / 18
    half = Z * np.sqrt(mean * (1 - mean) / 45)
    again = shrunk([estimate(each, half) for each in averages])
    assert again[0].estimate == pytest.approx(0.294, abs=0.0006)
    assert again[-1].estimate == pytest.approx(0.242, abs=0.0006)
    assert (again[0].estimate - mean) / (averages[0] - mean) == pytest.approx(0.212, abs=0.002)


def test_what_does_not_vary_is_drawn_to_the_mean_but_for_the_estimate_of_noise():
    figures = [estimate(each, 10.0) for each in (1, 2, 3, 4, 5, 6)]
    assert np.ptp([each.estimate for each in shrunk(figures)]) == pytest.approx(5 * (1 - 3 / 5))
    assert shrunk(figures[:3]) == figures[:3]
    exact = [Estimate(each, each, each) for each in (1.0, 2.0, 4.0, 8.0)]
    assert [each.estimate for each in shrunk(exact)] == pytest.approx([1, 2, 4, 8])


def test_the_best_of_many_lies_in_its_interval_when_shrunk():
    """2,000 studies of 20 cells, as noisy as they differ: raw intervals of the winner miss far more than 5 %."""
    rng = np.random.default_rng(7)
    truths = rng.normal(0, 1, (2000, 20))
    seen = truths + rng.normal(0, 1, truths.shape)
    raw = again = 0
    for truth, y in zip(truths, seen, strict=True):
        best = int(y.argmax())
        found = shrunk([estimate(each, Z) for each in y])[best]
        raw += y[best] - Z <= truth[best] <= y[best] + Z
        again += found.low <= truth[best] <= found.high
    assert raw / 2000 < 0.85
    assert again / 2000 == pytest.approx(0.95, abs=5 * np.sqrt(0.95 * 0.05 / 2000))
