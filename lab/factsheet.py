"""A game's fact sheet for the terminal."""

from typing import Any

from rich.console import Console

from lab import catalogue, tables
from sims.core.game import is_list, options_of


def factsheet(name: str, console: Console) -> None:
    """Print knobs with bounds and rulings, policies with weights, and results columns with units."""
    game = catalogue.game(name)
    console.print(f"{game.title} ({name}), rules version {game.rules_version}, seats {', '.join(map(str, game.seats))}")
    tables.show([_knob(*each) for each in game.knobs.model_fields.items()], console, title="knobs")
    policies = [
        {"policy": title, "what it does": policy.help, "weights": _weights(policy.weights)}
        for title, policy in catalogue.policies(name).items()
    ]
    tables.show(policies, console, title="policies")
    columns = [
        {"column": each.name, "meaning": each.help, "unit": each.unit, "headline": "yes" if each.headline else ""}
        for each in game.columns(game.seats[0], game.knobs())
    ]
    tables.show(columns, console, title=f"results columns (for {game.seats[0]} seats; -1: not defined)")


def _knob(name: str, info: Any) -> dict[str, str]:
    return {
        "knob": name,
        "default": _text(info.default),
        "allowed": allowed(info),
        "meaning": info.description or "",
        "ruling": (info.json_schema_extra or {}).get("ruling", ""),
    }


def allowed(info: Any) -> str:
    """The values that a knob or weight can have."""
    if options := options_of(info.annotation):
        return ("any of " if is_list(info.annotation) else "") + ", ".join(map(str, options))
    if info.annotation is bool:
        return "true, false"
    low, high = _bound(info, "ge"), _bound(info, "le")
    kind = "whole number" if info.annotation is int else "number"
    return f"{kind} {low:,} to {high:,}" if low is not None and high is not None else kind


def _bound(info: Any, name: str) -> Any:
    return next((getattr(each, name) for each in info.metadata if hasattr(each, name)), None)


def _text(value: Any) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or "none"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _weights(model: Any) -> str:
    return "; ".join(
        f"{name} = {_text(info.default)} ({allowed(info)}): {info.description}"
        for name, info in model.model_fields.items()
    )
