"""The kernels against the naive version: the same games, to the last column of results and the last decision.

`naive.py` shares nothing with the kernels but the coordinates of luck and the order in which options are listed. Packs
are drawn at random over all primitives and what they take, knobs over all values and bounds, seeds and game numbers.
When one disagrees, the message names it.
"""

from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

from lab import arena
from lab.arena import Match, Player
from sims.core.game import Policy, Setting, encode
from sims.redemption import GAME, rules
from sims.redemption.effects import count_options, nth_option
from sims.redemption.pack import SHELF
from sims.redemption.table import check
from tests.redemption import naive, packs

PACKS_IN_CI, GAMES = 24, 4
POLICIES = ("random", "scrapper", "mixed")
KINDS = ("keep", "act", "choose")


def mixed(view, weights, prepared, action):
    """`naive.Mixed`, of one lane."""
    policy = GAME.policies["scrapper" if view.word[0] % 8 else "random"]
    policy.function(view, (), (), action)


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
    state, kinds, dice = game.state, [*packs.VIRTUES, naive.REGRET], list(game.pack["dice"])
    return {
        "dice": [(dice.index(kind), face) for kind, face in state.dice],
        "row": [(kinds.index(token.kind), int(token.used)) if token else None for token in state.row],
        "bag": [state.bag[kind] for kind in kinds],
        "supply": [state.supply[kind] for kind in kinds],
        "cards": [*state.cards],
        "looked": [kinds.index(kind) for kind in state.looked],
    }


def played(path, knobs, seed, game, policy):
    """The row of a game, and its decisions with all that lay open; conservation is checked on the way."""
    told, rows = [], []

    def watch(table, ask):
        check(table)
        if ask is not None:
            kind, listed = KINDS[ask.view.kind[0]], options(ask.view)
            told.append((kind, len(listed), listed.index(int(ask.action[0])), seen(ask.view.board[0])))

    model = GAME.knobs(content=str(path), **knobs)
    line = player(policy)
    match = Match(GAME, Setting(encode(model), 1, seed, line.policy.uses_word), (line,), GAME.column_names(1, model))
    arena.play(match, game, 1, lambda games, row: rows.extend(row.copy()), lanes=1, watch=watch)
    return dict(zip(("winners", *match.columns), rows[0].tolist(), strict=True)), told


def wanted(pack, knobs, seed, game, policy):
    """The same by the naive version."""
    lay = []
    results, decisions = naive.play(pack, knobs, seed, game, policy, lambda game: lay.append(lying(game)))
    told = [(each.kind, len(each.options), each.answer, lies) for each, lies in zip(decisions, lay, strict=True)]
    return {"winners": 1 << results["winner"] if results["winner"] >= 0 else 0, **results}, told


def games_of(number):
    """Pack `number` with its games: (knobs, seed, game, policy) each. Every tenth pack is `sample`."""
    rng = Random(number)
    pack = packs.pack(rng)
    games = [
        (packs.knobs(rng), rng.randrange(2**64), rng.randrange(2**64), POLICIES[(number + place) % 3])
        for place in range(GAMES)
    ]
    return pack, games


def assert_agreement(
    path: Path, pack: dict[str, Any], knobs: dict[str, Any], seed: int, game: int, policy: str
) -> None:
    row, told = played(path, knobs, seed, game, policy)
    wanted_row, wanted_told = wanted(pack, knobs, seed, game, policy)
    where = f"game {game} of seed {seed}, {policy}, {knobs}"
    for place, (one, other) in enumerate(zip(told, wanted_told, strict=False)):
        assert one == other, f"decision {place} of {where}"
    assert row == wanted_row, where
    assert len(told) == len(wanted_told), where


@pytest.mark.parametrize("number", range(PACKS_IN_CI))
def test_random_packs(number, tmp_path):
    pack, games = games_of(number)
    path = tmp_path / f"{number}.yaml"
    path.write_text(packs.text(pack), encoding="utf-8")
    for each in games:
        assert_agreement(path, pack, *each)
