"""Populations: which line-ups they stand for, with which chances, and what is said of all of them together."""

from itertools import permutations, product
from math import prod

import pytest

from lab import catalogue
from lab.ask import ask
from lab.errors import BadInput
from lab.lineup import read_lineups
from lab.population import Mixture
from lab.runner import Progress
from lab.study import read_study
from lab.sweeping import sweep
from sims.core.document import Given
from sims.viking import exact
from tests.lab.common import entry
from tests.lab.test_cli import lab


def study(path, policies, more="", seats=2):
    file = path / "study.yaml"
    file.write_text(f"game: viking\nseats: {seats}\npolicies: {policies}\nlimit: 20_000\n{more}")
    return read_study(file)


def line_ups(plan):
    return [cell.titles for cell in plan.cells]


@pytest.mark.parametrize(
    "text", ["all pairs of [keep, threshold, healer]", "{all pairs of: [keep, threshold, healer]}"]
)
def test_all_pairs_are_one_of_the_one_and_the_rest_of_the_other(text, tmp_path):
    found = line_ups(study(tmp_path, text, seats=3))
    assert sorted(found) == sorted((a, b, b) for a, b in permutations(["keep", "threshold", "healer"], 2))


def test_weights_in_pairs_are_a_sweep_and_a_population_may_stand_beside_line_ups(tmp_path):
    found = line_ups(study(tmp_path, "[{all pairs of: [keep, {threshold: {below: [2, 3]}}]}, random]"))
    assert len(found) == 3 * 2 + 1
    assert ("threshold:below=2", "threshold:below=3") in found
    assert found[-1] == ("random", "random")


def mixture(*chances):
    return Mixture(tuple(entry("threshold", below=k + 1) for k in range(len(chances))), chances, Given(None))


@pytest.mark.parametrize(
    ("chances", "seats"), [((0.6, 0.4), 4), ((0.5, 0.3, 0.2), 3), ((0.7, 0.3), 6), ((0.1, 0.9), 2)]
)
def test_a_mixture_s_line_ups_stand_for_every_table_that_may_be_drawn(chances, seats):
    """A second way: the mean over all tables, each seat drawn by itself, of something that looks at every seat."""
    mixed = mixture(*chances)
    members = mixed.members(seats)
    assert len(members) == mixed.size(seats)
    assert sum(chance for _, chance in members) == pytest.approx(1)

    def odd(table):  # differs between all tables, turned ones included
        return sum((3 * seat + 1) ** 0.5 * 7**place for seat, place in enumerate(table))

    def turned(line_up):
        places = [mixed.entries.index(each) for each in line_up]
        return sum(odd(places[turn:] + places[:turn]) for turn in range(seats)) / seats

    by_tables = sum(
        prod(chances[place] for place in table) * odd(table) for table in product(range(len(chances)), repeat=seats)
    )
    assert sum(chance * turned(line_up) for line_up, chance in members) == pytest.approx(by_tables)


def test_a_mixture_is_judged_by_its_mean_which_is_exact_here(tmp_path):
    """Two of three seats play threshold: its wins against itself, one half, and against keep, by the exact solver."""
    one, other, between = (
        exact.solve([(a, 4), (b, 4)]) for a, b in (("threshold", "threshold"), ("keep", "keep"), ("threshold", "keep"))
    )
    wins = (4 / 9 * 2 * 0.5 + 4 / 9 * between.win_share[0]) / (4 / 9 * 3)
    duels = 4 / 9 * one.duels + 4 / 9 * between.duels + 1 / 9 * other.duels
    more = f"expect: ['win_share[threshold] within {wins} +- 0.03', 'duels within {duels} +- 0.3', 'p50(duels) < 9']\n"
    answer = ask(study(tmp_path, "{mixture of: {threshold: 2, keep: 1}}", more), tmp_path / "out", jobs=1)
    assert [each.verdict for each in answer.verdicts] == ["yes", "yes", "yes"]
    share, mean, _ = (each.figures[0].value for each in answer.verdicts)
    assert share.low < wins < share.high
    assert mean.low < duels < mean.high
    assert [len(each.members) for each in answer.verdicts] == [2, 3, 3]
    assert [each.weight for each in answer.verdicts[1].members] == pytest.approx([4 / 9, 4 / 9, 1 / 9])
    assert all(cell.rotate_seats for each in answer.verdicts for cell in each.cells)


def test_a_mixture_s_quantile_is_that_of_the_mixed_distribution(tmp_path):
    """By hand, from the histograms of a sweep of the same cells."""
    plan = study(tmp_path, "{mixture of: {threshold: 1, keep: 3}}", "expect: p90(duels) < 20\ngames: 10_000\n")
    done = sweep(plan, tmp_path / "out", jobs=1, progress=Progress())
    [population] = plan.populations
    shares: dict[int, float] = {}
    for row, chance in zip(done.rows, population.chances, strict=True):
        metric = next(each for each in row["metrics"] if each["column"] == "duels")
        for value, count in zip(metric["values"], metric["counts"], strict=True):
            shares[value] = shares.get(value, 0) + chance * count / row["plays"]
    by_hand = next(value for value in sorted(shares) if sum(s for v, s in shares.items() if v <= value) >= 0.9)
    [verdict] = ask(plan, tmp_path / "out", jobs=1).verdicts
    assert verdict.figures[0].value.estimate == by_hand
    assert verdict.figures[0].value.low <= by_hand <= verdict.figures[0].value.high


def test_a_gain_in_a_mixture_is_that_of_every_seat_that_may_change(tmp_path):
    """keep against keep gains what threshold wins more than half; keep against threshold what it lacks of half."""
    worth = exact.solve([("threshold", 4), ("keep", 4)]).win_share[0]
    expected = (1 / 4 * 2 * (worth - 0.5) + 1 / 2 * (0.5 - (1 - worth))) / (1 / 4 * 2 + 1 / 2)
    more = f"expect: gain(threshold over keep) within {expected} +- 0.05\n"
    [verdict] = ask(study(tmp_path, "{mixture of: {threshold: 1, keep: 1}}", more), tmp_path / "out", jobs=1).verdicts
    value = verdict.figures[0].value
    assert verdict.verdict == "yes"
    assert value.low < expected < value.high


def test_a_clause_about_a_policy_is_held_against_the_line_ups_that_have_it(tmp_path):
    plan = study(tmp_path, "all pairs of [keep, threshold, trailing]", "expect: 'win_share[keep] < 45%'\n")
    answer = ask(plan, tmp_path / "out", jobs=1)
    assert [each.cell.titles for each in answer.verdicts] == [each for each in line_ups(plan) if "keep" in each]
    said = lab("ask", tmp_path / "study.yaml", "--out", tmp_path / "out", "--jobs", "1")
    assert "yes in 4 of 4: [keep, threshold]; [keep, trailing]; [threshold, keep]; [trailing, keep]" in said.out


def test_the_page_says_over_which_line_ups_a_verdict_holds(tmp_path):
    study(
        tmp_path,
        "[{mixture of: {threshold: 1, keep: 1}}, keep]",
        "rotate_seats: true\nexpect: 'win_share[keep] > 40%'\n",
    )
    said = lab("ask", tmp_path / "study.yaml", "--out", tmp_path / "out", "--jobs", "1")
    assert said.code == 1
    assert "no in 1 of 2: [mixture of threshold 0.5, keep 0.5]" in said.out
    assert "no        [threshold, keep]" in said.out
    assert "yes       [keep ×2]" in said.out


def test_line_ups_that_a_mixture_shares_with_the_study_are_played_once(tmp_path):
    plan = study(tmp_path, "[{mixture of: {threshold: 1, keep: 1}}, [keep, threshold]]", "rotate_seats: true\n")
    assert line_ups(plan) == [("threshold",) * 2, ("threshold", "keep"), ("keep",) * 2, ("keep", "threshold")]
    assert len(plan.populations) == 2
    assert lab("sweep", tmp_path / "study.yaml", "--games", "50", "--out", tmp_path / "out", "--jobs", "1").code == 0


def test_too_many_cells_are_refused_before_any_is_made(tmp_path):
    names = ", ".join(f"'threshold:below={below}': 1" for below in range(1, 14))
    with pytest.raises(BadInput, match=r"143,780 cells; a study has at most 100,000"):
        study(tmp_path, f"{{mixture of: {{{names}}}}}", f"knobs: {{start_life: {list(range(1, 21))}}}\n", seats=4)


@pytest.mark.parametrize(
    ("policies", "line"),
    [
        ("all pairs of [keep, treshold]", "did you mean 'threshold'"),
        ("all pairs of [keep]", "fewer than two policies"),
        ("all pairs of keep", "is not a population; write `all pairs of [a, b]`"),
        ("all pairs of [keep, keep]", "has keep twice"),
        ("{mixture: {keep: 1, threshold: 1}}", "has 'mixture' where 'mixture of' should stand"),
        ("{mixture of: {keep: 0, threshold: 1}}", "0 is not a weight of keep: a number above 0"),
        ("{mixture of: [keep, threshold]}", "no mapping of policies to weights"),
        ("{mixture of: {keep...: 1, threshold: 1}}", "'keep...' fills seats"),
        ("{mixture of: {keep: 1, threshold: 1}}\nrotate_seats: false", "in a mixture all seats rotate"),
    ],
)
def test_mistakes_are_one_line(policies, line, tmp_path):
    with pytest.raises(BadInput) as error:
        study(tmp_path, policies)
    assert line in str(error.value)
    assert "study.yaml:" in str(error.value)


def test_one_cell_is_no_population():
    said = lab("run", "viking", "--policy", "all pairs of [keep, threshold]")
    assert said.code == 2
    assert "is a population" in said.err


def test_lists_that_advance_together_take_a_mixture_but_no_pairs(tmp_path):
    game = catalogue.game("viking")
    pairs = Given([Given("all pairs of [keep, threshold]", "p")], "p")
    with pytest.raises(BadInput, match="stands for several line-ups"):
        read_lineups(game, pairs, tmp_path, one_each=True)
    both = Given([Given("mixture of {keep: 2, threshold: 1}", "p")], "p")
    [mixed] = read_lineups(game, both, tmp_path, one_each=True)
    assert mixed.chances == pytest.approx((2 / 3, 1 / 3))
