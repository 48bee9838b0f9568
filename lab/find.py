"""Inverse questions: which value of a knob makes something so.

    find: {knob: target, so_that: "anyone_exact = 0.10"}          or a list of such; between: [60, 90] keeps within

A figure of a knob's value is known only up to noise. At a value one plays until a confidence sequence tells whether the
figure there is above the number or not, or gives up at the study's limit; then one halves the stretch in which the
figure crosses (`Search`). The answer is the two neighbouring values between which it crosses: for a whole number the
next ones, for a number with a fraction those of a grid of `STEPS`. What is told of all points visited is wrong at most
at the stated rate, so the crossing lies there at that rate, whatever the noise. That it is the only one holds if the
figure rises, or falls, all the way; what was seen of that is said.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import ceil, log2
from pathlib import Path
from typing import Any

from lab import catalogue
from lab.clauses import Clause, read_equation
from lab.lineup import allowed, make, some, value_of
from lab.population import Population
from sims.core.document import Given
from sims.core.game import Game, options_of

STEPS = 1000
"""A knob with fractions is looked for on a grid of so many steps."""
HOW = "write {knob: NAME, so_that: 'STAT = NUMBER'}, perhaps with between: [LOW, HIGH]"
KEYS = ("knob", "so_that", "between")
ABOVE, BELOW, NOT_TOLD = 1, -1, 0


@dataclass(frozen=True)
class Wanted:
    """What is looked for."""

    knob: str
    clause: Clause
    """That the figure is above the number; its text is the equation."""
    values: Sequence[Any]
    """Those that the knob may take, ascending."""

    def check(self, population: Population, game: Game) -> None:
        """Raise `BadInput` if the ends of its values do not go with the other knobs."""
        for value in (self.values[0], self.values[-1]):
            self.at(value, population, game)

    def at(self, value: Any, population: Population, game: Game) -> Population:
        """The population where the knob has this value."""
        knobs = population.cells[0].knobs
        return population.changed(make(game.knobs, dict(knobs) | {self.knob: value}, self.clause.given))


def read_find(given: Given, game: Game, folder: Path) -> tuple[Wanted, ...]:
    """The inverse questions of a part of a study."""
    listed = some(given) if isinstance(given.value, list) else [given]
    return tuple(_wanted(each, game, folder) for each in listed)


def _wanted(given: Given, game: Game, folder: Path) -> Wanted:
    if not isinstance(given.value, dict):
        raise given.wrong(f"is not a question; {HOW}")
    fields = given.value
    for key in fields:
        if key not in KEYS:
            raise given.wrong_key("a key of find", key, KEYS)
    if missing := [key for key in KEYS[:2] if key not in fields]:
        raise given.error(f"lacks {missing[0]}; {HOW}")
    knob = fields["knob"]
    if not isinstance(knob.value, str):
        raise knob.wrong("is not the name of a knob")
    if knob.value not in game.knobs.model_fields:
        raise Given({knob.value: knob}, given.where, given.line).wrong_key(
            f"a knob of {game.name}", knob.value, game.knobs.model_fields
        )
    clause = read_equation(fields["so_that"], folder)
    if clause.stat.whose == "any seat":
        raise clause.given.error("is about any seat, which is several figures; name one: win_share[0]")
    values = _values(game, knob, fields.get("between"))
    if len(values) < 2:
        raise given.error(f"leaves {knob.value} no choice: {', '.join(map(str, values)) or 'nothing'}")
    return Wanted(knob.value, clause, values)


def _values(game: Game, knob: Given, between: Given | None) -> Sequence[Any]:
    """What the knob may be, ascending, within its bounds and `between`."""
    info = game.knobs.model_fields[knob.value]
    options = options_of(info.annotation)
    numbers = bool(options) and all(type(each) is int for each in options)
    if info.annotation not in (int, float) and not numbers:
        raise knob.wrong(f"is {allowed(info)}; only a knob that is a number can be looked for")
    bounds = [next((getattr(m, end) for m in info.metadata if hasattr(m, end)), None) for end in ("ge", "le")]
    low, high = (min(options), max(options)) if numbers else bounds
    if between is not None:
        low, high = _between(game, knob.value, between)
    if low is None or high is None:
        side = "lower" if low is None else "upper"
        raise knob.wrong(f"has no {side} bound ({allowed(info)}); add between: [LOW, HIGH]")
    if numbers:
        return sorted(each for each in options if low <= each <= high)
    if info.annotation is int:
        return range(int(low), int(high) + 1)
    return [low + (high - low) * step / STEPS for step in range(STEPS + 1)]


def _between(game: Game, name: str, given: Given) -> tuple[Any, Any]:
    if not isinstance(given.value, list) or len(given.value) != 2:
        raise given.wrong("is not two values, [LOW, HIGH]")
    low, high = (value_of(game.knobs, name, each) for each in given.value)
    if low >= high:
        raise given.error(f"goes from {low} to {high}; the first must be the lower one")
    return low, high


def most_points(size: int) -> int:
    """How many of so many values are visited at most: both ends, the middle, and halving on both sides of a value at
    which nothing can be told."""
    return 3 + 2 * ceil(log2(size))


@dataclass
class Search:
    """Where a figure crosses, among values 0 to size - 1, as sides are told of some."""

    size: int
    sides: dict[int, int] = field(default_factory=dict)
    """Of the values visited: ABOVE, BELOW or NOT_TOLD."""

    def next(self) -> int | None:
        """The value to visit; None where nothing more can be learned."""
        first, last = 0, self.size - 1
        for end in (first, last):
            if end not in self.sides:
                return end
        if NOT_TOLD in (self.sides[first], self.sides[last]) or len(self.sides) >= most_points(self.size):
            return None
        if self.bracket is None:
            middle = last // 2
            return middle if middle not in self.sides else None
        edges = sorted({*self.bracket, *self.untold})
        low, high = max(
            ((edges[0], edges[1]), (edges[-2], edges[-1])), key=lambda stretch: stretch[1] - stretch[0]
        )  # fmt: skip
        return (low + high) // 2 if high - low > 1 else None

    @property
    def bracket(self) -> tuple[int, int] | None:
        """The first two values, with none told of between them, of which one is above and the other is not."""
        told = sorted(place for place, side in self.sides.items() if side != NOT_TOLD)
        return next((pair for pair in pairwise(told) if self.sides[pair[0]] != self.sides[pair[1]]), None)

    @property
    def untold(self) -> list[int]:
        """The values within the bracket that were visited in vain."""
        low, high = self.bracket or (0, 0)
        return sorted(place for place in self.sides if low < place < high)

    @property
    def is_found(self) -> bool:
        """Whether the crossing lies between two neighbours."""
        return self.bracket is not None and self.bracket[1] - self.bracket[0] == 1

    @property
    def is_missed(self) -> bool:
        """Whether it is told of both ends and the middle that no crossing lies between."""
        return self.next() is None and bool(self.sides) and self.bracket is None and NOT_TOLD not in self.sides.values()


def game_of(population: Population) -> Game:
    return catalogue.game(population.cells[0].game)
