"""What sensitivity is about: factors, figures, and what a design has shown of them."""

from dataclasses import dataclass

from lab.estimate import Estimate
from lab.pairs import Difference

Combination = tuple[int, ...]
"""A level, by its place, of each factor."""


@dataclass(frozen=True)
class Factor:
    """What varies: a knob, seats, line-ups, or several that go together (`zip`)."""

    name: str
    levels: tuple[str, ...]
    base: int
    """The level of the other factors' comparisons: the default, or the first."""


@dataclass(frozen=True)
class Measure:
    """A figure that every cell of the design has."""

    name: str
    """As in `lab.pairs.quantities`."""
    unit: str

    @property
    def percent(self) -> bool:
        return self.name.startswith("win_share ")


@dataclass(frozen=True)
class Spread:
    """How much a figure varies over the design."""

    mean: float
    deviation: Estimate
    """The standard deviation, without the noise."""


@dataclass(frozen=True)
class Index:
    """Shares of a figure's variance over the design; nan where the variance is not above the noise."""

    measure: Measure
    factor: Factor
    first: Estimate
    total: Estimate


@dataclass(frozen=True)
class Effect:
    """One step, from a factor's base level to another."""

    measure: Measure
    factor: Factor
    level: str
    change: Difference


@dataclass(frozen=True)
class Sense:
    """What a design has shown. spreads and indices are empty where only one factor varies."""

    name: str
    factors: tuple[Factor, ...]
    measures: tuple[Measure, ...]
    undefined: tuple[Measure, ...]
    """Figures that are left out, since in some cell no play defines them."""
    spreads: dict[Measure, Spread]
    indices: tuple[Index, ...]
    effects: tuple[Effect, ...]
    design: str
    """In words."""
    games: int
    """Game numbers of each cell."""
    rotated: bool
    played: int
    """Plays of this run; all others were in the store."""
    seconds: float
