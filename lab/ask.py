"""Verdicts: what a study expects, decided by playing as long as it takes.

    answer = ask(study, folder) -> Answer

Every clause is held against every cell. One looks at numbers of games that were fixed in advance (`lab.sequences`),
with intervals that hold at all looks at once, and a cell is played until each of its clauses is decided: **yes** or
**no** when the whole interval lies where it should, or where it should not; **not shown** when the limit is reached
before. The error rate of all verdicts together is `ERROR`, divided among clauses, cells and, for `any seat`, seats.
"""

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from math import inf, isfinite, isnan, nan, sqrt
from pathlib import Path
from typing import Any

import numpy as np

from lab import seating, sequences
from lab.cell import Cell
from lab.clauses import COMPARED, Clause, Stat, entry_of, places_of
from lab.comparison import Pair, PairStore, matches_of, pair_of
from lab.errors import Incomplete
from lab.estimate import Estimate, student
from lab.identity import cell_id
from lab.pairs import differences, quantities
from lab.runner import Progress, fill
from lab.store import Store, write_rows
from lab.study import Study
from lab.tally import BINS, LOWEST, WIN, Tally, tally_and_rows

ERROR = 0.05
UNLIKE = 50
"""A mean is not judged before so many game numbers' worth of plays are unlike the commonest value."""
TOLD_FROM = 2000
"""The most telling games are looked for among the first so many."""
YES, NO, NOT_SHOWN = "yes", "no", "not shown"


@dataclass(frozen=True)
class Figure:
    """What a clause measures, in one cell: of one seat, where it is about every seat."""

    label: str
    value: Estimate
    asymptotic: bool
    """Whether the interval is right for many games rather than for all."""


@dataclass
class Verdict:
    """One clause in one cell."""

    cell: Cell
    clause: Clause
    alpha: float
    figures: list[Figure] = field(default_factory=list)
    games: int = 0
    looks: int = 0
    verdict: str = NOT_SHOWN

    @property
    def is_decided(self) -> bool:
        return self.verdict != NOT_SHOWN

    def hears(self, figures: list[Figure], games: int) -> None:
        """A look: decide, if that can be done now."""
        self.figures, self.games, self.looks = figures, games, self.looks + 1
        met = [self.clause.is_met_by(each.value.low, each.value.high) for each in figures]
        self.verdict = NO if False in met else NOT_SHOWN if None in met else YES

    @property
    def margin(self) -> float:
        """How far the figure that is nearest to it lies from the edge of where it should be; negative outside."""
        return min((_margin(self.clause, each.value.estimate) for each in self.figures), default=nan)

    def games_needed(self) -> float:
        """About how many games would decide it, by the width of the interval now."""
        needed = 0.0
        for each in self.figures:
            half, gap = (each.value.high - each.value.low) / 2, abs(_margin(self.clause, each.value.estimate))
            needed = max(needed, self.games * (half / gap) ** 2 if gap and isfinite(half) else inf)
        return needed


def _margin(clause: Clause, value: float) -> float:
    return min(value - clause.low, clause.high - value)


@dataclass
class Answer:
    """What was asked, and what was found."""

    study: Study
    folder: Path
    verdicts: list[Verdict]
    played: int = 0
    seconds: float = 0.0

    @property
    def verdict(self) -> str:
        """Of all together: no if any is no, yes if all are yes."""
        found = {each.verdict for each in self.verdicts}
        return NO if NO in found else NOT_SHOWN if NOT_SHOWN in found else YES

    def as_json(self) -> dict[str, Any]:
        """For other programs: one entry a clause and cell."""
        return {
            "question": self.study.question, "verdict": self.verdict, "error": ERROR, "plays": self.played,
            "clauses": [
                {
                    "expected": each.clause.text, "verdict": each.verdict, "cell": cell_id(each.cell),
                    "parameters": each.cell.parameters(), "games": each.games, "looks": each.looks,
                    "figures": [
                        {"figure": figure.label, "asymptotic": figure.asymptotic} | asdict(figure.value)
                        for figure in each.figures
                    ],
                    "what_would_change_it": in_words(each),
                }
                for each in self.verdicts
            ],
        }  # fmt: skip


def open_questions(study: Study) -> list[Verdict]:
    """Every clause for every cell of its part, with its part of the error rate."""
    pairs = [(cell, clause) for cell in study.cells for clause in study.expects[cell.part].clauses]
    return [Verdict(cell, clause, ERROR / len(pairs)) for cell, clause in pairs]


def ask(study: Study, folder: Path, *, jobs: int | None = None, progress: Progress | None = None) -> Answer:
    """Play until every clause is decided, or its limit is reached. progress.note tells what it will take."""
    progress, start = progress or Progress(), time.perf_counter()
    answer = Answer(study, folder, open_questions(study))
    store, pairs = Store(folder), PairStore(folder)
    store.open()
    limits = {part: expectation.limit for part, expectation in study.expects.items()}
    for games in sequences.looks(max(limits.values(), default=0)):
        asked = [each for each in answer.verdicts if not each.is_decided and each.games < limits[each.cell.part]]
        if not asked:
            break
        _look(asked, games, limits, store, pairs, jobs, progress, answer)
        if games == sequences.FIRST_LOOK:
            progress.note(_forecast(asked, limits, answer.played, time.perf_counter() - start))
    rows = [store.finished(cell_id(cell)) for cell in study.cells]
    if kept := [row | {"part": cell.part} for row, cell in zip(rows, study.cells, strict=True) if row]:
        write_rows(folder / store.table, kept)
    answer.seconds = time.perf_counter() - start
    return answer


def _look(
    asked: Sequence[Verdict], games: int, limits: dict[str, int], store: Store, pairs: PairStore,
    jobs: int | None, progress: Progress, answer: Answer,
) -> None:  # fmt: skip
    """Play what is open up to so many games, and decide what can be decided."""
    for where, is_gain in ((store, False), (pairs, True)):
        named: dict[str, Any] = {}
        asking: dict[str, list[Verdict]] = {}
        for each in asked:
            if (each.clause.stat.kind == "gain") == is_gain:
                subject = _subject(each, min(games, limits[each.cell.part]))
                if _name(subject) not in named or named[_name(subject)].games < subject.games:
                    named[_name(subject)] = subject  # parts that share a cell may differ in their limits
                asking.setdefault(_name(subject), []).append(each)
        if not named:
            continue
        run = fill(where, named, jobs, progress)
        answer.played += run.played
        for name, row in run.finish().items():
            tally = where.tally_of(row)
            for each in asking[name]:
                each.hears(_measure(each, tally), tally.games)
        if run.failures:
            raise Incomplete("; ".join(run.failures.values()))


def _subject(asked: Verdict, games: int) -> Any:
    """What is played for a clause: its cell, or the pair of its cell with one seat changed."""
    cell = replace(asked.cell, games=games)
    return cell if asked.clause.stat.kind != "gain" else changed_pair(cell, asked.clause)


def changed_pair(cell: Cell, clause: Clause) -> Pair:
    """The cell, and the same with one entry that plays `base` playing the policy instead; all seats rotate."""
    place = places_of(clause.stat.base, clause, cell)[0]
    entry = entry_of(clause.stat.whose, clause, cell.game)
    other = replace(cell, lineup=(*cell.lineup[:place], entry, *cell.lineup[place + 1 :]))
    return pair_of(cell, other)


def _name(subject: Any) -> str:
    return subject.name if isinstance(subject, Pair) else cell_id(subject)


# Measuring


def _measure(asked: Verdict, tally: Any) -> list[Figure]:
    stat, cell, alpha = asked.clause.stat, asked.cell, asked.alpha
    if stat.kind == "gain":
        return [_gain(asked, tally)]
    columns = seating.column_names(seating.recipe(cell))
    if stat.kind == "win_share":
        return _win_shares(asked, tally, len(columns))
    column = columns.index(stat.column)
    histogram = tally.histogram(column + 1)
    above = int(tally.above[column + 1, 0])
    if stat.kind == "mean":
        return [_mean(stat.column, tally, column, histogram, above, alpha)]
    if stat.kind == "share":
        share, is_exact = _share(stat, tally, histogram, above, alpha)
        return [Figure(f"share({stat.column} {stat.compared} {stat.value})", share, not is_exact)]
    rank = 0.5 if stat.kind == "median" else int(stat.kind[1:]) / 100
    defined = [(float(value), count) for value, count in histogram.items() if value >= 0]
    listed = [*defined, (inf, above)] if above else defined
    found = sequences.quantile(listed, rank, tally.games, sequences.look_number(tally.games), alpha)
    if above:  # all that is known of these values is that they are beyond the histogram
        found = Estimate(min(found.estimate, LOWEST + BINS), min(found.low, LOWEST + BINS), found.high)
    return [Figure(f"{stat.kind}({stat.column})", found, False)]


def _share(stat: Stat, tally: Tally, histogram: dict[int, int], above: int, alpha: float) -> tuple[Estimate, bool]:
    """Of the plays in which a column is defined (of all plays, if the question is that); whether it is exact.

    A game number with all its rotations is one quantity in [0, 1], unless some of them do not count.
    """
    counted = {value: count for value, count in histogram.items() if value >= 0 or stat.value < 0}
    defined = sum(counted.values()) + above
    hits = sum(count for value, count in counted.items() if COMPARED[stat.compared](value, stat.value))
    hits += above if stat.compared in (">", ">=", "!=") else 0
    units = defined // tally.rotations
    if units == 0:
        return Estimate(nan, 0.0, 1.0), True
    return sequences.share(hits / defined * units, units, alpha), tally.rotations == 1 or defined == tally.plays


def _mean(
    name: str, tally: Tally, column: int, histogram: dict[int, int], above: int, alpha: float
) -> Figure:  # fmt: skip
    """The mean of a column; one of zeros and ones is a share. Others wait until enough plays are not all alike."""
    label, seen = f"mean {name}", {value for value in histogram if value >= 0}
    if seen <= {0, 1} and not above and -1 not in histogram:
        return Figure(label, sequences.share(histogram.get(1, 0) / tally.rotations, tally.games, alpha), False)
    m, u, uu, um, mm = (int(each) for each in tally.units[column])
    if m == 0:
        return Figure(label, Estimate(nan, -inf, inf), True)
    unlike = m - max((histogram[value] for value in seen), default=0)
    scatter = uu * m * m - 2 * u * um * m + u * u * mm  # times m**2
    deviation = sqrt(scatter / tally.games) / m * tally.games / m if unlike >= UNLIKE * tally.rotations else 0.0
    return Figure(label, sequences.mean(u / m, deviation, tally.games, alpha), True)


def _win_shares(asked: Verdict, tally: Tally, columns: int) -> list[Figure]:
    cell, whose, alpha = asked.cell, asked.clause.stat.whose, asked.alpha

    def share(quantities: list[int], alpha: float) -> Estimate:
        total = sum(int(tally.units[each, 1]) for each in quantities)
        return sequences.share(total / (WIN * tally.rotations * len(quantities)), tally.games, alpha)

    if whose == "any seat":
        each = alpha / cell.seats
        return [Figure(f"win_share[{seat}]", share([columns + seat], each), False) for seat in range(cell.seats)]
    if whose.isdecimal():
        return [Figure(f"win_share[{whose}]", share([columns + int(whose)], alpha), False)]
    entries = [columns + cell.seats + place for place in places_of(whose, asked.clause, cell)]
    return [Figure(f"win_share[{whose}]", share(entries, alpha), False)]


def _gain(asked: Verdict, tally: Any) -> Figure:
    pair = _subject(asked, tally.games)
    matches = [matches_of(each) for each in (pair.first, pair.second)]
    found = {each.quantity: each for each in differences(tally, quantities(*matches), paired=True)}
    place = places_of(asked.clause.stat.base, asked.clause, asked.cell)[0]
    kind = "entry" if pair.first.rotate_seats else "seat"  # nothing rotates where all play the same in both
    difference = found[f"win_share {kind} {place}"]
    half = (difference.high - difference.low) / 2
    deviation = half / student(tally.games - 1) * sqrt(tally.games) if tally.games > 1 else nan
    stat = asked.clause.stat
    return Figure(
        f"gain({stat.whose} over {stat.base})",
        sequences.mean(difference.difference, deviation, tally.games, asked.alpha), True,
    )  # fmt: skip


# What it takes, and which games to look at


def _forecast(asked: Sequence[Verdict], limits: dict[str, int], played: int, seconds: float) -> str:
    left = [each for each in asked if not each.is_decided]
    if not left:
        return "decided at the first look"
    games = {id(each.cell): 0.0 for each in left}
    for each in left:
        needed = min(each.games_needed(), limits[each.cell.part])
        games[id(each.cell)] = max(games[id(each.cell)], needed - each.games)
    total = sum(games.values())
    minutes = total * seconds / max(1, played) / 60
    return f"{len(left)} of {len(asked)} verdicts are open; about {total:,.0f} more games, {minutes:,.1f} minutes"


def telling_games(asked: Verdict) -> list[tuple[int, str]]:
    """Up to three games of the cell that show what the clause is about: (number, why)."""
    stat, cell = asked.clause.stat, asked.cell
    if stat.kind == "gain":
        return []
    plan = seating.recipe(replace(cell, rotate_seats=False))
    matches = seating.matches(plan, seating.prepare(plan))
    _, rows = tally_and_rows(matches, 0, min(TOLD_FROM, asked.games or TOLD_FROM))
    rows = rows[:, 0, :]
    if stat.kind == "win_share":
        seat = int(stat.whose) if stat.whose.isdecimal() else 0
        if not stat.whose.isdecimal() and stat.whose != "any seat":
            seat = places_of(stat.whose, asked.clause, cell)[0]
        return [(int(game), f"seat {seat} wins") for game in np.flatnonzero(rows[:, 0] == 1 << seat)[:3]]
    values = rows[:, 1 + matches[0].columns.index(stat.column)]
    if stat.kind == "share":
        hits = np.flatnonzero((values >= 0) & COMPARED[stat.compared](values, stat.value))[:3]
        return [(int(game), f"{stat.column} {values[game]}") for game in hits]
    known = np.flatnonzero(values >= 0)
    if known.size == 0:
        return []
    ordered = known[np.argsort(values[known], kind="stable")]
    chosen = {"lowest": ordered[0], "typical": ordered[ordered.size // 2], "highest": ordered[-1]}
    return [(int(game), f"{why}: {stat.column} {values[game]}") for why, game in chosen.items()]


def in_words(asked: Verdict) -> str:
    """What would change the verdict, or decide it."""
    if not asked.figures or isnan(asked.margin):
        return "nothing could be measured"
    away = f"{abs(asked.margin):.4g}"
    if asked.verdict == NOT_SHOWN:
        side = "on the right side" if asked.margin >= 0 else "on the wrong side"
        needed = asked.games_needed()
        more = f"about {needed:,.0f} games would decide it" if isfinite(needed) else "no number of games may decide it"
        return f"so far {away} {side} of what is expected; {more}"
    return f"the verdict would change if the figure moved by more than {away}"
