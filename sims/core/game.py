"""The contract between a game and the lab.

A game is one object, `GAME = Game(...)` in its package: the fact sheet. It names the knobs, the results columns, the
policies, and the class of its *table*: a few thousand games in lockstep, one a *lane*, as NumPy arrays. The lab's
arena drives a table like this:

    table = game.table(setting, lanes)
    table.deal(every lane, game numbers)
    until no lane is busy:
        while ask := table.advance():        # play on to the next decision, None at the end of a round of play
            ask.action[:] = what the policies say to ask.view
        table.over() -> lanes; table.record(lanes, rows); table.deal(lanes, next game numbers)

What a policy sees is `ask.view`, a named tuple of arrays with the lane as last axis that shows what the deciding
seat has legally learned, and nothing else. A policy never sees the table.

In a game whose lanes are each at a decision of their own (`sims.core.records`) policies answer one view at a time, and
may be part of the loop that plays; then nobody asks.
"""

import re
from collections import namedtuple
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Annotated, Any, Literal, NamedTuple, Protocol, get_args, get_origin

import numpy as np
import pydantic
from numpy.typing import NDArray

from sims.core.content import Pack, Shelf

NAME = re.compile(r"[a-z][a-z0-9_]*")


def _whole(value: Any) -> Any:
    """`1e6` is a fine way to write a whole number; 1.5, true and "7" are not."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


Whole = Annotated[int, pydantic.BeforeValidator(_whole)]


class Settings(pydantic.BaseModel):
    """Base of every game's knobs and of every policy's weights: frozen, strict, nothing unknown, no NaN."""

    model_config = pydantic.ConfigDict(
        frozen=True, strict=True, extra="forbid", allow_inf_nan=False, validate_default=True
    )

    @pydantic.field_validator("*", mode="before")
    @classmethod
    def _tidy(cls, value: Any, info: pydantic.ValidationInfo) -> Any:
        """A set of names has one order, that of the options; true is not 1, even where 1 is an option."""
        annotation = cls.model_fields[str(info.field_name)].annotation
        options = options_of(annotation)
        if is_list(annotation) and isinstance(value, list | tuple):
            return tuple(
                sorted(dict.fromkeys(value), key=lambda each: options.index(each) if each in options else len(options))
            )
        if options and isinstance(value, bool | float) and not isinstance(options[0], bool):
            raise ValueError(f"not one of {', '.join(map(str, options))}")
        return value


def knob(default: Any, help: str, *, ruling: str = "", low: float | None = None, high: float | None = None) -> Any:
    """A rule parameter, or a weight of a policy: default, bounds (both included), one line of help, the ruling's id.

    Its type is the annotation of the field: `Whole`, `float`, `bool`, `Literal[...]`, `tuple[Literal[...], ...]` for a
    set of names, or `Annotated[str, shelf]` for a content pack (`sims.core.content`).
    """
    return pydantic.Field(default, ge=low, le=high, description=help, json_schema_extra={"ruling": ruling})


def options_of(annotation: Any) -> tuple[Any, ...]:
    """The names or numbers that a `Literal` or a tuple of `Literal` allows; none for other types."""
    if get_origin(annotation) is tuple:
        annotation = get_args(annotation)[0]
    return get_args(annotation) if get_origin(annotation) is Literal else ()


def is_list(annotation: Any) -> bool:
    """Whether a knob of this type takes a list as one value."""
    return get_origin(annotation) is tuple


def shelf_of(info: pydantic.fields.FieldInfo) -> Shelf | None:
    """Where the packs are that a knob names; None for other knobs."""
    return next((each for each in info.metadata if isinstance(each, Shelf)), None)


def packs_of(settings: Settings) -> dict[str, Pack]:
    """The content packs that these settings name, by knob."""
    shelves = {name: shelf_of(info) for name, info in type(settings).model_fields.items()}
    return {name: shelf.load(getattr(settings, name)) for name, shelf in shelves.items() if shelf}


def encode(settings: Settings) -> Any:
    """Settings as kernels read them: a named tuple of numbers.

    A name becomes its place among the options, a set of names a bit mask over them, a bool 0 or 1; a content pack
    stands there as a `Pack`, of which kernels can have the `arrays`.
    """
    codes: dict[str, Any] = {}
    packs = packs_of(settings)
    for name, info in type(settings).model_fields.items():
        value, options = getattr(settings, name), options_of(info.annotation)
        if name in packs:
            codes[name] = packs[name]
        elif is_list(info.annotation):
            codes[name] = sum(1 << options.index(each) for each in set(value))
        else:
            codes[name] = options.index(value) if isinstance(value, str) else value * 1
    return _codes(f"{type(settings).__name__} {' '.join(codes)}")(**codes)


@cache
def _codes(qualname: str) -> Any:
    """The named tuple type called NAME with these FIELDS, from "NAME FIELD FIELD ...".

    There is one for each, since Numba compiles anew for every type that it has not met, and this module gives it out by
    that name: only a type that can be looked up is found again in Numba's cache by the next process.
    """
    name, *fields = qualname.split(" ") if not qualname.endswith(" ") else [qualname[:-1]]
    made: Any = namedtuple(name, fields)  # type: ignore[misc]  # they are only known here
    made.__module__, made.__qualname__ = __name__, qualname
    return made


def __getattr__(name: str) -> Any:
    if " " in name:
        return _codes(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@dataclass(frozen=True)
class Column:
    """One number that every finished game yields, as an `int32` of at least `undefined`.

    `undefined` means "not defined in this game": it is counted, but left out of means. `headline` columns stand in
    summaries. A name that ends in `_` and a seat's number is about that seat. A column of unit "seat" holds a seat's
    number; `first_seat`, where there is one, says who played first.
    """

    name: str
    help: str
    unit: str = ""
    headline: bool = False
    labels: tuple[str, ...] = ()
    """Names of its values from 0 on, which makes it a *category*: shares are given for it, and no mean."""
    lowest: int = 0
    """The lowest value that it can have. Other than 0 only for a column that is neither a category nor a seat."""

    @property
    def undefined(self) -> int:
        """The value that says "not defined"."""
        return self.lowest - 1


@dataclass(frozen=True, eq=False)
class Option:
    """Something that a decision may come to, of which the lab counts how often policies choose it."""

    name: str
    help: str
    kinds: tuple[int, ...]
    """The kinds of decision (`view.kind`) in which it can be chosen."""
    chosen: Callable[[Any, NDArray[np.int8], NDArray[Any]], NDArray[np.bool_]]
    """`chosen(view, seat, action)`: whether each answer of a batch chose it; whatever where seat is -1. Plain NumPy."""


@dataclass(frozen=True, eq=False)
class Policy:
    """A way to play: a pure function of a batch of views, with named weights.

    function: called as `function(view, weights, prepared, action)`; writes one action a view into `action`
        (1-D, `Game.action_dtype`). It may be compiled with `sims.core.kernel` (then the arena costs it nanoseconds a
        decision) or be plain NumPy code. The same view must give the same actions, whatever else is in the batch.
        In a game whose table is `one_view`: called as `function(view, weights, prepared)`; returns the action for that
        view, and must not write what it sees. (Plain Python is possible, too, and hundreds of times slower.)
    prepare: `prepare(knobs, seats, weights) -> named tuple of arrays`, called once a cell in the parent; what it
        returns arrives as `prepared` (an empty tuple without it). knobs: the game's model, not encoded.
    uses_word: whether it reads `view.word`, the one random `uint32` a decision that it may use. The words of a
        line-up that does not need them are not drawn, and `view.word` is zeros.
    costly: whether a decision takes so long (over 20 ns or so) that it pays to show it its own views alone: then
        `view.seat` is -1 also where another policy is asked, and it may skip all those views. (Where a policy answers
        one view, it is never shown another's.)
    always: by kind of decision (`view.kind`) the action that it always gives, where there is one. A table may take
        that without asking, unless somebody watches.
    """

    name: str
    help: str
    function: Callable[..., Any]
    weights: type[Settings] = Settings
    prepare: Callable[..., Any] | None = None
    uses_word: bool = False
    costly: bool = False
    always: Mapping[int, int] = field(default_factory=dict)


def policy(
    help: str,
    *,
    name: str | None = None,
    prepare: Callable[..., Any] | None = None,
    uses_word: bool = False,
    costly: bool = False,
    always: Mapping[int, int] | None = None,
    **weights: tuple[Any, Any],
) -> Callable[[Callable[..., Any]], Policy]:
    """Make a `Policy` of a function: `@policy("what it does", below=(Whole, knob(4, "...", low=1, high=13)))`."""

    def decorate(function: Callable[..., Any]) -> Policy:
        title = name or function.__name__
        model = pydantic.create_model(f"{title}_weights", __base__=Settings, **weights)  # type: ignore[call-overload]
        return Policy(title, help, function, model, prepare, uses_word, costly, always or {})

    return decorate


class Setting(NamedTuple):
    """What one table is dealt with: everything that can change the course of its games but the policies."""

    knobs: Any
    """The game's knobs, encoded."""
    seats: int
    seed: int
    words: bool
    """Whether the policies need their random words."""
    players: tuple[Any, ...] = ()
    """By seat: what belongs to the player and not to the rules (`Game.player_knobs`, encoded); empty: the defaults."""
    always: tuple[Mapping[int, int], ...] = ()
    """By seat: what its policy always answers (`Policy.always`); empty: everybody is to be asked."""


class Ask(NamedTuple):
    """A decision that many lanes wait for."""

    view: Any
    """Named tuple: `kind` (which decision: one for the whole batch, or an array by lane), scalars, and arrays with the
    lane last; a record that holds for all lanes, and arrays of records by lane, are as good."""
    seat: NDArray[np.int8]
    """Who decides in each view; -1: nobody, the action is ignored (so that whole tables can be asked at once). Nobody
    is asked in a lane whose game is over."""
    action: NDArray[Any]
    """To be filled, one action a view."""
    lanes: NDArray[np.int32] | None
    """The lane of each view; None: view i is lane i, and every lane is shown."""


def closed(array: NDArray[Any]) -> NDArray[Any]:
    """The same memory, not to be written by whoever gets it."""
    array = array.view()
    array.setflags(write=False)
    return array


class Table(Protocol):
    """Lanes of games in lockstep. See `sims/viking/table.py` for the pattern."""

    game: NDArray[np.uint64]
    """[lane] the number of the game that is played there."""

    def __init__(self, setting: Setting, lanes: int) -> None: ...

    def deal(self, lanes: NDArray[np.int32], games: NDArray[np.uint64]) -> None:
        """Start these games in these (free) lanes."""

    def advance(self) -> Ask | None:
        """Take in the answers to the last ask and play on, in every lane; None when a round of play is complete.

        Only then may lanes be over, be dealt to, or be dropped.
        """

    def over(self) -> NDArray[np.int32]:
        """The lanes whose game has ended since they were dealt to."""

    def record(self, lanes: NDArray[np.int32], rows: NDArray[np.int32]) -> None:
        """Write `rows[j]` (winners as a bit mask of seats, then `Game.columns`) of the finished game in `lanes[j]`, and
        free the lane."""

    def busy_lanes(self) -> NDArray[np.int32]:
        """The lanes that are not free."""

    def keep(self, lanes: NDArray[np.int32]) -> None:
        """Go on with these lanes alone, in this order. They are busy."""

    def turned(self) -> NDArray[np.int32]:
        """The lanes in which a turn has ended in this round of play, and perhaps the game with it."""

    def look(self, lanes: NDArray[np.int32], sights: NDArray[np.int32]) -> None:
        """Write `sights[j]` (`Game.sights`) as a spectator sees them in `lanes[j]` now."""


class Narrator(Protocol):
    """Puts the one game of a table with one lane in words. After a round of play the table is ready for the next: a
    narrator remembers what it still wants to tell."""

    def tell(self, table: Any, ask: Ask | None) -> list[str]:
        """Lines on an answered ask, or on a round of play that is complete (None)."""


@dataclass(frozen=True, eq=False)
class Game:
    """The fact sheet of a game."""

    name: str
    title: str
    rules_version: int
    """For people; rises only when results change."""
    seats: tuple[int, ...]
    """Numbers of seats that can be played, ascending."""
    knobs: type[Settings]
    columns: Callable[[int, Any], tuple[Column, ...]]
    """`columns(seats, knobs)`, knobs as the model: what each finished game yields, in the order of `Table.record`. Must
    contain `winner` (-1 for none or shared), `unfinished` (0 or 1), and the category `ending`: how the game ended."""
    policies: dict[str, Policy]
    table: Callable[[Setting, int], Table]
    is_legal: Callable[..., bool]
    """`is_legal(view, seat, action)`: whether the actions are within the rules in all views with a seat. Where the
    table is `one_view`: `is_legal(view, action)`."""
    narrator: Callable[[Setting, Sequence[str]], "Narrator"]
    """`narrator(setting, titles)`: tells one game in words; titles: of the policies by seat."""
    action_dtype: type = np.int16
    lanes: int = 8192
    """Games in lockstep: enough to make Python's share of a step small, few enough to stay in the processor's cache."""
    scalar: str = ""
    """Module of the same rules as one plain compiled loop a game, the peer of `lab bench`."""
    sights: Callable[[int, Any], tuple[str, ...]] = lambda seats, knobs: ()
    """`sights(seats, knobs)`: names of the whole numbers that a spectator sees at the end of a turn, hidden things left
    out. For each seat `NAME_S` (S from 0); the first such name is what leads: who has most of it is ahead. Names that
    begin with `luck` are how well that turn's dice or cards fell for the seat: of expectation zero, given all that was
    before the turn and whatever anybody decides in it. (They sharpen shares of wins: `lab.control`.)"""
    exact: str = ""
    """Module with `answer(seats, knobs, lineup) -> {"win_share[0]" or column: value}`, where a cell's is known exactly;
    knobs as the model, lineup as (name, weights) by seat."""
    clairvoyant: str = ""
    """Module with `solve(setting, first, games, width) -> int8 [games]`: whether each game could be won by somebody who
    knew all its luck (its constants POSSIBLE, IMPOSSIBLE, UNDECIDED). A bound for reports, never for play."""
    is_symmetric: Callable[[Any], bool] = lambda knobs: True
    """Whether these rules treat all seats alike, because luck or nothing decides who is first."""
    player_knobs: type[Settings] = Settings
    """What belongs to a player and not to the rules, such as its speed: written like a weight of its policy, so that it
    goes where the player sits. Policies have these names free."""
    note: Callable[[Any], str] = lambda knobs: ""
    """`note(knobs)`: what must stand wherever results with these knobs (the model) are shown, such as that the content
    is invented; empty for nothing."""
    options: tuple[Option, ...] = ()
    """What decisions come to, by names that a designer would use."""
    house_seats: tuple[int, ...] = ()
    """Further numbers of seats, which can be played where the knob `house_seats` is true."""

    @property
    def policy_takes(self) -> tuple[str, ...]:
        """What its policies are called with."""
        one = "view", "weights", "prepared"
        return one if getattr(self.table, "one_view", False) else (*one, "action")

    @property
    def all_seats(self) -> tuple[int, ...]:
        return tuple(sorted(self.seats + self.house_seats))

    def column_names(self, seats: int, knobs: Any) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns(seats, knobs))


def policies_of(*modules: Any) -> dict[str, Policy]:
    """Every `Policy` in these modules, by name, sorted; an error if two share a name."""
    found: dict[str, Policy] = {}
    for each in (value for module in modules for value in vars(module).values() if isinstance(value, Policy)):
        if found.setdefault(each.name, each) is not each:
            raise ValueError(f"two policies are called {each.name!r}")
    return dict(sorted(found.items()))
