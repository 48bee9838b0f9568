"""The size of blocks: by the pace of the games, whatever else the machine does meanwhile."""

from types import SimpleNamespace

import pytest

from lab import runner, seating
from tests.lab.common import cell


class Clock:
    """Goes on by 2 ms a table and 1 microsecond a game, and once by a pause of the machine, in the n-th go."""

    def __init__(self, pause_in=0):
        self.now, self.goes, self.pause_in = 0.0, 0, pause_in

    def play(self, matches, first, count):
        self.goes += 1
        self.now += 0.002 + count * 1e-6 + (0.8 if self.goes == self.pause_in else 0.0)


def pace(monkeypatch, clock):
    monkeypatch.setattr(runner, "tally_block", clock.play)
    monkeypatch.setattr(runner, "time", SimpleNamespace(perf_counter=lambda: clock.now))
    return runner.pilot(seating.recipe(cell("keep", "keep"))).seconds_per_game


@pytest.mark.parametrize("go", range(1, 12))
def test_a_pause_of_the_machine_is_not_the_pace_of_a_game(monkeypatch, go):
    clock = Clock(go)
    assert pace(monkeypatch, clock) == pytest.approx(1e-6, rel=0.1)
    assert clock.goes <= 11


def test_a_policy_that_thinks(monkeypatch):
    clock = Clock()
    clock.play = lambda matches, first, count: setattr(clock, "now", clock.now + 0.05 * count)
    assert pace(monkeypatch, clock) == pytest.approx(0.05)
