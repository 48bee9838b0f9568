"""`raider`: its chances against a second computation, its choices in plain positions, its strength."""

from math import comb

import numpy as np
import pytest

from lab import arena, seating
from lab.study import cell_from_options
from sims.core.game import encode
from sims.vengeance import GAME, state
from sims.vengeance.pack import SHELF
from sims.vengeance.tactics import HORIZON, chances
from tests.vengeance.common import (
    BLOCKER,
    BOX,
    CLEAR,
    GRUNT,
    GUARD,
    HALL,
    HIT_BOSS,
    LAIR,
    RIGHT,
    Position,
    mask,
)

DASH, PUNCH, FIRE, CHARGE = range(4)


def dash_within(rolls, kept, rolled):
    """The chance of two moves, keeping every move: a die shows one with 2/6, a wound with 1/6."""
    if kept >= 2:
        return 1.0
    if rolls == 0:
        return 0.0
    total = 0.0
    for moves in range(rolled + 1):
        for wounds in range(rolled - moves + 1):
            others = rolled - moves - wounds
            ways = comb(rolled, moves) * comb(rolled - moves, wounds)
            chance = ways * (2 / 6) ** moves * (1 / 6) ** wounds * (3 / 6) ** others
            total += chance * dash_within(rolls - 1, kept + moves, others)
    return total


@pytest.mark.parametrize(("kept", "rolled"), [(0, 4), (0, 3), (0, 2), (1, 3), (1, 1), (0, 1), (2, 2)])
def test_chances_of_a_dash(kept, rolled):
    """Moves are worth keeping, and nothing else is."""
    found = chances(SHELF.load(BOX).arrays.record[0].fits)[DASH, kept, rolled]
    assert found == pytest.approx(dash_within(HORIZON, kept, rolled), abs=1e-6)


def test_a_tile_of_one_die_that_is_a_hit_or_a_hit_plus():
    """Three rolls of one die: a hit with 2/6, a wound with 1/6, else again."""
    found = chances(SHELF.load(BOX).arrays.record[0].fits)[4, 0, 1]
    assert found == pytest.approx(2 / 6 * (1 + 3 / 6 + (3 / 6) ** 2), abs=1e-6)


def raids(game, kinds=(state.FIGHT, state.EFFECT)):
    """Let `raider` answer while it is asked about these."""
    policy, knobs = GAME.policies["raider"], GAME.knobs(content=BOX)
    weights = policy.weights()
    prepared, action = policy.prepare(knobs, 1, weights), np.zeros(1, np.int32)
    while game.kind in kinds:
        policy.function(game.table.view, encode(weights), prepared, action)
        game.do(int(action[0]))
    return game


def test_it_clears_the_hall_and_marks_it():
    """With two Hits, and a Dash that works only when the Blocker is dead."""
    game = raids(Position().fights(room=HALL, plus={PUNCH: 1}, sets={DASH: 1}, lived=mask(*range(6), 40)))
    p = game.player()
    assert p.kills[:3].tolist() == [1, 0, 1]
    assert p.marked & mask(CLEAR)


def test_it_walks_to_where_it_can_hit():
    """On the right two Hits kill two, for two of the den's three loot icons; on the left one, for the third."""
    living = mask(*range(6), 40) & ~mask(BLOCKER, GRUNT)
    game = raids(Position().fights(room=HALL, plus={PUNCH: 1}, sets={DASH: 1}, living=living))
    assert game.player().room == RIGHT
    assert game.player().kills[3:].tolist() == [1, 1]


def test_it_strikes_the_guard_and_then_the_boss():
    """Two Hits in the lair: the Grunt first, else the boss cannot be struck; then the objective."""
    game = raids(Position().fights(room=LAIR, plus={PUNCH: 1}))
    assert game.player().living & mask(GUARD) == 0
    assert game.player().damage == 1
    assert game.player().marked & mask(HIT_BOSS)


def test_it_assigns_a_punch_where_there_is_something_to_hit():
    game = Position().rolls(room=HALL, hand=(0, 1, 3, 0))
    policy, knobs = GAME.policies["raider"], GAME.knobs(content=BOX)
    weights, action = policy.weights(), np.zeros(1, np.int32)
    policy.function(game.table.view, encode(weights), policy.prepare(knobs, 1, weights), action)
    assert action[0] == state.assign_of(PUNCH, 0)


def test_it_beats_brawler():
    """Of 100 games at two seats it wins more than 80: with a chance of a half, 6 standard errors."""
    of = cell_from_options("vengeance", ["raider", "brawler"], seats=None, games=100, seed=1, settings=[])
    plan = seating.recipe(of)
    rows = []
    match = seating.matches(plan, seating.prepare(plan))[0]
    arena.play(match, 0, 100, lambda games, found: rows.append(found[:, 0].copy()))
    assert (np.concatenate(rows) == 1).sum() > 80
