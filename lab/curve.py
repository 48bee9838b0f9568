"""Win-probability curves: from what a spectator sees at the end of a turn, every seat's chance to win.

    model = fit(layout, snapshots)
    model.chances(sights, turn, kinds) -> [row, seat]

The model is a conditional logit (McFadden, "Conditional logit analysis of qualitative choice behavior", 1974): every
seat has a score, a weighted sum of features of what it has and of how that compares with the others, and chances are
the scores' softmax, so that they add up to one with that of nobody winning. One set of weights serves all seats where
the rules treat them alike; kinds of policy have some of their own, since the better player is ahead of its figures.

Features are made of the sights' names alone (`Layout`): of the figure that leads, what a seat has and its gap to the
best of the others, both as piecewise linear functions between quantiles, and its rank; of every other figure, value and
square; each of them also times what tells how far the game has come (*context*): turn, mean and greatest of the leading
figure, and whatever is not about a seat.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lab.gram import add_gram
from sims.core.kernel import kernel

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
Ints = NDArray[np.int32]

KNOTS = 10
"""Of a piecewise linear function, at most."""
RIDGE = 2e-5
"""Weight of the squares of the weights against the mean log score; it keeps those of rare features small."""
STEPS, CLOSE = 30, 1e-7
"""Of Newton's method, at most; it ends when a step gains less."""
PIECE = 2_000
"""Rows of the fit that are multiplied together, small enough for the processor's cache."""
SPARED = 4
"""Second derivatives are of every fourth row alone: they make steps only a little worse."""
CHUNK = 20_000
"""Rows that are looked at together."""
LUCK = "luck"
"""Sights whose names begin with it are a turn's luck (`Game.sights`), and say nothing of who is ahead."""


@dataclass(frozen=True)
class Layout:
    """Where things are in a row of sights."""

    seats: int
    figures: tuple[tuple[int, ...], ...]
    """[figure, seat] places of what there is of every seat; the first figure is what leads."""
    common: tuple[int, ...]
    """Places of what is not about a seat."""
    luck: tuple[tuple[int, ...], ...]
    """[kind of luck, seat]"""
    symmetric: bool
    """Whether the rules treat all seats alike."""
    kinds: int
    """How many kinds of players there are."""


def layout(names: Sequence[str], seats: int, symmetric: bool, kinds: int) -> Layout:
    """Read the names of sights: `NAME_S` is about seat S, if there is one for every seat."""
    places = {name: place for place, name in enumerate(names)}
    stems = list(dict.fromkeys(name.rpartition("_")[0] for name in names if name.rpartition("_")[2].isdecimal()))
    complete = [stem for stem in stems if all(f"{stem}_{seat}" in places for seat in range(seats))]
    of_seats = {stem: tuple(places[f"{stem}_{seat}"] for seat in range(seats)) for stem in complete}
    used = {place for line in of_seats.values() for place in line}
    return Layout(
        seats,
        tuple(line for stem, line in of_seats.items() if not stem.startswith(LUCK)),
        tuple(place for place in range(len(names)) if place not in used),
        tuple(line for stem, line in of_seats.items() if stem.startswith(LUCK)),
        symmetric,
        kinds,
    )


@dataclass(frozen=True)
class Snapshots:
    """Ends of turns, of which none ended its game, to fit a curve on."""

    sights: Ints
    """[row, sight]"""
    turn: Whole
    """[row]"""
    kinds: Whole
    """[row, seat] which kind of player sits there."""
    won: Floats
    """[row, seat] the parts of a win that came of it."""


@dataclass(frozen=True)
class Scale:
    """What turns sights into features of about the same size, learnt from the snapshots."""

    own: Floats
    """Knots of what leads."""
    gap: Floats
    """Knots of its gap to the best of the others."""
    common: tuple[int, ...]
    """Places of the common sights that tell more than the turn."""
    centre: Floats
    """Means, of: log turn, mean and greatest leading figure, common sights, and then the further figures."""
    spread: Floats

    def context(self, of: Layout, sights: Ints, turn: Whole) -> Floats:
        """[row, 1 + context]"""
        raw = _context(of, self.common, sights, turn)
        scaled = (raw - self.centre[: raw.shape[1]]) / self.spread[: raw.shape[1]]
        return np.concatenate([np.ones((len(turn), 1)), scaled], axis=1)

    def _given(self, of: Layout, sights: Ints, turn: Whole, kinds: Whole) -> tuple[Any, ...]:
        """What the kernels take."""
        context = self.context(of, sights, turn)
        first = context.shape[1] - 1
        places = np.array(of.figures, np.int64)
        seated = 0 if of.symmetric else of.seats
        return (
            context, sights, places, np.ascontiguousarray(kinds), of.kinds, seated, self.own, self.gap,
            self.centre[first:], self.spread[first:],
        )  # fmt: skip

    def size(self, of: Layout) -> int:
        """How many features a seat has."""
        context, further = 4 + len(self.common), len(of.figures) - 1
        own, gap = len(self.own), len(self.gap)
        mine = (context + 1 + gap) * of.kinds if of.kinds > 1 else 0
        return (own + gap + 1) * context + further * (3 + context) + mine + (0 if of.symmetric else of.seats)

    def features(self, of: Layout, sights: Ints, turn: Whole, kinds: Whole) -> NDArray[np.float32]:
        """[row, seat, feature]"""
        found = np.zeros((len(turn), of.seats, self.size(of)), np.float32)
        _write_all(*self._given(of, sights, turn, kinds), found)
        return found

    def scores(self, of: Layout, sights: Ints, turn: Whole, kinds: Whole, weights: Floats) -> Floats:
        """[row, seat] the weighted sums of features."""
        found = np.zeros((len(turn), of.seats))
        _score_all(*self._given(of, sights, turn, kinds), weights, np.zeros(self.size(of)), found)
        return found


def _context(of: Layout, common: Sequence[int], sights: Ints, turn: Whole) -> Floats:
    lead = sights[:, of.figures[0]].astype(float)
    more = [sights[:, place].astype(float) for place in common]
    return np.stack([np.log1p(turn), lead.mean(axis=1), lead.max(axis=1), *more], axis=1)


@kernel(inline=True)
def _hat(value, knots, out, at):  # type: ignore[no-untyped-def]
    """How much of each knot there is in a value: they add up to 1, and join linearly."""
    last = len(knots) - 1
    right = 1
    while right < last and knots[right] < value:
        right += 1
    share = (value - knots[right - 1]) / (knots[right] - knots[right - 1])
    share = min(1.0, max(0.0, share))
    for k in range(last + 1):
        out[at + k] = 0.0
    out[at + right - 1] = 1 - share
    out[at + right] = share
    return at + last + 1


@kernel
def _write(i, s, context, sights, places, kinds, number, seated, own, gap, centre, spread, out):  # type: ignore[no-untyped-def]
    """The features of seat s in row i, into `out`."""
    seats, size = places.shape[1], context.shape[1]
    lead = sights[i, places[0, s]]
    best, ahead = lead if seats == 1 else -(2**31), 0.0  # who is alone is level with itself
    for other in range(seats):
        if other != s:
            theirs = sights[i, places[0, other]]
            best = max(best, theirs)
            ahead += 1.0 if theirs > lead else 0.5 if theirs == lead else 0.0
    at = _hat(lead, own, out, 0)
    at = _hat(lead - best, gap, out, at)
    out[at] = ahead / seats
    width = at + 1
    for k in range(1, size):
        for j in range(width):
            out[k * width + j] = out[j] * context[i, k]
    at = size * width
    level = (lead - own[0]) / (own[-1] - own[0])
    side = 1.0 if lead > best else -1.0 if lead < best else 0.0
    for figure in range(1, places.shape[0]):
        z = (sights[i, places[figure, s]] - centre[figure - 1]) / spread[figure - 1]
        out[at], out[at + 1], out[at + 2], out[at + 3] = z, z * z, z * level, z * side
        for k in range(1, size):
            out[at + 3 + k] = z * context[i, k]
        at += 3 + size
    if number > 1:
        for kind in range(number):
            mine = 1.0 if kinds[i, s] == kind else 0.0
            for k in range(size):
                out[at + k] = mine * context[i, k]
            out[at + size] = mine * level
            for j in range(len(gap)):
                out[at + size + 1 + j] = mine * out[len(own) + j]
            at += size + 1 + len(gap)
    for seat in range(seated):
        out[at + seat] = 1.0 if seat == s else 0.0


@kernel
def _write_all(context, sights, places, kinds, number, seated, own, gap, centre, spread, out):  # type: ignore[no-untyped-def]
    for i in range(out.shape[0]):
        for s in range(out.shape[1]):
            _write(i, s, context, sights, places, kinds, number, seated, own, gap, centre, spread, out[i, s])


@kernel
def _score_all(context, sights, places, kinds, number, seated, own, gap, centre, spread, weights, room, out):  # type: ignore[no-untyped-def]
    for i in range(out.shape[0]):
        for s in range(out.shape[1]):
            _write(i, s, context, sights, places, kinds, number, seated, own, gap, centre, spread, room)
            total = 0.0
            for k in range(len(weights)):
                total += weights[k] * room[k]
            out[i, s] = total


def _knots(values: Floats) -> Floats:
    """At quantiles, the extremes included; of few different values all of them."""
    found: Floats = np.unique(values)
    if len(found) > KNOTS:
        found = np.unique(np.quantile(values, np.linspace(0, 1, KNOTS), method="nearest"))
    return found if len(found) > 1 else np.array([found[0], found[0] + 1])


def _scale(of: Layout, given: Snapshots) -> Scale:
    lead = given.sights[:, of.figures[0]].astype(float)
    order = np.sort(lead, axis=1)
    gap = lead - np.where(lead == order[:, -1:], order[:, -2:][:, :1], order[:, -1:])
    common = tuple(place for place in of.common if not _follows(given.sights[:, place], given.turn))
    context = _context(of, common, given.sights, given.turn)
    further = [given.sights[:, line].astype(float) for line in of.figures[1:]]
    centre = np.array([*context.mean(axis=0), *(each.mean() for each in further)])
    spread = np.array([*context.std(axis=0), *(each.std() for each in further)])
    return Scale(_knots(lead), _knots(gap), common, centre, np.where(spread > 1e-9, spread, 1.0))


def _follows(values: Ints, turn: Whole) -> bool:
    """Whether a sight tells nothing but the turn."""
    if np.ptp(values) == 0 or np.ptp(turn) == 0:
        return True
    return bool(abs(np.corrcoef(values, turn)[0, 1]) > 0.999)


@dataclass(frozen=True)
class Curve:
    """A fitted model."""

    layout: Layout
    scale: Scale
    weights: Floats
    """[feature]"""
    nobody: Floats
    """[1 + context] weights of the score of nobody winning; empty if that never happened."""

    def chances(self, sights: Ints, turn: Whole, kinds: Whole) -> Floats:
        """[row, seat] the chance to win of each seat. kinds: [row, seat], or [seat] for all rows."""
        kinds = np.broadcast_to(kinds, (len(turn), self.layout.seats))
        pieces = [slice(k, k + CHUNK) for k in range(0, len(turn), CHUNK)]
        made = [self._chances(sights[piece], turn[piece], kinds[piece]) for piece in pieces]
        return np.concatenate(made) if made else np.zeros((0, self.layout.seats))

    def _chances(self, sights: Ints, turn: Whole, kinds: Whole) -> Floats:
        scores = self.scale.scores(self.layout, sights, turn, kinds, self.weights)
        if self.nobody.size:
            context = self.scale.context(self.layout, sights, turn)
            scores = np.concatenate([scores, np.einsum("ik,k->i", context, self.nobody)[:, None]], axis=1)
        return _softmax(scores)[:, : self.layout.seats]


def _softmax(scores: Floats) -> Floats:
    raised = np.exp(scores - scores.max(axis=1, keepdims=True))
    found: Floats = raised / raised.sum(axis=1, keepdims=True)
    return found


def fit(of: Layout, given: Snapshots) -> Curve:
    """Fit a curve: the least mean log score with a ridge, by Newton's method. All rows weigh the same."""
    scale = _scale(of, given)
    context = scale.context(of, given.sights, given.turn)
    features = scale.features(of, given.sights, given.turn, given.kinds)
    size, wanted = features.shape[2], given.won
    lost = 1 - wanted.sum(axis=1, keepdims=True)
    if (lost > 1e-9).any():  # nobody winning is one more seat, whose features are the context
        room = np.zeros((len(context), of.seats + 1, size + context.shape[1]), np.float32)
        room[:, :-1, :size], room[:, -1, size:] = features, context
        features, wanted = room, np.concatenate([wanted, lost], axis=1)
    weights = np.zeros(features.shape[2])
    value, slope, bend = _loss(features, wanted, weights)
    for _ in range(STEPS):
        step = np.linalg.solve(bend, slope)
        while (new := _loss(features, wanted, weights - step))[0] > value:
            step /= 2
            if np.abs(step).max() < 1e-9:
                return Curve(of, scale, weights[:size], weights[size:])
        weights, gain = weights - step, value - new[0]
        value, slope, bend = new
        if gain < CLOSE:
            break
    return Curve(of, scale, weights[:size], weights[size:])


def _loss(features: NDArray[np.float32], wanted: Floats, weights: Floats) -> tuple[float, Floats, Floats]:
    """Mean log score with the ridge, its slope, and about its second derivatives."""
    rows, _, size = features.shape
    value, slope, bend, looked_at = 0.0, np.zeros(size), np.zeros((size, size)), 0
    for k in range(0, rows, PIECE):
        x, y = features[k : k + PIECE], wanted[k : k + PIECE]
        chances = _softmax(np.einsum("ijk,k->ij", x, weights))
        value -= float((y * np.log(np.maximum(chances, 1e-300))).sum())
        slope += np.einsum("ij,ijk->k", chances * y.sum(axis=1, keepdims=True) - y, x)
        x, p = x[::SPARED], chances[::SPARED].astype(np.float32)[:, :, None]
        add_gram((np.sqrt(p) * (x - (p * x).sum(axis=1, keepdims=True))).reshape(-1, size), bend)
        looked_at += len(x)
    ridge = RIDGE * np.eye(size)
    return (
        value / rows + 0.5 * RIDGE * float(weights @ weights),
        slope / rows + RIDGE * weights,
        bend / looked_at + ridge,
    )
