"""What analysts call from Python: `lab.sweep`, `lab.load`, `lab.run`, `lab.compare`, and the tables they give."""

import json
import subprocess
import sys
from pathlib import Path

import nbformat
import numpy as np
import pandas as pd
import pytest
from nbclient import NotebookClient

import lab
from lab import results
from lab.errors import BadInput
from lab.report.bar import NotebookBar, bar
from lab.runner import Progress
from tests.lab.test_cli import figures, policies, says

ROOT = Path(__file__).parents[2]
STUDY = """
question: Who wins?
game: viking
seed: 5
games: 200
seats: [2, 3]
keep_games: 50
policies: [[threshold, keep...], [keep...]]
knobs: {start_life: [6, 12]}
studies: {still: {}, turning: {rotate_seats: true, knobs: {start_life: 6}}}
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with two studies, and the results of one."""
    path = tmp_path_factory.mktemp("api")
    (path / "one.yaml").write_text(STUDY, encoding="utf-8")
    pair = "game: viking\ngames: 30\npolicies: [keep, threshold]\nknobs: {heal: HEAL, start_life: [6, 12]}\n"
    for heal in ("face", "total"):
        (path / f"{heal}.yaml").write_text(pair.replace("HEAL", heal), encoding="utf-8")
    lab.sweep(path / "one.yaml", out=path / "results" / "one", jobs=1)
    return path


@pytest.fixture
def r(place):
    return lab.load(place / "results" / "one")


def test_importing_the_lab_loads_nothing_else():
    code = "import sys, lab\nprint(sorted(name for name in sys.modules if name.split('.')[0] in sys.argv[1:]))"
    heavy = ["numpy", "pandas", "numba", "matplotlib", "scipy", "pyarrow", "rich", "typer", "IPython", "sims"]
    done = subprocess.run([sys.executable, "-c", code, *heavy], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "[]"


def test_a_sweep_gives_what_it_has_written(place, r, monkeypatch):
    monkeypatch.chdir(place)
    swept = lab.sweep("one.yaml", jobs=1)
    assert swept.folder == Path("results/one")
    assert swept.cells.drop(columns="row").equals(r.cells.drop(columns="row"))
    assert (r.name, r.question, r.games) == ("one", "Who wins?", ["viking"])
    assert list(r.parts) == ["still", "turning"]
    assert r.part("still").index.is_unique
    assert r.manifest["study"].endswith("one.yaml")
    fewer = lab.sweep("one.yaml", games=20, out="results/few", jobs=1, progress=False)
    assert set(fewer.cells.games) == {20}


def test_results_are_found_by_the_study_s_name(place, r, tmp_path, monkeypatch):
    monkeypatch.chdir(place)
    assert lab.load("one").cells.index.equals(r.cells.index)
    (place / "notebooks").mkdir(exist_ok=True)
    monkeypatch.chdir(place / "notebooks")
    assert lab.load("one").folder == Path("../results/one")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadInput, match=r"^results/one: no results there"):
        lab.load("one")
    monkeypatch.setenv("LAB_RESULTS", str(place / "results"))
    assert lab.load("one").cells.index.equals(r.cells.index)
    monkeypatch.setenv(results.REPORTED, str(place / "results" / "one"))
    assert lab.load("viking").name == "one"
    with pytest.raises(BadInput, match="two: no results there"):
        lab.load("two")
    with pytest.raises(BadInput, match="'stil' is not a part of one; did you mean 'still'"):
        r.part("stil")


def test_a_run_gives_the_figures_of_the_command():
    run = lab.run("viking", ["threshold:below=3", "keep"], games=400, seed=3, start_life=8, progress=False)
    said = figures(*policies("threshold:below=3", "keep"), "--games", 400, "--seed", 3, "--set", "start_life=8")
    assert run.cells.start_life.tolist() == [8]
    assert run.win_shares()[["estimate", "low", "high"]].to_dict("records") == said["win_share"]
    for row in run.metrics().itertuples():
        assert (row.n, row.mean, row.low) == pytest.approx(
            tuple(said["metrics"][row.column][k] for k in ("n", "mean", "low"))
        )
    assert run.name == "viking"
    with pytest.raises(BadInput, match="keeps no games"):
        run.plays(run.cells.index[0])
    with pytest.raises(BadInput, match="'start_live' is not a knob of viking; did you mean 'start_life'"):
        lab.run("viking", "keep", start_live=8)


def test_knobs_are_given_as_python_has_them():
    run = lab.run("vices", "zeros", seats=3, games=30, sins=("lust", "envy"), exact_wins=False, progress=False)
    assert run.cells[["seats", "sins", "exact_wins"]].values.tolist() == [[3, ("lust", "envy"), False]]
    assert lab.run("vices", "zeros", games=10, sins=(), progress=False).cells.sins.tolist() == [()]


def test_a_comparison_gives_the_differences_of_the_command(tmp_path):
    found = lab.compare(
        "viking", "trailing", vs={"reroll_order": "simultaneous"}, games=300, out=tmp_path / "c", jobs=1
    )
    [said] = json.loads(
        says("compare", "viking", *policies("trailing"), "--vs", "reroll_order=simultaneous", "--games", 300,
             "--out", tmp_path / "d", "--json", "--jobs", 1)
    )  # fmt: skip
    assert set(found.differences.reroll_order) == {"open -> simultaneous"}
    names = ["quantity", "first", "second", "difference", "low", "high"]
    for row, wanted in zip(found.differences[names].to_dict("records"), said["differences"], strict=True):
        assert row == {name: wanted[name] for name in names}
    other = lab.compare(
        "viking", ["keep", "keep"], vs_policies=["threshold", "keep"], games=50, out=tmp_path / "e", jobs=1
    )
    assert set(other.differences.policies) == {"keep ×2 -> threshold, keep"}
    assert other.alone == ()


def test_two_studies_are_compared_cell_by_cell(place, tmp_path):
    paths = place / "face.yaml", place / "total.yaml"
    found = lab.compare(*paths, games=20, out=tmp_path, jobs=1, progress=False)
    assert set(found.differences.heal) == {"face -> total"}
    assert found.folder == tmp_path
    with pytest.raises(BadInput, match="two studies have policies, seats, seeds and knobs of their own"):
        lab.compare(*paths, start_life=9)


def test_modules_come_when_they_are_asked_for():
    assert lab.results is results
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = lab.nothing


# Tables


def test_long_tables_hold_every_figure(r):
    shares, metrics = r.win_shares(), r.metrics()
    assert len(shares) == r.cells.seats.sum()
    first = r.cells.row.iloc[-1]
    mine = shares[(shares.index == first["cell"]) & (shares.part == first["part"])]
    assert mine.estimate.tolist() == [each["estimate"] for each in first["win_share"]]
    assert mine.policy.tolist() == first["policies"]
    assert {"part", "seats", "policies", "start_life", "column", "n", "mean", "low", "high", "sd"} <= set(metrics)
    assert not {"counts", "values", "games"} & set(metrics)


def test_cells_are_picked_by_values(r):
    some = results.pick(r.cells, part="still", seats=3, start_life=12)
    assert some.policies.tolist() == ["threshold, keep ×2", "keep ×3"]
    with pytest.raises(BadInput, match="'seat' is not a column of this table; did you mean 'seats'"):
        results.pick(r.cells, seat=3)


def test_an_average_is_the_mean_of_figures_and_of_their_intervals():
    figures = pd.DataFrame({"estimate": [1.0, 3, 5], "low": [0.0, 2, 3], "high": [2.0, 4, 7], "n": [10, 10, 20]})
    found = results.average(figures, pd.Series(["a", "b", "a"]))
    assert found.loc["a"].tolist() == [3, 1.5, 4.5, 30, 2]
    assert found.loc["b"].tolist() == [3, 2, 4, 10, 1]


def test_shares_of_kept_plays(r):
    [cell] = results.pick(r.part("still"), seats=2, start_life=6, policies="keep ×2").index
    plays = r.plays(cell)
    table = pd.concat(pd.DataFrame({"won": plays.winner == seat, "seat": seat}) for seat in (0, 1))
    found = results.shares_by(table, "seat")
    assert found.estimate.sum() == pytest.approx(1)
    assert found.n.tolist() == [50, 50]
    for seat in (0, 1):
        wins = int((plays.winner == seat).sum())
        assert tuple(found.loc[seat, results.FIGURE]) == pytest.approx(results.wilson_of(wins, 50))
    assert np.isnan(results.share_of([]).estimate)


def test_varied_parameters_are_those_that_differ(r):
    assert results.varied(r.cells) == ["part", "seats", "rotate_seats", "policies", "start_life"]
    assert results.varied(r.part("turning")) == ["seats", "policies"]


# Progress


def test_a_bar_is_silent_where_nobody_sees_it(capsys):
    assert not isinstance(bar(), NotebookBar)
    lab.run("viking", "keep", games=50)
    assert capsys.readouterr() == ("", "")


def test_a_bar_in_a_notebook_is_replaced_in_place(monkeypatch):
    shown = []

    class Handle:
        def update(self, picture, raw):
            shown.append(picture)

    monkeypatch.setattr("IPython.display.display", lambda picture, raw, display_id: shown.append(picture) or Handle())
    monkeypatch.setattr("lab.report.bar.SECONDS", 0)
    told: Progress = NotebookBar()
    told.start(1000)
    told.advance(400)
    told.advance(600)
    told.stop()
    assert [bar_value(picture) for picture in shown[:3]] == ['value="0"', 'value="400"', 'value="1000"']
    assert "plays/s" in shown[1]["text/plain"]
    assert shown[-1]["text/plain"].startswith("1,000 of 1,000 plays in ")
    assert "text/html" not in shown[-1]
    nothing = NotebookBar()
    nothing.start(0)
    nothing.stop()
    assert len(shown) == 4


def bar_value(picture):
    return next(word for word in picture["text/html"].replace(">", " ").split() if word.startswith("value"))


def test_a_notebook_shows_the_bar(tmp_path):
    code = "import lab\nfound = lab.run('viking', 'keep', games=2_000)\nfound.cells.games.iloc[0]"
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)])
    NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()
    bar_, value = notebook.cells[0].outputs
    assert bar_.data["text/plain"].startswith("2,000 of 2,000 plays in ")
    assert "2000" in value.data["text/plain"]
