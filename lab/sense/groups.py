"""Playing a design: cells that keep the sums of groups of their games."""

import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from lab import runner
from lab.block import Work
from lab.cell import Cell
from lab.errors import BadInput, Incomplete
from lab.identity import cell_id
from lab.runner import Progress
from lab.store import SCHEMA, Store, write_rows
from lab.tally import Tally

GROUPS = 32
"""Games come in at least so many groups, and in less than twice as many."""
FLUSH_SECONDS = 5.0
"""How long blocks that have been played may wait to be written."""


@dataclass
class GroupTally:
    """A tally that remembers its groups."""

    tally: Tally
    groups: dict[int, NDArray[np.object_]]
    """By the group's first game number: [quantity, (m, u)] sums, as in `Tally.units`."""

    def __add__(self, other: "GroupTally") -> "GroupTally":
        return GroupTally(self.tally + other.tally, _added([*self.groups.items(), *other.groups.items()]))


def _added(groups: Iterable[tuple[int, NDArray[np.object_]]]) -> dict[int, NDArray[np.object_]]:
    found: dict[int, NDArray[np.object_]] = {}
    for first, sums in groups:
        found[first] = found[first] + sums if first in found else sums
    return dict(sorted(found.items()))


def group_size(games: int) -> int:
    """Game numbers of a group: a power of two, so that groups of fewer games make up those of more."""
    return 1 << max(0, (games // GROUPS).bit_length() - 1)


class GroupStore(Store):
    """The folder of a design: as a sweep's, and every cell with the sums of its groups.

    Blocks end where groups do. There are many and small ones, so they wait in memory to be written together.
    """

    schema = SCHEMA.append(
        pa.field("groups", pa.list_(pa.struct([
            ("first", pa.int64()), ("sums", pa.list_(pa.list_(pa.decimal128(38, 0)))),
        ])))
    )  # fmt: skip

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.waiting: dict[str, tuple[Cell, dict[int, GroupTally]]] = {}
        self.written = time.monotonic()

    def open(self) -> None:
        super().open()
        for path in (*self.folder.glob("cells/*.parquet"), *self.folder.glob("parts/*/*.parquet")):
            if "groups" not in pq.read_schema(path).names:
                raise BadInput(f"{self.folder}: holds the results of a sweep; sensitivity needs a folder of its own")

    def row_of(self, cell: Cell, name: str, tally: GroupTally) -> dict[str, Any]:
        size = group_size(tally.tally.games)
        groups = _added((first - first % size, sums) for first, sums in tally.groups.items())
        listed = [
            {"first": first, "sums": [[Decimal(int(each)) for each in line] for line in sums]}
            for first, sums in groups.items()
        ]
        return super().row_of(cell, name, tally.tally) | {"groups": listed}

    def tally_of(self, row: dict[str, Any]) -> GroupTally:
        groups = {
            each["first"]: np.array([[int(one) for one in line] for line in each["sums"]], object)
            for each in row["groups"]
        }
        return GroupTally(super().tally_of(row), groups)

    def missing(self, name: str, cell: Cell, block: int) -> list[Work]:
        return super().missing(name, cell, min(block, group_size(cell.games)))

    def add(self, name: str, cell: Cell, work: Work, tally: Tally) -> None:
        group = work.first - work.first % group_size(cell.games)
        _, blocks = self.waiting.setdefault(name, (cell, {}))
        blocks[work.first] = GroupTally(tally, {group: tally.units[:, :2]})
        if time.monotonic() - self.written > FLUSH_SECONDS:
            self.flush()

    def finish(self, name: str, cell: Cell) -> dict[str, Any]:
        self._flush(name)
        return super().finish(name, cell)

    def flush(self) -> None:
        """Write all blocks that wait."""
        for name in list(self.waiting):
            self._flush(name)
        self.written = time.monotonic()

    def _flush(self, name: str) -> None:
        if name not in self.waiting:
            return
        cell, blocks = self.waiting.pop(name)
        runs: list[tuple[int, GroupTally]] = []
        for first, tally in sorted(blocks.items()):
            if runs and runs[-1][0] + runs[-1][1].tally.games == first:
                runs[-1] = (runs[-1][0], runs[-1][1] + tally)
            else:
                runs.append((first, tally))
        for first, run in runs:
            row = self.row_of(cell, name, run)
            write_rows(self.part(name, "tally", (first, first + run.tally.games)), [row], self.schema)


def play(cells: Sequence[Cell], folder: Path, jobs: int | None, progress: Progress) -> tuple[list[dict[str, Any]], int]:
    """The rows of these cells, in order, and how many plays were missing."""
    store = GroupStore(folder)
    store.open()
    named = {cell_id(cell): cell for cell in cells}
    try:
        run = runner.fill(store, named, jobs, progress)
    finally:
        store.flush()
    rows = run.finish()
    if run.failures:
        raise Incomplete("; ".join(f"[{named[name].line_up}]: {why}" for name, why in run.failures.items()))
    found = [rows[name] for name in named]
    write_rows(folder / store.table, found, store.schema)
    with suppress(OSError):
        (folder / "parts").rmdir()
    _check_groups(found, folder)
    return found, run.played


def _check_groups(rows: Sequence[dict[str, Any]], folder: Path) -> None:
    """Cells must have the same groups of the same games, and enough of them."""
    most = max(row["games"] for row in rows)
    if min(row["games"] for row in rows) < most:
        raise BadInput(f"{folder}: holds more games of some cells than of others; ask for --games {most}")
    groups = {tuple(group["first"] for group in row["groups"]) for row in rows}
    if len(groups) > 1 or len(min(groups)) < GROUPS // 2:
        raise BadInput(f"{folder}: was left by a larger run, whose groups are few as yet; ask for --games {2 * most}")
