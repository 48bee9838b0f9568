"""Tables of records (`sims/core/records.py`), asked lane by lane."""

from functools import cache
from typing import Any

import numpy as np

from lab import catalogue
from sims.core.kernel import plain, specialised
from sims.core.records import ASKED, Driver

BY_LANE = {name for name in catalogue.game_names() if "action" not in catalogue.game(name).policy_takes}
"""The games whose policies answer one view at a time."""


@cache
def _rule(is_legal: Any, action: type, _sizes: tuple[int, ...]) -> list[Any]:
    return []


def allowed(table: Any, action: Any, lane: int = 0) -> bool:
    """Whether an action is within the rules in a lane that is asked."""
    game = plain(table.rules.game_at)(table.fixed, table.t, lane)
    view = plain(table.rules.view_of)(game, table.t.word[lane])
    is_legal, action = table.rules.is_legal, table.t.action.dtype.type(action)
    found = _rule(is_legal, type(action), tuple(array.itemsize for array in table.t))
    if not found:  # Numba would look up the types at each call
        found.append(specialised(is_legal, view, action))
    return bool(found[0](view, action))


def answers(table: Any, function: Any, weights: Any = (), prepared: Any = ()) -> Any:
    """What a policy answers in every lane of a table, whoever is asked; 0 where nobody is."""
    table.t.action[:] = 0
    others = Driver(table, function, weights, prepared)(table, range(table.game.size), -1, ASKED, words=True)
    assert others == 0, "an answer is not legal"
    return np.where(table.t.state == ASKED, table.t.action, 0)
