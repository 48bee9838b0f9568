"""Shred of Redemption: the fact sheet. Read `README.md` for the rules, then `pack.py`, `effects.py`, `rules.py`,
`table.py`, `policies.py`.
"""

from typing import Annotated, Any, Literal

from sims.core.game import Column, Game, Settings, Whole, knob, policies_of
from sims.redemption import describe, planner, policies, rules
from sims.redemption.pack import CARDS, SHELF
from sims.redemption.table import Table


class Knobs(Settings):
    content: Annotated[str, SHELF] = knob("sample", "The content pack that is played: its name, or a file.")
    match: Literal["automatic", "declared"] = knob(
        "automatic",
        "Whether the first match brings the Reckoning at once, or when the player declares it.",
        ruling="SR8",
    )
    used_discard: Literal["strong", "weak"] = knob(
        "strong", "The effect of discarding a used token: that of a Discard, or that of a Use.", ruling="SR12"
    )
    start_regrets: Whole = knob(6, "Regrets in the bag at the start.", ruling="SR37", low=0, high=12)
    formation: Whole = knob(5, "Virtue tokens drawn at the start.", ruling="SR37", low=5, high=8)
    cards: Whole = knob(5, "Redemption cards kept: one after each of so many dice.", ruling="SR37", low=0, high=5)
    choose_from: Whole = knob(2, "Cards offered, of which one is kept.", low=1, high=rules.OFFERED)
    card_draw: Whole = knob(2, "Tokens drawn for a card that is discarded.", ruling="SR20", low=0, high=10)
    first_card: Whole = knob(
        -1, "Treatment: the card (its number) that alone is offered first; -1: none.", low=-1, high=CARDS - 1
    )
    max_actions: Whole = knob(
        200, "After so many actions the game is lost, and unfinished.", ruling="SR24", low=1, high=10_000
    )


def columns(seats: int, knobs: Any) -> tuple[Column, ...]:
    content = SHELF.load(knobs.content).content
    kinds, reckonings = tuple(content.dice), tuple(each.name for each in content.reckonings)
    return (
        Column("winner", "0 if the player won, -1 if not.", "seat"),
        Column("won", "1 if the player won.", "games", headline=True),
        Column("reached_reckoning", "1 if the Reckoning card was drawn.", "games", headline=True),
        Column("matches_end", "Dice that the virtue in their place counters, at the end.", "dice", headline=True),
        Column("actions", "Uses, Discards, cards' effects and draws, declaring, conceding.", "actions", headline=True),
        Column("tokens_used", "Uses of tokens.", "actions", headline=True),
        Column("tokens_discarded", "Discards of tokens.", "actions", headline=True),
        Column("cards_used", "Cards discarded for their effect.", "cards", headline=True),
        Column("cards_discarded", "Cards discarded to draw.", "cards", headline=True),
        Column("reckoning", "The Reckoning card, -1 if none was drawn.", "card", labels=reckonings),
        *(Column(f"die_{place}", f"Kind of die {place}, as drawn.", "kind", labels=kinds) for place in range(1, 6)),
        Column("unfinished", "1 when max_actions ended the game.", "games", headline=True),
        Column(
            "ending", "Won; no token and no card left; conceded; or max_actions reached.", "way",
            headline=True, labels=("won", "exhausted", "conceded", "actions"),
        ),
        *(
            Column(f"kept_{number}", f"1 if {card.name} was kept.", "games")
            for number, card in enumerate(content.cards)
        ),
    )  # fmt: skip


def sights(seats: int, knobs: Any) -> tuple[str, ...]:
    return ("matches_0", "tokens_0", "regrets_0", "cards_0", "bag_regrets_0", "bag_0", "reckoning_0", "actions")


def note(knobs: Any) -> str:
    content = SHELF.load(knobs.content).content
    return f"the content pack {content.title!r} is invented, not the published game's" if content.invented else ""


GAME = Game(
    name="redemption",
    title="Shred of Redemption",
    rules_version=1,
    seats=(1,),
    knobs=Knobs,
    columns=columns,
    sights=sights,
    note=note,
    policies=policies_of(policies, planner),
    table=Table,
    is_legal=rules.is_legal,
    narrator=describe.Narrator,
    lanes=4096,
    scalar="sims.redemption.scalar",
    clairvoyant="sims.redemption.clairvoyant",
)
