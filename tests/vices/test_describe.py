"""Games in words: whole games that were checked against the rules by hand, sentences on positions, and many games.

The narrator plays every roll once more and stops where the table disagrees, so each game that it tells to the end is a
check of its own. The transcripts are `replays/*.txt`. A change of rules, luck or words shows there as a difference that
people can read; after checking it sentence by sentence, write them anew with `python -m tests.vices.test_describe`.
"""

import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from lab.arena import Match, play
from sims.core.game import Setting, encode
from sims.vices import GAME, rules
from sims.vices.describe import SIN
from sims.vices.rules import (
    ABSORBED,
    DECLINE,
    ENVY,
    FULL,
    GLUTTONY,
    GREED,
    LUST,
    OWN,
    PRIDE,
    REMOVE,
    RESERVE,
    SINS,
    SLOTH,
    WRATH,
    lowest,
)
from sims.vices.table import Table
from tests.vices.common import match

REPLAYS = Path(__file__).parent / "replays"

MIXED = ["zeros", "random", "bank_all"]
QUICK = {"target": 20, "final_round": "immediate"}
SWAP = {"target": 40, "stealing": "swap", "stolen_match": "stays", "nemesis_sides": 4}
EXTRA = {"target": 45, "final_round": "extra", "no_nemesis": "borrow", "bullet_upright": 0.5, "penalty_dice": 3}
GOLDEN = {
    "default": (match(MIXED, seats=3), 1245),
    "exact": (match(MIXED, seats=3), 1060),
    "void": (match(["random"] * 3, seats=3, **QUICK), 1393),
    "follows": (match(["random"] * 3, seats=3, **QUICK, stolen_match="follows"), 1393),
    "swap_stays": (match(["random", "zeros", "bank_all"], seats=3, **SWAP), 531),
    "extra": (match(["zeros", "bank_all", "bank_all"], seats=3, **EXTRA, envy_optional=True), 306),
    "bust": (match(["bank_all"] * 3, seats=3, target=45, exact_bust=True, sins=["wrath", "gluttony"]), 10),
    "tie_break": (match(["bank_all"] * 4, target=20), 787),
    "unfinished": (match(["zeros", *["bank_all"] * 3], max_rounds=1, nemesis_sides=5), 75),
}


def tell(match: Match, game: int, watch=lambda table: None) -> tuple[list[str], dict[str, int]]:
    """One game: its lines, and its results by column. watch: called with the table before each telling."""
    narrator = match.game.narrator(match.setting, [player.title for player in match.players])
    lines: list[str] = []
    results: list[list[int]] = []

    def listen(table, ask):
        watch(table)
        lines.extend(narrator.tell(table, ask))

    play(match, game, 1, lambda _, rows: results.extend(rows.tolist()), lanes=1, watch=listen)
    return lines, dict(zip(("winners", *match.columns), results[0], strict=True))


def transcript(name: str) -> str:
    return "\n".join(tell(*GOLDEN[name])[0]) + "\n"


@pytest.mark.parametrize("name", GOLDEN)
def test_replays_are_told_as_before(name):
    assert transcript(name) == (REPLAYS / f"{name}.txt").read_text(encoding="utf-8")


def test_there_is_no_other_replay():
    assert {path.stem for path in REPLAYS.iterdir()} == set(GOLDEN)


SHOWN = [
    *(rf"{sin} match on .*\n(      Penalty.*\n)?      Effect: " for sin in SIN),
    *(
        "metallic Pride \\d",
        "plain d6 \\d",
        "It returns .* to the reserves",
        "which leaves the defender's pool and the game",
    ),
    *(
        "What the die scored in this turn stands",
        "no match, and small",
        "who has the large die now",
        "who rolled it, though",
    ),
    *(
        "; none\\.",
        "No effect: that of",
        "Nemesis match on",
        "borrowed Nemesis",
        "Silver Bullet upright",
        "The tied roll again",
    ),
    *("is due, and seat", "is due, but seat", "the only choice\\. Turn", "Absorbed Nemesis dice return", "destroys"),
    *("the game ends at once", "still plays? this round", "a whole further round is due", "the round is over"),
    *(
        "Exactly 70:",
        "Nobody has exactly",
        "Lowest total",
        "Beyond 45",
        "Nobody wins",
        "Tie-break 2",
        "max_rounds ends",
    ),
]


@pytest.mark.parametrize("words", SHOWN)
def test_replays_show_it(words):
    assert any(re.search(words, path.read_text(encoding="utf-8")) for path in REPLAYS.iterdir())


# What must hold of every telling --------------------------------------------------------------------------------------

GAMES = 24
MATCHES = {
    "default": match(MIXED, seats=3),
    "void": match(["random"] * 6, seats=6, nemesis_sides=6, target=40),
    "follows": match(["random"] * 4, stealing="swap", stolen_match="follows", final_round="immediate", penalty_dice=4),
    "stays": match(["random"] * 4, stealing="swap", stolen_match="stays", final_round="extra", target=40),
    "stays_two": match(["random"] * 2, seats=2, house_seats=True, stolen_match="stays", penalty_dice=3),
    "borrow": match(["random", "zeros"] * 2, no_nemesis="borrow", bullet_upright=0.3, nemesis_sides=3),
    "bust": match([*MIXED, "random"], exact_bust=True, target=45, envy_optional=True, sins=["gluttony", "envy"]),
    "low": match(["zeros", "random", "zeros"], seats=3, exact_wins=False, start_total=50, target=120, nemesis_sides=2),
    "unfinished": match(["random"] * 3, seats=3, start_total=1, final_round="extra", max_rounds=1, sins=["pride"]),
    "seven": match([*["bank_all", "random"] * 3, "zeros"], seats=7, house_seats=True, target=30),
}


@cache
def told(name: str) -> list[tuple[list[str], dict[str, int]]]:
    return [tell(MATCHES[name], game) for game in range(GAMES)]


@pytest.mark.parametrize("name", MATCHES)
def test_points_add_up_to_the_totals(name):
    seats = MATCHES[name].setting.seats
    for lines, row in told(name):
        total = [int(MATCHES[name].setting.knobs.start_total)] * seats
        for turn in "\n".join(lines).split("\n\n")[1:-1]:
            defender = int(re.match(r"Round \d+, turn \d+: seat (\d) \(\w+\) defends\.\n", turn)[1])
            penalties = [int(points) for points in re.findall(r"      Penalty: .* = (\d+) points?\.", turn)]
            scored = [int(points) for points in re.findall(r"(\d+) points?(?:, the only choice)?\. Turn so far", turn)]
            assert int(re.findall(r"Turn so far: (\d+) points?\.", turn)[-1]) == sum(penalties) + sum(scored)
            total[defender] += sum(penalties) + sum(scored)
            assert f"\n  Totals: {', '.join(f'seat {seat}: {points}' for seat, points in enumerate(total))}." in turn
        assert total == [row[f"total_{seat}"] for seat in range(seats)]


@pytest.mark.parametrize("name", MATCHES)
def test_penalties_and_sums_are_right(name):
    for line in (line for lines, _ in told(name) for line in lines):
        if penalty := re.fullmatch(r"      Penalty: (.*): (.*) = (\d+) points?\.", line):
            faces = [die[-1] for die in penalty[1].split(", ")]
            assert penalty[2] == " + ".join("0" if faces.count(face) > 1 else str(6 - int(face)) for face in faces)
            assert sum(map(int, penalty[2].split(" + "))) == int(penalty[3])
        if scored := re.search(r" scores (.* for \d+ and .*): (\d+) points?\. Turn", line):
            assert sum(map(int, re.findall(r" for (\d+)", scored[1]))) == int(scored[2])


@pytest.mark.parametrize("name", MATCHES)
def test_everything_counted_is_told(name):
    for lines, row in told(name):
        text = "\n".join(lines)
        assert len(re.findall(r"^Round ", text, re.MULTILINE)) == row["turns"]
        assert len(re.findall(r"^  Roll ", text, re.MULTILINE)) == row["rolls"]
        matches = len(re.findall(r"^    \w+ match on ", text, re.MULTILINE))
        assert matches == sum(value for key, value in row.items() if re.match("(sin|nemesis)_matches_", key))
        assert len(re.findall(r" destroys ", text)) == row["sins_destroyed"]
        assert len(re.findall(r" loses its Nemesis, ", text)) == row["nemesis_destroyed"]
        assert len(re.findall(r"^Tie-break ", text, re.MULTILINE)) == row["tie_breaks"]


@pytest.mark.parametrize("name", MATCHES)
def test_the_end_is_told(name):
    for lines, row in told(name):
        if row["unfinished"]:
            assert re.match(rf"max_rounds ends the game after {row['rounds']} rounds?[.,]", lines[-1])
        elif row["winner"] < 0:
            assert lines[-1] == "Nobody wins."
        else:
            assert re.fullmatch(rf"seat {row['winner']} \(\w+\) wins\.", lines[-1])


@pytest.mark.parametrize("name", MATCHES)
def test_one_point_is_a_point(name):
    text = "\n".join(line for lines, _ in told(name) for line in lines)
    assert re.findall(r"(?<!\d)1 (?:point|round|turn)s", text) == []
    assert re.findall(r"(?:(?<!\d)[02-9]|\d\d) (?:point|round|turn)\b", text) == []


@pytest.mark.parametrize("name", ["spent", "holder", "pool", "total", "removed"])
def test_words_that_part_from_the_table_are_an_error(name):
    def tamper(table):
        if table.t.at[0] == 2:
            getattr(table.t, name)[..., 0] += 1

    with pytest.raises(RuntimeError, match=rf"game 0, turn 1, roll 3: the words say .* of {name}, the table "):
        tell(MATCHES["default"], 0, tamper)


# Positions ------------------------------------------------------------------------------------------------------------

A, B, C = range(3)
D12, D8, NEMESIS_OF_B, NEMESIS_OF_C = (1 << unit for unit in (10, 12, ABSORBED + B, ABSORBED + C))


class Rigged(Table):
    """A table on which dice show what they are told to."""

    def _throw(self):
        super()._throw()
        for name, faces in getattr(self, "faces", {}).items():
            getattr(self.t, name)[:, 0] = faces
        rules.value(self.knobs.nemesis_sides, self.t)


def roll(
    *chosen, held=(), equal=(), pool=FULL, nemesis=(1, 2, 3), removed=(), guests=(), total=(0, 0, 0), first=A, score=0,
    **knobs,
):  # fmt: skip
    """The lines of the second roll of A, against B and C; A has scored 0 points yet. Other Sins are in the reserves.

    chosen: the Sins that are chosen. held: {seat: its Sins}. equal: Sins whose dice both show 1; the other large ones
    show 2. pool: A's units. removed, guests: seats whose Nemesis is. score: the units to score, if that is a choice.
    """
    setting = Setting(encode(GAME.knobs(**knobs)), 3, 0, False)
    table, narrator = Rigged(setting, 1), GAME.narrator(setting, ["a", "b", "c"])
    table.deal(np.zeros(1, np.int32), np.zeros(1, np.uint64))
    advance(table, narrator, lambda kind, options: 1 << lowest(options) if kind == REMOVE else lowest(options))

    holder = [next((seat for seat, sins in dict(held).items() if sin in sins), RESERVE) for sin in range(SINS)]
    t = table.t
    t.holder[:, 0], t.total[:, 0], t.pool[0], t.spent[0] = holder, total, pool, 0
    t.removed[0], t.guests[0] = sum(1 << seat for seat in removed), sum(1 << seat for seat in guests)
    t.defender[0], t.first[0] = A, first
    narrator.holder, narrator.total, narrator.spent = holder, list(total), 0
    narrator.pool = {unit for unit in range(ABSORBED + 3) if pool >> unit & 1}
    narrator.removed, narrator.guests, narrator.defender, narrator.first = set(removed), set(guests), A, first

    large = [1 if sin in equal else 2 for sin in range(SINS)]
    table.faces = {"small": [1] * SINS, "large": large, "pairs": [1, 2] * 3, "spoilers": [1] * 3, "nemesis": nemesis}
    answers = list(chosen)
    lines = advance(table, narrator, lambda kind, options: score if kind == REMOVE else answers.pop(0))
    assert not answers
    return lines


def advance(table, narrator, answer):
    lines = []
    while ask := table.advance():
        if ask.seat[0] >= 0:
            ask.action[0] = answer(ask.view.kind, int(ask.view.options[0]))
        lines += narrator.tell(table, ask)
    return lines + narrator.tell(table, None)


def test_start_total_is_told():
    lines, _ = tell(MATCHES["unfinished"], 0)
    assert lines[0] == "Everybody starts with 1 point."
    lines, _ = tell(MATCHES["low"], 0)
    assert lines[0] == "Everybody starts with 50 points."
    assert not any("starts with" in line for line in tell(MATCHES["default"], 0)[0])


def test_dice_are_told():
    lines = roll(held={B: [LUST], C: [ENVY]}, removed=[C], score=D12)
    assert lines[:2] == [
        (
            "  Roll 2: small Lust 1, Gluttony 1, Greed 1, Sloth 1, Wrath 1, Envy 1, Pride 1; "
            "Mirror 1 & Medusa 2, David 1 & Goliath 2, Silver Bullet 1 & Werewolf 2; d12 1, d10 1, d8 1; own Nemesis 1."
        ),
        "    Attackers: seat 1 (b) large Lust 2, Nemesis 2; seat 2 (c) large Envy 2. No match.",
    ]
    lines = roll(held={A: [GREED], B: [LUST]}, pool=D8 | 1 << OWN | NEMESIS_OF_C | 1 << GREED, guests=[C], score=D8)
    assert lines[:2] == [
        "  Roll 2: small Greed 1; d8 1; own Nemesis 1, seat 2's Nemesis 3.",
        "    Attackers: seat 1 (b) Nemesis 2. No match.",
    ]
    lines = roll(held={B: [LUST]}, pool=D8 | D12, score=D8)
    assert lines[:2] == ["  Roll 2: d12 1, d8 1.", "    No attacker has a die that can match."]
    lines = roll(pool=D8 | 1 << OWN, removed=[A, B, C], no_nemesis="borrow", score=D8)
    assert lines[:2] == ["  Roll 2: d8 1; borrowed Nemesis 1.", "    No attacker has a die that can match."]


def of(sin, **others):
    """A position in which this Sin matches, B's unless said otherwise."""
    return {"held": {B: [sin]}, "equal": [sin], **others}


def all_but(*sins):
    return [sin for sin in range(SINS) if sin not in sins]


LUST_ENVY = {"held": {B: [LUST], C: [ENVY]}, "equal": [LUST, ENVY]}
SENTENCES = [
    # Wrath
    ((), of(WRATH), "No effect: seat 0 (a) has no large Sin die."),
    (
        (),
        of(WRATH, held={A: [LUST], B: [WRATH]}),
        "Effect: seat 1 (b) destroys Lust of seat 0 (a), the only choice.",
    ),
    (
        (PRIDE,),
        of(WRATH, held={A: [LUST, PRIDE], B: [WRATH]}),
        "Effect: seat 1 (b) destroys Pride of seat 0 (a). The choice was Lust and Pride with seat 0 (a).",
    ),
    # Sloth
    ((), of(SLOTH), "Effect: seat 1 (b) loses its Nemesis, which leaves the game."),
    ((), of(SLOTH, removed=[B]), "No effect: seat 1 (b) has no Nemesis to lose."),
    (
        (),
        of(SLOTH, guests=[B], pool=FULL | NEMESIS_OF_B),
        "Effect: seat 1 (b) loses its Nemesis, which leaves the defender's pool and the game unscored.",
    ),
    (
        (),
        of(SLOTH, guests=[B]),
        "Effect: seat 1 (b) loses its Nemesis, which leaves the game. What the die scored in this turn stands.",
    ),
    # Pride
    ((), of(PRIDE), "Effect: the metallic Pride die joins the penalty roll."),
    ((), of(PRIDE, sins=["lust"]), "No effect: that of Pride is off."),
    # Lust
    (
        (ENVY,),
        of(LUST, held={A: [WRATH], B: [LUST], C: [ENVY]}),
        (
            "Effect: seat 1 (b) takes Envy from seat 2 (c). "
            "The choice was Gluttony, Greed, Sloth and Pride in the reserves; Envy with seat 2 (c)."
        ),
    ),
    (
        (),
        of(LUST, held={A: all_but(LUST), B: [LUST]}),
        "No effect: there is no Sin in the reserves or with another attacker.",
    ),
    (
        (),
        of(LUST, held={A: all_but(LUST, PRIDE, ENVY), B: [LUST, PRIDE], C: [ENVY]}, stealing="swap"),
        "Effect: seat 1 (b) takes Envy from seat 2 (c), the only choice. It returns Lust and Pride to the reserves.",
    ),
    # Greed
    ((), of(GREED), "No effect: seat 0 (a) has no large Sin die."),
    (
        (),
        of(GREED, held={A: [PRIDE], B: [GREED]}),
        "Effect: seat 1 (b) takes Pride from seat 0 (a), the only choice.",
    ),
    # Gluttony
    ((), of(GLUTTONY, held={A: all_but(GLUTTONY), B: [GLUTTONY]}), "No effect: the reserves are empty."),
    (
        (PRIDE,),
        of(GLUTTONY, held={A: all_but(GLUTTONY, LUST, PRIDE), B: [GLUTTONY]}),
        "Effect: seat 1 (b) takes Pride from the reserves. The choice was Lust and Pride in the reserves.",
    ),
    # Envy
    (
        (LUST,),
        of(ENVY, held={A: [LUST], B: [ENVY], C: all_but(LUST, ENVY)}),
        (
            "Effect: seat 1 (b) exchanges Envy for Lust from seat 0 (a). "
            "The choice was Lust with seat 0 (a); Gluttony, Greed, Sloth, Wrath and Pride with seat 2 (c)."
        ),
    ),
    ((), of(ENVY, held={B: range(SINS)}), "No effect: there is no Sin to exchange Envy for."),
    (
        (DECLINE,),
        of(ENVY, held={B: all_but(PRIDE)}, envy_optional=True),
        "No effect: seat 1 (b) declines. The choice was Pride in the reserves; none.",
    ),
    # A stolen match: Lust takes Envy, which matches on the same roll
    (
        (ENVY,),
        LUST_ENVY,
        (
            "Envy 1 of seat 2 (c) equals the small one, but the large die is now with seat 1 (b): "
            "no match, and small Envy stays in play."
        ),
    ),
    (
        (ENVY, PRIDE),
        LUST_ENVY | {"stolen_match": "follows"},
        "Envy match on 1: seat 1 (b), who has the large die now, though seat 2 (c) rolled it.",
    ),
    (
        (PRIDE,),
        {"held": {B: [LUST, ENVY]}, "equal": [LUST, ENVY], "stolen_match": "follows", "stealing": "swap"},
        (
            "Envy 1 of seat 1 (b) equals the small one, but the large die is now in the reserves: "
            "no match, and small Envy stays in play."
        ),
    ),
    (
        (ENVY,),
        LUST_ENVY | {"stolen_match": "stays"},
        "Envy match on 1: seat 2 (c), who rolled it, though the large die is now with seat 1 (b).",
    ),
    ((ENVY,), LUST_ENVY | {"stolen_match": "stays"}, "No effect: seat 2 (c) has Envy no more."),
    # Nemesis matches
    (
        (),
        {"nemesis": (3, 4, 3), "score": D8},
        "Nemesis match on 3: that of seat 2 (c) meets seat 0's, and is absorbed for the next roll.",
    ),
    (
        (),
        {"nemesis": (3, 3, 3), "guests": [C], "pool": FULL | NEMESIS_OF_C, "score": D8},
        "Nemesis match on 3: that of seat 1 (b) meets seat 0's and seat 2's, and is absorbed for the next roll.",
    ),
    # The removal
    ((), {"pool": D8}, "seat 0 (a) scores d8 1 for 7 points, the only choice. Turn so far: 7 points."),
    ((), {"score": D8}, "seat 0 (a) scores d8 1 for 7 points. Turn so far: 7 points."),
    ((), {"score": D8 | D12}, "seat 0 (a) scores d12 1 for 11 and d8 1 for 7: 18 points. Turn so far: 18 points."),
    ((), of(SLOTH), "After a Sin match nothing is due, and seat 0 (a) scores nothing."),
    ((), of(SLOTH, score=D8), "After a Sin match nothing is due, but seat 0 (a) scores d8 1 for 7 points."),
    ((), of(SLOTH, pool=1 << SLOTH), "No die is left that could be scored now."),
    # The end of a turn
    ((), {"pool": D8, "total": (9, 8, 0)}, "The turn is over. Total of seat 0 (a): 9 + 7 = 16."),
    ((), {"pool": D8, "total": (9, 8, 0)}, "Totals: seat 0: 16, seat 1: 8, seat 2: 0."),
    ((), {"pool": D8, "guests": [B, C], "removed": [C]}, "Absorbed Nemesis dice return to seat 1 (b)."),
    (
        (),
        {"pool": D8, "total": (63, 0, 0)},
        "seat 0 (a) is the first to end a turn on 70 or more: seat 1 (b) and seat 2 (c) still play this round.",
    ),
    (
        (),
        {"pool": D8, "total": (63, 0, 0), "first": C},
        "seat 0 (a) is the first to end a turn on 70 or more: seat 1 (b) still plays this round.",
    ),
    (
        (),
        {"pool": D8, "total": (63, 0, 0), "first": C, "final_round": "extra"},
        (
            "seat 0 (a) is the first to end a turn on 70 or more: "
            "seat 1 (b) still plays this round, and a whole further round is due."
        ),
    ),
]


@pytest.mark.parametrize(("chosen", "position", "sentence"), SENTENCES)
def test_sentence(chosen, position, sentence):
    assert any(line.lstrip().startswith(sentence) for line in roll(*chosen, **position))


ENDED = "The game ends in round 1, after 1 turn."
ENDS = [
    ({"total": (63, 1, 2)}, [ENDED, "Exactly 70: seat 0 (a).", "seat 0 (a) wins."]),
    (
        {"total": (63, 70, 69)},
        [
            ENDED,
            "Exactly 70: seat 0 (a) and seat 1 (b).",
            "Tie-break 1, a pair each: seat 0 (a) 1 & 1, 0 points; seat 1 (b) 3 & 6, 3 points.",
            "seat 0 (a) wins.",
        ],
    ),
    (
        {"total": (64, 40, 30)},
        [ENDED, "Nobody has exactly 70.", "Lowest total, 30: seat 2 (c).", "seat 2 (c) wins."],
    ),
    (
        {"total": (64, 70, 80), "exact_wins": False},
        [ENDED, "Lowest total, 70: seat 1 (b).", "seat 1 (b) wins."],
    ),
    (
        {"total": (64, 60, 60), "exact_bust": True},
        [
            ENDED,
            "Nobody has exactly 70.",
            "Beyond 70, which cannot win: seat 0 (a).",
            "Lowest total of the others, 60: seat 1 (b) and seat 2 (c).",
            "Tie-break 1, a pair each: seat 1 (b) 3 & 6, 3 points; seat 2 (c) 6 & 1, 5 points.",
            "seat 1 (b) wins.",
        ],
    ),
    (
        {"total": (64, 71, 71), "exact_bust": True},
        [
            ENDED,
            "Nobody has exactly 70.",
            "Beyond 70, which cannot win: seat 0 (a), seat 1 (b) and seat 2 (c).",
            "Nobody wins.",
        ],
    ),
]


@pytest.mark.parametrize(("position", "end"), ENDS)
def test_end_of_game(position, end):
    """A scores the last 7 points."""
    lines = roll(pool=D8, final_round="immediate", **position)
    assert lines[lines.index("") + 1 :] == end
    assert lines[lines.index("") - 1] == "  seat 0 (a) is the first to end a turn on 70 or more: the game ends at once."


@pytest.mark.parametrize(
    ("total", "due"), [((0, 0, 0), ""), ((64, 0, 0), ", before the further round that is due")]
)  # fmt: skip
def test_end_without_a_winner(total, due):
    lines = roll(pool=D8, total=total, first=B, final_round="extra", max_rounds=1)
    assert lines[-1] == f"max_rounds ends the game after 1 round{due}. Nobody wins."


if __name__ == "__main__":
    REPLAYS.mkdir(exist_ok=True)
    for golden in GOLDEN:
        (REPLAYS / f"{golden}.txt").write_text(transcript(golden), encoding="utf-8")
