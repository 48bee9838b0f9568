"""Vices & Vengeance from the command line."""

import csv
import io
import json

import pytest

from tests.lab.test_cli import lab

COLUMNS = [
    *("winner", "rounds", "turns", "rolls", "exact_win", "anyone_exact", "first_seat"),
    *("total_0", "total_1", "total_2", "start_sin_0", "start_sin_1", "start_sin_2"),
    *("sin_matches_0", "sin_matches_1", "sin_matches_2", "nemesis_matches_0", "nemesis_matches_1", "nemesis_matches_2"),
    *("sins_destroyed", "nemesis_destroyed", "tie_breaks", "unfinished", "ending"),
]
KNOBS = {
    *("house_seats", "target", "exact_wins", "exact_bust", "final_round", "penalty_dice", "nemesis_sides", "sins"),
    *("stolen_match", "stealing", "envy_optional", "no_nemesis", "bullet_upright", "max_rounds"),
}


def run(*options):
    said = lab("run", "vices", *options, "--games", "200", "--json")
    assert said.code == 0, said.err
    return json.loads(said.out)


def test_the_results_columns_are_those_of_the_rulings():
    found = run("--policy", "zeros")
    assert found["seats"] == 3  # the fewest without house seats
    assert list(found["metrics"]) == COLUMNS
    assert set(found["knobs"]) >= KNOBS
    assert found["knobs"]["sins"] == ["lust", "gluttony", "greed", "sloth", "wrath", "envy", "pride"]
    assert sum(each["estimate"] for each in found["win_share"]) == pytest.approx(1)


def test_sets_of_sins():
    assert run("--policy", "zeros", "--set", "sins=greed,lust")["knobs"]["sins"] == ["lust", "greed"]
    without = run("--policy", "zeros", "--set", "sins=none")
    assert without["knobs"]["sins"] == []
    assert without["metrics"]["sins_destroyed"]["mean"] == 0


@pytest.mark.parametrize("seats", ["2", "7"])
def test_house_seats_need_their_knob(seats):
    options = ["run", "vices", "--policy", "zeros", "--seats", seats, "--games", "50"]
    said = lab(*options)
    assert said.code == 2
    assert f"{seats} seats, which vices plays only with house_seats: true (without: 3, 4, 5, 6)" in said.err
    assert lab(*options, "--set", "house_seats=true").code == 0


def test_two_policies_are_two_house_seats():
    options = ["run", "vices", "--policy", "zeros", "--policy", "random", "--games", "50"]
    said = lab(*options)
    assert said.code == 2
    assert "house_seats: true" in said.err
    assert (
        lab(
            "run", "vices", "--policy", "zeros", "--policy", "random", "--games", "50", "--set", "house_seats=true"
        ).code
        == 0
    )


def test_house_seats_in_a_study(tmp_path):
    study = tmp_path / "study.yaml"
    study.write_text("game: vices\ngames: 20\nseats: [3, 7]\npolicies: zeros\n")
    said = lab("sweep", study, "--out", tmp_path / "out")
    assert said.code == 2
    assert "study.yaml:3" in said.err
    assert "7 seats, which vices plays only with house_seats: true" in said.err
    assert not (tmp_path / "out").exists()
    study.write_text(study.read_text() + "knobs: {house_seats: true}\n")
    assert lab("sweep", study, "--out", tmp_path / "out", "--jobs", "1").code == 0


def test_the_fact_sheet_names_house_seats_and_a_new_study_runs(tmp_path):
    assert "seats 3, 4, 5, 6 (2, 7 with house_seats)" in lab("game", "vices").out
    study = tmp_path / "new.yaml"
    study.write_text(lab("new", "vices").out)
    said = lab("sweep", study, "--games", "20", "--out", tmp_path / "out", "--jobs", "1")
    assert said.code == 0, said.err


def test_a_game_in_words():
    said = lab("replay", "vices", "--policy", "zeros", "--game", "1")
    assert said.code == 0
    assert "The turn is over." in said.out
    assert "wins." in said.out


TWICE = """
game: vices
games: 300
seats: 3
policies: [[zeros...], [bank_all, zeros...]]
studies:
  usual: {}
  sins: {knobs: {sins: [[lust, gluttony, greed, sloth, wrath, envy, pride], [lust, greed], []]}}
"""


@pytest.fixture(scope="module")
def swept(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sins")
    (folder / "study.yaml").write_text(TWICE)
    assert lab("sweep", folder / "study.yaml", "--out", folder / "out", "--jobs", "1").code == 0
    return folder / "out"


def shown(*options):
    said = lab("show", *options, "--csv")
    assert said.code == 0, said.err
    return list(csv.DictReader(io.StringIO(said.out)))


def test_cells_are_picked_by_line_ups_and_sets_as_one_types_them(swept):
    [row] = shown(swept, "--where", "policies=bank_all, zeros x2,sins=lust, greed")
    assert row["games"] == "300"
    assert len(shown(swept, "--where", "sins=none")) == 2
    said = lab("show", swept, "--where", "policies=bank_all, zeros x3")
    assert said.code == 2
    assert "did you mean 'bank_all, zeros ×2'" in said.err


def test_cells_that_parts_share_count_once(swept):
    """The usual rules stand in both parts: 2 + 6 cells, 6 different ones."""
    rows = shown(swept, "--by", "policies")
    assert [(row["cells"], row["games"]) for row in rows] == [("3", "900")] * 2
    assert len(shown(swept, "--by", "part,policies")) == 4


def test_a_study_is_not_a_table_of_results(tmp_path):
    study = tmp_path / "study.yaml"
    study.write_text(TWICE)
    said = lab("show", study)
    assert said.code == 2
    assert "no results there" in said.err
