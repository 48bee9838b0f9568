"""Studies that say how precise they want to be."""

import json

import pytest

import lab
from lab.errors import BadInput
from lab.sequences import looks
from lab.store import read_rows
from lab.study import read_study, with_games
from lab.sweeping import sweep
from tests.lab.test_resume import lab as command

STUDY = """
game: viking
seats: 2
policies: [[threshold, keep], [keep, keep]]
knobs: {start_life: 6}
until: [{win_share: 0.02}, {column: duels, half_width: 0.1}]
limit: 40_000
"""


def study(tmp_path, text=STUDY):
    path = tmp_path / "s.yaml"
    path.write_text(text, encoding="utf-8")
    return read_study(path)


def test_cells_stop_at_a_look_once_they_are_precise(tmp_path):
    done = sweep(study(tmp_path), tmp_path / "out", jobs=1)
    for row in done.rows:
        assert row["stopped"] == "reached"
        assert row["games"] == list(looks(40_000))[row["looks"] - 1]
        assert {each["goal"] for each in row["goals"]} == {"win_share ± 0.02", "duels ± 0.1"}
        assert len(row["goals"]) == 3
        for each in row["goals"]:
            half = max(each["high"] - each["estimate"], each["estimate"] - each["low"])
            assert half <= (0.1 if "duels" in each["figure"] else 0.02)
            assert each["asymptotic"] == ("duels" in each["figure"])
    even, uneven = done.rows[1]["games"], done.rows[0]["games"]
    assert even > uneven  # games go where they are needed: an even match is harder to tell
    assert read_rows(tmp_path / "out" / "cells.parquet") == done.rows


def test_the_same_bytes_for_any_number_of_workers_and_nothing_played_twice(tmp_path):
    plan = study(tmp_path)
    for jobs in (1, 2):
        sweep(plan, tmp_path / str(jobs), jobs=jobs)
    one, two = ((tmp_path / name / "cells.parquet").read_bytes() for name in "12")
    assert one == two
    assert sweep(plan, tmp_path / "1", jobs=1).played == 0
    assert (tmp_path / "1" / "cells.parquet").read_bytes() == one


def test_the_limit_and_verdicts(tmp_path):
    text = STUDY.replace("until: [{win_share: 0.02}", 'until: ["win_share[0] > 0.6"')
    done = sweep(study(tmp_path, text.replace("half_width: 0.1", "half_width: 0.001")), tmp_path / "out", jobs=1)
    assert [row["stopped"] for row in done.rows] == ["limit", "limit"]
    assert [row["games"] for row in done.rows] == [40_000, 40_000]
    done = sweep(study(tmp_path, text), tmp_path / "new", jobs=1)
    assert {row["stopped"] for row in done.rows} == {"reached"}
    assert done.rows[0]["goals"][0]["low"] > 0.6 > done.rows[1]["goals"][0]["high"]


def test_parts_may_count_or_be_precise_and_share_a_cell(tmp_path):
    parts = "studies: {count: {games: 700}, precise: {until: {win_share: 0.05}}}"
    plan = study(tmp_path, f"game: viking\nseats: 2\npolicies: [[keep, keep]]\nlimit: 20_000\n{parts}\n")
    done = sweep(plan, tmp_path / "out", jobs=1)
    assert len({row["cell"] for row in done.rows}) == 1
    assert done.rows[1]["stopped"] == "reached"


def test_games_on_the_command_line_take_its_place(tmp_path):
    plan = with_games(study(tmp_path), 300)
    assert not plan.until
    assert [row["games"] for row in sweep(plan, tmp_path / "out", jobs=1).rows] == [300, 300]


def test_a_study_says_what_it_has_reached(tmp_path):
    study(tmp_path)
    said = command("sweep", tmp_path / "s.yaml", "--out", tmp_path / "out", "--jobs", 1)
    assert said.code == 0
    assert "win_share ± 0.02" in said.out
    assert "reached" in said.out
    assert "± of intervals that hold at all looks and cells at once, wrong at most 5% of the time" in said.out
    r = lab.load(tmp_path / "out")
    assert json.loads(json.dumps(r.cells["row"].iloc[0]["goals"]))[0]["goal"] == "win_share ± 0.02"


@pytest.mark.parametrize(
    ("until", "said"),
    [
        ("{win_shares: 0.1}", "'win_shares' is not a key of a goal; did you mean 'win_share'?"),
        ("{win_share: 0}", "0 is not a half-width"),
        ("{win_share: x}", "'x' is not a half-width"),
        ("{column: duels}", "is incomplete; write {win_share: 0.001}"),
        ("{column: duel, half_width: 1}", "'duel' is not a results column; did you mean 'duels'?"),
        ("{column: 3, half_width: 1}", "3 is not the name of a results column"),
        ("7", "7 is not a goal; write {win_share: 0.001}"),
        ("[]", "is an empty sweep"),
        ("duels", "is not an expectation"),
        ('"gain(keep over threshold) > 0"', "is about a gain, which `lab ask` decides"),
        ("{win_share: 0.1}\ngames: 5", "stands beside games; a cell is played for one of them"),
    ],
)
def test_mistakes_are_one_line(tmp_path, until, said):
    with pytest.raises(BadInput) as error:
        study(tmp_path, f"game: viking\npolicies: [keep, threshold]\nuntil: {until}\n")
    assert said in str(error.value)
    assert str(error.value).count("\n") == 0
    assert "s.yaml:" in str(error.value)
