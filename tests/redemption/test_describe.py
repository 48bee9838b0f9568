"""Games in words: what must hold of every telling, and a game that was checked against the rules by hand.

The narrator plays each game once more and stops where the table disagrees, so every game that it tells to the end is a
check of its own. Here its lines are read back: tokens from the first draw to the last formation, dice, and what is
counted. `replays/by-hand.txt` is to be read by people: after a change of rules, luck or words check the differences
against the rules, and write it anew with `python -m tests.redemption.test_describe`.
"""

import re
from functools import cache
from pathlib import Path

import pytest

from lab.arena import play
from tests.redemption.common import BOX, content, match

EVERYTHING = content(
    use={
        "K": [{"draw": 1}],
        "C": [{"look": {"count": 2, "may": True}}],
        "L": [{"turn_die": "chosen"}, {"reroll": {"die": "all", "may": True}}],
        "R": [{"exhaust": {"count": 2, "which": "chosen"}}, {"refresh": {"count": 1, "may": True}}],
        "D": [{"move": 3}, {"swap": "neighbours"}],
        "H": [{"turn": {"to": "chosen", "what": "any"}}],
    },
    discard={
        "K": [{"draw": 2}, {"add_regret": {"count": 1, "to": "bag"}}],
        "C": [{"gain": "chosen"}, {"look": 3}],
        "L": [{"set_die": "chosen"}, {"swap_dice": "neighbours"}],
        "R": [{"remove": {"count": 2, "which": "chosen", "may": True}}],
        "D": [{"move": 5}, {"swap": "any"}],
        "H": [{"return": {"count": 1, "what": "used", "which": "rightmost"}}, {"gain": "Kindness"}],
    },
    cards=[
        [{"remove": "all"}],
        [{"reroll": "chosen"}, {"reroll": 2}],
        [{"swap_dice": "any"}],
        [{"turn": {"to": "Charity", "what": "regret"}}],
        [{"refresh": "all"}],
        [{"return": {"count": 1, "what": "any", "which": "chosen"}}, {"draw": 3}],
        [{"lose_card": {"count": 1, "may": True}}, {"gain": "chosen"}],
        [{"add_regret": 12}, {"remove": "all"}],
    ],
    tops=[["Kindness", "Regret"], ["Charity"] * 2, [], ["Learning"] * 7],
    reckonings=[
        [{"add_regret": 2}, {"exhaust": "all"}],
        [{"lose_card": 1}, {"reroll": "all"}],
        [{"remove": {"count": 1, "what": "virtue", "which": "chosen"}}],
    ],
)
BACKWARDS = content(
    use={letter: [{"gain": "chosen"}] for letter in "KCL"},
    discard={letter: [{"turn": "chosen"}] for letter in "KCLRDH"},
    cards=[[{"gain": "Kindness"}], [{"turn": "Charity"}], [{"draw": 2}]],
    order="HDRLCK",
)
MATCHES = {
    "default": match("scrapper", seed=4),
    "random": match("random"),
    "box": match("scrapper", content=str(BOX), match="declared", start_regrets=2),
    "everything": match("random", EVERYTHING),
    "everything, scrapped": match("scrapper", EVERYTHING, match="declared", start_regrets=1),
    "weak": match("random", EVERYTHING, used_discard="weak", match="declared", formation=8, start_regrets=0),
    "no cards": match("scrapper", EVERYTHING, cards=0, formation=7),
    "few": match("random", EVERYTHING, cards=2, choose_from=5, card_draw=0, max_actions=6),
    "many": match("scrapper", EVERYTHING, choose_from=1, card_draw=10, start_regrets=12),
    "treated": match("random", EVERYTHING, first_card=5, choose_from=3),
    "backwards": match("random", BACKWARDS, max_actions=20),
    "short deck": match("random", EVERYTHING, choose_from=4),
}
GOLDEN = Path(__file__).parent / "replays" / "by-hand.txt"
GAMES = 4
NUMBERS = [(name, game) for name in MATCHES for game in range(GAMES)]


@cache
def told(name, game):
    """(lines, results by column, what the board was at the end)."""
    of = MATCHES[name]
    narrator = of.game.narrator(of.setting, [player.title for player in of.players])
    lines, results, boards = [], [], []

    def watch(table, ask):
        lines.extend(narrator.tell(table, ask))
        boards.append(table.t.board[0].copy())

    play(of, game, 1, lambda _, rows: results.extend(rows.tolist()), lanes=1, watch=watch)
    return lines, dict(zip(("winners", *of.columns), results[0], strict=False)), boards[-1]


def transcript():
    return "\n".join(told("everything, scrapped", 25)[0]) + "\n"


def test_a_game_is_told_as_before():
    assert transcript() == GOLDEN.read_text(encoding="utf-8")


def amounts(text):
    """`2 Kindness, 1 used Charity, 3 regrets` as {kind: count}."""
    found = re.findall(r"(\d+) (Kindness|Charity|Learning|Restraint|Diligence|Humility|regret)", text)
    return {kind: int(count) for count, kind in found}


@pytest.mark.parametrize(("name", "game"), NUMBERS)
def test_what_is_counted_is_told(name, game):
    lines, row, _ = told(name, game)
    text = "\n".join(lines)
    told_of = {
        "actions": r"^Action \d+: ",
        "tokens_used": r"^Action \d+: Use of ",
        "tokens_discarded": r"^Action \d+: Discard of ",
        "cards_used": r"^Action \d+: effect of ",
        "cards_discarded": r"^Action \d+: .* is discarded to draw",
        "reached_reckoning": r"^Reckoning: ",
    }
    for column, pattern in told_of.items():
        assert len(re.findall(pattern, text, re.MULTILINE)) == row[column], column
    numbers = [int(number) for number in re.findall(r"^Action (\d+): ", text, re.MULTILINE)]
    assert numbers == list(range(1, row["actions"] + 1))
    end = next(line for line in lines if line.startswith("The game ends after "))
    assert int(re.search(r"\d+", end)[0]) == row["actions"]
    words = {0: "won (SR9)", 1: "lost (SR23)", 2: "Conceded: lost", 3: "max_actions: lost, and unfinished"}
    assert words[row["ending"]] in end
    assert ("won" in end) == bool(row["won"])


@pytest.mark.parametrize(("name", "game"), NUMBERS)
def test_the_last_formation_told_is_the_tables(name, game):
    of = MATCHES[name]
    lines, row, board = told(name, game)
    formation = [line for line in lines if line.startswith("  Formation: ")][-1]
    tokens = re.findall(r"(\d+) (used )?(\w+)", formation.replace("empty", ""))
    assert [int(place) for place, _, _ in tokens] == list(range(1, int(board.length) + 1))
    kinds = [*of.setting.knobs.content.content.names, "regret"]
    assert [kinds.index(kind) + 8 * bool(used) for _, used, kind in tokens] == board.token[: board.length].tolist()
    said = [line for line in lines if " dice matched" in line][-1]
    assert int(re.search(r"(\d) of 5 dice", said)[1]) == row["matches_end"]
    assert int(re.search(r"(\d+) regrets? in the formation", said)[1]) == sum(kind == "regret" for _, _, kind in tokens)


@pytest.mark.parametrize(("name", "game"), NUMBERS)
def test_the_bag_told_adds_up(name, game):
    """The bag before an action, less what is drawn from it and with what goes into it, is the bag after it."""
    before, change, seen = None, 0, 0
    for line in told(name, game)[0]:
        if bag := re.match(r"  The bag (?:has (\d+) tokens?: (.*?)\.|is empty\.)", line):
            size = int(bag[1] or 0)
            assert size == sum(amounts(bag[2] or "").values())
            assert before is None or before + change == size
            before, change, seen = size, 0, seen + 1
        elif drawn := re.search(r": (.*) from the bag, at the right end", line):
            change -= len(re.split(r", | and ", drawn[1]))
        elif "keeps" in line and "keeps none" not in line:
            change -= 1
        elif "goes into the bag" in line:
            change += 1
        elif added := re.search(r"regrets? into the bag: (\d+) regret", line):
            change += int(added[1])
        elif "Tokens are drawn until" in line:
            before = None  # the start formation is told as a whole
    assert seen > 1


def test_virtues_are_told_in_the_packs_order():
    """What is said to be in the bag, and to be chosen: `gain: Kindness` and `turn: Charity` of the cards too."""
    order = ["Humility", "Diligence", "Restraint", "Learning", "Charity", "Kindness"]
    text = "\n".join(line for game in range(GAMES) for line in told("backwards", game)[0])
    bags = [list(amounts(bag)) for bag in re.findall(r"The bag has .*?: (.*?)\.", text)]
    assert len(bags) > GAMES
    assert all(bag == sorted(bag, key=[*order, "regret"].index) for bag in bags)
    assert set(re.findall(r"Add Kindness from the supply: (\w+)", text)) == {"Kindness"}
    assert set(re.findall(r"into Charity: .* becomes (\w+)", text)) == {"Charity"}


@pytest.mark.parametrize(("name", "game"), NUMBERS)
def test_history_is_told(name, game):
    of = MATCHES[name]
    lines, row, board = told(name, game)
    pack, cards = of.setting.knobs.content.content, of.setting.knobs.cards
    kinds = [re.match(r"  Die \d is of (.*?): ", line)[1] for line in lines if re.match(r"  Die \d is of ", line)]
    assert kinds == [list(pack.dice)[row[f"die_{place}"]] for place in range(1, 6)]
    kept = [re.match(r"    Kept: (.*?)[;.]", line)[1] for line in lines if line.startswith("    Kept: ")]
    assert kept == [pack.cards[card].name for card in board.card[: board.kept].tolist()]
    offered = [line for line in lines if line.startswith("    Offered: ")]
    skipped = of.setting.knobs.choose_from - 1 if of.setting.knobs.first_card >= 0 else 0
    assert len(offered) == min(cards * of.setting.knobs.choose_from, len(pack.cards)) - skipped
    assert of.setting.knobs.first_card in (-1, board.card[0])


@pytest.mark.parametrize(("name", "game"), NUMBERS)
def test_lines_are_for_people(name, game):
    for line in told(name, game)[0]:
        assert line == line.rstrip()
        assert line == "" or line.endswith(".")
        assert not re.search(
            r"\b1 (tokens|actions|cards|regrets|Uses)\b|None|  .*  |\.\.|\[|[a-z]_(?!actions)", line.lstrip()
        ), line


SHOWN = [
    *("Keeps none", "left undone", "nothing to be done", "the gap in place", "The gap closes", r"\d gaps close"),
    *("Again: ", "declares the match", "concedes", "turns to used \\(SR32\\)", "goes to the supply \\(SR13\\)"),
    *("goes into the bag", "turns to fresh", "becomes", "change places", "moves to place", "goes out of the game"),
    *(
        "The deck is empty",
        "not in the supply",
        "no regret is left",
        "for its Use effect \\(SR12\\)",
        "the bag is empty",
    ),
    *(
        "all that the supply had",
        "taken by its effect",
        "die \\d from",
        "used, for its Use",
        "out of the game \\(SR3\\)",
    ),
]


@pytest.mark.parametrize("words", SHOWN)
def test_everything_that_can_be_told_is(words):
    """Somewhere in these games."""
    assert any(re.search(words, line, re.IGNORECASE) for name, game in NUMBERS for line in told(name, game)[0])


def test_words_that_part_from_the_table_are_an_error():
    of = MATCHES["default"]
    narrator = of.game.narrator(of.setting, ["scrapper"])

    def watch(table, ask):
        if ask is None:
            table.t.board[0].bag[0] += 1
        narrator.tell(table, ask)

    with pytest.raises(RuntimeError, match=r"game 0, action \d+: the words say .* of bag, the table "):
        play(of, 0, 1, lambda _, rows: None, lanes=1, watch=watch)


if __name__ == "__main__":
    GOLDEN.parent.mkdir(exist_ok=True)
    GOLDEN.write_text(transcript(), encoding="utf-8")
