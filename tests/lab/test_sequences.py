"""Confidence sequences: against a second method, and by how often they miss when one may stop at any look."""

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import betaln

from lab import sequences

ALPHA = 0.05


def test_looks_are_fixed_in_advance():
    assert list(sequences.looks(20_000)) == [10_000, 12_500, 15_625, 19_531, 20_000]
    assert list(sequences.looks(500)) == [500]
    assert [sequences.look_number(n) for n in (500, 10_000, 10_001, 12_500, 20_000)] == [1, 1, 2, 2, 5]


@pytest.mark.parametrize(("total", "n"), [(2500, 10_000), (1, 50), (49, 50), (123.5, 1000)])
def test_a_share_s_bounds_solve_the_equation_of_the_mixture(total, n):
    def excess(p):
        mixture = betaln(0.5 + total, 0.5 + n - total) - betaln(0.5, 0.5)
        return mixture - total * np.log(p) - (n - total) * np.log1p(-p) - np.log(1 / ALPHA)

    found = sequences.share(total, n, ALPHA)
    assert found.low == pytest.approx(brentq(excess, 1e-12, total / n))
    assert found.high == pytest.approx(brentq(excess, total / n, 1 - 1e-12))


def test_shares_at_the_ends():
    none, all_of_them = sequences.share(0, 100, ALPHA), sequences.share(100, 100, ALPHA)
    assert (none.estimate, none.low) == (0, 0)
    assert (all_of_them.estimate, all_of_them.high) == (1, 1)
    assert all_of_them.low == pytest.approx(1 - none.high)
    nothing = sequences.share(0, 0, ALPHA)
    assert (nothing.low, nothing.high) == (0, 1)


def test_a_mean_s_half_width_is_that_of_the_paper():
    """rho**2 = 1/n would give sd * sqrt(4 / n * log(sqrt(2) / alpha)); here rho is tuned for 50,000 games."""
    n, odds = 20_000, -2 * np.log(ALPHA)
    rho = (odds + np.log(odds) + 1) / 50_000
    half = 2.0 * np.sqrt(2 * (n * rho + 1) / (n**2 * rho) * np.log(np.sqrt(n * rho + 1) / ALPHA))
    found = sequences.mean(7.0, 2.0, n, ALPHA)
    assert (found.low, found.high) == (pytest.approx(7 - half), pytest.approx(7 + half))


def test_a_mean_of_what_never_varied_is_not_known():
    found = sequences.mean(0.0, 0.0, 10_000, ALPHA)
    assert (found.low, found.high) == (-np.inf, np.inf)


def test_quantiles_by_hand():
    """100 plays of 0 to 99: with slack e the median's bounds are the values at ranks 0.5 - e and 0.5 + e."""
    histogram = [(value, 100) for value in range(100)]
    found = sequences.quantile(histogram, 0.5, 10_000, 1, ALPHA)
    slack = np.sqrt(np.log(2 * np.pi**2 / 6 / ALPHA) / 20_000)
    assert found.estimate == 49
    assert found.low == np.ceil(100 * (0.5 - slack)) - 1
    assert found.high == np.ceil(100 * (0.5 + slack)) - 1
    assert sequences.quantile(histogram, 0.5, 10, 1, ALPHA).high > 90


def missed(draw, interval, truth, repetitions, limit):
    """How often an interval misses the truth at any look."""
    count = 0
    for repetition in range(repetitions):
        generator, total, squares, before, bad = np.random.default_rng(repetition), 0.0, 0.0, 0, False
        for n in sequences.looks(limit):
            total, squares = draw(generator, n - before, total, squares)
            before = n
            found = interval(total, squares, n)
            bad |= not found.low <= truth <= found.high
        count += bad
    return count / repetitions


def flips(p):
    def draw(generator, n, total, squares):
        hits = generator.binomial(n, p)
        return total + hits, squares + hits

    return draw


def waits(generator, n, total, squares):
    """Sums of n exponential waiting times and of their squares, which are far from normal."""
    x = generator.exponential(size=n)
    return total + x.sum(), squares + (x * x).sum()


def mean_of(total, squares, n):
    return sequences.mean(total / n, np.sqrt(squares / n - (total / n) ** 2), n, ALPHA)


def share_of(total, squares, n):
    return sequences.share(total, n, ALPHA)


def test_few_sequences_miss():
    """150 repetitions; 5 sigma above 5 % is 13.9 %."""
    for p in (0.01, 0.25):
        assert missed(flips(p), share_of, p, 150, 60_000) < 0.139
    assert missed(waits, mean_of, 1.0, 150, 60_000) < 0.139


@pytest.mark.full
@pytest.mark.parametrize("p", [0.002, 0.05, 0.25, 0.5])
def test_shares_keep_their_promise_under_stopping(p):
    """1,000 repetitions up to 200,000 games; 5 sigma above 5 % is 8.4 %."""
    assert missed(flips(p), share_of, p, 1000, 200_000) < 0.084


@pytest.mark.full
def test_means_keep_their_promise_under_stopping():
    assert missed(waits, mean_of, 1.0, 1000, 100_000) < 0.084
