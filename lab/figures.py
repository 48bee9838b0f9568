"""Pictures of estimates for notebooks and reports: every point with its interval, in colours that everybody can tell
apart (Okabe and Ito, "Color Universal Design", 2008).

    axes = figures.axes(title="...", x="target", y="share of games")
    figures.curve(axes, x, figures_table, "one chaser")
    figures.dots(axes, labels, figures_table)
"""

from collections.abc import Sequence
from typing import Any

import pandas as pd

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")


def axes(title: str = "", x: str = "", y: str = "", *, percent: str = "", size: tuple[float, float] = (8, 4.2)) -> Any:
    """New axes. percent: "x", "y" or "xy" for shares."""
    import matplotlib.pyplot as plt
    from matplotlib.ticker import PercentFormatter

    figure, made = plt.subplots(figsize=size, layout="constrained")
    figure.set_facecolor("white")
    made.set(xlabel=x, ylabel=y)
    made.set_title(title, loc="left")
    made.spines[["top", "right"]].set_visible(False)
    made.grid(alpha=0.25)
    for name, axis in (("x", made.xaxis), ("y", made.yaxis)):
        if name in percent:
            axis.set_major_formatter(PercentFormatter(1, decimals=0))
    return made


def curve(on: Any, x: Sequence[float], figures: pd.DataFrame, label: str = "", *, number: int = 0) -> None:
    """Estimates over x, joined, with the band of their intervals. number: which colour and marker."""
    colour, marker = COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]
    on.fill_between(x, figures["low"], figures["high"], color=colour, alpha=0.25, linewidth=0)
    on.plot(x, figures["estimate"], color=colour, marker=marker, markersize=4, linewidth=1.2, label=label or None)


def dots(
    on: Any, labels: Sequence[str], figures: pd.DataFrame, label: str = "", *, number: int = 0, of: int = 1
) -> None:
    """One estimate a line, from the top, with its interval as a bar. number, of: which set of dots, of how many."""
    colour, marker = COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]
    shift = (number - (of - 1) / 2) * 0.6 / of
    places = [place + shift for place in range(len(labels))]
    on.errorbar(
        figures["estimate"], places,
        xerr=[figures["estimate"] - figures["low"], figures["high"] - figures["estimate"]],
        fmt=marker, color=colour, markersize=5, capsize=2, label=label or None,
    )  # fmt: skip
    on.set_yticks(range(len(labels)), labels)
    if number == 0:
        on.invert_yaxis()
