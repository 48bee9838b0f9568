"""The laboratory: questions, sweeps, statistics, files, reports. Names no game.

The way of a study can be read off the folder: `study` -> `cell` -> `seating` -> `arena` -> `tally` -> `estimate` ->
`store`; `runner` drives it and `cli` is what people type. In Python and in notebooks:

    import lab
    r = lab.sweep("configs/study.yaml")      plays what is missing; r.cells is a pandas table, see `lab.results`
    r = lab.load("study")                    what a sweep has written, by the study's name or by its folder
    r = lab.run("game", ["one", "other"])    one cell at once, kept nowhere
    b = lab.balance("configs/study.yaml")    seats, drama, comebacks, luck and skill: a pandas table of measures
    c = lab.compare("a.yaml", "b.yaml")      two variants on the same luck; c.differences is a pandas table
    lab.report.report("results/study")       a page; what notebooks draw and say is in `lab.report`

Needs the extra `reports`. Importing `lab` loads nothing else: everything comes when it is called.
"""

from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

    from lab.cell import Cell
    from lab.results import Comparison, Results

__version__ = "0.1.0"
LAZY = ("figures", "report", "results")
"""Modules that need not be imported by name: `lab.results.mean(...)`."""


def load(what: str | Path) -> "Results":
    """The results of a finished sweep, by the study's name (in `results/`, or `$LAB_RESULTS`) or by their folder."""
    from lab import results

    return results.read(what)


def sweep(
    study: str | Path,
    *,
    games: int | None = None,
    out: str | Path | None = None,
    jobs: int | None = None,
    progress: bool = True,
) -> "Results":
    """Play what is missing of a study (a YAML file), and read its results: `lab sweep STUDY`.

    games: a cell, in place of the study's. out: where results go, else by the study's name beside other results. jobs:
    workers, else as many as cores. progress: a bar, in a terminal and in notebooks.
    """
    from lab import results, sweeping
    from lab.report.bar import bar
    from lab.study import read_study, with_games

    plan = with_games(read_study(study), games)
    done = sweeping.sweep(
        plan, Path(out) if out else results.root() / plan.name, jobs=jobs, progress=bar() if progress else None
    )
    return results.read(done.folder)


def run(
    game: str,
    policies: str | Sequence[str],
    *,
    seats: int | None = None,
    games: int = 100_000,
    seed: int = 0,
    progress: bool = True,
    **knobs: Any,
) -> "Results":
    """Play one cell in this process: `lab run GAME`. Nothing is kept on disk.

    policies: one for all seats, or one a seat, with weights as `"name:weight=3"`. seats: else as many as policies, or
    the game's fewest. knobs: rules, by name.
    """
    from lab import results
    from lab.report.bar import bar
    from lab.single import run as run_cell

    done = run_cell(_cell(game, policies, seats, games, seed, knobs), bar() if progress else None)
    return results.of_run(done)


def balance(
    study: str | Path,
    *,
    games: int = 50_000,
    out: str | Path | None = None,
    jobs: int | None = None,
    progress: bool = True,
) -> "pd.DataFrame":
    """Measure the balance of every cell of a study: `lab balance STUDY`.

    One row a cell, measure and subject, with estimate, low, high, n, definition and source; `balance.parquet` in the
    study's folder of results. games: game numbers that are measured; as many before them, at most 50,000, are what the
    winning-chance curve is fitted on. out, jobs, progress: as in `sweep`.
    """
    import pandas as pd

    from lab import balancing, results
    from lab.report.bar import bar
    from lab.study import read_study

    plan = read_study(study)
    folder = Path(out) if out else results.root() / plan.name
    rows = balancing.balance(plan, folder, games=games, jobs=jobs, progress=bar() if progress else None)
    return pd.DataFrame(rows)


def compare(
    what: str | Path,
    other: str | Path | Sequence[str],
    *,
    vs: Mapping[str, Any] | None = None,
    vs_policies: str | Sequence[str] | None = None,
    seats: int | None = None,
    games: int | None = None,
    seed: int | None = None,
    out: str | Path | None = None,
    jobs: int | None = None,
    progress: bool = True,
    **knobs: Any,
) -> "Comparison":
    """Compare two variants on the same luck: `lab compare`.

    Two studies, whose cells are paired by what both share: `compare("a.yaml", "b.yaml")`. Or a game with policies and
    knobs as in `run`, of which the second variant changes some: `compare("game", "keep", start_life=9,
    vs={"start_life": 12})`, or has other policies (vs_policies). games: a pair, default 100,000 for a game.
    """
    from lab import results
    from lab.comparison import compare as run_pairs
    from lab.comparison import pair_of, pair_up
    from lab.errors import BadInput
    from lab.report.bar import bar
    from lab.study import read_study, with_games

    alone: list[Cell] = []
    if Path(what).suffix in (".yaml", ".yml"):
        if vs or vs_policies or seats or seed is not None or knobs or not isinstance(other, str | Path):
            raise BadInput("two studies have policies, seats, seeds and knobs of their own")
        a, b = (with_games(read_study(each), games) for each in (what, other))
        pairs, alone = pair_up(a.cells, b.cells)
        name = f"{a.name}-vs-{b.name}"
    else:
        policies = [str(other)] if isinstance(other, str | Path) else list(other)
        first = _cell(str(what), policies, seats, 100_000 if games is None else games, seed or 0, knobs)
        changed = [vs_policies] if isinstance(vs_policies, str) else list(vs_policies or policies)
        number = first.seats if vs_policies is None or len(changed) == 1 else None
        second = _cell(str(what), changed, number, first.games, first.seed, knobs | dict(vs or {}))
        pairs, name = [pair_of(first, second)], f"{what}-compared"
    folder = Path(out) if out else results.root() / name
    rows = run_pairs(pairs, folder, jobs=jobs, progress=bar() if progress else None)
    return results.Comparison(results.differences_of(rows), tuple(alone), folder)


def _cell(
    game: str, policies: str | Sequence[str], seats: int | None, games: int, seed: int, knobs: Mapping[str, Any]
) -> "Cell":
    from lab.study import cell_from_options

    titles = [policies] if isinstance(policies, str) else list(policies)
    settings = [f"{name}={_written(value)}" for name, value in knobs.items()]
    return cell_from_options(game, titles, seats=seats, games=games, seed=seed, settings=settings)


def _written(value: Any) -> str:
    """A knob's value as `--set` takes it."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, str | int | float) else ",".join(map(str, value)) or "none"


def __getattr__(name: str) -> ModuleType:
    if name in LAZY:
        return import_module(f"lab.{name}")
    raise AttributeError(f"module 'lab' has no attribute {name!r}")
