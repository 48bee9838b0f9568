"""The folder of compiled rules, for `lab cache`."""

import re
from pathlib import Path
from shutil import rmtree

from sims.core.kernel import cache_folder, cache_home

NAME = re.compile("[0-9a-f]{16}")
"""Of the folder of one version of the sources."""


def _folders() -> list[Path]:
    home = cache_home()
    return (
        sorted(path for path in home.iterdir() if path.is_dir() and NAME.fullmatch(path.name)) if home.is_dir() else []
    )


def describe() -> str:
    """Where it is, which folder is in use, how large all are."""
    current, folders = cache_folder(), _folders()
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    size = sum(path.stat().st_size for path in files) / 1e6
    return (
        f"compiled rules: {cache_home()}\n"
        f"{len(folders)} versions of the sources, {len(files)} files, {size:.1f} MB; in use: {current.name}"
    )


def clear() -> str:
    """Delete them all."""
    folders = _folders()
    for folder in folders:
        rmtree(folder)
    return f"deleted {len(folders)} folders in {cache_home()}"
