"""The page that `lab ask` prints: the answer first, then what it rests on."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from lab.ask import Answer
from lab.asks import where_of
from lab.found import FOUND, SIDES, Found, course, shown, words
from lab.notes import notes
from lab.tables import Figure as Shown
from lab.telling import command, telling_games
from lab.verdicts import ERROR, LIMIT, NO, NOT_SHOWN, YES, Figure, Verdict, in_words

INDENT = 10
MOST_WHERE = 8
"""Cells are listed by verdict up to so many."""


class Line(NamedTuple):
    """A line of the page."""

    text: str = ""
    style: str = ""
    indent: int = 0
    is_command: bool = False
    """Never broken, so that one may copy it."""


def page(answer: Answer) -> list[Line]:
    """What was asked and what was found, in lines."""
    return [*_head(answer), *_clauses(answer), *_finds(answer), *_games(answer), *_foot(answer)]


def _head(answer: Answer) -> Iterator[Line]:
    yield Line(answer.study.question or f"What {answer.study.name} expects", "bold")
    counts = []
    if answer.verdicts:
        met = sum(each.verdict == YES for each in answer.verdicts)
        counts.append(f"{met} of {len(answer.verdicts)} verdicts are yes")
    if answer.finds:
        found = sum(each.answer == FOUND for each in answer.finds)
        counts.append(f"{found} of {len(answer.finds)} values are found")
    yield Line(f"{answer.verdict}: {'; '.join(counts)}", "bold")


# Clauses


def _clauses(answer: Answer) -> Iterator[Line]:
    by_clause: dict[tuple[str, str], list[Verdict]] = {}
    for each in answer.verdicts:
        by_clause.setdefault((each.cell.part, each.clause.text), []).append(each)
    for (part, text), asked in by_clause.items():
        yield Line()
        if len(asked) > 1:
            yield Line(f"{part}: {text}" if part else text, "bold")
            yield from _held(asked, answer.study.varied)
        for each in asked:
            yield from _verdict(each, text if len(asked) == 1 else "", answer.study.varied)


def _held(asked: Sequence[Verdict], varied: tuple[str, ...]) -> Iterator[Line]:
    """Over which cells a verdict holds."""
    for verdict in (YES, NO, NOT_SHOWN):
        where = [where_of(each.cell, varied, each.mixture) for each in asked if each.verdict == verdict]
        if where:
            named = "; ".join(f"[{each.removeprefix('policies ')}]" for each in where[:MOST_WHERE])
            more = f" and {len(where) - MOST_WHERE} more" if len(where) > MOST_WHERE else ""
            yield Line(f"{verdict} in {len(where)} of {len(asked)}: {named}{more}", "", 2)


def _verdict(each: Verdict, text: str, varied: tuple[str, ...]) -> Iterator[Line]:
    where = where_of(each.cell, varied, each.mixture)
    yield Line(f"{each.verdict:9s} {text or where}")
    if text and where:
        yield Line(f"in {where}", "dim", INDENT)
    for figure in each.figures:
        yield Line(f"{_figure(figure)} after {each.games:,} games ({_kind(figure)})", "dim", INDENT)
    if each.members:
        yield Line(f"of {len(each.members)} line-ups, all seats rotated:", "dim", INDENT)
    for member in each.members:
        shown = ", ".join(_figure(figure) for figure in member.figures)
        chance = f"{member.weight:.1%}".replace("%", " %")
        yield Line(f"{each.judge(member.figures):9s} [{member.line_up}] ({chance}): {shown}", "dim", INDENT + 2)
    yield Line(in_words(each) + ("; the limit is reached" if each.stopped == LIMIT else ""), "dim", INDENT)


def _figure(figure: Figure) -> str:
    return f"{figure.label} is {Shown(figure.value.estimate, figure.value.low, figure.value.high)}"


def _kind(figure: Figure) -> str:
    return "asymptotic" if figure.asymptotic else "exact"


# Inverse questions


def _finds(answer: Answer) -> Iterator[Line]:
    for each in answer.finds:
        yield Line()
        where = where_of(each.population.likeliest, answer.study.varied, each.population.text)
        yield Line(f"{each.answer:9s} {each.wanted.knob} so that {each.wanted.clause.text}")
        if where:
            yield Line(f"in {where}", "dim", INDENT)
        yield Line(words(each), "bold", INDENT)
        for place, visit in sorted(each.visits.items()):
            side = SIDES[each.search.sides[place]]
            figure = visit.figures[0]
            games = f"after {visit.games:,} games ({_kind(figure)})"
            yield Line(
                f"{side:9s} {each.wanted.knob} {shown(each.wanted.values[place])}: {_figure(figure)} {games}",
                "dim",
                INDENT,
            )
        yield Line(course(each), "dim", INDENT)


# What else


def _games(answer: Answer) -> Iterator[Line]:
    """The most telling games, of the first verdict that makes the answer what it is."""
    visits = [visit for found in answer.finds for visit in _decisive_visits(found)]
    decisive = next((each for each in answer.verdicts if each.verdict == answer.verdict), None)
    chosen = decisive or next(iter([*visits, *answer.verdicts]), None)
    if chosen is None or not (games := telling_games(chosen)):
        return
    yield Line()
    yield Line(f"games to look at, for {chosen.clause.text}:")
    for told in games:
        yield Line(f"{command(told, answer.study)}   # {told.why}", "", 2, is_command=True)


def _decisive_visits(found: Found) -> list[Verdict]:
    """The values at which it crosses."""
    bracket = found.search.bracket or (0,)
    return [found.visits[place] for place in bracket if place in found.visits]


def _foot(answer: Answer) -> Iterator[Line]:
    yield Line()
    yield Line(
        "± half-width of an interval that holds at all looks at once; all that is told here is wrong at most "
        f"{ERROR:.0%} of the time (asymptotic: for many games); {answer.played:,} plays in {answer.seconds:.1f} s; "
        f"kept in {answer.folder}", "dim",
    )  # fmt: skip
    yield from map(Line, notes(answer.study.cells))
