"""Comparisons: two variants on the same luck, differences with intervals, cells paired by what their studies share."""

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import t

from lab import catalogue
from lab.cell import Cell, Entry
from lab.comparison import SCHEMA, pair_of, pair_up
from lab.errors import BadInput
from lab.pairs import differences, play_pair, quantities
from lab.store import read_rows
from lab.tally import tally_and_rows
from tests.lab import common
from tests.lab.test_cli import lab


def cells(*, lineup=("threshold", "keep"), knobs=None, other=None, **options):
    first = common.cell(*lineup, rotate_seats=True, knobs=knobs, **options)
    return first, replace(first, knobs=type(first.knobs)(**(knobs or {}) | (other or {})))


def found(first, second, games=2000, paired=True):
    one, two = common.matches(first), common.matches(second)
    tally = play_pair(one, two, 0, games)
    return {each.quantity: each for each in differences(tally, quantities(one, two), paired=paired)}


def values_of(cell, games, column):
    """[game, rotation]"""
    matches = common.matches(cell)
    _, rows = tally_and_rows(matches, 0, games)
    return rows[:, :, matches[0].columns.index(column) + 1]


def test_a_difference_is_that_of_the_means_and_its_error_that_of_the_games():
    """A second method: the differences of the games' means, as a plain sample."""
    first, second = cells(other={"start_life": 9})
    for column in ("duels", "rerolls", "life_0"):
        a, b = (values_of(cell, 2000, column).mean(axis=1) for cell in (first, second))
        got = found(first, second)[column]
        half = t.ppf(0.975, 1999) * np.std(b - a, ddof=1) / np.sqrt(2000)
        assert got.difference == pytest.approx((b - a).mean())
        assert got.high - got.difference == pytest.approx(half)
        assert got.difference - got.low == pytest.approx(half)
        assert (got.first, got.second) == (pytest.approx(a.mean()), pytest.approx(b.mean()))
        unpaired = np.var(a, ddof=1) + np.var(b, ddof=1)
        assert got.worth == pytest.approx(unpaired / np.var(b - a, ddof=1))
        alone = found(first, second, paired=False)[column]
        assert alone.high - alone.difference == pytest.approx(t.ppf(0.975, 1999) * np.sqrt(unpaired / 2000))
        assert np.isnan(alone.worth)


def test_wins_are_shared_out_by_seat_and_by_entry():
    first, second = cells(lineup=("threshold", "keep", "keep"), other={"reroll_order": "simultaneous"})
    got = found(first, second)
    winner = {cell: values_of(cell, 2000, "winner") for cell in (first, second)}
    for place in range(3):
        by_seat = [(winner[cell] == place).mean() for cell in (first, second)]
        by_entry = [(winner[cell] == (place + np.arange(3)) % 3).mean() for cell in (first, second)]
        assert (got[f"win_share seat {place}"].first, got[f"win_share seat {place}"].second) == tuple(
            pytest.approx(each) for each in by_seat
        )
        assert got[f"win_share entry {place}"].difference == pytest.approx(by_entry[1] - by_entry[0])


def test_of_a_category_shares_are_compared_and_of_a_seat_nothing():
    first, second = cells(other={"start_life": 9})
    got = found(first, second)
    assert not got.keys() & {"ending", "winner"}
    for value, label in enumerate(catalogue.game("viking").columns(2, first.knobs)[-1].labels):
        a, b = ((values_of(cell, 2000, "ending") == value).mean(axis=1) for cell in (first, second))
        each = got[f"ending[{label}]"]
        assert (each.first, each.second) == (pytest.approx(a.mean()), pytest.approx(b.mean()))
        half = t.ppf(0.975, 1999) * np.std(b - a, ddof=1) / np.sqrt(2000)
        assert each.high - each.difference == pytest.approx(half)


def test_a_column_that_is_not_always_defined_is_a_ratio():
    """Places are -1 in unfinished games: the jackknife gives the same error, nearly."""
    first, second = cells(knobs={"max_duels": 8}, other={"start_life": 11})
    games, parts = 2000, {}
    for cell in (first, second):
        values = values_of(cell, games, "place_0")
        parts[cell] = np.where(values >= 0, values, 0).sum(axis=1), (values >= 0).sum(axis=1)
    got = found(first, second)["place_0"]

    def ratio(cell, out=None):
        u, m = parts[cell]
        return (u.sum() - (0 if out is None else u)) / (m.sum() - (0 if out is None else m))

    left_out = ratio(second, True) - ratio(first, True)
    error = np.sqrt((games - 1) / games * ((left_out - left_out.mean()) ** 2).sum())
    assert got.difference == pytest.approx(ratio(second) - ratio(first))
    assert got.high - got.difference == pytest.approx(t.ppf(0.975, games - 1) * error, rel=0.01)


def test_a_variant_against_itself_differs_by_exactly_nothing():
    first, second = cells()
    for each in found(first, second).values():
        assert (each.difference, each.low, each.high) == (0, 0, 0)


def test_blocks_add_up():
    one, two = (common.matches(cell) for cell in cells(other={"heal": "none"}))
    whole = play_pair(one, two, 0, 700)
    parts = play_pair(one, two, 0, 300) + play_pair(one, two, 300, 400)
    assert parts.games == whole.games == 700
    assert (parts.sums == whole.sums).all()
    assert (parts.products == whole.products).all()


# Which cells belong together


def study(**options):
    seats, lives = options.pop("seats", [2, 3]), options.pop("lives", [12])
    return [
        common.cell("threshold", seats=n, knobs={"start_life": life} | options, games=100)
        for n in seats
        for life in lives
    ]


def test_cells_are_paired_by_what_the_studies_share():
    pairs, alone = pair_up(study(heal="face"), study(heal="none"))
    assert [(pair.first.seats, pair.second.seats, pair.varied) for pair in pairs] == [
        (2, 2, ("heal",)),
        (3, 3, ("heal",)),
    ]
    assert alone == []


def test_cells_without_a_partner_are_told():
    pairs, alone = pair_up(study(seats=[2, 3], heal="face"), study(seats=[3, 4], heal="none"))
    assert [pair.first.seats for pair in pairs] == [3]
    assert [cell.seats for cell in alone] == [2, 4]


def test_one_may_be_compared_with_several():
    pairs, alone = pair_up(study(lives=[12]), study(lives=[9, 15]))
    assert [pair.second.knobs.start_life for pair in pairs] == [9, 15, 9, 15]
    assert alone == []


def test_what_belongs_together_must_be_clear():
    with pytest.raises(BadInput, match="both studies vary what is compared"):
        pair_up(study(lives=[9, 10]), study(lives=[12, 15]))


def test_other_numbers_of_seats_are_not_paired():
    [pair], _ = pair_up(study(seats=[2]), study(seats=[3]))
    assert not pair.is_paired
    got = found(pair.first, pair.second, paired=pair.is_paired)
    assert set(got) >= {"duels", "win_share seat 1"}
    assert "life_2" not in got


def test_the_second_plays_on_the_first_s_luck_and_seats_rotate_where_policies_differ():
    one, other = common.cell("threshold", seed=5, games=70), common.cell("keep", seed=9, games=500)
    pair = pair_of(one, other)
    assert (pair.second.seed, pair.games, pair.first.rotate_seats) == (5, 70, False)
    assert pair_of(common.cell("threshold", "keep"), other).first.rotate_seats


def test_each_game_is_paired_with_itself():
    def vices(target):
        game = catalogue.game("vices")
        entry = Entry("zeros", game.policies["zeros"].weights())
        return Cell("vices", 3, (entry,) * 3, game.knobs(target=target), games=10)

    pairs, alone = pair_up([*study(heal="face"), vices(70)], [*study(heal="none"), vices(75)])
    assert [(pair.game, pair.varied) for pair in pairs] == [("viking", ("heal",))] * 2 + [("vices", ("target",))]
    assert alone == []
    with pytest.raises(BadInput, match="different games"):
        pair_up(study(heal="face"), [vices(70)])


# From the command line

A = "game: viking\ngames: 3000\nseats: [2, 3]\npolicies: [[threshold, keep...]]\nknobs: {heal: face}\n"
B = A.replace("face", "none")


def studies(path, a=A, b=B):
    (path / "a.yaml").write_text(a)
    (path / "b.yaml").write_text(b)
    return path / "a.yaml", path / "b.yaml"


def test_two_studies(tmp_path):
    ran = lab("compare", *studies(tmp_path), "--out", tmp_path / "out", "--jobs", "2")
    assert "no results there" in lab("show", tmp_path / "out").err  # of cells
    assert ran.code == 0, ran.err
    assert "heal face -> none; 3 seats, threshold, keep ×2; 3,000 games, seats rotated" in ran.out
    rows = read_rows(tmp_path / "out" / "comparisons.parquet")
    assert [row["games"] for row in rows] == [3000, 3000]
    assert set(rows[0]) == set(SCHEMA.names)


def test_going_on_gives_the_same_bytes_as_at_once(tmp_path):
    paths = studies(tmp_path)
    for games in ("1000", "2500", "3000"):
        assert lab("compare", *paths, "--out", tmp_path / "steps", "--games", games, "--jobs", "1").code == 0
    assert lab("compare", *paths, "--out", tmp_path / "once", "--jobs", "2").code == 0
    for name in ("comparisons.parquet", *(f"pairs/{path.name}" for path in (tmp_path / "once/pairs").iterdir())):
        assert (tmp_path / "steps" / name).read_bytes() == (tmp_path / "once" / name).read_bytes()


def test_cells_without_a_partner_end_with_2_and_the_others_are_compared(tmp_path):
    ran = lab("compare", *studies(tmp_path, b=B.replace("[2, 3]", "[3, 4]")), "--out", tmp_path / "out", "--jobs", "1")
    assert ran.code == 2
    assert "3 seats" in ran.out
    assert (
        "2 cells have no partner in the other study: 2 seats [threshold, keep]; 4 seats [threshold, keep ×3] heal none"
        in ran.err
    )


def test_a_game_with_settings(tmp_path):
    options = [
        "compare",
        "viking",
        "--policy",
        "threshold",
        "--set",
        "start_life=9",
        "--set",
        "heal=none",
        "--games",
        "500",
    ]
    ran = lab(*options, "--vs", "start_life=15", "--json", "--out", tmp_path, "--jobs", "1")
    [row] = json.loads(ran.out)
    assert (row["varied"], row["games"], row["paired"]) == (["start_life"], 500, True)
    assert (row["first"]["start_life"], row["second"]["start_life"], row["second"]["heal"]) == (9, 15, "none")
    duels = next(each for each in row["differences"] if each["quantity"] == "duels")
    assert duels["low"] < duels["difference"] < duels["high"]
    assert duels["difference"] > 0
    ran = lab(*options, "--vs-policy", "keep", "--out", tmp_path, "--jobs", "1")
    assert "policies threshold ×2 -> keep ×2" in ran.out


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["viking"], "--policy is missing"),
        (["viking", "-p", "keep", "--vs", "hael=none"], "--vs 'hael' is not a knob of viking; did you mean 'heal'"),
        (["viking", "-p", "keep", "--set", "dice=3", "--vs", "dice=99"], "--vs dice 99 is not a whole number"),
        (["viking", "viking", "viking"], "two studies or one game"),
        (["a.yaml", "b.yaml", "--vs", "heal=none"], "--vs"),
        (["a.yaml", "b.yaml"], "a.yaml"),
        (["viking", "-p", "keep", "--games", "0"], "--games"),
    ],
)
def test_mistakes(arguments, line, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ran = lab("compare", *arguments)
    assert ran.code == 2
    assert line in ran.err
    assert list(tmp_path.iterdir()) == []
