"""The kernels against the naive version: the same games, to the last column of results and the last decision.

`naive.py` shares nothing with the kernels but the coordinates of luck and the order in which options are listed. Packs
are drawn at random over all that a pack may say, knobs over all values and bounds, and seats, line-ups, speeds, seeds
and game numbers. At each decision what is legal is compared, too. When one disagrees, the message names it.
"""

import json
import math
from functools import cache, lru_cache
from itertools import product
from random import Random
from typing import Any

import numpy as np
import pytest
from ruamel.yaml import YAML

from lab import arena
from lab.arena import Match, Player
from sims.core.bits import count, nth
from sims.core.game import Policy, Setting, encode, options_of
from sims.core.kernel import kernel
from sims.core.rng import choice, split
from sims.vengeance import GAME, PlayerKnobs, rules
from sims.vengeance.pack import SHELF
from tests.vengeance import naive, packs

IN_CI = range(17, 29)
"""Numbers of packs, in whose games everything happens."""
GAMES = 4
"""A pack: reading one takes longer than playing."""
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
            double = [coded(4, n, *two) for n in range(12) for two in product(range(7), range(1, 7))]
            return [*plain, *single, *double]
        case "ROLL":
            stops = [coded(what, taken) for what in (0, 3, 4) for taken in range(6)]
            sets = [coded(2, ability, number) for ability in range(13) for number in range(64)]
            return [*stops, *sets, *(coded(1, *how) for how in product(range(6), *[range(6)] * 4))]
    return [coded(what, n, way) for what in range(5) for n in range(42) for way in range(5)]


@kernel
def judge(fixed, t, actions, verdicts):
    """Which of these actions are legal in the one decision that is asked."""
    view = rules.view_of(rules.game_at(fixed, t, 0), np.uint32(0))
    for k in range(actions.size):
        verdicts[k] = rules.is_legal(view, actions[k])


@cache
def candidates_of(kind: str) -> Any:
    return np.unique(np.array(candidates(kind), np.int32))


def legal(table: Any) -> list[int]:
    actions = candidates_of(KINDS[table.t.kind[0]])
    verdicts = np.zeros(actions.size, np.bool_)
    judge(table.fixed, table.t, actions, verdicts)
    return actions[verdicts].tolist()


# A policy that does everything ----------------------------------------------------------------------------------------


def any_of(numbers: list[int], word: int) -> int:
    """Of the legal actions, any; it ends things (what is 0) seldom where there is something else to do."""
    kinds = sorted({number & 7 for number in numbers if number & 7 or word % 8 == 0}) or [0]
    value, rest = naive.split(word, len(kinds))
    of_kind = [number for number in numbers if number & 7 == kinds[value]]
    return of_kind[naive.choice(rest, len(of_kind))]


CANDIDATES = tuple(candidates_of(kind) for kind in KINDS)


@kernel
def anything(view, weights, prepared):
    """`any_of` of what is legal, for the product's table."""
    actions, kinds = CANDIDATES[view.kind], 0
    legal = np.zeros(actions.size, np.bool_)
    for k in range(actions.size):
        legal[k] = rules.is_legal(view, actions[k])
        if legal[k] and (actions[k] & 7 or view.word % 8 == 0):
            kinds |= 1 << (actions[k] & 7)
    kinds = kinds or 1
    value, rest = split(view.word, count(kinds))
    kind = nth(np.int64(kinds), np.int64(value))
    of_kind = actions[legal & (actions & 7 == kind)]
    return of_kind[choice(rest, of_kind.size)]


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
    """The row of a game, and its decisions: seat, kind, what is legal, the answer."""
    decisions, rows = [], []

    def watch(table, ask):
        if ask is not None:
            decisions.append((int(ask.seat[0]), KINDS[ask.view.kind[0]], legal(table), int(ask.action[0])))

    model = GAME.knobs(content=content, **knobs)
    speeds = tuple(encode(PlayerKnobs(speed=speed)) for _, speed in lineup)
    setting = Setting(encode(model), len(lineup), seed, True, speeds)
    players = tuple(player(name) for name, _ in lineup)
    match = Match(GAME, setting, players, GAME.column_names(len(lineup), model))
    arena.play(match, game, 1, lambda games, row: rows.extend(row.copy()), lanes=1, watch=watch)
    return dict(zip(("winners", *match.columns), rows[0].tolist(), strict=True)), decisions


def wanted(pack: Any, knobs: Any, seed: int, game: int, lineup: Any) -> tuple[naive.Game, dict[str, int], list[Any]]:
    """The naive version's game, and the same of it."""
    naively = naive.Game(pack, knobs, seed, game, lineup)
    naively.play()
    told = []
    for seat, kind, options, answer, _ in naively.decisions:
        minions = len(naively.players[seat].minions)
        numbers = sorted(number_of(kind, option, minions) for option in options)
        told.append((seat, kind, numbers, number_of(kind, answer, minions)))
    return naively, naive.results(naively), told


def a_setting(rng: Random) -> tuple[dict[str, Any], int, int, list[tuple[str, float]]]:
    """Knobs, seed, game number, line-up"""
    lineup = [(rng.choice(POLICIES), rng.choice(packs.SPEEDS)) for _ in range(rng.randint(1, 4))]
    return packs.knobs(rng), rng.randrange(2**64), rng.randrange(2**64), lineup


@cache
def sample() -> Any:
    return YAML(typ="safe", pure=True).load(SHELF.path_of("sample"))


@lru_cache(len(IN_CI))
def games_of(number: int) -> tuple[Any, list[Any]]:
    """A pack, and its games: a setting and what is wanted, each."""
    rng = Random(number)
    pack = packs.pack(rng)
    settings = [a_setting(rng) for _ in range(GAMES)]
    return pack, [(setting, wanted(pack, *setting)) for setting in settings]


def assert_agreement(content: str, setting: Any, the_wanted: Any) -> None:
    row, decisions = played(content, *setting)
    _, results, told = the_wanted
    for place, (one, other) in enumerate(zip(decisions, told, strict=False)):
        assert one == other, f"decision {place} of {setting}"
    assert row == results, setting
    assert len(decisions) == len(told), setting


def assert_agreement_of(number: int, folder: Any) -> None:
    pack, games = games_of(number)
    path = folder / f"{number}.yaml"
    path.write_text(json.dumps(pack), encoding="utf-8")  # JSON is YAML
    for setting, the_wanted in games:
        assert_agreement(str(path), setting, the_wanted)


@pytest.mark.parametrize("number", IN_CI)
def test_random_packs(number, tmp_path):
    assert_agreement_of(number, tmp_path)


@pytest.mark.full
@pytest.mark.parametrize("block", range(10))
def test_random_packs_in_full(block, tmp_path):
    """1,000 games, 4 a pack."""
    for number in range(100 + 25 * block, 125 + 25 * block):
        assert_agreement_of(number, tmp_path)


@pytest.mark.parametrize("policy", ["random", "brawler", "anything"])
@pytest.mark.parametrize("seats", [1, 4])
def test_the_sample_pack(seats, policy):
    setting = (
        packs.defaults(),
        7,
        seats,
        [(policy, 1.0), ("random", 1.3), ("brawler", 1.0), ("random", 0.7)][:seats],
    )
    assert_agreement("sample", setting, wanted(sample(), *setting))


@pytest.mark.full
@pytest.mark.parametrize("block", range(10))
def test_the_sample_pack_in_full(block):
    for number in range(100 * block, 100 * block + 100):
        setting = a_setting(Random(f"sample {number}"))
        assert_agreement("sample", setting, wanted(sample(), *setting))


def test_all_knobs_and_bounds_are_drawn():
    knobs = {name: info for name, info in GAME.knobs.model_fields.items() if name != "content"}
    assert set(packs.KNOBS) == set(knobs)
    speed = PlayerKnobs.model_fields["speed"]
    for info, options in [*((knobs[name], packs.KNOBS[name]) for name in knobs), (speed, packs.SPEEDS)]:
        bounds = {limit for each in info.metadata for limit in (getattr(each, "ge", None), getattr(each, "le", None))}
        assert options[0] == info.default
        assert bounds - {None} <= set(options)
        assert set(options_of(info.annotation)) <= set(options)


def test_all_sorts_of_decisions_were_compared():
    """In the games above, so that their agreement says something of each: every kind of answer, every effect, every
    kind of objective, every way to use an ability, scores below zero of the living and of the dead."""
    answers, effects, objectives, ways, endings = set(), set(), set(), set(), set()
    scores, dry_rounds = set(), set()
    for number in IN_CI:
        for _, (game, results, _) in games_of(number)[1]:
            endings.add(game.winners()[1])
            dry_rounds.add(results["dry_round"])
            scores |= {(each.is_dead, each.score < 0) for each in game.players}
            for decision in game.decisions:
                answers.add((decision.kind, name_of(decision.answer)))
                if decision.answer[0] in ("room", "enemy", "perform"):
                    effects.add(decision.effect)
                if decision.answer[0] == "use":
                    ways.add(decision.answer[2])
            for each in game.players:
                objectives |= {each.objectives[number][1]["kind"] for number in each.marked}
    deeds = ("train", "purchase", "mark", "clear", "recon", "loot")
    assert answers == {
        ("SIDE", "side"),
        *(("PREP", name) for name in ("done", *deeds, "double", "buy")),
        *(("ROLL", name) for name in ("stop", "roll", "assign", "endure")),
        *(("FIGHT", name) for name in ("done", "use", "item", "mark")),
        *(("EFFECT", name) for name in ("decline", "room", "enemy", "perform", "mark")),
        *(("LOOT", name) for name in ("pass", *deeds)),
    }
    assert effects == set(packs.EFFECTS)
    assert objectives == {"kill", "clear", "health", "visit_adjacent", "hit_boss", "visit", "kill_adjacent"}
    assert ways == {"recon", "dice", "plus", "free"}
    assert endings == {"scored", "health", "shared", "dead", "loot", "boss", "lost"}
    assert scores == set(product((False, True), repeat=2))
    assert {-1, 1, 2} <= dry_rounds


def name_of(answer: naive.Option) -> str:
    match answer:
        case (int(),):
            return "side"
        case ((name, *_), actions):
            return "double" if len(actions) == 2 else str(name)
    return str(answer[0])


# The naive version by itself ------------------------------------------------------------------------------------------


def test_gaps_of_the_clock():
    """Rarest first: the mean of the exponential's longest 4096th is 1 + ln 4096, and the mean of all is one."""
    gaps = [naive.gap(k) for k in range(4096)]
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[0] == round(65536 * (1 + math.log(4096)))
    assert abs(sum(gaps) - 65536 * 4096) <= 4096 / 2


def test_the_same_game_again():
    """And with another clock, seed or game a different one."""
    knobs, lineup = packs.defaults(), [("random", 1.0), ("brawler", 1.5)]
    one, decisions = naive.play(sample(), knobs, 1, 2, lineup)
    assert (one, decisions) == naive.play(sample(), knobs, 1, 2, lineup)
    for other in ((knobs | {"clock": "poisson"}, 1, 2), (knobs, 2, 2), (knobs, 1, 3)):
        assert naive.play(sample(), *other, lineup)[1] != decisions


# What holds in any game -----------------------------------------------------------------------------------------------


def assert_conserved(table: Any, pack: Any, pool: int) -> None:
    """In every lane no die is lost or doubled, everybody is dead or alive once, and tracks only have what they have."""
    heroes = pack["heroes"]
    for lane in np.flatnonzero(table.t.seat >= 0):
        dice = int(table.t.board[lane].pool)
        for p in table.t.board[lane].players[: table.setting.seats]:
            needs = [2, 3, 3, 4, *(len(tile.get("dice", [])) for tile in heroes[p.hero]["tiles"])]
            dice += sum(need * int(sets) for need, sets in zip(needs, p.sets + p.sets_plus, strict=True))
            dice += int(p.hand.sum()) + int(p.fresh) + int(p.woe) + int(p.endured)
            assert 0 <= p.wounds <= p.spaces <= pack["tracks"]["health"]
            assert 0 <= p.spent <= p.trained < len(pack["tracks"]["training"])
            assert 0 <= p.loot < len(pack["tracks"]["loot"])
            assert 0 <= p.damage <= pack["bosses"][p.boss]["health"]
            if table.t.board[lane].turn >= 0:
                den = pack["dens"][p.side // 2][("front", "back")[p.side % 2]]
                minions = sum(len(room.get("minions", [])) for room in den["rooms"])
                assert (int(p.living) & ~(1 << BOSS)).bit_count() + int(p.kills.sum()) == minions
        assert table.t.board[lane].turn < 0 or dice == pool


def assert_it_ends(number: int, folder: Any, games: int) -> None:
    """A random pack, many games side by side: nothing is lost at any decision, and all end after four rounds."""
    rng = Random(number)
    pack, knobs, seats = packs.pack(rng), packs.knobs(rng), rng.randint(1, 4)
    path = folder / "pack.yaml"
    path.write_text(json.dumps(pack), encoding="utf-8")
    model, lineup = (
        GAME.knobs(content=str(path), **knobs),
        [player(rng.choice(("random", "brawler"))) for _ in range(seats)],
    )
    match = Match(GAME, Setting(encode(model), seats, number, True), tuple(lineup), GAME.column_names(seats, model))
    pool = naive.Game(pack, knobs, number, 0, [("random", 1.0)] * seats).full_pool
    rows: list[Any] = []
    arena.play(
        match,
        0,
        games,
        lambda games, row: rows.extend(row.copy()),
        lanes=16,
        watch=lambda table, ask: assert_conserved(table, pack, pool),
    )
    results = {name: np.array(rows)[:, 1 + place] for place, name in enumerate(match.columns)}
    assert len(rows) == games
    assert (results["rounds"] <= 4).all()
    for seat in range(seats):
        assert ((results[f"survived_{seat}"] == 4) == (results[f"alive_{seat}"] == 1)).all()


@pytest.mark.parametrize("number", range(1000, 1003))
def test_random_packs_end_and_lose_nothing(number, tmp_path):
    assert_it_ends(number, tmp_path, games=16)


@pytest.mark.full
@pytest.mark.parametrize("number", range(1003, 1103))
def test_random_packs_end_and_lose_nothing_in_full(number, tmp_path):
    assert_it_ends(number, tmp_path, games=60)
