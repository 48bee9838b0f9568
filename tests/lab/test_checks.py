"""Self-checks find what is wrong, and nothing where all is well."""

from types import SimpleNamespace

import numpy as np
import pytest

from lab import arena, checks
from lab.errors import BadInput
from lab.estimate import Z
from lab.identity import cell_id
from lab.store import row_of
from lab.study import read_study
from lab.sweeping import sweep
from lab.tally import tally_block
from sims.viking import GAME, exact
from tests.lab.common import cell, matches


def rows_of(cells):
    return [row_of(each, cell_id(each), GAME, tally_block(matches(each), 0, each.games)) for each in cells]


def found(cells, rows=None):
    listed, known = checks.checks(cells, rows or rows_of(cells))
    return {each.what: each for each in listed}, known


def test_a_knob_that_changes_nothing_is_named():
    """Who never rerolls does not care in which order one may."""
    orders = ("open", "simultaneous")
    cells = [cell("keep", games=300, knobs={"start_life": s, "reroll_order": o}) for s in (6, 9) for o in orders]
    listed, _ = found(cells)
    assert not listed["reroll_order changed something"].holds
    assert "0 of 2 pairs" in listed["reroll_order changed something"].found
    assert listed["start_life changed something"].holds
    trailing = [cell("trailing", games=300, knobs={"reroll_order": order}) for order in orders]
    assert found(trailing)[0]["reroll_order changed something"].holds


def test_unfinished_games_are_told():
    few, many = cell("keep", games=300), cell("keep", games=300, knobs={"max_duels": 3})
    name, rows = "No cell has more unfinished plays than the study allows", rows_of([few, many])
    assert found([few], rows[:1])[0][name].holds
    assert not found([few, many], rows)[0][name].holds
    said = {each.what: each for each in checks.checks([few, many], rows, [0.01, 1.0])[0]}
    assert said[name].holds


def test_a_study_states_its_own_share_of_unfinished_plays(tmp_path):
    text = "game: viking\ngames: 100\npolicies: keep\nknobs: {max_duels: 3}\n"
    for more, holds in (("", False), ("unfinished: 1\n", True), ("unfinished: 0.2\n", False)):
        (tmp_path / "s.yaml").write_text(text + more, encoding="utf-8")
        done = sweep(read_study(tmp_path / "s.yaml"), tmp_path / f"out{len(more)}", jobs=1)
        [said] = [each for each in done.checks if "unfinished" in each["what"]]
        assert said["holds"] == holds
    (tmp_path / "s.yaml").write_text(text + "unfinished: 2\n", encoding="utf-8")
    with pytest.raises(BadInput, match="unfinished 2 is not a number from 0"):
        read_study(tmp_path / "s.yaml")


def shares(*each, half):
    return [{"estimate": share, "low": share - half, "high": share + half} for share in each]


@pytest.mark.parametrize(("gap", "holds"), [(0.5, True), (3.0, True), (5.0, False)])
def test_seats_that_play_alike_win_alike_where_the_rules_are_fair(monkeypatch, gap, holds):
    """gap: in standard errors; the bound for two figures at 1e-4 is 4.06."""
    alike, unlike, treated = cell("keep"), cell("keep", "random"), cell("keep", knobs={"start_life": 99})
    monkeypatch.setattr(
        checks.catalogue, "game", lambda name: SimpleNamespace(is_symmetric=lambda knobs: knobs.start_life != 99)
    )
    off = gap * 0.01
    row = {"win_share": shares(0.5 + off, 0.5 - off, half=0.01 * Z)}
    [check] = checks._seats([alike], [row])
    assert check.holds == holds
    assert list(checks._seats([unlike], [row])) == []
    assert list(checks._seats([treated], [row])) == []


def test_seats_of_a_game_in_which_one_begins_are_not_compared():
    assert not GAME.is_symmetric(GAME.knobs())
    assert list(checks._seats([cell("keep")], [{}])) == []


def courses(of, count):
    """What was seen and done in each game, in full."""
    told = {}

    def watch(table, ask):
        if ask is not None:
            for place, seat in enumerate(ask.seat):
                if seat >= 0:
                    lines = [field[..., place].tolist() for field in ask.view if isinstance(field, np.ndarray)]
                    lane = place if ask.lanes is None else ask.lanes[place]
                    told.setdefault(int(table.game[lane]), []).append(str((lines, int(ask.action[place]))))

    def sink(games, rows):
        for game, row in zip(games.tolist(), rows.tolist(), strict=True):
            told.setdefault(game, []).append(str(row))

    arena.play(matches(of)[0], 0, count, sink, watch=watch)
    return {str(each) for each in told.values()}


def test_games_are_counted_as_different_as_they_are():
    tiny = cell("keep", knobs={"dice": 2, "sides": 4, "max_duels": 1})
    assert 20 < checks.distinct(tiny, 256) == len(courses(tiny, 256)) < 200
    assert checks.distinct(cell("keep"), 256) == 256
    assert checks._distinct([cell("keep"), tiny]).found.startswith(f"{checks.distinct(tiny, 256)} of 256")
    assert not checks._distinct([cell("keep", knobs={"dice": 2, "sides": 4, "max_duels": 1, "start_life": 1})]).holds


@pytest.mark.parametrize("rotate", [False, True])
def test_figures_stand_beside_exact_ones(rotate):
    of = cell("threshold", "trailing", games=4000, knobs={"start_life": 9}, rotate_seats=rotate)
    listed, known = found([of])
    pair = [("threshold", 4.0), ("trailing", 4.0)]
    one, other = exact.solve(pair, start_life=9), exact.solve(pair[::-1], start_life=9)
    wanted = one.win_share[0] if not rotate else (one.win_share[0] + other.win_share[0]) / 2
    by_name = {each.figure: each for each in known}
    assert by_name["win_share[0]"].exact == pytest.approx(wanted)
    assert by_name["duels"].exact == pytest.approx(one.duels if not rotate else (one.duels + other.duels) / 2)
    assert listed["Figures agree with exact answers"].holds
    [row] = rows_of([of])
    metric = next(each for each in row["metrics"] if each["column"] == "duels")
    off = 3 * (metric["high"] - metric["low"])
    for name in ("mean", "low", "high"):
        metric[name] += off
    wrong, _ = found([of], [row])
    assert not wrong["Figures agree with exact answers"].holds


def test_what_is_not_known_exactly_is_left_out():
    assert checks._known([cell("keep", seats=3, games=50)], rows_of([cell("keep", seats=3, games=50)])) == []
    knobs = GAME.knobs(max_duels=3)
    assert exact.answer(2, knobs, [("keep", None), ("keep", None)]) == {}
    assert exact.answer(2, GAME.knobs(sides=12, dice=5), [("keep", None), ("keep", None)]) == {}


def test_many_cells_are_sampled_evenly():
    assert list(checks.sampled(list(range(100))))[:3] == [0, 4, 8]
    assert len(checks.sampled(list(range(100)))) == checks.SAMPLED
    assert checks.sampled([1, 2]) == [1, 2]
