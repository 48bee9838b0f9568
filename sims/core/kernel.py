"""How rules and policies are compiled: the only place that touches `numba.njit`.

Numba's disk cache notices an edit in the file of a function, but not in a file that it imports, and would then
silently play yesterday's rules. So the cache lives in a folder named by a hash of all that can change machine code:
every source under `sims/`, the package or the file of a function that lives elsewhere (a plug-in, a policy file), and
the versions of Python, NumPy and Numba and the processor. An edit anywhere means another folder, hence fresh code.

The folder is below `$BALANCE_LAB_CACHE`, else `$XDG_CACHE_HOME/balance-lab`, else `~/.cache/balance-lab`.
Two processes that *write* one cache can corrupt it: whoever starts workers compiles first (`lab.runner` does).
"""

import atexit
import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any, overload

os.environ.setdefault("NUMBA_DISABLE_INTEL_SVML", "1")  # the same transcendental functions on every machine

import llvmlite.binding
import numba
import numpy as np
from numba.core import config

WITHOUT_KERNELS = {"describe.py", "exact.py"}
SIMS = Path(__file__).resolve().parents[1]


def cache_home() -> Path:
    """The folder that holds one sub-folder a version of the sources."""
    if chosen := os.environ.get("BALANCE_LAB_CACHE"):
        return Path(chosen).absolute()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "balance-lab"


def source_hash(*folders: Path) -> str:
    """Hash of all Python sources below `folders` (files may be named too) and of what compiles them."""
    machine = (sys.version, np.__version__, numba.__version__, llvmlite.binding.get_host_cpu_name())
    digest = hashlib.sha256(repr(machine).encode())
    for folder in folders:
        for path in sorted(folder.rglob("*.py")) if folder.is_dir() else [folder]:
            if path.name in WITHOUT_KERNELS:
                continue
            digest.update(f"\0{path.relative_to(folder.parent)}\0".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


@cache
def cache_folder(extra: Path | None = None) -> Path:
    """The cache folder of today's sources; of `extra`, too, when a function comes from outside `sims/`."""
    folder = _home() / source_hash(SIMS, *([extra] if extra else []))
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@cache
def _home() -> Path:
    """The cache home if it can be written, else a temporary one for this process and its workers."""
    home, reason = Path("~/.cache/balance-lab"), ""
    try:
        home = cache_home()
        home.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=home):
            return home
    except (OSError, RuntimeError) as error:  # RuntimeError: there is no home folder
        reason = getattr(error, "strerror", None) or str(error)
    temporary = tempfile.mkdtemp(prefix="balance-lab-")
    atexit.register(_remove_if_mine, temporary, os.getpid())
    os.environ["BALANCE_LAB_CACHE"] = temporary  # workers inherit it
    print(f"lab: kernel cache {home} cannot be written ({reason}); compiling into a temporary folder", file=sys.stderr)
    return Path(temporary)


def _remove_if_mine(folder: str, owner: int) -> None:
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)


def package_of(path: Path) -> Path:
    """The top package that a file belongs to, or the file itself."""
    top = path
    while (top.parent / "__init__.py").is_file():
        top = top.parent
    return top


def _outside(function: Callable[..., Any]) -> Path | None:
    """What else the function's code depends on when it is not part of `sims/`."""
    path = Path(function.__code__.co_filename).resolve()
    return None if SIMS in path.parents or not path.is_file() else package_of(path)


@overload
def kernel(function: Callable[..., Any], *, inline: bool = ..., pasted: bool = ...) -> Any: ...
@overload
def kernel(function: None = ..., *, inline: bool = ..., pasted: bool = ...) -> Callable[[Callable[..., Any]], Any]: ...
def kernel(function: Callable[..., Any] | None = None, *, inline: bool = False, pasted: bool = False) -> Any:
    """Compile `function` when it is first called, or load it from the cache.

    Integers wrap, nothing is checked for bounds, the GIL is released, floating point is not reordered. With
    `inline=True` the function is melted into its callers, which small functions of scalars want: a loop over lanes
    with a call in it is not vectorised, and LLVM alone does not inline ten rounds of Philox (8 times slower).
    With `pasted=True` its source is, as it were, which functions want that return records: a call cannot give those.
    With `NUMBA_DISABLE_JIT=1` the plain Python function comes back.
    """
    if function is None:
        return lambda wrapped: kernel(wrapped, inline=inline, pasted=pasted)
    return _compiled(function, [function], inline=inline, pasted=pasted)


def _has_file(function: Callable[..., Any]) -> bool:
    """Not so for what was typed at a prompt."""
    return Path(function.__code__.co_filename).is_file()


def _compiled(
    function: Callable[..., Any],
    parts: Sequence[Callable[..., Any]],
    *,
    inline: bool = False,
    pasted: bool = False,
    on_disk: bool = True,
) -> Any:
    """parts: the functions whose code decides which cache folder it is."""
    if config.DISABLE_JIT:
        return function
    outside = next((path for path in map(_outside, parts) if path), None)
    config.CACHE_DIR = str(cache_folder(outside))  # read by Numba at this moment, once a function
    return numba.njit(
        cache=on_disk and all(map(_has_file, parts)),
        nogil=True,
        error_model="numpy",
        forceinline=inline,
        inline="always" if pasted else "never",
    )(function)


def plain(function: Callable[..., Any]) -> Any:
    """The Python function that a kernel was made of."""
    return getattr(function, "py_func", function)


def bound(template: Callable[..., Any], **parts: Callable[..., Any]) -> Any:
    """A kernel of its own: a template in which these global names are these functions.

    A kernel that takes functions as arguments is compiled by every process anew, and calls them by their address,
    which costs more than many of them take. This one is kept on disk like any other, under a name made of its parts
    (unless one of them is a closure, whose name does not say what it does), and they are melted into it. If one of them
    is no kernel, what comes back is plain Python, too.
    """
    function, plains = plain(template), {name: plain(part) for name, part in parts.items()}
    is_kernel = all(part is not plains[name] for name, part in parts.items())
    names = parts if is_kernel else plains
    made = FunctionType(function.__code__, function.__globals__ | names, function.__name__, function.__defaults__)
    made.__module__, made.__doc__ = function.__module__, function.__doc__
    if not is_kernel:
        return made
    named = [f"{each.__module__}.{each.__qualname__}:{each.__code__.co_firstlineno}" for each in plains.values()]
    made.__qualname__ = f"{function.__qualname__}_{hashlib.sha256(repr((*parts, *named)).encode()).hexdigest()[:16]}"
    on_disk = not any(each.__closure__ for each in plains.values())
    return _compiled(made, [function, *plains.values()], on_disk=on_disk)


def specialised(function: Callable[..., Any], *arguments: Any) -> Callable[..., Any]:
    """The machine code of a kernel for arguments of exactly these types; a plain function comes back as it is.

    Numba looks up the types at every call, which takes longer than many a kernel: 3 of 4 microseconds for a view. Who
    calls what comes back must keep to the types.
    """
    compile_for: Any = getattr(function, "compile", None)
    return compile_for(tuple(map(numba.typeof, arguments))) if compile_for else function
