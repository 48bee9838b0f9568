"""What a spectator sees at the end of a turn, options of decisions, and how games end: of every game there is."""

import itertools

import numpy as np
import pytest

from lab import arena, catalogue
from tests.contract.test_games import match

GAMES = catalogue.game_names()
SEATS = [(name, seats) for name in GAMES for seats in catalogue.game(name).seats]


def names_of(name, seats):
    game = catalogue.game(name)
    return game.sights(seats, game.knobs())


def seen(name, seats, count=60, lanes=None, policies=("random",)):
    """{game: its sights, turn by turn}, and {game: its results}."""
    found, rows, width = {}, {}, len(names_of(name, seats))

    def watch(table, ask):
        if ask is None:
            lanes = table.turned()
            assert len(set(lanes.tolist())) == lanes.size
            sights = np.full((lanes.size, width), -(2**30), np.int32)
            table.look(lanes, sights)
            for game, each in zip(table.game[lanes].tolist(), sights.tolist(), strict=True):
                assert game not in rows, "a turn after the end"
                found.setdefault(game, []).append(each)

    def sink(games, results):
        rows.update(zip(games.tolist(), results.tolist(), strict=True))

    arena.play(match(name, list(policies), seats), 0, count, sink, lanes=lanes, watch=watch)
    return found, rows


@pytest.mark.parametrize(("name", "seats"), SEATS)
def test_names_are_complete(name, seats):
    names = names_of(name, seats)
    assert len(set(names)) == len(names)
    stems = {each.rpartition("_")[0] for each in names if each.rpartition("_")[2].isdecimal()}
    assert stems
    for stem, seat in itertools.product(stems, range(seats)):
        assert f"{stem}_{seat}" in names
    assert names[0].endswith("_0"), "what leads comes first"
    assert not names[0].startswith("luck")


@pytest.mark.parametrize(("name", "seats"), SEATS)
def test_sights_do_not_depend_on_lanes(name, seats):
    many, few = seen(name, seats), seen(name, seats, lanes=7)
    assert many == few
    assert many[0].keys() <= many[1].keys() == set(range(60))
    assert min(min(each) for turns in many[0].values() for each in turns) > -(2**30), "every sight is written"


@pytest.mark.parametrize(("name", "seats"), SEATS)
def test_turns_that_are_numbered_come_once_each(name, seats):
    """A game whose sights number its turns lists each of them once, in order."""
    turns = [place for place, each in enumerate(names_of(name, seats)) if each in ("turns", "duels")]
    for sights in seen(name, seats)[0].values():
        for place in turns:
            assert [each[place] for each in sights] == list(range(1, len(sights) + 1))


@pytest.mark.parametrize("name", GAMES)
def test_luck_has_no_expectation(name):
    """Turn by turn, and given the turn before: 5 standard errors."""
    game = catalogue.game(name)
    seats = game.seats[-1]
    names = names_of(name, seats)
    luck = [place for place, each in enumerate(names) if each.startswith("luck")]
    if not luck:
        return
    policies = [each for each in game.policies if not game.policies[each].prepare][:3]
    found = seen(name, seats, 400, policies=policies)[0]
    turns = np.array([each for sights in found.values() for each in sights])
    later = np.array([sights[k] for sights in found.values() for k in range(1, len(sights))])
    before = np.array([sights[k - 1] for sights in found.values() for k in range(1, len(sights))])
    assert turns[:, luck].any(axis=0).sum() > len(luck) // 2
    for place in luck:
        for values in (turns[:, place], later[:, place] * (before[:, 0] - before[:, 0].mean())):
            assert abs(values.mean()) <= 5 * values.std() / np.sqrt(len(values)), names[place]


@pytest.mark.parametrize("name", GAMES)
def test_most_options_are_chosen_sometimes_and_not_always(name):
    """By simple policies, with every switch among the knobs on, too."""
    game, counts = catalogue.game(name), {}
    assert len({each.name for each in game.options}) == len(game.options)

    def watch(table, ask):
        if ask is None:
            return
        asked = ask.seat >= 0
        for option in game.options:
            assert option.help
            if ask.view.kind in option.kinds:
                chosen = option.chosen(ask.view, ask.seat, ask.action)
                assert chosen.dtype == bool
                assert chosen.shape == ask.seat.shape
                hits, n = counts.get(option.name, (0, 0))
                counts[option.name] = hits + int(chosen[asked].sum()), n + int(asked.sum())

    switches = {key: True for key, info in game.knobs.model_fields.items() if info.annotation is bool}
    for knobs in (game.knobs(), game.knobs(**switches)):
        policies = ["random", *(each for each in game.policies if not game.policies[each].prepare)]
        of = match(name, policies, game.seats[-1], knobs=knobs)
        arena.play(of, 0, 150, lambda games, rows: None, watch=watch)
    told = [name for name, (hits, n) in counts.items() if 0 < hits < n]
    assert all(0 <= hits <= n for hits, n in counts.values())
    assert {each.name for each in game.options} == set(counts), "options of decisions that never come"
    assert len(told) >= 0.8 * len(game.options), "what simple policies never choose, or always"


@pytest.mark.parametrize("name", GAMES)
def test_endings_have_names(name):
    game = catalogue.game(name)
    seats = game.seats[0]
    columns = game.columns(seats, game.knobs())
    (place,) = (place for place, each in enumerate(columns) if each.name == "ending")
    ended = {row[1 + place] for row in seen(name, seats)[1].values()}
    assert ended <= set(range(len(columns[place].labels)))
