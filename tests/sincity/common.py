"""Matches of Sin City in one line, and positions written by hand."""

from collections.abc import Callable, Iterable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from lab.arena import Match, Player
from sims.core.game import Setting, encode
from sims.sincity import GAME, rules
from sims.sincity.rules import FIGHT, FIND, HELP, INVESTIGATE, KILL, LAW, NO, PASS, SAVE, SPEND, YES
from sims.sincity.table import Table, cards_in, check
from tests.lanes import allowed
from tests.sincity import naive


def match(lineup: Sequence[str], seed: int = 0, **knobs: Any) -> Match:
    """A match of these policies, by seat. Places that are alike share one player."""
    model, seats = GAME.knobs(**knobs), len(lineup)
    players = {name: player(name, model, seats) for name in lineup}
    words = any(each.policy.uses_word for each in players.values())
    line = tuple(players[name] for name in lineup)
    return Match(GAME, Setting(encode(model), seats, seed, words), line, GAME.column_names(seats, model))


def player(name: str, knobs: Any, seats: int) -> Player:
    policy = GAME.policies[name]
    weights = policy.weights()
    return Player(name, policy, encode(weights), policy.prepare(knobs, seats, weights) if policy.prepare else ())


# Luck -----------------------------------------------------------------------------------------------------------------


class Dice:
    """The dice of many games (of seed 0) at once, one an element, from where the contract of luck says they are."""

    def __init__(self, games: Any, copies: int) -> None:
        self.luck = naive.Luck(0, 0)
        self.luck.game = (np.asarray(games, np.uint64), 0)
        self.copies = copies

    def _card(self, card: int) -> Any:
        copy, card_id = card % self.copies, card // self.copies
        return SimpleNamespace(number=97 * copy + card_id, copy=copy, id=card_id)

    def find(self, card: int, turn: int = 0) -> Any:
        return self.luck.find(turn, self._card(card))

    def law(self, card: int, turn: int = 0) -> Any:
        return self.luck.law(turn, self._card(card))

    def attack(self, card: int, count: int, turn: int = 0) -> Any:
        """[die] each a row of games"""
        return np.array(self.luck.attack_dice(turn, self._card(card), count)).astype(int)

    def defence(self, card: int, count: int, turn: int = 0) -> Any:
        return np.array(self.luck.defence_dice(turn, self._card(card), count)).astype(int)

    def investigate(self, card: int | None = None, turn: int = 0) -> Any:
        return self.luck.investigate(turn, None if card is None else self._card(card))

    def doctor(self, cause: int, doctor: int, side: int = 0, nth: int = 0, turn: int = 0) -> Any:
        return self.luck.doctor(turn, self._card(cause), nth, side, self._card(doctor))

    def tough(self, card: int, turn: int = 0) -> Any:
        return self.luck.tough(turn, self._card(card))

    def torture(self, card: int, turn: int = 0) -> Any:
        return self.luck.torture(turn, self._card(card))

    def start(self, attempt: int, seat: int) -> Any:
        return self.luck.start(attempt, seat)


Wish = Callable[[Dice], Any]


def game_where(*wishes: Wish, copies: int = 1) -> int:
    """The first game whose luck (of seed 0) is as wished."""
    for size in (2**9, 2**13, 2**17, 2**20):
        games = np.arange(size)
        for wish in wishes:
            games = games[np.broadcast_to(wish(Dice(games, copies)), games.shape)]
        if games.size:
            return int(games[0])
    raise ValueError("no such luck")


def found(*cards: int, turn: int = 0) -> Wish:
    """These find their targets."""
    return lambda dice: np.all([dice.find(card, turn) >= 4 for card in cards], axis=0)


def missed(card: int, turn: int = 0) -> Wish:
    return lambda dice: dice.find(card, turn) < 4


def wins(card: int, mine: int, theirs: int, turn: int = 0) -> Wish:
    """The attacker finds, and throws more with so many dice than the target with so many."""
    return _fight(card, mine, theirs, turn, lambda one, other: one > other)


def loses(card: int, mine: int, theirs: int, turn: int = 0) -> Wish:
    return _fight(card, mine, theirs, turn, lambda one, other: one < other)


def ties(card: int, mine: int, theirs: int, turn: int = 0) -> Wish:
    return _fight(card, mine, theirs, turn, lambda one, other: one == other)


def _fight(card: int, mine: int, theirs: int, turn: int, test: Callable[[Any, Any], Any]) -> Wish:
    def wish(dice: Dice) -> Any:
        one, other = dice.attack(card, mine, turn), dice.defence(card, theirs, turn)
        return test(one.sum(0), other.sum(0)) & found(card, turn=turn)(dice)

    return wish


# Positions ------------------------------------------------------------------------------------------------------------


class Game:
    """One game that is played by hand on a table. The kernels do the rest, and every step is checked (`check`)."""

    def __init__(self, table: Table, aside: Iterable[int]) -> None:
        self.table = table
        self.aside = set(aside)
        self.ask = table.advance()

    # What lies where

    @property
    def board(self) -> Any:
        return self.table.t.board[0]

    @property
    def secret(self) -> Any:
        return self.table.t.secret[0]

    @property
    def mine(self) -> Any:
        return self.table.t.mine[0]

    def free(self, seat: int) -> list[int]:
        return cards_in(self.board.free[seat])

    def held(self, seat: int) -> list[int]:
        return cards_in(self.board.held[seat])

    def hand(self, seat: int) -> list[int]:
        return cards_in(self.secret.hand[seat])

    def deck(self) -> list[int]:
        return self.secret.deck[self.secret.top : self.secret.bottom].tolist()

    @property
    def pile(self) -> list[int]:
        return cards_in(self.board.discard)

    @property
    def out(self) -> list[int]:
        """Of the game, the cards aside that the position left out of it"""
        return [card for card in cards_in(self.board.out) if card not in self.aside]

    def points(self, seat: int) -> int:
        return int(self.board.points[seat])

    def known(self, seat: int, other: int) -> list[int]:
        """What this seat knows of the other's hand."""
        return [card for card in cards_in(self.secret.known[seat]) if card in self.hand(other)]

    def result(self) -> tuple[int, int, int]:
        """(winner, ending, turns) of a game that is over."""
        assert self.table.over().tolist() == [0], "it is not over"
        return int(self.secret.winner), int(self.secret.ending), int(self.secret.turns)

    # What is asked

    @property
    def asked(self) -> tuple[int, int] | None:
        """(kind, seat), None at the end of a turn or of the game."""
        return None if self.ask is None else (int(self.ask.view.kind[0]), int(self.ask.seat[0]))

    def offered(self) -> list[int]:
        """The cards that may be chosen."""
        return cards_in(self.mine.options)

    def is_legal(self, action: int) -> bool:
        assert self.ask is not None
        return allowed(self.table, action)

    def deeds(self, law: int = 0) -> dict[int, list[int]]:
        """HELP, KILL: {card: its legal targets; -1 where it needs none}."""
        places = [-1, *range(97 * self.table.knobs.deck_copies)]
        seen = [t for t in places if t < 0 or any(t in self.free(s) for s in range(self.table.setting.seats))]
        tried = {
            card: [t for t in seen if self.is_legal(int(rules.action_of(card, t, law)))] for card in self.offered()
        }
        return {card: targets for card, targets in tried.items() if targets}

    def law_deeds(self) -> dict[int, list[int]]:
        return self.deeds(law=1)

    def answer(self, kind: int, action: int, seat: int | None = None) -> "Game":
        """Answer what must be asked of the seat (the active player if none is named)."""
        assert self.asked == (kind, int(self.board.active) if seat is None else seat)
        assert self.ask is not None
        assert self.is_legal(action), "illegal"
        self.ask.action[0] = action
        self.ask = self.table.advance()
        check(self.table)
        return self

    def play(self, card: int, target: int = -1) -> "Game":
        """A card in the Help Phase, or an event in the Kill Phase."""
        assert self.asked is not None
        return self.answer(self.asked[0], int(rules.action_of(card, target, 0)))

    def attack(self, card: int, target: int) -> "Game":
        return self.answer(KILL, int(rules.action_of(card, target, 0)))

    def law(self, card: int, target: int) -> "Game":
        return self.answer(KILL, int(rules.action_of(card, target, 1)))

    def no_more(self) -> "Game":
        """Pass in the Help or the Kill Phase."""
        assert self.asked is not None
        assert self.asked[0] in (HELP, KILL)
        return self.answer(self.asked[0], PASS)

    def yes(self) -> "Game":
        return self._say(YES)

    def no(self) -> "Game":
        return self._say(NO)

    def _say(self, answer: int) -> "Game":
        assert self.asked is not None
        assert self.asked[0] in (INVESTIGATE, SPEND, SAVE)
        return self.answer(self.asked[0], answer, self.asked[1])

    def window(self, *plays: tuple[int, int]) -> "Game":
        """Who must be asked before a roll, and what they answer: (seat, card or PASS) each."""
        for seat, card in plays:
            assert self.asked is not None
            assert self.asked[0] in (FIND, FIGHT, LAW)
            self.answer(self.asked[0], card, seat)
        return self

    def turn_is_over(self) -> bool:
        return self.ask is None and self.table.over().size == 0

    def next_turn(self) -> "Game":
        assert self.turn_is_over(), f"asked is {self.asked}"
        self.ask = self.table.advance()
        check(self.table)
        return self


def position(
    *wishes: Wish, free: dict[int, Iterable[int]] | None = None, hands: dict[int, Iterable[int]] | None = None,
    captives: Iterable[tuple[int, int, int]] = (), points: Sequence[int] = (), deck: Iterable[int] | None = None,
    pile: Iterable[int] = (), seats: int = 2, active: int = 0, game: int | None = None, **knobs: Any,
) -> Game:  # fmt: skip
    """A game at the beginning of the first turn, `active`'s, in a game whose luck is as wished. captives: captor,
    captive and the captive's owner each. deck: from the top; if none is given, it is the rest, ascending; else the rest
    is out of the game. No card is drawn, unless the knob `draw` says so."""
    knobs = {"draw": 0} | knobs
    copies = knobs.get("deck_copies", 1)
    number = game_where(*wishes, copies=copies) if game is None else game
    table = Table(Setting(encode(GAME.knobs(**knobs)), seats, 0, True), 1)
    table.deal(np.zeros(1, np.int32), np.array([number], np.uint64))
    b, h = table.t.board[0], table.t.secret[0]
    places: list[tuple[Any, list[int]]] = [(b.discard, [*pile])]
    for seat in range(seats):
        places += [(h.hand[seat], [*(hands or {}).get(seat, ())]), (b.free[seat], [*(free or {}).get(seat, ())])]
        b.hand_size[seat] = len((hands or {}).get(seat, ()))  # type: ignore[arg-type]
        places.append((b.held[seat], [captive for captor, captive, _ in captives if captor in places[-1][1]]))
    for captor, captive, owner in captives:
        b.captor[captive], b.owner[captive] = captor, owner
    used = [card for _, cards in places for card in cards]
    rest = [card for card in range(97 * copies) if card not in used]
    below = rest if deck is None else [*deck]
    aside = [card for card in rest if card not in below]
    for mask, cards in [*places, (b.out, aside)]:
        mask[:] = 0
        for card in cards:
            mask[card // rules.WORD] |= 1 << card % rules.WORD
    h.deck[: len(below)] = below
    h.top, h.bottom, b.deck_size = 0, len(below), len(below)
    for seat, value in enumerate(points):
        b.points[seat] = h.gained[rules.SIN, seat] = value
    b.active = h.first = active
    rules.recount(table.fixed, table.t)
    check(table)
    made = Game(table, aside)
    check(table)
    return made
