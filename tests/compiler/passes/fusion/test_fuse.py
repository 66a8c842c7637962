"""Fusion: what becomes one kernel, what must not, and the workloads that come of it."""

from __future__ import annotations

import numpy as np
import pytest

from anytile.compiler.ir.nodes import Call, OperatorRef
from anytile.compiler.ir.traverse import bindings_of, steps
from anytile.compiler.kernels.kernel_of import kernel_of
from anytile.compiler.module import Module
from anytile.compiler.passes.verify import verify
from anytile.compiler.pipeline import passes
from anytile.schedules.workloads.workload import MAX_TAIL
from anytile.vm.program.executable import KERNEL
from tests.support.cases.compiled_modules import Compiled, check

X = "x: Tensor[(?n, 8), float32]"


def fused(body: str, params: str = X) -> Module:
    module = Module.parse(f"def main({params}) {{ {body} }}")
    for name, run in passes():
        module = run(module)
        if name == "fuse":
            verify(module)
            return module
    raise AssertionError("no pass fuses")


def groups(module: Module) -> list[str]:
    """The steps of each primitive function that main calls, in order."""
    found = []
    for _, value in steps(module.main.body):
        if isinstance(value, Call) and not isinstance(value.callee, OperatorRef):
            called = module.functions[value.callee.name]  # type: ignore[union-attr]  # the name of a function
            names = [s.callee.name for _, s in bindings_of(called.body)]  # type: ignore[union-attr]  # operators
            found.append(" ".join(names))
    return found


def workload(module: Module, name: str) -> str:
    kernel = kernel_of(module.functions[name])
    assert kernel is not None
    return str(kernel.workload)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("exp(tanh(add(x, x)))", ["add tanh exp"]),
        ("let a = exp(x); add(a, tanh(a))", ["exp", "tanh add"]),  # both read a, and one kernel makes one thing
        ("softmax(exp(x))", ["exp", "softmax"]),
        ("exp(softmax(x))", ["softmax", "exp"]),
        ("relu(reshape(exp(x), shape=(-1,)))", ["exp relu"]),  # a view is no hindrance
        ('bit_cast(abs(bit_cast(exp(x), dtype="int32")), dtype="float32")', ["exp bit_cast abs bit_cast"]),
        ("(exp(x), exp(exp(x)))", ["exp", "exp"]),  # what is returned must be there
        ("let a = exp(x); if (less(sum(x), 0.0)) { tanh(a) } else { a }", ["exp", "sum", "less", "tanh"]),
    ],
)
def test_elementwise_steps(body: str, expected: list[str]) -> None:
    assert groups(fused(body)) == expected


TWO = f"{X}, w: Tensor[(8, 8), float32], b: Tensor[(8,), float32], r: Tensor[(?n, 8), float32]"


@pytest.mark.parametrize(
    ("body", "expected", "text"),
    [
        ("gelu(add(dense(x, w), b))", ["dense add gelu"], "tail=gelu(y + b0[n])"),
        ("add(r, add(dense(x, w), b))", ["dense add add"], "tail=b1[m, n] + (y + b0[n])"),
        ("add(dense(x, w), dense(r, w))", ["dense", "dense add"], "tail=y + b0[m, n]"),
        ("multiply(dense(x, w), 0.5)", ["dense multiply"], "tail=y * 0.5"),
        ("subtract(-2.0, dense(x, w))", ["dense subtract"], "tail=-2 - y"),
    ],
)
def test_tails_of_products(body: str, expected: list[str], text: str) -> None:
    made = fused(body, TWO)
    found = groups(made)
    assert sorted(found) == sorted(expected)
    assert any(text in workload(made, name) for name, f in made.functions.items() if f.is_primitive)


def test_a_tail_ends_where_it_would_have_too_many_operations() -> None:
    made = fused("clip(" * 40 + "dense(x, w)" + ", min=0.0, max=6.0)" * 40, TWO)
    first, *rest = groups(made)
    assert first.split() == ["dense"] + ["clip"] * (MAX_TAIL // 2)
    assert " ".join(rest).split() == ["clip"] * (40 - MAX_TAIL // 2)


def test_a_sum_is_normalised_in_one_kernel() -> None:
    made = fused("layer_norm(add(relu(x), r), b, b)", TWO)
    assert groups(made) == ["relu add layer_norm"]
    assert "pre=max(x, 0) + b0[rows, n]" in workload(made, "relu_add_layer_norm")


@pytest.mark.parametrize(
    ("body", "expected", "text"),
    [
        ("mean(square(subtract(x, b)), axis=(1,))", ["subtract square mean"], "pre=(x - a1[d1]) * (x - a1[d1])"),
        ("sum(multiply(x, cast(i, dtype=\"float32\")), axis=(1,))", ["cast multiply sum"],
         "pre=x * float32(a0[d0, d1]), types=a0:int64"),
        ("prod(max(x, axis=(1,)))", ["max", "prod"], "kind=max"),
        ("max(subtract(expand_dims(x, axis=(1,)), expand_dims(w, axis=(0,))), axis=(2,))", ["subtract max"],
         "pre=a0[d0, d2] - a1[d1, d2]"),  # of all pairs of rows, which are never stored
        ("mean(cast(f, dtype=\"float32\"), axis=(0,))", ["cast mean"], "kind=mean, dtype=float32, stored=x:float16"),
        ("sum(tanh(x))", ["tanh", "sum"], "reduce(d0=?d0, rank=1, axes=0"),  # threads share what is dear
        ("sum(tanh(x), axis=(0,))", ["tanh sum"], "pre=tanh(x)"),
        ("argmax(tanh(x), axis=(1,))", ["tanh", "argmax"], "kind=argmax"),
    ],
)  # fmt: skip
def test_reductions_take_steps_before_them(body: str, expected: list[str], text: str) -> None:
    more = "i: Tensor[(?n, 8), int64], f: Tensor[(?n, 8), float16]"
    made = fused(body, f"{TWO}, {more}")
    assert groups(made) == expected
    assert any(text in workload(made, name) for name, f in made.functions.items() if f.is_primitive)


def test_attention_takes_its_mask_into_the_product() -> None:
    params = "q: Tensor[(1, 4, ?t, 8), float32], mask: Tensor[(1, 1, 1, ?t), float32]"
    made = fused('add(multiply(batch_matmul(q, q, rhs="bnk"), 0.35), mask)', params)
    assert groups(made) == ["batch_matmul multiply add"]
    assert "tail=y * 0.35 + b0[n]" in workload(made, "batch_matmul_multiply_add")


def test_a_mask_that_dimensions_cannot_say_is_added_apart() -> None:
    params = "q: Tensor[(?b, 4, ?t, 8), float32], mask: Tensor[(?b, 1, 1, ?t), float32]"
    made = fused('add(batch_matmul(q, q, rhs="bnk"), mask)', params)
    assert groups(made) == ["batch_matmul", "add"]
    assert "f=a0[d0, d1, d2] + a1[d0, d2]" in workload(made, "add")


def test_what_depends_on_data_stays_a_call() -> None:
    made = fused('exp(cast(nonzero(x), dtype="float32"))')
    assert groups(made) == ["cast exp"]
    assert any(isinstance(v, Call) and v.callee == OperatorRef("nonzero") for _, v in steps(made.main.body))


def test_equal_kernels_are_one_function() -> None:
    made = fused("let a = gelu(dense(x, w)); gelu(dense(a, w))", TWO)
    assert [name for name, f in made.functions.items() if f.is_primitive] == ["dense_gelu"]


def cut(of: str, axis: int, start: int, stop: int) -> str:
    return f"slice({of}, axes=({axis},), start=({start},), stop=({stop},), step=(1,))"


A, B = cut("x", 1, 0, 4), cut("x", 1, 4, 8)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (f"multiply({A}, sigmoid({B}))", ["slice sigmoid slice multiply"]),
        (f"multiply({A}, {cut('x', 1, 2, 6)})", ["slice", "slice multiply"]),  # from the middle
        (f"multiply({cut('x', 1, 0, 2)}, {cut('x', 1, 6, 8)})", ["slice slice multiply"]),
        (f"multiply({A}, {cut('y', 1, 0, 4)})", ["slice", "slice multiply"]),  # halves of one, a third of the other
        (f"let a = {A}; (exp(a), tanh(a))", ["slice", "exp", "tanh"]),
        (f"add({A}, {cut('exp(x)', 1, 0, 4)})", ["exp", "slice slice add"]),
        (f"add({A}, sum(x, axis=(1,), keepdims=true))", ["sum", "slice add"]),
        (f"dense({A}, $w)", ["slice", "dense"]),
        (f"{A}", ["slice"]),
        (f"add({cut('x', 1, 0, 8)}, x)", ["slice", "add"]),  # what is read whole as well
    ],
)
def test_elementwise_steps_read_equal_parts_where_they_lie(body: str, expected: list[str]) -> None:
    params = f"{X}, y: Tensor[(?n, 12), float32]"
    text = "const $w: Tensor[(3, 4), float32];\n" if "$w" in body else ""
    arrays = {"w": np.zeros((3, 4), np.float32)} if text else {}
    module = Module.parse(f"{text}def main({params}) {{ {body} }}", arrays)
    for name, run in passes():
        module = run(module)
        if name == "fuse":
            break
    assert groups(module) == expected


HALVES = [
    ("(?n, 8)", 1, "(?n, 4)", "a0[d0, 0, d1] * sigmoid(a0[d0, 1, d1])"),
    ("(?n, 6, ?t)", 1, "(?n, 3, ?t)", "a0[d0, 0, d1] * sigmoid(a0[d0, 1, d1])"),
    ("(?n, ?t, 2)", 2, "(?n, ?t, 1)", "a0[d0, 0] * sigmoid(a0[d0, 1])"),
    ("(10, ?t)", 0, "(5, ?t)", "a0[0, d0] * sigmoid(a0[1, d0])"),
    ("(?n, 2, 3, ?t)", 1, "(?n, 1, 3, ?t)", "a0[d0, 0, d1] * sigmoid(a0[d0, 1, d1])"),
    ("(1, 2)", 1, "(1, 1)", "a0[0, d0] * sigmoid(a0[1, d0])"),
]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("shape", "axis", "half", "f"), HALVES)
def test_a_gated_unit_is_one_kernel(shape: str, axis: int, half: str, f: str) -> None:
    """What its sizes are follows from what is cut."""
    size = int(shape.strip("()").split(", ")[axis]) // 2
    parts = f"let a = {cut('x', axis, 0, size)}; let b = {cut('x', axis, size, 2 * size)}"
    text = f"def main(x: Tensor[{shape}, float32]) {{ {parts}; multiply(a, sigmoid(b)) }}"
    made = Compiled(Module.parse(text))
    (entry,) = (k.workload for k in made.exe.kernels if k.kind == KERNEL)
    assert f"f={f}" in entry
    rng = np.random.default_rng(7)
    for n, t in ((0, 3), (1, 1), (3, 0), (5, 7)):
        dims = [{"?n": n, "?t": t}.get(d, d) for d in shape.strip("()").split(", ")]
        check(made, rng.standard_normal([int(d) for d in dims]).astype(np.float32))


def test_parts_in_bytes_are_read_in_a_cast() -> None:
    body = f'add(cast({cut("q", 1, 0, 3)}, dtype="float32"), cast({cut("q", 1, 3, 6)}, dtype="float32"))'
    made = Compiled(Module.parse(f"def main(q: Tensor[(?n, 6), uint8]) {{ {body} }}"))
    (entry,) = (k.workload for k in made.exe.kernels if k.kind == KERNEL)
    assert "types=a0:uint8" in entry
    check(made, np.random.default_rng(8).integers(0, 255, (5, 6)).astype(np.uint8))


@pytest.mark.parametrize("number", [2**53, 2**53 + 1, -(2**53) - 1, 2**62 + 1, 2**63 - 1, -(2**63)])
@pytest.mark.parametrize("op", ["add", "multiply", "less", "equal", "bitwise_xor"])
def test_whole_numbers_are_themselves_however_large(number: int, op: str) -> None:
    """Numbers of expressions are floats, and beyond 2^53 not every whole number is one."""
    text = f"const $c: Tensor[(), int64];\ndef main(x: Tensor[(?n), int64]) {{ {op}(x, $c) }}"
    made = Compiled(Module.parse(text, {"c": np.asarray(number)}))
    check(made, np.asarray([0, 1, -5, 2**53 - 1, 2**53, 2**53 + 1, 2**62 + 1, -(2**53) - 1], np.int64))
