"""Notebooks run from what their study writes, and are committed with the outputs of a full run; so does what the
README tells of them."""

import json
import re
from itertools import pairwise
from pathlib import Path

import duckdb
import matplotlib as mpl
import nbformat
import pytest
from nbclient import NotebookClient

import lab as api
from tests.lab.test_cli import lab

mpl.use("Agg")

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
GAMES = 300
FEWER = {"redemption": 8, "vengeance": 16}
"""Games of studies whose policies search, and take their time."""
SLOW = {"exactly-70", "redemption", "sincity", "vengeance"}
"""Studies that take their time even so: their notebooks run under `full` alone."""


def _marked(path):
    return pytest.param(path, marks=[pytest.mark.full] if path.stem in SLOW else [], id=path.stem)


@pytest.mark.parametrize("path", [_marked(path) for path in NOTEBOOKS])
def test_a_notebook_runs_on_few_games(path, tmp_path, monkeypatch):
    """Of every cell of the study of the same name in `configs`."""
    study, games = ROOT / "configs" / f"{path.stem}.yaml", FEWER.get(path.stem, GAMES)
    said = lab("sweep", study, "--games", games, "--out", tmp_path / path.stem, "--jobs", 1, "--quiet")
    assert said.code == 0, said.err
    monkeypatch.setenv("LAB_RESULTS", str(tmp_path))
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(path.parent)}}).execute()
    said = json.dumps(notebook)
    if path.stem in FEWER:  # of a handful of games some shares are of none, and checks may fail
        return
    assert "DOES NOT HOLD" not in said
    assert not re.search(r"\bnan\b|NaN", re.sub(r'"image/png": "[^"]*"', "", said))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_committed_with_its_outputs(path):
    notebook = json.loads(path.read_text(encoding="utf-8"))
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    outputs = [output for cell in cells for output in cell["outputs"]]
    assert not [output for output in outputs if output["output_type"] in ("error", "stream")]
    assert any("image/png" in output.get("data", {}) for output in outputs)
    assert not re.search(r"/(home|root|tmp|work)/", path.read_text(encoding="utf-8"))
    assert "simulate" not in "".join(line for cell in cells for line in cell["source"])


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_picture_has_a_caption_that_says_of_how_many(path):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    for cell in cells:
        outputs = cell.get("outputs", [])
        for picture, caption in pairwise([*outputs, {}]):
            if "image/png" in picture.get("data", {}):
                assert caption["metadata"] == {"lab": "caption"}
                assert re.search(r"n = [\d,]+ ", "".join(caption["data"]["text/markdown"]))


def test_there_are_notebooks():
    assert {path.stem for path in NOTEBOOKS} >= {path.stem for path in (ROOT / "configs").glob("*.yaml")}


def test_what_the_readme_tells_runs(tmp_path, monkeypatch, capsys):
    """Every block of code that is marked, in turn, beside the results of a small study."""
    (tmp_path / "configs").symlink_to(ROOT / "configs")
    monkeypatch.chdir(tmp_path)
    api.sweep("configs/viking.yaml", games=50, jobs=1)
    blocks = re.findall(r"<!-- run -->\n```(\w+)\n(.*?)```", (ROOT / "notebooks" / "README.md").read_text(), re.DOTALL)
    assert [language for language, _ in blocks].count("python") >= 3
    assert [language for language, _ in blocks].count("sql") >= 1
    for language, code in blocks:
        if language == "python":
            exec(compile(code, "notebooks/README.md", "exec"), {})  # noqa: S102 (our own README's)
        else:
            for statement in filter(str.strip, code.split(";")):
                assert duckdb.sql(statement).fetchall()
    said = capsys.readouterr().out
    assert "[picture: The last of four]" in said
    assert "win_share seat 0" in said
    assert re.search(r"2 +0\.\d+ +0\.\d+", said)
