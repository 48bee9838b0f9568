"""Content packs of Vengeance: what one may say (`content/README.md`), and the arrays made of it."""

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
import pydantic

from sims.core.content import Part, Shelf, misfit
from sims.core.errors import unknown
from sims.vengeance.draw import sheet

KINDS = ("grunt", "tough_guy", "blocker", "henchman", "gunman")
FACES = ("move", "shot", "hit", "hit_plus")
"""Of a Fighting die, beside the wound."""
EFFECTS = (
    *("end", "move", "hit", "shot", "wound", "heal", "jump1", "jump2", "evade", "kill"),
    *("power", "sneak", "pierce", "shield", "train"),
)
"""By their codes; `end` fills up a list of effects."""
WHEN = ("fighting", "start", "resolution")
RECON = ("none", "single", "double")
ACTIONS = ("training", "purchase", "healing", "recon", "loot")
OBJECTIVES = ("kill", "clear", "health", "visit_adjacent", "hit_boss", "visit", "kill_adjacent")
MODIFIERS = {
    "health": (-2, 3), "experience": (0, 6), "training": (-1, 2), "clearing": (-1, 2), "extra": (-1, 1),
    "healing": (0, 2), "round_wounds": (0, 2), "armour": (0, 3), "boss_wounds": (-1, 3), "boss_reach": (0, 1),
    "henchman_wounds": (-1, 2), "gunman_wounds": (-1, 2), "boss_armour": (0, 3), "boss_damage": (0, 2),
    "boss_unshot": (0, 1), "guards": (0, 1), "grunt_health": (-1, 2), "tough_guy_health": (-1, 2),
    "blocker_health": (-1, 2), "henchman_health": (-1, 2), "gunman_health": (-1, 2), "unblocked": (0, 1),
    "close_fire": (0, 1), "way_out": (0, 5),
}  # fmt: skip
"""Each with the range of its sum."""
BASIC = ("dash", "punch", "fire", "charge")
BASICS, TILES, ITEMS = 4, 8, 4
HEROES, BOSSES, BOARDS, ROOMS, MINIONS, MARKS, SETS = 4, 4, 4, 16, 40, 8, 35
"""Heroes, bosses, boards exactly; of the rest at most so many. MARKS: objectives of a side, SETS: multisets of dice."""
ABILITIES = BASICS + TILES
"""Of a hero."""
FIRST_ITEM = BASICS + TILES * HEROES
ROWS = FIRST_ITEM + ITEMS * HEROES
"""Rows of the tables of deeds: basic abilities, tiles by hero, items by hero."""
LOOT, TRAINING, BOSS_TRACK, LENGTH = 32, 48, 16, 8
"""Room for values of tracks, and for effects of one deed."""
BOSS = 1 << MINIONS
"""The boss in a set of enemies."""

Name = Annotated[str, pydantic.StringConstraints(min_length=1, max_length=60)]
Id = Annotated[str, pydantic.StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,23}$")]
Kind = Literal["grunt", "tough_guy", "blocker", "henchman", "gunman"]
Effect = Literal[
    "move", "hit", "shot", "wound", "heal", "jump1", "jump2", "evade", "kill", "power", "sneak", "pierce", "shield",
    "train",
]  # fmt: skip
When = Literal["fighting", "start", "resolution"]
Action = Literal["training", "purchase", "healing", "recon", "loot"]
Points = Annotated[int, pydantic.Field(ge=0, le=50)]
DieFaces = Annotated[tuple[Action, ...], pydantic.Field(min_length=6, max_length=6)]


class Tracks(Part):
    loot: Annotated[tuple[Points, ...], pydantic.Field(min_length=2, max_length=31)]
    training: Annotated[tuple[Points, ...], pydantic.Field(min_length=5, max_length=41)]
    health: Annotated[int, pydantic.Field(ge=3, le=12)]


class Always(pydantic.RootModel[dict[str, int]]):
    """Modifiers by name."""

    model_config = pydantic.ConfigDict(frozen=True, strict=True)

    @pydantic.model_validator(mode="after")
    def _known(self) -> "Always":
        for name, value in self.root.items():
            if name not in MODIFIERS:
                raise misfit((name,), unknown("a modifier", name, MODIFIERS))
            low, high = MODIFIERS[name]
            if not low <= value <= high:
                raise misfit((name,), f"{value} is not from {low} to {high}")
        return self

    def row(self) -> list[int]:
        return [self.root.get(name, 0) for name in MODIFIERS]


NOTHING = Always({})


class Bearer(Part):
    """What has modifiers."""

    name: Name
    always: Always = NOTHING


class Item(Part):
    id: Id
    name: Name
    when: When = "fighting"
    effects: Annotated[tuple[Effect, ...], pydantic.Field(min_length=1, max_length=6)]


class Tile(Part):
    id: Id
    name: Name
    price: Annotated[int, pydantic.Field(ge=0, le=40)]
    dice: Annotated[tuple[Name, ...], pydantic.Field(max_length=4)] = ()
    effects: Annotated[tuple[Effect, ...], pydantic.Field(max_length=6)] = ()
    plus: Annotated[tuple[Effect, ...], pydantic.Field(max_length=2)] = ()
    when: When = "fighting"
    once: bool = False
    recon: Literal["none", "single", "double"] = "double"
    passive: bool = False
    always: Always = NOTHING

    @pydantic.model_validator(mode="after")
    def _fits(self) -> "Tile":
        for place, die in enumerate(self.dice):
            for face in die.split(" or "):
                if face not in FACES:
                    raise misfit(("dice", place), unknown("a face of a die", face, FACES))
        if self.passive and (self.dice or self.effects or self.plus or self.once):
            raise misfit(("passive",), "a passive tile has neither dice nor effects, but `always`")
        if not self.passive and not self.effects:
            raise misfit((), "has no effects")
        if not self.passive and self.always.root:
            raise misfit(("always",), "only a passive tile has modifiers")
        for name in ("health", "experience"):
            if name in self.always.root:
                raise misfit(("always", name), "is of the start of the game; tiles come later")
        has_recon = self.recon != "none" and "recon" in self.model_fields_set
        if not self.dice and (self.plus or self.once or has_recon):
            raise misfit((), "has no dice, so it has no plus, no once and no recon")
        return self

    def options(self) -> list[tuple[str, ...]]:
        """The faces that each of its dice may show, in their order."""
        found = []
        for die in self.dice:
            faces = [each for face in die.split(" or ") for each in ((face, "hit_plus") if face == "hit" else (face,))]
            found.append(tuple(dict.fromkeys(faces)))
        return found

    def sets(self) -> list[tuple[int, ...]]:
        """The multisets of faces that fit: how many of each of `FACES`."""
        return list(dict.fromkeys(tuple(map(each.count, FACES)) for each in product(*self.options())))


BASIC_ABILITIES = (
    Tile(id="dash", name="Dash", price=0, dice=("move", "move"), effects=("move",), recon="single"),
    Tile(id="punch", name="Punch", price=0, dice=("hit",) * 3, effects=("hit",), plus=("hit",), recon="single"),
    Tile(id="fire", name="Fire", price=0, dice=("shot", "shot", "move or hit_plus"), effects=("shot",), recon="single"),
    Tile(id="charge", name="Charge", price=0, dice=("move", "hit", "hit", "move or shot"), effects=("move", "hit")),
)
"""Those of the rulebook."""


class Hero(Part):
    id: Id
    name: Name
    trait: Bearer
    tiles: Annotated[tuple[Tile, ...], pydantic.Field(min_length=TILES, max_length=TILES)]
    items: Annotated[tuple[Item, ...], pydantic.Field(min_length=ITEMS, max_length=ITEMS)]


class Boss(Bearer):
    id: Id
    health: Annotated[int, pydantic.Field(ge=1, le=12)]


class Objective(Part):
    kind: Literal["kill", "clear", "health", "visit_adjacent", "hit_boss", "visit", "kill_adjacent"]
    of: tuple[Kind, ...] = ()
    count: Annotated[int, pydantic.Field(ge=0, le=40)] = 0
    points: Annotated[int, pydantic.Field(ge=1, le=9)]

    @pydantic.model_validator(mode="after")
    def _fits(self) -> "Objective":
        if bool(self.of) != (self.kind in ("kill", "kill_adjacent")):
            raise misfit((), f"{self.kind!r} needs `of: [kinds]`" if not self.of else f"{self.kind!r} has no `of`")
        if bool(self.count) != (self.kind in ("kill", "health", "visit")):
            raise misfit((), f"{self.kind!r} needs `count`" if not self.count else f"{self.kind!r} has no `count`")
        return self


class Room(Part):
    id: Id
    doors: tuple[Id, ...] = ()
    minions: tuple[Kind, ...] = ()
    loot: Annotated[int, pydantic.Field(ge=0, le=4)] = 0
    objectives: tuple[Objective, ...] = ()


class Side(Part):
    id: Id
    name: Name
    entry: Id
    boss: Id
    boss_track: Annotated[tuple[Points, ...], pydantic.Field(min_length=2, max_length=13)]
    rooms: Annotated[tuple[Room, ...], pydantic.Field(min_length=2, max_length=ROOMS)]

    @pydantic.model_validator(mode="after")
    def _fits(self) -> "Side":
        names = [room.id for room in self.rooms]
        for place, name in enumerate(names):
            if name in names[:place]:
                raise misfit(("rooms", place, "id"), f"{name!r} is already a room of this side")
        for key in ("entry", "boss"):
            if getattr(self, key) not in names:
                raise misfit((key,), unknown("a room of this side", getattr(self, key), names))
        for place, room in enumerate(self.rooms):
            for number, door in enumerate(room.doors):
                where = ("rooms", place, "doors", number)
                if door not in names:
                    raise misfit(where, unknown("a room of this side", door, names))
                if door == room.id or door in room.doors[:number]:
                    raise misfit(where, f"{door!r} is " + ("the room itself" if door == room.id else "there twice"))
                if room.id not in self.rooms[names.index(door)].doors:
                    raise misfit(where, f"{door!r} has no door to {room.id!r}; doors are both ways")
        away = self.distances()[self.number(self.entry)]
        for place, distance in enumerate(away):
            if distance < 0:
                raise misfit(("rooms", place), f"{names[place]!r} cannot be reached from the entry")
        for key, found, most in (("minions", self.minions, MINIONS), ("objectives", self.objectives, MARKS)):
            if len(found) > most:
                raise misfit(("rooms",), f"has {len(found)} {key}; at most {most}")
        for place, room in enumerate(self.rooms):
            for number, each in enumerate(room.objectives):
                self._check(each, room, ("rooms", place, "objectives", number))
        return self

    def _check(self, of: Objective, room: Room, where: tuple[str | int, ...]) -> None:
        """Whether an objective can be fulfilled."""
        known = sum(kind in of.of for _, kind in self.minions)
        near = sum(kind in of.of for door in room.doors for kind in self.rooms[self.number(door)].minions)
        if of.kind == "kill" and of.count > known:
            raise misfit((*where, "count"), f"{of.count} is more than the {known} there are")
        if of.kind == "visit" and of.count > len(self.rooms):
            raise misfit((*where, "count"), f"{of.count} is more than the {len(self.rooms)} rooms")
        if of.kind == "clear" and not room.minions and self.boss != room.id:
            raise misfit(where, "nobody lives in this room")
        if of.kind == "kill_adjacent" and not near:
            raise misfit(where, "none of these is next door")

    def number(self, name: str) -> int:
        """Of a room."""
        return [room.id for room in self.rooms].index(name)

    @property
    def minions(self) -> list[tuple[int, str]]:
        """Room and kind of each."""
        return [(place, kind) for place, room in enumerate(self.rooms) for kind in room.minions]

    @property
    def objectives(self) -> list[tuple[int, Objective]]:
        """Each with its room."""
        return [(place, each) for place, room in enumerate(self.rooms) for each in room.objectives]

    @property
    def doors(self) -> list[set[int]]:
        """By room: the rooms next door."""
        return [{self.number(door) for door in room.doors} for room in self.rooms]

    def distances(self) -> list[list[int]]:
        """Doors from room to room; -1: there is no way."""
        return [list(_distances(self.doors, start)) for start in range(len(self.rooms))]

    def jumps(self, most: int) -> list[set[int]]:
        """By room: where a jump through one to `most` rooms lands; no room twice."""
        return [{path[-1] for path in _paths(self.doors, (start,), most + 1) if len(path) > 2}
                for start in range(len(self.rooms))]  # fmt: skip


def _distances(doors: list[set[int]], start: int) -> Iterator[int]:
    found, edge, step = {start: 0}, {start}, 0
    while edge:
        step += 1
        edge = set().union(*(doors[room] for room in edge)) - found.keys()
        found |= dict.fromkeys(edge, step)
    return (found.get(room, -1) for room in range(len(doors)))


def _paths(doors: list[set[int]], path: tuple[int, ...], steps: int) -> Iterator[tuple[int, ...]]:
    """All paths that go on from this one by at most so many doors, no room twice."""
    yield path
    if steps:
        for room in doors[path[-1]] - {*path}:
            yield from _paths(doors, (*path, room), steps - 1)


class Board(Part):
    id: Id
    front: Side
    back: Side


class Content(Part):
    """A whole pack."""

    title: Name
    invented: bool = True
    tracks: Tracks
    preparation: Annotated[tuple[DieFaces, ...], pydantic.Field(min_length=3, max_length=3)]
    heroes: Annotated[tuple[Hero, ...], pydantic.Field(min_length=HEROES, max_length=HEROES)]
    bosses: Annotated[tuple[Boss, ...], pydantic.Field(min_length=BOSSES, max_length=BOSSES)]
    dens: Annotated[tuple[Board, ...], pydantic.Field(min_length=BOARDS, max_length=BOARDS)]

    @property
    def sides(self) -> list[Side]:
        return [side for board in self.dens for side in (board.front, board.back)]

    @pydantic.model_validator(mode="after")
    def _fits(self) -> "Content":
        self._check_names()
        spaces = len(self.tracks.training) - 1
        for place, hero in enumerate(self.heroes):
            for number, tile in enumerate(hero.tiles):
                if tile.price > spaces:
                    where = ("heroes", place, "tiles", number, "price")
                    raise misfit(where, f"{tile.price} is more than the training track's {spaces} spaces")
        healthiest = max(boss.health for boss in self.bosses)
        for place, board in enumerate(self.dens):
            for name, side in (("front", board.front), ("back", board.back)):
                if len(side.boss_track) <= healthiest:
                    raise misfit(
                        ("dens", place, name, "boss_track"),
                        f"has {len(side.boss_track)} values; a boss of health {healthiest} needs one more",
                    )
                for room, each in side.objectives:
                    if each.kind == "health" and each.count > self.tracks.health:
                        number = side.rooms[room].objectives.index(each)
                        raise misfit(
                            ("dens", place, name, "rooms", room, "objectives", number, "count"),
                            f"{each.count} is more than the {self.tracks.health} spaces",
                        )
        return self

    def _check_names(self) -> None:
        places: list[tuple[str, str, tuple[str | int, ...]]] = []
        for i, hero in enumerate(self.heroes):
            places.append(("hero", hero.id, ("heroes", i, "id")))
            places += [("part", tile.id, ("heroes", i, "tiles", k, "id")) for k, tile in enumerate(hero.tiles)]
            places += [("part", item.id, ("heroes", i, "items", k, "id")) for k, item in enumerate(hero.items)]
        places += [("boss", boss.id, ("bosses", i, "id")) for i, boss in enumerate(self.bosses)]
        for i, board in enumerate(self.dens):
            places.append(("board", board.id, ("dens", i, "id")))
            places += [("part", getattr(board, name).id, ("dens", i, name, "id")) for name in ("front", "back")]
        seen = {("part", name) for name in BASIC}
        for what, name, where in places:
            if (what, name) in seen:
                raise misfit(where, f"{name!r} is already an id of this pack")
            seen.add((what, name))


# Arrays

i8, i16, i32, i64 = np.int8, np.int16, np.int32, np.int64

LAYOUT = np.dtype(
    [
        ("health", i64), ("loot_spaces", i64), ("training_spaces", i64),
        # By deed (`ROWS`): a basic ability, a tile, an item
        ("effects", i8, (ROWS, LENGTH)),
        ("length", i8, (ROWS,)),  # effects without those for a hit-plus
        ("length_plus", i8, (ROWS,)),  # with those
        ("when", i8, (ROWS,)), ("once", i8, (ROWS,)), ("passive", i8, (ROWS,)), ("recon", i8, (ROWS,)),
        ("price", i8, (ROWS,)), ("dice", i8, (ROWS,)),
        ("sets", i8, (ROWS,)),  # multisets of dice that fit
        ("faces", i8, (ROWS, SETS, 4)),  # of each, by face
        ("fits", i64, (FIRST_ITEM, 625)),  # by hand (`hand_of`): which of the multisets it holds, as bits
        # Modifiers
        ("trait", i8, (HEROES, len(MODIFIERS))), ("special", i8, (BOSSES, len(MODIFIERS))),
        ("always", i8, (FIRST_ITEM, len(MODIFIERS))),
        ("boss_health", i8, (BOSSES,)),
        # By side of a den; sets of rooms and of enemies are bit masks
        ("rooms", i8, (2 * BOARDS,)), ("entry", i8, (2 * BOARDS,)), ("lair", i8, (2 * BOARDS,)),
        ("minions", i8, (2 * BOARDS,)), ("marks", i8, (2 * BOARDS,)),
        ("doors", i64, (2 * BOARDS, ROOMS)), ("jump1", i64, (2 * BOARDS, ROOMS)), ("jump2", i64, (2 * BOARDS, ROOMS)),
        ("home", i64, (2 * BOARDS, ROOMS)),  # the enemies of a room, the boss too
        ("near", i64, (2 * BOARDS, ROOMS)),  # the enemies next door
        ("of_kind", i64, (2 * BOARDS, len(KINDS))),
        ("distance", i8, (2 * BOARDS, ROOMS, ROOMS)),
        ("loot", i8, (2 * BOARDS, ROOMS)),
        ("boss_value", i8, (2 * BOARDS, BOSS_TRACK)),
        ("goal", i8, (2 * BOARDS, MARKS)), ("goal_room", i8, (2 * BOARDS, MARKS)),
        ("goal_count", i8, (2 * BOARDS, MARKS)), ("goal_points", i8, (2 * BOARDS, MARKS)),
        ("goal_of", i64, (2 * BOARDS, MARKS)),  # the minions that it is about
        ("loot_value", i16, (LOOT,)), ("training_value", i16, (TRAINING,)),
        ("preparation", i8, (3, 6)),
    ],
    align=True,
)  # fmt: skip


class Arrays(NamedTuple):
    """A pack as kernels read it."""

    record: Any
    """[1] of `LAYOUT`"""


def compiled(content: Content) -> Arrays:
    """The arrays of a pack."""
    record = np.zeros(1, LAYOUT).view(np.recarray)
    r = record[0]
    r.health = content.tracks.health
    r.loot_spaces, r.training_spaces = len(content.tracks.loot) - 1, len(content.tracks.training) - 1
    r.loot_value[: len(content.tracks.loot)] = content.tracks.loot
    r.training_value[: len(content.tracks.training)] = content.tracks.training
    r.preparation[:] = [[ACTIONS.index(each) for each in die] for die in content.preparation]
    for row, tile in deeds(content):
        _put_deed(r, row, tile)
    for place, hero in enumerate(content.heroes):
        r.trait[place] = hero.trait.always.row()
    for place, boss in enumerate(content.bosses):
        r.special[place], r.boss_health[place] = boss.always.row(), boss.health
    for number, side in enumerate(content.sides):
        _put_side(r, number, side)
    return Arrays(record)


def deeds(content: Content) -> Iterator[tuple[int, Tile | Item]]:
    """All abilities and items with their rows."""
    yield from enumerate(BASIC_ABILITIES)
    for place, hero in enumerate(content.heroes):
        yield from enumerate(hero.tiles, BASICS + TILES * place)
        yield from enumerate(hero.items, FIRST_ITEM + ITEMS * place)


def _put_deed(r: Any, row: int, deed: Tile | Item) -> None:
    r.when[row] = WHEN.index(deed.when)
    plus = deed.plus if isinstance(deed, Tile) else ()
    r.length[row], r.length_plus[row] = len(deed.effects), len(deed.effects) + len(plus)
    r.effects[row, : r.length_plus[row]] = [EFFECTS.index(each) for each in (*deed.effects, *plus)]
    if isinstance(deed, Item):
        return
    r.once[row], r.passive[row], r.price[row], r.dice[row] = deed.once, deed.passive, deed.price, len(deed.dice)
    r.recon[row] = RECON.index(deed.recon) if deed.dice else 0
    r.always[row] = deed.always.row()
    if deed.dice:
        sets = np.array(deed.sets())
        r.sets[row] = len(sets)
        r.faces[row, : len(sets)] = sets
        hands = np.array([[hand // 5**face % 5 for face in range(4)] for hand in range(625)])
        held = (hands[:, None, :] >= sets[None]).all(axis=2)
        r.fits[row] = held @ (1 << np.arange(len(sets)))


def _mask(numbers: Any) -> int:
    return sum(1 << number for number in numbers)


def _put_side(r: Any, number: int, side: Side) -> None:
    minions, doors = side.minions, side.doors
    r.rooms[number], r.minions[number], r.marks[number] = len(side.rooms), len(minions), len(side.objectives)
    r.entry[number], r.lair[number] = side.number(side.entry), side.number(side.boss)
    r.boss_value[number, : len(side.boss_track)] = side.boss_track
    home = [_mask(k for k, (where, _) in enumerate(minions) if where == room) for room in range(len(side.rooms))]
    home[r.lair[number]] |= BOSS
    one, two = side.jumps(1), side.jumps(2)
    for room, each in enumerate(side.rooms):
        r.doors[number, room], r.loot[number, room] = _mask(doors[room]), each.loot
        r.jump1[number, room], r.jump2[number, room] = _mask(one[room]), _mask(two[room])
        r.home[number, room], r.near[number, room] = home[room], sum(home[other] for other in doors[room])
    for place, distances in enumerate(side.distances()):
        r.distance[number, place, : len(distances)] = distances
    for place, kind in enumerate(KINDS):
        r.of_kind[number, place] = _mask(k for k, (_, each) in enumerate(minions) if each == kind)
    for place, (room, goal) in enumerate(side.objectives):
        r.goal[number, place], r.goal_room[number, place] = OBJECTIVES.index(goal.kind), room
        r.goal_count[number, place], r.goal_points[number, place] = goal.count, goal.points
        of = _mask(k for k, (_, each) in enumerate(minions) if each in goal.of)
        r.goal_of[number, place] = of & r.near[number, room] if goal.kind == "kill_adjacent" else of


SHELF = Shelf(Path(__file__).with_name("content"), Content, compiled, sheet)
