"""Content packs and knobs at random: any primitive with any parameters, of any length, within what a pack may say."""

import io
from random import Random
from typing import Any

from ruamel.yaml import YAML

VIRTUES = ("Kindness", "Charity", "Learning", "Restraint", "Diligence", "Humility")
VICES = ("Wrath", "Greed", "Ignorance", "Gluttony", "Sloth", "Pride")
WHICH = ("chosen", "leftmost", "rightmost")
DIE = ("chosen", "chosen", 1, 2, 3, 4, 5)
PAIR = ("neighbours", "any")
KINDS = ("regret", "virtue", "fresh", "used", "any")
KNOBS: dict[str, tuple[Any, ...]] = {
    "match": ("automatic", "declared"),
    "used_discard": ("strong", "weak"),
    "max_actions": (200, 200, 1, 2, 10, 10_000),
    "formation": (5, 5, 6, 7, 8),
    "cards": (5, 5, 0, 1, 2, 3, 4),
    "start_regrets": (6, 6, 0, 1, 3, 12),
    "choose_from": (2, 2, 1, 3, 12),
    "card_draw": (2, 2, 0, 1, 4, 10),
    "first_card": (-1, -1, -1, 0, 1, 5, 63),
}


def knobs(rng: Random) -> dict[str, Any]:
    """All by name, `content` left out; one set in three is the rulebook's."""
    settings = {name: options[0] for name, options in KNOBS.items()}
    return settings if rng.random() < 1 / 3 else {name: rng.choice(options) for name, options in KNOBS.items()}


def pack(rng: Random) -> dict[str, Any]:
    """A valid pack as YAML has it. Most are short, so that a card is met more than once; in one of four the tokens are
    of help, so that many games come to the Reckoning."""
    vices = rng.sample(VICES, 6)
    longest = rng.choice((1, 2, 2, 3, 4, 8))
    token_effect = helpful if rng.random() < 1 / 4 else effect
    return {
        "title": f"Random pack {rng.randrange(10**6)}",
        **({"invented": rng.random() < 0.5} if rng.random() < 0.5 else {}),
        "virtues": {
            name: {"counters": vice, "use": token_effect(rng, longest), "discard": token_effect(rng, longest)}
            for name, vice in zip(rng.sample(VIRTUES, 6), vices, strict=True)
        },
        "dice": {f"Life of {vice}": die(rng, vice) for vice in rng.sample(VICES, 6)},
        "cards": [
            {"name": f"Card {number}", "top": top(rng), "effect": effect(rng, longest)}
            for number in range(rng.choice((1, 2, 4, 9, 10, 11, 16, 25, rng.randint(1, 64))))
        ],
        "reckonings": [
            {"name": f"Reckoning {number}", "effect": effect(rng, longest)}
            for number in range(rng.choice((1, 2, 3, 5, rng.randint(1, 32))))
        ],
    }


def text(pack: dict[str, Any]) -> str:
    """As a person could have written it."""
    yaml = YAML(typ="safe")
    yaml.default_flow_style = None
    yaml.sort_base_mapping_type_on_output = False
    stream = io.StringIO()
    yaml.dump(pack, stream)
    return stream.getvalue()


def die(rng: Random, dominant: str) -> list[str]:
    others = rng.sample([vice for vice in VICES if vice != dominant], 3)
    return rng.sample([dominant] * 3 + others, 6)


def top(rng: Random) -> list[str]:
    """Any tokens, as often as one likes: now and then more of a kind than a byte counts."""
    often = [rng.choice((*VIRTUES, "Regret"))] * (200 if rng.random() < 0.02 else 0)
    return [rng.choice((*VIRTUES, *VIRTUES, "Regret")) for _ in range(rng.choice((0, 1, 2, 2, 3, 4, 12)))] + often


def effect(rng: Random, longest: int = 8) -> list[dict[str, Any]]:
    """Mostly single things; now and then all tokens go and come again, which leaves more gaps than anything else."""
    if longest > 1 and rng.random() < 0.02:
        come_and_go = [{"return": {"count": "all", "what": "any"}}, {"draw": 12}] * (longest // 2)
        return [*come_and_go, primitive(rng)][-longest:]
    return [primitive(rng) for _ in range(rng.randint(1, longest))]


def helpful(rng: Random, longest: int = 8) -> list[dict[str, Any]]:
    names = ("turn", "remove", "swap", "move", "set_die", "gain")
    return [primitive(rng, rng.choice(names)) for _ in range(rng.randint(1, longest))]


def primitive(rng: Random, name: str | None = None) -> dict[str, Any]:
    """Any primitive, or that of this name; in its short form if it says no more than its first thing."""
    name = name or rng.choice([*PRIMITIVES])
    first, said = PRIMITIVES[name](rng)
    if name not in ("draw", "add_regret") and rng.random() < 0.15:
        said["may"] = rng.random() < 0.8
    is_short = len(said) == 1 and rng.random() < 0.7
    return {name: said[first] if is_short else said}


def _some(rng: Random) -> int:
    return rng.choice((1, 1, 1, 1, 2, 2, 3, 4, 12))


def _any(rng: Random) -> int | str:
    """A count that may be `all`."""
    return rng.choice((1, 1, 1, 1, 2, 2, 3, 12, "all"))


def _more(rng: Random, **options: tuple[Any, ...]) -> dict[str, Any]:
    """Of what need not be said, some."""
    return {name: rng.choice(options[name]) for name in options if rng.random() < 0.5}


def _virtue(rng: Random) -> str:
    return rng.choice(("chosen", rng.choice(VIRTUES)))


PRIMITIVES: dict[str, Any] = {
    "draw": lambda rng: ("count", {"count": _some(rng)}),
    "look": lambda rng: ("count", {"count": rng.choice((1, 2, 3, 5, 12))}),
    "reroll": lambda rng: ("die", {"die": rng.choice((*DIE, "all"))}),
    "gain": lambda rng: ("virtue", {"virtue": _virtue(rng)}),
    "add_regret": lambda rng: ("count", {"count": _some(rng), **_more(rng, to=("formation", "bag"))}),
    "remove": lambda rng: ("count", {"count": _any(rng), **_more(rng, what=KINDS, which=WHICH)}),
    "return": lambda rng: ("count", {"count": _any(rng), **_more(rng, what=KINDS, which=WHICH)}),
    "exhaust": lambda rng: ("count", {"count": _any(rng), **_more(rng, which=WHICH)}),
    "refresh": lambda rng: ("count", {"count": _any(rng), **_more(rng, which=WHICH)}),
    "turn": lambda rng: ("to", {"to": _virtue(rng), **_more(rng, what=("virtue", "regret", "any"), which=WHICH)}),
    "swap": lambda rng: ("pair", {"pair": rng.choice(PAIR)}),
    "move": lambda rng: ("up_to", {"up_to": rng.choice((1, 1, 2, 3, 5, 60))}),
    "set_die": lambda rng: ("die", {"die": rng.choice(DIE)}),
    "turn_die": lambda rng: ("die", {"die": rng.choice(DIE)}),
    "swap_dice": lambda rng: ("pair", {"pair": rng.choice(PAIR)}),
    "lose_card": lambda rng: ("count", {"count": rng.choice((1, 1, 2, 5, 12)), **_more(rng, which=WHICH)}),
}
"""By name: its first thing, and all that it is given."""
