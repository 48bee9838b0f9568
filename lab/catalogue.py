"""Which games and policies there are.

A game is a package under `sims/` with a `GAME`, or an entry point of group `lab.games` that names such an object.
A policy belongs to its game, or is an entry point of group `lab.policies` called `GAME.POLICY`, or is named as
`path/to/file.py:function`. What is announced and cannot be loaded is an error that names it.
"""

import importlib
import importlib.util
import inspect
import json
import os
import pkgutil
import re
import sys
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from hashlib import sha256
from importlib.metadata import EntryPoint, entry_points
from numbers import Integral
from pathlib import Path
from types import ModuleType
from typing import Any

import sims
from lab.errors import BadInput, BrokenPlugin, reason, unknown
from sims.core.game import Column, Game, Policy

PATH = re.compile(r"(?P<file>.+\.py):(?P<function>\w+)")


@cache
def game_names() -> tuple[str, ...]:
    """Names of all games, without loading any."""
    own = [module.name for module in pkgutil.iter_modules(sims.__path__) if module.name != "core"]
    return tuple(sorted({*own, *_plugins("lab.games")}))


@cache
def game(name: str) -> Game:
    """The fact sheet of a game; `BadInput` if there is none of that name, `BrokenPlugin` if it cannot be loaded."""
    if name not in game_names():
        raise BadInput(unknown("a game", name, game_names()))
    plugin = _plugins("lab.games").get(name)
    found = _load(f"game {name!r}", plugin) if plugin else _own_game(name)
    if not isinstance(found, Game):
        raise BrokenPlugin(f"game {name!r} cannot be loaded: found {type(found).__name__}, not a sims.core.game.Game")
    return found


def has_foreign_code() -> bool:
    """Whether this process has loaded anything that is not the lab's own: a plug-in, or a file of policies."""
    return bool(_load.cache_info().currsize or _module_at.cache_info().currsize)


def stored_columns(row: dict[str, Any]) -> tuple[Column, ...]:
    """The results columns of a stored row (`lab.store.SCHEMA`) that today's game has, too; those of its default knobs,
    where what the row's knobs name is not here (a content pack)."""
    known = game(row["game"])
    try:
        knobs = known.knobs(**json.loads(row["knobs"]))
    except ValueError:
        knobs = known.knobs()
    names = {metric["column"] for metric in row["metrics"]}
    return tuple(column for column in known.columns(int(row["seats"]), knobs) if column.name in names)


def _own_game(name: str) -> Any:
    try:
        return importlib.import_module(f"sims.{name}").GAME
    except Exception as error:
        raise BrokenPlugin(f"game {name!r} (sims/{name}) cannot be loaded: {reason(error)}") from error


@cache
def policies(name: str) -> dict[str, Policy]:
    """All policies of a game that have a name: its own, and those of plug-ins."""
    found = dict(game(name).policies)
    for title, plugin in _plugins("lab.policies").items():
        owner, _, short = title.partition(".")
        if owner == name:
            found[short] = _as_policy(_load(f"policy {title!r}", plugin), short)
    return {title: _for_players(name, each) for title, each in sorted(found.items())}


def policy(game_name: str, name: str) -> Policy:
    """The policy of a game by its name, or by `path/to/file.py:function`."""
    if match := PATH.fullmatch(name):
        return _for_players(game_name, _policy_at(match["file"], match["function"]))
    if name not in policies(game_name):
        raise BadInput(unknown(f"a policy of {game_name}", name, policies(game_name)))
    return policies(game_name)[name]


@cache
def _for_players(game_name: str, found: Policy) -> Policy:
    """The policy, with the game's knobs of a player among its weights. An error if it takes what it is not given."""
    given = game(game_name).policy_takes
    if (takes := _signature(found)) and not _fits(takes, given):
        returns = "" if "action" in given else " and return an action"
        called = f"policies of {game_name} are called with ({', '.join(given)}){returns}"
        raise BrokenPlugin(f"{found.name!r} takes ({', '.join(takes.parameters)}): {called}")
    if not _are_answers(found.always):
        raise BrokenPlugin(
            f"{found.name!r}: always={found.always!r} must map kinds of decision to actions, whole numbers both"
        )
    knobs = game(game_name).player_knobs
    if not knobs.model_fields:
        return found
    weights: type[Any] = type(found.weights.__name__, (found.weights, knobs), {})
    return replace(found, weights=weights)


def _are_answers(always: Any) -> bool:
    return isinstance(always, Mapping) and all(isinstance(each, Integral) for pair in always.items() for each in pair)


def _signature(policy: Policy) -> inspect.Signature | None:
    """What its function takes; None if that cannot be told."""
    from sims.core.kernel import plain

    try:
        return inspect.signature(plain(policy.function))
    except (TypeError, ValueError):
        return None


def _fits(takes: inspect.Signature, given: tuple[str, ...]) -> bool:
    try:
        takes.bind(*given)
    except TypeError:
        return False
    return True


@cache
def _policy_at(file: str, function: str) -> Policy:
    module = _module_at(file)
    if not hasattr(module, function):
        names = [name for name, value in vars(module).items() if _is_own_policy(value, module)]
        raise BadInput(unknown(f"in {file}", function, names))
    return _as_policy(getattr(module, function), f"{file}:{function}")


def _is_own_policy(value: Any, module: ModuleType) -> bool:
    own = callable(value) and not isinstance(value, type) and getattr(value, "__module__", "") == module.__name__
    return isinstance(value, Policy) or own


@cache
def _module_at(file: str) -> ModuleType:
    path = Path(file)
    if not os.path.isfile(path):  # which does not mind names of any length
        raise BadInput(f"{file[:200]!r}: no such file of policies")
    name = f"policies_{sha256(str(path.resolve()).encode()).hexdigest()[:16]}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise BadInput(f"{file!r} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise BrokenPlugin(f"{file!r} cannot be loaded: {reason(error)}") from error
    return module


def _as_policy(found: Any, name: str) -> Policy:
    """A `Policy`, or a bare function that plays without weights."""
    if isinstance(found, Policy):
        return found
    if callable(found) and not isinstance(found, type):
        return Policy(name, (found.__doc__ or "").strip().split("\n")[0], found)
    raise BrokenPlugin(f"policy {name!r} is a {type(found).__name__}, not a function or a sims.core.game.Policy")


@cache
def _plugins(group: str) -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=group)}


@cache
def _load(what: str, plugin: EntryPoint) -> Any:
    try:
        return plugin.load()
    except (Exception, SystemExit) as error:
        raise BrokenPlugin(f"{what} (plug-in {plugin.value}) cannot be loaded: {reason(error)}") from error
