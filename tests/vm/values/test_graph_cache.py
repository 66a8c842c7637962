"""The cache of graphs: what is worth recording, and what makes room for what."""

from __future__ import annotations

from collections.abc import Iterable

from anytile.vm.values.graph_cache import _NOTED, GraphCache


def met(cache: GraphCache[int, str], keys: Iterable[int]) -> list[bool | None]:
    """Of each key whether it was found, or else (None) recorded."""
    found: list[bool | None] = []
    for key in keys:
        if cache.find(key) is not None:
            found.append(True)
        elif cache.is_due(key):
            cache.put(key, f"graph {key}")
            found.append(None)
        else:
            found.append(False)
    return found


def test_what_is_met_again_is_recorded_and_then_found() -> None:
    cache = GraphCache[int, str](2)
    assert met(cache, (1, 1, 1, 2, 1, 2, 2)) == [False, None, True, False, True, None, True]
    assert cache.find(1) == "graph 1"


def test_what_goes_round_without_room_keeps_what_it_has() -> None:
    cache = GraphCache[int, str](3)
    around = tuple(range(5))
    assert met(cache, around) == [False] * 5
    assert met(cache, around) == [None] * 3 + [False] * 2
    for _ in range(3):
        assert met(cache, around) == [True] * 3 + [False] * 2


def test_what_is_over_makes_room() -> None:
    cache = GraphCache[int, str](2)
    met(cache, (1, 2, 1, 2, 1))  # 2 is the longest unused
    assert met(cache, (3, 3, 3)) == [False, None, True]
    assert met(cache, (1, 3)) == [True, True]
    assert met(cache, (2,)) == [False]


def test_without_places_nothing_is_kept() -> None:
    assert met(GraphCache[int, str](0), (1, 1, 1)) == [False] * 3


def test_what_was_met_long_ago_is_forgotten() -> None:
    cache = GraphCache[int, str](2)
    met(cache, range(_NOTED + 1))
    assert met(cache, (0, _NOTED)) == [False, None]
    assert len(cache._met) <= _NOTED
