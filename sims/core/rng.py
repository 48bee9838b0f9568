"""Luck with coordinates: every random word is a pure function of where it is used.

    words(key, game, purpose, index) -> four 32-bit words

is Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", SC 2011) with the 64-bit
seed as key and (game, low word; game, high word; purpose; index) as counter. No generator has a state: a coordinate
names a physical event ("first roll of duel 7"), never how many words were drawn before it. So results do not depend
on lanes, blocks, workers or machines, any game can be played again alone, and two variants of the rules meet the
same luck wherever they roll the same thing.

A game gives each kind of event a *purpose* (a small integer, unique within the game) and each event of that kind
an *index*. Everything here is a pure function of scalars, made for loops over lanes.
"""

import numpy as np

from sims.core.kernel import kernel

u32, u64 = np.uint32, np.uint64

_MULTIPLY_0, _MULTIPLY_1 = u64(0xD2511F53), u64(0xCD9E8D57)
_WEYL_0, _WEYL_1 = u64(0x9E3779B9), u64(0xBB67AE85)
_LOW, _32 = u64(0xFFFFFFFF), u64(32)


@kernel(inline=True)
def _round(c0, c1, c2, c3, k0, k1):
    a = _MULTIPLY_0 * u64(c0)
    b = _MULTIPLY_1 * u64(c2)
    return u32(u32(b >> _32) ^ c1 ^ k0), u32(b & _LOW), u32(u32(a >> _32) ^ c3 ^ k1), u32(a & _LOW)


@kernel(inline=True)
def _bump(k0, k1):
    return u32((u64(k0) + _WEYL_0) & _LOW), u32((u64(k1) + _WEYL_1) & _LOW)


@kernel(inline=True)
def philox(c0, c1, c2, c3, k0, k1):
    """Philox4x32-10 of a counter of four and a key of two `uint32` words; four `uint32` words.

    Written out round by round: LLVM vectorises the lane loop around it only when there is no loop within.
    """
    c0, c1, c2, c3 = _round(c0, c1, c2, c3, k0, k1)
    k0, k1 = _bump(k0, k1)
    c0, c1, c2, c3 = _round(c0, c1, c2, c3, k0, k1)
    k0, k1 = _bump(k0, k1)
    c0, c1, c2, c3 = _round(c0, c1, c2, c3, k0, k1)
    k0, k1 = _bump(k0, k1)
    c0, c1, c2, c3 = _round(c0, c1, c2, c3, k0, k1)
    k0, k1 = _bump(k0, k1)
    c0, c1, c2, c3 = _round(c0, c1, c2, c3, k0, k1)
    k0, k1 = _bump(k0, k1)
    c0, c1, c2, c3 = _round(c0, c1, c2, c3, k0, k1)
    k0, k1 = _bump(k0, k1)
    c0, c1, c2, c3 = _round(c0, c1, c2, c3, k0, k1)
    k0, k1 = _bump(k0, k1)
    c0, c1, c2, c3 = _round(c0, c1, c2, c3, k0, k1)
    k0, k1 = _bump(k0, k1)
    c0, c1, c2, c3 = _round(c0, c1, c2, c3, k0, k1)
    k0, k1 = _bump(k0, k1)
    return _round(c0, c1, c2, c3, k0, k1)


@kernel(inline=True)
def words(key, game, purpose, index):
    """The four `uint32` words at a coordinate.

    key: `uint64`, the seed. game: `uint64`. purpose, index: integers below 2**32.
    """
    key, game = u64(key), u64(game)
    return philox(u32(game & _LOW), u32(game >> _32), u32(purpose), u32(index), u32(key & _LOW), u32(key >> _32))


@kernel(inline=True)
def split(word, n):
    """(value, rest): a value of 0..n-1 by multiply-high, and the word that is left for further values.

    A word serves for several small values in turn. The absolute bias of a value is below the product of the n's
    before it over 2**32: the third D6 of a word is fair to 2**-26, the third D12 to 2**-24.
    """
    product = u64(word) * u64(n)
    return u32(product >> _32), u32(product & _LOW)


@kernel(inline=True)
def choice(word, n):
    """One of 0..n-1, each equally likely, from a `uint32` word (bias below n / 2**32)."""
    return u32((u64(word) * u64(n)) >> _32)


@kernel(inline=True)
def die(word, sides):
    """The face, 1..sides, of a die of any size, from a `uint32` word."""
    return u32(choice(word, sides) + u32(1))


@kernel
def shuffle(key, game, purpose, index, items):
    """Shuffle `items` (1-D, in place) by Fisher-Yates, from the last place to the first.

    Place p (p >= 1) takes word p % 4 at coordinate (purpose, index + p // 4), so a shuffle of n items owns
    (n + 3) // 4 indices from `index` on, and each place always asks the same word.
    """
    for place in range(len(items) - 1, 0, -1):
        four = words(key, game, purpose, index + place // 4)
        quarter = place % 4
        word = four[0] if quarter == 0 else four[1] if quarter == 1 else four[2] if quarter == 2 else four[3]
        other = int(choice(word, place + 1))
        items[place], items[other] = items[other], items[place]
