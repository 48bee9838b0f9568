"""Results for analysts: what a sweep has written, as pandas tables whose figures carry their intervals.

    r = results.read("study")                          a study's results, by name or folder: `lab.load`
    r.cells                                            one row a cell: its parameters, games, plays
    r.part("alike"), r.plays(cell)                     the cells of a part; one row a play, where the study kept them
    results.win_share(r.cells, seat=0)                 estimate, low, high of each cell
    results.share(r.cells, "anyone_exact", 1)          how often a column has a value
    results.mean(r.cells, "rounds")
    results.pick(r.cells, seats=4)                     some of the cells
    results.average(table, r.cells.seats)              over the cells that agree in something

Intervals are for 95 %, each for its figure alone. Tables line up by their index, which is the cell's name.
"""

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

from lab.cell import line_up
from lab.errors import BadInput, unknown
from lab.estimate import Estimate, Z, wilson
from lab.many import widening
from lab.store import Store, read_cells, row_of

FIGURE = ["estimate", "low", "high"]
REPORTED = "LAB_REPORT"
"""Environment: the folder that `lab report` reports on, for the notebook that it runs."""


@dataclass(frozen=True, eq=False)
class Results:
    """What a sweep, or a run of one cell, has given."""

    cells: pd.DataFrame
    """One row a cell: see `load`."""
    manifest: dict[str, Any] = field(default_factory=dict)
    """`study.json`; empty for a run."""
    folder: Path | None = None
    """None for a run, which is not kept."""

    @property
    def name(self) -> str:
        return str(self.manifest.get("name") or (self.folder.name if self.folder else self.games[0]))

    @property
    def question(self) -> str:
        return str(self.manifest.get("question", ""))

    @property
    def games(self) -> list[str]:
        """Names of the games that were played."""
        return list(dict.fromkeys(self.cells["game"]))

    @property
    def parts(self) -> dict[str, pd.DataFrame]:
        """The cells of each part, in the study's order; one nameless part if it has none."""
        groups = dict(iter(self.cells.groupby("part", sort=False)))
        if len(self.games) == 1:
            return groups
        return {name: table_of(list(cells["row"])) for name, cells in groups.items()}  # each with its own game's knobs

    def part(self, name: str) -> pd.DataFrame:
        """The cells of one part."""
        if name not in self.parts:
            raise BadInput(unknown(f"a part of {self.name}", name, self.parts))
        return self.parts[name]

    def plays(self, cell: str) -> pd.DataFrame:
        """One row a play of a cell whose games were kept."""
        if self.folder is None:
            raise BadInput("a run keeps no games; a study does (keep_games)")
        return plays(self.folder, cell)

    def win_shares(self) -> pd.DataFrame:
        """One row a cell and seat: the cell's parameters that vary, the policy there (unrotated), the share of wins."""
        return _stacked(self.cells, "win_share")

    def metrics(self) -> pd.DataFrame:
        """One row a cell and results column: the cell's parameters that vary, n, mean, its interval, sd."""
        return _stacked(self.cells, "metrics")


@dataclass(frozen=True, eq=False)
class Comparison:
    """What two variants on the same luck have shown."""

    differences: pd.DataFrame
    """One row a pair and quantity: what both share, what differs (`first -> second`), first, second, difference, its
    interval, and how many games of unpaired play one paired game is worth."""
    alone: tuple[Any, ...]
    """The cells without a partner in the other study."""
    folder: Path


def root() -> Path:
    """Where results are kept: `$LAB_RESULTS`, or `results`, seen from here or (in a notebook) from the folder above."""
    if told := os.environ.get("LAB_RESULTS"):
        return Path(told)
    return next((path for path in (Path("results"), Path("../results")) if path.is_dir()), Path("results"))


def folder(study: str) -> Path:
    """Where the results of a study are: in `root()`, by its name. In a notebook that `lab report` runs, the folder that
    it reports on, for the name of that study and of its game."""
    reported = os.environ.get(REPORTED)
    if reported and study in _names(Path(reported)):
        return Path(reported)
    return root() / study


def _names(path: Path) -> set[str]:
    manifest = Store(path).manifest()
    return {str(manifest.get("name", path.name)), *manifest.get("code", {})}


def read(what: str | Path) -> Results:
    """The results of a finished sweep, by the study's name (see `folder`) or by their folder."""
    path = Path(what)
    if len(path.parts) == 1 and ((named := folder(str(what))).is_dir() or not path.exists()):
        path = named
    home = path.parent if path.is_file() else path
    return Results(load(path), Store(home).manifest(), home)


def of_run(done: Any) -> Results:
    """The results of a `lab.single.Run`."""
    from lab import catalogue
    from lab.identity import cell_id

    return Results(table_of([row_of(done.cell, cell_id(done.cell), catalogue.game(done.cell.game), done.tally)]))


def differences_of(rows: Sequence[dict[str, Any]]) -> pd.DataFrame:
    """The rows of `comparisons.parquet` as one table."""
    lines = []
    for row in rows:
        one, other = json.loads(row["first_parameters"]), json.loads(row["second_parameters"])
        given = {name: one[name] for name in ("game", "seats", "policies")}
        given |= {name: f"{one[name]} -> {other.get(name)}" for name in row["varied"]}
        lines += [given | {"games": row["games"], "paired": row["paired"]} | each for each in row["differences"]]
    return pd.DataFrame(lines)


def load(path: str | Path) -> pd.DataFrame:
    """The cells of a finished sweep, in the study's order: part, seats, policies, seed, every knob, games and plays.

    policies: the line-up in one line, `chaser, miser ×3`; a knob that is a list is a tuple. `row` holds the stored row,
    for the functions here.
    """
    return table_of(read_cells(Path(path)))


def table_of(rows: Sequence[dict[str, Any]]) -> pd.DataFrame:
    """Stored rows (`lab.store.SCHEMA`) as a table of cells."""
    lines = []
    for row in rows:
        plain = {key: row[key] for key in ("part", "game", "seats", "rotate_seats", "seed")}
        plain["policies"] = line_up(row["policies"])
        knobs = {name: tuple(v) if isinstance(v, list) else v for name, v in json.loads(row["knobs"]).items()}
        lines.append(plain | knobs | {"games": row["games"], "plays": row["plays"], "row": row})
    return pd.DataFrame(lines, index=pd.Index([row["cell"] for row in rows], name="cell"))


def varied(cells: pd.DataFrame) -> list[str]:
    """Names of the parameters that differ between these cells."""
    names = [name for name in cells.columns if name not in ("games", "plays", "row")]
    return [name for name in names if cells[name].astype(str).nunique() > 1]


def pick(table: pd.DataFrame, **where: Any) -> pd.DataFrame:
    """The rows in which every named column has this value: `pick(cells, seats=4, policies="keep ×4")`."""
    for name, value in where.items():
        if name not in table:
            raise BadInput(unknown("a column of this table", name, map(str, table.columns)))
        table = table[[each == value for each in table[name]]]
    return table


def win_share(cells: pd.DataFrame, *, seat: int | None = None, policy: int | None = None) -> pd.DataFrame:
    """The share of wins of a seat, or of an entry of the line-up in all its seats: estimate, low, high."""
    key, place = ("win_share", seat) if policy is None else ("win_share_policy", policy)
    if place is None:
        raise BadInput("whose share of wins: a seat, or a policy of the line-up?")
    return _figures(cells, [[row[key][place][part] for part in FIGURE] for row in cells["row"]])


def win_share_by(cells: pd.DataFrame, by: str) -> pd.DataFrame:
    """Shares of wins by a category (`order of play`, `ending`, `start_sin`, ...): one row a cell, value and seat.

    seat -1: of who is in that place, or has that label; -2: how often the label comes; else that seat's share of wins
    among such games. n: the cases in which it is defined.
    """
    known = dict.fromkeys(each["by"] for row in cells["row"] for each in row["win_share_by"])
    if by not in known:
        raise BadInput(unknown("a category of these cells", by, known))
    lines = [
        {"cell": cell} | {key: each[key] for key in ("value", "seat", *FIGURE, "n")}
        for cell, row in zip(cells.index, cells["row"], strict=True)
        for each in row["win_share_by"]
        if each["by"] == by
    ]
    table = pd.DataFrame(lines).set_index(["cell", "value", "seat"])
    return table.astype(dict.fromkeys(FIGURE, float))


def treatment(cells: pd.DataFrame, what: str, whose: str) -> pd.DataFrame:
    """What a treatment is worth to the seat that gets it: the seat's share of wins for each value of the knob `what`,
    less the mean over all values; averaged over the seats, of which the knob `whose` names one.

    One row a value: estimate, low, high, n (plays). The intervals hold for all values together (Bonferroni), and count
    the cells as independent; cells share their luck, which makes the differences sharper than that.
    """
    found = []
    for value, group in cells.groupby(what):
        shares = [row["win_share"][seat] for row, seat in zip(group["row"], group[whose], strict=True)]
        middle = sum(share["estimate"] for share in shares) / len(shares)
        half = sum(((share["high"] - share["low"]) / 2) ** 2 for share in shares) ** 0.5 / len(shares)
        found.append((value, middle, half, int(group["plays"].sum())))
    values, middles, halves, n = (np.array(each) for each in zip(*found, strict=True))
    k = len(found)
    own = halves**2 * (1 - 2 / k) + (halves**2).sum() / k**2  # of a share less the mean, in which it is itself
    wide = widening(k) * np.sqrt(own)
    gap = middles - middles.mean()
    table = {"estimate": gap, "low": gap - wide, "high": gap + wide, "n": n}
    return pd.DataFrame(table, index=pd.Index(values, name=what))


def treatment_on_same_luck(values: Mapping[Any, pd.Series]) -> pd.DataFrame:
    """What a treatment is worth, from what each game number gave under each value of it (series of one index): the mean
    of a value less that over all values.

    One row a value: estimate, low, high, n (game numbers). Paired by game number, so what the luck of a deal does to
    all values alike cancels. The intervals (normal) hold for all values together (Bonferroni).
    """
    table = pd.DataFrame(dict(values))
    gaps = table.sub(table.mean(axis=1), axis=0)
    n = len(gaps)
    half = Z * widening(len(table.columns)) * gaps.std() / n**0.5
    return pd.DataFrame({"estimate": gaps.mean(), "low": gaps.mean() - half, "high": gaps.mean() + half, "n": n})


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
    """The histogram of a column, one row a cell, one column a value; `Column.undefined` (-1 for most): not defined in
    these plays."""
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


def average(figures: pd.DataFrame, by: Any) -> pd.DataFrame:
    """The mean over the cells that agree in `by` (a column of `cells`, or a list of some), with equal weight.

    Its interval is the mean of theirs, which holds however the cells' errors hang together: they share their luck.
    n adds up, and `cells` counts.
    """
    groups = figures.groupby(by, sort=False)
    found = groups[FIGURE].mean()
    if "n" in figures:
        found["n"] = groups["n"].sum()
    found["cells"] = groups.size()
    return found


def share_of(holds: Any) -> pd.Series:
    """How often something holds in these plays: estimate, low, high. holds: true or false for each."""
    given = np.asarray(holds, bool)
    return pd.Series(wilson_of(int(given.sum()), given.size), FIGURE)


def shares_by(table: pd.DataFrame, by: str, what: str = "won") -> pd.DataFrame:
    """The share of rows in which `what` is true, by the values of a column: estimate, low, high, n."""
    groups = table.groupby(by)[what]
    found = pd.DataFrame({value: share_of(each) for value, each in groups}).T
    return found.assign(n=groups.size()).rename_axis(by)


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

    Straight lines join the points. low and high: the stretch around it in which the band of the intervals holds the
    level; crossings within one stretch are one, which is then the middle one.
    """
    xs = np.asarray(x, float)
    middle, low, high = (_roots(xs, figures[part].to_numpy() - level) for part in FIGURE)
    stretches: dict[tuple[float, float], list[float]] = {}
    for root in middle:
        begins = max((edge for edge in low + high if edge <= root), default=float(xs[0]))
        ends = min((edge for edge in low + high if edge >= root), default=float(xs[-1]))
        stretches.setdefault((begins, ends), []).append(root)
    return [(roots[len(roots) // 2], *stretch) for stretch, roots in stretches.items()]


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


def _stacked(cells: pd.DataFrame, kind: str) -> pd.DataFrame:
    """One row for each member of a list that every stored row has."""
    names, lines = varied(cells), []
    for cell, given in zip(cells.index, cells.to_dict("records"), strict=True):
        row = given["row"]
        for each in row[kind]:
            figures = {key: value for key, value in each.items() if key not in ("values", "counts", "above")}
            if kind == "win_share":
                figures = {"seat": each["seat"], "policy": row["policies"][each["seat"]]} | figures
            lines.append({"cell": cell} | {name: given[name] for name in names} | figures)
    return pd.DataFrame(lines).set_index("cell")
