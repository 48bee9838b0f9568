"""`lab balance`: against exact answers, for any number of workers, on bad input, and what it keeps in memory."""

import json
import time
from functools import cache
from itertools import pairwise
from pathlib import Path
from subprocess import DEVNULL
from tempfile import TemporaryDirectory
from types import SimpleNamespace

import numba
import numpy as np
import pyarrow.parquet as pq
import pytest

from lab import balance_table, balancing, measures
from lab.balance_store import BalanceStore
from lab.balance_table import Jackknife
from lab.balancing import Measuring, Sums
from lab.runner import Progress
from lab.study import read_study
from sims.viking import exact
from tests.lab.common import cell
from tests.lab.test_cli import lab
from tests.lab.test_resume import Crash, Killed, parts, start

compiled = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="takes minutes without the compiler")
PAIR = (("threshold", 4), ("trailing", 4))
TWO = """
name: two
game: viking
games: 1000
seats: 2
policies: [[threshold, trailing]]
"""
THREE = TWO.replace("seats: 2", "seats: 3\nrotate_seats: true").replace("trailing", "trailing, keep")


@pytest.fixture
def quick(monkeypatch):
    """Curves that are fitted on little: what a test of the command needs no more of."""
    monkeypatch.setattr(balancing, "SEAT_ROWS", 6000)
    monkeypatch.setattr(balancing, "LEAST_FIT", 500)


@pytest.fixture
def study(tmp_path):
    path = tmp_path / "two.yaml"
    path.write_text(TWO)
    return path


@cache
def measured(games=3000):
    """Two seats, measured in this process: (plan, what was fitted, rows)."""
    of = cell(*(name for name, _ in PAIR))
    with TemporaryDirectory() as folder:
        done = Measuring(BalanceStore(Path(folder)), "two", of, games, 1, Progress()).measured()
    return done, balance_table.rows_of(done)


def figures(rows, name):
    return {row["of"]: row for row in rows if row["measure"] == name}


@cache
def exact_chances(cap=40):
    """[life of seat 0, life of seat 1] the chance of seat 0, with the reroll order that does not ask who is active."""
    law, value = exact.one_duel(PAIR), np.zeros((cap + 1, cap + 1))
    value[1:, 0] = 1
    inner = np.arange(1, cap + 1)
    for _ in range(120):
        new = value.copy()
        new[1:, 1:] = 0
        for (one, other), chance in law.items():
            rows, columns = (np.clip(inner + change, 0, cap) for change in (one, other))
            new[1:, 1:] += chance * value[np.ix_(rows, columns)]
        value = new
    return value


def test_exact_chances_start_where_the_solver_does():
    assert exact_chances()[12, 12] == pytest.approx(exact.solve(PAIR).win_share[0], abs=1e-6)


@compiled
def test_the_curve_against_exact_chances():
    """In the positions of games that it was not fitted on: 0.03 off in the mean, and 0.1 in one of twenty."""
    done, _ = measured()
    (match,) = balancing.seating.matches(done.plan.recipe, done.plan.prepared)
    seen = balancing.trace(match, done.plan.width, 50_000, 1000)
    on = ~seen.last
    chances = done.known.curve.chances(seen.sights[on], seen.turn[on], np.array(done.plan.kinds[0]))
    lives = np.minimum(seen.sights[on][:, :2], 40)
    off = np.abs(chances[:, 0] - exact_chances()[lives[:, 0], lives[:, 1]])
    assert off.mean() < 0.03
    assert np.quantile(off, 0.95) < 0.1


@compiled
def test_shares_plain_and_adjusted_hold_the_exact_ones():
    """Within 5 standard errors; and adjusting is worth something."""
    _, rows = measured()
    wanted = exact.solve(PAIR).win_share
    widths = {}
    for name in ("win share", "win share, adjusted"):
        for seat, row in enumerate(figures(rows, name).values()):
            half = (row["high"] - row["low"]) / 2
            assert abs(row["estimate"] - wanted[seat]) < 2.6 * half
            widths[name] = half
    assert widths["win share, adjusted"] < 0.8 * widths["win share"]
    worth = figures(rows, "worth of adjusting")["seat 0"]
    assert worth["low"] > 1.5
    assert worth["estimate"] == pytest.approx((widths["win share"] / widths["win share, adjusted"]) ** 2, rel=0.05)


@compiled
def test_scores_are_those_of_chances_that_mean_something():
    _, rows = measured()
    brier, skill = (figures(rows, f"Brier {name}")[""] for name in ("score", "skill"))
    assert 0 < skill["low"] < skill["estimate"] < 1
    assert brier["estimate"] == pytest.approx((1 - skill["estimate"]) * 0.5, rel=0.02)  # two seats, near enough level
    assert figures(rows, "surprise")[""]["estimate"] > 0.5  # a chance of about a half must go to one or the other


@compiled
def test_every_measure_is_defined_and_sourced_once(tmp_path):
    done, rows = measured()
    assert len({(row["measure"], row["of"]) for row in rows}) == len(rows)
    assert all(row["low"] <= row["estimate"] <= row["high"] for row in rows)
    assert {row["definition"] for row in rows} <= {each.help for each in measures.ALL.values()}
    balance_table.write(tmp_path, rows, balance_table.curve_rows(done))
    curves = pq.read_table(tmp_path / "curves.parquet").to_pylist()
    fan = [row for row in curves if row["kind"] == "winner"]
    assert [row["place"] for row in fan] == pytest.approx([k / 20 for k in range(21)])
    assert fan[-1]["estimate"] > 0.99
    assert all(row["q10"] <= row["q50"] <= row["q90"] for row in fan)
    reliability = [row for row in curves if row["kind"] == "reliability"]
    assert all(abs(row["place"] - row["estimate"]) < 0.08 for row in reliability if row["n"] > 500)


# Luck and skill


def sums_of(outcome):
    """outcome: [rotation, game, seat]"""
    squares = (outcome**2).sum()
    same = np.array([(outcome.sum(axis=0) ** 2).sum() - squares, squares])
    nothing = np.zeros(0)
    return Sums(outcome.shape[1], {}, outcome.sum(axis=1), same, nothing, nothing, nothing)


def outcomes(winner):
    """[rotation, game, seat] of [rotation, game] winners."""
    return np.eye(3)[winner]


RNG = np.random.default_rng(1)


@pytest.mark.parametrize(
    ("winner", "policy", "seat", "luck"),
    [
        (np.tile(RNG.integers(0, 3, 9000), (3, 1)), 0, 0, 1),  # the luck of a game favours a seat, whoever sits there
        (np.array([[0] * 9, [1] * 9, [2] * 9]), 1, 0, 0),  # entry 0 wins wherever it sits
        (np.full((3, 9), 2), 0, 1, 0),  # seat 2 wins
        (RNG.integers(0, 3, (3, 90_000)), 0, 0, 0),  # nothing holds from one rotation to the next
    ],
    ids=["luck", "policy", "seat", "noise"],
)
def test_parts_of_the_outcome(winner, policy, seat, luck):
    assert balance_table._parts(sums_of(outcomes(winner))) == pytest.approx((policy, seat, luck), abs=0.02)


def test_the_jackknife_of_a_mean_is_its_standard_error():
    values = RNG.normal(size=50)
    groups = [Sums(1, {("x", ""): balancing._sums(np.array([v]), np.ones(1))}, *[np.zeros(0)] * 5) for v in values]
    found = Jackknife(groups)(lambda sums: sums.units["x", ""][1] / sums.games)
    assert found.estimate == pytest.approx(values.mean())
    half = balance_table.student(49) * values.std(ddof=1) / np.sqrt(50)
    assert found.high - found.estimate == pytest.approx(half)


# What it keeps


@pytest.mark.parametrize("games", [200, 2000, 50_000, 3_000_000])
def test_memory_does_not_grow_with_the_number_of_games(games):
    blocks = list(balancing._blocks(100, games))
    assert blocks[0][0] == 100
    assert all(one[1] == other[0] for one, other in pairwise(blocks))
    assert blocks[-1][1] == 100 + games
    assert max(end - first for first, end in blocks) <= balancing.BLOCK
    done = balancing.Measured(*[SimpleNamespace()] * 3, fitted_on=1)
    for number in range(len(blocks)):
        done.take(number, sums_of(np.zeros((1, 1, 2))))
    assert len(done.groups) <= balancing.GROUPS


@compiled
def test_few_rows_are_kept_to_fit_on():
    plan = balancing.plan_of(cell("threshold", "trailing", rotate_seats=True))
    found = balancing.sample(plan, 300, 0, 1000)
    assert len(found.turn) == 300
    assert found.wins.sum() == pytest.approx(2000)


# Whatever befalls it


class Counts(Progress):
    """How many plays it was told to expect, and saw."""

    def __init__(self):
        self.expected = self.seen = 0

    def start(self, plays):
        self.expected += plays

    def advance(self, plays):
        self.seen += plays


def tables(folder):
    return {name: (folder / name).read_bytes() for name in ("balance.parquet", "curves.parquet")}


def balanced(study, folder, games=300):
    """Plays that it took to measure what is not there yet."""
    told = Counts()
    balancing.balance(read_study(study), folder, games=games, jobs=1, progress=told)
    assert told.expected == told.seen
    assert not (folder / "parts").exists()
    return told.seen


@pytest.fixture
def undisturbed(study, tmp_path, quick):
    assert balanced(study, tmp_path / "undisturbed") == 800
    return tables(tmp_path / "undisturbed")


@compiled
@pytest.mark.parametrize(
    ("step", "left"),
    [
        (2, 800),  # before anything was written
        (3 * 10, 800 - 10 * 20),  # of 25 blocks of 20 games to fit on
        (3 * 25, 300),
        (3 * 25 + 3 * 6 + 1, 300 - 6 * 20),  # of 15 blocks of 20 games that are measured
        (3 * 40 + 3, 0),  # one of the cell's two tables is there
        (3 * 40 + 10, 0),  # its blocks are being deleted
        (3 * 42 + 40 + 4, 0),  # the cell is finished, the study is not
    ],
)
def test_killed_it_goes_on_where_it_stopped(study, tmp_path, monkeypatch, undisturbed, step, left):
    """A block is written in three steps."""
    folder = tmp_path / "out"
    with monkeypatch.context() as patch:
        Crash(patch, step)
        with pytest.raises(Killed):
            balancing.balance(read_study(study), folder, games=300, jobs=1)
    assert balanced(study, folder) == left
    assert tables(folder) == undisturbed
    assert balanced(study, folder) == 0
    assert tables(folder) == undisturbed


@compiled
@pytest.mark.parametrize(("kind", "damaged"), [("sample", 300 + 20), ("sums", 300 - 6 * 20 + 20)])
def test_a_damaged_block_is_played_again(study, tmp_path, monkeypatch, undisturbed, kind, damaged):
    folder = tmp_path / "out"
    with monkeypatch.context() as patch:
        Crash(patch, 3 * 25 + (3 * 6 if kind == "sums" else 0))
        with pytest.raises(Killed):
            balancing.balance(read_study(study), folder, games=300, jobs=1)
    parts(folder, kind)[0].write_bytes(b"PAR1 and then nothing")
    assert balanced(study, folder) == damaged
    assert tables(folder) == undisturbed


@compiled
def test_other_games_are_another_question(study, tmp_path, undisturbed):
    """And what was found before is still known."""
    folder = tmp_path / "undisturbed"
    assert balanced(study, folder, games=200) == 700
    assert tables(folder) != undisturbed
    assert balanced(study, folder) == 0
    assert tables(folder) == undisturbed


@pytest.mark.full
def test_killed_for_real(study, tmp_path):
    """SIGKILL, with two workers; nothing that was kept is played again."""
    folder, games = tmp_path / "out", 2000
    process = start(tmp_path, "balance", study, "--games", games, "--out", "out", "--jobs", 2, out=DEVNULL)
    end = time.monotonic() + 60
    while len(parts(folder, "sample")) < 5:
        assert time.monotonic() < end, "no blocks came"
        time.sleep(0.01)
    process.kill()
    process.wait(timeout=60)
    kept = sum(end - first for kind in ("sample", "sums") for path in parts(folder, kind)
               for first, end in [map(int, path.stem.split("-")[1:])])  # fmt: skip
    assert 4000 > kept >= 5 * 40
    assert balanced(study, folder, games) == 4000 - kept
    assert balanced(study, tmp_path / "direct", games) == 4000
    assert tables(folder) == tables(tmp_path / "direct")


# The command


@compiled
def test_the_same_bytes_for_any_number_of_workers(tmp_path, quick):
    path = tmp_path / "three.yaml"
    path.write_text(THREE)
    for jobs in (1, 2):
        said = lab("balance", path, "--games", 400, "--jobs", jobs, "--out", tmp_path / str(jobs), "-q")
        assert said.code == 0, said.err
    for name in ("balance.parquet", "curves.parquet"):
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes()
    rows = pq.read_table(tmp_path / "1" / "balance.parquet").to_pylist()
    shares = [figures(rows, f"{name} in the outcome")[""]["estimate"] for name in ("policy", "seat", "luck", "rest of")
              if name != "rest of"]  # fmt: skip
    assert sum(shares) + figures(rows, "rest of the outcome")[""]["estimate"] == pytest.approx(1)
    used = figures(rows, "option use")
    assert used["keep: reroll"]["estimate"] == 0
    assert used["threshold: attack"]["estimate"] == 1


@compiled
def test_what_is_printed(study, tmp_path, quick):
    said = lab("balance", study, "--games", 300, "--jobs", 1, "--out", tmp_path / "out")
    assert said.code == 0, said.err
    for words in ("comebacks", "adjusted %", "reroll all", "fitted on game numbers 0 to 499"):
        assert words in said.out
    said = lab("balance", study, "--games", 300, "--jobs", 1, "--out", tmp_path / "out", "--json")
    found = json.loads(said.out)
    assert found["study"] == "two"
    assert {row["measure"] for row in found["measures"]} >= {"game length", "drama", "Brier skill", "seed span"}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--games", 10], "--games 10: at least 200"),
        (["--games", "many"], "'many' is not a whole number"),
        (["--jobs", 0], "jobs"),
    ],
)
def test_bad_options(study, tmp_path, options, words):
    said = lab("balance", study, "--out", tmp_path / "out", *options)
    assert said.code == 2
    assert words in said.err
    assert not (tmp_path / "out" / "balance.parquet").exists()


def test_bad_input(tmp_path, study):
    said = lab("balance", tmp_path / "none.yaml")
    assert said.code == 2
    assert "none.yaml" in said.err
    (tmp_path / "file").write_text("")
    said = lab("balance", study, "--games", 300, "--out", tmp_path / "file" / "out")
    assert said.code == 2
    assert "cannot be written" in said.err


def test_a_cell_that_fails_is_named(tmp_path, quick):
    policy = tmp_path / "bad.py"
    policy.write_text("def bad(view, weights, prepared, action):\n    action[:] = -77\n")
    path = tmp_path / "bad.yaml"
    path.write_text(f"name: bad\ngame: viking\ngames: 100\nseats: 2\npolicies: [['{policy}:bad', keep]]\n")
    said = lab("balance", path, "--games", 200, "--jobs", 1, "--out", tmp_path / "out", "-q")
    assert said.code == 1
    assert "bad" in said.err
    assert "-77" in said.err


def test_the_folder_without_measures_is_named(tmp_path):
    with pytest.raises(balancing.BadInput, match="no balance measures there"):
        balance_table.read(tmp_path)


def test_players_that_are_all_alike_are_not_rotated():
    """Rotating them changes nothing, so a game number is played once."""
    plan = balancing.plan_of(cell("keep", seats=3, rotate_seats=True))
    assert plan.recipe.rotations == 1
    assert plan.kinds == ((0, 0, 0),)
    assert balancing.plan_of(cell("keep", "threshold", rotate_seats=True)).kinds == ((0, 1), (1, 0))


@compiled
def test_a_report_shows_measures_where_there_are_some(study, tmp_path, quick, capsys, monkeypatch):
    import lab as api
    from lab import report

    monkeypatch.setenv("MPLBACKEND", "Agg")
    said = lab("sweep", study, "--games", 100, "--out", tmp_path / "out", "-q")
    assert said.code == 0, said.err
    report.balance(api.load(tmp_path / "out"))
    assert capsys.readouterr().out == ""
    table = api.balance(study, games=300, out=tmp_path / "out", jobs=1, progress=False)
    assert {"cell", "measure", "of", "estimate", "low", "high", "definition"} <= set(table)
    report.balance(api.load(tmp_path / "out"))
    told = capsys.readouterr().out
    for words in ("## Balance", "The winner's chance as the game goes on", "comebacks", "at half of its turns"):
        assert words in told
