"""Luck has coordinates: what is rolled depends on seed, game, purpose and index, and on nothing else.

So variants of the rules and line-ups of policies meet the same dice wherever they roll the same thing. Which die comes
from which word is written down here once more, as the README says it, and held to plain Python. (That a whole game
follows from these dice is for `test_naive.py`.)
"""

from dataclasses import replace
from itertools import combinations

import numba
import numpy as np
import pytest
from scipy.stats import chi2, norm

from lab.arena import play
from sims.core.game import Setting, encode
from sims.vices import GAME, rules
from sims.vices.rules import ENVY, GLUTTONY, GREED, LUST, PRIDE, REMOVE, SET_UP, SLOTH, WRATH
from sims.vices.table import Table
from tests.vices import common, naive

SEED = 2**40 + 17
FEW = numba.config.DISABLE_JIT
GAMES = np.concatenate([np.arange(5000, dtype=np.uint64), np.arange(2**45, 2**45 + 1000, dtype=np.uint64)])
GAMES = GAMES[::20] if FEW else GAMES
FIVE_SIGMA = 2 * norm.sf(5)

PLACES = {
    (1, 0): [("small", LUST, 6), ("small", GLUTTONY, 6), ("small", GREED, 6)],
    (1, 1): [("small", SLOTH, 6), ("small", WRATH, 6), ("small", ENVY, 6)],
    (1, 2): [("small", PRIDE, 6), ("pairs", 0, 6), ("pairs", 1, 6)],
    (1, 3): [("pairs", 2, 6), ("pairs", 3, 6), ("pairs", 4, 6)],
    (2, 0): [("pairs", 5, 6), ("spoilers", 0, 12)],
    (2, 1): [("spoilers", 1, 10), ("spoilers", 2, 8), ("large", PRIDE, 6)],
    (2, 2): [("large", LUST, 6), ("large", GLUTTONY, 6), ("large", GREED, 6)],
    (2, 3): [("large", SLOTH, 6), ("large", WRATH, 6), ("large", ENVY, 6)],
    (3, 0): [("nemesis", 0, 20), ("nemesis", 1, 20)],
    (3, 1): [("nemesis", 2, 20), ("nemesis", 3, 20)],
    (3, 2): [("nemesis", 4, 20), ("nemesis", 5, 20)],
    (3, 3): [("nemesis", 6, 20)],
}
"""{(purpose, word): its dice, one after the other: (array of the table, row, sides)}; index: 32 * turn + roll"""
DICE = [die for dice in PLACES.values() for die in dice]
SEVEN = {"seats": 7, "house_seats": True}


def table_of(games=GAMES, seats=4, seed=SEED, words=False, at=0, **knobs):
    """A table on which these games are set up, roll number `at` to come. Nobody has a Sin."""
    table = Table(Setting(encode(GAME.knobs(**knobs)), seats, seed, words), games.size)
    table.deal(lanes_of(games), games)
    table.dealt = table.dealt[:0]
    table.t.at[:] = at
    return table


def lanes_of(games):
    return np.arange(games.size, dtype=np.int32)


def rolled(**setting):
    """{die: [game] its faces}, copies of what lies on a table."""
    table = table_of(**setting)
    table._throw()
    return {
        (name, row, sides): getattr(table.t, name)[row].copy()
        for name, row, sides in DICE
        if row < len(getattr(table.t, name))
    }


def plain_word(game, purpose, index, place, seed=SEED):
    low = 2**32
    return naive.philox((game % low, game // low, purpose, index), (seed % low, seed // low))[place]


def p_of_uniform(answers, options):
    """Chance of answers so uneven if all options, and nothing else, were equally likely."""
    counts = np.array([(answers == option).sum() for option in options])
    assert counts.sum() == answers.size, "an answer that is not an option"
    mean = answers.size / len(options)
    return chi2.sf(((counts - mean) ** 2 / mean).sum(), len(options) - 1)


def assert_independent(one, other, sides, what):
    """Alike no more often than chance has it, within 5 sigma. sides: of the die with more of them."""
    n = one.size
    assert abs((one == other).sum() - n / sides) < 5 * np.sqrt(n * (sides - 1)) / sides, what


# The dice of a roll ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("seed", "at"), [(SEED, 0), (SEED, 1), (SEED, 32 * 3 + 5), (2**64 - 1, 32 * 7_000_000 + 19)])
def test_every_die_has_its_place(seed, at):
    games = GAMES[:: max(1, GAMES.size // 30)]
    found = rolled(games=games, seed=seed, at=at, **SEVEN)
    for (purpose, word), dice in PLACES.items():
        plain = [plain_word(game, purpose, at, word, seed) for game in games.tolist()]
        faces = np.array([naive.chained_faces(each, [sides for *_, sides in dice]) for each in plain])
        for column, die in enumerate(dice):
            assert found[die].tolist() == faces[:, column].tolist(), die


def test_every_die_is_fair():
    found = rolled(**SEVEN)
    assert len(found) == 7 + 7 + 6 + 3 + 7
    for die, faces in found.items():
        assert p_of_uniform(faces, range(1, die[-1] + 1)) > FIVE_SIGMA, die


@pytest.mark.parametrize("sides", [2, 3, 100])
def test_nemesis_dice_of_other_sides_are_fair(sides):
    found = rolled(nemesis_sides=sides, **SEVEN)
    for owner in range(7):
        assert p_of_uniform(found["nemesis", owner, 20], range(1, sides + 1)) > FIVE_SIGMA


def test_every_die_has_luck_of_its_own():
    for (one, faces), (other, others) in combinations(rolled(**SEVEN).items(), 2):
        assert_independent(faces, others, max(one[-1], other[-1]), (one, other))


@pytest.mark.parametrize(
    "change", [{"seed": SEED + 1}, {"seed": SEED + 2**32}, {"at": 1}, {"at": 32}, {"games": GAMES + np.uint64(10_000)}]
)
def test_another_seed_roll_or_game_is_other_luck(change):
    one, other = rolled(), rolled(**change)
    for die in one:
        assert_independent(one[die], other[die], die[-1], die)


@pytest.mark.parametrize(
    "change",
    [
        {"words": True},
        {"target": 20, "max_rounds": 1, "final_round": "extra", "exact_wins": False, "exact_bust": True},
        {"sins": ()},
        {"stealing": "swap", "stolen_match": "stays", "envy_optional": True, "no_nemesis": "borrow"},
        {"penalty_dice": 4},
        {"bullet_upright": 1.0},
        SEVEN,
        {"seats": 2, "house_seats": True},
    ],
    ids=lambda change: next(iter(change)),
)
def test_other_rules_the_same_dice(change):
    """More players roll more Nemesis dice, which move no other."""
    one, other = rolled(), rolled(**change)
    shared = set(one) & set(other)
    assert len(shared) >= 7 + 7 + 6 + 3 + 2
    for die in shared:
        assert (one[die] == other[die]).all(), die


@pytest.mark.parametrize("sides", [2, 10, 100])
def test_other_nemesis_dice_move_no_others(sides):
    one, other = rolled(), rolled(nemesis_sides=sides)
    for die in one:
        if die[0] != "nemesis":
            assert (one[die] == other[die]).all(), die
    if sides == 10:  # the first of a word is the word scaled
        for owner in (0, 2):
            assert (other["nemesis", owner, 20] == (one["nemesis", owner, 20] + 1) // 2).all()


def test_what_is_out_of_play_moves_nothing():
    """A die is rolled, or looked at, wherever it is: holders, pool and defender have no say."""
    table = table_of()
    table.t.holder[:] = np.reshape([0, 1, 2, 3, -1, -2, 1], (7, 1))
    table.t.pool[:], table.t.defender[:], table.t.removed[:], table.t.guests[:] = 1 << 10, 2, 0b1001, 0b10
    table._throw()
    for (name, row, sides), faces in rolled().items():
        assert (getattr(table.t, name)[row] == faces).all(), (name, row, sides)


@pytest.mark.parametrize("probability", [0.0, 0.25, 1.0])
def test_the_silver_bullet(probability):
    """Purpose 4, word 0: upright where the word is below the probability's part of all words."""
    table = table_of(at=70, bullet_upright=probability)
    table._throw()
    n = GAMES.size
    assert abs(table.t.upright.sum() - n * probability) <= 5 * np.sqrt(n * probability * (1 - probability))
    wanted = [plain_word(game, 4, 70, 0) < probability * 2**32 for game in GAMES[:50].tolist()]
    assert table.t.upright[:50].tolist() == wanted


def test_the_silver_bullet_is_tried_afresh_on_each_roll():
    """VV33."""
    table = table_of(bullet_upright=0.5)
    table._throw()
    before = table.t.upright.copy()
    table.t.at[:] = 1
    table._throw()
    assert_independent(before, table.t.upright, 2, "roll")


def test_lanes_and_company_do_not_matter():
    whole = rolled()
    chosen = np.random.default_rng(1).permutation(GAMES.size)[: GAMES.size // 4]
    for die, faces in rolled(games=GAMES[chosen]).items():
        assert (faces == whole[die][chosen]).all()


# Penalty rolls --------------------------------------------------------------------------------------------------------


def penalty(sin, at=0, taken=None, games=GAMES, **knobs):
    """[die, game] of the penalty roll of a match that seat 1 makes, in the order of `Lanes.penalty`."""
    table = table_of(games, at=at, **knobs)
    t, lanes = table.t, lanes_of(games)
    t.pool[:], t.defender[:], t.matched[:], t.holder[sin] = rules.FULL, 0, np.array(1 << sin).astype(np.int8), 1
    rules.meet(sin, lanes, table.knobs, table.key, t)
    if taken is not None:
        table.action[:] = taken
    rules.act(sin, lanes, table.action, table.knobs, table.key, t)
    return t.penalty.copy()


ALL_SIX = {"taken": PRIDE, "penalty_dice": 4}  # with Gluttony


@pytest.mark.parametrize("sin", range(7))
def test_every_die_of_a_penalty_has_its_place(sin):
    """Purpose 10 + Sin. Word 0: small, large, metallic; word 1: taken by Gluttony, first and second further die."""
    games = GAMES[:: max(1, GAMES.size // 30)]
    at = 32 * 5 + 3
    found = penalty(sin, at, games=games, **(ALL_SIX if sin == GLUTTONY else {"penalty_dice": 4}))
    dice = {GLUTTONY: range(6), PRIDE: (0, 1, 2, 4, 5)}.get(sin, (0, 1, 4, 5))
    plain = [
        [face for word in range(2) for face in naive.chained_faces(plain_word(game, 10 + sin, at, word), (6, 6, 6))]
        for game in games.tolist()
    ]
    for die in range(6):
        assert found[die].tolist() == [faces[die] if die in dice else 0 for faces in plain]


def test_every_penalty_die_is_fair_and_has_luck_of_its_own():
    dice = {(GLUTTONY, die): faces for die, faces in enumerate(penalty(GLUTTONY, **ALL_SIX))}
    dice |= {(sin, die): penalty(sin)[die] for sin in range(7) if sin != GLUTTONY for die in range(2)}
    dice |= {("roll", *die[:2]): faces for die, faces in rolled().items() if die[-1] == 6}
    for die, faces in dice.items():
        assert p_of_uniform(faces, range(1, 7)) > FIVE_SIGMA, die
    for (one, faces), (other, others) in combinations(dice.items(), 2):
        assert_independent(faces, others, 6, (one, other))


def test_a_further_penalty_die_moves_no_other():
    base = penalty(GLUTTONY)[:2]
    for more in ({"penalty_dice": 3}, {"penalty_dice": 4}, {"taken": LUST}, ALL_SIX, {"sins": ()}):
        assert (penalty(GLUTTONY, **more)[:2] == base).all()
    assert (penalty(GLUTTONY, taken=PRIDE)[2:4] == penalty(GLUTTONY, **ALL_SIX)[2:4]).all()
    assert (penalty(WRATH, penalty_dice=3)[4] == penalty(WRATH, penalty_dice=4)[4]).all()
    assert (penalty(PRIDE, sins=())[:2] == penalty(PRIDE)[:2]).all()


# Setting up -----------------------------------------------------------------------------------------------------------


def faces_of_seats(game, attempt, sides):
    """Purpose 5; the words are as in a roll."""
    return [
        face for word in range(4) for face in naive.chained_faces(plain_word(game, 5, attempt, word), (sides, sides))
    ]


@pytest.mark.parametrize(("seats", "sides"), [(4, 20), (7, 20), (5, 2), (7, 100)])
def test_who_plays_first(seats, sides):
    """The highest d20 (VV41: the tied again, and nobody else)."""
    games = GAMES[-200:]
    table = table_of(games, seats, house_seats=True, nemesis_sides=sides)
    for game, first in zip(games.tolist(), table.t.first.tolist(), strict=True):
        tied, attempt = list(range(seats)), 0
        while len(tied) > 1:
            faces = faces_of_seats(game, attempt, sides)
            tied = [seat for seat in tied if faces[seat] == max(faces[other] for other in tied)]
            attempt += 1
        assert tied == [first]


@pytest.mark.parametrize(("seats", "sides"), [(4, 20), (7, 2)])
def test_everybody_plays_first_equally_often(seats, sides):
    table = table_of(seats=seats, house_seats=True, nemesis_sides=sides)
    assert p_of_uniform(table.t.first, range(seats)) > FIVE_SIGMA
    assert (table.t.first == table.t.defender).all()


def plain_matches(game, place, attempt):
    """Purpose 30 + place; the Sins that show the number of the Mirror."""
    mirror, *sins = (
        face
        for word, dice in enumerate((3, 3, 2))
        for face in naive.chained_faces(plain_word(game, 30 + place, attempt, word), (6,) * dice)
    )
    return {sin for sin, face in enumerate(sins) if face == mirror}


@pytest.mark.parametrize("seats", [4, 7])
def test_which_sins_may_be_chosen_in_setting_up(seats):
    """Of those that are left, at the first attempt at which any matches; whatever was chosen before."""
    games = GAMES[-100:]
    rng = np.random.default_rng(3)
    table = table_of(games, seats, house_seats=True)
    t, lanes = table.t, lanes_of(games)
    left = [set(range(7)) for _ in games]
    for place in range(seats):
        rules.roll_for_sin(place, lanes, table.key, t)
        for lane, game in enumerate(games.tolist()):
            attempt = 0
            while not (matching := plain_matches(game, place, attempt) & left[lane]):
                attempt += 1
            assert {sin for sin in range(7) if t.options[lane] >> sin & 1} == matching
            assert t.seat[lane] == ((t.first[lane] + place) % seats if len(matching) > 1 else -1)
            table.action[lane] = rng.choice(sorted(matching))
            left[lane].remove(table.action[lane])
        rules.take_sin(lanes, table.action, t)


@pytest.mark.parametrize("seats", [4, 7])
def test_everybody_starts_with_any_sin_equally_often(seats):
    """Where all choose at random; and no Sin is two players'."""
    games = GAMES[:2500]
    table = table_of(games, seats, words=True, house_seats=True)
    table.dealt = lanes_of(games)
    policy = GAME.policies["random"]
    for ask in table._set_up():
        assert ask.view.kind == SET_UP
        policy.function(ask.view, encode(policy.weights()), (), ask.action)
    for seat in range(seats):
        assert p_of_uniform(table.t.start_sin[seat], range(7)) > FIVE_SIGMA
        assert (table.t.holder[table.t.start_sin[seat], lanes_of(games)] == seat).all()
    for one, other in combinations(range(seats), 2):
        assert (table.t.start_sin[one] != table.t.start_sin[other]).all()


# Tie-breaks -----------------------------------------------------------------------------------------------------------


def test_every_pair_of_a_tie_break_has_its_place():
    """Purpose 50, a word each, for seats 0 to 3, and 51 for seats 4 to 6; index: the rolling."""
    games = GAMES[-200:]
    table = table_of(games, **SEVEN)
    t = table.t
    t.total[:], t.reached[:], t.spent[:], t.pool[:] = 70, 1, 0, 0
    t.defender[:] = (t.first + 6) % 7
    rules.end_turns(lanes_of(games), table.knobs, table.key, t)
    for game, winners, rollings in zip(games.tolist(), t.winners.tolist(), t.tie_breaks.tolist(), strict=True):
        tied, rolling = list(range(7)), 0
        while len(tied) > 1:
            pairs = [
                naive.chained_faces(plain_word(game, 50 + seat // 4, rolling, seat % 4), (6, 6)) for seat in range(7)
            ]
            scores = [0 if one == other else 12 - one - other for one, other in pairs]
            tied = [seat for seat in tied if scores[seat] == min(scores[each] for each in tied)]
            rolling += 1
        assert (winners, rollings) == (1 << tied[0], rolling)


# Words for policies ---------------------------------------------------------------------------------------------------


def test_a_policy_gets_a_word_of_its_own_for_every_decision():
    """Known answers: removals 6, effects 20 + Sin, setting up 40 + place at index 0; word 0 of each."""
    games = GAMES[-4:]
    at = 32 * 7 + 2

    def words(purpose, index):
        return [plain_word(game, purpose, index, 0) for game in games.tolist()]

    table = table_of(games, words=True)
    table.dealt = lanes_of(games)
    places = []
    for ask in table._set_up():
        lane = int(np.flatnonzero(ask.seat >= 0)[0])
        places.append(int(ask.seat[lane] - table.t.first[lane]) % 4)
        assert ask.view.word.tolist() == words(40 + places[-1], 0)
        ask.action[:] = [rules.lowest(options) for options in ask.view.options]
    assert places

    table = table_of(games, words=True, at=at)
    t = table.t
    t.defender[:], t.pool[:] = 0, rules.FULL
    for sin in (WRATH, LUST, GREED, GLUTTONY, ENVY):
        t.holder[:] = -1
        t.holder[sin], t.holder[SLOTH if sin in (WRATH, GREED) else PRIDE], t.holder[PRIDE] = 1, 0, 0
        t.matched[:], t.moved[:] = 1 << sin, 0
        (ask,) = answered(table._resolve(sin, lanes_of(games)), PRIDE if sin in (WRATH, GREED) else SLOTH)
        assert ask.view.kind == sin
        assert ask.view.word.tolist() == words(20 + sin, at)
    for ask in table._remove():
        assert ask.view.kind == REMOVE
        assert ask.view.word.tolist() == words(6, at)


def answered(asks, action):
    for ask in asks:
        ask.action[:] = action
        yield ask


def test_words_that_nobody_reads_change_nothing():
    match = common.match(("zeros", "bank_all", "zeros", "zeros"), 4, SEED)
    assert not match.setting.words
    drawn = replace(match, setting=match.setting._replace(words=True))
    assert (common.rows(match, 20) == common.rows(drawn, 20)).all()


# In play --------------------------------------------------------------------------------------------------------------

PLAYED = 12 if FEW else 150


def met(lineup, **knobs):
    """{(game, at): every die} of the rolls of games played by this line-up, and {game: (first player, options of the
    first choice in setting up)}."""
    match = common.match([lineup] * 4, 4, SEED, **knobs)
    dice, begun = {}, {}

    def watch(table, ask):
        if ask is None or ask.view.kind not in (REMOVE, SET_UP):
            return
        t = table.t
        busy = np.flatnonzero(t.phase == rules.PLAYING)
        if ask.view.kind == REMOVE:
            faces = np.concatenate([t.small, t.large, t.pairs, t.spoilers, t.nemesis])[:, busy].T.tolist()
            dice.update(zip(zip(table.game[busy].tolist(), t.at[busy].tolist(), strict=True), faces, strict=True))
        else:
            for lane in np.flatnonzero(ask.seat == t.first):
                begun[int(table.game[lane])] = int(t.first[lane]), int(ask.view.options[lane])

    play(match, 0, PLAYED, lambda games, rows: None, watch=watch)
    return dice, begun


@pytest.fixture(scope="module")
def met_by_random():
    return met("random")


@pytest.mark.parametrize(
    ("lineup", "knobs"),
    [
        ("zeros", {}),
        ("bank_all", {}),
        ("random", {"sins": ()}),
        (
            "random",
            {"target": 200, "penalty_dice": 4, "stealing": "swap", "no_nemesis": "borrow", "bullet_upright": 1.0},
        ),
    ],
    ids=["zeros", "bank_all", "no effects", "odd knobs"],
)
def test_policies_and_rules_do_not_change_the_dice(met_by_random, lineup, knobs):
    """Wherever both roll: the n-th roll of the m-th turn, however many rolls came before."""
    dice, begun = met_by_random
    others, begun_by_others = met(lineup, **knobs)
    shared = dice.keys() & others.keys()
    assert len(shared) > 4 * PLAYED
    assert {at // 32 for _, at in shared} >= set(range(4))
    assert all(dice[roll] == others[roll] for roll in shared)
    assert begun == begun_by_others
    assert len(begun) > PLAYED / 8


def test_a_turn_has_at_most_32_rolls(met_by_random):
    """As many as there are indices: 14 units and at most 6 absorbed, one a roll."""
    rolls = {at % 32 for _, at in met_by_random[0]}
    assert rolls == set(range(max(rolls) + 1))
    assert 14 < max(rolls) + 1 <= 14 + 3


@pytest.mark.parametrize("lanes", [1, 3, 16])
def test_results_do_not_depend_on_lanes_or_on_where_a_block_begins(lanes):
    match = common.match(("random", "zeros", "bank_all", "random"), 4, SEED)
    whole = common.rows(match, 40)
    assert (common.rows(match, 40, lanes=lanes) == whole).all()
    assert (common.rows(match, 15, first=25, lanes=lanes) == whole[25:]).all()
