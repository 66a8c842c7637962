"""Workloads: one canonical text, every malformed one refused in a line that says what to do."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anytile.core.errors import SpecError
from anytile.schedules.operators import OPERATORS, operator
from anytile.schedules.workloads.constructors import conv2d, dense, one_hot
from anytile.schedules.workloads.reference import evaluate
from anytile.schedules.workloads.workload import MAX_DIM, MAX_TAIL, Any, Dim, Workload, parse_dim, parse_shape

NAMES = st.from_regex(r"[S-Zs]_?[A-Za-z0-9_]{0,6}", fullmatch=True)
DIMS = st.integers(0, MAX_DIM // 2) | NAMES.map(Any)
CONST = st.sampled_from(((), ("w",)))
WORKLOADS = st.builds(lambda m, n, k, const: dense(m, n, k, const=const), DIMS, DIMS, DIMS, CONST)


@given(WORKLOADS)
def test_text_round_trip(w: Workload) -> None:
    assert Workload.parse(str(w)) == w
    assert str(Workload.parse(str(w))) == str(w)
    assert hash(Workload.parse(str(w))) == hash(w)


def test_a_symbol_that_is_called_like_a_tensor_gets_another_name() -> None:
    image = conv2d(Any("x"), 3, Any("w"), Any("w"), 4, 3, 3)
    assert image.symbols == ("w_size", "x_size")
    assert image.dim("h") == image.dim("w") == Any("w_size")
    assert Workload.parse("conv2d(n=?x, ci=3, h=?w, w=?, co=4, kh=3, kw=3)") == image
    assert dense(Any("x"), Any("x_size"), 1).symbols == ("x_size", "x_size_")
    assert dense(Any("bias"), 4, 1, tail="y + bias[n]").symbols == ("bias_size",)
    assert dense(Any("bias"), 4, 1).symbols == ("bias",)


@given(WORKLOADS, st.integers(0, 99))
def test_binding_every_symbol_makes_it_concrete(w: Workload, size: int) -> None:
    bound = w.bind(dict.fromkeys(w.symbols, size))
    assert bound.is_concrete
    assert bound.bind({}) == bound
    assert set(bound.sizes()) == {"m", "n", "k"}
    assert w.flops(dict.fromkeys(w.symbols, size)) == bound.flops()


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("dense(m=?,n=768,k=768)", "dense(m=?m, n=768, k=768, dtype=float32)"),
        (" dense ( k=768 , m = ? , n=768, const=w ) ", "dense(m=?m, n=768, k=768, dtype=float32, const=w)"),
        ("dense(m=?tokens, n=?, k=?tokens, dtype=float32, const=)", "dense(m=?tokens, n=?n, k=?tokens, dtype=float32)"),
        ("dense(m=0, n=1, k=2147483647)", "dense(m=0, n=1, k=2147483647, dtype=float32)"),
        (
            "conv2d(n=?, ci=3, h=?, w=?, co=8, kh=3, kw=3, pad=1x1x1x1, stride=1)",
            "conv2d(n=?n, ci=3, h=?h, w=?w_size, co=8, kh=3, kw=3, pad=1, dtype=float32)",
        ),
    ],
)
def test_every_spelling_has_one_canonical_text(text: str, canonical: str) -> None:
    assert str(Workload.parse(text)) == canonical


def _dense(m: object = 1, n: object = 1, k: object = 1, **more: object) -> Callable[[], object]:
    return lambda: dense(m, n, k, **more)  # type: ignore[arg-type]


WRONG: dict[str, tuple[Callable[[], object], str]] = {
    "unknown operator": (lambda: Workload.parse("gemm(m=1)"), r"unknown operator 'gemm'; expected one of .*dense"),
    "not a call": (lambda: Workload.parse("dense m=1"), r"workload 'dense m=1': expected op\(dim=value, ...\)"),
    "empty": (lambda: Workload.parse(""), "workload '': expected"),
    "not name=value": (lambda: Workload.parse("dense(m)"), "'m' is not name=value"),
    "a bad name": (lambda: Workload.parse("dense(1m=2)"), "'1m=2' is not name=value"),
    "twice": (lambda: Workload.parse("dense(m=1, m=2, n=1, k=1)"), "m is given twice"),
    "missing and unknown at once": (lambda: Workload.parse("dense(m=1, q=2)"), "n is missing; k is missing; q is not"),
    "a word": (lambda: Workload.parse("dense(m=x, n=1, k=1)"), r"m=x: expected a whole number, \? or \?name"),
    "a fraction": (lambda: Workload.parse("dense(m=1.5, n=1, k=1)"), "m=1.5: expected a whole number"),
    "a bad symbol": (lambda: Workload.parse("dense(m=?2x, n=1, k=1)"), r"^m=\?2x: expected \? or \?name, as in m"),
    "negative": (_dense(m=-1), "m=-1 is out of range; expected 0 to 2147483647"),
    "too large": (_dense(k=MAX_DIM + 1), "k=2147483648 is out of range"),
    "too much together": (_dense(m=MAX_DIM, k=MAX_DIM), "dense: the bytes of x cannot be counted in 64 bits"),
    "a float": (_dense(m=1.0), "m=1.0 is neither a whole number nor Any"),
    "a boolean": (_dense(m=True), "m=True is neither"),
    "a symbol that is no text": (lambda: Any(3), r"Any\(3\): expected a name"),  # type: ignore[arg-type]
    "dtype": (_dense(dtype="float64"), "dtype 'float64' is not supported; expected one of float32"),
    "a constant that cannot be": (_dense(const=("x",)), "operand 'x' cannot be constant; expected one of w"),
    "streamed data": (lambda: dense(1, 1, 1).streaming(["w"]), "operand 'w' cannot be streamed; expected one of none"),
    "streamed x": (lambda: dense(1, 1, 1, const=("w",)).streaming(["x"]), "'x' cannot be streamed; expected one of w"),
    "stored integers": (lambda: dense(1, 1, 1).storing({"w": "int8"}), "w stored as 'int8'; expected one of float32,"),
    "stored, and not there": (lambda: dense(1, 1, 1).storing({"z": "float16"}), "'z' cannot be stored.* x, w, y$"),
    "stored positions": (
        lambda: Workload.parse("gather(outer=1, n=2, m=3, inner=4, stored=index:float16)"), "'index' cannot be .* x, y$"
    ),
    "stored as nothing": (lambda: Workload.parse("dense(m=1, n=1, k=1, stored=x)"), "'x' is not tensor:dtype"),
    "out of order": (lambda: Workload("dense", (("n", 1), ("m", 1), ("k", 1))), "dimensions m, n, k, got n, m, k"),
    "no dims": (lambda: Workload("dense", ()), "expected the dimensions m, n, k, got none"),
    "an unknown dimension": (lambda: dense(1, 1, 1).dim("z"), "dense has no dimension 'z'; expected one of m, n, k"),
    "an unknown symbol": (lambda: dense(Any("m"), 1, 1).bind(q=3), "no symbol q; expected m"),
    "a symbol of a concrete one": (lambda: dense(1, 1, 1).bind(m=3), "no symbol m; expected none"),
    "unbound": (lambda: dense(Any("t"), 1, 1).sizes(), "m is symbolic; bind t first"),
    "bound to a negative number": (lambda: dense(Any("m"), 1, 1).bind(m=-3), "m=-3 is out of range"),
    "an unknown tensor": (lambda: dense(1, 1, 1).shape("z"), "dense has no tensor 'z'; expected one of x, w, y"),
    "--shape twice": (lambda: parse_shape("dense", "m=1,m=2"), "--shape 'm=1,m=2': m is given twice"),
    "--shape with a dtype": (lambda: parse_shape("dense", "m=1,dtype=float32"), "dtype is no dimension.* by --dtype$"),
    "--shape with a constant": (lambda: parse_shape("dense", "m=1,const=w"), "const is no dimension; .* by --const$"),
    "--shape malformed": (lambda: parse_shape("dense", "m:1"), "--shape 'm:1': 'm:1' is not name=value"),
    "a symbol called like the weight": (
        lambda: conv2d(1, 3, 8, Any("v"), 4, 3, 3).renamed({"v": "w"}),
        r"name of \?w is taken .*; choose another, as in \?w_size, which is Any",
    ),
    "a symbol for an attribute": (
        lambda: one_hot(Any("m"), Any("d")),  # type: ignore[arg-type]
        r"^one_hot: depth=\?d: expected a whole number, .* may be symbolic: pass the classes too, .* elem",
    ),
    "one in a text": (
        lambda: Workload.parse("one_hot(m=?, depth=?)"), r"^one_hot: depth=\?: expected a whole number, .* dimension"
    ),
    "--op": (lambda: parse_shape("gemm", "m=1"), "unknown operator 'gemm'"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_said_in_one_line(name: str) -> None:
    make, reason = WRONG[name]
    with pytest.raises(SpecError, match=reason) as error:
        make()
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("op", "dims", "attrs"),
    [
        ("gated_dense", {"m": 4, "u": 8, "k": 8}, {"cell": " h2 = z0 ", "start": " bias[g, u] "}),
        ("pad", {"d0": 4}, {"rank": 1, "value": " 3 "}),
        ("reduce", {"d0": 4, "d1": 5}, {"kind": "max"}),
    ],
)
def test_attributes_come_back_as_they_are_kept(op: str, dims: dict[str, Dim], attrs: dict[str, str | int]) -> None:
    workload = Workload.of(op, dims, attrs=attrs)  # type: ignore[arg-type]  # words and numbers, as a caller has them
    assert Workload.parse(str(workload)) == workload


def test_equal_symbols_are_equal_dimensions() -> None:
    w = dense(Any("t"), Any("t"), Any("a"))
    assert w.symbols == ("a", "t")
    assert w.bind(t=3, a=2).sizes() == {"m": 3, "n": 3, "k": 2}
    assert w.shape("y", {"t": 3, "a": 2}) == (3, 3)
    assert w.bind(t=3).symbols == ("a",)


def test_what_is_streamed_is_constant() -> None:
    w = Workload.parse("dense(m=?, n=3, k=4, streamed=w, tail=y + b[n])")
    assert (w.const, w.streamed) == (("w",), ("w",))
    assert str(w) == "dense(m=?m, n=3, k=4, dtype=float32, const=w, streamed=w, tail=y + b[n])"
    assert parse_shape("dense", "m=?,n=3,k=4,streamed=w") == w.anchor
    both = w.with_const(["b"]).streaming(["w", "b", "w"])
    assert both.streamed == ("b", "w")
    assert both.anchor == w.anchor, "the bias went with the tail"
    assert w.streaming(()).anchor == dense(Any("m"), 3, 4, const=("w",))
    assert w.bind(m=2).streamed == ("w",)


def test_floats_may_be_stored_in_another_dtype() -> None:
    w = Workload.parse("softmax(outer=?, n=3, inner=1, stored=y:float16+x:bfloat16)")
    assert str(w) == "softmax(outer=?outer, n=3, inner=1, dtype=float32, stored=x:bfloat16+y:float16)"
    assert [w.dtype_of(t) for t in w.tensors] == ["bfloat16", "float16"]
    assert w.anchor == w, "another kernel, and tuned as such"
    assert w.storing({}) == w.storing({"x": "float32"}) == Workload.parse("softmax(outer=?, n=3, inner=1)")
    assert w.bind(outer=2).stored == w.stored


def test_how_a_products_result_is_stored_is_not_tuned() -> None:
    w = Workload.parse("dense(m=?, n=3, k=4, dtype=bfloat16, stored=b:float32+y:float32, tail=y + b[n])")
    assert [w.dtype_of(w.tensor(name)) for name in "xwby"] == ["bfloat16", "bfloat16", "float32", "float32"]
    assert w.anchor == Workload.parse("dense(m=?, n=3, k=4, dtype=bfloat16)")
    w = Workload.parse("batch_matmul(b=2, m=?, n=3, k=4, stored=lhs:bfloat16+y:bfloat16)")
    assert w.anchor.stored == (("lhs", "bfloat16"),)


def test_constants_are_sorted_and_kept_once() -> None:
    w = dense(1, 2, 3).with_const(["w", "w"])
    assert w.const == ("w",)
    assert w.with_const(()) == w
    assert Workload("dense", w.dims, const=("w", "w")).const == ("w",)


def test_numbers_of_numpy_are_whole_numbers_too() -> None:
    w = dense(Any("m"), np.int64(8), np.uint16(4))  # type: ignore[arg-type]
    assert w == dense(Any("m"), 8, 4)
    assert [type(dim) for _, dim in w.dims] == [Any, int, int]
    with pytest.raises(SpecError, match="neither a whole number"):
        dense(Any("m"), np.float32(8), 4)  # type: ignore[arg-type]


@pytest.mark.parametrize(("text", "dim"), [("?", Any("m")), ("?t", Any("t")), (" 7 ", 7)])
def test_parse_dim(text: str, dim: Dim) -> None:
    assert parse_dim("m", text) == dim


def test_the_operator_table() -> None:
    assert OPERATORS["dense"] is operator("dense")
    w = dense(2, 3, 4)
    assert [t.name for t in w.inputs] == ["x", "w"]
    assert [t.name for t in w.outputs] == ["y"]
    assert w.flops() == 48
    y = evaluate(dense(1, 3, 2), {"x": np.float32([[1, 2]]), "w": np.float32([[3, 4], [5, 6], [7, 8]])})["y"]
    assert y.dtype == np.float32
    np.testing.assert_array_equal(y, [[11, 17, 23]])


def test_whole_numbers_of_numpy_are_whole_numbers() -> None:
    sized = dense(Any("m"), np.prod((4, 8)), np.int64(16))  # type: ignore[arg-type]  # as they come out of shapes
    assert sized == dense(Any("m"), 32, 16)
    assert all(type(dim) is int for name, dim in sized.dims if name != "m")
    with pytest.raises(SpecError, match="m=True is neither a whole number"):
        dense(True, 32, 16)


def test_a_tail_has_so_many_operations_at_most() -> None:
    def tail(count: int) -> str:
        return "gelu(" * count + "y" + ")" * count

    assert dense(Any("m"), 4, 1, tail=tail(MAX_TAIL)).tail == tail(MAX_TAIL)
    for attempt in (
        lambda: dense(Any("m"), 4, 1, tail=tail(MAX_TAIL + 1)),
        lambda: Workload.parse(f"dense(m=?m, n=4, k=1, tail={tail(150)})"),
    ):
        with pytest.raises(SpecError, match=rf"dense: a tail of \d+ operations; expected {MAX_TAIL} at most"):
            attempt()
