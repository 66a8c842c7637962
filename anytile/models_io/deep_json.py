"""JSON parser and writer without recursion: with a stack of its own, a list of a hundred thousand cells passes.

What is read and written is JSON as Python's `json` has it (with NaN and Infinity), and what is wrong is a ValueError
that says where.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

_FLAT = re.compile(r'\[[^\[\]{}"]*\]')  # a list of numbers: by far the most, and for `json` to read
_SPACE = re.compile(r"[ \t\r\n]*")
_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"')
_WORD = re.compile(r"[-+.\w]+")


def parse(text: str) -> Any:
    """What a text says; objects name each key once."""
    reader = _Reader(text)
    parents: list[tuple[list[Any] | dict[str, Any], str]] = []  # what is open, and the key whose value is due
    while True:
        sign = reader.sign()
        if sign == "[" and not _FLAT.match(text, reader.at):
            reader.at += 1
            parents.append(([], ""))
            continue
        if sign == "{":
            reader.at += 1
            if reader.sign() != "}":
                parents.append(({}, reader.key({})))
                continue
            reader.at += 1
            value: Any = {}
        else:
            value = reader.plain(_FLAT if sign == "[" else _STRING if sign == '"' else _WORD)
        while parents:
            parent, key = parents.pop()
            if isinstance(parent, list):
                parent.append(value)
            else:
                parent[key] = value
            if reader.take(",", "]" if isinstance(parent, list) else "}"):
                parents.append((parent, "" if isinstance(parent, list) else reader.key(parent)))
                break
            value = parent
        else:
            if reader.sign():
                raise reader.wrong("expected nothing more")
            return value


@dataclass
class _Reader:
    """A text, and how far it is read."""

    text: str
    at: int = 0

    def sign(self) -> str:
        """The next character that says something; nothing at the end."""
        found = _SPACE.match(self.text, self.at)
        assert found is not None
        self.at = found.end()
        return self.text[self.at : self.at + 1]

    def take(self, more: str, end: str) -> bool:
        """Whether the one comes next; else the other must."""
        sign = self.sign()
        if not sign or sign not in more + end:
            raise self.wrong(f"expected {more!r} or {end!r}")
        self.at += 1
        return sign == more

    def key(self, known: dict[str, Any]) -> str:
        """The key of an object and its colon."""
        if self.sign() != '"':
            raise self.wrong("expected a key in quotes")
        key = str(self.plain(_STRING))
        if key in known:
            raise self.wrong(f"{key[:40]!r} stands twice in an object; expected each key once")
        if self.sign() != ":":
            raise self.wrong("expected ':'")
        self.at += 1
        return key

    def plain(self, form: re.Pattern[str]) -> Any:
        """A value without anything open in it."""
        found = form.match(self.text, self.at)
        try:
            value = json.loads(found.group() if found else "")
        except ValueError as error:
            raise self.wrong(getattr(error, "msg", "not a number that can be read").lower()) from None
        self.at += len(found.group()) if found else 0
        return value

    def wrong(self, what: str) -> ValueError:
        line = self.text.count("\n", 0, self.at) + 1
        column = self.at - self.text.rfind("\n", 0, self.at)
        return ValueError(f"line {line}, column {column}: {what}")


@dataclass(frozen=True, slots=True)
class _Text:
    """On the stack: text as it is."""

    text: str


def text_of(value: Any) -> str:
    """What `parse` reads, on one line."""
    written: list[str] = []
    waiting: list[Any] = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, _Text):
            written.append(item.text)
        elif isinstance(item, dict):
            written.append("{")
            waiting.append(_Text("}"))
            for place, (key, part) in reversed(list(enumerate(item.items()))):
                waiting += (part, _Text(f"{', ' if place else ''}{json.dumps(key)}: "))
        elif isinstance(item, list) and any(isinstance(part, list | dict) for part in item):
            written.append("[")
            waiting.append(_Text("]"))
            for place, part in reversed(list(enumerate(item))):
                waiting += (part, _Text(", " if place else ""))
        else:
            written.append(json.dumps(item))
    return "".join(written)
