"""Kernel files, the serialisation of dispatch kernels: its plan, its constants as they were given, and its object code.

A container (see `core.container`) whose sections are the plan, the code and each constant, under their SHA-256.

Trust: plan and constants are data and are checked like any other input. Object code is code: `load_kernel` compiles the
plan anew (from the local code cache, usually in milliseconds) and runs stored code only with `trust=True`, and then
only if it was made for this CPU by this version.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anytile.codegen.artifact import Artifact
from anytile.codegen.version import CODEGEN_VERSION
from anytile.core.atomic_write import write_atomically
from anytile.core.container import Bytes, Container, sha256_of
from anytile.core.errors import AnytileError, ResourceError, SpecError
from anytile.core.regular_file import open_regular
from anytile.dispatch.arguments.operands import require_memory
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.plan import DispatchPlan

MAGIC = b"\x93ANYTILE"
FILE = Container(
    "kernel file",
    magic=MAGIC,
    version=2,  # also of the code in it: moves with ABI_VERSION
    foreign="not a kernel file; expected one written by DispatchKernel.save",
    outdated="save the kernel again",
    max_header=16 << 20,
    checksum="sha256",
    checksum_name="hash",
)
_DTYPES = ("<f4", "<f2", "<u2", "|i1", "|u1")  # of constants, as kernels are given them


@dataclass(frozen=True)
class Stored:
    """What a kernel file says, checked but not built."""

    plan: DispatchPlan
    constants: Mapping[str, NDArray[Any]]
    artifact: Artifact
    made_for: Mapping[str, Any]


def save_kernel(
    path: Path,
    plan: DispatchPlan,
    artifact: Artifact,
    constants: Mapping[str, NDArray[Any]],
    made_for: Mapping[str, Any],
) -> None:
    sections: dict[str, bytes] = {"plan": plan.to_json().encode(), "code": artifact.code}
    sections.update({f"constant/{name}": array.tobytes() for name, array in constants.items()})
    header = {
        "artifact": artifact.header(),
        "constants": {n: {"dtype": a.dtype.str, "shape": list(a.shape)} for n, a in constants.items()},
        "made_for": dict(made_for),
    }
    parts = FILE.parts(header, {name: (data, sha256_of(data)) for name, data in sections.items()})
    write_atomically(path, parts, "kernel")


def read_kernel(path: Path) -> Stored:
    """Read and verify; builds and runs nothing."""
    try:
        data = _read(path)
    except OSError as error:
        why = error.strerror or error
        raise SpecError(f"{path}: the kernel cannot be read: {why}; give a file of DispatchKernel.save") from None
    except MemoryError:
        raise ResourceError(f"{path}: the file is larger than memory") from None
    try:
        return _parse(data)
    except AnytileError as error:
        raise type(error)(f"{path}: {error}") from None
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError) as error:
        raise SpecError(f"{path}: the kernel file is damaged: {error}; save it again") from None


def _read(path: Path) -> bytes:
    """The bytes of a file that begins as kernel files do and fits in memory, if it does."""
    with open_regular(path) as file:
        head = file.read(len(MAGIC))
        if head != MAGIC:
            return head
        require_memory(os.fstat(file.fileno()).st_size, f"{path}")
        return head + file.read()


def _parse(data: bytes) -> Stored:
    header, start = FILE.header(data)
    sections = FILE.sections(data, start, header["sections"], _hashes)
    plan = DispatchPlan.from_json(bytes(sections["plan"]).decode())
    constants = {str(n): _array(bytes(sections[f"constant/{n}"]), c) for n, c in header["constants"].items()}
    if tuple(sorted(constants)) != plan.workload.const:
        raise ValueError(
            f"it holds the constants {sorted(constants)}, and its workload has {list(plan.workload.const)}"
        )
    return Stored(plan, constants, Artifact.of(header["artifact"], bytes(sections["code"])), dict(header["made_for"]))


def _hashes(sections: Mapping[str, Bytes]) -> dict[str, str]:
    return {name: sha256_of(data) for name, data in sections.items()}


def _array(data: bytes, said: Mapping[str, Any]) -> NDArray[Any]:
    if said["dtype"] not in _DTYPES:
        raise ValueError(f"a constant has dtype {said['dtype']}, expected one of {', '.join(_DTYPES)}")
    dtype = np.dtype(said["dtype"])
    shape = tuple(int(d) for d in said["shape"])
    if any(d < 0 for d in shape):
        raise ValueError(f"a constant has shape {shape}")
    count = 1
    for d in shape:
        count *= d
    if count * dtype.itemsize != len(data):
        raise ValueError(f"a constant of shape {shape} does not take {len(data)} bytes")
    return np.frombuffer(data, dtype).reshape(shape)


def made_here(host: Target, compiler: str) -> dict[str, Any]:
    """What object code is made for on this machine; stored code runs only where this is the same."""
    return {"target": str(host), "codegen": CODEGEN_VERSION, "llvm": compiler}
