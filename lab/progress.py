"""A bar over plays with rate and time left."""

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.text import Text

from lab import runner


class _Rate(ProgressColumn):
    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text(f"{speed / 1e6:.2f} M plays/s" if speed else "", style="progress.data.speed")


class Bar(runner.Progress):
    """Shows itself in a terminal, and is silent elsewhere."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.bar = Progress(
            TextColumn("playing"), BarColumn(), MofNCompleteColumn(), _Rate(), TimeRemainingColumn(compact=True),
            console=console, speed_estimate_period=20, transient=True,
        )  # fmt: skip

    def start(self, plays: int) -> None:
        self.task = self.bar.add_task("", total=plays)
        self.shown = self.console.is_terminal and plays > 0
        if self.shown:
            self.bar.start()

    def advance(self, plays: int) -> None:
        self.bar.advance(self.task, plays)

    def note(self, line: str) -> None:
        self.console.print(f"lab: {line}", soft_wrap=True)

    def stop(self) -> None:
        if self.shown:
            self.bar.stop()
