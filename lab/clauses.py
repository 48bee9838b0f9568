"""What a study expects, in words: `anyone_exact < 0.1`, `win_share[any seat] within 0.25 +- 0.02`.

    STAT OP NUMBER          OP: <, <=, >, >=
    STAT between A and B
    STAT within X +- Y      (or ±)

    STAT: COLUMN (its mean) | median(COLUMN) | p90(COLUMN) | share(COLUMN OP NUMBER)
          | win_share[SEAT] | win_share[POLICY] | win_share[any seat] | gain(P over Q)

`win_share[POLICY]` is the share of wins of a seat that plays it; with `any seat` the clause must hold for every seat.
`gain(P over Q)` is what one seat's share of wins changes by when it plays P instead of Q and all others stay, on the
same luck, averaged over seats. A number may be a percentage.
"""

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path
from typing import Any

from lab import catalogue
from lab.cell import Cell, Entry
from lab.document import Given
from lab.errors import unknown
from lab.lineup import read_lineups

NUMBER = r"[+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*%?"
REGIONS = (
    re.compile(rf"(?P<stat>.+?)\s*(?P<op><=|>=|<|>)\s*(?P<number>{NUMBER})"),
    re.compile(rf"(?P<stat>.+?)\s+between\s+(?P<low>{NUMBER})\s+and\s+(?P<high>{NUMBER})"),
    re.compile(rf"(?P<stat>.+?)\s+within\s+(?P<middle>{NUMBER})\s*(?:\+-|\+/-|±)\s*(?P<half>{NUMBER})"),
)
STATS = (
    re.compile(r"(?P<kind>win_share)\s*\[\s*(?P<whose>.+?)\s*\]"),
    re.compile(r"(?P<kind>median|p\d{1,2})\s*\(\s*(?P<column>\w+)\s*\)"),
    re.compile(r"(?P<kind>share)\s*\(\s*(?P<column>\w+)\s*(?P<op><=|>=|==|=|!=|<|>)\s*(?P<value>-?\d+)\s*\)"),
    re.compile(r"(?P<kind>gain)\s*\(\s*(?P<policy>.+?)\s+over\s+(?P<base>.+?)\s*\)"),
    re.compile(r"(?P<column>\w+)"),
)
COMPARED: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
    "=": operator.eq, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip
GRAMMAR = "write STAT < NUMBER (or <=, >, >=), STAT between A and B, or STAT within X +- Y"


@dataclass(frozen=True)
class Stat:
    """What is measured. kind: mean, median, pNN, share, win_share or gain."""

    kind: str
    column: str = ""
    compared: str = ""
    """share: the operator, and `value`."""
    value: int = 0
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
    given: Given

    def is_met_by(self, low: float, high: float) -> bool | None:
        """Whether a stat between these lies where it should: for certain, certainly not, or not known yet."""
        if self.low <= low and high <= self.high:
            return True
        if high < self.low or low > self.high:
            return False
        return None


def read_clause(given: Given) -> Clause:
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
    return Clause(text, _stat(found["stat"], given), low, high, given)


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
                          "share(...), win_share[...] or gain(... over ...)")  # fmt: skip
    kind = found.get("kind") or "mean"
    if kind == "gain":
        return Stat(kind, whose=found["policy"], base=found["base"])
    if kind == "win_share":
        return Stat(kind, whose=found["whose"])
    value = int(found["value"]) if kind == "share" else 0
    return Stat(kind, found["column"], found.get("op") or "", value)


def check(clause: Clause, cell: Cell, columns: tuple[str, ...]) -> None:
    """Raise `BadInput` if a cell has nothing of what a clause measures."""
    stat, given = clause.stat, clause.given
    if stat.column and stat.column not in columns:
        raise given.error(unknown("a results column", stat.column, columns))
    if stat.kind == "win_share" and stat.whose != "any seat":
        if stat.whose.isdecimal() and int(stat.whose) >= cell.seats:
            raise given.error(f"names seat {stat.whose} of {cell.seats} (0 to {cell.seats - 1})")
        if not stat.whose.isdecimal() and stat.whose not in cell.titles:
            raise given.error(unknown("a policy of every line-up of the study", stat.whose, cell.titles))
    if stat.kind == "gain":
        entry_of(clause, cell.game)
        if stat.base not in cell.titles:
            raise given.error(unknown("a policy of every line-up of the study", stat.base, cell.titles))


def entry_of(clause: Clause, game: str) -> Entry:
    """The policy that a clause on a gain names."""
    [lineup] = read_lineups(catalogue.game(game), replace(clause.given, value=clause.stat.whose), Path())
    return lineup.entries[0]
