"""Vengeance in words: one game, decision by decision, for people with the rules at hand.

`Narrator.tell` sees the table at each answered decision and at the end of each round. It says what was answered, and,
by comparing each player's record with how it was before, what has come of the answer before and of what happens
unasked: dice, wounds, enemies, loot, Beatings.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from sims.core.game import Ask, Setting
from sims.core.records import OVER
from sims.vengeance import state
from sims.vengeance.pack import ACTIONS, BASIC_ABILITIES, BASICS, BOSS, EFFECTS, FACES

LANE = 0  # the only one
MODES = ("by its recon mark", "with its dice", "with its dice, a hit-plus among them", "")
WAYS = {
    "scored": "by score", "health": "by free health spaces, the scores being equal", "shared": "", "dead": "",
    "loot": "all loot of the den is collected", "boss": "the boss and half of the minions are dead", "lost": "",
}  # fmt: skip
STAGES = {state.START: "Start of Fighting", state.FREE: "Fighting", state.RESOLUTION: "Resolution"}


class Narrator:
    """Tells one game. See `sims.core.game.Narrator`."""

    def __init__(self, setting: Setting, titles: Sequence[str]) -> None:
        self.content = setting.knobs.content.content
        self.setting, self.seats = setting, setting.seats
        self.titles = titles
        self.before: list[Any] = []
        """The players' records as last seen."""
        self.turn = -1
        self.heading: tuple[int, str] = (-1, "")

    def tell(self, table: Any, ask: Ask | None) -> list[str]:
        board, players = table.t.board[LANE], table.t.board[LANE].players[: table.setting.seats]
        lines = list(self._changes(players))
        if board.turn > self.turn:
            self.turn = int(board.turn)
            faces = ", ".join(ACTIONS[face].capitalize() for face in board.rolled[:3])
            lines += ["", f"Round {self.turn + 1}. Preparation dice: {faces}."]
            self.heading = (-1, "")
        if ask is None:
            over = table.t.state[LANE] == OVER
            lines += self._end(table) if over else []
        else:
            lines += self._decision(table, ask)
        self.before = [player.copy() for player in players]
        return lines

    # What has changed

    def _changes(self, players: Any) -> Iterator[str]:
        for seat, (old, new) in enumerate(zip(self.before, players, strict=False)):
            if old.living == 0:
                continue  # the den was not yet set up
            for line in self._enemies(old, new):
                yield f"  {self._name(seat)}: {line}"
            for line in self._health(old, new):
                yield f"  {self._name(seat)}: {line}"
            if new.loot > old.loot:
                yield f"  {self._name(seat)}: Loot track at {self.content.tracks.loot[new.loot]} points."

    def _enemies(self, old: Any, new: Any) -> Iterator[str]:
        side = self.content.sides[new.side]
        fallen = int(old.living & ~new.living)
        for number, (room, kind) in enumerate(side.minions):
            where = f"{kind} {number} in {side.rooms[room].id}"
            if fallen >> number & 1:
                yield f"{where} is crossed out."
            elif int(new.dot1 & ~old.dot1) >> number & 1:
                yield f"{where} has a dot."
        if new.damage > old.damage:
            yield f"{self.content.bosses[new.boss].name} has taken {new.damage} damage."
        if fallen & BOSS:
            yield f"{self.content.bosses[new.boss].name} is dead."

    def _health(self, old: Any, new: Any) -> Iterator[str]:
        if new.beatings > old.beatings:
            yield "takes a Beating" + (", the second one, and is dead." if new.out else ".")
        elif new.wounds != old.wounds:
            yield f"{new.wounds} of {new.spaces} health spaces are wounds (before: {old.wounds})."

    # What is decided

    def _decision(self, table: Any, ask: Ask) -> list[str]:
        seat, action, kind = int(ask.seat[LANE]), int(ask.action[LANE]), int(ask.view.kind[LANE])
        board, player = table.t.board[LANE], table.t.board[LANE].players[seat]
        tell = {
            state.SIDE: self._side, state.PREP: self._deed, state.LOOT: self._deed, state.ROLL: self._roll,
            state.FIGHT: self._fight, state.EFFECT: self._effect,
        }[kind]  # fmt: skip
        lines = []
        phase = "Preparation" if kind == state.PREP else "Loot" if kind == state.LOOT else STAGES.get(board.stage, "")
        if kind not in (state.SIDE, state.ROLL) and self.heading != (seat, phase):
            self.heading = (seat, phase)
            where = "" if kind == state.PREP else f", in {self._room(player, player.room)}"
            lines.append(f"{phase} of {self._name(seat)}{where}")
        return [*lines, tell(seat, player, board, action)]

    def _side(self, seat: int, player: Any, board: Any, action: int) -> str:
        hero, boss = self.content.heroes[player.hero], self.content.bosses[player.boss]
        den = self.content.sides[2 * player.den + action]
        return f"{self._name(seat)}: {hero.name} against {boss.name}; the {('front', 'back')[action]}, {den.name}."

    def _deed(self, seat: int, player: Any, board: Any, action: int) -> str:
        what, target, token = (int(of(action)) for of in (state.what_of, state.target_of, state.token_of))
        by = (*(name.capitalize() for name in ACTIONS), "extra action")[token]
        if what == state.DONE:
            return "  done."
        if what == state.BUY:
            tile = self._ability(player, target)
            return f"  buys {tile.name} for {tile.price} experience."
        said = {
            state.TRAIN: "Training", state.PURCHASE: "Purchase of ", state.HEAL: "Healing: ", state.RECON: "Recon of ",
            state.TAKE_LOOT: "Loot",
        }[what]  # fmt: skip
        if what == state.PURCHASE:
            said += self._item(player, target).name
        elif what == state.HEAL:
            said += "clears wounds" if target == state.CLEAR else "marks a health space"
        elif what == state.RECON:
            said += self._ability(player, target).name
        second = int(state.second_of(action))
        both = f" and {(*ACTIONS, 'extra action')[second]}" if what == state.RECON and second else ""
        return f"  {by}{both}: {said}."

    def _roll(self, seat: int, player: Any, board: Any, action: int) -> str:
        what, amount = int(state.what_of(action)), int(state.target_of(action))
        time = player.clock * 1000 / self._speed(seat) / state.ONE
        text = f"[{time:6.2f}] {self._name(seat)} has {_dice(player)}; "
        if what == state.ASSIGN:
            tile = self._ability(player, amount)
            faces = tile.sets()[int(state.set_of(action))]
            return text + f"assigns {_faces(faces)} to {tile.name}."
        if what == state.ENDURE:
            return text + "puts a wound on its Health track."
        taken = f"takes {amount}, " if amount else ""
        if what == state.STOP:
            return text + taken + "stops."
        kept = [int(state.kept_of(action, face)) for face in range(len(FACES))]
        return text + taken + ("rolls all but " + _faces(kept) if sum(kept) else "rolls all") + "."

    def _speed(self, seat: int) -> int:
        """In thousandths."""
        return round(1000 * self.setting.players[seat].speed) if self.setting.players else 1000

    def _fight(self, seat: int, player: Any, board: Any, action: int) -> str:
        what, target = int(state.what_of(action)), int(state.target_of(action))
        if what == state.USE:
            return f"  uses {self._ability(player, target).name} {MODES[int(state.token_of(action))]}".rstrip() + "."
        if what == state.ITEM:
            return f"  uses {self._item(player, target).name}."
        return self._marks(player, target) if what == state.MARK else "  done."

    def _effect(self, seat: int, player: Any, board: Any, action: int) -> str:
        what, target = int(state.what_of(action)), int(state.target_of(action))
        effect = EFFECTS[self._effects(board.row)[board.place]]
        if what == state.DECLINE:
            return f"  declines {effect}."
        if what == state.MARK:
            return self._marks(player, target)
        if effect in ("move", "jump1", "jump2"):
            return f"  {effect} to {self._room(player, target)}."
        aimed = effect in ("hit", "shot", "evade", "kill")
        return f"  {effect} {self._enemy(player, target)}." if aimed else f"  {effect}."

    def _effects(self, row: int) -> Any:
        return self.setting.knobs.content.arrays.record[0].effects[row]

    def _marks(self, player: Any, target: int) -> str:
        goal = self.content.sides[player.side].objectives[target][1]
        return f"  marks the objective {goal.kind.replace('_', ' ')} for {goal.points} points."

    # The end

    def _end(self, table: Any) -> list[str]:
        secret, sights = table.t.secret[LANE], np.zeros((1, 10 * self.seats + 1), np.int32)
        table.look(np.zeros(1, np.int32), sights)
        lines = ["", f"The end, after round {self.turn + 1}."]
        for seat in range(self.seats):
            dead = " and is dead" * int(table.t.board[LANE].players[seat].out)
            lines.append(f"{self._name(seat)} has {sights[0, seat]} points{dead}.")
        way = state.ENDINGS[int(secret.ending)]
        winners = [self._name(seat) for seat in range(self.seats) if int(secret.winners) >> seat & 1]
        if not winners:
            return [*lines, "Nobody wins."]
        verb = "share the victory" if len(winners) > 1 else "wins"
        return [*lines, f"{' and '.join(winners)} {verb}" + (f": {WAYS[way]}." if WAYS[way] else ".")]

    # Names

    def _name(self, seat: int) -> str:
        return f"seat {seat} ({self.titles[seat]})"

    def _ability(self, player: Any, ability: int) -> Any:
        return (
            BASIC_ABILITIES[ability] if ability < BASICS else self.content.heroes[player.hero].tiles[ability - BASICS]
        )

    def _item(self, player: Any, item: int) -> Any:
        return self.content.heroes[player.hero].items[item]

    def _room(self, player: Any, room: int) -> str:
        name: str = self.content.sides[player.side].rooms[room].id
        return name

    def _enemy(self, player: Any, target: int) -> str:
        if target == state.MINION:
            name: str = self.content.bosses[player.boss].name
            return name
        side = self.content.sides[player.side]
        room, kind = side.minions[target]
        return f"{kind} {target} in {side.rooms[room].id}"


def _faces(counts: Any) -> str:
    """Dice by face, in words."""
    return ", ".join(name.replace("_", "-") for name, n in zip(FACES, counts, strict=True) for _ in range(n)) or "none"


def _dice(player: Any) -> str:
    rest = ["wound"] * int(player.woe) + ["unrolled"] * int(player.fresh)
    return ", ".join([*([_faces(player.hand)] if player.hand.any() else []), *rest]) or "no dice"
