"""Measures of balance: what each is, who thought of it, and its value in every game. Each is defined here and nowhere
else; `lab.balancing` averages them, with intervals.
"""

from dataclasses import dataclass

import numpy as np

from lab.curve import Floats, Layout, Whole
from lab.traces import Trace

DECIDED = 0.9
"""From this chance on a game counts as decided."""
FAR_BEHIND = 0.5
"""A winner has come back if its chance was ever below this part of what it began with."""

ELY = "Ely, Frankel and Kamenica, Suspense and Surprise (2015)"
BROWNE = "Browne, Automatic Generation and Evaluation of Recombination Games (2008)"
ALTHOFER = "Althöfer, Computer-Aided Game Inventing (2003)"
DUERSCH = "Duersch, Lambrecht and Oechssler, Measuring skill and chance in games (2020)"
SEARLE = "Searle, Casella and McCulloch, Variance Components (1992)"
BRIER = "Brier, Verification of forecasts expressed in terms of probability (1950)"
GOOD = "Good, Rational decisions (1952)"
ZINKEVICH = "Zinkevich et al., Optimal unbiased estimators for evaluating agent performance (2006)"


@dataclass(frozen=True)
class Measure:
    """One measure."""

    name: str
    unit: str
    """"share" for what lies between 0 and 1."""
    help: str
    source: str = ""


ALL = {
    each.name: each
    for each in (
        Measure("win share", "share", "Share of wins, shared wins in equal parts."),
        Measure("win share, adjusted", "share", "Share of wins less what luck gave (control variate).", ZINKEVICH),
        Measure("worth of adjusting", "times", "Variance of the plain share over that of the adjusted one.", ZINKEVICH),
        Measure("seat advantage", "points", "Share of wins of a seat, less a fair share."),
        Measure("starting advantage", "points", "Share of wins by order of play, less a fair share."),
        Measure("game length", "turns", "Turns of a game."),
        Measure("closeness", "leading figure", "Gap between the first two at the end, in the leading figure."),
        Measure("lead changes", "changes", "Times that another than the last strict leader takes the lead.", ALTHOFER),
        Measure("surprise", "chances", "Winning chance that changes hands in a game, added up over its turns.", ELY),
        Measure("drama", "share", "How far the winner's chance is below the best, mean over the turns.", BROWNE),
        Measure("comebacks", "share", f"Wins by who fell below {FAR_BEHIND:g} of its chance at the start.", BROWNE),
        Measure("decided at", "share", f"Part of the game played when the winner passes {DECIDED:g} for good.", BROWNE),
        Measure("runaway leader", "share", "Whoever leads strictly at half of the turns wins.", ALTHOFER),
        Measure("runaway gain", "points", "That, less what this leader's chance was before the first turn.", ALTHOFER),
        Measure("policy in the outcome", "share", "Variance of who wins: between the policies.", SEARLE),
        Measure("seat in the outcome", "share", "Variance of who wins: between the seats.", SEARLE),
        Measure("luck in the outcome", "share", "Variance of who wins: the seat that the luck favours.", SEARLE),
        Measure("rest of the outcome", "share", "Variance of who wins: what is left.", SEARLE),
        Measure("policy span", "points", "Share of wins of who is best in other games, less the worst.", DUERSCH),
        Measure("seed span", "points", "Standard deviation of one policy's share of wins over game numbers.", DUERSCH),
        Measure("Brier score", "score", "Squared error of the chances, over the seats; less is better.", BRIER),
        Measure("Brier skill", "share", "Part of the Brier score of constant chances that the curve saves.", BRIER),
        Measure("log score", "score", "-log of the chance of who won; less is better.", GOOD),
        Measure("log skill", "share", "Part of the log score of constant chances that the curve saves.", GOOD),
        Measure("option use", "share", "How often a policy chooses it, of its decisions of that kind."),
    )
}  # fmt: skip


@dataclass(frozen=True)
class Course:
    """The curves of the games of a trace: after each turn, who has which chance. The last row of a game is who won."""

    trace: Trace
    after: Floats
    """[row, seat]"""
    before: Floats
    """[row, seat] of the turn before; at first what was known before the first turn."""
    prior: Floats
    """[seat]"""

    @property
    def begins(self) -> Whole:
        """[game that has turns] its first row."""
        return np.flatnonzero(self.trace.turn == 1)

    @property
    def lengths(self) -> Whole:
        """[game] its turns."""
        return np.bincount(self.trace.game, minlength=len(self.trace.won))

    @property
    def winner(self) -> Whole:
        """[game] who won alone, -1 for nobody."""
        won = self.trace.won
        return np.where(won.max(axis=1) == 1, won.argmax(axis=1), -1)


def course(trace: Trace, chances: Floats, prior: Floats) -> Course:
    """chances: [row, seat] by the curve."""
    after = np.where(trace.last[:, None], trace.won[trace.game], chances)
    before = np.roll(after, 1, axis=0)
    before[trace.turn == 1] = prior
    return Course(trace, after, before, prior)


def per_game(of: Course, layout: Layout) -> dict[str, Floats]:
    """The value of each measure in each game, nan where it is not defined."""
    trace, lengths = of.trace, of.lengths
    games, row_winner = len(trace.won), of.winner[trace.game]
    going_on = ~trace.last & (row_winner >= 0)
    own = np.where(row_winner >= 0, np.take_along_axis(of.after, np.maximum(row_winner, 0)[:, None], axis=1)[:, 0], 0)
    has = lengths > 0
    found: dict[str, Floats] = {"game length": np.where(has, lengths.astype(float), np.nan)}
    moved = of.after - of.before
    hands = 0.5 * (np.abs(moved).sum(axis=1) + np.abs(moved.sum(axis=1)))  # nobody's, too
    found["surprise"] = np.where(has, _total(hands, trace, games), np.nan)
    open_rows = np.bincount(trace.game, weights=going_on, minlength=games)
    behind = _total(np.where(going_on, of.after.max(axis=1) - own, 0), trace, games)
    with np.errstate(invalid="ignore", divide="ignore"):
        found["drama"] = np.where(open_rows > 0, behind / open_rows, np.nan)
    low = going_on & (own < FAR_BEHIND * of.prior[np.maximum(row_winner, 0)])
    found["comebacks"] = np.where(open_rows > 0, np.bincount(trace.game, weights=low, minlength=games) > 0, np.nan)
    unsure = np.zeros(games)
    rows = np.flatnonzero(going_on & (own <= DECIDED))
    unsure[trace.game[rows]] = trace.turn[rows]  # rows come in order, so the last one stays
    decided = (unsure + 1) / np.maximum(1, lengths)
    found["decided at"] = np.where(has & (of.winner >= 0), decided, np.nan)
    return {name: values.astype(float) for name, values in (found | _leads(of, layout)).items()}


def _leads(of: Course, layout: Layout) -> dict[str, Floats]:
    """What is told by the leading figure alone; nothing where nobody can be ahead of anybody."""
    if layout.seats == 1:
        return {}
    trace, lengths, games = of.trace, of.lengths, len(of.trace.won)
    lead = trace.sights[:, layout.figures[0]]
    order = np.sort(lead, axis=1)
    leader = np.where(order[:, -1] > order[:, -2], lead.argmax(axis=1), -1)
    strict = np.flatnonzero(leader >= 0)
    changed = (np.diff(trace.game[strict]) == 0) & (np.diff(leader[strict]) != 0)
    changes = np.bincount(trace.game[strict][1:][changed], minlength=games)
    gap, ahead, gain = (np.full(games, np.nan) for _ in range(3))
    gap[trace.game[trace.last]] = (order[:, -1] - order[:, -2])[trace.last]
    half = np.flatnonzero((trace.turn == (lengths[trace.game] + 1) // 2) & ~trace.last & (leader >= 0))
    ahead[trace.game[half]] = trace.won[trace.game[half], leader[half]]
    gain[trace.game[half]] = ahead[trace.game[half]] - of.prior[leader[half]]
    return {
        "lead changes": np.where(lengths > 0, changes, np.nan),
        "closeness": gap,
        "runaway leader": ahead,
        "runaway gain": gain,
    }


def _total(values: Floats, trace: Trace, games: int) -> Floats:
    found: Floats = np.bincount(trace.game, weights=values, minlength=games).astype(float)
    return found


def scores(of: Course) -> dict[str, Floats]:
    """[game] proper scores of the chances after each turn but the last, mean over these, and of constant chances."""
    trace = of.trace
    won, after = trace.won[trace.game], of.after
    rows = np.bincount(trace.game, weights=~trace.last, minlength=len(trace.won))
    found: dict[str, Floats] = {}
    for name, chances in (("", after), (" constant", np.broadcast_to(of.prior, after.shape))):
        brier = ((chances - won) ** 2).sum(axis=1) + (chances.sum(axis=1) - won.sum(axis=1)) ** 2
        nobody = np.maximum(0.0, 1 - chances.sum(axis=1))
        logs = (won * np.log(np.maximum(chances, 1e-12))).sum(axis=1)
        logs += (1 - won.sum(axis=1)) * np.log(np.maximum(nobody, 1e-12))
        for score, values in (("Brier score", brier), ("log score", -logs)):
            total = _total(np.where(trace.last, 0, values), trace, len(trace.won))
            with np.errstate(invalid="ignore", divide="ignore"):
                found[score + name] = np.where(rows > 0, total / rows, np.nan)
    return found


STEPS, BINS = 20, 100
"""Of a game's progress, and of chances."""


def fan(of: Course) -> Whole:
    """[step, bin] in how many games the eventual winner had such a chance when so much of its turns was played."""
    found: Whole = np.zeros((STEPS + 1, BINS), np.int64)
    known = np.flatnonzero((of.winner >= 0) & (of.lengths > 0))
    begins = np.zeros(len(of.trace.won), np.int64)
    begins[of.trace.game[of.begins]] = of.begins
    for step in range(STEPS + 1):
        turn = -(-step * of.lengths[known] // STEPS)
        chance = of.prior[of.winner[known]]
        later = turn > 0
        rows = (begins[known] + turn - 1)[later]
        chance[later] = of.after[rows, of.winner[known][later]]
        found[step] = np.bincount(np.clip((chance * BINS).astype(np.int64), 0, BINS - 1), minlength=BINS)
    return found


RELIABILITY = 10


def reliability(of: Course) -> tuple[Whole, Floats, Floats]:
    """[game, bin] how many chances there were, their sum, and that of the parts of wins that came of them."""
    trace, games = of.trace, len(of.trace.won)
    open_ = ~trace.last
    chance, won = of.after[open_], trace.won[trace.game[open_]]
    place = np.clip((chance * RELIABILITY).astype(np.int64), 0, RELIABILITY - 1)
    place += trace.game[open_][:, None] * RELIABILITY
    size = games * RELIABILITY
    sums = [np.bincount(place.ravel(), weights=each, minlength=size) for each in (None, chance.ravel(), won.ravel())]
    counts, chances, wins = (each.reshape(games, RELIABILITY).astype(float) for each in sums)
    return counts.astype(np.int64), chances, wins
