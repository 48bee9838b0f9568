"""How code is compiled: in one place, never stale, and never in the way.

What the cache does shows only from one process to the next, so most tests here play scenes of short processes. They
use a copy of `sims/core`, whose sources they may edit, and a cache folder of their own.
"""

import ast
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import numba
import pytest

from sims.core import kernel as module
from sims.core.kernel import cache_home, source_hash
from sims.core.rng import shuffle

ROOT = Path(__file__).resolve().parents[2]

# One place ------------------------------------------------------------------------------------------------------------

COMPILERS = {"njit", "jit", "generated_jit", "vectorize", "guvectorize", "cfunc", "stencil", "jitclass"}


def compilers_in(source):
    """The compilers of Numba that a source imports, or names as an attribute of something (NumPy excepted)."""
    nodes = list(ast.walk(ast.parse(source)))
    imported = {name.name for node in nodes if isinstance(node, ast.ImportFrom) for name in node.names}
    numpy = {"np", "numpy"}  # numpy.vectorize compiles nothing
    attributes = {
        node.attr for node in nodes if isinstance(node, ast.Attribute) and ast.unparse(node.value) not in numpy
    }
    return COMPILERS & (imported | attributes)


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import numba\n@numba.njit\ndef f(): ...", {"njit"}),
        ("import numba as nb\n@nb.jit(nopython=True)\ndef f(): ...", {"jit"}),
        ("from numba import vectorize as fast", {"vectorize"}),
        ("from numba.core import decorators\nf = decorators.cfunc('f8(f8)')(abs)", {"cfunc"}),
        ("import numpy as np\nf = np.vectorize(abs)", set()),
        ("from sims.core.kernel import kernel\nnjit = 'njit'  # njit", set()),
    ],
)
def test_compilers_are_noticed(source, found):
    assert compilers_in(source) == found


def test_only_kernel_py_names_a_compiler():
    paths = [path for folder in ("sims", "lab") for path in (ROOT / folder).rglob("*.py")]
    found = {str(path.relative_to(ROOT)): compilers_in(path.read_text(encoding="utf-8")) for path in paths}
    assert {path: names for path, names in found.items() if names} == {"sims/core/kernel.py": {"njit"}}


# The name of the cache folder -----------------------------------------------------------------------------------------


@pytest.fixture
def sources(tmp_path):
    """A small tree of sources."""
    folder = tmp_path / "one" / "package"
    write(folder / "rules.py", "A = 1\n")
    write(folder / "deep" / "cards.py", "B = 2\n")
    return folder


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(dedent(text), encoding="utf-8")


@pytest.mark.parametrize(
    "edit",
    [
        lambda folder: write(folder / "rules.py", "A = 2\n"),
        lambda folder: write(folder / "deep" / "cards.py", "B = 3\n"),
        lambda folder: write(folder / "deep" / "more.py", ""),
        lambda folder: (folder / "rules.py").rename(folder / "laws.py"),
        lambda folder: (folder / "rules.py").rename(folder / "deep" / "rules.py"),
        lambda folder: (folder / "deep" / "cards.py").unlink(),
    ],
    ids=["edit", "edit below", "new file", "new name", "move", "delete"],
)
def test_hash_notices_a_change_of_sources(sources, edit):
    before = source_hash(sources)
    edit(sources)
    assert source_hash(sources) != before


def test_hash_is_of_sources_alone(sources, tmp_path):
    before = source_hash(sources)
    write(sources / "notes.md", "not code")
    assert source_hash(shutil.copytree(sources, tmp_path / "other" / "package")) == before


def test_hash_of_two_folders_is_of_both(sources, tmp_path):
    write(tmp_path / "policy.py", "C = 3\n")
    before = source_hash(sources, tmp_path / "policy.py")
    assert before != source_hash(sources)
    write(tmp_path / "policy.py", "C = 4\n")
    assert source_hash(sources, tmp_path / "policy.py") != before


@pytest.mark.parametrize(
    ("owner", "name"),
    [(module.np, "__version__"), (numba, "__version__"), (sys, "version")],
    ids=["NumPy", "Numba", "Python"],
)
def test_hash_notices_other_versions(sources, monkeypatch, owner, name):
    before = source_hash(sources)
    monkeypatch.setattr(owner, name, "0.0.0")
    assert source_hash(sources) != before


def test_hash_notices_another_processor(sources, monkeypatch):
    before = source_hash(sources)
    monkeypatch.setattr(module.llvmlite.binding, "get_host_cpu_name", lambda: "abacus")
    assert source_hash(sources) != before


def test_cache_home(monkeypatch):
    monkeypatch.delenv("BALANCE_LAB_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert cache_home() == Path.home() / ".cache" / "balance-lab"
    monkeypatch.setenv("XDG_CACHE_HOME", "/caches")
    assert cache_home() == Path("/caches/balance-lab")
    monkeypatch.setenv("BALANCE_LAB_CACHE", "/mine")
    assert cache_home() == Path("/mine")


# Scenes of processes --------------------------------------------------------------------------------------------------


class House:
    """A folder with a copy of `sims/core`, a game `sims.toy`, and a package `plugin` of policies from elsewhere.

    Both have a kernel `play` in `deep/rules.py` that calls one in `helper.py`, and uses a constant from there.
    """

    def __init__(self, folder):
        self.folder = folder
        self.cache = folder / "caches" / "mine"
        self.temporary = folder / "temporary"
        self.temporary.mkdir(parents=True)
        shutil.copytree(ROOT / "sims" / "core", folder / "sims" / "core", ignore=shutil.ignore_patterns("__pycache__"))
        write(folder / "sims" / "__init__.py", "")
        for package in ("sims/toy", "plugin"):
            write(folder / package / "__init__.py", "")
            write(folder / package / "deep" / "__init__.py", "")
            write(
                folder / package / "deep" / "rules.py",
                f"""
                from sims.core.kernel import kernel
                from {package.replace("/", ".")}.helper import FACTOR, add

                @kernel
                def play(x):
                    return FACTOR * add(x)
                """,
            )
            self.help(package, 1, 10)

    def help(self, package, addend, factor):
        """(Re)write a helper, so that `play(1)` is (1 + addend) * factor."""
        write(
            self.folder / package / "helper.py",
            f"""
            from sims.core.kernel import kernel

            FACTOR = {factor}

            @kernel
            def add(x):
                return x + {addend}
            """,
        )

    def run(self, code, **environment):
        """Run code in a process of its own; what it printed as JSON, and its standard error."""
        base = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA_", "PYTHON"))}
        own = {
            "BALANCE_LAB_CACHE": str(self.cache),
            "TMPDIR": str(self.temporary),
            "PYTHONDONTWRITEBYTECODE": "1",  # an edit within the same second must be seen by Python, too
        }
        command = [sys.executable, "-W", "error", "-c", dedent(code)]
        ran = subprocess.run(
            command, cwd=self.folder, env=base | own | environment, capture_output=True, text=True, check=False
        )
        assert (ran.returncode, ran.stdout.count("\n")) == (0, 1), ran.stderr
        return json.loads(ran.stdout), ran.stderr

    def play(self, **environment):
        """Play with game and plug-in: results, kernels loaded from the cache, cache folders; and standard error."""
        return self.run(
            """
            import json
            import plugin.deep.rules, sims.toy.deep.rules
            plays = sims.toy.deep.rules.play, plugin.deep.rules.play
            results = [play(1) for play in plays]
            hits = [sum(play.stats.cache_hits.values()) for play in plays]
            print(json.dumps([results, hits, [play.stats.cache_path for play in plays]]))
            """,
            **environment,
        )

    def compiled(self):
        """The files of machine code in the cache, and when they were written."""
        return {path: path.stat().st_mtime_ns for path in self.cache.rglob("*.nbc")}


@pytest.fixture(scope="module")
def scene(tmp_path_factory):
    """Play; play again; edit the game's helper, play; undo that and edit the plug-in's, play."""
    house = House(tmp_path_factory.mktemp("scene") / "house")
    plays, files = [], []
    for game, plugin in (((1, 10), (1, 10)), ((1, 10), (1, 10)), ((2, 100), (1, 10)), ((1, 10), (2, 100))):
        house.help("sims/toy", *game)
        house.help("plugin", *plugin)
        plays.append(house.play())
        files.append(house.compiled())
    return house, plays, files


def test_missing_folder_is_made_in_silence(scene):
    house, plays, files = scene
    (_, _, cache_paths), errors = plays[0]
    assert errors == ""
    assert all(house.cache in Path(each).parents for each in cache_paths)
    assert len(files[0]) >= 4  # add and play, twice


def test_second_process_loads_what_the_first_compiled(scene):
    _, plays, files = scene
    assert [hits for (_, hits, _), _ in plays[:2]] == [[0, 0], [1, 1]]
    assert files[1] == files[0]


def test_edited_helper_moves_the_result(scene):
    _, plays, _ = scene
    assert [results for (results, _, _), _ in plays] == [[20, 20], [20, 20], [300, 20], [20, 300]]


def test_edit_of_a_plugin_leaves_the_game_compiled(scene):
    """And a game whose sources are again as they were finds its old code."""
    _, plays, _ = scene
    (_, hits, cache_paths), _ = plays[3]
    assert hits == [1, 0]
    assert cache_paths[0] == plays[0][0][2][0]


@pytest.fixture
def house(tmp_path):
    return House(tmp_path / "house")


@pytest.mark.parametrize(
    ("place", "reason"),
    [
        ("a file/below", "Not a directory"),
        pytest.param(
            "/proc/self",
            "No such file or directory",
            marks=pytest.mark.skipif(not Path("/proc/self").exists(), reason="no /proc on this system"),
        ),
    ],
)
def test_unwritable_folder(house, place, reason):
    """One line about it, the right result, and nothing left behind."""
    write(house.folder / "a file", "text")
    place = house.folder / place
    (results, _, cache_paths), errors = house.play(BALANCE_LAB_CACHE=str(place))
    assert results == [20, 20]
    assert all(house.temporary in Path(each).parents for each in cache_paths)
    assert list(house.temporary.iterdir()) == []
    assert errors.count("\n") == 1
    assert f"{place} " in errors
    assert f"({reason})" in errors


def test_workers_share_the_temporary_folder(house):
    """They do not complain again, and do not remove it when they end; not even a forked one that ends as usual."""
    (folders, left), errors = house.run(
        """
        import json, os, subprocess, sys
        from pathlib import Path
        from sims.core.kernel import cache_folder

        ask = [sys.executable, "-c", "from sims.core.kernel import cache_folder; print(cache_folder())"]
        folders = [str(cache_folder()), subprocess.check_output(ask, text=True).strip()]
        if (child := os.fork()) == 0:
            sys.exit()
        os.waitpid(child, 0)
        print(json.dumps([folders, Path(folders[0]).is_dir()]))
        """,
        BALANCE_LAB_CACHE=os.devnull + "/below",
    )
    assert folders[0] == folders[1]
    assert left
    assert errors.count("\n") == 1
    assert list(house.temporary.iterdir()) == []


def test_no_compiler_no_cache(house):
    found, errors = house.run(
        """
        import json
        from sims.core.kernel import kernel
        from sims.toy.deep.rules import play

        def plain(x):
            return x

        print(json.dumps([play(1), type(play).__name__, kernel(plain) is plain, kernel(inline=True)(plain) is plain]))
        """,
        NUMBA_DISABLE_JIT="1",
    )
    assert (found, errors) == ([20, "function", True, True], "")
    assert not house.cache.exists()


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")
def test_how_kernels_are_compiled():
    """The GIL is released, division by zero does not raise, bounds are not checked, sums keep their order."""
    options = {name: shuffle.targetoptions.get(name) for name in ("nogil", "error_model")}
    assert options == {"nogil": True, "error_model": "numpy"}
    assert not any(map(shuffle.targetoptions.get, ("boundscheck", "fastmath", "parallel")))


def test_kernel_of_encoded_settings_is_loaded(house):
    """Policies take their weights, and tables their knobs, as what `encode` makes."""
    write(
        house.folder / "sims" / "toy" / "policies.py",
        """
        from sims.core.game import Settings, Whole, encode, knob
        from sims.core.kernel import kernel

        class Weights(Settings):
            below: Whole = knob(4, "")

        @kernel
        def below(weights):
            return weights.below
        """,
    )
    code = """
        import json
        from sims.toy.policies import Weights, below, encode
        print(json.dumps([below(encode(Weights())), sum(below.stats.cache_hits.values())]))
        """
    assert house.run(code)[0] == [4, 0]
    assert house.run(code)[0] == [4, 1]
