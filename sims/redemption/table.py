"""A table of Shred of Redemption, where a turn is an action. The rules, and what policies see, are in `rules.py` and
`effects.py`.
"""

from typing import Any, ClassVar

import numpy as np

from sims.core.game import Setting
from sims.core.records import ASKED, DEALT, RecordTable, asking, records
from sims.redemption import rules
from sims.redemption.rules import LAYOUT, Lanes, View


class Table(RecordTable):
    rules: ClassVar[Any] = rules

    def make_fixed(self, setting: Setting) -> Any:
        return rules.make_fixed(setting.knobs)

    def make_lanes(self, lanes: int) -> Lanes:
        return Lanes(records(LAYOUT.board, lanes), records(LAYOUT.secret, lanes), *asking(lanes, np.int16))

    def make_view(self, t: Lanes) -> View:
        return View(self.fixed, t.kind, t.seat, t.word, t.board)


# For tests, and for policies that look ahead


def check(table: Table) -> None:
    """Raise AssertionError unless all tokens, dice and cards of every game are in exactly one place."""
    for i in np.flatnonzero(table.t.state > DEALT):
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
