"""A block of games, as it travels to a worker and back. Workers load this module, and nothing that they do not need."""

import time
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from lab import seating
from lab.arena import Match
from lab.errors import LabError
from lab.seating import Recipe
from lab.tally import Tally, tally_and_rows, tally_block


class Work(NamedTuple):
    """A block that is still to be played, and what for."""

    first: int
    size: int
    tally: bool
    rows: bool


class Task(NamedTuple):
    """A block of a cell, as it travels to a worker."""

    name: str
    """The cell's identity."""
    plan: Recipe
    prepared: tuple[Any, ...]
    work: Work
    rows: Path
    """Where to put the rows of the games, if they are wanted."""


class Outcome(NamedTuple):
    """What became of a task."""

    task: Task
    tally: Tally | None
    seconds: float
    failure: str = ""


def play_task(task: Task) -> Outcome:
    """Play a block; in a worker, or in the parent."""
    start, work = time.perf_counter(), task.work
    try:
        matches = _matches(task.plan) if seating.unprepared(task.plan) else seating.matches(task.plan, task.prepared)
        if work.rows:
            tally, rows = tally_and_rows(matches, work.first, work.size)
            from lab.store import write_games  # brings pyarrow, and few blocks need it

            write_games(task.rows, seating.column_names(task.plan), work.first, rows)
        else:
            tally = tally_block(matches, work.first, work.size)
    except (LabError, OSError, ArithmeticError, LookupError, TypeError, ValueError) as error:
        return Outcome(task, None, 0.0, f"games {work.first} to {work.first + work.size - 1}: {_reason(error)}")
    return Outcome(task, tally, time.perf_counter() - start)


@lru_cache(maxsize=64)
def _matches(plan: Recipe) -> tuple[Match, ...]:
    return seating.matches(plan, seating.prepare(plan))


def _reason(error: Exception) -> str:
    text = " ".join(str(error).split())[:300]
    return text if isinstance(error, LabError) else f"{type(error).__name__}: {text}"
