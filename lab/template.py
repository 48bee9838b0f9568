"""A study to begin with, for `lab new`."""

from textwrap import wrap
from typing import Any

from lab import catalogue
from lab.factsheet import seats_of
from lab.lineup import FILL, HOW_TO_NAME, allowed
from sims.core.document import NAME, one_line, scalar
from sims.core.game import Game


def template(game: Game) -> str:
    """A study to begin with: every knob with its default, and all that can be chosen as comments."""
    policies = catalogue.policies(game.name)
    lines = [f"# A study of {game.title}. A list of values is a sweep; several lists multiply."]
    alone = game.seats == (1,)
    lines += [f"question: {'How often is it won?' if alone else 'Does it matter who sits where?'}"]
    lines += [
        "# What it should show, for `lab ask`: expect: ['win_share[any seat] within 30% +- 5%']",
        f"game: {game.name}",
    ]
    lines += ["seed: 1", "games: 10_000  # game numbers a cell", "keep_games: none  # or all, or how many of the first"]
    lines += [f"seats: {game.seats[0]}  # {seats_of(game)}", "rotate_seats: false", ""]
    lines += _comment(f"Policies. {HOW_TO_NAME[0].upper()}{HOW_TO_NAME[1:]}; {FILL} fills the seats that remain.")
    for name, policy in policies.items():
        lines += _comment(f"{name}: {policy.help}", 3)
        for weight, info in policy.weights.model_fields.items():
            lines += _comment(f"{weight}={_written(info.default)}: {_described(info)}", 6)
    first, second = (list(policies) * 2)[:2]
    two = [(first,), (second,)] if alone else [(first, second + FILL), (second, first + FILL)]
    lines += ["policies:", *(f"  - {_written(line)}" for line in two), "", "knobs:"]
    for name, info in game.knobs.model_fields.items():
        lines += _comment(_described(info), 1, "  ")
        lines.append(f"  {name}: {_written(info.default)}")
    return "\n".join(lines) + "\n"


def _described(info: Any) -> str:
    """Help, what is allowed, and the ruling."""
    ruling = (info.json_schema_extra or {}).get("ruling")
    rule = allowed(info)
    return f"{info.description or ''} {rule[0].upper()}{rule[1:]}." + (f" Ruling {ruling}." if ruling else "")


def _comment(text: str, indent: int = 1, before: str = "") -> list[str]:
    """Text as lines of a comment."""
    start = f"{before}#{' ' * indent}"
    return wrap(one_line(text), 118, initial_indent=start, subsequent_indent=start + "  ", break_on_hyphens=False)


def _written(value: Any) -> str:
    """A value in YAML, for one line."""
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(_written, value))}]"
    if isinstance(value, bool):
        return str(value).lower()
    plain = str(value)
    safe = not isinstance(value, str) or (NAME.fullmatch(plain) and isinstance(scalar(plain), str))
    return plain if safe else "'" + plain.replace("'", "''") + "'"
