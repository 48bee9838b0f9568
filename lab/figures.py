"""Pictures of estimates for notebooks and reports: every point with its interval, in colours that everybody can tell
apart (Okabe and Ito, "Color Universal Design", 2008).

    axes = figures.axes(title="...", x="target", y="share of games")
    figures.curve(axes, x, figures_table, "one chaser")
    figures.dots(axes, labels, figures_table)
    figures.level(axes, 0.25, "a fair share")
    figures.legend(axes)

`lab.report.show` puts a picture into a notebook, with a caption.
"""

from collections.abc import Sequence
from textwrap import fill
from typing import Any

import numpy as np
import pandas as pd

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
SIZE = (5.8, 3.6)
"""Inches. Small, so that the writing can still be read where a phone shows it 10 cm wide."""
LINE, ROOM = 0.15, 1.2
"""Inches: what `tall` gives to each set of dots of a label, and to all that stands around them."""


def axes(title: str = "", x: str = "", y: str = "", *, percent: str = "", size: tuple[float, float] = SIZE) -> Any:
    """New axes. percent: "x", "y" or "xy" for shares."""
    import matplotlib.pyplot as plt
    from matplotlib.ticker import FuncFormatter

    figure, made = plt.subplots(figsize=size, layout="constrained")
    figure.set_facecolor("white")
    figure.get_layout_engine().set(w_pad=0.12, h_pad=0.1)
    made.set_xlabel(x, fontsize=10.5)
    made.set_ylabel(y, fontsize=10.5)
    made.tick_params(labelsize=10)
    made.set_title(fill(title, int(size[0] * 9)), loc="left", fontsize=12)
    made.spines[["top", "right"]].set_visible(False)
    made.grid(alpha=0.25)
    for name, axis in (("x", made.xaxis), ("y", made.yaxis)):
        if name in percent:
            axis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:.4g} %"))
    return made


def tall(labels: int, sets: int = 1) -> tuple[float, float]:
    """The size of a picture of dots."""
    return SIZE[0], max(2.0, ROOM + LINE * labels * (min(sets, 4) + 0.8))


def curve(on: Any, x: Sequence[float], figures: pd.DataFrame, label: str = "", *, number: int = 0) -> None:
    """Estimates over x, joined, with the band of their intervals. number: which colour and marker."""
    colour, marker = COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]
    figures = _finite(figures)
    on.fill_between(x, figures["low"], figures["high"], color=colour, alpha=0.25, linewidth=0)
    on.plot(x, figures["estimate"], color=colour, marker=marker, markersize=4, linewidth=1.2, label=label or None)


def dots(
    on: Any, labels: Sequence[str], figures: pd.DataFrame, label: str = "", *, number: int = 0, of: int = 1
) -> None:
    """One estimate a line, from the top, with its interval as a bar. number, of: which set of dots, of how many."""
    colour, marker = COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]
    figures = _finite(figures)
    shift = (number - (of - 1) / 2) * 0.6 / of
    places = [place + shift for place in range(len(labels))]
    on.errorbar(
        figures["estimate"], places,
        xerr=[figures["estimate"] - figures["low"], figures["high"] - figures["estimate"]],
        fmt=marker, color=colour, markersize=5, capsize=2, label=label or None,
    )  # fmt: skip
    on.set_yticks(range(len(labels)), labels)
    on.set_ylim(len(labels) - 0.4, -0.6)


def level(on: Any, value: float, label: str = "", *, axis: str = "x") -> None:
    """A line where a figure would mean nothing, as a fair share. axis: whose value it is."""
    draw = on.axvline if axis == "x" else on.axhline
    draw(value, color="#555555", linewidth=0.9, linestyle="--", label=label or None)


def legend(on: Any) -> None:
    """The names of what was drawn, where they hide least: in a free corner, or below the picture if they are many or
    long."""
    handles, labels = on.get_legend_handles_labels()
    room, widest = on.figure.get_figwidth() * 12, max(map(len, labels), default=0)  # in letters
    if len(labels) > 3 or widest > room / 2:
        columns = max(1, min(len(labels), int(room / (widest + 7))))
        on.figure.legend(handles, labels, loc="outside lower left", ncols=columns, frameon=False, fontsize=10)
    elif labels:
        on.legend(frameon=False, fontsize=10)


def _finite(figures: pd.DataFrame) -> pd.DataFrame:
    """Intervals without end are not drawn."""
    return figures[["estimate", "low", "high"]].astype(float).replace([np.inf, -np.inf], np.nan)
