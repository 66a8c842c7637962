"""Numbers of things in words."""

from __future__ import annotations

import pytest

from anytile.core.plurals import counted


@pytest.mark.parametrize(("count", "words"), [(0, "0 trials"), (1, "1 trial"), (2, "2 trials"), (-1, "-1 trials")])
def test_one_thing_wears_no_s(count: int, words: str) -> None:
    assert counted(count, "trial") == words
