"""Matches of Viking Dice in one line, and what their games yield."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lab.arena import Match, Player, play
from sims.core.game import Setting, encode
from sims.viking import GAME

Place = str | tuple[str, dict[str, Any]]


def match(lineup: Sequence[Place], seats: int = 2, seed: int = 0, **knobs: Any) -> Match:
    """A match of these policies, by seat: names, or (name, {weight: value}). Places that are alike share one player."""
    if len(lineup) != seats:
        raise ValueError(f"{seats} seats need as many policies, found {len(lineup)}")
    places = [(place, {}) if isinstance(place, str) else place for place in lineup]
    made: list[tuple[Any, Player]] = []
    for place in places:
        if place not in [known for known, _ in made]:
            made.append((place, _player(*place)))
    players = tuple(next(player for known, player in made if known == place) for place in places)
    words = any(player.policy.uses_word for player in players)
    model = GAME.knobs(**knobs)
    return Match(GAME, Setting(encode(model), seats, seed, words), players, GAME.column_names(seats, model))


def _player(name: str, weights: dict[str, Any]) -> Player:
    policy = GAME.policies[name]
    title = name + "".join(f" {weight}={value}" for weight, value in weights.items())
    return Player(title, policy, encode(policy.weights(**weights)))


def rows(match: Match, count: int, first: int = 0, lanes: int | None = None) -> NDArray[np.int32]:
    """Results of games `first` to `first + count - 1`, [count, 1 + columns]: winners as a bit mask, then columns."""
    width = 1 + len(match.columns)
    found = np.full((count, width), -2, np.int32)  # no column is ever below -1

    def sink(games: NDArray[np.uint64], results: NDArray[np.int32]) -> None:
        found[(games - np.uint64(first)).astype(np.int64)] = results

    play(match, first, count, sink, lanes=lanes)
    if (found == -2).any():
        raise RuntimeError("the arena left games out")
    return found


def names(match: Match) -> tuple[str, ...]:
    """Names of the columns of `rows` after the first."""
    return match.columns
