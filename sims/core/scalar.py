"""Luck for the scalar peers: splitmix64, one number after the other, as a plain program would have it."""

import numpy as np

from sims.core.kernel import kernel

u64 = np.uint64
GAMMA, MIX_1, MIX_2 = u64(0x9E3779B97F4A7C15), u64(0xBF58476D1CE4E5B9), u64(0x94D049BB133111EB)


@kernel(inline=True)
def mix(state):
    """The output of splitmix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014)."""
    z = (state ^ (state >> u64(30))) * MIX_1
    z = (z ^ (z >> u64(27))) * MIX_2
    return z ^ (z >> u64(31))


@kernel(inline=True)
def begin(seed, game):
    """The state at the beginning of a game."""
    return mix(u64(seed) + mix(u64(game) * GAMMA))


@kernel(inline=True)
def below(state, count):
    """(next state, a number from 0 to `count` - 1)"""
    state += GAMMA
    return state, np.int64(((mix(state) >> u64(32)) * u64(count)) >> u64(32))


@kernel(inline=True)
def roll(state, sides):
    """(next state, a face from 1 to `sides`)"""
    state, number = below(state, sides)
    return state, 1 + number
