"""What a kernel needs of the prelude: reading all of it takes a compiler a third as long as compiling a small kernel.

The functions that are left out are those that no kept text names, so the kernel means the same.
"""

from __future__ import annotations

import functools
import re

from anytile.codegen.cuda.prelude import PRELUDE_DEVICE

_NAME = re.compile(r"\bat_\w+")
_START = re.compile(r"^(?:template <[^>]*> )?(?:AT_DEVICE|AT_OPERATION) [^(]*?\b(at_\w+)\(", re.M)


def with_needed(text: str) -> str:
    """The text with as much of the prelude, which it begins with, as the rest of it calls."""
    if not text.startswith(PRELUDE_DEVICE):
        return text
    kernel = text.removeprefix(PRELUDE_DEVICE)
    functions = [(name, body) for name, body in _pieces() if name]
    wanted, found = set(_NAME.findall(kernel)), set[str]()
    while wanted - found:
        fresh, found = wanted - found, found | wanted
        for name, body in functions:
            if name in fresh:
                wanted |= set(_NAME.findall(body))
    return "".join(body for name, body in _pieces() if not name or name in wanted) + kernel


@functools.cache
def _pieces() -> tuple[tuple[str, str], ...]:
    """The prelude as functions, by name, and what stands between them, without one."""
    pieces, end = [], 0
    for match in _START.finditer(PRELUDE_DEVICE):
        if match.start() < end:
            continue
        pieces.append(("", PRELUDE_DEVICE[end : match.start()]))
        end = _end(match.end())
        pieces.append((match[1], PRELUDE_DEVICE[match.start() : end]))
    return (*pieces, ("", PRELUDE_DEVICE[end:]))


def _end(at: int) -> int:
    """Behind the brace that closes the function whose head is here."""
    depth, at = 0, PRELUDE_DEVICE.index("{", PRELUDE_DEVICE.index(")", at))
    while True:
        depth += (PRELUDE_DEVICE[at] == "{") - (PRELUDE_DEVICE[at] == "}")
        at += 1
        if depth == 0:
            return at
