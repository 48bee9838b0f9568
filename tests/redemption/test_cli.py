"""A game of one seat that plays content packs, as people type it; and what must stand beside results with a pack that
is invented (`Game.note`), wherever these are shown."""

import json

import pytest

from lab import catalogue
from sims.redemption.pack import SHELF
from tests.lab.test_cli import lab
from tests.redemption.common import BOX

NOTE = "note: the content pack 'invented box' is invented, not the published game's"
STUDY = f"""
game: redemption
games: 40
policies: scrapper
knobs: {{content: [{BOX}, box.yaml], match: [automatic, declared]}}
expect: ["win_share[0] > 0.01"]
limit: 1000
"""


@pytest.fixture
def box(tmp_path):
    """The same, as if it were of somebody's box."""
    text = BOX.read_text(encoding="utf-8")
    path = tmp_path / "box.yaml"
    path.write_text(text.replace("invented: true", "invented: false"), encoding="utf-8")
    return path


@pytest.fixture
def study(tmp_path, box):
    path = tmp_path / "study.yaml"
    path.write_text(STUDY, encoding="utf-8")
    return path


@pytest.fixture
def swept(study, tmp_path):
    assert lab("sweep", study, "--out", tmp_path / "out", "--jobs", 1).code == 0
    return tmp_path / "out"


def run(*more):
    return lab("run", "redemption", "--policy", "scrapper", "--games", 40, *more)


# Packs


def test_a_pack_is_printed_as_a_reference_sheet(box):
    said = lab("game", "redemption", "--content", BOX)
    assert (said.code, said.out) == (0, SHELF.sheet(SHELF.load(str(BOX)).content) + "\n")
    mine = lab("game", "redemption", "--content", box)
    assert mine.out == said.out.replace(" (invented content)", "")
    for name in SHELF.names:
        assert lab("game", "redemption", "--content", name).out == SHELF.sheet(SHELF.load(name).content) + "\n"
    for line in ("  Kindness counters Wrath", "    discard: draw 2.", "   7 H: Regret, Kindness, Kindness, Kindness"):
        assert line in said.out.split("\n")


def test_the_fact_sheet_says_how():
    packs = ", ".join(SHELF.names)
    assert (
        f"`lab game redemption --content PACK` prints a content pack ({packs}, or a file"
        in lab("game", "redemption").out
    )
    assert "--content" not in lab("game", "viking").out


@pytest.mark.parametrize(("game", "content", "reason"), [
    ("viking", "sample", "viking is not played with content packs"),
    ("redemption", "sampel", "'sampel' is not a pack; a file ends in .yaml, a pack of the game is one of its names"),
    ("redemption", "gone.yaml", "gone.yaml: no such file"),
])  # fmt: skip
def test_a_pack_that_cannot_be_printed(game, content, reason):
    said = lab("game", game, "--content", content)
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith(f"lab: {reason}")
    assert said.err.count("\n") == 1


def test_a_pack_that_is_wrong_is_told_by_line(box):
    box.write_text(box.read_text(encoding="utf-8").replace("draw: 3", "drow: 3"), encoding="utf-8")
    for said in (lab("game", "redemption", "--content", box), run("--set", f"content={box}")):
        assert said.code == 2
        assert f"{box}:25: cards[7].effect[0] 'drow' is not a primitive" in said.err


def test_a_study_finds_a_pack_beside_it(swept):
    """`box.yaml` is not where the command is given, but where the study is."""
    assert lab("show", swept).out.count("box.yaml") >= 2


def test_results_are_shown_though_their_pack_is_gone(swept, box):
    before = lab("show", swept)
    box.unlink()
    assert lab("show", swept) == before


# One seat


def test_a_new_study_of_one_seat_has_one_policy_a_line_and_runs(tmp_path):
    said = lab("new", "redemption")
    path = tmp_path / "new.yaml"
    path.write_text(said.out, encoding="utf-8")
    first, second = list(catalogue.policies("redemption"))[:2]
    assert f"\n  - [{first}]\n  - [{second}]\n" in said.out
    assert "How often is it won?" in said.out
    assert lab("sweep", path, "--games", 20, "--out", tmp_path / "out", "--jobs", 1).code == 0


def test_two_policies_are_too_many():
    said = lab("run", "redemption", "--policy", "scrapper", "--policy", "random")
    assert said.code == 2
    assert "--policy has 2 policies; redemption has at most 1 seat (1)" in said.err


def test_who_is_alone_may_rotate(tmp_path, box):
    path = tmp_path / "study.yaml"
    path.write_text(STUDY + "rotate_seats: true\n", encoding="utf-8")
    assert lab("sweep", path, "--out", tmp_path / "out", "--jobs", 1).code == 0


# Notes


def test_a_run_has_its_note(box):
    said = run("--set", f"content={BOX}")
    assert said.out.count("note: ") == said.out.count(NOTE) == 1
    assert "note: " not in run("--set", f"content={box}").out
    assert json.loads(run("--set", f"content={BOX}", "--json").out)["note"] == NOTE.removeprefix("note: ")
    assert json.loads(run("--set", f"content={box}", "--json").out)["note"] == ""


def test_a_bound_has_its_note():
    given = ["bound", "redemption", "--policy", "scrapper", "--games", 2, "--width", 20, "--set", f"content={BOX}"]
    assert lab(*given).out.count(NOTE) == 1
    assert json.loads(lab(*given, "--json").out)["note"] == NOTE.removeprefix("note: ")


def test_a_sweep_ends_with_each_note_once(study, tmp_path):
    for quiet in ([], ["--quiet"]):
        said = lab("sweep", study, "--out", tmp_path / "out", "--jobs", 1, *quiet)
        assert said.out.count("note: ") == said.out.count(NOTE) == 1


@pytest.mark.parametrize("options", [[], ["--column", "actions"], ["--by", "match"], ["--rank", "actions"]])
def test_stored_results_keep_their_note(swept, options):
    assert lab("show", swept, *options).out.count(NOTE) == 1
    assert NOTE not in lab("show", swept, "--where", "content=" + json.dumps("x")).out


def test_a_table_for_machines_has_it_beside(swept):
    said = lab("show", swept, "--csv")
    assert NOTE not in said.out
    assert said.err.count(NOTE) == 1


def test_results_of_a_box_have_none(tmp_path, box):
    path = tmp_path / "study.yaml"
    path.write_text("game: redemption\ngames: 20\npolicies: scrapper\nknobs: {content: box.yaml}\n", encoding="utf-8")
    assert "note: " not in lab("sweep", path, "--out", tmp_path / "out", "--jobs", 1).out
    assert "note: " not in lab("show", tmp_path / "out").out


def test_a_comparison_has_the_notes_of_both(tmp_path, box):
    given = ["compare", "redemption", "--policy", "scrapper", "--games", 40, "--jobs", 1, "--out", tmp_path / "out"]
    for more in (
        ["--set", f"content={BOX}", "--vs", f"content={box}"],
        ["--set", f"content={box}", "--vs", f"content={BOX}"],
    ):
        said = lab(*given, *more)
        assert said.out.count(NOTE) == 1
        assert json.loads(lab(*given, *more, "--json").out)[0]["notes"] == [NOTE]


def test_an_answer_has_them(study, tmp_path):
    said = lab("ask", study, "--out", tmp_path / "out", "--jobs", 1)
    assert said.out.count(NOTE) == 1
    assert json.loads(lab("ask", study, "--out", tmp_path / "out", "--jobs", 1, "--json").out)["notes"] == [NOTE]


def test_sensitivity_has_them(study, tmp_path):
    assert lab("sense", study, "--out", tmp_path / "out", "--jobs", 1).out.count(NOTE) == 1


def test_balance_has_them(tmp_path):
    """And a curve of who is alone: its chance against that of losing."""
    path = tmp_path / "study.yaml"
    path.write_text(f"game: redemption\npolicies: scrapper\nknobs: {{content: {BOX}}}\n", encoding="utf-8")
    given = ["balance", path, "--out", tmp_path / "out", "--jobs", 1, "--games", 200]
    assert lab(*given).out.count(NOTE) == 1
    found = json.loads(lab(*given, "--json").out)
    assert found["notes"] == [NOTE]
    measured = {row["measure"]: row for row in found["measures"]}
    assert not {"closeness", "lead changes", "runaway leader", "seat advantage"} & set(measured)
    assert measured["surprise"]["estimate"] > 0.5  # from about a half to won or lost, at least
    assert measured["Brier skill"]["estimate"] > 0.05


@pytest.mark.parametrize("format", ["html", "ipynb"])
def test_a_report_has_them(swept, tmp_path, format):
    path = tmp_path / f"report.{format}"
    assert lab("report", swept, "--format", format, "--out", path).code == 0
    text = path.read_text(encoding="utf-8")
    count = {"html": 1, "ipynb": 2}[format]  # a notebook has each output as Markdown and as plain text
    assert text.replace("&#39;", "'").count(NOTE) == count
    assert "a fair share is" not in text
