"""One game in words."""

from collections.abc import Iterator
from typing import Any

from lab import arena, catalogue, seating
from lab.cell import Cell
from lab.errors import BadInput
from sims.core.game import Ask


def replay(cell: Cell, game_number: int, rotation: int = 0) -> Iterator[str]:
    """The lines that tell game `game_number` of a cell, turn by turn, and its results."""
    if not 0 <= rotation < cell.rotations:
        allowed = f"0 to {cell.rotations - 1}" if cell.rotate_seats else "only 0: its seats are not rotated"
        raise BadInput(f"rotation {rotation} is not one of this cell's ({allowed})")
    plan = seating.recipe(cell)
    match = seating.matches(plan, seating.prepare(plan))[rotation]
    titles = [cell.titles[(seat - rotation) % cell.seats] for seat in range(cell.seats)]
    game = catalogue.game(cell.game)
    narrator = game.narrator(match.setting, titles)
    lines, results = [], []

    def watch(table: Any, ask: Ask | None) -> None:
        lines.extend(narrator.tell(table, ask))

    arena.play(match, game_number, 1, lambda games, rows: results.extend(rows.tolist()), lanes=1, watch=watch)
    yield f"{game.title}, game {game_number:,} of seed {cell.seed}" + (f", rotation {rotation}" if rotation else "")
    yield from lines
    yield ""
    names = seating.column_names(plan)
    yield "results: " + ", ".join(f"{name} {value}" for name, value in zip(names, results[0][1:], strict=True))
