"""Vices & Vengeance: the fact sheet. Read `README.md` for the rules, then `table.py`, `rules.py`, `policies.py`."""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sims.core.game import Column, Game, Option, Settings, Whole, knob, policies_of
from sims.vices import describe, policies, rules
from sims.vices.rules import DECLINE, ENVY, GLUTTONY, GREED, LUST, REMOVE, RESERVE
from sims.vices.table import Table, View

Sin = Literal["lust", "gluttony", "greed", "sloth", "wrath", "envy", "pride"]
SINS: tuple[Sin, ...] = ("lust", "gluttony", "greed", "sloth", "wrath", "envy", "pride")


class Knobs(Settings):
    target: Whole = knob(70, "The total that ends the game, and wins it when met exactly.", low=20, high=200)
    exact_wins: bool = knob(True, "Whether finishing on exactly the target beats every lower total.")
    exact_bust: bool = knob(False, "Whether a total beyond the target cannot win.")
    final_round: Literal["finish", "immediate", "extra"] = knob(
        "finish",
        "What is still played once a total reaches the target: the round, nothing, or the round and a whole one more.",
        ruling="VV36",
    )
    sins: tuple[Sin, ...] = knob(SINS, "The Sins whose effect is on; one not listed still gives its penalty.")
    stealing: Literal["accumulate", "swap"] = knob(
        "accumulate", "Whether a taker by Lust or Greed keeps the Sins it had, or returns them.", ruling="VV12"
    )
    stolen_match: Literal["void", "follows", "stays"] = knob(
        "void",
        "Who makes a pending match whose die has changed hands: nobody, the new holder, or who rolled it.",
        ruling="VV9",
    )
    envy_optional: bool = knob(False, "Whether Envy may decline to exchange.", ruling="VV15")
    no_nemesis: Literal["lighter", "borrow"] = knob(
        "lighter", "Whether a defender without Nemesis rolls one unit fewer, or borrows a d20.", ruling="VV24"
    )
    penalty_dice: Whole = knob(2, "Dice of a penalty roll, before those of Pride and Gluttony.", low=2, high=4)
    nemesis_sides: Whole = knob(20, "Sides of the Nemesis dice.", low=2, high=100)
    bullet_upright: float = knob(
        0.0, "How often the Silver Bullet stands upright; unknown for the real die.", ruling="VV33", low=0.0, high=1.0
    )
    house_seats: bool = knob(False, "Whether 2 and 7 may play.", ruling="VV44")
    start_total: Whole = knob(0, "Points that everyone starts with: a shorter game.", low=0, high=200)
    max_rounds: Whole = knob(200, "A game not over after this many rounds is unfinished.", low=1, high=1_000_000)


def columns(seats: int, knobs: Any) -> tuple[Column, ...]:
    return (
        Column("winner", "Seat of the winner, -1 for none.", "seat"),
        Column("rounds", "Rounds begun.", "rounds", headline=True),
        Column("turns", "Turns played.", "turns"),
        Column("rolls", "Rolls of the defenders.", "rolls"),
        Column("exact_win", "1 when the winner's total is exactly the target.", "games", headline=True),
        Column("anyone_exact", "1 when somebody finished on exactly the target.", "games", headline=True),
        Column("first_seat", "Seat of who played first.", "seat"),
        *(Column(f"total_{s}", f"Final total of seat {s}.", "points") for s in range(seats)),
        *(Column(f"start_sin_{s}", f"Sin that seat {s} started with.", "Sin", labels=SINS) for s in range(seats)),
        *(Column(f"sin_matches_{s}", f"Sin matches that seat {s} suffered as defender.", "matches")
          for s in range(seats)),
        *(Column(f"nemesis_matches_{s}", f"Nemesis dice that seat {s} absorbed.", "dice") for s in range(seats)),
        Column("sins_destroyed", "Large Sin dice destroyed by Wrath.", "dice"),
        Column("nemesis_destroyed", "Nemesis dice that left the game by Sloth.", "dice"),
        Column("tie_breaks", "Rollings of pairs to break ties.", "rollings"),
        Column("unfinished", "1 when max_rounds ended the game.", "games"),
        Column("ending", "What decided the game.", "way", labels=ENDINGS),
    )  # fmt: skip


ENDINGS = ("exactly the target", "lowest total", "all beyond the target", "round limit")


def sights(seats: int, knobs: Any) -> tuple[str, ...]:
    """room_S: points that seat S is still below the target (a low score is good: who has most room is ahead).
    wait_S: turns before its next one. sins_S: large Sin dice that it holds. nemesis_S: 1 if it has its Nemesis.
    luck_S: how few points the defender's first roll was worth, less the expectation, in sixths.
    reached: 1 once a total has reached the target, 2 in the further round of `final_round: extra`."""
    names = ("room", "wait", "sins", "nemesis")
    return (
        *(f"{name}_{s}" for name in names for s in range(seats)), "turns", "reached",
        *(f"luck_{s}" for s in range(seats)),
    )  # fmt: skip


def _takes(sin: int) -> Option:
    def chosen(view: View, seat: NDArray[np.int8], action: NDArray[np.int32]) -> NDArray[np.bool_]:
        found: NDArray[np.bool_] = action == sin
        return found

    return Option(f"take {SINS[sin]}", f"Takes {SINS[sin]}, by any Sin.", (LUST, GREED, GLUTTONY, ENVY), chosen)


def _holder(view: View, action: NDArray[np.int32]) -> NDArray[np.int8]:
    """Who has the Sin that was chosen; RESERVE for none."""
    sin = np.minimum(action, len(SINS) - 1)[None].astype(np.int64)
    held: NDArray[np.int8] = np.take_along_axis(view.holder, sin, axis=0)[0]
    return np.where(action == DECLINE, RESERVE, held).astype(np.int8)


def _from_reserve(view: View, seat: NDArray[np.int8], action: NDArray[np.int32]) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = (_holder(view, action) == RESERVE) & (action != DECLINE)
    return found


def _from_lowest(view: View, seat: NDArray[np.int8], action: NDArray[np.int32]) -> NDArray[np.bool_]:
    others = np.where(np.arange(view.seats)[:, None] == seat, np.iinfo(np.int32).max, view.total)
    holder = _holder(view, action)
    theirs = np.take_along_axis(others, np.maximum(holder, 0)[None].astype(np.int64), axis=0)[0]
    found: NDArray[np.bool_] = (holder >= 0) & (theirs == others.min(axis=0))
    return found


def _points(view: View, action: NDArray[np.int32]) -> NDArray[np.bool_]:
    """[unit, lane] whether it was scored."""
    return (action >> np.arange(len(view.points), dtype=np.int32)[:, None] & 1).astype(bool)


def _scores_zero(view: View, seat: NDArray[np.int8], action: NDArray[np.int32]) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = (_points(view, action) & (view.points == 0)).any(axis=0)
    return found


OPTIONS = (
    Option("score all", "Scores every unit that it may.", (REMOVE,), lambda view, seat, action: action == view.options),
    Option(
        "score one",
        "Scores a single unit.",
        (REMOVE,),
        lambda view, seat, action: (action & (action - 1) == 0) & (action != 0),
    ),
    Option("score none", "Scores nothing, after a penalty.", (REMOVE,), lambda view, seat, action: action == 0),
    Option("score a zero", "Scores a unit that is worth nothing, or several.", (REMOVE,), _scores_zero),
    *(_takes(sin) for sin in range(len(SINS))),
    Option("from the reserves", "Takes a Sin that nobody has.", (LUST, ENVY), _from_reserve),
    Option("from the lowest", "Takes a Sin of the other with the lowest total.", (LUST, GREED, ENVY), _from_lowest),
    Option("decline", "Exchanges nothing.", (ENVY,), lambda view, seat, action: action == DECLINE),
)


def is_legal(view: View, seat: NDArray[np.int8], action: NDArray[np.int32]) -> bool:
    return bool(rules.is_legal(view.kind, seat, view.options, view.due, action))


GAME = Game(
    name="vices",
    title="Vices & Vengeance",
    rules_version=1,
    seats=(3, 4, 5, 6),
    house_seats=(2, 7),
    knobs=Knobs,
    columns=columns,
    sights=sights,
    options=OPTIONS,
    policies=policies_of(policies),
    table=Table,
    is_legal=is_legal,
    narrator=describe.Narrator,
    action_dtype=np.int32,
    lanes=16_500,
    scalar="sims.vices.scalar",
)
