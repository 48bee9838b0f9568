"""Reports: which notebook on which results, what a page must be, and what the sections say of any game."""

import re
from html.parser import HTMLParser
from pathlib import Path

import matplotlib as mpl
import nbformat
import pandas as pd
import pytest

import lab
from lab import report, results
from lab.errors import BadInput
from lab.report import facts, findings, generic, output, page

mpl.use("Agg")

VIKING = """
question: Is *this* <fair>, or $not$?
game: viking
seed: 2
games: 80
seats: [2, 3]
knobs: {start_life: [4, 8], reroll_order: [open, simultaneous]}
studies:
  all alike: {policies: [[keep...], [trailing...]]}
  mixed: {policies: [["threshold:below=3", keep...]], rotate_seats: true, keep_games: 20}
"""
VICES = """
name: second study
game: vices
games: 40
keep_games: 30
policies: [[zeros...]]
studies:
  seats: {seats: [3, 4], policies: [[zeros...], [random, zeros...]]}
  sins:
    knobs:
      sins: [[lust, greed, envy], [], [lust, gluttony, greed, sloth, wrath, envy]]
      exact_wins: [true, false]
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Two studies of two games with their results, and no notebooks."""
    path = tmp_path_factory.mktemp("report")
    for name, text in (("first", VIKING), ("vices", VICES)):
        (path / f"{name}.yaml").write_text(text, encoding="utf-8")
    lab.sweep(path / "first.yaml", out=path / "results" / "first", jobs=1)
    lab.sweep(path / "vices.yaml", out=path / "results" / "second study", jobs=1)
    return path


@pytest.fixture(autouse=True)
def here(place, monkeypatch):
    monkeypatch.chdir(place)


@pytest.fixture
def first(place):
    return lab.load(place / "results" / "first")


class Page(HTMLParser):
    """What stands on a page, in its order: (tag, attributes) and text."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.words, self.open = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        self.open.append(tag)

    def handle_endtag(self, tag):
        while self.open and self.open.pop() != tag:
            pass

    def handle_data(self, data):
        if not {"details", "style"} & set(self.open):
            self.words.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())

    def count(self, tag):
        return sum(each == tag for each, _ in self.tags)


@pytest.fixture(scope="module")
def pages(place):
    """The general notebook's page of each study."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        made = {name: report.report(f"results/{name}") for name in ("first", "second study")}
        assert made["first"] == Path("results/first/report.html")
        return {name: path.read_text(encoding="utf-8") for name, path in made.items()}


@pytest.fixture(params=["first", "second study"])
def made(request, pages):
    return request.param, pages[request.param]


SECTIONS = ["The answer", "Pictures", "Every cell", "Method", "Self-checks", "How to repeat it", "Versions and hashes"]


def test_a_page_is_one_file_that_needs_no_network(made):
    _, text = made
    assert not re.search(r"https?:|//cdn|<script|<link|@import|url\(", text)
    for tag, attributes in Page(text).tags:
        assert "src" not in attributes or attributes["src"].startswith("data:image/"), tag
        assert not attributes.get("href", "#").startswith("/"), tag


def test_a_page_is_for_phones_paper_and_the_dark(made):
    _, text = made
    assert ("meta", {"name": "viewport", "content": "width=device-width, initial-scale=1"}) in Page(text).tags
    assert "@media (prefers-color-scheme: dark)" in text
    assert "@media print" in text
    assert re.search(r"img \{[^}]*max-width: 100%", text)
    assert re.search(r"\.scroll \{[^}]*overflow: auto", text)
    found = Page(text)
    for number, (tag, _) in enumerate(found.tags):
        if tag == "table":
            assert found.tags[number - 1] == ("div", {"class": "scroll", "tabindex": "0"})


def test_a_page_begins_with_the_answer_and_has_every_section(made):
    _, text = made
    found = Page(text)
    assert found.count("h1") == 1
    assert re.findall(r'<h2 id="[^"]+">(.*?)</h2>', text) == SECTIONS
    assert text.index("<h1") < text.index("The answer</h2>") < text.index("<nav") < text.index("<img")
    ids = [attributes["id"] for _, attributes in found.tags if "id" in attributes]
    links = [attributes["href"] for tag, attributes in found.tags if tag == "a"]
    assert links == [f"#{name}" for name in ids if f">{name}" not in SECTIONS and f"#{name}" in links]
    assert len(links) == len(SECTIONS)


def test_code_is_folded_and_pictures_have_captions(made):
    _, text = made
    found = Page(text)
    assert "report.what_moves(cells)" not in found.text
    assert text.count('<details class="code"><summary>code</summary>') == found.count("details") == 9
    pictures = [attributes for tag, attributes in found.tags if tag == "img"]
    assert len(pictures) >= 5
    assert all(len(each["alt"]) > 30 for each in pictures)
    captions = re.findall(r"<figcaption>(.*?)</figcaption>", text, re.DOTALL)
    assert sum(bool(re.search(r"n = [\d,]+ plays", each)) for each in captions) >= len(pictures)


def test_a_page_tells_how_to_repeat_it_and_what_to_cite(made, place):
    name, text = made
    said, r = Page(text).text, lab.load(f"results/{name}")
    study = {"first": "first.yaml", "second study": "vices.yaml"}[name]
    for line in (f"lab sweep {study} ", f"lab replay {study} --cell 0 --game 0 "):
        assert line in said
    assert str(place) not in text
    [game] = r.games
    assert f"version 1, code {r.manifest['code'][game]}" in said
    assert "SHA-256 of cells.parquet" in said
    assert "DOES NOT HOLD" not in said
    assert text.count('<td style="text-align:left">holds</td>') == 5 + len(r.manifest["checks"])
    assert re.search(r"lab replay \S+ --cell \d+ --game \d+( --rotation \d)? # the most \w+ of the kept games", said)


def test_a_question_stands_as_it_was_asked(pages):
    assert Page(pages["first"]).words.count("Is *this* <fair>, or $not$?") == 2  # the title and the first heading


# Which results


def test_a_study_stands_for_its_results(place, monkeypatch, tmp_path):
    assert page.results_of(Path("first.yaml")) == Path("results/first")
    assert page.results_of(Path("results/first/cells.parquet")) == Path("results/first")
    study = VIKING.replace("start_life: [4, 8]", "start_life: [4, 9]")
    Path("changed.yaml").write_text("name: first\n" + study, encoding="utf-8")
    with pytest.raises(
        BadInput, match=r"results/first: 12 of the 24 cells of changed.yaml are missing; run `lab sweep changed"
    ):
        report.report("changed.yaml")
    monkeypatch.chdir(tmp_path)
    Path("new.yaml").write_text(VIKING, encoding="utf-8")
    with pytest.raises(BadInput, match=r"^results/new: no results of new.yaml yet; run `lab sweep new.yaml` first$"):
        report.report("new.yaml")
    with pytest.raises(BadInput, match=r"^nowhere: no results there"):
        report.report("nowhere")
    with pytest.raises(BadInput, match="no such file"):
        report.report("nothing.yaml")


def test_what_cannot_be_used_is_one_line(place, tmp_path):
    with pytest.raises(BadInput, match=r"^'pdf' is not a format of reports \(html, ipynb\)$"):
        report.report("results/first", format="pdf")
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "cells.parquet").write_bytes(Path("results/first/cells.parquet").read_bytes())
    (broken / "study.json").write_text("{}")
    with pytest.raises(BadInput, match="is not a manifest"):
        report.report(broken)


def test_without_the_extra_one_line_says_so(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "nbconvert", None)
    with pytest.raises(BadInput, match=r"nbconvert is missing: pip install 'balance-lab\[reports\]'"):
        report.report("results/first")


# Which notebook


@pytest.fixture
def notebooks(place, tmp_path, monkeypatch):
    """A folder like the place, with notebooks by name."""
    (tmp_path / "results").symlink_to(place / "results")
    (tmp_path / "notebooks").mkdir()
    monkeypatch.chdir(tmp_path)

    def write(name, *cells):
        made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
        nbformat.write(made, tmp_path / "notebooks" / f"{name}.ipynb")

    return write


def test_a_study_s_own_notebook_is_taken_and_a_game_s_where_it_has_none(notebooks, tmp_path):
    code = "import os, lab\nr = lab.load({!r})\nlab.report.say(f'# {{r.name}} {{os.getcwd()[-9:]}} {}')"
    notebooks("viking", code.format("viking", "game"))
    path = report.report("results/first", out=tmp_path / "page.html")
    assert "first notebooks game" in path.read_text()
    assert "Made by lab report from notebooks/viking.ipynb." in Page(path.read_text()).text
    notebooks("first", code.format("first", "own"), "print('\\x1b[31mred\\x1b[0m <b>')", "r.cells[['seats']].head(2)")
    text = report.report("results/first", out=path).read_text()
    assert "first notebooks own" in text
    assert "red</span> &lt;b&gt;" in text
    assert "seats</th>" in text


def test_a_notebook_that_needs_other_parts_is_passed_over_for_the_general_one(notebooks, tmp_path, pages):
    """As a notebook, which is a beginning for one's own; made again, it is the same page."""
    notebooks("viking", "import lab\nfrom lab import report\nreport.needs(lab.load('viking'), 'mixed', 'more')")
    path = report.report("results/first", format="ipynb", out=tmp_path / "notebooks" / "mine.ipynb")
    made = nbformat.read(path, as_version=4)
    assert 'r = lab.load("first")' in made.cells[0].source
    assert [cell.execution_count for cell in made.cells if cell.cell_type == "code"] == list(range(1, 10))
    assert not [output for cell in made.cells for output in cell.get("outputs", []) if output.output_type == "error"]
    manifest = page._manifest(Path("results/first"))
    assert page._as_page(made, manifest, "the lab's general notebook") == pages["first"]
    with pytest.raises(report.NotForThese, match="asks for the parts mixed, more; first lacks more"):
        report.needs(lab.load("first"), "mixed", "more")


def test_a_notebook_that_stops_is_one_line(notebooks):
    notebooks("first", "x = 1", "raise ValueError('no\\nluck')")
    with pytest.raises(BadInput, match=r"^notebooks/first.ipynb stopped: ValueError: no luck$"):
        report.report("results/first")
    Path("notebooks/first.ipynb").write_text("{")
    with pytest.raises(BadInput, match=r"^notebooks/first.ipynb is not a notebook"):
        report.report("results/first")


# What is found


def test_kinds_of_line_ups_fill_any_number_of_seats(first):
    assert findings.line_up_kind(["a", "b", "b"]) == "a, b..."
    assert findings.line_up_kind(["a", "a"]) == "a..."
    assert findings.line_up_kind(["a", "a", "b"]) == "a, a, b"
    assert set(findings.kinds(first.part("mixed"))) == {"threshold:below=3, keep..."}


def test_sets_of_names_are_told_by_what_is_missing():
    cells = lab.load("results/second study").part("sins")
    labels = list(dict.fromkeys(findings.values(cells, "sins")))
    assert labels == ["lust, greed, envy", "none", "all but pride"]
    assert set(findings.values(cells, "exact_wins")) == {"true", "false"}
    assert findings.label(cells, "sins", tuple("abc")) == "a, b, c"


def test_effects_are_averages_of_the_cells_and_the_largest_comes_first(first):
    cells = first.part("all alike")
    assert findings.looked_at(cells) == ["start_life", "reroll_order"]
    found = findings.effects(cells, "start_life")
    assert found[0].quantity.name in ("duels", "rerolls")
    duels = next(effect for effect in found if effect.quantity.name == "duels")
    keep = results.pick(cells, start_life=8)
    keep = keep[keep.policies.str.startswith("keep")]
    assert duels.lines["keep..."].loc[8, "estimate"] == pytest.approx(results.mean(keep, "duels").estimate.mean())
    assert duels.n == cells.plays.sum()
    assert duels.is_clear
    sizes = [effect.size for effect in found if effect.is_clear]
    assert sizes == sorted(sizes, reverse=True)
    (low, _), (high, _) = duels.ends
    assert (low, high) == (4, 8)


def test_wins_are_told_by_entry_where_seats_are_rotated_and_policies_differ(first):
    assert [place.name for place in findings.places(first.part("all alike"))] == ["seat 0", "seat 1", "seat 2"]
    mixed = first.part("mixed")
    places = findings.places(mixed)
    assert [place.name for place in places] == ["entry 0", "entry 1", "entry 2"]
    wins = results.win_share(mixed, policy=0).estimate * mixed.seats
    assert places[0].wins.estimate.tolist() == pytest.approx(wins.tolist())


def test_a_share_is_clear_only_if_it_is_so_with_all_looked_at():
    one = pd.DataFrame({"estimate": [1.2], "low": [1.05], "high": [1.35]})
    assert findings.clear(one, 1, 1).all()
    assert not findings.clear(one, 1, 100).any()  # 0.15 wider by 3.48 / 1.96 is 0.27
    assert findings.clear(one.assign(estimate=1.4, low=1.25, high=1.55), 1, 100).all()


def test_one_cell_of_one_game_can_be_reported(tmp_path, capsys):
    study = tmp_path / "one.yaml"
    study.write_text("game: viking\ngames: 1\npolicies: keep\n", encoding="utf-8")
    r = lab.sweep(study, out=tmp_path / "out", jobs=1)
    generic.heading(r), generic.answer(r), generic.cell_table(r)
    for cells in r.parts.values():
        generic.who_wins(cells), generic.what_moves(cells)
    facts.method(r), facts.checks(r), facts.replay(r), facts.versions(r)
    said = capsys.readouterr().out
    assert "one cell, 1 games, 1 plays in all" in said
    assert "[picture: Who wins]" in said
    assert "DOES NOT HOLD" not in said


def test_a_study_of_two_games_can_be_reported(tmp_path, capsys, monkeypatch):
    study = tmp_path / "two.yaml"
    parts = (
        "{one: {game: viking, policies: [keep], knobs: {start_life: [4, 8]}}, other: {game: vices, policies: [zeros]}}"
    )
    study.write_text(f"games: 10\nstudies: {parts}\n", encoding="utf-8")
    r = lab.sweep(study, out=tmp_path / "out", jobs=1)
    assert r.part("one").start_life.tolist() == [4, 8]
    monkeypatch.setattr(generic, "MOST_ROWS", 1)
    generic.heading(r), generic.answer(r), generic.cell_table(r)
    for cells in r.parts.values():
        generic.what_moves(cells)
    facts.method(r), facts.checks(r)
    said = capsys.readouterr().out
    assert "of Viking Dice and Vices & Vengeance: 3 cells" in said.replace("&#38;", "&")
    assert "start_life | 4, 8 |" in said
    assert "Part one: 2 cells. seat: share of wins; only the first 1," in said
    assert "DOES NOT HOLD" not in said


def test_a_run_can_be_reported(capsys):
    r = lab.run("viking", "keep", games=20, progress=False)
    generic.heading(r), generic.answer(r), facts.checks(r), facts.versions(r)
    assert "Study `viking` of Viking Dice" in capsys.readouterr().out


# Self-checks


def tampered(r, **changes):
    rows = [row | {name: change(row) for name, change in changes.items()} for row in r.cells.row]
    return results.Results(r.cells.assign(row=rows), r.manifest, r.folder)


def halved(row):
    first, *rest = row["metrics"]
    return [first | {"counts": [first["counts"][0] + 1, *first["counts"][1:]]}, *rest]


@pytest.mark.parametrize(
    ("changes", "failing"),
    [
        ({"no_winner": lambda row: 3}, ["add up"]),
        ({"metrics": halved}, ["Every play", "Means follow"]),
        ({"seed": lambda row: 9}, ["identity"]),
        ({"policies": lambda row: ["nobody"] * row["seats"]}, ["identity"]),
    ],
)
def test_checks_find_what_is_wrong(first, capsys, changes, failing):
    facts.checks(first)
    assert "DOES NOT HOLD" not in capsys.readouterr().out
    facts.checks(tampered(first, **changes))
    wrong = [line for line in capsys.readouterr().out.splitlines() if "DOES NOT HOLD" in line]
    assert len(wrong) == len(failing)
    assert all(any(word in line for line in wrong) for word in failing)


def test_games_that_play_otherwise_are_found(first, capsys, monkeypatch):
    rows = facts._rows
    monkeypatch.setattr(facts, "_rows", lambda cell, count: rows(cell, count) + 1)
    facts.checks(first)
    assert re.search(r"DOES NOT HOLD \| The first 20 games .* \| 0 of \d+ plays", capsys.readouterr().out)


# Words, tables, pictures


def test_figures_in_words():
    row = pd.Series({"estimate": 0.577, "low": 0.5761, "high": 0.5779})
    assert report.percent(row) == "57.7 % (57.6 to 57.8)"
    assert report.plus_minus(row * 10) == "5.7700 ± 0.0090"
    assert report.plus_minus(row, percent=True) == "57.700 ± 0.090 %"
    assert report.points(row) == "57.700 ± 0.090 points"
    assert report.listed(["a"]) == "a"
    assert report.listed("abc") == "a, b and c"
    assert report.safe("a_b *c* _d_ <e>\n$f") == "a_b &#42;c&#42; &#95;d&#95; &#60;e> &#36;f"


def test_a_table_is_escaped_and_has_its_numbers_to_the_right(monkeypatch):
    shown = []
    monkeypatch.setattr(output, "_display", lambda data, metadata=None: shown.append((data, metadata)))
    report.table([{"name": "<b>", "n": 12345, "yes": True}, {"name": "c", "more": float("nan")}], "A *caption*.")
    html = shown[0][0]["text/html"]
    assert '<td style="text-align:left">&lt;b&gt;</td><td style="text-align:right">12,345</td>' in html
    assert '<td style="text-align:left">true</td>' in html
    assert '<td style="text-align:right">-</td>' in html
    assert shown[1] == ({"text/markdown": "A *caption*.", "text/plain": "A *caption*."}, {"lab": "caption"})
    report.table(pd.DataFrame({"a": range(30)}))
    assert shown[2][0]["text/plain"].count("\n") == output.PLAIN + 1
    assert len(shown) == 3


def test_the_general_notebook_is_clean_and_names_no_game():
    text = page.GENERAL.read_text(encoding="utf-8")
    made = nbformat.reads(text, as_version=4)
    assert all(not cell.get("outputs") for cell in made.cells)
    assert not [game for game in ("viking", "vices") if game in text]
    assert sum(cell.source.count('"STUDY"') for cell in made.cells) == 1
