"""Escaping of control characters in what people read: whatever a file or a record holds, a terminal shows it.

Escape sequences, texts that run from right to left and lone surrogates come out as `\\u001b`; JSON stays JSON. An error
is one line of bounded length, whatever it quotes: its beginning says where, its end what to do.
"""

from __future__ import annotations

import re
from typing import TextIO

LONGEST = 2000  # characters of an error
_TAIL = 500  # of them, where one is cut
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_BREAKS = re.compile("[ \t]*[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029][\\s]*")


def printable(text: str) -> str:
    """The text, with what steers a terminal escaped; line ends and tabs stay."""
    return text if text.isprintable() else _CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def one_line(text: str) -> str:
    """An error's text on one line, escaped, and cut in the middle where it is too long."""
    if len(text) > LONGEST:
        text = f"{text[: LONGEST - _TAIL]} ... ({len(text)} characters) ... {text[-_TAIL:]}"
    return text if text.isprintable() else printable(_BREAKS.sub(" ", text.strip()).replace("\t", " "))


def say(*texts: object, file: TextIO | None = None, flush: bool = False) -> None:
    """`print`, for a person: nothing in the texts steers the terminal."""
    print(*(printable(str(text)) for text in texts), file=file, flush=flush)
