"""Shape programs that compute very much are several, none of which is too long for machine code of a run."""

from __future__ import annotations

import numpy as np
import pytest

from anytile.compiler.ir.memory_dialect import INVOKE_SHAPE, inputs_of, outputs_of
from anytile.compiler.ir.nodes import Var, is_operator_call, tensor_of
from anytile.compiler.ir.types import TensorType
from anytile.compiler.passes.memory.size_programs import SizeProgram
from anytile.schedules.index.expr import Expr, maximum
from anytile.vm.native.regions import HEAVIEST
from anytile.vm.program.shape_programs import Check, ShapeProgram, joint_weight


def offset(a: Expr, b: Expr, number: int) -> Expr:
    """Where a tensor lies behind some others, of which nobody knows the largest."""
    made = a * number
    for k in range(1, number % 9 + 2):
        made = maximum(made, 64 * ((k * a * b + 63 + number) // 64) + 64 * ((k * b + 63) // 64) + number * k)
    return made


@pytest.mark.parametrize("count", [0, 1, 9, 300])
def test_a_long_program_is_several(count: int) -> None:
    shape = Var("shape", TensorType((2,), "int64"))
    whole = SizeProgram()
    a, b = whole.element(shape, 0), whole.element(shape, 1)
    whole.checks.append(Check(a, "<=", b, "somewhere"))
    whole.pieces = {Var(f"at{i}", TensorType((2,), "int64")): (offset(a, b, i), a + i) for i in range(count)}
    calls = [e for _, e in whole.steps() if is_operator_call(e, INVOKE_SHAPE)]
    programs = [ShapeProgram.parse(str(c.attr("program"))) for c in calls]
    assert [len(p.checks) for p in programs] == [1, *[0] * (len(programs) - 1)]
    assert [o for c in calls for o in outputs_of(c)] == list(whole.pieces)
    assert all(inputs_of(c) == (shape,) for c in calls)
    assert all(joint_weight(p.exprs) < HEAVIEST - 200 for p in programs)
    assert (len(programs) > 1) == (count == 300)
    env = np.asarray([5, 7])
    found = [tuple(r) for p in programs for r in p.evaluate(lambda argument, place: int(env[place]))]
    names = dict(zip(sorted({n for e in (a, b) for n in e.names}), (5, 7), strict=True))
    assert found == [tuple(e.evaluate(names) for e in dims) for dims in whole.pieces.values()]
    assert all(tensor_of(p).shape == (2,) for p in whole.pieces)
