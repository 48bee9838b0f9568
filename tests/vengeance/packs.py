"""Content packs and knobs at random: dens of any shape, any tile, item and modifier, within what a pack may say."""

from random import Random
from typing import Any

from tests.vengeance.naive import MINIONS, MODIFIERS

ICONS = ("training", "purchase", "healing", "recon", "loot")
EFFECTS = (
    *("move", "move", "hit", "hit", "shot", "jump1", "jump2", "evade", "kill", "wound", "heal", "train", "power"),
    *("sneak", "pierce", "shield"),
)
FACES = ("move", "shot", "hit", "hit_plus")
WHEN = ("fighting", "fighting", "fighting", "start", "resolution")
OF_THE_START = ("health", "experience")
"""Modifiers that a tile cannot have."""
KNOBS: dict[str, tuple[Any, ...]] = {
    "clock": ("ticks", "poisson"),
    "max_rolls": (200, 200, 1, 2, 3, 10, 1000),
    "seconds_per_roll": (1.5, 1.5, 0.1, 0.3333, 7.0, 10.0, 15.0, 30.0),
    "recon_blocks": ("one_use", "all"),
    "spent_counts": (True, False),
    "item_charges": (3, 3, 0, 1, 10),
    "jump_blocked": (True, False),
    "kill_range": ("room", "adjacent", "den"),
    "last_resolution": (True, False),
    "difficulty": ("medium", "easy", "hard"),
    "pool": (0, 0, 1, 3, 5, 9, 14, 100),
    "den": (-1, -1, -1, 0, 1, 2, 3),
    "hero": (-1, -1, -1, 0, 1, 2, 3),
    "boss": (-1, -1, -1, 0, 1, 2, 3),
}
SPEEDS = (1.0, 1.0, 1.0, 0.25, 0.5, 1.001, 2.0, 1.3337, 4.0)


def knobs(rng: Random) -> dict[str, Any]:
    """All by name, `content` left out; one set in three is the rulebook's."""
    settings = {name: options[0] for name, options in KNOBS.items()}
    return settings if rng.random() < 1 / 3 else {name: rng.choice(options) for name, options in KNOBS.items()}


def pack(rng: Random) -> dict[str, Any]:
    """A valid pack as YAML has it."""
    tracks = {
        "loot": points(rng, rng.choice((2, 5, 10, 31))),
        "training": points(rng, rng.choice((5, 9, 15, 15, 41))),
        "health": rng.choice((3, 6, 6, 8, 12)),
    }
    bosses = [boss(rng, number) for number in range(4)]
    longest = max(boss["health"] for boss in bosses) + 1
    return {
        "title": f"Random pack {rng.randrange(10**6)}",
        **({"invented": rng.random() < 0.5} if rng.random() < 0.5 else {}),
        "tracks": tracks,
        "preparation": [[rng.choice(ICONS) for _ in range(6)] for _ in range(3)],
        "heroes": [hero(rng, number, len(tracks["training"]) - 1) for number in range(4)],
        "bosses": bosses,
        "dens": [
            {
                "id": f"den_{number}",
                **{side: den(rng, f"den_{number}_{side}", tracks["health"], longest) for side in ("front", "back")},
            }
            for number in range(4)
        ],
    }


def points(rng: Random, values: int) -> list[int]:
    """A track's. Where all are alike, ties are common."""
    most = rng.choice((0, 2, 5, 50))
    return [rng.randint(0, most) for _ in range(values)]


def always(rng: Random, most: int, leave_out: tuple[str, ...] = ()) -> dict[str, int]:
    names = [name for name in MODIFIERS if name not in leave_out]
    return {name: rng.randint(*MODIFIERS[name]) for name in rng.sample(names, rng.randint(0, most))}


def bearer(rng: Random, name: str, most: int) -> dict[str, Any]:
    said = always(rng, most)
    return {"name": name, **({"always": said} if said or rng.random() < 0.2 else {})}


def boss(rng: Random, number: int) -> dict[str, Any]:
    return {"id": f"boss_{number}", "health": rng.choice((1, 2, 3, 5, 12)), **bearer(rng, f"Boss {number}", 3)}


def hero(rng: Random, number: int, spaces: int) -> dict[str, Any]:
    return {
        "id": f"hero_{number}",
        "name": f"Hero {number}",
        "trait": bearer(rng, f"Trait {number}", 4),
        "tiles": [tile(rng, f"tile_{number}_{place}", spaces) for place in range(8)],
        "items": [item(rng, f"item_{number}_{place}") for place in range(4)],
    }


def effects(rng: Random, most: int) -> list[str]:
    return [rng.choice(EFFECTS) for _ in range(rng.choice((1, 1, 2, 2, 3, most)))]


def die(rng: Random) -> str:
    faces = rng.sample(FACES, rng.choice((1, 1, 1, 2, 2, 3, 4)))
    return " or ".join(faces)


def tile(rng: Random, id: str, spaces: int) -> dict[str, Any]:
    said: dict[str, Any] = {"id": id, "name": id.capitalize(), "price": min(spaces, rng.choice((0, 1, 1, 2, 2, 3, 40)))}
    kind = rng.random()
    if kind < 0.25:
        return said | {"passive": True, "always": always(rng, 3, OF_THE_START)}
    said["effects"] = effects(rng, 6)
    if rng.random() < 0.5:
        said["when"] = rng.choice(WHEN)
    if kind < 0.4:
        return said
    said["dice"] = [die(rng) for _ in range(rng.choice((1, 1, 2, 2, 3, 4)))]
    if rng.random() < 0.3:
        said["plus"] = [rng.choice(EFFECTS) for _ in range(rng.randint(1, 2))]
    if rng.random() < 0.3:
        said["once"] = rng.random() < 0.8
    if rng.random() < 0.7:
        said["recon"] = rng.choice(("single", "single", "double", "none"))
    return said


def item(rng: Random, id: str) -> dict[str, Any]:
    more = {"when": rng.choice(WHEN)} if rng.random() < 0.5 else {}
    return {"id": id, "name": id.capitalize(), "effects": effects(rng, 6), **more}


# Dens


def den(rng: Random, id: str, health: int, longest: int) -> dict[str, Any]:
    """A side: a tree of rooms and some doors more; longest: values that its boss track needs."""
    names = [f"room_{place}" for place in range(rng.choice((2, 3, 5, 6, 7, 9, 16)))]
    doors: dict[str, list[str]] = {name: [] for name in names}
    for place, name in enumerate(names[1:], 1):
        connect(doors, name, rng.choice(names[max(0, place - 3) : place]))
    for _ in range(rng.choice((0, 1, 2, len(names)))):
        connect(doors, *rng.sample(names, 2))
    rooms: list[dict[str, Any]] = [{"id": name, "doors": rng.sample(doors[name], len(doors[name]))} for name in names]
    rng.shuffle(rooms)
    common = rng.choice(MINIONS)
    left = rng.choice((0, 6, 12, 12, 20, 40))
    for room in rooms:
        room["minions"] = [rng.choice((*MINIONS, common)) for _ in range(min(left, rng.choice((0, 1, 1, 2, 3, 9))))]
        left -= len(room["minions"])
        if rng.random() < 0.5:
            room["loot"] = rng.choice((0, 1, 1, 2, 4))
    said = {
        "id": id,
        "name": id.capitalize(),
        "entry": rng.choice(names),
        "boss": rng.choice(names),
        "boss_track": points(rng, rng.randint(longest, 13)),
        "rooms": rooms,
    }
    for _ in range(rng.choice((0, 2, 4, 8))):
        room = rng.choice(rooms)
        room.setdefault("objectives", []).append({**objective(rng, said, room, health), "points": rng.randint(1, 9)})
    for room in rooms:
        for name in ("doors", "minions"):
            if not room[name] and rng.random() < 0.5:
                del room[name]
    return said


def connect(doors: dict[str, list[str]], one: str, other: str) -> None:
    if other not in doors[one]:
        doors[one].append(other)
        doors[other].append(one)


def objective(rng: Random, den: dict[str, Any], room: dict[str, Any], health: int) -> dict[str, Any]:
    """One that can be fulfilled; its points are still to be said."""
    everybody = [kind for each in den["rooms"] for kind in each["minions"]]
    near = [kind for each in den["rooms"] if each["id"] in room["doors"] for kind in each["minions"]]
    possible: list[dict[str, Any]] = [
        {"kind": "health", "count": rng.randint(1, health)},
        {"kind": "visit_adjacent"},
        {"kind": "hit_boss"},
        {"kind": "visit", "count": rng.randint(1, len(den["rooms"]))},
    ]
    if room["minions"] or den["boss"] == room["id"]:
        possible.append({"kind": "clear"})
    if everybody:
        of = kinds(rng, everybody)
        possible.append({"kind": "kill", "of": of, "count": rng.randint(1, sum(kind in of for kind in everybody))})
    if near:
        possible.append({"kind": "kill_adjacent", "of": kinds(rng, near)})
    return rng.choice(possible)


def kinds(rng: Random, there: list[str]) -> list[str]:
    """One that is there, and perhaps more."""
    return list(dict.fromkeys([rng.choice(there), *rng.sample(MINIONS, rng.choice((0, 0, 1, 2)))]))
