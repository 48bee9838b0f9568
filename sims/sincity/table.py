"""A table of Sin City: hundreds of games in lockstep, each at a decision of its own.

A round of play ends when most lanes have ended a turn; the others go on where they are in the next. The rules are in
`rules.py`.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sims.core.game import Ask, Setting, closed
from sims.core.kernel import specialised
from sims.sincity import rules
from sims.sincity.cards import CHARACTERS, PSYCHOPATH, WORD
from sims.sincity.rules import ASKED, FREE, OVER, RESTING, Lanes

Bytes = NDArray[np.int8]


class View(NamedTuple):
    """What the deciding seats see, one decision a lane. Arrays are read-only."""

    fixed: Any
    """`fixed.record[0]`: the game's knobs, encoded, the number of seats, and tables of the cards (`rules.layout`)."""
    kind: Bytes
    """[lane] HELP, KILL: the action is PASS or what `rules.action_of` makes of a card, its target and the way it acts.
    INVESTIGATE, SPEND (the +2 on this Find roll), SAVE (`dying` by Hospital Stay): YES or NO. FIND, FIGHT, LAW: a card
    to change the roll, or PASS. FRIEND, DISCARD: a card. Each lane is at a decision of its own."""
    seat: Bytes
    """[lane] who decides; -1 where nobody is asked."""
    word: NDArray[np.uint32]
    """[lane] the only randomness that a policy may use; zeros unless the policy declares `uses_word`."""
    board: Any
    """[lane] records: what lies open (`rules.layout`)."""
    mine: Any
    """[lane] records: what the deciding seat alone knows. Of hidden cards it keeps two things: which card is where, as
    far as it saw (`known`, `next`), and which further cards are in others' hands (`away`). What it could conclude
    beyond that is left to policies."""


class Table:
    """See `sims.core.game.Table`."""

    def __init__(self, setting: Setting, lanes: int) -> None:
        self.setting, self.knobs = setting, setting.knobs
        self.fixed = rules.make_fixed(setting.knobs, setting.seats)
        self.layout = rules.layout(rules.word_count(setting.knobs.deck_copies))
        self.blank = rules.Game(self.fixed, *(_records(1, each) for each in self.layout[1:]))
        self._allocate(lanes)
        words = setting.words
        self._start = specialised(rules.start, self.fixed, words, self.t)
        self._play = specialised(rules.play, self.fixed, words, self.t)
        self.is_open = True
        """Whether the next round of play is still to begin."""
        self.busy = 0
        """How many lanes are."""

    def _allocate(self, lanes: int) -> None:
        self.game = np.zeros(lanes, np.uint64)
        board, secret, mine = (_records(lanes, each) for each in self.layout[1:])
        state, kind, seat = np.zeros((3, lanes), np.int8)
        word, action = np.zeros(lanes, np.uint32), np.zeros(lanes, np.int32)
        self.t = Lanes(board, secret, mine, state, kind, seat, word, action)
        self._show()

    def _show(self) -> None:
        t = self.t
        self.view = View(self.fixed, *map(closed, (t.kind, t.seat, t.word, t.board, t.mine)))
        self.ask = Ask(self.view, t.seat, t.action, None)

    # The course of play

    def advance(self) -> Ask | None:
        if self.is_open:
            asked = self._start(self.fixed, self.setting.words, self.t)
        else:
            asked = self._play(self.fixed, self.setting.words, self.t)
            if 2 * asked < self.busy:
                asked = 0
        self.is_open = asked == 0
        return self.ask if asked else None

    def turned(self) -> NDArray[np.int32]:
        return np.flatnonzero(self.t.state >= RESTING).astype(np.int32)

    def look(self, lanes: NDArray[np.int32], sights: NDArray[np.int32]) -> None:
        rules.look(lanes, self.fixed, self.t, sights)

    # The end of a game, and the next

    def over(self) -> NDArray[np.int32]:
        return np.flatnonzero(self.t.state == OVER).astype(np.int32)

    def record(self, lanes: NDArray[np.int32], rows: NDArray[np.int32]) -> None:
        rules.record(lanes, self.fixed, self.t, rows)
        self.busy -= lanes.size

    def busy_lanes(self) -> NDArray[np.int32]:
        return np.flatnonzero(self.t.state != FREE).astype(np.int32)

    def deal(self, lanes: NDArray[np.int32], games: NDArray[np.uint64]) -> None:
        self.game[lanes] = games
        rules.deal(lanes, games, np.uint64(self.setting.seed), self.fixed, self.blank, self.t)
        self.busy += lanes.size

    def keep(self, lanes: NDArray[np.int32]) -> None:
        game, kept = self.game[lanes], [array[lanes] for array in self.t]
        self._allocate(lanes.size)
        self.game[:] = game
        for name, old in zip(Lanes._fields, kept, strict=True):
            getattr(self.t, name)[...] = old

    def copy(self) -> "Table":
        """The same games at the same decisions, with arrays of their own."""
        other = Table(self.setting, self.game.size)
        other.is_open, other.busy = self.is_open, self.busy
        other.game[:] = self.game
        for mine, new in zip(self.t, other.t, strict=True):
            new[...] = mine
        return other


def _records(lanes: int, dtype: Any) -> Any:
    """Records of zeros."""
    return np.zeros(lanes, dtype).view(np.recarray)


# For tests, and for policies that look ahead


def cards_in(mask: NDArray[np.int64]) -> list[int]:
    """The cards of a set, ascending."""
    return [w * WORD + k for w, word in enumerate(mask.tolist()) for k in range(WORD) if word >> k & 1]


def check(table: Table) -> None:
    """Raise AssertionError unless every card of every game is in exactly one place, and all counts are right."""
    seats, fixed = table.setting.seats, table.fixed.record[0]
    every = list(range(int(fixed.cards)))
    for i in np.flatnonzero(table.t.state != FREE):
        b, h = table.t.board[i], table.t.secret[i]
        places = [h.deck[h.top : h.bottom].tolist(), cards_in(b.discard), cards_in(b.out)]
        places += [[b.event] if b.event >= 0 else []]
        for seat in range(seats):
            places += [cards_in(h.hand[seat]), cards_in(b.free[seat]), cards_in(b.held[seat])]
            assert b.hand_size[seat] == len(cards_in(h.hand[seat]))
            for captive in cards_in(b.held[seat]):
                assert fixed.kind[b.captor[captive]] == PSYCHOPATH
                assert b.captor[captive] in cards_in(b.free[seat])
                assert 0 <= b.owner[captive] < seats
            assert b.points[seat] == h.gained[:, seat].sum()
        assert b.deck_size == h.bottom - h.top
        assert sorted(card for place in places for card in place) == every
        in_play = [card for seat in range(6) for card in (*cards_in(b.free[seat]), *cards_in(b.held[seat]))]
        assert all(card < CHARACTERS * fixed.deck_copies for card in in_play)
        assert not any(cards_in(row) for row in (*b.free[seats:], *b.held[seats:], *h.hand[seats:]))
        for seat in range(seats):
            hidden = {card for other in range(seats) for card in cards_in(h.hand[other])}
            deck = set(places[0])
            assert not deck & {*cards_in(h.known[seat]), *cards_in(h.away[seat])}, "knows what is not so"
            assert hidden | deck | {-1} >= set(h.deck[h.top : h.seen_to[seat]].tolist())


def determinize(table: Table, word: int) -> Table:
    """A copy of the table whose games go on in another luck, from cards dealt anew: in each lane that is asked, what
    its seat does not know (`View.mine`) is somewhere else, each way that agrees with it being equally likely.

    The decision is asked again from the new cards: advance() of the copy goes on after its answer, in `copy.ask`.
    What other seats know moves along with the places where they saw a card.
    """
    other = table.copy()
    luck = np.random.Generator(np.random.Philox(key=word))
    other.setting = table.setting._replace(seed=int(luck.integers(2**63)))
    other.t.secret.key = other.setting.seed
    for i in np.flatnonzero(other.t.state == ASKED):
        _deal_anew(other, int(i), luck)
    rules.show_again(other.fixed, other.t)
    return other


def _deal_anew(table: Table, lane: int, luck: np.random.Generator) -> None:
    h, seats = table.t.secret[lane], table.setting.seats
    me = int(h.seat)
    known, away = set(cards_in(h.known[me])), set(cards_in(h.away[me]))
    in_hands = [(seat, card) for seat in range(seats) if seat != me for card in cards_in(h.hand[seat])]
    in_hands = [(seat, card) for seat, card in in_hands if card not in known]
    first = max(int(h.seen_to[me]), int(h.top))
    in_deck = h.deck[first : h.bottom].tolist()

    held = [card for _, card in in_hands if card in away]
    rest = [card for _, card in in_hands if card not in away] + in_deck
    luck.shuffle(rest)
    places = luck.permutation(len(in_hands)).tolist()
    dealt = dict(zip(places, held + rest, strict=False))  # those known to be in hands there, others anywhere
    h.deck[first : h.bottom] = (held + rest)[len(in_hands) :]

    for other in range(seats):
        if other != me:  # what it knew of a place it knows of the card that is there now
            for row in (h.known[other], h.away[other]):
                had = set(cards_in(row))
                for place, (_, card) in enumerate(in_hands):
                    _put(row, dealt[place], card in had)
                for card in h.deck[first : h.bottom].tolist():
                    _put(row, card, False)
    for seat, card in in_hands:
        _put(h.hand[seat], card, False)
    for place, (seat, _) in enumerate(in_hands):
        _put(h.hand[seat], dealt[place], True)


def _put(row: NDArray[np.int64], card: int, there: bool) -> None:
    mask = 1 << card % WORD
    row[card // WORD] = row[card // WORD] | mask if there else row[card // WORD] & ~mask
