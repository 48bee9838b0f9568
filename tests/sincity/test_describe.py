"""Games in words: what must hold of every telling, and a game that was checked against the rules by hand.

The narrator plays each game once more and stops where the table disagrees, so every game that it tells to the end is a
check of its own. Here its lines are read back: dice and sums, points from the first to the last, and every card that
has moved. `replays/default.txt` is to be read by people: after a change of rules, luck or words check the differences
against the rules, and write it anew with `python -m tests.sincity.test_describe`.
"""

import re
from functools import cache
from pathlib import Path

import pytest

from lab.arena import play
from sims.sincity.cards import CARDS
from sims.sincity.table import cards_in
from tests.sincity.common import match

GOLDEN = Path(__file__).parent / "replays" / "default.txt"
GAMES = 3
MATCHES = {
    "default": match(["schemer", "random"]),
    "three": match(["random", "brawler", "schemer"], seed=5),
    "copies": match(["random"] * 4, deck_copies=2, hand=5, investigation="each", max_turns=60),
    "six": match(["random", "schemer", "brawler"] * 2, hand=15, goal=60, fight_score="highest"),
    "sick": match(["random", "random"], summoning_sickness=True, attacks="one", fight_bonus="total", max_turns=80),
    "captives": match(["random"] * 3, find_on=1, torture="own_turn", max_turns=60, help_limit=2),
    "poor": match(["random", "schemer"], hand=1, draw=5, max_hand=0, goal=50, seed=3),
    "both": match(["random"] * 2, fight_score="highest", fight_bonus="total", hero_bounty=50, max_turns=40),
    "short": match(["random"] * 3, max_turns=7, find_on=7, draw=0),
    "big hands": match(["random"] * 6, hand=15, draw=10, max_hand=30, max_turns=14),
    "treated": match(["random", "schemer"], opening_card=3, opening_seat=1, find_on=2, max_turns=60, draw=4),
}
NUMBERS = [*((name, game) for name in MATCHES for game in range(GAMES)), ("captives", 64)]


def places(table):
    """Where every card is."""
    b, h = table.t.board[0], table.t.secret[0]
    found = dict.fromkeys(h.deck[h.top : h.bottom].tolist(), "deck")
    found |= dict.fromkeys(cards_in(b.discard), "discard") | dict.fromkeys(cards_in(b.out), "out")
    for seat in range(table.setting.seats):
        found |= dict.fromkeys(cards_in(h.hand[seat]), f"hand {seat}")
        found |= dict.fromkeys(cards_in(b.free[seat]), f"free {seat}")
        found |= dict.fromkeys(cards_in(b.held[seat]), f"held {seat}")
    return found


@cache
def told(name, game):
    """(lines, results by column, [where all cards are at the end of the turn])."""
    of = MATCHES[name]
    narrator = of.game.narrator(of.setting, [player.title for player in of.players])
    lines, results, turns = [], [], []

    def watch(table, ask):
        lines.extend(narrator.tell(table, ask))
        if ask is None:
            turns.append(places(table))

    play(of, game, 1, lambda _, rows: results.extend(rows.tolist()), lanes=1, watch=watch)
    return lines, dict(zip(("winners", *of.columns), results[0], strict=True)), turns


def transcript():
    return "\n".join(told("default", 1)[0]) + "\n"


def test_a_game_is_told_as_before():
    assert transcript() == GOLDEN.read_text(encoding="utf-8")


def numbers(text):
    return [int(number) for number in re.findall(r"\d+", text)]


@pytest.mark.parametrize(("name", "game"), NUMBERS)
def test_points_add_up_to_the_result(name, game):
    lines, row, _ = told(name, game)
    seats, knobs = MATCHES[name].setting.seats, MATCHES[name].setting.knobs
    points, gained = [0] * seats, {"sinning": [0] * seats, "kills": [0] * seats, "torture": [0] * seats}
    for line in lines:
        if heading := re.fullmatch(r"Turn \d+: seat \d \(\w+\)\. Points: (.*)\.", line):
            assert heading[1] == ", ".join(f"seat {seat}: {each}" for seat, each in enumerate(points))
        for seat, old, more, new in re.findall(r"seat (\d) \(\w+\) has (\d+) \+ (\d+) = (\d+)", line):
            seat, old, more, new = map(int, (seat, old, more, new))
            assert (points[seat], old + more) == (old, new)
            points[seat] = new
            what = {"Sin": "sinning", "For": "kills", "Tor": "torture"}[line.lstrip()[:3]]
            gained[what][seat] += more
            assert what != "torture" or more == 1
            assert what != "kills" or more in (1, 2, knobs.hero_bounty)
    assert points == [row[f"points_{seat}"] for seat in range(seats)]
    for what, by_seat in gained.items():
        assert by_seat == [row[f"{what}_{seat}"] for seat in range(seats)]
    ending = [line for line in lines if re.match(r"  seat \d \(\w+\): \d+ points?: ", line)]
    assert [numbers(line.split(":", 1)[1]) for line in ending] == [
        [points[seat], *(by_seat[seat] for by_seat in gained.values())] for seat in range(seats)
    ]


@pytest.mark.parametrize(("name", "game"), NUMBERS)
def test_dice_and_sums_are_right(name, game):
    knobs = MATCHES[name].setting.knobs
    fights = []
    for line in told(name, game)[0]:
        if sins := re.match(r"  Sin Phase: (.* \d) = (\d+) points?;", line):
            assert sum(int(term[-1]) for term in sins[1].split(" + ")) == int(sins[2])
        if score := re.match(r"    (.*) rolls (\d+) (?:die|dice)(?: \((\d) \+ (\d+) for .*\))?: (.*) = (\d+)\.", line):
            card, count, own, events, thrown, total = score.groups()
            fighting = next(each.fight for each in CARDS if each.label == card.split(" #")[0])
            thrown, bonus = re.fullmatch(r"(.*?)(?: \+ (\d+) for events)?", thrown).groups()
            dice = numbers(thrown)
            assert len(dice) == int(count) == fighting + int(events or 0)
            assert bonus is None or knobs.fight_bonus
            assert own is None or int(own) == fighting
            assert all(1 <= face <= 6 for face in dice)
            assert int(total) == (max(dice) if knobs.fight_score else sum(dice)) + int(bonus or 0)
            fights.append(int(total))
        if result := re.match(r"    (\d+) against (\d+): ", line):
            assert fights[-2:] == [int(result[1]), int(result[2])]
            one, other = fights[-2:]
            assert (one == other) == ("a tie, " in line) == ("both lose" in line or "stays free" in line)
        if rolled := re.match(r"    (Find|Law) roll: (\d.*); (\d) or more is needed: (.*)", line):
            terms, _, total = re.sub(r" \([^)]*\)", "", rolled[2]).partition(" = ")
            value = sum(int(sign + number) for sign, number in re.findall(r"(-?) ?(\d)", terms))
            assert value == int(total or terms)
            enough = value >= int(rolled[3])
            assert int(rolled[3]) == (knobs.find_on if rolled[1] == "Find" else 6)
            assert enough == rolled[4].startswith(("found", "in jail"))
        if tortured := re.match(r"  Torture: .*: (\d)(?: \+ 1 for a hero = (\d))?: (\w+)", line):
            face = int(tortured[2] or tortured[1])
            assert tortured[2] is None or face == int(tortured[1]) + 1
            assert tortured[3] == ("killed" if face <= 2 else "tortured" if face <= 5 else "escapes")
        if tough := re.match(r"    .* is tough, and rolls (\d); .*: it (goes|stays)", line):
            assert (int(tough[1]) >= 4) == (tough[2] == "goes")
        if doctor := re.match(r"    Doctor for .*, a 6 is needed: (.*): (saved|not saved)", line):
            assert ("rolls 6" in doctor[1]) == (doctor[2] == "saved")


@pytest.mark.parametrize(("name", "game"), NUMBERS)
def test_every_card_that_moves_is_named(name, game):
    copies = MATCHES[name].setting.knobs.deck_copies
    lines, _, ends = told(name, game)
    turns = "\n".join(lines).split("\nTurn ")[1:]
    assert len(turns) == len(ends)
    for old, new, text in zip(ends, ends[1:], turns[1:], strict=False):
        for card in (card for card in old if old[card] != new[card]):
            label = CARDS[card // copies].label + (f" #{card % copies + 1}" if copies > 1 else "")
            shuffled = (old[card], new[card]) == ("discard", "deck") and "is shuffled to be the deck" in text
            assert shuffled or label in text


@pytest.mark.parametrize(("name", "game"), NUMBERS)
def test_everything_counted_is_told(name, game):
    lines, row, _ = told(name, game)
    text, seats = "\n".join(lines), range(MATCHES[name].setting.seats)
    assert len(re.findall(r"^Turn \d+: ", text, re.MULTILINE)) == row["turns"]
    lost = re.findall(r"of (seat \d) \(\w+\) (?:is killed|goes to the discard pile)", text)
    captive_deaths = len(re.findall(r"^  Torture: .*: killed", text, re.MULTILINE))
    assert len(lost) + captive_deaths == sum(row[f"lost_{seat}"] for seat in seats)
    assert len(re.findall(r"^    \d.* is the captive of", text, re.MULTILINE)) == sum(
        row[f"captives_{seat}"] for seat in seats
    )
    plays = re.findall(r"(?:Help|Kill) Phase: plays (?!nothing)|^    seat \d \(\w+\) plays ", text, re.MULTILINE)
    assert len(plays) == sum(row[f"played_{seat}"] for seat in seats)
    for card in CARDS:
        played = re.search(rf"plays {re.escape(card.label)}(?: #\d)?[ :(]", text)
        assert bool(played) == (row[f"card_{card.id}"] > 0), card.label


@pytest.mark.parametrize(("name", "game"), NUMBERS)
def test_the_end_is_told(name, game):
    lines, row, _ = told(name, game)
    end = next(line for line in lines if line.startswith("The game ends in turn "))
    assert numbers(end)[0] == row["turns"]
    assert ("ends it unfinished" in end) == bool(row["unfinished"])
    if row["winner"] >= 0:
        assert re.search(rf"seat {row['winner']} \(\w+\) has .* wins", end)
    else:
        assert "nobody wins" in end
    started = next(line for line in lines if "rolled highest and starts" in line)
    assert numbers(started)[0] == row["first_seat"]


@pytest.mark.parametrize(("name", "game"), NUMBERS)
def test_lines_are_for_people(name, game):
    for line in told(name, game)[0]:
        assert line == line.rstrip()
        assert line == "" or line.endswith((".", ":"))
        assert not re.search(r"\b1 (points|dice|cards)\b|None|\bseat \d \(\w+\) seat|  .*  ", line.lstrip())


SHOWN = [
    *("The tied roll again", "Treatment: ", "Help Phase: plays nothing", "Help Phase: nothing that may be played"),
    *("the discard pile of \\d+ cards? is shuffled", "deck and discard pile are empty", "Luck Phase: draws nothing"),
    *("nobody to score = 0", "Played in this turn, and not scoring", "No investigation by", "\\+2 to one Find roll"),
    *("a look at the hand of seat", "a look at the next cards of the deck", "of which there are"),
    *("is spent on this Find roll", "Investigation's \\+2 is kept", "of its own player", "uses law on", "in jail"),
    *("Find roll [+]2", "Find roll -2", "Fighting of the attacker", "Fighting of the target", "Law roll [+]2"),
    *("Law roll -2", "highest of", "for events", "is the captive of", "both lose", "stays free"),
    *("Doctor for .*: saved", "Doctor for .*: not saved", "is tough, and rolls", "plays Hospital Stay"),
    *("its captive, is free", "does not play"),
    *("Agents in the deck", "There is no agent in the deck", "changes from seat", "and with it its captives"),
    *("Torture: .* escapes", "Torture: .* tortured", "Torture: .* killed", "1 for a hero", "ends it unfinished"),
    *("a hero, earns", "an agent, earns", "a criminal, earns", "in the Sin Phase and wins", "by a kill and wins"),
]


@pytest.mark.parametrize("words", SHOWN)
def test_it_is_shown_somewhere(words):
    assert any(re.search(words, line) for name, game in NUMBERS for line in told(name, game)[0])


CHANGES = {
    "points": lambda table: table.t.board[0].points.__setitem__(0, 77),
    "deck": lambda table: table.t.secret[0].deck.__setitem__(slice(40, 60), table.t.secret[0].deck[40:60][::-1].copy()),
    "a card out of play": lambda table: table.t.board[0].discard.__setitem__(0, 1),
    "what was gained": lambda table: table.t.secret[0].gained.__setitem__((1, 1), 5),
}


@pytest.mark.parametrize("change", CHANGES)
def test_it_stops_where_the_table_disagrees(change):
    of = MATCHES["default"]
    narrator = of.game.narrator(of.setting, ["a", "b"])
    steps = []

    def watch(table, ask):
        steps.append(1)
        if len(steps) == 6:
            CHANGES[change](table)
        narrator.tell(table, ask)

    with pytest.raises(RuntimeError, match=r"^game 1, turn \d+: the words say"):
        play(of, 1, 1, lambda games, rows: None, lanes=1, watch=watch)


def test_it_stops_where_dice_differ():
    of = MATCHES["default"]
    narrator = of.game.narrator(of.setting._replace(seed=1), ["a", "b"])
    with pytest.raises(RuntimeError, match="the words say"):
        play(of, 1, 1, lambda games, rows: None, lanes=1, watch=narrator.tell)


if __name__ == "__main__":
    GOLDEN.parent.mkdir(exist_ok=True)
    GOLDEN.write_text(transcript(), encoding="utf-8")
