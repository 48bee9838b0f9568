"""Inverse questions: values that are known exactly, searches over curves that are known, and how often they miss."""

import json
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pyarrow.parquet as pq
import pytest

from lab import sequences
from lab.ask import ask
from lab.errors import BadInput
from lab.find import ABOVE, BELOW, NOT_TOLD, Search, _values, most_points
from lab.study import read_study
from lab.verdicts import ERROR
from sims.core.document import Given
from sims.core.game import Settings, Whole, knob
from sims.viking import exact
from tests.lab.test_cli import lab

STUDY = "game: viking\npolicies: {policies}\nlimit: {limit}\nfind: {{{find}}}\n"


def study(path, find, policies="keep", limit=100_000, more=""):
    file = path / "study.yaml"
    file.write_text(STUDY.format(policies=policies, limit=limit, find=find) + more)
    return read_study(file)


# Studies


def test_a_whole_number_lies_between_the_two_values_that_the_exact_answers_enclose(tmp_path):
    plan = study(tmp_path, "knob: start_life, so_that: duels = 5.2, between: [6, 20]")
    [found] = ask(plan, tmp_path / "out", jobs=1).finds
    assert found.answer == "found"
    low, high = found.ends
    assert high == low + 1
    duels = [exact.solve([("keep", 4)] * 2, start_life=life).duels for life in (low, high)]
    assert duels[0] < 5.2 < duels[1]
    assert found.value == (low if 5.2 - duels[0] < duels[1] - 5.2 else high)
    for place, visit in found.visits.items():
        truth = exact.solve([("keep", 4)] * 2, start_life=found.wanted.values[place]).duels
        assert visit.figures[0].value.low < truth < visit.figures[0].value.high


def test_a_figure_that_falls_and_one_that_is_never_reached(tmp_path):
    """keep wins the less against threshold the more lives there are; never a half."""
    falling = [exact.solve([("threshold", 4), ("keep", 4)], start_life=life).win_share[1] for life in (9, 10)]
    level = sum(falling) / 2
    find = f"knob: start_life, so_that: 'win_share[keep] = {level}', between: [6, 14]"
    [falls] = ask(study(tmp_path, find, "[[threshold, keep]]", 400_000), tmp_path / "out", jobs=1).finds
    assert falling[0] > falling[1]
    assert (falls.answer, falls.ends) == ("found", (9, 10))
    plan = study(tmp_path, "knob: start_life, so_that: 'win_share[keep] = 0.5'", "[[threshold, keep]]")
    answer = ask(plan, tmp_path / "out", jobs=1)
    assert (answer.finds[0].answer, answer.verdict) == ("none", "no")
    assert answer.finds[0].value is None


def test_what_cannot_be_told_is_not_shown_and_more_games_go_on(tmp_path):
    """A seat wins half of the games between equals, whatever their lives."""
    half = "knob: start_life, so_that: 'win_share[0] = 50%', between: [8, 9]"
    first = ask(study(tmp_path, half, limit=1000), tmp_path / "out", jobs=1)
    assert (first.finds[0].answer, first.verdict) == ("not shown", "not shown")
    assert [visit.stopped for visit in first.finds[0].visits.values()] == ["limit", "limit"]
    more = ask(study(tmp_path, half, limit=3000), tmp_path / "out", jobs=1)
    assert {visit.games for visit in more.finds[0].visits.values()} == {3000}
    assert more.played == 2 * 2000


def test_several_cells_have_an_answer_each_and_the_second_time_it_is_the_same(tmp_path):
    find = "knob: start_life, so_that: duels = 5.7, between: [3, 20]"
    path = tmp_path / "study.yaml"
    study(tmp_path, find, more="seats: [2, 3]\nquestion: How many lives?\n")
    told = [lab("ask", path, "--out", tmp_path / "out", "--jobs", "1") for _ in range(2)]
    assert [each.code for each in told] == [0, 0]
    pages = [each.out.rpartition("\n±")[0] for each in told]
    assert pages[0] == pages[1]
    assert "How many lives?" in pages[0]
    assert pages[0].count("it crosses between start_life") == 2
    assert "this is the only crossing if it rises, or falls, all the way" in pages[0]
    assert pages[0].count("  lab replay ") == 3
    as_json = json.loads(lab("ask", path, "--out", tmp_path / "out", "--json").out)
    assert [each["answer"] for each in as_json["find"]] == ["found", "found"]
    assert as_json["plays"] == 0
    stored = pq.read_table(tmp_path / "out" / "finds.parquet").to_pylist()
    assert [(each["low"], each["high"]) for each in stored] == [(each["low"], each["high"]) for each in as_json["find"]]


def test_a_mixture_has_one_answer(tmp_path):
    plan = study(
        tmp_path, "knob: start_life, so_that: duels = 6, between: [3, 20]", "{mixture of: {keep: 1, trailing: 1}}"
    )
    [found] = ask(plan, tmp_path / "out", jobs=1).finds
    assert found.answer == "found"
    assert len(found.visits[0].members) == 3


@pytest.mark.parametrize(
    ("find", "line"),
    [
        ("knob: start_lif, so_that: duels = 3", "did you mean 'start_life'"),
        ("knob: heal, so_that: duels = 3", "only a knob that is a number can be looked for"),
        ("knob: start_life, so_that: duels > 3", "is not an equation; write STAT = NUMBER"),
        ("knob: start_life, so_that: duel = 3", "did you mean 'duels'"),
        ("knob: start_life, so_that: duels = 3, between: [0, 3]", "0 is not a whole number from 1 to 200"),
        ("knob: start_life, so_that: duels = 3, between: [5, 3]", "the first must be the lower one"),
        ("knob: start_life, so_that: 'win_share[any seat] = 0.3'", "several figures; name one"),
        ("knob: start_life, so_that: 'win_share[treshold] = 0.3'", "is not a policy of any line-up"),
        ("knob: start_life", "lacks so_that"),
        ("knobs: start_life", "did you mean 'knob'"),
        ("knob: start_life, so_that: duels = 3}\nknobs: {start_life: 3", "one place only"),
    ],
)
def test_mistakes_are_one_line(find, line, tmp_path):
    with pytest.raises(BadInput) as error:
        study(tmp_path, find)
    assert line in str(error.value)
    assert "study.yaml:" in str(error.value)


# Values


class Knobs(Settings):
    part: float = knob(0.5, "A share.", low=0, high=1)
    free: float = knob(0.5, "Without an upper bound.", low=0)
    many: Whole = knob(3, "Some.", low=1, high=6)


def test_values_of_a_knob_are_within_its_bounds():
    game = SimpleNamespace(name="fake", knobs=Knobs)
    assert list(_values(game, Given("many"), None)) == [1, 2, 3, 4, 5, 6]
    assert list(_values(game, Given("many"), Given([Given(2), Given(4)]))) == [2, 3, 4]
    fractions = _values(game, Given("part"), None)
    assert (fractions[0], fractions[125], fractions[-1], len(fractions)) == (0, 0.125, 1, 1001)
    with pytest.raises(BadInput, match=r"has no upper bound.*add between"):
        _values(game, Given("free"), None)
    assert _values(game, Given("free"), Given([Given(1.0), Given(3.0)]))[500] == 2


# Searches


def searched(size, side):
    search = Search(size)
    while (place := search.next()) is not None:
        assert place not in search.sides
        search.sides[place] = side(place)
    return search


def test_every_crossing_is_found_between_neighbours():
    for size in (2, 3, 4, 7, 50, 200):
        for edge in range(1, size):
            for low in (ABOVE, BELOW):
                search = searched(size, lambda place, edge=edge, low=low: low if place < edge else -low)
                assert search.is_found
                assert search.bracket == (edge - 1, edge)
                assert len(search.sides) <= 3 + np.log2(size)


def test_what_cannot_be_told_is_enclosed_from_both_sides():
    """Of places 40 to 60 nothing can be told: the search comes up to 39 and 61."""
    search = searched(200, lambda place: NOT_TOLD if 40 <= place <= 60 else BELOW if place < 40 else ABOVE)
    assert not search.is_found
    assert search.bracket == (39, 61)
    assert len(search.sides) <= most_points(200)


def test_ends_on_one_side_are_none_unless_the_middle_is_on_the_other():
    assert searched(200, lambda place: ABOVE).is_missed
    hump = searched(201, lambda place: ABOVE if 60 <= place < 140 else BELOW)
    assert hump.bracket == (59, 60)
    assert not searched(200, lambda place: NOT_TOLD if place == 0 else ABOVE).is_missed


def find_once(generator, level, limit=20_000):
    """A search over wins of a curve that rises, as the lab does it; whether it misses the crossing."""
    curve = 1 / (1 + np.exp(-(np.arange(33) - 16.3) / 3))
    alpha = ERROR / most_points(33)

    def side(place):
        wins = before = 0
        for games in sequences.looks(limit):
            wins, before = wins + generator.binomial(games - before, curve[place]), games
            found = sequences.share(wins, games, alpha)
            if found.low > level or found.high <= level:
                return ABOVE if found.low > level else BELOW
        return NOT_TOLD

    search = searched(33, side)
    truth = next(pair for pair in pairwise(range(33)) if curve[pair[0]] <= level < curve[pair[1]])
    return search.bracket is None or not (search.bracket[0] <= truth[0] and truth[1] <= search.bracket[1])


def test_few_searches_miss():
    """60 repetitions; 5 sigma above 5 % is 19 %."""
    assert sum(find_once(np.random.default_rng(seed), 0.501) for seed in range(60)) <= 11


@pytest.mark.full
def test_searches_keep_their_promise():
    """1,000 repetitions, at a level on a value and beside it; 5 sigma above 5 % is 8.4 %."""
    for level in (0.475, 0.501):
        assert np.mean([find_once(np.random.default_rng(seed), level) for seed in range(1000)]) < 0.084


def test_a_turn_is_seen(tmp_path):
    """Of a curve that goes up and down again, three values show it."""
    from lab.estimate import Estimate
    from lab.found import Found, course
    from lab.verdicts import Figure

    def visit(value):
        return SimpleNamespace(figures=[Figure("x", Estimate(value, value - 0.1, value + 0.1), False)])

    wanted = SimpleNamespace(knob="lives", values=[5, 6, 7], clause=SimpleNamespace(low=1.5))
    found = Found(wanted, None, 0.05, 100, Search(3, {0: -1, 1: 1, 2: -1}), {0: visit(1), 1: visit(2), 2: visit(1.2)})
    assert found.turns() == (5, 6, 7)
    assert "it does not rise or fall all the way: see lives 5, 6 and 7" in course(found)
    steady = Found(wanted, None, 0.05, 100, Search(3, {0: -1, 1: 1, 2: 1}), {0: visit(1), 1: visit(2), 2: visit(2.05)})
    assert steady.turns() is None
    assert steady.ends == (5, 6)
    fractions = SimpleNamespace(knob="share", values=[0.5, 0.6, 0.7], clause=SimpleNamespace(low=1.25))
    between = Found(fractions, None, 0.05, 100, Search(3, {0: -1, 1: 1, 2: 1}), steady.visits)
    assert between.value == pytest.approx(0.525)  # a quarter of the way from 1 to 2
