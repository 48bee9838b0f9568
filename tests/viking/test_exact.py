"""The exact answers, each found a second way.

`one_duel` against brute force over all dice, against icepool, and against the naive version with every way its luck can
fall; `solve` against closed forms, a dense linear system, and 20,000 games of the naive version.
"""

from collections import Counter
from fractions import Fraction
from itertools import product
from math import fsum, sqrt

import icepool
import numpy as np
import pytest

from sims.viking import exact
from tests.viking import naive

BELOW = 4
PAIRS = [((one, BELOW), (other, BELOW)) for one, other in product(exact.POLICIES, repeat=2)]
ORDERED_TRIPLES = list(product(range(1, 7), repeat=3))


def assert_same_law(found, wanted, tolerance=1e-12):
    assert set(found) == set(wanted)
    assert all(abs(found[outcome] - wanted[outcome]) < tolerance for outcome in wanted)


def named(pair):
    return "-".join(name for name, _ in pair)


# Facts, and the first roll --------------------------------------------------------------------------------------------


def share_of_first_rolls(holds):
    """The exact share of the 6**6 first rolls of two hands for which `holds(one, other)`."""
    return Fraction(sum(holds(one, other) for one in ORDERED_TRIPLES for other in ORDERED_TRIPLES), 6**6)


def test_share_of_equal_first_totals():
    hands = exact.all_hands()
    found = exact.first_rolls(hands)[hands.total[:, None] == hands.total[None, :]].sum()
    difference = 3 @ icepool.d6 - 3 @ icepool.d6
    assert found == pytest.approx(float(difference.probability(0)), abs=1e-14)
    assert found == pytest.approx(0.0928498, abs=5e-8)


def test_share_of_first_rolls_that_forbid_rerolls():
    hands = exact.all_hands()
    found = exact.first_rolls(hands)[~exact.may_reroll(hands)].sum()
    brute = share_of_first_rolls(lambda a, b: sum(a) == sum(b) or len(set(a)) == 1 or len(set(b)) == 1)
    assert found == pytest.approx(float(brute), abs=1e-14)
    assert found == pytest.approx(0.1446759, abs=5e-8)


def test_share_of_two_triples():
    hands = exact.all_hands()
    found = exact.first_rolls(hands)[np.outer(hands.triple, hands.triple)].sum()
    assert share_of_first_rolls(lambda a, b: len(set(a)) == 1 and len(set(b)) == 1) == Fraction(1, 1296)
    assert found == pytest.approx(1 / 1296, abs=1e-14)


@pytest.mark.parametrize(("tied_triple", "heal"), list(product(exact.TIED_TRIPLES, exact.HEALS)))
def test_at_most_one_player_loses_life(tied_triple, heal):
    hands = exact.all_hands()
    for healing in (False, True):
        change = exact.own_change(hands, healing=healing, tied_triple=tied_triple, heal=heal)
        assert not ((change < 0) & (change.T < 0)).any()


def test_hands_are_those_of_the_ordered_rolls():
    hands = exact.all_hands(3, 6)
    ways = Counter(tuple(sorted(roll)) for roll in ORDERED_TRIPLES)
    assert list(hands.faces) == sorted(ways)
    assert hands.chance == pytest.approx([ways[faces] / 216 for faces in hands.faces], abs=1e-15)


def test_a_lone_triple_has_the_lower_highest_die_in_every_tie():
    hands = exact.all_hands(5, 8)
    tie = hands.total[:, None] == hands.total[None, :]
    one, other = np.nonzero(tie & hands.triple[:, None] & ~hands.triple[None, :])
    assert one.size > 0
    assert (hands.highest[one] < hands.highest[other]).all()


# One duel -------------------------------------------------------------------------------------------------------------


def attack_changes(one, other, tied_triple, heal):
    """Both changes of life from two final hands, if a higher triple attacks. Written from the rules."""
    same_one, same_other = len(set(one)) == 1, len(set(other)) == 1
    gain_one, gain_other = ({"face": hand[0], "total": sum(hand), "none": 0}[heal] for hand in (one, other))
    if same_one and same_other:
        return gain_one, gain_other
    if sum(one) < sum(other):
        return (gain_one if same_one else sum(one) - sum(other)), 0
    if sum(one) > sum(other):
        return 0, (gain_other if same_other else sum(other) - sum(one))
    hits_one, hits_other = max(other) > max(one), max(one) > max(other)
    change_one, change_other = -max(other) * hits_one, -max(one) * hits_other
    if same_one:
        change_one = {"hit_and_heal": change_one + gain_one, "heal_only": gain_one, "hit_only": change_one}[tied_triple]
    if same_other:
        change_other = {"hit_and_heal": change_other + gain_other, "heal_only": gain_other, "hit_only": change_other}[
            tied_triple
        ]
    return change_one, change_other


@pytest.mark.parametrize(
    ("tied_triple", "heal"),
    [("hit_and_heal", "face"), ("heal_only", "face"), ("hit_only", "total"), ("hit_and_heal", "none")],
)
def test_two_keepers_against_every_roll(tied_triple, heal):
    knobs = {"tied_triple": tied_triple, "heal": heal}
    brute = Counter(attack_changes(a, b, **knobs) for a in ORDERED_TRIPLES for b in ORDERED_TRIPLES)
    found = exact.one_duel([("keep", 0), ("keep", 0)], **knobs)
    assert_same_law(found, {outcome: ways / 6**6 for outcome, ways in brute.items()})


def test_two_thresholds_against_every_roll_and_reroll():
    """Each rerolls on its own dice alone, so that the final hands are independent, given that rerolls are open."""
    final = {roll: Counter() for roll in ORDERED_TRIPLES}
    for roll, fresh in product(ORDERED_TRIPLES, repeat=2):
        final[roll][tuple(sorted(new if old < BELOW else old for old, new in zip(roll, fresh, strict=True)))] += 1
    hands = sorted({tuple(sorted(roll)) for roll in ORDERED_TRIPLES})
    rolled = np.array([[sorted(roll) == list(hand) for hand in hands] for roll in ORDERED_TRIPLES], dtype=int)
    ended = np.array([[final[roll][hand] for hand in hands] for roll in ORDERED_TRIPLES])
    open_ = np.array(
        [[sum(a) != sum(b) and len(set(a)) > 1 and len(set(b)) > 1 for b in ORDERED_TRIPLES] for a in ORDERED_TRIPLES],
        dtype=int,
    )
    ways = ended.T @ open_ @ ended + 216**2 * (rolled.T @ (1 - open_) @ rolled)
    brute = Counter()
    for (i, one), (j, other) in product(enumerate(hands), repeat=2):
        brute[attack_changes(one, other, "hit_and_heal", "face")] += int(ways[i, j])
    assert brute.total() == 6**12
    wanted = {outcome: number / 6**12 for outcome, number in brute.items()}
    for order in exact.REROLL_ORDERS:
        assert_same_law(exact.one_duel([("threshold", BELOW)] * 2, reroll_order=order), wanted)


def test_two_trailing_players_against_icepool():
    """`open`, in icepool's whole numbers. The player behind speaks first; the other rerolls if it is now behind.

    One who is behind and waits has no low die, so that after those two chances nobody has anything to say.
    """

    def low_dice_rerolled(hand):
        kept = tuple(face for face in hand if face >= BELOW)
        fresh = [icepool.d6] * (3 - len(kept))
        return icepool.map(lambda *faces: tuple(sorted(kept + faces)), *fresh) if fresh else icepool.Die([hand])

    again = {hand: low_dice_rerolled(hand) for hand in exact.all_hands().faces}

    def first_chance(one, other):
        """(hand, hand, seat that speaks next or -1)"""
        if sum(one) == sum(other) or len(set(one)) == 1 or len(set(other)) == 1:
            return icepool.Die([(one, other, -1)])
        if sum(one) < sum(other):
            return again[one].map(lambda new: (new, other, 1), star=False)
        return again[other].map(lambda new: (one, new, 0), star=False)

    def second_chance(one, other, seat):
        if seat == 0 and sum(one) < sum(other):
            return again[one].map(lambda new: (new, other), star=False)
        if seat == 1 and sum(other) < sum(one):
            return again[other].map(lambda new: (one, new), star=False)
        return icepool.Die([(one, other)])

    hand = icepool.d6.pool(3).expand()
    final = icepool.map(first_chance, hand, hand, star=False).map(second_chance, star=True)
    law = Counter()
    for (one, other), ways in final.items():
        law[attack_changes(one, other, "hit_and_heal", "face")] += ways
    wanted = {outcome: ways / final.denominator() for outcome, ways in law.items()}
    assert_same_law(exact.one_duel([("trailing", BELOW)] * 2), wanted)


class EveryLuck:
    """Luck that falls in every way: each draw is a branch, and `ways` lists the branches of the path being walked.

    It stands in for `naive.Luck`. A hand is one draw out of sides ** dice, a word one out of the equally likely
    answers that the random policy makes of it.
    """

    def __init__(self, dice, sides):
        self.hands = list(product(range(1, sides + 1), repeat=dice))
        self.dice = dice
        self.path, self.ways, self.depth = [], [], 0

    def draw(self, ways):
        if self.depth == len(self.path):
            self.path.append(0)
            self.ways.append(ways)
        self.depth += 1
        return self.path[self.depth - 1]

    def first_roll(self, side):
        return self.hands[self.draw(len(self.hands))]

    def reroll(self, side):
        return self.hands[self.draw(len(self.hands))]

    def speaking_word(self, speaking_round):
        return self.draw(2**self.dice) << (32 - self.dice)

    def choice_word(self):
        return self.draw(2) << 31

    def next_path(self):
        """Whether there is another path; if so, luck is set to walk it."""
        self.depth = 0
        while self.path and self.path[-1] + 1 == self.ways[-1]:
            self.path.pop()
            self.ways.pop()
        if self.path:
            self.path[-1] += 1
        return bool(self.path)


def naive_law(policies, active, knobs):
    """The law of one duel from the naive version, seat 0 first."""
    luck = EveryLuck(knobs["dice"], knobs["sides"])
    by_side = policies if active == 0 else policies[::-1]
    paths = Counter()
    while True:
        changes = tuple(naive.duel(by_side, luck, knobs)[0])
        paths[changes if active == 0 else changes[::-1], tuple(luck.ways)] += 1
        if not luck.next_path():
            break
    law = Counter()
    for (changes, ways), number in paths.items():
        law[changes] += Fraction(number, int(np.prod(ways, dtype=object)))
    assert sum(law.values()) == 1
    return {changes: float(chance) for changes, chance in law.items()}


@pytest.mark.parametrize(
    ("one", "other", "knobs"),
    [
        (("threshold", 3), ("trailing", 4), {"dice": 2, "sides": 4, "reroll_order": "open"}),
        (("trailing", 3), ("healer", 2), {"dice": 2, "sides": 4, "reroll_order": "simultaneous", "heal": "total"}),
        (("trailing", 3), ("trailing", 4), {"dice": 2, "sides": 4, "reroll_order": "active_first"}),
        (("random", 0), ("trailing", 2), {"dice": 2, "sides": 3, "reroll_order": "active_first"}),
        (("random", 0), ("healer", 3), {"dice": 2, "sides": 3, "reroll_order": "open", "tied_triple": "heal_only"}),
        (("random", 0), ("trailing", 3), {"dice": 2, "sides": 3, "reroll_order": "open", "tied_triple": "hit_only"}),
        (("random", 0), ("random", 0), {"dice": 2, "sides": 2, "reroll_order": "open"}),
        (("random", 0), ("random", 0), {"dice": 2, "sides": 2, "reroll_order": "simultaneous", "heal": "none"}),
        (("keep", 0), ("random", 0), {"dice": 3, "sides": 2, "reroll_order": "open"}),
        (("trailing", 2), ("threshold", 2), {"dice": 4, "sides": 2, "reroll_order": "open"}),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "-".join(map(str, value.values())),
)
def test_one_duel_against_the_naive_version_in_every_luck(one, other, knobs):
    """Few or small dice, so that every roll, reroll and word can be tried."""
    for active in (0, 1):
        wanted = naive_law((one, other), active, {**naive.KNOBS, **knobs})
        assert_same_law(exact.one_duel((one, other), active=active, **knobs), wanted)


@pytest.mark.parametrize("order", exact.REROLL_ORDERS)
@pytest.mark.parametrize("pair", PAIRS, ids=named)
def test_a_law_is_one_and_its_mirror_image_the_same(pair, order):
    for active in (0, 1):
        law = exact.one_duel(pair, active=active, reroll_order=order)
        assert abs(fsum(law.values()) - 1) < 1e-12
        assert all(chance > 0 for chance in law.values())
        mirror = exact.one_duel(pair[::-1], active=1 - active, reroll_order=order)
        assert_same_law({outcome[::-1]: chance for outcome, chance in mirror.items()}, law)


@pytest.mark.parametrize("pair", PAIRS, ids=named)
def test_the_active_seat_matters_in_active_first_only(pair):
    for order in ("open", "simultaneous"):
        laws = [exact.one_duel(pair, active=active, reroll_order=order) for active in (0, 1)]
        assert_same_law(laws[0], laws[1])


def test_the_active_seat_matters_in_active_first():
    pair = [("trailing", BELOW)] * 2
    laws = [exact.one_duel(pair, active=active, reroll_order="active_first") for active in (0, 1)]
    means = [sum(changes[0] * chance for changes, chance in law.items()) for law in laws]
    assert means[0] < means[1] - 0.01  # to answer is better than to open


@pytest.mark.parametrize(
    "knobs",
    [
        {"reroll_order": "closed"},
        {"tied_triple": "miss"},
        {"heal": "all"},
        {"active": 2},
        {"dice": 1},
        {"policies": [("keep", 0), ("treshold", 4)]},
        {"policies": [("keep", 0)]},
    ],
)
def test_what_is_not_allowed_is_refused(knobs):
    with pytest.raises(ValueError, match=r"."):
        exact.one_duel(knobs.pop("policies", [("keep", 0), ("keep", 0)]), **knobs)


# A whole game ---------------------------------------------------------------------------------------------------------


def test_a_game_of_one_life_ends_with_the_first_loss():
    pair = [("threshold", 5), ("keep", 0)]
    law = exact.one_duel(pair, heal="none")
    seat_0_hit = fsum(chance for (change, _), chance in law.items() if change < 0)
    seat_1_hit = fsum(chance for (_, change), chance in law.items() if change < 0)
    found = exact.solve(pair, start_life=1, heal="none")
    assert found.win_share[0] == pytest.approx(seat_1_hit / (seat_0_hit + seat_1_hit), abs=1e-11)
    assert found.duels == pytest.approx(1 / (seat_0_hit + seat_1_hit), abs=1e-10)


def dense_solution(laws, start_life, ceiling):
    """Win share of seat 0 and mean duels by one linear system. Life stops at `ceiling`: a cut, of another kind."""
    states = list(product(range(1, ceiling + 1), range(1, ceiling + 1), (0, 1)))
    index = {state: i for i, state in enumerate(states)}
    stay, won = np.zeros((len(states), len(states))), np.zeros(len(states))
    for (life_0, life_1, active), i in index.items():
        for (change_0, change_1), chance in laws[active].items():
            after_0, after_1 = life_0 + change_0, life_1 + change_1
            if after_1 <= 0:
                won[i] += chance
            elif after_0 > 0:
                stay[i, index[min(after_0, ceiling), min(after_1, ceiling), 1 - active]] += chance
    answers = np.linalg.solve(np.eye(len(states)) - stay, np.stack([won, np.ones(len(states))], axis=1))
    return answers[index[start_life, start_life, 0]]


def test_solve_without_healing_against_a_dense_system():
    """Without healing no life ever rises, and the system of eight states is the whole truth."""
    knobs = {"dice": 2, "sides": 4, "heal": "none", "reroll_order": "active_first"}
    pair = (("trailing", 3), ("trailing", 4))
    laws = [naive_law(pair, active, {**naive.KNOBS, **knobs}) for active in (0, 1)]
    found = exact.solve(pair, start_life=2, **knobs)
    assert [found.win_share[0], found.duels] == pytest.approx(dense_solution(laws, 2, ceiling=2), abs=1e-10)


def test_solve_with_healing_against_a_dense_system():
    brute = Counter(attack_changes(a, b, "hit_and_heal", "face") for a in ORDERED_TRIPLES for b in ORDERED_TRIPLES)
    law = {outcome: ways / 6**6 for outcome, ways in brute.items()}
    found = exact.solve([("keep", 0)] * 2, start_life=2)
    assert [found.win_share[0], found.duels] == pytest.approx(dense_solution([law, law], 2, ceiling=20), abs=1e-8)


@pytest.mark.parametrize(
    ("pair", "knobs"),
    [
        ((("healer", 4), ("trailing", 4)), {}),
        ((("healer", 4), ("healer", 4)), {"start_life": 20, "tied_triple": "heal_only"}),
    ],
)
def test_the_cap_is_high_enough(pair, knobs):
    found = exact.solve(pair, **knobs)
    higher = exact.solve(pair, cap=found.cap + 40, **knobs)
    low = exact.solve(pair, cap=knobs.get("start_life", 12) + 12, **knobs)
    assert 0 <= found.neglected < exact.NEGLIGIBLE < low.neglected
    assert sum(found.win_share) + found.neglected == pytest.approx(1, abs=1e-12)
    assert found.win_share == pytest.approx(higher.win_share, abs=exact.NEGLIGIBLE)
    assert found.duels == pytest.approx(higher.duels, abs=1e-7)
    assert found.followed < naive.KNOBS["max_duels"]


def test_lives_that_rise_for_ever_are_refused(monkeypatch):
    monkeypatch.setattr(exact, "HEADROOM", exact.HEADROOM[:2])  # the higher ones fare no better, but take seconds
    with pytest.raises(ValueError, match="life rises above"):
        exact.solve([("healer", 4)] * 2, dice=2, sides=4, heal="total")


@pytest.mark.parametrize("knobs", [{"start_life": 0}, {"start_life": 12, "cap": 11}])
def test_impossible_lives_are_refused(knobs):
    with pytest.raises(ValueError, match="start_life"):
        exact.solve([("keep", 0)] * 2, **knobs)


@pytest.mark.parametrize("name", exact.POLICIES)
def test_equal_policies_share_the_wins(name):
    found = exact.solve([(name, BELOW)] * 2)
    assert found.win_share[0] == pytest.approx(found.win_share[1], abs=1e-11)


# The naive version ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("counter", "key", "words"),
    [
        ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
        ((0xFFFFFFFF,) * 4, (0xFFFFFFFF,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
        (
            (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
            (0xA4093822, 0x299F31D0),
            (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
        ),
    ],
)
def test_philox_of_the_naive_version_gives_the_known_answers(counter, key, words):
    """philox4x32-10 in kat_vectors of Random123."""
    assert naive.philox(counter, key) == words


GAMES = 20_000


@pytest.mark.parametrize(
    ("lineup", "knobs"),
    [
        ([("healer", 4), ("random", 0)], {"start_life": 6}),
        ([("trailing", 4), ("trailing", 4)], {"reroll_order": "active_first", "start_life": 3, "dice": 2}),
    ],
    ids=["healer-random-open", "trailing-trailing-active_first"],
)
def test_naive_games_agree_with_solve(lineup, knobs):
    """Within 5 standard errors, with a fixed seed: a false alarm has a chance below one in a million."""
    games = [naive.play(number, 20_240_229, 2, lineup, knobs) for number in range(GAMES)]
    found = exact.solve(lineup, **knobs)
    wins = sum(game["winner"] == 0 for game in games)
    duels = np.array([game["duels"] for game in games], dtype=float)
    share = found.win_share[0]
    assert abs(wins / GAMES - share) < 5 * sqrt(share * (1 - share) / GAMES)
    assert abs(duels.mean() - found.duels) < 5 * duels.std(ddof=1) / sqrt(GAMES)
    assert not any(game["unfinished"] for game in games)
