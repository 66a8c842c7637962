"""Functions of the host that the driver does: as the interpreter does them, noted, and left to it where they fail."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any as AnyType

import numpy as np
import pytest
from numpy.typing import NDArray

from anytile.compiler.lowering.host_functions import host_functions
from anytile.core.errors import ArgumentError
from anytile.vm.executable import Executable
from anytile.vm.session import Session
from tests.support.cases.vm_executables import executable, packed_kernel, tensor
from tests.support.run_outcomes import clean, live

# main(x, index): what is picked of x along its rows; twice, so that there is something to let go.
_PICK = """
function main(tensor, tensor) -> tensor, registers 10:
  ShapeOf r2, r1
  LoadConsti r3, 0
  LoadConsti r4, 400
  AllocStorage r5, r4, 4, d0
  AllocTensorReg r6, r5, r3, r2, float32
  InvokePacked k0, 1, [r0, r1, r6]
  AllocStorage r7, r4, 4, d0
  AllocTensorReg r8, r7, r3, r2, float32
  InvokePacked k0, 1, [r6, r1, r8]
  Ret r8
"""


def pick() -> Executable:
    kernel = packed_kernel('op_take_along {"axis": 1}')
    inputs = [("x", tensor((None, None))), ("index", tensor((None, None), "int64"))]
    return executable(_PICK, [kernel], inputs, tensor((None, None)))


X, INDEX = np.arange(12, dtype=np.float32).reshape(3, 4), np.array([[3, 0], [-1, -2], [1, 1]])


def test_the_driver_does_it_without_python(monkeypatch: pytest.MonkeyPatch) -> None:
    functions = dict(host_functions())
    calls = list[str]()
    session, plain = Session(pick(), functions=functions), Session(pick(), functions=functions, compiled=False)
    monkeypatch.setattr(
        "anytile.vm.interpreter.host_functions.run", lambda function, name, *rest: calls.append(name)
    )  # fmt: skip
    index = np.array([[1, 0], [-1, -2], [1, 1]])
    found = session(X, index)
    assert not calls
    assert found.tolist() == [[X[0, 0], X[0, 1]], [X[1, 2], X[1, 3]], [X[2, 1], X[2, 1]]]
    plain(X, index)
    assert calls == ["op_take_along"] * 2


def _custom(inputs: Sequence[NDArray[AnyType]], outputs: Sequence[NDArray[AnyType]], axis: int) -> None:
    outputs[0][...] = axis


def test_a_function_of_somebody_elses_is_called() -> None:
    found = Session(pick(), functions={"op_take_along": _custom})(X, INDEX)
    assert found.tolist() == [[1, 1]] * 3


@pytest.mark.parametrize("wrong", [4, -5])
def test_what_fails_is_said_as_the_interpreter_says_it(wrong: int) -> None:
    index = INDEX.copy()
    index[1, 1] = wrong
    said = []
    for compiled in (True, False):
        session = Session(pick(), functions=host_functions(), compiled=compiled)
        with pytest.raises(ArgumentError, match=r"take_along: positions from .*expected -4 to 3") as error:
            session(X, index)
        said.append(str(error.value))
        if compiled:
            clean(live(session))
    assert said[0] == said[1]


def test_it_is_noted_as_others_are() -> None:
    index = np.zeros((3, 2), np.int64)
    profiles = [
        Session(pick(), functions=host_functions(), compiled=c).profile({"x": X, "index": index}) for c in (1, 0)
    ]
    native, plain = (p.events for p in profiles)
    assert [(e.kernel, e.dims, e.nbytes) for e in native] == [(e.kernel, e.dims, e.nbytes) for e in plain]
    assert [[int(np.prod(s)) for s in e.shapes] for e in native] == [[int(np.prod(s)) for s in e.shapes] for e in plain]
