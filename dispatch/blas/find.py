"""BLAS discovery: the libraries of this machine found, described, tried, and the one of them that is used.

In this order: the one whose path `$ANYTILE_BLAS` gives, numpy's own, SciPy's, those that something in this process
loaded, those installed beside this Python (as the wheels of MKL are), the system's. The first is used. Whoever is in
the list was seen to multiply. To look at a library is to load it, so `chosen` looks no further than it must.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import functools
import importlib.util
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from anytile.core.errors import UnsupportedError

SETTING = "ANYTILE_BLAS"

# (prefix, suffix, 64-bit integers): scipy-openblas as numpy bundles it, Debian's and Fedora's 64-bit builds, the rest.
_NAMINGS = (("scipy_", "64_", True), ("", "64_", True), ("", "_64", True), ("scipy_", "", False), ("", "", False))
_LOADED = ("openblas", "libblis", "libmkl_rt", "libcblas", "libblas.", "accelerate")
_BESIDE = ("libmkl_rt.so*", "libopenblas*.so*", "libblis*.so*")
_SYSTEM = ("openblas", "mkl_rt", "blis", "cblas", "blas", *(("Accelerate",) if sys.platform == "darwin" else ()))


@dataclass(frozen=True, slots=True)
class Blas:
    """One library: where it is, the symbol of its sgemm, whether its integers have 64 bits, its thread controls."""

    name: str
    library: str
    symbol: str
    version: str
    ilp64: bool
    get_threads: str | None = None
    set_threads: str | None = None

    def __str__(self) -> str:
        width = "64" if self.ilp64 else "32"
        return f"{self.version or self.name} ({Path(self.library).name}, {width}-bit integers)"

    @property
    def build(self) -> str:
        """What tells it from other libraries, and from other builds of it, on any machine; fit to be a knob's value."""
        return re.sub(r"[,=\s]+", " ", f"{self.version or self.name} {Path(self.library).name}")

    def address_of_sgemv(self) -> int:
        """The product of a matrix and a vector, by the name that goes with sgemm's; 0 where there is none."""
        symbol = self.symbol.replace("sgemm", "sgemv")
        return self.address(symbol) if hasattr(ctypes.CDLL(self.library), symbol) else 0

    def address(self, symbol: str) -> int:
        return ctypes.cast(ctypes.CDLL(self.library)[symbol], ctypes.c_void_p).value or 0


def find_blas() -> tuple[Blas, ...]:
    """Every BLAS that this process can load, the preferred first."""
    return _every(os.environ.get(SETTING, ""))


def chosen() -> Blas | None:
    """The one that is used, if there is any."""
    return _first(os.environ.get(SETTING, ""))


@functools.cache
def _every(named: str) -> tuple[Blas, ...]:
    return tuple(_looked_for(named))


@functools.cache
def _first(named: str) -> Blas | None:
    return next(_looked_for(named), None)


def forget() -> None:
    """Look anew when asked next: what is loaded or installed has changed."""
    _every.cache_clear()
    _first.cache_clear()


def _looked_for(named: str) -> Iterator[Blas]:
    met: set[int] = set()  # one library has several names, and links to it
    if named:
        wanted = _at(named)
        if wanted is None:
            raise UnsupportedError(
                f"{SETTING}={named}: no BLAS that multiplies; expected the path of a shared library with cblas_sgemm"
            )
        met.add(wanted.address(wanted.symbol))
        yield wanted
    for path in _candidates():
        blas = _at(path)
        if blas is not None and (address := blas.address(blas.symbol)) not in met:
            met.add(address)
            yield blas


def _candidates() -> Iterator[str]:
    for package in ("numpy", "scipy"):
        yield from _bundled(package)
    try:
        mapped = {line.split()[-1] for line in Path("/proc/self/maps").read_text().splitlines() if ".so" in line}
    except OSError:
        mapped = set()
    yield from sorted(path for path in mapped if any(word in Path(path).name.lower() for word in _LOADED))
    for pattern in _BESIDE:
        yield from map(str, sorted(Path(sys.prefix, "lib").glob(pattern)))
    for name in _SYSTEM:
        path = ctypes.util.find_library(name)
        if path:
            yield path


def _bundled(package: str) -> Iterator[str]:
    """What the package's wheel brought along; the package itself is not imported for it."""
    spec = importlib.util.find_spec(package)
    for place in (spec.submodule_search_locations or ()) if spec is not None else ():
        for folder in (Path(place).parent / f"{package}.libs", Path(place) / ".libs"):
            yield from map(str, sorted(folder.glob("*openblas*.so*")))


def _at(path: str) -> Blas | None:
    """The library there, if it is one and multiplies."""
    try:
        library = ctypes.CDLL(path)
    except OSError:
        return None
    blas = _describe(path, library)
    return blas if blas is not None and _multiplies(blas) else None


def _describe(path: str, library: ctypes.CDLL) -> Blas | None:
    for prefix, suffix, wide in _NAMINGS:
        symbol = f"{prefix}cblas_sgemm{suffix}"
        if not hasattr(library, symbol):
            continue
        version, ilp64 = _version(library, prefix, suffix), wide
        if hasattr(library, f"{prefix}openblas_get_config{suffix}"):
            ilp64 = wide or "USE64BITINT" in _text(library, f"{prefix}openblas_get_config{suffix}").split()
        elif hasattr(library, "bli_info_get_blas_int_type_size"):
            ilp64 = wide or _number(library, "bli_info_get_blas_int_type_size") == 64
        get, set_ = next(
            (
                pair
                for pair in (
                    (f"{prefix}openblas_get_num_threads{suffix}", f"{prefix}openblas_set_num_threads{suffix}"),
                    ("MKL_Get_Max_Threads", "MKL_Set_Num_Threads"),
                    ("bli_thread_get_num_threads", "bli_thread_set_num_threads"),
                )
                if all(hasattr(library, s) for s in pair)
            ),
            (None, None),
        )
        name = version.split()[0].lower() if version else Path(path).name.removeprefix("lib").split(".")[0]
        return Blas(name, path, symbol, version, ilp64, get, set_)
    return None


def _version(library: ctypes.CDLL, prefix: str, suffix: str) -> str:
    """`OpenBLAS 0.3.31`, as the library says it of itself; nothing where it does not."""
    if hasattr(library, f"{prefix}openblas_get_config{suffix}"):
        return " ".join(_text(library, f"{prefix}openblas_get_config{suffix}").split()[:2])
    if hasattr(library, "bli_info_get_version_str"):
        return f"BLIS {_text(library, 'bli_info_get_version_str')}"
    if hasattr(library, "MKL_Get_Version_String"):
        room = ctypes.create_string_buffer(256)
        library.MKL_Get_Version_String(room, ctypes.c_int(len(room)))
        found = re.search(r"Version (\S+)", room.value.decode(errors="replace"))
        return f"MKL {found.group(1)}" if found else "MKL"
    return ""


def _text(library: ctypes.CDLL, symbol: str) -> str:
    function = library[symbol]
    function.restype, function.argtypes = ctypes.c_char_p, ()
    said: bytes | None = function()
    return (said or b"").decode(errors="replace")


def _number(library: ctypes.CDLL, symbol: str) -> int:
    function = library[symbol]
    function.restype, function.argtypes = ctypes.c_int64, ()
    return int(function())


def _multiplies(blas: Blas) -> bool:
    """A tiny product through the library: a symbol of the right name is not yet the right function."""
    integer = ctypes.c_int64 if blas.ilp64 else ctypes.c_int32
    pointer, real, word = ctypes.c_void_p, ctypes.c_float, ctypes.c_int
    sgemm = ctypes.CDLL(blas.library)[blas.symbol]
    sgemm.restype = None
    sgemm.argtypes = (
        word,
        word,
        word,
        *[integer] * 3,
        real,
        pointer,
        integer,
        pointer,
        integer,
        real,
        pointer,
        integer,
    )
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    w = np.arange(12, dtype=np.float32).reshape(4, 3)
    y = np.full((2, 4), np.nan, dtype=np.float32)
    sgemm(101, 111, 112, 2, 4, 3, 1.0, x.ctypes.data, 3, w.ctypes.data, 3, 0.0, y.ctypes.data, 4)
    return bool(np.array_equal(y, np.einsum("mk,nk->mn", x, w)))


__all__ = ["SETTING", "Blas", "chosen", "find_blas", "forget"]
