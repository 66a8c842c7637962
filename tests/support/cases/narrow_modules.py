"""Modules with narrow layers: what their executables compute, beside what the narrow module and the exact one mean."""

from __future__ import annotations

import numpy as np

from anytile.compiler.evaluate import evaluate
from anytile.compiler.ir.nodes import Array, Module
from anytile.compiler.ir.types import TensorType
from anytile.compiler.module import Module as Public
from anytile.vm.program.executable import KERNEL
from tests.support.cases.compiled_modules import Compiled, for_machine, random

ARRAYS = {"w": random(1, 37, 50), "v": random(2, 37, 50), "u": random(3, 50, 37), "b": random(4, 37)}
X = "x: Tensor[(?b, ?t, 50), float32]"


def module(body: str, params: str = X, **arrays: Array) -> Public:
    given = {**ARRAYS, **arrays}
    declared = "".join(
        f"const ${n}: {TensorType(a.shape, a.dtype.name)};\n" for n, a in given.items() if f"${n}" in body
    )
    return Public.parse(f"{declared}def main({params}) {{ {body} }}", given)


def after(made: Compiled) -> Module:
    """The module whose meaning is the narrow one."""
    return dict(made.stages)["narrow_layers"]


def workloads(made: Compiled) -> list[str]:
    return sorted(entry.workload for entry in made.exe.kernels if entry.kind == KERNEL)


def check_integers(made: Compiled, x: Array) -> float:
    """Both machines compute what the narrow module says; how far that is off the exact one, relative and in L2.

    What lies between two integers of a later layer may be either, and no more than few do.
    """
    wanted, exact = evaluate(after(made), [x]), evaluate(made.module, [x])
    assert isinstance(wanted, np.ndarray)
    assert isinstance(exact, np.ndarray)
    for is_native in (False, True):
        found = for_machine(made.session(is_native)(x))
        assert isinstance(found, np.ndarray)
        assert np.linalg.norm(found - wanted) <= 5e-3 * np.linalg.norm(wanted)
    assert np.linalg.norm(wanted - exact) <= 2e-2 * np.linalg.norm(exact)
    return float(np.linalg.norm(wanted - exact) / np.linalg.norm(exact)) if exact.size else 0.0
