"""A pack as a reference sheet: each den as a picture in text, then heroes, bosses, tracks and dice."""

from itertools import zip_longest
from typing import Any

LETTERS = {"grunt": "G", "tough_guy": "T", "blocker": "B", "henchman": "H", "gunman": "M"}
GOALS = {
    "kill": "kill {count} of {of}",
    "clear": "clear the room in one round",
    "health": "{count} health spaces",
    "visit_adjacent": "visit all next door",
    "hit_boss": "damage the boss",
    "visit": "visit {count} rooms",
    "kill_adjacent": "kill all {of} next door",
}


def sheet(content: Any) -> str:
    """The whole pack."""
    lines = [content.title + (" (invented content)" if content.invented else ""), ""]
    lines += ["Minions: " + ", ".join(f"{letter} {kind}" for kind, letter in LETTERS.items()) + "; $ loot, * objective"]
    for board in content.dens:
        lines += ["", *picture(board.front), "", *picture(board.back)]
    lines += ["", "Bosses"]
    lines += [f"  {each.name} ({each.id}): health {each.health}{_always(each.always)}" for each in content.bosses]
    for hero in content.heroes:
        lines += ["", f"{hero.name} ({hero.id}); trait {hero.trait.name}{_always(hero.trait.always)}"]
        lines += [f"  {_tile(each)}" for each in hero.tiles]
        lines += [f"  item {each.name}{_when(each.when)}: {', '.join(each.effects)}" for each in hero.items]
    lines += ["", f"Loot track: {_listed(content.tracks.loot)}", f"Training track: {_listed(content.tracks.training)}"]
    lines += [f"Health track: {content.tracks.health} spaces"]
    lines += [f"Preparation die {n}: {', '.join(die)}" for n, die in enumerate(content.preparation, 1)]
    return "\n".join(lines)


def picture(side: Any) -> list[str]:
    """A den's side: a row of rooms for each distance from the entry, each room with its doors."""
    lines = [f"{side.name} ({side.id}), boss track {_listed(side.boss_track)}"]
    away = side.distances()[side.number(side.entry)]
    for distance in range(max(away) + 1):
        row = [_box(side, room) for room, each in zip(side.rooms, away, strict=True) if each == distance]
        widths = [len(box[0]) for box in row]
        for parts in zip_longest(*row):
            shown = [part or " " * width for part, width in zip(parts, widths, strict=True)]
            lines.append("  " + "  ".join(shown).rstrip())
    return lines


def _box(side: Any, room: Any) -> list[str]:
    role = " (entry)" * (room.id == side.entry) + " BOSS" * (room.id == side.boss)
    inside = [room.id + role, " ".join(["".join(LETTERS[kind] for kind in room.minions), "$" * room.loot]).strip()]
    inside += [f"* {_goal(each)}: {each.points}" for each in room.objectives]
    inside.append("> " + ", ".join(room.doors))
    width = max(map(len, inside))
    frame = f"+{'-' * (width + 2)}+"
    return [frame, *(f"| {line:<{width}} |" for line in inside), frame]


def _goal(goal: Any) -> str:
    return GOALS[goal.kind].format(count=goal.count, of="/".join(goal.of))


def _tile(tile: Any) -> str:
    text = f"{tile.price} {tile.name}{_when(tile.when)}{' [1x]' * tile.once}: "
    if tile.passive:
        return text + "always" + _always(tile.always)
    text += f"{' + '.join(tile.dice) or 'no dice'} = {', '.join(tile.effects)}"
    text += f" (with a hit-plus: {', '.join(tile.plus)})" if tile.plus else ""
    return text + (f"; {tile.recon} recon" if tile.dice else "")


def _when(when: str) -> str:
    return {"fighting": "", "start": " [start of fighting]", "resolution": " [resolution]"}[when]


def _always(always: Any) -> str:
    said = [f"{name.replace('_', ' ')} {value:+d}" for name, value in always.root.items()]
    return f": {', '.join(said)}" if said else ""


def _listed(values: Any) -> str:
    return " ".join(map(str, values))
