"""Whatever befalls a sweep: started again, it plays what is missing and ends with the bytes of an undisturbed one."""

import errno
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
import warnings
from dataclasses import replace
from itertools import count
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from lab import arena, runner, store
from lab.identity import cell_id
from lab.runner import Progress
from lab.study import read_study
from lab.sweeping import sweep
from tests.lab.common import cell, matches
from tests.lab.test_cli import ROOT, lab

BLOCK = 250


@pytest.fixture(autouse=True)
def _blocks(monkeypatch):
    """Many small blocks, whatever the machine's pace."""
    monkeypatch.setattr(runner, "_block", lambda cell: BLOCK)


class Killed(BaseException):
    """Nobody catches this one, nor cleans up after it: what is left is what a killed process leaves."""


STUDY = """
game: viking
seed: 12
games: 1000
keep_games: {keep}
studies:
  plain: {{policies: [[threshold, random], [keep, trailing, healer]]}}
  rotated: {{rotate_seats: true, policies: [threshold, keep]}}
"""
PLAYS = 4000


def a_study(place, keep="all", text=STUDY, games=None, **values):
    path = place / "study.yaml"
    path.write_text(text.format(keep=keep, **values), encoding="utf-8")
    study = read_study(path)
    return study if games is None else with_games(study, games)


def with_games(study, games):
    return replace(study, cells=tuple(replace(each, games=games) for each in study.cells))


def results(folder):
    """The bytes of all tables that a study leaves; fails if anything else is left."""
    names = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
    assert [
        name for name in names if not re.fullmatch(r"cells\.parquet|study\.json|(cells|games)/\w+\.parquet", name)
    ] == []
    assert sorted(path.name for path in folder.iterdir() if path.is_dir()) in (["cells"], ["cells", "games"])
    return {name: (folder / name).read_bytes() for name in names if name != "study.json"}


def undisturbed(study, folder):
    sweep(study, folder, jobs=1)
    return results(folder)


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    """The undisturbed sweep of STUDY, by what it keeps."""
    known = {}

    def reference(keep="all", games=None):
        if (keep, games) not in known:
            folder = tmp_path_factory.mktemp("undisturbed")
            known[keep, games] = undisturbed(a_study(folder, keep, games=games), folder / "out")
        return known[keep, games]

    return reference


# Killed


class Crash:
    """Writes as the store does, and kills the sweep at the n-th step of all steps of writing."""

    def __init__(self, monkeypatch, at):
        self.left = at
        monkeypatch.setattr(store, "write_atomically", self.write)
        unlink = Path.unlink
        monkeypatch.setattr(Path, "unlink", lambda path, **options: (unlink(path, **options), self.step()))

    def step(self):
        self.left -= 1
        if self.left == 0:
            raise Killed

    def write(self, path, write):
        path.parent.mkdir(parents=True, exist_ok=True)
        hidden = path.with_name(f".{path.name}.99999")
        self.step()
        write(hidden)
        self.step()
        hidden.replace(path)
        self.step()


def crash(study, folder, monkeypatch, at):
    """Whether the sweep was killed at a step, or came through before it."""
    with monkeypatch.context() as patch:
        Crash(patch, at)
        try:
            sweep(study, folder, jobs=1)
        except Killed:
            return True
    return False


def tables(folder):
    """The bytes of all tables that a reader finds."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("[!.]*.parquet")}


@pytest.mark.parametrize("step", [1, 2, 8, *range(25, 40, 2), 77, 115, 117, 118, 120])
def test_killed_at_any_step_of_writing(tmp_path, monkeypatch, reference, step):
    study, folder = a_study(tmp_path), tmp_path / "out"
    assert crash(study, folder, monkeypatch, at=step)
    sweep(study, folder, jobs=1)
    assert tables(folder) == reference()


def test_killed_again_and_again(tmp_path, monkeypatch, reference):
    """Each time a few steps later, until it comes through."""
    study, folder = a_study(tmp_path), tmp_path / "out"
    kills = next(turn for turn in count() if not crash(study, folder, monkeypatch, at=3 * turn + 4))
    assert kills > 5
    assert sweep(study, folder, jobs=1).played == 0
    assert tables(folder) == reference()


def test_what_a_killed_sweep_had_begun_to_write_is_cleared_away(tmp_path, reference):
    study, folder = a_study(tmp_path), tmp_path / "out"
    name = next(iter(reference())).split("/")[-1]
    for path in (".cells.parquet.4711", f"games/.{name}.4711", f"cells/.{name}.4711", ".study.json.4711"):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(b"PAR1 and then nothing")
    sweep(study, folder, jobs=1)
    assert list(folder.rglob(".*")) == []
    assert results(folder) == reference()


DRIVER = """
import os
import sys

os.environ["SWEEPER"] = str(os.getpid())
import lab.runner
from lab.cli import main

lab.runner._block = lambda cell: int(sys.argv.pop(1))
lab.runner._block = lambda cell, size=lab.runner._block(None): size
main()
"""


def start(folder, *arguments, block=BLOCK, out=subprocess.PIPE):
    """A real `lab` in a process group of its own."""
    return subprocess.Popen(
        [sys.executable, "-c", DRIVER, str(block), *map(str, arguments)],
        stdout=out, stderr=out, text=True, cwd=folder, start_new_session=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )  # fmt: skip


def finished(process, code=0):
    """What a process has printed, at its end; it is ended in any case."""
    try:
        out, err = process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        raise
    assert process.returncode == code, err
    assert "Traceback" not in err
    return out, err.strip()


def until_parts(folder, wanted):
    """Wait until so many blocks are in the store."""
    end = time.monotonic() + 60
    while len(parts(folder)) < wanted:
        assert time.monotonic() < end, "no blocks came"
        time.sleep(0.01)


def parts(folder, kind="tally"):
    return list(folder.glob(f"parts/*/{kind}-*.parquet"))


def games_in(folder):
    """Game numbers that are tallied, those of finished cells included."""
    spans = [map(int, path.stem.split("-")[1:]) for path in parts(folder)]
    cells = [pq.read_table(path).to_pylist()[0]["games"] for path in folder.glob("cells/*.parquet")]
    return sum(end - first for first, end in spans) + sum(cells)


POLICY = '''
"""Policies of a test."""
from sims.core.game import Whole, knob, policy


@policy("Waits.", patience=(Whole, knob(1, "How long.", low=1, high=5)))
def calm(view, weights, prepared, action):
    action[:] = (view.seat + 1) % view.seats if view.kind == 0 else 0
'''

LONG = "game: viking\nseed: 5\ngames: 12_000\npolicies: [[random, keep, healer], [threshold, trailing]]\n"


@pytest.fixture
def coarse(monkeypatch):
    """Few blocks where a test goes on in its own process."""
    monkeypatch.setattr(runner, "_block", lambda cell: 5000)


def killed(folder, jobs, blocks, pause=0.0):
    """Start the study there, and kill the sweep (not its workers) when it has played some blocks; its process group."""
    process = start(folder, "sweep", "study.yaml", "--out", "out", "--jobs", jobs, block=400, out=subprocess.DEVNULL)
    until_parts(folder / "out", blocks)
    time.sleep(pause)
    process.kill()
    process.wait(timeout=60)
    return process.pid


def end_of_group(group, seconds):
    """Whether all processes of a group end by themselves in time; they are ended in any case."""
    end = time.monotonic() + seconds
    try:
        while time.monotonic() < end:
            os.killpg(group, 0)
            time.sleep(0.05)
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        return True
    return False


def test_killed_for_real(tmp_path, coarse):
    """SIGKILL at random moments, with one worker and with two, which do not outlive the sweep."""
    study = a_study(tmp_path, text=LONG)
    folder, dice = tmp_path / "out", random.Random(20)
    for jobs in (1, 2):
        blocks = len(parts(folder)) + dice.randrange(1, 9)
        assert end_of_group(killed(tmp_path, jobs, blocks, pause=dice.random() / 20), seconds=6)
        assert not (folder / "cells.parquet").exists()
    kept = games_in(folder)
    assert kept > 400
    assert sweep(study, folder, jobs=1).played == 24_000 - kept
    assert tables(folder) == undisturbed(study, tmp_path / "direct")


def test_interrupted(tmp_path, coarse):
    """Ctrl-C reaches the whole process group: exit code 130, no noise of workers, what was played is kept."""
    study = a_study(tmp_path, text=LONG)
    folder = tmp_path / "out"
    process = start(tmp_path, "sweep", "study.yaml", "--out", "out", "--jobs", 2, block=200)
    until_parts(folder, 5)
    os.killpg(process.pid, signal.SIGINT)
    out, err = finished(process, code=130)
    said = "lab: interrupted; what was played is kept in out, and the same command goes on from there"
    assert (out, err.splitlines()[-1]) == ("", said)
    said = lab("show", folder)
    assert (said.code, said.out) == (2, "")
    assert "not finished; the command that plays into it, given again, goes on from there" in said.err
    kept = games_in(folder)
    assert 24_000 > kept >= 5 * 200
    assert sweep(study, folder, jobs=1).played == 24_000 - kept
    assert results(folder) == undisturbed(study, tmp_path / "direct")


def workers_of(process):
    """Process numbers of a sweep's workers, as soon as there are two."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        listed = subprocess.run(
            ["ps", "-A", "-ww", "-o", "pid,ppid,args"], capture_output=True, text=True, check=True
        ).stdout
        found = [line.split(maxsplit=2) for line in listed.splitlines()[1:]]
        children = [(int(pid), name) for pid, parent, name in found if int(parent) == process.pid]
        workers = [pid for pid, name in children if not re.search("resource_tracker|defunct", name)]
        if len(workers) == 2:
            return workers
    raise AssertionError("no workers came")


@pytest.fixture(params=["copies", "fresh"])
def long(request, tmp_path, monkeypatch):
    """A long study in the working directory, without and with a policy from a file, for which workers start afresh."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bots.py").write_text(POLICY, encoding="utf-8")
    return a_study(tmp_path, text=LONG if request.param == "copies" else LONG.replace("healer", "'bots.py:calm'"))


def test_an_interruption_is_the_business_of_the_parent(tmp_path, long):
    """A worker that is interrupted, too, may hold what others wait for, and says so at length: starting, or playing."""
    process = start(tmp_path, "sweep", "study.yaml", "--out", "out", "--jobs", 2, "--games", 5000, block=250)
    workers = workers_of(process)
    for blocks in (0, 2):
        until_parts(tmp_path / "out", blocks)
        for worker in workers:
            os.kill(worker, signal.SIGINT)
    out, err = finished(process)
    assert not err
    assert "2 cells; 10,000 plays in " in out


def test_a_worker_that_is_killed(tmp_path, long):
    """Its blocks are played again, and nothing else is amiss, not even where it has begun to say what it played."""
    process = start(tmp_path, "sweep", "study.yaml", "--out", "out", "--jobs", 2, block=100)
    workers = workers_of(process)
    until_parts(tmp_path / "out", 2)
    os.kill(process.pid, signal.SIGSTOP)  # then nobody listens, and what is too long for a pipe would stick there
    time.sleep(0.5)
    os.kill(workers[0], signal.SIGKILL)
    os.kill(process.pid, signal.SIGCONT)
    _, err = finished(process)
    assert err.strip() == "lab: a worker died; its blocks are played again, one at a time"
    assert results(tmp_path / "out") == undisturbed(long, tmp_path / "direct")


LINGERS = """
import multiprocessing, threading, time
from sims.viking.policies import random


def lingers(view, weights, prepared, action):
    if multiprocessing.parent_process() and threading.active_count() < 5:
        threading.Thread(target=time.sleep, args=(1000,)).start()
    random.function(view, weights, prepared, action)


def leaves(view, weights, prepared, action):
    raise SystemExit(0)
"""


def test_threads_that_a_policy_leaves_in_workers_hold_nobody_up(tmp_path):
    (tmp_path / "bots.py").write_text(LINGERS, encoding="utf-8")
    (tmp_path / "study.yaml").write_text("game: viking\ngames: 1000\npolicies: ['bots.py:lingers', keep]\n")
    out, _ = finished(start(tmp_path, "sweep", "study.yaml", "--out", "out", "--jobs", 2, "-q", block=250))
    assert "1 cells; 1,000 plays in " in out


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_policy_that_exits_has_failed(tmp_path, jobs):
    (tmp_path / "bots.py").write_text(LINGERS, encoding="utf-8")
    (tmp_path / "study.yaml").write_text("game: viking\ngames: 1000\npolicies: [['bots.py:leaves', keep], keep]\n")
    _, err = finished(start(tmp_path, "sweep", "study.yaml", "--out", "out", "--jobs", jobs, "-q"), code=1)
    assert err.startswith("lab: cell viking of 2 seats [bots.py:leaves, keep] seed 0: ")
    assert err.endswith("policy 'bots.py:leaves' failed: SystemExit: 0")


class Interrupts(Progress):
    """Ctrl-C just when an outcome has come in."""

    def __init__(self, after):
        self.left = after

    def advance(self, plays):
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt


@pytest.mark.parametrize("jobs", [1, pytest.param(2)])
def test_an_interruption_is_quiet(tmp_path, reference, jobs):
    """Whatever library hands out the blocks has nothing to say to users."""
    study, folder = a_study(tmp_path), tmp_path / "out"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with pytest.raises(KeyboardInterrupt):
            sweep(study, folder, jobs=jobs, progress=Interrupts(after=4))
    assert [str(each.message) for each in caught] == []
    assert sweep(study, folder, jobs=1).played <= PLAYS - 4 * BLOCK
    assert results(folder) == reference()


def test_interrupted_run_says_so_in_one_line(monkeypatch):
    def interrupt(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr("lab.single.tally_block", interrupt)
    said = lab("run", "viking", "--policy", "keep")
    assert (said.code, said.out, said.err.strip()) == (130, "", "lab: interrupted")


# More games, more rows


@pytest.mark.parametrize("keep", ["none", "1_800", "all"])
def test_more_games_extend_a_sweep(tmp_path, reference, keep):
    folder = tmp_path / "out"
    study = a_study(tmp_path, keep)
    assert sweep(study, folder, jobs=1).played == PLAYS
    assert sweep(study, folder, jobs=1).played == 0
    assert sweep(with_games(study, 2500), folder, jobs=1).played == 1500 * 4
    assert results(folder) == reference(keep, 2500)


def test_fewer_games_play_nothing_and_lose_nothing(tmp_path, reference):
    study, folder = a_study(tmp_path), tmp_path / "out"
    sweep(study, folder, jobs=1)
    done = sweep(with_games(study, 300), folder, jobs=1)
    assert done.played == 0
    assert [row["games"] for row in done.rows] == [1000] * 3
    assert results(folder) == reference()


def test_more_rows_are_played_again_but_not_tallied_again(tmp_path, reference):
    folder = tmp_path / "out"
    sweep(a_study(tmp_path, "none"), folder, jobs=1)
    tallies = results(folder)
    assert sweep(a_study(tmp_path, "300"), folder, jobs=1).played == 300 * 4
    assert results(folder) == reference("300")
    assert results(folder).items() >= tallies.items()
    assert sweep(a_study(tmp_path, "all"), folder, jobs=1).played == 700 * 4
    assert results(folder) == reference("all")
    assert sweep(a_study(tmp_path, "300"), folder, jobs=1).played == 0


def test_more_games_and_more_rows_at_once(tmp_path, reference):
    folder = tmp_path / "out"
    sweep(a_study(tmp_path, "300"), folder, jobs=1)
    done = sweep(a_study(tmp_path, "1_800", games=2500), folder, jobs=1)
    assert done.played == (2500 - 300) * 4
    assert results(folder) == reference("1_800", 2500)


def interrupted_backwards(study, folder, monkeypatch):
    """Of the first cell, only the last two blocks are there."""
    with monkeypatch.context() as patch:
        patch.setattr(
            runner, "_play_all", lambda tasks, jobs, progress: (runner.play_task(task) for task in reversed(tasks))
        )
        with pytest.raises(KeyboardInterrupt):
            sweep(study, folder, jobs=1, progress=Interrupts(after=10))
    assert sorted(path.stem for path in parts(folder)) == ["tally-500-750", "tally-750-1000"]


@pytest.mark.parametrize("keep", ["none", "all"])
def test_fewer_games_after_an_interruption(tmp_path, monkeypatch, reference, keep):
    """Blocks beyond a gap must not be taken for those that fill it."""
    study, folder = a_study(tmp_path, keep), tmp_path / "out"
    interrupted_backwards(study, folder, monkeypatch)
    sweep(with_games(study, 300), folder, jobs=1)
    for row in pq.read_table(folder / "cells.parquet").to_pylist():
        path = f"cells/{row['cell']}.parquet"
        assert (folder / path).read_bytes() == reference(keep, row["games"])[path]
    sweep(study, folder, jobs=1)
    assert results(folder) == reference(keep)


def test_fewer_rows_after_an_interruption(tmp_path, monkeypatch, reference):
    folder = tmp_path / "out"
    interrupted_backwards(a_study(tmp_path, "all"), folder, monkeypatch)
    sweep(a_study(tmp_path, "100"), folder, jobs=1)
    for path in folder.glob("games/*.parquet"):
        numbers = pq.read_table(path)["game_number"].unique().to_pylist()
        assert numbers == list(range(len(numbers)))
    sweep(a_study(tmp_path, "all"), folder, jobs=1)
    assert results(folder) == reference("all")


# In whatever way it is played


@pytest.mark.parametrize("block", [1000, 777, 100])
def test_blocks_of_any_size_give_the_same_bytes(tmp_path, monkeypatch, reference, block):
    monkeypatch.setattr(runner, "_block", lambda cell: block)
    assert undisturbed(a_study(tmp_path), tmp_path / "out") == reference()


def test_blocks_of_several_sizes_give_the_same_bytes(tmp_path, monkeypatch, reference):
    folder, study = tmp_path / "out", a_study(tmp_path)
    for block, after in ((300, 2), (110, 5), (37, 20)):
        monkeypatch.setattr(runner, "_block", lambda cell, block=block: block)
        with pytest.raises(KeyboardInterrupt):
            sweep(study, folder, jobs=1, progress=Interrupts(after))
    sweep(study, folder, jobs=1)
    assert results(folder) == reference()


@pytest.mark.parametrize("shuffle", [1, 2])
def test_any_order_of_arrival_gives_the_same_bytes(tmp_path, monkeypatch, reference, shuffle):
    def play_all(tasks, jobs, progress):
        outcomes = [runner.play_task(task) for task in tasks]
        random.Random(shuffle).shuffle(outcomes)
        yield from outcomes

    monkeypatch.setattr(runner, "_play_all", play_all)
    assert undisturbed(a_study(tmp_path), tmp_path / "out") == reference()


def test_two_workers_give_the_same_bytes(tmp_path, reference):
    folder = tmp_path / "out"
    assert sweep(a_study(tmp_path), folder, jobs=2).played == PLAYS
    assert results(folder) == reference()


def test_row_groups_do_not_depend_on_the_way_there(tmp_path, monkeypatch):
    """A table of games of more than one row group, grown from pieces of several sizes."""
    text = "game: viking\npolicies: [keep, random]\ngames: 70_000\nkeep_games: all\n"
    study, folder = a_study(tmp_path, text=text), tmp_path / "out"
    monkeypatch.setattr(runner, "_block", lambda cell: 70_000)
    wanted = undisturbed(study, tmp_path / "direct")
    monkeypatch.setattr(runner, "_block", lambda cell: 9_000)
    for games in (10_001, 66_000, 70_000):
        sweep(with_games(study, games), folder, jobs=1)
    assert results(folder) == wanted
    [path] = folder.glob("games/*.parquet")
    assert pq.read_metadata(path).num_row_groups == 2


def test_parts_of_a_study_may_share_a_cell(tmp_path):
    text = (
        "game: viking\npolicies: [keep, random]\nstudies: {{few: {{games: 200, keep_games: all}},"
        " many: {{games: 600, keep_games: 50}}}}\n"
    )
    folder = tmp_path / "out"
    assert sweep(a_study(tmp_path, text=text), folder, jobs=1).played == 600
    rows = pq.read_table(folder / "cells.parquet").to_pylist()
    assert [(row["part"], row["games"]) for row in rows] == [("few", 600), ("many", 600)]
    assert rows[0]["cell"] == rows[1]["cell"]
    assert sweep(a_study(tmp_path, text=text), folder, jobs=1).played == 0


# Other cells

CELL = (
    "game: viking\ngames: 300\nkeep_games: all\nseed: {seed}\nknobs: {{start_life: {life}}}\n"
    "policies: ['{folder}/bots.py:calm{weight}', {second}]\n"
)
USUAL = {"seed": 1, "life": 12, "weight": "", "second": "keep"}


@pytest.fixture
def first_cell(tmp_path):
    """A cell that has been played, with a policy from a file."""
    (tmp_path / "bots.py").write_text(POLICY, encoding="utf-8")
    return undisturbed(a_study(tmp_path, text=CELL, folder=tmp_path, **USUAL), tmp_path / "out")


@pytest.mark.parametrize(
    ("change", "new"),
    [
        ({}, False),
        ({"seed": 2}, True),
        ({"life": 13}, True),
        ({"second": "random"}, True),
        ({"second": "keep, healer"}, True),
        ({"weight": ":patience=2"}, True),
        ({"weight": ":patience=1"}, False),  # which it has by default
    ],
)
def test_what_changes_a_result_is_another_cell(tmp_path, first_cell, change, new):
    done = sweep(a_study(tmp_path, text=CELL, folder=tmp_path, **USUAL | change), tmp_path / "out", jobs=1)
    assert done.played == (300 if new else 0)
    now = results(tmp_path / "out")
    old = {name: content for name, content in first_cell.items() if name != "cells.parquet"}
    assert now.items() >= old.items()
    assert len(now) == (5 if new else 3)


@pytest.mark.parametrize(
    ("old", "new", "plays"),
    [
        ("    action", "    # a comment\n\n    action", 0),
        ("\n", "\n\n\n", 0),
        ("+ 1", "+ 1 + 0", 300),
        ('"Waits."', '"Waits!"', 300),
    ],
)
def test_an_edit_of_a_policy_is_another_cell_and_a_comment_is_not(tmp_path, first_cell, old, new, plays):
    """The edited file stands elsewhere, as a file is read once a process; where it stands does not matter."""
    folder = tmp_path / "edited"
    folder.mkdir()
    (folder / "bots.py").write_text(POLICY.replace(old, new), encoding="utf-8")
    assert sweep(a_study(tmp_path, text=CELL, folder=folder, **USUAL), tmp_path / "out", jobs=1).played == plays


def test_an_edit_in_place_is_noticed_by_the_next_sweep(tmp_path, first_cell):
    (tmp_path / "bots.py").write_text(POLICY.replace("+ 1", "+ 1 + 0"), encoding="utf-8")
    out, _ = finished(start(tmp_path, "sweep", "study.yaml", "--jobs", 1, "--out", "out", "-q"))
    assert "1 cells; 300 plays in " in out


def test_an_edit_of_a_module_beside_a_policy_is_another_cell(tmp_path):
    """A policy of a package may call its other modules; compiled code already takes the whole package into account."""
    found = set()
    for place, answer in (("one", 0), ("two", 1)):
        package = tmp_path / place / "tricks"
        package.mkdir(parents=True)
        (package / "__init__.py").touch()
        (package / "helper.py").write_text(f"ANSWER = {answer}\n", encoding="utf-8")
        (package / "play.py").write_text("def calm(view, weights, prepared, action): ...\n", encoding="utf-8")
        [of] = a_study(tmp_path, text="game: viking\npolicies: '{file}:calm'\n", file=package / "play.py").cells
        found.add(cell_id(of))
    assert len(found) == 2


# Workers that die

MORTAL = """
import os
from pathlib import Path

from sims.core.game import policy
from sims.viking.policies import random

TRAP = Path(__file__).parent


def fall(trap, word, view):
    return (view.word == word).any() and os.environ["SWEEPER"] != str(os.getpid()) and (TRAP / trap).exists()


@policy("Dies in a worker, once.", uses_word=True)
def once(view, weights, prepared, action):
    if fall("once", {word}, view):
        (TRAP / "once").unlink()
        os._exit(7)
    random.function(view, weights, prepared, action)


@policy("Dies in a worker, always.", uses_word=True)
def always(view, weights, prepared, action):
    if fall("always", {word}, view):
        os.kill(os.getpid(), 9)
    random.function(view, weights, prepared, action)
"""


def first_word(game, seed):
    """The first random word that the policy in seat 0 sees in a game."""
    words = []

    def watch(table, ask):
        if ask is not None:
            words.extend(int(word) for word, seat in zip(ask.view.word, ask.seat, strict=True) if seat == 0)

    arena.play(matches(cell("random", "keep", seed=seed))[0], game, 1, lambda games, rows: None, watch=watch)
    return words[0]


def test_workers_that_die(tmp_path, monkeypatch):
    """A block whose worker dies once is played again; one that kills its workers is named, and the rest is complete."""
    (tmp_path / "mortal.py").write_text(MORTAL.format(word=first_word(700, seed=12)), encoding="utf-8")
    (tmp_path / "once").touch()
    (tmp_path / "always").touch()
    text = (
        "game: viking\nseed: 12\ngames: 1000\n"
        "policies: [['mortal.py:once', keep], ['mortal.py:always', keep], [random, keep]]\n"
    )
    a_study(tmp_path, text=text)
    folder = tmp_path / "out"
    _, err = finished(start(tmp_path, "sweep", "study.yaml", "--out", "out", "--jobs", 2, block=250), code=1)
    assert all(line.startswith("lab: ") for line in err.splitlines() if line)
    assert "lab: a worker died; its blocks are played again, one at a time" in err
    assert err.splitlines()[-1].startswith("lab: cell viking of 2 seats [mortal.py:always, keep] seed 12: ")
    assert err.count("mortal.py") == 1
    rows = pq.read_table(folder / "cells.parquet").to_pylist()
    assert [(row["policies"][0], row["games"]) for row in rows] == [("mortal.py:once", 1000), ("random", 1000)]
    assert games_in(folder) == 3000 - 250

    (tmp_path / "always").unlink()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SWEEPER", str(os.getpid()))
    assert sweep(read_study("study.yaml"), folder, jobs=1).played == 250
    rows = pq.read_table(folder / "cells.parquet").to_pylist()
    like_random = [{key: row[key] for key in ("games", "metrics", "winners", "units")} for row in rows]
    assert like_random[0] == like_random[1] == like_random[2]
    assert len(results(folder)) == 4


# A full disk


class FullDisk:
    """Writing fails at the n-th call, in the midst of it, and at all later ones."""

    def __init__(self, monkeypatch, function, at):
        self.left, owner = at, {"write_table": pq, "replace": Path, "fsync": os}[function]
        real = getattr(owner, function)

        def fails(*arguments, **options):
            self.left -= 1
            if self.left <= 0:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return real(*arguments, **options)

        monkeypatch.setattr(owner, function, fails)


@pytest.mark.parametrize(
    ("function", "at"),
    [("write_table", 1), ("write_table", 9), ("replace", 4), ("replace", 21), ("fsync", 6), ("fsync", 31)],
)
def test_a_full_disk_is_one_line_and_the_same_command_goes_on(tmp_path, monkeypatch, reference, function, at):
    a_study(tmp_path)
    folder = tmp_path / "out"
    command = ["sweep", tmp_path / "study.yaml", "--out", folder, "--jobs", 1, "--quiet"]
    with monkeypatch.context() as patch:
        FullDisk(patch, function, at)
        said = lab(*command)
    assert said.code == 1
    assert said.err.startswith("lab: ")
    assert said.err.count("\n") == 1
    assert os.strerror(errno.ENOSPC) in said.err
    assert list(folder.rglob(".*")) == []
    assert lab(*command).code == 0
    assert results(folder) == reference()


def test_a_full_disk_is_one_line_with_two_workers_too(tmp_path, monkeypatch):
    a_study(tmp_path, "none")
    with monkeypatch.context() as patch, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        FullDisk(patch, "write_table", 3)
        said = lab("sweep", tmp_path / "study.yaml", "--out", tmp_path / "out", "--jobs", 2, "--quiet")
    assert [str(each.message) for each in caught] == []
    assert said.code == 1
    assert said.err.count("\n") == 1
    assert os.strerror(errno.ENOSPC) in said.err


# Damage


@pytest.mark.parametrize("damage", ["empty", "half", "garbage"])
@pytest.mark.parametrize(
    "what",
    [
        *(each for each in ("parts/tally", "parts/games", "cells", "games", "study.json")),
        "cells.parquet",
    ],
)
def test_a_damaged_file_is_replaced_or_named(tmp_path, reference, what, damage):
    """Never a traceback, and never other numbers: it is played again, or one line names the file."""
    study, folder = a_study(tmp_path), tmp_path / "out"
    if what.startswith("parts"):
        with pytest.raises(KeyboardInterrupt):
            sweep(study, folder, jobs=1, progress=Interrupts(after=3))
        path = min(folder.glob(f"parts/*/{what.split('/')[1]}-*.parquet"))
    else:
        sweep(study, folder, jobs=1)
        path = folder / what if "." in what else min((folder / what).glob("*.parquet"))
    content = path.read_bytes()
    path.write_bytes({"empty": b"", "half": content[: len(content) // 2], "garbage": b"\x07" * 100}[damage])
    said = lab("sweep", tmp_path / "study.yaml", "--out", folder, "--jobs", 1, "--quiet")
    if said.code:
        assert said.code in (1, 2)
        assert said.err.startswith("lab: ")
        assert said.err.count("\n") == 1, said.err[-500:]
        assert path.name in said.err
        path.unlink()
        assert lab("sweep", tmp_path / "study.yaml", "--out", folder, "--jobs", 1, "--quiet").code == 0
    assert results(folder) == reference()


def test_files_of_others_in_the_folder_of_parts_do_no_harm(tmp_path, reference):
    study, folder = a_study(tmp_path), tmp_path / "out"
    with pytest.raises(KeyboardInterrupt):
        sweep(study, folder, jobs=1, progress=Interrupts(after=3))
    [parts] = folder.glob("parts/*")
    names = ("tally-0-250 (copy).parquet", "tally-old.parquet", "games-0-250.parquet~", "notes.txt")
    for name in names:
        (parts / name).write_bytes(b"")
    sweep(study, folder, jobs=1)
    assert sorted(path.name for path in parts.glob("*")) == sorted(names)
    shutil.rmtree(folder / "parts")
    assert results(folder) == reference()


def test_files_of_others_in_the_results_folder_are_left_alone(tmp_path):
    study, folder = a_study(tmp_path), tmp_path / "out"
    folder.mkdir()
    for name in ("test", "notes.txt", "cells.csv"):
        (folder / name).write_text("mine", encoding="utf-8")
    sweep(study, folder, jobs=1)
    for name in ("test", "notes.txt", "cells.csv"):
        assert (folder / name).read_text(encoding="utf-8") == "mine"


def test_the_manifest_tells_what_the_sweep_was(tmp_path):
    study, folder = a_study(tmp_path), tmp_path / "out"
    sweep(study, folder, jobs=1)
    first = json.loads((folder / "study.json").read_text(encoding="utf-8"))
    rows = pq.read_table(folder / "cells.parquet").to_pylist()
    assert [each["cell"] for each in first["cells"]] == [row["cell"] for row in rows]
    assert all(each["seconds"] > 0 for each in first["cells"])
    assert first["versions"]["python"]
    assert first["code"]["viking"]
    sweep(study, folder, jobs=1)
    assert json.loads((folder / "study.json").read_text(encoding="utf-8")) == first


# Full size


@pytest.mark.full
def test_killed_many_times(tmp_path):
    """As `test_killed_for_real`, with rotated seats, kept games and the lab's own blocks."""
    text = (
        "game: viking\nseed: 6\ngames: 400_000\nkeep_games: 150_000\nrotate_seats: true\n"
        "policies: [[random, keep, healer], [threshold, trailing], [keep, random]]\n"
    )
    a_study(tmp_path, text=text)
    folder, dice = tmp_path / "out", random.Random(3)
    command = [sys.executable, "-m", "lab", "sweep", "study.yaml", "--out", "out", "--jobs"]
    options = {"cwd": tmp_path, "env": os.environ | {"PYTHONPATH": str(ROOT)}, "stdout": subprocess.PIPE}
    for turn in range(12):
        process = subprocess.Popen([*command, str(1 + turn % 2)], start_new_session=True, **options)
        time.sleep(1 + 4 * dice.random())
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    subprocess.run([*command, "2"], check=True, **options)
    assert list(folder.rglob(".*")) == []
    assert results(folder) == undisturbed(read_study(tmp_path / "study.yaml"), tmp_path / "direct")
