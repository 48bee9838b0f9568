"""One cell at once, in this process: `lab run`."""

import time
from dataclasses import asdict, dataclass
from math import isfinite
from typing import Any

from lab import catalogue, seating
from lab.cell import Cell
from lab.estimate import Summary, summarise
from lab.notes import note_of
from lab.runner import BLOCK_SECONDS, Progress, pilot
from lab.tally import Tally, compile_all, tally_block


@dataclass(frozen=True)
class Run:
    """What a cell's games gave."""

    cell: Cell
    tally: Tally
    summary: Summary
    seconds: float
    """Of the arena, on one core; compiling excluded."""

    def as_json(self) -> dict[str, Any]:
        """The stable interface of `lab run --json`, see the README. What is not defined is null."""
        cell, summary = self.cell, self.summary
        rows = {metric.column: row for row, metric in enumerate(summary.metrics, start=1)}
        return {
            "game": cell.game,
            "rules_version": catalogue.game(cell.game).rules_version,
            "seats": cell.seats,
            "games": summary.games,
            "seed": cell.seed,
            "policies": list(cell.titles),
            "knobs": cell.knobs.model_dump(),
            "note": note_of(cell),
            "unfinished": summary.unfinished,
            "no_winner": summary.no_winner,
            "shared": summary.shared,
            "win_share": [asdict(share) for share in summary.win_share],
            "win_share_policy": [asdict(share) for share in summary.win_share_policy],
            "win_share_by": [_numbers(each) for each in summary.win_share_by],
            "metrics": {metric.column: _numbers(metric) for metric in summary.metrics},
            "histograms": {name: self._histogram(row) for name, row in rows.items()},
            "seconds": round(self.seconds, 6),
            "games_per_second": round(summary.plays / self.seconds, 1),
        }

    def _histogram(self, row: int) -> dict[str, int]:
        """Plays by value; `above` counts those beyond the histogram, if there are any."""
        counts = {str(value): n for value, n in self.tally.histogram(row).items()}
        more = int(self.tally.above[row, 0])
        return counts | ({"above": more} if more else {})


def _numbers(figures: Any) -> dict[str, Any]:
    known = {name: value for name, value in asdict(figures).items() if name != "column"}
    return {name: value if isinstance(value, str) or isfinite(value) else None for name, value in known.items()}


def run(cell: Cell, progress: Progress | None = None) -> Run:
    """Play all games of a cell."""
    progress = progress or Progress()
    plan = seating.recipe(cell)
    matches = seating.matches(plan, seating.prepare(plan))
    compile_all(matches)
    block = max(1, int(BLOCK_SECONDS / pilot(plan).seconds_per_game)) if cell.games > 20_000 else cell.games
    progress.start(cell.games * cell.rotations)
    tally, seconds = None, 0.0
    for first in range(0, cell.games, block):
        start = time.perf_counter()
        part = tally_block(matches, first, min(block, cell.games - first))
        seconds += time.perf_counter() - start
        tally = tally + part if tally else part
        progress.advance(part.plays)
    progress.stop()
    assert tally is not None, "a cell has at least one game"
    return Run(cell, tally, summarise(cell, seating.columns(plan), tally), seconds)
