"""Positions of Vengeance written by hand, on the pack `box.yaml`."""

from pathlib import Path
from typing import Any

import numpy as np

from sims.core.game import Setting, encode
from sims.core.kernel import kernel
from sims.core.records import ASKED
from sims.vengeance import GAME, PlayerKnobs, rules
from sims.vengeance.state import ARRIVING, FIGHTING, FREE, RACING, RESOLVING, START, u32
from sims.vengeance.table import Table, check
from tests.lanes import allowed

BOX = str(Path(__file__).with_name("box.yaml"))
GATE, HALL, LEFT, RIGHT, LAIR = range(5)
BLOCKER, GRUNT, TOUGH, HENCHMAN, GUNMAN, GUARD = range(6)
"""The minions of every den: two in the hall, one on the left, two on the right, one with the boss."""
BOSS = 40
CLEAR, KILL_2, VISIT_ADJACENT, KILL_ADJACENT, HIT_BOSS, HEALTH_5, VISIT_4 = range(7)
"""The objectives: one in the hall, two on the left, one on the right, three in the lair."""
HITS, ONCE, KILL, JUMP, LEAP, EVADE, START_TILE, GRIT = range(4, 12)
"""Ann's tiles."""


def mask(*numbers: int) -> int:
    return sum(1 << number for number in numbers)


ALL = mask(*range(6), BOSS)


@kernel
def resume(fixed, t, step):
    """Play the first lane on from a step."""
    state, kind, seat, word = t.state, t.kind, t.seat, t.word
    g = rules.game_at(fixed, t, 0)
    state[0] = rules.run(g, step)
    seat[0], word[0] = -1, u32(0)
    if state[0] == ASKED:
        kind[0], seat[0] = g.secret.kind, g.secret.seat


class Position:
    """One game that is played by hand. The kernels do the rest, and every step is checked (`table.check`)."""

    def __init__(self, seats: int = 1, *, game: int = 0, speeds: tuple[float, ...] = (), **knobs: Any) -> None:
        model = GAME.knobs(**{"content": BOX, "hero": 0, "boss": 0} | knobs)
        players = tuple(encode(PlayerKnobs(speed=speed)) for speed in speeds)
        self.table = Table(Setting(encode(model), seats, 0, False, players), 1)
        self.table.deal(np.zeros(1, np.int32), np.array([game], np.uint64))
        self.ask = self.table.advance()
        for _ in range(seats):
            self.do(0)

    @property
    def board(self) -> Any:
        return self.table.t.board[0]

    @property
    def mine(self) -> Any:
        return self.table.t.mine[0]

    @property
    def kind(self) -> int:
        """What is asked; -1: nothing."""
        return int(self.table.t.kind[0]) if self.state == ASKED else -1

    @property
    def seat(self) -> int:
        return int(self.table.t.seat[0])

    @property
    def state(self) -> int:
        return int(self.table.t.state[0])

    def player(self, seat: int = 0) -> Any:
        return self.board.players[seat]

    def may(self, action: Any) -> bool:
        """Whether this could be answered now."""
        return allowed(self.table, action)

    def do(self, *actions: Any) -> "Position":
        for action in actions:
            assert self.may(action), f"{action} is not legal"
            self.table.t.action[0] = action
            self.table.advance()
            check(self.table)
        return self

    def put(
        self,
        seat: int = 0,
        *,
        sets: dict[int, int] | None = None,
        plus: dict[int, int] | None = None,
        hand: tuple[int, ...] | None = None,
        bought: dict[int, int] | None = None,
        todo: dict[int, int] | None = None,
        always: dict[int, int] | None = None,
        **fields: Any,
    ) -> "Position":
        """Change a player's record. The dice that this takes or gives are the pool's."""
        p = self.player(seat)
        for name, value in fields.items():
            setattr(p, name, value)
        if "living" in fields:  # then the dead were killed
            pack = self.table.fixed.pack[0]
            dead = ~int(p.living) & (1 << int(pack.minions[p.side])) - 1
            p.kills[:] = [(dead & int(pack.of_kind[p.side, kind])).bit_count() for kind in range(5)]
            p.damage = p.damage if int(p.living) >> BOSS & 1 else pack.boss_health[p.boss]
        for name, given in (
            ("sets", sets),
            ("sets_plus", plus),
            ("bought", bought),
            ("todo", todo),
            ("always", always),
        ):
            if given is not None:
                getattr(p, name)[:] = 0
                for place, value in given.items():
                    getattr(p, name)[place] = value
        if hand is not None:
            p.hand[:] = hand
        self._settle()
        return self

    def _settle(self) -> None:
        """The pool has what nobody has."""
        pack, dice = self.table.fixed.pack[0], 0
        for seat in range(self.table.setting.seats):
            p = self.player(seat)
            rows = [k if k < 4 else 4 + 8 * p.hero + k - 4 for k in range(12)]
            dice += sum(int(pack.dice[row]) * int(p.sets[k] + p.sets_plus[k]) for k, row in enumerate(rows))
            dice += int(p.fresh + p.woe + p.hand.sum() + p.endured)
        self.board.pool = self.table.fixed.record[0].pool - dice

    def go(self, step: int) -> "Position":
        resume(self.table.fixed, self.table.t, step)
        check(self.table)
        self.table.is_open = self.state != ASKED
        return self

    def rolls(self, seat: int = 0, **fields: Any) -> "Position":
        """In the Rolling Phase, this seat having just rolled what is put."""
        self.board.active = seat
        p = self.player(seat)
        p.fresh, p.rolling, p.roll, p.clock = 0, 1, 1, 65536
        return self.put(seat, **fields).go(RACING)

    def fights(self, seat: int = 0, stage: int = FREE, **fields: Any) -> "Position":
        """In a stage of the Fighting Phase; without dice but those that are put."""
        self.board.active, self.board.stage = seat, stage
        for each in range(self.table.setting.seats):
            self.player(each).fresh = 0
        return self.put(seat, **fields).go(FIGHTING)

    def starts(self, seat: int = 0, **fields: Any) -> "Position":
        return self.fights(seat, START, **fields)

    def resolves(self, seat: int = 0, **fields: Any) -> "Position":
        """At the beginning of its Resolution."""
        self.board.active, self.board.stage = seat, ARRIVING
        for each in range(self.table.setting.seats):
            self.player(each).fresh = 0
        return self.put(seat, **fields).go(RESOLVING)

    def row(self) -> dict[str, int]:
        """The results of the finished game."""
        seats = self.table.setting.seats
        names = GAME.column_names(seats, GAME.knobs(content=BOX))
        rows = np.zeros((1, 1 + len(names)), np.int32)
        self.table.record(self.table.over(), rows)
        return dict(zip(("winners", *names), rows[0].tolist(), strict=True))
