"""Results for analysts: what a sweep has written, as pandas tables whose figures carry their intervals.

    cells = results.load(results.folder("study"))      one row a cell: its parameters, games, plays
    results.win_share(cells, seat=0)                   estimate, low, high of each cell
    results.share(cells, "anyone_exact", 1)            how often a column has a value
    results.mean(cells, "rounds")
    results.plays(results.folder("study"), cell)       one row a play, where the study kept them

Intervals are for 95 %, each for its figure alone. Tables line up by their index, which is the cell's name.
"""

import json
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

from lab.cell import line_up
from lab.errors import BadInput, unknown
from lab.estimate import Estimate, wilson
from lab.store import read_cells

FIGURE = ["estimate", "low", "high"]


def folder(study: str) -> Path:
    """Where notebooks find the results of a study: `../results/STUDY`, or `$LAB_RESULTS/STUDY`."""
    return Path(os.environ.get("LAB_RESULTS", "../results")) / study


def load(path: str | Path) -> pd.DataFrame:
    """The cells of a finished sweep, in the study's order: part, seats, policies, seed, every knob, games and plays.

    policies: the line-up in one line, `chaser, miser ×3`. `row` holds the stored row, for the functions here.
    """
    rows = read_cells(Path(path))
    lines = []
    for row in rows:
        plain = {key: row[key] for key in ("part", "game", "seats", "rotate_seats", "seed")}
        plain["policies"] = line_up(row["policies"])
        lines.append(plain | json.loads(row["knobs"]) | {"games": row["games"], "plays": row["plays"], "row": row})
    return pd.DataFrame(lines, index=pd.Index([row["cell"] for row in rows], name="cell"))


def win_share(cells: pd.DataFrame, *, seat: int | None = None, policy: int | None = None) -> pd.DataFrame:
    """The share of wins of a seat, or of an entry of the line-up in all its seats: estimate, low, high."""
    key, place = ("win_share", seat) if policy is None else ("win_share_policy", policy)
    if place is None:
        raise BadInput("whose share of wins: a seat, or a policy of the line-up?")
    return _figures(cells, [[row[key][place][part] for part in FIGURE] for row in cells["row"]])


def share(cells: pd.DataFrame, column: str, values: int | Iterable[int]) -> pd.DataFrame:
    """The share of plays in which a column has this value, or one of these: estimate, low, high (Wilson), hits, n.

    n: the plays in which the column is defined. For cells without rotated seats, where every play is a unit.
    """
    wanted = {values} if isinstance(values, int) else set(values)
    found = []
    for row in cells["row"]:
        if row["rotate_seats"]:
            raise BadInput("shares of a column are for cells without rotated seats: their plays are not independent")
        metric = _metric(row, column)
        pairs = zip(metric["values"], metric["counts"], strict=True)
        hits = sum(count for value, count in pairs if value in wanted)
        found.append([*wilson_of(hits, metric["n"]), hits, metric["n"]])
    return _figures(cells, found, ["hits", "n"])


def mean(cells: pd.DataFrame, column: str) -> pd.DataFrame:
    """The mean of a column over the plays in which it is defined: estimate, low, high, sd, n."""
    metrics = [_metric(row, column) for row in cells["row"]]
    return _figures(cells, [[m["mean"], m["low"], m["high"], m["sd"], m["n"]] for m in metrics], ["sd", "n"])


def counts(cells: pd.DataFrame, column: str) -> pd.DataFrame:
    """The histogram of a column, one row a cell, one column a value; -1: not defined in these plays."""
    metrics = [_metric(row, column) for row in cells["row"]]
    table = [dict(zip(metric["values"], metric["counts"], strict=True)) for metric in metrics]
    return pd.DataFrame(table, index=cells.index).fillna(0).astype(int).sort_index(axis=1)


def plays(path: str | Path, cell: str) -> pd.DataFrame:
    """One row a play of a cell whose games were kept: game number, winners as a bit mask, and every column."""
    file = Path(path) / "games" / f"{cell}.parquet"
    if not file.is_file():
        raise BadInput(f"{file} is not there: the study kept no games of this cell (keep_games)")
    return pq.read_table(file).to_pandas()


def wilson_of(hits: int, n: int) -> tuple[float, float, float]:
    """(estimate, low, high) of a share of independent plays."""
    found = wilson(hits / n, n) if n else Estimate(float("nan"), 0.0, 1.0)
    return found.estimate, found.low, found.high


def difference(one: pd.DataFrame, other: pd.DataFrame) -> pd.DataFrame:
    """`one` minus `other`, row by row in order: estimate, low, high by Newcombe's square-and-add (1998, method 10).

    Both count as independent. Cells of a study share their luck, which makes most differences sharper than this says.
    """
    a, b = one[FIGURE].to_numpy(), other[FIGURE].to_numpy()
    gap = a[:, 0] - b[:, 0]
    below = np.hypot(a[:, 0] - a[:, 1], b[:, 2] - b[:, 0])
    above = np.hypot(a[:, 2] - a[:, 0], b[:, 0] - b[:, 1])
    return pd.DataFrame({"estimate": gap, "low": gap - below, "high": gap + above}, index=one.index)


def crossings(x: Sequence[float], figures: pd.DataFrame, level: float) -> list[tuple[float, float, float]]:
    """Where a curve of estimates crosses a level, read inversely: (estimate, low, high) of x at each crossing.

    Straight lines join the points. low and high: the x between which the band of the intervals holds the level.
    """
    xs = np.asarray(x, float)
    found = []
    middle, low, high = (_roots(xs, figures[part].to_numpy() - level) for part in FIGURE)
    for root in middle:
        near = [min(roots, key=lambda each: abs(each - root), default=float("nan")) for roots in (low, high)]
        found.append((root, min(near), max(near)))
    return found


def _roots(x: Any, y: Any) -> list[float]:
    return [
        float(x[i] - y[i] * (x[i + 1] - x[i]) / (y[i + 1] - y[i]))
        for i in range(len(x) - 1)
        if (y[i] < 0) != (y[i + 1] < 0)
    ]


def _metric(row: dict[str, Any], column: str) -> dict[str, Any]:
    known: dict[str, dict[str, Any]] = {metric["column"]: metric for metric in row["metrics"]}
    if column not in known:
        raise BadInput(unknown("a results column", column, known))
    return known[column]


def _figures(cells: pd.DataFrame, found: list[list[Any]], more: Sequence[str] = ()) -> pd.DataFrame:
    return pd.DataFrame(found, columns=pd.Index([*FIGURE, *more]), index=cells.index)
