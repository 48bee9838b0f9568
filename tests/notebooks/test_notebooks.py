"""Notebooks run from what their study writes, and are committed with the outputs of a full run."""

import json
import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from tests.lab.test_cli import lab

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
GAMES = 300


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_on_a_small_study(path, tmp_path, monkeypatch):
    """The study of the same name in `configs`, with few games."""
    study, out = ROOT / "configs" / f"{path.stem}.yaml", tmp_path / path.stem
    lab("sweep", study, "--games", str(GAMES), "--out", out, "--quiet")
    monkeypatch.setenv("LAB_RESULTS", str(tmp_path))
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(path.parent)}}).execute()


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_committed_with_its_outputs(path):
    notebook = json.loads(path.read_text(encoding="utf-8"))
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    outputs = [output for cell in cells for output in cell["outputs"]]
    assert not [output for output in outputs if output["output_type"] == "error"]
    assert any("image/png" in output.get("data", {}) for output in outputs)
    assert not re.search(r"/(home|root|tmp|work)/", path.read_text(encoding="utf-8"))
    assert "simulate" not in "".join(line for cell in cells for line in cell["source"])


def test_there_are_notebooks():
    assert NOTEBOOKS
