"""Sin City in words: one game, turn by turn, for people with the rulebook at hand.

The table stops only where somebody has a choice, and most of a turn happens between two calls of `Narrator.tell`. So
the narrator plays the game once more, in plain Python, from the coordinates of luck and the answers that it is shown,
and says what it does. At every decision and at the end of every turn it compares all cards, points and counts with the
table: words that part from the kernels are an error. Hands are told openly. Ruling ids are those of `README.md`.

It is one long generator of lines. Where it has to know what the table asks next it yields None, and goes on when it is
told (`_next`, `_answer`).
"""

from collections.abc import Generator, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np

from sims.core.game import Ask, Setting
from sims.core.rng import shuffle, split, words
from sims.sincity import rules
from sims.sincity.cards import (
    AGENT,
    ALL_DRAW,
    BOSS,
    CARDS,
    CRIMINAL,
    DRAW,
    EFFECTS,
    EXECUTE,
    FRAME,
    HERO,
    IDS,
    JAIL,
    KINDS,
    PSYCHOPATH,
    SAVE_KILLED,
    SEARCH,
    SEDUCE,
    VICTIM,
    WINDOWS,
    WORD,
    WORTH,
    Card,
    number,
)
from sims.sincity.rules import DISCARD, FIGHT, FIND, FRIEND, HELP, INVESTIGATE, KILL, LAW, PASS, SAVE, SPEND, YES

LANE = 0  # the only one

NAMES = ("Find", "Fight", "Law", "Help", "Kill", "Investigate", "Friend", "Spend", "Save", "Discard")
"""Of the kinds of decision."""

SAYS = {
    SEARCH: "an agent from the deck",
    DRAW: "draw 2 cards",
    ALL_DRAW: "all players draw 2 cards",
    JAIL: "discard a character",
    EXECUTE: "kill a character, not a boss",
    FRAME: "discard a hero",
    SEDUCE: "take control of a character",
}
"""What events at will do."""
ROLLS = {FIND: "Find roll", FIGHT: "Fighting", LAW: "Law roll"}
GAINED_BY = ("in the Sin Phase", "by a kill", "by torture")

DOCTORS = [card.id for card in CARDS if "doctor" in card.traits]

T = TypeVar("T")
Story = Generator[str | None, None, T]


class Asked(NamedTuple):
    """What the table asks, and the answer. At the end of a turn, or of the game, it asks nothing: kind -1."""

    kind: int
    seat: int
    action: int
    options: list[int]
    """The cards on offer, as words of a mask."""


class Captivity(NamedTuple):
    captor: int
    owner: int
    """The seat that controlled the captive, and will when it is free."""


class Over(Exception):
    """Somebody has reached the goal, or max_turns ends the game."""


class Narrator:
    """Tells one game. See `sims.core.game.Narrator`."""

    def __init__(self, setting: Setting, titles: Sequence[str]) -> None:
        self.knobs, self.seats, self.key = setting.knobs, setting.seats, np.uint64(setting.seed)
        self.names = [f"seat {seat} ({title})" for seat, title in enumerate(titles)]
        self.copies = int(self.knobs.deck_copies)
        self.width = rules.word_count(self.copies)
        self.game = np.uint64(0)
        self.table: Any = None
        self.asked: Asked | None = None
        self.story = self._game()
        # Where cards are; what is in play but captive is in `captive` alone.
        self.deck: list[int] = []  # from the top
        self.hand: list[set[int]] = [set() for _ in range(self.seats)]
        self.free: list[set[int]] = [set() for _ in range(self.seats)]
        self.captive: dict[int, Captivity] = {}
        self.discard: set[int] = set()
        self.out: set[int] = set()
        self.event = -1
        # Of the turn
        self.turn = self.active = 0
        self.acted: set[int] = set()
        self.fresh: set[int] = set()
        self.helped = self.attacked = self.bonus_left = 0
        self.times: dict[int, int] = {}
        """By event that kills: how often it was played in this turn."""
        # Of the game
        self.shuffles = self.first = 0
        self.points = [0] * self.seats
        self.gained = [[0] * self.seats for _ in GAINED_BY]
        self.lost, self.captures, self.plays = ([0] * self.seats for _ in range(3))
        self.player = [0] * IDS
        self.winner, self.ending = -1, 0

    def tell(self, table: Any, ask: Ask | None) -> list[str]:
        self.table, self.game = table, table.game[LANE]
        if ask is None:
            self.asked = Asked(-1, -1, 0, [])
        else:
            view = ask.view
            options = view.mine[LANE].options.tolist()
            self.asked = Asked(int(view.kind[LANE]), int(ask.seat[LANE]), int(ask.action[LANE]), options)
        lines = []
        for line in self.story:
            if line is None:
                break
            lines.append(line)
        return lines

    # Keeping to the table

    def _next(self) -> Story[Asked]:
        """What the table asks next."""
        while self.asked is None:
            yield None
        return self.asked

    def _answer(self, kind: int, seat: int, offered: Iterable[int] | None = None) -> Story[int]:
        """What the seat answers; it must be asked just that, and the cards on offer must be these."""
        asked = yield from self._next()
        self._agree("who is asked what", (kind, seat), (asked.kind, asked.seat))
        if offered is not None:
            self._agree(f"what is offered to {self.names[seat]}", self._mask(offered), asked.options)
        self._compare()
        self.asked = None
        return asked.action

    def _stop(self) -> Story[None]:
        """The table, too, is at the end of the turn or of the game."""
        asked = yield from self._next()
        self._agree("the end of the turn", -1, asked.kind)
        self.asked = None

    def _compare(self) -> None:
        board, secret = self.table.t.board[LANE], self.table.t.secret[LANE]
        for name in ("turn", "active", "helped", "attacked", "bonus_left", "event"):
            self._agree(name, getattr(self, name), int(board[name]))
        for name in ("discard", "out", "acted", "fresh"):
            self._agree(name, self._mask(getattr(self, name)), board[name].tolist())
        for seat in range(self.seats):
            who = self.names[seat]
            self._agree(f"the hand of {who}", self._mask(self.hand[seat]), secret.hand[seat].tolist())
            self._agree(f"the characters of {who}", self._mask(self.free[seat]), board.free[seat].tolist())
            self._agree(f"the captives of {who}", self._mask(self._held_by(seat)), board.held[seat].tolist())
            self._agree(f"the size of the hand of {who}", len(self.hand[seat]), int(board.hand_size[seat]))
        for card, captivity in self.captive.items():
            found = Captivity(int(board.captor[card]), int(board.owner[card]))
            self._agree(f"the captivity of {self._card(card)}", captivity, found)
        self._agree("the deck", self.deck, secret.deck[secret.top : secret.bottom].tolist())
        self._agree("the size of the deck", len(self.deck), int(board.deck_size))
        for name, told in (("lost", self.lost), ("captives", self.captures), ("plays", self.plays)):
            self._agree(name, told, secret[name][: self.seats].tolist())
        self._agree("points", self.points, board.points[: self.seats].tolist())
        self._agree("what points were gained for", self.gained, secret.gained[:, : self.seats].tolist())
        self._agree("who played what", self.player, secret.player.tolist())

    def _agree(self, name: str, told: Any, found: Any) -> None:
        if told != found:
            where = f"game {self.game}, turn {self.turn + 1}"
            raise RuntimeError(f"{where}: the words say {told} of {name}, the table {found}")

    def _mask(self, cards: Iterable[int]) -> list[int]:
        mask = [0] * self.width
        for card in cards:
            mask[card // WORD] |= 1 << card % WORD
        return mask

    # Luck

    def _dice(self, purpose: int, index: int, count: int = 12) -> list[int]:
        """So many dice from a coordinate on, twelve an index."""
        faces: list[int] = []
        while len(faces) < count:
            for word in words(self.key, self.game, purpose, index & 0xFFFFFFFF):
                faces += _faces(int(word))
            index += 1
        return faces[:count]

    def _at(self, card: int) -> int:
        return self.turn * 512 + number(card, self.copies)

    def _roll(self, purpose: int, card: int) -> int:
        return self._dice(purpose, self._at(card))[0]

    def _deed(self, card: int, side: int, first: int, count: int) -> list[int]:
        """So many of a side's dice in what a card does, an attack or law: eight an index, in two words."""
        faces: list[int] = []
        index = 8 * self._at(card)
        while len(faces) < first + count:
            four = words(self.key, self.game, rules.DEED, index & 0xFFFFFFFF)
            for word in four[2 * side : 2 * side + 2]:
                faces += _faces(int(word), 4)
            index += 1
        return faces[first : first + count]

    def _shuffle(self, cards: Iterable[int]) -> None:
        items = np.array(sorted(cards), np.int64)
        shuffle(self.key, self.game, rules.SHUFFLE, 128 * self.shuffles, items)
        self.deck = items.tolist()
        self.shuffles += 1

    # The game

    def _game(self) -> Story[None]:
        yield from self._set_up()
        try:
            while True:
                yield from self._turn()
                if self.turn + 1 >= self.knobs.max_turns:  # SC47
                    self.ending = rules.TURNS
                    raise Over
                yield from self._stop()
                self.turn, self.active = self.turn + 1, (self.active + 1) % self.seats
                self._compare()  # the table has the next player already, and all else as the turn left it
        except Over:
            yield from self._end()

    def _set_up(self) -> Iterator[str]:
        knobs = self.knobs
        self._shuffle(range(IDS * self.copies))
        yield f"{_count(len(self.deck), 'card')} are shuffled, and everybody is dealt {knobs.hand}."
        if knobs.opening_card >= 0 and knobs.opening_seat < self.seats:
            card, place = int(knobs.opening_card) * self.copies, int(knobs.opening_seat * knobs.hand)
            other, old = self.deck[place], self.deck.index(card)
            self.deck[place], self.deck[old] = card, other
            swap = f"{self._card(card)} and {self._card(other)} change places in the deck before that"
            yield f"Treatment: {swap}, so that {self.names[knobs.opening_seat]} is dealt {self._card(card)}."
        for seat, name in enumerate(self.names):
            dealt, self.deck = self.deck[: knobs.hand], self.deck[knobs.hand :]
            self.hand[seat] |= set(dealt)
            yield f"  {name}: {self._listed(dealt)}."
        yield from self._find_first_player()

    def _find_first_player(self) -> Iterator[str]:
        tied, attempt = list(range(self.seats)), 0
        while len(tied) > 1:  # SC3
            faces = self._dice(rules.START, attempt)
            rolled = ", ".join(f"{self.names[seat]} {faces[seat]}" for seat in tied)
            yield f"The tied roll again: {rolled}." if attempt else f"Everybody rolls a D6: {rolled}."
            highest = max(faces[seat] for seat in tied)
            tied, attempt = [seat for seat in tied if faces[seat] == highest], attempt + 1
        self.active = self.first = tied[0]
        order = _listed([self.names[seat] for seat in self._clockwise(self.first)])
        yield f"{self.names[self.first]} rolled highest and starts. The order of play: {order}."

    def _end(self) -> Story[None]:
        if self.ending == rules.TURNS:
            best = [seat for seat in range(self.seats) if self.points[seat] == max(self.points)]
            self.winner = best[0] if len(best) == 1 else -1
        yield from self._stop()
        self._compare()
        secret = self.table.t.secret[LANE]
        found = [int(secret[name]) for name in ("winner", "ending", "first", "turns")]
        self._agree("the result", [self.winner, self.ending, self.first, self.turn + 1], found)
        yield ""
        yield f"The game ends in turn {self.turn + 1}. {self._verdict()}"
        for seat, name in enumerate(self.names):
            parts = [f"{gained[seat]} {how}" for gained, how in zip(self.gained, GAINED_BY, strict=True)]
            yield f"  {name}: {_points(self.points[seat])}: {', '.join(parts)}."

    def _verdict(self) -> str:
        if self.ending == rules.TURNS:
            best = [name for name, points in zip(self.names, self.points, strict=True) if points == max(self.points)]
            has = f"has most points, {max(self.points)}, and wins" if len(best) == 1 else ""
            who = f"{best[0]} {has}" if has else f"{_listed(best)} have most points, {max(self.points)}: nobody wins"
            return f"max_turns, {self.knobs.max_turns}, ends it unfinished: {who}."
        also = [seat for seat in self._clockwise(self.active) if self.points[seat] >= self.knobs.goal][1:]
        reached = f"{self.names[self.winner]} has reached {self.knobs.goal} {GAINED_BY[self.ending]} and wins"
        if not also:
            return f"{reached}."
        others = _listed([self.names[seat] for seat in also])  # SC44
        return f"{reached}, before {others}: the active player comes first, then clockwise."

    # A turn

    def _turn(self) -> Story[None]:
        self.acted, self.fresh, self.times = set(), set(), {}
        self.helped = self.attacked = self.bonus_left = 0
        yield ""
        yield f"Turn {self.turn + 1}: {self.names[self.active]}. Points: {self._all_points()}."
        yield f"  In play: {'; '.join(self._in_play(seat) for seat in range(self.seats))}."
        yield f"  Luck Phase: {self._draw(self.active, int(self.knobs.draw))}."
        yield f"    In hand: {self._listed(sorted(self.hand[self.active]))}."
        yield from self._help_phase()
        yield from self._sin_phase()
        yield from self._kill_phase()
        yield from self._end_phase()
        yield from self._torture()

    def _draw(self, seat: int, count: int) -> str:
        """Draw so many cards, and words on it."""
        told: list[str] = []
        drawn: list[int] = []
        for _ in range(count):
            if not self.deck and self.discard:  # SC41b
                if drawn:
                    told.append(f"draws {self._listed(drawn)}")
                pile = _count(len(self.discard), "card")
                told.append(f"the deck is empty, and the discard pile of {pile} is shuffled to be the deck")
                self._shuffle(self.discard)
                self.discard, drawn = set(), []
            if not self.deck:  # SC42
                told.append(f"draws {self._listed(drawn)}" if drawn else "draws nothing")
                return "; ".join([*told, "deck and discard pile are empty"])
            drawn.append(self.deck.pop(0))
            self.hand[seat].add(drawn[-1])
        return "; ".join([*told, f"draws {self._listed(drawn)}"])

    def _help_phase(self) -> Story[None]:
        more = ""
        while (yield from self._next()).kind == HELP:
            answer = yield from self._answer(HELP, self.active)
            if answer == PASS:
                yield f"  Help Phase: plays nothing{more}."
                return
            card, more = int(rules.card_of(answer)), " more"
            if self._is_event(card):
                yield from self._play_event("Help", card, int(rules.target_of(answer)))
                continue
            self._leave_hand(self.active, card)
            self.free[self.active].add(card)
            self.fresh.add(card)
            self.helped += 1
            wait = "; it may not act or score before its player's next turn" if self.knobs.summoning_sickness else ""
            yield f"  Help Phase: plays {self._card(card)} ({self._figures(card)}){wait}."
        yield f"  Help Phase: nothing{more} that may be played."

    def _able(self) -> list[int]:
        """The active player's free characters that may act (SC5)."""
        return sorted(self.free[self.active] - (self.fresh if self.knobs.summoning_sickness else set()))

    def _sin_phase(self) -> Story[None]:
        able, new = self._able(), sorted(self.fresh) if self.knobs.summoning_sickness else []
        total = sum(self._facts(card).sin for card in able)  # SC7b
        terms = " + ".join(f"{self._card(card)} {self._facts(card).sin}" for card in able)
        rest = f" Played in this turn, and not scoring: {self._listed(new)}." if new else ""
        gain = self._gain(self.active, total, rules.SIN)
        yield f"  Sin Phase: {terms or 'nobody to score'} = {_points(total)}; {gain}.{rest}"
        self._look_for_victory(rules.SIN)
        yield from self._investigations([card for card in able if "investigation" in self._facts(card).traits])

    def _investigations(self, able: list[int]) -> Story[None]:
        once = self.knobs.investigation == rules.ONCE_A_TURN  # SC20
        for group in [able][: len(able)] if once else [[card] for card in able]:
            answer = yield from self._answer(INVESTIGATE, self.active)
            who = self._listed(group)
            if answer != YES:
                yield f"    No investigation by {who}."
                continue
            index = self.turn * 512 + rules.ONCE if once else self._at(group[0])
            face, many = self._dice(rules.INVESTIGATION, index, 2)
            yield f"    Investigation by {who} rolls {face}: {self._finding(face, many)}."

    def _finding(self, face: int, many: int) -> str:
        """SC21, SC22."""
        if face >= 5:
            self.bonus_left += 1
            return "+2 to one Find roll of this turn"
        if face >= 3:
            seen = self.deck[:many]
            left = "" if len(seen) == many else f", of which there are {len(seen)}"
            return f"a look at the next cards of the deck, a die says {many}{left}: {self._listed(seen)}"
        others = [seat for seat in self._clockwise(self.active)[1:] if self.hand[seat]]
        if not others:
            return "nobody else has a card in hand"
        return f"a look at the hand of {self.names[others[0]]}: {self._listed(sorted(self.hand[others[0]]))}"

    def _kill_phase(self) -> Story[None]:
        more = ""
        while (yield from self._next()).kind == KILL:
            answer = yield from self._answer(KILL, self.active)
            if answer == PASS:
                yield f"  Kill Phase: does nothing{more}."
                return
            card, target, more = int(rules.card_of(answer)), int(rules.target_of(answer)), " more"
            if self._is_event(card):
                yield from self._play_event("Kill", card, target)
            elif rules.by_law(answer):
                yield from self._use_law(card, target)
            else:
                yield from self._attack(card, target)
        yield f"  Kill Phase: nothing{more} that may be done."

    def _end_phase(self) -> Story[None]:
        hand, limit, gone = self.hand[self.active], int(self.knobs.max_hand), list[int]()
        had = len(hand)
        while len(hand) > limit:  # SC43
            card = (yield from self._answer(DISCARD, self.active, hand)) if len(hand) > 1 else min(hand)
            hand.remove(card)
            self.discard.add(card)
            gone.append(card)
        yield f"  End Phase: {_count(had, 'card')} in hand, at most {limit} may stay: discards {self._listed(gone)}."

    def _torture(self) -> Story[None]:
        every = self.knobs.torture == rules.EVERY_TURN
        for holder in self._clockwise(self.active) if every else [self.active]:  # SC33
            for card in sorted(self._held_by(holder)):
                yield from self._torture_one(holder, card)

    def _torture_one(self, holder: int, card: int) -> Story[None]:
        captor, owner = self.captive[card]
        face = self._roll(rules.TORTURE_ROLL, card)
        hero = self._kind(card) == HERO  # SC34
        result, rolled = face + hero, f"{face} + 1 for a hero = {face + 1}" if hero else f"{face}"
        opening = f"  Torture: {self._card(card)}, captive of {self._card(captor)} ({self.names[holder]}): {rolled}:"
        if result >= 6:
            self._release(card)
            yield f"{opening} escapes, and is free under {self.names[owner]}."
            return
        if result <= 2:  # no doctor helps (SC28)
            del self.captive[card]
            self.out.add(card)
            self.lost[owner] += 1
        yield f"{opening} {'killed' if result <= 2 else 'tortured'}; {self._gain(holder, 1, rules.TORTURE)}."
        self._look_for_victory(rules.TORTURE)
        if result <= 2:
            yield from self._bury(card, owner)

    # Attacks and law

    def _attack(self, card: int, target: int) -> Story[None]:
        owner = self._owner(target)
        self.acted.add(card)
        self.attacked = 1
        whose = "its own player" if owner == self.active else self.names[owner]
        yield f"  Kill Phase: {self._fighter(card)} attacks {self._fighter(target)} of {whose}."
        found = yield from self._find(card, owner)
        if not found:  # SC8
            return
        sides = yield from self._window(FIGHT, owner)
        attack = yield from self._score(0, card, card, sides[0])
        defence = yield from self._score(1, card, target, sides[1])
        yield from self._outcome(card, target, owner, attack, defence)

    def _find(self, card: int, owner: int) -> Story[bool]:
        terms = [(self._deed(card, 0, 0, 1)[0], "")]
        if self.bonus_left:  # SC22
            if (yield from self._answer(SPEND, self.active)) == YES:
                self.bonus_left -= 1
                terms.append((2, "investigation"))
                yield "    Investigation's +2 is spent on this Find roll."
            else:
                yield "    Investigation's +2 is kept."
        terms += self._worth([card for side in (yield from self._window(FIND, owner)) for card in side])
        found = sum(term for term, _ in terms) >= int(self.knobs.find_on)
        result = "found" if found else "not found, and that was its attack"
        yield f"    Find roll: {_sum(terms)}; {self.knobs.find_on} or more is needed: {result}."
        return found

    def _score(self, side: int, attacker: int, card: int, events: list[int]) -> Story[int]:
        """SC9, SC10."""
        bonus, own = sum(worth for worth, _ in self._worth(events)), self._facts(card).fight
        as_dice = self.knobs.fight_bonus == rules.DICE
        faces = self._deed(attacker, side, 1, own + (bonus if as_dice else 0))
        best = self.knobs.fight_score == rules.HIGHEST
        score = max(faces) if best else sum(faces)
        dice = f"highest of {', '.join(map(str, faces))}" if best else " + ".join(map(str, faces))
        more = "" if as_dice or not bonus else f" + {bonus} for events"
        score += 0 if as_dice else bonus
        extra = f" ({own} + {bonus} for events)" if as_dice and bonus else ""
        yield f"    {self._card(card)} rolls {_dice(len(faces))}{extra}: {dice}{more} = {score}."
        return score

    def _outcome(self, card: int, target: int, owner: int, attack: int, defence: int) -> Story[None]:
        score = f"    {attack} against {defence}:"
        if attack > defence and self._kind(card) == PSYCHOPATH:  # SC30
            self._capture(target, owner, card, self.active)
            yield f"{score} {self._card(target)} is the captive of {self._card(card)}."
            return
        if attack < defence and self._kind(target) == PSYCHOPATH:  # SC34
            self._capture(card, self.active, target, owner)
            yield f"{score} {self._card(card)} is the captive of {self._card(target)}."
            return
        spared = self._kind(card) == PSYCHOPATH and self._kind(target) == VICTIM  # SC31
        losers = [card] * (attack <= defence) + [target] * (attack >= defence and not spared)
        lose = "both lose" if len(losers) > 1 else "loses"
        tie, stays = ("a tie, ", f", and {self._card(target)} stays free" * spared) if attack == defence else ("", "")
        yield f"{score} {tie}{self._listed(losers)} {lose}{stays}."
        yield from self._kill(card, target, owner, losers)

    def _kill(self, card: int, target: int, owner: int, losers: list[int]) -> Story[None]:
        """SC27: the doctors, both rewards, victory; then Tough and Hospital Stay."""
        sides = [(card, self.active), (target, owner)]
        dead = []
        for side, (loser, seat) in enumerate(sides):
            if loser in losers and not (yield from self._doctored(loser, seat, 16 * self._at(card) + side)):
                dead.append((loser, seat, sides[1 - side]))
        for loser, seat, (killer, its_seat) in dead:
            yield from self._remove(loser, seat, self.out, "is killed: out of the game")
            if reward := self._reward(killer, loser):  # SC24
                gain = self._gain(its_seat, reward, rules.KILLS)
                yield f"    For that kill {self._card(killer)}, {_a(self._facts(killer).kind)}, earns: {gain}."
        if dead:
            self._look_for_victory(rules.KILLS)
        for loser, seat, *_ in dead:
            yield from self._bury(loser, seat)

    def _reward(self, killer: int, killed: int) -> int:
        kind = self._kind(killer)
        if kind == HERO and self._kind(killed) in (BOSS, PSYCHOPATH):
            return int(self.knobs.hero_bounty)
        return {CRIMINAL: 1, AGENT: 2}.get(kind, 0)

    def _use_law(self, card: int, target: int) -> Story[None]:
        owner = self._owner(target)
        self.acted.add(card)
        yield f"  Kill Phase: {self._card(card)} uses law on {self._card(target)} of {self.names[owner]}."
        sides = yield from self._window(LAW, owner)
        terms = [(self._deed(card, 0, 0, 1)[0], ""), *self._worth([card for side in sides for card in side])]
        jailed = sum(term for term, _ in terms) >= 6  # SC17
        yield f"    Law roll: {_sum(terms)}; 6 or more is needed: {'in jail' if jailed else 'nothing happens'}."
        if jailed:
            yield from self._remove(target, owner, self.discard, "goes to the discard pile")

    def _window(self, window: int, owner: int) -> Story[tuple[list[int], list[int]]]:
        """The cards that the attacker's and the target's side play before a roll (SC11, SC12)."""
        played: tuple[list[int], list[int]] = [], []
        passes = side = 0
        while passes < 2:
            seat, effects = (self.active, owner)[side], WINDOWS[window][side]
            offered = [card for card in self.hand[seat] if self._is_event(card) and self._effect(card) in effects]
            answer = (yield from self._answer(window, seat, offered)) if offered else PASS
            if answer == PASS:
                passes += 1
            else:
                passes = 0
                played[side].append(answer)
                self._leave_hand(seat, answer)
                self.discard.add(answer)
                worth, what = WORTH[self._effect(answer)], ROLLS[window]
                whose = f" of {'the attacker' if side == 0 else 'the target'}" if window == FIGHT else ""
                yield f"    {self.names[seat]} plays {self._card(answer)}: {what}{whose} {worth:+}."
            side = 1 - side
        return played

    def _worth(self, events: Iterable[int]) -> list[tuple[int, str]]:
        return [(WORTH[self._effect(card)], self._card(card)) for card in events]

    # Being killed, or leaving play in another way

    def _doctored(self, card: int, owner: int, index: int) -> Story[bool]:
        """Whether a 6 of one of the owner's free doctors saves (SC26)."""
        doctors = [each for each in sorted(self.free[owner]) if "doctor" in self._facts(each).traits]
        if not doctors:
            return False
        dice = self._dice(rules.DOCTOR, index)
        faces = [dice[3 * (each % self.copies) + DOCTORS.index(each // self.copies)] for each in doctors]
        rolled = ", ".join(f"{self._card(each)} rolls {face}" for each, face in zip(doctors, faces, strict=True))
        saved = "saved, and not killed" if 6 in faces else "not saved"
        yield f"    Doctor for {self._card(card)}, a 6 is needed: {rolled}: {saved}."
        return 6 in faces

    def _remove(self, card: int, owner: int, pile: set[int], fate: str) -> Iterator[str]:
        """A free character leaves play; its captives are free (SC39)."""
        self.free[owner].remove(card)
        self.fresh.discard(card)
        self.lost[owner] += 1
        pile.add(card)
        yield f"    {self._card(card)} of {self.names[owner]} {fate}."
        for captive in sorted(self._held_by_card(card)):
            self._release(captive)
            yield f"    {self._card(captive)}, its captive, is free under {self.names[self._owner(captive)]}."

    def _bury(self, card: int, owner: int) -> Story[None]:
        """What may become of a card just killed: Tough, then Hospital Stay (SC25, SC27, SC29)."""
        if "tough" in self._facts(card).traits:
            face = self._roll(rules.TOUGH_ROLL, card)
            if face >= 4:
                self.out.remove(card)
                self.discard.add(card)
            fate = "it goes to the discard pile instead" if face >= 4 else "it stays out of the game"
            yield f"    {self._card(card)} is tough, and rolls {face}; 4 or more is needed: {fate}."
        for seat in self._clockwise(owner):
            stays = [each for each in self.hand[seat] if self._is_event(each) and self._effect(each) == SAVE_KILLED]
            if not stays:
                continue
            self._agree("who is dying", card, int((yield from self._dying())))
            if (yield from self._answer(SAVE, seat)) == YES:
                self._leave_hand(seat, min(stays))
                self.discard.add(min(stays))
                self.out.discard(card)
                self.discard.discard(card)
                self.hand[seat].add(card)
                yield f"    {self.names[seat]} plays {self._card(min(stays))}: {self._card(card)} goes to that hand."
                return
            yield f"    {self.names[seat]} does not play {self._card(min(stays))}."

    def _dying(self) -> Story[int]:
        yield from self._next()
        return int(self.table.t.board[LANE].dying)

    def _capture(self, card: int, owner: int, captor: int, holder: int) -> None:
        self.free[owner].remove(card)
        self.fresh.discard(card)
        self.captive[card] = Captivity(captor, owner)
        self.captures[holder] += 1

    def _release(self, card: int) -> None:
        """Free again, under its owner (SC37)."""
        self.free[self.captive.pop(card).owner].add(card)

    # Events at will

    def _play_event(self, phase: str, card: int, target: int) -> Story[None]:
        effect, on = self._effect(card), ""
        self._leave_hand(self.active, card)
        if target >= 0:
            on = f" on {self._card(target)} ({self._figures(target)}) of {self.names[self._owner(target)]}"
        yield f"  {phase} Phase: plays {self._card(card)} ({SAYS[effect]}){on}."
        if effect == EXECUTE:
            yield from self._execute(card, target)
            return
        self.event = card
        if effect == SEARCH:
            yield from self._search()
        elif effect == DRAW:
            yield f"    {self.names[self.active]} {self._draw(self.active, 2)}."
        elif effect == ALL_DRAW:
            for seat in self._clockwise(self.active):
                yield f"    {self.names[seat]} {self._draw(seat, 2)}."
        elif effect == SEDUCE:
            yield from self._seduce(target)
        else:
            yield from self._remove(target, self._owner(target), self.discard, "goes to the discard pile")
        self.event = -1  # it reaches the discard pile after its effect (SC41b)
        self.discard.add(card)

    def _search(self) -> Story[None]:
        """SC46."""
        agents = sorted(card for card in self.deck if self._kind(card) == AGENT)
        if not agents:
            yield "    There is no agent in the deck, which is shuffled."
        else:
            agent = agents[0]
            if len(agents) > 1:
                agent = yield from self._answer(FRIEND, self.active, agents)
            self.deck.remove(agent)
            self.hand[self.active].add(agent)
            yield f"    Agents in the deck: {self._listed(agents)}. Takes {self._card(agent)}; the deck is shuffled."
        self._shuffle(self.deck)

    def _execute(self, card: int, target: int) -> Story[None]:
        """Nobody is rewarded (SC25b)."""
        nth, owner = self.times.get(card, 0), self._owner(target)
        self.times[card] = min(nth + 1, 7)
        self.discard.add(card)
        if not (yield from self._doctored(target, owner, 2 * (8 * self._at(card) + nth))):
            yield from self._remove(target, owner, self.out, "is killed: out of the game")
            yield from self._bury(target, owner)

    def _seduce(self, target: int) -> Iterator[str]:
        """Its captives go along (SC39), and it is not sick (SC5)."""
        owner = self._owner(target)
        captives = sorted(self._held_by_card(target))
        self.free[owner].remove(target)
        self.fresh.discard(target)
        self.free[self.active].add(target)
        along = f", and with it its captives {self._listed(captives)}" if captives else ""
        yield f"    {self._card(target)} changes from {self.names[owner]} to {self.names[self.active]}{along}."

    # Who has what

    def _clockwise(self, seat: int) -> list[int]:
        return [(seat + step) % self.seats for step in range(self.seats)]

    def _owner(self, card: int) -> int:
        return next(seat for seat in range(self.seats) if card in self.free[seat])

    def _held_by_card(self, captor: int) -> list[int]:
        return [card for card, captivity in self.captive.items() if captivity.captor == captor]

    def _held_by(self, seat: int) -> list[int]:
        return [card for captor in self.free[seat] for card in self._held_by_card(captor)]

    def _leave_hand(self, seat: int, card: int) -> None:
        self.hand[seat].remove(card)
        self.plays[seat] += 1
        self.player[card // self.copies] = self.player[card // self.copies] or seat + 1

    # Points

    def _gain(self, seat: int, points: int, what: int) -> str:
        self.points[seat] += points
        self.gained[what][seat] += points
        return f"{self.names[seat]} has {self.points[seat] - points} + {points} = {self.points[seat]}"

    def _look_for_victory(self, what: int) -> None:
        for seat in self._clockwise(self.active):  # SC44
            if self.points[seat] >= self.knobs.goal:
                self.winner, self.ending = seat, what
                raise Over

    def _all_points(self) -> str:
        return ", ".join(f"seat {seat}: {points}" for seat, points in enumerate(self.points))

    # Cards in words

    def _facts(self, card: int) -> Card:
        return CARDS[card // self.copies]

    def _kind(self, card: int) -> int:
        return KINDS.index(self._facts(card).kind)

    def _is_event(self, card: int) -> bool:
        return self._facts(card).kind == "event"

    def _effect(self, card: int) -> int:
        (effect,) = self._facts(card).traits
        return EFFECTS.index(effect)

    def _card(self, card: int) -> str:
        copy = f" #{card % self.copies + 1}" if self.copies > 1 else ""
        return self._facts(card).label + copy

    def _listed(self, cards: Sequence[int]) -> str:
        return _listed([self._card(card) for card in cards]) if cards else "nothing"

    def _figures(self, card: int) -> str:
        facts = self._facts(card)
        return ", ".join([facts.kind, f"Fighting {facts.fight}", f"Sin {facts.sin}", *sorted(facts.traits)])

    def _fighter(self, card: int) -> str:
        return f"{self._card(card)} ({self._facts(card).kind}, Fighting {self._facts(card).fight})"

    def _in_play(self, seat: int) -> str:
        shown = []
        for card in sorted(self.free[seat]):
            captives = [
                f"{self._card(each)} of seat {self.captive[each].owner}" for each in sorted(self._held_by_card(card))
            ]
            shown.append(self._card(card) + (f" (captive: {_listed(captives)})" if captives else ""))
        return f"seat {seat}: {_listed(shown) if shown else 'nobody'}"


# Words and numbers


def _faces(word: int, count: int = 3) -> list[int]:
    """The first dice that a word holds."""
    faces = []
    for _ in range(count):
        value, word = split(word, 6)
        faces.append(int(value) + 1)
    return faces


def _sum(terms: Sequence[tuple[int, str]]) -> str:
    """Numbers and where they are from, the first being the die."""
    (first, _), *more = terms
    told = [f" {'-' if term < 0 else '+'} {abs(term)} ({what})" for term, what in more]
    return f"{first}{''.join(told)} = {sum(term for term, _ in terms)}" if more else f"{first}"


def _dice(count: int) -> str:
    return "1 die" if count == 1 else f"{count} dice"


def _a(noun: str) -> str:
    return f"an {noun}" if noun[0] in "aeiou" else f"a {noun}"


def _listed(words: Sequence[str]) -> str:
    *some, last = words
    return f"{', '.join(some)} and {last}" if some else last


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _points(number: int) -> str:
    return _count(number, "point")
