"""Content packs of Shred of Redemption: what one may say (`content/README.md`), and the arrays made of it."""

from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
import pydantic
from numpy.typing import NDArray

from sims.core.content import Line, Number, Part, Shelf, misfit, within, wrong_key
from sims.core.errors import unknown

VIRTUES = ("Kindness", "Charity", "Learning", "Restraint", "Diligence", "Humility")
"""That there are; their order is each pack's own, and numbers them."""
KINDS, FACES, CARDS, RECKONINGS, STEPS, EFFECTS = 6, 6, 64, 32, 8, 2 * 6 + 64 + 32
"""At most, or exactly: kinds of tokens and of dice, faces, cards, Reckoning cards, primitives an effect, effects."""
CHOSEN, ALL = -1, 99
"""In place of a virtue or a die; in place of a count."""

FIELDS = ("op", "count", "what", "which", "to", "may")
"""Of a primitive, as kernels read it."""
OPS = (
    *("draw", "look", "reroll", "gain", "add_regret", "remove", "return", "exhaust", "refresh", "turn"),
    *("swap", "move", "set_die", "turn_die", "swap_dice", "lose_card"),
)
WHAT = ("regret", "virtue", "any", "fresh", "used")
"""Which tokens a primitive is about."""
WHICH = ("chosen", "leftmost", "rightmost")

Names = tuple[str, ...]
Count = Annotated[int, Number(1, 12)]
CountOrAll = Annotated[int | str, Number(1, 12, ("all",))]
Die = Annotated[int | str, Number(1, 5, ("chosen",))]
Virtue = Literal["chosen", "Kindness", "Charity", "Learning", "Restraint", "Diligence", "Humility"]
Place = Literal["chosen", "leftmost", "rightmost"]


class Primitive(Part):
    """One step of an effect. The first field may be given alone: `draw: 2` is `draw: {count: 2}`."""

    def row(self, virtues: Names) -> dict[str, int]:
        """Its `FIELDS`, those that are not 0. virtues: in the pack's order."""
        said = self.model_dump()
        count = said.get("count", 1)
        row = {"count": ALL if count == "all" else count, "may": int(said.get("may", False))}
        if "what" in said:
            row["what"] = WHAT.index(said["what"])
        if "which" in said:
            row["which"] = WHICH.index(said["which"])
        return row


class Choice(Primitive):
    """One that may be left, if it says so."""

    may: bool = False


class Draw(Primitive):
    count: Count


class Look(Choice):
    count: Count


class AddRegret(Primitive):
    count: Count
    to: Literal["formation", "bag"] = "formation"

    def row(self, virtues: Names) -> dict[str, int]:
        return super().row(virtues) | {"to": int(self.to == "bag")}


class Gain(Choice):
    virtue: Virtue

    def row(self, virtues: Names) -> dict[str, int]:
        return super().row(virtues) | {"to": number_of(self.virtue, virtues)}


class Remove(Choice):
    count: CountOrAll
    what: Literal["regret", "virtue", "any", "fresh", "used"] = "regret"
    which: Place = "leftmost"


class Return(Remove):
    pass


class Exhaust(Choice):
    count: CountOrAll
    which: Place = "leftmost"

    def row(self, virtues: Names) -> dict[str, int]:
        return super().row(virtues) | {"what": WHAT.index("fresh")}


class Refresh(Choice):
    count: CountOrAll
    which: Place = "chosen"

    def row(self, virtues: Names) -> dict[str, int]:
        return super().row(virtues) | {"what": WHAT.index("used")}


class Turn(Choice):
    to: Virtue
    what: Literal["regret", "virtue", "any"] = "virtue"
    which: Place = "chosen"

    def row(self, virtues: Names) -> dict[str, int]:
        return super().row(virtues) | {"to": number_of(self.to, virtues)}


class Swap(Choice):
    pair: Literal["neighbours", "any"]

    def row(self, virtues: Names) -> dict[str, int]:
        return super().row(virtues) | {"to": int(self.pair == "any")}


class SwapDice(Swap):
    pass


class Move(Choice):
    up_to: Annotated[int, Number(1, 60)]

    def row(self, virtues: Names) -> dict[str, int]:
        return super().row(virtues) | {"to": self.up_to}


class Reroll(Choice):
    die: Annotated[int | str, Number(1, 5, ("chosen", "all"))]

    def row(self, virtues: Names) -> dict[str, int]:
        return super().row(virtues) | {"to": ALL if self.die == "all" else die_of(self.die)}


class SetDie(Choice):
    die: Die

    def row(self, virtues: Names) -> dict[str, int]:
        return super().row(virtues) | {"to": die_of(self.die)}


class TurnDie(SetDie):
    pass


class LoseCard(Choice):
    count: Count
    which: Place = "chosen"


PRIMITIVES: dict[str, type[Primitive]] = dict(
    zip(
        OPS,
        (
            *(Draw, Look, Reroll, Gain, AddRegret, Remove, Return, Exhaust, Refresh, Turn),
            *(Swap, Move, SetDie, TurnDie, SwapDice, LoseCard),
        ),
        strict=True,
    )
)


def number_of(virtue: str, virtues: Names) -> int:
    return CHOSEN if virtue == "chosen" else virtues.index(virtue)


def die_of(die: int | str) -> int:
    return CHOSEN if isinstance(die, str) else die - 1


class Step(pydantic.RootModel[tuple[str, Any]]):
    """A primitive by its name: a mapping of one key."""

    model_config = pydantic.ConfigDict(frozen=True)

    @pydantic.model_validator(mode="before")
    @classmethod
    def _read(cls, value: Any) -> Any:
        if not isinstance(value, dict) or len(value) != 1:
            raise ValueError(f"is not one primitive with what it needs, such as `draw: 2` ({', '.join(sorted(OPS))})")
        [(name, said)] = value.items()
        if name not in PRIMITIVES:
            raise wrong_key("a primitive", name, PRIMITIVES)
        model = PRIMITIVES[name]
        first = next(field for field in model.model_fields if field != "may")
        try:
            return name, model.model_validate(said if isinstance(said, dict) else {first: said})
        except pydantic.ValidationError as error:
            raise within((name,), error) from None

    @property
    def name(self) -> str:
        return self.root[0]

    @property
    def primitive(self) -> Primitive:
        found: Primitive = self.root[1]
        return found

    @property
    def may(self) -> bool:
        """Whether it may be left."""
        return isinstance(self.primitive, Choice) and self.primitive.may


Effect = Annotated[tuple[Step, ...], pydantic.Field(min_length=1, max_length=STEPS)]


class VirtueToken(Part):
    counters: Line
    use: Effect
    discard: Effect


class Card(Part):
    name: Line
    top: tuple[Literal["Kindness", "Charity", "Learning", "Restraint", "Diligence", "Humility", "Regret"], ...]
    effect: Effect


class Reckoning(Part):
    name: Line
    effect: Effect


def _all_six(given: Any) -> Any:
    """Before virtues are read: whether they are those that there are."""
    if isinstance(given, dict):
        for name in given:
            if name not in VIRTUES:
                raise wrong_key("a key here", name, VIRTUES)
        for name in VIRTUES:
            if name not in given:
                raise misfit((), f"{name} is missing")
    return given


class Content(Part):
    """A whole pack."""

    title: Line
    invented: bool = True
    virtues: Annotated[dict[str, VirtueToken], pydantic.BeforeValidator(_all_six)]
    dice: Annotated[
        dict[Line, Annotated[tuple[Line, ...], pydantic.Field(min_length=FACES, max_length=FACES)]],
        pydantic.Field(min_length=KINDS, max_length=KINDS),
    ]
    cards: Annotated[tuple[Card, ...], pydantic.Field(min_length=1, max_length=CARDS)]
    reckonings: Annotated[tuple[Reckoning, ...], pydantic.Field(min_length=1, max_length=RECKONINGS)]

    @property
    def names(self) -> Names:
        """Of the virtues, in the pack's order."""
        return tuple(self.virtues)

    @property
    def vices(self) -> Names:
        """In the order of the virtues that counter them."""
        return tuple(token.counters for token in self.virtues.values())

    @pydantic.model_validator(mode="after")
    def _fits(self) -> "Content":
        virtues, vices = self.names, self.vices
        for place, name in enumerate(virtues):
            if vices[place] in vices[:place]:
                other = virtues[vices.index(vices[place])]
                raise misfit(("virtues", name, "counters"), f"{vices[place]!r} is already countered by {other}")
        for kind, faces in self.dice.items():
            for place, vice in enumerate(faces):
                if vice not in vices:
                    raise misfit(("dice", kind, place), unknown("a vice that a virtue counters", vice, vices))
            counts = sorted(faces.count(vice) for vice in set(faces))
            if counts != [1, 1, 1, 3]:
                raise misfit(
                    ("dice", kind),
                    f"has {', '.join(f'{faces.count(vice)} x {vice}' for vice in dict.fromkeys(faces))}; a die has its "
                    "dominant vice on 3 faces and three others on 1 each",
                )
        dominant = {max(set(faces), key=faces.count): kind for kind, faces in reversed(self.dice.items())}
        for kind, faces in self.dice.items():
            vice = max(set(faces), key=faces.count)
            if dominant[vice] != kind:
                raise misfit(
                    ("dice", kind), f"has the dominant vice of {dominant[vice]}, {vice}; each kind has its own"
                )
        for key in ("cards", "reckonings"):
            names = [each.name for each in getattr(self, key)]
            for place, name in enumerate(names):
                if name in names[:place]:
                    raise misfit((key, place, "name"), f"{name!r} is already the name of {key}[{names.index(name)}]")
        return self

    def effects(self) -> list[tuple[Step, ...]]:
        """All effects by their number: six Uses and six Discards in the order of the virtues, the cards from 12, the
        Reckoning cards from 76."""
        tokens = list(self.virtues.values())
        blank: list[tuple[Step, ...]] = [()]
        cards, reckonings = [each.effect for each in self.cards], [each.effect for each in self.reckonings]
        return [
            *(each.use for each in tokens), *(each.discard for each in tokens),
            *cards, *blank * (CARDS - len(cards)), *reckonings, *blank * (RECKONINGS - len(reckonings)),
        ]  # fmt: skip


class Arrays(NamedTuple):
    """A pack as kernels read it. Kinds of tokens: the virtues in the pack's order, then regrets."""

    cards: NDArray[np.int64]
    """[1] how many."""
    reckonings: NDArray[np.int64]
    """[1] how many."""
    vice: NDArray[np.int8]
    """[kind of die, face] the virtue that counters it."""
    top: NDArray[np.int16]
    """[card, kind of token] how many stand on its top."""
    steps: NDArray[np.int8]
    """[effect] how many primitives it has."""
    step: NDArray[np.int8]
    """[effect, step, `FIELDS`]"""


def compiled(content: Content) -> Arrays:
    """The arrays of a pack."""
    effects, names, vices = content.effects(), content.names, content.vices
    top = np.zeros((CARDS, 7), np.int16)
    for place, card in enumerate(content.cards):
        for name in card.top:
            top[place, (*names, "Regret").index(name)] += 1
    step = np.zeros((EFFECTS, STEPS, len(FIELDS)), np.int8)
    for number, effect in enumerate(effects):
        for place, each in enumerate(effect):
            for field, value in ({"op": OPS.index(each.name)} | each.primitive.row(names)).items():
                step[number, place, FIELDS.index(field)] = value
    return Arrays(
        np.array([len(content.cards)]),
        np.array([len(content.reckonings)]),
        np.array([[vices.index(vice) for vice in faces] for faces in content.dice.values()], np.int8),
        top,
        np.array([len(effect) for effect in effects], np.int8),
        step,
    )


def sheet(content: Content) -> str:
    """A pack as a reference sheet."""
    lines = [content.title + (" (invented content)" if content.invented else ""), "", "Virtue tokens, in their order"]
    for name, token in content.virtues.items():
        lines += [f"  {name} counters {token.counters}", f"    use:     {words(token.use)}"]
        lines += [f"    discard: {words(token.discard)}"]
    lines += ["", "Vice dice, faces in a ring"]
    lines += [f"  {kind:<12} {', '.join(faces)}" for kind, faces in content.dice.items()]
    lines += ["", f"Redemption cards ({len(content.cards)})"]
    for number, card in enumerate(content.cards):
        lines += [f"  {number:>2} {card.name}: {', '.join(card.top) or 'no tokens'}", f"     {words(card.effect)}"]
    lines += ["", f"Reckoning cards ({len(content.reckonings)})"]
    lines += [f"  {number:>2} {each.name}: {words(each.effect)}" for number, each in enumerate(content.reckonings)]
    return "\n".join(lines)


def words(effect: tuple[Step, ...]) -> str:
    """An effect as a reference sheet has it."""
    return "; ".join(("you may " if each.may else "") + _words(each) for each in effect) + "."


def _words(step: Step) -> str:
    """A primitive in words."""
    said: Any = step.primitive
    match step.name:
        case "draw":
            return f"draw {said.count}"
        case "look":
            return f"look at {said.count} of the bag and keep one"
        case "reroll":
            return f"reroll {_die(said.die)}"
        case "gain":
            return f"add {_virtue(said.virtue)} from the supply"
        case "add_regret":
            return f"{_some(said.count, 'regret')} into the {said.to}"
        case "remove" | "return":
            where = "remove" if step.name == "remove" else "return to the bag"
            return f"{where} {_tokens(said.count, said.what, said.which)}"
        case "exhaust" | "refresh":
            return f"{step.name} {_tokens(said.count, 'fresh' if step.name == 'exhaust' else 'used', said.which)}"
        case "turn":
            return f"turn {_tokens(1, said.what, said.which)} into {_virtue(said.to)}"
        case "swap" | "swap_dice":
            things = "tokens" if step.name == "swap" else "dice"
            return f"swap two {'neighbouring ' if said.pair == 'neighbours' else ''}{things}"
        case "move":
            return f"move a token up to {said.up_to} places"
        case "set_die":
            return f"set {_die(said.die)} to another face"
        case "turn_die":
            return f"turn {_die(said.die)} to the next other vice either way"
        case _:
            return f"lose {_tokens(said.count, 'card', said.which)}"


def _some(count: int, thing: str) -> str:
    return f"{count} {thing}" + "s" * (count > 1)


def _die(die: int | str) -> str:
    return {"chosen": "a die", "all": "all dice"}.get(str(die), f"die {die}")


def _virtue(name: str) -> str:
    return "a virtue of your choice" if name == "chosen" else name


def _tokens(count: int | str, what: str, which: str) -> str:
    thing = {"any": "token", "virtue": "virtue token", "fresh": "fresh token", "used": "used token"}.get(what, what)
    if count == "all":
        return f"all {thing}s"
    if which == "chosen":
        return f"{'a' if count == 1 else count} {thing}{'s' * (count != 1)} of your choice"
    return f"the {which} {thing if count == 1 else f'{count} {thing}s'}"


SHELF = Shelf(Path(__file__).parent / "content", Content, compiled, sheet)
