"""Tables that policies prepare, kept beside the compiled kernels when they take long to work out.

    tables = tabulate(make_tables, argument, ...)

calls `make_tables(argument, ...)`, which must depend on nothing else, or reads what it returned before. The folder is
that of the machine code (`sims.core.kernel`), so an edit of any source makes the tables anew.
"""

import hashlib
import os
from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

import numpy as np

from sims.core.kernel import cache_folder

T = TypeVar("T", bound=tuple[Any, ...])


@cache
def tabulate(kind: type[T], make: Callable[..., T], *arguments: Any) -> T:
    """What `make(*arguments)` returns: a `kind`, a named tuple of arrays and numbers. Its arrays are read-only.

    make: a function of a module; arguments: numbers, booleans or strings. Kept in memory, too.
    """
    name = f"{make.__module__}.{make.__qualname__}{arguments!r}"
    path = cache_folder() / f"table-{hashlib.sha256(name.encode()).hexdigest()[:16]}.npz"
    fields: Any = kind._fields  # type: ignore[attr-defined]
    if path.is_file():
        with np.load(path) as kept:
            values = [kept[field] for field in fields]
    else:
        values = [np.asarray(value) for value in make(*arguments)]
        own = path.with_name(f"{path.stem}-{os.getpid()}.npz")
        np.savez(own, **dict(zip(fields, values, strict=True)))
        own.replace(path)
    for value in values:
        value.flags.writeable = False
    return kind(*(value if value.ndim else value.item() for value in values))
