"""Comparisons: two variants of the rules or of the policies on the same luck.

    pairs, alone = pair_up(one_study, other_study)
    compare(pairs, folder) -> rows of comparisons.parquet

A pair of cells plays the same game numbers under the same seed, all seats rotated, so that the game number with its
rotations is the unit, and what differs is what the variants change. Where the numbers of seats differ the luck is not
the same; then the cells count as unpaired.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from lab import seating
from lab.cell import Cell
from lab.errors import BadInput, Incomplete
from lab.identity import cell_id
from lab.pairs import PairTally, differences, quantities
from lab.runner import Progress, fill
from lab.store import Store, write_rows

KEPT = "labels"
"""Part of a pair's identity: another word when other quantities are kept of it than before (see `lab.pairs`)."""

_EXACT = pa.decimal128(38, 0)
SCHEMA = pa.schema([
    ("pair", pa.string()), ("game", pa.string()), ("first", pa.string()), ("second", pa.string()),
    ("first_parameters", pa.string()), ("second_parameters", pa.string()), ("varied", pa.list_(pa.string())),
    ("paired", pa.bool_()), ("games", pa.int64()), ("plays", pa.int64()),
    ("differences", pa.list_(pa.struct([
        ("quantity", pa.string()), ("first", pa.float64()), ("second", pa.float64()), ("difference", pa.float64()),
        ("low", pa.float64()), ("high", pa.float64()), ("worth", pa.float64()),
    ]))),
    ("sums", pa.list_(pa.list_(_EXACT))), ("products", pa.list_(pa.list_(pa.list_(_EXACT)))),
])  # fmt: skip
"""The schema of `comparisons`. first, second: identities of the cells; their parameters as JSON objects; varied: those
that the two do not share. sums, products: see `lab.pairs`."""


@dataclass(frozen=True)
class Pair:
    """Two cells that are compared."""

    first: Cell
    second: Cell
    varied: tuple[str, ...]
    """Names of the parameters in which they differ."""

    keep_games = 0
    rotations = 1
    part = ""

    @property
    def game(self) -> str:
        return self.first.game

    @property
    def games(self) -> int:
        return self.first.games

    @property
    def is_paired(self) -> bool:
        return self.first.seats == self.second.seats

    @property
    def name(self) -> str:
        both = f"{cell_id(self.first)} {cell_id(self.second)} {KEPT}"
        return hashlib.sha256(both.encode()).hexdigest()[:16]


def pair_of(first: Cell, second: Cell) -> Pair:
    """The second is played with the first's seed and games; seats are rotated where policies differ."""
    rotate = any(len(set(cell.lineup)) > 1 for cell in (first, second))
    one = replace(first, rotate_seats=rotate, keep_games=0, part="")
    other = replace(second, rotate_seats=rotate, keep_games=0, part="", seed=first.seed, games=first.games)
    a, b = one.parameters(), other.parameters()
    return Pair(one, other, tuple(name for name in a if a[name] != b.get(name)))


def pair_up(ones: Sequence[Cell], others: Sequence[Cell]) -> tuple[list[Pair], list[Cell]]:
    """The pairs of two studies' cells, and the cells without a partner.

    Cells are paired by all parameters of which the studies share a value; in the others the studies differ, and these
    are what is compared. The seed is the first study's.
    """
    games = dict.fromkeys(cell.game for cell in ones)
    if set(games) != {cell.game for cell in others}:
        raise BadInput("the studies are of different games, of which no results can be compared")
    pairs: list[Pair] = []
    alone: list[Cell] = []
    for game in games:
        more, left = _pair_up(*([cell for cell in cells if cell.game == game] for cells in (ones, others)))
        pairs, alone = pairs + more, alone + left
    return pairs, alone


def _pair_up(ones: list[Cell], others: list[Cell]) -> tuple[list[Pair], list[Cell]]:
    """Of cells of one game."""
    names = [name for name in _parameters(ones[0]) if name in _parameters(others[0])]
    values = [{name: {str(_parameters(cell)[name]) for cell in cells} for name in names} for cells in (ones, others)]
    shared = [name for name in names if values[0][name] & values[1][name]]
    mine, theirs = (_by_key(cells, shared) for cells in (ones, others))
    for key in mine.keys() & theirs.keys():
        if len(mine[key]) > 1 and len(theirs[key]) > 1:
            both = ", ".join(name for name in names if name not in shared)
            raise BadInput(f"both studies vary what is compared ({both}): it is not clear which cells belong together")
    pairs = [pair_of(one, other) for key, cells in mine.items() for one in cells for other in theirs.get(key, [])]
    alone = [cell for key, cells in mine.items() if key not in theirs for cell in cells]
    return pairs, alone + [cell for key, cells in theirs.items() if key not in mine for cell in cells]


def _parameters(cell: Cell) -> dict[str, Any]:
    found = cell.parameters()
    return {name: value for name, value in found.items() if name not in ("part", "seed", "rotate_seats")}


def _by_key(cells: Sequence[Cell], shared: list[str]) -> dict[tuple[str, ...], list[Cell]]:
    found: dict[tuple[str, ...], list[Cell]] = {}
    for cell in cells:
        found.setdefault(tuple(str(_parameters(cell)[name]) for name in shared), []).append(cell)
    return found


class PairStore(Store):
    """The folder of comparisons; beside cells, if it has some."""

    table, rows, schema = "comparisons.parquet", "pairs", SCHEMA

    def row_of(self, cell: Pair, name: str, tally: PairTally) -> dict[str, Any]:
        matches = [matches_of(each) for each in (cell.first, cell.second)]
        found = differences(tally, quantities(*matches), paired=cell.is_paired)
        return {
            "pair": name, "game": cell.game, "first": cell_id(cell.first), "second": cell_id(cell.second),
            "first_parameters": json.dumps(cell.first.parameters()),
            "second_parameters": json.dumps(cell.second.parameters()),
            "varied": list(cell.varied), "paired": cell.is_paired, "games": tally.games, "plays": tally.plays,
            "differences": [asdict(each) for each in found],
            "sums": [[Decimal(each) for each in line] for line in tally.sums.tolist()],
            "products": [[[Decimal(each) for each in row] for row in table] for table in tally.products.tolist()],
        }  # fmt: skip

    def tally_of(self, row: dict[str, Any]) -> PairTally:
        sums = [[int(each) for each in line] for line in row["sums"]]
        products = [[[int(each) for each in line] for line in table] for table in row["products"]]
        return PairTally(row["games"], row["plays"], np.array(sums, object), np.array(products, object))


def matches_of(cell: Cell) -> Any:
    """The matches of a cell, one a rotation."""
    plan = seating.recipe(cell)
    return seating.matches(plan, seating.prepare(plan))


def compare(
    pairs: Sequence[Pair], folder: Path, *, jobs: int | None = None, progress: Progress | None = None
) -> list[dict[str, Any]]:
    """Play what is missing of the pairs, and write and return the rows of their table, in order."""
    progress, store = progress or Progress(), PairStore(folder)
    store.open()
    named: dict[str, Pair] = {}
    for pair in pairs:
        if pair.name not in named or named[pair.name].games < pair.games:
            named[pair.name] = pair
    run = fill(store, named, jobs, progress)
    finished = run.finish()
    rows = [finished[name] for name in named if name in finished]
    write_rows(folder / store.table, [{key: row[key] for key in SCHEMA.names} for row in rows], SCHEMA)
    if run.failures:
        raise Incomplete("; ".join(run.failures.values()))
    return rows
