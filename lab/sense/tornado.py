"""The tornado: a picture of the steps."""

from collections.abc import Sequence
from pathlib import Path
from textwrap import fill
from typing import Any

from lab import tables
from lab.sense.model import Effect, Factor, Measure, Sense
from lab.sense.shown import ranked, title
from lab.store import write_atomically

LONGEST = 28
"""Letters of a bar's level, at most."""
BARS = 14
"""A panel of the picture shows the largest so many differences."""


def draw(found: Sense, path: Path) -> None:
    """Write the picture. `ImportError` without the extra `reports`."""
    figure = picture(found)

    def save(hidden: Path) -> None:
        figure.savefig(hidden, format=path.suffix[1:], dpi=120)

    write_atomically(path, save)


def picture(found: Sense, across: int | None = None) -> Any:
    """The tornado: one panel a figure, one bar a step, with its interval.

    across: panels side by side; by default two, where there are many.
    """
    from matplotlib.figure import Figure

    from lab.figures import COLOURS

    panels = [(measure, bars) for measure in found.measures if (bars := ranked(found, measure))]
    across = across or (1 if len(panels) < 4 else 2)
    down = max(1, -(-len(panels) // across))
    tallest = min(BARS, max((len(bars) for _, bars in panels), default=1))
    base = ", ".join(f"{factor.name} {factor.levels[factor.base]}" for factor in found.factors)
    games = f"{found.games:,} games{', each in all rotations,' if found.rotated else ''} at both ends of a bar"
    heading = fill(f"{found.name}: one knob at a time, from {base}", 80 * across)
    heading += "\n" + fill(f"n = {games}; lines: 95 % intervals; pale: the interval holds 0", 80 * across)
    tall = 0.8 + 0.2 * len(heading.splitlines()) + down * (1.4 + 0.27 * tallest)
    figure = Figure(figsize=(6.4 * across, tall), layout="constrained")
    colours = {factor: COLOURS[place % (len(COLOURS) - 1)] for place, factor in enumerate(found.factors)}
    for place, (measure, bars) in enumerate(panels):
        _panel(figure.add_subplot(down, across, place + 1), measure, bars, colours)
    figure.suptitle(heading, x=0.01, horizontalalignment="left", fontsize=11)
    return figure


def _cut(level: object) -> str:
    """A level that leaves room for the bars: of a long one, such as a path, the end."""
    text = str(level)
    return text if len(text) <= LONGEST else "…" + text[1 - LONGEST :]


def _panel(on: Any, measure: Measure, effects: Sequence[Effect], colours: dict[Factor, str]) -> None:
    largest = sorted(effects, key=lambda each: -abs(each.change.difference))[:BARS]
    bars = [each for each in effects if each in largest]
    left_out = f"; the largest {BARS} of {len(effects)}" if len(effects) > BARS else ""
    scale = 100 if measure.percent else 1
    for place, each in enumerate(bars):
        change, low, high = (scale * part for part in (each.change.difference, each.change.low, each.change.high))
        on.barh(place, change, height=0.7, color=colours[each.factor], alpha=0.35 if low <= 0 <= high else 1.0)
        on.errorbar(change, place, xerr=[[change - low], [high - change]], color="black", capsize=3, linewidth=1)
        shown = tables.Figure(each.change.difference, each.change.low, each.change.high, percent=measure.percent)
        on.text(1.01, place, f"{'+' if change > 0 else ''}{shown}".replace("-", "−"), fontsize=8, va="center",
                transform=on.get_yaxis_transform())  # fmt: skip
    on.set_yticks(range(len(bars)), [f"{each.factor.name} {_cut(each.level)}" for each in bars], fontsize=9)
    on.invert_yaxis()
    on.axvline(0, color="black", linewidth=0.8)
    on.spines[["top", "right", "left"]].set_visible(False)
    on.grid(axis="x", alpha=0.25)
    on.set_axisbelow(True)
    on.locator_params(axis="x", nbins=6)
    on.set_xlabel(f"difference, {measure.unit}" if measure.unit else "difference")
    on.set_title(f"{title(measure)} (from {bars[0].change.first * scale:.4g}{left_out})", loc="left", fontsize=10)
