"""Vices & Vengeance: the fact sheet. Read `README.md` for the rules, then `table.py`, `rules.py`, `policies.py`."""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sims.core.game import Column, Game, Settings, Whole, knob, policies_of
from sims.vices import describe, policies, rules
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
        *(Column(f"start_sin_{s}", f"Sin that seat {s} started with, 0 to 6: {', '.join(SINS)}.", "Sin")
          for s in range(seats)),
        *(Column(f"sin_matches_{s}", f"Sin matches that seat {s} suffered as defender.", "matches")
          for s in range(seats)),
        *(Column(f"nemesis_matches_{s}", f"Nemesis dice that seat {s} absorbed.", "dice") for s in range(seats)),
        Column("sins_destroyed", "Large Sin dice destroyed by Wrath.", "dice"),
        Column("nemesis_destroyed", "Nemesis dice that left the game by Sloth.", "dice"),
        Column("tie_breaks", "Rollings of pairs to break ties.", "rollings"),
        Column("unfinished", "1 when max_rounds ended the game.", "games"),
    )  # fmt: skip


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
    policies=policies_of(policies),
    table=Table,
    is_legal=is_legal,
    narrator=describe.Narrator,
    action_dtype=np.int32,
    lanes=16_500,
    scalar="sims.vices.scalar",
)
