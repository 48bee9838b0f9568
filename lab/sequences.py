"""Confidence sequences: intervals that hold at every look at once, so that one may stop when one likes what one sees.

All are for an error rate alpha over all looks together, and for units (game numbers) in the order of their numbers.

- `share`: of quantities between 0 and 1, by the beta-binomial mixture (Robbins 1970), which is exact for wins and
  losses; for other quantities in [0, 1], such as a share over rotated seats, it stays valid, since the likelihood ratio
  at x is at most the average of those at 0 and 1 with weights 1 - x and x.
- `mean`: asymptotic confidence sequence (Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, "Time-uniform central limit
  theory and asymptotic confidence sequences", 2021): right for many games, called asymptotic wherever it is shown.
- `quantile`: of whole numbers, from the Dvoretzky-Kiefer-Wolfowitz inequality (Massart 1990) at every look, which gets
  the part 6 / (pi * k)**2 of alpha at look k.
"""

from collections.abc import Callable, Iterator, Sequence
from math import inf, log, pi, sqrt

from lab.estimate import Estimate

FIRST_LOOK, GROWTH = 10_000, 1.25
TUNED_FOR = 50_000
"""Games at which the interval of a mean is at its narrowest, compared with one for that look alone."""


def looks(limit: int) -> Iterator[int]:
    """The numbers of games at which one looks: growing by a quarter from 10,000, and the limit itself."""
    n = FIRST_LOOK
    while n < limit:
        yield n
        n = int(n * GROWTH)
    yield limit


def look_number(games: int) -> int:
    """The how manieth look comes at so many games, or next: from 1."""
    number, n = 1, FIRST_LOOK
    while n < games:
        number, n = number + 1, int(n * GROWTH)
    return number


def share(total: float, n: int, alpha: float) -> Estimate:
    """total: sum of n quantities in [0, 1]."""
    from scipy.special import betaln

    if n == 0:
        return Estimate(0.5, 0.0, 1.0)
    middle, level = total / n, log(1 / alpha)
    start = float(betaln(0.5 + total, 0.5 + n - total) - betaln(0.5, 0.5))

    def is_outside(p: float) -> bool:
        if (p == 0 and total > 0) or (p == 1 and total < n):
            return True
        hits = total * log(p) if total > 0 else 0.0
        misses = (n - total) * log(1 - p) if total < n else 0.0
        return start - hits - misses >= level

    return Estimate(middle, _edge(is_outside, middle, 0.0), _edge(is_outside, middle, 1.0))


def _edge(is_outside: Callable[[float], bool], inside: float, end: float) -> float:
    """Where one leaves the interval on the way from a point inside to the end; the end, if one never does."""
    if not is_outside(end):
        return end
    for _ in range(60):
        middle = (inside + end) / 2
        inside, end = (inside, middle) if is_outside(middle) else (middle, end)
    return end


def mean(estimate: float, deviation: float, n: int, alpha: float) -> Estimate:
    """deviation: standard deviation between units. Where nothing varied, nothing is known of how far it may."""
    if n < 2 or not deviation > 0:
        return Estimate(estimate, -inf, inf)
    odds = -2 * log(alpha)
    rho = (odds + log(odds) + 1) / TUNED_FOR  # rho squared, their equation for the narrowest at TUNED_FOR
    half = deviation * sqrt(2 * (n * rho + 1) / (n**2 * rho) * log(sqrt(n * rho + 1) / alpha))
    return Estimate(estimate, estimate - half, estimate + half)


def quantile(histogram: Sequence[tuple[float, int]], rank: float, units: int, look: int, alpha: float) -> Estimate:
    """histogram: (value, plays), ascending. rank: 0.5 for the median. units: game numbers, of several plays."""
    slack = sqrt(log(2 * (pi * look) ** 2 / 6 / alpha) / (2 * units)) if units else inf
    return quantile_within(histogram, rank, slack)


def quantile_within(histogram: Sequence[tuple[float, float]], rank: float, slack: float) -> Estimate:
    """slack: how far the distribution may be off. Counts need not be whole numbers."""
    plays = sum(count for _, count in histogram)
    if plays == 0 or slack == inf:
        return Estimate(0.0, -inf, inf)
    return Estimate(
        _reaches(histogram, rank * plays),
        _reaches(histogram, (rank - slack) * plays),
        _reaches(histogram, (rank + slack) * plays),
    )


def _reaches(histogram: Sequence[tuple[float, float]], wanted: float) -> float:
    """The smallest value up to which there are so many plays; infinite where there never are, or always."""
    if wanted <= 0:
        return -inf
    so_far = 0.0
    for value, count in histogram:
        so_far += count
        if so_far >= wanted:
            return value
    return inf
