"""CUDA C++ text -> a shared library for this CPU, by the system's C++ compiler, remembered by content for the session.

The compiler's sanitizers call a function at every access and every doubtful computation; their own runtimes are not
linked, ours is. So a kernel's text needs no change, and its faults are ours to name.
"""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import functools
import hashlib
import os
import re
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from anytile.codegen.cuda import nvrtc
from anytile.codegen.cuda.prelude import OPERATIONS, PRELUDE_DEVICE, STORAGE
from anytile.core.errors import UnsupportedError

_HERE = Path(__file__).resolve().parent
_CHECKS = "thread,alignment,bounds,signed-integer-overflow,integer-divide-by-zero,shift"
_COMMON = ("-std=c++17", "-fPIC", "-fvisibility=hidden", "-U_FORTIFY_SOURCE", "-fno-strict-aliasing")
_KERNEL = (
    *("-O1", "-g1", "-gdwarf-4", "-ffp-contract=off", "-Wno-attributes", "-Wno-unknown-pragmas"),
    *(f"-fsanitize={_CHECKS}", "-fno-sanitize-recover=all", "-ftrivial-auto-var-init=pattern"),
    # A fault names lines, never variables: to follow those through the code was a fifth of the time.
    *("-fno-var-tracking", "-fno-var-tracking-assignments", "-pipe"),
)
_LINKED = ("-shared", "-Wl,--no-as-needed")
_once = threading.RLock()  # kernels are compiled by several threads at once
_SIGNATURE = re.compile(
    r'extern\s+"C"\s+__global__\s+void\s+(?:__cluster_dims__\([^)]*\)\s*)?(?:__launch_bounds__\([^)]*\)\s*)?'
    r"(\w+)\s*\(([^)]*)\)"
)
_CLUSTER = re.compile(r"__cluster_dims__\((\d+), 1, 1\)\s*__launch_bounds__\([^)]*\)\s*(\w+)")
_DYNAMIC = re.compile(r"\bextern(\s+__shared__\s[^;]*?(\w+)\s*\[\s*\]\s*;)")


@dataclass(frozen=True, slots=True)
class Parameter:
    """Of a kernel: `type` is what it is, or what it points at."""

    name: str
    type: str
    pointer: bool
    const: bool


@dataclass(frozen=True, slots=True)
class Compiled:
    library: Path
    text: str  # whose lines faults speak of
    kernels: Mapping[str, tuple[Parameter, ...]]
    clusters: Mapping[str, int]  # blocks of one, of kernels that have any


def missing() -> str:
    """Why kernels cannot be compiled here, or nothing."""
    return "" if shutil.which("g++") else "no C++ compiler (g++) on this machine"


def lacking() -> str:
    """Why nothing can be compiled for a GPU and run on the CPU here, or nothing."""
    try:
        nvrtc.version()
    except UnsupportedError as error:
        return str(error)
    return missing()


def signatures(text: str) -> dict[str, tuple[Parameter, ...]]:
    """The kernels of a text, and what each takes."""
    found = {}
    for name, inside in _SIGNATURE.findall(text):
        found[name] = tuple(_parameter(p) for p in inside.split(",") if p.strip())
    return found


def _parameter(text: str) -> Parameter:
    words = text.replace("*", " * ").replace("__restrict__", " ").split()
    pointer = "*" in words
    kind = " ".join(w for w in words[:-1] if w not in ("const", "*", "__grid_constant__"))
    return Parameter(words[-1], kind, pointer, "const" in words)


@functools.cache
def compiled(text: str) -> Compiled:
    """A text with or without the device's prelude; of that only what has no other meaning here is kept."""
    kernel = text.removeprefix(f"{PRELUDE_DEVICE}\n")
    kernels = signatures(kernel)
    unit = "\n".join(
        [
            '#include "cuda_cpu.h"',
            STORAGE,
            OPERATIONS,
            '#include "cuda_cpu_prelude.h"',
            '#line 1 "kernel.cu"',
            # An array that is both extern and static is no C++; the linker binds its name to the runtime's memory.
            _DYNAMIC.sub(lambda m: "extern" + m[1].replace("__shared__", "", 1), kernel),
            '#line 1 "launch.cu"',
            *(_entry(name) for name in kernels),
        ]
    )
    names = sorted({m[2] for m in _DYNAMIC.finditer(kernel)})
    bound = [f"-Wl,--defsym={name}=at_dynamic_shared" for name in names]
    stem = hashlib.sha256(unit.encode()).hexdigest()[:24]
    folder = _folder()
    library = folder / f"{stem}.so"
    with _alone(library):
        if not library.exists():
            source, unlinked, linked = (folder / f"{stem}.{end}" for end in ("cpp", "o", "linked"))
            source.write_text(unit, encoding="utf-8")
            _run(["g++", *_COMMON, *_KERNEL, f"-I{_HERE}", "-c", str(source), "-o", str(unlinked)])
            both = [str(_runtime()), str(_libraries())]
            _run(["g++", *_LINKED, "-nodefaultlibs", str(unlinked), *both, "-o", str(linked), "-Wl,-Bsymbolic", *bound])
            linked.replace(library)
    clusters = {name: int(count) for count, name in _CLUSTER.findall(kernel)}
    return Compiled(library, kernel, kernels, clusters)


@contextlib.contextmanager
def _alone(made: Path) -> Iterator[None]:
    """Whoever else wants the same, thread or process, waits for it: workers begin with the same kernels."""
    with made.with_suffix(".lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _entry(name: str) -> str:
    visible = 'extern "C" __attribute__((visibility("default")))'
    return f"{visible} AT_UNWATCHED void at_enter_{name}(const unsigned long long* words) {{ at_call({name}, words); }}"


def _runtime() -> Path:
    return _once_made("runtime.o", [*_COMMON, "-O2", "-c", str(_HERE / "runtime" / "runtime.cpp")])


def _libraries() -> Path:
    """Nothing but the system's libraries that a kernel needs: to look through those takes longer than to compile it."""
    return _once_made("libraries.so", [*_LINKED, "-x", "c++", os.devnull])


def _once_made(name: str, words: list[str]) -> Path:
    built = _folder() / name
    with _alone(built):
        if not built.exists():
            made = built.with_suffix(".made")
            _run(["g++", *words, "-o", str(made)])
            made.replace(built)
    return built


@functools.cache
def _made_folder() -> Path:
    if shared := os.environ.get("ANYTILE_CUDA_CPU"):  # one folder for all workers and the processes that tests start
        return Path(shared)
    folder = Path(tempfile.mkdtemp(prefix="anytile-cuda-cpu-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _folder() -> Path:
    with _once:
        return _made_folder()


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise AssertionError(f"{' '.join(command)} fails:\n{done.stderr}")


@functools.cache
def line_of(library: Path, offset: int) -> int:
    """The line of the kernel's text that an address of a library comes from; 0 where nobody knows."""
    if not shutil.which("addr2line"):
        return 0
    done = subprocess.run(
        ["addr2line", "-i", "-e", str(library), hex(offset)], capture_output=True, text=True, check=False
    )
    lines = re.findall(r"kernel\.cu:(\d+)", done.stdout)
    return int(lines[0]) if lines else 0


@functools.cache
def shared_arrays(library: Path) -> tuple[tuple[int, int, str], ...]:
    """The static shared arrays of a library: where each begins in that memory, its size, and its name."""
    listed = subprocess.run(["nm", "-S", str(library)], capture_output=True, text=True, check=False).stdout
    start = next((int(at, 16) for at in re.findall(r"^(\w+) \w __start_at_shared$", listed, re.M)), 0)
    found = re.findall(r"^(\w+) (\w+) d _ZZ.*E\d+([A-Za-z_]\w*)$", listed, re.M)
    return tuple((int(at, 16) - start, int(size, 16), name) for at, size, name in found)
