"""What a study means: cells, their order, and the one line that says where a study is wrong.

The game `sins` exists here only: it has what Viking Dice has not, a knob that is a list, and combinations that it
refuses.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal

import pydantic
import pytest
from ruamel.yaml import YAML

from lab import catalogue
from lab.cell import Cell
from lab.errors import BadInput, BrokenPlugin
from lab.lineup import value_of
from lab.population import Population
from lab.study import Expectation, Study, cell_from_options, read_study
from lab.template import template
from sims.core.document import Given
from sims.core.game import Column, Game, Settings, Whole, knob, policy

Read = Callable[[str], Study]
Refused = Callable[[str], str]


class SinsKnobs(Settings):
    sins: tuple[Literal["lust", "greed", "envy"], ...] = knob((), "Sins in play.", ruling="S1")
    speed: float = knob(0.5, "How fast: it's 'quick'.", low=0)
    small: Whole = knob(2, "The small number.")
    big: Whole = knob(9, "The big number.", high=99)
    mode: Literal["none", "true", "some"] = knob("none", "Words that YAML would read otherwise.")
    open: bool = knob(True, "Whether it is open.")

    @pydantic.model_validator(mode="after")
    def _small_is_less(self) -> "SinsKnobs":
        if self.small > self.big:
            raise ValueError("small must not exceed big")
        return self


@policy("Waits.")
def calm(view: Any, weights: Any, prepared: Any, action: Any) -> None: ...


@policy(
    "Dares.",
    risk=(float, knob(0.5, "How much.", low=0, high=1)),
    avoid=(tuple[Literal["lust", "greed"], ...], knob((), "What not.")),
)
def bold(view: Any, weights: Any, prepared: Any, action: Any) -> None: ...


SINS = Game(
    name="sins",
    title="Sins",
    rules_version=1,
    seats=(2, 3, 4, 5),
    knobs=SinsKnobs,
    columns=lambda seats, knobs: (Column("winner", ""), Column("unfinished", "")),
    policies={"bold": bold, "calm": calm},
    table=lambda setting, lanes: None,  # type: ignore[arg-type,return-value]
    is_legal=lambda view, seat, action: True,
    narrator=lambda setting, titles: None,  # type: ignore[arg-type,return-value]
)


@pytest.fixture(autouse=True)
def _sins(monkeypatch: pytest.MonkeyPatch) -> None:
    known, policies = catalogue.game, catalogue.policies
    monkeypatch.setattr(catalogue, "game_names", lambda: ("sins", "viking"))
    monkeypatch.setattr(catalogue, "game", lambda name: SINS if name == "sins" else known(name))
    monkeypatch.setattr(catalogue, "policies", lambda name: SINS.policies if name == "sins" else policies(name))


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def read(text: str) -> Study:
        (tmp_path / "s.yaml").write_text(text, encoding="utf-8")
        return read_study(str(tmp_path / "s.yaml"))

    return read


@pytest.fixture
def refused(read: Read, tmp_path: Path) -> Refused:
    def refused(text: str) -> str:
        """What the error says, without the folder."""
        with pytest.raises(BadInput) as caught:
            read(text)
        said = str(caught.value)
        assert said.splitlines() == [said]
        assert said.startswith(f"{tmp_path}/s.yaml:")
        return said.removeprefix(f"{tmp_path}/")

    return refused


def lineups(study: Study) -> list[tuple[str, ...]]:
    return [cell.titles for cell in study.cells]


def knobs(study: Study, *names: str) -> list[tuple[Any, ...]]:
    return [tuple(getattr(cell.knobs, name) for name in names) for cell in study.cells]


# Values


def test_a_study_of_nothing_but_a_game_and_a_policy_has_the_defaults(read: Read, tmp_path: Path) -> None:
    study = read("game: sins\npolicies: calm\n")
    alone = tuple(Population((cell,)) for cell in study.cells)
    expects = {"": Expectation((), 20_000_000)}
    assert study == Study("s", "", tmp_path / "s.yaml", study.cells, (), expects, populations=alone)
    [cell] = study.cells
    assert (cell.game, cell.seats, cell.titles, cell.knobs) == ("sins", 2, ("calm", "calm"), SinsKnobs())
    assert (cell.seed, cell.games, cell.keep_games, cell.rotate_seats, cell.part) == (0, 100_000, 0, False, "")


def test_every_key_is_read(read: Read) -> None:
    study = read(
        "name: my study-2\nquestion: |\n  Why?\n  Why not?\ngame: viking\nseed: 18446744073709551615\ngames: 1_000\n"
        "keep_games: 10\nseats: 3\nrotate_seats: true\npolicies: threshold\nknobs: {start_life: 9, heal: none}\n"
    )
    assert (study.name, study.question) == ("my study-2", "Why?\nWhy not?")
    [cell] = study.cells
    assert (cell.game, cell.seats, cell.titles) == ("viking", 3, ("threshold",) * 3)
    assert (cell.seed, cell.rotate_seats) == (2**64 - 1, True)
    assert cell.knobs == catalogue.game("viking").knobs.model_validate({"start_life": 9, "heal": "none"})
    assert (cell.games, cell.keep_games) == (1000, 10)


@pytest.mark.parametrize(("text", "kept"), [("none", 0), ("all", -1), ("0", 0), ("1e3", 1000), ("7", 7)])
def test_keep_games(read: Read, text: str, kept: int) -> None:
    assert read(f"game: sins\npolicies: calm\nkeep_games: {text}").cells[0].keep_games == kept


@pytest.mark.parametrize("games", ["1e6", "1_000_000", "1000000.0", "0xF4240"])
def test_whole_numbers_may_be_written_in_any_way_of_yaml(read: Read, games: str) -> None:
    found = read(f"game: sins\npolicies: calm\ngames: {games}").cells[0].games
    assert (found, type(found)) == (1_000_000, int)


def test_byte_order_mark_and_windows_line_ends_do_not_matter(read: Read) -> None:
    assert read("\ufeffgame: sins\r\npolicies: calm\r\nseed: 3\r\n").cells[0].seed == 3


# Sweeps


def test_lists_multiply_in_the_order_of_the_keys_the_last_fastest(read: Read) -> None:
    study = read("seed: [5, 4]\ngame: viking\nknobs: {heal: [face, none], dice: [2, 3]}\npolicies: keep\ngames: 10")
    found = [(cell.seed, *values) for cell, values in zip(study.cells, knobs(study, "heal", "dice"), strict=True)]
    faces = [("face", 2), ("face", 3), ("none", 2), ("none", 3)]
    assert found == [(seed, *each) for seed in (5, 4) for each in faces]
    assert study.varied == ("seed", "dice", "heal")


def test_a_list_of_one_value_is_no_difference(read: Read) -> None:
    assert read("game: viking\npolicies: keep\nseats: [2]\nknobs: {dice: [2]}").varied == ()


def test_a_list_knob_takes_a_list_as_one_value_in_the_order_of_its_options(read: Read) -> None:
    study = read("game: sins\npolicies: calm\nknobs: {sins: [envy, lust]}")
    assert knobs(study, "sins") == [(("lust", "envy"),)]
    assert study.varied == ()


def test_a_list_of_lists_sweeps_a_list_knob(read: Read) -> None:
    study = read("game: sins\npolicies: calm\nknobs: {sins: [[], [greed], [greed, lust]]}")
    assert knobs(study, "sins") == [((),), (("greed",),), (("lust", "greed"),)]
    assert study.varied == ("sins",)


def test_an_empty_list_is_a_value_of_a_list_knob(read: Read) -> None:
    assert knobs(read("game: sins\npolicies: calm\nknobs: {sins: []}"), "sins") == [((),)]


def test_whole_numbers_do_for_fractions(read: Read) -> None:
    assert knobs(read("game: sins\npolicies: calm\nknobs: {speed: [1, 0.25, 1e-3]}"), "speed") == [
        (1.0,),
        (0.25,),
        (0.001,),
    ]


def test_cells_alike_are_one_with_the_largest_number_of_games(read: Read) -> None:
    study = read("game: sins\npolicies: [[calm], [bold], [calm, calm]]\ngames: [10, 30, 20]\nseed: [1, 1]\nseats: 2")
    assert [(cell.titles, cell.games) for cell in study.cells] == [(("calm",) * 2, 30), (("bold",) * 2, 30)]


def test_parts_keep_their_cells_even_if_alike(read: Read) -> None:
    study = read("game: sins\npolicies: calm\nstudies: {a: {}, b: }")
    assert [cell.part for cell in study.cells] == ["a", "b"]
    assert study.varied == ("part",)


# Zip


def test_zipped_lists_advance_together_and_multiply_with_the_rest(read: Read) -> None:
    study = read("game: viking\npolicies: keep\nknobs: {sides: [4, 6]}\nzip: {dice: [2, 3], max_duels: [100, 200]}")
    assert knobs(study, "sides", "dice", "max_duels") == [(4, 2, 100), (4, 3, 200), (6, 2, 100), (6, 3, 200)]
    assert study.varied == ("dice", "sides", "max_duels")


def test_several_zips_multiply(read: Read) -> None:
    study = read("game: viking\npolicies: keep\nzip:\n- {dice: [2, 3], sides: [4, 6]}\n- start_life: [9, 12]\n")
    assert knobs(study, "dice", "sides", "start_life") == [(2, 4, 9), (2, 4, 12), (3, 6, 9), (3, 6, 12)]


def test_everything_that_can_be_zipped(read: Read) -> None:
    study = read(
        "game: sins\nzip: {seats: [2, 3], seed: [7, 8], policies: [[calm, bold], calm], games: [10, 20],\n"
        "      rotate_seats: [true, false], sins: [[lust], []]}"
    )
    found = [(c.seats, c.seed, c.titles, c.games, c.rotate_seats, c.knobs.model_dump()["sins"]) for c in study.cells]
    assert found == [
        (2, 7, ("calm", "bold"), 10, True, ("lust",)),
        (3, 8, ("calm",) * 3, 20, False, ()),
    ]


def test_in_a_zip_a_list_of_names_is_a_list_of_lineups(read: Read) -> None:
    study = read("game: sins\nzip: {policies: [calm, bold], seed: [1, 2]}")
    assert [(cell.titles, cell.seed) for cell in study.cells] == [(("calm",) * 2, 1), (("bold",) * 2, 2)]


# Line-ups


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("calm", [("calm",) * 3]),
        ("[calm]", [("calm",) * 3]),
        ("[[calm]]", [("calm",) * 3]),
        ("calm...", [("calm",) * 3]),
        ("[calm, bold, calm]", [("calm", "bold", "calm")]),
        ("[[calm, bold, calm]]", [("calm", "bold", "calm")]),
        ("[[calm, bold, calm], bold]", [("calm", "bold", "calm"), ("bold",) * 3]),
        ("[calm, bold...]", [("calm", "bold", "bold")]),
        ("[calm..., bold]", [("calm", "calm", "bold")]),
        ("[calm, bold..., calm]", [("calm", "bold", "calm")]),
        ("[calm, calm, calm, bold...]", [("calm", "calm", "calm")]),
        ("bold:risk=0.25", [("bold:risk=0.25",) * 3]),
        ("bold:risk=0.25,avoid=lust", [("bold:risk=0.25,avoid=('lust',)",) * 3]),
        ("bold:avoid=none", [("bold",) * 3]),
        ("bold:risk=0.25...", [("bold:risk=0.25",) * 3]),
        ("[calm, 'bold : risk = 1e-1 ...']", [("calm", "bold:risk=0.1", "bold:risk=0.1")]),
        ("{bold: {risk: 0}}", [("bold:risk=0.0",) * 3]),
        ("{bold: }", [("bold",) * 3]),
        ("{bold: {}}", [("bold",) * 3]),
        ("{policy: bold}", [("bold",) * 3]),
        ("{policy: bold, risk: 0.5, avoid: [lust]}", [("bold:avoid=('lust',)",) * 3]),
        ("{bold: {risk: [0, 1]}}", [("bold:risk=0.0",) * 3, ("bold:risk=1.0",) * 3]),
        ("{bold: {avoid: [[], [greed]]}}", [("bold",) * 3, ("bold:avoid=('greed',)",) * 3]),
        ("[calm, {bold...: {risk: [0, 1]}}]", [("calm", *("bold:risk=0.0",) * 2), ("calm", *("bold:risk=1.0",) * 2)]),
        (
            "[[{policy: calm...}, {'bold:risk=0': {avoid: [lust]}}]]",
            [("calm", "calm", "bold:risk=0.0,avoid=('lust',)")],
        ),
    ],
)
def test_lineups(read: Read, written: str, expected: list[tuple[str, ...]]) -> None:
    assert lineups(read(f"game: sins\nseats: 3\npolicies: {written}")) == expected


def test_weights_of_two_places_multiply_the_last_fastest(read: Read) -> None:
    study = read("game: sins\npolicies: [{bold: {risk: [0, 1]}}, {bold: {risk: [0, 1]}}]")
    low, high = "bold:risk=0.0", "bold:risk=1.0"
    assert lineups(study) == [(low, low), (low, high), (high, low), (high, high)]
    assert study.varied == ("policies",)


@pytest.mark.parametrize(
    ("written", "seats"),
    [
        ("calm", [2]),
        ("[calm, bold, calm]", [3]),
        ("[calm, bold...]", [2]),
        ("[calm, bold, calm, bold...]", [3]),
        ("[[calm, bold, calm], [calm, bold], calm]", [3, 2, 2]),
    ],
)
def test_seats_that_are_not_given_are_those_of_the_lineup_or_the_fewest(
    read: Read, written: str, seats: list[int]
) -> None:
    assert [cell.seats for cell in read(f"game: sins\npolicies: {written}").cells] == seats


def test_a_fixed_lineup_makes_only_the_cells_that_fit(read: Read) -> None:
    study = read(
        "game: sins\npolicies: [[calm, bold], [calm, bold, calm], [bold, calm...]]\nseats: [2, 3, 4]\nseed: [1, 2]"
    )
    two, three = ("calm", "bold"), ("calm", "bold", "calm")
    filled = [("bold", *("calm",) * others) for others in (1, 2, 3)]
    each = [two, filled[0], three, filled[1], filled[2]]
    assert lineups(study) == [lineup for lineup in each for _ in range(2)]
    assert study.varied == ("seats", "policies", "seed")


def test_a_policy_may_be_named_by_its_file(read: Read, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.py").write_text("def here(view, weights, prepared, action): ...\n", encoding="utf-8")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "mine.py").write_text("def there(view, weights, prepared, action): ...\n", encoding="utf-8")
    beside = read("game: sins\npolicies: mine.py:here")
    assert beside.cells[0].titles == (f"{tmp_path}/mine.py:here",) * 2
    monkeypatch.chdir(tmp_path / "sub")
    first = read("game: sins\npolicies: [mine.py:there, calm]")
    assert first.cells[0].titles == ("mine.py:there", "calm")
    assert catalogue.policy("sins", first.cells[0].lineup[0].policy).name.endswith("there")


def test_a_policy_in_a_file_has_weights(read: Read, tmp_path: Path) -> None:
    (tmp_path / "weighty.py").write_text(
        "from sims.core.game import Whole, knob, policy\n\n"
        "@policy('Counts.', up=(Whole, knob(1, 'To what.', low=1, high=3)))\n"
        "def count(view, weights, prepared, action): ...\n",
        encoding="utf-8",
    )
    study = read("game: sins\npolicies: [weighty.py:count:up=2, {weighty.py:count: {up: [1, 3]}}]")
    path = f"{tmp_path}/weighty.py:count"
    assert lineups(study) == [(f"{path}:up=2", path), (f"{path}:up=2", f"{path}:up=3")]


# Parts


def test_parts_share_defaults_merge_knobs_and_replace_the_rest(read: Read) -> None:
    study = read("""
game: viking
policies: keep
seed: [1, 2]
keep_games: all
knobs: {dice: 2, start_life: [9, 12]}
zip: {sides: [4, 6], max_duels: [10, 20]}
studies:
  base: {}
  long:
    question: And for long?
    seed: 3
    keep_games: none
    knobs: {start_life: 200, heal: none}
    zip: {max_duels: [30, 40]}
  other: {policies: [keep, random], zip: }
""")
    names = ("dice", "start_life", "heal", "sides", "max_duels")
    found = [
        (c.part, c.seed, c.keep_games, *values) for c, values in zip(study.cells, knobs(study, *names), strict=True)
    ]
    zipped = [(4, 10), (6, 20)]
    base = [("base", seed, -1, 2, life, "face", *each) for seed in (1, 2) for life in (9, 12) for each in zipped]
    long = [("long", 3, 0, 2, 200, "none", 6, duels) for duels in (30, 40)]
    other = [("other", seed, -1, 2, life, "face", 6, 1000) for seed in (1, 2) for life in (9, 12)]
    assert found == base + long + other
    assert study.varied == ("part", "policies", "seed", "start_life", "sides", "heal", "max_duels")


def test_what_a_part_zips_it_does_not_inherit(read: Read) -> None:
    study = read("""
game: sins
policies: calm
seats: [2, 3]
knobs: {small: 1, big: [5, 6]}
studies:
  a: {zip: {seats: [4, 5], big: [7, 8]}}
  b: {knobs: }
""")
    found = [
        (cell.part, cell.seats, *values) for cell, values in zip(study.cells, knobs(study, "small", "big"), strict=True)
    ]
    assert found == [("a", 4, 1, 7), ("a", 5, 1, 8), *(("b", seats, 1, big) for seats in (2, 3) for big in (5, 6))]


def test_parts_may_be_of_different_games(read: Read) -> None:
    study = read("policies: [calm, bold]\nstudies: {a: {game: sins}, b: {game: viking, policies: keep}}")
    assert [cell.game for cell in study.cells] == ["sins", "viking"]
    assert study.varied[:4] == ("part", "game", "policies", "sins")
    assert "dice" in study.varied


# Anchors


def test_anchors_and_merge_keys(read: Read) -> None:
    study = read("""
game: viking
policies: keep
seed: &seeds [1, 2]
studies:
  a: &a
    knobs: &knobs {dice: 2, sides: 4}
    seed: *seeds
  b:
    <<: *a
    knobs: {<<: [{sides: 8}, *knobs], heal: none}
""")
    found = [
        (c.part, c.seed, *values) for c, values in zip(study.cells, knobs(study, "dice", "sides", "heal"), strict=True)
    ]
    assert found == [("a", 1, 2, 4, "face"), ("a", 2, 2, 4, "face"), ("b", 1, 2, 8, "none"), ("b", 2, 2, 8, "none")]


def test_an_error_behind_an_alias_is_shown_where_the_alias_stands(refused: Refused) -> None:
    said = refused("game: sins\nquestion: &q who\npolicies: calm\nseed: *q")
    assert said == "s.yaml:4: seed 'who' is not a whole number from 0 to 18446744073709551615"


# Errors

SINS_IS = "game: sins\npolicies: calm\n"
FILLS = "; NAME... fills the seats that remain"
PART_KEYS = (
    "expect, find, game, games, keep_games, knobs, limit, policies, question, rotate_seats, seats, seed, "
    "unfinished, until, zip"
)
KEYS = PART_KEYS.replace("policies", "name, policies").replace("unfinished", "studies, unfinished")
A_POLICY = "a policy is a name, name:weight=value, file.py:function, or {name: {weight: value}}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "seed: 1\ngame: vikng\npolicies: keep",
            "2: game 'vikng' is not a game; did you mean 'viking'? (sins, viking)",
        ),
        ("seed: 1\npolicies: keep", "1: game is missing (sins, viking)"),
        ("game: [viking]\npolicies: keep", "1: game a list is not the name of one game (sins, viking)"),
        ("game: 3\npolicies: keep", "1: game 3 is not the name of one game (sins, viking)"),
        ("\ngame: sins\n", f"2: policies is missing; {A_POLICY}"),
        ("game: sins\nstudies:\n  a: {}\n", f"3: studies.a policies is missing; {A_POLICY}"),
        (SINS_IS + "sead: 1", f"3: 'sead' is not a key of a study; did you mean 'seed'? ({KEYS})"),
        (
            SINS_IS + "knobs:\n  sims: []",
            "4: knobs 'sims' is not a knob of sins; did you mean 'sins'? (big, mode, open, sins, small, speed)",
        ),
        (
            SINS_IS + "zip: {bigg: [1]}",
            (
                "3: zip 'bigg' is not a knob of sins or a key that can be zipped; did you mean 'big'? "
                "(big, games, mode, open, policies, rotate_seats, seats, seed, sins, small, speed)"
            ),
        ),
        (SINS_IS + "zip: {keep_games: [1]}", "3: zip 'keep_games' is not a knob of sins or a key that can be zipped"),
        (
            SINS_IS + "studies:\n  a:\n    name: x",
            f"5: studies.a 'name' is not a key of a part; did you mean 'game'? ({PART_KEYS})",
        ),
        (SINS_IS + "studies: {a: {studies: {}}}", "3: studies.a 'studies' is not a key of a part"),
        (SINS_IS + "name: ../up", "3: name '../up' is not a name; up to 100 letters"),
        (SINS_IS + "name: 7", "3: name 7 is not a name"),
        (SINS_IS + "studies: {'': {}}", "3: studies '' is not a name"),
        (SINS_IS + "studies: {'a\\b': {}}", "3: studies 'a\\\\b' is not a name"),
        (SINS_IS + "question: 7", "3: question 7 is not text"),
        (SINS_IS + "question:", "3: question null is not text"),
        (SINS_IS + "seed: -1", "3: seed -1 is not a whole number from 0 to 18446744073709551615"),
        (SINS_IS + "seed: 18446744073709551616", "3: seed 18446744073709551616 is not a whole number from 0 to"),
        (SINS_IS + "seed: '7'", "3: seed '7' is not a whole number"),
        (SINS_IS + "seed: true", "3: seed true is not a whole number"),
        (SINS_IS + "seed:", "3: seed null is not a whole number"),
        (SINS_IS + "seed: 1.5", "3: seed 1.5 is not a whole number"),
        (SINS_IS + "seed: .nan", "3: seed nan is not a whole number"),
        (SINS_IS + "seed: -.inf", "3: seed -inf is not a whole number"),
        (SINS_IS + "seed: {}", "3: seed a mapping is not a whole number"),
        (SINS_IS + "seed: 2026-11-30", "3: seed '2026-11-30' is not a whole number"),
        (SINS_IS + "seed:\n- 1\n- x", "5: seed[1] 'x' is not a whole number"),
        (SINS_IS + "seed: [[1]]", "3: seed[0] a list is not a whole number"),
        (SINS_IS + "games: 0", "3: games 0 is not a whole number from 1 to 1000000000000"),
        (SINS_IS + "games: 1e13", "3: games 10000000000000.0 is not a whole number from 1 to 1000000000000"),
        (
            SINS_IS + "keep_games: some",
            "3: keep_games 'some' is not none, all or a whole number from 0 to 1000000000000",
        ),
        (SINS_IS + "keep_games: [1, 2]", "3: keep_games a list is not none, all or a whole number"),
        (SINS_IS + "keep_games: -1", "3: keep_games -1 is not a whole number from 0 to 1000000000000"),
        (SINS_IS + "rotate_seats: yes", "3: rotate_seats 'yes' is not true or false"),
        (SINS_IS + "rotate_seats: 1", "3: rotate_seats 1 is not true or false"),
        (SINS_IS + "seats: 6", "3: seats 6 is not a number of seats of sins (2, 3, 4, 5)"),
        (SINS_IS + "seats: [2, 1]", "3: seats[1] 1 is not a number of seats"),
        (SINS_IS + "seats: two", "3: seats 'two' is not a number of seats"),
        (SINS_IS + "seats: true", "3: seats true is not a number of seats"),
        (SINS_IS + "knobs: [big]", "3: knobs a list is not a mapping of knobs"),
        (SINS_IS + "knobs: {big: 100}", "3: knobs.big 100 is not a whole number of at most 99"),
        (SINS_IS + "knobs: {small: x}", "3: knobs.small 'x' is not a whole number"),
        (SINS_IS + "knobs: {speed: [1, -0.5]}", "3: knobs.speed[1] -0.5 is not a number of at least 0"),
        (SINS_IS + "knobs: {speed: .inf}", "3: knobs.speed inf is not a number of at least 0"),
        (SINS_IS + f"knobs: {{speed: {10**400}}}", "3: knobs.speed 1000000"),
        (SINS_IS + "knobs: {speed: fast}", "3: knobs.speed 'fast' is not a number of at least 0"),
        (SINS_IS + "knobs: {open: no}", "3: knobs.open 'no' is not true or false"),
        (
            SINS_IS + "knobs: {mode: sone}",
            "3: knobs.mode 'sone' is not an option of mode; did you mean 'some'? (none, some, true)",
        ),
        (SINS_IS + "knobs: {mode: true}", "3: knobs.mode true is not one of none, true, some"),
        (SINS_IS + "knobs: {mode: ~}", "3: knobs.mode null is not one of none, true, some"),
        ("game: viking\npolicies: keep\nknobs:\n  sides: 7", "4: knobs.sides 7 is not one of 4, 6, 8, 10, 12"),
        ("game: viking\npolicies: keep\nknobs:\n  sides: '6'", "4: knobs.sides '6' is not one of 4, 6, 8, 10, 12"),
        (SINS_IS + "knobs: {sins: lust}", "3: knobs.sins 'lust' is not a list of any of lust, greed, envy"),
        (
            SINS_IS + "knobs: {sins: [lust, greet]}",
            "3: knobs.sins[1] 'greet' is not an option of sins; did you mean 'greed'? (envy, greed, lust)",
        ),
        (SINS_IS + "knobs: {sins: [lust, 3]}", "3: knobs.sins[1] 3 is not a list of any of lust, greed, envy"),
        (SINS_IS + "knobs: {sins: [[lust], greed]}", "3: knobs.sins[1] 'greed' is not a list of any of"),
        (SINS_IS + "knobs: {sins: [[lust], [envy, lust, envy]]}", "3: knobs.sins[1][0] 'envy' stands twice"),
        (
            SINS_IS + "knobs:\n  small: [1, 7]\n  big: [6, 7]",
            "3: knobs refused: small must not exceed big (small=7, big=6)",
        ),
        (SINS_IS + "seed: []", "3: seed is an empty sweep; at least one value is needed"),
        (SINS_IS + "seats: []", "3: seats is an empty sweep"),
        (SINS_IS + "knobs: {big: []}", "3: knobs.big is an empty sweep"),
        (SINS_IS + "zip: []", "3: zip is an empty sweep"),
        (SINS_IS + "zip: {seed: []}", "3: zip.seed is an empty sweep"),
        (SINS_IS + "studies: {}", "3: studies has no parts"),
        (SINS_IS + "studies:", "3: studies has no parts"),
        (SINS_IS + "studies: [a]", "3: studies a list is not a mapping of parts by their names"),
        (SINS_IS + "studies: {a: b}", "3: studies.a 'b' is not a mapping of keys of a part"),
        (SINS_IS + "zip: 3", "3: zip 3 is not a mapping of lists by their names"),
        (SINS_IS + "zip: {seed: 3}", "3: zip.seed 3 is not a list; lists of one length advance together"),
        (
            SINS_IS + "zip:\n- seed: [1]\n- big: [5, 6]\n  small: [1]",
            "5: zip[1] has lists of different lengths: big 2, small 1",
        ),
        (SINS_IS + "seed: 1\nzip:\n  seed: [1]", "5: zip.seed also stands in s.yaml:3, as seed; one place only"),
        (
            SINS_IS + "zip: [{big: [5]}, {big: [6]}]",
            "3: zip[1].big also stands in s.yaml:3, as zip[0].big; one place only",
        ),
        (
            SINS_IS + "zip: {seed: [1]}\nstudies:\n  a:\n    seed: 3",
            "6: studies.a.seed also stands in s.yaml:3, as zip.seed; one place only",
        ),
        (
            "game: viking\nseats: 2\npolicies: [keep, treshold]",
            (
                "3: policies[1] 'treshold' is not a policy of viking; did you mean 'threshold'? "
                "(healer, keep, random, threshold, trailing)"
            ),
        ),
        ("game: sins\npolicies:\n- calm\n- 3", f"4: policies[1] 3 is not a policy; {A_POLICY}"),
        ("game: sins\npolicies:", f"2: policies null is not a policy; {A_POLICY}"),
        (
            "game: viking\npolicies: [keep, keep, keep, keep, keep]",
            "2: policies has 5 policies; viking has at most 4 seats",
        ),
        (
            "game: viking\npolicies: [keep, keep, keep, keep, keep, keep...]",
            "2: policies has 6 policies; viking has at most 4",
        ),
        (
            "game: sins\nseats: 3\npolicies: [calm, bold]",
            "3: policies has 2 policies, which fit none of the seats asked for (3)" + FILLS,
        ),
        (
            "game: sins\nseats: [2, 3]\npolicies:\n- calm\n- [calm, calm, calm, bold]",
            "5: policies[1] has 4 policies, which fit none of the seats asked for (2, 3)" + FILLS,
        ),
        (
            "game: sins\nzip: {seats: [2, 3], policies: [calm, [calm, bold]]}",
            "2: zip.policies[1] has 2 policies, which fit none of the seats asked for (3)" + FILLS,
        ),
        (
            "game: sins\nzip: {seed: [1, 2], policies: [calm, {bold: {risk: [0, 1]}}]}",
            "2: zip.policies[1] sweeps weights; lists that advance together cannot do that",
        ),
        ("game: sins\npolicies:\n  bold:\n    risk: 2", "4: policies.bold.risk 2 is not a number from 0 to 1"),
    ],
)
def test_errors(refused: Refused, tmp_path: Path, text: str, expected: str) -> None:
    said = refused(text).replace(f"{tmp_path}/", "")
    assert said.startswith(f"s.yaml:{expected}")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[]", " is an empty sweep"),
        ("{bold: {risk: []}}", ".bold.risk is an empty sweep"),
        ("''", " '' is not a policy of sins"),
        ("{}", f" a mapping is not a policy; {A_POLICY}"),
        ("{policy: [calm]}", f".policy a list is not a policy; {A_POLICY}"),
        ("{calm: , bold: }", f" has 2 keys and none is `policy`; {A_POLICY}"),
        ("[[calm], []]", "[1] is an empty line-up; at least one policy is needed"),
        ("[[calm, [bold]]]", f"[0][1] a list is not a policy; {A_POLICY}"),
        ("[calm, bald...]", "[1] 'bald' is not a policy of sins; did you mean 'bold'?"),
        ("[calm..., bold, calm...]", "[2] is the second policy with ...; only one can fill"),
        ("missing.py:play", " 'missing.py': no such file of policies"),
        ("missing.py", " 'missing.py' names no function; write file.py:function"),
        ("{bold: {risc: 1}}", " 'risc' is not a weight of bold; did you mean 'risk'? (avoid, risk)"),
        ("[calm, bold:risc=1]", "[1] 'risc' is not a weight of bold; did you mean 'risk'?"),
        ("calm:risk=1", " 'risk' is not a weight of calm (none)"),
        ("bold:risk=2", " risk 2 is not a number from 0 to 1"),
        ("bold:risk=x", " risk 'x' is not a number from 0 to 1"),
        ("bold:avoid=lest", " avoid 'lest' is not an option of avoid; did you mean 'lust'?"),
        ("{bold: {risk: [0, 2]}}", ".bold.risk[1] 2 is not a number from 0 to 1"),
        ("{bold: 2}", ".bold 2 is not a mapping of weights"),
        ("'bold:'", " 'bold:' has '' where weight=value should stand"),
        ("bold:risk", " 'bold:risk' has 'risk' where weight=value should stand"),
        ("bold:risk=1,risk=0", " 'bold:risk=1,risk=0' sets 'risk' twice"),
        ("{bold:risk=1: {risk: 0}}", ".'bold:risk=1'.risk is set twice"),
    ],
)
def test_errors_of_lineups(refused: Refused, tmp_path: Path, text: str, expected: str) -> None:
    said = refused(f"game: sins\npolicies: {text}").replace(f"{tmp_path}/", "")
    assert said.startswith(f"s.yaml:2: policies{expected}")


def test_a_policy_file_that_cannot_be_loaded_is_an_error_of_its_own(read: Read, tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("1 / 0\n", encoding="utf-8")
    with pytest.raises(BrokenPlugin, match=r"s\.yaml:2: policies .*broken\.py.* cannot be loaded: ZeroDivisionError"):
        read("game: sins\npolicies: broken.py:play")


@pytest.mark.parametrize("always", ["[1]", "{'find': -1}", "{0: None}", "7"])
def test_what_a_policy_says_that_it_always_answers_must_be_answers(read: Read, tmp_path: Path, always: str) -> None:
    (tmp_path / "sure.py").write_text(
        f"from sims.core.game import policy\n\n@policy('Sure of itself.', always={always})\n"
        "def play(view, weights, prepared, action): ...\n",
        encoding="utf-8",
    )
    with pytest.raises(BrokenPlugin, match=r"s\.yaml:2: policies 'play': always=.* must map kinds of decision"):
        read("game: sins\npolicies: sure.py:play")


def test_a_function_that_a_policy_file_has_not(refused: Refused, tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text("def stay(view, weights, prepared, action): ...\n", encoding="utf-8")
    assert "'stey' is not in " in refused("game: sins\npolicies: other.py:stey")
    assert "did you mean 'stay'?" in refused("game: sins\npolicies: other.py:stey")


def test_a_rule_of_a_knob_that_is_its_own_says_so_itself() -> None:
    def odd(value: int) -> int:
        if value % 2 == 0:
            raise ValueError("must be\nodd")
        return value

    class Odd(Settings):
        number: Annotated[Whole, pydantic.AfterValidator(odd)] = knob(1, "An odd number.", low=1, high=9)

    assert value_of(Odd, "number", Given(3.0)) == 3
    with pytest.raises(BadInput, match=r"^here 4 refused: must be odd$"):
        value_of(Odd, "number", Given(4, "here"))
    with pytest.raises(BadInput, match=r"^here 11 is not a whole number from 1 to 9$"):
        value_of(Odd, "number", Given(11, "here"))


# Command line and template


def options(
    game: str = "sins", *policies: str, seats: int | None = None, games: int = 10, seed: int = 3, **knobs: str
) -> Cell:
    settings = [f"{name}={value}" for name, value in knobs.items()]
    return cell_from_options(game, policies or ("calm",), seats=seats, games=games, seed=seed, settings=settings)


def test_a_cell_from_options() -> None:
    cell = options("sins", "bold:risk=0.25,avoid=greed", "calm", sins="envy,lust", speed="1", mode="true", open="false")
    assert cell.titles == ("bold:risk=0.25,avoid=('greed',)", "calm")
    assert (cell.game, cell.seats, cell.games, cell.seed, cell.part, cell.keep_games) == ("sins", 2, 10, 3, "", 0)
    assert cell.knobs == SinsKnobs(sins=("lust", "envy"), speed=1.0, mode="true", open=False)


@pytest.mark.parametrize(
    ("policies", "seats", "expected"),
    [
        (["calm"], None, ("calm", "calm")),
        (["calm"], 3, ("calm", "calm", "calm")),
        (["calm", "bold", "calm"], None, ("calm", "bold", "calm")),
        (["calm", "bold"], 2, ("calm", "bold")),
        (["calm", "bold..."], 4, ("calm", "bold", "bold", "bold")),
    ],
)
def test_seats_of_options(policies: list[str], seats: int | None, expected: tuple[str, ...]) -> None:
    cell = options("sins", *policies, seats=seats)
    assert (cell.titles, cell.seats) == (expected, len(expected))


def test_a_list_knob_is_emptied_by_none_unless_that_is_an_option() -> None:
    assert options(sins="none").knobs == SinsKnobs()
    assert options(mode="none").knobs == SinsKnobs()


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"game": "vikng"}, "'vikng' is not a game; did you mean 'viking'? (sins, viking)"),
        ({"policies": []}, f"--policy is missing; {A_POLICY}"),
        ({"policies": ["clam"]}, "--policy 'clam' is not a policy of sins; did you mean 'calm'? (bold, calm)"),
        ({"policies": ["bold:risk=2"]}, "--policy risk 2 is not a number from 0 to 1"),
        ({"policies": ["calm"] * 6}, "--policy has 6 policies; sins has at most 5 seats (2, 3, 4, 5)"),
        (
            {"policies": ["calm", "bold"], "seats": 3},
            "--policy has 2 policies, which fit none of the seats asked for (3)" + FILLS,
        ),
        ({"seats": 6}, "--seats 6 is not a number of seats of sins (2, 3, 4, 5)"),
        ({"games": 0}, "--games 0 is not a whole number from 1 to 1000000000000"),
        ({"seed": -1}, "--seed -1 is not a whole number from 0 to 18446744073709551615"),
        (
            {"settings": ["bg=3"]},
            "--set 'bg' is not a knob of sins; did you mean 'big'? (big, mode, open, sins, small, speed)",
        ),
        ({"settings": ["big"]}, "--set 'big' has no value; write KNOB=VALUE"),
        ({"settings": ["big="]}, "--set big '' is not a whole number of at most 99"),
        ({"settings": ["big=100"]}, "--set big 100 is not a whole number of at most 99"),
        ({"settings": ["big=5", "big=5"]}, "--set 'big' is set twice"),
        (
            {"settings": ["sins=lust,greet"]},
            "--set sins 'greet' is not an option of sins; did you mean 'greed'? (envy, greed, lust)",
        ),
        ({"settings": ["sins=lust,lust"]}, "--set sins 'lust' stands twice"),
        (
            {"settings": ["mode=sone"]},
            "--set mode 'sone' is not an option of mode; did you mean 'some'? (none, some, true)",
        ),
        ({"settings": ["small=8", "big=7"]}, "--set refused: small must not exceed big (small=8, big=7)"),
    ],
)
def test_errors_of_options(arguments: dict[str, Any], expected: str) -> None:
    usual: dict[str, Any] = {"game": "sins", "policies": ["calm"], "seats": None, "games": 9, "seed": 0, "settings": []}
    with pytest.raises(BadInput) as caught:
        cell_from_options(**(usual | arguments))
    assert str(caught.value) == expected


@pytest.mark.parametrize("game", ["sins", "viking"])
def test_the_template_is_a_study_of_the_defaults_with_two_lineups(read: Read, game: str) -> None:
    sheet = catalogue.game(game)
    text = template(sheet)
    study = read(text)
    first, second = list(catalogue.policies(game))[:2]
    assert lineups(study) == [(first, second), (second, first)]
    assert {cell.knobs for cell in study.cells} == {sheet.knobs()}
    assert study.varied == ("policies",)
    written = YAML(typ="safe", pure=True).load(text)["knobs"]
    assert list(written) == list(sheet.knobs.model_fields)
    assert all(len(line) <= 120 for line in text.splitlines())


def test_the_template_says_what_can_be_chosen() -> None:
    text = template(SINS)
    assert "  # Sins in play. A list of any of lust, greed, envy. Ruling S1.\n  sins: []\n" in text
    assert "  # How fast: it's 'quick'. A number of at least 0.\n  speed: 0.5\n" in text
    assert "  # The small number. A whole number.\n  small: 2\n" in text
    assert "  # Whether it is open. True or false.\n  open: true\n" in text
    assert "  mode: none\n" in text
    assert "#   bold: Dares.\n#      risk=0.5: How much. A number from 0 to 1.\n#      avoid=[]: What not." in text


def test_the_template_quotes_what_yaml_would_read_otherwise(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SinsKnobs.model_fields["mode"], "default", "true")
    assert "  mode: 'true'\n" in template(SINS)
