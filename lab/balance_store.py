"""What `lab balance` has played so far, so that the same command goes on where it stopped: a folder of the store.

    parts/ID/sample-FIRST-END.parquet        what a block of games gave to fit on
    parts/ID/sums-FIRST-END.parquet          what one gave that was measured
    balance/ID.parquet, curves/ID.parquet    the rows of a cell of which nothing is missing; its parts are deleted

ID is the identity of what is measured: a cell, and on how many games. Blocks are arrays, kept to the last bit.
"""

import hashlib
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from lab import balance_table
from lab.balance_table import Row
from lab.cell import Cell
from lab.identity import cell_id
from lab.store import Span, Store, read_rows, write_rows

MEASURED = 1
"""Rises when the same games would be measured otherwise than before."""
BLOCK_SCHEMA = pa.schema([
    ("name", pa.string()), ("type", pa.string()), ("shape", pa.list_(pa.int64())), ("bytes", pa.binary()),
])  # fmt: skip
"""One row an array, in C order."""

Arrays = dict[str, NDArray[Any]]


def measured_id(cell: Cell, games: int) -> str:
    """games: game numbers that are measured. 16 hex digits."""
    return hashlib.sha256(json.dumps([MEASURED, cell_id(cell), games]).encode()).hexdigest()[:16]


class BalanceStore(Store):
    """The folder of a study's balance measures; beside cells, if it has some."""

    def keep(self, name: str, kind: str, span: Span, arrays: Arrays) -> None:
        """Keep what a block gave; kind: "sample" or "sums"."""
        rows = [
            {"name": each, "type": array.dtype.str, "shape": array.shape, "bytes": array.tobytes()}
            for each, array in arrays.items()
        ]
        write_rows(self.part(name, kind, span), rows, BLOCK_SCHEMA)

    def kept(self, name: str, kind: str, span: Span) -> Arrays:
        """The arrays, which cannot be written to."""
        rows = read_rows(self.part(name, kind, span))
        return {row["name"]: np.frombuffer(row["bytes"], row["type"]).reshape(row["shape"]) for row in rows}

    def measures(self, name: str, cell: Cell) -> tuple[list[Row], list[Row]] | None:
        """The rows of both tables, if nothing is missing of a cell."""
        table, curves = self._finished(name)
        if not (table.is_file() and curves.is_file()):
            return None
        return [row | {"part": cell.part} for row in read_rows(table)], read_rows(curves)

    def settle(self, name: str, rows: list[Row], curves: list[Row]) -> None:
        """Keep the rows of a cell of which nothing is missing."""
        table, of_curves = self._finished(name)
        write_rows(table, rows, balance_table.SCHEMA)
        write_rows(of_curves, curves, balance_table.CURVE_SCHEMA)

    def write_tables(self, rows: list[Row], curves: list[Row]) -> None:
        """Write the tables of the study."""
        balance_table.write(self.folder, rows, curves)
        with suppress(OSError):
            (self.folder / "parts").rmdir()

    def _finished(self, name: str) -> tuple[Path, Path]:
        return self.folder / "balance" / f"{name}.parquet", self.folder / "curves" / f"{name}.parquet"
