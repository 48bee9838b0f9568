"""Whole games on the table: dice and tracks at every step, copies in another luck, and lanes that go on alone."""

import numpy as np
import pytest

from lab import arena, seating
from lab.study import cell_from_options
from sims.vengeance.table import check, determinize
from tests.vengeance.common import BOX


def match(policies, *settings):
    of = cell_from_options("vengeance", policies, seats=len(policies), games=100, seed=3, settings=settings)
    plan = seating.recipe(of)
    return seating.matches(plan, seating.prepare(plan))[0]


@pytest.mark.parametrize(
    ("policies", "settings"),
    [
        (["random"] * 4, []),
        (["random", "brawler"], [f"content={BOX}", "pool=9", "clock=poisson"]),
        (["random"], [f"content={BOX}", "kill_range=den", "recon_blocks=all", "jump_blocked=false"]),
        (["raider", "random"], [f"content={BOX}"]),
    ],
)
def test_dice_and_tracks_at_every_step(policies, settings):
    asked = []

    def watch(table, ask):
        check(table)
        asked.append(ask is not None)

    arena.play(match(policies, *settings), 0, 12, lambda games, rows: None, lanes=5, watch=watch)
    assert sum(asked) > 200


def test_a_copy_in_another_luck_shows_the_same():
    """Everything lies open, so the views are alike to the last byte, whatever luck is to come."""
    compared = []

    def watch(table, ask):
        if ask is not None:
            other = determinize(table, len(compared))
            assert other.setting.seed != table.setting.seed
            for name in ("kind", "seat", "board", "mine"):
                compared.append(getattr(other.view, name).tobytes() == getattr(ask.view, name).tobytes())

    arena.play(match(["random", "random"]), 0, 8, lambda games, rows: None, watch=watch, rounds=4)
    assert len(compared) > 200
    assert all(compared)


def test_copies_have_other_dice():
    """A race begun in two lucks: the same view before, other hands after."""
    of, hands = match(["brawler", "brawler"]), []

    def watch(table, ask):
        if hands or ask is None or table.t.board["turn"].max() < 0:
            return
        for word in (1, 2):
            other = determinize(table, word)
            while (again := other.advance()) is not None and (again.view.kind == 1).any():
                again.action[:] = 0
            hands.append(other.t.board["players"]["hand"].copy())

    arena.play(of, 0, 20, lambda games, rows: None, watch=watch, rounds=2)
    assert not np.array_equal(hands[0], hands[1])
