"""Verdicts: what a clause measures, with intervals that hold at all looks at once, and what follows from it.

A clause is held against a cell, or against a mixture of cells (`lab.population`). Of a mixture its figure is the
weighted mean of the line-ups' figures, with the chances as weights: for shares of wins of a policy, the chances times
the seats that play it; for quantiles, that of the mixed distribution. Every line-up gets its part of the error rate, so
that the mean of the lower ends and that of the upper ends bound it however the cells hang together by their luck.
"""

from collections.abc import Sequence
from dataclasses import astuple, dataclass, field, replace
from math import inf, isfinite, isnan, log, nan, pi, sqrt
from typing import Any

from lab import seating, sequences
from lab.cell import Cell
from lab.clauses import COMPARED, Clause, entry_of, find_places, places_of, title_of, value_in
from lab.comparison import Pair, matches_of, pair_of
from lab.estimate import Estimate, student
from lab.identity import cell_id
from lab.pairs import differences, quantities
from lab.population import Population
from lab.tally import BINS, LOWEST, WIN, Tally

ERROR = 0.05
"""Of all verdicts of a study together."""
UNLIKE = 50
"""A mean is not judged before so many game numbers' worth of plays are unlike the commonest value."""
YES, NO, NOT_SHOWN = "yes", "no", "not shown"
DECIDED, LIMIT = "decided", "limit"
"""Why one no longer plays for a verdict."""


@dataclass(frozen=True)
class Figure:
    """What a clause measures: of one seat, where it is about every seat."""

    label: str
    value: Estimate
    asymptotic: bool
    """Whether the interval is right for many games rather than for all."""


@dataclass(frozen=True)
class Member:
    """A line-up of a mixture, and what the clause measures there."""

    line_up: str
    weight: float
    figures: tuple[Figure, ...]


@dataclass
class Verdict:
    """One clause in one cell, or of one mixture."""

    cell: Cell
    """Of a mixture its likeliest cell."""
    clause: Clause
    alpha: float
    population: Population | None = None
    """None: the cell alone."""
    limit: int = 0
    """Game numbers a cell after which one gives up."""
    figures: list[Figure] = field(default_factory=list)
    members: list[Member] = field(default_factory=list)
    """Of a mixture."""
    games: int = 0
    looks: int = 0
    verdict: str = NOT_SHOWN
    stopped: str = ""
    """Why: DECIDED or LIMIT; empty while it may be played for."""

    @property
    def is_decided(self) -> bool:
        return self.verdict != NOT_SHOWN

    @property
    def cells(self) -> tuple[Cell, ...]:
        return self.population.cells if self.population else (self.cell,)

    @property
    def mixture(self) -> str:
        """What it is a mixture of; empty for a cell."""
        return self.population.text if self.population else ""

    def hears(self, figures: list[Figure], games: int) -> None:
        """A look: decide, if that can be done now."""
        self.figures, self.games, self.looks = figures, games, self.looks + 1
        self.verdict = self.judge(figures)

    def judge(self, figures: Sequence[Figure]) -> str:
        """Whether all these figures lie where they should."""
        met = [self.clause.is_met_by(each.value.low, each.value.high) for each in figures]
        return NO if False in met else NOT_SHOWN if None in met else YES

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


# What is played


@dataclass(frozen=True)
class Subject:
    """What is played for a clause: a cell, or the pair of a cell with one seat changed."""

    played: Any
    cell: Cell
    place: int
    """For gains, of the entry that changes."""
    weight: float

    @property
    def title(self) -> str:
        return self.cell.line_up + (f"; entry {self.place} changed" if isinstance(self.played, Pair) else "")

    @property
    def name(self) -> str:
        return self.played.name if isinstance(self.played, Pair) else cell_id(self.played)


def subjects(asked: Verdict, games: int) -> list[Subject]:
    """What is to be played up to so many games, with the weights of what it shows, which add up to 1."""
    clause, population = asked.clause, asked.population
    found = []
    for cell, chance in zip(asked.cells, population.chances if population else (1.0,), strict=True):
        cell = replace(cell, games=games)
        if clause.stat.kind == "gain":
            places = find_places(clause.stat.base, clause, cell)
            alike = not asked.mixture or len(set(cell.lineup)) == 1
            for place in places[:1] if alike else places:
                weight = chance * len(places) if alike else chance
                found.append(Subject(changed_pair(cell, clause, place), cell, place, weight))
        else:
            found.append(Subject(cell, cell, 0, chance * _seats_meant(clause, cell)))
    whole = sum(each.weight for each in found)
    return [replace(each, weight=each.weight / whole) for each in found if each.weight]


def _seats_meant(clause: Clause, cell: Cell) -> int:
    """How many seats the clause is about, where it is about a policy; else all together, as one."""
    whose = clause.stat.whose
    if clause.stat.kind != "win_share" or whose == "any seat" or whose.isdecimal():
        return 1
    return len(find_places(whose, clause, cell))


def changed_pair(cell: Cell, clause: Clause, place: int) -> Pair:
    """The cell, and the same with one entry that plays `base` playing the policy instead; all seats rotate."""
    entry = entry_of(clause.stat.whose, clause, cell.game)
    return pair_of(cell, replace(cell, lineup=(*cell.lineup[:place], entry, *cell.lineup[place + 1 :])))


# Measuring


def hear(asked: Verdict, played: Sequence[Subject], tallies: Sequence[Any]) -> None:
    """A look at the tallies of what was played for a verdict."""
    games = min(each.games for each in tallies)
    if len(played) == 1:
        asked.hears(figures_of(asked.clause, asked.alpha, played[0], tallies[0]), games)
    else:
        alpha = asked.alpha / len(played)
        found = [figures_of(asked.clause, alpha, *each) for each in zip(played, tallies, strict=True)]
        weights = [each.weight for each in played]
        asked.members = [
            Member(each.title, each.weight, tuple(figures)) for each, figures in zip(played, found, strict=True)
        ]
        if _rank(asked.clause):
            asked.hears([_mixed_quantile(asked.clause, alpha, played, tallies)], games)
        else:
            asked.hears([_mixed(each, weights) for each in zip(*found, strict=True)], games)
    asked.looks = sequences.look_number(games)
    asked.stopped = DECIDED if asked.is_decided else LIMIT if games >= asked.limit else ""


def measure(asked: Verdict, tally: Any) -> list[Figure]:
    """What a clause is about in one cell."""
    return figures_of(asked.clause, asked.alpha, Subject(asked.cell, asked.cell, 0, 1.0), tally)


def _mixed(figures: Sequence[Figure], weights: Sequence[float]) -> Figure:
    """The weighted mean of what the line-ups show."""
    parts = [(each.value.estimate, each.value.low, each.value.high) for each in figures]
    values = (sum(w * part[k] for w, part in zip(weights, parts, strict=True)) for k in range(3))
    return Figure(figures[0].label, Estimate(*values), any(each.asymptotic for each in figures))


def figures_of(clause: Clause, alpha: float, of: Subject, tally: Any) -> list[Figure]:
    """What a clause is about in what was played."""
    stat = clause.stat
    if stat.kind == "gain":
        return [_gain(clause, alpha, of, tally)]
    columns = seating.column_names(seating.recipe(of.cell))
    if stat.kind == "win_share":
        return _win_shares(clause, alpha, of.cell, tally, len(columns))
    column, label = columns.index(stat.column), title_of(stat)
    if stat.kind == "mean":
        return [_mean(label, tally, column, alpha)]
    if stat.kind == "share":
        share, is_exact = _share(clause, value_in(stat, of.cell), tally, column, alpha)
        return [Figure(label, share, not is_exact)]
    return [_quantile(clause, [(1.0, tally, column)], alpha)]


def _share(clause: Clause, wanted: int, tally: Tally, column: int, alpha: float) -> tuple[Estimate, bool]:
    """Of the plays in which a column is defined (of all plays, if the question is that); whether it is exact.

    A game number with all its rotations is one quantity in [0, 1], unless some of them do not count.
    """
    compared, above = clause.stat.compared, int(tally.above[column + 1, 0])
    asks_defined = wanted >= tally.lowest[column + 1]
    counted = tally.defined(column + 1) if asks_defined else tally.histogram(column + 1)
    defined = sum(counted.values()) + above
    hits = sum(count for value, count in counted.items() if COMPARED[compared](value, wanted))
    hits += above if compared in (">", ">=", "!=") else 0
    units = defined // tally.rotations
    if units == 0:
        return Estimate(nan, 0.0, 1.0), True
    return sequences.share(hits / defined * units, units, alpha), tally.rotations == 1 or defined == tally.plays


def _mean(label: str, tally: Tally, column: int, alpha: float) -> Figure:
    """The mean of a column; one of zeros and ones is a share. Others wait until enough plays are not all alike."""
    seen = tally.defined(column + 1)
    if not tally.lowest[column + 1] and set(seen) <= {0, 1} and sum(seen.values()) == tally.plays:
        return Figure(label, sequences.share(seen.get(1, 0) / tally.rotations, tally.games, alpha), False)
    m, u, uu, um, mm = (int(each) for each in tally.units[column])
    if m == 0:
        return Figure(label, Estimate(nan, -inf, inf), True)
    unlike = m - max(seen.values(), default=0)
    scatter = uu * m * m - 2 * u * um * m + u * u * mm  # times m**2
    deviation = sqrt(scatter / tally.games) / m * tally.games / m if unlike >= UNLIKE * tally.rotations else 0.0
    return Figure(label, sequences.mean(u / m, deviation, tally.games, alpha), True)


def _rank(clause: Clause) -> float:
    """Of a quantile; 0 for everything else."""
    kind = clause.stat.kind
    return 0.5 if kind == "median" else int(kind[1:]) / 100 if kind[1:].isdecimal() else 0.0


def _mixed_quantile(clause: Clause, alpha: float, played: Sequence[Subject], tallies: Sequence[Tally]) -> Figure:
    columns = [seating.column_names(seating.recipe(each.cell)).index(clause.stat.column) for each in played]
    weights = [each.weight for each in played]
    return _quantile(clause, list(zip(weights, tallies, columns, strict=True)), alpha)


def _quantile(clause: Clause, parts: Sequence[tuple[float, Tally, int]], alpha: float) -> Figure:
    """A quantile of what is defined in tallies, mixed by their weights; each tally has this part of the error rate."""
    shares: dict[float, float] = {}
    slack = 0.0
    for weight, tally, column in parts:
        counted: list[tuple[float, int]] = list(tally.defined(column + 1).items())
        if above := int(tally.above[column + 1, 0]):
            counted.append((inf, above))
        plays = sum(count for _, count in counted)
        units = plays // tally.rotations
        look = sequences.look_number(tally.games)
        slack += weight * (sqrt(log(2 * (pi * look) ** 2 / 6 / alpha) / (2 * units)) if units else inf)
        for value, count in counted:
            shares[value] = shares.get(value, 0.0) + weight * (count if len(parts) == 1 else count / plays)
    found = sequences.quantile_within(sorted(shares.items()), _rank(clause), slack)
    if inf in shares:  # all that is known of these values is that they are beyond the histogram
        beyond = min(LOWEST + BINS + int(tally.lowest[column + 1]) for _, tally, column in parts)
        found = Estimate(min(found.estimate, beyond), min(found.low, beyond), found.high)
    return Figure(title_of(clause.stat), found, False)


def _win_shares(clause: Clause, alpha: float, cell: Cell, tally: Tally, columns: int) -> list[Figure]:
    whose = clause.stat.whose

    def share(quantities: list[int], alpha: float) -> Estimate:
        total = sum(int(tally.units[each, 1]) for each in quantities)
        return sequences.share(total / (WIN * tally.rotations * len(quantities)), tally.games, alpha)

    if whose == "any seat":
        each = alpha / cell.seats
        return [Figure(f"win_share[{seat}]", share([columns + seat], each), False) for seat in range(cell.seats)]
    if whose.isdecimal():
        return [Figure(f"win_share[{whose}]", share([columns + int(whose)], alpha), False)]
    entries = [columns + cell.seats + place for place in places_of(whose, clause, cell)]
    return [Figure(f"win_share[{whose}]", share(entries, alpha), False)]


def _gain(clause: Clause, alpha: float, of: Subject, tally: Any) -> Figure:
    pair = of.played
    matches = [matches_of(each) for each in (pair.first, pair.second)]
    found = {each.quantity: each for each in differences(tally, quantities(*matches), paired=True)}
    kind = "entry" if pair.first.rotate_seats else "seat"  # nothing rotates where all play the same in both
    difference = found[f"win_share {kind} {of.place}"]
    half = (difference.high - difference.low) / 2
    deviation = half / student(tally.games - 1) * sqrt(tally.games) if tally.games > 1 else nan
    if deviation == 0:  # nothing varied; but it is between -1 and 1
        known = sequences.share((difference.difference + 1) / 2 * tally.games, tally.games, alpha)
        return Figure(title_of(clause.stat), Estimate(*(2 * end - 1 for end in astuple(known))), False)
    return Figure(title_of(clause.stat), sequences.mean(difference.difference, deviation, tally.games, alpha), True)
