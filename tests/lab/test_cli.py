"""What people type, and what they get to see."""

import contextlib
import csv
import io
import json
import math
import os
import pty
import re
import subprocess
import sys
import traceback
from pathlib import Path
from statistics import NormalDist
from typing import NamedTuple

import pyarrow.parquet as pq
import pytest
from ruamel.yaml import YAML

from lab import __version__, bench, catalogue
from lab.cli import main

ROOT = Path(__file__).parents[2]
COMMANDS = (
    "report",
    "ask",
    "balance",
    "bound",
    "compare",
    "sense",
    "sweep",
    "show",
    "run",
    "replay",
    "new",
    "games",
    "game",
    "bench",
    "cache",
)
VIKING = catalogue.game("viking")


class Said(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str


def lab(*arguments):
    """`lab ARGUMENTS` in this process: all that the entry point does, and a traceback on stderr if it lets one pass."""
    out, err, before = io.StringIO(), io.StringIO(), sys.argv
    sys.argv = ["lab", *map(str, arguments)]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            main()
        code = 0
    except SystemExit as stop:
        code = stop.code or 0
    except Exception:  # noqa: BLE001 (whatever passes the entry point is shown as Python would)
        code = 1
        err.write(traceback.format_exc())
    finally:
        sys.argv = before
    return Said(code, out.getvalue(), err.getvalue())


def says(*arguments):
    """What a command that must do its work prints."""
    said = lab(*arguments)
    assert said.code == 0, said.err
    assert not said.err.strip(), said.err
    assert "\x1b" not in said.out
    return said.out


def figures(*arguments):
    """The object of `lab run ... --json` without what depends on the clock."""
    found = json.loads(says("run", "viking", *arguments, "--json"))
    del found["seconds"], found["games_per_second"]
    return found


def policies(*names):
    return [each for name in names for each in ("--policy", name)]


def line_of(text, word):
    """The one line of a table that begins with a word."""
    [line] = [line for line in text.splitlines() if line.split()[:1] == [word]]
    return " ".join(line.split())


# Help


def test_version():
    assert says("--version") == f"balance-lab {__version__}\n"


@pytest.mark.parametrize("arguments", [["--help"], []])
def test_help_lists_every_command(arguments):
    said = lab(*arguments)
    assert not said.err
    listed = re.findall(r"^│ (\w+) ", said.out, re.MULTILINE)
    assert sorted(listed) == sorted(COMMANDS)


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("sweep", ["STUDY", "--jobs", "--out", "--games", "--dry-run", "--quiet"]),
        ("show", ["RESULTS", "--by", "--column", "--csv"]),
        ("run", ["game", "--policy", "--seats", "--games", "--seed", "--set", "--json", "--quiet"]),
        ("ask", ["STUDY", "--jobs", "--out", "--json"]),
        ("sense", ["STUDY", "--part", "--games", "--jobs", "--out"]),
        ("report", ["RESULTS|STUDY", "--format", "--out", "--open"]),
        ("compare", ["A.yaml B.yaml | GAME", "--set", "--vs", "--policy", "--vs-policy", "--games", "--out", "--json"]),
        ("replay", ["GAME|STUDY", "--game", "--cell", "--rotation", "--policy"]),
        ("new", ["game"]),
        ("games", []),
        ("game", ["name"]),
        ("bench", ["game"]),
        ("cache", ["--clear"]),
    ],
)
def test_every_command_tells_its_options(command, options):
    text = says(command, "--help")
    assert [option for option in options if option not in text] == []
    assert f"lab {command}" in text.split("Usage: ")[1].splitlines()[0].replace(".lab", " lab")


# What there is


def test_games():
    text = says("games")
    for name in catalogue.game_names():
        line = line_of(text, name)
        assert catalogue.game(name).title in line
        assert ", ".join(map(str, catalogue.game(name).seats)) in line
        assert ", ".join(catalogue.policies(name)) in line


@pytest.fixture(scope="module")
def sheet():
    return says("game", "viking")


@pytest.mark.parametrize("name", VIKING.knobs.model_fields)
def test_fact_sheet_has_every_knob(sheet, name):
    info = VIKING.knobs.model_fields[name]
    line = line_of(sheet, name).replace(",", "")
    assert f"{name} {info.default} " in line
    assert info.description.replace(",", "") in line
    assert info.json_schema_extra["ruling"] in line
    bounds = [getattr(each, bound) for each in info.metadata for bound in ("ge", "le") if hasattr(each, bound)]
    options = getattr(info.annotation, "__args__", ())
    assert bounds or options
    assert [each for each in (*bounds, *options) if str(each) not in line.split()] == []


@pytest.mark.parametrize("name", VIKING.policies)
def test_fact_sheet_has_every_policy_with_its_weights(sheet, name):
    policy, line = VIKING.policies[name], line_of(sheet, name)
    assert policy.help in line
    for weight, info in policy.weights.model_fields.items():
        assert f"{weight} = {info.default}" in line
        assert info.description in line
        assert re.search(rf"\b{info.metadata[0].ge}\b.*\b{info.metadata[1].le}\b", line)


def test_fact_sheet_has_every_column_with_unit_and_meaning(sheet):
    for column in VIKING.columns(2, VIKING.knobs()):
        line = line_of(sheet, column.name)
        assert f"{column.name} {column.help} {column.unit}" in line
        assert line.endswith("yes") == column.headline


# A study to begin with


def test_new_study_has_everything_and_runs_as_it_is(tmp_path):
    study = tmp_path / "new.yaml"
    study.write_text(says("new", "viking"), encoding="utf-8")
    text = study.read_text(encoding="utf-8")
    read = YAML(typ="safe").load(text)
    assert read["knobs"] == VIKING.knobs().model_dump()
    comments = " ".join(line.strip().lstrip("# ") for line in text.splitlines() if line.strip().startswith("#"))
    for name, info in VIKING.knobs.model_fields.items():
        assert info.description in comments, name
    for name, policy in VIKING.policies.items():
        assert f"{name}: {policy.help}" in comments
    out = says("sweep", study, "--jobs", 1, "--games", 100, "--out", tmp_path / "out")
    assert "2 cells; 200 plays in " in out
    assert (tmp_path / "out" / "cells.parquet").is_file()


# One cell


def test_run_prints_shares_and_every_column_with_a_mean():
    names = ["threshold:below=3", "keep", "random"]
    text = says("run", "viking", *policies(*names), "--games", "2_000", "--seed", 7)
    found = figures(*policies(*names), "--games", 2000, "--seed", 7)
    assert text.startswith("viking, 2,000 games, seed 7")
    place = text.index("  column")
    shares, text = text[:place], text[place:]
    for seat, name in enumerate(names):
        share = found["win_share"][seat]
        half = 100 * max(share["estimate"] - share["low"], share["high"] - share["estimate"])
        assert line_of(shares, str(seat)) == f"{seat} {name} {100 * share['estimate']:.1f} ± {half:.1f}"
    heading, *lines = [re.split(r"\s{2,}", line.strip()) for line in text.splitlines() if re.match(" +\\w", line)]
    told = {line[0]: dict(zip(heading, line, strict=True)) for line in lines}
    without = {"winner", "ending"}  # categories have shares, not means
    assert set(told) & set(found["metrics"]) == set(found["metrics"]) - without
    for name, metric in ((name, metric) for name, metric in found["metrics"].items() if name not in without):
        mean, half = map(float, told[name]["mean"].split(" ± "))
        assert mean == pytest.approx(metric["mean"], abs=0.01)
        assert half == pytest.approx(metric["high"] - metric["mean"], abs=0.01)
        assert float(told[name]["sd"]) == pytest.approx(metric["sd"], abs=0.01)
        assert told[name]["n"] == f"{metric['n']:,}"
    assert "0 games without a winner, 0 unfinished, 0 shared; " in text


ESTIMATE = {"estimate": float, "low": float, "high": float}
METRIC = {"n": int, "mean": float, "sd": float, "low": float, "high": float}
TYPES = {
    "game": str, "rules_version": int, "seats": int, "games": int, "seed": int, "policies": list, "knobs": dict,
    "note": str, "unfinished": int, "no_winner": int, "shared": int, "win_share": list, "win_share_policy": list,
    "win_share_by": list, "metrics": dict, "histograms": dict, "seconds": float, "games_per_second": float,
}  # fmt: skip
"""The stable interface of `lab run --json`."""


@pytest.mark.parametrize(
    ("names", "options", "unfinished"),
    [
        (["threshold", "trailing"], [], False),
        (["random", "keep", "healer:below=2"], ["--set", "max_duels=8"], True),
        (["threshold", "keep..."], ["--seats", "4", "--set", "heal=none", "--set", "sides=10"], False),
    ],
)
def test_json_is_one_object_of_the_stable_interface(names, options, unfinished):
    text = says("run", "viking", *policies(*names), "--games", "3000", "--seed", "5", *options, "--json")
    assert text.endswith("}\n")
    assert text.count("\n") == 1
    found = json.loads(text)
    assert {key: type(value) for key, value in found.items()} == TYPES

    seats = found["seats"]
    assert (found["game"], found["rules_version"]) == ("viking", VIKING.rules_version)
    assert (found["games"], found["seed"], found["shared"]) == (3000, 5, 0)
    assert found["seconds"] > 0
    assert found["games_per_second"] > 0
    assert VIKING.knobs(**found["knobs"]).model_dump() == found["knobs"]
    assert len(found["policies"]) == len(found["win_share"]) == len(found["win_share_policy"]) == seats
    for share in found["win_share"] + found["win_share_policy"]:
        assert {key: type(value) for key, value in share.items()} == ESTIMATE
        assert 0 <= share["low"] <= share["estimate"] <= share["high"] <= 1
    assert found["win_share"] == found["win_share_policy"]  # these seats are not rotated

    columns = list(VIKING.column_names(seats, VIKING.knobs()))
    assert {f"life_{seat}" for seat in range(seats)} <= set(columns)
    assert list(found["metrics"]) == list(found["histograms"]) == columns
    for column, metric in found["metrics"].items():
        assert {key: type(value) for key, value in metric.items()} == METRIC, column
        assert metric["low"] <= metric["mean"] <= metric["high"]
    assert (found["unfinished"] > 0) == unfinished
    assert found["no_winner"] == found["unfinished"]


@pytest.mark.parametrize("options", [[], ["--set", "max_duels=6"]])
def test_json_figures_follow_from_its_histograms(options):
    """A second method: every figure again, from the histograms alone."""
    found = figures(*policies("threshold", "random", "keep"), "--games", 4000, *options)
    games = found["games"]
    for column, metric in found["metrics"].items():
        histogram = {int(value): count for value, count in found["histograms"][column].items()}
        assert sum(histogram.values()) == games
        assert min(histogram) >= -1
        values = [value for value, count in histogram.items() if value >= 0 for _ in range(count)]
        assert metric["n"] == len(values)
        mean = sum(values) / len(values)
        sd = math.sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1))
        assert metric["mean"] == pytest.approx(mean)
        assert metric["sd"] == pytest.approx(sd, abs=1e-9)
        half = NormalDist().inv_cdf(0.975) * sd / math.sqrt(len(values))
        assert metric["high"] - metric["mean"] == pytest.approx(half, rel=0.001)
    winners = found["histograms"]["winner"]
    assert found["no_winner"] == winners.get("-1", 0)
    assert found["unfinished"] == found["histograms"]["unfinished"].get("1", 0)
    for seat, share in enumerate(found["win_share"]):
        assert share["estimate"] == pytest.approx(winners[str(seat)] / games)


def test_json_says_null_where_there_is_nothing_to_tell():
    found = figures(*policies("keep"), "--games", 200, "--set", "max_duels=1", "--set", "start_life=200")
    assert (found["unfinished"], found["no_winner"]) == (200, 200)
    assert found["metrics"]["winner"] == {"n": 0, "mean": None, "sd": None, "low": None, "high": None}
    assert found["histograms"]["winner"] == {"-1": 200}
    assert [share["estimate"] for share in found["win_share"]] == [0, 0]
    alone = figures(*policies("keep"), "--games", 1)["metrics"]["duels"]
    assert (alone["n"], alone["sd"], alone["low"], alone["high"]) == (1, None, None, None)


def test_json_counts_values_beyond_the_histogram():
    """Two healers with dice that heal more than they hurt never end, and grow old."""
    rules = {"dice": 2, "sides": 4, "heal": "total", "start_life": 200, "max_duels": 6000}
    options = [each for name, value in rules.items() for each in ("--set", f"{name}={value}")]
    found = figures(*policies("healer:below=5"), "--games", 3, *options)
    assert found["unfinished"] == 3
    assert found["histograms"]["duels"] == found["histograms"]["life_0"] == {"above": 3}
    assert found["metrics"]["duels"] == {"n": 3, "mean": 6000, "sd": 0, "low": 6000, "high": 6000}
    assert found["metrics"]["life_0"]["sd"] > 0
    assert found["metrics"]["life_0"]["low"] < found["metrics"]["life_0"]["mean"] < 10_000


def test_a_seed_has_its_numbers():
    line_up = policies("threshold", "random")
    one = figures(*line_up, "--games", "1e3", "--seed", 11)
    assert figures(*line_up, "--games", 1000, "--seed", 11) == one
    other = figures(*line_up, "--games", 1000, "--seed", 2**64 - 1)
    assert other["seed"] == 2**64 - 1
    assert other["histograms"] != one["histograms"]
    more = figures(*line_up, "--games", 1001, "--seed", 11)  # the same games, and one more
    for column, histogram in one["histograms"].items():
        new = {
            value: more["histograms"][column][value] - histogram.get(value, 0) for value in more["histograms"][column]
        }
        assert sorted(new.values())[-2:] in ([0, 1], [1]), column


def test_run_has_defaults():
    found = figures(*policies("keep"))
    assert (found["games"], found["seed"], found["seats"]) == (100_000, 0, 2)
    assert found["knobs"] == VIKING.knobs().model_dump()


@pytest.mark.parametrize(
    ("arguments", "line_up"),
    [
        (policies("keep"), ["keep", "keep"]),
        (policies("keep", "random"), ["keep", "random"]),
        (policies("keep", "random", "healer"), ["keep", "random", "healer"]),
        ([*policies("keep"), "--seats", "4"], ["keep"] * 4),
        ([*policies("keep", "random", "keep"), "--seats", "3"], ["keep", "random", "keep"]),
        ([*policies("healer", "keep..."), "--seats", "3"], ["healer", "keep", "keep"]),
        (["-p", "keep", "-p", "random"], ["keep", "random"]),
    ],
)
def test_policies_are_one_or_as_many_as_seats(arguments, line_up):
    found = figures(*arguments, "--games", 50)
    assert (found["policies"], found["seats"]) == (line_up, len(line_up))


def test_knobs_are_set():
    settings = {"start_life": 9, "heal": "none", "sides": 8, "reroll_order": "simultaneous"}
    options = [each for name, value in settings.items() for each in ("--set", f"{name}={value}")]
    found = figures(*policies("trailing"), "--games", 500, *options)
    assert found["knobs"] == VIKING.knobs(**settings).model_dump()
    assert max(map(int, found["histograms"]["life_0"])) <= 9  # none heals
    usual = figures(*policies("trailing"), "--games", 500)
    assert found["metrics"]["duels"]["mean"] < usual["metrics"]["duels"]["mean"]


def test_weights_are_set():
    usual = figures(*policies("threshold", "keep"), "--games", 500)
    assert figures(*policies("threshold:below=4", "keep"), "--games", 500) == usual
    cautious = figures(*policies("threshold:below=2", "keep"), "--games", 500)
    assert cautious["policies"] == ["threshold:below=2", "keep"]
    assert cautious["metrics"]["rerolls"]["mean"] < usual["metrics"]["rerolls"]["mean"]


def test_the_policy_of_the_readme_plays(tmp_path):
    [code] = [
        block
        for block in re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
        if block.startswith("# mine.py")
    ]
    (tmp_path / "mine.py").write_text(code, encoding="utf-8")
    mine = f"{tmp_path / 'mine.py'}:careful"
    found = figures(*policies(f"{mine}:gap=3", "keep"), "--games", 300)
    assert found["policies"] == [f"{mine}:gap=3", "keep"]
    assert found["metrics"]["rerolls"]["mean"] > 0.5


# A study

STUDY = """
name: small
question: What is a seat worth?
game: viking
seed: 4
games: 400
keep_games: 100
studies:
  plain:
    seats: [2, 3]
    policies: [[threshold, keep...], [random...]]
    knobs: {start_life: [9, 12]}
  rotated:
    rotate_seats: true
    policies: [threshold, keep]
"""


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    path = tmp_path_factory.mktemp("study") / "small.yaml"
    path.write_text(STUDY, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def swept(study):
    """The study's results, and what the sweep has printed."""
    folder = study.parent / "out"
    return folder, says("sweep", study, "--jobs", 1, "--out", folder)


@pytest.fixture(scope="module")
def cells(swept):
    return pq.read_table(swept[0] / "cells.parquet").to_pylist()


def test_sweep_says_what_was_played_and_where_it_is(swept, cells):
    folder, text = swept
    assert len(cells) == 9
    assert text.splitlines()[-1].startswith("9 cells; 4,000 plays in ")
    assert text.splitlines()[-1].endswith(f"results in {folder}")
    assert "small: plain" in text
    assert "small: rotated" in text
    for row in cells:
        share = f"{100 * row['win_share'][0]['estimate']:.1f} ± "
        assert [line for line in text.splitlines() if share in line], share
    assert "entry 1 %" in text.split("small: rotated")[1]


def test_a_second_sweep_has_nothing_to_play(swept, study):
    folder, text = swept
    again = says("sweep", study, "--jobs", 1, "--out", folder)
    assert again.splitlines()[:-1] == text.splitlines()[:-1]
    assert again.splitlines()[-1] == f"9 cells; nothing was missing; results in {folder}"


def test_results_go_to_a_folder_of_the_study_s_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("s.yaml").write_text("name: my study\ngame: viking\npolicies: keep\ngames: 20\n", encoding="utf-8")
    assert says("sweep", "s.yaml", "--jobs", 1, "-q").endswith(f"results in {Path('results', 'my study')}\n")
    assert Path("results", "my study", "cells.parquet").is_file()
    manifest = json.loads(Path("results", "my study", "study.json").read_text(encoding="utf-8"))
    assert manifest["name"] == "my study"
    assert manifest["versions"]["balance-lab"] == __version__


def test_names_with_brackets_are_printed_as_they_are(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("s.yaml").write_text("game: viking\npolicies: keep\ngames: 20\n", encoding="utf-8")
    assert says("sweep", "s.yaml", "--jobs", 1, "--out", "a[new]b").endswith("results in a[new]b\n")
    assert says("show", "a[new]b").startswith("a[new]b")
    assert says("sweep", "s.yaml", "--jobs", 1, "--out", "a[/new]b").endswith(f"results in {Path('a[/new]b')}\n")


def test_sweep_and_run_have_the_same_figures(cells):
    row = next(
        row for row in cells if row["policies"] == ["threshold", "keep", "keep"] and '"start_life": 9' in row["knobs"]
    )
    found = figures(
        *policies("threshold", "keep..."), "--seats", 3, "--set", "start_life=9", "--games", 400, "--seed", 4
    )
    assert [share["estimate"] for share in row["win_share"]] == [share["estimate"] for share in found["win_share"]]
    for metric in row["metrics"]:
        assert {key: metric[key] for key in METRIC} == found["metrics"][metric["column"]]


def test_quiet_prints_results_only(study, tmp_path):
    out = says("sweep", study, "--jobs", 1, "--out", tmp_path / "out", "--games", 20, "--quiet")
    assert out.count("\n") == 1
    assert out.startswith("9 cells; 200 plays in ")
    assert says("--quiet", "sweep", study, "--jobs", 1, "--out", tmp_path / "out", "--games", 20).count("\n") == 1
    assert says("run", "viking", *policies("keep"), "--games", 50, "-q").startswith("viking, 50 games, seed 0")


def test_silence_on_stderr_where_there_is_no_terminal(study, tmp_path):
    for arguments in (["sweep", study, "--jobs", 1, "--out", tmp_path / "o"], ["run", "viking", *policies("keep")]):
        assert lab(*arguments, "--games", 50).err == ""


def test_dry_run_writes_nothing_and_says_what_it_would_take(study, tmp_path, cells):
    out = says("sweep", study, "--dry-run", "--jobs", 2, "--out", tmp_path / "none", "--games", "40_000")
    assert not list(tmp_path.iterdir())
    head = out.splitlines()[2].split("  ")
    assert {"games", "missing", "seconds", "± win share %", "± duels"} <= {each.strip() for each in head}
    assert out.count("40,000") == 2 * 9  # games a cell, and all of them missing
    last = out.splitlines()[-1]
    assert re.fullmatch(
        r"9 cells; 400,000 plays are missing; about [\d,]+ s with 2 jobs; about [\d.]+ MB in .*; nothing was written",
        last,
    )


@pytest.mark.parametrize(
    "keep",
    ["all", pytest.param("1_000_000")],
)
def test_dry_run_expects_what_then_comes(tmp_path, keep):
    """Half-widths within a fifth; bytes within a factor of two."""
    study, folder = tmp_path / "s.yaml", tmp_path / "out"
    text = f"game: viking\npolicies: [threshold, keep]\ngames: 20_000\nkeep_games: {keep}\n"
    study.write_text(text, encoding="utf-8")
    before = says("sweep", study, "--dry-run", "--jobs", 1, "--out", folder)
    heading, line = (re.split(r"\s{2,}", row.strip()) for row in (before.splitlines()[2], before.splitlines()[4]))
    expected = dict(zip(heading, line, strict=True))
    size = float(re.search(r"about ([\d.]+) MB", before)[1])
    says("sweep", study, "--jobs", 1, "--out", folder)
    [row] = pq.read_table(folder / "cells.parquet").to_pylist()
    share, duels = row["win_share"][0], next(each for each in row["metrics"] if each["column"] == "duels")
    assert float(expected["± win share %"]) == pytest.approx(50 * (share["high"] - share["low"]), rel=0.2)
    assert float(expected["± duels"]) == pytest.approx((duels["high"] - duels["low"]) / 2, rel=0.2)
    found = sum(path.stat().st_size for path in folder.rglob("*.parquet")) / 1e6
    assert found / 2 < size < found * 2
    after = says("sweep", study, "--dry-run", "--jobs", 1, "--out", folder)
    assert "1 cells; 0 plays are missing" in after
    assert "5,000 plays are missing" in says("sweep", study, "--dry-run", "--out", folder, "--games", 25_000)


# Stored results


def test_show_prints_what_the_sweep_has_printed(swept):
    folder, text = swept
    shown = says("show", folder).replace(str(folder), "small")
    printed, checked = text[: text.index("\n\nholds: ")], text[text.index("\n\nholds: ") :]
    assert [line.rstrip() for line in shown.splitlines()] == [line.rstrip() for line in printed.splitlines()]
    assert "DOES NOT HOLD" not in checked
    assert says("show", folder / "cells.parquet").count("\n") == shown.count("\n")


def test_show_by_averages_the_cells_that_agree(swept, cells):
    lines = list(csv.DictReader(io.StringIO(says("show", swept[0], "--by", "start_life,seats", "--csv"))))
    assert [(line["start_life"], line["seats"]) for line in lines] == [("9", "2"), ("12", "2"), ("9", "3"), ("12", "3")]
    for line in lines:
        rows = [
            row for row in cells
            if row["seats"] == int(line["seats"]) and json.loads(row["knobs"])["start_life"] == int(line["start_life"])
        ]  # fmt: skip
        assert int(line["cells"]) == len(rows)
        assert int(line["games"]) == 400 * len(rows)
        for seat in range(int(line["seats"])):
            mean = sum(row["win_share"][seat]["estimate"] for row in rows) / len(rows)
            assert float(line[f"seat_{seat}"]) == pytest.approx(mean)
    table = says("show", swept[0], "--by", "start_life,seats")
    assert [line.split()[:3] for line in table.splitlines() if re.match(r" +\d", line)] == [
        ["9", "2", "2"], ["12", "2", "3"], ["9", "3", "2"], ["12", "3", "2"]
    ]  # fmt: skip
    missing = "no shares of wins, since lines mix numbers of seats: --by seats,start_life has them"
    assert missing not in table
    assert missing in says("show", swept[0], "--by", "start_life")
    assert missing not in says("show", swept[0], "--by", "start_life", "--where", "seats=3")


def quantile(metric, share):
    """The smallest value that at least this share of the defined values do not exceed."""
    values = [v for v, n in zip(metric["values"], metric["counts"], strict=True) if v >= 0 for _ in range(n)]
    return sorted(values)[math.ceil(share * len(values)) - 1]


def test_show_column_tells_one_results_column_in_full(swept, cells):
    lines = list(csv.DictReader(io.StringIO(says("show", swept[0], "--column", "rerolls", "--csv"))))
    assert len(lines) == len(cells)
    for line, row in zip(lines, cells, strict=True):
        metric = next(each for each in row["metrics"] if each["column"] == "rerolls")
        assert int(line["n"]) == metric["n"] == row["plays"]
        assert float(line["mean_rerolls"]) == metric["mean"]
        assert float(line["mean_rerolls_low"]) == metric["low"]
        assert float(line["sd"]) == pytest.approx(metric["sd"], abs=1e-4)
        for share in (5, 50, 95):
            assert int(line[f"{share}_%"]) == quantile(metric, share / 100)
    table = says("show", swept[0], "--column", "rerolls", "--by", "seats")
    assert "mean rerolls" in table


def test_csv_is_the_parquet_table(swept, cells):
    text = says("show", swept[0], "--csv")
    assert text.isascii() or "×" in text
    lines = list(csv.DictReader(io.StringIO(text)))
    assert len(lines) == len(cells)
    for line, row in zip(lines, cells, strict=True):
        assert (line["part"], int(line["seats"]), int(line["games"])) == (row["part"], row["seats"], row["games"])
        assert int(line["start_life"]) == json.loads(row["knobs"])["start_life"]
        for share in row["win_share"]:
            for suffix, key in (("", "estimate"), ("_low", "low"), ("_high", "high")):
                assert float(line[f"seat_{share['seat']}{suffix}"]) == share[key]
        for name in ("duels", "rerolls", "lead_changes"):
            metric = next(each for each in row["metrics"] if each["column"] == name)
            for suffix, key in (("", "mean"), ("_low", "low"), ("_high", "high")):
                assert float(line[f"{name}{suffix}"]) == metric[key]


def test_csv_has_three_columns_a_figure_and_no_other(swept):
    """Also where some cells have no such figure: those of two seats beside those of three."""
    head = says("show", swept[0], "--csv").splitlines()[0].split(",")
    names = ["seat_0", "seat_1", "seat_2", "entry_0", "entry_1", "entry_2", "duels", "rerolls", "lead_changes"]
    wanted = [name + suffix for name in names for suffix in ("", "_low", "_high")]
    assert [name for name in head if name.startswith(("seat_", "entry_"))] == wanted[: 6 * 3]
    assert head[head.index("games") + 1 :] == wanted


# A game in words


def test_replay_tells_a_game_of_a_line_up():
    text = says("replay", "viking", *policies("threshold", "random"), "--game", "1_234", "--seed", 4)
    assert text.startswith("Viking Dice, game 1,234 of seed 4\n")
    assert "seat 0 (threshold), seat 1 (random)" in text
    assert "\nDuel 1: " in text
    found = figures(*policies("threshold", "random"), "--games", 1, "--seed", 4)
    first = says("replay", "viking", *policies("threshold", "random"), "--seed", 4)
    results = ", ".join(f"{name} {metric['mean'] or 0:.0f}" for name, metric in found["metrics"].items())
    assert first.splitlines()[-1] == f"results: {results}"


def test_replay_of_the_last_game_there_is():
    assert f"game {2**64 - 1:,} of seed 0" in says("replay", "viking", *policies("keep"), "--game", 2**64 - 1)


def test_replay_finds_the_cells_of_a_study(study, swept, cells):
    for number, row in enumerate(cells):
        kept = pq.read_table(swept[0] / "games" / f"{row['cell']}.parquet").to_pylist()
        play = next(each for each in kept if each["game_number"] == 42 and each["rotation"] == 0)
        by_number = says("replay", study, "--cell", number, "--game", 42)
        assert says("replay", study, "--cell", row["cell"], "--game", 42) == by_number
        assert says("replay", study, "--cell", row["cell"][:8], "--game", 42) == by_number
        results = ", ".join(
            f"{name} {value}" for name, value in play.items() if name not in ("game_number", "rotation")
        )
        assert by_number.splitlines()[-1] == f"results: {results}"


def test_replay_of_a_rotation(study, swept, cells):
    [row] = [row for row in cells if row["rotate_seats"]]
    kept = pq.read_table(swept[0] / "games" / f"{row['cell']}.parquet").to_pylist()
    play = next(each for each in kept if each["game_number"] == 7 and each["rotation"] == 1)
    text = says("replay", study, "--cell", row["cell"], "--game", 7, "--rotation", 1)
    assert text.startswith("Viking Dice, game 7 of seed 4, rotation 1\n")
    assert "seat 0 (keep), seat 1 (threshold)" in text
    assert f"results: duels {play['duels']}, winner {play['winner']}, " in text


def test_replay_of_a_study_s_only_cell_needs_no_number(tmp_path):
    (tmp_path / "one.yml").write_text("game: viking\npolicies: keep\nseed: 9\n", encoding="utf-8")
    assert says("replay", tmp_path / "one.yml") == says("replay", "viking", *policies("keep"), "--seed", 9)


# The rest


def test_bench_prints_a_ratio(monkeypatch):
    monkeypatch.setattr(bench, "ROUND_SECONDS", 0.004)
    text = says("bench", "viking")
    assert text.startswith("viking: threshold against trailing, one core")
    assert re.search(r"table of lanes +[\d,]+ games/s +[\d.]+ ns a game +[\d.]+ ns a decision", text)
    ratio, low, high = map(float, re.search(r"ratio +([\d.]+) \(rounds from ([\d.]+) to ([\d.]+)\)", text).groups())
    assert 0 < low <= ratio <= high


def test_cache_says_where_it_is_and_is_cleared(tmp_path, monkeypatch):
    home = tmp_path / "kernels"
    monkeypatch.setenv("BALANCE_LAB_CACHE", str(home))
    assert str(home) in says("cache")
    for name in ("0123456789abcdef", "fedcba9876543210"):
        (home / name / "deep").mkdir(parents=True)
        (home / name / "deep" / "kernel.nbi").write_bytes(b"0" * 600_000)
    text = says("cache")
    assert str(home) in text
    assert "2 versions of the sources, 2 files, 1.2 MB" in text
    assert str(home) in says("cache", "--clear")
    assert not [path for path in home.rglob("*") if path.is_file()]
    assert "0 versions of the sources, 0 files" in says("cache")


def test_clearing_the_cache_leaves_alone_what_is_not_of_the_lab(tmp_path, monkeypatch):
    """Someone may have pointed `BALANCE_LAB_CACHE` at a folder that holds other things."""
    monkeypatch.setenv("BALANCE_LAB_CACHE", str(tmp_path))
    (tmp_path / "0123456789abcdef").mkdir()
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter.txt").write_text("years of work", encoding="utf-8")
    says("cache", "--clear")
    assert [path.name for path in tmp_path.iterdir()] == ["thesis"]
    assert (tmp_path / "thesis" / "chapter.txt").is_file()


def on_terminal(arguments, stream, **environment):
    """What a command prints: on `stream` ("stdout" or "stderr"), which is a terminal, and on the other, a pipe."""
    keep = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR", "PY_COLORS")}
    keep.pop("GITHUB_ACTIONS", None)
    ours, theirs = pty.openpty()
    other = "stderr" if stream == "stdout" else "stdout"
    process = subprocess.Popen(
        [sys.executable, "-m", "lab", *map(str, arguments)],
        **{stream: theirs, other: subprocess.PIPE}, stdin=subprocess.DEVNULL, cwd=ROOT,
        env=keep | {"TERM": "xterm-256color", "COLUMNS": "100"} | environment,
    )  # fmt: skip
    os.close(theirs)
    seen = b""
    with contextlib.suppress(OSError):  # what a terminal says when its last writer has gone
        while piece := os.read(ours, 65536):
            seen += piece
    os.close(ours)
    piped = process.communicate(timeout=60)[other == "stderr"]
    assert process.returncode == 0, piped
    return seen.decode(), piped.decode()


def test_progress_is_shown_on_stderr_and_only_in_a_terminal(study, tmp_path):
    command = ["sweep", study, "--jobs", 1, "--games", 3000, "--out", tmp_path / "out"]
    terminal, piped = on_terminal(command, "stderr")
    assert "playing" in terminal
    assert "30000" in terminal.replace(",", "")
    assert "plays/s" in terminal
    assert "playing" not in piped
    assert "\x1b" not in piped
    assert "9 cells; 30,000 plays in " in piped


def test_a_narrow_terminal_shows_every_figure(swept):
    wide = says("show", swept[0])
    narrow, _ = on_terminal(["show", swept[0]], "stdout", COLUMNS="60", NO_COLOR="1")
    plain = re.sub(r"\x1b\[[\d;]*m", "", narrow)
    for figure in set(re.findall(r"\d[\d.]* ± [\d.]+", wide)):
        assert figure in plain
    for heading in ("start_life", "seat 0 %", "lead_changes", "entry 1 %"):
        assert heading in plain


def test_a_narrow_terminal_cuts_no_name():
    narrow, _ = on_terminal(["game", "vices"], "stdout", COLUMNS="80", NO_COLOR="1")
    assert "…" not in narrow
    for name in catalogue.game("vices").column_names(3, catalogue.game("vices").knobs()):
        assert f" {name} " in narrow


COLOR = re.compile(r"\x1b\[(?:\d+;)*(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])[;m]")


def test_no_color():
    colorful, _ = on_terminal(["--help"], "stdout")
    plain, _ = on_terminal(["--help"], "stdout", NO_COLOR="1")
    assert COLOR.search(colorful)
    assert not COLOR.search(plain)
    assert "sweep" in plain


def test_show_where_picks_cells_and_numbers_them_as_replay_takes_them(swept, cells, study):
    shown = says("show", swept[0], "--where", "part=plain,seats=3,start_life=9", "--csv")
    lines = list(csv.DictReader(io.StringIO(shown)))
    wanted = [row for row in cells if (row["part"], row["seats"]) == ("plain", 3) and '"start_life": 9' in row["knobs"]]
    assert [cells[int(line["cell"])] for line in lines] == wanted
    line, row = lines[0], wanted[0]
    by_number = says("replay", study, "--cell", line["cell"], "--game", 7)
    assert by_number == says("replay", study, "--cell", row["cell"], "--game", 7)
    assert "start_life" in lab("show", swept[0], "--where", "start_live=9").err
    assert "is not a value of seats" in lab("show", swept[0], "--where", "seats=7").err
    (alone,) = csv.DictReader(io.StringIO(says("show", swept[0], "--where", f"cell={line['cell']}", "--csv")))
    assert alone.items() <= line.items()
    assert "'9' is not the number of a cell (0 to 8)" in lab("show", swept[0], "--where", "cell=9").err


def test_line_ups_are_told_apart_in_a_list(study, tmp_path):
    path = tmp_path / "two.yaml"
    path.write_text("game: viking\ngames: 20\npolicies: [[keep, random], [keep...]]\n", encoding="utf-8")
    says("sweep", path, "--out", tmp_path / "out", "--jobs", 1)
    assert "(keep ×2; keep, random)" in lab("show", tmp_path / "out", "--where", "policies=random").err


def test_the_summary_of_many_cells_is_short(tmp_path):
    path = tmp_path / "many.yaml"
    lives = f"game: viking\ngames: 4\npolicies: [keep, keep]\nknobs: {{start_life: {[*range(1, 31)]}}}\n"
    path.write_text(lives, encoding="utf-8")
    text = says("sweep", path, "--out", tmp_path / "out", "--jobs", 1)
    assert len(re.findall(r"^ +\d+ +\d+ +4 ", text, re.MULTILINE)) == 12
    assert f"12 of 30 cells; all of them: lab show {tmp_path / 'out'}" in text
    assert len(says("show", tmp_path / "out", "--csv").splitlines()) == 31


def test_a_sweep_says_which_cells_its_table_no_longer_has(study, tmp_path):
    for name, policies_ in (("one", "[keep, random]"), ("two", "[random, keep]")):
        (tmp_path / f"{name}.yaml").write_text(f"game: viking\ngames: 20\npolicies: {policies_}\n", encoding="utf-8")
    assert lab("sweep", tmp_path / "one.yaml", "--out", tmp_path / "out", "--jobs", 1).err == ""
    said = lab("sweep", tmp_path / "two.yaml", "--out", tmp_path / "out", "--jobs", 1)
    assert said.err.startswith("lab: 1 cells of an earlier study are no longer in ")
    assert len(list((tmp_path / "out" / "cells").iterdir())) == 2


def test_a_new_study_is_named_by_its_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("mine.yaml").write_text(says("new", "viking"), encoding="utf-8")
    assert says("sweep", "mine.yaml", "--games", 20, "--jobs", 1).endswith(f"results in {Path('results/mine')}\n")


def test_run_prints_the_mean_first():
    lines = says("run", "viking", *policies("keep"), "--games", 50).splitlines()
    assert ["column", "mean", "sd", "n"] in [line.split() for line in lines]


def test_more_games_than_asked_for_are_told(tmp_path):
    (tmp_path / "s.yaml").write_text("game: viking\ngames: 30\npolicies: keep\n", encoding="utf-8")
    says("sweep", tmp_path / "s.yaml", "--out", tmp_path / "out", "--jobs", 1)
    less = says("sweep", tmp_path / "s.yaml", "--out", tmp_path / "out", "--jobs", 1, "--games", 20)
    assert "nothing was missing; 1 cells had more games than asked for" in less
