"""Vices & Vengeance in words: one game, roll by roll, for people with the rulebook at hand.

Most of a roll happens between two calls of `Narrator.tell`, since the table stops only where somebody has a choice. So
the narrator plays each roll once more, in plain Python, from the dice on the table, the choices that it was shown and
the coordinates of luck, and says what it does. Before every removal and after every roll it compares itself with the
table: words that part from the kernels are an error. Ruling ids are those of `README.md`.
"""

from collections.abc import Generator, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from sims.core.game import Ask, Setting
from sims.core.rng import split, words
from sims.vices import rules
from sims.vices.rules import (
    ABSORBED,
    DECLINE,
    DESTROYED,
    ENVY,
    GLUTTONY,
    GREED,
    LUST,
    OWN,
    PAIRS,
    PRIDE,
    REMOVE,
    RESERVE,
    SET_UP,
    SINS,
    SLOTH,
    SPOILER_SIDES,
    SPOILERS,
    WRATH,
)

LANE = 0  # the only one

SIN = ("Lust", "Gluttony", "Greed", "Sloth", "Wrath", "Envy", "Pride")
PAIR = (("Mirror", "Medusa"), ("David", "Goliath"), ("Silver Bullet", "Werewolf"))

COMPARED = (
    *("at", "phase", "defender", "first", "holder", "removed", "guests", "pool", "total", "spent"),
    *("start_sin", "sin_matches", "nemesis_matches", "winners", "rounds", "tie_breaks", "unfinished"),
)
"""What narrator and table both know, by its name in `rules.Lanes`."""


class Dice(NamedTuple):
    """The dice of a roll, in play or not. See `rules.Lanes`."""

    small: list[int]
    large: list[int]
    pairs: list[int]
    spoilers: list[int]
    nemesis: list[int]
    upright: int


class Narrator:
    """Tells one game. See `sims.core.game.Narrator`."""

    def __init__(self, setting: Setting, titles: Sequence[str]) -> None:
        self.knobs, self.seats, self.key = setting.knobs, setting.seats, np.uint64(setting.seed)
        self.names = [f"seat {seat} ({title})" for seat, title in enumerate(titles)]
        self.game = np.uint64(0)
        self.asked: dict[tuple[int, int], tuple[int, int]] = {}
        """What has been asked and is not yet told: (options, answer), by kind and seat."""
        self.dice: Dice
        self.roller: dict[int, int] = {}
        """Who rolled the large dice that have changed hands on this roll, by Sin."""
        self.matched = False
        """Whether a Sin match was made on this roll, after which no removal is due (VV2)."""
        self.fresh: set[int] = set()
        """The seats whose Nemesis is absorbed on this roll."""
        self.last_round = 0
        """Known once a total has reached the target."""
        # As in `rules.Lanes`, where masks are sets.
        self.at = self.first = self.defender = self.spent = 0
        self.phase, self.rounds = rules.PLAYING, 1
        self.holder, self.start_sin = [RESERVE] * SINS, [0] * self.seats
        self.total = [int(self.knobs.start_total)] * self.seats
        self.sin_matches, self.nemesis_matches = [0] * self.seats, [0] * self.seats
        self.pool: set[int] = set()
        self.removed: set[int] = set()
        self.guests: set[int] = set()
        self.winners: set[int] = set()
        self.tie_breaks = self.unfinished = 0

    def tell(self, table: Any, ask: Ask | None) -> list[str]:
        if ask is None:
            return list(self._end_of_roll(table))
        kind, seat = ask.view.kind, int(ask.seat[LANE])
        if seat >= 0:
            self.asked[kind, seat] = int(ask.view.options[LANE]), int(ask.action[LANE])
        return list(self._roll(table)) if kind == REMOVE else []

    # Keeping to the table

    def _compare(self, table: Any) -> None:
        for name in COMPARED:
            told, found = getattr(self, name), getattr(table.t, name)[..., LANE].tolist()
            self._agree(name, _mask(told) if isinstance(told, set) else told, found)

    def _answer(self, kind: int, seat: int, options: Iterable[int]) -> int:
        """What the seat answered; it must have been asked just that."""
        offered, answer = self.asked.pop((kind, seat), (0, 0))
        self._agree(f"the options of {self.names[seat]}", _mask(options), offered)
        return answer

    def _agree(self, name: str, told: Any, found: Any) -> None:
        if told != found:
            where = f"game {self.game}, turn {self.at // 32 + 1}, roll {self.at % 32 + 1}"
            raise RuntimeError(f"{where}: the words say {told} of {name}, the table {found}")

    def _words(self, purpose: int, index: int) -> list[int]:
        return [int(word) for word in words(self.key, self.game, purpose, index)]

    # Setting up

    def _set_up(self) -> Iterator[str]:
        if self.knobs.start_total:
            yield f"Everybody starts with {_points(self.knobs.start_total)}."
        yield from self._find_first_player()
        for place in range(self.seats):
            yield from self._assign_sin(place, (self.first + place) % self.seats)
        self._start_turn()

    def _find_first_player(self) -> Iterator[str]:
        sides, tied, attempt = self.knobs.nemesis_sides, list(range(self.seats)), 0
        while len(tied) > 1:  # VV41
            faces = [face for word in self._words(rules.FIRST, attempt) for face in _faces(word, sides, sides)]
            rolled = ", ".join(f"{self.names[seat]} {faces[seat]}" for seat in tied)
            yield f"The tied roll again: {rolled}." if attempt else f"Everybody rolls a d{sides}: {rolled}."
            highest = max(faces[seat] for seat in tied)
            tied, attempt = [seat for seat in tied if faces[seat] == highest], attempt + 1
        self.first = self.defender = tied[0]
        order = [(self.first + step) % self.seats for step in range(self.seats)]
        yield f"{self.names[self.first]} rolled highest. The order of every round: {self._listed(order)}."

    def _assign_sin(self, place: int, seat: int) -> Iterator[str]:
        free, attempt = self._held_by(RESERVE), 0
        matching: list[int] = []
        while not matching:
            one, two, three, _ = self._words(rules.ASSIGN + place, attempt)
            mirror, *large = *_faces(one, 6, 6, 6), *_faces(two, 6, 6, 6), *_faces(three, 6, 6)
            matching, attempt = [sin for sin in free if large[sin] == mirror], attempt + 1
            result = f"{_sins(matching)} {'match' if len(matching) > 1 else 'matches'}." if matching else "no match."
            yield f"{self.names[seat]} rolls Mirror {mirror}, large {_sin_faces(free, large)}: {result}"
        sin = self._answer(SET_UP, seat, matching) if len(matching) > 1 else matching[0]
        self.holder[sin], self.start_sin[seat] = seat, sin
        yield f"{self.names[seat]} {'chooses' if len(matching) > 1 else 'takes'} {SIN[sin]}."

    # A turn

    def _start_turn(self) -> None:
        self.spent, self.guests, self.pool = 0, set(), set(range(ABSORBED))
        if self.defender in self.removed and self.knobs.no_nemesis == rules.LIGHTER:  # VV24
            self.pool.remove(OWN)

    def _heading(self) -> Iterator[str]:
        yield ""
        yield f"Round {self.rounds}, turn {self.at // 32 + 1}: {self.names[self.defender]} defends."
        held = [f"seat {seat}: {_sins(self._held_by(seat))}" for seat in range(self.seats)]
        held.append(f"reserves: {_sins(self._held_by(RESERVE))}")
        if destroyed := self._held_by(DESTROYED):
            held.append(f"destroyed: {_sins(destroyed)}")
        yield f"  Large Sin dice: {'; '.join(held)}."
        if self.removed:
            yield f"  Without Nemesis: {self._listed(sorted(self.removed))}."

    def _roll(self, table: Any) -> Iterator[str]:
        if self.at == 0:
            self.game = table.game[LANE]
            yield from self._set_up()
        if self.at % 32 == 0:
            yield from self._heading()
        self.dice = Dice(*(getattr(table.t, name)[..., LANE].tolist() for name in Dice._fields))
        yield f"  Roll {self.at % 32 + 1}: {self._defenders_dice()}."
        attackers = self._attackers_dice()  # before any of them leave
        events = [*self._sin_matches(), *self._nemesis_matches()]
        if attackers:
            yield f"    Attackers: {attackers}.{'' if events else ' No match.'}"
        else:
            yield "    No attacker has a die that can match."
        yield from events
        self._compare(table)
        self._agree("due", int(not self.matched), table.t.due[LANE])
        yield f"    {self._removal()} Turn so far: {_points(self.spent)}."

    def _end_of_roll(self, table: Any) -> Iterator[str]:
        self._agree("the questions not told", {}, self.asked)
        self.at += 1
        if not self.pool:
            yield from self._end_of_turn()
        self._compare(table)

    # Dice

    def _defenders_dice(self) -> str:
        """Those still in play, in unit order."""
        units = sorted(self.pool)
        sins = [unit for unit in units if unit < PAIRS]
        groups = [f"small {_sin_faces(sins, self.dice.small)}"] if sins else []
        for low, high in ((PAIRS, SPOILERS), (SPOILERS, OWN), (OWN, ABSORBED + self.seats)):
            groups.append(", ".join(self._unit(unit) for unit in units if low <= unit < high))
        return "; ".join(group for group in groups if group)

    def _attackers_dice(self) -> str:
        """Those that can still match a die of the defender."""
        shown = []
        for seat in self._attackers():
            sins = [sin for sin in self._held_by(seat) if sin in self.pool]
            dice = [f"large {_sin_faces(sins, self.dice.large)}"] if sins else []
            if seat in self._free_nemeses() and self._rolled_nemeses():
                dice.append(f"Nemesis {self.dice.nemesis[seat]}")
            if dice:
                shown.append(f"{self.names[seat]} {', '.join(dice)}")
        return "; ".join(shown)

    def _unit(self, unit: int) -> str:
        """A unit with its numbers."""
        if unit < PAIRS:
            return f"small {SIN[unit]} {self.dice.small[unit]}"
        if unit < SPOILERS:
            (one, other), (face, other_face) = PAIR[unit - PAIRS], self._pair(unit)
            return f"{one} {'upright' if self._is_wild(unit) else face} & {other} {other_face}"
        if unit < OWN:
            return f"d{SPOILER_SIDES[unit - SPOILERS]} {self.dice.spoilers[unit - SPOILERS]}"
        owner = self._owner(unit)
        borrowed = unit == OWN and owner in self.removed  # VV24
        whose = "borrowed" if borrowed else "own" if unit == OWN else f"seat {owner}'s"
        return f"{whose} Nemesis {self.dice.nemesis[owner]}"

    def _worth(self, unit: int) -> int:
        """What a unit scores now."""
        if unit < PAIRS:
            return 6 - self.dice.small[unit]
        if unit < SPOILERS:
            return 0 if self._is_wild(unit) else _pair_points(*self._pair(unit))
        if unit < OWN:
            return SPOILER_SIDES[unit - SPOILERS] - self.dice.spoilers[unit - SPOILERS]
        return int(self.knobs.nemesis_sides) - self.dice.nemesis[self._owner(unit)]

    def _pair(self, unit: int) -> tuple[int, int]:
        one, other = self.dice.pairs[2 * (unit - PAIRS) :][:2]
        return one, other

    def _is_wild(self, unit: int) -> bool:
        return unit == SPOILERS - 1 and bool(self.dice.upright)  # VV33

    def _owner(self, unit: int) -> int:
        """Of a Nemesis in the pool."""
        return self.defender if unit == OWN else unit - ABSORBED

    # Who has what

    def _held_by(self, *places: int) -> list[int]:
        """The Sins there, in Sin order. A place is a seat, RESERVE or DESTROYED."""
        return [sin for sin in range(SINS) if self.holder[sin] in places]

    def _where(self, place: int) -> str:
        return "in the reserves" if place == RESERVE else f"with {self.names[place]}"

    def _from(self, place: int) -> str:
        return f"from {'the reserves' if place == RESERVE else self.names[place]}"

    def _listed(self, seats: Iterable[int]) -> str:
        return _listed([self.names[seat] for seat in seats])

    def _attackers(self) -> list[int]:
        return [seat for seat in range(self.seats) if seat != self.defender]

    def _free_nemeses(self) -> list[int]:
        """The attackers who roll their Nemesis."""
        return [seat for seat in self._attackers() if seat not in self.removed | self.guests]

    def _rolled_nemeses(self) -> list[int]:
        """The Nemesis units in the defender's pool."""
        return [unit for unit in sorted(self.pool) if unit >= OWN]

    # Sin matches

    def _sin_matches(self) -> Iterator[str]:
        attackers, (small, large) = self._attackers(), self.dice[:2]
        pending = [sin for sin in rules.RESOLUTION if sin in self.pool and self.holder[sin] in attackers]
        self.roller, self.matched = {}, False
        for sin in pending:
            if small[sin] == large[sin]:
                yield from self._sin_match(sin)

    def _sin_match(self, sin: int) -> Iterator[str]:
        maker, why = self._maker(sin)
        if maker is None:
            yield f"    {SIN[sin]} {self.dice.large[sin]} of {why}: no match, and small {SIN[sin]} stays in play."
            return
        yield f"    {SIN[sin]} match on {self.dice.large[sin]}: {self.names[maker]}{why}."
        self.matched = True
        self.sin_matches[self.defender] += 1
        self.pool.remove(sin)  # VV3
        taken, effect = self._effect(sin, maker)
        penalty = self._penalty(sin, taken)
        for line in (effect, penalty) if sin in (PRIDE, GLUTTONY) else (penalty, effect):
            yield f"      {line}"

    def _maker(self, sin: int) -> tuple[int | None, str]:
        """Who makes a match, or None, and why if its large die has changed hands on this roll (VV9)."""
        holder, roller, rule = self.holder[sin], self.roller.get(sin), self.knobs.stolen_match
        if roller is None:
            return holder, ""
        now = f"the large die is now {self._where(holder)}"
        if rule == rules.STAYS:
            return roller, "" if holder == roller else f", who rolled it, though {now}"
        if rule == rules.FOLLOWS and holder != RESERVE:
            return holder, f", who has the large die now, though {self.names[roller]} rolled it"
        return None, f"{self.names[roller]} equals the small one, but {now}"

    def _penalty(self, sin: int, taken: int | None) -> str:
        """The penalty roll (VV6), scored at once. taken: the Sin whose large die joins it (VV7)."""
        one, two, *_ = self._words(rules.PENALTY + sin, self.at)
        (small, large, metallic), (joined, third, fourth) = _faces(one, 6, 6, 6), _faces(two, 6, 6, 6)
        dice = [(f"small {SIN[sin]}", small), (f"large {SIN[sin]}", large), ("plain d6", third), ("plain d6", fourth)]
        dice = dice[: self.knobs.penalty_dice]
        if taken is not None:
            dice.append((f"large {SIN[taken]}", joined))
        if PRIDE in (sin, taken) and self._is_on(PRIDE):  # VV7, VV8
            dice.append(("metallic Pride", metallic))
        faces = [face for _, face in dice]
        points = [6 - face if faces.count(face) == 1 else 0 for face in faces]
        self.spent += sum(points)
        rolled, scored = ", ".join(f"{name} {face}" for name, face in dice), " + ".join(map(str, points))
        return f"Penalty: {rolled}: {scored} = {_points(sum(points))}."

    # Sin effects

    def _effect(self, sin: int, maker: int) -> tuple[int | None, str]:
        """Let it happen. What joins the penalty roll, and what to say."""
        if not self._is_on(sin):
            return None, f"No effect: that of {SIN[sin]} is off."
        if sin == PRIDE:
            return None, "Effect: the metallic Pride die joins the penalty roll."
        if sin == SLOTH:
            return None, self._lose_nemesis(maker)
        options = self._options(sin, maker)
        if not options:
            return None, f"No effect: {self._why_nothing(sin, maker)}."
        chosen, among = self._choose(sin, maker, options)
        if chosen == DECLINE:
            return None, f"No effect: {self.names[maker]} declines{among}."
        done = f"Effect: {self.names[maker]} {self._take(sin, chosen, maker)}"
        return chosen if sin == GLUTTONY else None, f"{done}{among}.{self._return(sin, chosen, maker)}"

    def _is_on(self, sin: int) -> bool:
        return bool(self.knobs.sins >> sin & 1)

    def _lose_nemesis(self, maker: int) -> str:
        """VV22, VV23."""
        name, unit = self.names[maker], ABSORBED + maker
        if maker in self.removed:
            return f"No effect: {name} has no Nemesis to lose."
        self.removed.add(maker)
        if maker not in self.guests:
            return f"Effect: {name} loses its Nemesis, which leaves the game."
        if unit not in self.pool:
            return f"Effect: {name} loses its Nemesis, which leaves the game. What the die scored in this turn stands."
        self.pool.remove(unit)
        return f"Effect: {name} loses its Nemesis, which leaves the defender's pool and the game unscored."

    def _options(self, sin: int, maker: int) -> list[int]:
        """The Sins that the effect may be about."""
        others = [seat for seat in range(self.seats) if seat != maker]
        if sin in (WRATH, GREED):  # VV11, VV13
            return self._held_by(self.defender)
        if sin == LUST:  # VV16
            return self._held_by(RESERVE, *(seat for seat in others if seat != self.defender))
        if sin == GLUTTONY:
            return self._held_by(RESERVE)
        return self._held_by(RESERVE, *others) if self.holder[ENVY] == maker else []  # VV9, VV14

    def _why_nothing(self, sin: int, maker: int) -> str:
        """VV17."""
        if sin in (WRATH, GREED):
            return f"{self.names[self.defender]} has no large Sin die"
        if sin == LUST:
            return "there is no Sin in the reserves or with another attacker"
        if sin == GLUTTONY:
            return "the reserves are empty"
        gone = self.holder[ENVY] != maker
        return f"{self.names[maker]} has Envy no more" if gone else "there is no Sin to exchange Envy for"

    def _choose(self, sin: int, maker: int, options: list[int]) -> tuple[int, str]:
        """The choice of one of these Sins, which is no choice if there is but one, and words on it."""
        may_decline = sin == ENVY and bool(self.knobs.envy_optional)  # VV15
        if len(options) == 1 and not may_decline:
            return options[0], ", the only choice"
        answer = self._answer(sin, maker, [*options, DECLINE] if may_decline else options)
        places = sorted({self.holder[each] for each in options})  # the reserves first
        offered = [[each for each in options if self.holder[each] == place] for place in places]
        among = [f"{_sins(group)} {self._where(place)}" for place, group in zip(places, offered, strict=True)]
        return answer, f". The choice was {'; '.join([*among, 'none'] if may_decline else among)}"

    def _take(self, sin: int, chosen: int, maker: int) -> str:
        """The chosen large die changes hands, or is destroyed."""
        source = self.holder[chosen]
        if sin == WRATH:
            self.holder[chosen] = DESTROYED
            return f"destroys {SIN[chosen]} of {self.names[source]}"
        if sin == ENVY:
            self._move(ENVY, source)
        self._move(chosen, maker)
        return f"{'exchanges Envy for' if sin == ENVY else 'takes'} {SIN[chosen]} {self._from(source)}"

    def _return(self, sin: int, taken: int, maker: int) -> str:
        """Where Sins are swapped, a taker by Lust or Greed returns all others (VV12)."""
        others = [each for each in self._held_by(maker) if each != taken]
        if sin not in (LUST, GREED) or self.knobs.stealing != rules.SWAP or not others:
            return ""
        for each in others:
            self._move(each, RESERVE)
        return f" It returns {_sins(others)} to the reserves."

    def _move(self, sin: int, to: int) -> None:
        self.roller.setdefault(sin, self.holder[sin])
        self.holder[sin] = to

    # Nemesis matches

    def _nemesis_matches(self) -> Iterator[str]:
        """VV28 to VV30."""
        nemesis = self.dice.nemesis
        self.fresh = set()
        for seat in self._free_nemeses():
            met = [unit for unit in self._rolled_nemeses() if nemesis[self._owner(unit)] == nemesis[seat]]
            if met:
                self.fresh.add(seat)
                others = _listed([f"seat {self._owner(unit)}'s" for unit in met])
                meets = f"that of {self.names[seat]} meets {others}"
                yield f"    Nemesis match on {nemesis[seat]}: {meets}, and is absorbed for the next roll."
        self.guests |= self.fresh
        self.nemesis_matches[self.defender] += len(self.fresh)

    # The removal

    def _removal(self) -> str:
        """What the defender scores; absorbed dice join its pool for the next roll (VV25, VV26)."""
        name, eligible = self.names[self.defender], sorted(self.pool)
        is_asked = len(eligible) > 1 or (self.matched and bool(eligible))
        chosen = self._answer(REMOVE, self.defender, eligible) if is_asked else _mask(eligible)
        scored = [unit for unit in eligible if chosen >> unit & 1]
        points = [self._worth(unit) for unit in scored]
        self.spent += sum(points)
        self.pool = self.pool.difference(scored) | {ABSORBED + seat for seat in self.fresh}
        if not eligible:
            return "No die is left that could be scored now."
        if not scored:
            return f"After a Sin match nothing is due, and {name} scores nothing."
        opening = f"After a Sin match nothing is due, but {name} scores" if self.matched else f"{name} scores"
        if len(scored) == 1:
            forced = "" if is_asked else ", the only choice"
            return f"{opening} {self._unit(scored[0])} for {_points(points[0])}{forced}."
        each = _listed([f"{self._unit(unit)} for {worth}" for unit, worth in zip(scored, points, strict=True)])
        return f"{opening} {each}: {_points(sum(points))}."

    # The end of a turn, of a round, of the game

    def _end_of_turn(self) -> Iterator[str]:
        seat, old = self.defender, self.total[self.defender]
        self.total[seat] += self.spent
        yield f"  The turn is over. Total of {self.names[seat]}: {old} + {self.spent} = {self.total[seat]}."
        yield f"  Totals: {', '.join(f'seat {each}: {total}' for each, total in enumerate(self.total))}."
        if back := sorted(self.guests - self.removed):
            yield f"  Absorbed Nemesis dice return to {self._listed(back)}."
        if not self.last_round and self.total[seat] >= self.knobs.target:  # VV35
            self.last_round = self.rounds + (self.knobs.final_round == rules.EXTRA)
            reached = f"is the first to end a turn on {self.knobs.target} or more"
            yield f"  {self.names[seat]} {reached}: {self._still_played()}."
        self.at = -(-self.at // 32) * 32
        yield from self._next_turn()

    def _left_in_round(self) -> list[int]:
        """The seats that have not yet played this round, in order of play."""
        played = (self.defender - self.first) % self.seats + 1
        return [(self.first + step) % self.seats for step in range(played, self.seats)]

    def _still_played(self) -> str:
        """VV36."""
        if self.knobs.final_round == rules.IMMEDIATE:
            return "the game ends at once"
        left = self._left_in_round()
        verb = "plays" if len(left) == 1 else "play"
        rest = f"{self._listed(left)} still {verb} this round" if left else "the round is over"
        return f"{rest}, and a whole further round is due" if self.knobs.final_round == rules.EXTRA else rest

    def _next_turn(self) -> Iterator[str]:
        """The next turn begins, unless the game is over."""
        left = self._left_in_round()
        if self.last_round and (
            self.knobs.final_round == rules.IMMEDIATE or (self.rounds, left) == (self.last_round, [])
        ):
            yield from self._end_of_game()
        elif not left and self.rounds == self.knobs.max_rounds:
            self.phase, self.unfinished = rules.OVER, 1
            due = ", before the further round that is due" if self.last_round else ""
            yield from ("", f"max_rounds ends the game after {_count(self.rounds, 'round')}{due}. Nobody wins.")
        else:
            self.rounds += not left
            self.defender = left[0] if left else self.first
            self._start_turn()

    def _end_of_game(self) -> Iterator[str]:
        self.phase = rules.OVER
        yield ""
        yield f"The game ends in round {self.rounds}, after {_count(self.at // 32, 'turn')}."
        best = yield from self._best()
        while len(best) > 1:
            best = yield from self._break_tie(best)
        self.winners = set(best)
        yield f"{self.names[best[0]]} wins." if best else "Nobody wins."

    def _best(self) -> Generator[str, None, list[int]]:
        """The seats that win unless there are several (VV37, VV38)."""
        target, everybody = self.knobs.target, range(self.seats)
        exact = [seat for seat in everybody if self.total[seat] == target]
        if exact and self.knobs.exact_wins:
            yield f"Exactly {target}: {self._listed(exact)}."
            return exact
        if self.knobs.exact_wins:
            yield f"Nobody has exactly {target}."
        beyond = [seat for seat in everybody if self.total[seat] > target] if self.knobs.exact_bust else []
        if beyond:
            yield f"Beyond {target}, which cannot win: {self._listed(beyond)}."
        may = [seat for seat in everybody if seat not in beyond]
        best = [seat for seat in may if self.total[seat] == min(self.total[other] for other in may)]
        if best:
            yield f"Lowest total{' of the others' if beyond else ''}, {self.total[best[0]]}: {self._listed(best)}."
        return best

    def _break_tie(self, tied: list[int]) -> Generator[str, None, list[int]]:
        """A pair each; those who score least stay in (VV39)."""
        words = self._words(rules.TIE, self.tie_breaks) + self._words(rules.TIE_MORE, self.tie_breaks)
        pairs = {seat: _faces(words[seat], 6, 6) for seat in tied}
        points = {seat: _pair_points(*pair) for seat, pair in pairs.items()}
        self.tie_breaks += 1
        rolled = "; ".join(
            f"{self.names[seat]} {one} & {other}, {_points(points[seat])}" for seat, (one, other) in pairs.items()
        )
        yield f"Tie-break {self.tie_breaks}, a pair each: {rolled}."
        return [seat for seat in tied if points[seat] == min(points.values())]


# Dice


def _faces(word: int, *sides: int) -> list[int]:
    """The dice of these sides that a word holds; see `rules.faces`."""
    faces = []
    for each in sides:
        value, word = split(word, each)
        faces.append(int(value) + 1)
    return faces


def _pair_points(one: int, other: int) -> int:
    return 0 if one == other else 12 - one - other


def _mask(members: Iterable[int]) -> int:
    return sum(1 << each for each in members)


# Words


def _listed(words: Sequence[str]) -> str:
    *some, last = words
    return f"{', '.join(some)} and {last}" if some else last


def _sins(sins: Sequence[int]) -> str:
    return _listed([SIN[sin] for sin in sins]) if sins else "none"


def _sin_faces(sins: Iterable[int], faces: Sequence[int]) -> str:
    return ", ".join(f"{SIN[sin]} {faces[sin]}" for sin in sins)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _points(number: int) -> str:
    return _count(number, "point")
