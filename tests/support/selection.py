"""Test selection: `scripts/test --fast`, a newcomer's verdict in minutes, `--lesser` and `--turn` for CI.

What is marked slow is left out. Of a function marked `sampled(n)`, whose cases are many of one kind, n stay: evenly
spread over those there are, always the same ones, the first among them. Unlike what is slow, all of it runs on every
CPU that CI takes its machine for; so what is long and is wanted there is `sampled(0)`. Of what is slow `--lesser` takes
the tests of whole kernels alone.

What is slow or sampled is three quarters of all time, and most of it sweeps: one case more of what many cases try. A
change runs a quarter of it, whose cases a hash of their names spreads over every sweep, beside all that is fast; the
next change runs another. `.ci/run --all` runs all four.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar


class Mark(Protocol):
    @property
    def args(self) -> tuple[object, ...]: ...


class Test(Protocol):
    """What is asked of pytest's items."""

    @property
    def nodeid(self) -> str: ...

    def get_closest_marker(self, name: str) -> Mark | None: ...


T = TypeVar("T", bound=Test)

TURNS = 4


def fast(tests: Iterable[T]) -> list[T]:
    left = [test for test in tests if not test.get_closest_marker("slow")]
    cases: dict[str, list[T]] = {}
    for test in left:
        cases.setdefault(test.nodeid.partition("[")[0], []).append(test)
    kept = {test.nodeid for several in cases.values() for test in _sample(several)}
    return [test for test in left if test.nodeid in kept]


def lesser(tests: Iterable[T]) -> list[T]:
    """What runs again where a machine is taken for a lesser CPU than it is."""
    return [t for t in tests if not t.get_closest_marker("slow") or t.nodeid.startswith("tests/dispatch/cpu/")]


def in_turn(tests: Sequence[T], which: int) -> list[T]:
    """What is fast, and the quarter of all else whose turn it is."""
    always = {test.nodeid for test in fast(tests)}
    return [t for t in tests if t.nodeid in always or zlib.crc32(t.nodeid.encode()) % TURNS == which]


def _sample(cases: Sequence[T]) -> Sequence[T]:
    mark = cases[0].get_closest_marker("sampled")
    if mark is None:
        return cases
    (most,) = mark.args
    assert isinstance(most, int)
    return cases if len(cases) <= most else [cases[i * len(cases) // most] for i in range(most)]
