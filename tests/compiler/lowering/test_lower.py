"""Whole modules: what an executable computes is what the evaluator says, at sizes with every kind of rest."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from anytile.compiler.compile import workloads_of
from anytile.core.errors import AnytileError, ArgumentError, SpecError
from anytile.schedules.hardware.cpu import facts
from anytile.schedules.operators.movement.joining import MOST_PARTS
from anytile.schedules.workloads import streaming
from anytile.schedules.workloads.workload import Workload
from tests.support.cases.compiled_modules import TARGET, check, compile_text, node, random

CELL = "c2 = sigmoid(z1) * c[m, u] + sigmoid(z0) * tanh(z2); h2 = sigmoid(z3) * tanh(c2)"
LAYER = """
def main(x: Tensor[(?n, 64), float32]) -> Tensor[(?n, 64), float32] {
  let h = gelu(add(dense(x, $w1), $b1));
  let y = add(dense(h, $w2), $b2);
  layer_norm(add(softmax(y), x), $gamma, $beta)
}
"""


def _layer() -> dict[str, object]:
    return {
        "w1": random(0, 256, 64) * 0.1,
        "b1": random(1, 256),
        "w2": random(2, 64, 256) * 0.1,
        "b2": random(3, 64),
        "gamma": random(4, 64),
        "beta": random(5, 64),
    }


@pytest.fixture(scope="module")
def layer() -> object:
    return compile_text(LAYER, **_layer())


@pytest.mark.slow
@pytest.mark.parametrize("n", [0, 1, 7, 8, 9, 67])
def test_a_straight_line(layer: object, n: int) -> None:
    check(layer, random(n, n, 64), stages=n == 7)  # type: ignore[arg-type]  # a Compiled


def test_the_kernels_of_a_straight_line(layer: object) -> None:
    kernels = [k for k in layer.exe.kernels if k.kind == "kernel"]  # type: ignore[attr-defined]  # a Compiled
    assert [k.workload.partition("(")[0] for k in kernels] == ["dense", "dense", "softmax", "layer_norm"]
    assert "tail=gelu(y + b0[n])" in kernels[0].workload
    assert "const=w" in kernels[0].workload
    assert "pre=x + b0[rows, n]" in kernels[3].workload


@pytest.mark.slow
@pytest.mark.parametrize("beyond", [True, False])
def test_weights_beyond_the_caches_are_streamed(monkeypatch: pytest.MonkeyPatch, beyond: bool) -> None:
    """Only the large ones: a bias stays where it is used."""
    text = "def main(x: Tensor[(?n, 256), float32]) -> Tensor[(?n, 512), float32] { add(dense(x, $w), $b) }"
    constants = {"w": random(0, 512, 256), "b": random(1, 512)}
    size = sum(c.nbytes for c in constants.values())
    cpu = replace(facts(TARGET), l3_bytes=size - 1 if beyond else size + 100)
    monkeypatch.setattr(streaming, "facts", lambda _: cpu)
    made = compile_text(text, **constants)
    (kernel,) = (k for k in made.exe.kernels if k.kind == "kernel")
    assert ("streamed=w" in kernel.workload) == beyond
    assert Workload.parse(kernel.workload).anchor in workloads_of(made.exe)
    check(made, random(2, 9, 256))


def test_branches() -> None:
    made = compile_text("""
def main(x: Tensor[(?n, 4), float32], flag: Tensor[(), bool]) -> Tensor[(?n, 4), float32] {
  let a = if (flag) { relu(x) } else { let e = exp(x); add(e, 1.0) };
  if (less(sum(a, axis=(0, 1)), 3.0)) { a } else { multiply(a, 2.0) }
}
""")
    for n in (0, 1, 5):
        for flag in (True, False):
            check(made, random(n, n, 4), np.asarray(flag))


def test_recursion_over_a_tree() -> None:
    made = compile_text(
        """
data Tree { Leaf(Tensor[(1, 8), float32]), Node(Tree, Tree) }
def main(t: Tree) -> Tensor[(1, 8), float32] { relu(walk(t)) }
def walk(t: Tree) -> Tensor[(1, 8), float32] {
  match (t) {
    Leaf(x) => dense(x, $w),
    Node(Leaf(x), r) => add(x, walk(r)),
    Node(l, r) => tanh(add(dense(walk(l), $w), walk(r))),
  }
}
""",
        w=random(0, 8, 8) * 0.3,
    )
    rng = np.random.default_rng(0)

    def grow(depth: int) -> object:
        if depth == 0 or rng.random() < 0.2:
            return node("Tree", "Leaf", random(int(rng.integers(1000)), 1, 8))
        return node("Tree", "Node", grow(depth - 1), grow(depth - 1))

    for depth in (0, 1, 4, 6):
        check(made, grow(depth))


@pytest.mark.slow
def test_recursion_in_the_last_place_is_as_deep_as_one_likes() -> None:
    made = compile_text("""
def main(n: Tensor[(), int64]) -> Tensor[(), int64] { down(n, 0) }
def down(n: Tensor[(), int64], sum: Tensor[(), int64]) -> Tensor[(), int64] {
  if (less_equal(n, 0)) { sum } else { down(subtract(n, 1), add(sum, n)) }
}
""")
    check(made, np.asarray(2000), stages=False)


def test_a_loop_that_grows_a_tensor() -> None:
    made = compile_text("""
def main(x: Tensor[(?n, 4), float32], times: Tensor[(), int64]) -> Tensor[(?, 4), float32] { grow(x, times) }
def grow(x: Tensor[(?, 4), float32], times: Tensor[(), int64]) -> Tensor[(?, 4), float32] {
  if (equal(times, 0)) { x } else {
    let row = mean(x, axis=(0,), keepdims=true);
    grow(concat(x, row, axis=0), subtract(times, 1))
  }
}
""")
    for n, times in ((1, 0), (1, 5), (3, 9)):
        check(made, random(n, n, 4), np.asarray(times))


def test_closures_and_lists() -> None:
    made = compile_text("""
data List[a] { Nil, Cons(a, List[a]) }
def main(xs: List[Tensor[(3,), float32]], by: Tensor[(), float32]) -> List[Tensor[(3,), float32]] {
  let f = fn(x: Tensor[(3,), float32]) -> Tensor[(3,), float32] { multiply(x, by) };
  map(f, xs)
}
def map(f: fn(Tensor[(3,), float32]) -> Tensor[(3,), float32], xs: List[Tensor[(3,), float32]])
    -> List[Tensor[(3,), float32]] {
  match (xs) { Nil => Nil(), Cons(x, rest) => Cons(f(x), map(f, rest)) }
}
""")
    xs = node("List", "Nil")
    for i in range(20):
        xs = node("List", "Cons", random(i, 3), xs)
    check(made, xs, np.asarray(2.5, np.float32))


def test_tuples_and_several_results() -> None:
    made = compile_text("""
def main(x: Tensor[(?n, 6), float32])
    -> (Tensor[(?n, 2), float32], (Tensor[(?n, 2), float32], Tensor[(?n, 6), float32])) {
  let parts = split(x, parts=3, axis=1);
  let pair = (parts.1, relu(x));
  (add(parts.0, parts.2), pair)
}
""")
    for n in (0, 1, 9):
        check(made, random(n, n, 6))


def test_sizes_that_depend_on_data() -> None:
    made = compile_text("""
def main(x: Tensor[(?n,), int64], stop: Tensor[(), int64]) -> Tensor[(?, ?), float32] {
  let u = unique(x);
  let r = cast(arange(0, stop, 2), dtype="float32");
  let column = reshape(cast(u.0, dtype="float32"), shape=(-1, 1));
  multiply(column, add(r, cast(sum(u.2), dtype="float32")))
}
""")
    for n, stop in ((0, 0), (1, 1), (7, 5), (40, 9)):
        check(made, np.random.default_rng(n).integers(0, 5, n), np.asarray(stop))


def test_positions_of_what_is_not_zero() -> None:
    made = compile_text("""
def main(x: Tensor[(?n, 3), float32]) -> (Tensor[(2, ?), int64], Tensor[(2,), int64]) {
  let found = nonzero(relu(x));
  (found, shape_of(found))
}
""")
    for n in (0, 1, 6):
        check(made, random(n, n, 3))


def test_an_upper_bound_is_sliced_to_what_there_is() -> None:
    made = compile_text("""
def main(boxes: Tensor[(?n, 4), float32], scores: Tensor[(?n,), float32]) -> Tensor[(?, 4), float32] {
  let kept = non_max_suppression(boxes, scores, iou=0.3, most=10);
  relu(take(boxes, kept, axis=0))
}
""")
    for n in (0, 1, 30):
        rng = np.random.default_rng(n)
        corner = rng.random((n, 2), np.float32)
        boxes = np.concatenate([corner, corner + rng.random((n, 2), np.float32)], axis=1)
        check(made, boxes, rng.random(n, np.float32))


def test_a_shape_that_is_data() -> None:
    made = compile_text("""
def main(x: Tensor[(?n, 6), float32], shape: Tensor[(2,), int64]) -> Tensor[(?, ?), float32] {
  relu(reshape_to(x, shape))
}
""")
    for n in (0, 2, 4):
        check(made, random(n, n, 6), np.asarray([n * 2, 3]))
    with pytest.raises(AnytileError, match="as many elements"):
        made.session(False)(random(0, 2, 6), np.asarray([5, 3]))


def test_what_could_not_be_decided_is_checked() -> None:
    made = compile_text("""
def main(x: Tensor[(?a, 4), float32], y: Tensor[(?b, 4), float32]) -> Tensor[(?, 4), float32] {
  relu(add(x, y) @"model.py:7")
}
""")
    for a, b in ((1, 3), (3, 1), (4, 4), (0, 1)):
        check(made, random(a, a, 4), random(b, b, 4))
    for is_native in (False, True):
        with pytest.raises(AnytileError, match=r"add at model.py:7 of \(\?a, 4\) and \(\?b, 4\).*2 and 3"):
            made.session(is_native)(random(0, 2, 4), random(0, 3, 4))


def test_equal_sizes_are_checked_where_a_branch_needs_them() -> None:
    made = compile_text(
        """
def main(x: Tensor[(?a, 4), float32], y: Tensor[(?b, 4), float32], same: Tensor[(), bool]) -> Tensor[(?, 4), float32] {
  if (same) { concat(x, y, axis=1) } else { x }
}
""".replace("-> Tensor[(?, 4), float32] {", "-> Tensor[(?, ?), float32] {")
    )
    check(made, random(0, 3, 4), random(1, 3, 4), np.asarray(True))
    check(made, random(0, 3, 4), random(1, 2, 4), np.asarray(False))
    with pytest.raises(AnytileError, match="concat"):
        made.session(False)(random(0, 3, 4), random(1, 2, 4), np.asarray(True))


@pytest.mark.slow
def test_a_recurrence() -> None:
    made = compile_text(
        """
def main(xs: Tensor[(?t, 1, 12), float32]) -> (Tensor[(1, 16), float32], Tensor[(1, 16), float32]) {
  step(xs, take(shape_of(xs), 0, axis=0), 0, $zero, $zero)
}
def step(xs: Tensor[(?t, 1, 12), float32], n: Tensor[(), int64], i: Tensor[(), int64], h: Tensor[(1, 16), float32],
         c: Tensor[(1, 16), float32]) -> (Tensor[(1, 16), float32], Tensor[(1, 16), float32]) {
  if (less(i, n)) {
    let x = take(xs, i, axis=0);
    let both = concat(x, h, axis=1);
    let made = gated_dense(both, $w, $b, c, cell="CELL", start="bias[g, u]");
    step(xs, n, add(i, 1), made.1, made.0)
  } else { (h, c) }
}
""".replace("CELL", CELL),
        w=random(0, 4, 16, 28) * 0.3,
        b=random(1, 4, 16),
        zero=np.zeros((1, 16), np.float32),
    )
    for t in (0, 1, 2, 11):
        check(made, random(t, t, 1, 12), stages=t < 3)
    kernels = {k.workload.partition("(")[0] for k in made.exe.kernels if k.kind == "kernel"}
    assert "dense" in kernels
    assert "concat" not in kernels


@pytest.mark.slow
def test_a_recurrence_over_rows() -> None:
    made = compile_text(
        """
def main(xs: Tensor[(?t, 12), float32]) -> Tensor[(1, 16), float32] {
  step(xs, take(shape_of(xs), 0), 0, $zero)
}
def step(xs: Tensor[(?t, 12), float32], n: Tensor[(), int64], i: Tensor[(), int64], h: Tensor[(1, 16), float32])
    -> Tensor[(1, 16), float32] {
  if (less(i, n)) {
    let x = reshape(take(xs, i), shape=(1, 12));
    step(xs, n, add(i, 1), tanh(add(add(dense(x, $wx), $b), dense(h, $wh))))
  } else { h }
}
""",
        wx=random(0, 16, 12) * 0.3,
        wh=random(1, 16, 16) * 0.3,
        b=random(2, 16),
        zero=np.zeros((1, 16), np.float32),
    )
    for t in (0, 1, 2, 11):
        check(made, random(t, t, 12), stages=t < 3)
    hoisted = dict(made.stages)["hoist_recurrence"]
    assert "dense(xs" in str(hoisted).partition("def step")[0]
    assert "$wx" not in str(hoisted).partition("def step")[2]


def test_a_function_that_is_a_value_keeps_its_parameters() -> None:
    made = compile_text(
        """
def main(xs: Tensor[(?t, 4), float32]) -> Tensor[(1, 4), float32] {
  let f = if (less(take(shape_of(xs), 0), 3)) { step } else { step };
  f(xs, 0, $zero)
}
def step(xs: Tensor[(?t, 4), float32], i: Tensor[(), int64], h: Tensor[(1, 4), float32]) -> Tensor[(1, 4), float32] {
  if (less(i, take(shape_of(xs), 0))) { step(xs, add(i, 1), add(h, dense(expand_dims(take(xs, i)), $w))) } else { h }
}
""",
        w=random(0, 4, 4),
        zero=np.zeros((1, 4), np.float32),
    )
    for t in (0, 2, 5):
        check(made, random(t, t, 4))


def test_a_result_that_is_said_to_be_larger_than_it_is() -> None:
    made = compile_text("""
def main(stop: Tensor[(), int64]) -> Tensor[(5,), int64] { negative(arange(0, stop, 1)) }
""")
    check(made, np.asarray(5))
    with pytest.raises(AnytileError, match=r"the result of \(\?range,\): expected equal sizes, got 4 and 5"):
        made.session(False)(np.asarray(4))


@pytest.mark.parametrize("step", [1, 3, -1, -2])
def test_the_size_of_a_range_of_whole_numbers_is_compiled(step: int) -> None:
    made = compile_text(f"""
def main(a: Tensor[(), int64], b: Tensor[(), int64]) -> Tensor[(?,), int64] {{ negative(arange(a, b, {step})) }}
""")
    assert [k.workload for k in made.exe.kernels if k.kind == "packed"] == ["arange"]  # compiled, too
    for a, b in ((0, 0), (0, 7), (7, 0), (-5, 6), (6, -5), (2, 3), (3, 2), (2**40, 2**40 + 8 * step)):
        check(made, np.asarray(a), np.asarray(b), stages=a == 7)
    low, high = -(2**61), 2**61
    for is_native in (False, True):
        for a, b, says in (
            (low - 1, 0, f"the start of arange: expected at least {low}, got {low - 1}"),
            (0, high + 1, f"the stop of arange: expected at most {high}, got {high + 1}"),
            (0, np.sign(step) * 2**40, "the size of arange: expected at most 2147483648, got"),
        ):
            with pytest.raises(AnytileError, match=f"{says}.*; pass other numbers$"):
                made.session(is_native)(np.int64(a), np.int64(b))


def test_a_tensor_of_a_shape_that_is_data_needs_no_function_for_its_sizes() -> None:
    made = compile_text("""
def main(s: Tensor[(2,), int64], v: Tensor[(), float32]) -> Tensor[(?, ?), float32] { relu(full(s, v)) }
""")
    assert [k.workload for k in made.exe.kernels if k.kind == "packed"] == ["op_full"]
    for shape in ((2, 3), (0, 3), (1, 1)):
        check(made, np.asarray(shape), np.asarray(2, np.float32))
    for is_native in (False, True):
        with pytest.raises(AnytileError, match="dimension 1 of full: expected at least 0, got -1"):
            made.session(is_native)(np.asarray((2, -1)), np.float32(1))


@pytest.mark.parametrize(
    ("kind", "start", "step"), [("float32", "0.0", "0.5"), ("int64", "0", "stop"), ("int32", "0i32", "2i32")]
)
def test_ranges_of_other_numbers_are_the_hosts(kind: str, start: str, step: str) -> None:
    made = compile_text(f"""
def main(stop: Tensor[(), {kind}]) -> Tensor[(?,), {kind}] {{ arange({start}, stop, {step}) }}
""")
    assert {k.workload for k in made.exe.kernels if k.kind == "packed"} == {
        *("sizes_arange", "arange" if kind == "int64" else "op_arange")
    }
    check(made, np.asarray(5, kind))


@pytest.mark.slow
def test_a_split_in_more_parts_than_a_kernel_makes_is_the_hosts() -> None:
    parts = MOST_PARTS + 6
    made = compile_text(f"def main(x: Tensor[(?n, 2), float32]) {{ split(x, parts={parts}, axis=0) }}")
    assert [k.kind for k in made.exe.kernels if "split" in k.workload] == ["packed"]
    for n in (0, 1, parts - 1, parts, 2 * parts + 3):
        check(made, random(n, n, 2))


@pytest.mark.parametrize("is_native", [False, True])
def test_a_shape_error_of_a_run_names_the_operator_its_place_and_both_shapes(is_native: bool) -> None:
    made = compile_text("""
def main(x: Tensor[(?n, 3, ?k), float32], y: Tensor[(?m, ?j), float32]) -> Tensor[(?, 3, ?), float32] {
  let z = exp(x) @"model.py:2";
  add(z, expand_dims(relu(y), axis=1) @"model.py:3") @"model.py:4"
}
""")
    check(made, random(0, 5, 3, 2), random(1, 5, 2))
    check(made, random(0, 1, 3, 1), random(1, 5, 2))
    for x, y, sizes in (((5, 3, 2), (4, 2), "5 and 4"), ((5, 3, 2), (5, 7), "2 and 7")):
        shapes = f"{x} and {(y[0], 1, y[1])}"
        with pytest.raises(AnytileError) as caught:
            made.session(is_native)(random(0, *x), random(1, *y))
        said = str(caught.value)
        assert "add at model.py:4 of (?n, 3, ?k) and (?m, 1, ?j): expected sizes that broadcast" in said
        assert said.endswith(f", got {sizes} of the shapes {shapes}; pass inputs whose shapes agree")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("window", "reach"),
    [
        ("max_pool2d(x, kernel=3, stride=2, ceil=true)", 2),
        ("avg_pool2d(x, kernel=2, stride=3, dilation=2, pad=1)", 1),
        ("conv2d(x, $w, stride=2, pad=(0, 0, 1, 1))", 2),
    ],
)
def test_a_window_must_lie_in_its_image(window: str, reach: int) -> None:
    weights = {"w": random(0, 4, 2, 3, 3)} if "$w" in window else {}
    made = compile_text(f"def main(x: Tensor[(?n, 2, ?h, ?k), float32]) {{ {window} }}", **weights)
    for h, k in ((reach, reach), (reach, reach + 5), (reach + 1, reach + 2)):
        check(made, random(1, 2, 2, h, k))
    for h, k in ((reach - 1, 9), (9, reach - 1), (0, 9)):
        along = "h" if h < reach else "w"
        with pytest.raises(AnytileError, match=f"windows along {along}: expected at least 1, got -?\\d of the shapes"):
            made.session(h < k)(random(1, 2, 2, h, k))


def test_a_reshape_that_does_not_fit_says_to_what() -> None:
    made = compile_text('def main(x: Tensor[(?n,), float32]) { reshape(x, shape=(-1, 4)) @"heads" }')
    said = r"reshape at heads of \(\?n,\), elements for shape=\(-1, 4\): expected equal sizes, got 7 and 4"
    with pytest.raises(ArgumentError, match=said):
        made.session(True)(random(0, 7))
    with pytest.raises(SpecError, match=r"reshape of \(7,\): elements for shape=\(2, 2\): 7 is not 4"):
        compile_text("def main(x: Tensor[(7,), float32]) { reshape(x, shape=(2, 2)) }")


def test_a_call_checks_what_its_function_demands() -> None:
    made = compile_text("""
def main(x: Tensor[(?n,), float32], y: Tensor[(?m,), float32], deep: Tensor[(), bool]) -> Tensor[(?,), float32] {
  if (deep) { both(x, y) @"model.py:3" } else { x }
}
def both(x: Tensor[(?k,), float32], y: Tensor[(?k,), float32]) -> Tensor[(?k,), float32] { maximum(x, y) }
""")
    check(made, random(0, 3), random(1, 3), np.asarray(True))
    check(made, random(0, 3), random(1, 2), np.asarray(False))
    with pytest.raises(AnytileError, match=r"call of both at model.py:3 of .*: expected equal sizes, got 2 and 3"):
        made.session(False)(random(0, 3), random(1, 2), np.asarray(True))


@pytest.mark.slow
def test_weights_of_every_product_are_packed() -> None:
    made = compile_text(
        """
def main(x: Tensor[(?n, 3, 8, 8), float32], y: Tensor[(2, ?m, 5), float32])
    -> (Tensor[(?n, 4, 8, 8), float32], Tensor[(2, ?m, 6), float32]) {
  let image = relu(add(conv2d(x, $w, pad=1), $bias));
  (image, tanh(batch_matmul(y, $rhs)))
}
""",
        w=random(0, 4, 3, 3, 3),
        bias=random(1, 4, 1, 1),
        rhs=random(2, 2, 5, 6),
    )
    for n, m in ((0, 1), (1, 7), (2, 17)):
        check(made, random(n, n, 3, 8, 8), random(m, 2, m, 5), stages=False, tolerance=1e-4)
    texts = [k.workload for k in made.exe.kernels if k.kind == "kernel"]
    assert any("const=w" in t and "tail=max(y + b0[co], 0)" in t for t in texts)
    assert any("const=rhs" in t and "tail=tanh(y)" in t for t in texts)


CLAUSES = """
data List { Nil(), One(Tensor[(?n,), float32]), Cons(Tensor[(?m,), float32], List) }
def main(a: List, b: List) -> Tensor[(?,), float32] {
  match ((a, b)) {
    (Cons(x, Cons(y, rest)), Cons(z, _)) => concat(x, concat(y, z)),
    (One(x), other) => relu(x),
    (Cons(x, Nil), _) => exp(x),
    (whole, Nil) => $none,
    (Nil, Cons(x, _)) => negative(x),
    (_, One(x)) => tanh(x),
    (Cons(x, One(y)), Cons(z, _)) => concat(z, y),
    (Cons(_, _), Cons(_, _)) => $none
  }
}
"""


def test_the_last_clause_is_taken_without_a_test() -> None:
    made = compile_text(CLAUSES, none=np.zeros(0, np.float32))
    nil, one = node("List", "Nil"), node("List", "One", random(1, 2))
    lists = [nil, one, *(node("List", "Cons", random(i, i), rest) for i, rest in ((3, nil), (4, one)))]
    lists.append(node("List", "Cons", random(5, 2), lists[2]))
    for a in lists:
        for b in lists:
            check(made, a, b, stages=False)
    simple = compile_text(
        "data Two { A(Tensor[(2,), float32]), B(Tensor[(2,), float32]) }\n"
        "def main(x: Two) -> Tensor[(2,), float32] { match (x) { A(y) => exp(y), B(y) => tanh(y) } }"
    )
    code = [type(i).__name__ for f in simple.exe.functions for i in f.code]
    assert code.count("GetTag") == 1
    assert "Fatal" not in code
    for name in "AB":
        check(simple, node("Two", name, random(0, 2)))
