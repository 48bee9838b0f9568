"""Vengeance: the fact sheet. Read `README.md` for the rules, `content/README.md` for packs, `table.py`, `rules.py`."""

from typing import Annotated, Any, Literal

import numpy as np

from sims.core.game import Column, Game, Settings, Whole, knob, policies_of
from sims.vengeance import describe, policies, rules, tactics
from sims.vengeance.pack import BASIC, KINDS, ROOMS, SHELF
from sims.vengeance.state import ENDINGS
from sims.vengeance.table import Table


class Knobs(Settings):
    content: Annotated[str, SHELF] = knob("sample", "The content pack: dens, bosses, heroes, tiles, tracks, dice.")
    clock: Literal["ticks", "poisson"] = knob(
        "ticks", "When a player's rolls fall: evenly by its speed, or after exponential gaps.", ruling="VR1"
    )
    max_rolls: Whole = knob(
        200, "Rolls a player and Rolling Phase; then it must stop.", ruling="VR1b", low=1, high=1000
    )
    seconds_per_roll: float = knob(
        1.5, "Solo: seconds that a roll takes, against the timer.", ruling="VR2", low=0.1, high=30.0
    )
    recon_blocks: Literal["one_use", "all"] = knob(
        "one_use", "Which abilities with a recon mark get no dice: 1x tiles, or all.", ruling="VR3"
    )
    spent_counts: bool = knob(True, "Whether spent experience counts for the Training score.", ruling="VR14")
    item_charges: Whole = knob(3, "How often each item can be used in a game.", ruling="VR17", low=0, high=10)
    jump_blocked: bool = knob(True, "Whether an active Blocker stops Jumps out of its room.", ruling="VR22")
    kill_range: Literal["room", "adjacent", "den"] = knob(
        "room", "How far a Kill reaches: the room, rooms next door too, the den.", ruling="VR27"
    )
    last_resolution: bool = knob(True, "Whether round 4 has a Resolution Phase.", ruling="VR46")
    difficulty: Literal["medium", "easy", "hard"] = knob(
        "medium", "Solo: the difficulty of the challenge.", ruling="VR56"
    )
    pool: Whole = knob(0, "Fighting dice in all; 0: by seats, or by difficulty.", ruling="VR56", low=0, high=100)
    den: Whole = knob(
        -1, "The den board of every seat, by its place in the pack; -1: dealt.", ruling="VR55", low=-1, high=3
    )
    hero: Whole = knob(
        -1, "The hero of every seat, by its place in the pack; -1: dealt.", ruling="VR55", low=-1, high=3
    )
    boss: Whole = knob(
        -1, "The boss of every seat, by its place in the pack; -1: dealt.", ruling="VR55", low=-1, high=3
    )


class PlayerKnobs(Settings):
    speed: float = knob(1.0, "How fast the player rolls, against 1.", ruling="VR1", low=0.25, high=4.0)


SINGLE = (
    ("alive", "Whether {} is alive at the end.", "players"),
    ("score", "Score of {}, negative if the way out costs more; of a dead one as its board stands.", "points"),
    ("loot", "Points of {} from the Loot track.", "points"),
    ("training", "Points of {} from the Training track.", "points"),
    ("boss", "Points of {} from the boss's track.", "points"),
    ("kill", "Points of {} for its dead boss.", "points"),
    ("objectives", "Points of {} from objectives.", "points"),
    ("way_out", "Points that {} loses on the way out.", "points"),
    ("beatings", "Beatings of {}.", "Beatings"),
    ("wounds", "Wounds of {}.", "wounds"),
    ("dice", "Dice that {} took in Rolling Phases.", "dice"),
    ("tiles", "Ability tiles of {}.", "tiles"),
    ("items", "Items used by {}.", "uses"),
    ("minions", "Minions crossed out by {}.", "minions"),
    ("rooms", "Rooms visited by {}.", "rooms"),
)
"""Columns by seat: name, help, unit."""
LOWEST = {"score": -ROOMS}
"""Of those that can be negative: a room on the way out costs 1, and nothing else costs anything (VR47, VR49, VX18)."""


def columns(seats: int, knobs: Any) -> tuple[Column, ...]:
    content = SHELF.load(knobs.content).content

    def each(name: str, help: str, unit: str, **more: Any) -> tuple[Column, ...]:
        return tuple(Column(f"{name}_{s}", help.format(f"seat {s}"), unit, **more) for s in range(seats))

    def labels(things: Any) -> tuple[str, ...]:
        return tuple(thing.id for thing in things)

    tiles = [(tile.id, tile.name) for hero in content.heroes for tile in hero.tiles]
    basics = [(name, name.capitalize()) for name in BASIC]
    named = [*basics, *tiles]
    return (
        Column("winner", "Seat of the winner, -1 for none or several.", "seat"),
        *(
            column
            for name, help, unit in SINGLE
            for column in each(name, help, unit, headline=name in ("alive", "score"), lowest=LOWEST.get(name, 0))
        ),
        *(column for kind in KINDS for column in each(f"kills_{kind}", f"Crossed out by {{}}: {kind}.", "minions")),
        *each("hero", "Hero of {}.", "hero", labels=labels(content.heroes)),
        *each("den", "Side of the den of {}.", "side", labels=labels(content.sides)),
        *each("boss_id", "Boss of {}.", "boss", labels=labels(content.bosses)),
        *each("survived", "Rounds that {} survived.", "rounds"),
        *each("damage", "Damage to the boss of {}.", "damage"),
        *each("marked", "Objectives marked by {}.", "objectives"),
        *each("looted", "Rooms of which {} collected the loot.", "rooms"),
        *(
            column
            for id, name in named
            for column in each(f"uses_{id}", f"Uses of {name} by {{}}; undefined where it has no such tile.", "uses")
        ),
        Column("solo_won", "Solo: whether the challenge was won.", "games", headline=seats == 1),
        Column("rounds", "Rounds played.", "rounds", headline=True),
        Column("dry_round", "First round in whose race the pool was empty; undefined if it never was.", "round"),
        Column("unfinished", "1 when max_rolls made somebody stop.", "games", headline=True),
        Column("ending", "How the game ended, or was decided.", "way", headline=True, labels=ENDINGS),
    )  # fmt: skip


def sights(seats: int, knobs: Any) -> tuple[str, ...]:
    groups = ("points", "loot", "trained", "damage", "marked", "minions", "health", "beatings", "rooms", "tiles")
    return (*(f"{name}_{s}" for name in groups for s in range(seats)), "round")


def note(knobs: Any) -> str:
    content = SHELF.load(knobs.content).content
    return f"content pack {content.title!r} is invented: this is not the published game" if content.invented else ""


GAME = Game(
    name="vengeance",
    title="Vengeance: Roll & Fight, Episode 2",
    rules_version=1,
    seats=(1, 2, 3, 4),
    knobs=Knobs,
    columns=columns,
    sights=sights,
    policies=policies_of(policies, tactics),
    table=Table,
    is_legal=rules.is_legal,
    narrator=describe.Narrator,
    action_dtype=np.int32,
    lanes=2500,
    scalar="sims.vengeance.scalar",
    player_knobs=PlayerKnobs,
    note=note,
)
