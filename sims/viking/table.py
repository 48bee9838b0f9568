"""A table of Viking Dice: thousands of games in lockstep, one duel of each a round of play.

`_duel` is the course of a duel; it pauses at every decision. The rules themselves are in `rules.py`.
"""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sims.core.game import Ask, Setting, closed
from sims.viking import rules
from sims.viking.rules import DUELS, LEAD_CHANGES, REROLLS, SPEAK, STRIKE, TARGET, TIES, TRIPLES

Bytes = NDArray[np.int8]


class View(NamedTuple):
    """What the deciding seats see, one decision a lane. Arrays are read-only."""

    kind: int
    """TARGET: the action is the seat to face. SPEAK: the dice to reroll as a bit mask, 0 to wait. STRIKE: with a higher
    triple, ATTACK or HEAL. (All in `rules`.)"""
    chance: int
    """SPEAK: 0, 1 or 2, the speaking round of this duel (only in round 2 does a seat speak for the second time)."""
    seats: int
    dice: tuple[int, ...]
    """(0, 1, 2): a loop over `range(len(view.dice))` is unrolled, since the length is part of the type."""
    knobs: Any
    """The game's knobs, encoded: numbers, and for names their place among the options."""
    life: NDArray[np.int32]
    """[seat, lane] life of every player; 0: out."""
    duels: NDArray[np.int32]
    """[lane] duels fought before this one."""
    word: NDArray[np.uint32]
    """[lane] the only randomness that a policy may use; zeros unless the policy declares `uses_word`."""
    own: Bytes
    """[die, lane] own dice as they lie; 0 for TARGET."""
    other: Bytes
    """[die, lane] the opponent's dice as far as seen; 0 for TARGET."""
    seat: Bytes
    """[lane] who decides; -1 where nobody is asked."""
    foe: Bytes
    """[lane] the opponent in this duel; -1 while it is to be chosen."""
    own_total: Bytes
    other_total: Bytes
    other_rerolled: Bytes
    """[lane] 1 when the opponent has been seen to reroll in this duel."""
    active: Bytes
    """[lane] the active player."""


class _Rows:
    """A block of rows, a lane a column, of which arrays take what they need."""

    def __init__(self, dtype: type, rows: int, lanes: int) -> None:
        self.block: NDArray[Any] = np.zeros((rows, lanes), dtype)
        self.used = 0

    def take(self, *shape: int) -> NDArray[Any]:
        """The next rows, as an array of this shape with the lanes as one more axis."""
        first, self.used = self.used, self.used + math.prod(shape)
        return self.block[first : self.used].reshape(*shape, -1)


class Table:
    """See `sims.core.game.Table`."""

    STATE = ("game", "busy", "alive", "life", "place", "who", "leader", "counters")
    """What lasts from duel to duel; all else is worked out anew in each."""

    def __init__(self, setting: Setting, lanes: int) -> None:
        self.setting, self.knobs = setting, setting.knobs
        self.key = np.uint64(setting.seed)
        self.dice = tuple(range(self.knobs.dice))
        self._play = self._duel()
        self._allocate(lanes)

    def _allocate(self, lanes: int) -> None:
        """All rows of a type in one block, one after the other: arrays that each begin on a page of their own meet in
        the same places of the processor's cache, and drive each other out."""
        seats, dice = self.setting.seats, self.knobs.dice
        small = _Rows(np.int8, 20 + seats + 4 * dice, lanes)
        large = _Rows(np.int32, 6 + seats, lanes)
        self.free = lanes
        self.game = np.zeros(lanes, np.uint64)
        self.busy, self.alive, self.leader = small.take(3)
        self.life, self.place = large.take(seats), small.take(seats)
        self.counters = large.take(5)

        self.who, self.total, self.triple, self.highest, self.reroll, self.delta, self.fought = small.take(7, 2)
        self.first, self.again = small.take(2, 2, dice)
        hands = (*self.first, *self.again)
        self.hands = {
            purpose: [tuple(hand[part]) for hand in hands]
            for purpose, part in ((rules.ROLL, slice(3)), (rules.MORE, slice(3, None)))
            if len(hands[0][part])
        }
        self.speaker, self.striker, self.heals = small.take(3)
        self.four, self.words = np.zeros((2, 4, lanes), np.uint32)
        self.lanes = large.take(1)[0]
        action = np.zeros(lanes, np.int16)
        self.seen = self._blank(lanes)
        view = self._view(SPEAK, 0, *self.seen, self.life, self.counters[DUELS], self.words[0])
        view = view._replace(active=closed(self.who[0]))
        self.asks = [
            Ask(view._replace(chance=chance, word=closed(self.words[chance])), self.seen[2][rules.SEAT], action, None)
            for chance in range(2)
        ]
        """What all lanes are asked in the first two speaking rounds."""

    # The course of play

    def advance(self) -> Ask | None:
        ask = next(self._play, None)
        if ask is None:
            self._play = self._duel()
        return ask

    def _duel(self) -> Iterator[Ask]:
        if self.setting.seats > 2:
            yield from self._choose_foe()
        self._roll()
        yield from self._speak()
        yield from self._strike()
        self._resolve()

    def _choose_foe(self) -> Iterator[Ask]:
        lanes = self._busy(rules.find_choosers(self.alive, self.lanes))
        if lanes.size:
            self._draw_words(rules.TARGET_WORD)
            seen, numbers = self._blank(lanes.size), self._numbers(lanes.size)
            rules.show_choosers(lanes, self.who, self.life, self.counters[DUELS], seen[2], numbers)
            yield (ask := self._ask(TARGET, 0, lanes, seen, numbers))
            rules.choose_foe(lanes, ask.action, self.who[1])

    def _roll(self) -> None:
        for purpose, rows in self.hands.items():
            rules.roll(self.key, self.game, self.counters[DUELS], purpose, self.knobs.sides, self.four, *rows)
        rules.speak_first(self.knobs.reroll_order, self.dice, self.first, self.reroll, self.speaker)
        if self.free:
            self.speaker[self.busy == 0] = -1

    def _speak(self) -> Iterator[Ask]:
        self._draw_words(rules.SPEAK_WORD)
        order = self.knobs.reroll_order
        for chance, ask in enumerate(self.asks):  # most lanes speak, so all are shown
            rules.show_all(order, chance, self.first, self.again, self.reroll, self.speaker, self.who, *self.seen)
            yield ask
            rules.hear(order, chance, ask.action, self.speaker, self.reroll, self.counters[REROLLS])
        self._lay()
        yield from self._speak_again()

    def _lay(self) -> None:
        rules.lay(self.dice, self.first, self.again, self.reroll, self.total, self.triple, self.highest)

    def _speak_again(self) -> Iterator[Ask]:
        lanes = self.lanes[: rules.listed(self.speaker, self.lanes)]
        if lanes.size:
            yield (ask := self._ask_side(SPEAK, 2, lanes, self.speaker))
            rules.hear_last(
                lanes, ask.action, self.speaker, self.dice, self.first, self.again, self.reroll, self.total,
                self.triple, self.highest, self.counters[REROLLS],
            )  # fmt: skip

    def _strike(self) -> Iterator[Ask]:
        lanes = self._busy(rules.find_strikers(self.total, self.triple, self.striker, self.lanes))
        ask = self._ask_side(STRIKE, 3, lanes, self.striker)
        if lanes.size:
            yield ask
        rules.hear_strikers(lanes, ask.action, self.heals)

    def _resolve(self) -> None:
        knobs = self.knobs
        rules.resolve(knobs.tied_triple, knobs.heal, self.total, self.triple, self.highest, self.heals, self.delta)
        rules.count(self.total, self.triple, self.counters[TRIPLES], self.counters[TIES])
        rules.change_life(self.delta, self.who, self.life, self.alive, self.place)
        rules.watch_lead(self.life, self.leader, self.counters[LEAD_CHANGES])
        self.fought[...] = self.who
        rules.next_turn(self.setting.seats, self.alive, self.who, self.counters[DUELS])

    # Asking

    def _busy(self, n: int) -> NDArray[np.int32]:
        """The first n of the listed lanes, without the free ones, whose games are over: nobody is asked there."""
        lanes: NDArray[np.int32] = self.lanes[:n]
        return lanes[self.busy[lanes] != 0] if self.free else lanes

    def _draw_words(self, purpose: int) -> None:
        if self.setting.words:
            rules.draw(self.key, self.game, self.counters[DUELS], purpose, self.words)

    def _blank(self, n: int) -> tuple[Bytes, Bytes, Bytes]:
        """Room for what n views show: own dice, other dice, and `rules`' rows of `shown`."""
        dice, seen = self.knobs.dice, np.zeros((2 * self.knobs.dice + 6, n), np.int8)
        return seen[:dice], seen[dice : 2 * dice], seen[2 * dice :]

    def _numbers(self, n: int) -> NDArray[np.int32]:
        """Room for the life of every seat, and the number of duels."""
        return np.empty((self.setting.seats + 1, n), np.int32)

    def _ask_side(self, kind: int, chance: int, lanes: NDArray[np.int32], side: Bytes) -> Ask:
        """Ask side `side[lane]` of these lanes, which sees the dice as they lie."""
        seen, numbers = self._blank(lanes.size), self._numbers(lanes.size)
        rules.show_some(
            lanes, side, self.dice, self.first, self.total, self.reroll, self.who, self.life, self.counters[DUELS],
            *seen, numbers,
        )  # fmt: skip
        return self._ask(kind, chance, lanes, seen, numbers)

    def _ask(
        self,
        kind: int,
        chance: int,
        lanes: NDArray[np.int32],
        seen: tuple[Bytes, Bytes, Bytes],
        numbers: NDArray[np.int32],
    ) -> Ask:
        word = self.words[chance].take(lanes) if self.setting.words else self.words[0, : lanes.size]
        view = self._view(kind, chance, *seen, numbers[:-1], numbers[-1], word)
        return Ask(view, seen[2][rules.SEAT], np.empty(lanes.size, np.int16), lanes)

    def _view(
        self, kind: int, chance: int, own: Bytes, other: Bytes, shown: Bytes,
        life: NDArray[np.int32], duels: NDArray[np.int32], word: NDArray[np.uint32],
    ) -> View:  # fmt: skip
        return View(
            kind, chance, self.setting.seats, self.dice, self.knobs,
            closed(life), closed(duels), closed(word), closed(own), closed(other), *closed(shown),
        )  # fmt: skip

    # The end of a game, and the next

    def over(self) -> NDArray[np.int32]:
        n = rules.find_over(self.knobs.max_duels, self.alive, self.counters[DUELS], self.busy, self.lanes)
        lanes: NDArray[np.int32] = self.lanes[:n].copy()
        return lanes

    def record(self, lanes: NDArray[np.int32], rows: NDArray[np.int32]) -> None:
        rules.record(lanes, self.alive, self.life, self.place, self.counters, self.total, self.triple, self.busy, rows)
        self.free += lanes.size

    def turned(self) -> NDArray[np.int32]:
        """A round of play is a duel, of every game."""
        return self.busy_lanes()

    def look(self, lanes: NDArray[np.int32], sights: NDArray[np.int32]) -> None:
        known = 2 * self.setting.seats + 1
        rules.look(lanes, self.life, self.alive, self.who[0], self.counters[DUELS], sights)
        sights[:, known:] = 0
        rules.look_at_luck(
            lanes, self.key, self.game, self.counters[DUELS], self.knobs.dice, self.knobs.sides, self.fought,
            self.reroll, sights[:, known:],
        )  # fmt: skip

    def busy_lanes(self) -> NDArray[np.int32]:
        return np.flatnonzero(self.busy).astype(np.int32)

    def deal(self, lanes: NDArray[np.int32], games: NDArray[np.uint64]) -> None:
        rules.deal(
            lanes, games, self.knobs.start_life, self.game, self.alive, self.life, self.who, self.leader,
            self.counters, self.busy,
        )  # fmt: skip
        self.free -= lanes.size

    def keep(self, lanes: NDArray[np.int32]) -> None:
        kept = {name: getattr(self, name).take(lanes, axis=-1) for name in self.STATE}
        self._allocate(lanes.size)
        for name, array in kept.items():
            getattr(self, name)[...] = array
        self.free = 0
