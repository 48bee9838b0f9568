"""Files that are not studies: whatever a file holds, it is a study with cells or one line that begins with the path."""

import io
import json
import random
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from lab.errors import BadInput
from lab.study import STUDY_KEYS, Study, read_study
from sims.core.document import MAX_BYTES

START = "game: viking\npolicies: keep\n"
MANY = settings(deadline=None, max_examples=120, database=None)
SOME = settings(MANY, max_examples=50)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("hostile") / "h.yaml"


def outcome(path: Path, content: str | bytes) -> Study | str:
    """The study, or the one line of the error; fails for anything else."""
    path.write_bytes(content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content)
    try:
        study = read_study(path)
    except BadInput as error:
        text = str(error)
        assert text.splitlines() == [text]
        assert text.startswith(f"{path}:")
        assert len(text) < len(str(path)) + 1000
        return text
    assert study.cells
    assert set(study.varied) <= {name for cell in study.cells for name in cell.parameters()}
    return study


def refused(path: Path, content: str | bytes) -> str:
    """What the error says, without the path; fails unless it came soon: within 1 s, and 3 more for slow machines."""
    start = time.process_time()
    found = outcome(path, content)
    assert time.process_time() - start < 4
    assert isinstance(found, str)
    return found.removeprefix(f"{path}:")


ALIASES = "a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1]\n" + "".join(
    f"{new}: &{new} [{', '.join([f'*{old}'] * 9)}]\n" for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)
MERGES = "a: &a {x: 1}\n" + "".join(
    f"{new}: &{new} {{<<: [{', '.join([f'*{old}'] * 9)}]}}\n" for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)
DEEP_ALIASES = "a: &a0 [1]\n" + "".join(f"a{i}: &a{i} [*a{i - 1}]\n" for i in range(1, 60))
LONG = MAX_BYTES - 100


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        pytest.param("", "1: empty; a study needs at least game and policies", id="empty"),
        pytest.param("\n\n# nothing\n", "1: empty; a study needs at least game and policies", id="comment"),
        pytest.param("\ufeff", "1: empty; a study needs at least game and policies", id="byte order mark"),
        pytest.param("~", "1: empty; a study needs at least game and policies", id="null"),
        pytest.param("viking", "1: 'viking' is not a mapping of keys of a study", id="text"),
        pytest.param("- game", "1: a list is not a mapping of keys of a study", id="list"),
        pytest.param(b"game: viking\n# caf\xe9\n", "2: byte 0xe9 is not UTF-8", id="latin-1"),
        pytest.param((START).encode("utf-16"), "1: UTF-16; save it as UTF-8", id="utf-16"),
        pytest.param("game: viking\npolicies: \0", "2: not YAML: character 0x0 is not allowed", id="nul"),
        pytest.param("game: viking\nknobs:\n\tdice: 3", "3: not YAML: a tab; indent with blanks: ", id="tab"),
        pytest.param("game: viking\nseats: [2, 3\n", "3: not YAML: expected ',' or ']'", id="open list"),
        pytest.param("game: viking\nname: 'x\n\n", "4: not YAML: found unexpected end of stream", id="open quote"),
        pytest.param("game: viking\n seed: 1\n", "2: not YAML: mapping values are not allowed here", id="indent"),
        pytest.param('game: viking\nname: "\\U00110000"', "2: not YAML: ValueError", id="no such character"),
        pytest.param(START + "---\n" + START, "3: a second document", id="two documents"),
        pytest.param("%YAML 1.1\n---\n" + START, "2: YAML 1.1; a study is YAML 1.2", id="version"),
        pytest.param(START + "seed: 1\n\nseed: 2\n", "5: 'seed' stands twice; first in line 3", id="key twice"),
        pytest.param(START + "knobs: {dice: 2, dice: 3}", "3: 'dice' stands twice; first in line 3", id="knob twice"),
        pytest.param(START + "7: 1", "3: key 7 is not a name", id="number as key"),
        pytest.param(START + "[a]: 1", "3: a list or a mapping as a key", id="list as key"),
        pytest.param("a: &a 1\n*a : 2", "2: alias 'a' as a key", id="alias as key"),
        pytest.param("game: !!python/object/apply:os.system [ls]", "1: tag 'tag:yaml.org,2002:python", id="python tag"),
        pytest.param(START + "seed: !!int 3", "3: tag 'tag:yaml.org,2002:int'; a study has no tags", id="plain tag"),
        pytest.param("a: &a [*a]", "1: alias 'a' of nothing that was complete before it", id="endless alias"),
        pytest.param("a: *b", "1: alias 'b' of nothing that was complete before it", id="unknown alias"),
        pytest.param("a: {<<: [1]}", "1: a.'<<'[0] 1 is not a mapping that could be merged", id="merged number"),
        pytest.param(ALIASES, "5: more than 10,000 values, aliases counted", id="billion laughs"),
        pytest.param(MERGES, "5: more than 10,000 values, aliases counted", id="merge bomb"),
        pytest.param(DEEP_ALIASES, "50: more than 50 levels", id="deep aliases"),
        pytest.param("a:\n  " + "[" * LONG, "2: more than 50 levels", id="deep lists"),
        pytest.param("- " * (LONG // 2), "1: more than 50 levels", id="deep block lists"),
        pytest.param("{a: " * (LONG // 4), "1: more than 50 levels", id="deep mappings"),
        pytest.param("? " * (LONG // 2), "1: a list or a mapping as a key", id="deep keys"),
        pytest.param("seed: [" + "1," * 15_000 + "]", "1: more than 10,000 values", id="many values"),
        pytest.param("a: " + "!" * LONG, "1: tag '", id="long tag"),
        pytest.param("%a\n" * (LONG // 3), f"{LONG // 3 + 1}: not YAML: ", id="many directives"),
        pytest.param("a\n" * (LONG // 2), "1: 'a a a", id="long text"),
        pytest.param("a: >\n" + "\n" * LONG, "1: 'a' is not a key of a study", id="long block"),
        pytest.param("#" * (MAX_BYTES + 1), " larger than 200,000 bytes", id="large"),
        pytest.param(START + f"seed: {10**400}", "3: seed 1000000000", id="huge number"),
        pytest.param(START + f"seed: {'1' * (LONG // 2)}", "3: seed '11111111", id="number beyond Python"),
        pytest.param(START + f"seed: 0x{'f' * (LONG // 2)}", "3: seed '0xfffff", id="hexadecimal number"),
        pytest.param(START + "seed: -_", "3: seed '-_' is not a whole number", id="digits missing"),
        pytest.param(START + "seed: 1e400", "3: seed inf is not a whole number", id="infinite"),
        pytest.param(f"game: {'v' * LONG}", "1: game 'vvvvvvvvvv", id="long game"),
        pytest.param(f"game: viking\npolicies: {'k' * 100_000}", "2: policies 'kkkkkkkkk", id="long policy"),
        pytest.param(f"game: viking\npolicies: {'k' * 9_000}.py:f", "2: policies 'kkkkkkkkk", id="long path"),
        pytest.param(
            f"game: viking\npolicies: threshold:{'a=1,' * 20_000}", "2: policies 'threshold:a=1", id="many weights"
        ),
    ],
)
def test_what_is_not_a_study_is_refused_in_one_line_and_soon(path: Path, content: str | bytes, expected: str) -> None:
    assert refused(path, content).startswith(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "seed: [" + "1," * 500 + "]\nknobs: {start_life: [" + "2," * 201 + "]}",
            "1: 100,500 cells; a study has at most",
        ),
        (
            "seed: [" + "1," * 4_000 + "]\nstudies: {" + ", ".join(f"p{i}: {{}}" for i in range(2_000)) + "}",
            "1: 104,000",
        ),
    ],
)
def test_cells_are_counted_before_they_are_made(path: Path, text: str, expected: str) -> None:
    assert refused(path, START + text).startswith(expected)


def test_combinations_of_weights_are_counted_before_they_are_made(path: Path) -> None:
    sweep = "{threshold: {below: [" + "1," * 2_000 + "]}}"
    text = f"game: viking\npolicies: [{sweep}, {sweep}]"
    assert refused(path, text) == "2: policies makes 4,000,000 combinations; at most 100,000"
    sweep = "{threshold: {below: [" + "1," * 250 + "]}}"
    text = f"game: viking\npolicies: [[{sweep}, {sweep}], [{sweep}, {sweep}]]"
    assert refused(path, text) == "2: policies makes more than 100,000 line-ups"


def test_seats_and_lineups_are_counted_before_they_are_paired(path: Path) -> None:
    text = "game: viking\nseats: [" + "2," * 4_000 + "]\npolicies: [" + "keep," * 2_000
    assert refused(path, text + "[keep]]") == "1: 8,004,000 cells; a study has at most 100,000"


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    def said(path: Path) -> str:
        with pytest.raises(BadInput) as caught:
            read_study(path)
        assert len(str(caught.value).splitlines()) == 1
        return str(caught.value)

    missing = tmp_path / "missing.yaml"
    assert said(missing) == f"{missing}: no such file"
    assert said(tmp_path) == f"{tmp_path}: a folder, not a file with a study"
    assert said(Path("/dev/null")) == "/dev/null: no such file"
    assert said(tmp_path / "a\nb") == f"{tmp_path}/a b: no such file"
    assert ": no such file" in said(Path("a\0b"))
    assert "name too long" in said(tmp_path / ("x" * 5000))


def test_an_unreadable_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(*_: Any, **__: Any) -> Any:
        raise PermissionError(13, "Permission denied")

    path.write_text(START)
    monkeypatch.setattr(Path, "open", denied)
    with pytest.raises(BadInput, match=r"h\.yaml: cannot be read: Permission denied$"):
        read_study(path)


@MANY
@given(st.binary(max_size=200))
def test_any_bytes(path: Path, content: bytes) -> None:
    outcome(path, content)


@MANY
@given(st.text(st.sampled_from("ab01.:,-?![]{}&*#|>@%'\"\\ \n\t<~=é\r\x85\u2028"), max_size=120))
def test_any_text_of_the_signs_of_yaml(path: Path, text: str) -> None:
    outcome(path, text)


WORDS = [
    *STUDY_KEYS, "viking", "keep", "keep...", "threshold", "threshold:below=3", "start_life", "dice", "heal", "below",
    "face", "policy", "true", "null", "none", "all", "0", "1", "2", "3", "1e3", "-1", ".nan", "999", "2.0", "x.py:f",
    "...", "<<", "*a", "&a", "!x", ": ", ":\n", "\n", "\n  ", "\n    ", "- ", "[", "]", "{", "}", ", ", " ", "#", "'",
    '"',
]  # fmt: skip


@MANY
@given(st.lists(st.sampled_from(WORDS), max_size=40))
def test_any_words_of_studies(path: Path, words: list[str]) -> None:
    outcome(path, "".join(words))
    outcome(path, START + "".join(words))


SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 300),
    st.integers(),
    st.floats(),
    st.text(max_size=5),
    st.sampled_from(WORDS),
)
NESTED = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=4),
    max_leaves=10,
)


@SOME
@given(st.dictionaries(st.sampled_from(STUDY_KEYS), NESTED, max_size=6), st.booleans())
def test_any_values_in_a_study(path: Path, fields: dict[str, Any], lucky: bool) -> None:
    fields = {"game": "viking", "policies": "keep"} | fields if lucky else fields
    stream = io.StringIO()
    YAML(typ="safe", pure=True).dump(fields, stream)
    outcome(path, stream.getvalue())


@MANY
@given(st.randoms(use_true_random=False))
def test_any_good_study_with_one_thing_broken(path: Path, luck: random.Random) -> None:
    good: dict[str, Any] = {
        "game": "viking",
        "seed": [1, 2],
        "seats": [2, 3],
        "policies": [["keep", "threshold..."], {"trailing": {"below": [2, 3]}}],
        "knobs": {"heal": ["face", "none"], "start_life": 9},
        "zip": [{"dice": [2, 3], "sides": [6, 8]}],
        "studies": {"a": {}, "b": {"knobs": {"start_life": [3, 4]}}},
    }
    target: Any = good
    while isinstance(target, dict | list) and target and (target is good or luck.random() < 0.7):
        key = luck.choice(list(target)) if isinstance(target, dict) else luck.randrange(len(target))
        parent, target = target, target[key]
    parent[key] = luck.choice([None, True, "x", -1, 1e6, 0.5, [], {}, [[]], ["x"], {"x": 1}, [2, 2], "keep..."])
    outcome(path, json.dumps(good))
