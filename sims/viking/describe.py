"""Viking Dice in words: one game, duel by duel, for people who want to see what happened.

`Narrator.tell` is called between the steps of a table with one lane (`sims.core.game.Narrator`). What it says about
the dice it works out from the dice, and what it says about lives it reads off the table, so that a reader can check
one by the other. Ruling ids are those of `README.md`.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from sims.core.game import Ask, Setting
from sims.viking import rules
from sims.viking.rules import ACTIVE_FIRST, DUELS, HEAL, OPEN, SIMULTANEOUS, SPEAK, TARGET

LANE = 0  # the only one

SPEAKS = {
    (OPEN, 0): "has the lower total, speaks first and",
    (OPEN, 1): "speaks next and",
    (OPEN, 2): "had waited, speaks again and",
    (ACTIVE_FIRST, 0): "decides first and",
    (ACTIVE_FIRST, 1): "decides next and",
}
"""How a decision on rerolls is introduced, by reroll order (VD7) and speaking round."""


class Hand(NamedTuple):
    """The final dice of one side of a duel."""

    name: str
    total: int
    highest: int
    is_triple: bool
    healing: int
    """What it heals if it is a triple."""


class Narrator:
    """Tells one game. See `sims.core.game.Narrator`."""

    def __init__(self, setting: Setting, titles: Sequence[str]) -> None:
        self.knobs, self.seats = setting.knobs, setting.seats
        self.names = [f"seat {seat} ({title})" for seat, title in enumerate(titles)]
        self.sides = [0, 1]
        """The seats in this duel: the active player's and its opponent's. When it is over, the table shows the next."""
        self.life: list[int] = []
        """By seat, before this duel."""

    def tell(self, table: Any, ask: Ask | None) -> list[str]:
        if ask is None:
            return self._end_of_duel(table)
        if ask.view.kind == TARGET:
            return self._choice_of_opponent(table, int(ask.action[LANE]))
        if ask.view.kind == SPEAK:
            return self._chance_to_reroll(table, ask)
        return self._attack_or_heal(ask)

    # Who faces whom

    def _choice_of_opponent(self, table: Any, foe: int) -> list[str]:
        return self._start_of_duel(table, foe, f"chooses to face {self.names[foe]}")

    def _only_opponent(self, table: Any) -> list[str]:
        foe = int(table.who[1, LANE])
        left = ", the only opponent left" if self.seats > 2 else ""
        return self._start_of_duel(table, foe, f"faces {self.names[foe]}{left}")

    def _start_of_duel(self, table: Any, foe: int, faces: str) -> list[str]:
        self.sides = [int(table.who[0, LANE]), foe]
        self.life = table.life[:, LANE].tolist()
        number = int(table.counters[DUELS, LANE]) + 1
        opening = [] if number > 1 else self._start_of_game()
        return [*opening, "", f"Duel {number}: {self.names[self.sides[0]]} is active and {faces}."]

    def _start_of_game(self) -> list[str]:
        knobs = self.knobs
        has = f"{knobs.start_life} life and {knobs.dice} dice of {knobs.sides} sides"
        return [f"Everyone starts with {has}: {', '.join(self.names)}."]

    # The rolls

    def _chance_to_reroll(self, table: Any, ask: Ask) -> list[str]:
        seat, mask, chance, order = int(ask.seat[LANE]), int(ask.action[LANE]), ask.view.chance, self.knobs.reroll_order
        lines = self._first_roll(table) if chance == 0 else []
        if seat < 0:
            return lines + (self._no_reroll(table) if chance == 0 else [])
        if order == SIMULTANEOUS:
            return lines + (self._both_at_once(table, mask) if chance == 1 else [])
        side = self.sides.index(seat)
        return [*lines, f"  {self.names[seat]} {SPEAKS[order, chance]} {self._decision(table, side, mask)}."]

    def _first_roll(self, table: Any) -> list[str]:
        chosen = int(table.alive[LANE]).bit_count() > 2
        opening = [] if chosen else self._only_opponent(table)
        rolls = [f"  {self.names[seat]} rolls {_sum(_faces(table, side, 0))}." for side, seat in enumerate(self.sides)]
        return opening + rolls

    def _no_reroll(self, table: Any) -> list[str]:
        hands = [_faces(table, side, 0) for side in (0, 1)]
        why = ["the first totals are equal"] if sum(hands[0]) == sum(hands[1]) else []
        holders = [self.names[seat] for seat, hand in zip(self.sides, hands, strict=True) if len(set(hand)) == 1]
        if holders:
            why.append("both have triples" if len(holders) == 2 else f"{holders[0]} has a triple")
        return [f"  No rerolls: {' and '.join(why)}."]

    def _both_at_once(self, table: Any, mask: int) -> list[str]:
        """The active player's answer lies on the table by now; `mask` is the opponent's."""
        masks = int(table.reroll[0, LANE]), mask
        told = [f"  {self.names[self.sides[side]]} {self._decision(table, side, masks[side])}." for side in (0, 1)]
        return ["  Both have decided before either rolls again:", *told]

    def _decision(self, table: Any, side: int, mask: int) -> str:
        if mask == 0:
            return "waits" if self.knobs.reroll_order == OPEN else "keeps all dice"
        old, new = _faces(table, side, 0), _faces(table, side, mask)
        chosen = [die for die in range(len(old)) if mask >> die & 1]
        became = "becomes" if len(chosen) == 1 else "become"
        was, now = (_listed([str(faces[die]) for die in chosen]) for faces in (old, new))
        return f"rerolls {was}, which {became} {now}: {_sum(new)}"

    def _attack_or_heal(self, ask: Ask) -> list[str]:
        choice = "heal" if ask.action[LANE] == HEAL else "attack"
        return [f"  {self.names[ask.seat[LANE]]} has the higher total with a triple and chooses to {choice}."]

    # The result

    def _end_of_duel(self, table: Any) -> list[str]:
        life = table.life[:, LANE].tolist()
        out = [seat for seat in self.sides if life[seat] == 0]
        return [
            *_indented(self._result(table)),
            *_indented(self._changes(table.delta[:, LANE].tolist(), life)),
            f"  Life now: {', '.join(f'seat {seat}: {points}' for seat, points in enumerate(life))}.",
            *_indented(f"{self.names[seat]} is out, in place {table.place[seat, LANE]}." for seat in out),
            *self._end_of_game(table, life),
        ]

    def _result(self, table: Any) -> list[str]:
        hands = [self._hand(table, side) for side in (0, 1)]
        lower, higher = sorted(hands, key=lambda hand: hand.total)
        if lower.is_triple and higher.is_triple:
            return _both_triples(*hands)
        if lower.total == higher.total:
            lower, higher = sorted(hands, key=lambda hand: hand.highest)
            return _tie(lower, higher, self.knobs.tied_triple)
        if lower.is_triple:
            return _protected(lower, higher)
        if table.heals[LANE] == HEAL:
            return _recovers(lower, higher)
        return _damage(lower, higher)

    def _hand(self, table: Any, side: int) -> Hand:
        faces = _faces(table, side, int(table.reroll[side, LANE]))
        healing = {rules.FACE: faces[0], rules.TOTAL: sum(faces)}.get(self.knobs.heal, 0)
        return Hand(self.names[self.sides[side]], sum(faces), max(faces), len(set(faces)) == 1, healing)

    def _changes(self, delta: list[int], life: list[int]) -> list[str]:
        """The net change of each side (VD2), which never takes a life below 0 (VD20)."""
        told = []
        for seat, net in zip(self.sides, delta, strict=True):
            old, floor = self.life[seat], " (it never falls below 0)" if self.life[seat] + net < 0 else ""
            if net:
                verb = "gains" if net > 0 else "loses"
                told.append(f"{self.names[seat]} {verb} {abs(net)} life: from {old} to {life[seat]}{floor}.")
        return told or ["Nobody's life changes."]

    def _end_of_game(self, table: Any, life: list[int]) -> list[str]:
        duels, alive = int(table.counters[DUELS, LANE]), [seat for seat, points in enumerate(life) if points]
        if len(alive) == 1:
            return ["", f"{self.names[alive[0]]} wins after {_duels(duels)}."]
        if duels >= self.knobs.max_duels:
            names = _listed([self.names[seat] for seat in alive])
            return ["", f"max_duels ends the game after {_duels(duels)}: {names} are alive, and nobody wins."]
        return []


# Dice


def _faces(table: Any, side: int, mask: int) -> list[int]:
    """The dice of one side after those in `mask` were rolled again."""
    first, again = table.first[side, :, LANE].tolist(), table.again[side, :, LANE].tolist()
    return [again[die] if mask >> die & 1 else face for die, face in enumerate(first)]


def _sum(faces: Sequence[int]) -> str:
    return f"{' + '.join(map(str, faces))} = {sum(faces)}"


# Results, by the names that the rules give them


def _damage(lower: Hand, higher: Hand) -> list[str]:
    score = f"{higher.total} against {lower.total}"
    return [f"{score}: {higher.name} hits {lower.name} for the difference, {higher.total - lower.total}."]


def _recovers(lower: Hand, higher: Hand) -> list[str]:
    score = f"{higher.total} against {lower.total}"
    return [f"{score}: the triple of {higher.name} heals {higher.healing}, and {lower.name} is not hit."]


def _protected(lower: Hand, higher: Hand) -> list[str]:
    score = f"{higher.total} against {lower.total}"
    return [f"{score}: the lower total is a triple, which protects {lower.name} and heals {lower.healing}."]


def _both_triples(one: Hand, other: Hand) -> list[str]:
    healed = f"{one.name} heals {one.healing} and {other.name} heals {other.healing}"
    return [f"{one.total} against {other.total}, and both are triples: {healed}."]


def _tie(lower: Hand, higher: Hand, tied_triple: int) -> list[str]:
    """Equal totals. Sides by their highest die; a lone triple always has the lower one."""
    tie = f"Equal totals of {lower.total}"
    if lower.highest == higher.highest:
        return [f"{tie} and equal highest dice, {lower.highest}: nobody is hit."]
    dice = f"{tie}: the highest die is {higher.highest} for {higher.name} against {lower.highest} for {lower.name}"
    if lower.is_triple and tied_triple == rules.HEAL_ONLY:
        return [f"{dice}, whose triple protects and heals {lower.healing}."]
    hit = f"{dice}, who is hit for {higher.highest}."
    if not lower.is_triple:
        return [hit]
    healing = "nothing" if tied_triple == rules.HIT_ONLY else f"{lower.healing} at the same time"
    return [hit, f"The triple of {lower.name} does not protect in a tie; it heals {healing}."]


# Words


def _listed(words: Sequence[str]) -> str:
    *some, last = words
    return f"{', '.join(some)} and {last}" if some else last


def _duels(number: int) -> str:
    return "1 duel" if number == 1 else f"{number} duels"


def _indented(lines: Iterable[str]) -> list[str]:
    return [f"  {line}" for line in lines]
