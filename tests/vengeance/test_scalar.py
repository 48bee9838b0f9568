"""The plain loop plays the table's games: each column's sum, game by game."""

import numpy as np
import pytest

from lab.arena import Match, Player, play
from sims.core.game import Setting, encode
from sims.vengeance import GAME, scalar


@pytest.mark.parametrize(("seed", "first"), [(7, 0), (2**62 + 5, 2**40)])
def test_games_are_those_of_the_table(seed, first):
    games, knobs, seats = 30, GAME.knobs(), len(scalar.LINEUP)
    columns = GAME.column_names(seats, knobs)
    policy = GAME.policies[scalar.LINEUP[0]]
    line = (Player(policy.name, policy, encode(policy.weights())),) * seats
    rows = {}

    def sink(numbers, found):
        rows.update(zip(numbers.tolist(), found[:, 1:].tolist(), strict=True))

    play(Match(GAME, Setting(encode(knobs), seats, seed, False), line, columns), first, games, sink)
    for game in range(first, first + games):
        sums = np.zeros(len(columns), np.int64)
        scalar.play(seed, game, 1, sums)
        assert sums.tolist() == rows[game]


def test_blocks_add_up():
    columns = len(GAME.column_names(len(scalar.LINEUP), GAME.knobs()))
    whole, parts = np.zeros((2, columns), np.int64)
    scalar.play(7, 0, 40, whole)
    scalar.play(7, 0, 10, parts)
    scalar.play(7, 10, 30, parts)
    assert whole.tolist() == parts.tolist()
