"""Verdicts: what a study expects, decided at looks fixed in advance."""

import json

import pytest

from lab.ask import ask, open_questions, telling_games
from lab.clauses import read_clause
from lab.document import Given
from lab.errors import BadInput
from lab.study import read_study
from sims.viking import exact
from tests.lab.test_cli import lab


def clause(text):
    return read_clause(Given(text, "expect[0]", "s.yaml:3"))


@pytest.mark.parametrize(
    ("text", "kind", "low", "high"),
    [
        ("duels < 7", "mean", None, 7),
        ("duels>=6.5", "mean", 6.5, None),
        ("win_share[0] between 0.4 and 60%", "win_share", 0.4, 0.6),
        ("win_share[any seat] within 25% +- 2%", "win_share", 0.23, 0.27),
        ("win_share[threshold:below=3] within 0.5 ± 0.1", "win_share", 0.4, 0.6),
        ("median(duels) <= 6", "median", None, 6),
        ("p95(duels) < 12", "p95", None, 12),
        ("share(duels >= 10) < 1e-1", "share", None, 0.1),
        ("gain(threshold over keep) > 0", "gain", 0, None),
    ],
)
def test_clauses_are_read(text, kind, low, high):
    found = clause(text)
    assert found.stat.kind == kind
    assert found.low == (pytest.approx(low) if low is not None else -float("inf"))
    assert found.high == (pytest.approx(high) if high is not None else float("inf"))


@pytest.mark.parametrize(
    "text", ["duels", "duels < many", "duels = 7", "< 7", "win share[0] < 1", "p200(duels) < 3", "", 7]
)
def test_other_text_is_no_clause(text):
    with pytest.raises(BadInput, match=r"s\.yaml:3 expect\[0\]"):
        clause(text)


def test_an_interval_decides_only_when_all_of_it_lies_on_one_side():
    within = clause("duels between 2 and 3")
    assert [within.is_met_by(*each) for each in ((2.1, 2.9), (1.9, 2.1), (0, 1.9), (3.1, 4), (1, 4))] == [
        True, None, False, False, None,
    ]  # fmt: skip


STUDY = """
question: Is the first seat fair?
game: viking
seats: 2
policies: [[threshold, keep]]
limit: 40_000
expect:
"""


def study(path, *expected, more=""):
    file = path / "study.yaml"
    file.write_text(STUDY + "".join(f"  - {each}\n" for each in expected) + more)
    return file


EXACT = exact.solve([("threshold", 4), ("keep", 4)])
"""threshold wins 88.1 % against keep, in 4.755 duels on average."""


def test_yes_no_and_not_shown(tmp_path):
    """The last clause lies on the exact value, where nothing can be shown."""
    on_the_edge = f"win_share[keep] > {EXACT.win_share[1]:.6f}"
    expected = ["win_share[threshold] > 0.5", "win_share[0] < 0.5", "median(duels) < 20", on_the_edge]
    answer = ask(read_study(study(tmp_path, *expected)), tmp_path / "out", jobs=1)
    assert [each.verdict for each in answer.verdicts] == ["yes", "no", "yes", "not shown"]
    assert answer.verdict == "no"
    assert [each.games for each in answer.verdicts] == [10_000, 10_000, 10_000, 40_000]
    again = ask(read_study(study(tmp_path, *expected)), tmp_path / "out", jobs=1)
    assert again.played == 0  # nothing is played twice
    assert [each.verdict for each in again.verdicts] == [each.verdict for each in answer.verdicts]


def test_the_error_rate_is_divided(tmp_path):
    questions = open_questions(read_study(study(tmp_path, "duels > 1", "duels > 2", more="seed: [1, 2]\n")))
    assert [each.alpha for each in questions] == [0.05 / 4] * 4


def test_a_gain_is_paired(tmp_path):
    """Against threshold, threshold wins half of the games and keep what is exact."""
    worth = 0.5 - EXACT.win_share[1]
    answer = ask(
        read_study(study(tmp_path, f"gain(threshold over keep) within {worth} +- 0.04")), tmp_path / "out", jobs=1
    )
    [verdict] = answer.verdicts
    [figure] = verdict.figures
    assert verdict.verdict == "yes"
    assert figure.value.low < worth < figure.value.high
    assert figure.asymptotic
    mirror = ask(read_study(study(tmp_path, "gain(keep over keep) within 0 +- 0.001")), tmp_path / "out", jobs=1)
    assert (mirror.verdict, mirror.verdicts[0].figures[0].value.estimate) == ("yes", 0)
    file = study(tmp_path, "gain(keep over keep) within 0 +- 0.001")
    file.write_text(file.read_text().replace("[[threshold, keep]]", "keep"))
    assert ask(read_study(file), tmp_path / "out", jobs=1).verdict == "yes"


def test_games_that_tell(tmp_path):
    answer = ask(read_study(study(tmp_path, "duels > 1", "share(triples >= 4) < 0.5")), tmp_path / "out", jobs=1)
    told = [why.split(":")[0] for _, why in telling_games(answer.verdicts[0])]
    assert told == ["lowest", "typical", "highest"]
    assert all(int(why.split()[-1]) >= 4 for _, why in telling_games(answer.verdicts[1]))


@pytest.mark.parametrize(("expected", "code"), [("duels > 1", 0), ("duels < 1", 1), (f"duels > {EXACT.duels:.5f}", 3)])
def test_exit_codes_and_the_page(expected, code, tmp_path):
    said = lab("ask", study(tmp_path, expected), "--out", tmp_path / "out", "--jobs", "1")
    assert said.code == code, said.err
    assert "Is the first seat fair?" in said.out
    assert expected in said.out
    assert "lab replay" in said.out
    told = json.loads(lab("ask", tmp_path / "study.yaml", "--out", tmp_path / "out", "--jobs", "1", "--json").out)
    assert told["clauses"][0]["expected"] == expected


@pytest.mark.parametrize(
    ("expected", "line"),
    [
        ("duel < 3", "'duel' is not a results column; did you mean 'duels'"),
        ("win_share[2] < 1", "seat 2 of 2"),
        ("win_share[treshold] < 1", "did you mean 'threshold'"),
        ("gain(healer over trailing) > 0", "'trailing' is not a policy of every line-up"),
        ("gain(heeler over keep) > 0", "did you mean 'healer'"),
        ("duels about 7", "is not an expectation"),
        ("duels between 7 and 3", "lower bound is above"),
    ],
)
def test_mistakes_are_one_line(expected, line, tmp_path):
    said = lab("ask", study(tmp_path, expected), "--out", tmp_path / "out")
    assert said.code == 2
    assert line in said.err
    assert "study.yaml:8" in said.err
    assert "Traceback" not in said.err
    assert not (tmp_path / "out").exists()


def test_nothing_expected_is_a_mistake(tmp_path):
    said = lab("ask", study(tmp_path).rename(tmp_path / "s.yaml"))
    assert said.code == 2
    (tmp_path / "t.yaml").write_text("game: viking\npolicies: keep\n")
    said = lab("ask", tmp_path / "t.yaml")
    assert said.code == 2
    assert "expect is missing" in said.err
