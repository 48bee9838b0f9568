"""How fast a game is played: the table of lanes and its scalar peer in turn, on one core."""

import importlib
import statistics
import time
from typing import Any, NamedTuple

import numpy as np

from lab import arena, catalogue, seating
from lab.arena import Match
from lab.cell import Cell, Entry
from lab.errors import BadInput
from lab.tally import compile_all, tally_block
from sims.core.game import Ask

ROUNDS, ROUND_SECONDS = 7, 0.4


class Bench(NamedTuple):
    """Medians over the rounds, on one core."""

    lineup: tuple[str, ...]
    games_per_second: float
    decisions_per_game: float
    scalar_games_per_second: float
    ratio: float
    """Median of the rounds' own ratios: what else the machine does meets both alike."""
    ratios: tuple[float, ...]

    @property
    def ns_per_game(self) -> float:
        return 1e9 / self.games_per_second

    @property
    def ns_per_decision(self) -> float:
        return self.ns_per_game / self.decisions_per_game


def bench(name: str) -> Bench:
    """Time a game's lanes, tallying included, against its scalar peer, by turns."""
    game = catalogue.game(name)
    if not game.scalar:
        raise BadInput(f"{name} has no scalar peer to be timed with")
    scalar: Any = importlib.import_module(game.scalar)
    lineup = tuple(Entry(each, catalogue.policy(name, each).weights()) for each in scalar.LINEUP)
    plan = seating.recipe(Cell(name, len(lineup), lineup, game.knobs()))
    matches = seating.matches(plan, seating.prepare(plan))
    compile_all(matches)
    sums = np.zeros(len(seating.column_names(plan)), np.int64)

    def lanes(count: int) -> None:
        tally_block(matches, 0, count)

    def loop(count: int) -> None:
        scalar.play(0, 0, count, sums)

    sizes = [_size(lanes), _size(loop)]
    rounds = [(_pace(lanes, sizes[0]), _pace(loop, sizes[1])) for _ in range(ROUNDS)]
    ratios = tuple(a / b for a, b in rounds)
    return Bench(
        tuple(scalar.LINEUP),
        statistics.median(a for a, _ in rounds),
        _decisions(matches[0]),
        statistics.median(b for _, b in rounds),
        statistics.median(ratios),
        ratios,
    )


def _pace(play: Any, count: int) -> float:
    start = time.perf_counter()
    play(count)
    return count / (time.perf_counter() - start)


def _size(play: Any) -> int:
    """How many games take about a round's time."""
    count = 1000
    play(count)
    while (pace := _pace(play, count)) and count / pace < ROUND_SECONDS / 4:
        count *= 4
    return max(1, int(pace * ROUND_SECONDS))


def _decisions(match: Match, games: int = 20_000) -> float:
    """Decisions a game, over its first games."""
    asked = 0

    def watch(table: Any, ask: Ask | None) -> None:
        nonlocal asked
        if ask is not None:
            asked += int((ask.seat >= 0).sum())

    arena.play(match, 0, games, lambda numbers, rows: None, watch=watch)
    return asked / games
