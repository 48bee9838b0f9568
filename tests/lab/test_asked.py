"""Reports of what `lab ask` and `lab sense` left: the answer first, drawn against what was expected."""

import re

import matplotlib as mpl
import numpy as np
import pytest

import lab
from lab import report
from lab.ask import ask
from lab.report import asked
from lab.sense import read
from lab.sense import sense as run_sense
from lab.study import read_study

mpl.use("Agg")

ASKED = """
question: Is it fair?
game: viking
policies: {mixture of: {keep: 1, threshold: 1}}
limit: 10_000
expect: ['win_share[threshold] < 60%', duels > 3]
find: {knob: start_life, so_that: duels = 3.3, between: [4, 14]}
"""
SENSED = "game: viking\ngames: 400\npolicies: [[threshold, keep]]\nknobs: {start_life: [6, 12], heal: [face, none]}\n"


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    path = tmp_path_factory.mktemp("asked")
    for name, text in (("fair", ASKED), ("moves", SENSED)):
        (path / f"{name}.yaml").write_text(text)
    ask(read_study(path / "fair.yaml"), path / "fair", jobs=1)
    sensed = run_sense(read_study(path / "moves.yaml"), path / "moves", jobs=1)
    return path, sensed


@pytest.fixture
def drawn(monkeypatch):
    """The axes of the pictures that are shown."""
    found = []
    monkeypatch.setattr(asked, "show", lambda axes, caption="": found.append((axes, caption)))
    return found


def test_verdicts_come_first_and_are_drawn_against_their_bands(place, drawn, capsys):
    report.verdicts(lab.load(place[0] / "fair"))
    said = capsys.readouterr().out
    assert said.startswith("- **no**: 2 of 3 answers are yes or found.")
    assert "- `win_share[threshold] < 60%`: no." in said
    assert "it crosses between start_life" in said
    (wins, about), (duels, _), (find, words) = drawn
    labels = [each.get_text() for each in wins.get_yticklabels()]
    assert labels[0].startswith("mixture of keep 0.5")
    assert len(labels) == 1 + 2  # the mixture, and the line-ups in which somebody plays threshold
    assert [each.get_text() for each in wins.figure.legends[0].get_texts()] == ["yes", "no"]
    left, right = wins.get_xlim()
    assert left < 0.6 < right
    band = wins.patches[0].get_extents().transformed(wins.transData.inverted())
    assert (band.x0, band.x1) == (pytest.approx(left), pytest.approx(0.6))
    assert "shaded is where it should lie. After 10,000 games." in about
    assert duels.get_title("left") == "duels > 3"
    low, high = find.patches[0].get_extents().transformed(find.transData.inverted()).intervalx
    assert high - low == pytest.approx(1)
    assert "it crosses between" in words


def test_dots_stand_on_their_own_lines(place, drawn):
    """Whatever their verdict: the place of a dot is that of its label."""
    report.verdicts(lab.load(place[0] / "fair"))
    axes = drawn[0][0]
    heights = [y for line in axes.containers for x, y in zip(*line[0].get_data(), strict=True) if np.isfinite(x)]
    assert sorted(heights) == pytest.approx([0, 1, 2])


def row(**values):
    return {
        "where": ", ".join(f"{name} {value}" for name, value in values.items()),
        "line_up": "keep ×2",
        "parameters": '{"game": "viking", "policies": "", "start_life": 6, "reroll_order": "", "heal": ""}',
    }


def test_labels_tell_rows_apart():
    """By name and value where there is room, else by the values that differ, of which the longest may be cut short."""
    few = [row(policies="threshold, trailing", start_life=life) for life in (6, 12)]
    assert asked._places(few) == (["threshold, trailing, start_life 6", "threshold, trailing, start_life 12"], "")
    many = [
        row(policies="threshold:below=3, trailing", start_life=life, reroll_order="simultaneous", heal=heal)
        for life in (6, 12)
        for heal in ("face", "total")
    ]
    labels, how = asked._places(many)
    assert labels == ["6; face", "6; total", "12; face", "12; total"]
    assert how == " Rows: start_life; heal."
    labels, _ = asked._places([*many, row(policies="keep ×2", start_life=6, reroll_order="open", heal="none")])
    assert len(set(labels)) == 5
    assert labels[0] == "threshold:be…; 6; simultaneous; face"  # 13 letters are left of 36
    assert asked._places(many[:1])[1] == ""


def test_where_nothing_was_asked_nothing_is_said(place, drawn, capsys):
    report.verdicts(lab.load(place[0] / "moves"))
    report.sensitivity(lab.load(place[0] / "fair"))
    assert capsys.readouterr().out == ""
    assert drawn == []


def test_sensitivity_is_told_from_what_is_stored(place, drawn, capsys):
    path, sensed = place
    stored = read(path / "moves")
    for name in ("name", "factors", "measures", "undefined", "spreads", "indices", "design", "games", "rotated"):
        assert repr(getattr(stored, name)) == repr(getattr(sensed, name)), name
    changes = [
        (each.change.first, each.change.difference, each.change.low, each.change.high) for each in sensed.effects
    ]
    assert [(e.change.first, e.change.difference, e.change.low, e.change.high) for e in stored.effects] == changes
    report.sensitivity(lab.load(path / "moves"))
    said = capsys.readouterr().out
    assert "start_life" in said
    assert "first-order" in said
    assert len(drawn) == 1


def test_a_page_has_the_verdicts_before_everything_else(place, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    page = report.report(place[0] / "fair").read_text(encoding="utf-8")
    words = re.sub(r"<[^>]+>", "", page)
    places = [words.index(each) for each in ("Is it fair?", "2 of 3 answers", "a fair share is", "Every cell")]
    assert places == sorted(places)
