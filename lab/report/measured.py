"""Measures of balance and winning-chance curves, as `lab balance` has written them beside a study's cells."""

from typing import Any

import numpy as np
import pandas as pd

from lab import figures
from lab.balance_table import CURVES, TABLE, UNITS, figure, options, read, shares, title
from lab.report.output import safe, say, show, table
from lab.results import Results

OVERVIEW = (
    "game length", "closeness", "lead changes", "surprise", "drama", "comebacks", "decided at", "runaway leader",
    "runaway gain", "policy in the outcome", "seat in the outcome", "luck in the outcome", "rest of the outcome",
    "policy span", "seed span", "Brier skill", "log skill",
)  # fmt: skip
"""Measures of a whole game: one column a cell."""
ADJUSTED = (
    "adjusted: less what the luck of the dice gave, whose expectation is zero; worth: plain games that one adjusted "
    "game is worth; entry: place in the line-up, from every seat in turn; place: in the order of play."
)
PICTURES, COLUMNS = 3, 6
"""Cells of which the curve is drawn, and that stand side by side in a table."""


def balance(r: Results) -> None:
    """Measures of every cell and the winner's chance by progress; nothing, where `lab balance` was not run."""
    if r.folder is None or not (r.folder / TABLE).is_file():
        return
    rows = pd.DataFrame(read(r.folder))
    curves = pd.DataFrame(read(r.folder, CURVES))
    cells = list(dict.fromkeys(rows["cell"]))
    names = {cell: safe(title(rows[rows["cell"] == cell].iloc[0].to_dict())) for cell in cells}
    say("## Balance")
    first = rows.iloc[0]
    say(
        f"From winning-chance curves that were fitted on {first.fitted_on:,} game numbers and applied to the "
        f"{first.games:,} after them. ± is the half-width of a 95 % interval, for each figure alone."
    )
    for cell in cells[:PICTURES]:
        _draw(curves[(curves["cell"] == cell) & (curves["kind"] == "winner")], names[cell])
    for k in range(0, len(cells), COLUMNS):
        _overview(rows, cells[k : k + COLUMNS], names)
    for cell in cells[:PICTURES]:
        own = rows[rows["cell"] == cell].to_dict("records")
        table(shares(own), f"Who wins: {names[cell]}. {ADJUSTED}")
        if chosen := options(own):
            table(chosen, f"What policies choose, in % of their decisions of that kind: {names[cell]}.")


def _draw(curve: pd.DataFrame, name: str) -> None:
    """A fan: median, and the middle half and four fifths of games."""
    axes = figures.axes("The winner's chance as the game goes on", "turns played", "chance to win", percent="xy")
    colour = figures.COLOURS[0]
    for low, high, alpha in (("q10", "q90", 0.18), ("q25", "q75", 0.3)):
        label = "four fifths of games" if low == "q10" else "half of games"
        axes.fill_between(curve["place"], curve[low], curve[high], color=colour, alpha=alpha, linewidth=0, label=label)
    axes.plot(curve["place"], curve["q50"], color=colour, linewidth=1.8, label="median")
    axes.plot(curve["place"], curve["estimate"], color=figures.COLOURS[1], linewidth=1.4, linestyle="--", label="mean")
    axes.set_ylim(0, 1)
    figures.legend(axes)
    half = curve.iloc[(curve["place"] - 0.5).abs().argmin()]
    mean, low, high = (f"{100 * each:.0f}" for each in (half.estimate, half.q10, half.q90))
    show(
        axes,
        f"{name}: at half of its turns the eventual winner's chance is {mean} % in the mean, and between {low} and "
        f"{high} % in four fifths of n = {int(half.n):,} games.",
    )


def _overview(rows: pd.DataFrame, cells: list[str], names: dict[str, str]) -> None:
    shown = []
    for measure in OVERVIEW:
        of = rows[rows["measure"] == measure]
        if not of.empty:
            head = {"measure": measure, "unit": UNITS.get(of.iloc[0].unit, of.iloc[0].unit)}
            found = {number: of[of["cell"] == cell] for number, cell in enumerate(cells)}
            figured = {_name(n, cells): _figure(each) for n, each in found.items()}
            shown.append(head | figured | {"definition": of.iloc[0].definition, "source": of.iloc[0].source})
    told = "; ".join(f"{_name(n, cells)}: {names[cell]}" for n, cell in enumerate(cells))
    table(shown, f"{told}.")


def _name(number: int, cells: list[str]) -> str:
    return "figure" if len(cells) == 1 else f"cell {number + 1}"


def _figure(rows: pd.DataFrame) -> Any:
    return "-" if rows.empty or np.isnan(rows.iloc[0].estimate) else figure(rows.iloc[0].to_dict())
