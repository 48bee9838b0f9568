"""Precision instead of a number of games: what a study says with `until` (`lab.goals`).

A cell is played until it has reached all of its goals, or its `limit`. One looks at numbers of games that were fixed in
advance (`lab.sequences`), with intervals that hold at all looks at once; cells that have reached their goals are played
no further. The error rate of all goals together is `lab.ask.ERROR`, divided among goals, cells and seats.
"""

from dataclasses import dataclass, field, replace
from typing import Any

from lab import sequences
from lab.ask import ERROR, Figure, Verdict, measure
from lab.cell import Cell
from lab.goals import Goal
from lab.runner import Progress, fill
from lab.store import Store

REACHED, LIMIT = "reached", "limit"


@dataclass
class Watched:
    """A cell that is played until it has reached its goals."""

    cell: Cell
    goals: tuple[Goal, ...]
    verdicts: list[Verdict]
    looks: int = 0
    stopped: str = ""

    def look(self, tally: Any) -> None:
        """Decide whether to go on."""
        self.looks = sequences.look_number(tally.games)
        for goal, verdict in zip(self.goals, self.verdicts, strict=True):
            if goal.half_width is not None or not verdict.is_decided:
                verdict.hears(measure(verdict, tally), tally.games)
        if all(_is_reached(goal, each) for goal, each in zip(self.goals, self.verdicts, strict=True)):
            self.stopped = REACHED
        elif tally.games >= self.cell.games:
            self.stopped = LIMIT

    def as_rows(self) -> dict[str, Any]:
        """What the table of cells says of it."""
        figures = [
            {"goal": goal.clause.text, "figure": figure.label, "asymptotic": figure.asymptotic}
            | {"estimate": figure.value.estimate, "low": figure.value.low, "high": figure.value.high}
            for goal, verdict in zip(self.goals, self.verdicts, strict=True)
            for figure in verdict.figures
        ]
        return {"looks": self.looks, "stopped": self.stopped, "goals": figures}


def _is_reached(goal: Goal, verdict: Verdict) -> bool:
    if goal.half_width is None:
        return verdict.is_decided
    return all(_half(figure) <= goal.half_width for figure in verdict.figures)


def _half(figure: Figure) -> float:
    value = figure.value
    return max(value.high - value.estimate, value.estimate - value.low)


@dataclass
class Played:
    """What `play_until` has done."""

    rows: dict[str, dict[str, Any]] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)
    played: int = 0
    seconds: dict[str, float] = field(default_factory=dict)


def play_until(
    store: Store, cells: dict[str, Cell], goals: dict[str, tuple[Goal, ...]], jobs: int | None, progress: Progress
) -> Played:
    """Play cells, by name, until each has reached its goals or its number of games (the limit)."""
    count = sum(len(goals[name]) for name in cells)
    watched = {
        name: Watched(cell, goals[name], [Verdict(cell, goal.clause, ERROR / count) for goal in goals[name]])
        for name, cell in cells.items()
    }
    done = Played()
    for games in sequences.looks(max(cell.games for cell in cells.values())):
        playing = {name: each for name, each in watched.items() if not each.stopped}
        if not playing:
            break
        asked = {name: replace(each.cell, games=min(games, each.cell.games)) for name, each in playing.items()}
        run = fill(store, asked, jobs, progress)
        done.failures |= run.failures
        done.played += run.played
        for name, seconds in run.seconds.items():
            done.seconds[name] = done.seconds.get(name, 0.0) + seconds
        for name, row in run.finish().items():
            watched[name].look(store.tally_of(row))
            done.rows[name] = row | watched[name].as_rows()
        for name in run.failures:
            watched[name].stopped = "failed"
    return done
