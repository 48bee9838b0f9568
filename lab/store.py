"""The store: a folder that a sweep writes, and that DuckDB, pandas and polars read without the lab.

    cells.parquet            one row a cell of the study, in its order
    games/CELL.parquet       one row a play of the first games, where the study says `keep_games`
    study.json               the manifest: versions, source hashes, configuration, timings
    cells/CELL.parquet       the same row as in cells.parquet, for every cell ever finished here
    parts/CELL/*.parquet     blocks that are not yet part of a finished cell
    comparisons.parquet, pairs/PAIR.parquet    the same for comparisons (`lab.comparison`)
    balance.parquet, curves.parquet            and for balance measures (`lab.balance_store`)

Every file is written under a name that begins with a dot and then renamed, so a reader never meets half a file, and a
sweep that was killed loses at most the blocks in flight. CELL is the cell's identity (`lab.identity`): what was
played under other rules, weights or seeds has another name and is never mixed in.
"""

import json
import os
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from decimal import Decimal
from functools import reduce
from itertools import pairwise
from operator import add
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from lab import catalogue
from lab.block import Work
from lab.cell import Cell
from lab.errors import BadInput
from lab.estimate import Crossed, Summary, summarise
from lab.notes import note_of
from lab.tally import BINS, LOWEST, Tally
from sims.core.game import Game

Span = tuple[int, int]
"""Game numbers from the first up to, but not including, the second."""

_EXACT = pa.decimal128(38, 0)
_SHARE = [("estimate", pa.float64()), ("low", pa.float64()), ("high", pa.float64())]
_METRIC = pa.struct([
    ("column", pa.string()), ("n", pa.int64()), ("mean", pa.float64()), ("sd", pa.float64()),
    ("low", pa.float64()), ("high", pa.float64()),
    ("values", pa.list_(pa.int32())), ("counts", pa.list_(pa.int64())),
    ("above", pa.list_(_EXACT)),
])  # fmt: skip
SCHEMA = pa.schema([
    ("cell", pa.string()), ("part", pa.string()), ("game", pa.string()), ("rules_version", pa.int32()),
    ("seats", pa.int8()), ("policies", pa.list_(pa.string())), ("rotate_seats", pa.bool_()), ("seed", pa.uint64()),
    ("knobs", pa.string()), ("games", pa.int64()), ("plays", pa.int64()),
    ("unfinished", pa.int64()), ("no_winner", pa.int64()), ("shared", pa.int64()),
    ("win_share", pa.list_(pa.struct([("seat", pa.int8()), *_SHARE]))),
    ("win_share_policy", pa.list_(pa.struct([("policy", pa.string()), *_SHARE]))),
    ("metrics", pa.list_(_METRIC)),
    ("winners", pa.list_(pa.struct([("seats", pa.int32()), ("plays", pa.int64())]))),
    ("units", pa.list_(pa.list_(_EXACT))),
    ("win_share_by", pa.list_(pa.struct([
        ("by", pa.string()), ("value", pa.string()), ("seat", pa.int8()), ("n", pa.int64()), *_SHARE,
        ("sums", pa.list_(_EXACT)),
    ]))),
    ("note", pa.string()), ("looks", pa.int32()), ("stopped", pa.string()),
    ("goals", pa.list_(pa.struct([
        ("goal", pa.string()), ("figure", pa.string()), ("asymptotic", pa.bool_()), *_SHARE,
    ]))),
])  # fmt: skip
"""The one schema of `cells`. knobs: a JSON object. winners: plays by bit mask of winning seats. metrics: values and
counts are the histogram (`Column.undefined`: not defined), above is [number, sum, sum of squares] of values beyond it.
units: see `lab.tally`. win_share_by: see `lab.cross.Quantity`, with the same sums. note: see `lab.notes`. looks,
stopped, goals: where a study says `until` (`lab.until`), with intervals that hold at all looks. Other intervals are for
95 %."""

ROW_GROUP = 65_536
PART = re.compile(r"(tally|games|sample|sums)-\d+-\d+\.parquet")
OURS = re.compile(rf"(cells|games|pairs|balance|curves)/[0-9a-f]{{16}}\.parquet|parts/[0-9a-f]{{16}}/{PART.pattern}")
HIDDEN = re.compile(r"\..+\.(parquet|json)\.(?P<pid>\d+)")


# Rows


def row_of(cell: Cell, name: str, game: Game, tally: Tally) -> dict[str, Any]:
    """The row of a cell, or of a part of it."""
    columns = game.columns(cell.seats, cell.knobs)
    summary = summarise(cell, columns, tally)
    return {
        "cell": name, "part": cell.part, "game": cell.game, "rules_version": game.rules_version,
        "seats": cell.seats, "policies": list(cell.titles), "rotate_seats": cell.rotate_seats, "seed": cell.seed,
        "knobs": json.dumps(cell.knobs.model_dump()), "games": tally.games, "plays": tally.plays,
        "unfinished": summary.unfinished, "no_winner": summary.no_winner, "shared": summary.shared,
        "win_share": [{"seat": seat} | asdict(share) for seat, share in enumerate(summary.win_share)],
        "win_share_policy": [
            {"policy": title} | asdict(share)
            for title, share in zip(cell.titles, summary.win_share_policy, strict=True)
        ],
        "metrics": [_metric_of(tally, c, summary) for c in range(len(columns))],
        "winners": [{"seats": mask, "plays": n} for mask, n in tally.histogram(0).items()],
        "units": [[Decimal(int(each)) for each in line] for line in tally.units],
        "win_share_by": [
            asdict(share) | _known(share) | {"sums": [Decimal(int(each)) for each in line]}
            for share, line in zip(summary.win_share_by, tally.crossed, strict=True)
        ],
        "note": note_of(cell), "looks": None, "stopped": None, "goals": None,
    }  # fmt: skip


def _known(share: Crossed) -> dict[str, float | None]:
    """Its estimate and interval; null where it never is defined."""
    return {name: getattr(share, name) if share.n else None for name in ("estimate", "low", "high")}


def _metric_of(tally: Tally, column: int, summary: Summary) -> dict[str, Any]:
    histogram = tally.histogram(column + 1)
    return asdict(summary.metrics[column]) | {
        "values": list(histogram),
        "counts": list(histogram.values()),
        "above": [Decimal(int(each)) for each in tally.above[column + 1]],
    }


def tally_of(row: dict[str, Any]) -> Tally:
    """The tally in a row: the inverse of `row_of`."""
    known = {column.name: column.lowest for column in catalogue.stored_columns(row)}
    lowest = [known.get(metric["column"], 0) for metric in row["metrics"]]
    counts = np.zeros((BINS, 1 + len(row["metrics"])), np.int64)
    for each in row["winners"]:
        counts[each["seats"] - LOWEST, 0] = each["plays"]
    for line, metric, first in zip(counts.T[1:], row["metrics"], lowest, strict=True):
        line[np.array(metric["values"], np.int64) - first - LOWEST] = metric["counts"]
    above = [[0, 0, 0], *([int(each) for each in metric["above"]] for metric in row["metrics"])]
    units = [[int(each) for each in line] for line in row["units"]]
    crossed = np.array([[int(each) for each in share["sums"]] for share in row["win_share_by"]], object).reshape(-1, 5)
    rotations = row["seats"] if row["rotate_seats"] else 1
    return Tally(
        row["games"], rotations, counts, np.array(above, object), np.array(units, object), crossed,
        np.array([0, *lowest], np.int32),
    )  # fmt: skip


# Files


def write_atomically(path: Path, write: Callable[[Path], None]) -> None:
    """Let `write` write a file beside `path`, whose name no reader takes up, then put it in place."""
    path.parent.mkdir(parents=True, exist_ok=True)
    hidden = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        write(hidden)
        with hidden.open("rb") as file:
            os.fsync(file.fileno())
        hidden.replace(path)
    finally:
        hidden.unlink(missing_ok=True)


def write_rows(path: Path, rows: list[dict[str, Any]], schema: pa.Schema = SCHEMA) -> None:
    table = pa.Table.from_pylist(rows, schema=schema)
    write_atomically(path, lambda hidden: pq.write_table(table, hidden))


def read_rows(path: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = pq.ParquetFile(path).read().to_pylist()
    return rows


def write_games(path: Path, names: tuple[str, ...], first: int, plays: NDArray[np.int32]) -> None:
    """Write plays [game, rotation, 1 + columns] as a table of games."""
    table = _games_table(names, first, plays)
    write_atomically(path, lambda hidden: pq.write_table(table, hidden, row_group_size=ROW_GROUP))


def _games_table(names: tuple[str, ...], first: int, plays: NDArray[np.int32]) -> pa.Table:
    games, rotations, _ = plays.shape
    columns: dict[str, Any] = {
        "game_number": np.repeat(np.arange(first, first + games, dtype=np.int64), rotations),
        "rotation": np.tile(np.arange(rotations, dtype=np.int8), games),
    }
    columns |= {name: plays[:, :, 1 + c].reshape(-1) for c, name in enumerate(names)}
    return pa.table(columns)


class Store:
    """The folder of one sweep."""

    table, rows, schema = "cells.parquet", "cells", SCHEMA

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def row_of(self, cell: Any, name: str, tally: Any) -> dict[str, Any]:
        """The row of a cell, or of a part of it."""
        return row_of(cell, name, catalogue.game(cell.game), tally)

    def tally_of(self, row: dict[str, Any]) -> Any:
        return tally_of(row)

    def open(self) -> None:
        """Make the folder, or find out now that it cannot be written."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with TemporaryFile(dir=self.folder):
                self._clear_away()
        except OSError as error:
            raise BadInput(f"{self.folder}: results cannot be written there ({error.strerror or error})") from error

    def _clear_away(self) -> None:
        """Delete what killed sweeps had begun to write, and tables that cannot be read: they are made anew."""
        for path in self._files(".*"):
            if (owner := HIDDEN.fullmatch(path.name)) and not _alive(int(owner["pid"])):
                path.unlink()
        for path in self._files("*.parquet"):
            if OURS.fullmatch(path.relative_to(self.folder).as_posix()) and not _readable(path):
                path.unlink()

    def _files(self, pattern: str) -> list[Path]:
        places = ("", "cells/", "games/", "pairs/", "balance/", "curves/", "parts/*/")
        return [path for place in places for path in self.folder.glob(place + pattern) if path.is_file()]

    # What is there, and what is missing

    def finished(self, name: str) -> dict[str, Any] | None:
        """The row of a finished cell."""
        path = self._cell(name)
        return read_rows(path)[0] if path.is_file() else None

    def missing(self, name: str, cell: Any, block: int) -> list[Work]:
        """What is to be played so that `cell.games` games are tallied and `cell.keep_games` have their rows.

        Blocks end at multiples of `block`, and wherever what is there begins or ends.
        """
        row = self.finished(name)
        tallied = [(0, row["games"] if row else 0), *self.spans(name, "tally")]
        kept = [(0, self._kept(name, cell)), *self.spans(name, "games")]
        keep = cell.games if cell.keep_games < 0 else min(cell.keep_games, cell.games)
        cuts = {edge for span in (*tallied, *kept) for edge in span if edge < cell.games}
        cuts |= {0, keep, cell.games, *range(0, cell.games, block)}
        edges = sorted(cuts)
        work = [
            Work(first, end - first, not _within(first, tallied), first < keep and not _within(first, kept))
            for first, end in pairwise(edges)
        ]
        return [each for each in work if each.tally or each.rows]

    def _kept(self, name: str, cell: Any) -> int:
        path = self._games(name)
        return pq.read_metadata(path).num_rows // cell.rotations if path.is_file() else 0

    def spans(self, name: str, kind: str) -> list[Span]:
        """The blocks that are there; kind: see `part`."""
        return [_span_of(path) for path in self._parts(name, kind)]

    def _parts(self, name: str, kind: str) -> list[Path]:
        folder = self.folder / "parts" / name
        return sorted((path for path in folder.glob("*") if PART.fullmatch(path.name) and path.name.startswith(kind)),
                      key=_span_of)  # fmt: skip

    def part(self, name: str, kind: str, span: Span) -> Path:
        """The file of a block; kind: "tally" or "games", or what another command keeps."""
        first, end = span
        return self.folder / "parts" / name / f"{kind}-{first}-{end}.parquet"

    def _cell(self, name: str) -> Path:
        return self.folder / self.rows / f"{name}.parquet"

    def _games(self, name: str) -> Path:
        return self.folder / "games" / f"{name}.parquet"

    # What is added

    def add(self, name: str, cell: Any, work: Work, tally: Any) -> None:
        """Keep the tally of a block."""
        write_rows(self.part(name, "tally", work.span), [self.row_of(cell, name, tally)], self.schema)

    def finish(self, name: str, cell: Any) -> dict[str, Any]:
        """Merge the parts of a cell of which nothing is missing; its row."""
        row = self.finished(name)
        parts = _following(row["games"] if row else 0, self._parts(name, "tally"))
        if parts:
            tallies = [self.tally_of(read_rows(path)[0]) for path in parts]
            row = self.row_of(cell, name, reduce(add, tallies, self.tally_of(row)) if row else reduce(add, tallies))
            write_rows(self._cell(name), [row], self.schema)
        assert row is not None, "nothing is missing of a cell without games"
        self._merge_games(name, cell)
        self.drop(name, "tally", row["games"])
        self.drop(name, "games", self._kept(name, cell))
        return row | {"part": cell.part}

    def _merge_games(self, name: str, cell: Any) -> None:
        kept = self._kept(name, cell)
        if parts := _following(kept, self._parts(name, "games")):
            sources = ([self._games(name)] if kept else []) + parts
            write_atomically(self._games(name), lambda hidden: _concatenate(sources, hidden))

    def drop(self, name: str, kind: str, reached: int) -> None:
        """Delete the parts that have been merged; blocks beyond a gap are left for a larger sweep."""
        for path in self._parts(name, kind):
            if _span_of(path)[1] <= reached:
                path.unlink()
        with suppress(OSError):
            (self.folder / "parts" / name).rmdir()

    def write_study(self, rows: list[dict[str, Any]], manifest: dict[str, Any]) -> None:
        """Write the table of the study's cells, and the manifest."""
        write_rows(self.folder / self.table, rows, self.schema)
        text = json.dumps(manifest, indent=2) + "\n"
        write_atomically(self.folder / "study.json", lambda hidden: _write_text(hidden, text))
        with suppress(OSError):
            (self.folder / "parts").rmdir()

    def manifest(self) -> dict[str, Any]:
        """The manifest of the last sweep; empty if there is none."""
        try:
            return dict(json.loads((self.folder / "study.json").read_text(encoding="utf-8")))
        except (OSError, ValueError):
            return {}


def read_cells(folder: Path) -> list[dict[str, Any]]:
    """The rows of a study's cells."""
    path = folder / "cells.parquet" if folder.is_dir() else folder
    if not path.is_file() and any(next(folder.glob(each), None) for each in ("cells/*", "parts/*/*")):
        raise BadInput(f"{folder}: not finished; the command that plays into it, given again, goes on from there")
    if not path.is_file() or path.suffix in (".yaml", ".yml"):
        raise BadInput(f"{folder}: no results there (a folder with cells.parquet, as `lab sweep` writes it)")
    try:
        rows = read_rows(path)
    except (pa.ArrowException, OSError) as error:
        raise BadInput(f"{path} cannot be read: {' '.join(str(error).split())[:120]}") from error
    if not rows or set(SCHEMA.names) - set(rows[0]) - {"note"}:  # the first results had none
        raise BadInput(f"{path} is not a table of cells as `lab sweep` writes it")
    return rows


def _within(game: int, spans: list[Span]) -> bool:
    return any(first <= game < end for first, end in spans)


def _span_of(path: Path) -> Span:
    _, first, end = path.stem.split("-")
    return int(first), int(end)


def _following(reached: int, parts: list[Path]) -> list[Path]:
    """Those of the parts, in order, that go on from the games reached without a gap."""
    found = []
    for path in parts:
        first, end = _span_of(path)
        if first == reached:
            found.append(path)
            reached = end
    return found


def _readable(path: Path) -> bool:
    try:
        pq.read_metadata(path)
    except (pa.ArrowException, OSError):
        return False
    return True


def _alive(pid: int) -> bool:
    """Whether another process of this number is there, which may be writing."""
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return pid != os.getpid()


def _write_text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def _concatenate(sources: list[Path], target: Path) -> None:
    """Write tables of games one after the other, in row groups of one size whatever the sources' are."""
    with pq.ParquetWriter(target, pq.read_schema(sources[0])) as writer:
        rest: pa.Table | None = None
        for path in sources:
            for batch in pq.ParquetFile(path).iter_batches(ROW_GROUP):
                table = pa.Table.from_batches([batch])
                rest = pa.concat_tables([rest, table]) if rest else table
                while rest.num_rows >= ROW_GROUP:
                    writer.write_table(rest.slice(0, ROW_GROUP))
                    rest = rest.slice(ROW_GROUP)
        if rest:
            writer.write_table(rest)
