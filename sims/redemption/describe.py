"""Shred of Redemption in words: one game, action by action, for people with rulebook and reference sheet at hand.

The table stops only where the player has a choice. So the narrator plays the game once more on a board of its own, from
the coordinates of luck and the answers that it is shown, primitive by primitive, by the kernels of `effects.py`, and
says what each did. At every decision, after every action and at the end it compares its board with the table's: words
that part from the kernels are an error. Ruling ids are those of `README.md`.

It is one long generator of lines. Where it has to know what the table asks next it yields None, and goes on when it is
told (`_next`, `_answer`).
"""

from collections.abc import Generator, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np

from sims.core.game import Ask, Setting
from sims.core.rng import choice, shuffle, words
from sims.redemption import effects, pack, rules
from sims.redemption.effects import ADD_REGRET, COUNT, DICE, DRAW, FACES, GAP, LOOK, MAY, NONE, OP, REGRET, TO, USED
from sims.redemption.pack import ALL
from sims.redemption.rules import ACT, CHOOSE, KEEP, LAYOUT

LANE = 0  # the only one

COMPARED = (
    *("length", "cards", "actions", "reckoning", "acting", "dice", "offers", "kept"),
    *("looks", "draws", "sights", "rolls"),
)
"""Numbers of the board that narrator and table both know."""
FILLED = (("token", "length"), ("looked", "looks"), ("offered", "offers"), ("card", "kept"), ("kind", "dice"))
"""Arrays of the board, and how much of them is in use."""
OFFERED = {
    KEEP: (),
    ACT: ("virtues", "usable", "matched"),
    CHOOSE: ("effect", "step", "times", "relation", "firsts", "seconds", "reach", "may"),
}
"""What else they both know when this kind of decision is asked: its options."""
COUNTED = {"uses": "Use", "discards": "Discard", "effects": "card effect", "card_draws": "card draw"}
"""What the table counts."""

T = TypeVar("T")
Story = Generator[str | None, None, T]


class Asked(NamedTuple):
    """What the table asks, and the answer. At the end of an action, or of the game, it asks nothing: kind -1."""

    kind: int
    action: int


class Over(Exception):
    """The game has ended."""


class Narrator:
    """Tells one game. See `sims.core.game.Narrator`."""

    def __init__(self, setting: Setting, titles: Sequence[str]) -> None:
        self.knobs, self.key, self.player = setting.knobs, np.uint64(setting.seed), titles[0]
        self.content: Any = setting.knobs.content.content
        self.effects = self.content.effects()
        self.kinds, self.vices, self.virtues = list(self.content.dice), self.content.vices, self.content.names
        self.fixed = rules.make_fixed(setting.knobs).record[0]
        self.board = np.zeros(1, LAYOUT.board).view(np.recarray)[0]
        self.board.reckoning = self.board.acting = -1
        self.counts = dict.fromkeys(COUNTED, 0)
        self.game = np.uint64(0)
        self.table: Any = None
        self.asked: Asked | None = None
        self.story = self._game()

    def tell(self, table: Any, ask: Ask | None) -> list[str]:
        self.table, self.game = table, table.game[LANE]
        self.asked = Asked(int(ask.view.kind[LANE]), int(ask.action[LANE])) if ask else Asked(-1, 0)
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

    def _answer(self, kind: Any) -> Story[int]:
        """What the player answers; just that must be asked, with the same options."""
        asked = yield from self._next()
        self._agree("what is asked", int(kind), asked.kind)
        self._compare()
        for name in OFFERED[kind]:
            self._agree(f"{name} of the options", int(self.board[name]), int(self.table.t.board[LANE][name]))
        self.asked = None
        return asked.action

    def _stop(self) -> Story[None]:
        """The table, too, is at the end of the action or of the game."""
        asked = yield from self._next()
        self._agree("the end of the action", -1, asked.kind)
        self._compare()
        self.asked = None

    def _compare(self) -> None:
        mine, table = _open(self.board), _open(self.table.t.board[LANE])
        for name in mine:
            self._agree(name, mine[name], table[name])

    def _agree(self, name: str, told: Any, found: Any) -> None:
        if told != found:
            where = f"game {self.game}, action {self.board.actions}"
            raise RuntimeError(f"{where}: the words say {told} of {name}, the table {found}")

    # Luck

    def _word(self, purpose: Any, index: int) -> Any:
        return words(self.key, self.game, purpose, index)[0]

    def _shuffled(self, purpose: Any, count: int) -> list[int]:
        items = np.arange(count)
        shuffle(self.key, self.game, purpose, 0, items)
        found: list[int] = items.tolist()
        return found

    # The game

    def _game(self) -> Story[None]:
        invented = ", which is invented" if self.content.invented else ""
        yield f"{self.player} plays with the content pack {self.content.title!r}{invented}."
        yield from self._history()
        yield from self._reflection()
        try:
            yield from self._judge()
            while True:
                yield from self._stop()
                yield from self._action()
                yield from self._judge()
        except Over as over:
            yield from self._end(*over.args)

    def _end(self, ending: int, said: str) -> Story[None]:
        yield from self._stop()
        secret = self.table.t.secret[LANE]
        self._agree("the ending", ending, int(secret.ending))
        for name, told in self.counts.items():
            self._agree(f"the number of {name}", told, int(secret[name]))
        yield ""
        yield f"The game ends after {_count(self.board.actions, 'action')}. {said}"
        yield f"  {_listed([_count(self.counts[name], noun) for name, noun in COUNTED.items()])}."

    # History

    def _history(self) -> Story[None]:
        dice, deck = self._shuffled(rules.DICE_BAG, 24), self._shuffled(rules.DECK, len(self.content.cards))
        yield ""
        yield f"History: {DICE} dice from the bag, {_count(self.knobs.cards, 'card')} from the deck."
        is_treated = bool(self.knobs.cards) and 0 <= self.knobs.first_card < len(deck)
        if is_treated:
            first, place = int(self.knobs.first_card), deck.index(self.knobs.first_card)
            deck[0], deck[place] = first, deck[0]
            yield f"  Treatment: {self._card(first)} comes to the top of the deck, and is offered alone."
        for place in range(DICE):
            kind = self.board.kind[place] = dice[place] // rules.COPIES
            self.board.dice += 1
            name = self.kinds[kind]
            yield f"  Die {place + 1} is of {name}: {', '.join(self.content.dice[name])}."
            if place < self.knobs.cards:
                offered, deck = deck[: self.knobs.choose_from], deck[self.knobs.choose_from :]
                yield from self._keep(offered[:1] if is_treated and place == 0 else offered)

    def _keep(self, offered: list[int]) -> Story[None]:
        b = self.board
        if not offered:
            yield "    The deck is empty: no card is kept."
            return
        b.offers = len(offered)
        b.offered[: b.offers] = offered
        for number in offered:
            card = self.content.cards[number]
            yield f"    Offered: {card.name} ({', '.join(card.top) or 'no tokens'}): {pack.words(card.effect)}"
        place = (yield from self._answer(KEEP)) if b.offers > 1 else 0
        kept, others = offered[place], offered[:place] + offered[place + 1 :]
        b.card[b.kept], b.cards = kept, b.cards | 1 << int(b.kept)
        b.kept, b.offers = b.kept + 1, 0
        gone = f"; out of the game (SR3): {_listed([self._card(card) for card in others])}" if others else ""
        yield f"    Kept: {self._card(kept)}{gone}."

    # Reflection

    def _reflection(self) -> Iterator[str]:
        b = self.board
        b.bag[:REGRET], b.supply[:REGRET] = 1, 5
        b.bag[REGRET], b.supply[REGRET] = self.knobs.start_regrets, 12 - self.knobs.start_regrets
        yield ""
        yield f"Reflection: {_count(self.knobs.start_regrets, 'regret')} and one of each virtue go into the bag."
        for place in range(b.kept):
            yield from self._add_top(int(b.card[place]))
        yield f"  {self._bag()}"
        for die in range(DICE):
            b.face[die] = choice(self._word(rules.ROLL, die), FACES)
        yield f"  The dice are rolled: {self._row_of_dice()}."
        virtues = 0
        while virtues < self.knobs.formation and effects.in_bag(b) > 0:
            effects.draw(b, 1, self.key, self.game)
            virtues += b.token[b.length - 1] != REGRET
        short = "" if virtues == self.knobs.formation else f", though {self.knobs.formation} were wanted (SR19)"
        yield f"  Tokens are drawn until {_count(virtues, 'virtue')} lie there{short}."
        yield from self._state()

    def _add_top(self, number: int) -> Iterator[str]:
        """What stands on a kept card goes into the bag, as far as the supply has it (SR5)."""
        b, top = self.board, self.fixed.top[number]
        added = [min(int(top[kind]), int(b.supply[kind])) for kind in range(REGRET + 1)]
        missing = [int(top[kind]) - added[kind] for kind in range(REGRET + 1)]
        b.bag += np.array(added, np.int8)
        b.supply -= np.array(added, np.int8)
        short = f" ({self._kinds(missing)}: not in the supply)" if any(missing) else ""
        yield f"  {self._card(number)} adds {self._kinds(added)}{short}."

    # An action

    def _action(self) -> Story[None]:
        b = self.board
        if b.actions == self.knobs.max_actions:
            raise Over(rules.OUT_OF_ACTIONS, f"That is max_actions: lost, and unfinished. {self._matched()}")
        b.virtues = effects.tokens(b, effects.A_VIRTUE)
        b.usable = rules.usable(self.fixed, b)
        action = yield from self._answer(ACT)
        b.actions += 1
        yield ""
        verb, place = int(rules.verb_of(action)), int(rules.place_of(action))
        if verb == rules.CONCEDE:
            yield f"Action {b.actions}: {self.player} concedes."
            raise Over(rules.CONCEDED, f"Conceded: lost. {self._matched()}")
        if verb == rules.DECLARE:
            yield f"Action {b.actions}: {self.player} declares the match (SR8)."
            yield from self._reckoning()
            return
        self.counts[tuple(COUNTED)[verb]] += 1
        yield f"Action {b.actions}: {self._announced(verb, place)}"
        if rules.start_action(self.fixed, b, verb, place):
            yield from self._effect()
        else:
            yield f"  Draw {self.knobs.card_draw}: {self._drawn(int(self.knobs.card_draw))}."
        yield from self._state()

    def _announced(self, verb: int, place: int) -> str:
        """An action in the words of the reference sheet, before anything is done."""
        b = self.board
        if verb == rules.EFFECT:
            return f"effect of {self._kept(place)}: {pack.words(self.content.cards[b.card[place]].effect)}"
        if verb == rules.CARD_DRAW:
            regret = "a regret goes into the bag" if b.supply[REGRET] else "no regret is left for the bag (SR6)"
            return f"{self._kept(place)} is discarded to draw; {regret} (SR20)."
        token = b.token[place]
        is_use = verb == rules.USE
        effect = effects.kind_of(token) if is_use else rules.discard_effect(self.fixed, token)
        weak = "" if is_use or effect >= rules.DISCARDS else ", used, for its Use effect (SR12)"
        what = "Use" if is_use else "Discard"
        return f"{what} of {self._there(place)}{weak}: {pack.words(self.effects[effect])}"

    # An effect

    def _effect(self) -> Story[None]:
        """The effect that has begun, and what happens to the token that was used, and to gaps, at its end."""
        b, steps = self.board, self.effects[self.board.effect]
        used = b.acting >= 0
        while b.step < len(steps):
            said = "again" if b.times else pack.words((steps[b.step],)).removesuffix(".")
            if done := (yield from self._happens(steps[b.step])):
                yield f"  {_first_up(said)}: {done}."
        if used:
            yield f"  {self._acted()}."
        length = int(b.length)
        rules.end_effect(b)
        if gaps := length - int(b.length):
            yield f"  {'The gap closes' if gaps == 1 else f'{gaps} gaps close'} to the left."

    def _acted(self) -> str:
        """SR13, SR32."""
        b = self.board
        if b.acting < 0:
            return "The token that was used was taken by its effect, and nothing more happens to it"
        token = self._there(b.acting)
        return f"{token} goes to the supply (SR13)" if b.leaves else f"{token} turns to used (SR32)"

    def _happens(self, step: pack.Step) -> Story[str]:
        """Once a primitive: what it does. Nothing, where all are done of which there was one."""
        b, fields = self.board, self.fixed.step[self.board.effect, self.board.step]
        if fields[OP] == DRAW:
            effects.next_step(b)
            return self._drawn(int(fields[COUNT]))
        if fields[OP] == ADD_REGRET:
            effects.next_step(b)
            return self._regrets(int(fields[COUNT]), bool(fields[TO]))
        if fields[OP] == LOOK and b.looks == 0:
            effects.look(b, fields[COUNT], self.key, self.game)
        options = effects.find_options(self.fixed, b)
        b.may = fields[MAY]
        if options == 0:
            is_done = b.times > 0 and fields[COUNT] == ALL
            effects.next_step(b)
            return "" if is_done else "nothing to be done"
        action = (yield from self._answer(CHOOSE)) if options + b.may > 1 else int(effects.nth_option(b, 0))
        before = b.copy()
        effects.apply(self.fixed, b, action, self.key, self.game)
        return self._done(step.name, action, before)

    def _drawn(self, wanted: int) -> str:
        """Draw, and words on it (SR18, SR19)."""
        b, old = self.board, int(self.board.length)
        effects.draw(b, wanted, self.key, self.game)
        drawn = [self._token(token) for token in b.token[old : b.length]]
        if not drawn:
            return "the bag is empty" if wanted else "nothing"
        short = "" if len(drawn) == wanted else ", and the bag is empty"
        return f"{_listed(drawn)} from the bag, at the right end{short}"

    def _regrets(self, wanted: int, to_bag: bool) -> str:
        added = min(wanted, int(self.board.supply[REGRET]))
        effects.add_regrets(self.board, wanted, to_bag)
        short = "" if added == wanted else ", all that the supply had (SR5)"
        return f"{_count(added, 'regret')} from the supply{short}" if added else "the supply has no regret (SR5)"

    def _done(self, name: str, action: int, before: Any) -> str:
        """What a primitive did, once it was chosen. before: the board until then."""
        if name == "look":
            seen = [self._token(token) for token in before.looked[: before.looks]]
            kept = f"keeps {seen[action]}, at the right end" if action != NONE else "keeps none"
            return f"{_listed(seen)}; {kept}"
        if action == NONE:
            return "left undone"
        first, second = action & 63, action >> 6
        other = first + 1 if before.relation == effects.NEIGHBOUR else second
        match name:
            case "reroll":
                dice = range(DICE) if self.fixed.step[before.effect, before.step, TO] == ALL else (first,)
                return _listed([self._turned(before, die) for die in dice])
            case "gain":
                return f"{self.virtues[first]}, at the right end"
            case "remove":
                return f"{self._lying(before, first)} goes to the supply"
            case "return":
                return f"{self._lying(before, first)} goes into the bag"
            case "exhaust" | "refresh":
                return f"{self._lying(before, first)} turns to {'used' if name == 'exhaust' else 'fresh'}"
            case "turn":
                return f"{self._lying(before, first)} becomes {self._token_in(first)}"
            case "swap":
                return f"{self._lying(before, first)} and {self._lying(before, other)} change places"
            case "move":
                gap = "the gap in " if before.token[second] == GAP else ""
                return f"{self._lying(before, first)} moves to {gap}place {second + 1}"
            case "set_die" | "turn_die":
                return self._turned(before, first >> 3)
            case "swap_dice":
                one, two = (f"die {die + 1} ({self._die(before, die)})" for die in (first, other))
                return f"{one} and {two} change places"
            case _:
                return f"{self._kept(first)} goes out of the game"

    def _turned(self, before: Any, die: int) -> str:
        return f"die {die + 1} from {self._die(before, die)} to {self._vice(self.board, die)}"

    # Match and Reckoning

    def _judge(self) -> Story[None]:
        """SR30."""
        b = self.board
        found, regrets = effects.matches(self.fixed, b)
        self._agree("the dice that are matched", len(self._matched_dice()), int(found))
        b.matched = found == DICE and regrets == 0
        if b.matched and b.reckoning >= 0:
            raise Over(rules.WON, "The formation matches after the Reckoning: won (SR9).")
        if b.matched and self.knobs.match == rules.AUTOMATIC:
            yield from self._reckoning()
            yield from self._judge()
        elif not b.cards and not effects.tokens(b, effects.A_VIRTUE):
            raise Over(rules.EXHAUSTED, f"No virtue token and no card is left: lost (SR23). {self._matched()}")

    def _reckoning(self) -> Story[None]:
        """SR27."""
        number = int(choice(self._word(rules.RECKONING_CARD, 0), len(self.content.reckonings)))
        self.board.reckoning = number
        card = self.content.reckonings[number]
        yield ""
        yield f"Reckoning: {card.name}: {pack.words(card.effect)}"
        effects.begin(self.board, rules.RECKONINGS + number)
        yield from self._effect()
        yield from self._state()

    # How things stand

    def _state(self) -> Iterator[str]:
        b = self.board
        tokens = ", ".join(f"{place + 1} {self._token_in(place)}" for place in range(b.length))
        yield f"  Dice: {self._row_of_dice()}."
        yield f"  Formation: {tokens or 'empty'}."
        yield f"  {self._matched()}"
        yield f"  {self._bag()} Cards: {', '.join(self._kept(n) for n in range(b.kept) if b.cards >> n & 1) or 'none'}."

    def _row_of_dice(self) -> str:
        return ", ".join(f"{die + 1} {self._vice(self.board, die)} ({self._kind(die)})" for die in range(DICE))

    def _matched_dice(self) -> list[int]:
        """From 1: those whose vice the virtue token with their number counters (SR38)."""
        b = self.board
        virtues = [int(effects.kind_of(token)) for token in b.token[: b.length] if token not in (REGRET, GAP)]
        pairs = enumerate(zip(virtues, range(DICE), strict=False), 1)
        return [number for number, (virtue, die) in pairs if self.vices[virtue] == self._vice(b, die)]

    def _matched(self) -> str:
        dice, regrets = self._matched_dice(), int((self.board.token[: self.board.length] == REGRET).sum())
        which = f" ({_listed([str(die) for die in dice])})" if 0 < len(dice) < DICE else ""
        return f"{len(dice)} of {DICE} dice matched{which}; {_count(regrets, 'regret')} in the formation."

    def _bag(self) -> str:
        size = int(self.board.bag.sum())
        return f"The bag has {_count(size, 'token')}: {self._kinds(self.board.bag)}." if size else "The bag is empty."

    def _token(self, token: int) -> str:
        if token in (REGRET, GAP):
            return "regret" if token == REGRET else "gap"
        return f"used {self.virtues[token - USED]}" if token >= USED else self.virtues[token]

    def _token_in(self, place: int) -> str:
        return self._token(self.board.token[place])

    def _lying(self, board: Any, place: int) -> str:
        return f"{self._token(board.token[place])} in place {place + 1}"

    def _there(self, place: int) -> str:
        return self._lying(self.board, place)

    def _kinds(self, counts: Iterable[int]) -> str:
        """So many tokens of each kind."""
        named = zip(counts, (*self.virtues, "regret"), strict=True)
        found = [_count(count, name) if name == "regret" else f"{count} {name}" for count, name in named if count]
        return ", ".join(found) or "nothing"

    def _kind(self, die: int) -> str:
        return str(self.kinds[self.board.kind[die]])

    def _die(self, board: Any, die: int) -> str:
        return f"{self.kinds[board.kind[die]]} {self._vice(board, die)}"

    def _vice(self, board: Any, die: int) -> str:
        return str(self.content.dice[self.kinds[board.kind[die]]][board.face[die]])

    def _card(self, number: int) -> str:
        return str(self.content.cards[number].name)

    def _kept(self, place: int) -> str:
        return self._card(self.board.card[place])


def _open(board: Any) -> dict[str, Any]:
    """What lies open on a board, options of a decision left out."""
    numbers = {name: int(board[name]) for name in COMPARED}
    arrays = {name: board[name][: board[size]].tolist() for name, size in FILLED}
    return numbers | arrays | {name: board[name].tolist() for name in ("bag", "supply", "face")}


# Words


def _listed(words: Sequence[str]) -> str:
    *some, last = words
    return f"{', '.join(some)} and {last}" if some else last


def _first_up(text: str) -> str:
    return text[0].upper() + text[1:]


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
