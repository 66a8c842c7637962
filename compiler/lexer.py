"""The words of the text form, each with its line. Whatever is no word is refused with its place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from anytile.schedules.errors import SpecError

KEYWORDS = frozenset({"const", "data", "def", "else", "false", "fn", "if", "inf", "let", "match", "nan", "true"})
_WORDS = re.compile(
    r"""(?P<space>[ \t\r\n]+|\#[^\n]*)
      | (?P<text>"(?:[^"\\\n]|\\.)*")
      | (?P<constant>\$[\w.]*\w)
      | (?P<symbol>\?[A-Za-z_]\w*|\?)
      | (?P<number>-?(?:inf\b|(?:\d+\.\d*|\d+)(?:[eE][+-]?\d+)?(?:i32\b)?))
      | (?P<name>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)
      | (?P<sign>->|=>|[()\[\]{},:;=.@])""",
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Word:
    kind: str  # text, constant, symbol, number, name, sign, or end
    text: str
    line: int

    def __str__(self) -> str:
        return "the end" if self.kind == "end" else repr(self.text)


def words(text: str) -> Iterator[Word]:
    at, line = 0, 1
    while at < len(text):
        found = _WORDS.match(text, at)
        if found is None:
            raise SpecError(f"line {line}: {text[at : at + 10]!r} is no word of the model language")
        kind, piece = str(found.lastgroup), found.group()
        if kind != "space":
            yield Word(kind, piece, line)
        line += piece.count("\n")
        at = found.end()
    yield Word("end", "", line)
