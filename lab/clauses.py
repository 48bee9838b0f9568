"""What a study expects, in words: `anyone_exact < 0.1`, `win_share[any seat] within 0.25 +- 0.02`.

    STAT OP NUMBER          OP: <, <=, >, >=
    STAT between A and B
    STAT within X +- Y      (or ±)

    STAT: COLUMN (its mean) | median(COLUMN) | p90(COLUMN) | share(COLUMN OP NUMBER) | share(COLUMN = LABEL)
          | ending[NAME] | win_share[SEAT] | win_share[POLICY] | win_share[any seat] | gain(P over Q)

`win_share[POLICY]` is the share of wins of a seat that plays it; with `any seat` the clause must hold for every seat.
`gain(P over Q)` is what one seat's share of wins changes by when it plays P instead of Q and all others stay, on the
same luck, averaged over seats. `ending[NAME]` is the share of games that ended so. A number may be a percentage.
"""

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf, isfinite
from pathlib import Path
from typing import Any

from lab import catalogue
from lab.cell import Cell, Entry
from lab.errors import unknown
from lab.lineup import FILL, read_entry
from lab.tally import BINS, LOWEST
from sims.core.document import Given
from sims.core.game import Column

NUMBER = r"[+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*%?"
REGIONS = (
    re.compile(rf"(?P<stat>.+?)\s*(?P<op><=|>=|<|>)\s*(?P<number>{NUMBER})"),
    re.compile(rf"(?P<stat>.+?)\s+between\s+(?P<low>{NUMBER})\s+and\s+(?P<high>{NUMBER})"),
    re.compile(rf"(?P<stat>.+?)\s+within\s+(?P<middle>{NUMBER})\s*(?:\+-|\+/-|±)\s*(?P<half>{NUMBER})"),
)
STATS = (
    re.compile(r"(?P<kind>win_share)\s*\[\s*(?P<whose>.+?)\s*\]"),
    re.compile(r"(?P<column>ending)\s*\[\s*(?P<label>.+?)\s*\]"),
    re.compile(r"(?P<kind>median|p\d{1,2})\s*\(\s*(?P<column>\w+)\s*\)"),
    re.compile(r"(?P<kind>share)\s*\(\s*(?P<column>\w+)\s*(?P<op><=|>=|==|=|!=|<|>)\s*(?P<value>-?\d+)\s*\)"),
    re.compile(r"(?P<kind>share)\s*\(\s*(?P<column>\w+)\s*(?P<op>==|=|!=)\s*(?P<label>.+?)\s*\)"),
    re.compile(r"(?P<kind>gain)\s*\(\s*(?P<policy>.+?)\s+over\s+(?P<base>.+?)\s*\)"),
    re.compile(r"(?P<column>\w+)"),
)
COMPARED: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
    "=": operator.eq, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip
EQUATION = re.compile(rf"(?P<stat>.+?)\s*(?<![<>!=])==?\s*(?P<number>{NUMBER})")
GRAMMAR = "write STAT < NUMBER (or <=, >, >=), STAT between A and B, or STAT within X +- Y"


@dataclass(frozen=True)
class Stat:
    """What is measured. kind: mean, median, pNN, share, win_share or gain."""

    kind: str
    column: str = ""
    compared: str = ""
    """share: the operator, and `value` or `label`."""
    value: int = 0
    label: str = ""
    """share: of a category, the name of a value."""
    whose: str = ""
    """win_share: a seat's number, a policy's title, or `any seat`. gain: the policy."""
    base: str = ""
    """gain: over which policy."""


@dataclass(frozen=True)
class Clause:
    """An expectation: a stat, and where it should lie."""

    text: str
    stat: Stat
    low: float
    high: float
    strict: bool
    """Whether the edge itself is outside: for < and >."""
    given: Given
    folder: Path
    """Where the study is, from where files of policies are looked for."""

    def is_about(self, cell: Cell) -> bool:
        """Whether the policy whose wins it is about, if it is about one, has a seat there."""
        policy = self.stat.base if self.stat.kind == "gain" else self.stat.whose
        if self.stat.kind not in ("gain", "win_share") or policy == "any seat" or policy.isdecimal():
            return True
        return bool(find_places(policy, self, cell))

    def is_met_by(self, low: float, high: float) -> bool | None:
        """Whether a stat between these lies where it should: for certain, certainly not, or not known yet."""
        if self._holds(low) and self._holds(high):
            return True
        beyond = (high <= self.low or low >= self.high) if self.strict else (high < self.low or low > self.high)
        return False if beyond else None

    def _holds(self, value: float) -> bool:
        return self.low < value < self.high if self.strict else self.low <= value <= self.high


def read_clause(given: Given, folder: Path = Path()) -> Clause:
    """A clause from what stands in a study."""
    if not isinstance(given.value, str):
        raise given.wrong(f"is not an expectation; {GRAMMAR}")
    text = given.value.strip()
    found = _first(REGIONS, text)
    if not found:
        raise given.wrong(f"is not an expectation; {GRAMMAR}")
    low, high = _region(found)
    if low > high:
        raise given.wrong("expects nothing: the lower bound is above the upper one")
    if not (isfinite(low) or isfinite(high)):
        raise given.wrong("has a number that is too large")
    return Clause(text, _stat(found["stat"], given), low, high, found.get("op") in ("<", ">"), given, folder)


def _first(patterns: tuple[re.Pattern[str], ...], text: str) -> dict[str, str]:
    """The groups of the first pattern that is the whole text; none if there is none."""
    return next((match.groupdict() for pattern in patterns if (match := pattern.fullmatch(text))), {})


def _region(found: dict[str, str]) -> tuple[float, float]:
    if "op" in found:
        number = _number(found["number"])
        return (-inf, number) if found["op"].startswith("<") else (number, inf)
    if "low" in found:
        return _number(found["low"]), _number(found["high"])
    middle, half = _number(found["middle"]), _number(found["half"])
    return middle - half, middle + half


def _number(text: str) -> float:
    plain = text.replace("_", "").strip()
    return float(plain.removesuffix("%")) / 100 if plain.endswith("%") else float(plain)


def _stat(text: str, given: Given) -> Stat:
    found = _first(STATS, text.strip())
    if not found:
        raise given.wrong("does not begin with something that can be measured: a column, median(...), p90(...), "
                          "share(...), ending[...], win_share[...] or gain(... over ...)")  # fmt: skip
    kind = found.get("kind") or "mean"
    if found.get("label"):
        return Stat("share", found["column"], found.get("op") or "=", label=found["label"])
    if kind == "gain" and found["policy"] == found["base"]:
        raise given.wrong("names one policy twice, which gains nothing over itself")
    if kind == "gain":
        return Stat(kind, whose=found["policy"], base=found["base"])
    if kind == "win_share":
        return Stat(kind, whose=found["whose"])
    if kind[0] == "p" and kind[1:].isdecimal() and int(kind[1:]) == 0:
        raise given.wrong("asks for p0; quantiles are p1 to p99")
    value = int(found["value"]) if kind == "share" else 0
    return Stat(kind, found["column"], found.get("op") or "", value)


def read_equation(given: Given, folder: Path = Path()) -> Clause:
    """`STAT = NUMBER` as the clause that the stat is above the number."""
    found = EQUATION.fullmatch(given.value.strip()) if isinstance(given.value, str) else None
    if not found:
        raise given.wrong("is not an equation; write STAT = NUMBER")
    number = _number(found["number"])
    if not isfinite(number):
        raise given.wrong("has a number that is too large")
    return Clause(given.value.strip(), _stat(found["stat"], given), number, inf, True, given, folder)


def check(clause: Clause, cell: Cell, columns: tuple[str, ...]) -> None:
    """Raise `BadInput` if a cell has nothing of what a clause measures."""
    stat, given = clause.stat, clause.given
    if stat.column and stat.column not in columns:
        raise given.error(unknown("a results column", stat.column, columns))
    if stat.column:
        column = _column(stat.column, cell)
        _check_category(clause, column)
        if stat.kind == "share" and not stat.label:
            _check_value(clause, column)
    if stat.kind == "win_share" and stat.whose != "any seat":
        if stat.whose.isdecimal() and int(stat.whose) >= cell.seats:
            raise given.error(f"names seat {stat.whose} of {cell.seats} (0 to {cell.seats - 1})")
        if not stat.whose.isdecimal():
            places_of(stat.whose, clause, cell)
    if stat.kind == "gain":
        entry_of(stat.whose, clause, cell.game)
        places_of(stat.base, clause, cell)


def labels_of(column: str, cell: Cell) -> tuple[str, ...]:
    """The names of a category's values; none for other columns."""
    return _column(column, cell).labels


def _column(name: str, cell: Cell) -> Column:
    columns = catalogue.game(cell.game).columns(cell.seats, cell.knobs)
    return next(each for each in columns if each.name == name)


def _check_value(clause: Clause, column: Column) -> None:
    """A share is of values in the histogram, or of plays in which the column is not defined."""
    value, last = clause.stat.value, column.lowest + LOWEST + BINS - 1
    is_equation = clause.stat.compared in ("=", "==", "!=")
    if not (column.lowest <= value <= last or (value == column.undefined and is_equation)):
        raise clause.given.wrong(
            f"compares with {value}; a share is of values {column.lowest} to {last:,}, or = {column.undefined}: not "
            "defined"
        )


def _check_category(clause: Clause, column: Column) -> None:
    """Names are of categories, and categories have shares alone."""
    stat, given, labels = clause.stat, clause.given, column.labels
    if stat.label and not labels:
        raise given.error(f"names {stat.label[:80]!r}, but the values of {stat.column} are numbers without names")
    if stat.label and stat.label not in labels:
        raise given.error(unknown(f"a value of {stat.column}", stat.label, labels))
    if labels and stat.kind != "share":
        how = f"{stat.column}[NAME]" if stat.column == "ending" else f"share({stat.column} = NAME)"
        raise given.error(f"{stat.column} is a category, which has no {stat.kind}; write {how} ({', '.join(labels)})")


def value_in(stat: Stat, cell: Cell) -> int:
    """What a share's values are compared with, in this cell."""
    return labels_of(stat.column, cell).index(stat.label) if stat.label else stat.value


def title_of(stat: Stat) -> str:
    """A stat as one would write it."""
    if stat.kind == "share" and stat.column == "ending" and stat.label:
        return f"ending[{stat.label}]" if stat.compared == "=" else f"share(ending {stat.compared} {stat.label})"
    if stat.kind == "share":
        return f"share({stat.column} {stat.compared} {stat.label or stat.value})"
    if stat.kind == "win_share":
        return f"win_share[{stat.whose}]"
    if stat.kind == "gain":
        return f"gain({stat.whose} over {stat.base})"
    return f"mean {stat.column}" if stat.kind == "mean" else f"{stat.kind}({stat.column})"


def places_of(policy: str, clause: Clause, cell: Cell) -> list[int]:
    """Where a policy stands in the line-up of a cell; `BadInput` if it does not."""
    found = find_places(policy, clause, cell)
    if not found:
        raise clause.given.error(unknown("a policy of any line-up of the study", policy, cell.titles))
    return found


def find_places(policy: str, clause: Clause, cell: Cell) -> list[int]:
    """Where a policy stands in the line-up of a cell."""
    found = [place for place, title in enumerate(cell.titles) if title == policy]
    if not found and ".py:" in policy:  # a file may be named from elsewhere
        found = [place for place, entry in enumerate(cell.lineup) if entry == entry_of(policy, clause, cell.game)]
    return found


def entry_of(policy: str, clause: Clause, game: str) -> Entry:
    """The policy that a clause names, with its weights."""
    if policy.endswith(FILL):
        raise clause.given.error(f"names {policy}; a clause is about one policy, without {FILL}")
    return read_entry(catalogue.game(game), replace(clause.given, value=policy), clause.folder)
