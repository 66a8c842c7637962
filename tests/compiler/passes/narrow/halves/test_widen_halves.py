"""Halves in models: kernels compute in float32 and round what leaves; what a model rounds itself is rounded."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from anytile.compiler.evaluate import evaluate
from anytile.compiler.ir.types import TensorType
from anytile.compiler.module import Module
from anytile.vm.program.executable import PACKED
from tests.support.cases.compiled_modules import Compiled, random

ARRAYS = {
    **{"w": random(1, 8, 6), "v": random(2, 6), "image": random(3, 4, 6, 3, 3)},
    **{"big": np.float32(2000), "third": np.float32(1 / 3), "none": np.float32(0)},
}
X = "x: Tensor[(?b, ?t, 6), DTYPE]"


def written(body: str, dtype: str, params: str = X) -> Module:
    """The body over halves, or over floats with the same numbers."""
    given = {n: np.asarray(a, np.float16).astype(dtype) for n, a in ARRAYS.items() if f"${n}" in body}
    declared = "".join(f"const ${n}: {TensorType(a.shape, dtype)};\n" for n, a in given.items())
    return Module.parse(f"{declared}def main({params}) {{ {body} }}".replace("DTYPE", dtype), given)


def check_rounded(got: Any, wanted: Any) -> None:
    """What floats make, rounded; the order of sums may have it fall on the other side of a middle."""
    if isinstance(wanted, tuple):
        for one, other in zip(got, wanted, strict=True):
            check_rounded(one, other)
        return
    got = np.asarray(got)
    assert got.shape == wanted.shape
    if wanted.dtype != np.float32 or got.dtype != np.float16:
        np.testing.assert_allclose(got, wanted, rtol=2e-5, atol=2e-5)
        assert got.dtype == wanted.dtype
        return
    place = np.spacing(np.abs(wanted).astype(np.float16)).astype(np.float64)
    assert (np.abs(got - wanted.astype(np.float64)) <= 0.501 * place + 2e-6 * np.abs(wanted).max(initial=0)).all()


def check_halves(body: str, params: str = X) -> Compiled:
    """A model of halves is the one of floats, rounded where it ends and nowhere else."""
    made, floats = Compiled(written(body, "float16", params)), written(body, "float32", params)
    rng = np.random.default_rng(0)
    for t in (0, 1, 9):
        types = [p.type for p in floats.main.params]
        sizes = [tuple({"?b": 2, "?t": t}.get(str(d), d) for d in kind.shape) for kind in types]
        given = [rng.standard_normal(size).astype(np.float16) for size in sizes]
        wanted = evaluate(floats, [x.astype(np.float32) for x in given])
        for is_native in (False, True):
            check_rounded(made.session(is_native)(*given), wanted)
    return made


def hosted(made: Compiled) -> list[str]:
    """What runs on the host."""
    return [entry.workload for entry in made.exe.kernels if entry.kind == PACKED]


@pytest.mark.parametrize(
    ("body", "params"),
    [
        ("multiply(add(x, $big), $third)", X),
        ("subtract(add(x, $big), $big)", X),
        ("let y = dense(x, $w); gelu(add(y, $third))", X),
        ("dense(relu(dense(transpose(dense(x, $w), perm=(0, 2, 1)), y)), z)",
         X + ", y: Tensor[(5, ?t), DTYPE], z: Tensor[(2, 5), DTYPE]"),
        ('softmax(batch_matmul(x, x, rhs="bnk"))', X),
        ("layer_norm(add(x, square(x)), $v, $v)", X),
        ("relu(conv2d(x, $image, pad=(2, 1)))", "x: Tensor[(?b, 6, ?t, 7), DTYPE]"),
        ("sum(x, axis=(1,))", X),
        ("let p = split(x, axis=2, at=(2,)); concat(exp(p.1), p.0, axis=2)", X),
        ("split(add(x, x), axis=2, at=(2,))", X),
        ("reshape(pad(transpose(reshape(x, shape=(-1, 6))), before=(0, 1), after=(2, 0)), shape=(-1,))", X),
        ("(greater(x, $none), argmax(exp(x), axis=2), cast(multiply(x, $third), dtype=\"float32\"))", X),
        ("(shape_of(x), reshape(x, shape=(-1,)))", X),
        ("let y = exp(x); (shape_of(y), reshape(y, shape=(-1,)), y)", X),
    ],
)  # fmt: skip
def test_kernels_compute_in_float32_and_round_what_leaves(body: str, params: str) -> None:
    assert hosted(check_halves(body, params)) == []


@pytest.mark.parametrize(
    "body",
    [
        "let y = exp(x); if (less(cast(sum(x), dtype=\"float32\"), 0.0)) { add(y, x) } else { negative(y) }",
        "let z = if (less(cast(sum(x), dtype=\"float32\"), 0.0)) { add(x, $third) } else { x }; exp(negative(z))",
        "let f = fn(a: Tensor[(?b, ?t, 6), DTYPE]) { tanh(add(a, x)) }; f(f(x))",
        "erf(one_hot(cast(round(x), dtype=\"int64\"), depth=3, dtype=\"DTYPE\"))",
    ],
)  # fmt: skip
def test_what_branches_and_functions_make_is_rounded_there(body: str) -> None:
    halves = written(body, "float16")
    made, x = Compiled(halves), random(7, 2, 3, 6).astype(np.float16)
    wanted = evaluate(halves, [x])  # each operator rounded
    for is_native in (False, True):
        got = np.asarray(made.session(is_native)(x))
        assert got.dtype == np.float16
        np.testing.assert_allclose(got, wanted, rtol=4e-3, atol=4e-3)


def test_a_rounding_that_a_model_asks_for_stays() -> None:
    """And a product reads what was to be rounded for it alone as it is."""
    body = """
      let y = add(x, $big);
      let h = cast(y, dtype="float16");
      let back = reshape(cast(reshape(h, shape=(-1,)), dtype="float32"), shape=(-1, 3, 6));
      (back, subtract(h, cast($big, dtype="float16")), h)
    """
    made = Compiled(written(body, "float32"))
    x = random(5, 2, 3, 6)
    rounded = (x + np.float32(2000)).astype(np.float16)
    for is_native in (False, True):
        back, less, given = (np.asarray(y) for y in made.session(is_native)(x))
        np.testing.assert_array_equal(back, rounded.astype(np.float32))
        np.testing.assert_array_equal(given, rounded)
        np.testing.assert_array_equal(less, (x + np.float32(2000) - np.float32(2000)).astype(np.float16))
        assert (less != rounded - np.float16(2000)).any()


def test_integers_bools_and_what_16_bits_do_not_hold() -> None:
    body = """
      let big = multiply(x, x);
      (cast(x, dtype="int32"), cast(x, dtype="bool"), big, subtract(big, big), cast(n, dtype="float16"),
        bit_cast(bit_cast(x, dtype="int16"), dtype="float16"))
    """
    halves = written(body, "float16", "x: Tensor[(?n), DTYPE], n: Tensor[(?n), int32]")
    x, n = np.float16([-1.5, 0.0, 300.0, 60000.0, 6e-8]), np.int32([-7, 2049, 70000, 0, 2**30])
    made = Compiled(halves)
    for is_native in (False, True):
        whole, true, big, nothing, of_n, same = (np.asarray(y) for y in made.session(is_native)(x, n))
        np.testing.assert_array_equal(whole, [-1, 0, 300, 60000, 0])
        np.testing.assert_array_equal(true, [True, False, True, True, True])
        np.testing.assert_array_equal(big, np.float16([2.25, 0, np.inf, np.inf, 0]))
        np.testing.assert_array_equal(nothing, np.zeros(5, np.float16))  # inf less inf, were it rounded before
        with np.errstate(over="ignore"):
            np.testing.assert_array_equal(of_n, n.astype(np.float16))
        np.testing.assert_array_equal(same, x)
