"""The table beside a program's compiled runs: what their caller must know of each, as a constant of their module.

Code that comes from the cache brings it along, so nobody has to emit the runs again to call them.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from itertools import islice

from anytile.vm.native.regions import Interface

INTERFACES = "anytile_interfaces"


def interfaces_text(runs: Sequence[Interface]) -> str:
    """LLVM IR of a table that stands beside compiled runs: how many words follow, and each run in words."""
    words: list[int] = []
    for r in runs:
        branches = r.branches or ()
        words += [r.function, r.begin, r.end, r.cells, len(r.frees), len(r.leaves), len(branches)]
        words += [*r.frees, *r.leaves, *branches]
    numbers = ", ".join(f"i64 {word}" for word in (len(words), *words))
    return f"@{INTERFACES} = constant [{1 + len(words)} x i64] [{numbers}]\n"


def interfaces(address: int) -> Iterator[Interface]:
    """The runs that a table at an address names."""
    count = ctypes.c_int64.from_address(address).value
    words = iter((ctypes.c_int64 * count).from_address(address + ctypes.sizeof(ctypes.c_int64)))
    for function in words:
        begin, end, cells, frees, leaves, branches = islice(words, 6)
        registers = tuple(islice(words, frees)), tuple(islice(words, leaves))
        to = (next(words), next(words)) if branches else None
        yield Interface(function, begin, end, *registers, cells, to)
