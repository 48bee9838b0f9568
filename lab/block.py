"""A block of games, as it travels to a worker and back. Workers load this module, and nothing that they do not need."""

import time
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from lab import seating
from lab.arena import Match
from lab.errors import LabError
from lab.pairs import PairTally, play_pair
from lab.seating import Recipe
from lab.tally import Tally, tally_and_rows, tally_block


class Work(NamedTuple):
    """A block that is still to be played, and what for."""

    first: int
    size: int
    tally: bool
    rows: bool

    @property
    def span(self) -> tuple[int, int]:
        """Game numbers from the first up to, but not including, the second."""
        return self.first, self.first + self.size


class Task(NamedTuple):
    """A block of a cell, as it travels to a worker."""

    name: str
    """The cell's identity."""
    plan: Recipe
    prepared: tuple[Any, ...]
    work: Work
    rows: Path
    """Where to put the rows of the games, if they are wanted."""
    other: Recipe | None = None
    """The second cell of a comparison, which plays the same games."""
    other_prepared: tuple[Any, ...] = ()

    @property
    def plays(self) -> int:
        return self.work.size * (self.plan.rotations + (self.other.rotations if self.other else 0))


class Outcome(NamedTuple):
    """What became of a task."""

    task: Task
    tally: Tally | PairTally | None
    seconds: float
    failure: str = ""


def play_task(task: Task) -> Outcome:
    """Play a block; what a policy or the disk does wrong is part of the outcome."""
    start, work = time.perf_counter(), task.work
    try:
        matches = _seated(task.plan, task.prepared)
        tally: Tally | PairTally
        if task.other:
            tally = play_pair(matches, _seated(task.other, task.other_prepared), work.first, work.size)
        elif work.rows:
            from lab.store import write_games  # brings pyarrow, and few blocks need it

            tally, rows = tally_and_rows(matches, work.first, work.size)
            write_games(task.rows, seating.column_names(task.plan), work.first, rows)
        else:
            tally = tally_block(matches, work.first, work.size)
    except (LabError, OSError) as error:
        return Outcome(task, None, 0.0, f"games {work.first} to {work.first + work.size - 1}: {error}")
    return Outcome(task, tally, time.perf_counter() - start)


def _seated(plan: Recipe, prepared: tuple[Any, ...]) -> tuple[Match, ...]:
    return _matches(plan) if seating.unprepared(plan) else seating.matches(plan, prepared)


@lru_cache(maxsize=64)
def _matches(plan: Recipe) -> tuple[Match, ...]:
    return seating.matches(plan, seating.prepare(plan))
