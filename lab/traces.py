"""Games as a spectator saw them: what there was to see at the end of each turn, and who won.

    trace(match, width, first, count) -> Trace

The arena plays as ever, and is watched: a game's `turned` and `look` tell what lies open (`Game.sights`).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lab.arena import Match, play
from sims.core.game import Ask

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]


@dataclass(frozen=True)
class Trace:
    """Games of one match. A *row* is the end of a turn; rows are in the order of games and turns."""

    sights: NDArray[np.int32]
    """[row, sight]"""
    game: Whole
    """[row] which of these games, from 0."""
    turn: Whole
    """[row] from 1."""
    last: NDArray[np.bool_]
    """[row] whether the game ended with it."""
    won: Floats
    """[game, seat] the parts of a win, which add up to 1, or to 0 where nobody won."""
    columns: NDArray[np.int32]
    """[game, 1 + column] as `lab.arena.play` gives them."""
    chosen: Whole
    """[seat, option, 2] in how many of its decisions of that kind each seat chose it, and how many there were."""


def trace(match: Match, width: int, first: int, count: int, *, options: bool = True) -> Trace:
    """Play games `first` to `first + count - 1`, and keep what there was to see.

    width: how many sights the game has. options: count these, too.
    """
    seats = match.setting.seats
    rows: NDArray[np.int32] = np.zeros((count, 1 + len(match.columns)), np.int32)
    seen: list[tuple[Whole, NDArray[np.int32]]] = []
    chosen: Whole = np.zeros((seats, len(match.game.options), 2), np.int64)

    def watch(table: Any, ask: Ask | None) -> None:
        if ask is not None:
            if options:
                _count(match, ask, chosen)
            return
        lanes = table.turned()
        if lanes.size:
            sights = np.zeros((lanes.size, width), np.int32)
            table.look(lanes, sights)
            seen.append(((table.game[lanes] - np.uint64(first)).astype(np.int64), sights))

    def sink(games: NDArray[np.uint64], results: NDArray[np.int32]) -> None:
        rows[(games - np.uint64(first)).astype(np.int64)] = results

    play(match, first, count, sink, watch=watch)
    game = np.concatenate([numbers for numbers, _ in seen]) if seen else np.zeros(0, np.int64)
    sights = np.concatenate([each for _, each in seen]) if seen else np.zeros((0, width), np.int32)
    order = np.argsort(game, kind="stable")  # within a game they came in order
    game, sights = game[order], sights[order]
    begins = np.flatnonzero(np.diff(game, prepend=-1))
    turns = np.diff(begins, append=game.size)
    turn = np.arange(game.size) - np.repeat(begins, turns) + 1
    last = np.diff(game, append=count) != 0
    return Trace(sights, game, turn, last, parts(rows[:, 0], seats), rows, chosen)


def _count(match: Match, ask: Ask, chosen: Whole) -> None:
    for place, option in enumerate(match.game.options):
        if ask.view.kind in option.kinds:
            hits = option.chosen(ask.view, ask.seat, ask.action)
            for seat in range(len(chosen)):
                own = ask.seat == seat
                chosen[seat, place] += np.count_nonzero(hits & own), np.count_nonzero(own)


def parts(masks: NDArray[np.int32], seats: int) -> Floats:
    """[game, seat] parts of a win, from bit masks of winners."""
    won = masks[:, None] >> np.arange(seats) & 1
    found: Floats = won / np.maximum(1, won.sum(axis=1, keepdims=True))
    return found
