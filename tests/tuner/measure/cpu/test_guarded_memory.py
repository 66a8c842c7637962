"""Guarded memory: walls that kill, canaries that tell, NaN everywhere else."""

from __future__ import annotations

import ctypes
import subprocess
import sys

import numpy as np
import pytest

from anytile.core.errors import ResourceError
from anytile.tuner.measure.cpu.guarded_memory import CACHE_LINE, Place, Region

SIZES = [4, 60, 64, 4092, 4096, 4100, 123_456, (4 << 20) + 4]


@pytest.mark.parametrize("place", Place)
@pytest.mark.parametrize("size", SIZES)
def test_placement(place: Place, size: int) -> None:
    align = 4 if place is Place.END else CACHE_LINE
    region = Region(size, place, align, stagger=3)
    view = region.array("float32", (size // 4,))
    assert region.address % align == 0
    assert np.isnan(view).all()
    assert (region.address + size) % 4096 == 0 or place is not Place.END
    assert region.address % 4096 == 0 or place is not Place.FRONT
    view[...] = 1.0
    assert region.damage() is None
    region.close()
    region.close()


@pytest.mark.parametrize(("place", "offset", "words"), [
    (Place.END, -1, "1 bytes before its start"),
    (Place.END, -64, "64 bytes before its start"),
    (Place.FRONT, 100, "0 bytes past its end"),
    (Place.TIMED, 107, "7 bytes past its end"),
    (Place.TIMED, -1, "1 bytes before its start"),
])  # fmt: skip
def test_one_byte_out_of_bounds_is_found(place: Place, offset: int, words: str) -> None:
    region = Region(100, place, 4, stagger=2)
    ctypes.c_uint8.from_address(region.address + offset).value = 0
    assert region.damage() == words
    region.close()


@pytest.mark.slow
@pytest.mark.parametrize(("place", "access"), [
    (Place.END, "c.from_address(r.address + 100).value"),
    (Place.END, "c.from_address(r.address + 100).__setattr__('value', 1)"),
    (Place.FRONT, "c.from_address(r.address - 1).value"),
    (Place.END, "r.protect(writable=False) or c.from_address(r.address).__setattr__('value', 1)"),
])  # fmt: skip
def test_the_walls_kill(place: Place, access: str) -> None:
    code = (
        "import ctypes, resource; resource.setrlimit(resource.RLIMIT_CORE, (0, 0)); c = ctypes.c_uint8;"
        "from anytile.tuner.measure.cpu.guarded_memory import Place, Region;"
        f"r = Region(100, Place.{place.name}, 4); c.from_address(r.address + 99).value; {access}"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, capture_output=True).returncode == -11


@pytest.mark.parametrize("place", Place)
@pytest.mark.parametrize("size", SIZES)
def test_canaries_alone_are_the_same_canaries(place: Place, size: int) -> None:
    region = Region(size, place, 4, stagger=2, poison=False)
    region.array("uint8", (size,))[...] = 1
    assert region.damage() is None
    region.close()


def test_nothing_is_still_walled() -> None:
    region = Region(0, Place.TIMED, stagger=5)
    assert region.array("float32", (0, 7)).size == 0
    assert region.damage() is None
    region.close()


def test_no_memory_is_an_error_of_ours() -> None:
    with pytest.raises(ResourceError, match="no memory for a buffer"):
        Region(1 << 60, Place.END)
