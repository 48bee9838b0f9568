"""Columns that may be negative: `Column.lowest` says how far down, and one less is "not defined".

The game `signed` exists here only: Viking Dice with one more column, `swing`, which is whatever a test wants it to be.
"""

import csv
import io
import json
from dataclasses import replace

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats

from lab import catalogue, results
from lab.cell import Cell, Entry
from lab.clauses import read_clause
from lab.errors import BadInput
from lab.estimate import summarise
from lab.pairs import differences, play_pair, quantities
from lab.report import facts, findings
from lab.sense import sense
from lab.store import SCHEMA, row_of, tally_of, write_rows
from lab.study import read_study
from lab.tally import BINS, tally_and_rows, tally_block
from lab.telling import telling_games
from lab.verdicts import Verdict, measure
from sims.core.document import Given
from sims.core.game import Column
from tests.lab.common import matches, sheet
from tests.lab.test_cli import lab, says

VIKING = catalogue.game("viking")
FEW = [-17, -16, -1, 0, 1, 40, -16, -2, -3, -5, -1]
"""Values of a column whose lowest is -16, the undefined one among them."""


def signed(values, lowest):
    """The game. Its column depends on the game number and on who has won, so that rotations differ."""
    given = np.array(values, np.int32)

    class Table(VIKING.table):
        def record(self, lanes, rows):
            numbers = self.game[lanes].astype(np.int64)
            super().record(lanes, rows)
            rows[: lanes.size, -1] = given[(numbers + rows[: lanes.size, 0]) % given.size]

    def columns(seats, knobs):
        swing = Column("swing", "What the test says.", "points", headline=True, lowest=lowest)
        return (*VIKING.columns(seats, knobs), swing)

    return replace(VIKING, name="signed", columns=columns, table=Table)


@pytest.fixture
def plays(monkeypatch):
    """`plays(values, lowest)`: from now on the game has this column."""
    game, names = catalogue.game, catalogue.game_names()
    monkeypatch.setattr(catalogue, "game_names", lambda: (*names, "signed"))

    def plays(values, lowest):
        made = signed(values, lowest)
        monkeypatch.setattr(catalogue, "game", lambda name: made if name == "signed" else game(name))

    return plays


def cell(*names, knobs=None, **options):
    lineup = tuple(Entry(name, catalogue.policy("viking", name).weights()) for name in names)
    return Cell("signed", len(names), lineup, VIKING.knobs(**knobs or {}), **options)


def swings(of, games):
    """[game, rotation] the column."""
    return tally_and_rows(matches(of), 0, games)[1][:, :, -1].astype(np.int64)


def same(one, other):
    kept = ("counts", "above", "units", "crossed", "lowest")
    return all((getattr(one, name) == getattr(other, name)).all() for name in kept) and one.games == other.games


# The same by plain NumPy


def moments(values, lowest):
    """n, mean, sd, half-width of [game, rotation]: a ratio of sums over games (Cochran), Student's."""
    is_defined = values >= lowest
    known, n = values[is_defined].astype(float), len(values)
    if known.size == 0:
        return 0, np.nan, np.nan, np.nan
    m = is_defined.sum(axis=1)
    mean, sd = known.mean(), known.std(ddof=1) if known.size > 1 else np.nan
    residuals = np.where(is_defined, values - mean, 0).sum(axis=1)
    half = stats.t.ppf(0.975, n - 1) * np.sqrt((residuals**2).sum() * n / (n - 1)) / m.sum()
    return known.size, mean, sd, half


def unit_sums(values, lowest):
    """Sums over games of m, u, u*u, u*m, m*m, in Python's integers."""
    units = [[each for each in line if each >= lowest] for line in values.tolist()]
    pairs = [(len(unit), sum(unit)) for unit in units]
    return [
        sum(m for m, _ in pairs), sum(u for _, u in pairs), sum(u * u for _, u in pairs),
        sum(u * m for m, u in pairs), sum(m * m for m, _ in pairs),
    ]  # fmt: skip


def histogram(values, lowest):
    """{value: plays}, and [number, sum, sum of squares] of those beyond."""
    beyond = [each for each in values.ravel().tolist() if each >= lowest - 1 + BINS]
    kept, counts = np.unique(values[values < lowest - 1 + BINS], return_counts=True)
    above = [len(beyond), sum(beyond), sum(each * each for each in beyond)]
    return dict(zip(kept.tolist(), counts.tolist(), strict=True)), above


OFFSETS = st.one_of(st.integers(-1, 3), st.integers(-1, 60), st.integers(BINS - 3, BINS + 3), st.just(10**6))


@settings(max_examples=40, deadline=None, derandomize=True, database=None)
@given(lowest=st.integers(-70, 4), offsets=st.lists(OFFSETS, min_size=1, max_size=25), rotate=st.booleans())
@example(lowest=-16, offsets=[0], rotate=False)
@example(lowest=-16, offsets=[-1], rotate=True)
@example(lowest=0, offsets=[-1, 0, 5], rotate=True)
@example(lowest=-70, offsets=[-1, BINS - 2, BINS - 1, 10**6], rotate=False)
def test_tally_figures_and_row_are_those_of_the_rows(tmp_path_factory, lowest, offsets, rotate):
    game, games = signed([lowest + each for each in offsets], lowest), 60
    of = cell("keep", "random", rotate_seats=rotate, knobs={"max_duels": 5})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(catalogue, "game", lambda name: game if name == "signed" else VIKING)
        tally, rows = tally_and_rows(matches(of), 0, games)
        values = rows[:, :, -1].astype(np.int64)
        wanted = [lowest + offsets[(g + mask) % len(offsets)] for g, line in enumerate(rows[:, :, 0]) for mask in line]
        assert values.ravel().tolist() == wanted

        counted, above = histogram(values, lowest)
        assert tally.histogram(rows.shape[2] - 1) == counted
        assert tally.above[-1].tolist() == above
        column = len(sheet(of)) - 1
        assert tally.units[column].tolist() == unit_sums(values, lowest)

        n, mean, sd, half = moments(values, lowest)
        metric = summarise(of, sheet(of), tally).metrics[column]
        assert metric.n == n
        found = [metric.mean, metric.sd, metric.high - metric.mean, metric.mean - metric.low]
        assert found == pytest.approx([mean, sd, half, half], rel=1e-7, abs=1e-7, nan_ok=True)

        path = tmp_path_factory.mktemp("signed") / "row.parquet"
        write_rows(path, [row_of(of, "c", game, tally)])
        [row] = pq.read_table(path, schema=SCHEMA).to_pylist()
        stored = row["metrics"][column]
        assert dict(zip(stored["values"], stored["counts"], strict=True)) == counted
        assert list(map(int, stored["above"])) == above
        assert list(map(int, row["units"][column])) == unit_sums(values, lowest)
        assert same(tally_of(row), tally)
        more = tally_block(matches(of), games, 40)
        assert same(tally_of(row) + more, tally_block(matches(of), 0, games + 40))

        plain = tally_block(matches(replace(of, game="viking")), 0, games)
        assert (plain.counts == tally.counts[:, :-1]).all()
        assert (plain.units == np.delete(tally.units, column, axis=0)).all()


# What people see


@pytest.mark.parametrize(("values", "lowest"), [(FEW, -16), ([-40, -40, 5000, 30], -40), ([-9], -8)])
def test_json(plays, values, lowest):
    plays(values, lowest)
    said = says("run", "signed", "--policy", "keep", "--policy", "random", "--games", 500, "--json")
    found, rows = json.loads(said), swings(cell("keep", "random"), 500)
    counted, above = histogram(rows, lowest)
    more = {"above": above[0]} if above[0] else {}
    assert found["histograms"]["swing"] == {str(value): n for value, n in counted.items()} | more
    n, mean, sd, half = (None if np.isnan(each) else each for each in moments(rows, lowest))
    metric = found["metrics"]["swing"]
    assert [metric[name] for name in ("n", "mean", "sd")] == pytest.approx([n, mean, sd])
    assert metric["high"] == (pytest.approx(mean + half) if n else None)
    plain = json.loads(says("run", "viking", "--policy", "keep", "--policy", "random", "--games", 500, "--json"))
    del found["metrics"]["swing"], found["histograms"]["swing"]
    changing = ("game", "seconds", "games_per_second")
    assert {name: found[name] for name in found if name not in changing} == {
        name: plain[name] for name in plain if name not in changing
    }


STUDY = """
name: swinging
game: signed
games: 400
keep_games: all
policies: [[keep, random]]
rotate_seats: true
knobs: {max_duels: [5, 6]}
"""


def test_a_sweep_that_goes_on_keeps_true_values(plays, tmp_path):
    """Parquet, kept games, what `lab show` prints, and what a report checks again."""
    plays(FEW, -16)
    (tmp_path / "s.yaml").write_text(STUDY, encoding="utf-8")
    for games in (150, 400):
        (tmp_path / "s.yaml").write_text(STUDY.replace("400", str(games)), encoding="utf-8")
        assert lab("sweep", tmp_path / "s.yaml", "--out", tmp_path / "out", "--jobs", 1).code == 0
    r = results.read(tmp_path / "out")
    assert len(r.cells) == 2
    for each, row in zip(read_study(tmp_path / "s.yaml").cells, r.cells["row"], strict=True):
        values = swings(each, 400)
        assert (r.plays(row["cell"])["swing"] == values.ravel()).all()
        [metric] = [metric for metric in row["metrics"] if metric["column"] == "swing"]
        assert dict(zip(metric["values"], metric["counts"], strict=True)) == histogram(values, -16)[0]
        n, mean, sd, half = moments(values, -16)
        assert [metric["n"], metric["mean"], metric["sd"]] == pytest.approx([n, mean, sd])
        assert metric["high"] - metric["mean"] == pytest.approx(half, rel=1e-3)
    known = np.sort(values[values >= -16])
    *_, line = csv.DictReader(io.StringIO(says("show", tmp_path / "out", "--column", "swing", "--csv")))
    assert line["n"] == str(known.size)
    for q in (5, 50, 95):
        assert line[f"{q}_%"] == str(known[int(np.ceil(known.size * q / 100)) - 1])
    for check in (facts._means(r), facts._histograms(r), *facts._again(r)):
        assert check.holds, check
    [told] = [each for each in findings.quantities(r.cells) if each.name == "swing"]
    assert told.figures["estimate"].iloc[-1] == pytest.approx(mean)
    assert not told.percent


def test_zeros_and_ones_with_something_below_are_no_share_of_games(plays):
    """What counts games is 0 or 1; -1 says "not defined" in other columns, but is a value here."""
    for values, percent in (([-2, 0, 1], True), ([-1, 0, 1], False)):
        plays(values, -1)
        of = cell("keep", "random", games=50)
        row = row_of(of, "c", catalogue.game("signed"), tally_block(matches(of), 0, 50))
        assert findings._is_yes_or_no(results.table_of([row]), Column("swing", "", "games", lowest=-1)) == percent


def test_sensitivity(plays, tmp_path):
    """A step's difference is that of the means, and groups of games add up to the cells."""
    plays(FEW, -16)
    (tmp_path / "s.yaml").write_text(STUDY.replace("keep_games: all\n", ""), encoding="utf-8")
    found = sense(read_study(tmp_path / "s.yaml"), tmp_path / "out", jobs=1)
    [step] = [each.change for each in found.effects if each.measure.name == "swing"]
    means = [moments(swings(each, 400), -16)[1] for each in read_study(tmp_path / "s.yaml").cells]
    assert sorted([step.first, step.second]) == pytest.approx(sorted(means))
    assert abs(step.difference) == pytest.approx(abs(means[1] - means[0]))


def test_a_comparison(plays):
    plays(FEW, -16)
    first, second = (cell("keep", name, rotate_seats=True) for name in ("random", "threshold"))
    tally = play_pair(matches(first), matches(second), 0, 300)
    names = quantities(matches(first), matches(second))
    [found] = [each for each in differences(tally, names, paired=True) if each.quantity == "swing"]
    one, other = (swings(each, 300) for each in (first, second))
    means = [moments(each, -16)[1] for each in (one, other)]
    assert [found.first, found.second] == pytest.approx(means)
    assert found.difference == pytest.approx(means[1] - means[0])
    residuals = [
        np.where(each >= -16, each - mean, 0).sum(axis=1) * 300 / (each >= -16).sum()
        for each, mean in zip((one, other), means, strict=True)
    ]
    half = stats.t.ppf(0.975, 299) * np.std(residuals[1] - residuals[0], ddof=1) / np.sqrt(300)
    assert found.high - found.difference == pytest.approx(half)


def verdict(text):
    return Verdict(cell("keep", "random", games=2000), read_clause(Given(text)), 0.05)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("swing < 0", lambda known, values: known.mean()),
        ("share(swing = -1) < 1", lambda known, values: (known == -1).mean()),
        ("share(swing < 0) < 1", lambda known, values: (known < 0).mean()),
        ("share(swing >= -5) < 1", lambda known, values: (known >= -5).mean()),
        ("share(swing = -17) < 1", lambda known, values: (values == -17).mean()),
        ("share(swing != -17) < 1", lambda known, values: (values != -17).mean()),
        ("median(swing) < 0", lambda known, values: np.sort(known)[int(np.ceil(known.size / 2)) - 1]),
        ("p90(swing) < 0", lambda known, values: np.sort(known)[int(np.ceil(0.9 * known.size)) - 1]),
    ],
)
def test_clauses(plays, text, wanted):
    plays(FEW, -16)
    asked = verdict(text)
    values = swings(asked.cell, 2000)
    [figure] = measure(asked, tally_block(matches(asked.cell), 0, 2000))
    assert figure.value.estimate == pytest.approx(wanted(values[values >= -16], values))
    assert figure.value.low < figure.value.estimate < figure.value.high or text.startswith(("median", "p90"))


def test_a_mean_of_zeros_and_ones_may_still_be_negative(plays):
    """No share, whose bounds are 0 and 1: -1 has not been seen yet."""
    plays([0, 1], -1)
    [figure] = measure(verdict("swing < 0.5"), tally_block(matches(cell("keep", "random")), 0, 2000))
    assert figure.asymptotic


def test_a_quantile_beyond_the_histogram_is_at_least_its_end(plays):
    plays([9000], -16)
    [figure] = measure(verdict("median(swing) < 0"), tally_block(matches(cell("keep", "random")), 0, 2000))
    assert figure.value.estimate == figure.value.low == -17 + BINS


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("share(swing = -18) < 1", "compares with -18; a share is of values -16 to 4,079, or = -17: not defined"),
        ("share(swing < -17) < 1", "values -16 to 4,079"),
        ("share(swing = 4080) < 1", "values -16 to 4,079"),
        ("share(duels = -2) < 1", "values 0 to 4,095, or = -1: not defined"),
    ],
)
def test_values_that_no_share_is_of(plays, tmp_path, text, line):
    plays(FEW, -16)
    (tmp_path / "s.yaml").write_text(f"game: signed\npolicies: [[keep, random]]\nexpect:\n  - {text}\n")
    with pytest.raises(BadInput, match=r"s\.yaml:4") as caught:
        read_study(tmp_path / "s.yaml")
    assert line in str(caught.value)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("swing < 0", ["lowest: swing -16", "typical: swing -1", "highest: swing 40"]),
        ("share(swing < -3) < 1", {"swing -16", "swing -5"}),
        ("share(swing = -17) < 1", {"swing -17"}),
    ],
)
def test_games_to_look_at(plays, text, told):
    """Those in which it is not defined count for what is asked of it, and are not lower than others."""
    plays(FEW, -16)
    found = [each.why for each in telling_games(verdict(text))]
    assert found == told if isinstance(told, list) else found and set(found) <= told


def test_the_fact_sheet_says_what_it_counts_from(plays):
    plays(FEW, -16)
    said = " ".join(says("game", "signed").split())
    assert "points, from -16 on; -17: not defined" in said
    assert "from 0 on" not in said
