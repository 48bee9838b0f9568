"""Asking: what a study expects, decided by playing as long as it takes.

    answer = ask(study, folder) -> Answer

Every clause is held against every cell and mixture. One looks at numbers of games that were fixed in advance
(`lab.sequences`), with intervals that hold at all looks at once, and a cell is played until each of its clauses is
decided: **yes** or **no** when the whole interval lies where it should, or where it should not; **not shown** when the
limit is reached before. The error rate of all verdicts together is `ERROR`, divided among clauses, cells, inverse
questions (`lab.find`) and, for `any seat`, seats. What has been decided is kept (`lab.asks`), and so are the games:
where more of a cell have been played than the next look wants, that look is at all of them, which the intervals allow.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import isnan
from pathlib import Path
from typing import Any

from lab import sequences
from lab.asks import FINDS, FINDS_SCHEMA, Memory, figure_row, where_of
from lab.cell import Cell
from lab.comparison import PairStore
from lab.errors import BadInput, Incomplete
from lab.find import ABOVE, BELOW, NOT_TOLD, Search, Wanted, game_of, most_points
from lab.found import FOUND, NONE, SIDES, Found, words
from lab.identity import cell_id
from lab.notes import notes
from lab.population import Population
from lab.runner import Progress, fill
from lab.store import Store, write_rows
from lab.study import Study
from lab.verdicts import (
    DECIDED,
    ERROR,
    LIMIT,
    NO,
    NOT_SHOWN,
    YES,
    Figure,
    Member,
    Verdict,
    hear,
    in_words,
    measure,
    subjects,
)

__all__ = [
    "DECIDED", "ERROR", "FOUND", "LIMIT", "NO", "NONE", "NOT_SHOWN", "YES", "Answer", "Figure", "Found", "Member",
    "Verdict", "ask", "in_words", "measure", "open_questions",
]  # fmt: skip


@dataclass
class Answer:
    """What was asked, and what was found."""

    study: Study
    folder: Path
    verdicts: list[Verdict]
    finds: list[Found] = field(default_factory=list)
    played: int = 0
    seconds: float = 0.0

    @property
    def verdict(self) -> str:
        """Of all together: no if any is no (or no value is found), yes if all are yes (or found)."""
        found = {each.verdict for each in self.verdicts}
        found |= {{FOUND: YES, NONE: NO}.get(each.answer, NOT_SHOWN) for each in self.finds}
        return NO if NO in found else NOT_SHOWN if NOT_SHOWN in found else YES

    def as_json(self) -> dict[str, Any]:
        """For other programs: one entry a clause and cell or mixture, and one an inverse question."""
        return {
            "question": self.study.question, "verdict": self.verdict, "error": ERROR, "plays": self.played,
            "notes": notes(self.study.cells),
            "clauses": [_clause_json(each) for each in self.verdicts],
            "find": [_find_json(each, self.study.varied) for each in self.finds],
        }  # fmt: skip


def _clause_json(each: Verdict) -> dict[str, Any]:
    found = {
        "expected": each.clause.text, "verdict": each.verdict, "cell": cell_id(each.cell),
        "parameters": each.cell.parameters(), "games": each.games, "looks": each.looks, "stopped": each.stopped,
        "figures": [figure_row(figure) for figure in each.figures],
        "what_would_change_it": in_words(each),
    }  # fmt: skip
    if each.mixture:
        found["mixture"] = each.mixture
        found["line_ups"] = [
            {"policies": member.line_up, "weight": member.weight, "verdict": each.judge(member.figures),
             "figures": [figure_row(figure) for figure in member.figures]}
            for member in each.members
        ]  # fmt: skip
    return found


def _find_json(each: Found, varied: tuple[str, ...]) -> dict[str, Any]:
    low, high = each.ends if each.search.bracket else (None, None)
    return {
        "knob": each.wanted.knob, "so_that": each.wanted.clause.text, "answer": each.answer, "value": each.value,
        "low": low, "high": high, "where": where_of(each.population.likeliest, varied, each.population.text),
        "turns_at": each.turns(), "visits": _visits(each),
    }  # fmt: skip


def _visits(each: Found) -> list[dict[str, Any]]:
    return [
        {"value": each.wanted.values[place], "side": SIDES[each.search.sides[place]], "games": visit.games,
         "figure": figure_row(visit.figures[0])}
        for place, visit in sorted(each.visits.items())
    ]  # fmt: skip


def open_questions(study: Study) -> list[Verdict]:
    """Every clause for every cell and mixture of its part that it is about, with its part of the error rate."""
    asked = [
        (population, clause, study.expects[population.part].limit)
        for population in study.populations
        for clause in study.expects[population.part].clauses
        if any(map(clause.is_about, population.cells))
    ]
    alpha = ERROR / max(1, len(asked) + len(_inverse(study)))
    return [Verdict(each.likeliest, clause, alpha, each, limit) for each, clause, limit in asked]


def _inverse(study: Study) -> list[tuple[Population, Wanted, int]]:
    return [
        (population, wanted, study.expects[population.part].limit)
        for population in study.populations
        for wanted in study.expects[population.part].find
        if any(map(wanted.clause.is_about, population.cells))
    ]


def ask(study: Study, folder: Path, *, jobs: int | None = None, progress: Progress | None = None) -> Answer:
    """Play until every clause is decided, or its limit is reached. progress.note tells what it will take."""
    start = time.perf_counter()
    answer = Answer(study, folder, open_questions(study))
    alpha = ERROR / max(1, len(answer.verdicts) + len(_inverse(study)))
    asking = _Asking(answer, jobs, progress or Progress(), start)
    asking.decide(answer.verdicts)
    for population, wanted, limit in _inverse(study):
        found = Found(wanted, population, alpha, limit, Search(len(wanted.values)))
        answer.finds.append(found)
        asking.find(found)
    asking.finish()
    answer.seconds = time.perf_counter() - start
    return answer


class _Asking:
    """One run of `ask`."""

    def __init__(self, answer: Answer, jobs: int | None, progress: Progress, start: float) -> None:
        self.answer, self.jobs, self.progress, self.start = answer, jobs, progress, start
        self.store, self.pairs = Store(answer.folder), PairStore(answer.folder)
        self.store.open()
        self.memory = Memory(answer.folder)
        self.seconds: dict[str, float] = {}

    def decide(self, verdicts: Sequence[Verdict]) -> None:
        """Look, ever later, until nothing is open."""
        for each in verdicts:
            self.memory.recall(each)
        first = True
        while asked := [each for each in verdicts if not each.stopped]:
            games = min(_next_look(each) for each in asked)
            now = [each for each in asked if _next_look(each) == games]
            self._look(now, games)
            self._keep()
            if first and len(verdicts) > 1:
                took = time.perf_counter() - self.start
                self.progress.note(_forecast(verdicts, self.answer.played, took))
            first = False

    def _look(self, asked: Sequence[Verdict], games: int) -> None:
        """Play what is open up to so many games, and decide what can be decided."""
        for where, is_gain in ((self.store, False), (self.pairs, True)):
            mine = [(each, subjects(each, games)) for each in asked if (each.clause.stat.kind == "gain") == is_gain]
            named = {subject.name: subject.played for _, played in mine for subject in played}
            if not named:
                continue
            rows = self._play(where, named)
            for each, played in mine:
                hear(each, played, [where.tally_of(rows[subject.name]) for subject in played])

    def _play(self, where: Store, named: dict[str, Any]) -> dict[str, dict[str, Any]]:
        run = fill(where, named, self.jobs, self.progress)
        self.answer.played += run.played
        for name, seconds in run.seconds.items():
            self.seconds[name] = self.seconds.get(name, 0.0) + seconds
        rows = run.finish()
        if run.failures:
            raise Incomplete("; ".join(run.failures.values()))
        return rows

    def find(self, found: Found) -> None:
        """Visit values until the crossing is known as well as it can be."""
        alpha = found.alpha / most_points(found.search.size)
        while (place := found.search.next()) is not None:
            value = found.wanted.values[place]
            there = found.wanted.at(value, found.population, game_of(found.population))
            visit = Verdict(there.likeliest, found.wanted.clause, alpha, there, found.limit)
            found.visits[place] = visit
            self.decide([visit])
            found.search.sides[place] = {YES: ABOVE, NO: BELOW}.get(visit.verdict, NOT_TOLD)
            shown = visit.figures[0].value.estimate
            if isnan(shown):
                raise BadInput(
                    f"{found.wanted.clause.text}: nothing could be measured where {found.wanted.knob} is {value}"
                )

    def _keep(self) -> None:
        finds = self.answer.finds
        visits = [(found.wanted.knob, visit) for found in finds for visit in found.visits.values()]
        self.memory.keep(self.answer.verdicts, visits, self.answer.study.varied)

    def _varied(self) -> tuple[str, ...]:
        knobs = [found.wanted.knob for found in self.answer.finds]
        return tuple(dict.fromkeys([*self.answer.study.varied, *knobs]))

    def finish(self) -> None:
        """Write what a report needs: the verdicts, the answers, the table of cells, the manifest."""
        self._keep()
        write_rows(self.answer.folder / FINDS, [self._find_row(each) for each in self.answer.finds], FINDS_SCHEMA)
        from lab.sweeping import write_table  # which plays by verdicts

        cells = self._cells()
        rows = self._rows(cells)
        kept = [cell for cell in cells if cell_id(cell) in rows]
        table = [rows[cell_id(cell)] | {"part": cell.part} for cell in kept]
        study = replace(self.answer.study, varied=self._varied())
        write_table(study, self.store, kept, table, self.seconds)

    def _cells(self) -> list[Cell]:
        """The study's cells, and those of inverse questions."""
        visits = [visit for found in self.answer.finds for visit in found.visits.values()]
        cells = [*self.answer.study.cells, *(cell for visit in visits for cell in visit.cells)]
        return list({(cell.part, cell_id(cell)): cell for cell in cells}.values())

    def _rows(self, cells: Sequence[Cell]) -> dict[str, dict[str, Any]]:
        """What has been played of cells. Those of which only gains were asked are played up to the first look."""
        rows = {name: row for name in map(cell_id, cells) if (row := self.store.finished(name))}
        games = {
            cell_id(cell): min(sequences.FIRST_LOOK, each.limit) for each in self.answer.verdicts for cell in each.cells
        }
        lacking = {
            name: replace(cell, games=games[name], keep_games=0)
            for name, cell in ((cell_id(cell), cell) for cell in cells)
            if name in games and name not in rows
        }
        return rows | (self._play(self.store, lacking) if lacking else {})

    def _find_row(self, found: Found) -> dict[str, Any]:
        low, high = found.ends
        value = None if found.value is None else float(found.value)
        visits = [each | {"value": float(each["value"])} for each in _visits(found)]
        return {
            "part": found.population.part, "knob": found.wanted.knob, "so_that": found.wanted.clause.text,
            "level": found.wanted.clause.low, "line_up": found.population.text or found.population.likeliest.line_up,
            "where": where_of(found.population.likeliest, self.answer.study.varied, found.population.text),
            "answer": found.answer, "words": words(found), "value": value, "low": float(low), "high": float(high),
            "visits": visits,
        }  # fmt: skip


def _next_look(asked: Verdict) -> int:
    """The number of games at which one looks next."""
    return next(games for games in sequences.looks(asked.limit) if games > asked.games)


def _forecast(verdicts: Sequence[Verdict], played: int, seconds: float) -> str:
    left = [each for each in verdicts if not each.stopped]
    if not left:
        return "decided at the first look"
    games: dict[int, float] = {}
    for each in left:
        needed = min(each.games_needed(), each.limit) - each.games
        for cell in each.cells:
            games[id(cell)] = max(games.get(id(cell), 0.0), needed)
    total = sum(games.values())
    more = total * seconds / max(1, played)
    time = f"{more / 60:,.0f} minutes" if more >= 120 else f"{more:,.0f} seconds"
    return f"{len(left)} of {len(verdicts)} verdicts are open; about {total:,.0f} more games, {time}"
