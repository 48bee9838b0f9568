"""Vengeance: Roll & Fight a second time, in plain Python, written from the rules: the oracle of the simulation.

It is slow and obvious on purpose. With the simulation it shares only where luck comes from: seed, game number, purpose
and index name four random words (`sims.core.rng`, purposes in `sims/vengeance/README.md`), and the order in which
options are listed. It reads a pack as YAML has it, a mapping. So the two must agree game by game, to the last number
and the last decision. The rulings honoured are cited by id (VR1, VX1, ...).

`play` plays a game. A `Player` is a seat with its hero and its den, a `Game` what all share.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import log
from typing import Any, NamedTuple

import numpy as np

from sims.core import rng

HEROES, DENS, BOSSES, PREPARATION, ROLL, CLOCK, POLICY = 1, 2, 3, 4, 5, 6, 20
DIE = ("move", "move", "shot", "hit", "hit_plus", "wound")
FACES = ("move", "shot", "hit", "hit_plus")
"""Those that dice may be kept with; wounds always are."""
MINIONS = ("grunt", "tough_guy", "blocker", "henchman", "gunman")
ACTIONS = ("training", "purchase", "healing", "recon", "loot", "extra")
START, FIGHTING, RESOLUTION = "start", "fighting", "resolution"
MODIFIERS = {
    "health": (-2, 3), "experience": (0, 6), "training": (-1, 2), "clearing": (-1, 2), "extra": (-1, 1),
    "healing": (0, 2), "round_wounds": (0, 2), "armour": (0, 3), "boss_wounds": (-1, 3), "boss_reach": (0, 1),
    "henchman_wounds": (-1, 2), "gunman_wounds": (-1, 2), "boss_armour": (0, 3), "boss_damage": (0, 2),
    "boss_unshot": (0, 1), "guards": (0, 1), "grunt_health": (-1, 2), "tough_guy_health": (-1, 2),
    "blocker_health": (-1, 2), "henchman_health": (-1, 2), "gunman_health": (-1, 2), "unblocked": (0, 1),
    "close_fire": (0, 1), "way_out": (0, 5),
}  # fmt: skip
UNIT = 65536
"""Clocks count in this part of a mean gap."""
Option = tuple[Any, ...]


class Luck:
    """The words of one game."""

    def __init__(self, seed: int, game: int) -> None:
        self.seed, self.game = np.uint64(seed), np.uint64(game)

    def words(self, purpose: int, index: int) -> list[int]:
        return [int(word) for word in rng.words(self.seed, self.game, purpose, index)]

    def dealt(self, purpose: int) -> list[int]:
        """Four things, by seat."""
        items = np.arange(4)
        rng.shuffle(self.seed, self.game, purpose, 0, items)
        return items.tolist()


def choice(word: int, options: int) -> int:
    return int(rng.choice(word, options))


def split(word: int, options: int) -> tuple[int, int]:
    value, rest = rng.split(word, options)
    return int(value), int(rest)


class Decision(NamedTuple):
    seat: int
    kind: str
    options: list[Option]
    answer: Option
    effect: str
    """EFFECT: which"""


# Abilities and enemies ------------------------------------------------------------------------------------------------


@dataclass
class Ability:
    """A basic one or a tile; number: 0 to 11."""

    number: int
    effects: list[str]
    dice: list[list[str]] = field(default_factory=list)
    plus: list[str] = field(default_factory=list)
    recon: str = "none"
    when: str = FIGHTING
    once: bool = False
    price: int = 0
    always: dict[str, int] = field(default_factory=dict)
    is_passive: bool = False

    @property
    def sets(self) -> list[list[str]]:
        """All multisets of faces that fit, in order, the last die fastest."""
        found: list[list[str]] = []
        for faces in product(*self.dice):
            if sorted(faces) not in found:
                found.append(sorted(faces))
        return found


def faces_of(die: str) -> list[str]:
    """A hit takes a hit-plus, too."""
    return [face for word in die.split(" or ") for face in (["hit", "hit_plus"] if word == "hit" else [word])]


def basic_abilities() -> list[Ability]:
    hit, either = faces_of("hit"), faces_of("move or shot")
    return [
        Ability(0, ["move"], [["move"], ["move"]], recon="single"),
        Ability(1, ["hit"], [hit, hit, hit], plus=["hit"], recon="single"),
        Ability(2, ["shot"], [["shot"], ["shot"], faces_of("move or hit_plus")], recon="single"),
        Ability(3, ["move", "hit"], [["move"], hit, hit, either], recon="double"),
    ]


def tile(number: int, said: dict[str, Any]) -> Ability:
    dice = [faces_of(die) for die in said.get("dice", [])]
    return Ability(
        number,
        effects=said.get("effects", []),
        dice=dice,
        plus=said.get("plus", []),
        recon=said.get("recon", "double") if dice else "none",
        when=said.get("when", FIGHTING),
        once=said.get("once", False),
        price=said["price"],
        always=said.get("always", {}),
        is_passive=said.get("passive", False),
    )


@dataclass
class Minion:
    kind: str
    room: int
    is_alive: bool = True
    is_evaded: bool = False
    dots: int = 0

    @property
    def is_active(self) -> bool:
        """VR23"""
        return self.is_alive and not self.is_evaded


# A seat ---------------------------------------------------------------------------------------------------------------


class Player:
    """A seat with all that is its own."""

    def __init__(self, game: "Game", seat: int, hero: int, boss: int, den: int, speed: float) -> None:
        self.game, self.knobs, self.seat, self.speed = game, game.knobs, seat, round(1000 * speed)
        self.hero_number, self.boss_number, self.den_number, self.side_number = hero, boss, den, 0
        pack = game.pack
        self.tracks = pack["tracks"]
        self.hero, self.boss = pack["heroes"][hero], pack["bosses"][boss]
        tiles = [tile(number, said) for number, said in enumerate(self.hero["tiles"], 4)]
        self.abilities = basic_abilities() + tiles
        self.owned: set[int] = {0, 1, 2, 3}
        self.loot = self.experience = self.spent = 0
        self.health = self.wounds = self.beatings = 0
        self.died_in = 0
        """Round, from 1; 0: alive."""
        self.charges = [0] * 4
        self.used_charges = [0] * 4
        self.recons: set[int] = set()
        self.counts: Counter[Any] = Counter()
        self.is_unfinished = False

        # Of the round
        self.gains: Counter[str] = Counter()
        self.boss_hits = 0
        self.sets: Counter[tuple[int, bool]] = Counter()
        """Sets of dice that lie on abilities, by ability and whether plus effects come with them."""
        self.used_free: set[int] = set()
        self.actions: Counter[int] = Counter()
        self.has_single = self.has_double = False
        """Whether there is still a single, a double recon in this Preparation."""

        # Of the race
        self.faces: Counter[str] = Counter()
        self.unrolled = self.health_dice = self.rolls = self.clock = 0
        self.is_racing = False

    # What holds

    @property
    def is_dead(self) -> bool:
        return self.died_in > 0

    def modifier(self, name: str) -> int:
        """Of trait, boss and bought passive tiles together, cut to its range."""
        sources = [self.hero["trait"].get("always", {}), self.boss.get("always", {})]
        sources += [self.abilities[number].always for number in self.owned]
        low, high = MODIFIERS[name]
        return min(max(sum(source.get(name, 0) for source in sources), low), high)

    @property
    def limit(self) -> int:
        """VR10"""
        return 3 if self.beatings else 4

    @property
    def first_health(self) -> int:
        return int(min(3 + self.modifier("health"), self.tracks["health"]))

    @property
    def free_health(self) -> int:
        return self.health - self.wounds

    @property
    def training_spaces(self) -> int:
        return len(self.tracks["training"]) - 1

    @property
    def loot_spaces(self) -> int:
        return len(self.tracks["loot"]) - 1

    @property
    def boss_is_alive(self) -> bool:
        return bool(self.boss_damage < self.boss["health"])

    def next_door(self, room: int) -> list[int]:
        return sorted(self.room_of[name] for name in self.rooms[room].get("doors", []))

    def living(self, room: int) -> list[Minion]:
        return [minion for minion in self.minions if minion.is_alive and minion.room == room]

    def active(self, room: int, kind: str) -> int:
        return sum(minion.is_active and minion.kind == kind for minion in self.minions if minion.room == room)

    def has_enemy(self, room: int) -> bool:
        return bool(self.living(room)) or (self.boss_is_alive and room == self.boss_room)

    # Set-up

    def set_up(self, side: int) -> None:
        self.side_number = 2 * self.den_number + side
        den = self.game.pack["dens"][self.den_number][("front", "back")[side]]
        self.side, self.rooms = den, den["rooms"]
        self.room_of = {room["id"]: number for number, room in enumerate(self.rooms)}
        self.entry, self.boss_room = self.room_of[den["entry"]], self.room_of[den["boss"]]
        self.room = self.entry
        self.visited = {self.entry}  # VR30
        self.minions = [
            Minion(kind, number) for number, room in enumerate(self.rooms) for kind in room.get("minions", [])
        ]
        self.objectives = [
            (number, said) for number, room in enumerate(self.rooms) for said in room.get("objectives", [])
        ]
        self.marked: set[int] = set()
        self.icons = [room.get("loot", 0) for room in self.rooms]
        self.boss_damage = 0
        self.health = self.first_health
        self.experience = min(self.modifier("experience"), self.training_spaces)

    def begin_round(self) -> None:
        self.gains.clear()
        self.boss_hits = 0
        self.sets.clear()
        self.used_free.clear()
        self.at_start = [
            [minion for minion in self.minions if minion.is_alive and minion.room == room]
            for room in range(len(self.rooms))
        ]
        self.boss_at_start = self.boss_is_alive

    # Preparation

    def prepare(self, dice: list[str]) -> None:
        self.actions = Counter(ACTIONS.index(icon) for icon in dice)
        self.actions[5] = 1 + self.modifier("extra")
        self.has_single = self.has_double = True
        while True:
            options = [("done",), *self.action_options(), *self.tile_options()]
            chosen = self.game.decide("PREP", self, options)
            match chosen:
                case ("done",):
                    return
                case ("buy", number):
                    extra = self.modifier("extra")
                    self.spent += self.abilities[number].price
                    self.owned.add(number)
                    self.actions[5] = max(0, self.actions[5] + self.modifier("extra") - extra)
                    self.counts["tiles"] += 1
                case (deed, actions):
                    self.do(deed)
                    self.actions.subtract(actions)
                    if deed[0] == "recon":  # VR16
                        self.has_single &= len(actions) == 2
                        self.has_double &= len(actions) == 1

    def action_options(self) -> list[Option]:
        """Deeds with the actions that they use up, by their numbers: one, or two for a double recon."""
        unused = [action for action in range(6) if self.actions[action] > 0]
        single = [(deed, (action,)) for action in unused for deed in self.deeds(action)]
        pairs = [pair for pair in combinations_with_replacement(unused, 2) if self.makes_double(pair)]
        return single + [(deed, pair) for pair in pairs for deed in self.double_recons()]

    def makes_double(self, pair: tuple[int, ...]) -> bool:
        """VR61, VX5"""
        return not Counter(pair) - self.actions and all(
            action in (3, 4, 5) or not self.own_deeds(action) for action in pair
        )

    def deeds(self, action: int) -> list[Option]:
        """VR18: an impossible action stands for any other but Loot."""
        if action == 5:
            return self.others()
        if action == 4:
            return self.others() + self.own_deeds(4)
        return self.own_deeds(action) or self.others()

    def others(self) -> list[Option]:
        return [deed for action in range(4) for deed in self.own_deeds(action)]

    def own_deeds(self, action: int) -> list[Option]:
        match ACTIONS[action]:
            case "training":
                return [("train",)] if self.experience < self.training_spaces else []
            case "purchase":
                return [("purchase", item) for item in range(4) if self.charges[item] < self.knobs["item_charges"]]
            case "healing":
                marking = [("mark",)] if self.health < self.tracks["health"] else []
                return marking + ([("clear",)] if self.wounds else [])
            case "recon":
                return self.recon_deeds("single") if self.has_single else []
            case "loot":
                return [("loot",)] if self.loot < self.loot_spaces else []
        raise ValueError(action)

    def recon_deeds(self, space: str) -> list[Option]:
        return [
            ("recon", number)
            for number in sorted(self.owned)
            if self.abilities[number].recon == space and number not in self.recons
        ]

    def double_recons(self) -> list[Option]:
        return self.recon_deeds("double") if self.has_double else []

    def tile_options(self) -> list[Option]:
        """VR13"""
        have = self.experience - self.spent
        return [
            ("buy", number)
            for number in range(4, 12)
            if number not in self.owned and len(self.owned) < 8 and self.abilities[number].price <= have
        ]

    def do(self, deed: Option) -> None:
        """VR60"""
        match deed:
            case ("train",):
                self.experience = min(self.experience + 2 + self.modifier("training"), self.training_spaces)
            case ("purchase", item):
                self.charges[item] += 1
            case ("mark",):
                self.health += 1
            case ("clear",):
                self.wounds = max(0, self.wounds - 2 - self.modifier("clearing"))
            case ("recon", number):
                self.recons.add(number)
            case ("loot",):
                self.loot += 1
            case _:
                raise ValueError(deed)

    # Rolling

    @property
    def hand(self) -> int:
        return self.faces.total() + self.unrolled

    @property
    def time(self) -> Fraction:
        return Fraction(self.clock, self.speed)

    def may_get_dice(self, ability: Ability) -> bool:
        """VR3"""
        number, is_marked = ability.number, ability.number in self.recons
        if number not in self.owned or not ability.dice:
            return False
        if is_marked and (ability.once or self.knobs["recon_blocks"] == "all"):
            return False
        return not (ability.once and (self.sets[number, False] or self.sets[number, True]))

    def complete_sets(self, ability: Ability) -> list[int]:
        """Numbers of the multisets that lie in the hand."""
        return [number for number, faces in enumerate(ability.sets) if not Counter(faces) - self.faces]

    def roll_options(self) -> list[Option]:
        most = self.game.most_to_take(self)
        options: list[Option] = [("stop", taken) for taken in range(most + 1)]
        if self.rolls < self.knobs["max_rolls"]:
            options += [
                ("roll", taken, kept)
                for taken in range(most + 1)
                for kept in product(*(range(self.faces[face] + 1) for face in FACES))
                if self.hand + taken - self.faces["wound"] - sum(kept) > 0
            ]
        options += [
            ("assign", ability.number, number)
            for ability in self.abilities
            if self.may_get_dice(ability)
            for number in self.complete_sets(ability)
        ]
        if self.faces["wound"] and self.free_health > self.health_dice:  # VR5
            options.append(("endure",))
        return options

    @property
    def must_stop(self) -> bool:
        """VX4"""
        needs = [len(ability.dice) for ability in self.abilities if self.may_get_dice(ability)]
        return self.game.most_to_take(self) == 0 and all(self.hand < need for need in needs)

    def assign(self, number: int, multiset: int) -> None:
        ability = self.abilities[number]
        faces = ability.sets[multiset]
        self.faces.subtract(faces)
        self.sets[number, bool(ability.plus) and "hit_plus" in faces] += 1
        self.counts["sets"] += 1
        self.free_wounds(1)  # VR4

    def endure(self) -> None:
        self.faces["wound"] -= 1
        self.health_dice += 1
        self.free_wounds(self.faces["wound"])  # VR4

    def free_wounds(self, most: int) -> None:
        """VX2"""
        freed = min(most, self.faces["wound"])
        self.faces["wound"] -= freed
        self.unrolled += freed

    # Fighting

    def fight(self) -> None:
        """VR19"""
        self.use_abilities(START)
        self.suffer(self.health_dice)
        self.suffer(self.modifier("round_wounds"))
        self.use_abilities(FIGHTING)
        self.clear_dots()  # VR26

    def suffer(self, wounds: int) -> None:
        """VR37"""
        wounds = min(wounds, self.free_health)
        self.wounds += wounds
        self.counts["wounds"] += wounds

    def clear_dots(self) -> None:
        for minion in self.minions:
            minion.dots = 0

    def use_abilities(self, stage: str) -> None:
        while True:
            options = [("done",), *self.uses(stage), *self.marks(stage)]
            chosen = self.game.decide("FIGHT", self, options)
            match chosen:
                case ("done",):
                    return
                case ("mark", number):
                    self.marked.add(number)
                case ("item", number):
                    self.used_charges[number] += 1
                    self.counts["items"] += 1
                    self.perform(self.hero["items"][number]["effects"], stage)
                case ("use", number, how):
                    self.use(self.abilities[number], how, stage)

    def uses(self, stage: str) -> list[Option]:
        """VX6"""
        options: list[Option] = []
        for ability in self.abilities:
            if ability.when == stage and ability.effects and self.can_perform(ability.effects[0]):
                options += [("use", ability.number, how) for how in self.ways(ability)]
        for number, item in enumerate(self.hero["items"]):
            is_charged = self.charges[number] > self.used_charges[number]
            if is_charged and item.get("when", FIGHTING) == stage and self.can_perform(item["effects"][0]):
                options.append(("item", number))
        return options

    def ways(self, ability: Ability) -> Iterator[str]:
        if ability.number in self.recons:
            yield "recon"
        if self.sets[ability.number, False]:
            yield "dice"
        if self.sets[ability.number, True]:
            yield "plus"
        is_free = ability.number in self.owned and not ability.dice and not ability.is_passive
        if is_free and ability.number not in self.used_free:  # VR64b
            yield "free"

    def use(self, ability: Ability, how: str, stage: str) -> None:
        match how:
            case "recon":
                self.recons.remove(ability.number)
            case "dice" | "plus":
                self.sets[ability.number, how == "plus"] -= 1
            case "free":
                self.used_free.add(ability.number)
        self.counts["used", ability.number] += 1
        self.perform(ability.effects + (ability.plus if how == "plus" else []), stage)

    def perform(self, effects: list[str], stage: str) -> None:
        """VR20, VR21, VX7"""
        for effect in effects:
            while True:
                if not self.can_perform(effect):
                    return
                options = [("decline",), *self.targets(effect), *self.marks(stage)]
                chosen = self.game.decide("EFFECT", self, options, effect)
                if chosen[0] != "mark":
                    break
                self.marked.add(chosen[1])
            if chosen == ("decline",):
                return
            self.affect(effect, *chosen[1:])

    def can_perform(self, effect: str) -> bool:
        return bool(self.targets(effect))

    def targets(self, effect: str) -> list[Option]:
        """What an effect may be done to, ascending; ("perform",) where it has no target. Nothing: it is impossible."""
        near = [self.room, *self.next_door(self.room)]
        match effect:
            case "move" | "jump1" | "jump2":
                rooms = [] if self.is_held(effect) else self.landings(effect)
                return [("room", room) for room in rooms]
            case "hit":
                return self.strikes([self.room])
            case "shot":
                rooms = near if self.modifier("close_fire") else near[1:]
                return self.strikes(rooms, is_shot=True)
            case "evade":
                return self.enemies(lambda minion: minion.is_active and minion.room in near)
            case "kill":
                everywhere = list(range(len(self.rooms)))
                within = {"room": near[:1], "adjacent": near, "den": everywhere}[self.knobs["kill_range"]]  # VR27, VX15
                return self.enemies(lambda minion: minion.is_alive and minion.room in within)
            case "heal":
                return [("perform",)] if self.wounds else []  # VR38
            case "train":
                return [("perform",)] if self.experience < self.training_spaces else []
            case "wound" | "power" | "sneak" | "pierce" | "shield":
                return [("perform",)]  # VR66
        raise ValueError(effect)

    def is_held(self, effect: str) -> bool:
        """By a Blocker. VR22"""
        if effect != "move" and not self.knobs["jump_blocked"]:
            return False
        is_free = self.gains["sneak"] or self.modifier("unblocked")
        return not is_free and self.active(self.room, "blocker") > 0

    def landings(self, effect: str) -> list[int]:
        """VR32"""
        steps = {"move": (1,), "jump1": (2,), "jump2": (2, 3)}[effect]
        return sorted({path[-1] for path in self.paths([self.room], max(steps)) if len(path) - 1 in steps})

    def paths(self, path: list[int], steps: int) -> Iterator[list[int]]:
        """That go on from one, in which no room is twice."""
        yield path
        if steps:
            for room in self.next_door(path[-1]):
                if room not in path:
                    yield from self.paths([*path, room], steps - 1)

    def enemies(self, test: Callable[[Minion], bool]) -> list[Option]:
        """VR24: minions alone."""
        return [("enemy", number) for number, minion in enumerate(self.minions) if test(minion)]

    def strikes(self, rooms: list[int], is_shot: bool = False) -> list[Option]:
        """Whom a hit or a shot may damage in these rooms."""
        minions = self.enemies(lambda minion: minion.is_alive and minion.room in rooms)
        is_safe = is_shot and self.modifier("boss_unshot")
        return minions + [("enemy", len(self.minions))] * (self.boss_room in rooms and self.is_open and not is_safe)

    @property
    def is_open(self) -> bool:
        """Whether the boss can be damaged."""
        return self.boss_is_alive and (self.gains["pierce"] > 0 or not self.is_protected)

    @property
    def is_protected(self) -> bool:
        guards = self.active(self.boss_room, "henchman") if self.modifier("guards") else 0
        return self.active(self.boss_room, "grunt") + guards > 0

    def affect(self, effect: str, target: int = -1) -> None:
        match effect:
            case "move" | "jump1" | "jump2":
                self.room = target
                self.visited.add(target)
                self.use_up("sneak")
            case "hit" | "shot":
                self.use_up("pierce")
                self.damage(target)
            case "evade":
                self.minions[target].is_evaded = True
            case "kill":
                self.cross_out(self.minions[target])
            case "wound":
                self.suffer(1)
            case "heal":
                self.wounds = max(0, self.wounds - 1 - self.modifier("healing"))
            case "train":
                self.experience += 1
            case "power" | "sneak" | "pierce" | "shield":
                self.gains[effect] += 1

    def use_up(self, gain: str) -> None:
        self.gains[gain] = max(0, self.gains[gain] - 1)

    def damage(self, target: int) -> None:
        """VR29"""
        damage = 1 + self.gains.pop("power", 0)
        if target == len(self.minions):
            self.damage_boss(damage + self.modifier("boss_damage"))
            return
        minion = self.minions[target]
        minion.dots += damage
        if minion.dots >= self.needed(minion.kind):
            self.cross_out(minion)

    def needed(self, kind: str) -> int:
        return min(max((2 if kind == "tough_guy" else 1) + self.modifier(f"{kind}_health"), 1), 3)

    def damage_boss(self, damage: int) -> None:
        armour = self.modifier("boss_armour")
        before, after = max(0, self.boss_hits - armour), max(0, self.boss_hits + damage - armour)
        self.boss_hits += damage
        self.boss_damage = min(self.boss_damage + after - before, self.boss["health"])

    def cross_out(self, minion: Minion) -> None:
        minion.is_alive = False
        self.counts["killed", minion.kind] += 1

    # Objectives

    def marks(self, stage: str) -> list[Option]:
        """VR33, VX12"""
        if stage == RESOLUTION:
            return []
        return [
            ("mark", number)
            for number, (room, said) in enumerate(self.objectives)
            if room == self.room and number not in self.marked and self.holds(room, said)
        ]

    def holds(self, room: int, said: dict[str, Any]) -> bool:
        match said["kind"]:
            case "kill":  # VR34
                return (
                    sum(not minion.is_alive and minion.kind in said["of"] for minion in self.minions) >= said["count"]
                )
            case "clear":  # VR35, VR68
                had_boss = self.boss_at_start and room == self.boss_room
                was_there = self.at_start[room] or had_boss
                return (
                    bool(was_there)
                    and not any(minion.is_alive for minion in self.at_start[room])
                    and not (had_boss and self.boss_is_alive)
                )
            case "health":  # VR69
                return bool(self.health >= said["count"])
            case "visit_adjacent":
                return set(self.next_door(room)) <= self.visited
            case "hit_boss":  # VR67
                return self.boss_damage > 0
            case "visit":
                return bool(len(self.visited) >= said["count"])
            case "kill_adjacent":  # VR36
                there = [
                    minion
                    for minion in self.minions
                    if minion.room in self.next_door(room) and minion.kind in said["of"]
                ]
                return bool(there) and not any(minion.is_alive for minion in there)
        raise ValueError(said)

    # Resolution

    def resolve(self) -> None:
        self.recons.clear()
        self.collect()
        self.suffer(max(0, self.threats() - self.modifier("armour") - self.gains["shield"]))
        self.use_abilities(RESOLUTION)
        if self.wounds >= self.health:
            self.beat()
        for minion in self.minions:
            minion.is_evaded = False
        self.clear_dots()  # VX9

    def is_cleared(self, room: int) -> bool:
        """VR40"""
        is_boss_there = self.boss_is_alive and room == self.boss_room
        return not is_boss_there and not any(minion.is_active for minion in self.minions if minion.room == room)

    def collect(self) -> None:
        """VR39, VX11"""
        self.has_single = True
        for room in sorted(self.visited):
            if self.is_cleared(room):
                for _ in range(self.icons[room]):
                    chosen = self.game.decide("LOOT", self, [("pass",), *self.deeds(4)])
                    if chosen != ("pass",):
                        self.do(chosen)
                self.counts["looted"] += self.icons[room] > 0
                self.icons[room] = 0

    def threats(self) -> int:
        near = self.next_door(self.room)
        henchmen = self.active(self.room, "henchman")
        gunmen = sum(self.active(room, "gunman") for room in [self.room, *near])
        boss_near = self.boss_room == self.room or (self.modifier("boss_reach") > 0 and self.boss_room in near)
        wounds = henchmen * (1 + self.modifier("henchman_wounds")) + gunmen * (1 + self.modifier("gunman_wounds"))
        return wounds + (1 + self.modifier("boss_wounds") if self.boss_is_alive and boss_near else 0)

    def beat(self) -> None:
        """VR43, VR45"""
        self.wounds, self.health = 0, self.first_health
        self.beatings += 1
        if self.beatings == 2:
            self.died_in = self.game.round + 1

    # Scoring

    @property
    def training_score(self) -> int:
        """VR14, VR72"""
        spaces = self.experience - (0 if self.knobs["spent_counts"] else self.spent)
        return int(self.tracks["training"][spaces])

    @property
    def parts(self) -> dict[str, int]:
        """VR49"""
        return {
            "loot": self.tracks["loot"][self.loot],
            "training": self.training_score,
            "boss": self.side["boss_track"][self.boss_damage],
            "kill_bonus": 0 if self.boss_is_alive else 5,
            "objectives": sum(self.objectives[number][1]["points"] for number in self.marked),
            "way_out": max(0, self.way_out() - self.modifier("way_out")),
        }

    @property
    def score(self) -> int:
        parts = self.parts
        return sum(parts.values()) - 2 * parts["way_out"]

    def way_out(self) -> int:
        """Rooms with an enemy on the best of all ways. VR47, VR48"""
        rooms = range(len(self.rooms))
        fewest = {room: self.has_enemy(room) if room == self.entry else len(rooms) + 1 for room in rooms}
        for _ in rooms:
            for room in rooms:
                onwards = min(fewest[near] for near in self.next_door(room))
                fewest[room] = min(fewest[room], onwards + self.has_enemy(room))
        return int(fewest[self.room])

    @property
    def challenge(self) -> tuple[list[int], str]:
        """The winners of a solo game, and how. VR53, VR54"""
        dead = sum(not minion.is_alive for minion in self.minions)
        if not any(self.icons):
            return [0], "loot"
        return ([0], "boss") if not self.boss_is_alive and 2 * dead >= len(self.minions) else ([], "lost")


# The game -------------------------------------------------------------------------------------------------------------


class Game:
    """A game, its course. lineup: policy and speed, by seat."""

    def __init__(
        self, pack: dict[str, Any], knobs: dict[str, Any], seed: int, game: int, lineup: list[tuple[str, float]]
    ) -> None:
        self.pack, self.knobs = pack, knobs
        self.luck = Luck(seed, game)
        self.policies = [POLICIES[name](self) for name, _ in lineup]
        self.decisions: list[Decision] = []
        self.dry_rounds: list[int] = []
        self.asked = [0] * len(lineup)
        self.round = self.pool = 0
        dealt = {
            name: self.luck.dealt(purpose) if knobs[name] < 0 else [knobs[name]] * 4  # VR55, VX13
            for name, purpose in (("hero", HEROES), ("den", DENS), ("boss", BOSSES))
        }
        self.players = [
            Player(self, seat, dealt["hero"][seat], dealt["boss"][seat], dealt["den"][seat], speed)
            for seat, (_, speed) in enumerate(lineup)
        ]

    @property
    def is_solo(self) -> bool:
        return len(self.players) == 1

    @property
    def full_pool(self) -> int:
        """VR56"""
        solo = {"easy": 20, "medium": 16, "hard": 12}[self.knobs["difficulty"]]
        return int(self.knobs["pool"] or (solo, 24, 35, 46)[len(self.players) - 1])

    def decide(self, kind: str, player: Player, options: list[Option], effect: str = "") -> Option:
        """A decision with one option is not asked."""
        if len(options) == 1:
            return options[0]
        word = self.luck.words(POLICY, 2**20 * player.seat + self.asked[player.seat])[0]
        answer = self.policies[player.seat].answer(kind, player, options, word, effect)
        assert answer in options, (kind, answer, options)
        self.asked[player.seat] += 1
        self.decisions.append(Decision(player.seat, kind, options, answer, effect))
        return answer

    def play(self) -> None:
        for player in self.players:
            player.set_up(self.decide("SIDE", player, [(0,), (1,)])[0])
        for self.round in range(4):
            self.play_round([player for player in self.players if not player.is_dead])
            if all(player.is_dead for player in self.players):  # VX16
                return

    def play_round(self, alive: list[Player]) -> None:
        """VX1, VX14"""
        self.pool = self.full_pool
        words = self.luck.words(PREPARATION, self.round)
        dice = [faces[choice(words[die], 6)] for die, faces in enumerate(self.pack["preparation"])]  # VR59
        for player in alive:
            player.begin_round()
            player.faces.clear()
            player.unrolled = 0
            self.take(player, min(player.limit, self.pool))
        for player in alive:
            player.prepare(dice)
        self.race(alive)
        for player in alive:
            player.fight()
        if self.round < 3 or self.knobs["last_resolution"]:  # VR46
            for player in alive:
                player.resolve()

    def take(self, player: Player, dice: int) -> None:
        self.pool -= dice
        player.unrolled += dice

    def winners(self) -> tuple[list[int], str]:
        """Seats, and how it was decided. VR45, VR50, VR71, VR73"""
        alive = [player for player in self.players if not player.is_dead]
        if not alive:
            return [], "dead"
        if self.is_solo:
            return alive[0].challenge
        best = max(player.score for player in alive)
        first = [player for player in alive if player.score == best]
        healthiest = max(player.free_health for player in first)
        winners = [player.seat for player in first if player.free_health == healthiest]
        return winners, "scored" if len(first) == 1 else "health" if len(winners) == 1 else "shared"

    # The race

    def race(self, alive: list[Player]) -> None:
        """VR1, VX20"""
        pools = [self.pool]
        for player in alive:
            player.clock = player.rolls = player.health_dice = player.counts["sets"] = 0
            player.is_racing = player.unrolled > 0
            self.pass_time(player)
        while racing := [player for player in alive if player.is_racing]:
            player = min(racing, key=lambda player: (player.time, self.clock_words(player)[1], player.seat))
            self.roll(player)
            self.choose(player)
            pools.append(self.pool)
        if 0 in pools:
            self.dry_rounds.append(self.round + 1)

    def clock_words(self, player: Player) -> list[int]:
        """Of its next roll."""
        return self.luck.words(CLOCK, self.roll_index(player))

    def roll_index(self, player: Player) -> int:
        return 1024 * (4 * self.round + player.seat) + player.rolls + 1

    def pass_time(self, player: Player) -> None:
        is_regular = self.knobs["clock"] == "ticks"
        player.clock += UNIT if is_regular else gap(self.clock_words(player)[0] >> 20)

    def roll(self, player: Player) -> None:
        words = self.luck.words(ROLL, self.roll_index(player))
        player.faces.update(DIE[choice(words[die], 6)] for die in range(player.unrolled))
        player.unrolled = 0
        player.rolls += 1

    def most_to_take(self, player: Player) -> int:
        """VR2, VR6, VX3"""
        seconds = {"easy": 45, "medium": 30, "hard": 30}[self.knobs["difficulty"]]
        allowed = seconds * UNIT * player.speed
        if self.is_solo and player.clock * round(1000 * self.knobs["seconds_per_roll"]) > allowed:
            return 0
        return min(player.limit - player.hand, self.pool)

    def choose(self, player: Player) -> None:
        """All that a player does after a roll."""
        while player.is_racing:
            if player.must_stop:
                player.is_racing = False
                return
            could_roll = player.hand + self.most_to_take(player) > player.faces["wound"]
            if could_roll and player.rolls == self.knobs["max_rolls"]:
                player.is_unfinished = True  # VR1b
            chosen = self.decide("ROLL", player, player.roll_options())
            match chosen:
                case ("stop", taken):
                    self.take(player, taken)
                    player.counts["dice"] += taken
                    player.is_racing = False
                case ("roll", taken, kept):
                    self.take(player, taken)
                    player.counts["dice"] += taken
                    for face, count in zip(FACES, kept, strict=True):
                        player.unrolled += player.faces[face] - count
                        player.faces[face] = count
                    self.pass_time(player)
                    return
                case ("assign", number, multiset):
                    player.assign(number, multiset)
                case ("endure",):
                    player.endure()


def gap(k: int) -> int:
    """The mean of the k-th 4096th of the exponential."""
    return round(UNIT * 4096 * (_below((k + 1) / 4096) - _below(k / 4096)))


def _below(u: float) -> float:
    return u - u * log(u) if u else 0.0


def play(
    pack: dict[str, Any], knobs: dict[str, Any], seed: int, game: int, lineup: list[tuple[str, float]]
) -> tuple[dict[str, int], list[Decision]]:
    """(results, decisions) of a game. pack: as YAML has it; knobs: all by name; lineup: policy and speed, by seat."""
    played = Game(pack, knobs, seed, game, lineup)
    played.play()
    return results(played), played.decisions


def results(game: Game) -> dict[str, int]:
    """The columns of a finished game, winners as a bit mask first."""
    winners, ending = game.winners()
    found = {"winners": sum(1 << seat for seat in winners), "winner": winners[0] if len(winners) == 1 else -1}
    columns = [columns_of(player) for player in game.players]
    for name in columns[0]:
        found |= {f"{name}_{seat}": int(each[name]) for seat, each in enumerate(columns)}
    return found | {
        "solo_won": len(winners) if game.is_solo else -1,
        "rounds": game.round + 1,
        "dry_round": min(game.dry_rounds, default=-1),
        "unfinished": int(any(player.is_unfinished for player in game.players)),
        "ending": ("scored", "health", "shared", "dead", "loot", "boss", "lost").index(ending),
    }


def columns_of(player: Player) -> dict[str, Any]:
    parts, counts = player.parts, player.counts
    killed = {kind: counts["killed", kind] for kind in MINIONS}
    uses = {name: counts["used", number] for number, name in enumerate(("dash", "punch", "fire", "charge"))}
    for hero in player.game.pack["heroes"]:
        for number, said in enumerate(hero["tiles"], 4):
            has_it = hero is player.hero and number in player.owned
            uses[said["id"]] = counts["used", number] if has_it else -1
    return {
        "alive": not player.is_dead,
        "score": player.score,
        "loot": parts["loot"],
        "training": parts["training"],
        "boss": parts["boss"],
        "kill": parts["kill_bonus"],
        "objectives": parts["objectives"],
        "way_out": parts["way_out"],
        "beatings": player.beatings,
        "wounds": counts["wounds"],
        "dice": counts["dice"],
        "tiles": counts["tiles"],
        "items": counts["items"],
        "minions": sum(killed.values()),
        "rooms": len(player.visited),
        **{f"kills_{kind}": killed[kind] for kind in MINIONS},
        "hero": player.hero_number,
        "den": player.side_number,
        "boss_id": player.boss_number,
        "survived": player.died_in - 1 if player.is_dead else 4,
        "damage": player.boss_damage,
        "marked": len(player.marked),
        "looted": counts["looted"],
        **{f"uses_{name}": count for name, count in uses.items()},
    }


# Policies -------------------------------------------------------------------------------------------------------------


class Random:
    """Every decision uniform over its legal options, one choice at a time."""

    def __init__(self, game: Game) -> None:
        self.game = game

    def answer(self, kind: str, player: Player, options: list[Option], word: int, effect: str) -> Option:
        match kind:
            case "SIDE":
                return options[choice(word, 2)]
            case "PREP":
                return self.prepare(player, word)
            case "LOOT":
                return self.of_kind(player.deeds(4), word)
            case "ROLL":
                return self.roll(player, options, word)
        return first_mark(options) or options[choice(word, len(options))]

    def prepare(self, player: Player, word: int) -> Option:
        for action in range(6):
            if player.actions[action] > 0:
                deeds = dict.fromkeys(player.deeds(action), (action,))
                if action in (3, 5) and player.actions[3] + player.actions[5] >= 2:
                    pair = (3, 3) if player.actions[3] >= 2 else (3, 5) if player.actions[3] else (5, 5)
                    deeds |= dict.fromkeys(player.double_recons(), pair)
                if deeds:
                    deed = self.of_kind(list(deeds), word)
                    return deed, deeds[deed]
        options = [("done",), *player.tile_options()]
        return options[choice(word, len(options))]

    def of_kind(self, deeds: list[Option], word: int) -> Option:
        """First the kind, then which of it."""
        kinds = [("train",), ("purchase",), ("mark", "clear"), ("recon",), ("loot",)]
        lists = [[deed for deed in deeds if deed[0] in names] for names in kinds]
        lists = [each for each in lists if each]
        value, rest = split(word, len(lists))
        return lists[value][choice(rest, len(lists[value]))]

    def roll(self, player: Player, options: list[Option], word: int) -> Option:
        if sets := [option for option in options if option[0] == "assign"]:
            abilities = sorted({number for _, number, _ in sets})
            value, rest = split(word, len(abilities))
            of_it = [option for option in sets if option[1] == abilities[value]]
            return of_it[choice(rest, len(of_it))]
        taken = self.game.most_to_take(player)
        roll = ("roll", taken, (0, 0, 0, 0))
        if player.hand + taken - player.faces["wound"] < 2 or roll not in options:
            return ("stop", taken)
        return roll


class Brawler:
    """Punches, charges and runs at the nearest foe; buys no tile and uses no item."""

    def __init__(self, game: Game) -> None:
        self.game = game

    def answer(self, kind: str, player: Player, options: list[Option], word: int, effect: str) -> Option:
        match kind:
            case "SIDE":
                return options[0]
            case "PREP":
                return self.prepare(player)
            case "LOOT":
                return next((deed for deed in [("loot",), *self.free_choice()] if deed in options), ("pass",))
            case "ROLL":
                return self.roll(player, options)
            case "FIGHT":
                return first_mark(options) or self.fight(player, options)
        return first_mark(options) or self.target(player, options, effect)

    def free_choice(self) -> list[Option]:
        return [("clear",), ("train",), *(("purchase", item) for item in range(4)), ("recon", 1)]

    def prepare(self, player: Player) -> Option:
        wishes: list[list[Option]] = [
            [("train",)],
            [("purchase", item) for item in range(4)],
            [("clear",), ("mark",)],
            [("recon", 1)],
            [("loot",)],
            [],
        ]
        for action in range(6):
            if player.actions[action] > 0:
                is_free = action == 5 or not player.own_deeds(action)
                wanted = self.free_choice() if is_free else wishes[action]
                for deed in wanted:
                    if deed in player.deeds(action):
                        return deed, (action,)
        return ("done",)

    def roll(self, player: Player, options: list[Option]) -> Option:
        for number in (1, 3, 0):
            sets = [option for option in options if option[:2] == ("assign", number)]
            if sets and number == 1:
                return max(sets, key=lambda option: player.abilities[1].sets[option[2]].count("hit_plus"))
            if sets:
                return sets[0]
        if player.faces["wound"] >= 2 and ("endure",) in options:
            return ("endure",)
        taken = self.game.most_to_take(player)
        dice = player.hand + taken - player.faces["wound"]
        is_enough = player.counts["sets"] >= 3 or self.game.pool == taken or dice < 2
        kept = ("hit", "hit_plus") if dice >= 3 else ("move",)
        roll = ("roll", taken, tuple(player.faces[face] if face in kept else 0 for face in FACES))
        return ("stop", taken) if is_enough or roll not in options else roll

    def fight(self, player: Player, options: list[Option]) -> Option:
        step, foe_here = self.step(player), bool(player.strikes([player.room]))
        wanted: list[Option] = []
        if foe_here:
            wanted += [("use", 1, "recon"), ("use", 1, "plus"), ("use", 1, "dice")]
        if step is not None and player.strikes([step]):
            wanted += [("use", 3, "recon"), ("use", 3, "dice")]
        if not foe_here and step is not None:
            wanted += [("use", 0, "recon"), ("use", 0, "dice")]
        return next((option for option in wanted if option in options), ("done",))

    def step(self, player: Player) -> int | None:
        """The neighbour nearest to the nearest other room with a foe."""
        away = distances(player, player.room)
        goals = [room for room in range(len(player.rooms)) if room != player.room and player.strikes([room])]
        if not goals:
            return None
        goal = min(goals, key=lambda room: (away[room], room))
        to_goal = distances(player, goal)
        return min(player.next_door(player.room), key=lambda room: (to_goal[room], room))

    def target(self, player: Player, options: list[Option], effect: str) -> Option:
        if effect == "move":
            step = ("room", self.step(player))
            return step if step in options else options[1]
        if effect == "hit":
            for _, number in options[1:]:
                if number < len(player.minions):
                    minion = player.minions[number]
                    if minion.kind == "tough_guy" and minion.dots:
                        return ("enemy", number)
        return options[1]


def distances(player: Player, room: int) -> dict[int, int]:
    """Doors on the way from a room to all others."""
    found, edge = {room: 0}, [room]
    while edge:
        edge = [near for far in edge for near in player.next_door(far) if near not in found]
        found |= dict.fromkeys(edge, max(found.values()) + 1)
    return found


def first_mark(options: list[Option]) -> Option | None:
    return next((option for option in options if option[0] == "mark"), None)


POLICIES: dict[str, Any] = {"random": Random, "brawler": Brawler}
