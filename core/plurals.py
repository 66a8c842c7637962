"""Things counted in words: `1 trial`, `2 trials`. Everything that tells people a number of things asks here."""

from __future__ import annotations


def counted(count: int, noun: str) -> str:
    """The number and the noun, which is given as for one and takes an s for others."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
