"""A table of Shred of Redemption: thousands of games in lockstep, each at a decision of its own.

A round of play ends when most lanes have completed an action; the others go on where they are in the next. The rules
are in `rules.py` and `effects.py`.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sims.core.game import Ask, Setting, closed
from sims.core.kernel import specialised
from sims.redemption import rules
from sims.redemption.rules import ASKED, FREE, LAYOUT, OVER, RESTING, Lanes

Bytes = NDArray[np.int8]


class View(NamedTuple):
    """What the player sees, one decision a lane. Arrays are read-only."""

    fixed: Any
    """`fixed.record[0]`: the game's knobs, encoded, and the pack's tables (`rules.LAYOUT`)."""
    kind: Bytes
    """[lane] KEEP: the action is a place among the cards offered. ACT: what `rules.action_of` makes of a verb and a
    place. CHOOSE, inside an effect: what `effects.option` makes of a first and a second thing, or NONE."""
    seat: Bytes
    """[lane] 0; -1 where nobody is asked."""
    word: NDArray[np.uint32]
    """[lane] the only randomness that a policy may use; zeros unless the policy declares `uses_word`."""
    board: Any
    """[lane] records: all that lies open (`rules.LAYOUT`), the bag's contents too (SR29)."""


class Table:
    """See `sims.core.game.Table`."""

    def __init__(self, setting: Setting, lanes: int) -> None:
        self.setting = setting
        self.fixed = rules.make_fixed(setting.knobs)
        self.blank = rules.Game(self.fixed, _records(1, LAYOUT.board), _records(1, LAYOUT.secret))
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
        state, kind, seat = np.zeros((3, lanes), np.int8)
        state[:] = FREE
        seat[:] = -1
        word, action = np.zeros(lanes, np.uint32), np.zeros(lanes, np.int16)
        self.t = Lanes(_records(lanes, LAYOUT.board), _records(lanes, LAYOUT.secret), state, kind, seat, word, action)
        self.view = View(self.fixed, *map(closed, (kind, seat, word, self.t.board)))
        self.ask = Ask(self.view, seat, action, None)

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
        at_end = (self.t.state == RESTING) | (self.t.state == OVER)
        return np.flatnonzero(at_end).astype(np.int32)

    def look(self, lanes: NDArray[np.int32], sights: NDArray[np.int32]) -> None:
        rules.look_at(lanes, self.fixed, self.t, sights)

    # The end of a game, and the next

    def over(self) -> NDArray[np.int32]:
        return np.flatnonzero(self.t.state == OVER).astype(np.int32)

    def record(self, lanes: NDArray[np.int32], rows: NDArray[np.int32]) -> None:
        rules.record(lanes, self.fixed, self.t, rows)
        self.busy -= lanes.size

    def busy_lanes(self) -> NDArray[np.int32]:
        return np.flatnonzero(self.t.state != FREE).astype(np.int32)

    def deal(self, lanes: NDArray[np.int32], games: NDArray[np.uint64]) -> None:
        self.game[lanes] = games
        rules.deal(lanes, games, np.uint64(self.setting.seed), self.fixed, self.blank, self.t)
        self.busy += lanes.size

    def keep(self, lanes: NDArray[np.int32]) -> None:
        game, kept = self.game[lanes], [array[lanes] for array in self.t]
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


def _records(lanes: int, dtype: Any) -> Any:
    """Records of zeros."""
    return np.zeros(lanes, dtype).view(np.recarray)


# For tests, and for policies that look ahead


def check(table: Table) -> None:
    """Raise AssertionError unless all tokens, dice and cards of every game are in exactly one place."""
    for i in np.flatnonzero((table.t.state == ASKED) | (table.t.state == RESTING) | (table.t.state == OVER)):
        b, h = table.t.board[i], table.t.secret[i]
        kept = b.card[: b.kept].tolist()
        assert len(set(kept)) == len(kept)
        assert set(kept) <= set(h.deck[: h.top].tolist()), "a card was kept that was not offered"
        if b.dice < 5 or (b.bag.sum() == 0 and b.supply.sum() == 0):
            continue
        formation = [token for token in b.token[: b.length].tolist() if token >= 0]
        looked = b.looked[: b.looks].tolist()
        for kind in range(7):
            here = sum(token & 7 == kind for token in (*formation, *looked)) + b.bag[kind] + b.supply[kind]
            assert here == (6 if kind < 6 else 12), f"{here} tokens of kind {kind}"
        assert min(b.bag.min(), b.supply.min()) >= 0
        drawn = sorted(die // rules.COPIES for die in h.dice_bag[:5].tolist())
        assert sorted(b.kind.tolist()) == drawn
        assert all(0 <= face < 6 for face in b.face.tolist())


def determinize(table: Table, word: int) -> Table:
    """A copy of the table whose games go on in another luck: what is hidden, dice and cards to come, is dealt anew."""
    other = table.copy()
    luck = np.random.Generator(np.random.Philox(key=word))
    seed = int(luck.integers(2**63))
    other.setting = table.setting._replace(seed=seed)
    other.t.secret.key = seed
    for i in np.flatnonzero(other.t.state == ASKED):
        b, h = other.t.board[i], other.t.secret[i]
        luck.shuffle(h.dice_bag[b.dice :])
        luck.shuffle(h.deck[h.top : other.fixed.record[0].pack_cards])
    return other
