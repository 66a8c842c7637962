"""Every operator: its workload means what its row says in numpy, its shape function what came out, at every size."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from anytile.compiler.ir.nodes import Array, Attrs, AttrValue, Call, OperatorRef, Var
from anytile.compiler.ir.types import Any, TensorType
from anytile.compiler.kernels.kernel_of import kernel_of
from anytile.compiler.kernels.memory_dtypes import storing
from anytile.compiler.kernels.primitive_functions import primitive
from anytile.compiler.operators import OPERATORS, SECTIONS, operator
from anytile.compiler.operators.products import EXACT, FLOAT, STACKED
from anytile.compiler.operators.reductions import OF_NOTHING
from anytile.compiler.operators.shapes import Recorder, run, shape_function, shaped, sizes_of
from anytile.compiler.operators.spec import Mismatch, Scheduled
from anytile.core.errors import SpecError
from anytile.schedules.nest.stored_floats import bits_of
from anytile.schedules.workloads.reference import evaluate
from tests.support.cases.operator_calls import EXAMPLES, SIZES, UNKNOWN_OF_NOTHING, array, typed


def scheduled(name: str, types: list[TensorType], attrs: Attrs) -> Scheduled | None:
    """The workload of a call on these types; a result's size that is no number or name gets a name of its own."""
    row = operator(name)
    function = shape_function(row, list(map(shaped, types)), attrs)
    names = {f"{d}": Any(f"s{i}") for i, d in enumerate({d for r in function.results for d in r.dims})}
    results = []
    for r in function.results:
        known = [
            d.value if d.value is not None else next(iter(d.names)) if len(str(d).split()) == 1 else d for d in r.dims
        ]
        dims = [k if isinstance(k, int) else Any(k) if isinstance(k, str) and k == str(d) else names[str(d)]
                for k, d in zip(known, r.dims, strict=True)]  # fmt: skip
        results.append(TensorType(tuple(dims), r.dtype))
    return row.schedule(types, results, row.complete(attrs)) if row.schedule is not None else None


def through_workload(found: Scheduled, arrays: list[Array]) -> list[Array]:
    """What the workload makes of the arguments, passed as they lie in memory."""
    bound = {s: math.prod(arrays[a].shape[i] for a, i in axes) for s, axes in found.symbols.items()}
    workload = found.workload
    inputs = {}
    for tensor, arg in zip(workload.inputs, found.operands, strict=True):
        assert workload.dtype_of(tensor) == arrays[arg].dtype.name
        inputs[tensor.name] = arrays[arg].reshape(workload.shape(tensor.name, bound))
    return list(evaluate(workload.bind(bound), inputs).values())


def in_memory_of_weight(
    name: str, attrs: Attrs, types: Sequence[tuple[str, TensorType]], found: Scheduled, arrays: list[Array]
) -> tuple[Scheduled, list[Array]]:
    """Layers side by side with a weight in 16 bits have a kernel where their rows lie in memory so, and only there,
    unless rows are multiplied as they are."""
    narrow = dict(attrs).get("w", FLOAT)
    if name != STACKED or narrow == FLOAT:
        return found, arrays
    (_, rows), (_, weight) = types
    x, w = Var("x", rows), Var("w", weight)
    result = Var("y", TensorType((weight.shape[0], *rows.shape[:-1], weight.shape[1]), FLOAT))
    made, _ = primitive([(result, Call(OperatorRef(name), (x, w), attrs))])
    alone = kernel_of(made)
    if dict(attrs).get("rows") == EXACT:
        assert alone is not None
        return replace(found, workload=alone.workload), arrays
    assert alone is None
    kernel = kernel_of(storing(made, (0,), str(narrow)))
    assert kernel is not None
    return replace(found, workload=kernel.workload), [bits_of(arrays[0], str(narrow)), *arrays[1:]]


def symbolic_shapes(
    name: str, types: list[TensorType], attrs: Attrs, sizes: dict[str, int], results: tuple[Array, ...]
) -> list[tuple[int, ...]]:
    """What the shape function of the symbolic call says at these sizes; a size that only data know is believed."""
    function = shape_function(operator(name), list(map(shaped, types)), attrs)
    assert all(c.holds(sizes) for c in function.conditions)
    made = []
    for r, y in zip(function.results, results, strict=True):
        dims = zip(r.dims, y.shape, strict=True)
        made.append(tuple(n if d.names & set(function.unknown) else d.evaluate(sizes) for d, n in dims))
    return made


@pytest.mark.slow
@pytest.mark.parametrize("case", EXAMPLES)
def test_an_operator_means_what_its_workload_does(case: str) -> None:
    name, example = EXAMPLES[case]
    types, attrs = typed(example.types), operator(name).canonical(tuple(example.attributes.items()))
    found = scheduled(name, [t for _, t in types], attrs)
    of_host = {"broadcast_like"}  # larger than what it reads
    if types[0][1].dtype not in ("float32", "int32"):
        of_host.add("bit_cast")
    assert (found is None) == (operator(name).schedule is None or name in of_host)
    for b, t in SIZES:
        rng = np.random.default_rng(b + t)
        arrays = [array(word, kind, {"b": b, "t": t}, rng) for word, kind in types]
        if name in UNKNOWN_OF_NOTHING and 0 in (b, t):
            continue
        results = run(operator(name), arrays, attrs)
        assert [r.shape for r in results] == symbolic_shapes(
            name, [t for _, t in types], attrs, {"b": b, "t": t}, results
        )
        if found is not None:
            held, given = in_memory_of_weight(name, attrs, types, found, arrays)
            for expected, got in zip(through_workload(held, given), results, strict=True):
                np.testing.assert_allclose(got, expected.reshape(got.shape), rtol=1e-6, atol=1e-6)
                assert got.dtype == expected.dtype


def test_every_operator_has_an_example() -> None:
    assert {name for name, _ in EXAMPLES.values()} == OPERATORS.keys()


@pytest.mark.parametrize(
    ("name", "reference", "texts", "attrs"),
    [
        ("softmax", lambda x: np.exp(x) / np.exp(x).sum(1, keepdims=True), ["(3, 5, 2)"], {"axis": 1}),
        ("dense", lambda x, w: np.einsum("abk,nk->abn", x, w), ["(2, 3, 4)", "(5, 4)"], {}),
        ("batch_matmul", lambda a, b: np.einsum("zkbm,zbnk->zmbn", a, b), ["(2, 4, 3, 5)", "(2, 3, 6, 4)"], None),
        ("layer_norm",
         lambda x, g, b: (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5) * g + b,
         ["(2, 3, 8)", "(8)", "(8)"], {}),
        ("mean", lambda x: x.mean((0, 2)), ["(3, 4, 5)"], {"axis": (0, -1)}),
        ("top_k", lambda x: -np.sort(-x, 0)[:2], ["(5, 4)"], {"k": 2, "axis": 0}),
        ("take", lambda x, i: x[:, i], ["(3, 6)", "index (2, 2) int64"], {"axis": 1}),
        ("slice", lambda x: x[1:, ::-2], ["(4, 7)"], {"start": (1, -1), "step": (1, -2)}),
        ("reshape_to", lambda x, s: x.reshape(-1), ["(4, 7)", "minus (1) int64"], {}),
        ("expand_dims", lambda x: x, ["(2, 1, 3)"], {"axis": ()}),
        ("squeeze", lambda x: x, ["(2, 1, 3)"], {"axis": ()}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_the_meaning_is_numpys(name, reference, texts, attrs) -> None:  # type: ignore[no-untyped-def]
    rng = np.random.default_rng(0)
    arrays = [array(word, t, {}, rng) for word, t in typed(texts)]
    if attrs is None:  # several batch dimensions between the others
        arrays, attrs = [arrays[0].transpose(0, 2, 3, 1), arrays[1]], {"rhs": "bnk"}
        reference = lambda a, b: np.einsum("zbmk,zbnk->zbmn", a, b)  # noqa: E731
    found = run(operator(name), [np.ascontiguousarray(a) for a in arrays], tuple(attrs.items()))
    np.testing.assert_allclose(found[0], reference(*arrays), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(("name", "said"), OF_NOTHING.items())
def test_a_reduction_of_nothing_is_what_its_page_says(name: str, said: float | str) -> None:
    (found,) = operator(name).numpy((np.zeros((0, 2), np.float32),), {"axis": (0,), "keepdims": False})
    np.testing.assert_array_equal(found, [float(said)] * 2)


def test_suppression_keeps_the_best_of_boxes_that_overlap() -> None:
    boxes = np.asarray([[0, 0, 2, 2], [0, 0, 2, 2.1], [5, 5, 6, 6], [2, 2, 0, 0], [0, 1.9, 2, 4]], np.float32)
    scores = np.asarray([0.5, 0.9, 0.1, 0.5, 0.5], np.float32)
    row = operator("non_max_suppression")
    assert run(row, (boxes, scores), ())[0].tolist() == [1, 4, 2]
    assert run(row, (boxes, scores), (("most", 2),))[0].tolist() == [1, 4]
    assert run(row, (boxes, scores), (("score", 0.3),))[0].tolist() == [1, 4]
    assert sizes_of(row, (boxes, scores), ()) == ((5,),)
    assert sizes_of(row, (boxes, scores), (("most", 2),)) == ((2,),)


@pytest.mark.parametrize(
    ("start", "stop", "step"),
    [(0, 5, 1), (0, 5, 2), (5, 0, -2), (3, 3, 1), (4, 1, 1), (0.0, 1.0, 0.25), (1.0, 0.0, -0.3)],
)
def test_ranges_are_numpys(start: float, stop: float, step: float) -> None:
    dtype = np.float32 if isinstance(start, float) else np.int64
    args = [np.asarray(n, dtype) for n in (start, stop, step)]
    (found,) = run(operator("arange"), args, ())
    np.testing.assert_allclose(found, np.arange(start, stop, step), rtol=1e-6)
    assert operator("arange").sizes(args, {}) == (found.shape,)  # type: ignore[misc]  # it has them


@pytest.mark.parametrize("name", [n for n, row in OPERATORS.items() if row.mode == "data"])
def test_sizes_from_data_are_those_of_the_results(name: str) -> None:
    found = OPERATORS[name].examples[0]
    texts, given = found.types, found.attributes
    rng = np.random.default_rng(3)
    arrays = tuple(array(word, t, {"b": 4, "t": 3}, rng) for word, t in typed(texts))
    row = operator(name)
    assert row.sizes is not None
    found = run(row, arrays, tuple(given.items()))
    assert row.sizes(arrays, row.complete(tuple(given.items()))) == tuple(y.shape for y in found)


def test_equal_work_is_one_workload_whatever_names_a_model_gives() -> None:
    texts = ("(?b, ?t, 768)", "(?x, 1, 768)", "(?tokens, 768)")
    made = [scheduled("dense", [typed([text])[0][1], TensorType((64, 768))], ()) for text in texts]
    assert {str(m.workload) for m in made if m is not None} == {"dense(m=?m, n=64, k=768, dtype=float32)"}
    same = scheduled("batch_matmul", [typed([t])[0][1] for t in ("(12, ?t, 64)", "(12, 64, ?t)")], ())
    assert same is not None
    assert str(same.workload) == "batch_matmul(b=12, m=?m, n=?m, k=64, dtype=float32)"


@pytest.mark.parametrize(("index", "size"), [(3, 3), (-4, 3), (0, 0)])
def test_an_index_is_held_against_the_size(index: int, size: int) -> None:
    with pytest.raises(Mismatch, match=f"index {index} is out of bounds for axis 0 with size {size}"):
        run(operator("take"), (np.ones((size, 2), np.float32), np.asarray([0, index][size == 0 :])), ())
    assert run(operator("take"), (np.ones((0, 2), np.float32), np.zeros(0, np.int64)), ())[0].shape == (0, 2)


@pytest.mark.parametrize("shape", [(2**32, 2**32), (2**40, 0), (-1, -1), (0, -2)])
def test_a_shape_that_is_data_is_held_against_the_elements(shape: tuple[int, ...]) -> None:
    """Of an array without elements, too, and where the product of the sizes is one modulo 2**64."""
    with pytest.raises(Mismatch, match=r"\(0,\) to the shape .*: expected as many elements, 0"):
        run(operator("reshape_to"), [np.empty(0, np.float32), np.asarray(shape, np.int64)], ())


def test_what_types_leave_open_has_no_workload() -> None:
    assert scheduled("add", [TensorType((Any("a"),)), TensorType((Any("b"),))], ()) is None
    assert scheduled("add", [TensorType((Any("a"),)), TensorType((5,))], ()) is None


@pytest.mark.parametrize(
    ("name", "texts", "attrs", "said"),
    [
        ("add", ["(2, 3)", "(2, 4)"], {}, "3 and 4 cannot be broadcast; expected the same, or 1"),
        ("add", ["(2)", "(2) int64"], {}, "dtypes float32, int64; expected one dtype of float32, bfloat16, float16"),
        ("add", ["(2)"], {}, "1 argument; expected 2: a, b"),
        ("exp", ["(2) int64"], {}, "dtypes int64; expected one dtype of float32"),
        ("dense", ["(2, 3)", "(4, 5)"], {}, "3 is not 5"),
        ("softmax", ["(2)"], {"axis": 2}, "axis=2 of a tensor with 1 dimension: expected -1 to 0"),
        ("softmax", ["(2)"], {"axes": 2}, "no attribute 'axes'; expected axis"),
        ("softmax", ["(2)"], {"axis": 1.5}, "axis=1.5: expected a whole number"),
        ("cast", ["(2)"], {}, "the attribute dtype is missing (the dtype it becomes)"),
        ("reshape", ["(2, 3)"], {"shape": (4, -1)}, "6 is not 4"),
        ("reshape", ["(2, 3)"], {"shape": (-1, -1)}, "shape=(-1, -1) of (2, 3): expected sizes, 0 for one that stays"),
        ("concat", ["(2, 3)", "(2)"], {}, "tensors of 2 and 1 dimensions; expected one number of them"),
        ("conv2d", ["(1, 3, 8, 8)", "(4, 2, 3, 3)"], {}, "3 is not 2"),
        ("where", ["(2)", "(2)", "(2)"], {}, "the condition is float32; expected bool"),
        ("squeeze", ["(2, 3)"], {"axis": 1}, "3 is not 1"),
        ("slice", ["(2, 3)"], {"step": (0,)}, "expected each axis once, no step of 0"),
        ("transpose", ["(2, 3)"], {"perm": (0, 0)}, "perm=(0, 0) of a tensor with 2 dimensions: expected each"),
        ("batch_matmul", ["(2, 3, 4)", "(3, 4, 5)"], {}, "the same, or 1; with lhs='mk' or rhs='kn'"),
        ("batch_matmul", ["(2, 3, 4)", "(4)"], {"rhs": "bnk"}, "rhs has 1 dimension; expected 2 or more"),
        ("batch_matmul", ["(3, 4)", "(4, 5)"], {}, "neither operand has batches; expected one that has, or use dense"),
        ("pad", ["(0, 3)"], {"before": (1, 0), "mode": "edge"}, "a dimension of 0; expected at least 1"),
        ("pad", ["(3) int64"], {"value": math.inf}, "value=inf: is no int64"),
        ("pad", ["(3) int32"], {"value": math.nan}, "value=nan: is no int32"),
        ("pad", ["(3) int32"], {"value": 2.0**31}, "value=2147483648: is no int32"),
        ("pad", ["(3) int64"], {"value": 0.5}, "value=0.5: is no int64"),
        ("pad", ["(3) bool"], {"value": 2.0}, "value=2: is no bool"),
        ("squeeze", ["(2, 1)"], {"axis": (1, -1)}, "axis=(1, -1): the same dimension twice"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(name: str, texts: list[str], attrs: dict[str, AttrValue], said: str) -> None:
    row = operator(name)
    with pytest.raises(Mismatch) as refused:
        shape_function(row, [shaped(t) for _, t in typed(texts)], tuple(attrs.items()))
    assert said in str(refused.value)


def test_attributes_have_one_form() -> None:
    row = operator("conv2d")
    assert row.canonical((("stride", 1), ("pad", 1))) == (("pad", (1, 1, 1, 1)),)
    assert operator("softmax").canonical((("axis", -1),)) == ()


def test_an_unknown_operator_is_refused() -> None:
    with pytest.raises(SpecError, match="unknown operator 'adds'; expected one of abs, acos, "):
        operator("adds")


def test_a_relation_that_lies_is_found() -> None:
    row = replace(operator("exp"), relation=lambda args, attrs, facts: (replace(args[0], dims=args[0].dims[1:]),))
    with pytest.raises(AssertionError, match="exp: the shape function says"):
        run(row, (np.ones((2, 3), np.float32),), ())
    assert Recorder().unknown("found").names == {"found_0_"}


def test_a_product_with_a_size_of_0_is_0_whatever_the_others_are() -> None:
    t = TensorType((Any("b"), 0, 3))
    row = operator("softmax")
    assert row.schedule is not None
    made = row.schedule([t], [t], row.complete((("axis", 2),)))
    assert made is not None
    assert dict(made.workload.dims)["outer"] == 0


def test_every_row_has_a_name_of_its_own() -> None:
    """A second row of a name would hide the first."""
    assert len(OPERATORS) == sum(map(len, SECTIONS.values()))
