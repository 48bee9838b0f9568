"""Figures of cells, as sums over groups of games."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lab import catalogue
from lab.cell import Cell
from lab.pairs import Difference, PairTally, differences
from lab.sense.designs import Floats
from lab.sense.model import Measure
from lab.tally import WIN


def measures_of(cells: Sequence[Cell]) -> tuple[Measure, ...]:
    """Shares of wins of each seat, and of each entry where all seats rotate; headline columns; unfinished games."""
    seats = min(cell.seats for cell in cells)
    kinds = ("seat", "entry") if all(cell.rotate_seats for cell in cells) else ("seat",)
    game, settings = catalogue.game(cells[0].game), {(cell.seats, cell.knobs): None for cell in cells}
    columns = [{each.name: each for each in game.columns(*setting)} for setting in settings]
    shared = [each for name, each in columns[0].items() if all(name in others for others in columns)]
    return (
        *(Measure(f"win_share {kind} {place}", "% points") for kind in kinds for place in range(seats)),
        *(Measure(each.name, each.unit) for each in shared if each.headline),
        *(Measure(each.name, "share of plays") for each in shared if each.name == "unfinished" and not each.headline),
    )


class Sums:
    """Sums over the groups of games, of those measures that are defined somewhere in every cell."""

    def __init__(self, rows: Sequence[dict[str, Any]], measures: Sequence[Measure]) -> None:
        sums = np.array([_sums_of(row, measures) for row in rows])  # [cell, group, measure, (m, u)]
        defined = (sums[..., 0].sum(axis=1) > 0).all(axis=0)
        self.sums = {each: sums[:, :, place] for place, each in enumerate(measures) if defined[place]}
        self.measures = tuple(self.sums)
        self.undefined = tuple(each for each in measures if each not in self.sums)
        self.seats = [row["seats"] for row in rows]

    def of(self, measure: Measure, cells: list[int]) -> tuple[Floats, Floats]:
        """u, m: [cell, group] sums of its values, and the plays in which it is defined. A win is 1."""
        picked = self.sums[measure][cells].astype(float)
        return picked[..., 1] / (WIN if measure.percent else 1), picked[..., 0]

    def difference(self, measure: Measure, one: int, other: int) -> Difference:
        """What it is in one cell less than in the other."""
        (m, u), (k, v) = self.sums[measure][one].T, self.sums[measure][other].T
        units = np.array([u, m, v, k]).astype(object)
        tally = PairTally(u.size, 0, units.sum(axis=1)[None], (units @ units.T)[None])
        [found] = differences(tally, (measure.name,), paired=self.seats[one] == self.seats[other])
        return found


def _sums_of(row: dict[str, Any], measures: Sequence[Measure]) -> NDArray[np.int64]:
    """[group, measure, (m, u)]"""
    names = [metric["column"] for metric in row["metrics"]]
    names += [f"win_share {kind} {place}" for kind in ("seat", "entry") for place in range(row["seats"])]
    places = [names.index(measure.name) for measure in measures]
    return np.array([[[int(each) for each in group["sums"][place]] for place in places] for group in row["groups"]])
