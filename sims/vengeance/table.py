"""A table of Vengeance, and what its policies see. The rules are in `rules.py`."""

from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sims.core.game import Setting
from sims.core.records import FREE, RecordTable, asking, records
from sims.vengeance import rules
from sims.vengeance.pack import BASICS, BOSS
from sims.vengeance.rules import Lanes
from sims.vengeance.state import BOARD, MINE, PLAYER, SECRET

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
    return Lanes(
        records(BOARD, lanes), records(PLAYER, seats, lanes), records(MINE, lanes), records(SECRET, lanes),
        *asking(lanes, np.int32),
    )  # fmt: skip


class Table(RecordTable):
    """A turn is a round of the game."""

    rules: ClassVar[Any] = rules

    def make_fixed(self, setting: Setting) -> Any:
        return rules.make_fixed(setting.knobs, setting.seats, setting.players)

    def make_lanes(self, lanes: int) -> Lanes:
        return lanes_of(self.setting.seats, lanes)

    def make_view(self, t: Lanes) -> View:
        return View(self.fixed, t.kind, t.seat, t.word, t.board, t.players, t.mine)


def determinize(table: Table, word: int) -> Table:
    """A copy of the table whose games go on in another luck. All lies open, so nothing else is to be dealt anew."""
    other = table.copy()
    other.setting = table.setting._replace(seed=int(np.random.Generator(np.random.Philox(key=word)).integers(2**63)))
    other.t.secret.key = other.setting.seed
    return other


def check(table: Table) -> None:
    """Raise AssertionError unless all dice are somewhere, and all tracks within their bounds, in every game."""
    fixed, pack = table.fixed.record[0], table.fixed.pack[0]
    for i in np.flatnonzero(table.t.state != FREE):
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
