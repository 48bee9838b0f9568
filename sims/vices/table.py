"""A table of Vices & Vengeance: thousands of games in lockstep, one roll of each a round of play.

`_roll` is the course of a roll; it pauses at every decision. The rules themselves are in `rules.py`.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sims.core.game import Ask, Setting, closed
from sims.vices import rules
from sims.vices.rules import OVER, PLAYING, REMOVE, RESOLUTION, SET_UP, Lanes

Bytes = NDArray[np.int8]
Numbers = NDArray[np.int32]


class View(NamedTuple):
    """What everybody sees: the game hides nothing but the dice to come. Arrays are read-only; their meaning is
    `rules.Lanes`'."""

    kind: int
    """SET_UP: the action is the Sin to start with. A Sin's number: the one that its effect shall take, destroy or
    exchange for; DECLINE: none. REMOVE: the units to score, as a bit mask. (All in `rules`.)"""
    seats: int
    knobs: Any
    word: NDArray[np.uint32]
    """[lane] the random word that the policy may use"""
    seat: Bytes
    """[lane] who decides; -1 where nobody is asked"""
    options: Numbers
    """[lane] the Sins that may be chosen, or the units that may be scored, as a bit mask"""
    due: Bytes
    """[lane] 1 where a unit must be scored"""
    defender: Bytes
    first: Bytes
    reached: Bytes
    at: Numbers
    holder: Bytes
    removed: Bytes
    guests: Bytes
    joining: Bytes
    matched: Bytes
    pool: Numbers
    points: Bytes
    total: Numbers
    spent: Numbers


class Table:
    """See `sims.core.game.Table`."""

    def __init__(self, setting: Setting, lanes: int) -> None:
        self.setting, self.knobs = setting, setting.knobs
        self.key = np.uint64(setting.seed)
        self._play = self._roll()
        self._allocate(lanes)

    def _allocate(self, lanes: int) -> None:
        seats = self.setting.seats
        rows = {
            "holder": rules.SINS, "total": seats, "small": rules.SINS, "large": rules.SINS, "pairs": 6, "spoilers": 3,
            "nemesis": seats, "points": rules.ABSORBED + seats, "roller": rules.SINS, "penalty": rules.PENALTY_DICE,
            "start_sin": seats, "sin_matches": seats, "nemesis_matches": seats,
        }  # fmt: skip
        wide = {"at", "pool", "total", "spent", "options", "sin_matches", "nemesis_matches"}
        wide |= {"rounds", "rolls", "sins_destroyed", "nemesis_destroyed", "tie_breaks", "unfinished"}
        dtypes: dict[str, Any] = {"game": np.uint64} | dict.fromkeys(wide, np.int32)
        made: dict[str, NDArray[Any]] = {
            name: np.zeros((rows[name], lanes) if name in rows else lanes, dtypes.get(name, np.int8))
            for name in Lanes._fields
        }
        self.t = Lanes(**made)
        self.game = self.t.game
        self.dealt = np.empty(0, np.int32)
        self.units = tuple(self.t.points)
        self.owners = tuple(range(seats))
        self.rolled = np.zeros(lanes, np.int8)
        self.lanes = np.zeros(lanes, np.int32)
        self.matches, self.sizes = np.zeros((rules.SINS, lanes), np.int32), np.zeros(rules.SINS, np.int64)
        self.four, self.words = np.zeros((2, 4, lanes), np.uint32)
        self.action = np.zeros(lanes, np.int32)
        shown = {name: closed(array) for name, array in made.items() if name in View._fields}
        self.view = View(kind=REMOVE, seats=seats, knobs=self.knobs, word=closed(self.words[0]), **shown)

    # The course of play

    def advance(self) -> Ask | None:
        ask = next(self._play, None)
        if ask is None:
            self._play = self._roll()
        return ask

    def _roll(self) -> Iterator[Ask]:
        if self.dealt.size:
            yield from self._set_up()
        self._throw()
        rules.find_matches(self.t)
        rules.list_matches(self._listed(self.t.matched), self.t.matched, self.matches, self.sizes)
        for sin in RESOLUTION:
            yield from self._resolve(sin, self.matches[sin, : self.sizes[sin]])
        self._absorb()
        yield from self._remove()
        self._end_turns()

    def _set_up(self) -> Iterator[Ask]:
        for place in range(self.setting.seats):
            if rules.roll_for_sin(place, self.dealt, self.key, self.t):
                self._draw_words(rules.ASSIGN_WORD + place)
                yield self._ask(SET_UP)
            rules.take_sin(self.dealt, self.action, self.t)
        rules.start_turns(self.dealt, self.knobs, self.t)
        self.dealt = self.dealt[:0]

    def _throw(self) -> None:
        t, knobs = self.t, self.knobs
        small, large, pairs, spoilers, nemesis = map(tuple, (t.small, t.large, t.pairs, t.spoilers, t.nemesis))
        six, twenty = (6, 6, 6), (knobs.nemesis_sides,) * 2
        dice = self._draw(rules.DICE)
        rules.faces(dice[0], six, small[:3])
        rules.faces(dice[1], six, small[3:6])
        rules.faces(dice[2], six, (small[6], *pairs[:2]))
        rules.faces(dice[3], six, pairs[2:5])
        rest = self._draw(rules.REST)
        rules.faces(rest[0], (6, 12), (pairs[5], spoilers[0]))
        rules.faces(rest[1], (10, 8, 6), (*spoilers[1:], large[6]))
        rules.faces(rest[2], six, large[:3])
        rules.faces(rest[3], six, large[3:6])
        owned = self._draw(rules.NEMESIS)
        for seat in range(0, self.setting.seats, 2):
            rules.faces(owned[seat // 2], twenty, nemesis[seat : seat + 2])
        if knobs.bullet_upright > 0:
            rules.see_bullet(knobs.bullet_upright, self._draw(rules.BULLET)[0], t.upright)
        rules.value(knobs.nemesis_sides, t)

    def _resolve(self, sin: int, lanes: Numbers) -> Iterator[Ask]:
        if rules.meet(sin, lanes, self.knobs, self.key, self.t):
            self._draw_words(rules.CHOICE_WORD + sin)
            yield self._ask(sin)
        rules.act(sin, lanes, self.action, self.knobs, self.key, self.t)

    def _absorb(self) -> None:
        rules.absorb(self.t, self.owners, self.rolled)
        rules.note_absorbed(self._listed(self.t.joining), self.t)

    def _remove(self) -> Iterator[Ask]:
        rules.open_removal(self.t)
        self._draw_words(rules.WORD)
        yield self._ask(REMOVE)
        rules.score(self.units, self.action, self.t)

    def _end_turns(self) -> None:
        rules.next_roll(self.t)
        rules.end_turns(self._listed(self.t.due), self.knobs, self.key, self.t)

    # Helpers

    def _listed(self, mask: Bytes) -> Numbers:
        return self.lanes[: rules.list_where(mask, self.lanes)]

    def _draw(self, purpose: int) -> NDArray[np.uint32]:
        rules.draw(self.key, self.game, self.t.at, purpose, self.four)
        return self.four

    def _draw_words(self, purpose: int) -> None:
        if self.setting.words:
            rules.draw(self.key, self.game, self.t.at, purpose, self.words)

    def _ask(self, kind: int) -> Ask:
        return Ask(self.view._replace(kind=kind), self.t.seat, self.action, None)

    # The end of a game, and the next

    def over(self) -> Numbers:
        """Once there are a few, so that setting up is done for many games at once."""
        n = rules.list_phase(self.t.phase, OVER, self.lanes)
        if 64 * n < self.lanes.size and (self.t.phase == PLAYING).any():
            n = 0
        return self.lanes[:n].copy()

    def record(self, lanes: Numbers, rows: Numbers) -> None:
        rules.record(lanes, self.knobs, self.t, rows)

    def turned(self) -> Numbers:
        """`next_roll` has marked the defenders who had nothing left."""
        return self._listed(self.t.due).copy()

    def look(self, lanes: Numbers, sights: Numbers) -> None:
        luck = sights[:, sights.shape[1] - self.setting.seats :]
        luck[...] = 0
        rules.look(lanes, self.knobs, self.t, sights)
        rules.look_at_luck(lanes, self.key, self.t, luck)

    def busy_lanes(self) -> Numbers:
        return np.flatnonzero(self.t.phase).astype(np.int32)

    def deal(self, lanes: Numbers, games: NDArray[np.uint64]) -> None:
        rules.deal(lanes, games, self.knobs, self.key, self.t)
        self.dealt = lanes.copy()

    def keep(self, lanes: Numbers) -> None:
        kept: list[NDArray[Any]] = [array.take(lanes, axis=-1) for array in self.t]
        dealt = np.flatnonzero(np.isin(lanes, self.dealt)).astype(np.int32)
        self._allocate(lanes.size)
        self.dealt = dealt
        for name, old in zip(Lanes._fields, kept, strict=True):
            getattr(self.t, name)[...] = old
