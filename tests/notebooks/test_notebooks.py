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
from ruamel.yaml import YAML

import lab as api
from tests.lab.test_cli import lab

mpl.use("Agg")

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
GAMES = 300
FEWER = {"redemption": 8, "vengeance": 16}
"""Games of studies whose policies search, and take their time."""


LONG, STEP = 12, 5
"""A list of more values is thinned where a small study will do: every fifth is kept, and the last."""

WHOLE = {"exactly-70", "redemption", "sincity", "vengeance"}
"""Studies whose notebooks need every value, or much time: they run under `full` alone."""


def thinned(node):
    """A study, or a part of it, with fewer values of the knobs that it tries many of."""
    if isinstance(node, dict):
        return {key: thinned(value) for key, value in node.items()}
    if isinstance(node, list):
        return [thinned(value) for value in (node if len(node) <= LONG else [*node[:-1:STEP], node[-1]])]
    return node


def runs_on(study, path, place, monkeypatch):
    """Sweep a study with few games, and run a notebook on that."""
    games = FEWER.get(path.stem, GAMES)
    said = lab("sweep", study, "--games", games, "--out", place / path.stem, "--jobs", 1, "--quiet")
    assert said.code == 0, said.err
    monkeypatch.setenv("LAB_RESULTS", str(place))
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(path.parent)}}).execute()
    said = json.dumps(notebook)
    if path.stem in FEWER:  # of a handful of games some shares are of none, and checks may fail
        return
    assert "DOES NOT HOLD" not in said
    assert not re.search(r"\bnan\b|NaN", re.sub(r'"image/png": "[^"]*"', "", said))


@pytest.mark.parametrize("path", [path for path in NOTEBOOKS if path.stem not in WHOLE], ids=lambda path: path.stem)
def test_a_notebook_runs_on_a_small_study(path, tmp_path, monkeypatch):
    """The study of the same name in `configs`, thinned, with few games."""
    study = tmp_path / f"{path.stem}.yaml"
    YAML().dump(thinned(YAML(typ="safe").load(ROOT / "configs" / study.name)), study)
    runs_on(study, path, tmp_path, monkeypatch)


@pytest.mark.full
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_on_every_cell_of_its_study(path, tmp_path, monkeypatch):
    runs_on(ROOT / "configs" / f"{path.stem}.yaml", path, tmp_path, monkeypatch)


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
