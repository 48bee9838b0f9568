"""Designs: which cells are played, and what their means say about variances."""

from collections.abc import Sequence
from itertools import product
from math import prod
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from lab.sense.model import Combination

FULL = 512
"""Up to so many cells, every combination is played."""
EVALUATIONS = 1024
"""A sample has the largest power of two of rows that asks for no more means of cells than this."""
Floats = NDArray[np.float64]


class Design(Protocol):
    """Which cells are played, and what their means say about variances."""

    cells: list[Combination]
    words: str

    def forms(self, values: Floats) -> Floats:
        """values: [..., cell]. Quadratic forms of them, [..., row, 1 + 2 * factors]: estimates of the variance, of its
        first-order parts and of its total parts, whose mean over the rows is meant."""


def design_for(sizes: Sequence[int]) -> Design:
    """sizes: the number of levels of each factor."""
    return Grid(sizes) if prod(sizes) <= FULL else Sample(sizes)


class Grid:
    """All combinations; one row. The last factor varies fastest."""

    def __init__(self, sizes: Sequence[int]) -> None:
        self.sizes = tuple(sizes)
        self.cells: list[Combination] = list(product(*map(range, sizes)))
        self.words = f"all {len(self.cells)} combinations"

    def forms(self, values: Floats) -> Floats:
        grid = values.reshape(-1, *self.sizes)
        axes = tuple(range(1, grid.ndim))
        others = [tuple(axis for axis in axes if axis != one) for one in axes]
        first = [grid.mean(axis=rest).var(axis=1) for rest in others]
        total = [grid.var(axis=one, keepdims=True).mean(axis=axes) for one in axes]
        found: Floats = np.stack([grid.var(axis=axes), *first, *total], axis=-1)
        return found.reshape(*values.shape[:-1], 1, found.shape[-1])


class Sample:
    """Rows of a, b, and for each factor a with that factor's level of b.

    First order: the mean of b (mixed - a), after Saltelli et al. 2010, table 2 (b); total: half the mean of
    (a - mixed) squared, after Jansen 1999, there (f).
    """

    def __init__(self, sizes: Sequence[int]) -> None:
        from scipy.stats import qmc  # slow to import, and few studies need it

        factors = len(sizes)
        self.rows = 1 << ((EVALUATIONS // (factors + 2)).bit_length() - 1)
        points = qmc.Sobol(2 * factors, rng=np.random.default_rng(0)).random(self.rows)
        levels = (points * np.tile(sizes, 2)).astype(int)
        a, b = levels[:, :factors], levels[:, factors:]
        mixed = [np.where(np.arange(factors) == place, b, a) for place in range(factors)]
        picked = [[tuple(map(int, each)) for each in table] for table in (a, b, *mixed)]
        self.cells: list[Combination] = list(dict.fromkeys(each for table in picked for each in table))
        where = {cell: place for place, cell in enumerate(self.cells)}
        self.places = np.array([[where[each] for each in table] for table in picked])
        self.words = (
            f"a sample of {self.rows} × {factors + 2} = {self.rows * (factors + 2):,} of the {prod(sizes):,} "
            f"combinations ({len(self.cells):,} different cells)"
        )

    def forms(self, values: Floats) -> Floats:
        a, b = values[..., self.places[0]], values[..., self.places[1]]
        centre = (a.mean(axis=-1, keepdims=True) + b.mean(axis=-1, keepdims=True)) / 2
        a, b = a - centre, b - centre
        mixed = np.moveaxis(values[..., self.places[2:]], -2, -1) - centre[..., None]
        first, total = b[..., None] * (mixed - a[..., None]), (mixed - a[..., None]) ** 2 / 2
        return np.concatenate([((a**2 + b**2) / 2)[..., None], first, total], axis=-1)
