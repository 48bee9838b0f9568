"""Self-checks of a sweep: what must hold of its results, if they are what they seem to be.

    checks(cells, rows) -> lines for the terminal and for `study.json`

Each of them looks at all cells, and says what it found.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib import import_module
from itertools import combinations
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lab import arena, catalogue, seating
from lab.arena import Match
from lab.cell import Cell
from lab.estimate import Z

Row = dict[str, Any]

MOST_UNFINISHED = 0.01
"""The share of unfinished plays that a cell may have, where the study does not say (`unfinished`)."""
SAMPLE, SAMPLED = 256, 24
FEW, FEW_SECONDS = 16, 0.1
"""Games of a cell that are compared for being distinct (FEW if those take longer than this); of how many cells at most.
As many are solved exactly."""
FALSE_ALARM = 1e-4
"""How often a check of chance would fail although all is well, over all figures of the study."""
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
"""SplitMix64's increment, by which what is hashed is told apart."""


class Check(NamedTuple):
    """Something that must hold."""

    what: str
    found: str
    holds: bool


class Known(NamedTuple):
    """A figure beside its exact value."""

    cell: str
    figure: str
    estimate: float
    exact: float
    z: float


def checks(
    cells: Sequence[Cell], rows: Sequence[Row], allowed: Sequence[float] = ()
) -> tuple[list[Check], list[Known]]:
    """cells, rows: of a finished sweep, in one order, each cell once. allowed: unfinished plays of each, as a share."""
    known, most = _known(cells, rows), allowed or [MOST_UNFINISHED] * len(rows)
    found = [*_knobs(cells, rows), *_seats(cells, rows), _finished(rows, most), _distinct(cells), *_exact(known)]
    return found, known


def bound(figures: int) -> float:
    """How far from its expectation, in standard errors, none of so many figures should be."""
    return NormalDist().inv_cdf(1 - FALSE_ALARM / 2 / max(1, figures))


# Every swept knob changed something


def _knobs(cells: Sequence[Cell], rows: Sequence[Row]) -> Iterator[Check]:
    given = [cell.parameters() | {"part": "", "game": cell.game} for cell in cells]
    names = dict.fromkeys(name for each in given for name in each)
    for name in names:
        alike: dict[str, list[int]] = {}
        for place, each in enumerate(given):
            if name in each:
                alike.setdefault(str({key: value for key, value in each.items() if key != name}), []).append(place)
        pairs = [pair for places in alike.values() for pair in combinations(places, 2)]
        pairs = [(a, b) for a, b in pairs if rows[a]["games"] == rows[b]["games"]]
        if not pairs or name == "seats":
            continue
        changed = sum(_differ(rows[a], rows[b]) for a, b in pairs)
        found = f"different results in {changed:,} of {len(pairs):,} pairs of cells that differ in it alone"
        yield Check(f"{name} changed something", found, changed > 0)


def _differ(one: Row, other: Row) -> bool:
    return bool(one["winners"] != other["winners"] or one["metrics"] != other["metrics"])


# Seats are symmetric where the rules are


def _seats(cells: Sequence[Cell], rows: Sequence[Row]) -> Iterator[Check]:
    scores = []
    for cell, row in zip(cells, rows, strict=True):
        if catalogue.game(cell.game).is_symmetric(cell.knobs) and len(set(cell.lineup)) == 1 and cell.seats > 1:
            shares = [share["estimate"] for share in row["win_share"]]
            fair = sum(shares) / cell.seats
            errors = [(share["high"] - share["low"]) / 2 / Z for share in row["win_share"]]
            scores += [(share - fair) / error for share, error in zip(shares, errors, strict=True) if share != fair]
    if scores:
        far, most = max(map(abs, scores)), bound(len(scores))
        found = f"{len(scores)} shares of wins of seats that play alike; the furthest is {far:.1f} standard errors off"
        yield Check("Seats are alike where rules and policies are", found, far < most)


# Games come to an end, and are not all the same


def _finished(rows: Sequence[Row], allowed: Sequence[float]) -> Check:
    shares = [row["unfinished"] / row["plays"] for row in rows]
    over = sum(share > most for share, most in zip(shares, allowed, strict=True))
    found = f"{max(shares):.2%} in the worst cell, at most {max(allowed):.0%} allowed"
    found += f"; {over} cells have more than allowed" if over else ""
    return Check("No cell has more unfinished plays than the study allows", found, over == 0)


def _distinct(cells: Sequence[Cell]) -> Check:
    chosen = sampled(cells)
    counts = [_counted(cell) for cell in chosen]
    worst, n = min(counts, key=lambda count: count[0] / count[1])
    found = f"{worst} of {n} in the worst of {len(chosen)} cells"
    return Check("Games differ in luck or in what was done", found, 2 * worst > n)


def _counted(cell: Cell) -> tuple[int, int]:
    """How many games differ, of how many: of few where a policy thinks long."""
    start = time.perf_counter()
    few = distinct(cell, FEW)
    return (distinct(cell, SAMPLE), SAMPLE) if time.perf_counter() - start < FEW_SECONDS else (few, FEW)


def sampled(cells: Sequence[Cell]) -> list[Cell]:
    """At most `SAMPLED` cells, evenly spread."""
    places = np.unique(np.linspace(0, len(cells) - 1, min(SAMPLED, len(cells))).astype(int))
    return [cells[place] for place in places]


def distinct(cell: Cell, count: int) -> int:
    """How many of the first games differ in what was seen, done or achieved: by a 64-bit hash of all of it."""
    plan = seating.recipe(replace(cell, rotate_seats=False))
    [match] = seating.matches(plan, seating.prepare(plan))
    return len(set(_hashes(match, count).tolist()))


def _hashes(match: Match, count: int) -> NDArray[np.uint64]:
    hashes = np.zeros(count, np.uint64)

    def watch(table: Any, ask: Any) -> None:
        if ask is None or not (asked := np.flatnonzero(ask.seat >= 0)).size:
            return
        games = (table.game if ask.lanes is None else table.game[ask.lanes])[asked]
        shown = [
            field[..., asked].reshape(-1, asked.size)
            for field in (*ask.view, ask.action)
            if isinstance(field, np.ndarray) and field.shape[-1:] == ask.seat.shape and field.dtype.kind in "iub"
        ]
        _mix(hashes, games, np.concatenate(shown, dtype=np.int64, casting="unsafe"))

    def sink(games: NDArray[np.uint64], rows: NDArray[np.int32]) -> None:
        _mix(hashes, games, rows.T.astype(np.int64))

    arena.play(match, 0, count, sink, watch=watch)
    return hashes


def _mix(hashes: NDArray[np.uint64], games: NDArray[np.uint64], values: NDArray[np.int64]) -> None:
    """Add values, [line, game], to each game's hash. A line's place is part of what is added."""
    places, numbers = np.arange(1, len(values) + 1, dtype=np.uint64)[:, None] * GOLDEN, games.astype(np.int64)
    added = _scattered(values.view(np.uint64) + places).sum(axis=0)
    hashes[numbers] = _scattered(hashes[numbers] * GOLDEN + added)


def _scattered(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The finalizer of SplitMix64 (Steele, Lea, Flood 2014)."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


# Against exact answers


def _known(cells: Sequence[Cell], rows: Sequence[Row]) -> list[Known]:
    found: list[Known] = []
    by_cell = dict(zip(cells, rows, strict=True))
    for cell in sampled([cell for cell in cells if catalogue.game(cell.game).exact]) if cells else []:
        row = by_cell[cell]
        for figure, exact in _answers(cell).items():
            estimate, half = _estimated(row, figure)
            error = half / Z
            z = (estimate - exact) / error if error else 0.0 if estimate == exact else float("inf")
            found.append(Known(row["cell"], figure, estimate, exact, z))
    return found


def _answers(cell: Cell) -> dict[str, float]:
    """Exact figures of a cell, over its rotations; {} if they are not known."""
    answer = import_module(catalogue.game(cell.game).exact).answer
    entries = [(entry.policy, entry.weights) for entry in cell.lineup]
    lineups = [[entries[(seat - r) % cell.seats] for seat in range(cell.seats)] for r in range(cell.rotations)]
    found = [answer(cell.seats, cell.knobs, lineup) for lineup in lineups]
    return {name: sum(each[name] for each in found) / len(found) for name in found[0]} if all(found) else {}


def _estimated(row: Row, figure: str) -> tuple[float, float]:
    """Estimate and half-width."""
    if figure.startswith("win_share["):
        share = row["win_share"][int(figure[10:-1])]
        return share["estimate"], (share["high"] - share["low"]) / 2
    metric = next(each for each in row["metrics"] if each["column"] == figure)
    return metric["mean"], (metric["high"] - metric["low"]) / 2


def _exact(known: Sequence[Known]) -> Iterator[Check]:
    if known:
        scores = np.array([each.z for each in known])
        cells = len({each.cell for each in known})
        found = f"{len(known)} figures of {cells} cells; z up to {np.abs(scores).max():.1f}, "
        found += f"root mean square {np.sqrt((scores**2).mean()):.2f}"
        yield Check("Figures agree with exact answers", found, bool(np.abs(scores).max() < bound(len(known))))
