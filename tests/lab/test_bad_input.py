"""Mistakes: one line that says what was found and what is allowed, the right exit code, and nothing written."""

from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from lab import catalogue
from tests.lab.test_cli import lab

STUDY = "game: viking\ngames: 50\npolicies: [threshold, keep]\nseats: 2\n"
PLAYERS = '''
def calm(view, weights, prepared, action):
    """Waits, attacks, faces the next."""
    action[:] = (view.seat + 1) % view.seats if view.kind == 0 else 0


def handed_on(*given):
    calm(*given)


def cheat(view, weights, prepared, action):
    action[:] = 99


def three(view, weights, action):
    action[:] = 0


def fails_with(error):
    def fails(view, weights, prepared, action):
        raise error

    return fails


key, attribute, value = fails_with(KeyError("k")), fails_with(AttributeError("lives")), fails_with(ValueError("v"))
name, wrong = fails_with(NameError("np")), fails_with(AssertionError("no"))
running, division = fails_with(RuntimeError("r")), fails_with(ZeroDivisionError("by zero"))
lines = fails_with(ValueError("one\\ntwo"))
number = 7
'''


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder with a good study and some players, where the command runs."""
    monkeypatch.chdir(tmp_path)
    Path("good.yaml").write_text(STUDY, encoding="utf-8")
    Path("players.py").write_text(PLAYERS, encoding="utf-8")
    Path("file").write_text("not a folder", encoding="utf-8")
    return tmp_path


def listing(folder):
    return {path: path.read_bytes() if path.is_file() else None
            for path in folder.rglob("*") if "__pycache__" not in path.parts}  # fmt: skip


def refused(place, arguments, code=2):
    """What the one line says; fails if there are more, or anything was written or printed."""
    before = listing(place)
    said = lab(*arguments)
    assert "Traceback" not in said.err, said.err[-2000:]
    assert said.err.splitlines() == [said.err.removesuffix("\n")], said.err
    assert said.err.startswith("lab: ")
    assert said.code == code
    assert said.out == ""
    assert listing(place) == before
    return said.err.removeprefix("lab: ").removesuffix("\n")


def run(*options):
    return ["run", "viking", "--games", "50", *options]


KEEP = ["--policy", "keep"]


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        # What is called by a name
        (["run", "vikings", *KEEP], ["'vikings' is not a game", "did you mean 'viking'?"]),
        (["game", "chess"], ["'chess' is not a game", "viking"]),
        (["new", "chess"], ["'chess' is not a game"]),
        (["bench", "chess"], ["'chess' is not a game"]),
        (["replay", "chess", *KEEP], ["'chess' is not a game"]),
        (["run", "core", *KEEP], ["'core' is not a game"]),
        (["run", "../sims", *KEEP], ["'../sims' is not a game"]),
        (run("--policy", "treshold"), ["'treshold' is not a policy of viking", "did you mean 'threshold'?", "healer"]),
        (
            run(*KEEP, "--set", "start_live=9"),
            ["'start_live' is not a knob", "did you mean 'start_life'?", "max_duels"],
        ),
        (run("--policy", "threshold:belov=3"), ["'belov' is not a weight of threshold", "did you mean 'below'?"]),
        (run("--policy", "keep:below=3"), ["'below' is not a weight of keep"]),
        (["swep", "good.yaml"], ["swep", "lab --help"]),
        (run(*KEEP, "--polici", "keep"), ["--polici"]),
        # Values
        (run(*KEEP, "--set", "start_life=many"), ["start_life", "'many'", "a whole number from 1 to 200"]),
        (run(*KEEP, "--set", "start_life=9.5"), ["start_life", "9.5", "a whole number from 1 to 200"]),
        (run(*KEEP, "--set", "start_life=true"), ["start_life", "true", "a whole number from 1 to 200"]),
        (run(*KEEP, "--set", "start_life=201"), ["start_life", "201", "from 1 to 200"]),
        (run(*KEEP, "--set", "start_life=0"), ["start_life", "0", "from 1 to 200"]),
        (run(*KEEP, "--set", "start_life=-3"), ["start_life", "-3", "from 1 to 200"]),
        (run(*KEEP, "--set", "start_life="), ["start_life"]),
        (run(*KEEP, "--set", "start_life=nan"), ["start_life", "nan"]),
        (run(*KEEP, "--set", "start_life=1e999"), ["start_life", "inf"]),
        (run(*KEEP, "--set", "sides=7"), ["sides", "7", "one of 4, 6, 8, 10, 12"]),
        (run(*KEEP, "--set", "heal=fase"), ["'fase' is not an option of heal", "did you mean 'face'?", "total"]),
        (run(*KEEP, "--set", "start_life"), ["start_life", "KNOB=VALUE"]),
        (run(*KEEP, "--set", "dice=2", "--set", "dice=3"), ["dice", "twice"]),
        (run("--policy", "threshold:below=14"), ["below", "14", "from 1 to 13"]),
        (run("--policy", "threshold:below=low"), ["below", "'low'", "from 1 to 13"]),
        (run("--policy", "threshold:below"), ["'below'", "weight=value"]),
        (run("--policy", "threshold:below=3,below=4"), ["'below'", "twice"]),
        (run("--policy", ""), ["--policy"]),
        # Seats
        (run(), ["--policy is missing", "healer, keep, random, threshold, trailing"]),
        (run(*KEEP, "--seats", "5"), ["--seats 5", "2, 3, 4"]),
        (run(*KEEP, "--seats", "1"), ["--seats 1", "2, 3, 4"]),
        (run(*KEEP, "--seats", "-2"), ["--seats -2", "2, 3, 4"]),
        (run(*KEEP, "--seats", "two"), ["--seats"]),
        (run(*KEEP * 5), ["5 policies", "at most 4 seats"]),
        (run(*KEEP * 5, "--seats", "4"), ["5 policies", "at most 4 seats"]),
        (run(*KEEP * 3, "--seats", "4"), ["3 policies", "4"]),
        (run(*KEEP * 6), ["6 policies", "at most 4 seats"]),
        # Numbers
        (["run", "viking", *KEEP, "--games", "0"], ["games", "0", "1"]),
        (["run", "viking", *KEEP, "--games", "-5"], ["games", "-5", "1"]),
        (["run", "viking", *KEEP, "--games", "1e13"], ["games", "10000000000000", "1000000000000"]),
        (["run", "viking", *KEEP, "--games", "lots"], ["games", "lots"]),
        (["run", "viking", *KEEP, "--games", "1.5"], ["games", "1.5"]),
        (["run", "viking", *KEEP, "--games", "nan"], ["games", "nan"]),
        (["run", "viking", *KEEP, "--games", "inf"], ["games", "inf"]),
        (["run", "viking", *KEEP, "--games", "9" * 5000], ["games", "999"]),
        (run(*KEEP, "--seed", "-1"), ["seed", "-1", "18446744073709551615"]),
        (run(*KEEP, "--seed", str(2**64)), ["seed", "18446744073709551616", "18446744073709551615"]),
        (run(*KEEP, "--seed", "x"), ["seed", "x"]),
        (["sweep", "good.yaml", "--games", "0"], ["games", "0", "1"]),
        (["sweep", "good.yaml", "--games", "-1"], ["games", "-1", "1"]),
        (["sweep", "good.yaml", "--games", "1e13"], ["games", "10000000000000"]),
        (["sweep", "good.yaml", "--games", "1e13", "--dry-run"], ["games", "10000000000000"]),
        (["sweep", "good.yaml", "--jobs", "0"], ["--jobs"]),
        (["sweep", "good.yaml", "--jobs", "-2"], ["--jobs"]),
        # Files
        (["sweep", "nix.yaml"], ["nix.yaml: no such file"]),
        (["sweep", "nix.yaml", "--dry-run"], ["nix.yaml: no such file"]),
        (["sweep", "."], [".: a folder"]),
        (["sweep", "players.py"], ["players.py:"]),
        (["sweep"], ["STUDY"]),
        (["sweep", "good.yaml", "--out", "file/below/it"], ["file/below/it", "cannot be written"]),
        (["sweep", "good.yaml", "--out", "file"], ["file", "cannot be written"]),
        (["sweep", "good.yaml", "--out", "x" * 300], ["x" * 300, "cannot be written"]),
        (["show", "nix"], ["nix", "no results"]),
        (["show", "."], ["no results", "cells.parquet"]),
        (["show", "file"], ["file", "cannot be read"]),
        (["show"], ["RESULTS"]),
        # Policies from files
        (run("--policy", "nix.py:f"), ["'nix.py'", "no such file"]),
        (run("--policy", "players.py:clam"), ["'clam'", "players.py", "did you mean 'calm'?"]),
        (run("--policy", "players.py"), ["players.py", "file.py:function"]),
        (run("--policy", "players.py:number"), ["players.py:number", "int", "not a function"]),
        (run("--policy", "players.py:calm:below=3"), ["'below' is not a weight"]),
        (
            run("--policy", "players.py:three"),
            ["players.py:three", "(view, weights, action)", "weights, prepared, action)"],
        ),
        (
            ["run", "sincity", "--policy", "players.py:calm"],
            [
                "--policy",
                "players.py:calm",
                "takes (view, weights, prepared, action)",
                "called with (view, weights, prep",
            ],
        ),
        (run("--policy", "file:f"), ["file"]),
        # Replays
        (["replay", "viking", *KEEP, "--game", "-1"], ["-1", "game number"]),
        (["replay", "viking", *KEEP, "--game", str(2**64)], ["game number"]),
        (["replay", "viking", *KEEP, "--rotation", "1"], ["rotation 1", "only 0"]),
        (["replay", "viking"], ["--policy is missing"]),
        (["replay", "nix.yaml"], ["nix.yaml: no such file"]),
        (["replay", "good.yaml", "--rotation", "1"], ["rotation 1", "only 0"]),
        (["replay", "good.yaml", "--rotation", "-1"], ["rotation -1"]),
        (["replay", "good.yaml", "--cell", "1"], ["--cell '1'", "by number (0 to 0)"]),
        (["replay", "good.yaml", "--cell", "-1"], ["--cell '-1'"]),
        (["replay", "good.yaml", "--cell", "ffff"], ["--cell 'ffff'"]),
        (["replay", "good.yaml", "--cell", "²"], ["--cell '²'"]),
    ],
    ids=lambda value: " ".join(value)[:60] if isinstance(value, list) else None,
)
def test_a_mistake_is_one_line_and_nothing_is_written(place, arguments, parts):
    line = refused(place, arguments)
    assert [part for part in parts if part not in line] == [], line


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("game: viking\npolicies: keep\nsead: 3\n", [":3: ", "'sead' is not a key", "did you mean 'seed'?"]),
        ("game: viking\npolicies: keep\nknobs:\n  dices: 3\n", [":4: ", "'dices' is not a knob of viking", "'dice'?"]),
        ("game: vikings\npolicies: keep\n", [":1: ", "'vikings' is not a game"]),
        ("game: viking\n\npolicies: [keep, treshold]\n", [":3: policies[1] 'treshold'", "did you mean 'threshold'?"]),
        ("game: viking\npolicies: keep\nseed: lots\n", [":3: seed 'lots' is not a whole number"]),
        ("game: viking\npolicies: keep\ngames: 0\n", [":3: games 0", "from 1 to"]),
        ("game: viking\npolicies: keep\nseats: 5\n", [":3: seats 5", "2, 3, 4"]),
        (f"game: viking\npolicies: keep\nseed: {2**64}\n", [":3: seed 18446744073709551616"]),
        ("game: viking\npolicies: keep\nknobs: {sides: 7}\n", [":3: knobs.sides 7", "4, 6, 8, 10, 12"]),
        ("game: viking\npolicies: [keep, keep, keep, keep, keep]\nseats: 4\n", [":2: ", "5 policies", "at most 4"]),
        ("game: viking\npolicies: keep\nseed: 1\nseed: 2\n", [":4: 'seed' stands twice"]),
        ("game: viking\npolicies: keep\nknobs: {start_life: []}\n", [":3: knobs.start_life", "empty sweep"]),
        ("game: viking\npolicies: nix.py:f\n", [":2: policies", "nix.py", "no such file"]),
        ("game: viking\n", ["policies is missing"]),
        ("{game: viking", ["not YAML"]),
        ("\0", ["not YAML"]),
        ("", ["empty"]),
    ],
)
@pytest.mark.parametrize("command", [["sweep", "--out", "out"], ["sweep", "--dry-run"], ["replay"]])
def test_a_mistake_in_a_study_is_one_line_with_its_number(place, command, text, parts):
    Path("bad.yaml").write_text(text, encoding="utf-8")
    line = refused(place, [command[0], "bad.yaml", *command[1:]])
    assert line.startswith("bad.yaml:")
    assert [part for part in parts if part not in line] == [], line


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    (folder / "s.yaml").write_text(STUDY + "rotate_seats: true\nknobs: {start_life: [9, 12]}\n", encoding="utf-8")
    assert lab("sweep", folder / "s.yaml", "--jobs", 1, "--out", folder / "out").code == 0
    return folder


@pytest.mark.parametrize(
    ("options", "parts"),
    [
        (["--by", "start_live"], ["'start_live' is not a knob", "did you mean 'start_life'?", "max_duels"]),
        (["--by", "start_life,nix"], ["'nix'"]),
        (["--by", ""], ["''"]),
        (["--by", "part"], ["'part'"]),
        (["--column", "lifes_0"], ["'lifes_0' is not a results column", "did you mean 'life_0'?", "duels"]),
        pytest.param(["--column", ""], ["'' is not a results column"]),
        (["--column", "ending"], ["the values of ending are names, which have no mean; `--shares` takes ending"]),
        (["--rank", "winner"], ["the values of winner are names, which have no mean"]),
        (["--csv", "--column", "nix"], ["'nix' is not a results column"]),
    ],
    ids=" ".join,
)
def test_show_knows_parameters_and_columns(results, options, parts):
    line = refused(results, ["show", results / "out", *options])
    assert [part for part in parts if part not in line] == [], line


@pytest.mark.parametrize(
    ("options", "parts"),
    [
        ([], ["--cell is missing", "it has 2", "0 to 1"]),
        (["--cell", "2"], ["'2'", "0 to 1"]),
        (["--cell", "12345"], ["'12345'"]),
        (["--cell", "nix"], ["'nix'"]),
        (["--cell", "0", "--rotation", "2"], ["rotation 2", "0 to 1"]),
        (["--cell", "0", "--rotation", "-1"], ["rotation -1", "0 to 1"]),
        (["--cell", "0", "--game", "-1"], ["-1"]),
    ],
    ids=" ".join,
)
def test_replay_knows_cells_and_rotations(results, options, parts):
    line = refused(results, ["replay", results / "s.yaml", *options])
    assert [part for part in parts if part not in line] == [], line


def test_options_that_do_not_go_with_a_study_are_not_passed_over_in_silence(place):
    for options in (["--seed", "5"], KEEP, ["--set", "dice=2"], ["--seats", "3"]):
        assert options[0] in refused(place, ["replay", "good.yaml", *options])
    assert "--cell" in refused(place, ["replay", "viking", *KEEP, "--cell", "0"])


def test_a_number_of_any_length_is_a_mistake_like_others(place):
    """Python itself refuses to read numbers of more than 4,300 digits."""
    assert "is not a cell" in refused(place, ["replay", "good.yaml", "--cell", "9" * 5000])


@pytest.mark.parametrize("content", [b"", b"PAR1", b"x" * 500])
def test_a_table_that_is_none_is_named(place, content):
    Path("out").mkdir()
    Path("out/cells.parquet").write_bytes(content)
    assert "out/cells.parquet" in refused(place, ["show", "out"])


def test_a_table_of_something_else_is_named(place):
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"cell": ["a"]}), "cells.parquet")
    assert "not a table of cells" in refused(place, ["show", "."])


# Policies from files


@pytest.mark.parametrize(
    ("code", "parts"),
    [
        ("def f(:\n", ["SyntaxError"]),
        ("import nothing_of_this_name\n", ["ModuleNotFoundError", "nothing_of_this_name"]),
        ("raise RuntimeError('one\\ntwo')\n", ["RuntimeError", "one two"]),
        ("import sys\nsys.exit(0)\n", ["SystemExit"]),
        ("def g(view, weights, prepared, action): ...\n", ["'f'"]),
        ("f = 3\n", ["int", "not a function"]),
        ("class f: ...\n", ["not a function"]),
        ("\0", ["null bytes"]),
    ],
)
def test_a_file_of_policies_that_cannot_be_loaded_is_named(place, code, parts):
    Path("bad.py").write_text(code, encoding="utf-8")
    Path("bad.yaml").write_text(f"game: viking\npolicies: [keep, '{place}/bad.py:f']\n", encoding="utf-8")
    for arguments in (run("--policy", f"{place}/bad.py:f"), ["sweep", "bad.yaml", "--out", "out"]):
        line = refused(place, arguments)
        assert f"{place}/bad.py" in line
        assert [part for part in parts if part not in line] == [], line


@pytest.mark.parametrize("policy", ["calm", "handed_on"])
def test_a_policy_from_a_file_plays(place, policy):
    assert lab(*run("--policy", f"{place}/players.py:{policy}")).code == 0


@pytest.mark.parametrize("command", ["run", "replay", "sweep", "sweep --dry-run"])
def test_an_illegal_action_is_one_line_that_names_the_policy(place, command):
    Path("cheat.yaml").write_text(f"game: viking\npolicies: [keep, '{place}/players.py:cheat']\n", encoding="utf-8")
    line = failed(place, command, "cheat")
    assert "players.py:cheat" in line
    assert "answered 99 in game " in line


FAILURES = ["key", "attribute", "value", "name", "wrong", "running", "division", "lines"]


@pytest.mark.parametrize(
    ("command", "policy"),
    [*(("run", policy) for policy in FAILURES), *(("sweep", policy) for policy in FAILURES),
     ("replay", "attribute"), ("sweep --dry-run", "attribute")],
)  # fmt: skip
def test_a_policy_that_fails_is_one_line_that_names_it(place, command, policy):
    assert f"players.py:{policy}" in failed(place, command, policy)


def failed(place, command, policy):
    """The line of a command that got as far as playing."""
    name = f"{place}/players.py:{policy}"
    Path("fails.yaml").write_text(f"game: viking\ngames: 50\npolicies: [keep, '{name}']\n", encoding="utf-8")
    study = ["fails.yaml", "--jobs", "1", "--out", f"{place}/out", *command.split()[1:]]
    alone = ["viking", "--policy", "keep", "--policy", name]
    said = lab(command.split()[0], *(study if "sweep" in command else alone))
    assert "Traceback" not in said.err, said.err[-2000:]
    assert said.err.splitlines() == [said.err.removesuffix("\n")], said.err
    assert said.err.startswith("lab: ")
    assert said.code == 1
    return said.err


def test_a_kernel_that_cannot_be_compiled_is_one_line(place):
    code = (
        "from sims.core.kernel import kernel\n@kernel\ndef f(view, weights, prepared, action):\n    action[:] = nix\n"
    )
    Path("kernel.py").write_text(code, encoding="utf-8")
    said = lab(*run("--policy", f"{place}/kernel.py:f"))
    assert said.err.splitlines() == [said.err.removesuffix("\n")], said.err[-2000:]
    assert said.err.startswith("lab: ")
    assert "kernel.py:f" in said.err
    assert "nix" in said.err
    assert said.code == 1


def test_cells_that_can_be_played_are_complete_when_others_cannot(place):
    """One policy fails from the first game on: its cell is named, and the rest of the study is there."""
    Path("some.yaml").write_text(
        f"game: viking\ngames: 50\npolicies: [[keep, random], ['{place}/players.py:value', keep], [random, keep]]\n",
        encoding="utf-8",
    )
    said = lab("sweep", "some.yaml", "--jobs", "1", "--out", "out")
    assert said.code == 1
    assert said.err.startswith("lab: cell viking of 2 seats [")
    assert "players.py:value, keep]" in said.err
    assert said.err.count("\n") == 1
    shown = lab("show", "out", "--csv").out
    assert [line.split('"')[1] for line in shown.splitlines()[1:]] == ["keep, random", "random, keep"]


# Plug-ins


@pytest.fixture
def plug(monkeypatch):
    """Announce entry points: (group, name, what they point at)."""
    caches = (catalogue.game_names, catalogue.game, catalogue.policies, catalogue._plugins)

    def plug(*points):
        found = [EntryPoint(name, value, group) for group, name, value in points]
        monkeypatch.setattr(
            catalogue, "entry_points", lambda group: tuple(point for point in found if point.group == group)
        )
        for each in caches:
            each.cache_clear()

    yield plug
    monkeypatch.undo()
    for each in caches:
        each.cache_clear()


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("nothing_of_this_name:GAME", "ModuleNotFoundError"),
        ("plugin_that_raises:GAME", "RuntimeError: out of order"),
        ("plugin_that_leaves:GAME", "SystemExit"),
        ("sims.viking:NIX", "AttributeError"),
        ("sims.viking:columns", "not a sims.core.game.Game"),
    ],
)
def test_a_broken_game_is_named(place, monkeypatch, plug, value, reason):
    monkeypatch.syspath_prepend(place)
    Path("plugin_that_raises.py").write_text("raise RuntimeError('out of\\norder')\n", encoding="utf-8")
    Path("plugin_that_leaves.py").write_text("raise SystemExit(0)\n", encoding="utf-8")
    plug(("lab.games", "hydra", value))
    for arguments in (["games"], ["game", "hydra"], ["run", "hydra", *KEEP], ["new", "hydra"]):
        line = refused(place, arguments)
        assert "'hydra'" in line
        assert reason in line


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("nothing_of_this_name:f", "ModuleNotFoundError"),
        ("sims.viking.policies:NIX", "AttributeError"),
        ("sims.viking.policies:BELOW", "not a function"),
    ],
)
def test_a_broken_policy_is_named(place, plug, value, reason):
    plug(("lab.policies", "viking.sly", value))
    for arguments in (["games"], run("--policy", "sly"), run(*KEEP), ["sweep", "good.yaml"]):
        line = refused(place, arguments)
        assert "sly" in line
        assert reason in line


def test_a_fact_sheet_with_a_broken_policy_is_not_begun(place, plug):
    plug(("lab.policies", "viking.sly", "nothing_of_this_name:f"))
    assert "sly" in refused(place, ["game", "viking"])


def test_plug_ins_that_work_are_found_and_play(place, plug):
    plug(("lab.policies", "viking.again", "sims.viking.policies:threshold"), ("lab.policies", "chess.fool", "nix:f"))
    assert "again, healer, keep" in lab("games").out
    assert lab(*run("--policy", "again:below=3")).code == 0
    plug(("lab.games", "norse", "sims.viking:GAME"))
    assert "norse" in lab("games").out
