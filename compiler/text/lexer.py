"""Lexer of the text form: its words, each with its line. Whatever is no word is refused with its place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from anytile.core.errors import SpecError

# What begins a declaration (const, data, def) is none: an input may be called data.
KEYWORDS = frozenset({"else", "false", "fn", "if", "inf", "let", "match", "nan", "true"})


@dataclass(frozen=True, slots=True)
class WordKind:
    """One kind of words: its pattern, which those before it leave to it, and what it is for."""

    name: str
    pattern: str
    doc: str


KINDS = (
    WordKind("space", r"[ \t\r\n]+|#[^\n]*", "stands between words; what follows # in a line is a comment"),
    WordKind("text", r'"(?:[^"\\\n]|\\.)*"', "a text in quotes, as JSON has it"),
    WordKind("constant", r"\$[\w.]*\w", "the name of a constant"),
    WordKind("symbol", r"\?[A-Za-z_]\w*|\?", "a dimension unknown until run time; equal names are equal dimensions"),
    WordKind(
        "number",
        r"-?(?:inf\b|(?:\d+\.\d*|\d+)(?:[eE][+-]?\d+)?(?:i32\b)?)",
        "int64; int32 with i32 behind it; float32 with a point or an exponent",
    ),
    WordKind("name", r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*", "a name, of an operator also with dots, or a keyword"),
    WordKind("sign", r"->|=>|[()\[\]{},:;=.@]", "a sign"),
)
_WORDS = re.compile("|".join(f"(?P<{kind.name}>{kind.pattern})" for kind in KINDS))


@dataclass(frozen=True, slots=True)
class Word:
    """A token, with its line."""

    kind: str  # text, constant, symbol, number, name, sign, or end
    text: str
    line: int

    def __str__(self) -> str:
        return "the end" if self.kind == "end" else repr(self.text)


OPERATOR = "operator."  # before the name of an operator, where something else is called so
_NAME = re.compile(next(kind.pattern for kind in KINDS if kind.name == "name"))


def is_name(text: str) -> bool:
    """Whether it is one word that may name something."""
    return _NAME.fullmatch(text) is not None and text not in KEYWORDS


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
