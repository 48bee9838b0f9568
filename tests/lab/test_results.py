"""What analysts read: figures from results, each with its interval."""

from statistics import NormalDist

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest

from lab import figures, results, tables
from lab.errors import BadInput
from tests.lab.test_cli import lab

mpl.use("Agg")

STUDY = """
game: viking
games: 500
seats: 2
keep_games: all
policies: [[threshold, keep], [keep, keep]]
knobs: {start_life: [6, 12]}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("study")
    (path / "study.yaml").write_text(STUDY)
    lab("sweep", path / "study.yaml", "--out", path / "out", "--jobs", "1")
    return path / "out"


@pytest.fixture
def cells(folder):
    return results.load(folder)


def test_a_table_of_cells(cells):
    assert list(cells.policies) == ["threshold, keep"] * 2 + ["keep ×2"] * 2
    assert list(cells.start_life) == [6, 12, 6, 12]
    assert set(cells.games) == {500}
    assert cells.index.is_unique


def test_win_shares_are_those_stored_and_add_to_one(cells):
    both = [results.win_share(cells, seat=seat) for seat in (0, 1)]
    assert np.allclose(both[0].estimate + both[1].estimate, 1)
    assert (both[0].low < both[0].estimate).all()
    assert (both[0].estimate < both[0].high).all()
    with pytest.raises(BadInput, match="whose share of wins"):
        results.win_share(cells)


def test_a_share_of_a_column_counts_plays(folder, cells):
    found = results.share(cells, "winner", 0)
    for cell, row in found.iterrows():
        wins = (results.plays(folder, cell).winner == 0).sum()
        exact = binomtest(int(wins), 500).proportion_ci(method="wilson")
        assert (row.hits, row.n) == (wins, 500)
        assert (row.estimate, row.low, row.high) == pytest.approx((wins / 500, exact.low, exact.high))
    several = results.share(cells, "winner", [0, 1])
    assert (several.estimate == 1).all()


def test_means_and_histograms_agree_with_the_plays(folder, cells):
    means, table = results.mean(cells, "duels"), results.counts(cells, "duels")
    for cell in cells.index:
        duels = results.plays(folder, cell).duels
        assert means.estimate[cell] == pytest.approx(duels.mean())
        assert means.sd[cell] == pytest.approx(duels.std())
        assert table.loc[cell][table.loc[cell] > 0].to_dict() == duels.value_counts().to_dict()


def test_mistakes_are_named(folder, cells, tmp_path):
    with pytest.raises(BadInput, match="'duel' is not a results column; did you mean 'duels'"):
        results.mean(cells, "duel")
    with pytest.raises(BadInput, match="keep_games"):
        results.plays(folder, "0" * 16)
    with pytest.raises(BadInput, match="rotated"):
        results.share(cells.assign(row=[row | {"rotate_seats": True} for row in cells.row]), "winner", 0)


def table(*rows):
    return pd.DataFrame(rows, columns=results.FIGURE)


def test_difference_is_newcombe_s():
    """56 of 70 minus 48 of 80: 0.0524 to 0.3339 (Newcombe, Statistics in Medicine 17, 1998, 873-890, table II)."""
    found = results.difference(table(results.wilson_of(56, 70)), table(results.wilson_of(48, 80))).iloc[0]
    assert found.estimate == pytest.approx(0.2)
    assert found.low == pytest.approx(0.0524, abs=5e-5)
    assert found.high == pytest.approx(0.3339, abs=5e-5)


def test_no_plays_say_nothing():
    estimate, low, high = results.wilson_of(0, 0)
    assert np.isnan(estimate)
    assert (low, high) == (0, 1)


def test_crossings_are_read_off_the_curve_and_its_band():
    """From 0.2 at 10 to 0.6 at 20: 0.4 at 15; the band of 0.1 either way crosses it 2.5 before and after."""
    rising = table((0.2, 0.1, 0.3), (0.6, 0.5, 0.7))
    assert results.crossings([10, 20], rising, 0.4) == [pytest.approx((15, 12.5, 17.5))]
    assert results.crossings([10, 20], rising, 0.9) == []
    peak = table((0.2, 0.1, 0.3), (0.6, 0.5, 0.7), (0.2, 0.1, 0.3))
    assert [round(x) for x, _, _ in results.crossings([10, 20, 30], peak, 0.4)] == [15, 25]
    noise = table((0.39, 0.3, 0.5), (0.41, 0.3, 0.5), (0.39, 0.3, 0.5), (0.42, 0.3, 0.5))
    [(estimate, low, high)] = results.crossings([1, 2, 3, 4], noise, 0.4)  # three times, and the band always holds it
    assert (low, high) == (1, 4)
    assert low < estimate < high


def test_pictures_show_estimates_and_intervals():
    drawn = table((0.2, 0.1, 0.3), (0.6, 0.5, 0.7))
    axes = figures.axes("title", "x", "y", percent="y")
    figures.curve(axes, [1, 2], drawn, "one")
    figures.curve(axes, [1, 2], drawn, "two", number=1)
    one, two = axes.lines
    assert one.get_ydata().tolist() == [0.2, 0.6]
    assert one.get_color() != two.get_color()
    assert one.get_marker() != two.get_marker()
    assert len(axes.collections) == 2
    axes = figures.axes(percent="x")
    figures.dots(axes, ["upper", "lower"], drawn)
    assert [label.get_text() for label in axes.get_yticklabels()] == ["upper", "lower"]
    assert axes.yaxis_inverted()
    bars = axes.collections[0].get_segments()
    assert [segment[:, 0].tolist() for segment in bars] == [pytest.approx([0.1, 0.3]), pytest.approx([0.5, 0.7])]


@pytest.mark.parametrize(("label", "below"), [("one", 0), ("won by who first played it, less a half", 1)])
def test_a_long_legend_stands_below_the_picture(label, below):
    axes = figures.axes()
    for number in range(2):
        figures.dots(axes, ["upper", "lower"], table((0.2, 0.1, 0.3), (0.6, 0.5, 0.7)), label, number=number, of=2)
    figures.legend(axes)
    assert len(axes.figure.legends) == below
    assert (axes.get_legend() is None) == bool(below)


def row(shares, plays=1000):
    return {"win_share": [{"estimate": e, "low": e - h, "high": e + h} for e, h in shares], "plays": plays}


def test_a_treatment_on_the_same_luck_is_paired_by_game():
    """By hand: gaps of the first value are +1/2, 0, 0, +1/2 (mean 1/4, standard deviation 1/sqrt(12)); two values need
    the quantile of 1 - 0.05 / 4."""
    found = results.treatment_on_same_luck({"a": pd.Series([1, 1, 0, 1]), "b": pd.Series([0, 1, 0, 0])})
    half = NormalDist().inv_cdf(1 - 0.05 / 4) * (1 / 12) ** 0.5 / 2
    assert found.n.tolist() == [4, 4]
    np.testing.assert_allclose(found.loc["a", results.FIGURE].astype(float), [0.25, 0.25 - half, 0.25 + half])
    np.testing.assert_allclose(found.estimate["b"], -0.25)


def test_a_treatment_is_the_gain_over_the_mean_of_all():
    """Four values, two seats each, half-widths 3 and 4 %: of an average 2.5 %; less the mean of four, 2.5 sqrt(3/4);
    for four at once times 2.497705 (the normal quantile at 1 - 0.05 / 8) over 1.959964."""
    gains = {0: 0.50, 1: 0.56, 2: 0.48, 3: 0.46}
    lines = [
        {"card": card, "seat": seat, "plays": 1000, "row": row([(share, half), (share, half)])}
        for card, share in gains.items()
        for seat, half in ((0, 0.03), (1, 0.04))
    ]
    found = results.treatment(pd.DataFrame(lines), "card", "seat")
    assert found.estimate.tolist() == pytest.approx([0, 0.06, -0.02, -0.04])
    assert (found.high - found.estimate).tolist() == pytest.approx(
        [0.025 * 0.75**0.5 * 2.497705 / 1.959964] * 4, rel=1e-5
    )
    assert found.n.tolist() == [2000] * 4


def test_shares_of_wins_by_category(cells):
    found = results.win_share_by(cells, "ending")
    by_label = found.xs(-2, level="seat").estimate.groupby("cell").sum()
    assert by_label.tolist() == pytest.approx([1] * 4)
    assert set(found.index.get_level_values("seat")) == {-2, 0, 1}
    with pytest.raises(BadInput, match="is not a category of these cells"):
        results.win_share_by(cells, "endings")


def test_tables_of_categories_and_of_ranks(folder):
    said = lab("show", folder, "--shares", "ending").out
    assert "of games %" in said
    assert said.count("threshold, keep") >= 2
    ranked = lab("show", folder, "--rank", "win_share[0]").out.splitlines()
    lines = [line.split("  ") for line in ranked if "±" in line and "keep" in line]
    values = [float(next(word for word in line if "±" in word).split("±")[0]) for line in lines]
    assert values == sorted(values, reverse=True)
    assert len(values) == 4
    for options, message in (
        (("--rank", "win_share[7]"), "'win_share[7]' is not a results column"),
        (("--rank", "duel"), "did you mean 'duels'?"),
        (("--shares", "order"), "'order' is not a category of these cells"),
        (("--rank", "duels", "--by", "seats"), "--rank and --by cannot be combined"),
        (("--rank", "duels", "--column", "duels"), "--column and --rank cannot be combined"),
    ):
        said = lab("show", folder, *options)
        assert said.code == 2
        assert message in said.err


def test_shares_by_category_are_not_mixed_over_numbers_of_seats():
    """Half of two seats and a third of three are not one figure; two cells of two seats are averaged."""

    def cell(name, seats, share):
        each = {"by": "order of play", "value": "first", "seat": -1, "n": 100}
        return {"cell": name, "seats": seats, "win_share_by": [each | {"estimate": share, "low": share, "high": share}]}

    lines = tables.crossed([cell("a", 2, 0.5), cell("b", 2, 0.6), cell("c", 3, 0.3)])
    assert [(line["seats"], line["n"], line["win share %"].estimate) for line in lines] == [
        (2, 200, 0.55),
        (3, 100, 0.3),
    ]
    assert "seats" not in tables.crossed([cell("a", 2, 0.5)])[0]
