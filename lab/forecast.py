"""What a sweep would take, from a pilot of each cell."""

from dataclasses import dataclass
from io import BytesIO
from math import sqrt
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from lab import catalogue, seating
from lab.cell import Cell
from lab.estimate import summarise
from lab.identity import cell_id
from lab.runner import merged, pilot
from lab.store import SCHEMA, Store, row_of
from lab.study import Study

BYTES_A_VALUE = 1.2
"""Of a table of games, compressed: measured on Viking Dice."""


@dataclass(frozen=True)
class Line:
    """The forecast of one cell."""

    shown: dict[str, Any]
    missing: int
    """Plays."""
    seconds: float
    """On one core."""
    bytes: float


def forecast(study: Study, folder: Path) -> list[Line]:
    """One line a cell; nothing is written."""
    cells = merged((cell_id(cell), cell) for cell in study.cells)
    return [_line(name, cell, Store(folder), study.varied) for name, cell in cells.items()]


def _line(name: str, cell: Cell, store: Store, varied: tuple[str, ...]) -> Line:
    plan, columns = seating.recipe(cell), seating.columns(seating.recipe(cell))
    trial = pilot(plan)
    summary = summarise(cell, columns, trial.tally)
    shrink = sqrt(trial.tally.games / cell.games)
    missing = sum(work.size for work in store.missing(name, cell, cell.games))
    game = catalogue.game(cell.game)
    headlines = [column.name for column in game.columns(cell.seats, cell.knobs) if column.headline]
    shown = {key: value for key, value in cell.parameters().items() if key in varied}
    shown |= {"games": cell.games, "missing": missing}
    shown |= {"± win share %": f"{100 * shrink * max(each.half_width for each in summary.win_share):.3f}"}
    shown |= {
        f"± {each.column}": f"{shrink * each.half_width:.4f}" for each in summary.metrics if each.column in headlines
    }
    shown |= {"seconds": f"{missing * trial.seconds_per_game:.2f}"}
    kept = cell.games if cell.keep_games < 0 else min(cell.keep_games, cell.games)
    size = _row_bytes(row_of(cell, name, game, trial.tally)) + kept * cell.rotations * len(columns) * BYTES_A_VALUE
    return Line(shown, missing * cell.rotations, missing * trial.seconds_per_game, size)


def _row_bytes(row: dict[str, Any]) -> int:
    """A cell is written twice: by itself, and in the table of the study."""
    buffer = BytesIO()
    pq.write_table(pa.Table.from_pylist([row], schema=SCHEMA), buffer)
    return 2 * len(buffer.getvalue())
