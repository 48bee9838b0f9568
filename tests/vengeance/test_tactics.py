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
from tests.lanes import answers
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
    prepared = policy.prepare(knobs, 1, weights)
    while game.kind in kinds:
        game.do(int(answers(game.table, policy.function, encode(weights), prepared)[0]))
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
    weights = policy.weights()
    found = answers(game.table, policy.function, encode(weights), policy.prepare(knobs, 1, weights))
    assert found[0] == state.assign_of(PUNCH, 0)


def rows_of(policies, games):
    """The rows of so many games: winners as a mask, then the columns."""
    plan = seating.recipe(cell_from_options("vengeance", policies, seats=None, games=games, seed=1, settings=[]))
    rows = []
    arena.play(seating.matches(plan, seating.prepare(plan))[0], 0, games, lambda _, found: rows.append(found.copy()))
    return np.concatenate(rows)


def test_it_beats_brawler():
    """Of 100 games at two seats it wins more than 80: with a chance of a half, 6 standard errors."""
    assert (rows_of(["raider", "brawler"], 100)[:, 0] == 1).sum() > 80


def test_it_takes_the_side_and_buys_the_tile_that_it_is_told_to():
    """The second of two sides has an odd number. Whoever has bought a tile has the third of its hero's."""
    rows, knobs = rows_of(["raider:side=2", "raider:first_tile=3"], 40), GAME.knobs()
    column = {each.name: rows[:, 1 + place] for place, each in enumerate(GAME.columns(2, knobs))}
    assert (column["den_0"] % 2 == 1).all()
    third = [hero.tiles[2].id for hero in SHELF.load(knobs.content).content.heroes]
    bought = [column[f"uses_{third[hero]}_1"][game] >= 0 for game, hero in enumerate(column["hero_1"])]
    assert (bought == (column["tiles_1"] > 0)).all()
    assert any(bought)
