"""The machine a benchmark runs on: what it is, and how a run is held to some of its cores.

`confine` must come before any library that starts threads does its first work; it starts the process over with the
thread settings in the environment, because OpenBLAS and OpenMP read them when they are loaded.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import platform
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from anytile.schedules.hardware.cpu import facts
from anytile.schedules.hardware.target import Target

AVX2 = {  # what makes us and the libraries that can be held so take this CPU for one without AVX-512
    "ANYTILE_HOST": "-mcpu=haswell",
    "ATEN_CPU_CAPABILITY": "avx2",
    "FBGEMM_ENABLE_INSTRUCTIONS": "AVX2",
    "MKL_ENABLE_INSTRUCTIONS": "AVX2",
    "ONEDNN_MAX_CPU_ISA": "AVX2",
    "OPENBLAS_CORETYPE": "Haswell",
}
_NOTHING: Mapping[str, str] = MappingProxyType({})
THREAD_SETTINGS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "GOTO_NUM_THREADS")
RIVALS = ("numpy", "torch", "onnxruntime", "openvino")
ALLOWED = frozenset(os.sched_getaffinity(0))  # the cores of this process before `confine`
FEATURES = ("avx2", "fma", "avx512f", "avx512_bf16", "avx512_vnni", "amx_tile", "asimd", "sve")


def confine(threads: int, settings: Mapping[str, str] = _NOTHING) -> None:
    """Hold this process to `threads` cores and every library in it to as many threads, and to further `settings` of
    the environment; returns once that is so."""
    cores = sorted(os.sched_getaffinity(0))
    if not 1 <= threads <= len(cores):
        raise SystemExit(f"error: --threads {threads}: this process may use 1 to {len(cores)} cores")
    wanted = {**dict.fromkeys(THREAD_SETTINGS, str(threads)), **settings}
    # Else its threads spin on for 0.1 s, on the cores of who is timed next. With less, as 2^4 ticks, each call has to
    # wake them, and small products take twice as long on two threads.
    wanted["OPENBLAS_THREAD_TIMEOUT"] = "16"
    if any(os.environ.get(name) != value for name, value in wanted.items()):
        command = [sys.executable, *sys.orig_argv[1:]]
        sys.stdout.flush()
        os.execve(sys.executable, command, {**os.environ, **wanted})
    # The last cores: the first one usually serves the interrupts.
    os.sched_setaffinity(0, cores[-threads:])


def add_avx2(parser: argparse.ArgumentParser) -> None:
    """The option of a benchmark whose rivals can be held to AVX2, or left out."""
    parser.add_argument("--avx2", action="store_true", help="as on a CPU that has AVX2 and nothing wider, for everyone")


def held(options: argparse.Namespace) -> Mapping[str, str]:
    """The settings of the environment that this option asks for."""
    return AVX2 if options.avx2 else _NOTHING


def describe(threads: int) -> dict[str, Any]:
    """What a reader needs to judge the figures; nothing that names the host."""
    target = Target.host(threads)
    cpu = facts(target)
    info = _cpuinfo()
    flags = set(info.get("flags", info.get("Features", "")).split())
    return {
        "cpu": info.get("model name", platform.machine()),
        "target": str(target),
        "vector_bits": cpu.vector_bits,
        "features": [f for f in FEATURES if f in flags],
        "cores": os.cpu_count(),
        "threads": threads,
        "caches": {"l1": cpu.l1_bytes, "l2": cpu.l2_bytes, "l3": cpu.l3_bytes},
        "system": f"{platform.system()} {platform.release().split('-')[0]}",
        "python": platform.python_version(),
        "versions": {name: v for name in ("anytile", "llvmlite", *RIVALS) if (v := version(name)) is not None},
        "blas": _numpy_blas(),
    }


def version(distribution: str) -> str | None:
    """The installed version, or None."""
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None


def _cpuinfo() -> dict[str, str]:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return {}
    pairs = (line.partition(":") for line in lines)
    found: dict[str, str] = {}
    for key, _, value in pairs:
        found.setdefault(key.strip(), value.strip())
    return found


def _numpy_blas() -> str:
    import numpy as np

    config: Any = np.show_config(mode="dicts")
    blas = config.get("Build Dependencies", {}).get("blas", {})
    return f"{blas.get('name', 'unknown')} {blas.get('version', '')}".strip()
