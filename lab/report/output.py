"""What a notebook shows: pictures with captions, tables, figures in words."""

import base64
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

import numpy as np
import pandas as pd

from lab.report.page import CAPTION
from lab.tables import Figure

NUMBER = re.compile(r"(-|-?[\d.,]+( %)?( ± [\d.]+( %| points)?)?( \([^()]+ to [^()]+\))?)?")
"""A figure as it is written here, or none (`-`), or nothing."""
DPI, SHOWN = 144, 100
"""Points an inch: drawn, and shown (a fine screen has more than one to the other)."""
LONG = 36
"""Letters of a text in a table that may be broken into lines."""
PLAIN = 20
"""Lines of a table in plain text, which only those see who cannot see the table."""
SIGNS = re.compile(r"[\\`*\[\]<$~&]|(?<!\w)_|_(?!\w)")
"""What Markdown would not leave as it is."""


# Figures in words


def percent(row: Any, digits: int = 1) -> str:
    """`57.7 % (57.6 to 57.8)`"""
    estimate, low, high = (f"{100 * each:.{digits}f}" for each in (row.estimate, row.low, row.high))
    return f"{estimate} % ({low} to {high})"


def plus_minus(row: Any, *, percent: bool = False) -> str:
    """`3.352 ± 0.006`, with as many digits as mean something."""
    return str(Figure(row.estimate, row.low, row.high, percent)) + (" %" if percent else "")


def points(row: Any) -> str:
    """A difference of shares: `-0.20 ± 0.13 points`, percentage points."""
    return f"{Figure(row.estimate, row.low, row.high, True)} points"


def safe(text: object) -> str:
    """Text of a user as it is, wherever Markdown would read signs into it."""
    return SIGNS.sub(lambda found: f"&#{ord(found[0])};", " ".join(str(text).split()))


def say(text: str) -> None:
    """Show Markdown."""
    _display({"text/markdown": text, "text/plain": text})


# Pictures and tables


def show(axes: Any, caption: str = "") -> None:
    """Show a picture with what it says, and of how many plays."""
    import matplotlib.pyplot as plt

    figure, file = axes.figure, io.BytesIO()
    figure.savefig(file, format="png", dpi=DPI, metadata={"Software": None})
    plt.close(figure)
    shown = {"alt": caption, "width": round(figure.get_figwidth() * SHOWN)}
    picture, title = base64.b64encode(file.getvalue()).decode(), axes.get_title("left")
    _display({"image/png": picture, "text/plain": f"[picture: {title}]"}, {"image/png": shown})
    _caption(caption)


def table(lines: pd.DataFrame | Sequence[Mapping[str, Any]], caption: str = "") -> None:
    """Show a table: a list of lines, or a pandas table without its index. Numbers stand to the right."""
    rows = lines.to_dict("records") if isinstance(lines, pd.DataFrame) else list(lines)
    names = list(lines) if isinstance(lines, pd.DataFrame) else list(dict.fromkeys(n for row in rows for n in row))
    numbers = [name for name in names if all(_is_number(row.get(name, "")) for row in rows)]
    texts = [[_text(row.get(name, "")) for name in names] for row in rows]
    head, *body = (
        "".join(_cell(tag, text, name in numbers) for name, text in zip(names, line, strict=True))
        for tag, line in (("th", names), *(("td", line) for line in texts))
    )
    rest = "\n".join(f"<tr>{line}</tr>" for line in body)
    html = f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rest}\n</tbody>\n</table>"
    plain = "\n".join(" | ".join(line) for line in [names, *texts[:PLAIN]])
    _display({"text/html": html, "text/plain": plain + "\n..." * (len(texts) > PLAIN)})
    _caption(caption)


def _is_number(value: Any) -> bool:
    if isinstance(value, str):
        return NUMBER.fullmatch(value) is not None
    return isinstance(value, int | float | Figure | np.number) and not isinstance(value, bool)


def _text(value: Any) -> str:
    if isinstance(value, bool | np.bool_):
        return str(bool(value)).lower()
    if isinstance(value, tuple | list):
        return ", ".join(map(str, value)) or "none"
    if isinstance(value, int | np.integer):
        return f"{int(value):,}" if abs(int(value)) >= 1_000 else str(value)
    if isinstance(value, float | np.floating):
        return "-" if np.isnan(value) else f"{value:.4g}"
    return str(value)


def _cell(tag: str, text: object, number: bool) -> str:
    side = "right" if number else "left"
    long = ' class="long"' if len(str(text)) > LONG else ""
    return f'<{tag}{long} style="text-align:{side}">{escape(str(text))}</{tag}>'


def _caption(text: str) -> None:
    if text:
        _display({"text/markdown": text, "text/plain": text}, {"lab": CAPTION})


def _display(data: dict[str, str], metadata: dict[str, Any] | None = None) -> None:
    from IPython import get_ipython
    from IPython.display import display

    if get_ipython() is None:  # plain Python
        print(data["text/plain"])
    else:
        display(data, raw=True, metadata=metadata or {})


def listed(names: Iterable[object]) -> str:
    """`a, b and c`"""
    *some, last = map(str, names)
    return f"{', '.join(some)} and {last}" if some else last
