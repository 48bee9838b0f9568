"""The memory of `lab ask`: asks.parquet, one row a verdict, and finds.parquet, one row an inverse question.

A verdict that has been reached stays as it is, figures included, though more games may have been played since: the same
question of the same cells at the same error rate is answered from here. What is open goes on after the games at which
one looked last.
"""

import hashlib
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pyarrow as pa

from lab import tables
from lab.cell import Cell
from lab.errors import BadInput
from lab.estimate import Estimate
from lab.identity import cell_id
from lab.store import read_rows, write_rows
from lab.verdicts import DECIDED, LIMIT, Figure, Member, Verdict, in_words, subjects

JUDGED = 1
"""Rises when the same games would be judged otherwise than before."""
TABLE, FINDS = "asks.parquet", "finds.parquet"
_FIGURE = pa.struct([
    ("figure", pa.string()), ("estimate", pa.float64()), ("low", pa.float64()), ("high", pa.float64()),
    ("asymptotic", pa.bool_()),
])  # fmt: skip
SCHEMA = pa.schema([
    ("question", pa.string()), ("part", pa.string()), ("expected", pa.string()), ("cell", pa.string()),
    ("line_up", pa.string()), ("where", pa.string()), ("parameters", pa.string()), ("alpha", pa.float64()),
    ("limit", pa.int64()), ("games", pa.int64()), ("looks", pa.int64()), ("verdict", pa.string()),
    ("stopped", pa.string()), ("low", pa.float64()), ("high", pa.float64()), ("figures", pa.list_(_FIGURE)),
    ("members", pa.list_(pa.struct([
        ("line_up", pa.string()), ("weight", pa.float64()), ("verdict", pa.string()), ("figures", pa.list_(_FIGURE)),
    ]))),
    ("what_would_change_it", pa.string()), ("visit", pa.bool_()),
])  # fmt: skip
"""The schema of asks.parquet. question: identity of clause, cells and error rate. where: what tells the cell from the
others of the study. low, high: where the figure should lie. members: the line-ups of a mixture. stopped: decided,
limit, or empty while it is open. visit: whether this is a value that an inverse question looked at."""
FINDS_SCHEMA = pa.schema([
    ("part", pa.string()), ("knob", pa.string()), ("so_that", pa.string()), ("level", pa.float64()),
    ("line_up", pa.string()), ("where", pa.string()), ("answer", pa.string()), ("words", pa.string()),
    ("value", pa.float64()), ("low", pa.float64()), ("high", pa.float64()),
    ("visits", pa.list_(pa.struct([
        ("value", pa.float64()), ("side", pa.string()), ("games", pa.int64()), ("figure", _FIGURE),
    ]))),
])  # fmt: skip
"""The schema of finds.parquet. value, low, high: of the knob; visits: the values that were looked at."""


def question_of(asked: Verdict) -> str:
    """Identity of what is asked: 16 hex digits."""
    played = [(each.name, each.weight) for each in subjects(asked, 1)]
    clause = asked.clause
    facts = [JUDGED, played, str(clause.stat), clause.low, clause.high, clause.strict, asked.alpha]
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:16]


class Memory:
    """The verdicts of a folder."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / TABLE
        self.rows: dict[str, dict[str, Any]] = {}
        self.names: dict[int, str] = {}
        if self.path.is_file():
            try:
                self.rows = {row["question"]: row for row in read_rows(self.path)}
            except (pa.ArrowException, OSError, KeyError) as error:
                raise BadInput(f"{self.path} cannot be read: {' '.join(str(error).split())[:120]}") from error

    def recall(self, asked: Verdict) -> None:
        """Take over what is known of a verdict."""
        if not (row := self.rows.get(self._question(asked))):
            return
        asked.figures = [_figure(each) for each in row["figures"]]
        asked.members = [
            Member(each["line_up"], each["weight"], tuple(map(_figure, each["figures"]))) for each in row["members"]
        ]
        asked.games, asked.looks, asked.verdict = row["games"], row["looks"], row["verdict"]
        asked.stopped = DECIDED if asked.is_decided else LIMIT if asked.games >= asked.limit else ""

    def keep(self, verdicts: list[Verdict], visits: list[tuple[str, Verdict]], varied: tuple[str, ...]) -> None:
        """Write these verdicts, in this order, and no others. visits: those of inverse questions, with their knobs."""
        rows = [_row(self._question(each), each, varied, False) for each in verdicts if each.looks]
        rows += [_row(self._question(each), each, (*varied, knob), True) for knob, each in visits if each.looks]
        self.rows |= {row["question"]: row for row in rows}
        write_rows(self.path, rows, SCHEMA)

    def _question(self, asked: Verdict) -> str:
        if id(asked) not in self.names:
            self.names[id(asked)] = question_of(asked)
        return self.names[id(asked)]


def _figure(row: dict[str, Any]) -> Figure:
    return Figure(row["figure"], Estimate(row["estimate"], row["low"], row["high"]), row["asymptotic"])


def figure_row(figure: Figure) -> dict[str, Any]:
    return {"figure": figure.label, "asymptotic": figure.asymptotic} | asdict(figure.value)


def where_of(cell: Cell, varied: tuple[str, ...], mixture: str = "") -> str:
    """What tells a cell, or a mixture, from the others of its study: `seats 3, policies keep ×3`."""
    found = tables.varied_of(cell, varied)
    if mixture:
        found = {name: value for name, value in found.items() if name not in ("policies", "rotate_seats")}
        found["policies"] = mixture
    return ", ".join(f"{name} {value}" for name, value in found.items())


def _row(name: str, asked: Verdict, varied: tuple[str, ...], is_visit: bool) -> dict[str, Any]:
    return {
        "question": name, "part": asked.cell.part, "expected": asked.clause.text, "cell": cell_id(asked.cell),
        "line_up": asked.mixture or asked.cell.line_up, "where": where_of(asked.cell, varied, asked.mixture),
        "parameters": json.dumps(asked.cell.parameters()), "alpha": asked.alpha, "limit": asked.limit,
        "games": asked.games, "looks": asked.looks, "verdict": asked.verdict, "stopped": asked.stopped,
        "low": asked.clause.low, "high": asked.clause.high, "figures": [figure_row(each) for each in asked.figures],
        "members": [
            {"line_up": each.line_up, "weight": each.weight, "verdict": asked.judge(each.figures),
             "figures": [figure_row(figure) for figure in each.figures]}
            for each in asked.members
        ],
        "what_would_change_it": in_words(asked), "visit": is_visit,
    }  # fmt: skip
