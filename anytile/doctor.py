"""Diagnostics of this machine: every part it uses, whether it is in order, and what to do where it is not.

A check looks and never changes: Ray is not started, the database is opened read-only, no GPU context is made. One
check that cannot answer is a warning line, not the end of the others.
"""

from __future__ import annotations

import functools
import importlib.metadata
import importlib.util
import os
import platform
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from anytile.core.cgroup import quota
from anytile.core.errors import AnytileError, DatabaseError
from anytile.core.installation.lacking import lacking
from anytile.core.plurals import counted
from anytile.core.version import __version__
from anytile.schedules.hardware.target import Target
from anytile.show.figures import bytes_text
from anytile.show.jsonable import jsonable

OK, WARN, NONE = "ok", "warn", "none"  # in order; works, but mind this; not there, and not needed


@dataclass(frozen=True, slots=True)
class Check:
    """One line: what was looked at, how it stands, what was seen, and the next step where there is one."""

    name: str
    state: str
    seen: str
    next: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)


def examine(db: str | None = None) -> Iterator[Check]:
    """Every check, one after the other, each as soon as it is known."""
    database = functools.update_wrapper(functools.partial(_database, db), _database)
    checks: tuple[Callable[[], Check], ...] = (
        _python,
        _cpu,
        _cores,
        _vector,
        _caches,
        _clock,
        _llvm,
        _threads,
        _ray,
        _model,
        database,
        _code_cache,
        _blas,
        _gpu,
        _cublas,
        _nvrtc,
        _rivals,
    )
    for check in checks:
        try:
            yield check()
        except (AnytileError, ImportError, OSError, ValueError) as error:
            name = check.__name__.strip("_<>").replace("_", " ")
            missing = lacking(error) if isinstance(error, ModuleNotFoundError) else None
            yield Check(name, WARN, missing or " ".join(str(error).split()))


def _python() -> Check:
    version = platform.python_version()
    data = {"anytile": __version__, "python": version, "system": platform.platform(terse=True)}
    return Check("anytile", OK, f"{__version__} on Python {version}, {data['system']}", data=data)


def _cpu() -> Check:
    from anytile.schedules.hardware.host import HOST_SETTING, host

    model, taken = _cpu_model(), host().setting
    how = f", taken for '{taken}' by {HOST_SETTING}" if taken else ""
    data = {"model": model, "architecture": platform.machine(), "taken_for": taken or None}
    return Check("cpu", OK, f"{model}, {platform.machine()}{how}", data=data)


def _cores() -> Check:
    from anytile.schedules.hardware.target import usable_cores

    usable, cores, there = usable_cores(), len(os.sched_getaffinity(0)), os.cpu_count() or 1
    share = quota()
    seen = f"{cores} usable of {there}" + (f", limited to {share:.1f} cores' time" if share and share < cores else "")
    data = {"usable": usable, "present": there, "quota": share}
    if share and share < cores:
        return Check(
            "cores", WARN, seen, f"timings jump when the quota runs out; keep to -threads={max(1, int(share))}", data
        )
    if usable == 1:
        return Check("cores", WARN, seen, "builds and timings share one core; tuning takes about twice as long", data)
    return Check("cores", OK, seen, data=data)


def _vector() -> Check:
    from anytile.schedules.hardware.cpu import facts

    target = Target.host()
    f = facts(target)
    fma = "with" if f.has_fma else "no"
    seen = f"{f.vector_bits} bit, {f.vector_registers} registers, {f.lanes} float32 lanes, {fma} FMA"
    data = {"bits": f.vector_bits, "registers": f.vector_registers, "fma": f.has_fma, "target": str(target)}
    if not f.has_fma:
        return Check("vector unit", WARN, seen, "without fused multiply-add expect half the rate", data)
    return Check("vector unit", OK, f"{seen} ({target})", data=data)


def _caches() -> Check:
    from anytile.schedules.hardware.cpu import facts

    f = facts(Target.host())
    sizes = {"l1": f.l1_bytes, "l2": f.l2_bytes, "l3": f.l3_bytes}
    return Check(
        "caches", OK, ", ".join(f"{name.upper()} {bytes_text(size)}" for name, size in sizes.items()), data=sizes
    )


def _clock() -> Check:
    governor = _read(Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"))
    load = os.getloadavg()[0]
    from anytile.schedules.hardware.target import usable_cores

    data = {"governor": governor, "load": load}
    seen = f"load {load:.1f}" + (f", governor {governor}" if governor else "")
    if load > usable_cores() * 0.75:
        return Check("quiet", WARN, seen, "something else is running; timings taken now will scatter", data)
    if governor in ("powersave", "conservative"):
        return Check(
            "quiet", WARN, seen, "the clock may be held down; `cpupower frequency-set -g performance` steadies it", data
        )
    return Check("quiet", OK, seen, data=data)


def _llvm() -> Check:
    from anytile.codegen.version import CODEGEN_VERSION, llvm_version

    version = llvm_version()
    data = {"llvm": version, "llvmlite": _version_of("llvmlite"), "codegen": CODEGEN_VERSION}
    return Check(
        "llvm", OK, f"LLVM {version} in llvmlite {data['llvmlite']}, code generator {CODEGEN_VERSION}", data=data
    )


def _threads() -> Check:
    from anytile.codegen.load.thread_team import table
    from anytile.codegen.threads.thread_table import BINDING, bound

    settings = {name: os.environ[name] for name in BINDING if name in os.environ}
    affinity = sorted(os.sched_getaffinity(0))
    seen = f"affinity {_core_ranges(affinity)}" + "".join(f", {name}={value}" for name, value in settings.items())
    data = {"affinity": affinity, "environment": settings, "team": table() is not None}
    if not data["team"]:
        step = "kernels run on one thread: the thread team is written for x86-64 and 64-bit ARM"
        return Check("threads", WARN, f"{seen}, no thread team", step, data)
    where = "left where these bind them" if bound() else "kept off their caller's core"
    return Check("threads", OK, f"{seen}; {where}", data=data)


def _ray() -> Check:
    version = _version_of("ray")
    if version is None:
        return Check("ray", WARN, "not installed", "tune with --runner inline, or pip install ray", {"version": None})
    room = _shm_free()
    data = {"version": version, "shm_bytes": room}
    if room is not None and room < 64 << 20:
        return Check(
            "ray",
            WARN,
            f"{version}, only {bytes_text(room)} in /dev/shm",
            "Ray falls back to slow disk; enlarge /dev/shm or tune with --runner inline",
            data,
        )
    return Check("ray", OK, f"{version} (not started)", data=data)


def _model() -> Check:
    version = _version_of("xgboost")
    if version is None:
        return Check(
            "xgboost", WARN, "not installed", "tune with --search random, or pip install xgboost", {"version": None}
        )
    return Check("xgboost", OK, version, data={"version": version})


def _database(url: str | None) -> Check:
    from anytile.db.sql.engine import locate
    from anytile.db.sql.places import may_be_there, places_in
    from anytile.db.store import Store

    try:
        if not may_be_there(url):
            names = ", ".join(locate(place, readonly=True).name for place in places_in(url))
            return Check("database", NONE, f"{names}, not made yet", "the first `tune` makes it")
        with Store.open(url, readonly=True) as store:
            stats = store.stats()
    except DatabaseError as error:
        return Check("database", WARN, " ".join(str(error).split()), "--db or $ANYTILE_DB names another")
    size = "" if stats.bytes is None else f", {bytes_text(stats.bytes)}"
    counts = ", ".join(map(counted, (stats.campaigns, stats.trials, stats.selections), ("campaign", "trial", "plan")))
    seen = f"{stats.name}, revision {stats.revision}{size}: {counts}"
    data = jsonable(stats)
    if stats.unreadable:
        return Check(
            "database", WARN, seen, f"{len(stats.unreadable)} of its workloads or targets need a newer anytile", data
        )
    if below := [layer.name for layer in store.layers[1:]]:
        seen += f"; then {', '.join(below)}"
    if store.unopened:
        return Check("database", WARN, seen, "; ".join(store.unopened), data)
    return Check("database", OK, seen, data=data)


def _code_cache() -> Check:
    from anytile.codegen.cache import CodeCache

    cache = CodeCache(None)
    folder = cache.folder
    data = {"folder": str(folder)}
    if (why := cache.objection()) is not None:
        return Check("code cache", WARN, f"{folder}, not used: {why}", "kernels are compiled anew each time", data)
    if not folder.exists():
        return Check("code cache", NONE, f"{folder}, not made yet", data=data)
    files = [f for f in folder.rglob("*") if f.is_file()]
    size = sum(f.stat().st_size for f in files)
    seen = f"{folder}, {counted(len(files), 'file')}, {bytes_text(size)}"
    if not os.access(folder, os.W_OK):
        return Check("code cache", WARN, seen, "cannot be written; kernels are compiled anew each time", data)
    return Check("code cache", OK, seen, data={**data, "files": len(files), "bytes": size})


def _blas() -> Check:
    from anytile.dispatch.blas.find import SETTING, find_blas

    found = find_blas()
    if not found:
        return Check("blas", NONE, "none found", "plans use generated kernels only", {"found": []})
    used, *others = map(str, found)
    how = f" by {SETTING}" if os.environ.get(SETTING) else ""
    also = f"; also here, by {SETTING}=PATH: {', '.join(others)}" if others else ""
    data = [{"name": b.name, "version": b.version, "library": b.library, "build": b.build} for b in found]
    return Check("blas", OK, f"{used} is used{how}{also}", data={"found": data})


def _gpu() -> Check:
    """The driver alone is asked, so no context is made."""
    from anytile.schedules.hardware import nvidia_driver

    try:
        found = nvidia_driver.find()
    except AnytileError as error:
        if not _read(Path("/proc/driver/nvidia/version")) and shutil.which("nvidia-smi") is None:
            step = "`tune --compile-only` makes and checks CUDA code without one"
            return Check("gpu", NONE, "none", step, {"gpu": None})
        return Check("gpu", WARN, str(error).partition("; ")[0], "see `nvidia-smi`", {"gpu": None})
    version = ".".join(map(str, found.driver))
    seen = f"{found}, {bytes_text(found.memory)}, driver for CUDA {version}"
    data = {"gpu": found, "target": str(Target.parse("cuda"))}
    if importlib.util.find_spec("cupy") is None:
        return Check("gpu", WARN, seen, f"{nvidia_driver.CUPY}, to tune for it", data)
    return Check("gpu", OK, f"{seen} ({data['target']})", data=data)


def _cublas() -> Check:
    """CuPy's wheel has none of its own: it comes with the extra of CUDA's libraries, or is the system's."""
    from anytile.dispatch.cuda.cupy_device import cublas

    if importlib.util.find_spec("cupy") is None:
        return Check("cublas", NONE, "none, as CuPy is not installed", data={"found": False})
    if cublas() is None:
        wheel = next(iter(importlib.metadata.packages_distributions().get("cupy", ())), "cupy-cuda13x")
        step = f"plans for the GPU use generated kernels only; pip install '{wheel}[ctk]' brings it"
        return Check("cublas", NONE, "CuPy finds none", step, {"found": False})
    return Check("cublas", OK, "found by CuPy", data={"found": True})


def _nvrtc() -> Check:
    from anytile.codegen.cuda import nvrtc

    try:
        version, known = nvrtc.version(), nvrtc.architectures()
    except AnytileError:
        step = "pip install 'anytile[cuda13]' to compile for GPUs"
        return Check("nvrtc", NONE, "not installed", step, {"nvrtc": None})
    data = {"nvrtc": version, "architectures": known}
    return Check("nvrtc", OK, f"{version}, for {known[0]} to {known[-1]}", data=data)


def _rivals() -> Check:
    versions = {name: _version_of(name) for name in ("numpy", "torch", "onnxruntime")}
    there = [f"{name} {version}" for name, version in versions.items() if version]
    missing = [name for name, version in versions.items() if not version]
    step = (
        f"{', '.join(missing)} not installed: only benchmarks compare with them (scripts/bench installs them)"
        if missing
        else ""
    )
    return Check("rivals", OK if not missing else NONE, ", ".join(there), step, versions)


def healthy(checks: list[Check]) -> bool:
    return all(check.state != WARN for check in checks)


# -- what the kernel keeps in files, and what is installed


def _cpu_model() -> str:
    """The name the kernel gives the processor; the architecture where it gives none."""
    for line in _read(Path("/proc/cpuinfo")).splitlines():
        key, _, value = line.partition(":")
        if key.strip() in ("model name", "Model", "cpu model"):
            return " ".join(value.split())
    return platform.processor() or platform.machine()


def _version_of(package: str) -> str | None:
    """The installed version, without importing the package."""
    if importlib.util.find_spec(package) is None:
        return None
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _shm_free() -> int | None:
    try:
        return shutil.disk_usage("/dev/shm").free
    except OSError:
        return None


def _read(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""


def _core_ranges(cores: list[int]) -> str:
    """`0-3,8` for 0, 1, 2, 3, 8."""
    spans: list[list[int]] = []
    for core in cores:
        if spans and core == spans[-1][1] + 1:
            spans[-1][1] = core
        else:
            spans.append([core, core])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in spans)
