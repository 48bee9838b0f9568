"""Content packs: what the loader says of wrong ones, and what it makes of right ones."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest

from sims.core.errors import BadInput
from sims.vengeance.pack import BASIC_ABILITIES, BOSS, FACES, KINDS, SHELF, compiled
from tests.vengeance.common import BOX, GATE, HALL, LAIR, LEFT, RIGHT, mask

TEXT = Path(BOX).read_text()


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("health: 6}", "health: 2}", "health: 2}", "greater than or equal to 3"),
        (
            "dice: [hit], effects: [hit, hit, hit]",
            "dice: [hitt], effects: [hit]",
            "hitt",
            "'hitt' is not a face of a die; did you mean 'hit'",
        ),
        (
            "dice: [hit], effects: [hit, hit, hit]",
            "dice: [hit], effects: [punch]",
            "punch",
            "'punch' is not what can stand here",
        ),
        ("always: {armour: 1}", "always: {armor: 1}", "armor", "'armor' is not a modifier; did you mean 'armour'"),
        ("always: {armour: 1}", "always: {armour: 9}", "armour: 9", "9 is not from 0 to 3"),
        ("id: ann_once", "id: ann_hits", "name: Once", "'ann_hits' is already an id of this pack"),
        ("id: ann_once", "id: punch", "name: Once", "'punch' is already an id of this pack"),
        (
            "doors: [gate, left, right]",
            "doors: [left, right]",
            "id: gate, doors: [hall]",
            "'hall' has no door to 'gate'; doors are both ways",
        ),
        ("entry: gate", "entry: gat", "entry: gat", "'gat' is not a room of this side; did you mean 'gate'"),
        (
            "kind: kill, of: [grunt, blocker], count: 2",
            "kind: kill, of: [grunt], count: 3",
            "count: 3",
            "3 is more than the 2 there are",
        ),
        ("kind: visit, count: 4", "kind: visit, count: 6", "count: 6", "6 is more than the 5 rooms"),
        ("{kind: health, count: 5", "{kind: health, count: 7", "health, count: 7", "7 is more than the 6 spaces"),
        (
            "kind: kill_adjacent, of: [grunt]",
            "kind: kill_adjacent, of: [henchman]",
            "of: [henchman]",
            "none of these is next door",
        ),
        ("kind: clear, points", "kind: clear, count: 2, points", "clear, count", "'clear' has no `count`"),
        ("price: 10, dice", "price: 11, dice", "price: 11", "11 is more than the training track's 10 spaces"),
        ("name: Far, health: 5", "name: Far, health: 6", "boss_track:", "a boss of health 6 needs one more"),
        (
            "passive: true, always: {armour: 1}",
            "passive: true, effects: [hit]",
            "passive: true, eff",
            "neither dice nor effects",
        ),
        (
            "price: 1, effects: [evade]",
            "price: 1, once: true, effects: [evade]",
            "once: true, effects: [evade]",
            "has no dice",
        ),
        (
            "price: 1, effects: [evade]",
            "price: 1, efects: [evade]",
            "efects",
            "'efects' is not a key here; did you mean 'effects'",
        ),
    ],
)
def test_what_is_wrong_is_one_line_with_file_and_line(tmp_path, old, new, line, said):
    assert old in TEXT
    path = tmp_path / "mine.yaml"
    path.write_text(TEXT.replace(old, new, 1))
    with pytest.raises(BadInput) as caught:
        SHELF.load(str(path))
    where = next(n for n, text in enumerate(path.read_text().splitlines(), 1) if line in text)
    assert str(caught.value).startswith(f"{path}:{where}: ")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def record():
    return SHELF.load(BOX).arrays.record[0]


def test_doors_neighbours_and_jumps():
    """The den is gate - hall - (left, right) - lair: a square with a tail."""
    r = record()
    doors = {GATE: [HALL], HALL: [GATE, LEFT, RIGHT], LEFT: [HALL, LAIR], RIGHT: [HALL, LAIR], LAIR: [LEFT, RIGHT]}
    for room, others in doors.items():
        assert r.doors[0, room] == mask(*others)
    one = {GATE: [LEFT, RIGHT], HALL: [LAIR], LEFT: [GATE, RIGHT], RIGHT: [GATE, LEFT], LAIR: [HALL]}
    for room, others in one.items():
        assert r.jump1[0, room] == mask(*others) | (mask(RIGHT) if room == LEFT else 0)
    # through two: gate-hall-left-lair; hall-left-lair-right and back; left-lair-right-hall; left-hall-right-lair; ...
    two = {GATE: [LAIR], HALL: [LEFT, RIGHT], LEFT: [HALL, LAIR], RIGHT: [HALL, LAIR], LAIR: [GATE, LEFT, RIGHT]}
    for room, others in two.items():
        assert r.jump2[0, room] == r.jump1[0, room] | mask(*others)
    assert r.distance[0, GATE, :5].tolist() == [0, 1, 2, 2, 3]
    assert r.home[0, LAIR] == mask(5) | BOSS
    assert r.near[0, LEFT] == mask(0, 1, 5) | BOSS


def test_multisets_go_through_the_dice_in_order():
    punch, fire, charge = (each.sets() for each in BASIC_ABILITIES[1:])
    assert punch == [(0, 0, 3, 0), (0, 0, 2, 1), (0, 0, 1, 2), (0, 0, 0, 3)]
    assert fire == [(1, 2, 0, 0), (0, 2, 0, 1)]
    assert charge[:3] == [(2, 0, 2, 0), (1, 1, 2, 0), (2, 0, 1, 1)]
    assert len(charge) == 6


def test_which_hands_hold_which_multisets():
    """Against trying all ways of giving dice to what they stand for."""
    r = record()
    for row, tile in enumerate(BASIC_ABILITIES):
        wanted = [sorted(FACES.index(face) for face in faces) for faces in product(*tile.options())]
        for hand in range(625):
            counts = [hand // 5**face % 5 for face in range(4)]
            holds = any(all(each.count(face) <= counts[face] for face in range(4)) for each in wanted)
            assert (r.fits[row, hand] != 0) == holds


def test_the_sample_is_complete_and_marked_as_invented():
    """Four heroes, bosses, boards; all kinds of minion on each side, 6 to 9 rooms, 2 to 4 objectives; all effects."""
    content = SHELF.load("sample").content
    assert content.invented
    assert len({boss.health for boss in content.bosses}) == 4
    assert all(boss.always.root for boss in content.bosses)
    assert all(hero.trait.always.root for hero in content.heroes)
    for side in content.sides:
        assert 6 <= len(side.rooms) <= 9
        assert 2 <= len(side.objectives) <= 4
        assert {kind for _, kind in side.minions} == set(KINDS)
        assert sum(room.loot for room in side.rooms) > 0
    kinds = {goal.kind for side in content.sides for _, goal in side.objectives}
    assert len(kinds) == 7
    tiles = [tile for hero in content.heroes for tile in hero.tiles]
    effects = {effect for tile in tiles for effect in (*tile.effects, *tile.plus)}
    assert effects >= {"move", "hit", "shot", "wound", "heal", "jump1", "jump2", "evade", "kill"}
    assert {tile.when for tile in tiles} == {"fighting", "start", "resolution"}
    assert {tile.recon for tile in tiles if tile.dice} >= {"single", "double"}
    assert any(tile.once for tile in tiles)
    assert any(tile.passive for tile in tiles)
    assert any(not tile.dice and not tile.passive for tile in tiles)
    rare = [face for die in content.preparation for face in die].count("loot")
    assert 1 <= rare <= 2


def test_every_pack_has_arrays_of_one_type():
    one, other = SHELF.load("sample").arrays.record, SHELF.load(BOX).arrays.record
    assert one.dtype == other.dtype
    assert not one.flags.writeable
    assert not np.array_equal(one.home, compiled(SHELF.load(BOX).content).record.home)


def test_the_sheet_draws_every_den():
    for name in ("sample", BOX):
        pack = SHELF.load(name)
        sheet = SHELF.sheet(pack.content)
        assert "invented" in sheet
        for side in pack.content.sides:
            assert side.id in sheet
            for room in side.rooms:
                assert f"| {room.id}" in sheet
        assert max(map(len, sheet.splitlines())) < 200
