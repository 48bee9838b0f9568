"""Tables of games that are records: a game a lane, each at a decision of its own.

A game of this kind is a state machine over the records of one lane. Its `rules` module has the kernels
`start`, `play`, `deal`, `record` and `look`, which run all lanes of a `Lanes` named tuple: records by who may see them
(`board`, `secret`, ...), and by lane `state`, `kind`, `seat`, `word` and `action`. `sims/sincity` is the pattern.
"""

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from sims.core.game import Ask, Setting, closed
from sims.core.kernel import specialised

# What a lane is in. A game's own steps are below STOPPED: from there on somebody is asked, or a turn or the game over.
# They are NumPy's numbers, as kernels meet them in records: for plain ones Numba would compile a user once a value.
FREE, DEALT = map(np.int64, range(2))
STOPPED = 10
ASKED, RESTING, OVER = map(np.int64, range(STOPPED, STOPPED + 3))


def records(dtype: Any, *shape: int) -> Any:
    """Records of zeros."""
    return np.zeros(shape, dtype).view(np.recarray)


def asking(lanes: int, action: type) -> tuple[NDArray[Any], ...]:
    """What a `Lanes` ends with: state, kind, seat (-1: nobody is asked), word, action."""
    state, kind, seat = np.zeros((3, lanes), np.int8)
    seat[:] = -1
    return state, kind, seat, np.zeros(lanes, np.uint32), np.zeros(lanes, action)


class RecordTable:
    """See `sims.core.game.Table`. A round of play ends when most lanes have ended a turn; the others go on where they
    are in the next."""

    rules: ClassVar[Any]
    """The game's module of kernels."""
    fixed: Any
    """What does not change at this table, as its kernels take it."""

    def __init__(self, setting: Setting, lanes: int) -> None:
        self.setting, self.knobs = setting, setting.knobs
        self.fixed = self.make_fixed(setting)
        self.blank = self.make_lanes(1)
        """What a lane is before a game is dealt to it."""
        self._allocate(lanes)
        self._start = specialised(self.rules.start, self.fixed, setting.words, self.t)
        self._play = specialised(self.rules.play, self.fixed, setting.words, self.t)
        self.is_open = True
        """Whether the next round of play is still to begin."""
        self.busy = 0
        """How many lanes are."""

    def make_fixed(self, setting: Setting) -> Any:
        raise NotImplementedError

    def make_lanes(self, lanes: int) -> Any:
        """A `Lanes` of zeros, nobody asked."""
        raise NotImplementedError

    def make_view(self, t: Any) -> Any:
        """What deciding seats see of a `Lanes` of closed arrays."""
        raise NotImplementedError

    def _allocate(self, lanes: int) -> None:
        self.game = np.zeros(lanes, np.uint64)
        self.t = self.make_lanes(lanes)
        self.view = self.make_view(type(self.t)(*map(closed, self.t)))
        self.ask = Ask(self.view, self.view.seat, self.t.action, None)

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
        self.rules.look(lanes, self.fixed, self.t, sights)

    # The end of a game, and the next

    def over(self) -> NDArray[np.int32]:
        return np.flatnonzero(self.t.state == OVER).astype(np.int32)

    def record(self, lanes: NDArray[np.int32], rows: NDArray[np.int32]) -> None:
        self.rules.record(lanes, self.fixed, self.t, rows)
        self.t.state[lanes] = FREE
        self.busy -= lanes.size

    def busy_lanes(self) -> NDArray[np.int32]:
        return np.flatnonzero(self.t.state != FREE).astype(np.int32)

    def deal(self, lanes: NDArray[np.int32], games: NDArray[np.uint64]) -> None:
        self.game[lanes] = games
        self.rules.deal(lanes, games, np.uint64(self.setting.seed), self.fixed, self.blank, self.t)
        self.busy += lanes.size

    def keep(self, lanes: NDArray[np.int32]) -> None:
        game, kept = self.game[lanes], [array[..., lanes] for array in self.t]
        self._allocate(lanes.size)
        self.game[:] = game
        for new, old in zip(self.t, kept, strict=True):
            new[...] = old

    def copy(self) -> Self:
        """The same games at the same decisions, with arrays of their own."""
        other = type(self)(self.setting, self.game.size)
        other.is_open, other.busy = self.is_open, self.busy
        other.game[:] = self.game
        for new, old in zip(other.t, self.t, strict=True):
            new[...] = old
        return other
