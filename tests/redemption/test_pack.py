"""Content packs: what may be said is read, and what is wrong is one line with file, line and what was expected."""

import re
from random import Random

import pytest
from ruamel.yaml import YAML

from sims.core.content import Pack
from sims.core.errors import BadInput
from sims.redemption.pack import FIELDS, SHELF
from tests.lab.test_bad_input import refused
from tests.lab.test_cli import says
from tests.redemption import packs

BOX = """\
title: Box
virtues:
  Kindness:
    counters: Wrath
    use: [draw: 1]
    discard: [remove: 2]
  Charity: {counters: Greed, use: [draw: 1], discard: [draw: 2]}
  Learning: {counters: Ignorance, use: [draw: 1], discard: [draw: 2]}
  Restraint: {counters: Gluttony, use: [draw: 1], discard: [draw: 2]}
  Diligence: {counters: Sloth, use: [draw: 1], discard: [draw: 2]}
  Humility: {counters: Pride, use: [draw: 1], discard: [draw: 2]}
dice:
  War: [Wrath, Greed, Wrath, Pride, Wrath, Sloth]
  Wealth: [Greed, Greed, Greed, Pride, Wrath, Sloth]
  School: [Ignorance, Ignorance, Ignorance, Pride, Wrath, Sloth]
  Table: [Gluttony, Gluttony, Gluttony, Pride, Wrath, Sloth]
  Bed: [Sloth, Sloth, Sloth, Pride, Wrath, Greed]
  Court: [Pride, Pride, Pride, Sloth, Wrath, Greed]
cards:
  - {name: Soup, top: [Charity, Regret], effect: [gain: Charity]}
  - name: Bread
    top: []
    effect:
      - remove: {count: 2, what: any}
      - swap: any
reckonings:
  - {name: Relapse, effect: [add_regret: 2]}
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder in which a pack is `box.yaml`."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def load(place, content, name="box.yaml") -> Pack:
    (place / name).write_text(content, encoding="utf-8")
    return SHELF.load(name)


def said(place, content) -> str:
    """The error of a pack, as one line without its file's name."""
    with pytest.raises(BadInput) as caught:
        load(place, content)
    message = str(caught.value)
    assert len(message.splitlines()) == 1
    assert message.startswith("box.yaml:")
    return message.removeprefix("box.yaml:")


PRIMITIVES = (
    "add_regret, draw, exhaust, gain, look, lose_card, move, refresh, remove, reroll, return, set_die, swap, swap_dice,"
    " turn, turn_die"
)
COUNT_OR_ALL = "a whole number from 1 to 12 or 'all'"
A_DIE = "a die has its dominant vice on 3 faces and three others on 1 each"
VIRTUES = "Charity, Diligence, Humility, Kindness, Learning, Restraint"

# What stands in the box, what is written in its place, and the line that follows.
WRONG = [
    # primitives and what they need
    (
        "[draw: 1]",
        "[darw: 1]",
        f"5: virtues.Kindness.use[0] 'darw' is not a primitive; did you mean 'draw'? ({PRIMITIVES})",
    ),
    (
        "swap: any",
        "swap",
        (f"25: cards[1].effect[1] 'swap' is not one primitive with what it needs, such as `draw: 2` ({PRIMITIVES})"),
    ),
    (
        "swap: any",
        "null",
        (f"25: cards[1].effect[1] null is not one primitive with what it needs, such as `draw: 2` ({PRIMITIVES})"),
    ),
    (
        "swap: any",
        "swap: any\n        draw: 1",
        (f"25: cards[1].effect[1] a mapping is not one primitive with what it needs, such as `draw: 2` ({PRIMITIVES})"),
    ),
    ("remove: 2]", "remove: 13]", f"6: virtues.Kindness.discard[0].remove 13 is not {COUNT_OR_ALL}"),
    (
        "remove: 2]",
        "remove: many]",
        "6: virtues.Kindness.discard[0].remove 'many' is not a whole number from 1 to 12 or 'all'",
    ),
    (
        "remove: 2]",
        "remove: {count: 1.5}]",
        "6: virtues.Kindness.discard[0].remove.count 1.5 is not a whole number from 1 to 12 or 'all'",
    ),
    (
        "remove: 2]",
        "remove: {count: 2, waht: any}]",
        (
            "6: virtues.Kindness.discard[0].remove 'waht' is not a key here; "
            "did you mean 'what'? (count, may, what, which)"
        ),
    ),
    ("remove: 2]", "remove: {what: any}]", "6: virtues.Kindness.discard[0].remove count is missing"),
    (
        "swap: any",
        "remove:\n          count: 1\n          what: regrets",
        (
            "27: cards[1].effect[1].remove.what 'regrets' is not what can stand here; did you mean 'regret'? "
            "(any, fresh, regret, used, virtue)"
        ),
    ),
    (
        "swap: any",
        "swap: neighbors",
        (
            "25: cards[1].effect[1].swap 'neighbors' is not what can stand here; did you mean "
            "'neighbours'? (any, neighbours)"
        ),
    ),
    ("swap: any", "move: 0", "25: cards[1].effect[1].move 0 is not a whole number from 1 to 60"),
    ("swap: any", "set_die: 6", "25: cards[1].effect[1].set_die 6 is not a whole number from 1 to 5 or 'chosen'"),
    ("swap: any", "set_die: true", "25: cards[1].effect[1].set_die true is not a whole number from 1 to 5 or 'chosen'"),
    ("swap: any", "set_die: all", "25: cards[1].effect[1].set_die 'all' is not a whole number from 1 to 5 or 'chosen'"),
    (
        "swap: any",
        "reroll: 0",
        "25: cards[1].effect[1].reroll 0 is not a whole number from 1 to 5 or 'chosen' or 'all'",
    ),
    ("swap: any", "draw: all", "25: cards[1].effect[1].draw 'all' is not a whole number from 1 to 12"),
    ("swap: any", "draw: {count: 1, may: true}", "25: cards[1].effect[1].draw 'may' is not a key here (count)"),
    ("swap: any", "swap: {pair: any, may: 1}", "25: cards[1].effect[1].swap.may 1 is not true or false"),
    (
        "gain: Charity",
        "gain: Charety",
        (
            "20: cards[0].effect[0].gain 'Charety' is not what can stand here; did you mean "
            f"'Charity'? ({VIRTUES}, chosen)"
        ),
    ),
    # effects
    (
        "effect:\n",
        "effect:\n" + 7 * "      - draw: 1\n",
        "23: cards[1].effect has more than 8 items, which is the most",
    ),
    ("[gain: Charity]", "[]", "20: cards[0].effect has 0 items; it needs at least 1"),
    ("[gain: Charity]", "{gain: Charity}", "20: cards[0].effect a mapping is not a list"),
    # virtues
    ("  Humility: {counters: Pride, use: [draw: 1], discard: [draw: 2]}\n", "", "2: virtues Humility is missing"),
    ("  Kindness:", "  Kindnes:", f"3: virtues 'Kindnes' is not a key here; did you mean 'Kindness'? ({VIRTUES})"),
    ("counters: Greed", "counters: Wrath", "7: virtues.Charity.counters 'Wrath' is already countered by Kindness"),
    ("    use: [draw: 1]\n", "", "3: virtues.Kindness use is missing"),
    # dice
    (
        "Wrath, Greed, Wrath, Pride, Wrath, Sloth",
        "Wrath, Greed, Wrath, Wrath, Wrath, Sloth",
        f"13: dice.War has 4 x Wrath, 1 x Greed, 1 x Sloth; {A_DIE}",
    ),
    (
        "Wrath, Greed, Wrath, Pride, Wrath, Sloth",
        "Wrath, Greed, Wrath, Pride, Greed, Sloth",
        f"13: dice.War has 2 x Wrath, 2 x Greed, 1 x Pride, 1 x Sloth; {A_DIE}",
    ),
    (
        "[Wrath, Greed, Wrath, Pride, Wrath, Sloth]",
        "[Wrath, Greed, Wrath, Pride, Wrath]",
        "13: dice.War has 5 items; it needs at least 6",
    ),
    (
        "Pride, Sloth, Wrath, Greed]",
        "Pride, Sloth, Wrath, Lust]",
        (
            "18: dice.Court[5] 'Lust' is not a vice that a virtue counters "
            "(Gluttony, Greed, Ignorance, Pride, Sloth, Wrath)"
        ),
    ),
    (
        "[Pride, Pride, Pride, Sloth, Wrath, Greed]",
        "[Wrath, Wrath, Wrath, Sloth, Pride, Greed]",
        "18: dice.Court has the dominant vice of War, Wrath; each kind has its own",
    ),
    ("  Court: [Pride, Pride, Pride, Sloth, Wrath, Greed]\n", "", "12: dice has 5 items; it needs at least 6"),
    (
        "  Court:",
        '  "A\\n2":',
        r"18: dice.'A\n2' 'A\n2' is not a line of 1 to 60 characters that can be printed, without blanks around",
    ),
    # cards
    ("name: Bread", "name: Soup", "21: cards[1].name 'Soup' is already the name of cards[0]"),
    ("name: Soup, ", "", "20: cards[0] name is missing"),
    (
        "top: [Charity",
        "top: [Charty",
        (
            "20: cards[0].top[0] 'Charty' is not what can stand here; did you mean 'Charity'? "
            "(Charity, Diligence, Humility, Kindness, Learning, Regret, Restraint)"
        ),
    ),
    ("    effect:", "    efect:", "23: cards[1] 'efect' is not a key here; did you mean 'effect'? (effect, name, top)"),
    (
        "cards:\n",
        "cards:\n" + "".join(f"  - {{name: C{n}, top: [], effect: [draw: 1]}}\n" for n in range(63)),
        "19: cards has more than 64 items, which is the most",
    ),
    ("- {name: Relapse, effect: [add_regret: 2]}", "[]", "26: reckonings has 0 items; it needs at least 1"),
    # the file as a whole
    (
        "title: Box",
        "tittle: Box",
        ("1: 'tittle' is not a key here; did you mean 'title'? (cards, dice, invented, reckonings, title, virtues)"),
    ),
    ("title: Box", "title: 7", "1: title 7 is not text"),
    (
        "title: Box",
        'title: "Box\\n2"',
        "1: title 'Box\\n2' is not a line of 1 to 60 characters that can be printed, without blanks around",
    ),
    ("title: Box", "title: Box\ninvented: yes", "2: invented 'yes' is not true or false"),
    ("title: Box", "title: [Box", "2: not YAML: expected ',' or ']', but got ':' while parsing a flow sequence"),
    (BOX, "", "1: empty; a content pack needs at least a title"),
    (BOX, "Box", "1: 'Box' is not a mapping of title, invented, virtues, dice, cards, reckonings"),
    (BOX, "- 1", "1: a list is not a mapping of title, invented, virtues, dice, cards, reckonings"),
]


@pytest.mark.parametrize(("found", "written", "message"), WRONG)
def test_what_is_wrong_is_one_line(place, found, written, message):
    assert found in BOX
    assert said(place, BOX.replace(found, written, 1)) == message


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("none.yaml", "none.yaml: no such file"),
        ("none", "'none' is not a pack; a file ends in .yaml, a pack of the game is one of its names"),
        (".yaml", ".yaml: a folder, not a file with a content pack"),
    ],
)
def test_a_pack_that_is_not_there(place, name, message):
    (place / ".yaml").mkdir()
    with pytest.raises(BadInput, match=f"^{message}"):
        SHELF.load(name)


def test_the_box_is_read(place):
    content = load(place, BOX).content
    assert content.title == "Box"
    assert content.invented, "unless it says otherwise"
    assert [step.name for step in content.cards[1].effect] == ["remove", "swap"]
    assert content.virtues["Kindness"].discard[0].primitive.model_dump() == {
        "count": 2, "what": "regret", "which": "leftmost", "may": False,
    }  # fmt: skip


@pytest.mark.parametrize("number", range(8))
def test_random_packs_are_read(place, number):
    """As a mapping and as text they say the same, and text that is written anew is the same pack."""
    pack = packs.pack(Random(number))
    text = packs.text(pack)
    assert YAML(typ="safe", pure=True).load(text) == pack
    first, again = load(place, text), load(place, text, "again.yaml")
    assert first.digest == again.digest
    assert (len(first.content.cards), len(first.content.reckonings)) == (len(pack["cards"]), len(pack["reckonings"]))


SAME = [
    ("title: Box", "# a comment\ntitle: Box"),
    ("title: Box", "title: Box\ninvented: true"),
    ("draw: 1", "draw: {count: 1}"),
    ("swap: any", "swap: {may: false, pair: any}"),
    ("add_regret: 2", "add_regret: {count: 2, to: formation}"),
]
OTHER = [
    ("title: Box", "title: My box"),
    ("title: Box", "title: Box\ninvented: false"),
    ("draw: 1", "draw: 2"),
    ("swap: any", "swap: {may: true, pair: any}"),
    ("add_regret: 2", "add_regret: {count: 2, to: bag}"),
    ("War: [Wrath, Greed", "War: [Greed, Wrath"),
    ("top: [Charity, Regret]", "top: [Charity]"),
    # The order of virtues is that of options, and decides which of them luck draws.
    (
        (
            "  Charity: {counters: Greed, use: [draw: 1], discard: [draw: 2]}\n"
            "  Learning: {counters: Ignorance, use: [draw: 1], discard: [draw: 2]}\n"
        ),
        (
            "  Learning: {counters: Ignorance, use: [draw: 1], discard: [draw: 2]}\n"
            "  Charity: {counters: Greed, use: [draw: 1], discard: [draw: 2]}\n"
        ),
    ),
    # The order of the kinds of dice decides which of them luck draws.
    ("  War: [Wrath, Greed, Wrath, Pride, Wrath, Sloth]\n  Wealth: [Greed, Greed, Greed, Pride, Wrath, Sloth]\n",
     "  Wealth: [Greed, Greed, Greed, Pride, Wrath, Sloth]\n  War: [Wrath, Greed, Wrath, Pride, Wrath, Sloth]\n"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("found", "written", "is_same"), [(*each, True) for each in SAME] + [(*each, False) for each in OTHER]
)
def test_a_digest_is_of_what_a_pack_says(place, found, written, is_same):
    assert found in BOX
    one, other = load(place, BOX), load(place, BOX.replace(found, written), "other.yaml")
    assert (one.digest == other.digest) == is_same


def test_virtues_are_numbered_as_in_the_file(place):
    """Charity behind the others: what is 1 in the box is 5."""
    line = "  Charity: {counters: Greed, use: [draw: 1], discard: [draw: 2]}\n"
    pack = load(place, BOX.replace(line, "").replace("dice:\n", f"{line}dice:\n"))
    assert pack.content.names == ("Kindness", "Learning", "Restraint", "Diligence", "Humility", "Charity")
    assert pack.arrays.vice[0].tolist() == [0, 5, 0, 4, 0, 3], "War: Wrath, Greed, Wrath, Pride, Wrath, Sloth"
    assert pack.arrays.top[0].tolist() == [0, 0, 0, 0, 0, 1, 1], "Soup: Charity, Regret"
    assert pack.arrays.step[12, 0, FIELDS.index("to")] == 5, "gain: Charity"
    sheet = SHELF.sheet(pack.content)
    assert re.findall(r"(\w+) counters", sheet) == [*pack.content.names]


def test_a_crowded_top_is_counted(place):
    """More than a byte holds."""
    crowd = load(place, BOX.replace("top: []", f"top: [{', '.join(['Regret'] * 300)}]"))
    assert crowd.arrays.top[1].tolist() == [0, 0, 0, 0, 0, 0, 300]


RUN = ("run", "redemption", "-p", "random", "--games", "20", "--set")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            BOX.replace("draw: 1", "darw: 1", 1),
            "box.yaml:5: virtues.Kindness.use[0] 'darw' is not a primitive; did you",
        ),
        (BOX.replace("gain: Charity", "gain: Patience"), "box.yaml:20: cards[0].effect[0].gain 'Patience' is not what"),
        ("", "box.yaml:1: empty; a content pack needs at least a title"),
        (None, "box.yaml: no such file"),
    ],
)
def test_the_command_line_says_it(place, content, message):
    """One line, exit code 2, and nothing is written."""
    if content is not None:
        (place / "box.yaml").write_text(content, encoding="utf-8")
    assert message in refused(place, [*RUN, "content=box.yaml"])


def test_the_command_line_plays_it(place):
    (place / "box.yaml").write_text(BOX, encoding="utf-8")
    assert "redemption, 20 games" in says(*RUN, "content=box.yaml")
