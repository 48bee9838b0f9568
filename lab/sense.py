"""Sensitivity: which knobs move which figure.

    found = sense(study, folder)                 plays what is missing; writes indices.parquet, effects.parquet
    draw(found, folder / "tornado.png")

Whatever a study lists is a *factor*; its values are the *levels*, each as likely as the others. A *design* is a choice
of cells, all played on the same luck:

- every combination of the levels, where these are at most FULL cells. The indices are then exact but for the games'
  luck: an analysis of variance of the cells' means.
- else a sample of rows (Saltelli et al., Comput. Phys. Commun. 181, 2010, 259-270): two combinations a and b from a
  Sobol sequence, and for each factor a with that factor's level taken from b.

Of a figure's variance over the design, the *first-order index* of a factor is the share that goes when the factor
alone is known, the *total index* the share that stays when all others are known, with every interaction that it has a
part in.

Means of cells err, and that scatter is no effect of a knob. Whatever is estimated is a quadratic form Q of the cells'
means f, and on average Q(f) is Q(truth) plus the noise tr(Q cov f). Games come in *groups*, a few dozen runs of
consecutive game numbers, the same in every cell. With r[g], what group g adds to the errors of the means, the noise is
estimated by G/(G - 1) times the sum of Q(r[g]) over the G groups, and subtracted. That holds however cells hang
together by their luck. Intervals are percentiles of a bootstrap that draws groups, for all cells at once, and in a
sample the rows as well; since what it adds its errors to is noisy already, it subtracts the noise twice.

One at a time: each factor goes from its default (or first) level to each other one, all others staying at theirs. The
differences are those of `lab.pairs`, with a group as the unit in place of a game number.
"""

import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import product
from math import nan, prod, sqrt
from pathlib import Path
from textwrap import fill
from typing import Any, NamedTuple, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from lab import catalogue, runner, tables
from lab.block import Work
from lab.cell import Cell
from lab.errors import BadInput, Incomplete, unknown
from lab.estimate import LEVEL, Estimate
from lab.identity import cell_id
from lab.pairs import Difference, PairTally, differences
from lab.runner import Progress
from lab.store import SCHEMA, Store, write_atomically, write_rows
from lab.study import Study
from lab.tally import WIN, Tally

Floats = NDArray[np.float64]
Combination = tuple[int, ...]
"""A level, by its place, of each factor."""

FULL = 512
"""Up to so many cells, every combination is played."""
EVALUATIONS = 1024
"""A sample has the largest power of two of rows that asks for no more means of cells than this."""
GROUPS = 32
"""Games come in at least so many groups, and in less than twice as many."""
DRAWS = 2000
"""Of the bootstrap."""
FLUSH_SECONDS = 5.0
"""How long blocks that have been played may wait to be written."""
BARS = 14
"""A panel of the picture shows the largest so many differences."""


@dataclass(frozen=True)
class Factor:
    """What varies: a knob, seats, line-ups, or several that go together (`zip`)."""

    name: str
    levels: tuple[str, ...]
    base: int
    """The level of the other factors' comparisons: the default, or the first."""


@dataclass(frozen=True)
class Measure:
    """A figure that every cell of the design has."""

    name: str
    """As in `lab.pairs.quantities`."""
    unit: str

    @property
    def percent(self) -> bool:
        return self.name.startswith("win_share ")


@dataclass(frozen=True)
class Spread:
    """How much a figure varies over the design."""

    mean: float
    deviation: Estimate
    """The standard deviation, without the noise."""


@dataclass(frozen=True)
class Index:
    """Shares of a figure's variance over the design; nan where the variance is not above the noise."""

    measure: Measure
    factor: Factor
    first: Estimate
    total: Estimate


@dataclass(frozen=True)
class Effect:
    """One step, from a factor's base level to another."""

    measure: Measure
    factor: Factor
    level: str
    change: Difference


@dataclass(frozen=True)
class Sense:
    """What a design has shown. spreads and indices are empty where only one factor varies."""

    name: str
    factors: tuple[Factor, ...]
    measures: tuple[Measure, ...]
    undefined: tuple[Measure, ...]
    """Figures that are left out, since in some cell no play defines them."""
    spreads: dict[Measure, Spread]
    indices: tuple[Index, ...]
    effects: tuple[Effect, ...]
    design: str
    """In words."""
    games: int
    """Game numbers of each cell."""
    rotated: bool
    played: int
    """Plays of this run; all others were in the store."""
    seconds: float


def sense(study: Study, folder: Path, *, jobs: int | None = None, progress: Progress | None = None) -> Sense:
    """Play what `folder` does not hold yet of a design over the study's lists, and write and return what it shows.

    Errors: `BadInput` if the study has no such design or the folder is another's; `Incomplete` if a cell could not be
    played to its end.
    """
    start = time.perf_counter()
    factors, grid = factors_of(study)
    design = design_for([len(factor.levels) for factor in factors]) if len(factors) > 1 else None
    base, steps = tuple(factor.base for factor in factors), steps_of(factors)
    needed = {base, *(to for _, _, to in steps), *(design.cells if design else ())}
    cells = {each: cell for each, cell in grid.items() if each in needed}
    rows, played = _play(list(cells.values()), folder, jobs, progress or Progress())
    where = {each: place for place, each in enumerate(cells)}
    sums = Sums(rows, measures_of(list(cells.values())))
    spreads = _spreads(design, [where[each] for each in design.cells], sums, rows[0]["seed"]) if design else {}
    effects = [
        Effect(measure, factor, level, sums.difference(measure, where[base], where[to]))
        for measure in sums.measures
        for factor, level, to in steps
    ]
    found = Sense(
        name=study.name,
        factors=tuple(factors),
        measures=sums.measures,
        undefined=sums.undefined,
        spreads={measure: Spread(each.mean, each.spread) for measure, each in spreads.items()},
        indices=tuple(
            Index(measure, *each)
            for measure, shown in spreads.items()
            for each in zip(factors, shown.first, shown.total, strict=True)
        ),
        effects=tuple(effects),
        design=design.words if design else f"all {len(cells)} values",
        games=rows[0]["games"],
        rotated=any(row["rotate_seats"] for row in rows),
        played=played,
        seconds=time.perf_counter() - start,
    )
    _write(found, folder)
    return found


def _spreads(design: "Design", cells: list[int], sums: "Sums", seed: int) -> dict[Measure, "Variances"]:
    """What a design says about each figure. cells: where the sums of its cells are."""
    return {
        measure: variances(design, *sums.of(measure, cells), np.random.default_rng([seed, number]))
        for number, measure in enumerate(sums.measures)
    }


# Factors


def factors_of(study: Study) -> tuple[list[Factor], dict[Combination, Cell]]:
    """The factors of a study, and its cell of each combination of their levels."""
    cells = [replace(cell, part="", keep_games=0) for cell in study.cells]
    _check(study, cells)
    columns = _columns(cells)
    together: dict[tuple[int, ...], list[str]] = {}
    for name, values in columns.items():
        places = {value: place for place, value in enumerate(dict.fromkeys(map(str, values)))}
        if len(places) > 1:
            together.setdefault(tuple(places[str(value)] for value in values), []).append(name)
    if not together:
        raise BadInput(f"{study.path}: nothing varies; give a knob, the seats or the policies a list of values")
    factors = [_factor(names, codes, columns, cells[0]) for codes, names in together.items()]
    grid = dict(zip(zip(*together, strict=True), cells, strict=True))
    if len(grid) < (whole := prod(len(factor.levels) for factor in factors)):
        parts = list(dict.fromkeys(cell.part for cell in study.cells))
        raise BadInput(
            f"{study.path}: has {len(grid):,} of the {whole:,} combinations of "
            f"{', '.join(f'{factor.name} ({len(factor.levels)})' for factor in factors)}, and sensitivity needs all"
            + (f"; take one of its parts ({', '.join(parts)})" if len(parts) > 1 else "")
        )
    return factors, grid


def _check(study: Study, cells: Sequence[Cell]) -> None:
    """What is no factor must be the same everywhere."""
    for name, why in (
        ("game", "figures of different games cannot be compared"),
        ("seed", "all cells must share their luck; give one seed"),
        ("games", "all cells need as many; give --games"),
    ):
        if len(found := dict.fromkeys(getattr(cell, name) for cell in cells)) > 1:
            raise BadInput(f"{study.path}: {name} is {', '.join(map(str, list(found)[:4]))}: {why}")
    if cells[0].games < GROUPS:
        raise BadInput(f"{study.path}: {cells[0].games} games a cell are too few for intervals; at least {GROUPS}")


def part_of(study: Study, part: str) -> Study:
    """A part of a study as a study of its own."""
    cells = tuple(cell for cell in study.cells if cell.part == part)
    if not cells:
        raise BadInput(f"{study.path}: {unknown('a part', part, {cell.part for cell in study.cells} - {''})}")
    return replace(study, cells=cells)


def _columns(cells: Sequence[Cell]) -> dict[str, list[Any]]:
    """The values of each parameter, by cell."""
    found = [cell.parameters() for cell in cells]
    columns = {name: [each[name] for each in found] for name in found[0]}
    if len(set(columns["seats"])) > 1:  # the same line-up is longer at a larger table
        columns["policies"] = [_open_ended(cell) for cell in cells]
    return columns


def _open_ended(cell: Cell) -> str:
    """The line-up whatever the number of seats: `threshold, keep...`."""
    shown, repeated, number = cell.line_up.rpartition(" ×")
    return (shown if repeated and number.isdecimal() else cell.line_up) + "..."


def _factor(names: list[str], codes: tuple[int, ...], columns: dict[str, list[Any]], cell: Cell) -> Factor:
    levels = [tuple(columns[name][codes.index(place)] for name in names) for place in range(max(codes) + 1)]
    fields = type(cell.knobs).model_fields
    default = tuple(fields[name].default if name in fields else None for name in names)
    base = levels.index(default) if default in levels else 0
    return Factor(" & ".join(names), tuple(" & ".join(map(_shown, level)) for level in levels), base)


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return (" ".join(map(str, value)) or "none") if isinstance(value, tuple | list) else str(value)


def steps_of(factors: Sequence[Factor]) -> list[tuple[Factor, str, Combination]]:
    """One at a time: each factor, another level of it, and the combination where nothing else leaves its base."""
    base = [factor.base for factor in factors]
    return [
        (factor, label, (*base[:place], level, *base[place + 1 :]))
        for place, factor in enumerate(factors)
        for level, label in enumerate(factor.levels)
        if level != factor.base
    ]


# Designs


class Design(Protocol):
    """Which cells are played, and what their means say about variances."""

    cells: list[Combination]
    words: str

    def forms(self, values: Floats) -> Floats:
        """values: [..., cell]. Quadratic forms of them, [..., row, 1 + 2 * factors]: estimates of the variance, of its
        first-order parts and of its total parts, whose mean over the rows is meant."""


def design_for(sizes: Sequence[int]) -> Design:
    """sizes: the number of levels of each factor."""
    return Grid(sizes) if prod(sizes) <= FULL else Sample(sizes)


class Grid:
    """All combinations; one row. The last factor varies fastest."""

    def __init__(self, sizes: Sequence[int]) -> None:
        self.sizes = tuple(sizes)
        self.cells: list[Combination] = list(product(*map(range, sizes)))
        self.words = f"all {len(self.cells)} combinations"

    def forms(self, values: Floats) -> Floats:
        grid = values.reshape(-1, *self.sizes)
        axes = tuple(range(1, grid.ndim))
        others = [tuple(axis for axis in axes if axis != one) for one in axes]
        first = [grid.mean(axis=rest).var(axis=1) for rest in others]
        total = [grid.var(axis=one, keepdims=True).mean(axis=axes) for one in axes]
        found: Floats = np.stack([grid.var(axis=axes), *first, *total], axis=-1)
        return found.reshape(*values.shape[:-1], 1, found.shape[-1])


class Sample:
    """Rows of a, b, and for each factor a with that factor's level of b.

    First order: the mean of b (mixed - a), after Saltelli et al. 2010, table 2 (b); total: half the mean of
    (a - mixed) squared, after Jansen 1999, there (f).
    """

    def __init__(self, sizes: Sequence[int]) -> None:
        from scipy.stats import qmc  # slow to import, and few studies need it

        factors = len(sizes)
        self.rows = 1 << ((EVALUATIONS // (factors + 2)).bit_length() - 1)
        points = qmc.Sobol(2 * factors, rng=np.random.default_rng(0)).random(self.rows)
        levels = (points * np.tile(sizes, 2)).astype(int)
        a, b = levels[:, :factors], levels[:, factors:]
        mixed = [np.where(np.arange(factors) == place, b, a) for place in range(factors)]
        picked = [[tuple(map(int, each)) for each in table] for table in (a, b, *mixed)]
        self.cells: list[Combination] = list(dict.fromkeys(each for table in picked for each in table))
        where = {cell: place for place, cell in enumerate(self.cells)}
        self.places = np.array([[where[each] for each in table] for table in picked])
        self.words = (
            f"a sample of {self.rows} × {factors + 2} = {self.rows * (factors + 2):,} of the {prod(sizes):,} "
            f"combinations ({len(self.cells):,} different cells)"
        )

    def forms(self, values: Floats) -> Floats:
        a, b = values[..., self.places[0]], values[..., self.places[1]]
        centre = (a.mean(axis=-1, keepdims=True) + b.mean(axis=-1, keepdims=True)) / 2
        a, b = a - centre, b - centre
        mixed = np.moveaxis(values[..., self.places[2:]], -2, -1) - centre[..., None]
        first, total = b[..., None] * (mixed - a[..., None]), (mixed - a[..., None]) ** 2 / 2
        return np.concatenate([((a**2 + b**2) / 2)[..., None], first, total], axis=-1)


# Estimates


class Variances(NamedTuple):
    """What a design says about a figure."""

    mean: float
    spread: Estimate
    first: list[Estimate]
    """By factor."""
    total: list[Estimate]


def variances(design: Design, u: Floats, m: Floats, rng: np.random.Generator) -> Variances:
    """u, m: [cell, group] sums of a figure's values, and the number of plays in which it is defined."""
    mean, groups = u.sum(axis=1) / m.sum(axis=1), u.shape[1]
    errors = ((u - mean[:, None] * m) / m.sum(axis=1)[:, None]).T
    means = mean - mean[0]  # where all are alike, nothing but zeros
    noise = design.forms(errors).sum(axis=0) * groups / (groups - 1)
    parts = (design.forms(means) - noise).mean(axis=0)

    drawn = rng.multinomial(groups, np.full(groups, 1 / groups), size=DRAWS) - 1
    forms = design.forms(means + sqrt(groups / (groups - 1)) * drawn @ errors) - 2 * noise
    rows = noise.shape[0]
    weights = rng.multinomial(rows, np.full(rows, 1 / rows), size=DRAWS) / rows
    draws = np.einsum("dr,drp->dp", weights, forms)

    spread = [sqrt(max(0.0, each)) for each in (parts[0], *_middle(draws[:, 0], draws[:, 0]))]
    shares = [_share(parts[place], draws[:, place], parts[0], draws[:, 0]) for place in range(1, parts.size)]
    half = len(shares) // 2
    return Variances(float(mean.mean()), Estimate(*spread), shares[:half], shares[half:])


def _share(part: float, parts: Floats, whole: float, wholes: Floats) -> Estimate:
    """part / whole, moved into 0 to 1 together with its interval where it errs beyond.

    A draw without any variance leaves open what the share is; so do many of them.
    """
    known = wholes > 0
    ratio = parts / np.where(known, wholes, 1.0)
    low, high = _middle(np.where(known, ratio, -np.inf), np.where(known, ratio, np.inf))
    if whole <= 0 or (low, high) == (-np.inf, np.inf):
        return Estimate(nan, 0.0, 1.0)
    share = _clip(part / whole)
    moved = share - part / whole
    return Estimate(share, min(share, _clip(low + moved)), max(share, _clip(high + moved)))


def _middle(lower: Floats, upper: Floats) -> tuple[float, float]:
    """The lower percentile of the one, the upper of the other, between which are 95 %."""
    tail = (1 - LEVEL) / 2
    return float(np.quantile(lower, tail, method="lower")), float(np.quantile(upper, 1 - tail, method="higher"))


def _clip(share: float) -> float:
    return float(min(1.0, max(0.0, share)))


# Figures


def measures_of(cells: Sequence[Cell]) -> tuple[Measure, ...]:
    """Shares of wins of each seat, and of each entry where all seats rotate; headline columns; unfinished games."""
    seats = min(cell.seats for cell in cells)
    kinds = ("seat", "entry") if all(cell.rotate_seats for cell in cells) else ("seat",)
    game, settings = catalogue.game(cells[0].game), {(cell.seats, cell.knobs): None for cell in cells}
    columns = [{each.name: each for each in game.columns(*setting)} for setting in settings]
    shared = [each for name, each in columns[0].items() if all(name in others for others in columns)]
    return (
        *(Measure(f"win_share {kind} {place}", "% points") for kind in kinds for place in range(seats)),
        *(Measure(each.name, each.unit) for each in shared if each.headline),
        *(Measure(each.name, "share of plays") for each in shared if each.name == "unfinished" and not each.headline),
    )


class Sums:
    """Sums over the groups of games, of those measures that are defined somewhere in every cell."""

    def __init__(self, rows: Sequence[dict[str, Any]], measures: Sequence[Measure]) -> None:
        sums = np.array([_sums_of(row, measures) for row in rows])  # [cell, group, measure, (m, u)]
        defined = (sums[..., 0].sum(axis=1) > 0).all(axis=0)
        self.sums = {each: sums[:, :, place] for place, each in enumerate(measures) if defined[place]}
        self.measures = tuple(self.sums)
        self.undefined = tuple(each for each in measures if each not in self.sums)
        self.seats = [row["seats"] for row in rows]

    def of(self, measure: Measure, cells: list[int]) -> tuple[Floats, Floats]:
        """u, m: [cell, group] sums of its values, and the plays in which it is defined. A win is 1."""
        picked = self.sums[measure][cells].astype(float)
        return picked[..., 1] / (WIN if measure.percent else 1), picked[..., 0]

    def difference(self, measure: Measure, one: int, other: int) -> Difference:
        """What it is in one cell less than in the other."""
        (m, u), (k, v) = self.sums[measure][one].T, self.sums[measure][other].T
        units = np.array([u, m, v, k]).astype(object)
        tally = PairTally(u.size, 0, units.sum(axis=1)[None], (units @ units.T)[None])
        [found] = differences(tally, (measure.name,), paired=self.seats[one] == self.seats[other])
        return found


def _sums_of(row: dict[str, Any], measures: Sequence[Measure]) -> NDArray[np.int64]:
    """[group, measure, (m, u)]"""
    names = [metric["column"] for metric in row["metrics"]]
    names += [f"win_share {kind} {place}" for kind in ("seat", "entry") for place in range(row["seats"])]
    places = [names.index(measure.name) for measure in measures]
    return np.array([[[int(each) for each in group["sums"][place]] for place in places] for group in row["groups"]])


# Playing


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
            write_rows(self.part(name, "tally", Work(first, run.tally.games, True, False)), [row], self.schema)


def _play(
    cells: Sequence[Cell], folder: Path, jobs: int | None, progress: Progress
) -> tuple[list[dict[str, Any]], int]:
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


# Out


def _write(found: Sense, folder: Path) -> None:
    names = [f"{name}{end}" for name in ("sd", "first", "total") for end in ("", "_low", "_high")]
    indices = [
        {"figure": each.measure.name, "unit": each.measure.unit, "knob": each.factor.name, "games": found.games,
         "mean": found.spreads[each.measure].mean}
        | _three("sd", found.spreads[each.measure].deviation)
        | _three("first", each.first)
        | _three("total", each.total)
        for each in found.indices
    ]  # fmt: skip
    effects = [
        {"figure": each.measure.name, "unit": each.measure.unit, "knob": each.factor.name, "games": found.games,
         "base": each.factor.levels[each.factor.base], "level": each.level, "at_base": each.change.first,
         "difference": each.change.difference, "low": each.change.low, "high": each.change.high}
        for each in found.effects
    ]  # fmt: skip
    write_rows(folder / "indices.parquet", indices, _table((), ("mean", *names)))
    write_rows(folder / "effects.parquet", effects, _table(("base", "level"), ("at_base", "difference", "low", "high")))


def _table(texts: Sequence[str], numbers: Sequence[str]) -> pa.Schema:
    return pa.schema([
        *((name, pa.string()) for name in ("figure", "unit", "knob")), ("games", pa.int64()),
        *((name, pa.string()) for name in texts), *((name, pa.float64()) for name in numbers),
    ])  # fmt: skip


def _three(name: str, of: Estimate) -> dict[str, float]:
    return {name: of.estimate, f"{name}_low": of.low, f"{name}_high": of.high}


def indices_table(found: Sense) -> list[tables.Row]:
    """For `lab.tables.show`: one line a figure and factor, the largest total index first."""
    lines: list[tables.Row] = []
    for measure, spread in found.spreads.items():
        mine = [each for each in found.indices if each.measure == measure]
        mine.sort(key=lambda each: -each.total.estimate if each.total.estimate >= 0 else 0.0)
        for place, each in enumerate(mine if spread.deviation.high > 0 else ()):
            mean = f"{spread.mean * (100 if measure.percent else 1):.4g}"
            lines.append({
                "figure": _title(measure) if place == 0 else "",
                "mean": mean if place == 0 else "",
                "sd over cells": _figure(measure, spread.deviation) if place == 0 else "",
                "knob": each.factor.name,
                "first-order %": _figure(None, each.first),
                "total %": _figure(None, each.total),
            })  # fmt: skip
    return lines


def effects_table(found: Sense) -> list[tables.Row]:
    """For `lab.tables.show`: one line a figure and step, in the picture's order."""
    lines: list[tables.Row] = []
    for measure in found.measures:
        for place, each in enumerate(ranked(found, measure)):
            scale = 100 if measure.percent else 1
            change = Estimate(each.change.difference, each.change.low, each.change.high)
            lines.append({
                "figure": _title(measure) if place == 0 else "",
                "at base": f"{each.change.first * scale:.4g}" if place == 0 else "",
                "knob": each.factor.name,
                "from": each.factor.levels[each.factor.base],
                "to": each.level,
                "difference": _figure(measure, change),
                "unit": measure.unit,
            })  # fmt: skip
    return lines


def notes(found: Sense) -> str:
    """What the tables leave to be said, in one line."""
    moved = {measure for measure, spread in found.spreads.items() if spread.deviation.high > 0}
    still = [_title(each) for each in found.measures if not ranked(found, each) and each not in moved]
    said = [
        f"{found.design}; {found.games:,} games a cell" + (", seats rotated" if found.rotated else ""),
        "± half-width of a 95 % interval for each figure alone",
        "difference: one knob from its default or first value, the others at theirs",
    ]
    if found.indices:
        said += [
            "first-order: share of the variance over the cells, without the noise, that a knob explains alone",
            "total: with all interactions that it has a part in",
            "-: no variance above the noise",
        ]
    said += [f"the same in all cells: {', '.join(still)}"] if still else []
    said += [f"not defined in all cells: {', '.join(map(_title, found.undefined))}"] if found.undefined else []
    return "; ".join(said)


def ranked(found: Sense, measure: Measure) -> list[Effect]:
    """The steps that move a figure, or may: factor by factor, that with the largest difference first."""
    mine = [each for each in found.effects if each.measure == measure]
    largest = {
        factor: max((abs(each.change.difference) for each in mine if each.factor == factor), default=0.0)
        for factor in found.factors
    }
    if not any(each.change.low or each.change.high for each in mine):
        return []
    return sorted(mine, key=lambda each: -largest[each.factor])


def _title(measure: Measure) -> str:
    return measure.name.replace("_", " ") + (" %" if measure.percent else "")


def _figure(measure: Measure | None, of: Estimate) -> tables.Figure:
    return tables.Figure(of.estimate, of.low, of.high, percent=measure is None or measure.percent)


def draw(found: Sense, path: Path) -> None:
    """The tornado: one panel a figure, one bar a step, with its interval. `ImportError` without the extra `reports`."""
    from matplotlib.figure import Figure

    from lab.figures import COLOURS

    panels = [(measure, bars) for measure in found.measures if (bars := ranked(found, measure))]
    across = 1 if len(panels) < 4 else 2
    down = max(1, -(-len(panels) // across))
    tallest = min(BARS, max((len(bars) for _, bars in panels), default=1))
    figure = Figure(figsize=(6.4 * across, 1.2 + down * (1.1 + 0.27 * tallest)), layout="constrained")
    colours = {factor: COLOURS[place % (len(COLOURS) - 1)] for place, factor in enumerate(found.factors)}
    for place, (measure, bars) in enumerate(panels):
        _panel(figure.add_subplot(down, across, place + 1), measure, bars, colours)
    base = ", ".join(f"{factor.name} {factor.levels[factor.base]}" for factor in found.factors)
    games = f"{found.games:,} games{', each in all rotations,' if found.rotated else ''} at both ends of a bar"
    title = fill(f"{found.name}: one knob at a time, from {base}", 80 * across)
    title += "\n" + fill(f"n = {games}; lines: 95 % intervals; pale: the interval holds 0", 80 * across)
    figure.suptitle(title, x=0.01, horizontalalignment="left", fontsize=11)

    def save(hidden: Path) -> None:
        figure.savefig(hidden, format=path.suffix[1:], dpi=120)

    write_atomically(path, save)


def _panel(on: Any, measure: Measure, effects: Sequence[Effect], colours: dict[Factor, str]) -> None:
    largest = sorted(effects, key=lambda each: -abs(each.change.difference))[:BARS]
    bars = [each for each in effects if each in largest]
    left_out = f"; the largest {BARS} of {len(effects)}" if len(effects) > BARS else ""
    scale = 100 if measure.percent else 1
    for place, each in enumerate(bars):
        change, low, high = (scale * part for part in (each.change.difference, each.change.low, each.change.high))
        on.barh(place, change, height=0.7, color=colours[each.factor], alpha=0.35 if low <= 0 <= high else 1.0)
        on.errorbar(change, place, xerr=[[change - low], [high - change]], color="black", capsize=3, linewidth=1)
        shown = tables.Figure(each.change.difference, each.change.low, each.change.high, percent=measure.percent)
        on.text(1.01, place, f"{'+' if change > 0 else ''}{shown}".replace("-", "−"), fontsize=8, va="center",
                transform=on.get_yaxis_transform())  # fmt: skip
    on.set_yticks(range(len(bars)), [f"{each.factor.name} {each.level}" for each in bars], fontsize=9)
    on.invert_yaxis()
    on.axvline(0, color="black", linewidth=0.8)
    on.spines[["top", "right", "left"]].set_visible(False)
    on.grid(axis="x", alpha=0.25)
    on.set_axisbelow(True)
    on.locator_params(axis="x", nbins=6)
    on.set_xlabel(f"difference, {measure.unit}" if measure.unit else "difference")
    on.set_title(f"{_title(measure)} (from {bars[0].change.first * scale:.4g}{left_out})", loc="left", fontsize=10)
