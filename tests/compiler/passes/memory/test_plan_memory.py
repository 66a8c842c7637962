"""Memory planning: fewer allocations, nothing that lives at once in one place, close to the best there is."""

from __future__ import annotations

import numpy as np
import pytest

from anytile.compiler.builder import ModuleBuilder
from anytile.compiler.compile import DatabasePlanner
from anytile.compiler.evaluate import evaluate
from anytile.compiler.module import Module
from anytile.compiler.passes.memory import plan_memory
from anytile.compiler.pipeline import compiled, passes
from anytile.core.errors import ResourceError, SpecError
from anytile.schedules.hardware.target import Target
from anytile.vm.session import Session
from tests.support.cases.compiled_modules import check, compile_text, same
from tests.support.references.explicit_memory import Run


def _stages(module: Module) -> tuple[Module, Module]:
    """Before planning and after it."""
    for name, run in passes():
        if name == "plan_memory":
            return module, run(module)
        module = run(module)
    raise AssertionError("no pass plans memory")


def _network(layers: int) -> Module:
    rng = np.random.default_rng(0)
    m = ModuleBuilder()
    with m.function("main", x="Tensor[(?t, 16), float32]") as (f, x):
        for _ in range(layers):
            scores = f.softmax(f.batch_matmul(f.expand_dims(x), f.expand_dims(x), rhs="bnk"))
            mixed = f.squeeze(f.batch_matmul(scores, f.expand_dims(x)))
            wide = f.gelu(f.dense(mixed, rng.standard_normal((64, 16), np.float32) * 0.1))
            x = f.add(f.dense(wide, rng.standard_normal((16, 64), np.float32) * 0.1), x)
        f.result(x)
    return m.build()


@pytest.mark.parametrize("t", [0, 1, 3, 64, 131])
def test_what_shares_memory_computes_the_same(t: int) -> None:
    module = _network(3)
    x = np.random.default_rng(t).standard_normal((t, 16), np.float32)
    wanted = evaluate(module, (x,))
    for stage in _stages(module):
        same(Run(stage).main(x), wanted, tolerance=1e-4)


def test_allocations_and_memory() -> None:
    module = _network(6)
    plain, planned = _stages(module)
    for t in (8, 64, 256):
        x = np.zeros((t, 16), np.float32)
        before, after = Run(plain), Run(planned)
        before.main(x)
        after.main(x)
        assert len(after.allocated) <= 0.2 * len(before.allocated)
        # What lives at once at the worst place: scores before and after softmax, x; or mixed, wide, x.
        row = t * 16 * 4
        least = max(2 * t * t * 4 + row, row + 4 * row + row)
        numbers, result = 1024, row
        assert sum(after.allocated) <= 1.08 * (least + result + numbers)


@pytest.mark.parametrize(
    ("cut", "parts"),
    [
        ("start=(1), stop=(3), axes=(0)", 1),
        ("start=(2), stop=(2), axes=(0)", 1),
        ("start=(0), stop=(4), axes=(0)", 1),
        ("start=(1), stop=(9), axes=(0)", 0),  # to its end
        ("start=(-2), stop=(4), axes=(0)", 0),
        ("start=(0), stop=(4), step=(2), axes=(0)", 0),
        ("start=(1), stop=(3), axes=(1)", 0),
    ],
)
def test_slices_that_have_no_kernel_are_parts_where_they_begin_aligned(cut: str, parts: int) -> None:
    """As those of float64: what is cut is not copied, and stays for as long as what is cut of it."""
    text = """def main(x: Tensor[(4, ?n, 8), float64]) -> (Tensor[(?, ?, ?), float64], Tensor[(?, ?, ?), float64]) {
  let a = tanh(x); let b = slice(a, CUT); (b, slice(exp(abs(tanh(abs(a)))), CUT))
}""".replace("CUT", cut)
    made = compile_text(text)
    _, planned = _stages(made.module)
    assert str(planned).count("memory.part(") == 2 * parts
    assert str(planned).count("op_slice") == 2 * (1 - parts)
    for n in (0, 1, 5):
        x = np.random.default_rng(n).standard_normal((4, n, 8))
        same(Run(planned).main(x), evaluate(made.module, (x,)))
        check(made, x, stages=False)


def test_what_gets_out_keeps_its_own_storage() -> None:
    module = Module.parse("""
data Box { Box(Tensor[(?n,), float32]) }
def main(x: Tensor[(?n,), float32]) -> (Tensor[(?,), float32], Box, Tensor[(?n, 1), float32]) {
  let a = exp(x); let b = tanh(x); let c = abs(x); let d = floor(x);
  let kept = Box(b);
  (concat(a, d, axis=0), kept, reshape(c, shape=(-1, 1)))
}
""")
    x = np.linspace(-2, 2, 7, dtype=np.float32)
    for stage in _stages(module):
        run = Run(stage)
        first, second, third = run.main(x)
        np.testing.assert_allclose(second.fields[0], np.tanh(x), rtol=1e-6)
        np.testing.assert_allclose(third[:, 0], np.abs(x))
        assert not np.shares_memory(first, third)


def test_nothing_is_placed_behind_a_size_that_is_long_to_say(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each place would say it anew: sums of sums of many lengths, which no executable may hold that much of."""
    module = _network(2)
    x = np.random.default_rng(0).standard_normal((70, 16), np.float32)
    shared = _allocations(_stages(module)[1])
    monkeypatch.setattr(plan_memory, "_MOST_LETTERS", 3)  # 64*t is longer
    planned = _stages(module)[1]
    assert shared < _allocations(planned)
    same(Run(planned).main(x), evaluate(module, (x,)))


def _allocations(module: Module) -> int:
    return str(module).count("memory.alloc_storage(")


def test_memory_that_is_shared_says_where_it_is_used() -> None:
    module = Module.parse("""
def main(x: Tensor[(?n,), float32]) -> Tensor[(), float32] {
  let all = add(expand_dims(x, axis=1), x) @"pairs";
  let sums = cumsum(all) @"sums";
  max(cumsum(multiply(sums, all)) @"again") @"end"
}
""")
    exe = compiled(module, Target.host(1), DatabasePlanner(Target.host(1)))
    for is_native in (False, True):
        session = Session(exe, memory_limit=1 << 20, compiled=is_native)
        with pytest.raises(ResourceError, match="^pairs to again: memory: expected to stay within 1048576 bytes"):
            session(np.zeros(10_000, np.float32))


@pytest.mark.parametrize("shape", ["(2147483647, 2147483647)", "(2147483647, 2147483647, 2147483647, 2147483647)"])
def test_a_tensor_that_no_memory_holds_is_refused_in_a_line(shape: str) -> None:
    module = Module.parse(f'def main(x: Tensor[(1,), float32]) {{ broadcast_to(x, shape={shape}) @"wide" }}')
    with pytest.raises(
        SpecError, match=r"at wide: a tensor of shape \(2147483647, .*; expected 281474976710656 at most"
    ):
        _stages(module)
