"""Viking Dice: the fact sheet. Read `README.md` for the rules, then `table.py`, `rules.py`, `policies.py`."""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sims.core.game import Column, Game, Option, Settings, Whole, knob, policies_of
from sims.viking import describe, policies, rules
from sims.viking.rules import ATTACK, HEAL, SPEAK, STRIKE, TARGET
from sims.viking.table import Table, View


class Knobs(Settings):
    start_life: Whole = knob(12, "Life that every player starts with.", low=1, high=200)
    dice: Whole = knob(3, "Dice a player; a triple is all of them equal.", low=2, high=5)
    sides: Literal[4, 6, 8, 10, 12] = knob(6, "Sides of each die.")
    reroll_order: Literal["open", "simultaneous", "active_first"] = knob(
        "open",
        "Who may reroll when: lower total first and in turn, both at once, or the active player first.",
        ruling="VD7",
    )
    tied_triple: Literal["hit_and_heal", "heal_only", "hit_only"] = knob(
        "hit_and_heal", "What befalls the holder of the only triple in a tie.", ruling="VD1"
    )
    heal: Literal["face", "total", "none"] = knob("face", "What a triple heals.")
    max_duels: Whole = knob(
        1000, "A game still undecided after this many duels is unfinished.", low=1, high=1_000_000, ruling="VD21"
    )


def columns(seats: int, knobs: Any) -> tuple[Column, ...]:
    return (
        Column("duels", "Duels fought.", "duels", headline=True),
        Column("winner", "Seat of the winner, -1 for none.", "seat"),
        *(Column(f"life_{s}", f"Final life of seat {s}.", "life") for s in range(seats)),
        *(Column(f"place_{s}", f"Place of seat {s}: 1 is best, -1 none.", "place") for s in range(seats)),
        Column("rerolls", "Uses of a reroll, at most one a player a duel.", "rerolls", headline=True),
        Column("triples", "Triple hands at the end of a duel; two count 2.", "hands"),
        Column("ties", "Duels whose final totals are equal, triples included.", "duels"),
        Column("lead_changes", "Times that another seat became strict leader in life.", "changes", headline=True),
        Column("unfinished", "1 when max_duels ended the game.", "games"),
        Column("ending", "How the last duel ended the game.", "way", labels=ENDINGS),
    )


ENDINGS = ("outscored", "hit in a tie", "attacked by a triple", "duel limit")


def sights(seats: int, knobs: Any) -> tuple[str, ...]:
    """wait_S: how many living players have their turn before seat S, 0 for the next; -1: out.

    luck_S, luck_again_S: twice what the faces of the first roll, and of the dice rerolled, exceed their expectation by.
    """
    known = *(f"life_{s}" for s in range(seats)), *(f"wait_{s}" for s in range(seats)), "duels"
    return (*known, *(f"luck_{s}" for s in range(seats)), *(f"luck_again_{s}" for s in range(seats)))


def _least(view: View, seat: NDArray[np.int8], action: NDArray[np.int16]) -> NDArray[np.bool_]:
    others = _life_of_others(view, seat)
    found: NDArray[np.bool_] = _faced(view, action) == np.where(others > 0, others, 2**30).min(axis=0)
    return found


def _most(view: View, seat: NDArray[np.int8], action: NDArray[np.int16]) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = _faced(view, action) == _life_of_others(view, seat).max(axis=0)
    return found


def _faced(view: View, action: NDArray[np.int16]) -> NDArray[np.int32]:
    found: NDArray[np.int32] = np.take_along_axis(view.life, action[None].astype(np.int64), axis=0)[0]
    return found


def _life_of_others(view: View, seat: NDArray[np.int8]) -> NDArray[np.int32]:
    """[seat, lane] with 0 for who decides."""
    return np.where(np.arange(view.seats)[:, None] == seat, 0, view.life)


OPTIONS = (
    Option("reroll", "Rerolls one die or more.", (SPEAK,), lambda view, seat, action: action != 0),
    Option("reroll all", "Rerolls all dice.", (SPEAK,), lambda view, seat, action: action == (1 << len(view.dice)) - 1),
    Option("attack", "Attacks with a higher triple.", (STRIKE,), lambda view, seat, action: action == ATTACK),
    Option("heal", "Heals with a higher triple.", (STRIKE,), lambda view, seat, action: action == HEAL),
    Option("face the weakest", "Faces an opponent with the least life of those alive.", (TARGET,), _least),
    Option("face the strongest", "Faces an opponent with the most life.", (TARGET,), _most),
)


def is_legal(view: View, seat: NDArray[np.int8], action: NDArray[np.int16]) -> bool:
    return bool(rules.is_legal(view.kind, view.knobs.dice, view.seats, view.life, seat, action))


GAME = Game(
    name="viking",
    title="Viking Dice",
    rules_version=1,
    seats=(2, 3, 4),
    knobs=Knobs,
    columns=columns,
    sights=sights,
    options=OPTIONS,
    policies=policies_of(policies),
    table=Table,
    is_legal=is_legal,
    narrator=describe.Narrator,
    lanes=34_112,  # a third of a page (4,096) beyond a multiple: rows of lanes do not meet in the processor's cache
    scalar="sims.viking.scalar",
    exact="sims.viking.exact",
    is_symmetric=lambda knobs: False,  # seat 0 is active first (VD11)
)
