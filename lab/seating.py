"""From a cell to matches: policies looked up, weights encoded, preparations made, seats rotated."""

from functools import cache
from typing import Any, NamedTuple

from lab import catalogue, cross
from lab.arena import Match, Player
from lab.cell import Cell
from lab.errors import POLICY_ERRORS, PolicyFailed
from sims.core.game import Column, Game, Setting, encode


class Recipe(NamedTuple):
    """A cell in plain, hashable values, as it travels to workers."""

    game: str
    seats: int
    lineup: tuple[tuple[str, tuple[tuple[str, Any], ...]], ...]
    knobs: tuple[tuple[str, Any], ...]
    seed: int
    rotations: int


def recipe(cell: Cell) -> Recipe:
    lineup = tuple((entry.policy, tuple(entry.weights)) for entry in cell.lineup)
    return Recipe(cell.game, cell.seats, lineup, tuple(cell.knobs), cell.seed, cell.rotations)


def prepare(plan: Recipe) -> tuple[Any, ...]:
    """What each entry of the line-up prepares for the cell; run once, in the parent. Those that play alike share."""
    knobs = catalogue.game(plan.game).knobs(**dict(plan.knobs))
    made: dict[Any, Any] = {}
    for name, weights in plan.lineup:
        policy = catalogue.policy(plan.game, name)
        if (name, weights) not in made:
            model = policy.weights(**dict(weights))
            try:
                made[name, weights] = policy.prepare(knobs, plan.seats, model) if policy.prepare else ()
            except POLICY_ERRORS as error:
                raise PolicyFailed(name, error) from error
    return tuple(made[entry] for entry in plan.lineup)


def matches(plan: Recipe, prepared: tuple[Any, ...]) -> tuple[Match, ...]:
    """One match a rotation: in rotation r, entry e sits in seat (e + r) mod seats."""
    game = catalogue.game(plan.game)
    players: dict[Any, Player] = {}
    for (name, weights), tables in zip(plan.lineup, prepared, strict=True):
        if (name, weights) not in players:
            policy = catalogue.policy(plan.game, name)
            players[name, weights] = Player(name, policy, encode(policy.weights(**dict(weights))), tables)
    words = any(player.policy.uses_word for player in players.values())
    knobs = encode(game.knobs(**dict(plan.knobs)))
    entries = [players[entry] for entry in plan.lineup]
    sheet = columns(plan)
    crossed, quantities = cross.sources(sheet, plan.seats)
    floors = {column.name: column.lowest for column in sheet if column.lowest}
    labels = {column.name: column.labels for column in sheet if not cross.is_quantity(column)}
    seated = [tuple(entries[(seat - r) % plan.seats] for seat in range(plan.seats)) for r in range(plan.rotations)]
    return tuple(
        Match(
            game,
            Setting(knobs, plan.seats, plan.seed, words, _own(game, line)),
            line,
            column_names(plan),
            crossed,
            len(quantities),
            floors,
            labels,
        )
        for line in seated
    )


def _own(game: Game, line: tuple[Player, ...]) -> tuple[Any, ...]:
    """By seat: the knobs that belong to the player, where the game has such."""
    names = game.player_knobs.model_fields
    if not names:
        return ()
    return tuple(encode(game.player_knobs(**{name: getattr(each.weights, name) for name in names})) for each in line)


@cache
def unprepared(plan: Recipe) -> bool:
    """Whether no policy of the line-up prepares anything."""
    return not any(catalogue.policy(plan.game, name).prepare for name, _ in plan.lineup)


def columns(plan: Recipe) -> tuple[Column, ...]:
    game = catalogue.game(plan.game)
    return game.columns(plan.seats, game.knobs(**dict(plan.knobs)))


def column_names(plan: Recipe) -> tuple[str, ...]:
    return tuple(column.name for column in columns(plan))
