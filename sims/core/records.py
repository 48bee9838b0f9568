"""Tables of games that are records: a game a lane, each at a decision of its own.

A game of this kind is a state machine over the records of one lane. Its `rules` module says how one game is played
(`PARTS`), and how lanes are dealt, recorded and looked at: the kernels `deal`, `record` and `look`, which take a
`Lanes` named tuple: records by who may see them (`board`, `secret`, ...), and by lane `state`, `kind`, `seat`, `word`
and `action`. `sims/sincity` is the pattern.

Policies of such a game answer one view at a time. Each is melted into the loop that plays (`drive`), so that a lane
is played on without a stop as long as it is this policy's seats that are asked. That is twice as fast as lanes in
lockstep, which come back to every game only when all others have been asked: then the processor has forgotten it.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cache, cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from sims.core.game import Ask, Setting, closed
from sims.core.kernel import bound, kernel, plain, specialised

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


# How lanes are played: templates, in which the names of PARTS are kernels of a game's rules


def _part(*_: Any) -> Any:
    raise TypeError("a template is played with a game's parts: RecordTable.filled")


game_at = _part
"""`game_at(fixed, t, i)`: the records of lane i, a named tuple; its `secret` has the `kind` and the `seat` of what is
asked."""
view_of = _part
"""`view_of(g, word)`: what the seat that is asked sees."""
policy_word = _part
"""`policy_word(g)`: the word of luck of the decision that is asked."""
first_step = _part
"""`first_step(g, state)`: the step that begins the next turn of a lane that is DEALT or RESTING."""
run = _part
"""`run(g, step)`: plays on from a step until somebody is asked, the turn is over, or the game: ASKED, RESTING, OVER."""
hear = _part
"""`hear(g, action)`: takes in the answer to what is asked, and gives the step that follows."""
is_legal = _part
"""`is_legal(view, action)`: see `sims.core.game.Game`."""
PARTS = ("game_at", "view_of", "policy_word", "first_step", "run", "hear", "is_legal")

policy = _part
"""`policy(view, weights, prepared)`: an action."""


@kernel
def advance(fixed, words, t, begins):  # type: ignore[no-untyped-def]
    """Take in all answers and play on; with `begins`, begin the next turn of every game whose last is over instead.
    How many lanes are asked now."""
    state, kind, seat, word, action, asked = t.state, t.kind, t.seat, t.word, t.action, 0
    for i in range(state.size):
        at = np.int64(state[i])
        if (at == ASKED and not begins) or (begins and (at == DEALT or at == RESTING)):
            g = game_at(fixed, t, i)
            at = run(g, first_step(g, at) if begins else hear(g, action[i]))
            state[i], seat[i] = at, -1
            if at == ASKED:
                kind[i], seat[i] = g.secret.kind, g.secret.seat
                word[i] = policy_word(g) if words else np.uint32(0)
        asked += at == ASKED
    return asked


@kernel
def drive(fixed, words, t, first, last, mask, weights, prepared, until):  # type: ignore[no-untyped-def]
    """Let a policy answer for the seats in a bit mask, and play the lanes from first up to last on until others are
    asked, or they are RESTING or OVER, whichever `until` says; if that is ASKED, only write the answers.

    How many lanes others are asked in; if there was an illegal answer, -1 - the lane.
    """
    state, word, action, others = t.state, t.word, t.action, 0
    for i in range(first, last):
        at = np.int64(state[i])
        if at == FREE or (until == ASKED and at != ASKED):
            continue
        g = game_at(fixed, t, i)
        while True:
            if at == ASKED:
                if (mask >> g.secret.seat) & 1 == 0:
                    others += 1
                    break
                luck = np.uint32(0)
                if words:
                    luck = word[i] if until == ASKED else policy_word(g)
                view = view_of(g, luck)
                action[i] = policy(view, weights, prepared)
                if not is_legal(view, action[i]):
                    return -1 - i
                if until == ASKED:
                    break
                at = run(g, hear(g, action[i]))
            elif at < until:
                at = run(g, first_step(g, at))
            else:
                break
        state[i] = at
    return others


class RecordTable(ABC):
    """See `sims.core.game.Table`. A round of play ends when most lanes have ended a turn; the others go on where they
    are in the next."""

    one_view: ClassVar[bool] = True
    """Whether policies answer one view at a time."""
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
        self.is_open = True
        """Whether the next round of play is still to begin."""
        self.busy = 0
        """How many lanes are."""

    @abstractmethod
    def make_fixed(self, setting: Setting) -> Any: ...

    @abstractmethod
    def make_lanes(self, lanes: int) -> Any:
        """A `Lanes` of zeros, nobody asked."""

    @abstractmethod
    def make_view(self, t: Any) -> Any:
        """What deciding seats see of a `Lanes` of closed arrays, for whoever watches all lanes."""

    @classmethod
    @cache
    def filled(cls, template: Any, **policy: Any) -> Any:
        """A template with this game's parts."""
        return bound(template, **{name: getattr(cls.rules, name) for name in PARTS}, **policy)

    def _allocate(self, lanes: int) -> None:
        self.game = np.zeros(lanes, np.uint64)
        self.t = self.make_lanes(lanes)
        self.view = self.make_view(type(self.t)(*map(closed, self.t)))
        self.ask = Ask(self.view, self.view.seat, self.t.action, None)

    # The course of play

    def advance(self) -> Ask | None:
        asked = self._step(self.fixed, self.setting.words, self.t, self.is_open)
        if not self.is_open and 2 * asked < self.busy:
            asked = 0
        self.is_open = asked == 0
        return self.ask if asked else None

    @cached_property
    def _step(self) -> Callable[..., int]:
        return specialised(self.filled(advance), self.fixed, self.setting.words, self.t, self.is_open)

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


class Driver:
    """Lets a policy play at tables like a given one."""

    def __init__(self, table: RecordTable, policy: Callable[..., Any], weights: Any, prepared: Any) -> None:
        self.weights, self.prepared = weights, prepared
        function = table.filled(drive, policy=policy)
        self.is_compiled = plain(function) is not function
        """If not, it should be driven no further than to its answers: the rules would be slow, too."""
        self.code = specialised(function, table.fixed, True, table.t, 0, 0, 0, weights, prepared, int(OVER))

    def __call__(self, table: RecordTable, lanes: range, mask: int, until: np.int64, *, words: bool) -> int:
        """See `drive`. words: whether the policy needs its words of luck."""
        first, last, weights, prepared = lanes.start, lanes.stop, self.weights, self.prepared
        found: int = self.code(table.fixed, words, table.t, first, last, mask, weights, prepared, int(until))
        return found
