"""Luck with coordinates: the generator is Philox, words are where they should be, and what is made of them is fair.

Three kinds of test. Answers known from elsewhere: the published vectors of Random123, the independent Philox of the
package `randomgen`, and Python's own integers for everything that is arithmetic. Statistics over many words, with
bounds of 5 standard deviations and fixed seeds. And the same answers from plain Python, without the compiler.
"""

import json
import os
import subprocess
import sys
from itertools import permutations
from math import prod, sqrt
from pathlib import Path
from random import Random

import numba
import numpy as np
import pytest
import randomgen

from sims.core.kernel import kernel
from sims.core.rng import choice, die, philox, shuffle, split, words

u32, u64 = np.uint32, np.uint64

ROOT = Path(__file__).resolve().parents[2]
TOP = 2**32 - 1

# Random123, tests/kat_vectors: philox4x32 10, counter, key, answer.
KNOWN_ANSWERS = [
    ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ((TOP, TOP, TOP, TOP), (TOP, TOP), (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0),
        (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
    ),
]


def many(count):
    """As many as this when compiled; few when the same test runs as plain Python."""
    return max(count // 10_000, 100) if numba.config.DISABLE_JIT else count


# Loops around what is tested -----------------------------------------------------------------------------------------


@kernel
def philox_each(counter, key, out):
    for i in range(out.shape[1]):
        four = philox(counter[0, i], counter[1, i], counter[2, i], counter[3, i], key[0, i], key[1, i])
        out[0, i], out[1, i], out[2, i], out[3, i] = four


@kernel
def words_each(key, game, purpose, index, out):
    for i in range(out.shape[1]):
        out[0, i], out[1, i], out[2, i], out[3, i] = words(key[i], game[i], purpose[i], index[i])


@kernel
def words_of_games(key, first_game, purpose, index, out):
    for i in range(out.shape[1]):
        out[0, i], out[1, i], out[2, i], out[3, i] = words(key, first_game + u64(i), purpose, index)


@kernel
def reduce_each(word, n, out):
    for i in range(word.size):
        out[0, i], out[1, i] = split(word[i], n[i])
        out[2, i] = choice(word[i], n[i])
        out[3, i] = die(word[i], n[i])


@kernel
def split_each(word, sizes, values, rest):
    for i in range(word.size):
        left = word[i]
        for j in range(sizes.shape[1]):
            values[i, j], left = split(left, sizes[i, j])
        rest[i] = left


@kernel
def shuffle_each(key, game, purpose, index, items):
    for i in range(game.size):
        shuffle(key, game[i], purpose, index, items[i])


def philox_at(counter, key):
    """[4, n] words of counters [4, n] and keys [2, n]."""
    counter, key = np.array(counter, u32), np.array(key, u32)
    out = np.zeros((4, counter.shape[1]), u32)
    philox_each(counter, key, out)
    return out


def words_at(key, game, purpose, index):
    """[4, n] words at coordinates, each a number or n of them."""
    arrays = [np.atleast_1d(np.array(each, dtype)) for each, dtype in
              ((key, u64), (game, u64), (purpose, np.int64), (index, np.int64))]  # fmt: skip
    arrays = [each.copy() for each in np.broadcast_arrays(*arrays)]
    out = np.zeros((4, arrays[0].size), u32)
    words_each(*arrays, out)
    return out


def reduced(word, n):
    """[4, n] integers: value and rest of `split`, `choice`, `die`."""
    out = np.zeros((4, len(word)), np.int64)
    reduce_each(np.array(word, u32), np.array(n, np.int64), out)
    return out


def shuffled(key, game, purpose, index, length):
    """The numbers below `length`, shuffled, as a list."""
    items = np.arange(length, dtype=np.int16)[None]
    shuffle_each(u64(key), np.array([game], u64), purpose, index, items)
    return items[0].tolist()


# Philox ---------------------------------------------------------------------------------------------------------------


def test_known_answers():
    counters, keys, answers = (np.array(each).T for each in zip(*KNOWN_ANSWERS, strict=True))
    assert np.array_equal(philox_at(counters, keys), answers)


def test_philox_is_that_of_randomgen():
    random = Random(1)
    counters = [[random.getrandbits(32) for _ in range(4)] for _ in range(many(3_000))]
    keys = [[random.getrandbits(32) for _ in range(2)] for _ in counters]
    wanted = [philox_of_randomgen(*each) for each in zip(counters, keys, strict=True)]
    assert np.array_equal(philox_at(np.transpose(counters), np.transpose(keys)), np.transpose(wanted))


def philox_of_randomgen(counter, key):
    """It counts up before it draws, so it is started one lower; its numbers have the first word lowest."""
    number = sum(word << 32 * place for place, word in enumerate(counter))
    generator = randomgen.Philox(counter=(number - 1) % 2**128, key=key[0] | key[1] << 32, number=4, width=32)
    return generator.random_raw(4)


# Coordinates ----------------------------------------------------------------------------------------------------------

COORDINATES = [
    (0, 0, 0, 0),
    (1, 2, 3, 4),
    (TOP, TOP, TOP, TOP),
    (2**32, 2**32, 1, 0),
    (2**32 + 5, 7 * 2**32 + 11, 13, 17),
    (2**63, 2**63 + 1, 2**31, 2**31 - 1),
    (2**64 - 1, 2**64 - 1, TOP, TOP),
    (0x0123456789ABCDEF, 0xFEDCBA9876543210, 0xDEADBEEF, 0xCAFE),
]


def test_coordinates_make_counter_and_key():
    counters = [(game & TOP, game >> 32, purpose, index) for _, game, purpose, index in COORDINATES]
    keys = [(key & TOP, key >> 32) for key, *_ in COORDINATES]
    wanted = philox_at(np.transpose(counters), np.transpose(keys))
    assert np.array_equal(words_at(*zip(*COORDINATES, strict=True)), wanted)


def test_coordinates_do_not_meet():
    """All words over a small box of coordinates, seeds and games on both sides of 2**32, are of different places."""
    near = [0, 1, 2, TOP, 2**32, 2**32 + 1]
    box = [(key, game, purpose, index) for key in near for game in near for purpose in near[:4] for index in near[:4]]
    four = words_at(*zip(*box, strict=True))
    assert len(set(zip(*four.tolist(), strict=True))) == len(box)


# Values from words ----------------------------------------------------------------------------------------------------


def words_to_reduce(n, random):
    """Both ends, the words on both sides of each change of value, and some between."""
    changes = [-(-value * 2**32 // n) for value in range(1, n)]
    between = [random.getrandbits(32) for _ in range(3)]
    return [0, 1, 2**31, TOP - 1, TOP, *changes, *(word - 1 for word in changes), *between]


def test_values_are_those_of_integer_arithmetic():
    random = Random(2)
    pairs = [(word, n) for n in range(2, 101) for word in words_to_reduce(n, random)]
    value, rest, chosen, face = reduced(*zip(*pairs, strict=True)).tolist()
    wanted = [divmod(word * n, 2**32) for word, n in pairs]
    assert list(zip(value, rest, strict=True)) == wanted
    assert chosen == value
    assert face == [one + 1 for one in value]


def test_values_reach_both_ends():
    for n in range(2, 101):
        value, rest, chosen, face = reduced([0, TOP], [n, n]).tolist()
        assert (value, chosen, face) == ([0, n - 1], [0, n - 1], [1, n])
        assert rest == [0, 2**32 - n]


def test_chained_splits_are_digits_of_one_number():
    """The word as a fraction of 2**32 times the product of all sizes, in the mixed radix of the sizes."""
    random = Random(3)
    word = [0, 1, TOP, *(random.getrandbits(32) for _ in range(many(2_000)))]
    sizes = [[random.randint(2, 20) for _ in range(5)] for _ in word]
    values, rest = np.zeros((len(word), 5), np.int64), np.zeros(len(word), u32)
    split_each(np.array(word, u32), np.array(sizes), values, rest)
    for start, each, found, left in zip(word, sizes, values.tolist(), rest.tolist(), strict=True):
        number, wanted_rest = divmod(start * prod(each), 2**32)
        digits = []
        for size in reversed(each):
            number, digit = divmod(number, size)
            digits.insert(0, digit)
        assert (found, left) == (digits, wanted_rest)


# Shuffles -------------------------------------------------------------------------------------------------------------

LENGTHS = [1, 2, 3, 4, 5, 7, 8, 9, 40, 97, 200]
PLACE = (2**40 + 9, 2**33 + 1, 6, 1_008)  # seed, game, purpose, first index


def words_by_place(length):
    """The word that each place of a shuffle at `PLACE` must ask: four to an index, by place."""
    key, game, purpose, index = PLACE
    return words_at(key, game, purpose, index + np.arange(length // 4 + 1)).T.ravel().tolist()


def swap_down(items, word, stop=0):
    """Fisher-Yates in place, from the last place to the one after `stop`."""
    for place in range(len(items) - 1, stop, -1):
        other = word[place] * (place + 1) >> 32
        items[place], items[other] = items[other], items[place]
    return items


@pytest.mark.parametrize("length", LENGTHS)
def test_shuffle_is_fisher_yates_over_own_words(length):
    found = shuffled(*PLACE, length)
    assert sorted(found) == list(range(length))
    assert found == swap_down(list(range(length)), words_by_place(length))


def test_shuffle_of_nothing():
    assert shuffled(*PLACE, 0) == []


@pytest.mark.parametrize(("shorter", "longer"), [(4, 5), (39, 40), (40, 97)])
def test_longer_shuffle_ends_as_the_shorter(shorter, longer):
    """Once the places above are settled, what a longer list has left is shuffled just as the shorter list is."""
    left = swap_down(list(range(longer)), words_by_place(longer), stop=shorter - 1)
    assert shuffled(*PLACE, longer) == [left[place] for place in shuffled(*PLACE, shorter)] + left[shorter:]


def test_shuffles_are_equally_likely():
    games = many(2_400_000)
    items = np.empty((games, 4), np.int8)
    items[:] = range(4)
    shuffle_each(u64(11), np.arange(games, dtype=u64), 2, 0, items)
    codes = items @ np.array([64, 16, 4, 1])
    counts = np.bincount(codes, minlength=256)
    counts = counts[[64 * a + 16 * b + 4 * c + d for a, b, c, d in permutations(range(4))]]
    assert counts.sum() == games
    assert surprise(counts) < 5


# Statistics -----------------------------------------------------------------------------------------------------------

CHUNK = 500  # games whose words lie in memory at a time


def surprise(counts):
    """By how many standard deviations chi-square, for equally likely outcomes, is off its expectation."""
    expected = counts.sum() / counts.size
    chi_square = ((counts - expected) ** 2).sum() / expected
    return abs(chi_square - (counts.size - 1)) / sqrt(2 * (counts.size - 1))


@kernel
def tally(key, games, buffer, d6, d20, triples):
    """Count, by word 0 to 3: faces of a D6, faces of a D20, three D6 of one word."""
    for first in range(0, games, buffer.shape[1]):
        words_of_games(key, u64(first), 1, 0, buffer)
        for i in range(buffer.shape[1]):
            for w in range(4):
                word = buffer[w, i]
                d6[w, die(word, 6) - 1] += 1
                d20[w, die(word, 20) - 1] += 1
                a, rest = split(word, 6)
                b, rest = split(rest, 6)
                c, rest = split(rest, 6)
                triples[w, (a * 6 + b) * 6 + c] += 1


def test_dice_are_fair():
    """Over 10**8 words, and over a quarter of them for each of the four words."""
    games = many(25_000_000)
    counts = [np.zeros((4, outcomes), np.int64) for outcomes in (6, 20, 216)]
    tally(u64(12), games, np.zeros((4, min(CHUNK, games)), u32), *counts)
    for each in counts:
        assert each.sum() == 4 * games
        assert surprise(each.sum(axis=0)) < 5
        assert max(map(surprise, each)) < 5


@kernel
def add_products(key, purpose, index, step, games, here, there, sums):
    """sums[w, v]: of word w in each game times word v one step further, both with their mean taken off."""
    centre = 0.5 * 0xFFFFFFFF
    for first in range(0, games, here.shape[1]):
        words_of_games(key, u64(first), purpose, index, here)
        words_of_games(key + step[0], u64(first) + step[1], purpose + step[2], index + step[3], there)
        for w in range(4):
            for v in range(4):
                total = 0.0
                for i in range(here.shape[1]):
                    total += (here[w, i] - centre) * (there[v, i] - centre)
                sums[w, v] += total


STEPS = {
    "same place": (0, 0, 0, 0),
    "next seed": (1, 0, 0, 0),
    "next game": (0, 1, 0, 0),
    "next purpose": (0, 0, 1, 0),
    "next index": (0, 0, 0, 1),
}


@pytest.mark.parametrize("step", STEPS)
def test_words_are_uncorrelated(step):
    """Each word with each word one step further; at the same place, each with the other three."""
    games = many(10_000_000)
    here, there = np.zeros((2, 4, min(CHUNK, games)), u32)
    sums = np.zeros((4, 4))
    add_products(u64(13), u32(3), u32(5), tuple(map(u64, STEPS[step])), games, here, there, sums)
    variance = (2.0**64 - 1) / 12
    deviations = sums / (variance * sqrt(games))  # r * sqrt(n)
    if step == "same place":
        assert np.diag(deviations) == pytest.approx(sqrt(games), rel=10 / sqrt(games))  # a word with itself: r = 1
        deviations = deviations[np.triu_indices(4, 1)]
    assert abs(deviations).max() < 5


# Without the compiler -------------------------------------------------------------------------------------------------


def answers():
    """Some of everything, as lists of integers."""
    counters, keys, _ = (np.array(each).T for each in zip(*KNOWN_ANSWERS, strict=True))
    random = Random(4)
    pairs = [(word, n) for n in (2, 3, 6, 20, 97) for word in words_to_reduce(n, random)]
    return {
        "philox": philox_at(counters, keys).T.tolist(),
        "words": words_at(*zip(*COORDINATES, strict=True)).tolist(),
        "reduced": reduced(*zip(*pairs, strict=True)).tolist(),
        "shuffled": [shuffled(*PLACE, length) for length in LENGTHS],
    }


def test_plain_python_gives_the_same():
    """Without a warning, too: NumPy warns where scalars overflow."""
    code = "import json; from tests.core.test_rng import answers, kernel\n"
    code += "assert kernel(answers) is answers\nprint(json.dumps(answers()))"
    command = [sys.executable, "-W", "error", "-c", code]
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
    found = json.loads(ran.stdout)
    assert found == answers()
    assert found["philox"] == [list(answer) for *_, answer in KNOWN_ANSWERS]
