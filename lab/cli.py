"""What people type. Every command imports what it needs when it is called, so that `lab --help` is quick."""

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
import typer.core

from lab import __version__
from lab.errors import BadInput, LabError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import Console

    from lab.ask import Answer
    from lab.cell import Cell
    from lab.sense import Sense
    from lab.study import Study
    from lab.sweeping import Sweep


class _Interruptible(typer.core.TyperGroup):
    """Ctrl-C is one line, wherever it comes."""

    def invoke(self, context: Any) -> Any:
        try:
            return super().invoke(context)
        except KeyboardInterrupt:
            _fail("interrupted", 130)


app = typer.Typer(
    cls=_Interruptible,
    name="lab",
    help="Play tabletop games by the million and ask what their rules and players are worth.",
    invoke_without_command=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)
_state = {"quiet": False}


@contextmanager
def _resumable(folder: Path) -> Iterator[None]:
    """Where Ctrl-C loses nothing but the blocks in flight, say so."""
    try:
        yield
    except KeyboardInterrupt:
        _fail(f"interrupted; what was played is kept in {folder}, and the same command goes on from there", 130)


def _game_names(incomplete: str) -> list[str]:
    from lab.catalogue import game_names

    return [name for name in game_names() if name.startswith(incomplete)]


def _whole(text: str) -> int:
    """A whole number as studies take it: 1000000, 1_000_000 or 1e6."""
    try:
        return int(text)
    except ValueError:
        pass
    try:
        number = float(text)
    except ValueError:
        number = 0.5
    if not number.is_integer():
        raise typer.BadParameter(f"{text[:80]!r} is not a whole number")
    return int(number)


GameName = Annotated[str, typer.Argument(help="A game; `lab games` lists them.", autocompletion=_game_names)]
StudyPath = Annotated[str, typer.Argument(metavar="STUDY", help="A study: a YAML file.")]
Policies = Annotated[
    list[str] | None,
    typer.Option("--policy", "-p", help="NAME or NAME:WEIGHT=VALUE,...: once for all seats, or once a seat."),
]
Seats = Annotated[int | None, typer.Option(help="Number of players (default: as many as policies, else the fewest).")]
Seed = Annotated[int, typer.Option(parser=_whole, metavar="N", help="Seed of all luck, 0 to 2^64 - 1.")]
Settings = Annotated[list[str] | None, typer.Option("--set", help="KNOB=VALUE; a list as a,b or none.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print results only.")]


def main() -> None:
    """The entry point: errors for the user are one line."""
    try:
        sys.exit(app(standalone_mode=False) or 0)
    except LabError as error:
        _fail(str(error), error.exit_code)
    except (KeyboardInterrupt, typer.Abort):
        _fail("interrupted", 130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        _fail(f"{error.filename or 'the system'}: {error.strerror or error}", 1)
    except Exception as error:
        if not hasattr(error, "format_message"):
            raise
        _fail(f"{' '.join(error.format_message().split())} (see `lab --help`)", 2)  # typer's, of the command line
    finally:
        if "lab.workers" in sys.modules:
            sys.modules["lab.workers"].dismiss()


def _fail(line: str, code: int) -> None:
    print(f"lab: {line}", file=sys.stderr)
    sys.exit(code)


def _version(value: bool) -> None:
    if value:
        print(f"balance-lab {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    context: typer.Context,
    quiet: Quiet = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    _state["quiet"] = quiet
    if context.invoked_subcommand is None:
        print(context.get_help())


def _console(*, err: bool = False) -> "Console":
    from rich.console import Console

    console = Console(stderr=err, highlight=False, markup=False)
    if not console.is_terminal:
        console.width = max(console.width, 400)  # a file or a pipe has no edge
    return console


# Sweeps


@app.command()
def sweep(
    study: StudyPath,
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", min=1, help="Workers (default: as many as cores).")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Where results go (default: results/NAME).")] = None,
    games: Annotated[
        int | None, typer.Option(parser=_whole, metavar="N", help="Games a cell, in place of the study's.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what it would take, and play nothing.")] = False,
    quiet: Quiet = False,
) -> None:
    """Play what is missing of a study, and print its summary. Started again, it goes on where it stopped."""
    from lab.study import read_study, with_games

    plan = with_games(read_study(study), games)
    folder = out or Path("results") / plan.name
    if dry_run:
        _dry_run(plan, folder, jobs or os.cpu_count() or 1)
        return
    from lab.progress import Bar
    from lab.sweeping import sweep as run_sweep

    quiet = quiet or _state["quiet"]
    with _resumable(folder):
        done = run_sweep(plan, folder, jobs=jobs, progress=None if quiet else Bar(_console(err=True)))
    _report(done, quiet)


SHOWN = 12
"""Cells of each part in the summary of a sweep."""


def _report(done: "Sweep", quiet: bool) -> None:
    from lab import tables

    console = _console()
    if not quiet:
        numbered = [row | {"number": number} for number, row in enumerate(done.rows)]
        for part, rows in tables.by_part(numbered).items():
            title = f"{done.study.name}: {part}" if part else done.study.name
            more = f"{SHOWN} of {len(rows)} cells; all of them: lab show {done.folder}" if len(rows) > SHOWN else ""
            tables.show(tables.summary(rows)[:SHOWN], console, title=title, caption=more)
            _show_crossed(rows, console)
            _show_reached(rows, console)
        console.print(_caption(done.rows), style="dim", soft_wrap=True)
        console.print()
        for each in done.checks:
            said = "holds" if each["holds"] else "DOES NOT HOLD"
            console.print(f"{said}: {each['what']} ({each['found']})", style="dim" * each["holds"], soft_wrap=True)
    plays = f"{done.played:,} plays in {done.seconds:.1f} s" if done.played else "nothing was missing"
    more = sum(row["games"] > cell.games for row, cell in zip(done.rows, done.study.cells, strict=True))
    plays += f"; {more} cells had more games than asked for" if more else ""
    _tell_notes(done.rows, console)
    console.print(f"{len(done.rows)} cells; {plays}; results in {done.folder}", soft_wrap=True)


def _tell_notes(played: "Iterable[Cell | dict[str, Any]]", console: "Console") -> None:
    """What must stand beside their results (`lab.notes`)."""
    from lab.notes import notes

    for line in notes(played):
        console.print(line, style="bold", soft_wrap=True)


def _show_crossed(rows: list[dict[str, Any]], console: "Console") -> None:
    """Who wins by category and how games end, over these cells."""
    from lab import tables

    if lines := tables.crossed(rows):
        tables.show(lines, console, title=f"over {len(rows)} cells" if len(rows) > 1 else "")


def _show_reached(rows: list[dict[str, Any]], console: "Console") -> None:
    """What the cells were played for, where the study says `until`."""
    from lab import tables
    from lab.ask import ERROR

    if lines := tables.reached(rows):
        caption = f"± of intervals that hold at all looks and cells at once, wrong at most {ERROR:.0%} of the time"
        caption += "; stopped: goals reached, or the limit of games"
        tables.show(lines, console, title="until", caption=caption)


def _caption(rows: list[dict[str, Any]]) -> str:
    from lab.many import widening

    count = sum(2 * row["seats"] if row["rotate_seats"] else row["seats"] for row in rows)
    together = f" (× {widening(count):.1f} for all {count:,} shares of wins at once)" if len(rows) > 1 else ""
    unfinished, plays = sum(row["unfinished"] for row in rows), sum(row["plays"] for row in rows)
    entries = "; entry: place in the line-up, over all seats" if any(row["rotate_seats"] for row in rows) else ""
    return (
        f"seat: share of wins{entries}; ± half-width of a 95 % interval for each figure alone{together}, "
        "cells share their luck; "
        f"{unfinished:,} of {plays:,} plays unfinished"
    )


def _dry_run(study: "Study", folder: Path, jobs: int) -> None:
    from lab import tables
    from lab.forecast import forecast

    console, lines = _console(), forecast(study, folder)
    tables.show([line.shown for line in lines], console, title=f"{study.name}: what it would take")
    seconds, size = sum(line.seconds for line in lines), sum(line.bytes for line in lines)
    missing = sum(line.missing for line in lines)
    if study.until:
        console.print("where the study says until, games are its limit: cells stop once their goals are reached")
    console.print(
        f"{len(lines)} cells; {missing:,} plays are missing; about {seconds / jobs:,.0f} s with {jobs} jobs; "
        f"about {size / 1e6:,.1f} MB in {folder}; nothing was written",
        soft_wrap=True,
    )


@app.command()
def show(
    results: Annotated[Path, typer.Argument(metavar="RESULTS", help="A folder that `lab sweep` wrote.")],
    where: Annotated[str | None, typer.Option(help="Only the cells with KNOB=VALUE,..., or cell=NUMBER.")] = None,
    by: Annotated[str | None, typer.Option(help="Average the cells that agree in these: KNOB,...")] = None,
    column: Annotated[str | None, typer.Option(help="One results column in full.")] = None,
    shares: Annotated[
        str | None, typer.Option(metavar="CATEGORY", help="Who wins by one category: `order of play`, `ending`, ...")
    ] = None,
    rank: Annotated[
        str | None, typer.Option(metavar="FIGURE", help="The cells by one figure: a column or `win_share[SEAT]`.")
    ] = None,
    csv: Annotated[bool, typer.Option("--csv", help="For machines: every figure with its interval.")] = False,
) -> None:
    """Print the results of a sweep."""
    from lab import tables
    from lab.store import read_cells

    given = [
        name for name, value in (("--column", column), ("--shares", shares), ("--rank", rank)) if value is not None
    ]
    if len(given) > 1 or (by is not None and given not in ([], ["--column"])):
        raise BadInput(f"{' and '.join(given + ['--by'] * (by is not None))} cannot be combined")

    rows = [row | {"number": number} for number, row in enumerate(read_cells(results))]
    rows = rows if where is None else tables.where(rows, where)
    names = [name.strip() for name in by.split(",")] if by is not None else None
    groups = {"": rows} if csv or names else tables.by_part(rows)
    if shares is not None or rank is not None:
        groups = {"": rows}
    tables_ = {
        part: tables.column(group, column, names) if column is not None
        else tables.shares(group, shares) if shares is not None
        else tables.ranked(group, rank) if rank is not None
        else tables.summary(group, names)
        for part, group in groups.items()
    }  # fmt: skip
    if csv:
        print(tables.to_csv(tables_[""]), end="")
        _tell_notes(rows, _console(err=True))
        return
    console = _console()
    for part, lines in tables_.items():
        tables.show(lines, console, title=f"{results}: {part}" if part else str(results))
        if column is shares is rank is None and names is None:
            _show_crossed(groups[part], console)
            _show_reached(groups[part], console)
    caption = _caption(rows)
    if names and "seats" not in names and len({row["seats"] for row in rows}) > 1:
        caption += f"; no shares of wins, since lines mix numbers of seats: --by seats,{','.join(names)} has them"
    if column is not None or shares is not None:
        caption = "± half-width of a 95 % interval for each figure alone; n: plays in which it is defined"
    elif rank is not None:
        caption = RANKED.format(count=len(tables_[""]))
    console.print(caption, style="dim", soft_wrap=True)
    _tell_notes(rows, console)


RANKED = (
    "± half-width of a 95 % interval for each figure alone; all at once: intervals that hold for all {count} together "
    "(Bonferroni); played again: what to expect then, drawn towards the mean of all, since the first of many is first "
    "partly by luck (Efron and Morris); differs: from the mean of all, of which at most 5 % are wrong (Benjamini and "
    "Yekutieli)"
)


@app.command()
def ask(
    study: StudyPath,
    jobs: Annotated[int | None, typer.Option(min=1, help="Workers (default: all cores).")] = None,
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="Where results go (default: results/NAME).")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout, nothing else.")] = False,
    quiet: Quiet = False,
) -> None:
    """Decide what a study expects, or find a knob's value, playing as long as it takes.

    Exit code 0: yes (or found), 1: no (or no such value), 3: not shown.
    """
    from lab.ask import ask as decide
    from lab.progress import Bar
    from lab.study import read_study

    plan = read_study(study)
    if not any(expectation.clauses or expectation.find for expectation in plan.expects.values()):
        raise BadInput(
            f"{study}: expect is missing: what the study should show, such as `expect: [win_share[0] < 0.3]`, or `find`"
        )
    folder = out or Path("results") / plan.name
    silent = as_json or quiet or _state["quiet"]
    with _resumable(folder):
        answer = decide(plan, folder, jobs=jobs, progress=None if silent else Bar(_console(err=True)))
    _tell_answer(answer, as_json)
    sys.exit({"yes": 0, "no": 1}.get(answer.verdict, 3))


def _tell_answer(answer: "Answer", as_json: bool) -> None:
    if as_json:
        print(json.dumps(_finite(answer.as_json()), allow_nan=False))
        return
    from rich.padding import Padding

    from lab.askpage import page

    console = _console()
    for line in page(answer):
        if line.is_command or not line.indent:
            console.print(" " * line.indent + line.text, style=line.style, soft_wrap=line.is_command)
        else:
            console.print(Padding(line.text, (0, 0, 0, line.indent), style=line.style, expand=False))


@app.command()
def report(
    source: Annotated[
        str, typer.Argument(metavar="RESULTS|STUDY", help="A folder that `lab sweep` wrote, or a study's YAML file.")
    ],
    format_: Annotated[
        str, typer.Option("--format", metavar="html|ipynb", help="A page, or the notebook with its outputs.")
    ] = "html",
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Default: report.html beside the results.")] = None,
    open_: Annotated[bool, typer.Option("--open", help="Show it in the browser.")] = False,
) -> None:
    """Run a study's notebook on its results, and write one self-contained page."""
    from lab.report import report as make

    path = make(source, format=format_, out=out)
    print(path)
    if open_:
        import webbrowser

        webbrowser.open(path.resolve().as_uri())


# Single cells


@app.command()
def run(
    game: GameName,
    policy: Policies = None,
    seats: Seats = None,
    games: Annotated[int, typer.Option(parser=_whole, metavar="N", help="How many games.")] = 100_000,
    seed: Seed = 0,
    set_: Settings = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout, nothing else.")] = False,
    quiet: Quiet = False,
) -> None:
    """Play one cell and print its figures."""
    from lab.progress import Bar
    from lab.single import run as run_cell

    cell = _cell(game, policy, seats, games, seed, set_)
    silent = as_json or quiet or _state["quiet"]
    done = run_cell(cell, None if silent else Bar(_console(err=True)))
    if as_json:
        print(json.dumps(done.as_json(), allow_nan=False))
        return
    from lab import tables
    from lab.cross import is_quantity
    from lab.seating import columns, recipe

    console, summary = _console(), done.summary
    shares = [
        {"seat": seat, "policy": title, "win share %": tables.Figure(each.estimate, each.low, each.high, percent=True)}
        for seat, (title, each) in enumerate(zip(cell.titles, summary.win_share, strict=True))
    ]
    tables.show(shares, console, title=f"{game}, {summary.games:,} games, seed {seed}")
    _show_crossed(
        [{"cell": game, "seats": cell.seats, "win_share_by": [asdict(each) for each in summary.win_share_by]}], console
    )
    metrics = [
        {
            "column": each.column,
            "mean": tables.Figure(each.mean, each.low, each.high),
            "sd": f"{each.sd:.4g}",
            "n": each.n,
        }
        for each, column in zip(summary.metrics, columns(recipe(cell)), strict=True)
        if is_quantity(column)
    ]
    tables.show(metrics, console, caption="± is the half-width of a 95 % interval; n: games in which it is defined")
    console.print(
        f"{summary.no_winner:,} games without a winner, {summary.unfinished:,} unfinished, {summary.shared:,} shared; "
        f"{done.seconds:.2f} s, {summary.plays / done.seconds:,.0f} games/s",
        soft_wrap=True,
    )
    _tell_notes([cell], console)


def _cell(
    game: str,
    policy: list[str] | None,
    seats: int | None,
    games: int,
    seed: int,
    settings: list[str] | None,
    changes: list[str] | None = None,
) -> "Cell":
    from lab.study import cell_from_options

    if not policy:
        from lab.catalogue import policies

        raise BadInput(f"--policy is missing; the policies of {game}: {', '.join(policies(game))}")
    given = {"settings": settings or [], "changes": changes or []}
    return cell_from_options(game, policy, seats=seats, games=games, seed=seed, **given)


@app.command()
def compare(
    what: Annotated[
        list[str], typer.Argument(metavar="A.yaml B.yaml | GAME", help="Two studies, or a game (with --policy).")
    ],
    set_: Settings = None,
    vs: Annotated[
        list[str] | None, typer.Option("--vs", help="GAME: KNOB=VALUE of the second variant, else as the first.")
    ] = None,
    policy: Policies = None,
    vs_policy: Annotated[
        list[str] | None, typer.Option("--vs-policy", help="GAME: the second variant's policies, else as the first's.")
    ] = None,
    seats: Seats = None,
    seed: Annotated[int | None, typer.Option(parser=_whole, metavar="N", help="GAME: seed of all luck.")] = None,
    games: Annotated[
        int | None, typer.Option(parser=_whole, metavar="N", help="Game numbers a pair (GAME: default 100,000).")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Keep the comparison there, and go on from it.")
    ] = None,
    jobs: Annotated[int | None, typer.Option(min=1, help="Workers (default: all cores).")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON list on stdout, nothing else.")] = False,
    quiet: Quiet = False,
) -> None:
    """Compare two variants of rules or policies on the same luck: every difference with its interval."""
    from lab.comparison import compare as run_pairs
    from lab.comparison import pair_of, pair_up
    from lab.progress import Bar

    alone: list[Cell] = []
    if len(what) == 2:
        given = {"--set": set_, "--vs": vs, "--policy": policy, "--vs-policy": vs_policy, "--seats": seats}
        _refuse("two studies, which have their own", given | {"--seed": seed})
        from lab.study import read_study, with_games

        one, other = (with_games(read_study(path), games) for path in what)
        pairs, alone = pair_up(one.cells, other.cells)
        folder = out or Path("results") / f"{one.name}-vs-{other.name}"
    elif len(what) == 1:
        cell = _cell(what[0], policy, seats, 100_000 if games is None else games, seed or 0, set_)
        other_cell = _variant(what[0], cell, set_, vs, policy, vs_policy, seats)
        pairs, folder = [pair_of(cell, other_cell)], out or Path("results") / f"{what[0]}-compared"
    else:
        raise BadInput(f"compare takes two studies or one game, not {len(what)} names")
    silent = as_json or quiet or _state["quiet"]
    with _resumable(folder):
        rows = run_pairs(pairs, folder, jobs=jobs, progress=None if silent else Bar(_console(err=True)))
    _tell_differences(rows, {pair.name: (pair.first, pair.second) for pair in pairs}, as_json)
    if alone:
        named = "; ".join(f"{cell.seats} seats [{cell.line_up}] {_changed(cell)}".strip() for cell in alone)
        raise BadInput(f"{len(alone)} cells have no partner in the other study: {named}")


def _variant(
    game: str,
    cell: "Cell",
    settings: list[str] | None,
    vs: list[str] | None,
    policy: list[str] | None,
    vs_policy: list[str] | None,
    seats: int | None,
) -> "Cell":
    """The second variant of a comparison: the first, with what `--vs` and `--vs-policy` change."""
    fixed = seats if vs_policy is None or len(vs_policy) == 1 else None
    return _cell(game, vs_policy or policy, fixed or cell.seats, cell.games, cell.seed, settings, vs)


def _changed(cell: "Cell") -> str:
    """The knobs that are not at their defaults."""
    fields = type(cell.knobs).model_fields
    return ", ".join(f"{name} {value}" for name, value in cell.knobs if value != fields[name].default)


def _tell_differences(rows: list[dict[str, Any]], pairs: "dict[str, tuple[Cell, Cell]]", as_json: bool) -> None:
    if as_json:
        from lab.notes import notes

        kept = ("game", "varied", "paired", "games", "plays", "differences")
        found = [
            {"first": json.loads(row["first_parameters"]), "second": json.loads(row["second_parameters"])}
            | {key: row[key] for key in kept}
            | {"notes": notes(pairs[row["pair"]])}
            for row in rows
        ]
        print(json.dumps(_finite(found), allow_nan=False))
        return
    from lab import tables

    console = _console()
    for row in rows:
        console.print(tables.compared(row), style="italic", soft_wrap=True)
        lines = tables.differences(row)
        tables.show(lines, console)
        if same := len(row["differences"]) - len(lines):
            console.print(f"{same} of {len(row['differences'])} figures are exactly the same in both", soft_wrap=True)
    console.print(
        "difference: second less first, ± half-width of a 95 % interval for each figure alone; clear: that interval is "
        "without 0; worth: how many unpaired games one paired game is worth for that width; seat: at the table; "
        "entry: of the line-up, over all seats; seats rotate where policies differ; unpaired: the luck is not shared",
        style="dim", soft_wrap=True,
    )  # fmt: skip
    _tell_notes((cell for pair in pairs.values() for cell in pair), console)


def _finite(value: Any) -> Any:
    """With null for what is not a number."""
    if isinstance(value, dict):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_finite(each) for each in value]
    return None if isinstance(value, float) and not isfinite(value) else value


@app.command()
def balance(
    study: StudyPath,
    part: Annotated[str | None, typer.Option(metavar="PART", help="Only the cells of this part of the study.")] = None,
    games: Annotated[int, typer.Option(parser=_whole, metavar="N", help="Games a cell that are measured.")] = 50_000,
    jobs: Annotated[int | None, typer.Option("--jobs", "-j", min=1, help="Workers (default: all cores).")] = None,
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="Where results go (default: results/NAME).")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout, nothing else.")] = False,
    quiet: Quiet = False,
) -> None:
    """Measure balance: who wins, drama, comebacks, luck against skill, options, from winning-chance curves."""
    from lab.balancing import balance as measure
    from lab.progress import Bar
    from lab.study import part_of, read_study

    plan = part_of(read_study(study), part)
    folder = out or Path("results") / plan.name
    quiet = quiet or _state["quiet"]
    progress = None if quiet or as_json else Bar(_console(err=True))
    with _resumable(folder):
        rows = measure(plan, folder, games=games, jobs=jobs, progress=progress)
    if as_json:
        from lab.notes import notes

        found = {"study": plan.name, "folder": str(folder), "notes": notes(plan.cells), "measures": rows}
        print(json.dumps(_finite(found), allow_nan=False))
    else:
        _tell_balance(rows, folder, quiet)
        _tell_notes(plan.cells, _console())


def _tell_balance(rows: list[dict[str, Any]], folder: Path, quiet: bool) -> None:
    from lab import balance_table, tables

    console = _console()
    cells = list(dict.fromkeys(row["cell"] for row in rows))
    for number, cell in enumerate([] if quiet else cells):
        own = [row for row in rows if row["cell"] == cell]
        title = f"cell {number}: {balance_table.title(own[0])}"
        tables.show(balance_table.overview(own), console, title=title)
        tables.show(balance_table.shares(own), console)
        if chosen := balance_table.options(own):
            tables.show(chosen, console, caption="% of its decisions of that kind in which a policy chose it")
    if rows and not quiet:
        console.print(balance_table.caption(rows), style="dim", soft_wrap=True)
    console.print(f"{len(cells)} cells; results in {folder / balance_table.TABLE}", soft_wrap=True)


@app.command()
def sense(
    study: StudyPath,
    part: Annotated[str | None, typer.Option(help="One part of the study (`studies:`).")] = None,
    games: Annotated[
        int | None, typer.Option(parser=_whole, metavar="N", help="Games a cell, in place of the study's.")
    ] = None,
    jobs: Annotated[int | None, typer.Option(min=1, help="Workers (default: all cores).")] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where results go (default: results/NAME/sense, or sense-PART).")
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Say which knobs move which figure: shares of its variance, and each step of each knob alone, with a picture."""
    from lab.progress import Bar
    from lab.sense import sense as run_sense
    from lab.study import part_of, read_study, with_games

    plan = with_games(read_study(study), games)
    folder = out or Path("results") / plan.name / (f"sense-{part}" if part else "sense")
    plan = part_of(plan, part)
    progress = None if quiet or _state["quiet"] else Bar(_console(err=True))
    with _resumable(folder):
        found = run_sense(plan, folder, jobs=jobs, progress=progress)
    _tell_sense(found, folder)
    _tell_notes(plan.cells, _console())


def _tell_sense(found: "Sense", folder: Path) -> None:
    from lab import tables
    from lab.sense import draw, effects_table, indices_table, notes

    console = _console()
    if lines := indices_table(found):
        tables.show(lines, console, title=f"{found.name}: what each knob explains")
    tables.show(effects_table(found), console, title=f"{found.name}: one knob at a time")
    console.print(notes(found), style="dim", soft_wrap=True)
    try:
        draw(found, folder / "tornado.png")
        picture = f"picture in {folder / 'tornado.png'}"
    except ImportError as error:
        picture = f"no picture: {error.name} is missing (pip install 'balance-lab[reports]')"
    plays = f"{found.played:,} plays in {found.seconds:.1f} s" if found.played else "nothing was missing"
    console.print(f"{plays}; results in {folder}; {picture}", soft_wrap=True)


@app.command()
def replay(
    what: Annotated[str, typer.Argument(metavar="GAME|STUDY", help="A game (with --policy), or a study's YAML file.")],
    game: Annotated[int, typer.Option(parser=_whole, metavar="K", help="Number of the game.")] = 0,
    cell: Annotated[str | None, typer.Option(help="STUDY: the cell's identity, or its number from 0.")] = None,
    rotation: Annotated[int, typer.Option(help="STUDY: the rotation of the seats.")] = 0,
    policy: Policies = None,
    seats: Seats = None,
    seed: Annotated[int | None, typer.Option(parser=_whole, metavar="N", help="Seed of all luck (default: 0).")] = None,
    set_: Settings = None,
) -> None:
    """Tell one game in words, turn by turn."""
    from lab.replay import replay as tell

    if not 0 <= game < 2**64:
        raise BadInput(f"--game {game} is not a game number (0 to 2^64 - 1)")
    if Path(what).suffix in (".yaml", ".yml"):
        _refuse("a study, which has its own", {"--policy": policy, "--seats": seats, "--seed": seed, "--set": set_})
        chosen = _pick(what, cell)
    else:
        _refuse("a game, only with a study", {"--cell": cell})
        chosen = _cell(what, policy, seats, 1, seed or 0, set_)
    for line in tell(chosen, game, rotation):
        print(line)


def _refuse(what: str, options: dict[str, Any]) -> None:
    for name, value in options.items():
        if value is not None:
            raise BadInput(f"{name} does not go with {what}")


def _pick(path: str, wanted: str | None) -> "Cell":
    """The cell of a study by its identity (or the beginning of it), or by its number."""
    from lab.identity import cell_id
    from lab.study import read_study

    numbered = read_study(path).cells
    cells = {cell_id(cell): cell for cell in numbered}
    if wanted is None and len(cells) == 1:
        return numbered[0]
    found = [name for name in cells if wanted and len(wanted) >= 4 and name.startswith(wanted)]
    if len(found) == 1:
        return cells[found[0]]
    if wanted is not None and wanted.isdecimal() and len(wanted) < 10 and int(wanted) < len(numbered):
        return numbered[int(wanted)]
    some = ", ".join(list(cells)[:6]) + (", ..." if len(cells) > 6 else "")
    said = f"--cell {wanted[:80]!r} is not a cell of it" if wanted else "--cell is missing"
    raise BadInput(f"{path}: {said}; it has {len(numbered)}, by number (0 to {len(numbered) - 1}) or by name ({some})")


# Games


@app.command()
def games() -> None:
    """List the games."""
    from lab import catalogue, tables

    lines = []
    for name in catalogue.game_names():
        game = catalogue.game(name)
        lines.append({
            "game": name, "title": game.title, "seats": ", ".join(map(str, game.seats)),
            "rules": f"version {game.rules_version}", "policies": ", ".join(catalogue.policies(name)),
        })  # fmt: skip
    tables.show(lines, _console())


@app.command("game")
def game_(
    name: GameName,
    content: Annotated[
        str | None, typer.Option(metavar="PACK", help="A content pack, checked and printed as a reference sheet.")
    ] = None,
) -> None:
    """Print a game's fact sheet: knobs, policies and weights, results columns."""
    from lab.factsheet import factsheet, reference_sheet

    if content is None:
        factsheet(name, _console())
    else:
        print(reference_sheet(name, content))


@app.command()
def new(game: GameName) -> None:
    """Print a commented study with every knob of a game; it runs as it is."""
    from lab import catalogue
    from lab.template import template

    print(template(catalogue.game(game)), end="")


@app.command()
def bound(
    game: GameName,
    policy: Policies = None,
    games: Annotated[int, typer.Option(parser=_whole, metavar="N", help="How many deals.")] = 200,
    seed: Seed = 0,
    set_: Settings = None,
    width: Annotated[
        int, typer.Option(parser=_whole, metavar="N", help="States that the search keeps of a layer.")
    ] = 1000,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout, nothing else.")] = False,
    quiet: Quiet = False,
) -> None:
    """How many deals could be won if all luck to come were known, beside how many a policy wins."""
    from lab import tables
    from lab.bound import bound as find
    from lab.progress import Bar

    if not 2 <= width <= 1_000_000:
        raise BadInput(f"--width {width} is not a whole number from 2 to 1,000,000")
    cell, silent = _cell(game, policy, None, games, seed, set_), as_json or quiet or _state["quiet"]
    done = find(cell, width, None if silent else Bar(_console(err=True)))
    if as_json:
        print(json.dumps(done.as_json(), allow_nan=False))
        return
    lines = [
        {"deals": text, "share %": tables.Figure(each.estimate, each.low, each.high, percent=True)}
        for text, each in done.lines()
    ]
    tables.show(
        lines, _console(), title=f"{game}, {done.deals:,} deals, seed {seed}",
        caption=f"± is the half-width of a 95 % interval; the search took {done.seconds:.1f} s",
    )  # fmt: skip
    _tell_notes([cell], _console())


@app.command()
def bench(game: GameName) -> None:
    """Time a game on one core, in turn with the same rules as a plain compiled loop."""
    from lab.bench import bench as time_it

    done, console = time_it(game), _console()
    console.print(f"{game}: {' against '.join(done.lineup)}, one core, medians of {len(done.ratios)} rounds by turns")
    console.print(
        f"  table of lanes  {done.games_per_second:14,.0f} games/s  {done.ns_per_game:8.1f} ns a game  "
        f"{done.ns_per_decision:6.1f} ns a decision ({done.decisions_per_game:.1f} decisions a game)"
    )
    console.print(
        f"  scalar loop     {done.scalar_games_per_second:14,.0f} games/s  "
        f"{1e9 / done.scalar_games_per_second:8.1f} ns a game"
    )
    console.print(f"  ratio           {done.ratio:.2f} (rounds from {min(done.ratios):.2f} to {max(done.ratios):.2f})")


@app.command()
def cache(clear: Annotated[bool, typer.Option("--clear", help="Delete all compiled code.")] = False) -> None:
    """Say where compiled rules are kept, and how much there is."""
    from lab.kernelcache import clear as clear_all
    from lab.kernelcache import describe

    print(clear_all() if clear else describe())
