"""Lists of tensors below each other: what was met first stands first, whatever their number and their rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from anytile.compiler.evaluate import Data, evaluate
from anytile.compiler.infer import infer
from anytile.compiler.ir.nodes import Call, Function, GlobalRef, Var
from anytile.compiler.ir.traverse import make_block
from anytile.compiler.ir.types import DataRef, TensorType
from anytile.compiler.module import Module
from anytile.compiler.passes.recurrence.row_lists import AT_ONCE, RowList, with_rows
from tests.support.cases.compiled_modules import Compiled, for_machine, random

COUNTS = (0, 1, 2, AT_ONCE - 1, AT_ONCE, AT_ONCE + 1, AT_ONCE**2, AT_ONCE**2 + 1, 3 * AT_ONCE**2 + 2)


def stacking(row: TensorType) -> tuple[RowList, Module]:
    """A module whose main stacks a list."""
    made = with_rows(Module({}), row)
    rows, result = Var("rows", DataRef(made.data)), Var("result")
    body = make_block([(result, Call(GlobalRef(made.stack), (rows, made.none)))], result)
    module = Module({"main": Function((rows,), None, body), **made.module.functions}, made.module.data)
    return made, infer(module).module


def listed(made: RowList, tensors: list[Any]) -> Data:
    found = Data(made.empty)
    for tensor in tensors:
        found = Data(made.more, (tensor, found))
    return found


@pytest.mark.parametrize("shape", [(1, 3), (1, 2, 2)])
def test_all_rows_in_the_order_in_which_they_were_met(shape: tuple[int, ...]) -> None:
    made, module = stacking(TensorType(shape))
    for count in COUNTS:
        tensors = [random(i, *shape) for i in range(count)]
        wanted = np.concatenate([np.zeros((0, *shape[1:]), np.float32), *tensors])
        np.testing.assert_array_equal(evaluate(module, (listed(made, tensors),)), wanted)


@pytest.mark.slow
def test_tensors_may_have_any_number_of_rows() -> None:
    made, module = stacking(TensorType((1, 3), "int64"))
    compiled = Compiled(module)
    for count in COUNTS:
        tensors = [np.arange(3 * (i % 4)).reshape(-1, 3) + 100 * i for i in range(count)]
        wanted = np.concatenate([np.zeros((0, 3), np.int64), *tensors])
        given = listed(made, tensors)
        np.testing.assert_array_equal(evaluate(module, (given,)), wanted)
        np.testing.assert_array_equal(compiled.session(True)(for_machine(given)), wanted)


def test_lists_of_several_kinds_have_names_of_their_own() -> None:
    first = with_rows(Module({}), TensorType((1, 3)))
    second = with_rows(first.module, TensorType((1, 4)))
    assert first.data != second.data
    assert first.stack != second.stack
    assert set(second.module.functions) > set(first.module.functions)
    assert len(second.module.data) == 2
