"""Workers: processes of this machine that work for one command.

    spread(play_task, tasks, jobs) -> what it gives for each task, as it comes

Where a process can be forked, workers are copies of the parent, which has loaded everything: they begin at once. What
is not the lab's own, though, a policy by path or a plug-in, may have started threads, and a copy that waits for one of
them waits forever. With such, and on systems that are not Linux, workers start afresh and load for themselves.
"""

import gc
import multiprocessing
import os
import signal
import sys
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager
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
    forked = sys.platform == "linux" and not catalogue.has_foreign_code()
    executor, left = _executor(jobs, forked), deque(tasks)
    handed: list[Future[Result]] = []
    try:
        while left or handed:
            while left and len(handed) < AHEAD * jobs:
                handed.append(executor.submit(function, left.popleft()))
            done = handed[:1] if in_order else wait(handed, return_when=FIRST_COMPLETED).done
            handed = [each for each in handed if each not in done]
            yield from (each.result() for each in done)
    except BaseException:
        executor.shutdown(kill_workers=True)
        raise
    if forked:
        executor.shutdown()


def _executor(jobs: int, forked: bool) -> Any:
    """Fresh workers stay for the next command of this process, since they took long to start; copies do not."""
    from joblib.externals.loky import ProcessPoolExecutor, get_reusable_executor

    if forked:
        executor = ProcessPoolExecutor(jobs, context=multiprocessing.get_context("fork"), initializer=_settle_as_copy)
    else:
        share = str(max(1, (os.cpu_count() or 1) // jobs))
        threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), share)
        executor = get_reusable_executor(jobs, timeout=300, initializer=_settle_in, env=threads)
    with _deaf():
        executor.submit(os.getpid)  # which starts them all
    return executor


# In a worker


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
    os._exit(1)


@contextmanager
def _deaf() -> Iterator[None]:
    """Workers started meanwhile take no notice of Ctrl-C, and Python does not warn of what is seen to (see above)."""
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
