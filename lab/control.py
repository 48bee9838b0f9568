"""Luck-adjusted outcomes: who won, less what the turns' luck gave, whose expectation is exactly zero.

A game may declare sights of *luck* (`sims.core.game.Game.sights`): how well a turn's dice fell for a seat, of
expectation zero given all that was before that turn. So luck times anything that was known before the turn has
expectation zero, too, and so has its sum over a game, however long that is (a martingale). That sum is the control
variate: outcomes less it have the same mean, and less variance as far as luck explains them. Here the factors are made
of the chances before the turn (`lab.curve`): what a lucky roll is worth depends on how open the game still is. Their
weights are fitted on other games than those that are adjusted, so nothing is biased, whatever the fit is worth.

After Zinkevich, Bowling, Bard, Kan and Billings, "Optimal unbiased estimators for evaluating agent performance" (2006),
and White and Bowling, "Learning a value function for reducing variance in poker" (2009). Where no luck is declared, or
the weights explain nothing, the adjusted figure is the plain one.
"""

from dataclasses import dataclass

import numpy as np

from lab.curve import CHUNK, Curve, Floats, Ints, Whole
from lab.gram import add_gram

RIDGE = 1e-6


@dataclass(frozen=True)
class Turns:
    """What one turn did, a row each."""

    before: Floats
    """[row, seat] chances before it."""
    context: Floats
    """[row, context] how far the game had come (`lab.curve.Scale.context`); 0 before the first turn."""
    luck: Floats
    """[row, kind of luck, seat]"""


def turns(curve: Curve, before: Floats, earlier: Ints, sights: Ints, turn: Whole) -> Turns:
    """before: [row, seat] chances before the turn. earlier: sights before it; whatever where turn is 1."""
    context = curve.scale.context(curve.layout, earlier, turn - 1)[:, 1:]
    context[turn == 1] = 0
    luck = sights[:, curve.layout.luck].astype(float)
    return Turns(before, context, luck)


@dataclass(frozen=True)
class Control:
    """Weights of luck."""

    size: Floats
    """[kind of luck] its root mean square."""
    weights: Floats
    """[factor]"""

    def given(self, of: Turns) -> Floats:
        """[row, seat] what the turn's luck gave; the expectation of each is zero, given what was before the turn."""
        if not self.weights.size:
            return np.zeros(of.before.shape)
        pieces = [slice(k, k + CHUNK) for k in range(0, len(of.before), CHUNK)]
        made = [np.einsum("ijk,k->ij", self._factors(of, piece), self.weights) for piece in pieces]
        return np.concatenate(made) if made else np.zeros(of.before.shape)

    def _factors(self, of: Turns, rows: slice) -> Floats:
        """[row, seat, factor] luck times what was known before."""
        p, context = of.before[rows], of.context[rows]
        luck = of.luck[rows] / self.size[:, None]
        open_ = p * (1 - p)
        known = np.stack([p, open_, open_ * (1 - 2 * p), *(open_ * each for each in context.T[:, :, None])], axis=2)
        share = np.maximum(1 - p, 1e-3)
        found = []
        for kind in range(luck.shape[1]):
            own = luck[:, kind]
            others = own.sum(axis=1, keepdims=True) - own
            rivals = ((own * p).sum(axis=1, keepdims=True) - own * p) / share  # of those who are in the way
            found += [known * each[:, :, None] for each in (own, others, rivals)]
        return np.concatenate(found, axis=2)


def fit(of: Turns, change: Floats) -> Control:
    """The weights that leave least of the changes of chance. change: [row, seat], after the turn less before."""
    kinds = of.luck.shape[1]
    if not kinds or not len(change):
        return Control(np.ones(kinds), np.zeros(0))
    size = np.sqrt((of.luck**2).mean(axis=(0, 2)))
    made = Control(np.where(size > 0, size, 1.0), np.zeros(0))
    factors = made._factors(of, slice(0, 1)).shape[2]
    square, product = np.zeros((factors, factors)), np.zeros(factors)
    for k in range(0, len(change), CHUNK):
        flat = made._factors(of, slice(k, k + CHUNK)).reshape(-1, factors)
        add_gram(flat, square)
        product += np.einsum("ik,i->k", flat, change[k : k + CHUNK].reshape(-1))
    ridge = RIDGE * np.trace(square) / factors + 1e-12
    return Control(made.size, np.linalg.solve(square + ridge * np.eye(factors), product))
