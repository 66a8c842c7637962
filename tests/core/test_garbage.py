"""Garbage collection paused: until the last has left, whatever ends it, and as it was before."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator

import pytest

from anytile.core.garbage import uncollected


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    was_at_work = gc.isenabled()
    yield
    (gc.enable if was_at_work else gc.disable)()


def test_it_works_again_once_the_last_has_left() -> None:
    gc.enable()
    with uncollected():
        with pytest.raises(KeyError), uncollected():
            raise KeyError
        assert not gc.isenabled()
    assert gc.isenabled()


def test_who_had_none_before_has_none_afterwards() -> None:
    gc.disable()
    with uncollected(), uncollected():
        pass
    assert not gc.isenabled()


def test_threads_that_overlap_leave_it_at_work() -> None:
    gc.enable()
    inside, leave = threading.Event(), threading.Event()

    def other() -> None:
        with uncollected():
            inside.set()
            assert leave.wait(20.0)

    thread = threading.Thread(target=other)
    with uncollected():
        thread.start()
        assert inside.wait(20.0)
    assert not gc.isenabled()
    leave.set()
    thread.join()
    assert gc.isenabled()
