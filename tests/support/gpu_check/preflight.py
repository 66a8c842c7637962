"""Preflight of a machine with a GPU: what is installed, and the first kernel of all, compiled, launched and timed."""

from __future__ import annotations

import importlib.metadata
import platform
import shutil
import sys
import time

from anytile.core.errors import AnytileError
from tests.support.gpu_check.journal import ended, follow, note

PACKAGES = (
    *("numpy", "llvmlite", "cupy-cuda13x", "cupy-cuda12x", "ml_dtypes", "torch", "nvidia-cuda-nvrtc"),
    *("nvidia-cuda-runtime", "nvidia-cublas", "pytest", "hypothesis", "rich", "typer", "sqlalchemy", "xgboost"),
)
_NAME = "preflight"


def main() -> int:
    follow()
    note(collected=[_NAME])
    note(begins=_NAME)
    began = time.monotonic()
    try:
        _look()
    except AnytileError as error:
        ended(_NAME, "failed", str(error), time.monotonic() - began)
        return error.exit_code
    ended(_NAME, "passed", "", time.monotonic() - began)
    return 0


def _look() -> None:
    _say("python", f"{platform.python_version()} at {sys.executable}, {platform.platform(terse=True)}")
    for name in PACKAGES:
        try:
            _say(name, importlib.metadata.version(name))
        except importlib.metadata.PackageNotFoundError:
            _say(name, "not installed")
    _say("compute-sanitizer", shutil.which("compute-sanitizer") or "not on PATH")
    from anytile.codegen.cuda import nvrtc
    from anytile.dispatch.backends import cuda_device
    from anytile.schedules.hardware import nvidia_driver
    from anytile.tuner.measure.cuda.drift import Reference, reference_kernel

    found = nvidia_driver.find()
    _say("gpu", f"{found}, {found.memory >> 20} MiB, L2 {found.l2 >> 20} MiB, {found.shared} bytes shared a block")
    _say("driver", f"for CUDA {found.driver[0]}.{found.driver[1]}")
    _say("nvrtc", f"{nvrtc.version()}, for {', '.join(nvrtc.architectures())}")
    device = cuda_device()
    _say("cublas", device.library() or "none")
    _say("free memory", f"{device.free_bytes() >> 20} MiB")
    seconds = Reference(device, reference_kernel(device.facts.arch))()
    _say("first kernel", f"{seconds * 1e9:.2f} ns a round of multiply-adds")


def _say(name: str, what: str) -> None:
    print(f"{name:20} {what}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
