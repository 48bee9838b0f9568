"""What a reader needs to trust and to repeat a report: method, self-checks, commands, versions and hashes."""

import hashlib
import json
from collections.abc import Iterator
from math import isclose
from pathlib import Path
from shlex import quote
from typing import Any

import numpy as np

from lab import catalogue
from lab.cell import Cell
from lab.checks import Check
from lab.errors import LabError
from lab.estimate import defined_of
from lab.identity import cell_id, code_hash
from lab.lineup import read_lineups
from lab.report.findings import headlines, label
from lab.report.generic import per_cell
from lab.report.output import listed, safe, say, table
from lab.results import Results, table_of
from sims.core.document import Given

AGAIN = 100
"""Games of a cell that are played again."""


# Method


def method(r: Results) -> None:
    """How the figures came about; the policies and the knobs, from the fact sheets."""
    say("\n".join(f"- {line}" for line in _method(r)))
    for name in r.games:
        try:
            game = catalogue.game(name)
        except LabError as error:
            say(f"`{name}`: {safe(error)}")
            continue
        known = catalogue.policies(name)
        used = dict.fromkeys(title.partition(":")[0] for row in r.cells["row"] for title in row["policies"])
        lines = [{"policy": each, "what it does": known[each].help} for each in used if each in known]
        table(lines, f"Policies of {game.title}.")
        table([_knob(r, name, *each) for each in game.knobs.model_fields.items()], f"Knobs of {game.title}.")


def _method(r: Results) -> Iterator[str]:
    cells = r.cells
    seeds = listed(sorted(set(cells["seed"])))
    yield f"{len(cells)} cells, {per_cell(cells)} game numbers each; seed {seeds}; {cells['plays'].sum():,} plays."
    yield (
        "Luck is a pure function of seed, game number and event: game k rolls the same wherever the same thing is "
        "rolled. Cells share it, so neighbouring figures err together, and differences between them are sharper than "
        "their intervals say (`lab compare` gives those)."
    )
    if cells["rotate_seats"].any():
        yield (
            "Where seats are rotated every game number is played once in each rotation of the line-up, and is the unit "
            "of statistics with all its rotations."
        )
    yield (
        "Shares have Wilson's interval, means Student's, for 95 % and for each figure alone. Averages over cells have "
        "equal weights; their interval is the mean of the cells', which holds however their errors hang together."
    )
    unfinished, nobody, shared = (
        sum(row[key] for row in cells["row"]) for key in ("unfinished", "no_winner", "shared")
    )
    yield (
        f"{unfinished:,} plays were unfinished, {nobody:,} had no winner (the unfinished ones included); {shared:,} "
        "had several, and then the win counts in equal parts."
    )


def _knob(r: Results, game: str, name: str, info: Any) -> dict[str, Any]:
    cells = table_of([row for row in r.cells["row"] if row["game"] == game])
    found = list(dict.fromkeys(label(cells, name, value) for value in cells[name])) if name in cells else []
    return {
        "knob": name,
        "played": ", ".join(found) if len(found) < 2 or all(", " not in each for each in found) else "; ".join(found),
        "meaning": info.description or "",
        "ruling": (info.json_schema_extra or {}).get("ruling", ""),
    }


# Self-checks


def checks(r: Results) -> None:
    """What was checked of these results when they were played, and while the report was made."""
    found = [Check(**each) for each in r.manifest.get("checks", [])]
    found += [_wins_add_up(r), _histograms(r), _means(r), _identities(r), *_again(r)]
    said = {True: "holds", False: "DOES NOT HOLD"}
    table([{"": said[each.holds], "check": each.what, "found": each.found} for each in found])
    if exact := r.manifest.get("exact", []):
        shown = [
            {"cell": each["cell"], "figure": each["figure"], "estimate": f"{each['estimate']:.6g}",
             "exact": f"{each['exact']:.6g}", "z": f"{each['z']:+.2f}"}
            for each in exact
        ]  # fmt: skip
        table(shown, "Figures beside their exact values; z: the difference in standard errors.")


def _wins_add_up(r: Results) -> Check:
    gap = max(
        abs(sum(share["estimate"] for share in row["win_share"]) + row["no_winner"] / row["plays"] - 1)
        for row in r.cells["row"]
    )
    what = "The seats' shares of wins, and the games without a winner, add up to 1"
    return Check(what, f"off by at most {gap:.1g}", gap < 1e-9)


def _metrics(r: Results) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    for row in r.cells["row"]:
        for metric in row["metrics"]:
            yield row, metric


def _histograms(r: Results) -> Check:
    full = [sum(m["counts"]) + int(m["above"][0]) == row["plays"] for row, m in _metrics(r)]
    what = "Every play is in the histogram of every results column"
    return Check(what, f"{sum(full):,} of {len(full):,} histograms", all(full))


def _means(r: Results) -> Check:
    right = []
    for _, metric in _metrics(r):
        if metric["n"]:
            values, counts = np.array(defined_of(metric), float).reshape(-1, 2).T
            mean = ((values * counts).sum() + float(metric["above"][1])) / metric["n"]
            right.append(isclose(mean, metric["mean"], rel_tol=1e-9, abs_tol=1e-12))
    return Check("Means follow from the histograms", f"{sum(right):,} of {len(right):,} means", all(right))


def _identities(r: Results) -> Check:
    same = sum(_cell_of(row) is not None for row in r.cells["row"])
    what = "The rules and policies installed here are those that played (identity of each cell)"
    more = "" if same == len(r.cells) else "; `lab sweep` would play the others anew"
    return Check(what, f"{same} of {len(r.cells)} cells{more}", same == len(r.cells))


def _again(r: Results) -> Iterator[Check]:
    """Games of a cell whose rows were kept, played again."""
    for row in r.cells["row"]:
        if _kept(r, row) and (cell := _cell_of(row)):
            kept = r.plays(row["cell"])
            count = int(min(AGAIN, kept["game_number"].max() + 1))
            stored = kept[kept["game_number"] < count].drop(columns=["game_number", "rotation"]).to_numpy()
            same = int((_rows(cell, count) == stored).all(axis=1).sum())
            what = f"The first {count} games of cell {row['cell']}, played again, give the rows that were kept"
            yield Check(what, f"{same} of {len(stored)} plays", same == len(stored))
            return


def _kept(r: Results, row: dict[str, Any]) -> bool:
    """Whether games of this cell were kept."""
    return r.folder is not None and (r.folder / "games" / f"{row['cell']}.parquet").is_file()


def _rows(cell: Cell, count: int) -> Any:
    """[play, column], as `games/CELL.parquet` has them."""
    from lab import seating
    from lab.tally import tally_and_rows

    plan = seating.recipe(cell)
    _, rows = tally_and_rows(seating.matches(plan, seating.prepare(plan)), 0, count)
    return rows[:, :, 1:].reshape(-1, rows.shape[2] - 1)


def _cell_of(row: dict[str, Any]) -> Cell | None:
    """The cell of a stored row; None if today's rules or policies are not those that played it."""
    try:
        game = catalogue.game(row["game"])
        [lineup] = read_lineups(game, Given([Given(title) for title in row["policies"]]), Path())
        knobs = game.knobs(**json.loads(row["knobs"]))
        cell = Cell(row["game"], row["seats"], lineup.entries, knobs, row["seed"], row["rotate_seats"], row["games"])
        return cell if cell_id(cell) == row["cell"] else None
    except (LabError, ValueError):
        return None


# How to repeat it


def replay(r: Results) -> None:
    """Commands that play the study again, print its tables, and tell single games in words."""
    study, folder = _study(r), quote(f"results/{r.name}")
    lines = {
        f"lab sweep {study}": "plays what is missing; the same bytes come out on any machine",
        f"lab show {folder}": "every cell, numbered",
        f"lab report {folder}": "this page",
        f"lab replay {study} --cell 0 --game 0": "one game in words",
    }
    lines |= _remarkable(r, study)
    width = max(map(len, lines))
    say("```sh\n" + "\n".join(f"{line:<{width}}  # {text}" for line, text in lines.items()) + "\n```")


def _study(r: Results) -> str:
    path = Path(str(r.manifest.get("study", f"{r.name}.yaml")))
    return quote(path.name if path.is_absolute() else str(path))


def _remarkable(r: Results, study: str) -> dict[str, str]:
    """The kept games of one cell that went furthest, by headline column: commands, and what they show."""
    found: dict[str, str] = {}
    number = next((number for number, row in enumerate(r.cells["row"]) if _kept(r, row)), None)
    if number is not None:
        kept = r.plays(r.cells.index[number])
        for column in headlines(r.cells.iloc[[number]]):
            if kept[column.name].nunique() > 2:
                play = kept.loc[kept[column.name].idxmax()]
                command = f"lab replay {study} --cell {number} --game {play.game_number}"
                command += f" --rotation {play.rotation}" if r.cells["rotate_seats"].iloc[number] else ""
                most = f"the most {column.name} of the kept games of cell {number}: {play[column.name]}"
                found[command] = f"{found[command]}, {most}" if command in found else most
    return found


# Versions


def versions(r: Results) -> None:
    """What to cite: versions, hashes of the rules that played, hash of the table of cells."""
    table([{"what": name, "value": value} for name, value in _versions(r).items()])


def _versions(r: Results) -> dict[str, str]:
    played = r.manifest.get("code", {})
    found = {"study": r.name, "file": _study(r)}
    found |= {name: str(value) for name, value in r.manifest.get("versions", {}).items()}
    for game in r.games:
        numbers = sorted({row["rules_version"] for row in r.cells["row"] if row["game"] == game})
        code = played.get(game, "not known") + _today(game, played)
        found[f"rules of {game}"] = f"version {listed(numbers)}, code {code}"
    if r.folder is not None:
        found["SHA-256 of cells.parquet"] = hashlib.sha256((r.folder / "cells.parquet").read_bytes()).hexdigest()
    return found


def _today(game: str, played: dict[str, str]) -> str:
    try:
        today = code_hash(game, ())
    except LabError:
        return ""
    return "" if played.get(game, today) == today else f" (installed here: {today})"
