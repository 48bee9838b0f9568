"""Workers: processes of this machine that work for one command.

    spread(play_task, tasks, jobs) -> what it gives for each task, as it comes

Where a process can be forked, workers are copies of the parent, which has loaded everything: they begin at once. What
is not the lab's own, though, a policy by path or a plug-in, may have started threads, and a copy that waits for one of
them waits forever. With such, and on systems that are not Linux, workers start afresh and load for themselves.
"""

import gc
import multiprocessing
import os
import pickle
import shutil
import signal
import sys
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from lab import catalogue

Task = TypeVar("Task")
Result = TypeVar("Result")

AHEAD = 2
"""Tasks handed out to each worker, the one that it works on included: the next one is there when one is done."""


def spread(
    function: Callable[[Task], Result], tasks: Iterable[Task], jobs: int, *, in_order: bool = False
) -> Generator[Result, None, None]:
    """What a function gives for each task, by so many workers; in the order of the tasks, or as it comes.

    Errors: what the function raises; `BrokenProcessPool` (of `concurrent.futures.process`) if a worker died. Whoever
    closes the generator before its end ends the workers.
    """
    left, handed, number = deque(tasks), deque[Future[Path]](), count()
    executor = _executor(jobs)
    with _deaf():
        started = executor.submit(os.getpid)  # this starts them all
    with TemporaryDirectory(prefix="balance-lab-") as room:
        try:
            while left or handed:
                while left and len(handed) < AHEAD * jobs:
                    task = _put(Path(room, f"task-{next(number)}"), left.popleft())
                    handed.append(executor.submit(_work, function, task))
                done = [handed[0]] if in_order else wait(handed, return_when=FIRST_COMPLETED).done
                handed = deque(each for each in handed if each not in done)
                yield from (_take(each.result()) for each in done)
            started.result()  # loky warns of whoever is given another number of jobs before
        except BaseException:
            _until_heard([started, *handed])
            executor.shutdown(kill_workers=True)
            raise
    if executor is not _fresh:
        executor.shutdown()


def _until_heard(handed: Iterable[Future[Any]]) -> None:
    """Wait a little until all is under way: loky's thread fails aloud if it is to stop before it knows of a task."""
    for _ in range(1000):
        if all(each.running() or each.done() for each in handed):
            break
        time.sleep(0.001)


_fresh: Any = None
"""The workers that started afresh. They took long to start, so they stay for what the command plays next."""


def dismiss() -> None:
    """End the workers that stay, whatever threads a policy has left in them."""
    if _fresh is not None:
        _fresh.shutdown(kill_workers=True)


def _executor(jobs: int) -> Any:
    from joblib.externals.loky import ProcessPoolExecutor, get_reusable_executor

    global _fresh
    if sys.platform == "linux" and not catalogue.has_foreign_code():
        executor = ProcessPoolExecutor(jobs, context=multiprocessing.get_context("fork"), initializer=_settle_as_copy)
    else:
        share = str(max(1, (os.cpu_count() or 1) // jobs))
        threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), share)
        executor = _fresh = get_reusable_executor(jobs, timeout=300, initializer=_settle_in, env=threads)
    return executor


# What travels does so in files, and only their names go through pipes. A worker that is killed in the midst of a long
# message leaves half of it in a pipe that others hold open, too: whoever reads there waits forever.


def _put(path: Path, what: Any) -> Path:
    try:
        with path.open("wb") as file:
            pickle.dump(what, file, pickle.HIGHEST_PROTOCOL)
    except OSError as error:  # which does not say where, if the disk is full
        raise OSError(error.errno, error.strerror, str(path.parent)) from error
    return path


def _take(path: Path) -> Any:
    with path.open("rb") as file:
        what = pickle.load(file)
    path.unlink()
    return what


# In a worker


_room = ""
"""Where the parent keeps what travels."""


def _work(function: Callable[[Any], Any], task: Path) -> Path:
    global _room
    _room = str(task.parent)
    return _put(task.with_suffix(".done"), function(_take(task)))


def _settle_as_copy() -> None:
    """A copy has its parent's objects and streams, too: it leaves both alone. A progress bar may have held a lock."""
    gc.freeze()
    sys.stdout, sys.stderr = (os.fdopen(number, "w", closefd=False) for number in (1, 2))
    _settle_in()


def _settle_in() -> None:
    """An interruption is the parent's business, and when the parent is gone there is nothing to do."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_leave_with, args=(os.getppid(),), daemon=True).start()


def _leave_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1)
    if _room:
        shutil.rmtree(_room, ignore_errors=True)
    os._exit(1)


@contextmanager
def _deaf() -> Iterator[None]:
    """Workers started meanwhile take no notice of Ctrl-C, and Python does not warn that copies lack threads."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", ".*use of fork.*", DeprecationWarning)
            yield
    finally:
        signal.signal(signal.SIGINT, before)
