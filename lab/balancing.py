"""Balance measures of a study's cells, from their winning-chance curves: `lab balance STUDY`.

    balance(study, folder, games=50_000, jobs=2) -> rows of `balance.parquet`

Of every cell the first game numbers are played to fit a curve (`lab.curve`), luck's weights (`lab.control`) and what is
known before the first turn; the next ones, which none of these has seen, are measured (`lab.measures`) and adjusted. A
block of games gives sums alone (`Sums`), so memory does not grow with the number of games; blocks are cut by the number
of games only and added up in their order, so that results are the same bytes for any number of workers, and however
often it was interrupted: blocks are kept until their cell is finished (`lab.balance_store`).

    balance.parquet   one row a cell, measure and subject: estimate, low, high, n, and what it means
    curves.parquet    one row a cell, kind and place: the winner's chance by progress, with quantiles ("winner"), and
                      what came of chances of each size ("reliability")

Intervals are for 95 %, each for its figure alone. The unit of statistics is the game number with all its rotations.
"""

import json
import os
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from dataclasses import dataclass, field, fields, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lab import catalogue, control, curve, measures, seating
from lab.cell import Cell
from lab.control import Control
from lab.curve import Curve, Floats, Layout, Snapshots, Whole
from lab.errors import BadInput, Incomplete, LabError
from lab.identity import cell_id
from lab.runner import Progress, merged
from lab.seating import Recipe
from lab.study import Study
from lab.traces import Trace, trace
from lab.workers import spread

if TYPE_CHECKING:
    from lab.balance_store import Arrays, BalanceStore
    from lab.balance_table import Row
    from lab.store import Span

GAMES = 50_000
"""Game numbers that are measured, and at most so many that are fitted on."""
LEAST_FIT = 2_000
"""Game numbers that are fitted on, however few are measured."""
LEAST = 200
"""Game numbers that can be measured: fewer give intervals that do not hold."""
BLOCK, GROUPS = 1_000, 50
"""Game numbers of a block at most; groups of blocks of which one is left out in turn (jackknife)."""
KINDS = ("sample", "sums")
"""Of blocks: what they give is fitted on, or measured."""
SEAT_ROWS = 160_000
"""Ends of turns times seats that a curve is fitted on, at most."""


class Plan(NamedTuple):
    """How a cell is taken apart, in plain values, as it travels to workers."""

    recipe: Recipe
    prepared: tuple[Any, ...]
    layout: Layout
    kinds: tuple[tuple[int, ...], ...]
    """[rotation, seat] which kind of player sits there."""
    width: int
    """Sights of the game."""


def plan_of(cell: Cell) -> Plan:
    """Rotations that cannot differ, since all players are alike, are left out."""
    game = catalogue.game(cell.game)
    recipe = seating.recipe(cell)
    known = list(dict.fromkeys(recipe.lineup))
    if len(known) == 1:
        recipe = recipe._replace(rotations=1)
    names = game.sights(cell.seats, cell.knobs)
    layout = curve.layout(names, cell.seats, game.is_symmetric(cell.knobs), len(known))
    of_entry = [known.index(each) for each in recipe.lineup]
    kinds = tuple(tuple(of_entry[(s - r) % cell.seats] for s in range(cell.seats)) for r in range(recipe.rotations))
    return Plan(recipe, seating.prepare(recipe), layout, kinds, len(names))


def _traces(plan: Plan, first: int, count: int, *, options: bool) -> Iterator[tuple[int, Trace]]:
    for rotation, match in enumerate(seating.matches(plan.recipe, plan.prepared)):
        yield rotation, trace(match, plan.width, first, count, options=options)


# Fitting


class Sample(NamedTuple):
    """Some turns of a block, evenly picked, and what all its games say of who wins."""

    earlier: curve.Ints
    """[row, sight] before the turn; whatever where `turn` is 1."""
    sights: curve.Ints
    turn: Whole
    last: Any
    kinds: Whole
    """[row, seat]"""
    rotation: Whole
    won: Floats
    """[row, seat]"""
    wins: Floats
    """[rotation, seat] over all games of the block."""

    def arrays(self) -> "Arrays":
        """By name, as they are kept."""
        return self._asdict()

    @classmethod
    def of(cls, arrays: "Arrays") -> "Sample":
        """The inverse of `arrays`."""
        return cls(**arrays)


def sample(plan: Plan, wanted: int, first: int, count: int) -> Sample:
    """Play a block of games, and pick turns. wanted: rows, over all rotations together."""
    parts: list[tuple[Any, ...]] = []
    wins = []
    for rotation, seen in _traces(plan, first, count, options=False):
        rows, quota = len(seen.turn), wanted // plan.recipe.rotations
        picked = np.unique(np.linspace(0, rows - 1, min(rows, quota)).astype(np.int64)) if rows else np.zeros(0, int)
        kinds = np.tile(np.array(plan.kinds[rotation], np.int64), (len(picked), 1))
        parts.append((
            seen.sights[np.maximum(0, picked - 1)], seen.sights[picked], seen.turn[picked], seen.last[picked], kinds,
            np.full(len(picked), rotation), seen.won[seen.game[picked]],
        ))  # fmt: skip
        wins.append(seen.won.sum(axis=0))
    return Sample._make([*(np.concatenate(each) for each in zip(*parts, strict=True)), np.array(wins)])


class Fitted(NamedTuple):
    """What is learnt of a cell from its first games."""

    curve: Curve
    control: Control
    prior: Floats
    """[rotation, seat] chances before the first turn."""


def fitted(plan: Plan, samples: Iterable[Sample], games: int) -> Fitted:
    """games: that the samples are of."""
    parts = list(samples)
    columns = list(zip(*parts, strict=True))
    together = Sample._make([*map(np.concatenate, columns[:-1]), sum(columns[-1])])
    prior = (together.wins + 0.5) / (games + 0.5 * (plan.layout.seats + 1))
    going_on = ~together.last
    if not going_on.any():
        raise LabError("no turn was seen that did not end its game, so there is no curve")
    given = Snapshots(*(each[going_on] for each in (together.sights, together.turn, together.kinds, together.won)))
    made = curve.fit(plan.layout, given)
    before = made.chances(together.earlier, together.turn - 1, together.kinds)
    before = np.where((together.turn == 1)[:, None], prior[together.rotation], before)
    after = made.chances(together.sights, together.turn, together.kinds)
    after = np.where(together.last[:, None], together.won, after)
    turns = control.turns(made, before, together.earlier, together.sights, together.turn)
    return Fitted(made, control.fit(turns, after - before), prior)


# Measuring

Key = tuple[str, str]
"""A measure, or what one is made of, and its subject."""


@dataclass
class Sums:
    """What a block of games adds up to."""

    games: int
    units: dict[Key, Floats]
    """Sums over game numbers, of m, u, u*u, u*m, m*m: u adds up the values over the rotations, m how many there are."""
    wins: Floats
    """[rotation, seat]"""
    same: Floats
    """[2] over game numbers and seats: products of the parts of a win in two different rotations, and squares."""
    chosen: Whole
    """[kind of player, option, 2]"""
    fan: Whole
    reliability: Floats
    """[bin, 6] sums as in `units` of wins and number of chances, and the sum of the chances."""

    def __add__(self, other: "Sums") -> "Sums":
        keys = self.units | other.units
        units = {key: self.units.get(key, 0) + other.units.get(key, np.zeros(5)) for key in keys}
        rest = [getattr(self, name) + getattr(other, name) for name in ("wins", "same", "chosen", "fan", "reliability")]
        return Sums(self.games + other.games, units, *rest)

    def arrays(self) -> "Arrays":
        """By name, as they are kept; units are named by their keys, as JSON."""
        rest = {each.name: np.asarray(getattr(self, each.name)) for each in fields(self) if each.name != "units"}
        return rest | {json.dumps(key): sums for key, sums in self.units.items()}

    @classmethod
    def of(cls, arrays: "Arrays") -> "Sums":
        """The inverse of `arrays`."""
        rest: Any = {each.name: arrays[each.name] for each in fields(cls) if each.name != "units"}
        units: Any = {tuple(json.loads(name)): sums for name, sums in arrays.items() if name not in rest}
        return cls(**rest | {"games": int(rest["games"]), "units": units})


def measure(plan: Plan, known: Fitted, first: int, count: int) -> Sums:
    """Play and measure a block of games."""
    values: dict[Key, list[Floats]] = {}
    chosen: Whole = np.zeros((plan.layout.kinds, len(catalogue.game(plan.recipe.game).options), 2), np.int64)
    won, fan, bins = [], np.zeros((measures.STEPS + 1, measures.BINS), np.int64), []
    for rotation, seen in _traces(plan, first, count, options=True):
        kinds, prior = np.array(plan.kinds[rotation]), known.prior[rotation]
        course = measures.course(seen, known.curve.chances(seen.sights, seen.turn, kinds), prior)
        for name, found in (measures.per_game(course, plan.layout) | measures.scores(course)).items():
            values.setdefault((name, ""), []).append(found)
        for key, found in _wins(plan, seen, _adjusted(known, course), rotation).items():
            values.setdefault(key, []).append(found)
        np.add.at(chosen, kinds, seen.chosen)
        won.append(seen.won)
        fan += measures.fan(course)
        bins.append(measures.reliability(course))
    outcome = np.array(won)
    squares = (outcome**2).sum()
    units = {key: _units(np.array(each)) for key, each in values.items()}
    for name in ("Brier", "log"):
        ours, constant = (np.array(values[f"{name} score{more}", ""]) for more in ("", " constant"))
        units[f"{name} skill", ""] = _sums(np.nansum(ours, axis=0), np.nansum(constant, axis=0))
        del units[f"{name} score constant", ""]
    same = np.array([(outcome.sum(axis=0) ** 2).sum() - squares, squares])
    counts, chances, wins = (sum(each) for each in zip(*bins, strict=True))
    lines = [[*_sums(wins[:, b], counts[:, b]), chances[:, b].sum()] for b in range(measures.RELIABILITY)]
    return Sums(count, units, outcome.sum(axis=1), same, chosen, fan, np.array(lines))


def _adjusted(known: Fitted, course: measures.Course) -> Floats:
    """[game, seat] parts of a win, less what the luck of all turns gave."""
    seen = course.trace
    earlier = np.roll(seen.sights, 1, axis=0)
    given = known.control.given(control.turns(known.curve, course.before, earlier, seen.sights, seen.turn))
    total = [np.bincount(seen.game, weights=each, minlength=len(seen.won)) for each in given.T]
    found: Floats = seen.won - np.stack(total, axis=1)
    return found


def _wins(plan: Plan, seen: Trace, adjusted: Floats, rotation: int) -> dict[Key, Floats]:
    """Parts of a win by seat, by entry of the line-up where seats rotate, and by order of play where it is told."""
    seats = plan.layout.seats
    found: dict[Key, Floats] = {}
    for name, won in (("win share", seen.won), ("win share, adjusted", adjusted)):
        for seat in range(seats):
            found[name, f"seat {seat}"] = won[:, seat]
            if plan.recipe.rotations > 1:
                found[name, f"entry {seat}"] = won[:, (seat + rotation) % seats]
    columns = seating.column_names(plan.recipe)
    if "first_seat" in columns:
        first = seen.columns[:, 1 + columns.index("first_seat")]
        for place in range(seats):
            of = ((first + place) % seats)[:, None].astype(np.int64)
            found["starting advantage", f"place {place + 1}"] = np.take_along_axis(seen.won, of, axis=1)[:, 0]
    return found


def _units(values: Floats) -> Floats:
    """values: [rotation, game], nan where a measure is not defined."""
    return _sums(np.nansum(values, axis=0), (~np.isnan(values)).sum(axis=0))


def _sums(u: Floats, m: Any) -> Floats:
    return np.array([m.sum(), u.sum(), (u * u).sum(), (u * m).sum(), (m * m).sum()], float)


# A study


@dataclass
class Measured:
    """A cell, measured."""

    cell: Cell
    plan: Plan
    known: Fitted
    fitted_on: int
    """Game numbers, from 0."""
    groups: list[Sums] = field(default_factory=list)
    """Sums of every 50th block, for the jackknife."""

    def take(self, number: int, sums: Sums) -> None:
        if number < GROUPS:
            self.groups.append(sums)
        else:
            self.groups[number % GROUPS] = self.groups[number % GROUPS] + sums


def balance(
    study: Study, folder: Path, *, games: int = GAMES, jobs: int | None = None, progress: Progress | None = None
) -> list["Row"]:
    """Measure what `folder` does not hold yet of a study's cells, and write both tables into it.

    games: game numbers that are measured, of each cell. Errors: `BadInput` if the folder cannot be written or games are
    too few; `Incomplete` if a cell could not be played (all others are then written).
    """
    from lab.balance_store import BalanceStore, measured_id

    if games < LEAST:
        raise BadInput(f"--games {games}: at least {LEAST:,} are needed to measure balance")
    progress, store = progress or Progress(), BalanceStore(folder)
    store.open()
    cells = merged((cell_id(cell), cell) for cell in study.cells)
    work = [Measuring(store, measured_id(cell, games), cell, games, jobs, progress) for cell in cells.values()]
    progress.start(sum(each.to_come() for each in work))
    rows: list[Row] = []
    curves: list[Row] = []
    failures = []
    try:
        for each in work:
            try:
                tables = each.tables()
            except LabError as error:
                failures.append(f"cell {cell_id(each.cell)} ({each.cell.game}, {each.cell.line_up}): {error}")
                continue
            rows += tables[0]
            curves += tables[1]
    finally:
        progress.stop()
    store.write_tables(rows, curves)
    if failures:
        raise Incomplete("; ".join(failures))
    return rows


@dataclass
class Measuring:
    """The measuring of one cell, of which some may have been done before."""

    store: "BalanceStore"
    name: str
    cell: Cell
    games: int
    """Game numbers that are measured."""
    jobs: int | None
    progress: Progress

    @property
    def fit_games(self) -> int:
        return min(GAMES, max(LEAST_FIT, self.games))

    def spans(self, kind: str) -> list["Span"]:
        """The blocks of a kind (see `KINDS`), in their order."""
        return list(_blocks(0, self.fit_games) if kind == "sample" else _blocks(self.fit_games, self.games))

    def missing(self, kind: str) -> list["Span"]:
        there = set(self.store.spans(self.name, kind))
        return [span for span in self.spans(kind) if span not in there]

    def plays(self, spans: Iterable["Span"]) -> int:
        return self.cell.rotations * sum(end - first for first, end in spans)

    def to_come(self) -> int:
        """Plays that nobody has seen yet."""
        known = self.store.measures(self.name, self.cell)
        return 0 if known else sum(self.plays(self.missing(kind)) for kind in KINDS)

    def tables(self) -> tuple[list["Row"], list["Row"]]:
        """The rows of the cell in both tables."""
        from lab import balance_table

        found = self.store.measures(self.name, self.cell)
        if not found:
            done = self.measured()
            found = balance_table.rows_of(done), balance_table.curve_rows(done)
            self.store.settle(self.name, *found)
        for kind in KINDS:
            self.store.drop(self.name, kind, self.fit_games + self.games)
        return found

    def measured(self) -> Measured:
        """The cell, with the sums of all blocks."""
        plan = plan_of(replace(self.cell, games=self.games))
        for match in seating.matches(plan.recipe, plan.prepared):
            trace(match, plan.width, 0, 16)  # the parent compiles before workers start
        wanted = max(plan.recipe.rotations, SEAT_ROWS // self.cell.seats // len(self.spans("sample")))
        known = fitted(plan, map(Sample.of, self._blocks("sample", sample, plan, wanted)), self.fit_games)
        done = Measured(self.cell, plan, known, self.fit_games)
        for number, arrays in enumerate(self._blocks("sums", measure, plan, known)):
            done.take(number, Sums.of(arrays))
        return done

    def _blocks(self, kind: str, play: Any, *given: Any) -> Iterator["Arrays"]:
        """What the blocks of a kind give, in their order. play: makes those that are missing, of `given` and games."""
        missing = self.missing(kind)
        todo, tasks = set(missing), [(play, (*given, first, end - first)) for first, end in missing]
        with closing(in_order(tasks, self.jobs)) as played:
            for span in self.spans(kind):
                if span in todo:
                    self.store.keep(self.name, kind, span, next(played).arrays())
                    self.progress.advance(self.plays([span]))
                yield self.store.kept(self.name, kind, span)


def _blocks(first: int, games: int) -> Iterator[tuple[int, int]]:
    """Some groups at least, and none larger than a block."""
    number = max(min(GROUPS, games // 20), -(-games // BLOCK))
    edges = [first + games * k // number for k in range(number + 1)]
    return pairwise(edges)


# Workers


def in_order(tasks: list[tuple[Any, tuple[Any, ...]]], jobs: int | None) -> Generator[Any, None, None]:
    """What functions of arguments give, in their order, by several workers. `LabError` if one fails, or dies."""
    jobs = min(jobs or os.cpu_count() or 1, len(tasks))
    if jobs <= 1:
        yield from (function(*given) for function, given in tasks)
        return
    try:
        with closing(spread(_in_worker, tasks, jobs, in_order=True)) as results:
            for failure, result in results:
                if failure:
                    raise LabError(failure)
                yield result
    except BrokenProcessPool as error:
        raise LabError("a worker died; started again, the command goes on from there") from error


def _in_worker(task: tuple[Any, tuple[Any, ...]]) -> tuple[str, Any]:
    """(why it failed, what it gave)"""
    function, given = task
    try:
        return "", function(*given)
    except LabError as error:
        return str(error), None
