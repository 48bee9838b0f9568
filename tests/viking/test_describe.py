"""Games in words: whole games that were checked against the rules by hand, and what must hold of every telling.

The transcripts are `replays/*.txt`. A change of rules, luck or words shows there as a difference that people can read;
after checking it sentence by sentence, write them anew with `python -m tests.viking.test_describe`.
"""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from lab.arena import Match, play
from sims.viking.rules import SPEAK
from tests.viking.common import match, names

REPLAYS = Path(__file__).parent / "replays"

GOLDEN = {
    "open": (match(["healer", "random"]), 271),
    "active_first": (match(["random"] * 3, seats=3, reroll_order="active_first"), 146),
    "simultaneous": (match(["random", "healer"], reroll_order="simultaneous"), 1438),
}


def tell(match: Match, game: int) -> tuple[list[str], dict[str, int]]:
    """One game: its lines, and its results by column."""
    narrator = match.game.narrator(match.setting, [player.title for player in match.players])
    lines: list[str] = []
    results: list[list[int]] = []
    play(
        match,
        game,
        1,
        lambda _, rows: results.extend(rows.tolist()),
        lanes=1,
        watch=lambda table, ask: lines.extend(narrator.tell(table, ask)),
    )
    return lines, dict(zip(("winners", *names(match)), results[0], strict=True))


def transcript(name: str) -> str:
    return "\n".join(tell(*GOLDEN[name])[0]) + "\n"


@pytest.mark.parametrize("name", GOLDEN)
def test_replays_are_told_as_before(name):
    assert transcript(name) == (REPLAYS / f"{name}.txt").read_text(encoding="utf-8")


def test_there_is_no_other_replay():
    assert {path.stem for path in REPLAYS.iterdir()} == set(GOLDEN)


# What must hold of every telling --------------------------------------------------------------------------------------

GAMES = 300
MATCHES = {
    "open": match(["threshold", "random"]),
    "healer": match(["random", "healer"], heal="total", max_duels=12),
    "simultaneous": match(["random", "random"], reroll_order="simultaneous", tied_triple="heal_only"),
    "active_first": match(["random", "threshold", "keep"], seats=3, reroll_order="active_first"),
    "two_dice": match(["random"] * 4, seats=4, start_life=2, dice=2, sides=4, tied_triple="hit_only", heal="none"),
}


@cache
def told(name: str) -> list[tuple[list[str], dict[str, int]]]:
    return [tell(MATCHES[name], game) for game in range(GAMES)]


def duels_of(lines: list[str]) -> Iterator[list[str]]:
    """The lines of each duel, heading first, up to the empty line after it."""
    for block in "\n".join(lines).split("\n\n"):
        if block.startswith("Duel "):
            yield block.split("\n")


def seats_in(text: str) -> list[int]:
    return [int(seat) for seat in re.findall(r"seat (\d) \(", text)]


@pytest.mark.parametrize("name", MATCHES)
def test_every_duel_is_told(name):
    for lines, row in told(name):
        headings = [block[0] for block in duels_of(lines)]
        assert [int(re.match(r"Duel (\d+): ", heading)[1]) for heading in headings] == [*range(1, row["duels"] + 1)]


@pytest.mark.parametrize("name", MATCHES)
def test_changes_of_life_add_up_to_the_result(name):
    setting = MATCHES[name].setting
    for lines, row in told(name):
        life = [setting.knobs.start_life] * setting.seats
        for block in duels_of(lines):
            for line in block:
                if change := re.match(r"  seat (\d) \(.*\) (gains|loses) (\d+) life: from (\d+) to (\d+)", line):
                    seat, amount, old, new = (int(change[group]) for group in (1, 3, 4, 5))
                    assert old == life[seat]
                    life[seat] = max(0, old + (amount if change[2] == "gains" else -amount))
                    assert new == life[seat]
                    assert ("never falls below 0" in line) == (change[2] == "loses" and amount > old)
            (now,) = [line for line in block if line.startswith("  Life now: ")]
            assert [int(points) for points in re.findall(r"seat \d: (\d+)", now)] == life
        assert life == [row[f"life_{seat}"] for seat in range(setting.seats)]


HEALS = re.compile(r"seat (\d) \(\w+\)(?: does not .*; it| and|, whose .* and)? heals (\d+)")


@pytest.mark.parametrize("name", MATCHES)
def test_what_the_dice_say_is_what_befalls_the_lives(name):
    """The reason is worked out from the dice by the narrator, the change of life by the kernels."""
    for lines, _ in told(name):
        for block in duels_of(lines):
            expected = dict.fromkeys(seats_in(block[0]), 0)
            for line in block:
                if hit := re.search(r"hits seat (\d) .* difference, (\d+)", line):
                    expected[int(hit[1])] -= int(hit[2])
                if hit := re.search(r"against \d+ for seat (\d) .* hit for (\d+)", line):
                    expected[int(hit[1])] -= int(hit[2])
                for seat, healed in HEALS.findall(line):
                    expected[int(seat)] += int(healed)
            found = dict.fromkeys(expected, 0)
            for seat, verb, amount in re.findall(r"seat (\d) \(\w+\) (gains|loses) (\d+) life:", "\n".join(block)):
                found[int(seat)] = int(amount) if verb == "gains" else -int(amount)
            assert found == expected, block


@pytest.mark.parametrize("name", MATCHES)
def test_sums_and_rerolls_are_right(name):
    for lines, row in told(name):
        text = "\n".join(lines)
        for faces, total in re.findall(r"((?:\d+ \+ )+\d+) = (\d+)", text):
            assert sum(map(int, faces.split(" + "))) == int(total)
        assert len(re.findall(r" rerolls ", text)) == row["rerolls"]
        assert len(re.findall(r"Equal totals of|(\d+) against \1, and both", text)) == row["ties"]


@pytest.mark.parametrize("name", MATCHES)
def test_the_end_is_told(name):
    for lines, row in told(name):
        outs = [line for line in lines if " is out, in place " in line]
        places = {seats_in(line)[0]: int(line.rstrip(".").split()[-1]) for line in outs}
        if row["unfinished"]:
            assert lines[-1].startswith("max_duels ends the game")
            assert lines[-1].endswith("nobody wins.")
        else:
            assert re.fullmatch(rf"seat {row['winner']} \(\w+\) wins after {row['duels']} duels?\.", lines[-1])
            places[row["winner"]] = 1
        seats = range(MATCHES[name].setting.seats)
        assert [places.get(seat, -1) for seat in seats] == [row[f"place_{seat}"] for seat in seats]


def test_seats_bear_the_names_of_their_policies():
    lines, _ = told("active_first")[0]
    assert lines[0] == (
        "Everyone starts with 12 life and 3 dice of 6 sides: seat 0 (random), seat 1 (threshold), seat 2 (keep)."
    )


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("open", "No rerolls: the first totals are equal."),
        ("open", "No rerolls: seat 0 (threshold) has a triple."),
        ("open", "had waited, speaks again and rerolls"),
        ("open", "had waited, speaks again and waits"),
        ("open", "has the higher total with a triple and chooses to attack."),
        ("healer", "has the higher total with a triple and chooses to heal."),
        ("healer", "max_duels ends the game after 12 duels"),
        ("open", "the lower total is a triple, which protects seat"),
        ("open", ", who is hit for"),
        ("open", "does not protect in a tie; it heals 4 at the same time."),
        ("open", ": nobody is hit."),
        ("open", "Nobody's life changes."),
        ("open", "and both are triples:"),
        ("simultaneous", ", whose triple protects and heals"),
        ("two_dice", "does not protect in a tie; it heals nothing."),
        ("two_dice", "No rerolls: both have triples."),
        ("two_dice", "No rerolls: the first totals are equal and both have triples."),
        ("active_first", "chooses to face"),
        ("active_first", ", the only opponent left."),
    ],
)
def test_every_special_result_is_told(name, words):
    assert any(words in line for lines, _ in told(name) for line in lines)


def test_simultaneous_rerolls_are_told_after_both_answers():
    setting, players = MATCHES["simultaneous"].setting, MATCHES["simultaneous"].players
    narrator = MATCHES["simultaneous"].game.narrator(setting, [player.title for player in players])
    heard = []

    def watch(table, ask):
        lines = narrator.tell(table, ask)
        if ask is not None and ask.view.kind == SPEAK and ask.seat[0] >= 0:
            heard.append((ask.view.chance, sum(" rerolls " in line or " keeps all dice." in line for line in lines)))

    play(MATCHES["simultaneous"], 0, 1, lambda games, rows: None, lanes=1, watch=watch)
    assert set(heard) == {(0, 0), (1, 2)}


if __name__ == "__main__":
    REPLAYS.mkdir(exist_ok=True)
    for golden in GOLDEN:
        (REPLAYS / f"{golden}.txt").write_text(transcript(golden), encoding="utf-8")
