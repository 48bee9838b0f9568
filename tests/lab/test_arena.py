"""How the arena plays tables whose policies are part of the loop."""

from itertools import accumulate, chain

import pytest

from lab import arena
from tests.contract.test_games import match, play

QUICK, MIDDLING, SLOW = 0.001, 0.07, 1.0


@pytest.mark.parametrize(
    ("seconds", "sizes"),
    [
        ([QUICK] * 10_000, [1, 2, 4, 8, 16, 32, 64, 73]),
        ([MIDDLING] * 10_000, [1, 1, 1, 1]),
        ([QUICK] * 3 + [SLOW] * 10_000, [1, 2, 4, 8, 4, 2, 1, 1, 1]),
    ],
)
@pytest.mark.parametrize("watch", [None, lambda table, ask: None])
def test_no_policy_plays_on_for_long(seconds, sizes, watch, monkeypatch):
    """Nothing can be interrupted within a call: it plays fewer games where games take long, more where they do not."""
    clock = accumulate(chain.from_iterable((0.0, each) for each in seconds))
    called, drive = [], arena._Drivers._drive

    def watched(self, table, lanes, until):
        called.append(len(lanes))
        return drive(self, table, lanes, until)

    of = match("redemption", ["random"], 1)
    wanted = play(of, 0, 200)
    monkeypatch.setattr(arena.time, "perf_counter", lambda: next(clock))
    monkeypatch.setattr(arena._Drivers, "_drive", watched)
    rows = play(of, 0, 200, watch=watch)
    assert called[: len(sizes)] == sizes
    assert (rows == wanted).all()
