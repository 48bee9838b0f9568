"""`speed` belongs to a player: it is written like a weight, and goes where the player sits."""

from dataclasses import replace

import numpy as np
import pytest

from lab import arena, catalogue, seating
from lab.errors import BadInput
from lab.identity import cell_id
from lab.study import cell_from_options


def cell(*policies, settings=(), **options):
    found = cell_from_options("vengeance", policies, seats=None, games=100, seed=0, settings=settings)
    return replace(found, **options)


def matches(of):
    plan = seating.recipe(of)
    return seating.matches(plan, seating.prepare(plan))


def test_it_rotates_with_its_player():
    found = matches(cell("brawler:speed=1.5", "random", rotate_seats=True))
    assert [[each.speed for each in match.setting.players] for match in found] == [[1.5, 1.0], [1.0, 1.5]]
    assert [[player.policy.name for player in match.players] for match in found] == [
        ["brawler", "random"],
        ["random", "brawler"],
    ]


def test_every_policy_has_it_and_its_bounds():
    assert all("speed" in policy.weights.model_fields for policy in catalogue.policies("vengeance").values())
    with pytest.raises(BadInput, match=r"5.*0\.25 to 4"):
        cell("brawler:speed=5", "random")


def test_games_of_other_kinds_have_no_such_knob():
    assert not any("speed" in policy.weights.model_fields for policy in catalogue.policies("viking").values())


def test_it_is_part_of_the_identity():
    assert cell_id(cell("brawler", "brawler")) != cell_id(cell("brawler", "brawler:speed=1.1"))


@pytest.mark.parametrize("clock", ["ticks", "poisson"])
def test_the_faster_takes_more_of_a_scarce_pool(clock):
    """Eight dice to be taken a round: alike, both take as many, within 5 standard errors; twice as fast, far more."""
    for speed, is_more in ((1.0, False), (2.0, True)):
        of = cell(f"brawler:speed={speed}", "brawler", settings=["pool=16", f"clock={clock}"])
        match, rows = matches(of)[0], []
        arena.play(match, 0, 1000, lambda games, found, rows=rows: rows.append(found[:, 1:].copy()))
        columns = dict(zip(match.columns, np.concatenate(rows).T.astype(float), strict=True))
        more = columns["dice_0"] - columns["dice_1"]
        assert (more.mean() > 5 * more.std() / np.sqrt(1000)) == is_more
        assert is_more or abs(more.mean()) < 5 * more.std() / np.sqrt(1000)
