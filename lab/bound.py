"""How much of losing is luck: the share of deals that somebody who knew all luck to come could win, beside a policy's.

Both are of the same game numbers. A game that can be searched so names a module (`Game.clairvoyant`).
"""

import importlib
import time
from dataclasses import dataclass
from typing import Any

from lab import catalogue
from lab.cell import Cell
from lab.errors import BadInput
from lab.estimate import Estimate, wilson
from lab.runner import Progress
from lab.single import Run, run
from sims.core.game import Setting, encode

CHUNK = 10
"""Deals between two steps of the progress bar."""


@dataclass(frozen=True)
class Bound:
    """What a clairvoyant search found, and what a policy won."""

    run: Run
    width: int
    """States that the search kept of a layer."""
    possible: int
    """Deals in which a line that wins was found."""
    impossible: int
    """Deals of which it is proven that no line wins."""
    undecided: int
    seconds: float
    """Of the search, on one core."""

    @property
    def deals(self) -> int:
        return self.possible + self.impossible + self.undecided

    def share(self, deals: int) -> Estimate:
        return wilson(deals / self.deals, self.deals)

    def as_json(self) -> dict[str, Any]:
        names = ("possible", "impossible", "undecided")
        shares = {name: _numbers(getattr(self, name), self.share(getattr(self, name))) for name in names}
        return {**self.run.as_json(), "bound": {**shares, "width": self.width, "seconds": round(self.seconds, 3)}}

    def lines(self) -> list[tuple[str, Estimate]]:
        """What a table shows: in words, and the share of deals."""
        title = self.run.cell.titles[0]
        return [
            (f"won by {title}", self.run.summary.win_share[0]),
            ("a line that wins was found, all luck known", self.share(self.possible)),
            ("proven that no line wins", self.share(self.impossible)),
            (f"undecided with {self.width:,} states a layer", self.share(self.undecided)),
        ]


def _numbers(deals: int, share: Estimate) -> dict[str, Any]:
    return {"deals": deals, "share": share.estimate, "low": share.low, "high": share.high}


def bound(cell: Cell, width: int, progress: Progress | None = None) -> Bound:
    """Search all games of a cell, and let its policy play them.

    Raises `BadInput` if the game cannot be searched so.
    """
    game = catalogue.game(cell.game)
    if not game.clairvoyant:
        raise BadInput(f"{cell.game} has no search that knows all luck")
    module: Any = importlib.import_module(game.clairvoyant)
    setting, start = Setting(encode(cell.knobs), cell.seats, cell.seed, False), time.perf_counter()
    progress = progress or Progress()
    progress.start(cell.games)
    found: list[int] = []
    for first in range(0, cell.games, CHUNK):
        found += module.solve(setting, first, min(CHUNK, cell.games - first), width).tolist()
        progress.advance(len(found) - first)
    progress.stop()
    seconds = time.perf_counter() - start
    possible, impossible, undecided = map(found.count, (module.POSSIBLE, module.IMPOSSIBLE, module.UNDECIDED))
    return Bound(run(cell), width, possible, impossible, undecided, seconds)
