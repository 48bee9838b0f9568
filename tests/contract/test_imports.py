"""Imports point one way, no game is named in the lab, and starting up stays light."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GAMES = sorted(path.parent.name for path in (ROOT / "sims").glob("*/__init__.py") if path.parent.name != "core")


def imports(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_sims_never_imports_lab():
    for path in (ROOT / "sims").rglob("*.py"):
        assert not [name for name in imports(path) if name.split(".")[0] == "lab"], path


@pytest.mark.parametrize("game", GAMES)
def test_a_game_imports_the_core_and_itself_alone(game):
    for path in (ROOT / "sims" / game).rglob("*.py"):
        other = [
            name for name in imports(path) if name.startswith("sims.") and name.split(".")[1] not in ("core", game)
        ]
        assert not other, path


def test_the_core_imports_no_game():
    for path in (ROOT / "sims" / "core").rglob("*.py"):
        assert not [name for name in imports(path) if name.startswith("sims.") and name.split(".")[1] != "core"], path


def test_the_lab_names_no_game_in_its_code():
    for path in (ROOT / "lab").rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        documented = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documented:
                assert not [game for game in GAMES if game in node.value.split()], f"{path}: {node.value!r}"
        assert not [name for name in imports(path) if name.startswith("sims.") and name.split(".")[1] != "core"], path


def loaded_by(code):
    listing = f"import sys\n{code}\nprint(' '.join(sorted({{name.split('.')[0] for name in sys.modules}})))"
    run = subprocess.run([sys.executable, "-c", listing], capture_output=True, text=True, check=True, cwd=ROOT)
    return set(run.stdout.split("\n")[-2].split())


def test_help_loads_nothing_heavy():
    code = "import typer.testing, lab.cli\ntyper.testing.CliRunner().invoke(lab.cli.app, ['--help'])"
    assert not loaded_by(code) & {"numba", "numpy", "pandas", "pyarrow", "scipy", "pydantic", "joblib"}


def test_a_worker_loads_neither_the_command_line_nor_the_files_it_does_not_need():
    assert not loaded_by("import lab.block") & {"typer", "pyarrow", "pandas", "ruamel", "rich"}
