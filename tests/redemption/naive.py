"""Shred of Redemption a second time, in plain Python, written from the rules: the oracle of the simulation.

It is slow and obvious on purpose. With the simulation it shares only where luck comes from: seed, game number, purpose
and index name four random words (`sims.core.rng`, purposes in `sims/redemption/README.md`), and the order in which
options are listed. It reads a pack as YAML has it, a mapping. So the two must agree game by game, to the last number
and the last decision. The rulings honoured are cited by id (SR1, SR3, ...).

`play` plays a game. Positions by hand: set the fields of a `State`, or of a `Game`, and call its methods.
"""

from collections import Counter
from dataclasses import dataclass, field, replace
from itertools import combinations, count
from typing import Any, NamedTuple

import numpy as np

from sims.core import rng

VIRTUES = ("Kindness", "Charity", "Learning", "Restraint", "Diligence", "Humility")
REGRET = "Regret"
PLACES = 60
DICE, CARDS, ROLL, DRAW, LOOK, REROLL, RECKONING, POLICY = 1, 2, 3, 4, 5, 6, 7, 20
LEAVE = ("leave",)
BY_LUCK = ("draw", "look", "reroll")
FIRST = {
    "draw": "count", "look": "count", "reroll": "die", "gain": "virtue", "add_regret": "count", "remove": "count",
    "return": "count", "exhaust": "count", "refresh": "count", "turn": "to", "swap": "pair", "move": "up_to",
    "set_die": "die", "turn_die": "die", "swap_dice": "pair", "lose_card": "count",
}  # fmt: skip
"""What a primitive's short form stands for: `draw: 2` is `draw: {count: 2}`."""
DEFAULTS: dict[str, dict[str, Any]] = {
    "add_regret": {"to": "formation"},
    "remove": {"what": "regret", "which": "leftmost"},
    "return": {"what": "regret", "which": "leftmost"},
    "exhaust": {"what": "fresh", "which": "leftmost"},
    "refresh": {"what": "used", "which": "chosen"},
    "turn": {"what": "virtue", "which": "chosen"},
    "lose_card": {"which": "chosen"},
}
Option = tuple[Any, ...]


class Token(NamedTuple):
    """One of the formation."""

    kind: str
    used: bool = False
    in_use: bool = False
    """Whether it is the one whose Use is going on."""

    @property
    def is_virtue(self) -> bool:
        return self.kind != REGRET


class Luck:
    """The words of one game, by what they are for."""

    def __init__(self, seed: int, game: int) -> None:
        self.seed, self.game = np.uint64(seed), np.uint64(game)
        self.counted: Counter[int] = Counter()

    def word(self, purpose: int, index: int) -> Any:
        return rng.words(self.seed, self.game, purpose, index)[0]

    def choice(self, purpose: int, index: int, options: int) -> int:
        return int(rng.choice(self.word(purpose, index), options))

    def next(self, purpose: int, options: int) -> int:
        """Of what is counted through the game: draws, looks, rerolls, decisions."""
        self.counted[purpose] += 1
        return self.choice(purpose, self.counted[purpose] - 1, options)

    def shuffled(self, purpose: int, size: int) -> list[int]:
        items = np.arange(size)
        rng.shuffle(self.seed, self.game, purpose, 0, items)
        return items.tolist()


@dataclass
class State:
    """All that lies on the table, and what effects do to it. Without luck (`luck` is None) an effect is only tried:
    what draws, looks or rerolls does nothing."""

    pack: dict[str, Any]
    luck: Any = None
    dice: list[tuple[str, int]] = field(default_factory=list)
    """Kind and place of the face that it shows, from the left"""
    row: list[Token | None] = field(default_factory=list)
    """The formation; None is a gap"""
    bag: Counter[str] = field(default_factory=Counter)
    supply: Counter[str] = field(default_factory=Counter)
    cards: list[int] = field(default_factory=list)
    """Those that are left, in the order kept, by their places in the pack"""
    looked: list[str] = field(default_factory=list)
    """Taken from the bag to be looked at"""

    def copy(self) -> "State":
        """One to try things on."""
        return replace(
            self, luck=None, dice=[*self.dice], row=[*self.row], bag=self.bag.copy(), supply=self.supply.copy(),
            cards=[*self.cards], looked=[*self.looked],
        )  # fmt: skip

    # What there is

    @property
    def virtues(self) -> list[str]:
        """In the order in which the pack has them."""
        return list(self.pack["virtues"])

    def counters(self, virtue: str) -> str:
        found: str = self.pack["virtues"][virtue]["counters"]
        return found

    def faces(self, die: int) -> list[str]:
        found: list[str] = self.pack["dice"][self.dice[die][0]]
        return found

    def vice(self, die: int) -> str:
        return self.faces(die)[self.dice[die][1]]

    def tokens(self, what: str = "any") -> list[int]:
        """The places of the tokens of a kind, from the left."""
        tests = {
            "any": lambda token: True,
            "regret": lambda token: not token.is_virtue,
            "virtue": lambda token: token.is_virtue,
            "fresh": lambda token: token.is_virtue and not token.used,
            "used": lambda token: token.is_virtue and token.used,
        }
        return [place for place, token in enumerate(self.row) if token is not None and tests[what](token)]

    @property
    def first_five(self) -> list[str]:
        """The first virtues of the row, which the dice are held to: other tokens and gaps between do not count."""
        return [token.kind for token in self.row if token is not None and token.is_virtue][:5]

    @property
    def matches(self) -> int:
        """SR38"""
        return sum(self.counters(virtue) == self.vice(die) for die, virtue in enumerate(self.first_five))

    @property
    def is_match(self) -> bool:
        """SR10: five, and no regret anywhere."""
        return self.matches == 5 and not self.tokens("regret")

    @property
    def value(self) -> int:
        """V of the scrapper."""
        return self.matches - len(self.tokens("regret"))

    # Effects

    def effect(self, steps: list[dict[str, Any]], decide: Any) -> None:
        """All primitives in turn. decide: called with a state and the options of a choice, answers one's place."""
        for step in steps:
            name, said = read(step)
            if self.luck is None and name in BY_LUCK:
                continue
            if name == "look":
                self.looked = [self.taken(LOOK) for _ in range(min(said["count"], self.bag.total()))]
            times = 1 if name == "look" else said.get("count", 1)
            for _ in count() if times == "all" else range(times):
                if not self.once(self.options(name, said), said.get("may", False), decide):
                    break  # there is nothing to do, or all that remains is left
            self.bag.update(self.looked)  # SR35
            self.looked = []

    def once(self, options: list[Option], may: bool, decide: Any) -> bool:
        """One choice and what comes of it; whether anything does."""
        if not options:
            return False
        options = options + [LEAVE] * may
        chosen = options[decide(self, options)] if len(options) > 1 else options[0]
        self.do(chosen)
        return chosen != LEAVE

    def can_do_something(self, steps: list[dict[str, Any]]) -> bool:
        return any(self.can(*read(step)) for step in steps)

    def can(self, name: str, said: dict[str, Any]) -> bool:
        return self.bag.total() > 0 if name == "look" else bool(self.options(name, said))

    def options(self, name: str, said: dict[str, Any]) -> list[Option]:
        """What a primitive may do now, in order; of a `look`, once the tokens are there."""
        match name:
            case "draw":
                return [("draw",)] if self.bag.total() else []
            case "look":
                return [("keep", number) for number in range(len(self.looked))]
            case "reroll":
                return [("reroll", range(5))] if said["die"] == "all" else [("reroll", [d]) for d in dice_of(said)]
            case "gain":
                return [("gain", virtue) for virtue in self.virtues_of(said["virtue"]) if self.supply[virtue]]
            case "add_regret":
                return [("add_regret", said["to"])] if self.supply[REGRET] else []
            case "remove" | "return" | "exhaust" | "refresh":
                return [(name, place) for place in which(said, self.tokens(said["what"]))]
            case "turn":
                return [
                    ("turn", place, virtue)
                    for place in which(said, self.tokens(said["what"]))
                    for virtue in self.virtues_of(said["to"])
                    if self.supply[virtue] and virtue != self.row[place].kind  # type: ignore[union-attr]
                ]
            case "swap":
                return [("swap", *pair) for pair in pairs(self.tokens(), said["pair"])]
            case "move":
                return [
                    ("move", place, to)
                    for place in self.tokens()
                    for to in range(len(self.row))
                    if 1 <= abs(to - place) <= said["up_to"]
                ]
            case "set_die":
                return [("face", die, f) for die in dice_of(said) for f in range(6) if f != self.dice[die][1]]
            case "turn_die":
                return [("face", die, f) for die in dice_of(said) for f in self.next_faces(die)]
            case "swap_dice":
                return [("swap_dice", *pair) for pair in pairs(list(range(5)), said["pair"])]
            case "lose_card":
                return [("lose_card", place) for place in which(said, list(range(len(self.cards))))]
        raise ValueError(name)

    def virtues_of(self, said: str) -> list[str]:
        return self.virtues if said == "chosen" else [said]

    def next_faces(self, die: int) -> list[int]:
        """SR34: from the face that it shows, either way round the ring, the first that shows another vice."""
        faces, shown = self.faces(die), self.dice[die][1]
        found = []
        for way in (1, -1):
            face = shown
            while faces[face] == faces[shown]:
                face = (face + way) % 6
            found.append(face)
        return sorted(set(found))

    def do(self, option: Option) -> None:
        """What an option means."""
        match option:
            case ("leave",):
                pass
            case ("draw",):
                self.append(self.taken(DRAW))
            case ("keep", number):
                self.append(self.looked.pop(number))
            case ("reroll", dice):
                if self.luck is not None:
                    for die in dice:
                        self.dice[die] = (self.dice[die][0], self.luck.next(REROLL, 6))
            case ("gain", virtue):
                self.supply[virtue] -= 1
                self.append(virtue)
            case ("add_regret", "formation"):
                self.supply[REGRET] -= 1
                self.append(REGRET)
            case ("add_regret", "bag"):
                self.supply[REGRET] -= 1
                self.bag[REGRET] += 1
            case ("remove", place):
                self.take_away(place, self.supply)  # SR16, SR17
            case ("return", place):
                self.take_away(place, self.bag)
            case ("exhaust", place):
                self.row[place] = self.token(place)._replace(used=True)
            case ("refresh", place):
                self.row[place] = self.token(place)._replace(used=False)
            case ("turn", place, virtue):  # SR33
                self.take_away(place, self.supply)
                self.supply[virtue] -= 1
                self.row[place] = Token(virtue)
            case ("swap", left, right):
                self.row[left], self.row[right] = self.row[right], self.row[left]
            case ("move", place, to) if self.row[to] is None:  # SR31
                self.row[place], self.row[to] = None, self.row[place]
            case ("move", place, to):
                self.row.insert(to, self.row.pop(place))
            case ("face", die, face):
                self.dice[die] = (self.dice[die][0], face)
            case ("swap_dice", left, right):
                self.dice[left], self.dice[right] = self.dice[right], self.dice[left]
            case ("lose_card", place):
                self.cards.pop(place)
            case _:
                raise ValueError(option)

    def token(self, place: int) -> Token:
        found = self.row[place]
        assert found is not None, "a gap"
        return found

    def taken(self, purpose: int) -> str:
        """A token out of the bag. SR35: all are equally likely; they are counted by kind, virtues first."""
        kinds = [kind for kind in [*self.virtues, REGRET] for _ in range(self.bag[kind])]
        kind = kinds[self.luck.next(purpose, len(kinds))]
        self.bag[kind] -= 1
        return kind

    def append(self, kind: str) -> None:
        """SR18. Gaps, too, have a place until the effect ends, as long as there are places."""
        if len(self.row) == PLACES:
            self.close()
        self.row.append(Token(kind))

    def take_away(self, place: int, to: Counter[str]) -> None:
        """Out of the row; leaves a gap."""
        to[self.token(place).kind] += 1
        self.row[place] = None

    # Actions

    def actions(self, can_declare: bool) -> list[Option]:
        listed: list[Option] = []
        for place in self.tokens("virtue"):
            if self.can_do_something(self.token_effect(place, "use")):  # SR21
                listed.append(("use", place))
            listed.append(("discard", place))
        listed += [("card", place) for place in range(len(self.cards))]
        listed += [("card_draw", place) for place in range(len(self.cards))]
        return listed + [("declare",)] * can_declare + [("concede",)]

    def token_effect(self, place: int, name: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.pack["virtues"][self.token(place).kind][name]
        return found

    def discard_effect(self, place: int, used_discard: str) -> list[dict[str, Any]]:
        """SR12"""
        is_weak = used_discard == "weak" and self.token(place).used
        return self.token_effect(place, "use" if is_weak else "discard")

    def use(self, place: int, decide: Any) -> None:
        was_used = self.token(place).used
        steps = self.token_effect(place, "use")
        self.row[place] = self.token(place)._replace(in_use=True)
        self.effect(steps, decide)
        for now in self.tokens():
            if self.token(now).in_use:
                if was_used:  # SR13
                    self.take_away(now, self.supply)
                else:  # SR32
                    self.row[now] = Token(self.token(now).kind, used=True)
        self.close()

    def discard(self, place: int, used_discard: str, decide: Any) -> None:
        steps = self.discard_effect(place, used_discard)
        self.take_away(place, self.supply)  # SR14
        self.effect(steps, decide)
        self.close()

    def card_effect(self, place: int, decide: Any) -> None:
        self.effect(self.pack["cards"][self.cards.pop(place)]["effect"], decide)
        self.close()

    def card_draw(self, place: int, draws: int) -> None:
        """SR20"""
        self.cards.pop(place)
        if self.supply[REGRET]:  # SR6
            self.do(("add_regret", "bag"))
        for _ in range(min(draws, self.bag.total())):  # SR19
            self.do(("draw",))

    def close(self) -> None:
        self.row = [token for token in self.row if token is not None]


def read(step: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """A primitive's name and all that is said of it."""
    [(name, said)] = step.items()
    return name, DEFAULTS.get(name, {}) | (said if isinstance(said, dict) else {FIRST[name]: said})


def which(said: dict[str, Any], places: list[int]) -> list[int]:
    return {"chosen": places, "leftmost": places[:1], "rightmost": places[-1:]}[said["which"]]


def dice_of(said: dict[str, Any]) -> list[int]:
    return list(range(5)) if said["die"] == "chosen" else [said["die"] - 1]


def pairs(places: list[int], said: str) -> list[tuple[int, int]]:
    return [(left, right) for left, right in combinations(places, 2) if said == "any" or right == left + 1]


# Policies -------------------------------------------------------------------------------------------------------------


class Random:
    """Every decision uniform over its options; concedes only when nothing else is legal."""

    def __init__(self, game: "Game") -> None:
        self.game = game

    def _any(self, options: int) -> int:
        return int(rng.choice(self.game.word, options))

    def keep(self, offered: list[int]) -> int:
        return self._any(len(offered))

    def act(self, options: list[Option]) -> int:
        return self._any(max(1, len(options) - 1))

    def choose(self, state: State, options: list[Option]) -> int:
        return self._any(len(options))


class Scrapper:
    """Takes what gains most at once."""

    def __init__(self, game: "Game") -> None:
        self.game = game

    def keep(self, offered: list[int]) -> int:
        return best([self.countered(card) for card in offered])

    def countered(self, card: int) -> int:
        state = self.game.state
        top = [name for name in state.pack["cards"][card]["top"] if name != REGRET]
        return sum(state.faces(die).count(state.counters(name)) for name in top for die in range(len(state.dice)))

    def act(self, options: list[Option]) -> int:
        state, weak = self.game.state, self.game.knobs["used_discard"]
        if ("declare",) in options:
            return options.index(("declare",))
        tried = [option for option in options if option[0] in ("use", "discard", "card")]
        values = [self.tried(option).value for option in tried]
        if values and max(values) > state.value:
            return best(values)
        if state.cards:
            return options.index(("card_draw", 0))
        for option in options:
            if option[0] == "discard" and any("draw" in step for step in state.discard_effect(option[1], weak)):
                return options.index(option)
        return options.index(("concede",))

    def tried(self, option: Option) -> State:
        state = self.game.state.copy()
        match option:
            case ("use", place):
                state.use(place, self.choose)
            case ("discard", place):
                state.discard(place, self.game.knobs["used_discard"], self.choose)
            case ("card", place):
                state.card_effect(place, self.choose)
        return state

    def choose(self, state: State, options: list[Option]) -> int:
        return best([self.after(state, option) for option in options])

    def after(self, state: State, option: Option) -> int:
        state = state.copy()
        state.do(option)
        return state.value


def best(values: list[int]) -> int:
    """Ties: the first."""
    return values.index(max(values))


class Mixed:
    """`scrapper`, but `random` at one decision in four, as its word says: what neither does alone."""

    def __init__(self, game: "Game") -> None:
        self.game, self.policies = game, (Random(game), Scrapper(game))

    @property
    def today(self) -> Any:
        return self.policies[int(self.game.word % 4 > 0)]

    def keep(self, offered: list[int]) -> Any:
        return self.today.keep(offered)

    def act(self, options: list[Option]) -> Any:
        return self.today.act(options)

    def choose(self, state: State, options: list[Option]) -> Any:
        return self.today.choose(state, options)


POLICIES = {"random": Random, "scrapper": Scrapper, "mixed": Mixed}


# Game -----------------------------------------------------------------------------------------------------------------


class Decision(NamedTuple):
    kind: str
    """`keep` a card, `act`, or `choose` inside an effect"""
    options: list[Option]
    answer: int


class Game:
    """A game, its course. watch: called with the game before each decision, if there is one."""

    def __init__(
        self, pack: dict[str, Any], knobs: dict[str, Any], seed: int, game: int, policy: str, watch: Any = None
    ) -> None:
        self.pack, self.knobs, self.watch = pack, knobs, watch
        self.luck = Luck(seed, game)
        self.state = State(pack, self.luck)
        self.policy = POLICIES[policy](self)
        self.decisions: list[Decision] = []
        self.kept: list[int] = []
        self.drawn: list[str] = []
        self.reckoning = -1
        self.counts: Counter[str] = Counter()
        self.ending = ""

    @property
    def word(self) -> Any:
        """The policy's, of the decision that is asked now."""
        return self.luck.word(POLICY, len(self.decisions))

    def decide(self, kind: str, options: list[Option], answer: Any) -> int:
        """A decision with one option is not asked."""
        if len(options) == 1:
            return 0
        if self.watch:
            self.watch(self)
        answered: int = answer()
        self.decisions.append(Decision(kind, [*options], answered))
        return answered

    def choose(self, state: State, options: list[Option]) -> int:
        return self.decide("choose", options, lambda: self.policy.choose(state, options))

    def play(self) -> None:
        self.history()
        self.reflection()
        self.look_for_match()
        while not self.ending:
            self.act()

    def history(self) -> None:
        state, kinds = self.state, list(self.pack["dice"])
        deck = self.luck.shuffled(CARDS, len(self.pack["cards"]))
        treated = self.knobs["first_card"] in deck
        if treated:  # it changes places with the first
            place = deck.index(self.knobs["first_card"])
            deck[0], deck[place] = deck[place], deck[0]
        for place, die in enumerate(self.luck.shuffled(DICE, 24)[:5]):
            self.drawn.append(kinds[die // 4])
            state.dice.append((kinds[die // 4], 0))  # SR1
            if place < self.knobs["cards"]:  # SR37
                offered, deck = deck[: self.knobs["choose_from"]], deck[self.knobs["choose_from"] :]  # SR3
                if offered:
                    self.keep(offered[:1] if treated and place == 0 else offered)

    def keep(self, offered: list[int]) -> None:
        options = [("keep", card) for card in offered]
        self.kept.append(offered[self.decide("keep", options, lambda: self.policy.keep(offered))])

    def reflection(self) -> None:
        state = self.state
        state.cards = [*self.kept]
        state.supply = Counter(dict.fromkeys(state.virtues, 6) | {REGRET: 12})
        top = [name for card in self.kept for name in self.pack["cards"][card]["top"]]
        for name in [REGRET] * self.knobs["start_regrets"] + state.virtues + top:
            if state.supply[name]:  # SR5
                state.supply[name] -= 1
                state.bag[name] += 1
        state.dice = [(kind, self.luck.choice(ROLL, place, 6)) for place, (kind, _) in enumerate(state.dice)]
        while len(state.tokens("virtue")) < self.knobs["formation"] and state.bag.total():
            state.do(("draw",))

    @property
    def is_reckoned(self) -> bool:
        return self.reckoning >= 0

    def look_for_match(self) -> None:
        """SR30: once gaps are closed."""
        if self.state.is_match:
            if self.is_reckoned:
                self.ending = "won"  # SR9
            elif self.knobs["match"] == "automatic":  # SR7, SR8
                self.reckon()
        if not self.ending and not self.state.tokens("virtue") and not self.state.cards:
            self.ending = "lost"  # SR23

    def reckon(self) -> None:
        """SR27"""
        self.reckoning = self.luck.choice(RECKONING, 0, len(self.pack["reckonings"]))
        self.state.effect(self.pack["reckonings"][self.reckoning]["effect"], self.choose)  # SR36
        self.state.close()
        self.look_for_match()

    def act(self) -> None:
        state, can_declare = self.state, self.state.is_match and not self.is_reckoned
        options = state.actions(can_declare)
        action = options[self.decide("act", options, lambda: self.policy.act(options))]
        self.counts[action[0]] += 1
        match action:
            case ("use", place):
                state.use(place, self.choose)
            case ("discard", place):
                state.discard(place, self.knobs["used_discard"], self.choose)
            case ("card", place):
                state.card_effect(place, self.choose)
            case ("card_draw", place):
                state.card_draw(place, self.knobs["card_draw"])
            case ("declare",):
                self.reckon()
            case ("concede",):
                self.ending = "conceded"
        if action[0] not in ("declare", "concede"):
            self.look_for_match()
        if not self.ending and self.counts.total() >= self.knobs["max_actions"]:
            self.ending = "unfinished"  # SR24


def play(
    pack: dict[str, Any], knobs: dict[str, Any], seed: int, game: int, policy: str, watch: Any = None
) -> tuple[dict[str, Any], list[Decision]]:
    """(results, decisions) of a game. pack: as YAML has it; knobs: all by name; policy: of `POLICIES`."""
    played = Game(pack, knobs, seed, game, policy, watch)
    played.play()
    return results(played), played.decisions


def results(game: Game) -> dict[str, Any]:
    """The columns of a finished game."""
    is_won = game.ending == "won"
    return {
        "winner": 0 if is_won else -1,
        "won": int(is_won),
        "reached_reckoning": int(game.is_reckoned),
        "matches_end": game.state.matches,
        "actions": game.counts.total(),
        "tokens_used": game.counts["use"],
        "tokens_discarded": game.counts["discard"],
        "cards_used": game.counts["card"],
        "cards_discarded": game.counts["card_draw"],
        "reckoning": game.reckoning,
        **{f"die_{place}": list(game.pack["dice"]).index(kind) for place, kind in enumerate(game.drawn, 1)},
        "unfinished": int(game.ending == "unfinished"),
        "ending": ("won", "lost", "conceded", "unfinished").index(game.ending),
        **{f"kept_{card}": int(card in game.kept) for card in range(len(game.pack["cards"]))},
    }
