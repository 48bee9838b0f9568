"""Sin City in words: for now a line a decision."""

from collections.abc import Sequence
from typing import Any

from sims.core.game import Ask, Setting
from sims.sincity import rules
from sims.sincity.cards import CARDS

NAMES = ("Find", "Fight", "Law", "Help", "Kill", "Investigate", "Friend", "Spend", "Save", "Discard")


class Narrator:
    """See `sims.core.game.Narrator`."""

    def __init__(self, setting: Setting, titles: Sequence[str]) -> None:
        self.copies = int(setting.knobs.deck_copies)
        self.names = [f"seat {seat} ({title})" for seat, title in enumerate(titles)]

    def tell(self, table: Any, ask: Ask | None) -> list[str]:
        if ask is None or ask.seat[0] < 0:
            return []
        kind, action = int(ask.view.kind[0]), int(ask.action[0])
        turn, who = int(ask.view.board[0].turn), self.names[ask.seat[0]]
        return [f"Turn {turn}, {NAMES[kind]}: {who}: {self._answer(kind, action)}."]

    def _answer(self, kind: int, action: int) -> str:
        if kind in (rules.INVESTIGATE, rules.SPEND, rules.SAVE):
            return "yes" if action else "no"
        if action == rules.PASS:
            return "pass"
        target = int(rules.target_of(action))
        text = CARDS[int(rules.card_of(action)) // self.copies].label
        if target >= 0:
            text += f"{' by law' if rules.by_law(action) else ''} on {CARDS[target // self.copies].label}"
        return text
