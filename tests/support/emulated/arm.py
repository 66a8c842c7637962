"""An emulated 64-bit ARM: kernels linked for it and run by qemu, in user mode, on operands of ours.

`gcc-aarch64-linux-gnu` links and brings the C library, `qemu-user` runs; both are Debian's. An emulator proves what
code computes and where it reaches, never how fast it is.
"""

from __future__ import annotations

import functools
import struct
import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np

from anytile.codegen.artifact import Artifact
from anytile.core.dtypes import BY_NAME, BYTES
from anytile.schedules.hardware.target import Target
from anytile.schedules.workloads.workload import Workload
from tests.support.cases.small_operators import Array

TARGET = Target.parse("llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a72 -threads=1")
_SOURCE = Path(__file__).with_name("run_kernel.c")
_COMPILER, _EMULATOR = "aarch64-linux-gnu-gcc", "qemu-aarch64"
_LIBRARIES = "/usr/aarch64-linux-gnu"  # where Debian's cross compiler has those that a program is started with
_GIVEN, _WRITTEN, _CONSTANT = range(3)
Job = tuple[Mapping[str, int], Mapping[str, Array]]


@functools.cache
def _runner() -> tuple[tempfile.TemporaryDirectory[str], Path]:
    """The program that runs kernels, and the folder that holds it for as long as this process lives."""
    folder = tempfile.TemporaryDirectory()
    program = Path(folder.name) / "run_kernel"
    _done([_COMPILER, "-O1", "-Wall", "-Werror", str(_SOURCE), "-o", str(program), "-Wl,--no-as-needed", "-ldl", "-lm"])
    return folder, program


def run(artifact: Artifact, workload: Workload, jobs: Iterable[Job]) -> list[dict[str, Array]]:
    """The outputs of each job: the symbols' values, and all inputs."""
    jobs = list(jobs)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        code, kernel, asked, answer = (folder / name for name in ("kernel.o", "kernel.so", "jobs", "results"))
        code.write_bytes(artifact.code)
        asked.write_bytes(b"".join(_job(artifact, workload, symbols, inputs) for symbols, inputs in jobs))
        _done([_COMPILER, "-shared", "-nostdlib", str(code), "-o", str(kernel)])
        words = [str(kernel), artifact.entry, artifact.workspace or "", str(asked), str(answer)]
        _done([_EMULATOR, "-L", _LIBRARIES, str(_runner()[1]), *words])
        data, at, found = answer.read_bytes(), 0, []
        for symbols, _ in jobs:
            outputs = {}
            for t in workload.outputs:
                shape, dtype = workload.shape(t.name, symbols), np.dtype(BY_NAME[workload.dtype_of(t)].numpy)
                count = int(np.prod(shape))
                outputs[t.name] = np.frombuffer(data, dtype, count, at).reshape(shape)
                at += count * dtype.itemsize
            found.append(outputs)
        assert at == len(data)
    return found


def _job(artifact: Artifact, workload: Workload, symbols: Mapping[str, int], inputs: Mapping[str, Array]) -> bytes:
    packed = {p.operand: p for p in artifact.packed}
    parts = [_numbers(len(workload.symbols), *(symbols[name] for name in workload.symbols), len(workload.tensors))]
    for t in workload.tensors:
        size = BYTES[workload.dtype_of(t)]
        if t.name in packed:
            names = (packed[t.name].size, packed[t.name].function)
            parts += [_numbers(_CONSTANT), *(name.encode().ljust(64, b"\0") for name in names)]
        else:
            parts.append(_numbers(_WRITTEN if t.output else _GIVEN))
        count = int(np.prod(workload.shape(t.name, symbols)))
        parts.append(_numbers(size, count * size))
        if not t.output:
            parts.append(np.ascontiguousarray(inputs[t.name]).tobytes())
    return b"".join(parts)


def _numbers(*values: int) -> bytes:
    return struct.pack(f"<{len(values)}q", *values)


def _done(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, f"{' '.join(command)}: exit status {done.returncode}: {done.stderr.strip()}"
