"""A game's fact sheet for the terminal."""

from typing import Any

from rich.console import Console

from lab import catalogue, tables
from lab.cell import seats_in_words
from lab.errors import BadInput
from lab.lineup import allowed
from sims.core.content import Shelf
from sims.core.game import Game, shelf_of


def factsheet(name: str, console: Console) -> None:
    """Print knobs with bounds and rulings, policies with weights, and results columns with units."""
    game, known = catalogue.game(name), catalogue.policies(name)
    console.print(f"{game.title} ({name}), rules version {game.rules_version}, seats {seats_of(game)}")
    tables.show([_knob(*each) for each in game.knobs.model_fields.items()], console, title="knobs")
    policies = [
        {"policy": title, "what it does": policy.help, "weights": _weights(policy.weights)}
        for title, policy in known.items()
    ]
    tables.show(policies, console, title="policies")
    columns = [
        {
            "column": each.name,
            "meaning": each.help,
            "unit": each.unit + (f", from {each.lowest} on; {each.undefined}: not defined" if each.lowest else ""),
            "headline": "yes" if each.headline else "",
            "names of its values": ", ".join(each.labels),
        }
        for each in game.columns(game.seats[0], game.knobs())
    ]
    tables.show(columns, console, title=f"results columns (for {seats_in_words(game.seats[0])}; -1: not defined)")
    if shelf := _shelf(game):
        packs = f"{', '.join(shelf.names)}, or a file NAME.yaml"
        console.print(f"`lab game {name} --content PACK` prints a content pack ({packs}) as a reference sheet")


def reference_sheet(name: str, content: str) -> str:
    """A content pack of a game, checked, in plain text."""
    shelf = _shelf(catalogue.game(name))
    if shelf is None:
        raise BadInput(f"{name} is not played with content packs")
    return shelf.sheet(shelf.load(content).content)


def _shelf(game: Game) -> Shelf | None:
    """Where the content packs of a game are."""
    return next((shelf for info in game.knobs.model_fields.values() if (shelf := shelf_of(info))), None)


def seats_of(game: Game) -> str:
    """How many may play: `3, 4, 5, 6 (2, 7 with house_seats)`."""
    house = ", ".join(map(str, game.house_seats))
    return ", ".join(map(str, game.seats)) + (f" ({house} with house_seats)" if house else "")


def _knob(name: str, info: Any) -> dict[str, str]:
    return {
        "knob": name,
        "default": _text(info.default),
        "allowed": allowed(info),
        "meaning": info.description or "",
        "ruling": (info.json_schema_extra or {}).get("ruling", ""),
    }


def _text(value: Any) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or "none"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _weights(model: Any) -> str:
    return "; ".join(
        f"{name} = {_text(info.default)} ({allowed(info)}): {info.description}"
        for name, info in model.model_fields.items()
    )
