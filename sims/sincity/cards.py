"""The 97 cards of Sin City, read from `cards.csv`, and the tables that the kernels make of them.

A *card* is a physical one: its number is `id * copies + copy`, so that ascending numbers are ascending by (id, copy),
and with one copy it is the id. Sets of cards are rows of 64-bit words, `WORD` cards a word: never the sign bit.
"""

import csv
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

WORD = 49  # cards a word: two words a copy of the deck

KINDS = ("victim", "criminal", "agent", "hero", "boss", "psychopath", "event")
VICTIM, CRIMINAL, AGENT, HERO, BOSS, PSYCHOPATH, EVENT = range(7)

TRAITS = ("doctor", "defender", "law", "investigation", "tough")
DOCTOR, DEFENDER, LAWFUL, INVESTIGATOR, TOUGH = (1 << place for place in range(5))

EFFECTS = (
    *("search_agent", "draw_2", "all_draw_2", "discard_target", "kill_non_boss", "discard_hero", "seduce"),
    *("fight+2", "fight_or_find+1", "find+2", "find-2", "law+2", "law-2", "save_killed"),
)
(
    SEARCH,
    DRAW,
    ALL_DRAW,
    JAIL,
    EXECUTE,
    FRAME,
    SEDUCE,
    FIGHT_2,
    FIGHT_OR_FIND,
    FIND_2,
    HIDE,
    LAW_2,
    BRIBE,
    SAVE_KILLED,
) = range(14)
AT_WILL = 7
"""The effects below this are for one's own turn (SC13); the others are reactions and combat events."""
AIMED = JAIL
"""Of those, the effects from this on have a target."""

PREY = {
    HERO: (CRIMINAL, AGENT, HERO, BOSS, PSYCHOPATH),
    PSYCHOPATH: (VICTIM,),
    CRIMINAL: (VICTIM, HERO, AGENT, CRIMINAL),
    AGENT: (CRIMINAL, BOSS, HERO, AGENT),
}
"""Whom a kind may attack (SC14)."""

AIMS = {
    JAIL: tuple(range(EVENT)),
    EXECUTE: (VICTIM, CRIMINAL, AGENT, HERO, PSYCHOPATH),
    FRAME: (HERO,),
    SEDUCE: tuple(range(EVENT)),
}
"""Whom an event may strike (SC13b)."""

WINDOWS = (  # events that the attacker or law user may play, and its target's owner
    ((FIND_2, FIGHT_OR_FIND), (HIDE,)),
    ((FIGHT_2, FIGHT_OR_FIND), (FIGHT_2, FIGHT_OR_FIND)),
    ((LAW_2,), (BRIBE,)),
)
SORT = 8
"""Bits of a count, of which an `int64` holds eight: so many of each sort. Of victims there are 108 at most."""
DOCTORS, INVESTIGATORS = 6, 7
"""Sorts of free characters; the first six are the kinds."""
WILLS, STAYS = 6, 7
"""Sorts of cards in hand: events at will, and Hospital Stay; the first six are for `WINDOWS`, 2 * window + side."""

WORTH = {FIGHT_2: 2, FIGHT_OR_FIND: 1, FIND_2: 2, HIDE: -2, LAW_2: 2, BRIBE: -2}


class Card(NamedTuple):
    """A row of `cards.csv`; an event has no figures, and its effect in place of traits."""

    id: int
    label: str
    kind: str
    fight: int
    sin: int
    traits: frozenset[str]


def _read() -> tuple[Card, ...]:
    with Path(__file__).with_name("cards.csv").open(encoding="utf-8", newline="") as file:
        return tuple(
            Card(
                int(row["id"]), row["label"], row["kind"], int(row["fight"] or 0), int(row["sin"] or 0),
                frozenset(row["traits"].split("|")) - {""},
            )
            for row in csv.DictReader(file)
        )  # fmt: skip


def effect_of(card: Card) -> int:
    """An event's effect, -1 for a character."""
    return next(EFFECTS.index(effect) for effect in card.traits) if card.kind == "event" else -1


CARDS = _read()
IDS = len(CARDS)
CHARACTERS = sum(card.kind != "event" for card in CARDS)


def number(card: int, copies: int) -> int:
    """The number of a physical card in the coordinates of luck: `copy * 97 + id`."""
    return card % copies * IDS + card // copies


def sorts_in_play(card: Card) -> list[int]:
    """The sorts that a free character is of."""
    traits = {"doctor": DOCTORS, "investigation": INVESTIGATORS}
    return [] if card.kind == "event" else [KINDS.index(card.kind), *(traits[each] for each in card.traits & {*traits})]


def sorts_in_hand(card: Card) -> list[int]:
    """The sorts that a card in hand is of."""
    effect = effect_of(card)
    places = [place for place, effects in enumerate(sum(WINDOWS, ())) if effect in effects]
    return places + [WILLS] * (0 <= effect < AT_WILL) + [STAYS] * (effect == SAVE_KILLED)


@cache
def tables(copies: int, words: int) -> dict[str, Any]:
    """What `rules.Fixed` holds of the cards, by its fields' names."""
    physical = [(card, copy) for card in CARDS for copy in range(copies)]
    size = words * WORD

    def row(values: list[int], dtype: Any = np.int16) -> Any:
        return np.array(values + [0] * (size - len(values)), dtype)

    def mask(test: Any) -> Any:
        bits = [0] * words
        for place, (card, _) in enumerate(physical):
            if test(card):
                bits[place // WORD] |= 1 << place % WORD
        return np.array(bits, np.int64)

    def planes(value: Any, bits: int) -> Any:
        """By place the cards of whose value that bit is set."""
        return np.array([mask(lambda card, place=place: value(card) >> place & 1) for place in range(bits)])

    def of_kinds(*kinds: int) -> Any:
        return mask(lambda card: KINDS.index(card.kind) in kinds)

    def of_effects(*effects: int) -> Any:
        return mask(lambda card: effect_of(card) in effects)

    def with_trait(trait: str) -> Any:
        return mask(lambda card: trait in card.traits)

    def sorts(places: Iterable[int], n: int = 1) -> int:
        return sum(n << SORT * place for place in places)

    doctors = [card.id for card in CARDS if "doctor" in card.traits]
    executions = [card.id for card in CARDS if "kill_non_boss" in card.traits]
    return {
        "id": row([card.id for card, _ in physical]),
        "number": row([number(place, copies) for place in range(len(physical))]),
        "kind": row([KINDS.index(card.kind) for card, _ in physical]),
        "fight": row([card.fight for card, _ in physical]),
        "sin": row([card.sin for card, _ in physical]),
        "traits": row([sum(1 << TRAITS.index(each) for each in card.traits & {*TRAITS}) for card, _ in physical]),
        "effect": row([effect_of(card) for card, _ in physical]),
        "slot": row(
            [
                3 * copy + doctors.index(card.id) if card.id in doctors
                else 2 * copy + executions.index(card.id) if card.id in executions
                else 0
                for card, copy in physical
            ]
        ),
        "in_play": row([sorts(sorts_in_play(card)) for card, _ in physical], np.int64),
        "in_hand": row([sorts(sorts_in_hand(card)) for card, _ in physical], np.int64),
        "prey_sorts": np.array([sorts(PREY.get(kind, ()), 0xFF) for kind in range(EVENT)]),
        "aim_sorts": np.array([sorts(AIMS.get(effect, ()), 0xFF) for effect in range(AT_WILL)]),
        "of_kind": np.array([of_kinds(kind) for kind in range(len(KINDS))]),
        "characters": ~of_kinds(EVENT) & mask(lambda card: True),
        "guards": of_kinds(AGENT, CRIMINAL),
        "strikers": np.array([
            of_kinds(kind) & ~with_trait("defender") if kind in PREY else of_kinds() for kind in range(EVENT)
        ]),
        "prey": np.array([of_kinds(*PREY.get(kind, ())) for kind in range(EVENT)]),
        "sins": planes(lambda card: card.sin, 3),
        "boldness": planes(lambda card: 8 * card.sin + card.fight, 6),
        "meekness": planes(lambda card: 8 * card.sin + 7 - card.fight, 6),
        "doctors": with_trait("doctor"),
        "lawful": with_trait("law"),
        "investigators": with_trait("investigation"),
        "of_effect": np.array([of_effects(effect) for effect in range(len(EFFECTS))]),
        "aims": np.array([of_kinds(*AIMS.get(effect, ())) for effect in range(AT_WILL)]),
        "aimless": of_effects(*range(AIMED)),
        "at_will": of_effects(*range(AT_WILL)),
        "window": np.array([[of_effects(*side) for side in sides] for sides in WINDOWS]),
        "worth": np.array([WORTH.get(effect, 0) for effect in range(len(EFFECTS))], np.int16),
    }  # fmt: skip
