"""A table of Sin City. The rules, and what policies see, are in `rules.py`."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sims.core.game import Setting
from sims.core.records import ASKED, FREE, RecordTable, asking, records
from sims.sincity import rules
from sims.sincity.cards import CHARACTERS, PSYCHOPATH, WORD
from sims.sincity.rules import FIGHT, FIND, LAW, PASS, Lanes, View


class Table(RecordTable):
    rules: ClassVar[Any] = rules

    def __init__(self, setting: Setting, lanes: int) -> None:
        self.layout = rules.layout(rules.word_count(setting.knobs.deck_copies))
        super().__init__(setting, lanes)

    def make_fixed(self, setting: Setting) -> Any:
        return rules.make_fixed(setting.knobs, setting.seats)

    def make_lanes(self, lanes: int) -> Lanes:
        made = Lanes(*(records(each, lanes) for each in self.layout[1:]), *asking(lanes, np.int32))
        for seat, always in enumerate(self.setting.always):
            made.secret.hushed[:, seat] = sum(1 << kind for kind in (FIND, FIGHT, LAW) if always.get(kind) == PASS)
        return made

    def make_view(self, t: Lanes) -> View:
        return View(self.fixed, t.kind, t.seat, t.word, t.board, t.mine)


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
            assert b.sorts[seat] == sum(fixed.in_play[card] for card in cards_in(b.free[seat]))
            assert h.sorts[seat] == sum(fixed.in_hand[card] for card in cards_in(h.hand[seat]))
            for captive in cards_in(b.held[seat]):
                assert fixed.kind[b.captor[captive]] == PSYCHOPATH
                assert b.captor[captive] in cards_in(b.free[seat])
                assert 0 <= b.owner[captive] < seats
            assert b.points[seat] == h.gained[:, seat].sum()
        assert b.deck_size == h.bottom - h.top
        assert h.captured == sum(len(cards_in(row)) for row in b.held)
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
    rules.recount(other.fixed, other.t)
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
