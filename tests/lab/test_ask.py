"""Verdicts: what a study expects, decided at looks fixed in advance."""

import json
import shlex

import pyarrow.parquet as pq
import pytest

from lab.ask import ask, open_questions
from lab.clauses import read_clause
from lab.errors import BadInput
from lab.runner import Progress
from lab.sequences import FIRST_LOOK
from lab.study import read_study, with_games
from lab.sweeping import sweep
from lab.telling import command, telling_games
from sims.core.document import Given
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
        ("ending[hit in a tie] < 5%", "share", None, 0.05),
        ("share(ending != outscored) >= 0.2", "share", 0.2, None),
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


def test_games_that_tell(tmp_path):
    answer = ask(read_study(study(tmp_path, "duels > 1", "share(triples >= 4) < 0.5")), tmp_path / "out", jobs=1)
    told = [each.why.split(":")[0] for each in telling_games(answer.verdicts[0])]
    assert told == ["lowest", "typical", "highest"]
    assert all(int(each.why.split()[-1]) >= 4 for each in telling_games(answer.verdicts[1]))


def test_games_that_tell_of_a_gain_are_those_that_it_decides(tmp_path):
    plan = read_study(study(tmp_path, "gain(threshold over keep) > 0", more="knobs: {start_life: 5}\n"))
    [verdict] = ask(plan, tmp_path / "out", jobs=1).verdicts
    told = telling_games(verdict)
    assert len(told) == 3
    for each in told:
        words = shlex.split(command(each, plan))
        assert words[:2] == ["lab", "replay"]
        assert "start_life=5" in words
        last = lab(*words[1:]).out.splitlines()[-1]
        assert ("winner 1" in last) == ("seat 1 wins as threshold" in each.why)


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
        ("gain(healer over trailing) > 0", "'trailing' is not a policy of any line-up"),
        ("gain(heeler over keep) > 0", "did you mean 'healer'"),
        ("duels about 7", "is not an expectation"),
        ("duels between 7 and 3", "lower bound is above"),
        ("duels < 1e400", "too large"),
        ("p0(duels) > 1", "quantiles are p1 to p99"),
        ("share(duels > 4096) < 1", "values 0 to 4,095"),
        ("share(winner < -1) < 1", "or = -1: not defined"),
        ("ending[outscred] < 1", "did you mean 'outscored'"),
        ("share(ending = out scored) < 1", "did you mean 'outscored'"),
        ("share(duels = many) < 1", "the values of duels are numbers without names"),
        ("ending < 1", "a category, which has no mean; write ending[NAME]"),
        ("gain(keep over keep) > 0", "names one policy twice"),
        ("gain(keep... over threshold) > 0", "one policy, without ..."),
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


def test_the_edge_itself_is_outside_for_less_and_more():
    at_3 = 3.0, 3.0
    assert [clause(f"duels {op} 3").is_met_by(*at_3) for op in ("<", ">", "<=", ">=")] == [False, False, True, True]
    assert clause("duels between 3 and 4").is_met_by(*at_3) is True
    assert clause("duels > 3").is_met_by(3.0, 3.1) is None


def verdicts(path, text, jobs=1):
    file = path / "study.yaml"
    file.write_text(text)
    return ask(read_study(file), path / "out", jobs=jobs).verdicts


def test_what_was_never_seen_is_not_shown_to_be_impossible(tmp_path):
    """No unfinished game in 1,000 says no more than that they are below some 0.7 %."""
    found = verdicts(tmp_path, STUDY.replace("40_000", "1000") + "  - unfinished < 1e-9\n  - unfinished < 0.02\n")
    assert [each.verdict for each in found] == ["not shown", "yes"]


def test_a_mean_waits_until_enough_is_unlike(tmp_path):
    """With one life most games are one duel: 100 of them have fewer than 50 that are not, 2,000 have more."""
    text = "game: viking\npolicies: keep\nlimit: LIMIT\nknobs: {start_life: 1}\nexpect: duels < 50\n"
    few, many = (verdicts(tmp_path, text.replace("LIMIT", limit))[0] for limit in ("100", "2000"))
    assert (few.games, few.verdict) == (100, "not shown")
    assert (many.games, many.verdict) == (2000, "yes")


def test_a_share_may_be_of_what_is_not_defined(tmp_path):
    """Nobody can lose 200 lives in one duel, so nobody wins."""
    text = (
        "game: viking\npolicies: keep\nlimit: 1000\nknobs: {max_duels: 1, start_life: 200}\n"
        "expect: [share(winner = -1) > 95%, share(winner != -1) < 5%]\n"
    )
    assert [each.verdict for each in verdicts(tmp_path, text)] == ["yes", "yes"]


def test_values_beyond_the_histogram_are_somewhere_beyond(tmp_path):
    text = (
        "game: viking\nseats: 4\npolicies: 'healer:below=1'\nlimit: 100\n"
        "knobs: {start_life: 200, sides: 4, dice: 2, max_duels: 6000}\n"
        "expect: [p90(duels) < 4100, p50(duels) > 4000, share(duels > 4095) > 10%]\n"
    )
    ninety, half, share = verdicts(tmp_path, text)
    assert ninety.verdict == "not shown"
    assert ninety.figures[0].value.high == float("inf")
    assert half.figures[0].value.low <= 4096
    assert share.figures[0].value.estimate <= 1


def test_shares_stay_shares_when_rotations_are_not_all_defined(tmp_path):
    text = (
        "game: viking\npolicies: [[keep, threshold]]\nrotate_seats: true\nlimit: 1001\nknobs: {max_duels: 5}\n"
        "expect: [share(place_0 >= 1) < 90%]\n"
    )
    [found] = verdicts(tmp_path, text)
    assert found.figures[0].value.estimate == 1
    assert found.figures[0].value.low < 1


def test_parts_that_share_a_cell_keep_their_own_limits(tmp_path):
    text = (
        "game: viking\npolicies: keep\nstudies:\n  big: {limit: 3000, expect: 'win_share[0] within 0.5 +- 0.05'}\n"
        "  small: {limit: 200, expect: 'duels < 5'}\n"
    )
    big, _ = verdicts(tmp_path, text)
    assert (big.verdict, big.games) == ("yes", 3000)
    assert lab("show", tmp_path / "out").code == 0


def test_a_policy_s_file_is_looked_for_beside_the_study(tmp_path, monkeypatch):
    folder = tmp_path / "deep"
    folder.mkdir()
    (folder / "mine.py").write_text(
        "def calm(view, weights, prepared, action):\n"
        "    action[:] = (view.seat + 1) % view.seats if view.kind == 0 else 0\n"
    )
    (folder / "s.yaml").write_text(
        "game: viking\npolicies: [['mine.py:calm', keep]]\nlimit: 200\n"
        "expect: ['win_share[mine.py:calm] < 1', 'gain(mine.py:calm over keep) < 2']\n"
    )
    monkeypatch.chdir(tmp_path)
    assert ask(read_study("deep/s.yaml"), tmp_path / "out", jobs=1).verdicts[0].verdict == "yes"


# Endings


def test_shares_of_endings_are_those_of_the_column(tmp_path):
    """The games cut off by the limit are the unfinished ones; all endings together are all games."""
    endings = ("outscored", "hit in a tie", "attacked by a triple", "duel limit")
    text = "game: viking\npolicies: keep\nlimit: 2000\nknobs: {max_duels: 6}\nexpect:\n  - unfinished < 2\n"
    text += "".join(f"  - ending[{each}] < 2\n" for each in endings) + "  - share(ending != duel limit) < 2\n"
    cut, *shares, rest = (each.figures[0].value.estimate for each in verdicts(tmp_path, text))
    assert sum(shares) == pytest.approx(1)
    assert shares[-1] == cut > 0.1
    assert rest == pytest.approx(1 - cut)


# What is kept


def told(answer):
    return [(each.verdict, each.games, each.looks, each.stopped, each.figures) for each in answer.verdicts]


def contents(folder, name="asks.parquet"):
    return pq.read_table(folder / name).to_pylist()


EDGE = ("duels > 4.72", "win_share[threshold] > 0.5", f"win_share[keep] > {EXACT.win_share[1]:.6f}")
"""The first takes some looks, the second one, the last never ends."""


def test_a_verdict_stays_though_more_games_are_played(tmp_path):
    plan = read_study(study(tmp_path, *EDGE))
    first = ask(plan, tmp_path / "out", jobs=1)
    assert {each.stopped for each in first.verdicts} == {"decided", "limit"}
    sweep(with_games(plan, 60_000), tmp_path / "out", jobs=1, progress=Progress())
    again = ask(plan, tmp_path / "out", jobs=1)
    assert again.played == 0
    assert told(again) == told(first)


def test_where_more_has_been_played_one_looks_at_all_of_it(tmp_path):
    plan = read_study(study(tmp_path, *EDGE))
    sweep(with_games(plan, 12_500), tmp_path / "out", jobs=1, progress=Progress())
    decided = ask(plan, tmp_path / "out", jobs=1).verdicts[1]
    assert (decided.games, decided.looks) == (12_500, 2)


def test_another_error_rate_is_another_question(tmp_path):
    few = ask(read_study(study(tmp_path, EDGE[1])), tmp_path / "out", jobs=1).verdicts[0]
    more = ask(read_study(study(tmp_path, EDGE[1], "duels < 100")), tmp_path / "out", jobs=1).verdicts[0]
    assert more.alpha == few.alpha / 2
    assert more.figures[0].value.low < few.figures[0].value.low


def test_a_higher_limit_goes_on_where_the_lower_one_stopped(tmp_path):
    text = "game: viking\npolicies: keep\nlimit: LIMIT\nexpect: 'win_share[0] > 50%'\n"
    [first] = verdicts(tmp_path, text.replace("LIMIT", "3000"))
    [second] = verdicts(tmp_path, text.replace("LIMIT", "5000"))
    assert (first.stopped, first.games, second.stopped, second.games) == ("limit", 3000, "limit", 5000)


class Impatient(Progress):
    """Interrupts the third look."""

    looks = 0

    def start(self, plays):
        self.looks += plays > 0
        self.plays = plays

    def advance(self, plays):
        if self.looks == 3:
            raise KeyboardInterrupt


def test_an_interruption_changes_no_figure(tmp_path):
    plan = read_study(study(tmp_path, *EDGE))
    with pytest.raises(KeyboardInterrupt):
        ask(plan, tmp_path / "broken", jobs=1, progress=Impatient())
    assert [row["stopped"] for row in contents(tmp_path / "broken")] == ["", "decided", ""]
    broken, whole = (ask(plan, tmp_path / folder, jobs=1) for folder in ("broken", "whole"))
    assert told(broken) == told(whole)
    assert contents(tmp_path / "broken") == contents(tmp_path / "whole")


def test_what_is_kept_is_a_table_that_others_can_read(tmp_path):
    ask(read_study(study(tmp_path, *EDGE)), tmp_path / "out", jobs=1)
    rows = contents(tmp_path / "out")
    assert [(row["expected"], row["verdict"]) for row in rows] == list(
        zip(EDGE, ("yes", "yes", "not shown"), strict=True)
    )
    assert rows[1]["games"] == FIRST_LOOK
    assert rows[1]["figures"][0]["figure"] == "win_share[threshold]"
    assert json.loads((tmp_path / "out" / "study.json").read_text())["question"] == "Is the first seat fair?"


def test_a_damaged_memory_is_a_mistake_in_one_line(tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "asks.parquet").write_bytes(b"nothing")
    said = lab("ask", study(tmp_path, EDGE[1]), "--out", tmp_path / "out", "--jobs", "1")
    assert said.code == 2
    assert "asks.parquet cannot be read" in said.err


def test_a_gain_without_any_scatter_is_still_known_to_be_a_share(tmp_path):
    """At 200 lives threshold wins every game against keep: the gain is one half, and has no scatter at all."""
    text = (
        "game: viking\npolicies: [[threshold, keep]]\nlimit: 2000\nknobs: {start_life: 200}\n"
        "expect: [gain(threshold over keep) > 0.3, gain(threshold over keep) > 0.499]\n"
    )
    first, second = verdicts(tmp_path, text)
    assert (first.verdict, second.verdict) == ("yes", "not shown")
    assert not first.figures[0].asymptotic
