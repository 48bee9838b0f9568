"""Matches of Shred of Redemption in one line, and positions written by hand.

Tokens are letters: K C L R D H for Kindness, Charity, Learning, Restraint, Diligence and Humility, small where they are
used; x is a regret, and a dot a gap. What a die shows is the letter of the virtue that counters it. Positions are
played with a pack (`content`) whose effects do nothing, but for those that a test gives it; for its dice see `FACES`.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lab.arena import Match, Player
from sims.core.content import Pack
from sims.core.game import Setting, encode
from sims.core.records import RESTING
from sims.core.rng import shuffle, words
from sims.redemption import GAME, rules
from sims.redemption.effects import NONE, count_options, nth_option
from sims.redemption.pack import Content, compiled
from sims.redemption.rules import ACT, CHOOSE
from sims.redemption.table import Table, check
from tests.lanes import allowed

BOX = Path(__file__).parent / "box.yaml"
"""A small pack, so that tests do not depend on `sample`."""
VIRTUES = ("Kindness", "Charity", "Learning", "Restraint", "Diligence", "Humility")
VICES = ("Wrath", "Greed", "Ignorance", "Lust", "Sloth", "Pride")
LETTERS = "KCLRDH"
TOKENS = {letter: kind for kind, letter in enumerate(LETTERS)} | {"x": 6, ".": -1}
TOKENS |= {letter.lower(): kind + 8 for kind, letter in enumerate(LETTERS)}
SHOWN = {token: letter for letter, token in TOKENS.items()}
FACES = [[kind, (kind + 1) % 6, kind, (kind + 2) % 6, kind, (kind + 3) % 6] for kind in range(6)]
"""[kind of die, face] the virtue that counters it: KCKLKR, CLCRCD, LRLDLH, RDRHRK, DHDKDC, HKHCHL."""

Effect = list[dict[str, Any]]
NOTHING: Effect = [{"remove": {"count": 1, "what": "used", "which": "rightmost"}}]
"""An effect that does nothing where no token is used."""


def content(
    use: dict[str, Effect] | None = None,
    discard: dict[str, Effect] | None = None,
    cards: Sequence[Effect] = (),
    tops: Sequence[Sequence[str]] = (),
    reckonings: Sequence[Effect] = (),
    faces: Sequence[Sequence[int]] = FACES,
    order: str = LETTERS,
) -> Pack:
    """A pack of these effects, by letter of the virtue; the others do nothing. order: of the virtues in it."""
    named = {letter: pair for letter, *pair in zip(LETTERS, VIRTUES, VICES, strict=True)}
    said = {
        "title": "by hand",
        "virtues": {
            name: {"counters": vice} | {
                key: (given or {}).get(letter, NOTHING) for key, given in (("use", use), ("discard", discard))
            }
            for letter in order for name, vice in [named[letter]]
        },
        "dice": {f"die of {VICES[kind]}": [VICES[each] for each in line] for kind, line in enumerate(faces)},
        "cards": [
            {"name": f"card {number}", "top": tops[number] if number < len(tops) else [], "effect": effect}
            for number, effect in enumerate(cards or [NOTHING] * 10)
        ],
        "reckonings": [
            {"name": f"reckoning {number}", "effect": effect} for number, effect in enumerate(reckonings or [NOTHING])
        ],
    }  # fmt: skip
    model = Content.model_validate(_frozen(said))
    return Pack(model.title, model, compiled(model), "")


def _frozen(value: Any) -> Any:
    """Lists as tuples, as files are read."""
    if isinstance(value, dict):
        return {key: _frozen(each) for key, each in value.items()}
    return tuple(map(_frozen, value)) if isinstance(value, list | tuple) else value


def setting(pack: Pack | None = None, seed: int = 0, words: bool = True, **knobs: Any) -> Setting:
    codes = encode(GAME.knobs(**knobs))
    return Setting(codes._replace(content=pack) if pack else codes, 1, seed, words)


def match(policy: str, pack: Pack | None = None, seed: int = 0, **knobs: Any) -> Match:
    """A match of this policy."""
    found, model = GAME.policies[policy], GAME.knobs(**knobs)
    weights = found.weights()
    prepared = found.prepare(model, 1, weights) if found.prepare else ()
    player = Player(policy, found, encode(weights), prepared)
    return Match(GAME, setting(pack, seed, found.uses_word, **knobs), (player,), GAME.column_names(1, model))


def row_of(board: Any) -> str:
    """The formation as letters."""
    return "".join(SHOWN[token] for token in board.token[: board.length].tolist())


def counted(counts: Any) -> str:
    """So many of each kind, as letters."""
    return "".join(letter * int(n) for letter, n in zip(LETTERS + "x", counts, strict=True))


class Position:
    """One game, played by hand on a table. The kernels do the rest, and every step is checked (`check`)."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.ask = table.advance()
        check(table)

    # What lies where

    @property
    def board(self) -> Any:
        return self.table.t.board[0]

    @property
    def row(self) -> str:
        return row_of(self.board)

    @property
    def bag(self) -> str:
        return counted(self.board.bag)

    @property
    def supply(self) -> str:
        return counted(self.board.supply)

    @property
    def dice(self) -> str:
        """What they show."""
        pairs = zip(self.board.kind.tolist(), self.board.face.tolist(), strict=True)
        return "".join(LETTERS[FACES[kind][face]] for kind, face in pairs)

    @property
    def kinds(self) -> str:
        return "".join(LETTERS[kind] for kind in self.board.kind.tolist())

    @property
    def cards(self) -> list[int]:
        """Kept and left, by their place."""
        return [place for place in range(5) if self.board.cards >> place & 1]

    @property
    def looked(self) -> str:
        return "".join(SHOWN[token] for token in self.board.looked[: self.board.looks].tolist())

    # What is asked

    @property
    def kind(self) -> int:
        """Of decision; -1 at the end of an action or of the game."""
        return -1 if self.ask is None else int(self.ask.view.kind[0])

    def is_legal(self, action: int) -> bool:
        assert self.ask is not None
        return allowed(self.table, action)

    def acts(self) -> set[tuple[int, int]]:
        """All legal actions, as verbs and places; tried one by one."""
        self.wake()
        assert self.kind == ACT
        pairs = [(verb, place) for verb in range(8) for place in range(64)]
        return {pair for pair in pairs if self.is_legal(int(rules.action_of(pair[0], pair[1])))}

    def options(self) -> list[tuple[int, int] | None]:
        """Of a choice, in their order: a first and a second thing (0 where there is none), None to leave it."""
        assert self.kind == CHOOSE
        count = int(count_options(self.board) + self.board.may)
        found = [int(nth_option(self.board, n)) for n in range(count)]
        assert all(map(self.is_legal, found))
        legal = [action for action in range(-1, 1 << 12) if self.is_legal(action)]
        assert sorted(found) == legal, "what is legal is not what is listed"
        return [None if action == NONE else (action & 63, action >> 6) for action in found]

    def firsts(self) -> list[int]:
        """Of a choice of one thing."""
        found = self.options()
        assert all(each and each[1] == 0 for each in found)
        return [each[0] for each in found if each]

    # What is answered

    def wake(self) -> None:
        """Begin the next action, where the last is over."""
        if self.ask is None and self.table.over().size == 0:
            self.ask = self.table.advance()

    def answer(self, kind: int, action: int) -> "Position":
        assert self.kind == kind
        assert self.ask is not None
        assert self.is_legal(action), "illegal"
        self.ask.action[0] = action
        self.ask = self.table.advance()
        check(self.table)
        return self

    def act(self, verb: int, place: int = 0) -> "Position":
        self.wake()
        return self.answer(ACT, int(rules.action_of(verb, place)))

    def use(self, place: int) -> "Position":
        return self.act(rules.USE, place)

    def discard(self, place: int) -> "Position":
        return self.act(rules.DISCARD, place)

    def effect(self, card: int = 0) -> "Position":
        return self.act(rules.EFFECT, card)

    def card_draw(self, card: int = 0) -> "Position":
        return self.act(rules.CARD_DRAW, card)

    def declare(self) -> "Position":
        return self.act(rules.DECLARE)

    def concede(self) -> "Position":
        return self.act(rules.CONCEDE)

    def choose(self, first: int, second: int = 0) -> "Position":
        return self.answer(CHOOSE, first | second << 6)

    def leave(self) -> "Position":
        return self.answer(CHOOSE, NONE)

    # The end

    def ending(self) -> int | None:
        """How the game has ended; None while it goes on."""
        self.wake()
        return int(self.table.t.secret[0].ending) if self.table.over().size else None

    def result(self) -> dict[str, int]:
        """The results of a game that is over."""
        assert self.ending() is not None
        model = GAME.knobs()
        columns = [each for each in GAME.column_names(1, model) if not each.startswith("kept_")]
        rows = np.zeros((1, 1 + len(columns) + 64), np.int32)
        self.table.record(np.zeros(1, np.int32), rows)
        return dict(zip(("winners", *columns), rows[0].tolist(), strict=False))


def shuffled(seed: int, game: int, purpose: int, count: int) -> list[int]:
    """So many things in the order that luck gives them."""
    items = np.arange(count)
    shuffle(np.uint64(seed), np.uint64(game), purpose, 0, items)
    found: list[int] = items.tolist()
    return found


def word(seed: int, game: int, purpose: int, index: int) -> Any:
    return words(np.uint64(seed), np.uint64(game), purpose, index)[0]


def dealt(pack: Pack | None = None, seed: int = 0, game: int = 0, **knobs: Any) -> Position:
    """A game from its beginning."""
    table = Table(setting(pack or content(), seed, **knobs), 1)
    table.deal(np.zeros(1, np.int32), np.array([game], np.uint64))
    return Position(table)


def position(
    row: str, dice: str = "KKKKC", *, bag: str = "", supply: str | None = None, cards: int = 0, reckoning: int = -1,
    pack: Pack | None = None, effect: Effect | None = None, seed: int = 0, game: int = 0, **knobs: Any,
) -> Position:  # fmt: skip
    """A game in the Redemption step, where the next action is to be chosen.

    row: the formation. dice: what they show, each a die of that very vice. bag, supply: letters; the supply is the rest
    if it is not given (else the rest is in the bag). cards: how many are left, the pack's first ones. effect: of the
    pack's first card, in place of a pack.
    """
    table = Table(setting(pack or content(cards=[effect] if effect else ()), seed, **knobs), 1)
    table.deal(np.zeros(1, np.int32), np.array([game], np.uint64))
    b, h = table.t.board[0], table.t.secret[0]
    b.length = len(row)
    b.token[: len(row)] = [TOKENS[letter] for letter in row]
    everything = np.array([6] * 6 + [12])
    here = counts_of(row.upper().replace("X", "x"))
    bag_counts = counts_of(bag) if supply is None else everything - here - counts_of(supply)
    b.bag, b.supply = bag_counts, everything - here - bag_counts
    assert min(b.supply) >= 0
    b.kind = [LETTERS.index(letter) for letter in dice]
    b.face, b.dice = 0, 5
    taken: list[int] = []
    for kind in b.kind.tolist():
        taken.append(4 * kind + taken_of(taken, kind))
    h.dice_bag[:5] = taken
    kept = max(cards, 1 if effect else 0)
    h.deck[: len(h.deck)] = np.arange(len(h.deck))
    b.card[:kept], b.kept, b.cards, h.top = np.arange(kept), kept, (1 << kept) - 1, kept
    b.reckoning = reckoning
    first = [letter.upper() for letter in row if letter != "x"][:5]
    b.matched = first == list(dice) and "x" not in row
    table.t.state[0] = RESTING
    return Position(table)


def counts_of(letters: str) -> Any:
    """How many of each kind."""
    return np.array([letters.count(letter) for letter in LETTERS + "x"])


def taken_of(dice: Iterable[int], kind: int) -> int:
    return sum(die // 4 == kind for die in dice)
