"""Populations: many line-ups in a few words, under `policies` of a study.

    all pairs of [a, b, c]                 every line-up of two of them: one seat of the one, the rest of the other
    {mixture of: {miser: 2, chaser: 1}}    every seat's policy drawn by itself, with these weights

A mixture is a set of line-ups with their chances. All seats rotate in each of them, so that line-ups which differ by
a turn of the table are one: at four seats two policies make six. The weighted mean over these is exactly the mean over
tables at which every seat's policy is drawn.
"""

import itertools
from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import gcd, isfinite, prod
from typing import Any

from lab.cell import Cell, Entry
from sims.core.document import Given

PAIRS, MIXTURE = "all pairs of", "mixture of"
HOW = {
    PAIRS: f"write `{PAIRS} [a, b]`, with two policies or more",
    MIXTURE: f"write {{{MIXTURE}: {{a: 2, b: 1}}}}, policies with their weights",
}


@dataclass(frozen=True)
class Mixture:
    """Every seat's policy is drawn by itself. In a study it stands where a `lab.lineup.Lineup` may stand."""

    entries: tuple[Entry, ...]
    chances: tuple[float, ...]
    """Of each entry; they add up to 1."""
    given: Given

    @property
    def text(self) -> str:
        shares = ", ".join(
            f"{entry.title} {chance:.3g}" for entry, chance in zip(self.entries, self.chances, strict=True)
        )
        return f"{MIXTURE} {shares}"

    def fits(self, seats: int) -> bool:
        return seats > 0

    def fewest(self, seats: Iterable[int]) -> int:
        return min(seats)

    def size(self, seats: int) -> int:
        """How many line-ups there are (necklaces, by Burnside's lemma)."""
        turns: int = sum(len(self.entries) ** gcd(turn, seats) for turn in range(seats))
        return turns // seats

    def members(self, seats: int) -> list[tuple[tuple[Entry, ...], float]]:
        """The line-ups with their chances, the first of all turns of each."""
        found = []
        for places in itertools.product(range(len(self.entries)), repeat=seats):
            turns = {places[turn:] + places[:turn] for turn in range(seats)}
            if places == min(turns):
                chance = len(turns) * prod(self.chances[place] for place in places)
                found.append((tuple(self.entries[place] for place in places), chance))
        return found


@dataclass(frozen=True)
class Population:
    """What a clause is held against: one cell, or the cells of a mixture with their chances."""

    cells: tuple[Cell, ...]
    chances: tuple[float, ...] = (1.0,)
    text: str = ""
    """Of a mixture, what it is of."""

    @property
    def part(self) -> str:
        return self.cells[0].part

    @property
    def likeliest(self) -> Cell:
        return max(zip(self.chances, self.cells, strict=True), key=lambda pair: pair[0])[1]

    def changed(self, knobs: Any) -> "Population":
        """The same line-ups under other rules."""
        return replace(self, cells=tuple(replace(cell, knobs=knobs) for cell in self.cells))


def kind_of(given: Given) -> str:
    """Which kind of population is meant; empty for everything else."""
    if isinstance(given.value, str):
        return next((kind for kind in (PAIRS, MIXTURE) if given.value.startswith(kind + " ")), "")
    if isinstance(given.value, dict) and len(given.value) == 1:
        [key] = given.value
        plain = key.replace("_", " ").strip()
        return next((kind for kind in (PAIRS, MIXTURE) if plain in (kind, kind.removesuffix(" of"))), "")
    return ""


def policies_of(given: Given, kind: str) -> list[tuple[Given, Any]]:
    """The policies of a population, each with its weight (1 in pairs), as they are written."""
    inner = _inner(given, kind)
    if kind == PAIRS and not isinstance(inner.value, list):
        raise inner.wrong(f"is no list of policies; {HOW[kind]}")
    if kind == MIXTURE and not isinstance(inner.value, dict):
        raise inner.wrong(f"is no mapping of policies to weights; {HOW[kind]}")
    named = [(each, 1) for each in inner.value] if kind == PAIRS else _weighted(inner)
    if len(named) < 2:
        raise inner.error(f"is of fewer than two policies; {HOW[kind]}")
    return named


def _inner(given: Given, kind: str) -> Given:
    """What stands behind the words, as a list or a mapping."""
    if isinstance(given.value, dict):
        [(key, inner)] = given.value.items()
        if key != kind:
            raise given.error(f"has {key[:80]!r} where {kind!r} should stand; {HOW[kind]}")
        found: Given = replace(inner, where=given.where)
        return found
    text = given.value.removeprefix(kind).strip()
    ends = "[]" if kind == PAIRS else "{}"
    if text[:1] != ends[0] or text[-1:] != ends[1]:
        raise given.wrong(f"is not a population; {HOW[kind]}")
    pieces = [piece.strip() for piece in text[1:-1].split(",") if piece.strip()]
    if kind == PAIRS:
        return replace(given, value=[replace(given, value=piece) for piece in pieces])
    pairs = [piece.rpartition(":") for piece in pieces]
    return replace(given, value={name.strip(): replace(given, value=_number(text)) for name, _, text in pairs})


def _number(text: str) -> Any:
    try:
        return float(text)
    except ValueError:
        return text.strip()


def _weighted(inner: Given) -> list[tuple[Given, float]]:
    found = []
    for name, weight in inner.value.items():
        value = weight.value
        if isinstance(value, bool) or not isinstance(value, int | float) or not (value > 0 and isfinite(value)):
            raise weight.wrong(f"is not a weight of {name[:80]}: a number above 0")
        found.append((replace(inner, value=name), float(value)))
    return found
