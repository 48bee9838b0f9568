"""Sensitivity: which knobs move which figure.

    found = sense(study, folder)                 plays what is missing; writes indices.parquet, effects.parquet
    draw(found, folder / "tornado.png")

Whatever a study lists is a *factor*; its values are the *levels*, each as likely as the others. A *design* is a choice
of cells, all played on the same luck:

- every combination of the levels, where these are at most FULL cells. The indices are then exact but for the games'
  luck: an analysis of variance of the cells' means.
- else a sample of rows (Saltelli et al., Comput. Phys. Commun. 181, 2010, 259-270): two combinations a and b from a
  Sobol sequence, and for each factor a with that factor's level taken from b.

Of a figure's variance over the design, the *first-order index* of a factor is the share that goes when the factor
alone is known, the *total index* the share that stays when all others are known, with every interaction that it has a
part in.

Means of cells err, and that scatter is no effect of a knob. Whatever is estimated is a quadratic form Q of the cells'
means f, and on average Q(f) is Q(truth) plus the noise tr(Q cov f). Games come in *groups*, a few dozen runs of
consecutive game numbers, the same in every cell. With r[g], what group g adds to the errors of the means, the noise is
estimated by G/(G - 1) times the sum of Q(r[g]) over the G groups, and subtracted. That holds however cells hang
together by their luck. Intervals are percentiles of a bootstrap that draws groups, for all cells at once, and in a
sample the rows as well; since what it adds its errors to is noisy already, it subtracts the noise twice.

One at a time: each factor goes from its default (or first) level to each other one, all others staying at theirs. The
differences are those of `lab.pairs`, with a group as the unit in place of a game number.

- `factors`: what a study lists; `designs`: which cells are played
- `groups`: playing them; `sums`: their figures
- `sobol`: indices and intervals; `model`: what all of it is called
- `shown`: tables; `tornado`: the picture; `stored`: files, from which `read(folder)` brings it all back
"""

import time
from pathlib import Path

import numpy as np

from lab.runner import Progress
from lab.sense.designs import EVALUATIONS, FULL, Design, Grid, Sample, design_for
from lab.sense.factors import factors_of, steps_of
from lab.sense.groups import GROUPS, GroupStore, GroupTally, group_size, play
from lab.sense.model import Combination, Effect, Factor, Index, Measure, Sense, Spread
from lab.sense.shown import effects_table, indices_table, notes, ranked
from lab.sense.sobol import Variances, variances
from lab.sense.stored import manifest_of, read, write
from lab.sense.sums import Sums, measures_of
from lab.sense.tornado import draw
from lab.study import Study
from lab.sweeping import write_table

__all__ = [
    "EVALUATIONS", "FULL", "GROUPS", "Combination", "Design", "Effect", "Factor", "Grid", "GroupStore", "GroupTally",
    "Index", "Measure", "Sample", "Sense", "Spread", "Sums", "Variances", "design_for", "draw", "effects_table",
    "factors_of", "group_size", "indices_table", "measures_of", "notes", "ranked", "read", "sense",
    "steps_of", "variances",
]  # fmt: skip


def sense(study: Study, folder: Path, *, jobs: int | None = None, progress: Progress | None = None) -> Sense:
    """Play what `folder` does not hold yet of a design over the study's lists, and write and return what it shows.

    Errors: `BadInput` if the study has no such design or the folder is another's; `Incomplete` if a cell could not be
    played to its end.
    """
    start = time.perf_counter()
    factors, grid = factors_of(study)
    design = design_for([len(factor.levels) for factor in factors]) if len(factors) > 1 else None
    base, steps = tuple(factor.base for factor in factors), steps_of(factors)
    needed = {base, *(to for _, _, to in steps), *(design.cells if design else ())}
    cells = {each: cell for each, cell in grid.items() if each in needed}
    rows, played = play(list(cells.values()), folder, jobs, progress or Progress())
    where = {each: place for place, each in enumerate(cells)}
    sums = Sums(rows, measures_of(list(cells.values())))
    spreads = _spreads(design, [where[each] for each in design.cells], sums, rows[0]["seed"]) if design else {}
    effects = [
        Effect(measure, factor, level, sums.difference(measure, where[base], where[to]))
        for measure in sums.measures
        for factor, level, to in steps
    ]
    found = Sense(
        name=study.name,
        factors=tuple(factors),
        measures=sums.measures,
        undefined=sums.undefined,
        spreads={measure: Spread(each.mean, each.spread) for measure, each in spreads.items()},
        indices=tuple(
            Index(measure, *each)
            for measure, shown in spreads.items()
            for each in zip(factors, shown.first, shown.total, strict=True)
        ),
        effects=tuple(effects),
        design=design.words if design else f"all {len(cells)} values",
        games=rows[0]["games"],
        rotated=any(row["rotate_seats"] for row in rows),
        played=played,
        seconds=time.perf_counter() - start,
    )
    write(found, folder)
    write_table(study, GroupStore(folder), list(cells.values()), rows, {}, sense=manifest_of(found))
    return found


def _spreads(design: Design, cells: list[int], sums: Sums, seed: int) -> dict[Measure, Variances]:
    """What a design says about each figure. cells: where the sums of its cells are."""
    return {
        measure: variances(design, *sums.of(measure, cells), np.random.default_rng([seed, number]))
        for number, measure in enumerate(sums.measures)
    }
