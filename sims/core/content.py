"""Content packs: what a game is played with, as a file that a person can write.

A game that plays packs has a `Shelf`, and a knob of type `Annotated[str, shelf]` whose value names one: a pack of the
game's own folder (`sample`) or a file (`my-pack.yaml`). A pack is YAML, read by `sims.core.document`, and checked
against the game's pydantic model; what is wrong with it is one line with file, line and what was expected. `encode`
puts a `Pack` in the knob's place. Its arrays, which are for kernels, should be of fixed sizes, so that kernels are
compiled once for all packs.
"""

import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import pydantic
from pydantic_core import PydanticCustomError, core_schema

from sims.core.errors import BadInput, unknown

if TYPE_CHECKING:
    from sims.core.document import Given

Place = tuple[str | int, ...]
"""Where in a pack: keys and places in lists, `("cards", 3, "top")`."""


class Part(pydantic.BaseModel):
    """Base of what a pack consists of: frozen, strict, nothing unknown."""

    model_config = pydantic.ConfigDict(frozen=True, strict=True, extra="forbid", allow_inf_nan=False)

    @pydantic.model_validator(mode="before")
    @classmethod
    def _known(cls, value: Any) -> Any:
        """Keys that the model does not have are named with the nearest that it has."""
        if not isinstance(value, dict):
            raise PydanticCustomError("mapping", "is not a mapping of {keys}", {"keys": ", ".join(cls.model_fields)})
        for key in value:
            if key not in cls.model_fields:
                raise wrong_key("a key here", key, cls.model_fields)
        return value


def misfit(place: Place, text: str) -> PydanticCustomError:
    """What a model's validator raises about something that stands at a place within it."""
    return PydanticCustomError("misfit", "{text}", {"text": text, "place": place})


def wrong_key(what: str, key: str, allowed: Iterable[str]) -> PydanticCustomError:
    """What a model's validator raises about a key of its mapping that is not `what`."""
    return PydanticCustomError("key", "{key} is not {what}", {"what": what, "key": key, "allowed": tuple(allowed)})


def within(place: Place, error: pydantic.ValidationError) -> PydanticCustomError:
    """What a model's validator raises where it has validated what stands at a place within it, and that went wrong."""
    return PydanticCustomError("within", "{inner}", {"inner": _first(error), "place": place})


@dataclass(frozen=True)
class Number:
    """In `Annotated`: a whole number within bounds, or one of these names. (true is no number.)"""

    low: int
    high: int
    names: tuple[str, ...] = ()

    def __get_pydantic_core_schema__(self, source: Any, handler: pydantic.GetCoreSchemaHandler) -> Any:
        return core_schema.no_info_plain_validator_function(self._accepted)

    def _accepted(self, value: Any) -> Any:
        if value in self.names or (type(value) is int and self.low <= value <= self.high):
            return value
        allowed = (f"a whole number from {self.low} to {self.high}", *map(repr, self.names))
        raise ValueError(f"is not {' or '.join(allowed)}")


def _line(text: str) -> str:
    if not text.isprintable() or not 1 <= len(text.strip()) == len(text) <= LONGEST_LINE:
        raise ValueError(f"is not a line of 1 to {LONGEST_LINE} characters that can be printed, without blanks around")
    return text


LONGEST_LINE = 60
Line = Annotated[str, pydantic.AfterValidator(_line)]
"""A name or a title."""


@dataclass(frozen=True, eq=False)
class Pack:
    """A pack that can be played."""

    title: str
    content: Any
    """The game's model of it."""
    arrays: Any
    """What `Shelf.compiled` made of it for kernels: a named tuple of arrays, read-only."""
    digest: str
    """16 hex digits of all that it says."""


@dataclass(frozen=True, eq=False)
class Shelf:
    """The packs of a game.

    folder: of the game's own packs, NAME.yaml each. model: of a pack, a `Part` with a field `title`. compiled: makes a
    model's arrays. sheet: a pack as a reference sheet in plain text.
    """

    folder: Path
    model: type[Part]
    compiled: Callable[[Any], Any]
    sheet: Callable[[Any], str]

    def __get_pydantic_core_schema__(self, source: Any, handler: pydantic.GetCoreSchemaHandler) -> Any:
        """Lets `Annotated[str, shelf]` accept what can be loaded, and nothing else."""
        return core_schema.no_info_after_validator_function(self._accepted, handler(source))

    def _accepted(self, name: str) -> str:
        try:
            self.load(name)
        except BadInput as error:
            raise ValueError(str(error)) from error
        return name

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(sorted(path.stem for path in self.folder.glob("*.yaml")))

    def path_of(self, name: str) -> Path:
        """Of a pack by name, or of a file."""
        if name in self.names:
            return self.folder / f"{name}.yaml"
        if name.endswith((".yaml", ".yml")):
            return Path(name)
        raise BadInput(
            unknown("a pack; a file ends in .yaml, a pack of the game is one of its names", name, self.names)
        )

    def load(self, name: str) -> Pack:
        """A pack by name or by file. Raises `BadInput`, one line, for whatever is wrong with it."""
        path = self.path_of(name)
        changed = path.stat().st_mtime_ns if path.is_file() else 0
        key = (str(path), changed)
        if key not in _LOADED:
            _LOADED[key] = self._read(path)
        return _LOADED[key]

    def _read(self, path: Path) -> Pack:
        from sims.core.document import read_document  # a reader of YAML, which most workers do not need

        given = read_document(path, "content pack", "a title")
        content = _checked(self.model, given)
        arrays = self.compiled(content)
        for array in arrays:
            array.flags.writeable = False
        said = json.dumps(content.model_dump(mode="json"))  # the order of keys counts, as the order of dice does
        return Pack(content.title, content, arrays, hashlib.sha256(said.encode()).hexdigest()[:16])


_LOADED: dict[tuple[str, int], Pack] = {}
"""Packs by file and time of change."""


def _plain(given: "Given") -> Any:
    if isinstance(given.value, dict):
        return {key: _plain(each) for key, each in given.value.items()}
    return tuple(map(_plain, given.value)) if isinstance(given.value, list) else given.value


def _find(given: "Given", place: Place) -> tuple["Given", Place]:
    """What stands at a place, or the nearest that holds it, and what is left of the place then."""
    for step, key in enumerate(place):
        inside = given.value
        keys = inside.keys() if isinstance(inside, dict) else range(len(inside)) if isinstance(inside, list) else ()
        if key not in keys:
            return given, place[step:]
        given = inside[key]
    return given, ()


def _checked(model: type[Part], given: "Given") -> Any:
    try:
        return model.model_validate(_plain(given))
    except pydantic.ValidationError as error:
        _complain(given, _first(error), ())


def _first(error: pydantic.ValidationError) -> Any:
    return error.errors(include_url=False)[0]


def _complain(given: "Given", error: Any, place: Place) -> NoReturn:
    """An error of pydantic's about what stands at a place, with the line of the file."""
    from sims.core.document import one_line

    context = error.get("ctx", {})
    place = (*place, *error["loc"], *context.get("place", ()))
    found, rest = _find(given, place)
    match error["type"]:
        case "within":
            _complain(given, context["inner"], place)
        case "missing":
            raise found.error(f"{rest[0]} is missing")
        case "misfit":
            raise found.error(context["text"])
        case "key":
            raise found.wrong_key(context["what"], context["key"], context["allowed"])
        case "literal_error" if isinstance(found.value, str):
            options = [each.strip("'") for each in context["expected"].replace(" or ", ", ").split(", ")]
            raise found.error(unknown("what can stand here", found.value, options))
        case "too_short":
            few = context["actual_length"]
            raise found.error(f"has {few} item{'s' * (few != 1)}; it needs at least {context['min_length']}")
        case "too_long":
            raise found.error(f"has more than {context['max_length']} items, which is the most")
    text = WANTED.get(error["type"]) or one_line(error["msg"]).removeprefix("Value error, ")
    text = text.replace("Input should be", "is not")
    raise found.error(f"{str(place[-2])[:80]!r} {text}") if rest == ("[key]",) else found.wrong(text)


WANTED = {
    "tuple_type": "is not a list",
    "dict_type": "is not a mapping",
    "string_type": "is not text",
    "bool_type": "is not true or false",
}
"""What pydantic calls otherwise."""
