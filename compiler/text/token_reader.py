"""Token stream with lookahead: takes words one after another, and says where one is not as expected."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from anytile.compiler.text.lexer import KEYWORDS, Word, words
from anytile.core.errors import SpecError

DEEPEST = 60  # expressions, types, patterns or values inside each other
LONGEST_NUMBER = 30  # digits
_T = TypeVar("_T")


class Reader:
    """Where we are in a text, and how deep in what stands in each other there."""

    def __init__(self, text: str) -> None:
        self.words = list(words(text))
        self.at = 0
        self.depth = 0

    @property
    def word(self) -> Word:
        return self.words[self.at]

    def refuse(self, said: str, word: Word | None = None) -> SpecError:
        return SpecError(f"line {(word or self.word).line}: {said}")

    def is_next(self, *texts: str) -> bool:
        return self.word.text in texts and self.word.kind in ("sign", "name")

    def accept(self, text: str) -> bool:
        if self.is_next(text):
            self.at += 1
            return True
        return False

    def expect(self, text: str) -> None:
        if not self.accept(text):
            raise self.refuse(f"expected {text!r}, got {self.word}")

    def take(self, kind: str, what: str = "") -> Word:
        found = self.word
        if found.kind != kind or (kind == "name" and found.text in KEYWORDS):
            raise self.refuse(f"expected {what or kind}, got {found}")
        self.at += kind != "end"
        return found

    @contextmanager
    def inside(self, what: str) -> Iterator[None]:
        """Within one more expression, type, pattern or value."""
        self.depth += 1
        if self.depth > DEEPEST:
            said = "bind some with let" if what == "expressions" else "expected fewer"
            raise self.refuse(f"{what} more than {DEEPEST} deep in each other; {said}")
        yield
        self.depth -= 1

    def whole(self, text: str, word: Word) -> int:
        """A whole number by its digits."""
        if not re.fullmatch(r"-?\d+", text):
            raise self.refuse(f"expected a whole number, got {word}", word)
        if len(text) > LONGEST_NUMBER:
            raise self.refuse(f"a number of {len(text)} digits", word)
        return int(text)

    def simple_name(self, what: str) -> str:
        found = self.take("name", what)
        if "." in found.text:
            raise self.refuse(f"expected {what} without a dot, got {found}", found)
        return found.text

    def listed(self, end: str, item: Callable[[], _T]) -> list[_T]:
        """Items with commas between them, and perhaps one behind them, up to the sign that ends them."""
        found = []
        while not self.accept(end):
            found.append(item())
            if not self.accept(","):
                self.expect(end)
                break
        return found
