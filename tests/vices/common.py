"""Matches of Vices & Vengeance in one line, and what their games yield."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lab.arena import Match, Player, play
from sims.core.game import Ask, Setting, encode
from sims.vices import GAME
from sims.vices.rules import REMOVE

Place = str | tuple[str, dict[str, Any]]


def match(lineup: Sequence[Place], seats: int = 4, seed: int = 0, **knobs: Any) -> Match:
    """A match of these policies, by seat: names, or (name, {weight: value}). Places that are alike share one player."""
    if len(lineup) != seats:
        raise ValueError(f"{seats} seats need as many policies, found {len(lineup)}")
    places = [(place, {}) if isinstance(place, str) else place for place in lineup]
    model = GAME.knobs(**knobs)
    made: list[tuple[Any, Player]] = []
    for place in places:
        if place not in [known for known, _ in made]:
            made.append((place, _player(*place, model, seats)))
    players = tuple(next(player for known, player in made if known == place) for place in places)
    words = any(player.policy.uses_word for player in players)
    return Match(GAME, Setting(encode(model), seats, seed, words), players, GAME.column_names(seats, model))


def _player(name: str, weights: dict[str, Any], knobs: Any, seats: int) -> Player:
    policy = GAME.policies[name]
    title = name + "".join(f" {weight}={value}" for weight, value in weights.items())
    model = policy.weights(**weights)
    prepared = policy.prepare(knobs, seats, model) if policy.prepare else ()
    return Player(title, policy, encode(model), prepared)


def traced(
    match: Match, count: int, first: int = 0, lanes: int | None = None
) -> tuple[NDArray[np.int32], dict[int, list[Any]]]:
    """Results of games `first` to `first + count - 1`, [count, 1 + columns]: winners as a bit mask, then columns; and
    by game its decisions in order: (kind, seat, options, answer); options of a removal are (units, due)."""
    found = np.full((count, 1 + len(match.columns)), -2, np.int32)  # no column is ever below -1
    decisions: dict[int, list[Any]] = {game: [] for game in range(first, first + count)}

    def sink(games: NDArray[np.uint64], results: NDArray[np.int32]) -> None:
        found[(games - np.uint64(first)).astype(np.int64)] = results

    def watch(table: Any, ask: Ask | None) -> None:
        if ask is None:
            return
        for lane in np.flatnonzero(ask.seat >= 0):
            options = int(ask.view.options[lane])
            shown = (options, int(ask.view.due[lane])) if ask.view.kind == REMOVE else options
            decisions[int(table.game[lane])].append((ask.view.kind, int(ask.seat[lane]), shown, int(ask.action[lane])))

    play(match, first, count, sink, lanes=lanes, watch=watch)
    if (found == -2).any():
        raise RuntimeError("the arena left games out")
    return found, decisions


def rows(match: Match, count: int, first: int = 0, lanes: int | None = None) -> NDArray[np.int32]:
    return traced(match, count, first, lanes)[0]
