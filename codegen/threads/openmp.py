"""The OpenMP runtime of this process, and the table through which generated code starts threads.

One runtime per process, found or loaded once: two would each keep a pool of threads, spinning on the same cores. What
is already mapped comes first, also out of some wheel; then the system's libgomp; then one that an installed wheel
brings. Generated code holds only the address of a table: functions, how many threads may run, and when the last of them
were done: soon after that they still wait for more, later they sleep. Two more words say which core they keep off
(`core_affinity`). No table means that every loop runs on the thread that calls it.

After a fork the child has none of the pool's threads; libgomp would wait for them forever, so in the child its table
allows one thread. libomp and libiomp5 start a new pool there.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from anytile.schedules.hardware.target import usable_cores

SLOT = "anytile_openmp"
FUNCTIONS = ("GOMP_parallel", "omp_get_thread_num", "omp_get_num_threads", "omp_get_wtime")
FORK, NUMBER, COUNT, LIMIT, CLOCK, DONE, HOME, OWNER = range(8)  # places in the table; what is at DONE is a double
LEFT_ALONE = -2  # at HOME: nobody moves the threads, since one of these says where they run
BINDING = ("OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY")
_PLACES = (FORK, NUMBER, COUNT, CLOCK)  # of the functions
AWAKE = 40e-6  # seconds after its last work for which a thread surely waits for more
_NAMES = ("libgomp", "libomp", "libiomp5")
_MAPS = Path("/proc/self/maps")
_SPIN = "4000"  # 50 to 100 us: longer than from one call to the next, shorter than a turn of another process


@dataclass(frozen=True, slots=True)
class Runtime:
    """A shared library with the functions that generated code needs, and how it came into the process."""

    library: str
    origin: str  # `mapped`, `system` or `wheel`

    def __str__(self) -> str:
        where = {"mapped": "in use already", "system": "of the system", "wheel": f"of {Path(self.library).parent.name}"}
        return f"{Path(self.library).name} ({where[self.origin]})"

    @property
    def survives_fork(self) -> bool:
        return not _is_libgomp(self.library)

    def addresses(self) -> list[int]:
        library = ctypes.CDLL(self.library)
        return [ctypes.cast(library[name], ctypes.c_void_p).value or 0 for name in FUNCTIONS]


@functools.cache
def runtime() -> Runtime | None:
    """The runtime of this process, loaded if need be; None where there is none."""
    return next((r for r in candidates() if _usable(r)), None)


def candidates() -> Iterator[Runtime]:
    """Where a runtime may be, the best place first."""
    yield from (Runtime(path, "mapped") for path in _mapped())
    yield Runtime("libgomp.so.1", "system")

    from ctypes.util import find_library  # here, since what is above is most often there

    for name in ("gomp", "omp", "iomp5"):
        path = find_library(name)
        if path:
            yield Runtime(path, "system")
    for folder in dict.fromkeys(sysconfig.get_path(which) for which in ("platlib", "purelib")):
        for place in ("*.libs", "*/lib", "../../../lib"):
            found = (path for path in sorted(Path(folder).glob(f"{place}/lib*omp*.so*")) if _named(path.name))
            yield from (Runtime(str(path), "wheel") for path in found)


def _mapped() -> list[str]:
    try:
        lines = _MAPS.read_text().splitlines()
    except OSError:
        return []
    paths = {line.split(maxsplit=5)[5] for line in lines if ".so" in line and len(line.split(maxsplit=5)) == 6}
    return sorted(path for path in paths if _named(Path(path).name))


def _named(name: str) -> bool:
    return name.split(".")[0].split("-")[0] in _NAMES


def _is_libgomp(library: str) -> bool:
    return Path(library).name.startswith("libgomp")


def _usable(found: Runtime) -> bool:
    try:
        with contextlib.nullcontext() if found.origin == "mapped" else _short_spin():
            return all(found.addresses())
    except (OSError, AttributeError):
        return False


@contextlib.contextmanager
def _short_spin() -> Iterator[None]:
    """Have a libgomp that is loaded here wait briefly before it sleeps, unless the user said how to wait.

    Its own default spins for milliseconds, and on a machine that others use too a waiting thread then takes the core
    from the one it waits for. The library reads its environment as it is loaded, so nothing else sees this.
    """
    if {"GOMP_SPINCOUNT", "OMP_WAIT_POLICY"} & os.environ.keys():
        yield
        return
    os.environ["GOMP_SPINCOUNT"] = _SPIN
    try:
        yield
    finally:
        os.environ.pop("GOMP_SPINCOUNT", None)


Table = ctypes.Array[ctypes.c_int64]


@functools.cache
def table() -> Table | None:
    """The table of this process."""
    cores = usable_cores()  # before a runtime is loaded that binds this thread to one of them (OMP_PROC_BIND)
    found = runtime()
    if found is None:
        return None
    made = (ctypes.c_int64 * (OWNER + 1))()  # threads were done long ago
    for place, address in zip(_PLACES, found.addresses(), strict=True):
        made[place] = address
    made[LIMIT] = cores
    made[HOME] = LEFT_ALONE if os.environ.keys() & set(BINDING) else -1
    if not found.survives_fork:
        os.register_at_fork(after_in_child=lambda: made.__setitem__(LIMIT, 1))
    return made


def start_pool(threads: int) -> None:
    """Have the runtime start its threads now: later their stacks may be more memory than is allowed."""
    found = runtime()
    if found is None or threads < 2:
        return
    fork, _, nothing, _ = found.addresses()  # a function that does nothing, as each thread's work
    pointer = ctypes.c_void_p
    ctypes.CFUNCTYPE(None, pointer, pointer, ctypes.c_uint, ctypes.c_uint)(fork)(nothing, None, threads, 0)


def connect(slot: int) -> None:
    """Give a module's slot, at this address, the table of this process."""
    found = table()
    ctypes.c_void_p.from_address(slot).value = None if found is None else ctypes.addressof(found)
