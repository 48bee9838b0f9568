"""Sin City: the fact sheet. Read `README.md` for the rules, then `table.py`, `cards.py`, `rules.py`, `policies.py`."""

from typing import Any, Literal

import numpy as np

from sims.core.game import Column, Game, Settings, Whole, knob, policies_of
from sims.sincity import describe, policies, rules, tactics
from sims.sincity.cards import CARDS, IDS
from sims.sincity.table import Table


class Knobs(Settings):
    deck_copies: Whole = knob(1, "Copies of each of the 97 cards in the deck.", ruling="SC1", low=1, high=4)
    help_limit: Whole = knob(0, "Characters that may be played a Help Phase; 0: any.", ruling="SC4", low=0, high=20)
    summoning_sickness: bool = knob(
        False, "Whether a character played this turn may not yet score, attack, use law or investigate.", ruling="SC5"
    )
    attacks: Literal["each", "one"] = knob("each", "Attacks a turn: one each character, or one in all.", ruling="SC7")
    fight_score: Literal["sum", "highest"] = knob("sum", "What counts of the dice of a fight.", ruling="SC9")
    fight_bonus: Literal["dice", "total"] = knob(
        "dice", "Whether a Fighting bonus is so many more dice, or is added to the score.", ruling="SC10"
    )
    investigation: Literal["once", "each"] = knob(
        "once", "Investigation rolls a Sin Phase: one in all, or one each character with the trait.", ruling="SC20"
    )
    torture: Literal["every_turn", "own_turn"] = knob(
        "every_turn", "When a captive is rolled for: every turn, or only its captor's player's.", ruling="SC33"
    )
    goal: Whole = knob(100, "Sin Points that win.", ruling="SC44", low=1, high=1000)
    max_turns: Whole = knob(
        400, "After this many players' turns most points win, and the game is unfinished.", ruling="SC47",
        low=1, high=1_000_000,
    )  # fmt: skip
    hand: Whole = knob(7, "Cards dealt to each player.", low=1, high=15)
    draw: Whole = knob(2, "Cards drawn in the Luck Phase.", low=0, high=10)
    max_hand: Whole = knob(7, "Cards kept at most at the end of the own turn.", ruling="SC43", low=0, high=30)
    find_on: Whole = knob(4, "The Find roll that succeeds.", ruling="SC8", low=1, high=7)
    hero_bounty: Whole = knob(10, "Points of a hero for a boss or a psychopath.", ruling="SC24", low=0, high=50)
    opening_card: Whole = knob(
        -1, "Treatment: the card (its id) that heads the hand of `opening_seat`; -1: none.", low=-1, high=IDS - 1
    )
    opening_seat: Whole = knob(0, "Treatment: the seat that is dealt `opening_card`.", low=0, high=5)


def columns(seats: int, knobs: Any) -> tuple[Column, ...]:
    def each(name: str, help: str, unit: str, headline: bool = False) -> tuple[Column, ...]:
        return tuple(Column(f"{name}_{s}", help.format(f"seat {s}"), unit, headline) for s in range(seats))

    return (
        Column("winner", "Seat of the winner, -1 for none.", "seat"),
        Column("first_seat", "Seat that started.", "seat"),
        Column("turns", "Players' turns begun.", "turns", headline=True),
        *each("points", "Points of {}.", "points"),
        *each("sinning", "Points of {} from the Sin Phase.", "points"),
        *each("kills", "Points of {} from kills.", "points"),
        *each("torture", "Points of {} from torture.", "points"),
        *each("lost", "Characters of {} killed, discarded from play or jailed.", "characters"),
        *each("captives", "Captives taken by psychopaths of {}.", "characters"),
        *each("played", "Cards played by {}, events too.", "cards"),
        Column("unfinished", "1 when max_turns ended the game.", "games", headline=True),
        Column(
            "ending", "Which points reached the goal, or that max_turns ended the game.", "way",
            headline=True, labels=("sinning", "kill", "torture", "turns"),
        ),
        *(
            Column(f"card_{card.id}", f"{card.label}: 1 + the seat that first played one, 0 for none.", "seat + 1")
            for card in CARDS
        ),
    )  # fmt: skip


def sights(seats: int, knobs: Any) -> tuple[str, ...]:
    groups = ("points", "sin", "fight", "free", "bosses", "psychos", "hand", "captives", "law")
    return (*(f"{name}_{s}" for name in groups for s in range(seats)), "next", "turn")


GAME = Game(
    name="sincity",
    title="Sin City",
    rules_version=2,
    seats=(2, 3, 4, 5, 6),
    knobs=Knobs,
    columns=columns,
    sights=sights,
    policies=policies_of(policies, tactics),
    table=Table,
    is_legal=rules.is_legal,
    narrator=describe.Narrator,
    action_dtype=np.int32,
    lanes=2000,
    scalar="sims.sincity.scalar",
    is_symmetric=lambda knobs: knobs.opening_card < 0,  # a treatment favours a seat
)
