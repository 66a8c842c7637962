"""LLVM as a shared library: its version and what it says of the host, without the Python package around it.

Importing llvmlite takes several times as long as loading the library in it, and a process that only runs what was built
before asks nothing more of LLVM. Where the library lies elsewhere the package is imported, which knows.
"""

from __future__ import annotations

import ctypes
import functools
import importlib.util
from pathlib import Path
from typing import Any

_PLACE = Path("binding") / "libllvmlite.so"


def version() -> tuple[int, ...]:
    """As in (20, 1, 8)."""
    packed = int(_library().LLVMPY_GetVersionInfo())
    return tuple(packed.to_bytes(4, "big").lstrip(b"\0"))


def host_cpu_name() -> str:
    return _said("LLVMPY_GetHostCPUName")


def host_cpu_features() -> dict[str, bool]:
    """By their names, in LLVM's order; empty where it knows none of this kind of CPU."""
    return {feature[1:]: feature[0] == "+" for feature in _said("LLVMPY_GetHostCPUFeatures").split(",") if feature}


def _said(function: str) -> str:
    """What a function writes, in memory that it allots and we give back."""
    library, text = _library(), ctypes.c_char_p()
    getattr(library, function)(ctypes.byref(text))
    try:
        return (text.value or b"").decode()
    finally:
        library.LLVMPY_DisposeString(text)


@functools.cache
def _library() -> Any:
    found = importlib.util.find_spec("llvmlite")
    for folder in (found and found.submodule_search_locations) or ():
        if (path := Path(folder) / _PLACE).is_file():
            return ctypes.CDLL(str(path))
    from llvmlite.binding import ffi

    return ffi.lib
