"""Sets of up to 63 things as the bits of an `int64`, for kernels."""

import numpy as np

from sims.core.kernel import kernel

i64 = np.int64


@kernel(inline=True)
def bit(place):
    """The set of one thing."""
    return i64(1) << i64(place)


@kernel(inline=True)
def has(mask, place):
    return (mask >> i64(place)) & 1 != 0


@kernel(inline=True)
def count(mask):
    """How many bits are set. The compiler makes one instruction of it."""
    n = i64(0)
    while mask:
        mask &= mask - 1
        n += 1
    return n


@kernel(inline=True)
def lowest(mask):
    """The place of the lowest set bit; there must be one."""
    return count(~mask & (mask - 1))


@kernel(inline=True)
def nth(mask, n):
    """The n-th place of those set, from 0; there must be one."""
    for _ in range(n):
        mask &= mask - 1
    return lowest(mask)
