"""The contract's own parts: settings that refuse what is not meant, and their encoding for kernels."""

from types import SimpleNamespace
from typing import Literal

import numpy as np
import pydantic
import pytest

from sims.core.game import Policy, Settings, Whole, encode, is_list, knob, options_of, policies_of, policy
from sims.core.kernel import kernel

NAN, INFINITY = float("nan"), float("inf")

Suit = Literal["clubs", "hearts", "spades"]


class Knobs(Settings):
    """One knob of every type."""

    life: Whole = knob(12, "Life at the start.", ruling="T1", low=1, high=99)
    gap: float = knob(0.5, "Mean gap.", low=0.0, high=10.0)
    open: bool = knob(True, "Cards lie open.")
    order: Literal["old", "new", "none"] = knob("new", "Who goes first.", ruling="T2")
    seats: Literal[2, 3, 5] = knob(3, "Seats.")
    suits: tuple[Suit, ...] = knob(("hearts",), "Suits in play.")


# Settings -------------------------------------------------------------------------------------------------------------


def test_defaults():
    assert Knobs().model_dump() == {
        "life": 12,
        "gap": 0.5,
        "open": True,
        "order": "new",
        "seats": 3,
        "suits": ("hearts",),
    }


@pytest.mark.parametrize(
    ("name", "value", "kept"),
    [
        ("life", 7, 7),
        ("life", 1, 1),
        ("life", 99, 99),
        ("life", 7.0, 7),
        ("life", 1e1, 10),
        ("gap", 0.0, 0.0),
        ("gap", 10.0, 10.0),
        ("gap", 3, 3.0),
        ("open", False, False),
        ("order", "none", "none"),
        ("seats", 5, 5),
        ("suits", (), ()),
        ("suits", ("spades", "clubs"), ("clubs", "spades")),  # in the order of the options
    ],
)
def test_accepted(name, value, kept):
    found = getattr(Knobs(**{name: value}), name)
    assert (found, type(found)) == (kept, type(kept))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("life", value) for value in (True, "7", 1.5, NAN, INFINITY, -INFINITY, None, [7], 0, 100, -3, 100.0)),
        *(("gap", value) for value in (True, "0.5", NAN, INFINITY, -INFINITY, None, -0.1, 10.1, 11)),
        *(("open", value) for value in (0, 1, 1.0, "true", "yes", None)),
        *(("order", value) for value in ("Old", "older", "", 0, None, ("old",))),
        *(("seats", value) for value in (0, 4, "3", 2.5, NAN, None)),
        *(("suits", value) for value in ("clubs", ("diamonds",), ("clubs", "x"), (0,), None)),
    ],
)
def test_refused(name, value):
    """And the error says which one."""
    with pytest.raises(pydantic.ValidationError) as caught:
        Knobs(**{name: value})
    assert {error["loc"][0] for error in caught.value.errors()} == {name}


def test_whole_takes_a_million_in_any_spelling():
    class Big(Settings):
        games: Whole = knob(0, "Games.")

    for value in (1_000_000, 1e6, 1.0e6, np.float64(1e6)):
        found = Big(games=value).games
        assert (found, type(found)) == (1_000_000, int)
    assert Big(games=-2.0).games == -2
    with pytest.raises(pydantic.ValidationError):
        Big(games=1e6 + 0.5)


@pytest.mark.parametrize("value", [NAN, INFINITY, -INFINITY])
def test_no_number_without_bounds_is_endless(value):
    class Free(Settings):
        drift: float = knob(0.0, "Drift.")

    assert Free(drift=-1e300).drift == -1e300
    with pytest.raises(pydantic.ValidationError):
        Free(drift=value)


def test_unknown_keys_are_refused():
    with pytest.raises(pydantic.ValidationError) as caught:
        Knobs(lief=7)
    assert [(error["type"], error["loc"]) for error in caught.value.errors()] == [("extra_forbidden", ("lief",))]


def test_settings_are_frozen_values():
    settings = Knobs(life=7)
    with pytest.raises(pydantic.ValidationError, match="frozen"):
        settings.life = 8
    assert settings.life == 7
    assert settings == Knobs(life=7.0)
    assert settings != Knobs()
    assert {settings: "found"}[Knobs(life=7)] == "found"


def test_knob_describes_itself():
    field = Knobs.model_fields["life"]
    assert (field.default, field.description, field.json_schema_extra) == (12, "Life at the start.", {"ruling": "T1"})
    schema = Knobs.model_json_schema()["properties"]["life"]
    assert (schema["minimum"], schema["maximum"]) == (1, 99)


# Options --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "options", "listed"),
    [
        ("life", (), False),
        ("gap", (), False),
        ("open", (), False),
        ("order", ("old", "new", "none"), False),
        ("seats", (2, 3, 5), False),
        ("suits", ("clubs", "hearts", "spades"), True),
    ],
)
def test_options_and_lists(name, options, listed):
    annotation = Knobs.model_fields[name].annotation
    assert options_of(annotation) == options
    assert is_list(annotation) is listed


# Encoding -------------------------------------------------------------------------------------------------------------


def test_encoded_defaults():
    assert encode(Knobs())._asdict() == {"life": 12, "gap": 0.5, "open": 1, "order": 1, "seats": 3, "suits": 0b010}


@pytest.mark.parametrize(
    ("name", "value", "code"),
    [
        ("life", 7, 7),
        ("gap", 2.25, 2.25),
        ("gap", 2, 2.0),
        ("open", False, 0),
        ("open", True, 1),
        ("order", "old", 0),
        ("order", "none", 2),
        ("seats", 2, 2),
        ("seats", 5, 5),
        ("suits", (), 0),
        ("suits", ("clubs",), 0b001),
        ("suits", ("spades", "clubs"), 0b101),
        ("suits", ("clubs", "spades"), 0b101),
        ("suits", ("hearts", "hearts"), 0b010),
        ("suits", ("clubs", "hearts", "spades"), 0b111),
    ],
)
def test_encoded(name, value, code):
    """A number is the same number, of a type that does not hang on its value; the other knobs do not move."""
    found = encode(Knobs(**{name: value}))
    assert found == encode(Knobs())._replace(**{name: code})
    assert type(getattr(found, name)) is type(code)


def test_same_fields_same_type():
    """Numba compiles anew for every type that it has not met."""

    def model(name, *fields):
        return pydantic.create_model(name, __base__=Settings, **{each: (Whole, knob(1, "")) for each in fields})

    first = type(encode(model("weights", "a", "b")()))
    assert type(encode(model("weights", "a", "b")(a=5))) is first
    assert type(encode(model("weights", "b", "a")())) is not first
    assert type(encode(model("weights", "a", "c")())) is not first
    assert type(encode(model("others", "a", "b")())) is not first
    assert type(encode(Knobs())) is type(encode(Knobs(life=3, open=False, suits=())))


def test_nothing_to_encode():
    assert tuple(encode(Settings())) == ()


@kernel
def read(codes):
    return codes.life * 100 + codes.order * 10 + codes.open, codes.gap / 2, codes.suits & 4


def test_kernels_read_codes_by_name():
    assert read(encode(Knobs(life=7, order="none", gap=5.0, suits=("spades",)))) == (721, 2.5, 4)


# Policies -------------------------------------------------------------------------------------------------------------


def prepare(knobs, seats, weights):
    return ()


@policy("Does nothing.")
def idle(view, weights, prepared, action):
    action[:] = 0


@policy(
    "Keeps high dice.",
    name="keeper",
    prepare=prepare,
    uses_word=True,
    below=(Whole, knob(4, "Rerolls what shows less.", low=1, high=13)),
    brave=(bool, knob(False, "Never heals.")),
)
@kernel
def keep_high_dice(view, weights, prepared, action):
    action[:] = weights.below + weights.brave


def test_policy_of_a_bare_function():
    assert (idle.name, idle.help, idle.prepare, idle.uses_word) == ("idle", "Does nothing.", None, False)
    assert isinstance(idle, Policy)
    assert issubclass(idle.weights, Settings)
    assert idle.weights().model_dump() == {}
    with pytest.raises(pydantic.ValidationError):
        idle.weights(below=4)


def test_policy_with_everything():
    assert (keep_high_dice.name, keep_high_dice.prepare, keep_high_dice.uses_word) == ("keeper", prepare, True)
    weights = keep_high_dice.weights
    assert issubclass(weights, Settings)
    assert weights().model_dump() == {"below": 4, "brave": False}
    assert weights(below=6.0).below == 6
    for wrong in ({"below": 0}, {"below": 14}, {"below": True}, {"brave": 1}, {"bellow": 4}):
        with pytest.raises(pydantic.ValidationError):
            weights(**wrong)


def test_policy_plays_with_encoded_weights():
    action = np.zeros(3, np.int16)
    keep_high_dice.function((), encode(keep_high_dice.weights(below=6, brave=True)), (), action)
    assert action.tolist() == [7, 7, 7]


def test_policies_share_no_weights():
    """One model a policy, though the fields have the same names."""

    @policy("Another.", below=(Whole, knob(9, "Another threshold.", low=9, high=9)))
    def another(view, weights, prepared, action): ...

    assert another.weights().below == 9
    assert keep_high_dice.weights().below == 4
    assert another.weights.__name__ != keep_high_dice.weights.__name__


def test_policies_of_modules():
    """By the name of the policy, not of the variable; whatever else a module holds is left out."""
    one = SimpleNamespace(zeal=idle, other=3, function=prepare, model=Knobs)
    two = SimpleNamespace(alpha=keep_high_dice)
    found = policies_of(one, two)
    assert found == {"idle": idle, "keeper": keep_high_dice}
    assert list(found) == ["idle", "keeper"]
    assert list(policies_of(two, one)) == ["idle", "keeper"]
    assert policies_of() == {}
