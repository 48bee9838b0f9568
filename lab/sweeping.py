"""Sweeps: all cells of a study, played, checked, and written as one table with a manifest.

    sweep(study, folder, jobs=2) -> Sweep, with the rows of all cells

A cell that could not be played to its end does not stop the others; at the end `Incomplete` names it.
"""

import platform
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lab import checks
from lab.cell import Cell, seats_in_words
from lab.errors import Incomplete
from lab.goals import Goal
from lab.identity import cell_id, code_hash
from lab.runner import Progress, fill, merged
from lab.store import Store
from lab.study import Study
from lab.until import play_until


@dataclass
class Sweep:
    """What a sweep has done."""

    study: Study
    folder: Path
    names: tuple[str, ...]
    """Identities of the cells, in the study's order."""
    rows: list[dict[str, Any]] = field(default_factory=list)
    """The rows of `cells.parquet` (see `lab.store.SCHEMA`)."""
    checks: list[dict[str, Any]] = field(default_factory=list)
    """What was checked of the results: `lab.checks.Check` as mappings."""
    exact: list[dict[str, Any]] = field(default_factory=list)
    """Figures beside their exact values: `lab.checks.Known` as mappings."""
    played: int = 0
    """Plays of this run; all others were in the store."""
    seconds: float = 0.0


def sweep(study: Study, folder: Path, *, jobs: int | None = None, progress: Progress | None = None) -> Sweep:
    """Play what `folder` does not hold yet of a study's cells, and write their table.

    Errors: `BadInput` if the folder cannot be written; `Incomplete` if a cell could not be played to its end (all
    others are then written).
    """
    progress, store, start = progress or Progress(), Store(folder), time.perf_counter()
    names = tuple(cell_id(cell) for cell in study.cells)
    store.open()
    cells = merged(zip(names, study.cells, strict=True))
    counted = merged((n, cell) for n, cell in zip(names, study.cells, strict=True) if cell.part not in study.until)
    run = fill(store, counted, jobs, progress)
    finished, played, seconds = run.finish(), run.played, run.seconds
    if study.until:
        watched = play_until(store, *_watched(study, names), jobs, progress)
        finished |= watched.rows
        run.failures |= watched.failures
        played += watched.played
        seconds = {name: seconds.get(name, 0.0) + watched.seconds.get(name, 0.0) for name in cells}
    done = Sweep(study, folder, names, played=played)
    pairs = zip(names, study.cells, strict=True)
    done.rows = [finished[name] | {"part": cell.part} for name, cell in pairs if name in finished]
    before = store.manifest()
    _check(done, cells, finished, before)
    done.seconds = time.perf_counter() - start
    if gone := {each["cell"] for each in before.get("cells", [])} - set(names):
        progress.note(
            f"{len(gone)} cells of an earlier study are no longer in {folder}'s table; they stay in its cells/"
        )
    store.write_study(done.rows, _manifest(done, cells, seconds, before))
    if run.failures:
        raise Incomplete("; ".join(f"{_title(cells[name])}: {reason}" for name, reason in run.failures.items()))
    return done


def write_table(
    study: Study,
    store: Store,
    cells: Sequence[Cell],
    rows: list[dict[str, Any]],
    seconds: dict[str, float],
    **more: Any,
) -> None:
    """Write the table of cells that were played for another question than a sweep's, and the manifest, with more."""
    named = {cell_id(cell): cell for cell in cells}
    done = Sweep(study, store.folder, tuple(named), rows)
    store.write_study(rows, _manifest(done, named, seconds, store.manifest()) | more)


def _watched(study: Study, names: tuple[str, ...]) -> tuple[dict[str, Cell], dict[str, tuple[Goal, ...]]]:
    """The cells that are played for goals, by name, and these."""
    pairs = [(name, cell) for name, cell in zip(names, study.cells, strict=True) if cell.part in study.until]
    goals: dict[str, tuple[Goal, ...]] = {}
    for name, cell in pairs:
        goals[name] = (*goals.get(name, ()), *study.until[cell.part])
    return merged(pairs), goals


def _check(done: Sweep, cells: dict[str, Cell], rows: dict[str, dict[str, Any]], before: dict[str, Any]) -> None:
    """Check all finished cells, unless that was done when they were played."""
    known = {name: cell for name, cell in cells.items() if name in rows}
    if not done.played and before.get("checks") and [each["cell"] for each in before.get("cells", [])] == list(cells):
        done.checks, done.exact = before["checks"], before["exact"]
    elif known:
        allowed = dict.fromkeys(known, 0.0)
        for name, cell in zip(done.names, done.study.cells, strict=True):
            if name in allowed:
                allowed[name] = max(allowed[name], done.study.unfinished.get(cell.part, checks.MOST_UNFINISHED))
        found, exact = checks.checks(list(known.values()), [rows[name] for name in known], list(allowed.values()))
        done.checks, done.exact = [each._asdict() for each in found], [each._asdict() for each in exact]


def _title(cell: Cell) -> str:
    knobs = {name: value for name, value in cell.knobs if value != type(cell.knobs).model_fields[name].default}
    settings = "".join(f" {name}={value}" for name, value in knobs.items())
    return f"cell {cell.game} of {seats_in_words(cell.seats)} [{', '.join(cell.titles)}]{settings} seed {cell.seed}"


def _manifest(done: Sweep, cells: dict[str, Cell], seconds: dict[str, float], before: dict[str, Any]) -> dict[str, Any]:
    import numba
    import numpy
    import pyarrow

    from lab import __version__

    timings = {each["cell"]: each["seconds"] for each in before.get("cells", [])}
    versions = {"balance-lab": __version__, "python": platform.python_version(), "numpy": numpy.__version__,
                "numba": numba.__version__, "pyarrow": pyarrow.__version__}  # fmt: skip
    return {
        "name": done.study.name,
        "question": done.study.question,
        "study": str(done.study.path),
        "varied": list(done.study.varied),
        "versions": versions,
        "checks": done.checks,
        "exact": done.exact,
        "code": {cell.game: code_hash(cell.game, ()) for cell in cells.values()},
        "cells": [
            {"cell": name, "seconds": round(timings.get(name, 0.0) + seconds.get(name, 0.0), 3)} | cell.parameters()
            for name, cell in cells.items()
        ],
    }
