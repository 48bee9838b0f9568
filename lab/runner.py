"""The runner: plays what is missing of cells, in blocks, on any number of workers, into a store.

    fill(store, cells, jobs, progress) -> Run, which finishes the cells

The parent only aggregates. A block that fails is a record, not an exception: the study goes on, and at the end
`Incomplete` names its cell. A block whose worker dies is tried once more, alone.
"""

import os
import time
from collections import defaultdict
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from dataclasses import replace
from typing import Any, NamedTuple

from lab import seating
from lab.arena import Match
from lab.block import Outcome, Task, Work, play_task
from lab.cell import Cell
from lab.errors import LabError
from lab.seating import Recipe
from lab.store import Store
from lab.tally import Tally, compile_all, tally_block
from lab.workers import AHEAD, spread

BLOCK_SECONDS = 1.0
"""What a block should take at most, by the pilot's pace: much more than handing it out, little enough to lose."""
BLOCK_BYTES = 64 * 2**20
"""Where the rows of a block must be held together (games kept, seats rotated), they take no more than this."""
PILOT_SECONDS, PILOT_PLAYS = 0.05, 200_000
"""A pilot ends when it has taken so long, or has played so much."""


class Progress:
    """Told as a sweep goes on. This one says nothing."""

    def start(self, plays: int) -> None:
        """So many plays are to come."""

    def advance(self, plays: int) -> None:
        """So many more have been played."""

    def note(self, line: str) -> None:
        """Something that the user should know."""

    def stop(self) -> None:
        """Nothing more will come."""


def fill(store: Store, cells: dict[str, Any], jobs: int | None, progress: Progress) -> "Run":
    """Play what is missing of cells, or of pairs of cells (`lab.comparison`), by name, and keep it in an open store."""
    work = {name: store.missing(name, cell, cell.games) for name, cell in cells.items()}
    blocks = _blocks(cell for name, cell in cells.items() if work[name])
    work = {name: store.missing(name, cell, blocks[_kind(cell)]) if work[name] else [] for name, cell in cells.items()}
    run = Run(store, cells, work)
    tasks = list(_tasks(store, cells, work, run.failures))
    progress.start(sum(task.plays for task in tasks))
    try:
        with closing(_play_all(tasks, jobs or os.cpu_count() or 1, progress)) as outcomes:
            for outcome in outcomes:
                run.take(outcome)
                progress.advance(outcome.task.plays)
    finally:
        progress.stop()
    return run


def merged(cells: Iterable[tuple[str, Cell]]) -> dict[str, Cell]:
    """Each different cell once: parts of a study may share one, and may want more or fewer games of it."""
    merged: dict[str, Cell] = {}
    for name, cell in cells:
        other = merged.get(name, cell)
        keep = -1 if -1 in (cell.keep_games, other.keep_games) else max(cell.keep_games, other.keep_games)
        merged[name] = replace(other, games=max(cell.games, other.games), keep_games=keep)
    return merged


# Blocks


def _kind(cell: Any) -> tuple[Any, ...]:
    """What a game of a cell takes hangs on, more than on anything else: who plays above all."""
    return tuple(
        (
            each.game,
            each.seats,
            each.rotate_seats,
            each.keep_games != 0,
            frozenset(entry.policy for entry in each.lineup),
        )
        for each in _members(cell)
    )


def _blocks(cells: Iterable[Any]) -> dict[tuple[Any, ...], int]:
    """Game numbers of a block, for each kind of cell: a power of two, from the pace of one of that kind."""
    return {kind: _block(cell) for kind, cell in {_kind(cell): cell for cell in cells}.items()}


def _block(cell: Any) -> int:
    members = _members(cell)
    plans = [seating.recipe(each) for each in members]
    try:
        count = max(1, int(BLOCK_SECONDS / sum(pilot(plan).seconds_per_game for plan in plans)))
    except LabError:  # it will be told when the cell's own turn comes
        count = PILOT_PLAYS
    if len(members) > 1 or cell.rotations > 1 or cell.keep_games:
        width = sum(4 * (1 + len(seating.column_names(plan))) * plan.rotations for plan in plans)
        count = min(count, BLOCK_BYTES // width)
    return 1 << max(0, count.bit_length() - 1)


class Pilot(NamedTuple):
    """A few games of a cell, to see what it takes."""

    tally: Tally
    seconds_per_game: float
    """One game number, in all its rotations, on one core."""


def pilot(plan: Recipe) -> Pilot:
    """Play some games of a cell (its first ones; they are not kept), and four times as many until it has taken a while.

    What few games take is mostly what a table of any size takes. So the pace is what the last games added took, and
    the rest shared by a full table.
    """
    matches = seating.matches(plan, seating.prepare(plan))
    compile_all(matches)
    count, (tally, before) = 16, _timed(matches, 16, PILOT_SECONDS)
    if before > PILOT_SECONDS * 10:  # a policy that thinks: nothing that a table takes is to be seen beside it
        return Pilot(tally, before / count)
    while True:
        tally, seconds = _timed(matches, 4 * count, max(PILOT_SECONDS, 5 * before))
        each = max(0.0, seconds - before) / (3 * count)
        count *= 4
        if seconds > PILOT_SECONDS or count * len(matches) >= PILOT_PLAYS:
            alone = max(0.0, seconds - each * count)
            return Pilot(tally, max(each, seconds / count / 100) + alone / max(count, matches[0].game.lanes))
        before = seconds


def _timed(matches: tuple[Match, ...], count: int, expected: float) -> tuple[Tally, float]:
    """The first games, and the seconds that they take: of two goes the better, where the first took unexpectedly long.

    It may have been disturbed, and who takes a pause of the machine for the pace of a game plays in far too small
    blocks: a cell of 100,000,000 games once came in 195,313 blocks, and not in 12.
    """
    goes: list[float] = []
    while len(goes) < 2 and (not goes or goes[0] > expected):
        start = time.perf_counter()
        tally = tally_block(matches, 0, count)
        goes.append(time.perf_counter() - start)
    return tally, min(goes)


def _tasks(
    store: Store, cells: dict[str, Any], work: dict[str, list[Work]], failures: dict[str, str]
) -> Iterator[Task]:
    """All blocks to be played, everything that they need prepared and compiled; failures: why of a cell there are none.

    The parent compiles before workers start: two processes that write one cache can corrupt it.
    """
    for name, cell in cells.items():
        if not work[name]:
            continue
        plans = [seating.recipe(each) for each in _members(cell)]
        try:
            prepared = [seating.prepare(plan) for plan in plans]
            for plan, tables in zip(plans, prepared, strict=True):
                compile_all(seating.matches(plan, tables))
        except LabError as error:
            failures[name] = str(error)
            continue
        other = (plans[1], prepared[1]) if len(plans) > 1 else ()
        for each in work[name]:
            yield Task(name, plans[0], prepared[0], each, store.part(name, "games", each.span), *other)


def _members(cell: Any) -> tuple[Cell, ...]:
    """A cell, or both cells of a pair."""
    return (cell,) if isinstance(cell, Cell) else (cell.first, cell.second)


# Playing


def _play_all(tasks: list[Task], jobs: int, progress: Progress) -> Generator[Outcome, None, None]:
    """The outcomes of all tasks, in any order."""
    jobs = min(jobs, len(tasks))
    if jobs <= 1:
        yield from map(play_task, tasks)
        return
    todo = {(task.name, task.work): task for task in tasks}
    while todo:
        try:
            for outcome in spread(play_task, list(todo.values()), jobs):
                del todo[outcome.task.name, outcome.task.work]
                yield outcome
        except BrokenProcessPool:
            progress.note("a worker died; its blocks are played again, one at a time")
            for task in list(todo.values())[: AHEAD * jobs]:  # those that it may have held
                yield _play_alone(task)
                del todo[task.name, task.work]


def _play_alone(task: Task) -> Outcome:
    try:
        (outcome,) = spread(play_task, [task], jobs=1)
    except BrokenProcessPool:
        return Outcome(task, None, 0.0, "the worker that played it died twice")
    return outcome


class Run:
    """Takes in outcomes, and finishes each cell as soon as nothing of it is missing."""

    def __init__(self, store: Store, cells: dict[str, Any], work: dict[str, list[Work]]) -> None:
        self.store, self.cells, self.played = store, cells, 0
        self.left = {name: len(blocks) for name, blocks in work.items()}
        self.rows: dict[str, dict[str, Any]] = {}
        self.failures: dict[str, str] = {}
        self.seconds: dict[str, float] = defaultdict(float)

    def take(self, outcome: Outcome) -> None:
        task, cell = outcome.task, self.cells[outcome.task.name]
        if outcome.tally is None:
            self.failures.setdefault(task.name, outcome.failure)
            return
        self.seconds[task.name] += outcome.seconds
        self.played += outcome.tally.plays
        if task.work.tally:
            self.store.add(task.name, cell, task.work, outcome.tally)
        self.left[task.name] -= 1
        if self.left[task.name] == 0:
            self.rows[task.name] = self.store.finish(task.name, cell)

    def finish(self) -> dict[str, dict[str, Any]]:
        """The rows of all finished cells, those of which nothing was missing included."""
        for name, cell in self.cells.items():
            if self.left[name] == 0 and name not in self.rows:
                self.rows[name] = self.store.finish(name, cell)
        return self.rows
