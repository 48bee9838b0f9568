"""Work that is spread over processes: nothing lost, nothing left behind, whenever it ends."""

import errno
import os
import tempfile

import pytest

from lab import catalogue
from lab.workers import spread


def double(number):
    return 2 * number


@pytest.fixture(params=[False, True], ids=["copies", "fresh"])
def fresh(request, monkeypatch):
    """Whether workers start afresh, as they do when policies come from elsewhere."""
    monkeypatch.setattr(catalogue, "has_foreign_code", lambda: request.param)
    return request.param


@pytest.fixture
def room(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_all_tasks_are_done(room, fresh):
    for jobs in (1, 3, 2):
        assert list(spread(double, range(30), jobs, in_order=True)) == list(range(0, 60, 2))
        assert sorted(spread(double, range(30), jobs)) == list(range(0, 60, 2))
        assert list(spread(double, [], jobs)) == []
    assert list(room.iterdir()) == []


def test_an_early_end_is_quiet_and_leaves_nothing(room, fresh):
    """Now and then a task was unknown to the pool's thread when that was to stop, which it told with a traceback."""
    for k in range(3 if fresh else 60):
        results = spread(double, range(40), 2)
        for _ in range(1 + k % 5):
            next(results)
        results.close()
    assert list(room.iterdir()) == []


def test_a_full_disk_says_where(room, fresh, monkeypatch):
    def full(what, file, protocol):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("lab.workers.pickle.dump", full)
    with pytest.raises(OSError, match=rf"No space left on device: '{room}/balance-lab-"):
        list(spread(double, range(9), 2))
    assert list(room.iterdir()) == []
