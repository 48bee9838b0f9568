"""What was found of an inverse question (`lab.find`), and its words."""

from dataclasses import dataclass, field
from typing import Any

from lab.find import ABOVE, BELOW, NOT_TOLD, Search, Wanted
from lab.population import Population
from lab.tables import Figure as Shown
from lab.verdicts import NOT_SHOWN, Verdict

FOUND, NONE = "found", "none"
"""Answers of inverse questions, beside NOT_SHOWN."""
SIDES = {ABOVE: "above", BELOW: "not above", NOT_TOLD: "not told"}


@dataclass
class Found:
    """An inverse question and its answer, for one cell or mixture."""

    wanted: Wanted
    population: Population
    alpha: float
    limit: int
    search: Search
    visits: dict[int, Verdict] = field(default_factory=dict)
    """By place among the values, whether the figure there is above the number."""

    @property
    def answer(self) -> str:
        return FOUND if self.search.is_found else NONE if self.search.is_missed else NOT_SHOWN

    @property
    def ends(self) -> tuple[Any, Any]:
        """The values between which it crosses, as far as is known."""
        low, high = self.search.bracket or (0, self.search.size - 1)
        return self.wanted.values[low], self.wanted.values[high]

    @property
    def value(self) -> Any:
        """Of the values that were visited there, the one whose figure is nearest to the number; with fractions, where a
        straight line crosses."""
        if not (bracket := self.search.bracket):
            return None
        inside = [*bracket, *self.search.untold]
        gaps = {place: self.visits[place].figures[0].value.estimate - self.wanted.clause.low for place in inside}
        if not isinstance(self.wanted.values[0], float) or gaps[bracket[0]] == gaps[bracket[1]]:
            return self.wanted.values[min(inside, key=lambda place: abs(gaps[place]))]
        low, high = (self.wanted.values[place] for place in bracket)
        return low + (high - low) * gaps[bracket[0]] / (gaps[bracket[0]] - gaps[bracket[1]])

    def turns(self) -> tuple[Any, Any, Any] | None:
        """Three values, at the second of which the figure is for certain higher, or lower, than at both others."""
        told = [(place, self.visits[place].figures[0].value) for place in sorted(self.visits)]
        for k in range(1, len(told) - 1):
            (_, middle) = told[k]
            for (a, one), (b, other) in ((x, y) for x in told[:k] for y in told[k + 1 :]):
                if middle.low > max(one.high, other.high) or middle.high < min(one.low, other.low):
                    return self.wanted.values[a], self.wanted.values[told[k][0]], self.wanted.values[b]
        return None


def words(found: Found) -> str:
    """The answer of an inverse question, in one sentence."""
    knob, equation = found.wanted.knob, found.wanted.clause.text
    low, high = map(shown, found.ends)
    if found.answer == NONE:
        ends = [found.visits[place].figures[0] for place in (0, found.search.size - 1)]
        figures = " and ".join(
            f"{Shown(figure.value.estimate, figure.value.low, figure.value.high)} at {end}"
            for figure, end in zip(ends, (low, high), strict=True)
        )
        return f"no value of {knob} from {low} to {high} makes {equation}: it is {figures}"
    if found.search.bracket is None:
        return f"it could not be told on which side of it {knob} {low}, or {high}, is"
    if isinstance(found.wanted.values[0], float):
        return f"{knob} {shown(found.value)}, for certain between {low} and {high}"
    between = f"it crosses between {knob} {low} and {high}"
    if found.answer == FOUND:
        return f"{between}; {shown(found.value)} is nearer"
    inside = ", ".join(shown(found.wanted.values[place]) for place in found.search.untold)
    return f"{between}; of {inside} it cannot be told on which side it is"


def course(found: Found) -> str:
    """What the answer rests on: that the figure rises or falls all the way, and what was seen of that."""
    knob, count = found.wanted.knob, len(found.visits)
    if turns := found.turns():
        a, b, c = map(shown, turns)
        return f"it does not rise or fall all the way: see {knob} {a}, {b} and {c}; there may be other such values"
    if found.search.bracket is None and found.answer != NONE:
        return f"with more games (limit) it may be told; both ends of {knob} must be"
    claim = "there is none between them" if found.answer == NONE else "this is the only crossing"
    seen = f"at the {count} values looked at nothing speaks against that"
    return f"{claim} if it rises, or falls, all the way with {knob}; {seen}"


def shown(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
