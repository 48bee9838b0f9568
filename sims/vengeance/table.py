"""A table of Vengeance: hundreds of games in lockstep, each at a decision of its own.

A round of play ends when most lanes have ended a round of their game; the others go on where they are in the next. The
rules are in `rules.py`.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sims.core.game import Ask, Setting, closed
from sims.core.kernel import specialised
from sims.vengeance import rules
from sims.vengeance.pack import BASICS, BOSS
from sims.vengeance.rules import Lanes
from sims.vengeance.state import BOARD, FREE_LANE, MINE, OVER, PLAYER, RESTING, SECRET

Bytes = NDArray[np.int8]


class View(NamedTuple):
    """What the deciding seats see, one decision a lane: everything but the luck to come. Arrays are read-only."""

    fixed: Any
    """`fixed.record[0]`: the game's knobs, encoded (`state.FIXED`); `fixed.pack[0]`: its content (`pack.LAYOUT`)."""
    kind: Bytes
    """[lane] SIDE, PREP, ROLL, FIGHT, EFFECT, LOOT: `README.md` lists options, `state.py` encodes them."""
    seat: Bytes
    """[lane] who decides; -1 where nobody is asked."""
    word: NDArray[np.uint32]
    """[lane] the only randomness that a policy may use; zeros unless the policy declares `uses_word`."""
    board: Any
    """[lane] records: what is common (`state.BOARD`)."""
    players: Any
    """[seat, lane] records of `state.PLAYER`."""
    mine: Any
    """[lane] records: what the deciding seat may choose (`state.MINE`)."""


def lanes_of(seats: int, lanes: int) -> Lanes:
    """Lanes of zeros."""
    players = np.zeros((seats, lanes), PLAYER).view(np.recarray)
    board, mine, secret = (np.zeros(lanes, each).view(np.recarray) for each in (BOARD, MINE, SECRET))
    state, kind, seat = np.zeros((3, lanes), np.int8)
    word, action = np.zeros(lanes, np.uint32), np.zeros(lanes, np.int32)
    return Lanes(board, players, mine, secret, state, kind, seat, word, action)


class Table:
    """See `sims.core.game.Table`."""

    def __init__(self, setting: Setting, lanes: int) -> None:
        self.setting, self.knobs = setting, setting.knobs
        self.fixed = rules.make_fixed(setting.knobs, setting.seats, setting.players)
        self.blank = lanes_of(setting.seats, 1)
        self._allocate(lanes)
        words = setting.words
        self._start = specialised(rules.start, self.fixed, words, self.t)
        self._play = specialised(rules.play, self.fixed, words, self.t)
        self.is_open = True
        """Whether the next round of play is still to begin."""
        self.busy = 0
        """How many lanes are."""

    def _allocate(self, lanes: int) -> None:
        self.game = np.zeros(lanes, np.uint64)
        self.t = t = lanes_of(self.setting.seats, lanes)
        self.view = View(self.fixed, *map(closed, (t.kind, t.seat, t.word, t.board, t.players, t.mine)))
        self.ask = Ask(self.view, t.seat, t.action, None)

    # The course of play

    def advance(self) -> Ask | None:
        if self.is_open:
            asked = self._start(self.fixed, self.setting.words, self.t)
        else:
            asked = self._play(self.fixed, self.setting.words, self.t)
            if 2 * asked < self.busy:
                asked = 0
        self.is_open = asked == 0
        return self.ask if asked else None

    def turned(self) -> NDArray[np.int32]:
        return np.flatnonzero(self.t.state >= RESTING).astype(np.int32)

    def look(self, lanes: NDArray[np.int32], sights: NDArray[np.int32]) -> None:
        rules.look(lanes, self.fixed, self.t, sights)

    # The end of a game, and the next

    def over(self) -> NDArray[np.int32]:
        return np.flatnonzero(self.t.state == OVER).astype(np.int32)

    def record(self, lanes: NDArray[np.int32], rows: NDArray[np.int32]) -> None:
        rules.record(lanes, self.fixed, self.t, rows)
        self.busy -= lanes.size

    def busy_lanes(self) -> NDArray[np.int32]:
        return np.flatnonzero(self.t.state != FREE_LANE).astype(np.int32)

    def deal(self, lanes: NDArray[np.int32], games: NDArray[np.uint64]) -> None:
        self.game[lanes] = games
        rules.deal(lanes, games, np.uint64(self.setting.seed), self.fixed, self.blank, self.t)
        self.busy += lanes.size

    def keep(self, lanes: NDArray[np.int32]) -> None:
        game, kept = self.game[lanes], [array[..., lanes] for array in self.t]
        self._allocate(lanes.size)
        self.game[:] = game
        for name, old in zip(Lanes._fields, kept, strict=True):
            getattr(self.t, name)[...] = old

    def copy(self) -> "Table":
        """The same games at the same decisions, with arrays of their own."""
        other = Table(self.setting, self.game.size)
        other.is_open, other.busy = self.is_open, self.busy
        other.game[:] = self.game
        for mine, new in zip(self.t, other.t, strict=True):
            new[...] = mine
        return other


def determinize(table: Table, word: int) -> Table:
    """A copy of the table whose games go on in another luck. All lies open, so nothing else is to be dealt anew."""
    other = table.copy()
    other.setting = table.setting._replace(seed=int(np.random.Generator(np.random.Philox(key=word)).integers(2**63)))
    other.t.secret.key = other.setting.seed
    return other


def check(table: Table) -> None:
    """Raise AssertionError unless all dice are somewhere, and all tracks within their bounds, in every game."""
    fixed, pack = table.fixed.record[0], table.fixed.pack[0]
    for i in np.flatnonzero(table.t.state != FREE_LANE):
        b, dice = table.t.board[i], 0
        for seat in range(table.setting.seats):
            p = table.t.players[seat, i]
            rows = [k if k < BASICS else BASICS + 8 * p.hero + k - BASICS for k in range(12)]
            dice += sum(int(pack.dice[row]) * int(p.sets[k] + p.sets_plus[k]) for k, row in enumerate(rows))
            in_hand = int(p.fresh + p.woe + p.hand.sum())
            assert 0 <= in_hand <= 4
            dice += in_hand + int(p.endured)
            assert p.hand.min() >= 0
            assert p.sets.min() >= 0
            assert 0 <= p.wounds <= p.spaces <= pack.health
            assert 0 <= p.spent <= p.trained <= pack.training_spaces
            assert 0 <= p.loot <= pack.loot_spaces
            assert 0 <= p.damage <= pack.boss_health[p.boss]
            assert (p.damage == pack.boss_health[p.boss]) == (p.living & BOSS == 0) or b.turn < 0
            assert int(p.owned).bit_count() <= BASICS + 4
            assert p.kills.sum() == pack.minions[p.side] - int(p.living & ~BOSS).bit_count() or b.turn < 0
            assert ((p.expended <= p.bought) & (p.bought <= fixed.item_charges)).all()
        if b.turn >= 0:
            assert dice + b.pool == fixed.pool
