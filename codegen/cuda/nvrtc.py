"""CUDA C++ -> cubin through NVRTC, found once in its wheel; needs neither a GPU nor a driver.

NVRTC and ptxas are deterministic: equal text, architecture and options give equal bytes. A text that does not compile
is an error that quotes the compiler's first complaint.
"""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from anytile.codegen.cuda.facts import parse_ptxas
from anytile.codegen.cuda.needed import with_needed
from anytile.core.errors import CodegenError, UnsupportedError

_BOUNDS = re.compile(r"__launch_bounds__\((\d+)(?:, \d+)?\)")
OPTIONS = ("--std=c++17", "--ptxas-options=-v")
_LEAVES_OUT = 13  # from here on NVRTC is told not to read its own textures and launches, which no kernel of ours has


@dataclass(frozen=True, slots=True)
class Cubin:
    """A module for one architecture: what the driver loads, the compiler's log, and what ptxas said."""

    data: bytes
    log: str = ""
    facts: Mapping[str, float] = field(default_factory=dict)


def compile_cubin(text: str, arch: str, options: Sequence[str] = ()) -> Cubin:
    """A cubin whose threads have the registers that they want. ptxas would rather spill a few than have one block less
    on a multiprocessor: what has spilled is compiled again for one block at least, and is that if it helps."""
    found = _compiled(text, arch, options)
    if not found.facts["stack"]:
        return found
    alone = _BOUNDS.sub(r"__launch_bounds__(\1, 1)", text)
    if alone == text:
        return found
    again = _compiled(alone, arch, options)
    return again if again.facts["stack"] < found.facts["stack"] else found


def _compiled(text: str, arch: str, options: Sequence[str]) -> Cubin:
    nvrtc = _library()
    program = ctypes.c_void_p()
    name = b"kernel.cu"
    _check(nvrtc, nvrtc.nvrtcCreateProgram(ctypes.byref(program), with_needed(text).encode(), name, 0, None, None))
    try:
        words = [f"--gpu-architecture={arch}", *OPTIONS, *_fewer_words(), *options]
        argv = (ctypes.c_char_p * len(words))(*(w.encode() for w in words))
        status = nvrtc.nvrtcCompileProgram(program, len(words), argv)
        log = _text(nvrtc, "ProgramLog", program)
        if status:
            raise _refused(log, arch, _message(nvrtc, status))
        size = ctypes.c_size_t()
        _check(nvrtc, nvrtc.nvrtcGetCUBINSize(program, ctypes.byref(size)))
        data = ctypes.create_string_buffer(size.value)
        _check(nvrtc, nvrtc.nvrtcGetCUBIN(program, data))
        return Cubin(data.raw, log, parse_ptxas(log))
    finally:
        nvrtc.nvrtcDestroyProgram(ctypes.byref(program))


@functools.cache
def _fewer_words() -> tuple[str, ...]:
    return ("--minimal",) if int(version().partition(".")[0]) >= _LEAVES_OUT else ()


def version() -> str:
    """NVRTC's version, as `13.0`: compiled code is remembered with it."""
    major, minor = ctypes.c_int(), ctypes.c_int()
    nvrtc = _library()
    _check(nvrtc, nvrtc.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor)))
    return f"{major.value}.{minor.value}"


def architectures() -> tuple[str, ...]:
    """What this NVRTC makes code for, variants apart: `sm_75`, ..."""
    nvrtc, count = _library(), ctypes.c_int()
    _check(nvrtc, nvrtc.nvrtcGetNumSupportedArchs(ctypes.byref(count)))
    found = (ctypes.c_int * count.value)()
    _check(nvrtc, nvrtc.nvrtcGetSupportedArchs(found))
    return tuple(f"sm_{arch}" for arch in found)


def require(arch: str) -> None:
    """Say in one line why no code can be made for an architecture, if none can: no NVRTC, or an older one."""
    if arch.rstrip("af") not in architectures():
        raise _unknown(arch)


def _unknown(arch: str) -> UnsupportedError:
    known = ", ".join(architectures())
    return UnsupportedError(f"NVRTC {version()} knows no -arch={arch}; expected one of {known}, or a newer NVRTC")


def _refused(log: str, arch: str, message: str) -> CodegenError | UnsupportedError:
    complaint = next((line.strip() for line in log.splitlines() if "error" in line), message)
    if "gpu-architecture" in complaint:
        return _unknown(arch)
    return CodegenError(f"NVRTC {version()} refuses the code for {arch}: {complaint}")


@functools.cache
def _library() -> ctypes.CDLL:
    for path in _places():
        try:
            for builtins in Path(path).parent.glob("libnvrtc-builtins.so.*"):  # older wheels do not find it themselves
                ctypes.CDLL(str(builtins), mode=ctypes.RTLD_GLOBAL)
            return ctypes.CDLL(path)
        except OSError:
            continue
    raise UnsupportedError("NVRTC is not installed, and CUDA code cannot be compiled; pip install 'anytile[cuda13]'")


def _places() -> list[str]:
    """Libraries in the wheels and of the system, those first whose code the driver here takes."""
    spec = importlib.util.find_spec("nvidia")
    roots = [Path(p) for p in (spec.submodule_search_locations or ())] if spec is not None else []
    wheels = [str(p) for root in roots for p in root.glob("*/lib*/libnvrtc.so.*") if "alt" not in p.name]
    return ordered([*wheels, "libnvrtc.so.13", "libnvrtc.so.12"], driver_major(ctypes.CDLL))


def ordered(libraries: Sequence[str], driver: int | None) -> list[str]:
    """The newest first, wheels before the system; but last those newer than the driver, which takes no code of them."""

    def rank(path: str) -> tuple[bool, bool, int]:
        major = int(path.rsplit(".", 1)[1])
        return driver is not None and major > driver, "/" not in path, -major

    return sorted(libraries, key=rank)


def driver_major(load: Callable[[str], Any]) -> int | None:
    """The CUDA version of the driver here; it answers without being initialised, so no device is woken."""
    version = ctypes.c_int()
    try:
        status = load("libcuda.so.1").cuDriverGetVersion(ctypes.byref(version))
    except OSError:
        return None
    return version.value // 1000 if not status and version.value else None


def _text(nvrtc: ctypes.CDLL, what: str, program: ctypes.c_void_p) -> str:
    size = ctypes.c_size_t()
    _check(nvrtc, nvrtc[f"nvrtcGet{what}Size"](program, ctypes.byref(size)))
    text = ctypes.create_string_buffer(size.value)
    _check(nvrtc, nvrtc[f"nvrtcGet{what}"](program, text))
    return text.value.decode(errors="replace")


def _message(nvrtc: ctypes.CDLL, status: int) -> str:
    nvrtc.nvrtcGetErrorString.restype = ctypes.c_char_p
    return str(nvrtc.nvrtcGetErrorString(status).decode())


def _check(nvrtc: ctypes.CDLL, status: int) -> None:
    if status:
        raise CodegenError(f"NVRTC: {_message(nvrtc, status)}")
