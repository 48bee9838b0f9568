"""Documents: a YAML file as values that know where they stand.

`read_document` gives a `Given`, a value with its place, and keeps hostile files within limits: every error is one line
with file and line number, found within a second.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

from ruamel.yaml import YAML, events
from ruamel.yaml.error import MarkedYAMLError
from ruamel.yaml.nodes import ScalarNode
from ruamel.yaml.reader import ReaderError

from sims.core.errors import BadInput, unknown

MAX_BYTES = 200_000
"""So that any file, however hostile, is refused within a second."""
MAX_VALUES = 10_000
"""In a file, with what stands behind each alias: a bomb holds more."""
MAX_DEPTH = 50
NAME = re.compile(r"\w[\w .+-]{0,99}")

LONGEST_NUMBER = 1000
"""Characters; what is longer stays text, and is refused as such."""


@dataclass(frozen=True)
class Given:
    """What a user gave, and where."""

    value: Any
    """A scalar, a list of Given, or a dict of Given."""
    where: str = ""
    """`policies[1]`, `--set start_life`."""
    line: str = ""
    """`configs/viking.yaml:7:`, empty for the command line."""
    raw: bool = False
    """Text that is still to be read, as its knob or weight wants it: `below=3`."""

    @property
    def shown(self) -> str:
        """The value as it stands in messages: in quotes if it is text, cut if it is long."""
        if isinstance(self.value, dict | list):
            return "a mapping" if isinstance(self.value, dict) else "a list"
        if self.value is None or isinstance(self.value, bool):
            return {None: "null", True: "true", False: "false"}[self.value]
        text = repr(self.value)
        return text if len(text) <= 80 else text[:60] + "..." + text[-1:] * isinstance(self.value, str)

    def error(self, text: str) -> BadInput:
        return BadInput(" ".join(part for part in (self.line, self.where, text) if part))

    def wrong(self, text: str) -> BadInput:
        """The error whose text begins with the value."""
        return self.error(f"{self.shown} {text}")

    def wrong_key(self, what: str, key: str, allowed: Iterable[str]) -> BadInput:
        """The error that this mapping has a key which is not `what`."""
        value: Given = self.value[key]
        return replace(value, where=self.where).error(unknown(what, key[:200], allowed))

    def named(self, label: str) -> dict[str, "Given"]:
        """The value as a mapping; nothing at all is an empty one."""
        if self.value is None:
            return {}
        if not isinstance(self.value, dict):
            raise self.wrong(f"is not a mapping of {label}")
        return self.value


def scalar(text: str) -> Any:
    """Plain text as YAML 1.2 reads it: a number, true, null, or text."""
    yaml = _yaml()
    tag = str(yaml.resolver.resolve(ScalarNode, text, (True, False))).rpartition(":")[2]
    if tag not in ("int", "float", "bool", "null") or len(text) > LONGEST_NUMBER:
        return text
    try:
        return getattr(yaml.constructor, f"construct_yaml_{tag}")(ScalarNode(tag, text))
    except (ValueError, IndexError):  # "-_" looks like a number
        return text


@cache
def _yaml() -> Any:
    return YAML(typ="safe", pure=True)


def one_line(text: object) -> str:
    return " ".join(str(text).split())


def read_document(path: Path, kind: str, needs: str) -> Given:
    """The one document in a file, which is a `kind` ("study") that needs at least `needs` ("game and policies")."""
    shown = " ".join(str(path).splitlines())
    try:
        if path.is_dir():
            raise BadInput(f"{shown}: a folder, not a file with a {kind}")
        if not path.is_file():
            raise BadInput(f"{shown}: no such file")
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        raise BadInput(f"{shown}: cannot be read: {getattr(error, 'strerror', None) or error}") from error
    if len(content) > MAX_BYTES:
        raise BadInput(f"{shown}: larger than {MAX_BYTES:,} bytes; a {kind} is not")
    return _Tree(shown, kind, needs).read(_decoded(shown, content))


def _decoded(path: str, content: bytes) -> str:
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise BadInput(f"{path}:1: UTF-16; save it as UTF-8")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise BadInput(f"{path}:{line}: byte 0x{content[error.start]:02x} is not UTF-8") from None


@dataclass
class _Open:
    """A list or a mapping of which more is to come."""

    value: list[Given] | dict[str, Given]
    where: str
    line: int
    anchor: str | None
    size: int = 1
    """Values, this one and those behind aliases included."""
    height: int = 1
    """Levels."""
    key: str | None = None
    lines: dict[str, int] = field(default_factory=dict)
    """Where each key stands."""


class _Tree:
    """Builds the values of a document from ruamel's events, each with its line and within the limits.

    Nothing is recursive, and an alias is the value itself, not a copy: what a bomb would hold is only counted.
    """

    def __init__(self, path: str, kind: str, needs: str) -> None:
        self.path, self.kind, self.needs = path, kind, needs
        self.line = 1
        self.size = 0
        self.root: Given | None = None
        self.documents = 0
        self.open: list[_Open] = []
        self.anchors: dict[str, tuple[Given, int, int]] = {}
        """Value, size and height by name."""

    def read(self, text: str) -> Given:
        try:
            for event in YAML(typ="safe", pure=True).parse(text):
                self.line = event.start_mark.line + 1
                self.take(event)
        except BadInput:
            raise
        except Exception as error:  # ruamel also raises ValueError, IndexError, ... for some texts that are not YAML
            raise self._not_yaml(text, error) from error
        if self.root is None or self.root.value is None:
            self.line = 1
            self.refuse(f"empty; a {self.kind} needs at least {self.needs}")
        return self.root

    def refuse(self, text: str) -> NoReturn:
        raise BadInput(f"{self.path}:{self.line}: {text}")

    def _not_yaml(self, text: str, error: Exception) -> BadInput:
        reason = f"{type(error).__name__} {error}"
        if isinstance(error, MarkedYAMLError):
            mark = error.problem_mark or error.context_mark
            self.line = mark.line + 1 if mark else self.line
            reason = f"{error.problem or ''} {error.context or ''}"
        elif isinstance(error, ReaderError):
            self.line = text.count("\n", 0, error.position) + 1
            reason = f"character {error.character:#x} is not allowed"
        hint = "a tab; indent with blanks: " if "'\\t'" in reason else ""
        return BadInput(f"{self.path}:{self.line}: not YAML: {hint}{one_line(reason)[:200]}")

    def take(self, event: Any) -> None:
        match event:
            case events.DocumentStartEvent():
                self._start(event)
            case events.AliasEvent():
                self._alias(event.anchor)
            case events.ScalarEvent():
                self._untagged(event)
                self._scalar(event)
            case events.CollectionStartEvent():
                self._untagged(event)
                self._push([] if isinstance(event, events.SequenceStartEvent) else {}, event.anchor)
            case events.CollectionEndEvent():
                self._pop()

    def _start(self, event: Any) -> None:
        self.documents += 1
        if self.documents > 1:
            self.refuse(f"a second document; a {self.kind} is one, without '---' inside")
        if event.version not in (None, (1, 2)):
            self.refuse(f"YAML {'.'.join(map(str, event.version))[:20]}; a {self.kind} is YAML 1.2")

    def _untagged(self, event: Any) -> None:
        if event.tag is not None:
            self.refuse(f"tag {str(event.tag)[:80]!r}; a {self.kind} has no tags")

    def _alias(self, name: str) -> None:
        if self._at_key():
            self.refuse(f"alias {name[:80]!r} as a key; keys are names")
        if name not in self.anchors:
            self.refuse(f"alias {name[:80]!r} of nothing that was complete before it")
        target, size, height = self.anchors[name]
        if len(self.open) + height > MAX_DEPTH:
            self.refuse(f"more than {MAX_DEPTH} levels")
        self._count(size)
        self._add(target.value, self._where(), self._line(), size, height)

    def _scalar(self, event: Any) -> None:
        self._count(1)
        value = scalar(event.value) if event.implicit[0] else event.value
        if self._at_key():
            self._key(value)
        else:
            self._add(value, self._where(), self._line(), 1, 0, event.anchor)

    def _key(self, key: Any) -> None:
        parent = self.open[-1]
        if not isinstance(key, str):
            self.refuse(f"key {Given(key).shown} is not a name")
        if key in parent.lines:
            self.refuse(f"{key[:80]!r} stands twice; first in line {parent.lines[key]}")
        parent.key = key
        parent.lines[key] = self.line

    def _push(self, value: list[Given] | dict[str, Given], anchor: str | None) -> None:
        if self._at_key():
            self.refuse("a list or a mapping as a key; keys are names")
        if len(self.open) >= MAX_DEPTH:
            self.refuse(f"more than {MAX_DEPTH} levels")
        self._count(1)
        self.open.append(_Open(value, self._where(), self._line(), anchor))

    def _pop(self) -> None:
        done = self.open.pop()
        value = _merged(done.value) if isinstance(done.value, dict) and "<<" in done.value else done.value
        self._add(value, done.where, done.line, done.size, done.height, done.anchor)

    def _add(self, value: Any, where: str, line: int, size: int, height: int, anchor: str | None = None) -> None:
        """A value is complete: it goes into the list or the mapping that is open."""
        given = Given(value, where, f"{self.path}:{line}:")
        if anchor is not None:
            self.anchors[anchor] = given, size, height
        if not self.open:
            self.root = given
            return
        parent = self.open[-1]
        parent.size += size
        parent.height = max(parent.height, height + 1)
        if isinstance(parent.value, list):
            parent.value.append(given)
        elif parent.key is not None:
            parent.value[parent.key] = given
            parent.key = None

    def _count(self, size: int) -> None:
        self.size += size
        if self.size > MAX_VALUES:
            self.refuse(f"more than {MAX_VALUES:,} values, aliases counted as what they stand for")

    def _at_key(self) -> bool:
        return bool(self.open) and isinstance(self.open[-1].value, dict) and self.open[-1].key is None

    def _line(self) -> int:
        """Where the next value stands: in a mapping, its key."""
        return self.open[-1].lines.get(self.open[-1].key or "", self.line) if self.open else self.line

    def _where(self) -> str:
        """What the next value is called."""
        if not self.open:
            return ""
        parent = self.open[-1]
        if isinstance(parent.value, list):
            return f"{parent.where}[{len(parent.value)}]"
        key = parent.key or ""
        return f"{parent.where}." * bool(parent.where) + (key if NAME.fullmatch(key) else repr(key[:40]))


def _merged(fields: dict[str, Given]) -> dict[str, Given]:
    """A mapping with what its `<<` says where it says nothing itself; of several mappings there, the first wins."""
    source = fields.pop("<<")
    found: dict[str, Given] = {}
    for each in reversed(source.value) if isinstance(source.value, list) else [source]:
        if not isinstance(each.value, dict):
            raise each.wrong("is not a mapping that could be merged")
        found |= each.value
    return found | fields
