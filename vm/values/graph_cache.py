"""Cache of CUDA graphs: recorded launches by what they are and where, few of them, kept while they are used.

Recording one takes as long as launching it many times natively, so it must pay. What is met for the first time is not
recorded; what is met again takes the place of the graph that was longest unused, if that was not used since the last
time. So what goes round and has no room for all of it keeps what it has, and sizes that are over make room for others.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

PLACES = 64
_NOTED = 4096  # of keys that were met and are not kept

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class _Kept(Generic[V]):
    __slots__ = ("used", "value")

    def __init__(self, value: V, used: int) -> None:
        self.value, self.used = value, used


class GraphCache(Generic[K, V]):
    """`find`, and where nothing is found `is_due`; whoever is told so makes the value, and puts it here."""

    def __init__(self, places: int = PLACES) -> None:
        self._places, self._now = places, 0
        self._kept: OrderedDict[K, _Kept[V]] = OrderedDict()  # the longest unused is the first
        self._met: dict[K, int] = {}  # and when

    def find(self, key: K) -> V | None:
        self._now += 1
        kept = self._kept.get(key)
        if kept is None:
            return None
        kept.used = self._now
        self._kept.move_to_end(key)
        return kept.value

    def clear(self) -> None:
        """Keep nothing."""
        self._kept.clear()

    def is_due(self, key: K) -> bool:
        """Whether what was just looked for and not found should be put here."""
        before = self._met.pop(key, None)
        self._met[key] = self._now
        if len(self._met) > _NOTED:
            del self._met[next(iter(self._met))]
        if before is None:
            return False
        oldest = next(iter(self._kept.values()), None)
        return len(self._kept) < self._places or (oldest is not None and oldest.used < before)

    def put(self, key: K, value: V) -> None:
        """Keep it, in place of the longest unused where there is no room."""
        self._met.pop(key, None)
        if len(self._kept) >= self._places:
            self._kept.popitem(last=False)
        self._kept[key] = _Kept(value, self._now)
