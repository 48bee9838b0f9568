"""Line-ups: which policy takes which seat, and with which weights.

    threshold                       one policy serves all seats
    [threshold, keep]               one policy a seat, so two seats
    [threshold, keep...]            keep fills the seats that remain
    [[threshold, keep], random]     two line-ups: a list that contains a list
    threshold:below=3               weights; also {threshold: {below: 3}} or {policy: threshold, below: 3}
    {threshold: {below: [2, 3]}}    two line-ups: a list of weights is a sweep
    path/to/file.py:function        a policy from elsewhere, weights as above
    all pairs of [a, b, c]          a population, see `lab.population`

Everything that a user gave is a `Given`, a value with its place, so that every error can say where.
"""

import itertools
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import pydantic
from pydantic.fields import FieldInfo

from lab import catalogue
from lab.cell import Entry, seats_in_words
from lab.errors import BadInput, unknown
from lab.population import HOW, PAIRS, Mixture, kind_of, policies_of
from sims.core.document import Given, one_line, scalar
from sims.core.game import Game, Policy, Settings, is_list, options_of, shelf_of

MAX_CELLS = 100_000
"""More in one study is an error, found before any is made."""
FILL = "..."
ENTRY = re.compile(r"(?P<policy>.+\.py:\w+|[^:]+)(?::(?P<weights>.*))?")
HOW_TO_NAME = "a policy is a name, name:weight=value, file.py:function, or {name: {weight: value}}"
PLAIN_ERRORS = {
    "int_type", "int_from_float", "float_type", "finite_number", "bool_type", "tuple_type", "string_type",
    "literal_error", "greater_than_equal", "less_than_equal",
}  # fmt: skip
"""pydantic's errors that `allowed` says better."""


def allowed(info: FieldInfo) -> str:
    """What a knob or a weight may be, in words."""
    options, shelf = options_of(info.annotation), shelf_of(info)
    if shelf:
        return f"a content pack ({', '.join(shelf.names)}, or a file NAME.yaml)"
    if is_list(info.annotation):
        return f"a list of any of {', '.join(map(str, options))}"
    if options:
        return f"one of {', '.join(map(str, options))}"
    if info.annotation is bool:
        return "true or false"
    kind = "a whole number" if info.annotation is int else "a number" if info.annotation is float else "a value"
    low, high = (next((getattr(m, b) for m in info.metadata if hasattr(m, b)), None) for b in ("ge", "le"))
    if low is not None and high is not None:
        return f"{kind} from {low} to {high}"
    if low is None and high is None:
        return kind
    return f"{kind} of at least {low}" if high is None else f"{kind} of at most {high}"


def choices(model: type[Settings], name: str, given: Given) -> list[Any]:
    """The values that a knob or a weight is to take: one, or those of a sweep."""
    given = _read(model, name, given) if given.raw else given
    values = given.value
    if not isinstance(values, list):
        return [value_of(model, name, given)]
    if is_list(model.model_fields[name].annotation) and not any(isinstance(each.value, list) for each in values):
        return [value_of(model, name, given)]
    return [value_of(model, name, each) for each in some(given)]


def _read(model: type[Settings], name: str, given: Given) -> Given:
    """Text as the value that a knob or a weight wants: `3`; a list as `lust,greed`, an empty one as `none`."""
    annotation = model.model_fields[name].annotation
    options = options_of(annotation)

    def piece(text: str) -> Given:
        return replace(given, value=text if text in options or not text else scalar(text), raw=False)

    if not is_list(annotation):
        return piece(given.value)
    texts = [] if given.value == "none" and "none" not in options else given.value.split(",")
    return replace(given, value=[piece(each.strip()) for each in texts], raw=False)


def some(given: Given) -> list[Given]:
    """The values of a sweep: at least one."""
    if not given.value:
        raise given.error("is an empty sweep; at least one value is needed")
    found: list[Given] = given.value
    return found


def value_of(model: type[Settings], name: str, given: Given) -> Any:
    """One value of a knob or a weight, checked by itself. Lists of names come in the order of their options, once."""
    info = model.model_fields[name]
    options = options_of(info.annotation)
    value = tuple(each.value for each in given.value) if isinstance(given.value, list) else given.value
    if isinstance(value, bool) and options and value not in [each for each in options if isinstance(each, bool)]:
        raise given.wrong(f"is not {allowed(info)}")  # pydantic takes True for 1
    try:
        found = _adapter(model, name).validate_python(value)
    except pydantic.ValidationError as error:
        raise _complaint(name, info, given, error) from None
    if not is_list(info.annotation):
        return found
    if twice := next((each for each in given.value if found.count(each.value) > 1), None):
        raise twice.wrong("stands twice")
    return tuple(sorted(found, key=options.index))


@cache
def _adapter(model: type[Settings], name: str) -> pydantic.TypeAdapter[Any]:
    """Checks one field alone, whatever the others of its model are."""
    info = model.model_fields[name]
    kind: Any = Annotated[info.annotation, name, *info.metadata]
    return pydantic.TypeAdapter(kind, config=model.model_config)


def _complaint(name: str, info: FieldInfo, given: Given, error: pydantic.ValidationError) -> BadInput:
    """What is wrong with a value, in the lab's words where it has better ones than pydantic."""
    first = error.errors(include_url=False, include_input=False)[0]
    if first["loc"] and isinstance(given.value, list):
        given = given.value[int(first["loc"][0])]
    options = options_of(info.annotation)
    if first["type"] not in PLAIN_ERRORS:
        return given.wrong(f"refused: {one_line(first['msg']).removeprefix('Value error, ')}")
    if first["type"] == "literal_error" and all(isinstance(each, str) for each in (given.value, *options)):
        return given.error(unknown(f"an option of {name}", given.value[:200], options))
    return given.wrong(f"is not {allowed(info)}")


def make(model: type[Settings], values: Mapping[str, Any], given: Given) -> Any:
    """All settings together, as their model: it may know of combinations that do not go."""
    try:
        return model(**values)
    except pydantic.ValidationError as error:
        text = one_line(error.errors(include_url=False, include_input=False)[0]["msg"]).removeprefix("Value error, ")
        listed = ", ".join(f"{name}={value}" for name, value in values.items())
        raise given.error(f"refused: {text} ({one_line(listed)[:200]})") from None


def multiply(lists: Sequence[Sequence[Any]], given: Given) -> list[tuple[Any, ...]]:
    """All combinations, the last list fastest."""
    if (count := math.prod(map(len, lists))) > MAX_CELLS:
        raise given.error(f"makes {count:,} combinations; at most {MAX_CELLS:,}")
    return list(itertools.product(*lists))


@dataclass(frozen=True)
class Lineup:
    """A line-up that may yet fill any number of seats."""

    entries: tuple[Entry, ...]
    filler: int | None
    """Which entry takes the seats that remain."""
    given: Given

    def fits(self, seats: int) -> bool:
        spare = seats - len(self.entries)
        return spare == 0 if self.filler is None else spare >= -1

    def seated(self, seats: int) -> tuple[Entry, ...]:
        """One entry a seat."""
        if self.filler is None:
            return self.entries
        before, after = self.entries[: self.filler], self.entries[self.filler + 1 :]
        return before + self.entries[self.filler : self.filler + 1] * (seats - len(before) - len(after)) + after

    def fewest(self, seats: Iterable[int]) -> int:
        """The smallest of these numbers of seats that it fits."""
        return min(filter(self.fits, seats))

    def size(self, seats: int) -> int:
        """It is one line-up; a mixture (`lab.population`) is many."""
        return 1

    def members(self, seats: int) -> list[tuple[tuple[Entry, ...], float]]:
        return [(self.seated(seats), 1.0)]


@dataclass(frozen=True)
class _Place:
    """One place of a line-up: an entry for each combination of its weights."""

    entries: list[Entry]
    fills: bool


def read_population(game: Game, given: Given, folder: Path) -> list[Lineup | Mixture]:
    """The line-ups and mixtures that a value of `policies` stands for, one at a time."""
    kind = kind_of(given)
    if not kind:
        return list(_lineups(game, given, folder))
    named = [(entry, weight) for each, weight in policies_of(given, kind) for entry in _entries(game, each, folder)]
    entries = tuple(entry for entry, _ in named)
    if twice := next((entry.title for entry in entries if entries.count(entry) > 1), None):
        raise given.error(f"has {twice} twice; {HOW[kind]}")
    if kind == PAIRS:
        if len(entries) * (len(entries) - 1) > MAX_CELLS:
            raise given.error(f"makes more than {MAX_CELLS:,} line-ups")
        return [Lineup(pair, 1, given) for pair in itertools.permutations(entries, 2)]
    whole = sum(weight for _, weight in named)
    return [Mixture(entries, tuple(weight / whole for _, weight in named), given)]


def read_entry(game: Game, given: Given, folder: Path) -> Entry:
    """One policy with its weights."""
    return _entries(game, given, folder)[0]


def _entries(game: Game, given: Given, folder: Path) -> list[Entry]:
    """A policy of a population, once for each combination of its weights."""
    place = _place(game, given, folder)
    if place.fills:
        raise given.wrong(f"fills seats; here a policy stands without {FILL}")
    return place.entries


def read_lineups(game: Game, given: Given, folder: Path, *, one_each: bool = False) -> list[Lineup | Mixture]:
    """The line-ups that a value of `policies` stands for.

    folder: where paths to policies are looked up second, after the current directory. one_each: the value is a list
    of line-ups in any case, each without a sweep of weights.
    """
    values = some(given) if isinstance(given.value, list) else None
    listed = values is not None and (one_each or any(isinstance(each.value, list) or kind_of(each) for each in values))
    found: list[Lineup | Mixture] = []
    for each in values if listed and values else [given]:
        made = read_population(game, each, folder)
        if one_each and len(made) > 1:
            why = "stands for several line-ups" if kind_of(each) else "sweeps weights"
            raise each.error(f"{why}; lists that advance together cannot do that")
        found += made
        if len(found) > MAX_CELLS:
            raise given.error(f"makes more than {MAX_CELLS:,} line-ups")
    return found


def _lineups(game: Game, given: Given, folder: Path) -> list[Lineup]:
    """One line-up as it is written, once for each combination of weights."""
    values = given.value if isinstance(given.value, list) else [given]
    if not values:
        raise given.error("is an empty line-up; at least one policy is needed")
    most = max(game.all_seats)
    if len(values) > most + 1:  # the one that fills may fill none
        raise given.error(f"has {len(values)} policies; {game.name} has at most {seats_in_words(most)}")
    places = [_place(game, each, folder) for each in values]
    fillers = [i for i, place in enumerate(places) if place.fills]
    if len(fillers) > 1:
        raise values[fillers[1]].error(f"is the second policy with {FILL}; only one can fill the seats that remain")
    filler = fillers[0] if fillers else 0 if len(places) == 1 else None
    made = [Lineup(entries, filler, given) for entries in multiply([place.entries for place in places], given)]
    if not any(map(made[0].fits, game.all_seats)):
        seats = ", ".join(map(str, game.all_seats))
        raise given.error(f"has {len(values)} policies; {game.name} has at most {seats_in_words(most)} ({seats})")
    return made


def _place(game: Game, given: Given, folder: Path) -> _Place:
    name, inner = _split(given)
    text = name.value.removesuffix(FILL).strip()
    match = ENTRY.fullmatch(text)
    title, policy = _find(game, name, match["policy"].strip() if match else text, folder)
    weights = {} if match is None or match["weights"] is None else _weights(name, match["weights"])
    if twice := next((weight for weight in inner if weight in weights), None):
        raise inner[twice].error("is set twice")
    weights |= inner
    values = {}
    for weight, value in weights.items():
        if weight not in policy.weights.model_fields:
            raise replace(given, value=weights).wrong_key(f"a weight of {title}", weight, policy.weights.model_fields)
        values[weight] = choices(policy.weights, weight, value)
    combinations = multiply(list(values.values()), given)
    entries = [Entry(title, make(policy.weights, dict(zip(values, each, strict=True)), given)) for each in combinations]
    return _Place(entries, name.value.endswith(FILL))


def _split(given: Given) -> tuple[Given, dict[str, Given]]:
    """The text that names the policy, and the weights that stand beside it in a mapping."""
    if isinstance(given.value, str):
        return given, {}
    if not isinstance(given.value, dict) or not given.value:
        raise given.wrong(f"is not a policy; {HOW_TO_NAME}")
    rest = dict(given.value)
    if "policy" in rest:
        name = rest.pop("policy")
        if not isinstance(name.value, str):
            raise name.wrong(f"is not a policy; {HOW_TO_NAME}")
        return name, rest
    if len(rest) > 1:
        raise given.error(f"has {len(rest)} keys and none is `policy`; {HOW_TO_NAME}")
    [(text, inner)] = rest.items()
    return replace(inner, value=text, where=given.where), inner.named("weights")


def _weights(name: Given, text: str) -> dict[str, Given]:
    """The weights in `below=3,top=0.5`."""
    found: dict[str, Given] = {}
    for piece in text.split(","):
        weight, equals, value = (part.strip() for part in piece.partition("="))
        if not (weight and equals and value):
            raise name.wrong(f"has {piece[:80]!r} where weight=value should stand")
        if weight in found:
            raise name.wrong(f"sets {weight[:80]!r} twice")
        found[weight] = Given(value, f"{name.where} {weight[:80]}", name.line, raw=True)
    return found


def _find(game: Game, given: Given, name: str, folder: Path) -> tuple[str, Policy]:
    """A policy, and its name: a relative path as it leads there from the current directory."""
    if name.endswith(".py"):
        raise given.wrong("names no function; write file.py:function")
    try:
        if (match := catalogue.PATH.fullmatch(name)) and not Path(match["file"]).is_file():
            second = folder / match["file"]
            name = f"{second}:{match['function']}" if second.is_file() else name
        return name, catalogue.policy(game.name, name)
    except BadInput as error:
        raise type(error)(str(given.error(one_line(error)))) from error
    except OSError as error:
        raise given.wrong(f"cannot be read: {error.strerror}") from error
