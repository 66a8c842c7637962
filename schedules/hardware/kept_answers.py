"""Host detection cache: what LLVM said of this machine, kept for later processes in the user's own cache folder.

Asking means to map and relocate a library of a hundred megabytes, which is much of the time in which a saved model has
its first result. An answer holds for that very library (where it is, its length, when it changed), for the machine
since it started (the system's number of the boot, and what the kernel says of the CPU), and for the instructions that
this process sees, as numpy found them: an emulator shows others on the same machine. Where one of these is not known,
or the folder is not the user's own, nothing is kept and LLVM is asked each time.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from anytile.core.own_folder import cache_folder, own_folder, read_inside, write_inside

_BOOT, _CPU = Path("/proc/sys/kernel/random/boot_id"), Path("/proc/cpuinfo")
_DIGEST = 64  # digits before the answer: the SHA-256 of what follows, which finds damage


class Answers(NamedTuple):
    """LLVM's version, and its name and features of the host's CPU."""

    version: tuple[int, ...]
    cpu: str
    features: str


def kept(library: Path, ask: Callable[[], Answers]) -> Answers:
    """What a library answers, out of the cache where it answered here before."""
    of = circumstances(library)
    if of is None:
        return ask()
    found = _read(of)
    if found is None:
        found = ask()
        _write(of, found)
    return found


def circumstances(library: Path) -> list[str] | None:
    """All that LLVM's answers follow from; None where that is not known."""
    try:
        file = library.stat()
        boot = _BOOT.read_text(encoding="ascii").strip()
        with _CPU.open("rb", buffering=0) as said:  # the first of many CPUs is enough
            cpu = said.read(1 << 12).split(b"\n\n")[0].decode()
    except (OSError, ValueError):
        return None
    seen: dict[str, bool] | None = getattr(_of_numpy(), "__cpu_features__", None)
    if not boot or not cpu or not seen:
        return None
    lasting = [line for line in cpu.splitlines() if not line.lower().startswith(("cpu mhz", "bogomips"))]
    instructions = " ".join(sorted(name for name, there in seen.items() if there))
    return [str(library), f"{file.st_size} {file.st_mtime_ns}", boot, *lasting, instructions]


def _of_numpy() -> Any:
    """The module of numpy that knows what the CPU has."""
    return getattr(getattr(np, "_core", None), "_multiarray_umath", None)


def _name(of: list[str]) -> str:
    """The file of a library: a user may have several, in environments of their own."""
    return hashlib.sha256(os.fsencode(of[0])).hexdigest()


def _read(of: list[str]) -> Answers | None:
    try:
        with own_folder(cache_folder("host")) as folder:
            data = read_inside(_name(of), folder)
        if hashlib.sha256(data[_DIGEST:]).hexdigest().encode() != data[:_DIGEST]:
            return None
        said = json.loads(data[_DIGEST:])
        if said["of"] != of:
            return None
        return Answers(tuple(map(int, said["version"])), str(said["cpu"]), str(said["features"]))
    except (OSError, ValueError, LookupError, TypeError):
        return None


def _write(of: list[str], found: Answers) -> None:
    text = json.dumps({"of": of, **found._asdict()}).encode()
    place = cache_folder("host")
    with contextlib.suppress(OSError):
        place.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileExistsError):
            os.mkdir(place, 0o700)
        with own_folder(place) as folder:
            write_inside(_name(of), folder, hashlib.sha256(text).hexdigest().encode() + text)
