"""Games to look at: the three that show best what a verdict is about, as commands that tell them in words."""

from dataclasses import replace
from math import isfinite
from shlex import quote
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lab import seating
from lab.arena import Match
from lab.cell import Cell
from lab.clauses import COMPARED, entry_of, find_places, title_of, value_in
from lab.identity import cell_id
from lab.study import Study
from lab.tally import tally_and_rows
from lab.verdicts import Verdict

TOLD_FROM = 2000
"""The most telling games are looked for among the first so many."""
MOST = 3


class Telling(NamedTuple):
    """A game, and why it tells something."""

    cell: Cell
    game: int
    why: str


def telling_games(asked: Verdict) -> list[Telling]:
    """Up to three games that show what the clause is about."""
    stat, count = asked.clause.stat, min(TOLD_FROM, asked.games or TOLD_FROM)
    cell = next((each for each in (asked.cell, *asked.cells) if asked.clause.is_about(each)), asked.cell)
    if stat.kind == "gain":
        return _of_gain(asked, cell, count)
    rows, match = _rows(cell, count)
    if stat.kind == "win_share":
        seat = int(stat.whose) if stat.whose.isdecimal() else 0
        if not stat.whose.isdecimal() and stat.whose != "any seat":
            seat = find_places(stat.whose, asked.clause, cell)[0]
        won = np.flatnonzero(rows[:, 0] == 1 << seat)[:MOST]
        return [Telling(cell, int(game), f"seat {seat} wins") for game in won]
    values, [lowest] = rows[:, 1 + match.columns.index(stat.column)], match.lowest([stat.column])
    if stat.kind == "share":
        return _of_share(asked, cell, values, int(lowest))
    known = np.flatnonzero(values >= lowest)
    if known.size == 0:
        return []
    ordered = known[np.argsort(values[known], kind="stable")]
    chosen = {"lowest": ordered[0], "typical": ordered[ordered.size // 2], "highest": ordered[-1]}
    return [Telling(cell, int(game), f"{why}: {stat.column} {values[game]}") for why, game in chosen.items()]


def _of_share(asked: Verdict, cell: Cell, values: NDArray[np.int32], lowest: int) -> list[Telling]:
    """Games that count."""
    stat, wanted = asked.clause.stat, value_in(asked.clause.stat, cell)
    meant = (values >= lowest) if wanted >= lowest else np.ones(values.size, bool)
    hits = np.flatnonzero(meant & COMPARED[stat.compared](values, wanted))[:MOST]
    return [
        Telling(cell, int(game), title_of(stat) if stat.label else f"{stat.column} {values[game]}") for game in hits
    ]


def _of_gain(asked: Verdict, cell: Cell, count: int) -> list[Telling]:
    """Games of which it decides the winner; the cell with the policy changed."""
    clause, stat = asked.clause, asked.clause.stat
    place = find_places(stat.base, clause, cell)[0]
    entry = entry_of(stat.whose, clause, cell.game)
    changed = replace(cell, lineup=(*cell.lineup[:place], entry, *cell.lineup[place + 1 :]))
    before, after = (_rows(each, count)[0][:, 0] >> place & 1 for each in (cell, changed))
    games = [*np.flatnonzero(after > before)[:2], *np.flatnonzero(after < before)[:1]]
    said = {True: f"wins as {stat.whose}, not as {stat.base}", False: f"wins as {stat.base}, not as {stat.whose}"}
    return [Telling(changed, int(game), f"seat {place} {said[bool(after[game])]}") for game in games]


def _rows(cell: Cell, count: int) -> tuple[NDArray[np.int32], Match]:
    """The first games as the line-up stands, [game, 1 + columns], and the match that they are of."""
    plan = seating.recipe(replace(cell, rotate_seats=False))
    [match] = seating.matches(plan, seating.prepare(plan))
    _, rows = tally_and_rows((match,), 0, count)
    return rows[:, 0, :], match


def command(told: Telling, study: Study) -> str:
    """`lab replay STUDY --cell ID --game N`, or with all options where the study has no such cell."""
    if any(
        replace(told.cell, games=each.games, keep_games=each.keep_games, part=each.part) == each for each in study.cells
    ):
        return f"lab replay {quote(str(study.path))} --cell {cell_id(told.cell)} --game {told.game}"
    titles = told.cell.titles if len(set(told.cell.titles)) > 1 else told.cell.titles[:1]
    words = [f"lab replay {told.cell.game}", f"--seats {told.cell.seats}"]
    words += [f"--policy {quote(title)}" for title in titles]
    fields = type(told.cell.knobs).model_fields
    words += [
        f"--set {quote(f'{name}={_typed(value)}')}" for name, value in told.cell.knobs if value != fields[name].default
    ]
    return " ".join([*words, *([f"--seed {told.cell.seed}"] if told.cell.seed else []), f"--game {told.game}"])


def _typed(value: Any) -> str:
    """A knob's value as one types it after `--set`."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple | list):
        return ",".join(map(str, value)) or "none"
    return repr(value) if isinstance(value, float) and isfinite(value) else str(value)
