"""Reports: what notebooks say, draw and list of stored results, and the page that is made of them.

    report("results/study") -> Path     runs a notebook on the results and writes one self-contained page (`lab report`)

A notebook of one's own begins like this, and takes what it wants of the sections below; each works for any game:

    import lab
    from lab import figures, report, results

    r = lab.load("study")
    report.heading(r), report.verdicts(r), report.sensitivity(r), report.answer(r)
    report.who_wins(r.part("a")), report.what_moves(r.part("a"))
    report.balance(r)
    report.cell_table(r), report.method(r), report.checks(r), report.replay(r), report.versions(r)

- `page`: which notebook, run where, and how it becomes a page
- `generic`: answer, pictures and tables for any game, from what `findings` finds
- `asked`: what `lab ask` and `lab sense` found
- `facts`: method, self-checks, commands, versions and hashes
- `measured`: measures of balance and winning-chance curves, where `lab balance` has written some
- `output`: one picture, one table, one figure in words
- `bar`: progress, in a terminal and in notebooks
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from lab.report.page import NotForThese, needs, report

if TYPE_CHECKING:
    from lab.report.asked import sensitivity, verdicts
    from lab.report.facts import checks, method, replay, versions
    from lab.report.generic import answer, cell_table, draw, heading, what_moves, who_wins
    from lab.report.measured import balance
    from lab.report.output import listed, percent, plus_minus, points, safe, say, show, table

HOMES = {
    "asked": ("sensitivity", "verdicts"),
    "facts": ("checks", "method", "replay", "versions"),
    "generic": ("answer", "cell_table", "draw", "heading", "what_moves", "who_wins"),
    "measured": ("balance",),
    "output": ("listed", "percent", "plus_minus", "points", "safe", "say", "show", "table"),
}
"""Where the sections are, which bring pandas; making a page needs none of them in this process."""

__all__ = [
    "NotForThese", "answer", "balance", "cell_table", "checks", "draw", "heading", "listed", "method", "needs",
    "percent", "plus_minus", "points", "replay", "report", "safe", "say", "sensitivity", "show", "table",
    "verdicts", "versions", "what_moves", "who_wins",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    for home, names in HOMES.items():
        if name in names:
            return getattr(import_module(f"lab.report.{home}"), name)
    raise AttributeError(f"module 'lab.report' has no attribute {name!r}")
