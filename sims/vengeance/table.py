"""A table of Vengeance. The rules, and what policies see, are in `rules.py`."""

from typing import Any, ClassVar

import numpy as np

from sims.core.game import Setting
from sims.core.records import FREE, RecordTable, asking, records
from sims.vengeance import rules
from sims.vengeance.pack import BASICS, BOSS
from sims.vengeance.rules import Lanes, View
from sims.vengeance.state import BOARD, MINE, SECRET


def lanes_of(lanes: int) -> Lanes:
    """Lanes of zeros."""
    return Lanes(
        records(BOARD, lanes), records(MINE, lanes), records(SECRET, lanes),
        *asking(lanes, np.int32),
    )  # fmt: skip


class Table(RecordTable):
    """A turn is a round of the game."""

    rules: ClassVar[Any] = rules

    def make_fixed(self, setting: Setting) -> Any:
        return rules.make_fixed(setting.knobs, setting.seats, setting.players)

    def make_lanes(self, lanes: int) -> Lanes:
        return lanes_of(lanes)

    def make_view(self, t: Lanes) -> View:
        return View(self.fixed, t.kind, t.seat, t.word, t.board, t.mine)


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
            p = b.players[seat]
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
