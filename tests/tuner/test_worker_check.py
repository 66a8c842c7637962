"""What a worker does around a candidate's code: limits that the user set stay, and memory is given back."""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from anytile.codegen.artifact import Packed
from anytile.tuner import worker_check
from anytile.tuner.guarded import Place, Region
from anytile.tuner.hands import Failed


def test_a_ceiling_stays_under_the_users_own() -> None:
    code = """
import resource
from anytile.tuner.isolate import memory_ceiling
resource.setrlimit(resource.RLIMIT_AS, (16 << 30, 32 << 30))
with memory_ceiling(1 << 40):
    assert resource.getrlimit(resource.RLIMIT_AS) == (16 << 30, 32 << 30)
with memory_ceiling(1 << 20):
    assert resource.getrlimit(resource.RLIMIT_AS)[0] < 16 << 30
assert resource.getrlimit(resource.RLIMIT_AS) == (16 << 30, 32 << 30)
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_packing_that_fails_gives_its_memory_back(monkeypatch: pytest.MonkeyPatch) -> None:
    there: set[int] = set()

    class Counted(Region):
        def __init__(self, *args: object, **more: object) -> None:
            super().__init__(*args, **more)  # type: ignore[arg-type]
            there.add(id(self))

        def close(self) -> None:
            super().close()
            there.discard(id(self))

    monkeypatch.setattr(worker_check, "Region", Counted)
    loaded = SimpleNamespace(size=lambda *_: 64, call=lambda *_: 1)
    constants = worker_check.Constants(loaded)  # type: ignore[arg-type]
    packed = Packed("w", "pack", "size")
    with pytest.raises(Failed, match="packing w returned 1"):
        constants.get(packed, np.zeros((4, 4), np.float32), (), Place.END, "here", 0)
    constants.close()
    assert not there
