"""Work that is spread over processes: nothing lost, nothing left behind, whenever it ends."""

import tempfile

import pytest

from lab.workers import spread


def double(number):
    return 2 * number


@pytest.fixture
def room(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("jobs", [1, 2, 5])
def test_all_tasks_are_done(room, jobs):
    assert list(spread(double, range(30), jobs, in_order=True)) == list(range(0, 60, 2))
    assert sorted(spread(double, range(30), jobs)) == list(range(0, 60, 2))
    assert list(spread(double, [], jobs)) == []
    assert list(room.iterdir()) == []


def test_an_early_end_is_quiet_and_leaves_nothing(room):
    """Now and then a task was unknown to the pool's thread when that was to stop, which it told with a traceback."""
    for k in range(60):
        results = spread(double, range(40), 2)
        for _ in range(1 + k % 5):
            next(results)
        results.close()
    assert list(room.iterdir()) == []
