"""Rows of a recurrence are written behind each other: what n of them cost, and that nobody's tensor changes for it."""

from __future__ import annotations

import numpy as np
import pytest

from anytile.compiler.ir.nodes import is_operator_call
from anytile.compiler.ir.traverse import nodes
from anytile.core.errors import ResourceError
from anytile.vm.program import isa
from anytile.vm.session import Session
from tests.support.cases.compiled_modules import STACK, Compiled, check, compile_text, random

COUNTS = (0, 1, 2, 7, 8, 9, 101)
NONE = np.zeros((0, 3), np.float32)


def stacked() -> Compiled:
    return compile_text(STACK, none=NONE)


def appends(made: Compiled) -> int:
    return sum(isinstance(i, isa.AppendTensor) for f in made.exe.functions for i in f.code)


@pytest.mark.slow
def test_rows_that_a_recurrence_stacks_are_appended() -> None:
    made = stacked()
    assert appends(made) == 1
    for count in COUNTS:
        check(made, random(count, count, 3))


@pytest.mark.parametrize("is_native", [False, True])
def test_n_rows_cost_n(is_native: bool) -> None:
    """Each request is half as large again as what there was before, so few are made, which together are no larger than
    a few times what comes out."""
    made, count = stacked(), 3000
    session = Session(made.exe, compiled=is_native)
    x = random(0, count, 3)
    np.testing.assert_allclose(session(x), np.tanh(x[::-1]), rtol=2e-5, atol=2e-5)
    (machine,) = session._idle
    assert machine.pool.system_calls < 40  # concatenated, there were one for each size class on the way: 140
    assert machine.pool.peak < 6 * x.nbytes


def test_a_tensor_that_two_are_appended_to_stays_what_it_is() -> None:
    """Both halves of the tree append to one tensor: what came second finds the memory behind it taken."""
    made = compile_text(
        """
        def main(depth: Tensor[(), int64]) { tree(depth, 1.0, $none) }
        def tree(depth: Tensor[(), int64], x: Tensor[(), float32], seen: Tensor[(?seen, 3), float32])
            -> Tensor[(?, 3), float32] {
          if (less(0, depth)) {
            let row = broadcast_to(x, shape=(1, 3));
            let early = tree(subtract(depth, 1), multiply(x, 2.0), concat(seen, row, axis=0));
            let late = tree(subtract(depth, 1), multiply(x, 3.0), concat(seen, negative(row), axis=0));
            concat(early, seen, late, axis=0)
          } else { seen }
        }
        """,
        none=NONE,
    )
    assert appends(made) == 2
    for depth in range(6):
        check(made, np.asarray(depth), stages=depth < 4)


def test_what_was_returned_before_stays_when_more_is_appended() -> None:
    """Every prefix is kept in a list, and read when all are there."""
    made = compile_text(
        """
        data List { End(), More(Tensor[(?, 2), int64], List) }
        def main(count: Tensor[(), int64]) { total(prefixes(count, $none, End())) }
        def prefixes(left: Tensor[(), int64], seen: Tensor[(?seen, 2), int64], kept: List) -> List {
          if (less(0, left)) {
            let longer = concat(seen, broadcast_to(left, shape=(1, 2)), axis=0);
            prefixes(subtract(left, 1), longer, More(longer, kept))
          } else { kept }
        }
        def total(kept: List) -> Tensor[(), int64] {
          match (kept) { End() => 0, More(x, rest) => add(sum(x), multiply(total(rest), 3)) }
        }
        """,
        none=np.zeros((0, 2), np.int64),
    )
    assert appends(made) == 1
    for count in (0, 1, 2, 20):
        check(made, np.asarray(count), stages=False)


@pytest.mark.parametrize(
    ("step", "count"),
    [
        ("concat(seen, row, axis=0)", 1),
        ("concat(row, seen, axis=0)", 0),
        ("concat(seen, row, row, axis=0)", 0),
        ("concat(seen, seen, axis=0)", 1),
        ("slice(concat(seen, row, axis=0), start=(1,), axes=(0,))", 0),
    ],
)
def test_only_what_grows_at_its_end_is(step: str, count: int) -> None:
    made = compile_text(
        f"""
        def main(n: Tensor[(), int64], row: Tensor[(1, 2), float32]) {{ grow(n, row, row) }}
        def grow(left: Tensor[(), int64], row: Tensor[(1, 2), float32], seen: Tensor[(?seen, 2), float32])
            -> Tensor[(?, 2), float32] {{
          if (less(0, left)) {{ grow(subtract(left, 1), row, {step}) }} else {{ seen }}
        }}
        """
    )
    assert appends(made) == count
    for n in (0, 1, 5):
        check(made, np.asarray(n), random(n, 1, 2), stages=False)


def test_dimensions_before_the_axis_are_1() -> None:
    """Keys of one sequence, by heads or not: (1, t, 4) grows in place, (2, t, 2) does not."""
    for heads, wanted in ((1, 1), (2, 0)):
        kind, row = f"({heads}, ?seen, {4 // heads})", f"({heads}, 1, {4 // heads})"
        made = compile_text(
            f"""
            def main(n: Tensor[(), int64], row: Tensor[{row}, float32]) {{ grow(n, row, row) }}
            def grow(left: Tensor[(), int64], row: Tensor[{row}, float32], seen: Tensor[{kind}, float32])
                -> Tensor[({heads}, ?, {4 // heads}), float32] {{
              if (less(0, left)) {{ grow(subtract(left, 1), row, concat(seen, row, axis=1)) }} else {{ seen }}
            }}
            """
        )
        assert appends(made) == wanted
        check(made, np.asarray(9), random(heads, heads, 1, 4 // heads), stages=False)


@pytest.mark.parametrize("is_native", [False, True])
def test_results_have_memory_of_their_own(is_native: bool) -> None:
    """What came out before rows were appended to it, and what came out behind that."""
    made = compile_text(
        """
        def main(n: Tensor[(), int64], row: Tensor[(1, 2), float32]) { grow(n, row, $none, $none) }
        def grow(left: Tensor[(), int64], row: Tensor[(1, 2), float32], before: Tensor[(?before, 2), float32],
                 seen: Tensor[(?seen, 2), float32]) -> (Tensor[(?, 2), float32], Tensor[(?, 2), float32]) {
          if (less(0, left)) { grow(subtract(left, 1), row, seen, concat(seen, row, axis=0)) } else { (before, seen) }
        }
        """,
        none=np.zeros((0, 2), np.float32),
    )
    assert appends(made) == 1
    before, seen = made.session(is_native)(np.asarray(8), random(0, 1, 2))
    wanted = seen.copy()
    before[...] = 7
    np.testing.assert_array_equal(seen, wanted)


@pytest.mark.slow
@pytest.mark.parametrize("is_native", [False, True])
def test_rows_beyond_the_memory_limit_are_one_line(is_native: bool) -> None:
    session = Session(stacked().exe, compiled=is_native, memory_limit=1 << 20)
    with pytest.raises(ResourceError, match=r"memory: expected to stay within 1048576 bytes, got a request for"):
        session(random(0, 90000, 3))
    assert session(random(0, 5, 3)).shape == (5, 3)


def test_no_kernel_joins_what_is_appended() -> None:
    after = dict(stacked().stages)["fuse"].functions.values()
    assert [f.is_primitive for f in after for e in nodes(f.body) if is_operator_call(e, "append")] == [False]
