"""How the arena plays tables whose policies are part of the loop."""

import itertools

import pytest

from lab import arena
from tests.contract.test_games import match, play


@pytest.mark.parametrize(
    ("seconds", "sizes"), [(1.0, [16, 8, 4, 2, 1, 1]), (0.001, [16, 32, 64, 88]), (0.07, [16] * 4)]
)
def test_no_policy_plays_on_for_long(seconds, sizes, monkeypatch):
    """Nothing can be interrupted within a call: it plays fewer games where games take long, more where they do not."""
    clock, called, drive = itertools.count(), [], arena._Drivers._drive

    def watched(self, table, lanes, until):
        called.append(len(lanes))
        return drive(self, table, lanes, until)

    monkeypatch.setattr(arena.time, "perf_counter", lambda: next(clock) * seconds)
    monkeypatch.setattr(arena._Drivers, "_drive", watched)
    rows = play(match("redemption", ["random"], 1), 0, 200)
    assert called[: len(sizes)] == sizes
    monkeypatch.undo()
    assert (rows == play(match("redemption", ["random"], 1), 0, 200)).all()
