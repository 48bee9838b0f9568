"""A bar over plays for Python and for notebooks."""

import sys
import time
from typing import Any

from lab.runner import Progress

SECONDS = 0.25
"""Between two pictures of the bar."""


def bar() -> Progress:
    """The bar that can be seen here: in a notebook, in a terminal; silent elsewhere."""
    if _kernel():
        return NotebookBar()
    from rich.console import Console

    from lab.progress import Bar

    return Bar(Console(stderr=True, highlight=False, markup=False))


def _kernel() -> bool:
    """Whether this is run by a notebook's kernel."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return getattr(shell, "kernel", None) is not None


class NotebookBar(Progress):
    """Plain HTML that is replaced in place, so that no widgets are needed; what remains is one line."""

    total = done = 0
    shown = 0.0
    handle: Any = None

    def start(self, plays: int) -> None:
        self.total, self.done, self.began = plays, 0, time.perf_counter()
        if plays:
            from IPython.display import display

            self.handle = display(self._picture(), raw=True, display_id=True)

    def advance(self, plays: int) -> None:
        self.done += plays
        if time.perf_counter() - self.shown > SECONDS:
            self._update(self._picture())

    def note(self, line: str) -> None:
        print(f"lab: {line}")

    def stop(self) -> None:
        seconds = time.perf_counter() - self.began
        self._update({"text/plain": f"{self.done:,} of {self.total:,} plays in {seconds:.1f} s"})

    def _update(self, picture: dict[str, str]) -> None:
        if self.handle is not None:
            self.handle.update(picture, raw=True)
            self.shown = time.perf_counter()

    def _picture(self) -> dict[str, str]:
        seconds = time.perf_counter() - self.began
        rate = self.done / seconds if seconds > 0 else 0.0
        words = f"{self.done:,} of {self.total:,} plays"
        if rate:
            words += f", {rate / 1e6:.2f} M plays/s, {(self.total - self.done) / rate:.0f} s left"
        bar = f'<progress style="width:20em" max="{self.total}" value="{self.done}"></progress> {words}'
        return {"text/html": bar, "text/plain": words}
