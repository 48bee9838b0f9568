"""The kernels against the naive version: the same games, to the last column of results and the last decision.

`naive.py` shares nothing with the kernels but the coordinates of luck and the order in which options are listed. Packs
are drawn at random over all that a pack may say, knobs over all values and bounds, and seats, line-ups, speeds, seeds
and game numbers. At each decision what is legal is compared, too. When one disagrees, the message names it.
"""

from functools import cache
from itertools import product
from random import Random
from typing import Any

import numpy as np
import pytest

from lab import arena
from lab.arena import Match, Player
from sims.core.game import Policy, Setting, encode, options_of
from sims.core.kernel import kernel
from sims.vengeance import GAME, PlayerKnobs, rules
from sims.vengeance.pack import SHELF
from sims.vengeance.table import check
from tests.vengeance import naive, packs

POLICIES = ("random", "random", "anything", "anything", "brawler")
KINDS = ("SIDE", "PREP", "ROLL", "FIGHT", "EFFECT", "LOOT")
BOSS = 40
DEEDS = ("done", "train", "purchase", "heal", "recon", "loot", "buy")
ROLLS = ("stop", "roll", "assign", "endure")
WAYS = ("recon", "dice", "plus", "free")


# Options as numbers ---------------------------------------------------------------------------------------------------


def number_of(kind: str, option: naive.Option, minions: int) -> int:
    """An option of the naive version, as actions are written (`sims/vengeance/state.py`). minions: of the den."""
    match kind, option:
        case "SIDE", (side,):
            return int(side)
        case "PREP", (deed, actions):
            return deed_of(deed, *actions) if isinstance(deed, tuple) else coded(DEEDS.index("buy"), actions)
        case "LOOT", deed if deed != ("pass",):
            return deed_of(deed, 4)
        case "ROLL", ("roll", taken, kept):
            return coded(1, taken, *kept)
        case "ROLL", (name, *rest):
            return coded(ROLLS.index(name), *rest)
        case _, ("use", number, way):
            return coded(1, number, WAYS.index(way))
        case _, ("enemy", number):
            return coded(1, BOSS if number == minions else number)
        case _, (name, *rest):
            return coded({"room": 1, "perform": 1, "item": 2, "mark": 3}.get(name, 0), *rest)
    raise ValueError(option)


def deed_of(deed: naive.Option, action: int, second: int = 0) -> int:
    name, *target = deed
    if name in ("mark", "clear"):
        name, target = "heal", [("mark", "clear").index(name)]
    return coded(DEEDS.index(name), *(target or [0]), action, second)


def coded(what: int, target: int = 0, *more: int) -> int:
    return what | target << 3 | sum(each << 9 + 3 * place for place, each in enumerate(more))


def candidates(kind: str) -> list[int]:
    """All that could be legal in a decision of a kind, and some that never is."""
    match kind:
        case "SIDE":
            return [0, 1, 2]
        case "PREP" | "LOOT":
            plain = [coded(what, target) for what in (0, 6, 7) for target in range(13)]
            single = [coded(what, n, action) for what in range(1, 6) for n in range(13) for action in range(7)]
            double = [
                coded(4, n, *two) for n in range(12) for two in product(range(7), range(1, 7))
            ]
            return [*plain, *single, *double]
        case "ROLL":
            stops = [coded(what, taken) for what in (0, 3, 4) for taken in range(6)]
            sets = [coded(2, ability, number) for ability in range(13) for number in range(64)]
            return [*stops, *sets, *(coded(1, *how) for how in product(range(6), *[range(6)] * 4))]
    return [coded(what, n, way) for what in range(5) for n in range(42) for way in range(5)]


@kernel
def judge(view, seat, actions, verdicts):
    """Which of these actions are legal in the one decision that is asked."""
    for k in range(actions.size):
        verdicts[k] = rules.allowed(view.fixed.pack[0], view.mine[0], view.players[seat, 0], view.kind[0], actions[k])


@cache
def candidates_of(kind: str) -> Any:
    return np.unique(np.array(candidates(kind), np.int32))


def legal(view: Any) -> list[int]:
    actions = candidates_of(KINDS[view.kind[0]])
    verdicts = np.zeros(actions.size, np.bool_)
    judge(view, view.seat[0], actions, verdicts)
    return actions[verdicts].tolist()


# A policy that does everything ----------------------------------------------------------------------------------------


def any_of(numbers: list[int], word: int) -> int:
    """Of the legal actions, any; it ends things (what is 0) seldom where there is something else to do."""
    kinds = sorted({number & 7 for number in numbers if number & 7 or word % 8 == 0}) or [0]
    value, rest = naive.split(word, len(kinds))
    of_kind = [number for number in numbers if number & 7 == kinds[value]]
    return of_kind[naive.choice(rest, len(of_kind))]


def anything(view, weights, prepared, action):
    """Plays on the product's table, one lane."""
    action[0] = any_of(legal(view), int(view.word[0]))


class Anything:
    """Plays the naive version."""

    def __init__(self, game: naive.Game) -> None:
        pass

    def answer(self, kind: str, player: naive.Player, options: list[naive.Option], word: int, effect: str) -> Any:
        minions = 0 if kind == "SIDE" else len(player.minions)
        numbers = {number_of(kind, option, minions): option for option in options}
        return numbers[any_of(sorted(numbers), word)]


naive.POLICIES["anything"] = Anything


# Both versions --------------------------------------------------------------------------------------------------------


@cache
def player(name: str) -> Player:
    policy = Policy(name, "", anything, uses_word=True) if name == "anything" else GAME.policies[name]
    return Player(name, policy, ())


def played(content: str, knobs: Any, seed: int, game: int, lineup: Any) -> tuple[dict[str, int], list[Any]]:
    """The row of a game, and its decisions: seat, kind, what is legal, the answer. Conservation is checked on the way."""
    decisions, rows = [], []

    def watch(table, ask):
        check(table)
        if ask is not None:
            decisions.append((int(ask.seat[0]), KINDS[ask.view.kind[0]], legal(ask.view), int(ask.action[0])))

    model = GAME.knobs(content=content, **knobs)
    speeds = tuple(encode(PlayerKnobs(speed=speed)) for _, speed in lineup)
    setting = Setting(encode(model), len(lineup), seed, True, speeds)
    players = tuple(player(name) for name, _ in lineup)
    match = Match(GAME, setting, players, GAME.column_names(len(lineup), model))
    arena.play(match, game, 1, lambda games, row: rows.extend(row.copy()), lanes=1, watch=watch)
    return dict(zip(("winners", *match.columns), rows[0].tolist(), strict=True)), decisions


def wanted(pack: Any, knobs: Any, seed: int, game: int, lineup: Any) -> tuple[dict[str, int], list[Any]]:
    """The naive version's game, the same of it."""
    naively = naive.Game(pack, knobs, seed, game, lineup)
    naively.play()
    told = []
    for seat, kind, options, answer in naively.decisions:
        minions = len(naively.players[seat].minions)
        numbers = sorted(number_of(kind, option, minions) for option in options)
        told.append((seat, kind, numbers, number_of(kind, answer, minions)))
    return naive.results(naively), told


def a_setting(rng: Random) -> tuple[dict[str, Any], int, int, list[tuple[str, float]]]:
    """Knobs, seed, game number, line-up"""
    lineup = [(rng.choice(POLICIES), rng.choice(packs.SPEEDS)) for _ in range(rng.randint(1, 4))]
    return packs.knobs(rng), rng.randrange(2**64), rng.randrange(2**64), lineup


def assert_agreement(content: str, pack: Any, setting: Any) -> None:
    row, decisions = played(content, *setting)
    results, told = wanted(pack, *setting)
    for place, (one, other) in enumerate(zip(decisions, told, strict=False)):
        assert one == other, f"decision {place} of {setting}"
    assert row == results, setting
    assert len(decisions) == len(told), setting
