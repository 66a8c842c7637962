"""Guard pages: buffers between pages that nobody may touch, surrounded by canaries, poisoned from the start.

Where a buffer meets its wall, one element too far is a segmentation fault in the process that made the mistake. Where
alignment keeps it from the wall, the gap is filled with canaries, which are also NaNs: what is written there is found
by `damage`, and what is read from there spoils the result.
"""

from __future__ import annotations

import ctypes
import enum
import mmap
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anytile.core.errors import ResourceError

CANARY = 0x7FC5A5A5  # as a float32: NaN
CACHE_LINE = 64
_HUGE_PAGE = 2 << 20
_HUGE_FROM = 4 << 20  # from this size numpy, too, asks for huge pages: time what users will run
_MADV_HUGEPAGE = 14
_NONE, _READ, _WRITE = 0, 1, 2
_PRIVATE_ANONYMOUS = 0x22
_PAGE = mmap.PAGESIZE

_libc = ctypes.CDLL(None, use_errno=True)
_libc.mmap.restype = ctypes.c_void_p
_libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
_libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
_libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
_libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
_FAILED = ctypes.c_void_p(-1).value


class Place(enum.Enum):
    """Where in its pages a buffer lies."""

    END = "against the wall behind it"
    FRONT = "against the wall before it"
    TIMED = "on cache lines, as when timed"


class Region:
    """`size` bytes, all of them NaN until written."""

    def __init__(
        self,
        size: int,
        place: Place,
        align: int = CACHE_LINE,
        stagger: int = 0,
        poison: bool = True,
        huge_from: int = _HUGE_FROM,
    ) -> None:
        """`stagger` numbers the buffers of one call, so that timed ones do not share their low address bits.

        Without `poison` only the canaries are laid, for a buffer that is about to be filled anyway. A timed one lies on
        huge pages, as far as they are granted, from `huge_from` bytes on.
        """
        huge = place is Place.TIMED and size >= huge_from
        offset = stagger * 5 * CACHE_LINE % _PAGE if place is Place.TIMED and size else 0
        usable = -(-(size + offset) // _PAGE) * _PAGE if size else 0
        self._span = usable + 2 * _PAGE + (_HUGE_PAGE if huge else 0)
        base = _libc.mmap(None, self._span, _NONE, _PRIVATE_ANONYMOUS, -1, 0)
        if base is None or base == _FAILED:
            raise ResourceError(f"no memory for a buffer of {size} bytes; use smaller shapes")
        self._base = int(base)
        self._low = self._base + _PAGE
        if huge:
            self._low = -(-self._low // _HUGE_PAGE) * _HUGE_PAGE
        self._high = self._low + usable
        self.size = size
        self.address = self._high - size if place is Place.END else self._low + offset
        self.address -= self.address % align
        if usable:
            self.protect(writable=True)
            if huge:
                _libc.madvise(self._low, usable, _MADV_HUGEPAGE)
            if poison:
                self._view(self._low, usable).view(np.uint32).fill(CANARY)
            else:
                for low, high in ((self._low, self.address), (self.address + size, self._high)):
                    self._view(low, high - low)[...] = self._pattern(low, high)

    def protect(self, *, writable: bool) -> None:
        """Let the buffer be written, or make writing a fault."""
        if self._high > self._low:
            mode = _READ | _WRITE if writable else _READ
            if _libc.mprotect(self._low, self._high - self._low, mode):
                raise ResourceError(f"no memory for a buffer of {self.size} bytes; use smaller shapes")

    def array(self, dtype: str, shape: tuple[int, ...]) -> NDArray[Any]:
        """The buffer as an array, which must not outlive the region."""
        return self._view(self.address, self.size).view(dtype).reshape(shape)

    def damage(self) -> str | None:
        """Where a canary is dead, in words; None when all live."""
        before = self._dead(self._low, self.address)
        if before is not None:
            return f"{self.address - before} bytes before its start"
        after = self._dead(self.address + self.size, self._high)
        if after is not None:
            return f"{after - self.address - self.size} bytes past its end"
        return None

    def close(self) -> None:
        if self._span:
            _libc.munmap(self._base, self._span)
            self._span = 0

    def _dead(self, low: int, high: int) -> int | None:
        """The address nearest to the buffer that lost its canary, in the gap low..high."""
        wrong = np.flatnonzero(self._view(low, high - low) != self._pattern(low, high))
        if not len(wrong):
            return None
        return low + int(wrong[-1] if high == self.address else wrong[0])

    @staticmethod
    def _pattern(low: int, high: int) -> NDArray[np.uint8]:
        """The canaries of a gap, which need not begin at a whole one."""
        return np.resize(np.roll(np.array([CANARY], "<u4").view(np.uint8), -(low % 4)), high - low)

    @staticmethod
    def _view(address: int, size: int) -> NDArray[np.uint8]:
        if not size:
            return np.empty(0, np.uint8)
        return np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(address))
