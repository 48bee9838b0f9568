"""The records of a game of Vengeance, and what all phases ask of them.

A game is a state machine, see `rules.py`. All lies open, so there are few records: `board` (what is common,
and `players[seat]`), `mine` (what may be chosen in the decision that is asked), `secret` (the table's own); `fixed` and
`pack` are the same for all games of a table. Sets of rooms, of enemies, of abilities are bit masks in 64-bit words.
"""

from typing import Any, NamedTuple

import numpy as np

from sims.core.bits import has
from sims.core.kernel import kernel
from sims.core.records import ASKED
from sims.core.rng import words
from sims.vengeance.pack import ABILITIES, BASICS, FIRST_ITEM, ITEMS, KINDS, LAYOUT, MODIFIERS, TILES

i8, i16, i32, i64, u32, u64 = np.int8, np.int16, np.int32, np.int64, np.uint32, np.uint64

SEATS, ROUNDS = 4, 4
ONE = 65536
"""Of a clock: the mean gap between two rolls, in its units."""


def _numbers(n: int, first: int = 0) -> Any:
    """So many constants, as kernels meet them in records: for plain ones Numba would compile a user once a value."""
    return map(i64, range(first, first + n))


# Purposes of luck; `README.md` lists their words.
DEAL_HEROES, DEAL_DENS, DEAL_BOSSES, PREPARATION_DICE, ROLL_DICE, CLOCK = _numbers(6, 1)
(POLICY_WORD,) = _numbers(1, 20)

# Kinds of decision. An action is (what, target, ...) in bits, see `action_of`.
SIDE, PREP, ROLL, FIGHT, EFFECT, LOOT = _numbers(6)
# PREP and LOOT: what is done, for which of the actions. From 1 on in the order of the actions.
DONE, TRAIN, PURCHASE, HEAL, RECON, TAKE_LOOT, BUY = _numbers(7)
TRAINING_DIE, PURCHASE_DIE, HEALING_DIE, RECON_DIE, LOOT_DIE, EXTRA = _numbers(6)
ACTIONS = 6
MARK_SPACE, CLEAR = _numbers(2)  # targets of HEAL
# ROLL
STOP, THROW, ASSIGN, ENDURE = _numbers(4)
# FIGHT and EFFECT (where DECLINE is what DONE is)
DECLINE, USE, ITEM, MARK = _numbers(4)
TARGET = USE
BY_RECON, BY_DICE, BY_PLUS, BY_ITSELF = _numbers(4)  # how an ability is used
MODES = 4

# Steps of a game, below STOPPED.
SIDING, BEGINNING, PREPARING, RACING, FIGHTING, RESOLVING, ENDING = _numbers(7)

# Stages of a seat's Fighting and Resolution; the first three are what `pack.when` says.
FREE, START, RESOLUTION, ARRIVING, LOOTING = _numbers(5)

# Faces of a hand, effects, objectives, kinds of minions, modifiers: places in the lists of `pack.py`.
MOVES, SHOTS, HITS, PLUSES = _numbers(4)
END, E_MOVE, E_HIT, E_SHOT, E_WOUND, E_HEAL, E_JUMP1, E_JUMP2, E_EVADE, E_KILL, E_POWER, E_SNEAK, E_PIERCE = _numbers(
    13
)
E_SHIELD, E_TRAIN = _numbers(2, 13)
G_KILL, G_CLEAR, G_HEALTH, G_VISIT_ADJACENT, G_HIT_BOSS, G_VISIT, G_KILL_ADJACENT = _numbers(7)
GRUNT, TOUGH_GUY, BLOCKER, HENCHMAN, GUNMAN = _numbers(5)
(
    HEALTH, EXPERIENCE, MORE_TRAINING, CLEARING, MORE_EXTRA, HEALING, ROUND_WOUNDS, ARMOUR, BOSS_WOUNDS, BOSS_REACH,
    HENCHMAN_WOUNDS, GUNMAN_WOUNDS, BOSS_ARMOUR, BOSS_DAMAGE, BOSS_UNSHOT, GUARDS, GRUNT_HEALTH, TOUGH_GUY_HEALTH,
    BLOCKER_HEALTH, HENCHMAN_HEALTH, GUNMAN_HEALTH, UNBLOCKED, CLOSE_FIRE, WAY_OUT,
) = _numbers(len(MODIFIERS))  # fmt: skip
LOWEST = np.array([low for low, _ in MODIFIERS.values()], np.int64)
HIGHEST = np.array([high for _, high in MODIFIERS.values()], np.int64)

MINION = i64(40)
"""The boss's place in a set of enemies, after all minions."""
BOSS = i64(1) << MINION

# How a game ends.
SCORED, BY_HEALTH, SHARED, ALL_DEAD, ALL_LOOT, BOSS_DEAD, LOST = _numbers(7)
ENDINGS = ("scored", "health", "shared", "dead", "loot", "boss", "lost")

# The options of the knobs, in the order of `Knobs`.
TICKS, POISSON = range(2)
ONE_USE, ALL = range(2)
IN_ROOM, ADJACENT, IN_DEN = range(3)
MEDIUM, EASY, HARD = range(3)

KNOBS = (
    *("clock", "max_rolls", "recon_blocks", "spent_counts", "item_charges", "jump_blocked", "kill_range"),
    *("last_resolution", "den", "hero", "boss"),
)

FIXED = np.dtype(
    [
        ("seats", i64), *((name, i64) for name in KNOBS),
        ("pool", i64),  # dice in all
        ("seconds", i64),  # 0: no timer
        ("pace", i64),  # thousandths of a second a roll
        ("speed", i64, (SEATS,)),  # thousandths
    ],
    align=True,
)  # fmt: skip
PLAYER = np.dtype(
    [
        ("living", i64), ("evaded", i64),  # enemies
        ("dot1", i64), ("dot2", i64),  # minions with one dot and more, with two
        ("lived", i64),  # enemies that were living when the round began
        ("clock", i64),  # of the next roll, or the one just made
        ("visited", i32), ("looted", i32),  # rooms
        ("marked", i16),  # objectives
        ("owned", i16), ("recon", i16), ("used", i16),  # abilities; used: those without dice, in this round
        ("roll", i16),  # its number in this phase
        ("hero", i8), ("boss", i8), ("den", i8), ("side", i8), ("room", i8),
        ("damage", i8), ("ignored", i8),  # to the boss, in this round by its armour
        ("spaces", i8), ("wounds", i8), ("endured", i8),  # health: marked, crossed out, with a die on it
        ("loot", i8), ("trained", i8), ("spent", i8),  # crossed out; marked; crossed out of these
        ("beatings", i8), ("out", i8),
        ("rolling", i8), ("fresh", i8), ("woe", i8),  # dice in hand that are unrolled, that show wounds
        ("single", i8), ("double", i8),  # recons in this phase
        ("power", i16), ("sneak", i16), ("pierce", i16), ("shield", i16),  # a hundred dice bring eight each at most
        ("hand", i8, (4,)),  # dice by face
        ("todo", i8, (ACTIONS,)),  # actions of Preparation that are left
        ("sets", i8, (ABILITIES,)), ("sets_plus", i8, (ABILITIES,)),  # of dice; those with a hit-plus where it matters
        ("bought", i8, (ITEMS,)), ("expended", i8, (ITEMS,)),  # squares marked, and crossed out of these
        ("always", i8, (len(MODIFIERS),)),  # sums of modifiers
        # Counts
        ("taken", i16), ("suffered", i16), ("items", i16), ("survived", i8),
        ("kills", i8, (len(KINDS),)),
        ("uses", i16, (ABILITIES,)),
    ],
    align=True,
)  # fmt: skip
BOARD = np.dtype(
    [
        ("turn", i64),  # the round, from 0; -1 while sides are chosen
        ("active", i64),  # the seat that plays; in the race -1 between two rolls
        ("stage", i64),
        ("row", i64),  # the deed whose effects are performed, -1 for none
        ("place", i64), ("last", i64),  # which effect is next, and how many there are
        ("loots", i64),  # Loot actions of the active seat that are left in Resolution
        ("pool", i64),
        ("rolled", i8, (4,)),  # Preparation dice
        ("players", PLAYER, (SEATS,)),
    ],
    align=True,
)  # fmt: skip
MINE = np.dtype(
    [
        ("fits", i64, (ABILITIES,)),  # ROLL: multisets that are in hand
        ("targets", i64),  # EFFECT
        # PREP and LOOT: what is possible, whatever action it takes
        ("single", i16), ("double", i16),
        ("buy", i16),  # tiles, as abilities
        ("train", i8), ("purchase", i8), ("heal", i8), ("take_loot", i8),
        # ROLL
        ("most", i8),  # dice that may be taken
        ("may_roll", i8), ("may_endure", i8),
        # FIGHT and EFFECT
        ("items", i8),
        ("marks", i16),
        ("use", i16, (MODES,)),
    ],
    align=True,
)  # fmt: skip
SECRET = np.dtype(
    [
        ("key", u64), ("game", u64), ("kind", i64), ("seat", i64),
        ("asked", i64, (SEATS,)),  # decisions by seat
        ("winners", i64), ("ending", i64), ("unfinished", i64),
        ("dry", i64),  # the first round in whose race the pool was empty, from 1; 0: none yet
    ],
    align=True,
)  # fmt: skip


class Fixed(NamedTuple):
    """What does not change at a table: `record[0]` of `FIXED`, and `pack[0]` of `pack.LAYOUT`."""

    record: Any
    pack: Any


class Game(NamedTuple):
    """One game: records of the types above."""

    fixed: Any
    pack: Any
    board: Any
    secret: Any
    mine: Any


assert LAYOUT.itemsize % 8 == 0

# Luck, answers, asking


@kernel
def luck(g, purpose, index):
    """The four words at a coordinate of this game."""
    return words(g.secret.key, g.secret.game, purpose, i64(index))


@kernel(inline=True)
def action_of(what, target=0, token=0, second=0):
    """What a FIGHT, EFFECT, PREP or LOOT does: to this target; how an ability is used, or which actions it takes."""
    return i32(what | i64(target) << 3 | i64(token) << 9 | i64(second) << 12)


@kernel(inline=True)
def throw_of(take, moves, shots, hits, pluses):
    """ROLL: take so many dice, keep so many of each face, roll the rest."""
    return i32(THROW | i64(take) << 3 | i64(moves) << 9 | i64(shots) << 12 | i64(hits) << 15 | i64(pluses) << 18)


@kernel(inline=True)
def what_of(action):
    return i64(action) & 7


@kernel(inline=True)
def target_of(action):
    return (i64(action) >> 3) & 63


@kernel(inline=True)
def token_of(action):
    """The action of Preparation that is used; how an ability is used; which multiset is assigned (`set_of`)."""
    return (i64(action) >> 9) & 7


@kernel(inline=True)
def second_of(action):
    return (i64(action) >> 12) & 7


@kernel(inline=True)
def set_of(action):
    """ROLL, ASSIGN: which multiset."""
    return (i64(action) >> 9) & 63


@kernel(inline=True)
def assign_of(ability, number):
    return i32(ASSIGN | i64(ability) << 3 | i64(number) << 9)


@kernel(inline=True)
def kept_of(action, face):
    """ROLL, THROW: how many dice with this face are kept."""
    return (i64(action) >> (9 + 3 * face)) & 7


@kernel(inline=True)
def ask(g, kind, seat):
    g.secret.kind, g.secret.seat = kind, seat
    return ASKED


# Players


@kernel(inline=True)
def row_of(p, ability):
    """The row of an ability in the tables of deeds."""
    return ability if ability < BASICS else BASICS + TILES * p.hero + ability - BASICS


@kernel(inline=True)
def item_row(p, item):
    return FIRST_ITEM + ITEMS * p.hero + item


@kernel(inline=True)
def limit_of(p):
    """Dice at a time: three after a Beating (VR10)."""
    return i64(3) if p.beatings else i64(4)


@kernel(inline=True)
def free_spaces(p):
    """Health spaces without wound."""
    return p.spaces - p.wounds


@kernel(inline=True)
def active(p):
    """The enemies that are neither dead nor evaded (VR23)."""
    return p.living & ~p.evaded


@kernel
def suffer(p, wounds):
    """Cross out so many health spaces, or as many as there are (VR37)."""
    wounds = min(i64(wounds), i64(free_spaces(p)))
    p.wounds += wounds
    p.suffered += wounds


@kernel
def sum_up(g, p):
    """The modifiers of trait, boss and passive tiles, each within its range."""
    pack = g.pack
    for k in range(p.always.shape[0]):
        total = i64(pack.trait[p.hero, k]) + pack.special[p.boss, k]
        for ability in range(BASICS, ABILITIES):
            if has(p.owned, ability):
                total += pack.always[row_of(p, ability), k]
        p.always[k] = min(max(total, LOWEST[k]), HIGHEST[k])


@kernel(inline=True)
def initial_spaces(g, p):
    """Health spaces at the start, and after a Beating."""
    return min(3 + i64(p.always[HEALTH]), g.pack.health)
