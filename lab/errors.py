"""What can go wrong, as one tree.

LabError                 exit code 1
├── BadInput             exit code 2: what the user gave cannot be used; nothing was written
│   └── BrokenPlugin     a game or a policy from elsewhere that cannot be loaded
├── IllegalAction        a policy broke the rules of its game
├── PolicyFailed         a policy could not be compiled, prepared or run
└── Incomplete           some blocks could not be played; what was played is kept
"""

from sims.core.errors import BadInput, LabError, unknown

__all__ = [
    "POLICY_ERRORS",
    "BadInput",
    "BrokenPlugin",
    "IllegalAction",
    "Incomplete",
    "LabError",
    "PolicyFailed",
    "reason",
    "unknown",
]


class BrokenPlugin(BadInput):
    """A game or a policy that is announced, but cannot be loaded."""


class IllegalAction(LabError):
    """A policy answered what the rules do not allow."""


POLICY_ERRORS = (Exception, SystemExit, GeneratorExit)
"""What a policy may raise that is its own failure and not the end of the command."""


class PolicyFailed(LabError):
    """A policy could not be compiled, prepared or run."""

    def __init__(self, title: str, error: BaseException) -> None:
        super().__init__(f"policy {title!r} failed: {reason(error)}")


class Incomplete(LabError):
    """Some blocks could not be played."""


def reason(error: BaseException) -> str:
    """An error of somebody else's code in one line."""
    return f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
