"""The arena: plays games of one cell, all decisions of a step at once.

    play(match, first, count) -> rows [game, column], in the order of the game numbers

A lane whose game is over is dealt the next game at once. What comes out is a pure function of the match and the
game number: it does not depend on how many lanes there are, on where a block begins, or on who plays it.
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lab.cross import Source
from lab.errors import POLICY_ERRORS, IllegalAction, PolicyFailed
from sims.core.game import Ask, Game, Policy, Setting
from sims.core.kernel import kernel, specialised
from sims.core.records import ASKED, OVER, Driver, RecordTable

PATIENCE = 0.1
"""Seconds that lanes may be played on at once."""
GUARDED = 20
"""Of a table of records, the asks after which it is looked whether a policy has changed anything or broken its word."""


@dataclass(frozen=True, eq=False)
class Player:
    """A policy with its weights (encoded) and what it has prepared for the cell."""

    title: str
    policy: Policy
    weights: Any
    prepared: Any = ()


@dataclass(frozen=True, eq=False)
class Match:
    """A game with its rules set and every seat taken."""

    game: Game
    setting: Setting
    players: tuple[Player, ...]
    """By seat. Seats that play alike hold the same object, and are asked together."""
    columns: tuple[str, ...]
    """Names of the results columns."""
    crossed: tuple[Source, ...] = ()
    """What of them is crossed with winning."""
    quantities: int = 0
    """How many quantities that makes."""
    floors: Mapping[str, int] = field(default_factory=dict)
    """`Column.lowest` of those columns for which it is not 0."""
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Of columns whose values are names and no quantities: `Column.labels` of a category, none of one that holds a
    seat's number."""

    def lowest(self, names: Sequence[str]) -> NDArray[np.int32]:
        """`Column.lowest` of these columns."""
        return np.array([self.floors.get(name, 0) for name in names], np.int32)


def play(
    match: Match,
    first: int,
    count: int,
    sink: Callable[[NDArray[np.uint64], NDArray[np.int32]], None],
    *,
    lanes: int | None = None,
    watch: Callable[[Any, Ask | None], None] | None = None,
    rounds: int | None = None,
) -> None:
    """Play games `first` to `first + count - 1`, and give them to `sink` as they end, many at a time.

    sink: called with the game numbers [n] and their results int32 [n, 1 + columns]: the winners as a bit mask of
        seats, then the game's columns. Both are only lent.
    lanes: how many games at a time; by default the game's own number.
    watch: called with the table and each answered ask, and with None after each round of play.
    rounds: stop after so many rounds of play, whatever is unfinished (to compile everything).
    """
    game, setting = match.game, match.setting
    lanes = min(lanes or game.lanes, count)
    rows = np.zeros((lanes, 1 + len(match.columns)), np.int32)
    asks_all = watch is not None or rounds is not None
    table = game.table(setting if asks_all else setting._replace(always=_always(match)), lanes)
    seated: _Seated = _Drivers(match, table) if isinstance(table, RecordTable) else _Answers(match)
    table.deal(np.arange(lanes, dtype=np.int32), np.arange(first, first + lanes, dtype=np.uint64))
    dealt = live = lanes
    while live and rounds != 0:
        if watch or rounds or not seated.play_on(table):
            while (ask := table.advance()) is not None:
                seated.answer(table, ask)
                if watch:
                    watch(table, ask)
            if watch:
                watch(table, None)
        rounds = None if rounds is None else rounds - 1

        over = table.over()
        ended = table.game.take(over)
        table.record(over, rows)
        sink(ended, rows[: over.size])
        fresh = min(over.size, count - dealt)
        table.deal(over[:fresh], np.arange(first + dealt, first + dealt + fresh, dtype=np.uint64))
        dealt += fresh
        live -= over.size - fresh
        if 2 * live < lanes:  # no more games to deal: go on with the busy lanes alone
            table.keep(table.busy_lanes())
            lanes = live


def _always(match: Match) -> tuple[Mapping[int, int], ...]:
    return tuple(player.policy.always for player in match.players)


class _Seated(ABC):
    """The players of a match: those who play alike are asked together."""

    def __init__(self, match: Match) -> None:
        self.match = match
        self.players = list(dict.fromkeys(match.players))
        self.masks = [
            sum(1 << seat for seat, each in enumerate(match.players) if each is player) for player in self.players
        ]

    @abstractmethod
    def answer(self, table: Any, ask: Ask) -> None:
        """Let every seat's policy answer an ask."""

    def play_on(self, table: Any) -> bool:
        """Play a round without asks, unless that is impossible."""
        return False

    def _illegal(self, game: int, seat: int, action: int) -> IllegalAction:
        title, rules = self.match.players[seat].title, self.match.game.name
        return IllegalAction(
            f"policy {title!r} of seat {seat} answered {action} in game {game}, which the rules of {rules} do not allow"
        )


class _Drivers(_Seated):
    """Where policies are part of the loop that plays."""

    def __init__(self, match: Match, table: RecordTable) -> None:
        super().__init__(match)
        self.drivers = [_driver(player, table) for player in self.players]
        self.stride = 1
        """How many lanes are played on in one call."""
        self.guarded = GUARDED
        """How many asks are still to be guarded: records cannot be closed to those who see them."""

    def answer(self, table: Any, ask: Ask) -> None:
        before = [array.tobytes() for array in table.t if array is not ask.action] if self.guarded else []
        for lanes in self._pieces(table):
            self._drive(table, lanes, ASKED)
        if self.guarded:
            self.guarded -= 1
            self._hold_to_their_word(table)
            if before != [array.tobytes() for array in table.t if array is not ask.action]:
                titles = " or ".join(repr(player.title) for player in self.players)
                raise IllegalAction(f"policy {titles} changes what it sees, which no policy may")

    def _hold_to_their_word(self, table: Any) -> None:
        """Refuse an answer that is not the one that its policy declares to give always."""
        t = table.t
        for seat, player in enumerate(self.match.players):
            for kind, wanted in player.policy.always.items():
                other = np.flatnonzero((t.seat == seat) & (t.kind == kind) & (t.action != wanted))
                if other.size:
                    raise IllegalAction(
                        f"policy {player.title!r} of seat {seat} answered {t.action[other[0]]} in game "
                        f"{table.game[other[0]]} to a kind of decision to which it says that it always answers {wanted}"
                    )

    def play_on(self, table: Any) -> bool:
        """Until most lanes' games are over, let one policy after the other play on."""
        if not all(driver.is_compiled for driver in self.drivers):
            return False
        for lanes in self._pieces(table):
            while 2 * self._drive(table, lanes, OVER) > len(lanes):
                pass
        return True

    def _pieces(self, table: Any) -> Iterator[range]:
        """All lanes, so many at a time as are soon done with: nothing can be interrupted within a call."""
        first = 0
        while first < table.game.size:
            lanes, start = range(first, min(first + self.stride, table.game.size)), time.perf_counter()
            yield lanes
            seconds, first = time.perf_counter() - start, lanes.stop
            if seconds < PATIENCE / 2 or seconds > PATIENCE:
                self.stride = max(1, self.stride * 2 if seconds < PATIENCE else self.stride // 2)

    def _drive(self, table: Any, lanes: range, until: np.int64) -> int:
        """How many lanes somebody is asked in at last."""
        asked = 0
        for player, mask, driver in zip(self.players, self.masks, self.drivers, strict=True):
            try:
                asked = driver(table, lanes, mask, until, words=player.policy.uses_word)
            except POLICY_ERRORS as error:
                raise PolicyFailed(player.title, error) from error
            if asked < 0:
                lane = -1 - asked
                seat, action = int(table.t.secret.seat[lane]), int(table.t.action[lane])
                raise self._illegal(int(table.game[lane]), seat, action)
        return asked


class _Answers(_Seated):
    """Where policies answer many views at once."""

    def __init__(self, match: Match) -> None:
        super().__init__(match)
        self.asked: list[tuple[Callable[..., Any], Player, int]] = []
        """The policies, compiled for the table's views, and the seats of each as a bit mask."""
        self.is_legal: Callable[..., bool]
        self.room: NDArray[Any]
        """For the answers of a second policy, which are merged with those of the first."""

    def answer(self, table: Any, ask: Ask) -> None:
        view, seat, action = ask.view, ask.seat, ask.action
        if not self.asked:  # all views of a table are of one type
            functions = [_function(each, view, action) for each in self.players]
            self.asked = list(zip(functions, self.players, self.masks, strict=True))
            self.is_legal = specialised(self.match.game.is_legal, view, seat, action)
            self.room = np.empty_like(action, shape=table.game.size)
        answers, alone = action, len(self.asked) == 1
        for function, player, mask in self.asked:
            _act(function, player, view if alone else self._shown(player, mask, view), answers)
            if answers is not action:
                _merge(mask, seat, answers, action)
            answers = self.room[: action.size]
        if not self.is_legal(view, seat, action):
            self._complain(table, ask)

    def _shown(self, player: Player, mask: int, view: Any) -> Any:
        """The view; to a costly policy its own seats' decisions alone."""
        if not player.policy.costly:
            return view
        own = np.empty_like(view.seat)
        _hide(mask, view.seat, own)
        own.flags.writeable = False
        return view._replace(seat=own)

    def _complain(self, table: Any, ask: Ask) -> None:
        for i in range(ask.seat.size):
            one = slice(i, i + 1)
            view = ask.view._replace(
                **{name: value[..., one] for name, value in ask.view._asdict().items() if isinstance(value, np.ndarray)}
            )
            if not self.match.game.is_legal(view, ask.seat[one], ask.action[one]):
                lane = i if ask.lanes is None else ask.lanes[i]
                raise self._illegal(int(table.game[lane]), int(ask.seat[i]), int(ask.action[i]))


def _driver(player: Player, table: RecordTable) -> Driver:
    try:
        return Driver(table, player.policy.function, player.weights, player.prepared)
    except POLICY_ERRORS as error:
        raise PolicyFailed(player.title, error) from error


def _function(player: Player, view: Any, action: NDArray[Any]) -> Callable[..., Any]:
    try:
        return specialised(player.policy.function, view, player.weights, player.prepared, action)
    except POLICY_ERRORS as error:
        raise PolicyFailed(player.title, error) from error


def _act(function: Callable[..., Any], player: Player, view: Any, action: NDArray[Any]) -> None:
    try:
        function(view, player.weights, player.prepared, action)
    except POLICY_ERRORS as error:
        raise PolicyFailed(player.title, error) from error


@kernel
def _merge(mask, seat, answers, action):  # type: ignore[no-untyped-def]
    """Take over the answers of the seats in a bit mask."""
    for each in range(8):
        if (mask >> each) & 1:
            for i in range(seat.size):
                mine, other = answers[i], action[i]
                action[i] = mine if seat[i] == np.int8(each) else other


@kernel
def _hide(mask, seat, own):  # type: ignore[no-untyped-def]
    """own: `seat` where it is in a bit mask of seats, else -1."""
    for i in range(seat.size):
        own[i] = -1
    for each in range(8):
        if (mask >> each) & 1:
            for i in range(seat.size):
                here, old = seat[i], own[i]
                own[i] = here if here == np.int8(each) else old
