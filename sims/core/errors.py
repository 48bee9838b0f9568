"""What goes wrong because of what a user gave: one clear line, no traceback."""

from collections.abc import Iterable
from difflib import get_close_matches


class LabError(Exception):
    """Base of all errors that are for the user: one clear line, no traceback."""

    exit_code = 1


class BadInput(LabError):
    """What was given, where, what is allowed."""

    exit_code = 2


def unknown(what: str, found: object, allowed: Iterable[str]) -> str:
    """`'treshold' is not a policy of viking; did you mean 'threshold'? (healer, keep, ...)`"""
    names = sorted(allowed)
    close = get_close_matches(str(found), names, n=1)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    between = "; " if any("," in name for name in names) else ", "
    return f"{str(found)[:80]!r} is not {what}{hint} ({between.join(names) or 'none'})"
