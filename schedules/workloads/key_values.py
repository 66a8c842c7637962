"""Lists as `m=?, n=768, f=max(y, 0)`: the pairs that workloads are written in, cut at commas outside of brackets."""

from __future__ import annotations

import re
from collections.abc import Iterator

from anytile.core.errors import SpecError

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


def pairs(text: str, where: str) -> Iterator[tuple[str, str]]:
    """Names and values in the order of the text; `where` begins the error of what is neither."""
    for part in filter(None, (p.strip() for p in _parts(text))):
        key, eq, value = part.partition("=")
        key = key.strip()
        if not eq or not NAME.match(key):
            joined = "; x joins the numbers of an attribute, as in stride=2x1" if part.lstrip("-").isdigit() else ""
            raise SpecError(f"{where}: {part!r} is not name=value; expected a list like m=?,n=768,k=768{joined}")
        yield key, value.strip()


def _parts(text: str) -> Iterator[str]:
    """The text cut at commas that stand in no brackets."""
    start = depth = 0
    for i, letter in enumerate(text):
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and depth <= 0:
            yield text[start:i]
            start = i + 1
    yield text[start:]
