"""The kernels against the naive version: the same games, to the last number of every results column and every decision.

`naive.py` shares nothing with the kernels but the coordinates of luck, so a game must not only come out equally often,
but equal. Settings are drawn at random over all knobs, seats, line-ups, seeds and game numbers, with a liking for those
in which effects meet. When one disagrees, the message names it and the game: play it with `naive.play` in a debugger.

The tests at the end are of the naive version by itself: exact facts, and positions worked out by hand.
"""

import random
from collections import Counter
from fractions import Fraction
from itertools import product

import pytest

from tests.vices import common, naive
from tests.vices.naive import ENVY, GLUTTONY, GREED, LUST, PRIDE, RESERVES, SINS, SLOTH, WRATH

ALL = list(SINS)
OPTIONS = {
    "target": (20, 45, 70, 70, 120, 200),
    "exact_wins": (True, False),
    "exact_bust": (False, True),
    "final_round": ("finish", "immediate", "extra"),
    "penalty_dice": (2, 3, 4),
    "nemesis_sides": (2, 2, 3, 5, 20, 20, 100),
    "stolen_match": ("void", "follows", "stays"),
    "stealing": ("accumulate", "swap"),
    "envy_optional": (False, True),
    "no_nemesis": ("lighter", "borrow"),
    "bullet_upright": (0.0, 0.0, 0.3, 1.0),
    "start_total": (0, 0, 0, 1, 55, 200),
    "max_rounds": (1, 2, 4, 200, 200, 1_000_000),
}
POLICIES = ("bank_all", "zeros", "random", "random")
SEATS = (2, 3, 4, 5, 6, 7, 7)

SETTINGS, GAMES = 50, 4
BLOCKS, BLOCK = 25, 20  # of the full run: with `GAMES` each 2,000 games


def drawn_sins(rng):
    """Mostly all effects, else some or none, in Sin order."""
    some = [sin for sin in SINS if rng.random() < 0.6]
    return rng.choice((ALL, ALL, ALL, ALL, some, some, []))


def drawn(number):
    """Setting `number`: (line-up, seed, first game, lanes, knobs)."""
    rng = random.Random(number)
    knobs = {name: rng.choice(options) for name, options in OPTIONS.items()}
    knobs["sins"] = drawn_sins(rng)
    seats = SEATS[number % len(SEATS)]
    knobs["house_seats"] = seats in (2, 7) or rng.random() < 0.5
    lineup = [rng.choice(POLICIES) for _ in range(seats)]
    seed = rng.choice((0, rng.randrange(1000), rng.randrange(2**32, 2**64)))
    first = rng.choice((0, rng.randrange(10**9), rng.randrange(2**32, 2**64 - GAMES)))
    return lineup, seed, first, rng.choice((None, None, 1, 3)), knobs


def assert_agreement(lineup, seed, first, lanes, knobs, games=GAMES):
    match = common.match(lineup, len(lineup), seed, **knobs)
    rows, decisions = common.traced(match, games, first, lanes)
    for game, row in enumerate(rows.tolist(), first):
        setting = f"game {game} of seed {seed}, {lineup}, {lanes} lanes, {knobs}"
        wanted, wanted_decisions = naive.play(game, seed, len(lineup), lineup, knobs)
        assert match.columns == tuple(wanted), setting
        assert decisions[game] == wanted_decisions, setting
        winners = 1 << wanted["winner"] if wanted["winner"] >= 0 else 0
        found = dict(zip(("winners", *match.columns), row, strict=True))
        assert found == wanted | {"winners": winners}, setting


@pytest.mark.parametrize("number", range(SETTINGS))
def test_same_games(number):
    assert_agreement(*drawn(number))


@pytest.mark.full
@pytest.mark.parametrize("block", range(BLOCKS))
def test_same_games_in_many_settings(block):
    for number in range(BLOCK):
        assert_agreement(*drawn(SETTINGS + block * BLOCK + number))


MIXED = ["zeros", "random", "bank_all"]


@pytest.mark.parametrize("seed", [2**32 - 1, 2**32, 2**63 - 1, 2**63, 2**64 - 1])
def test_seeds_up_to_64_bits(seed):
    assert_agreement(MIXED, seed, 0, None, {})


@pytest.mark.parametrize("first", [2**32 - 2, 2**63 - 2, 2**64 - 1 - GAMES])
def test_game_numbers_up_to_64_bits(first):
    assert_agreement(MIXED, 3, first, None, {})


GAMES_WITH_A_STOLEN_MATCH = {"accumulate": (7, 9, 19, 30, 32, 38, 93), "swap": (8, 9, 18, 30, 32, 53, 93)}
"""Picked, since there are few, in which the large die of a pending match changed hands: of Greed, Gluttony and Envy, to
a seat or to the reserves, and one (8) in which Gluttony then takes itself back."""
SEVEN = ["random"] * 7
SEVEN_KNOBS = {"house_seats": True, "target": 150}


@pytest.mark.parametrize("stolen_match", OPTIONS["stolen_match"])
@pytest.mark.parametrize("stealing", GAMES_WITH_A_STOLEN_MATCH)
def test_stolen_matches(stealing, stolen_match):
    for game in GAMES_WITH_A_STOLEN_MATCH[stealing]:
        assert_agreement(SEVEN, 1, game, None, {**SEVEN_KNOBS, "stealing": stealing, "stolen_match": stolen_match}, 1)


@pytest.mark.parametrize("stealing", GAMES_WITH_A_STOLEN_MATCH)
def test_the_games_picked_have_a_stolen_match(stealing):
    for game in GAMES_WITH_A_STOLEN_MATCH[stealing]:
        knobs = {**SEVEN_KNOBS, "stealing": stealing}
        void = naive.play(game, 1, 7, SEVEN, {**knobs, "stolen_match": "void"})
        assert void != naive.play(game, 1, 7, SEVEN, {**knobs, "stolen_match": "stays"})


def test_the_settings_drawn_meet_every_option():
    """Else an agreement would say less than it seems to."""
    met = [drawn(number) for number in range(SETTINGS)]
    for name, options in OPTIONS.items():
        assert {knobs[name] for *_, knobs in met} == set(options)
    sins_met = [knobs["sins"] for *_, knobs in met]
    assert ALL in sins_met
    assert [] in sins_met
    for sin in SINS:
        assert {sin in sins for sins in sins_met if sins not in (ALL, [])} == {False, True}
    assert {(len(lineup) in (2, 7), knobs["house_seats"]) for lineup, *_, knobs in met} == {
        (False, False),
        (False, True),
        (True, True),
    }
    assert {len(lineup) for lineup, *_ in met} == set(SEATS)
    for seats in SEATS:
        assert {policy for lineup, *_ in met for policy in lineup if len(lineup) == seats} == set(POLICIES)
    assert any(seed >= 2**63 for _, seed, *_ in met)
    assert any(first >= 2**63 for _, _, first, *_ in met)


def drawn_games():
    """(knobs, row, decisions) of every game that `test_same_games` compares."""
    for number in range(SETTINGS):
        lineup, seed, first, _, knobs = drawn(number)
        for game in range(first, first + GAMES):
            yield knobs, *naive.play(game, seed, len(lineup), lineup, knobs)


def test_the_games_drawn_meet_every_kind_of_end_and_of_decision():
    games = list(drawn_games())
    rows = [row for _, row, _ in games]
    assert {kind for *_, decisions in games for kind, *_ in decisions} == set(range(9)) - {SLOTH, PRIDE}
    for column in ("exact_win", "tie_breaks", "sins_destroyed", "nemesis_destroyed", "unfinished"):
        assert any(row[column] for row in rows), column
    assert any(row["anyone_exact"] and not row["exact_win"] for row in rows)
    assert any(row["winner"] < 0 and not row["unfinished"] for row in rows)  # all beyond the target


# The naive version by itself ------------------------------------------------------------------------------------------


def average(values):
    values = list(values)
    return Fraction(sum(values), len(values))


def showing(face):
    """A roll in which every die shows this face."""
    return naive.Roll([face] * 7, [face] * 7, [(face, face)] * 3, [face] * 3, [face] * 7, False)


def average_points(unit):
    """Of a unit of a single die."""
    return average(naive.points(unit, 0, showing(face), 20) for face in range(1, naive.sides(unit, 20) + 1))


def test_exact_facts_of_scoring():
    """A pair, penalty rolls of 2 to 4 dice, and the full pool of one turn."""
    faces = range(1, 7)
    pair = average(naive.pair_points(*dice) for dice in product(faces, repeat=2))
    assert pair == Fraction(25, 6)
    for count, wanted in ((2, Fraction(25, 6)), (3, Fraction(125, 24)), (4, Fraction(625, 108))):
        assert average(naive.penalty_points(dice) for dice in product(faces, repeat=count)) == wanted
    singles = [*range(naive.FIRST_PAIR), *range(naive.FIRST_SPOILER, naive.ABSORBED)]
    assert sum(average_points(unit) for unit in singles) + 3 * pair == 53


def test_an_upright_silver_bullet_matches_any_werewolf():
    roll = showing(3)
    roll.pairs = [(3, 4)] * 3
    assert [naive.points(unit, 0, roll, 20) for unit in (7, 8, 9)] == [5, 5, 5]
    roll.upright = True
    assert [naive.points(unit, 0, roll, 20) for unit in (7, 8, 9)] == [5, 5, 0]


class Scripted(naive.Luck):
    """Luck in which the Sins named for a roll match, and no others: every die shows 1, but a large one may show 2.

    Every penalty roll shows 1 and 2 (9 points), the metallic die 3 (3 points), and the one that Gluttony took 4 (2
    points). The Nemesis dice show what is named for a roll, by seat; after the last such roll they stay the same.
    """

    def __init__(self, matching, nemesis):
        super().__init__(0, 0, 20, 0.0)
        self.matching = matching
        self.nemesis = nemesis

    def roll(self, at):
        roll = showing(1)
        matching = self.matching[at] if at < len(self.matching) else []
        roll.large = [1 if sin in matching else 2 for sin in range(7)]
        roll.nemesis = self.nemesis[min(at, len(self.nemesis) - 1)]
        return roll

    def penalty_dice(self, sin, at):
        return [1, 2, 3, 4, 5, 6]


NO_NEMESIS_MATCH = [[20, 1, 2, 3]]


def played(holder, matching, policy="bank_all", nemesis=NO_NEMESIS_MATCH, **knobs):
    """A table of four after the first turn, seat 0 defending."""
    table = naive.new_table(0, 0, 4, [policy] * 4, knobs)
    table.luck = Scripted(matching, nemesis)
    table.holder = [holder.get(sin, RESERVES) for sin in range(7)]
    naive.play_turn(table, 0)
    return table


def held(table):
    """Where the large dice are that are not in the reserves."""
    return {sin: place for sin, place in enumerate(table.holder) if place != RESERVES}


QUIET = 7 * 5 + (11 + 9 + 7)
"""Points of the full pool in `Scripted` without a match: the pairs, and a Nemesis that shows 20, are worth nothing."""


def test_a_quiet_turn():
    table = played({PRIDE: 0, LUST: 1}, [])
    assert table.totals == [QUIET, 0, 0, 0]
    assert (table.rolls, table.turns) == (1, 1)
    assert table.decisions == [(8, 0, (2**14 - 1, 1), 2**14 - 1)]


def test_a_match_comes_before_the_removal_and_counts_as_one():
    table = played({WRATH: 1, PRIDE: 0, ENVY: 0}, [[WRATH]])
    assert table.sin_matches == [1, 0, 0, 0]
    assert table.totals[0] == QUIET - 5 + 9
    assert held(table) == {WRATH: 1, PRIDE: 0, ENVY: naive.DESTROYED}
    choose, remove = table.decisions
    assert choose == (WRATH, 1, 1 << ENVY | 1 << PRIDE, ENVY)
    assert remove == (8, 0, (2**14 - 1 - (1 << WRATH), 0), 2**14 - 1 - (1 << WRATH))


def test_the_metallic_die_and_the_die_that_gluttony_took_join_the_penalty():
    assert played({PRIDE: 1}, [[PRIDE]]).totals[0] == QUIET - 5 + 12
    assert played({PRIDE: 1}, [[PRIDE]], sins=["lust"]).totals[0] == QUIET - 5 + 9
    others = {LUST: 2, GREED: 2, SLOTH: 2, WRATH: 2}
    took_envy = played({GLUTTONY: 1, PRIDE: 3, **others}, [[GLUTTONY]])
    assert took_envy.totals[0] == QUIET - 5 + 9 + 2
    assert took_envy.holder[ENVY] == 1
    took_pride = played({GLUTTONY: 1, ENVY: 3, **others}, [[GLUTTONY]])
    assert took_pride.totals[0] == QUIET - 5 + 9 + 2 + 3
    assert took_pride.holder[PRIDE] == 1
    took_none = played({GLUTTONY: 1, ENVY: 3, PRIDE: 3, **others}, [[GLUTTONY]])
    assert took_none.totals[0] == QUIET - 5 + 9


HAND = {LUST: 1, GREED: 2, SLOTH: 2, GLUTTONY: 3, ENVY: 0, WRATH: 0, PRIDE: 0}  # no reserves


@pytest.mark.parametrize(
    ("stolen_match", "matches", "holders"),
    [
        ("void", 1, {**HAND, GREED: 1}),  # Lust took Greed, so Greed's match is void
        ("follows", 2, {**HAND, GREED: 1, WRATH: 1}),  # seat 1 makes it
        ("stays", 2, {**HAND, GREED: 1, WRATH: 2}),  # seat 2 made it
    ],
)
def test_a_stolen_match(stolen_match, matches, holders):
    """Without reserves the first option of Lust is Greed, of the next seat clockwise."""
    table = played(HAND, [[LUST, GREED]], stolen_match=stolen_match)
    assert table.sin_matches[0] == matches
    assert held(table) == holders
    assert table.totals[0] == QUIET + matches * (9 - 5)


def test_a_thief_that_swaps_returns_what_it_had():
    """So that Lust's Gluttony, which was about to match, lies in the reserves when its turn comes."""
    hand = {LUST: 1, GLUTTONY: 1, GREED: 2, SLOTH: 3, ENVY: 0, WRATH: 0, PRIDE: 0}
    for stolen_match, matches, holders in (
        ("void", 1, {GREED: 1, SLOTH: 3, ENVY: 0, WRATH: 0, PRIDE: 0}),
        ("follows", 1, {GREED: 1, SLOTH: 3, ENVY: 0, WRATH: 0, PRIDE: 0}),
        ("stays", 2, {GREED: 1, LUST: 1, SLOTH: 3, ENVY: 0, WRATH: 0, PRIDE: 0}),  # Gluttony takes Lust back
    ):
        table = played(hand, [[LUST, GLUTTONY]], stealing="swap", stolen_match=stolen_match)
        assert table.sin_matches[0] == matches
        assert held(table) == holders
    taken_nothing = played({GREED: 1, ENVY: 1}, [[GREED]], stealing="swap")
    assert held(taken_nothing) == {GREED: 1, ENVY: 1}


def test_envy_gives_itself():
    assert held(played({ENVY: 1, PRIDE: 0}, [[ENVY]])) == {LUST: 1, PRIDE: 0}
    full = {LUST: 1, ENVY: 1, GLUTTONY: 1, GREED: 0, SLOTH: 3, WRATH: 0, PRIDE: 0}
    table = played(full, [[ENVY]], envy_optional=True)
    assert held(table) == {**full, ENVY: 3, SLOTH: 1}
    offered = 1 << GREED | 1 << SLOTH | 1 << WRATH | 1 << PRIDE | 1 << naive.DECLINE
    assert table.decisions[0] == (ENVY, 1, offered, SLOTH)


def test_stolen_envy_that_stays_is_a_penalty_only():
    hand = {LUST: 1, ENVY: 2, GREED: 3, GLUTTONY: 3, SLOTH: 0, WRATH: 0, PRIDE: 0}
    table = played(hand, [[LUST, ENVY]], stolen_match="stays")
    assert table.sin_matches[0] == 2
    assert held(table) == {**hand, ENVY: 1}


def test_an_absorbed_nemesis_waits_for_a_roll_and_is_matched_in_turn():
    """Seat 1 matches the defender's 20 at once, and seat 2 the 7 of seat 1 on the next roll. No score is zeroed."""
    rolls = [[20, 20, 3, 4], [7, 7, 7, 4], [7, 9, 9, 7]]
    table = played({}, [], nemesis=rolls)
    assert table.nemesis_matches == [2, 0, 0, 0]
    assert table.rolls == 3  # on the third seat 3 shows a 7, but only seat 2's die is still in the pool
    assert table.totals[0] == QUIET + (20 - 7) + (20 - 9)
    assert [decision[2] for decision in table.decisions] == [(2**14 - 1, 1)]


def test_sloth_loses_a_nemesis_that_lies_in_the_pool():
    """Policy zeros keeps the small Sloth for the second roll, on which seat 1's absorbed Nemesis leaves unscored."""
    rolls = [[20, 20, 3, 4], [5, 5, 5, 4], [20, 20, 20, 20]]
    table = played({SLOTH: 1}, [[], [SLOTH]], policy="zeros", nemesis=rolls)
    assert table.has_nemesis == [True, False, True, True]
    assert table.nemesis_matches == [1, 0, 0, 0]  # seat 2's 5 met none: the own Nemesis was scored, the other is lost
    assert not any(options[0] >> naive.ABSORBED for kind, _, options, _ in table.decisions if kind == naive.REMOVAL)


def test_a_lost_nemesis_is_lighter_or_borrowed():
    for no_nemesis, units in (("lighter", 13), ("borrow", 14)):
        table = naive.new_table(0, 0, 4, ["bank_all"] * 4, {"no_nemesis": no_nemesis})
        table.has_nemesis[2] = False
        assert len(naive.full_pool(table, 2)) == units
        assert len(naive.full_pool(table, 1)) == 14


@pytest.mark.parametrize(
    ("totals", "knobs", "winners"),
    [
        ([70, 65, 80], {}, [0]),
        ([70, 65, 70], {}, [0, 2]),
        ([71, 65, 65], {}, [1, 2]),
        ([70, 65, 80], {"exact_wins": False}, [1]),
        ([90, 75, 80], {}, [1]),
        ([90, 75, 80], {"exact_bust": True}, []),
        ([90, 70, 60], {"exact_bust": True, "exact_wins": False}, [2]),
    ],
)
def test_who_wins(totals, knobs, winners):
    assert naive.find_candidates(totals, {**naive.KNOBS, **knobs}) == winners


def test_zeros_takes_the_fewest_points_then_the_most_sides_then_the_first():
    worth = {0: 3, 7: 2, 10: 2, 13: 2, 14: 2}
    sides_of = {0: 6, 7: 6, 10: 12, 13: 20, 14: 20}
    assert naive.units_to_score("zeros", list(worth), True, worth, sides_of, None) == [13]
    assert naive.units_to_score("zeros", list(worth), False, worth, sides_of, None) == []
    assert naive.units_to_score("zeros", [7, 14], True, {7: 0, 14: 0}, sides_of, None) == [7, 14]


def test_the_final_round():
    """The first turn of three players reaches the target: rounds and turns of the game in each setting."""
    wanted = {"immediate": (1, 1), "finish": (1, 3), "extra": (2, 6)}
    for final_round, played_then in wanted.items():
        table = naive.new_table(0, 0, 3, ["bank_all"] * 3, {"target": 20, "final_round": final_round})
        table.luck = Scripted([], [[20, 1, 2]])
        assert naive.play_rounds(table)
        assert (table.rounds, table.turns) == played_then
    late = naive.new_table(0, 0, 3, ["bank_all"] * 3, {"target": 20, "final_round": "extra", "max_rounds": 1})
    assert not naive.play_rounds(late)


def test_starting_sins_are_distinct_and_every_turn_is_counted():
    for knobs, row, _ in drawn_games():
        of = {name: [row[key] for key in row if key.startswith(f"{name}_")] for name in ("total", "start_sin")}
        assert max(Counter(of["start_sin"]).values()) == 1
        seats = len(of["total"])
        assert seats * (row["rounds"] - 1) < row["turns"] <= seats * row["rounds"]
        assert row["rounds"] <= knobs["max_rounds"]
        assert row["turns"] <= row["rolls"] <= row["turns"] * (14 + seats)
