"""What every game and every policy must keep to; both are found by themselves."""

import itertools

import numpy as np
import pytest

from lab import arena, catalogue
from lab.arena import Match, Player
from lab.cross import sources
from lab.errors import IllegalAction
from sims.core.game import Policy, Setting, encode, is_list, options_of, shelf_of
from sims.core.kernel import plain
from tests.lanes import BY_LANE, answers

GAMES = catalogue.game_names()
SEATS = [(name, seats) for name in GAMES for seats in catalogue.game(name).seats]
POLICIES = [(name, policy) for name in GAMES for policy in catalogue.policies(name)]


def match(name, policies, seats, seed=1, knobs=None):
    game = catalogue.game(name)
    knobs = knobs or game.knobs()
    players = {}
    for policy in policies:
        found = policy if isinstance(policy, Policy) else catalogue.policy(name, policy)
        prepared = found.prepare(knobs, seats, found.weights()) if found.prepare else ()
        players.setdefault(policy, Player(found.name, found, encode(found.weights()), prepared))
    line = tuple(players[policies[seat % len(policies)]] for seat in range(seats))
    return Match(
        game,
        Setting(encode(knobs), seats, seed, any(p.policy.uses_word for p in line)),
        line,
        game.column_names(seats, knobs),
    )


def play(of, first, count, **options):
    """Rows by game number, and the game numbers that came."""
    rows, numbers = {}, []

    def sink(games, results):
        numbers.extend(games.tolist())
        rows.update(zip(games.tolist(), results.copy(), strict=True))

    arena.play(of, first, count, sink, **options)
    assert sorted(numbers) == list(range(first, first + count))
    return np.array([rows[game] for game in range(first, first + count)])


@pytest.mark.parametrize("name", GAMES)
def test_the_fact_sheet_is_complete(name):
    game = catalogue.game(name)
    assert game.name == name
    assert game.title
    assert list(game.seats) == sorted(set(game.seats))
    for field, info in game.knobs.model_fields.items():
        assert info.description, field
        has_options = options_of(info.annotation) or info.annotation is bool or shelf_of(info)
        assert has_options or len(info.metadata) >= 2, f"{field}: no bounds"
    for seats in game.seats:
        names = game.column_names(seats, game.knobs())
        assert len(set(names)) == len(names)
        assert {"winner", "unfinished", "ending"} <= set(names)
        headlines = [each for each in game.columns(seats, game.knobs()) if each.headline]
        assert 1 <= len(headlines) <= 16
        assert all(each.help and each.unit for each in game.columns(seats, game.knobs()))
        crossed, _ = sources(game.columns(seats, game.knobs()), seats)
        assert not any(game.columns(seats, game.knobs())[each.column].lowest for each in crossed)
    assert "random" in game.policies, "the checks below need a policy that plays every legal action"


@pytest.mark.parametrize(("name", "policy"), POLICIES)
def test_a_policy_plays_whole_legal_games(name, policy):
    for seats in catalogue.game(name).seats:
        of = match(name, [policy, "random"], seats)
        rows = play(of, 0, 60 if name in BY_LANE else 300)  # these take longer, and have a naive version to agree with
        sheet = of.game.columns(seats, of.game.knobs())
        columns = [column.name for column in sheet]
        winner, unfinished = rows[:, 1 + columns.index("winner")], rows[:, 1 + columns.index("unfinished")]
        assert rows[:, 0].min() >= 0
        assert (rows[:, 1:].min(axis=0) >= [column.undefined for column in sheet]).all()
        assert ((rows[:, 0] >= 0) & (rows[:, 0] < 1 << seats)).all()
        alone = (rows[:, 0] > 0) & (rows[:, 0] & (rows[:, 0] - 1) == 0)
        assert (winner[alone] == np.log2(rows[alone, 0]).astype(int)).all()
        assert (winner[~alone] == -1).all()
        assert set(unfinished.tolist()) <= {0, 1}


@pytest.mark.parametrize(("name", "seats"), SEATS)
def test_results_do_not_depend_on_lanes_or_blocks(name, seats):
    of = match(name, ["random", *catalogue.policies(name)], seats)
    whole = play(of, 0, 200)
    for lanes in (1, 7, 64):
        assert (play(of, 0, 100, lanes=lanes) == whole[:100]).all()
    pieces = [play(of, first, count) for first, count in ((0, 1), (1, 36), (37, 63), (100, 100))]
    assert (np.concatenate(pieces) == whole).all()
    assert (play(of, 2**63, 20) == play(of, 2**63, 20, lanes=3)).all()


@pytest.mark.parametrize("name", GAMES)
def test_seeds_and_games_differ(name):
    seats = catalogue.game(name).seats[0]
    one, other = (play(match(name, ["random"], seats, seed=seed), 0, 200) for seed in (1, 2))
    assert (one != other).any(axis=1).mean() > 0.9
    assert (one[1:] != one[:-1]).any(axis=1).mean() > 0.9


def first_asks(name, seats, wanted=30):
    """Asks of random play, copied: (ask, table)."""
    asks = []

    def watch(table, ask):
        if ask is not None and len(asks) < wanted:
            asks.append(ask)

    arena.play(match(name, ["random"], seats), 0, 50, lambda games, rows: None, watch=watch, rounds=10)
    return asks


@pytest.mark.parametrize(("name", "seats"), SEATS)
def test_views_are_of_one_type_and_cannot_be_written(name, seats):
    types = set()
    for ask in first_asks(name, seats):
        arrays = {key: value for key, value in ask.view._asdict().items() if isinstance(value, np.ndarray)}
        types.add(tuple((key, value.dtype, value.ndim, value.flags.c_contiguous) for key, value in arrays.items()))
        for key, value in arrays.items():
            assert not value.flags.writeable, key
            assert value.shape[-1] == ask.seat.size, key
        assert ask.action.dtype == catalogue.game(name).action_dtype
        assert (ask.seat < seats).all()
    assert len(types) == 1


@pytest.mark.parametrize(("name", "seats"), SEATS)
def test_nobody_is_asked_in_a_lane_whose_game_is_over(name, seats):
    """Also at the end, when there are no more games to deal and some lanes are free."""
    free = []

    def watch(table, ask):
        if ask is not None:
            lanes = np.arange(ask.seat.size) if ask.lanes is None else ask.lanes
            idle = np.setdiff1d(lanes, table.busy_lanes())
            free.append(idle.size)
            assert not (ask.seat[np.isin(lanes, idle)] >= 0).any()
            asked.update(table.game[lanes[ask.seat >= 0]].tolist())

    asked = set()
    arena.play(match(name, ["random"], seats), 0, 400, lambda games, rows: None, lanes=100, watch=watch)
    assert max(free) > 0
    assert asked <= set(range(400))


@pytest.mark.parametrize(("name", "policy"), [each for each in POLICIES if each[0] not in BY_LANE])
def test_a_policy_acts_alike_whatever_else_is_in_the_batch(name, policy):
    seats = catalogue.game(name).seats[-1]
    of = match(name, [policy, "random"], seats)
    checked = []

    def watch(table, ask):
        if ask is None or not (ask.seat >= 0).any():
            return
        player, lane = of.players[0], int(np.flatnonzero(ask.seat >= 0)[-1])
        one = slice(lane, lane + 1)
        fields = {
            key: value[..., one].copy() for key, value in ask.view._asdict().items() if isinstance(value, np.ndarray)
        }
        for value in fields.values():
            value.flags.writeable = False
        whole, alone = np.empty_like(ask.action), np.empty_like(ask.action[one])
        player.policy.function(ask.view, player.weights, player.prepared, whole)
        player.policy.function(ask.view._replace(**fields), player.weights, player.prepared, alone)
        assert whole[lane] == alone[0]
        checked.append(lane)

    arena.play(of, 0, 40, lambda games, rows: None, watch=watch, rounds=8)
    assert len(checked) > 5


@pytest.mark.parametrize(("name", "policy"), [each for each in POLICIES if each[0] in BY_LANE])
def test_a_policy_changes_nothing_that_it_sees_and_keeps_to_its_answer(name, policy):
    """Records cannot be closed to those who see them."""
    of = match(name, [policy, "random"], catalogue.game(name).seats[-1])
    player, checked = of.players[0], []

    def watch(table, ask):
        if ask is None or len(checked) >= 40:
            return
        shown = [array.tobytes() for array in table.t if array is not table.t.action]
        given = table.t.action.copy()
        again = [answers(table, player.policy.function, player.weights, player.prepared).tolist() for _ in range(2)]
        assert again[0] == again[1]
        assert shown == [array.tobytes() for array in table.t if array is not table.t.action]
        mine = np.isin(table.t.seat, [seat for seat, each in enumerate(of.players) if each is player])
        assert (given == again[0])[mine].all()
        table.t.action[:] = given
        checked.append(mine.sum())

    arena.play(of, 0, 8, lambda games, rows: None, watch=watch)
    assert sum(checked) > 20


@pytest.mark.parametrize("name", GAMES)
def test_an_illegal_action_is_named(name):
    """Also of a policy that is plain Python."""

    def cheats(view, weights, prepared, action):
        action[:] = -77

    def cheat(view, weights, prepared):
        return -77

    policy = Policy("cheat", "Answers nonsense.", cheat if name in BY_LANE else cheats)
    with pytest.raises(IllegalAction, match=rf"policy 'cheat' of seat \d answered -77 in game \d+.* rules of {name}"):
        play(match(name, [policy], catalogue.game(name).seats[0]), 0, 50)


@pytest.mark.parametrize("name", sorted(BY_LANE))
def test_a_policy_that_changes_what_it_sees_is_named(name):
    random = catalogue.policy(name, "random")

    def meddler(view, weights, prepared):
        action = plain(random.function)(view, weights, prepared)
        field = view.board.dtype.names[0]
        view.board[field] = view.board[field] + 1
        return action

    policy = Policy("meddler", "Plays as random.", meddler, uses_word=True)
    with pytest.raises(IllegalAction, match="policy 'meddler' changes what it sees"):
        play(match(name, [policy], catalogue.game(name).seats[0]), 0, 3)


@pytest.mark.parametrize("name", sorted(BY_LANE))
def test_a_policy_in_plain_python_plays_as_the_compiled_one(name):
    compiled, seats = catalogue.policy(name, "random"), catalogue.game(name).seats[0]

    def spelt_out(view, weights, prepared):
        return plain(compiled.function)(view, weights, prepared)

    of = match(name, [Policy("random", "", spelt_out, prepare=compiled.prepare, uses_word=True)], seats)
    assert (play(of, 0, 3) == play(match(name, ["random"], seats), 0, 3)).all()


@pytest.mark.parametrize("name", GAMES)
def test_every_value_of_every_knob_plays(name):
    """Every option, every pack of the game, and both bounds of every number, one knob at a time."""
    game = catalogue.game(name)
    limits = {key: 30 for key in game.knobs.model_fields if key.startswith("max_")}
    for field, info in game.knobs.model_fields.items():
        for value in _values(info):
            knobs = game.knobs(**limits | {field: value if not field.startswith("max_") else min(value, 30)})
            rows = play(match(name, ["random"], game.seats[-1], knobs=knobs), 0, 10)
            assert len(rows) == 10


def _values(info):
    options, shelf = options_of(info.annotation), shelf_of(info)
    if shelf:
        return shelf.names
    if is_list(info.annotation):
        return [(), options]
    if options or info.annotation is bool:
        return options or (False, True)
    return [getattr(each, key) for each, key in itertools.product(info.metadata, ("ge", "le")) if hasattr(each, key)]


@pytest.mark.parametrize("name", [name for name in GAMES if name not in BY_LANE])
def test_a_costly_policy_is_shown_its_own_decisions_and_the_games_stay_the_same(name):
    """A policy that answers nothing but what it is shown plays as when it is shown everything."""
    game = catalogue.game(name)
    random, seen = catalogue.policy(name, "random"), []

    def shown_only(view, weights, prepared, action):
        seen.append(set(view.seat.tolist()))
        random.function(view, weights, prepared, action)

    costly = Policy("costly", "Plays as random.", shown_only, prepare=random.prepare, uses_word=True, costly=True)
    seats = game.seats[0]
    assert (play(match(name, [costly, "random"], seats), 0, 60) == play(match(name, ["random"], seats), 0, 60)).all()
    assert set().union(*seen) <= {-1, *range(0, seats, 2)}


@pytest.mark.parametrize("name", GAMES)
def test_views_show_nothing_of_the_game_that_was_in_the_lane_before(name):
    """Every array of every view, by game and by how many decisions came before: alike in one lane and in many."""
    seats = catalogue.game(name).seats[0]

    def shown(lanes):
        views = {}

        def watch(table, ask):
            if ask is None:
                return
            arrays = {key: value for key, value in ask.view._asdict().items() if isinstance(value, np.ndarray)}
            for i in np.flatnonzero(ask.seat >= 0):
                game = int(table.game[i if ask.lanes is None else ask.lanes[i]])
                seen = {key: value[..., i].tobytes() for key, value in arrays.items()}
                kind = None if "kind" in arrays else ask.view.kind  # where it is by lane, it is among the arrays
                views.setdefault(game, []).append((kind, seen))

        arena.play(match(name, ["random"], seats), 0, 24, lambda games, rows: None, lanes=lanes, watch=watch)
        return views

    many, one_by_one = shown(24), shown(2)
    assert many.keys() == one_by_one.keys() == set(range(24))
    for game, views in many.items():
        assert views == one_by_one[game], game
