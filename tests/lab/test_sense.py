"""Sensitivity: indices that are known beforehand, noise that is none, steps as `lab compare` sees them, resuming."""

import sys
from itertools import product

import numpy as np
import pyarrow.parquet as pq
import pytest
from scipy.stats import sobol_indices

from lab import block
from lab import sense as sensitivity
from lab.comparison import matches_of
from lab.errors import BadInput
from lab.pairs import differences, play_pair, quantities
from lab.runner import Progress
from lab.sense import Grid, Sample, designs, draw, factors_of, groups, sobol, tornado
from lab.sense import sense as run_sense
from lab.study import part_of, read_study
from lab.sweeping import sweep as run_sweep
from lab.tally import BINS, Tally
from tests.lab.test_cli import lab

SMALL = "game: viking\nseed: 3\ngames: {games}\npolicies: [[threshold, trailing]]\nknobs:\n{knobs}"
THREE = "  start_life: [9, 12, 15]\n  heal: [face, none]\n  reroll_order: [open, simultaneous]\n"


def study(path, knobs=THREE, games=2048, text=None):
    file = path / "study.yaml"
    file.write_text(text or SMALL.format(games=games, knobs=knobs))
    return read_study(file)


@pytest.fixture(scope="module")
def three(tmp_path_factory):
    """What the small study of three knobs shows, and where."""
    folder = tmp_path_factory.mktemp("three")
    return run_sense(study(folder), folder / "out", jobs=2), folder / "out"


def shares(found, figure):
    """{knob: (first-order index, total index)}"""
    mine = [each for each in found.indices if each.measure.name == figure]
    return {each.factor.name: (each.first, each.total) for each in mine}


# Designs

SIZES = (3, 2, 4)


def over(design, function):
    return np.array([function(*cell) for cell in design.cells], float)


@pytest.mark.parametrize(
    ("function", "first", "total"),
    [
        (lambda a, b, c: 3 * a + 6 * b, [6 / 15, 9 / 15, 0], [6 / 15, 9 / 15, 0]),
        (lambda a, b, c: (a - 1) * (b - 0.5) * (c - 1.5), [0, 0, 0], [1, 1, 1]),
        (lambda a, b, c: (a == 1) ^ (b == 1), [0, 1 / 9, 0], [8 / 9, 1, 0]),
    ],
    ids=["additive", "pure interaction", "exclusive or"],
)
def test_a_grid_gives_the_exact_indices(function, first, total):
    """By hand. Levels 0 to L - 1 have the variance (L^2 - 1) / 12."""
    grid = Grid(SIZES)
    forms = grid.forms(over(grid, function)).mean(axis=0)
    assert forms[1:] / forms[0] == pytest.approx([*first, *total])


def test_the_parts_of_a_variance_are_those_of_conditional_means():
    """By definition, on any function: V(E(f | x)) and V(f) - V(E(f | all but x))."""
    grid, values = Grid(SIZES), np.random.default_rng(1).normal(size=24)
    by_cell = dict(zip(grid.cells, values, strict=True))
    whole, *parts = grid.forms(values)[0]
    assert whole == pytest.approx(values.var())
    for place in range(3):
        alone, rest = {}, {}
        for cell, value in by_cell.items():
            alone.setdefault(cell[place], []).append(value)
            rest.setdefault(cell[:place] + cell[place + 1 :], []).append(value)
        assert parts[place] == pytest.approx(np.var([np.mean(each) for each in alone.values()]))
        assert parts[3 + place] == pytest.approx(whole - np.var([np.mean(each) for each in rest.values()]))


def test_a_sample_estimates_as_another_program_does_and_comes_near_the_truth():
    def function(a, b, c, d, e):
        return a + 0.5 * b + 0.3 * c * d

    sample, grid = Sample([5] * 5), Grid([5] * 5)
    values = over(sample, function)
    ours = sample.forms(values).mean(axis=0)
    a, b, *mixed = values[sample.places]
    theirs = sobol_indices(func={"f_A": a[None], "f_B": b[None], "f_AB": np.array(mixed)[:, None]}, n=sample.rows)
    assert ours[1:6] / ours[0] == pytest.approx(theirs.first_order)
    assert ours[6:] / ours[0] == pytest.approx(theirs.total_order)
    true = grid.forms(over(grid, function))[0]
    assert ours[1:] / ours[0] == pytest.approx(true[1:] / true[0], abs=0.12)
    assert len(sample.cells) <= sensitivity.EVALUATIONS


# Noise


def means_with_noise(truth, rng, *, scatter, shared, groups=40, games=50):
    """u, m of cells whose games scatter around their truth, in part all alike."""
    common, own = rng.normal(size=(1, groups)), rng.normal(size=(truth.size, groups))
    errors = scatter * (np.sqrt(shared) * common + np.sqrt(1 - shared) * own)
    m = np.full((truth.size, groups), float(games))
    return truth[:, None] * games + errors * np.sqrt(games), m


@pytest.mark.parametrize("shared", [0.0, 0.8])
def test_intervals_hold_the_truth_as_often_as_they_say_and_noise_adds_nothing(shared, monkeypatch):
    """a + b / 2 on 3 x 3 x 2 cells, with errors of the means that are half as large as the spread."""
    monkeypatch.setattr(sobol, "DRAWS", 500)
    grid, rng, times = Grid((3, 3, 2)), np.random.default_rng(5), 200
    truth = over(grid, lambda a, b, c: a + b / 2)
    found = [
        sensitivity.variances(
            grid, *means_with_noise(truth, rng, scatter=20 * (1 - shared) ** -0.5, shared=shared), rng
        )
        for _ in range(times)
    ]
    known = [0.8, 0.2, 0, 0.8, 0.2, 0]
    estimates = np.array([[each.estimate for each in (*one.first, *one.total)] for one in found])
    assert estimates.mean(axis=0) == pytest.approx(known, abs=0.03)  # shares below 0 count as 0
    raw = grid.forms(means_with_noise(truth, rng, scatter=20, shared=0)[0].mean(axis=1) / 50)[0]
    assert raw[6] / raw[0] > 0.05, "without the correction the third factor would seem to matter"
    for place, share in enumerate(known):
        held = sum(
            (*one.first, *one.total)[place].low <= share <= (*one.first, *one.total)[place].high for one in found
        )
        assert held > 0.9 * times


def test_noise_alone_is_no_effect():
    grid, rng = Grid((3, 3, 2)), np.random.default_rng(2)
    for _ in range(50):
        found = sensitivity.variances(grid, *means_with_noise(np.full(18, 5.0), rng, scatter=20, shared=0.3), rng)
        assert found.spread.low == 0
        assert all(each.low == 0 for each in (*found.first, *found.total))


def test_a_factor_without_effect_beside_one_with_effect_has_intervals_that_hold_0():
    grid, rng = Grid((3, 3, 2)), np.random.default_rng(3)
    truth = over(grid, lambda a, b, c: a)
    found = sensitivity.variances(grid, *means_with_noise(truth, rng, scatter=10, shared=0.5), rng)
    assert [each.low for each in found.first[1:]] == [0, 0]
    assert [each.low for each in found.total[1:]] == [0, 0]
    assert found.first[0].low > 0.8
    assert found.spread.estimate == pytest.approx(np.sqrt(2 / 3), rel=0.1)


def test_a_share_that_errs_below_0_takes_its_interval_along():
    draws = np.linspace(-0.3, -0.1, 1001)
    assert sobol._share(-0.2, draws, 1.0, np.ones(1001)).high == pytest.approx(0.095, abs=1e-3)
    assert sobol._share(1.2, 1 - draws, 1.0, np.ones(1001)).low == pytest.approx(0.905, abs=1e-3)


def test_luck_that_cells_share_entirely_is_no_noise():
    grid, rng = Grid((3, 3, 2)), np.random.default_rng(4)
    found = sensitivity.variances(
        grid, *means_with_noise(over(grid, lambda a, b, c: a + b), rng, scatter=50, shared=1), rng
    )
    assert [each.estimate for each in found.first] == pytest.approx([0.5, 0.5, 0])
    assert all(each.high - each.low < 1e-9 for each in (*found.first, *found.total))


# From a study to what it shows, with another function in place of play


def played_as(function):
    """Instead of playing: games in which `duels` is a function of the knobs and the game number."""

    def play(matches, first, count):
        match = matches[0]
        columns, seats = len(match.columns), match.setting.seats
        values = function(match.setting.knobs, np.arange(first, first + count)).astype(int)
        units = np.array([[count, 0, 0, 0, count]] * (columns + 2 * seats), object)
        u, uu = int(values.sum()), int((values**2).sum())
        units[match.columns.index("duels")] = [count, u, uu, u, count]
        nothing = np.zeros((1 + columns, 3), int).astype(object)
        return Tally(
            count,
            1,
            np.zeros((BINS, 1 + columns), np.int64),
            nothing,
            units,
            np.array([[count, 0, 0, 0, count]] * match.quantities, object).reshape(-1, 5),
            np.zeros(1 + columns, np.int32),
        )

    return play


def test_known_indices_come_out_of_a_study(tmp_path, monkeypatch):
    """a and b are -1, 0, 1: their product is interaction and nothing else; a and b / 2 share four to one."""
    knobs = "  start_life: [9, 12, 15]\n  heal: [face, total, none]\n  reroll_order: [open, simultaneous]\n"
    plan = study(tmp_path, knobs, games=64)

    def levels(knobs):
        return (knobs.start_life - 12) // 3, knobs.heal - 1

    monkeypatch.setattr(
        block, "tally_block", played_as(lambda knobs, games: 100 + np.prod(levels(knobs)) * 8 + games % 7)
    )
    found = shares(run_sense(plan, tmp_path / "product", jobs=1), "duels")
    assert {name: (first.estimate, total.estimate) for name, (first, total) in found.items()} == {
        "start_life": (pytest.approx(0, abs=1e-9), pytest.approx(1)),
        "heal": (pytest.approx(0, abs=1e-9), pytest.approx(1)),
        "reroll_order": (pytest.approx(0, abs=1e-9), pytest.approx(0, abs=1e-9)),
    }
    monkeypatch.setattr(
        block,
        "tally_block",
        played_as(lambda knobs, games: 100 + levels(knobs)[0] * 8 + levels(knobs)[1] * 4 + games % 7),
    )
    done = run_sense(plan, tmp_path / "sum", jobs=1)
    found = shares(done, "duels")
    assert [each.estimate for each in found["start_life"]] == pytest.approx([0.8, 0.8])
    assert [each.estimate for each in found["heal"]] == pytest.approx([0.2, 0.2])
    steps = {(each.factor.name, each.level): each.change for each in done.effects if each.measure.name == "duels"}
    assert {name: (each.difference, each.low, each.high) for name, each in steps.items()} == {
        ("start_life", "9"): (-8, -8, -8),
        ("start_life", "15"): (8, 8, 8),
        ("heal", "total"): (4, 4, 4),
        ("heal", "none"): (8, 8, 8),
        ("reroll_order", "simultaneous"): (0, 0, 0),
    }


def test_a_large_study_is_sampled(tmp_path, monkeypatch):
    monkeypatch.setattr(designs, "FULL", 20)
    monkeypatch.setattr(designs, "EVALUATIONS", 100)
    knobs = "  start_life: [9, 12, 15]\n  sides: [4, 6, 8]\n  heal: [face, total, none]\n"
    monkeypatch.setattr(block, "tally_block", played_as(lambda knobs, games: 10 * knobs.start_life + games % 5))
    done = run_sense(study(tmp_path, knobs, games=100), tmp_path / "out", jobs=1)
    assert "a sample of 16 × 5 = 80 of the 27 combinations" in done.design
    found = shares(done, "duels")
    assert found["start_life"][0].estimate == pytest.approx(1, abs=0.3)
    assert found["start_life"][1].estimate == pytest.approx(1, abs=0.3)
    assert found["heal"][1].estimate == pytest.approx(0, abs=1e-9)
    assert len(done.effects) == 6 * len(done.measures)


# Studies


def test_start_life_and_heal_move_the_duels_and_the_order_of_rerolls_hardly(three):
    done, folder = three
    found = shares(done, "duels")
    assert found["start_life"][0].low > 0.9
    assert 0 < found["heal"][1].low < found["heal"][1].high < 0.1
    assert found["reroll_order"][1].high < 0.01
    assert {each.name for each in done.measures} >= {"win_share seat 0", "win_share seat 1", "duels", "unfinished"}
    assert "the same in all cells: unfinished" in sensitivity.notes(done)
    lines = [line for line in sensitivity.indices_table(done) if line["figure"] == "duels"]
    assert [line["knob"] for line in lines] == ["start_life"]
    assert {line["knob"] for line in sensitivity.effects_table(done)} == {"start_life", "heal", "reroll_order"}
    stored = pq.read_table(folder / "indices.parquet").to_pylist()
    assert [each["total"] for each in stored if (each["figure"], each["knob"]) == ("duels", "heal")] == [
        found["heal"][1].estimate
    ]
    assert len(pq.read_table(folder / "effects.parquet")) == len(done.effects)


def test_steps_are_the_differences_of_a_comparison(three, tmp_path):
    """The same games: the same difference; the interval, whose unit is the group, of nearly the same width."""
    done, _ = three
    cells = {(each.knobs.start_life, each.knobs.heal, each.knobs.reroll_order): each for each in study(tmp_path).cells}
    base = matches_of(cells[12, "face", "open"])
    for name, level, cell in (("start_life", "9", (9, "face", "open")), ("heal", "none", (12, "none", "open"))):
        other = matches_of(cells[cell])
        theirs = differences(play_pair(base, other, 0, 2048), quantities(base, other), paired=True)
        known = {each.quantity: each for each in theirs}
        steps = [each for each in done.effects if (each.factor.name, each.level) == (name, level)]
        assert len(steps) == len(done.measures)
        for each in steps:
            one, other_one = each.change, known[each.measure.name]
            assert (one.first, one.difference) == (other_one.first, other_one.difference)
            assert one.high - one.low == pytest.approx(other_one.high - other_one.low, rel=0.4)


def test_one_knob_alone_has_steps_and_no_indices(tmp_path):
    done = run_sense(study(tmp_path, "  start_life: [9, 15]\n", games=64), tmp_path / "out", jobs=1)
    assert (done.indices, done.spreads) == ((), {})
    assert {(each.factor.levels[each.factor.base], each.level) for each in done.effects} == {("9", "15")}
    assert sensitivity.indices_table(done) == []


def test_factors_are_what_a_study_lists(tmp_path):
    text = (
        "game: viking\nseats: [2, 3]\npolicies: [[trailing, keep...], [keep...]]\n"
        "knobs: {start_life: [15, 12]}\nzip: {dice: [2, 3], sides: [10, 6]}\n"
    )
    factors, grid = factors_of(study(tmp_path, text=text))
    assert [(each.name, each.levels, each.base) for each in factors] == [
        ("seats", ("2", "3"), 0),
        ("policies", ("trailing, keep...", "keep..."), 0),
        ("start_life", ("15", "12"), 1),
        ("dice & sides", ("2 & 10", "3 & 6"), 1),
    ]
    assert set(grid) == set(product(range(2), repeat=4))
    assert grid[1, 0, 0, 1].titles == ("trailing", "keep", "keep")


def test_parts_are_taken_by_name(tmp_path):
    text = (
        "game: viking\npolicies: [keep]\nstudies:\n  short: {knobs: {start_life: [1, 2]}}\n"
        "  long: {seats: [2, 3], knobs: {start_life: [8, 9]}}\n"
    )
    plan = study(tmp_path, text=text)
    assert [each.name for each in factors_of(part_of(plan, "long"))[0]] == ["seats", "start_life"]
    with pytest.raises(BadInput, match=r"6 of the 8 combinations of seats \(2\), start_life \(4\).*\(short, long\)"):
        factors_of(plan)
    with pytest.raises(BadInput, match="'shrt' is not a part; did you mean 'short'"):
        part_of(plan, "shrt")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("game: viking\npolicies: [keep]\n", "nothing varies"),
        ("game: viking\npolicies: [keep]\nseed: [1, 2]\n", "seed is 1, 2: all cells must share their luck"),
        ("game: viking\npolicies: [keep]\nseats: [2, 3]\ngames: 20\n", "20 games a cell are too few"),
        ("game: viking\npolicies: [keep]\nzip: {seats: [2, 3], games: [100, 200]}\n", "games is 100, 200"),
        (
            "policies: [random]\nstudies: {a: {game: viking}, b: {game: vices, seats: 3}}\n",
            "game is viking, vices: figures of different games",
        ),
    ],
)
def test_studies_that_cannot_be_used(text, line, tmp_path):
    with pytest.raises(BadInput, match=line):
        run_sense(study(tmp_path, text=text), tmp_path / "out", jobs=1)
    assert not (tmp_path / "out").exists()


# Going on


def contents(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_groups_are_a_few_dozen_whatever_the_number_of_games():
    for games in (32, 33, 63, 64, 1000, 10**6, 10**12 - 1):
        size = sensitivity.group_size(games)
        assert size.bit_count() == 1
        assert 32 <= -(-games // size) <= 64


def test_going_on_gives_the_same_bytes_as_at_once(tmp_path):
    knobs = "  start_life: [9, 15]\n  heal: [face, none]\n"
    for games in (150, 1024):
        run_sense(study(tmp_path, knobs, games=games), tmp_path / "steps", jobs=1)
    done = run_sense(study(tmp_path, knobs, games=1024), tmp_path / "once", jobs=2)
    assert done.played == 4 * 1024
    assert contents(tmp_path / "steps") == contents(tmp_path / "once")
    assert run_sense(study(tmp_path, knobs, games=1024), tmp_path / "once", jobs=1).played == 0
    assert run_sense(study(tmp_path, knobs, games=500), tmp_path / "once", jobs=1).games == 1024


@pytest.mark.parametrize("flush", [0.0, 60.0])
def test_an_interruption_loses_nothing_that_was_played(flush, tmp_path, monkeypatch):
    class Impatient(Progress):
        told = 0

        def advance(self, plays):
            self.told += plays
            if self.told > 1500:
                raise KeyboardInterrupt

    monkeypatch.setattr(groups, "FLUSH_SECONDS", flush)
    plan, impatient = study(tmp_path, "  start_life: [9, 15]\n", games=1024), Impatient()
    with pytest.raises(KeyboardInterrupt):
        run_sense(plan, tmp_path / "broken", jobs=1, progress=impatient)
    assert run_sense(plan, tmp_path / "broken", jobs=1).played == 2048 - impatient.told
    run_sense(plan, tmp_path / "whole", jobs=1)
    assert contents(tmp_path / "broken") == contents(tmp_path / "whole")


def test_cells_that_already_have_more_games_are_told(tmp_path):
    run_sense(study(tmp_path, "  start_life: [9, 12]\n", games=64), tmp_path / "out", jobs=1)
    more = study(tmp_path, "  start_life: [9, 12, 15]\n", games=40)
    with pytest.raises(BadInput, match="more games of some cells than of others; ask for --games 64"):
        run_sense(more, tmp_path / "out", jobs=1)


def test_the_folder_of_a_sweep_is_left_alone(tmp_path):
    plan = study(tmp_path, "  start_life: [9, 12]\n", games=64)
    run_sweep(plan, tmp_path / "out", jobs=1)
    before = contents(tmp_path / "out")
    with pytest.raises(BadInput, match="needs a folder of its own"):
        run_sense(plan, tmp_path / "out", jobs=1)
    assert contents(tmp_path / "out") == before


def test_cells_are_those_of_a_sweep_and_groups_add_up_to_them(tmp_path):
    plan = study(tmp_path, "  start_life: [9, 12]\n", games=300)
    run_sense(plan, tmp_path / "out", jobs=1)
    run_sweep(plan, tmp_path / "sweep", jobs=1)
    ours = pq.read_table(tmp_path / "out" / "cells.parquet")
    assert ours.drop_columns("groups").to_pylist() == pq.read_table(tmp_path / "sweep" / "cells.parquet").to_pylist()
    for row in ours.to_pylist():
        sums = np.array([each["sums"] for each in row["groups"]]).sum(axis=0)
        assert sums.tolist() == [each[:2] for each in row["units"]]
        assert sensitivity.GroupStore(tmp_path).tally_of(row).tally.games == 300


# The picture


def test_the_picture_says_what_it_shows(three, tmp_path):
    done, _ = three
    draw(done, tmp_path / "tornado.png")
    assert (tmp_path / "tornado.png").read_bytes().startswith(b"\x89PNG")
    import matplotlib as mpl

    with mpl.rc_context({"svg.fonttype": "none"}):
        draw(done, tmp_path / "tornado.svg")
    drawn = (tmp_path / "tornado.svg").read_text()
    for text in (
        "n = 2,048 games at both ends of a bar", "from start_life 12, reroll_order open, heal face", "start_life 15",
        "heal none", "duels (from ", "difference, % points", "difference, duels", "±",
    ):  # fmt: skip
        assert text in drawn
    assert "unfinished" not in drawn


def test_a_panel_has_room_for_the_largest_steps_only(tmp_path, monkeypatch):
    monkeypatch.setattr(tornado, "BARS", 2)
    done = run_sense(study(tmp_path, "  start_life: [9, 12, 15, 20]\n", games=300), tmp_path / "out", jobs=1)
    import matplotlib as mpl

    with mpl.rc_context({"svg.fonttype": "none"}):
        draw(done, tmp_path / "tornado.svg")
    assert "; the largest 2 of 3)" in (tmp_path / "tornado.svg").read_text()


def test_without_the_extra_there_is_no_picture_and_nothing_is_left_behind(tmp_path, monkeypatch):
    done = run_sense(study(tmp_path, "  start_life: [9, 12]\n", games=64), tmp_path / "out", jobs=1)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    before = contents(tmp_path / "out")
    with pytest.raises(ImportError):
        draw(done, tmp_path / "out" / "tornado.png")
    assert contents(tmp_path / "out") == before


def test_from_the_command_line(tmp_path):
    (tmp_path / "study.yaml").write_text(
        "game: viking\ngames: 2000\nseats: 2\npolicies: [[threshold, keep]]\n"
        "knobs: {start_life: [6, 12], heal: [face, none]}\n"
    )
    said = lab("sense", tmp_path / "study.yaml", "--out", tmp_path / "out", "--jobs", "1")
    assert said.code == 0, said.err
    assert "what each knob explains" in said.out
    assert "one knob at a time" in said.out
    assert (tmp_path / "out" / "tornado.png").stat().st_size > 10_000
    again = lab("sense", tmp_path / "study.yaml", "--out", tmp_path / "out", "--jobs", "1")
    assert "nothing was missing" in again.out
    assert lab("sense", tmp_path / "study.yaml", "--part", "usual").code == 2


def test_a_long_level_leaves_room_for_the_bars():
    """A content pack's path may be longer than a picture is wide: its end is shown."""
    assert tornado._cut("/a/long/way/" * 9 + "my-pack.yaml") == "…" + ("/a/long/way/" * 9 + "my-pack.yaml")[-27:]
    assert tornado._cut(12) == "12"
