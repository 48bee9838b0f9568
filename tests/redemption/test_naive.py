"""The kernels against the naive version: the same games, to the last column of results and the last decision.

`naive.py` shares nothing with the kernels but the coordinates of luck and the order in which options are listed. Packs
are drawn at random over all primitives and what they take, knobs over all values and bounds, seeds and game numbers.
When one disagrees, the message names it.
"""

from collections import Counter
from functools import cache, lru_cache
from random import Random
from typing import Any

import numpy as np
import pytest
from ruamel.yaml import YAML

from lab import arena
from lab.arena import Match, Player
from sims.core.game import Policy, Setting, encode, options_of
from sims.core.kernel import kernel
from sims.redemption import GAME, rules
from sims.redemption.effects import count_options, nth_option
from sims.redemption.pack import SHELF
from sims.redemption.table import check
from tests.redemption import naive, packs
from tests.redemption.common import BOX

PACKS_IN_CI = 25
POLICIES = ("random", "scrapper", "mixed", "mixed")
KINDS = ("keep", "act", "choose")


@kernel
def mixed(view, weights, prepared):
    """`naive.Mixed`"""
    return scrapper(view, (), ()) if view.word % 4 else uniform(view, (), ())


scrapper, uniform = GAME.policies["scrapper"].function, GAME.policies["random"].function


@cache
def player(name: str) -> Player:
    policy = Policy("mixed", "", mixed, uses_word=True) if name == "mixed" else GAME.policies[name]
    return Player(name, policy, (), ())


def options(view: Any) -> list[int]:
    """The legal actions of the one decision that is asked, in the order of the contract."""
    b = view.board[0]
    match KINDS[view.kind[0]]:
        case "keep":
            return list(range(b.offers))
        case "act":
            listed = [int(rules.nth_action(b, number)) for number in range(rules.count_actions(b))]
            return [*listed, int(rules.action_of(rules.CONCEDE, 0))]
        case _:
            return [int(nth_option(b, number)) for number in range(count_options(b) + b.may)]


def seen(board: Any) -> dict[str, Any]:
    """All that lies open, as `lying` says it of the naive version."""
    row = board.token[: board.length].tolist()
    is_rolled = board.bag.sum() + board.supply.sum() > 0
    return {
        "dice": list(zip(board.kind[: board.dice].tolist(), board.face[: board.dice].tolist(), strict=True)),
        "row": [(token & 7, token >> 3) if token >= 0 else None for token in row],
        "bag": board.bag.tolist(),
        "supply": board.supply.tolist(),
        "cards": [board.card[n] for n in range(board.kept) if board.cards >> n & 1] if is_rolled else [],
        "looked": board.looked[: board.looks].tolist(),
    }


def lying(game: naive.Game) -> dict[str, Any]:
    """All that lies open, things by their numbers."""
    state, kinds, dice = game.state, [*game.pack["virtues"], naive.REGRET], list(game.pack["dice"])
    return {
        "dice": [(dice.index(kind), face) for kind, face in state.dice],
        "row": [(kinds.index(token.kind), int(token.used)) if token else None for token in state.row],
        "bag": [state.bag[kind] for kind in kinds],
        "supply": [state.supply[kind] for kind in kinds],
        "cards": [*state.cards],
        "looked": [kinds.index(kind) for kind in state.looked],
    }


def played(content, knobs, seed, game, policy):
    """The row of a game, and its decisions with all that lay open; conservation is checked on the way."""
    told, rows = [], []

    def watch(table, ask):
        check(table)
        if ask is not None:
            kind, listed = KINDS[ask.view.kind[0]], options(ask.view)
            told.append((kind, len(listed), listed.index(int(ask.action[0])), seen(ask.view.board[0])))

    model = GAME.knobs(content=content, **knobs)
    line = player(policy)
    match = Match(GAME, Setting(encode(model), 1, seed, line.policy.uses_word), (line,), GAME.column_names(1, model))
    arena.play(match, game, 1, lambda games, row: rows.extend(row.copy()), lanes=1, watch=watch)
    return dict(zip(("winners", *match.columns), rows[0].tolist(), strict=True)), told


def wanted(pack, knobs, seed, game, policy):
    """The naive version's game, and the same of it."""
    lay: list[dict[str, Any]] = []
    naively = naive.Game(pack, knobs, seed, game, policy, lambda game: lay.append(lying(game)))
    naively.play()
    results = naive.results(naively)
    told = [
        (each.kind, len(each.options), each.answer, lies) for each, lies in zip(naively.decisions, lay, strict=True)
    ]
    return naively, {"winners": 1 << results["winner"] if results["winner"] >= 0 else 0, **results}, told


def a_setting(rng: Random, policy: str) -> tuple[dict[str, Any], int, int, str]:
    """Knobs, seed, game number, policy"""
    return packs.knobs(rng), rng.randrange(2**64), rng.randrange(2**64), policy


@lru_cache(PACKS_IN_CI)
def games_of(number: int) -> tuple[dict[str, Any], list[Any]]:
    """A pack, and its games: a setting and what is wanted, each."""
    rng = Random(number)
    pack = packs.pack(rng)
    settings = [a_setting(rng, policy) for policy in POLICIES]
    longest = 60 if number < PACKS_IN_CI else 150
    for knobs, *_, policy in settings:
        if number < PACKS_IN_CI or policy != "random":  # longer games can take minutes
            knobs["max_actions"] = min(longest, knobs["max_actions"])
    return pack, [(setting, wanted(pack, *setting)) for setting in settings]


def assert_agreement(content, setting, the_wanted):
    row, told = played(content, *setting)
    _, wanted_row, wanted_told = the_wanted
    for place, (one, other) in enumerate(zip(told, wanted_told, strict=False)):
        assert one == other, f"decision {place} of {setting}"
    assert row == wanted_row, setting
    assert len(told) == len(wanted_told), setting


def assert_agreement_of(number, folder):
    pack, games = games_of(number)
    path = folder / f"{number}.yaml"
    path.write_text(packs.text(pack), encoding="utf-8")
    for setting, the_wanted in games:
        assert_agreement(str(path), setting, the_wanted)


@pytest.mark.parametrize("number", range(PACKS_IN_CI))
def test_random_packs(number, tmp_path):
    assert_agreement_of(number, tmp_path)


@pytest.mark.full
@pytest.mark.parametrize("block", range(20))
def test_random_packs_in_full(block, tmp_path):
    """2,000 games, 4 a pack."""
    for number in range(PACKS_IN_CI + 25 * block, PACKS_IN_CI + 25 * block + 25):
        assert_agreement_of(number, tmp_path)


@pytest.mark.parametrize("policy", sorted(set(POLICIES)))
@pytest.mark.parametrize("name", SHELF.names)
def test_own_packs(name, policy):
    pack = YAML(typ="safe", pure=True).load(SHELF.path_of(name))
    rng = Random(f"{name} {policy}")
    for _ in range(2):
        setting = a_setting(rng, policy)
        assert_agreement(name, setting, wanted(pack, *setting))


@pytest.mark.parametrize("policy", sorted(set(POLICIES)))
def test_virtues_in_another_order(policy, tmp_path):
    """The box with its virtues backwards: as in the file, not as in the rulebook, and so another game."""
    pack = YAML(typ="safe", pure=True).load(BOX)
    pack["virtues"] = dict(reversed(pack["virtues"].items()))
    path = tmp_path / "backwards.yaml"
    path.write_text(packs.text(pack), encoding="utf-8")
    rng, differ = Random(policy), 0
    for _ in range(4):
        setting = a_setting(rng, policy)
        the_wanted = wanted(pack, *setting)
        assert_agreement(str(path), setting, the_wanted)
        differ += played(str(BOX), *setting)[0] != the_wanted[1]
    assert differ > 0


CROWD = [
    [{"return": {"count": "all", "what": "any"}}, {"draw": 12}] * 4,
    [*[{"draw": 12}] * 3, {"return": {"count": "all", "what": "any"}}, {"draw": 12}, {"move": 60}],
    [*[{"draw": 12}] * 3, {"return": {"count": "all", "what": "virtue"}}, {"draw": 7}, {"gain": "chosen"}],
]


@pytest.mark.parametrize("effect", CROWD)
@pytest.mark.parametrize("policy", sorted(set(POLICIES)))
def test_more_gaps_than_places(effect, policy, tmp_path):
    """All tokens are in the formation, leave gaps, and come again, several times in one effect."""
    rng = Random(f"{effect} {policy}")
    pack = packs.pack(rng)
    for token in pack["virtues"].values():
        token["use"] = token["discard"] = effect
    path = tmp_path / "crowd.yaml"
    path.write_text(packs.text(pack), encoding="utf-8")
    for _ in range(3):
        knobs, seed, game, _ = a_setting(rng, policy)
        setting = knobs | {"max_actions": 4}, seed, game, policy
        assert_agreement(str(path), setting, wanted(pack, *setting))


def test_matches_that_are_not_declared(tmp_path):
    """SR8: play goes on. Every token turns another into what is wanted, so that matches are frequent."""
    rng = Random(8)
    pack = packs.pack(rng)
    for token in pack["virtues"].values():
        token["use"] = token["discard"] = [{"turn": "chosen"}]
    path = tmp_path / "turning.yaml"
    path.write_text(packs.text(pack), encoding="utf-8")
    passed_by = 0
    for _ in range(12):
        _, seed, game, _ = a_setting(rng, "mixed")
        setting = packs.knobs(rng) | {"match": "declared", "start_regrets": 0, "max_actions": 200}, seed, game, "mixed"
        the_wanted = wanted(pack, *setting)
        assert_agreement(str(path), setting, the_wanted)
        passed_by += sum(("declare",) in each.options[:-1] and each.options[each.answer] != ("declare",)
                         for each in the_wanted[0].decisions)  # fmt: skip
    assert passed_by > 1


def test_all_knobs_and_bounds_are_drawn():
    knobs = {name: info for name, info in GAME.knobs.model_fields.items() if name != "content"}
    assert set(packs.KNOBS) == set(knobs)
    for name, info in knobs.items():
        options = packs.KNOBS[name]
        bounds = {limit for each in info.metadata for limit in (getattr(each, "ge", None), getattr(each, "le", None))}
        assert options[0] == info.default
        assert bounds - {None} <= set(options)
        assert set(options_of(info.annotation)) <= set(options)


def test_all_sorts_of_decisions_were_compared():
    """In the games above, so that their agreement says something of each: every action, every choice inside an effect,
    every ending."""
    answers, endings = set(), set()
    for number in range(PACKS_IN_CI):
        for _, (game, _, _) in games_of(number)[1]:
            endings.add(game.ending)
            answers |= {options[answer][0] for _, options, answer in game.decisions}
    assert endings == {"won", "lost", "conceded", "unfinished"}
    assert answers == {
        *("keep", "use", "discard", "card", "card_draw", "declare", "concede", "leave", "reroll", "gain", "remove"),
        *("return", "exhaust", "refresh", "turn", "swap", "move", "face", "swap_dice", "lose_card"),
    }


# What holds in any game


def assert_conserved(board: Any) -> None:
    """48 tokens, of each kind as many as there are, in bag, formation and supply (or just looked at); five dice; no
    card twice."""
    tokens = [*board.token[: board.length].tolist(), *board.looked[: board.looks].tolist()]
    counts = Counter(token & 7 for token in tokens if token >= 0)
    totals = [int(board.bag[kind]) + int(board.supply[kind]) + counts[kind] for kind in range(7)]
    assert totals == [6] * 6 + [12]
    assert min(board.bag.min(), board.supply.min()) >= 0
    assert board.dice == 5
    cards = board.card[: board.kept].tolist()
    assert len(set(cards)) == len(cards)
    assert 0 <= board.cards < 1 << len(cards)


def assert_it_ends(number, folder, games):
    """A random pack, many games side by side: nothing is lost at any decision, and all end within their actions."""
    rng = Random(number)
    pack, knobs = packs.pack(rng), packs.knobs(rng) | {"max_actions": rng.choice((1, 10, 60))}
    path = folder / "pack.yaml"
    path.write_text(packs.text(pack), encoding="utf-8")
    model, line = GAME.knobs(content=str(path), **knobs), player("random")
    match = Match(GAME, Setting(encode(model), 1, number, True), (line,), GAME.column_names(1, model))
    rows = []

    def watch(table, ask):
        for lane in np.flatnonzero(table.t.seat >= 0):
            if KINDS[table.t.kind[lane]] != "keep":
                assert_conserved(table.t.board[lane])

    arena.play(match, 0, games, lambda games, row: rows.extend(row.copy()), lanes=16, watch=watch)
    actions = np.array(rows)[:, 1 + match.columns.index("actions")]
    assert len(rows) == games
    assert (actions <= knobs["max_actions"]).all()


@pytest.mark.parametrize("number", range(1000, 1004))
def test_random_packs_end_and_lose_nothing(number, tmp_path):
    assert_it_ends(number, tmp_path, games=30)


@pytest.mark.full
@pytest.mark.parametrize("number", range(1004, 1204))
def test_random_packs_end_and_lose_nothing_in_full(number, tmp_path):
    assert_it_ends(number, tmp_path, games=100)
