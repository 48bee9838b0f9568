"""What a design has shown, as tables for people."""

from lab import tables
from lab.estimate import Estimate
from lab.sense.model import Effect, Measure, Sense


def indices_table(found: Sense) -> list[tables.Row]:
    """For `lab.tables.show`: one line a figure and factor, the largest total index first."""
    lines: list[tables.Row] = []
    for measure, spread in found.spreads.items():
        mine = [each for each in found.indices if each.measure == measure]
        mine.sort(key=lambda each: -each.total.estimate if each.total.estimate >= 0 else 0.0)
        for place, each in enumerate(mine if spread.deviation.high > 0 else ()):
            mean = f"{spread.mean * (100 if measure.percent else 1):.4g}"
            lines.append({
                "figure": title(measure) if place == 0 else "",
                "knob": each.factor.name,
                "first-order %": _figure(None, each.first),
                "total %": _figure(None, each.total),
                "mean": mean if place == 0 else "",
                "sd over cells": _figure(measure, spread.deviation) if place == 0 else "",
            })  # fmt: skip
    return lines


def effects_table(found: Sense) -> list[tables.Row]:
    """For `lab.tables.show`: one line a figure and step, in the picture's order."""
    lines: list[tables.Row] = []
    for measure in found.measures:
        for place, each in enumerate(ranked(found, measure)):
            scale = 100 if measure.percent else 1
            change = Estimate(each.change.difference, each.change.low, each.change.high)
            lines.append({
                "figure": title(measure) if place == 0 else "",
                "knob": each.factor.name,
                "from": each.factor.levels[each.factor.base],
                "to": each.level,
                "difference": _figure(measure, change),
                "unit": measure.unit,
                "at base": f"{each.change.first * scale:.4g}" if place == 0 else "",
            })  # fmt: skip
    return lines


def notes(found: Sense) -> str:
    """What the tables leave to be said, in one line."""
    moved = {measure for measure, spread in found.spreads.items() if spread.deviation.high > 0}
    still = [title(each) for each in found.measures if not ranked(found, each) and each not in moved]
    said = [
        f"{found.design}; {found.games:,} games a cell" + (", seats rotated" if found.rotated else ""),
        "± half-width of a 95 % interval for each figure alone",
        "difference: one knob from its default or first value, the others at theirs",
    ]
    if found.indices:
        said += [
            "first-order: share of the variance over the cells, without the noise, that a knob explains alone",
            "total: with all interactions that it has a part in",
            "-: no variance above the noise",
        ]
    said += [f"the same in all cells: {', '.join(still)}"] if still else []
    said += [f"not defined in all cells: {', '.join(map(title, found.undefined))}"] if found.undefined else []
    return "; ".join(said)


def ranked(found: Sense, measure: Measure) -> list[Effect]:
    """The steps that move a figure, or may: factor by factor, that with the largest difference first."""
    mine = [each for each in found.effects if each.measure == measure]
    largest = {
        factor: max((abs(each.change.difference) for each in mine if each.factor == factor), default=0.0)
        for factor in found.factors
    }
    if not any(each.change.low or each.change.high for each in mine):
        return []
    return sorted(mine, key=lambda each: -largest[each.factor])


def title(measure: Measure) -> str:
    return measure.name.replace("_", " ") + (" %" if measure.percent else "")


def _figure(measure: Measure | None, of: Estimate) -> tables.Figure:
    return tables.Figure(of.estimate, of.low, of.high, percent=measure is None or measure.percent)
