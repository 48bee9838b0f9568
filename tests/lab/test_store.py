"""What a sweep leaves on disk: tables that anybody can read, and that agree with each other."""

import importlib.util
import json
import re
from collections import Counter
from decimal import Decimal

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lab import catalogue, runner
from lab.cell import Entry
from lab.identity import cell_id
from lab.notes import notes
from lab.store import SCHEMA, read_cells, row_of, tally_of, write_rows
from lab.study import read_study
from lab.sweeping import sweep
from lab.tally import BINS, LOWEST, Tally, tally_block
from tests.lab.common import cell, columns, matches
from tests.lab.test_cli import ROOT

STUDY = """
name: stored
game: viking
seed: 18446744073709551615
games: 900
keep_games: all
knobs: {start_life: [9, 12]}
studies:
  plain:
    seats: [2, 3]
    policies: [[threshold, "trailing:below=3..."], [random...]]
    keep_games: 250
  rotated:
    rotate_seats: true
    policies: [keep, healer, random]
  short:
    policies: keep
    zip: {max_duels: [2]}
    keep_games: none
"""


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    path = tmp_path_factory.mktemp("stored") / "stored.yaml"
    path.write_text(STUDY, encoding="utf-8")
    return read_study(path)


@pytest.fixture(scope="module")
def folder(study):
    folder = study.path.parent / "out"
    sweep(study, folder, jobs=1)
    return folder


@pytest.fixture(scope="module")
def cells(folder):
    return pq.read_table(folder / "cells.parquet").to_pylist()


def rows_of(folder, row):
    """The kept games of a cell, as a list of dicts."""
    return pq.read_table(folder / "games" / f"{row['cell']}.parquet").to_pylist()


# Tables as they are


def test_cells_have_the_declared_schema(folder, cells):
    assert pq.read_schema(folder / "cells.parquet").equals(SCHEMA)
    for row in cells:
        assert pq.read_schema(folder / "cells" / f"{row['cell']}.parquet").equals(SCHEMA)


def test_one_row_a_cell_in_the_order_of_the_study(study, cells):
    assert [row["cell"] for row in cells] == [cell_id(each) for each in study.cells]
    assert len({row["cell"] for row in cells}) == len(cells) == 12
    for row, each in zip(cells, study.cells, strict=True):
        assert (row["part"], row["game"], row["seats"], row["seed"]) == (each.part, "viking", each.seats, 2**64 - 1)
        assert (row["policies"], row["rotate_seats"]) == (list(each.titles), each.rotate_seats)
        assert (row["games"], row["plays"]) == (900, 900 * each.rotations)
        assert json.loads(row["knobs"]) == each.knobs.model_dump()
        assert row["rules_version"] == catalogue.game("viking").rules_version
        assert [share["policy"] for share in row["win_share_policy"]] == row["policies"]
        assert [metric["column"] for metric in row["metrics"]] == list(columns(each))


def test_files_are_those_that_are_documented(folder, cells):
    assert sorted(path.name for path in folder.iterdir()) == ["cells", "cells.parquet", "games", "study.json"]
    kept = {row["cell"] for row in cells if row["part"] != "short"}
    assert {path.stem for path in (folder / "games").iterdir()} == kept
    assert {path.stem for path in (folder / "cells").iterdir()} == {row["cell"] for row in cells}


def test_the_row_of_a_cell_is_the_same_in_both_places(folder, cells):
    for row in cells:
        assert pq.read_table(folder / "cells" / f"{row['cell']}.parquet").to_pylist() == [row]
    assert read_cells(folder) == cells


def test_games_are_the_first_ones_in_every_rotation(folder, cells):
    for row in cells:
        if row["part"] == "short":
            continue
        kept = 250 if row["part"] == "plain" else 900
        rotations = row["seats"] if row["rotate_seats"] else 1
        table = pq.read_table(folder / "games" / f"{row['cell']}.parquet")
        assert table.schema.names == ["game_number", "rotation", *(metric["column"] for metric in row["metrics"])]
        assert table.schema.types == [pa.int64(), pa.int8(), *[pa.int32()] * len(row["metrics"])]
        assert table["game_number"].to_pylist() == [game for game in range(kept) for _ in range(rotations)]
        assert table["rotation"].to_pylist() == [rotation for _ in range(kept) for rotation in range(rotations)]


# Tables that agree


def test_histograms_are_those_of_the_games(folder, cells):
    checked = 0
    for row in cells:
        if row["part"] != "rotated":  # where all games are kept
            continue
        plays = rows_of(folder, row)
        for metric in row["metrics"]:
            counted = Counter(play[metric["column"]] for play in plays)
            assert dict(zip(metric["values"], metric["counts"], strict=True)) == counted, metric["column"]
            assert metric["values"] == sorted(counted)
            values = [play[metric["column"]] for play in plays if play[metric["column"]] >= 0]
            assert metric["n"] == len(values)
            assert metric["mean"] == pytest.approx(np.mean(values))
            assert metric["sd"] == pytest.approx(np.std(values, ddof=1))
        winners = Counter(1 << play["winner"] if play["winner"] >= 0 else 0 for play in plays)
        assert {each["seats"]: each["plays"] for each in row["winners"]} == winners
        checked += 1
    assert checked == 2


def test_shares_are_those_of_the_games(folder, cells):
    """By seat, and by line-up entry: in rotation r, entry e sits in seat (e + r) mod seats."""
    for row in cells:
        if row["part"] != "rotated":
            continue
        plays, seats = rows_of(folder, row), row["seats"]
        for seat, share in enumerate(row["win_share"]):
            assert share["seat"] == seat
            assert share["estimate"] == pytest.approx(np.mean([play["winner"] == seat for play in plays]))
        for entry, share in enumerate(row["win_share_policy"]):
            won = [play["winner"] == (entry + play["rotation"]) % seats for play in plays]
            assert share["estimate"] == pytest.approx(np.mean(won))


def test_counts_are_those_of_the_columns(cells):
    for row in cells:
        metrics = {metric["column"]: metric for metric in row["metrics"]}
        unfinished = dict(zip(metrics["unfinished"]["values"], metrics["unfinished"]["counts"], strict=True))
        winner = dict(zip(metrics["winner"]["values"], metrics["winner"]["counts"], strict=True))
        assert row["unfinished"] == unfinished.get(1, 0)
        assert row["no_winner"] == winner.get(-1, 0)
        assert sum(winner.values()) == row["plays"] == sum(each["plays"] for each in row["winners"])
        assert (row["unfinished"] > 0) == (row["part"] == "short")
        assert row["shared"] == 0


# There and back


LINE_UPS = {
    "two": cell("threshold", "trailing"),
    "four, weights, knobs": cell("random", "keep", "healer", "trailing", knobs={"start_life": 200, "heal": "total"}),
    "rotated": cell("threshold", "random", "keep", rotate_seats=True, part="p"),
    "nobody wins": cell("keep", knobs={"max_duels": 1, "start_life": 200}),
}


def same(one, other):
    return (
        (one.games, one.rotations) == (other.games, other.rotations)
        and (one.counts == other.counts).all()
        and (one.above == other.above).all()
        and (one.units == other.units).all()
    )


@pytest.mark.parametrize("name", LINE_UPS)
@pytest.mark.parametrize("games", [1, 150])
def test_a_row_holds_the_whole_tally(tmp_path, name, games):
    of, game = LINE_UPS[name], catalogue.game("viking")
    tally = tally_block(matches(of), 0, games)
    row = row_of(of, "c", game, tally)
    assert same(tally_of(row), tally)
    write_rows(tmp_path / "row.parquet", [row])
    [read] = pq.read_table(tmp_path / "row.parquet").to_pylist()
    again = tally_of(read)
    assert same(again, tally)
    assert type(again.units[0, 0]) is int
    assert str(row_of(of, "c", game, again)) == str(row)  # nan is not equal to itself
    more = tally_block(matches(of), games, 50)
    assert same(tally_of(read) + more, tally_block(matches(of), 0, games + 50))


def test_numbers_beyond_64_bits_survive(tmp_path):
    of = cell("threshold", "trailing")
    tally = tally_block(matches(of), 0, 10)
    tally.above[1] = [3, 10**20, 10**37]
    tally.units[0] = [10**12, 10**24, 10**36, 10**24, 10**12]
    tally.counts[BINS - 1, 1] = 2**62
    write_rows(tmp_path / "row.parquet", [row_of(of, "c", catalogue.game("viking"), tally)])
    [read] = pq.read_table(tmp_path / "row.parquet").to_pylist()
    assert read["metrics"][0]["above"] == [Decimal(3), Decimal(10**20), Decimal(10**37)]
    assert read["metrics"][0]["values"][-1] == LOWEST + BINS - 1
    found = tally_of(read)
    assert isinstance(found, Tally)
    assert same(found, tally)


# Other readers


@pytest.fixture
def query(folder, monkeypatch):
    """Rows of an SQL query with DuckDB, in the folder."""
    monkeypatch.chdir(folder)

    def query(text):
        with duckdb.connect() as connection:
            return connection.sql(text).fetchall()

    return query


def test_duckdb_reads_the_cells(query, cells):
    found = query("SELECT cell, part, seats, policies[1], rotate_seats, seed, games, plays FROM 'cells.parquet'")
    assert found == [
        (row["cell"], row["part"], row["seats"], row["policies"][0], row["rotate_seats"], 2**64 - 1, 900, row["plays"])
        for row in cells
    ]
    lives = query("SELECT CAST(knobs->>'start_life' AS INT), count(*) FROM 'cells.parquet' GROUP BY 1 ORDER BY 1")
    assert lives == [(9, 6), (12, 6)]
    shares = query("SELECT win_share[2].estimate, win_share_policy[1].policy, win_share[1].low FROM 'cells.parquet'")
    assert shares == [
        (row["win_share"][1]["estimate"], row["policies"][0], row["win_share"][0]["low"]) for row in cells
    ]


def test_duckdb_reads_metrics_and_histograms(query, cells):
    text = """
        SELECT cell, m.mean, m.n, list_sum(m.counts) FROM 'cells.parquet', UNNEST(metrics) AS t(m)
        WHERE m."column" = 'duels'
    """
    wanted = {row["cell"]: next(m for m in row["metrics"] if m["column"] == "duels") for row in cells}
    found = query(text)
    assert len(found) == len(cells)
    for name, mean, n, plays in found:
        assert (mean, n, plays) == (wanted[name]["mean"], wanted[name]["n"], sum(wanted[name]["counts"]))


def test_duckdb_reads_the_games_beside_the_cells(query, cells):
    """Means again from the games themselves, joined by the cell's name in the file's."""
    found = query("""
        SELECT parse_filename(filename, true) AS cell, count(*), avg(duels), avg(CAST(winner = 1 AS INT))
        FROM read_parquet('games/*.parquet', filename = true, union_by_name = true) GROUP BY 1
    """)
    rotated = {row["cell"]: row for row in cells if row["part"] == "rotated"}
    assert len(found) == 10
    checked = 0
    for name, plays, duels, share in found:
        if row := rotated.get(name):
            assert plays == row["plays"]
            assert duels == pytest.approx(row["metrics"][0]["mean"])
            assert share == pytest.approx(row["win_share"][1]["estimate"])
            checked += 1
    assert checked == 2


def test_the_query_of_the_readme_works(query, cells):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    queries = re.findall(r"```sql\n(.*?)```", text, re.DOTALL)
    assert queries
    for each in queries:
        found = query(each.replace("results/viking/", ""))
        assert len(found) == len(cells)


def with_duckdb(path):
    with duckdb.connect() as connection:
        found = connection.sql(f"SELECT * FROM '{path}'")
        return found.columns, found.fetchall()


def with_pandas(path):
    import pandas as pd

    frame = pd.read_parquet(path)
    return list(frame.columns), [tuple(row) for row in frame.itertuples(index=False)]


READERS = {"duckdb": with_duckdb} | ({"pandas": with_pandas} if importlib.util.find_spec("pandas") else {})


@pytest.mark.parametrize("reader", READERS)
def test_a_reader_sees_what_was_written(folder, cells, reader):
    names, rows = READERS[reader](folder / "cells.parquet")
    assert list(names) == SCHEMA.names
    for row, found in zip(cells, rows, strict=True):
        named = dict(zip(names, found, strict=True))
        for name in ("cell", "part", "game", "seats", "seed", "knobs", "games", "plays", "unfinished", "no_winner"):
            assert named[name] == row[name]
        assert list(named["policies"]) == row["policies"]
        assert [share["estimate"] for share in named["win_share"]] == [share["estimate"] for share in row["win_share"]]
    name = next(row["cell"] for row in cells if row["part"] == "rotated")
    names, rows = READERS[reader](folder / "games" / f"{name}.parquet")
    table = pq.read_table(folder / "games" / f"{name}.parquet")
    assert list(names) == table.schema.names
    assert [tuple(map(int, row)) for row in rows] == list(zip(*table.to_pydict().values(), strict=True))


def test_cells_from_before_there_were_notes_can_be_read(folder, tmp_path):
    path = tmp_path / "cells.parquet"
    pq.write_table(pq.read_table(folder / "cells.parquet").drop_columns("note"), path)
    rows = read_cells(path)
    assert [row | {"note": ""} for row in rows] == read_cells(folder)
    assert notes(rows) == []


SLOW = """
import time

from sims.core.game import policy
from sims.viking.policies import keep


@policy("Thinks long.")
def slow(view, weights, prepared, action):
    time.sleep(action.size * 1e-5)
    keep.function(view, weights, prepared, action)
"""


def test_blocks_are_as_long_as_who_plays_is_quick(tmp_path):
    """A study of quick and slow policies: the quick ones' games do not come in blocks of the slow one's size."""
    (tmp_path / "slow.py").write_text(SLOW)
    title = f"{tmp_path / 'slow.py'}:slow"
    slow = cell(Entry(title, catalogue.policy("viking", title).weights()))
    for cells in ([slow, cell("keep")], [cell("keep"), slow]):
        blocks = runner._blocks(cells)
        assert blocks[runner._kind(slow)] * 100 < blocks[runner._kind(cell("keep"))]
