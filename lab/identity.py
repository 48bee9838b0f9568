"""What a cell is: a hash of everything that can change its numbers, and of nothing else.

How many games, workers, blocks or lanes there are cannot change a number. The code that plays can: the *syntax trees*
of `sims/core`, of the game's folder without the modules that do not play, and of a policy's package. So a comment or a
docstring's neighbour may change, but a rule that changes makes another cell, and old and new are never mixed.
"""

import ast
import hashlib
import json
import sys
from functools import cache
from pathlib import Path

import sims
from lab import catalogue
from lab.cell import Cell
from sims.core.game import Game, Policy, packs_of

TALLIED = 2
"""Rises when more is kept of a game than before, which no old tally has."""
SILENT = {"describe.py", "scalar.py", "exact.py"}
"""Modules of a game that have no part in playing it."""


def cell_id(cell: Cell) -> str:
    """16 hex digits."""
    facts = {
        "tallied": TALLIED,
        "game": cell.game,
        "seats": cell.seats,
        "seed": cell.seed,
        "rotate_seats": cell.rotate_seats,
        "knobs": cell.knobs.model_dump() | {name: pack.digest for name, pack in packs_of(cell.knobs).items()},
        "lineup": [(entry.policy.rpartition("/")[2], entry.weights.model_dump()) for entry in cell.lineup],
        "code": code_hash(cell.game, tuple(entry.policy for entry in cell.lineup)),
    }
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:16]


@cache
def code_hash(game: str, policies: tuple[str, ...]) -> str:
    """Hash of all code that plays: 16 hex digits."""
    core = Path(next(iter(sims.__path__))) / "core"
    trees = [_trees(core), _trees(_folder(catalogue.game(game)))]
    trees += [_policy_tree(catalogue.policy(game, name)) for name in policies]
    return hashlib.sha256("\0".join(trees).encode()).hexdigest()[:16]


def _folder(game: Game) -> Path:
    return Path(sys.modules[game.table.__module__].__file__ or "").parent


def _policy_tree(policy: Policy) -> str:
    """Of the package that a policy from elsewhere belongs to, or of its file; the game's own are in its folder."""
    from sims.core.kernel import SIMS, package_of, plain

    path = Path(plain(policy.function).__code__.co_filename).resolve()
    top = path if SIMS in path.parents else package_of(path)
    return _trees(top) if top.is_dir() else _tree(top)


def _trees(folder: Path) -> str:
    return "\0".join(
        f"{path.relative_to(folder)}:{_tree(path)}" for path in sorted(folder.rglob("*.py")) if path.name not in SILENT
    )


@cache
def _tree(path: Path) -> str:
    return ast.dump(ast.parse(path.read_text(encoding="utf-8")))
