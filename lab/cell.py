"""A cell: one setting of everything that can change the numbers, and how many games of it are wanted."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from sims.core.game import Settings


@dataclass(frozen=True)
class Entry:
    """One place of a line-up: a policy by name (or `path/to/file.py:function`) and all its weights."""

    policy: str
    weights: Settings

    @property
    def title(self) -> str:
        """`threshold`, or `threshold:below=3` with the weights that are not the default."""
        defaults = {name: info.default for name, info in type(self.weights).model_fields.items()}
        changed = [f"{name}={value}" for name, value in self.weights if value != defaults[name]]
        return self.policy + (":" + ",".join(changed) if changed else "")


def seats_in_words(seats: int) -> str:
    return "1 seat" if seats == 1 else f"{seats} seats"


def line_up(titles: Iterable[str]) -> str:
    """Titles in one line, those that follow each other together: `threshold, keep ×3`."""
    runs = [(title, len(list(run))) for title, run in groupby(titles)]
    return ", ".join(title + (f" ×{n}" if n > 1 else "") for title, n in runs)


@dataclass(frozen=True)
class Cell:
    """One cell of a study."""

    game: str
    seats: int
    lineup: tuple[Entry, ...]
    """By seat, before any rotation; one entry for each seat."""
    knobs: Settings
    """An instance of the game's `knobs` model."""
    seed: int = 0
    """0 to 2**64 - 1."""
    rotate_seats: bool = False
    """Play every game number once in each cyclic rotation of the line-up."""
    games: int = 100_000
    """Game numbers 0 to games - 1 are wanted."""
    keep_games: int = 0
    """How many of the first games also leave a row each; -1: all."""
    part: str = ""
    """Name of the part of the study (`studies:`), empty if it has none."""

    @property
    def titles(self) -> tuple[str, ...]:
        return tuple(entry.title for entry in self.lineup)

    @property
    def rotations(self) -> int:
        return self.seats if self.rotate_seats else 1

    @property
    def line_up(self) -> str:
        """The titles in one line: `threshold, keep ×3`."""
        return line_up(self.titles)

    def parameters(self) -> dict[str, Any]:
        """What a reader would call the cell: everything that a study can vary, knobs by their names."""
        general = {"game": self.game, "seats": self.seats, "policies": self.line_up, "seed": self.seed,
                   "rotate_seats": self.rotate_seats}  # fmt: skip
        return ({"part": self.part} if self.part else {}) | general | self.knobs.model_dump()
