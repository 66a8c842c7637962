"""Numbers in words: things counted, `1 trial`, `2 trials`, and ratios written out, `330` and never `3.3e+02`.

Everything that tells people a number of things, or how many times as slow, long or large something is, asks here.
"""

from __future__ import annotations

from decimal import Decimal


def counted(count: int, noun: str) -> str:
    """The number and the noun, which is given as for one and takes an s for others."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def rounded(ratio: float, digits: int = 2) -> str:
    """To so many significant digits."""
    return f"{Decimal(f'{ratio:.{digits}g}'):f}"
