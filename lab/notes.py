"""What must stand wherever results are shown, such as that their content is invented: `sims.core.game.Game.note`."""

from collections.abc import Iterable
from typing import Any

from lab import catalogue
from lab.cell import Cell


def note_of(cell: Cell) -> str:
    """Of one cell; empty for nothing."""
    return catalogue.game(cell.game).note(cell.knobs)


def notes(played: Iterable[Cell | dict[str, Any]]) -> list[str]:
    """Of cells, or of rows of a store (which have kept it): each distinct note once."""
    found = (each.get("note") if isinstance(each, dict) else note_of(each) for each in played)
    return [f"note: {each}" for each in dict.fromkeys(found) if each]
