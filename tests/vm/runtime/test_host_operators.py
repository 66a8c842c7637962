"""Operators of the host in C: what they make is what Python's functions make, and what those refuse they leave."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any as AnyType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from anytile.compiler.lowering.host_functions import host_functions
from anytile.compiler.operators import OPERATORS
from anytile.compiler.operators.shapes import sizes_of
from anytile.core.dtypes import FLOAT8, STORED_FLOATS
from anytile.core.errors import ArgumentError
from anytile.schedules.nest.stored_floats import array_dtype, in_numpy, is_float
from anytile.vm.interpreter import host_functions as table
from anytile.vm.interpreter.host_functions import Twofold
from anytile.vm.program.isa import DTYPES
from anytile.vm.runtime.functions import HOST_OPERATORS, host_operator
from anytile.vm.values.values import tensor_of

Array = NDArray[AnyType]
FUNCTIONS = host_functions()
array_dtype("bfloat16")  # numpy knows such names from here on
ORDERED = [d for d in DTYPES if d != "bool" and d not in FLOAT8]  # of which operators make an order
_KIND = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_void_p)


def by_native(name: str, arrays: Sequence[Array], attributes: dict[str, AnyType]) -> bool:
    """Whether native code did it."""
    twofold = FUNCTIONS[name]
    assert isinstance(twofold, Twofold)
    words = [ctypes.create_string_buffer(tensor_of(a).words) for a in arrays]
    operands = (ctypes.c_void_p * len(words))(*map(ctypes.addressof, words))
    given = twofold.words(attributes)
    return _KIND(host_operator(name))(operands, (ctypes.c_int64 * (len(given) + 1))(*given))


def require_alike(name: str, inputs: Sequence[Array], outputs: Sequence[Array], **attributes: AnyType) -> None:
    """Native code makes what Python does; where Python refuses, native code does nothing."""
    mine = [np.full_like(a, 7) for a in outputs]
    try:
        table.run(FUNCTIONS[name], name, inputs, outputs, attributes)
    except ArgumentError:
        assert not by_native(name, [*inputs, *mine], attributes)
        return
    assert by_native(name, [*inputs, *mine], attributes)
    for found, wanted in zip(mine, outputs, strict=True):
        said = f"{name} {attributes} of {inputs}"
        np.testing.assert_array_equal(in_numpy(found), in_numpy(wanted), said)  # numpy's zeros have any sign


_WORDS = {  # in the order that the C has them in
    "mode": ("NEAREST", "LINEAR", "CUBIC"),
    "coordinates": (
        *("HALF_PIXEL", "HALF_PIXEL_SYMMETRIC", "PYTORCH_HALF_PIXEL"),
        *("ALIGN_CORNERS", "ASYMMETRIC", "TF_HALF_PIXEL_FOR_NN"),
    ),
    "nearest": ("ROUND_PREFER_FLOOR", "ROUND_PREFER_CEIL", "FLOOR", "CEIL"),
}
sizes = st.integers(0, 4)
shapes = st.lists(sizes, min_size=1, max_size=4).map(tuple)


@st.composite
def elements(draw: st.DrawFn, shape: tuple[int, ...], dtype: str) -> Array:
    """Numbers of which many are equal; floats have zeros of both signs, infinities and NaN."""
    rng = np.random.default_rng(draw(st.integers(0, 1 << 30)))
    made = rng.integers(-3, 4, shape).astype(dtype)
    if is_float(made.dtype) and draw(st.booleans()):
        odd = np.array([np.nan, np.copysign(np.nan, -1), np.inf, -np.inf, -0.0, 0.0, 0.1], dtype)
        made = np.where(rng.random(shape) < 0.5, odd[rng.integers(0, len(odd), shape)], made)
    return made


@st.composite
def positions(draw: st.DrawFn, shape: tuple[int, ...], size: int) -> Array:
    """Positions from -size to size - 1, but for one now and then."""
    rng = np.random.default_rng(draw(st.integers(0, 1 << 30)))
    made = rng.integers(-size, max(size, -size + 1), shape).astype(draw(st.sampled_from(("int64", "int32"))))
    if made.size and draw(st.integers(0, 9)) == 0:
        made.flat[draw(st.integers(0, made.size - 1))] = draw(st.sampled_from((size, -size - 1)))
    return made


@st.composite
def along(draw: st.DrawFn) -> tuple[Array, Array, int]:
    shape = draw(shapes)
    axis = draw(st.integers(-len(shape), len(shape) - 1))
    asked = [draw(st.integers(0, s)) for s in shape]
    asked[axis] = draw(sizes)
    x = draw(elements(shape, draw(st.sampled_from(DTYPES))))
    return x, draw(positions(tuple(asked), shape[axis])), axis


@st.composite
def tuples(draw: st.DrawFn, may_have_batches: bool) -> tuple[Array, Array, int]:
    shape = draw(shapes)
    batches = draw(st.integers(0, len(shape) - 1)) if may_have_batches else 0
    length = draw(st.integers(0, len(shape) - batches))
    lead = (*shape[:batches], *draw(st.lists(sizes, max_size=2)))
    columns = [draw(positions(lead, size)) for size in shape[batches : batches + length]]
    index = np.stack([c.astype(np.int64) for c in columns], -1) if columns else np.zeros((*lead, 0), np.int64)
    return draw(elements(shape, draw(st.sampled_from(DTYPES)))), index, batches


def test_each_stands_for_a_function_of_the_table() -> None:
    twofold = {name: f.native for name, f in FUNCTIONS.items() if isinstance(f, Twofold)}
    assert twofold == {name: name for name in HOST_OPERATORS}
    assert len({host_operator(name) for name in HOST_OPERATORS}) == len(HOST_OPERATORS)
    as_in_c = {name: tuple(word.lower() for word in words) for name, words in _WORDS.items()}
    assert {name: words_of("resize_taps", name) for name in _WORDS} == as_in_c
    assert words_of("scatter", "mode") == ("set", "add", "mul", "min", "max")


@pytest.mark.sampled(0)
@given(along())
def test_take_along(case: tuple[Array, Array, int]) -> None:
    x, index, axis = case
    require_alike("op_take_along", [x, index], [np.empty(index.shape, x.dtype)], axis=axis)


@pytest.mark.sampled(0)
@given(tuples(may_have_batches=True))
def test_gather_nd(case: tuple[Array, Array, int]) -> None:
    x, index, batches = case
    left = x.shape[batches + index.shape[-1] :]
    require_alike("op_gather_nd", [x, index], [np.empty((*index.shape[:-1], *left), x.dtype)], batches=batches)


def _joins(x: Array, mode: str) -> bool:
    """Whether native code joins such numbers: short floats are Python's, and so bools, which have no sums."""
    return mode == "set" or str(x.dtype) not in {*STORED_FLOATS, "bool"}


@pytest.mark.sampled(0)
@given(st.data(), along(), st.sampled_from(("set", "add", "mul", "min", "max")))
def test_scatter(data: st.DataObject, case: tuple[Array, Array, int], mode: str) -> None:
    x, index, axis = case
    updates, y = data.draw(elements(index.shape, str(x.dtype))), np.empty_like(x)
    if _joins(x, mode):
        require_alike("op_scatter", [x, index, updates], [y], axis=axis, mode=mode)
    else:
        assert not by_native("op_scatter", [x, index, updates, y], {"axis": axis, "mode": mode})


@pytest.mark.sampled(0)
@given(st.data(), tuples(may_have_batches=False), st.sampled_from(("set", "add", "mul", "min", "max")))
def test_scatter_nd(data: st.DataObject, case: tuple[Array, Array, int], mode: str) -> None:
    x, index, _ = case
    updates = data.draw(elements((*index.shape[:-1], *x.shape[index.shape[-1] :]), str(x.dtype)))
    if _joins(x, mode):
        require_alike("op_scatter_nd", [x, index, updates], [np.empty_like(x)], mode=mode)


@pytest.mark.sampled(0)
@given(along())
def test_scatter_keys(case: tuple[Array, Array, int]) -> None:
    x, index, axis = case
    require_alike("op_scatter_keys", [index, np.array(x.shape)], [np.empty(index.shape, np.int64)], axis=axis)


@pytest.mark.sampled(0)
@given(tuples(may_have_batches=False), st.integers(1, 100))
def test_scatter_nd_keys(case: tuple[Array, Array, int], times: int) -> None:
    """Of the same rows again and again, and more of them than are sorted by inserting them."""
    x, index, _ = case
    index = np.repeat(index[None], times, 0)
    require_alike("op_scatter_nd_keys", [index, np.array(x.shape)], [np.empty(index.shape[:-1], np.int64)])


def test_rows_that_keys_cannot_count_are_left() -> None:
    index, keys = np.zeros((3, 1), np.int64), np.empty(3, np.int64)
    for size, is_done in ((1, True), ((1 << 31) - 1, True), (1 << 31, False), (-1, False), (0, False)):
        assert by_native("op_scatter_nd_keys", [index, np.array([size]), keys], {}) == is_done
    assert not by_native("op_scatter_nd_keys", [index, np.array([3]), np.empty(4, np.int64)], {})
    assert not by_native("op_scatter_nd_keys", [index, np.array([3.0]), keys], {})


@st.composite
def repeated(draw: st.DrawFn) -> tuple[Array, Array, tuple[int, ...]]:
    """Two tensors that are broadcast together, mostly, and the shape that they make."""
    wide = draw(st.lists(st.sampled_from((0, 1, 2, 3, 15, 16, 17, 40)), max_size=4).map(tuple))
    drawn = []
    for _ in "ab":
        kept = wide[draw(st.integers(0, len(wide))) if draw(st.booleans()) else 0 :]
        shape = tuple(1 if draw(st.integers(0, 2)) == 0 else size for size in kept)
        drawn.append(draw(elements(shape, "float32")))
    return drawn[0], drawn[1], np.broadcast_shapes(drawn[0].shape, drawn[1].shape)


@pytest.mark.sampled(0)
@given(repeated(), st.sampled_from(("add", "subtract", "multiply", "divide")))
def test_arithmetic_of_sizes_that_nobody_knew(case: tuple[Array, Array, tuple[int, ...]], how: str) -> None:
    a, b, shape = case
    require_alike(f"op_{how}", [a, b], [np.empty(shape, np.float32)])


def test_arithmetic_that_does_not_fit_is_left() -> None:
    a, b, y = (np.ones(shape, np.float32) for shape in ((3, 1), (4,), (3, 4)))
    assert by_native("op_add", [a, b, y], {})
    assert (y == 2).all()
    for operands in ([a, b, y[0]], [a, b, y.T.copy()], [y, a, b], [a, b.astype(np.float64), y], [b, b, y]):
        assert not by_native("op_add", operands, {})


@pytest.mark.sampled(0)
@given(st.data(), st.sampled_from(ORDERED), st.booleans(), st.integers(0, 9))
def test_top_k(data: st.DataObject, dtype: str, largest: bool, k: int) -> None:
    shape = data.draw(st.one_of(shapes, st.tuples(st.integers(1, 3), st.integers(1, 90))))
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    x = data.draw(elements(shape, dtype))
    made = tuple(min(k, s) if d == axis % len(shape) else s for d, s in enumerate(shape))
    outputs = [np.empty(made, dtype), np.empty(made, np.int64)]
    require_alike("op_top_k", [x], outputs, k=k, axis=axis, largest=largest)


@pytest.mark.sampled(0)
@given(st.data(), st.sampled_from(ORDERED), st.booleans(), st.integers(0, 99))
def test_top_k_by(data: st.DataObject, dtype: str, largest: bool, k: int) -> None:
    """A number of elements that is data: as many as there are where it is more, unless that is refused."""
    shape = data.draw(st.one_of(shapes, st.tuples(st.integers(1, 3), st.integers(1, 90))))
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    x, count, size = data.draw(elements(shape, dtype)), np.array(k), shape[axis]
    told: dict[str, AnyType] = {"axis": axis, "largest": largest, "strict": k <= size}
    require_alike("sizes_top_k_by", [x, count], [np.empty(len(shape), np.int64) for _ in "vi"], **told)
    made = tuple(min(k, s) if d == axis % len(shape) else s for d, s in enumerate(shape))
    require_alike("op_top_k_by", [x, count], [np.empty(made, dtype), np.empty(made, np.int64)], **told)


def test_as_many_as_there_are_not_is_left() -> None:
    x, sizes = np.zeros((2, 5), np.float32), [np.empty(2, np.int64) for _ in "vi"]
    for k, strict, is_done in ((5, True, True), (6, False, True), (6, True, False), (-1, False, False)):
        told = {"axis": 1, "largest": True, "strict": strict}
        assert by_native("sizes_top_k_by", [x, np.array(k), *sizes], told) == is_done
    for count, shapes in ((np.array(3.0), sizes), (np.array([3, 3]), sizes), (np.array(3), [sizes[0], sizes[1][:1]])):
        assert not by_native("sizes_top_k_by", [x, count, *shapes], {"axis": 1, "largest": True, "strict": False})


@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("dtype", ORDERED)
def test_sorts_of_long_rows(dtype: str, largest: bool) -> None:
    """Numbers from the least of a dtype to the largest, as few as differ in one byte of theirs, and all the same."""
    rng, kind = np.random.default_rng(5), np.dtype(dtype)
    if is_float(kind):
        rows = [rng.standard_normal(300), rng.integers(-2, 3, 300), np.full(300, -1.5), rng.standard_normal(300) * 1e4]
        odd = rng.choice([np.nan, np.inf, -np.inf, -0.0, 0.0], 300)
        rows.append(np.where(rng.random(300) < 0.3, odd, rows[0]))
    else:
        limits = np.iinfo(kind)
        rows = [rng.integers(limits.min, limits.max, 300, dtype, True), rng.integers(3, 9, 300), np.full(300, 7)]
        rows.append(rng.choice(np.array([limits.min, limits.max], dtype), 300))
    x = np.stack([r.astype(dtype) for r in rows])
    for k in (300, 299, 38, 37):
        made = [np.empty((len(rows), k), dtype), np.empty((len(rows), k), np.int64)]
        require_alike("op_top_k", [x], made, k=k, largest=largest)


@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_top_k_of_long_rows_with_ties_and_nan(dtype: str, largest: bool) -> None:
    rng = np.random.default_rng(3)
    odd = np.array([np.nan, np.copysign(np.nan, -1), np.inf, -np.inf, -0.0, 0.0, 0.1], dtype)
    for k in (1, 4, 18, 19, 30):
        x = rng.standard_normal((40, 150)).astype(dtype)
        x[::2, ::3] = odd[rng.integers(0, len(odd), (20, 50))]
        outputs = [np.empty((40, k), dtype), np.empty((40, k), np.int64)]
        require_alike("op_top_k", [x], outputs, k=k, largest=largest)


@pytest.mark.sampled(0)
@given(st.data(), st.sampled_from(DTYPES), shapes | st.integers(0, 70).map(lambda size: (size,)))
def test_nonzero(data: st.DataObject, dtype: str, shape: tuple[int, ...]) -> None:
    x = data.draw(elements(shape, dtype))
    found = np.stack(np.nonzero(x))
    require_alike("sizes_nonzero", [x], [np.empty(2, np.int64)])
    require_alike("op_nonzero", [x], [np.empty_like(found)])
    for other in {found.shape[1] + 1, max(found.shape[1] - 1, 0)} - {found.shape[1]}:
        assert not by_native("op_nonzero", [x, np.empty((x.ndim, other), np.int64)], {})


@pytest.mark.sampled(0)
@given(st.data(), st.sampled_from(DTYPES), st.integers(0, 1100), st.sampled_from((3, 300, 1 << 62)))
def test_unique(data: st.DataObject, dtype: str, count: int, most: int) -> None:
    """Elements that differ in few bytes of theirs and in all; what is no number is one."""
    rng, kind = np.random.default_rng(count), np.dtype(dtype)
    if most == 3:
        x = data.draw(elements((count,), dtype))
    elif is_float(kind):
        x = (rng.standard_normal(count) * rng.choice([1e-3, 1.0, 1e3], count)).astype(dtype)
    else:
        limits = (0, 1) if kind.kind == "b" else (np.iinfo(kind).min, np.iinfo(kind).max)
        x = rng.integers(max(limits[0], -most), min(limits[1], most), count, endpoint=True).astype(dtype)
    sizes = [np.zeros(1, np.int64) for _ in range(3)]
    require_alike("sizes_unique", [x], sizes)
    found = int(sizes[0][0])
    made = [np.zeros(found, dtype), np.zeros(count, np.int64), np.zeros(found, np.int64)]
    require_alike("op_unique", [x], made)
    assert not by_native("op_unique", [x, np.zeros(found + 1, dtype), made[1], np.zeros(found + 1, np.int64)], {})
    if found:
        assert not by_native("op_unique", [x, made[0][1:], made[1], made[2][1:]], {})


def test_of_bools_any_byte_is_one() -> None:
    x = np.array([0, 1, 2, 0, 255], np.uint8).view(np.bool_)
    made = [np.zeros(2, np.bool_), np.zeros(5, np.int64), np.zeros(2, np.int64)]
    assert by_native("op_unique", [x, *made], {})
    assert [a.tolist() for a in made[1:]] == [[0, 1, 1, 0, 1], [2, 3]]


def boxes_of(rng: np.random.Generator, shape: tuple[int, ...], dtype: str) -> Array:
    """Corners of which many overlap, and some are the same or the wrong way round."""
    return (rng.integers(0, 12, (*shape, 4)) + rng.integers(0, 2, (*shape, 4)) * 0.3).astype(dtype)


def require_suppressed_alike(name: str, arrays: Sequence[Array], **attributes: AnyType) -> int:
    """What both say stays; how many that are."""
    (most,) = sizes_of(OPERATORS[name.removeprefix("bounded_")], arrays, tuple(attributes.items())) or ()
    made = [(np.full(most, -7), np.full(len(most), -7)) for _ in range(2)]
    table.run(FUNCTIONS[name], name, arrays, made[0], attributes)
    assert by_native(name, [*arrays, *made[1]], attributes)
    (wanted, shape), (found, its_shape) = made
    count = int(np.prod(shape))
    assert its_shape.tolist() == shape.tolist()
    assert found.reshape(-1)[:count].tolist() == wanted.reshape(-1)[:count].tolist()
    return int(shape[0])


@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("count", [63, 64, 65, 200])
def test_top_k_where_the_first_are_no_numbers(count: int, largest: bool) -> None:
    """Whatever the least of those that are held is, NaN too, what comes before it is found."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        x = rng.integers(-9, 9, (2, count)).astype(np.float32)
        x[:, : seed // 2] = np.nan
        x[1, rng.integers(0, count, 5)] = rng.choice([np.nan, np.inf, -np.inf, -0.0], 5)
        made = [np.empty((2, 5), np.float32), np.empty((2, 5), np.int64)]
        require_alike("op_top_k", [x], made, axis=1, k=5, largest=largest)


@pytest.mark.sampled(0)
@given(st.integers(0, 1 << 30), st.integers(0, 40), st.integers(0, 12), st.sampled_from(("float32", "float64")))
def test_boxes_that_stay(seed: int, count: int, most: int, dtype: str) -> None:
    rng = np.random.default_rng(seed)
    iou, score = float(rng.choice([0.0, 0.3, 0.5, 1.0])), float(rng.choice([-1.0, 0.25, 0.5, 9.0]))
    scores = (rng.integers(0, 9, (2, 3, count)) / 8).astype(dtype)
    scores[rng.random(scores.shape) < 0.1] = np.nan
    boxes = boxes_of(rng, (2, count), dtype)
    given = {"iou": iou, "score": score, "most": most}
    require_suppressed_alike("bounded_non_max_suppression", [boxes[0], scores[0, 0]], **given)
    for corners in ("corners", "center"):
        name = "bounded_non_max_suppression_of_classes"
        require_suppressed_alike(name, [boxes, scores], boxes=corners, **given)


def test_some_boxes_stay_and_some_do_not() -> None:
    rng = np.random.default_rng(0)
    boxes, scores = boxes_of(rng, (60,), "float32"), rng.random(60, np.float32)
    kept = require_suppressed_alike("bounded_non_max_suppression", [boxes, scores], iou=0.3, score=0.1, most=60)
    assert 5 < kept < 50


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("place", [0, 30, 127, 240, 243])
def test_what_overlaps_a_box_that_is_none_python_says(dtype: str, place: int) -> None:
    rng = np.random.default_rng(0)
    boxes, scores = boxes_of(rng, (61,), dtype), rng.random(61).astype(dtype)
    made = [np.zeros(61, np.int64), np.zeros(1, np.int64)]
    attributes = {"iou": 0.3, "score": 0.1, "most": 61}
    for number, is_one in ((1.0, True), (np.inf, False), (np.nan, False), (-np.inf, False)):
        boxes.flat[place] = number
        assert by_native("bounded_non_max_suppression", [boxes, scores, *made], attributes) == is_one


def test_of_no_boxes_nobody_walks_images_and_classes() -> None:
    """A walk of all of them would not end today."""
    boxes, scores = np.zeros((1 << 20, 0, 4), np.float32), np.zeros((1 << 20, 1 << 20, 0), np.float32)
    made = [np.zeros((0, 3), np.int64), np.full(2, 7)]
    attributes = {"iou": 0.5, "score": 0.0, "most": 3, "boxes": "corners"}
    assert by_native("bounded_non_max_suppression_of_classes", [boxes, scores, *made], attributes)
    assert made[1].tolist() == [0, 3]


@pytest.mark.sampled(0)
@given(st.integers(0, 1 << 30), st.integers(0, 3), st.booleans(), st.sampled_from(("avg", "max")), st.integers(0, 3))
def test_means_of_what_lies_in_boxes(seed: int, points: int, half: bool, mode: str, count: int) -> None:
    rng = np.random.default_rng(seed)
    channels = int(rng.integers(1, 11))
    x = rng.standard_normal((2, channels, int(rng.integers(1, 7)), int(rng.integers(1, 9)))).astype(np.float32)
    boxes = (rng.random((count, 4)) * 14 - 3).astype(np.float32)
    boxes[:, 2] = np.where(rng.random(count) < 0.2, boxes[:, 0], boxes[:, 2])  # a side of no length
    images = rng.integers(0, 2, count)
    cells = int(rng.integers(1, 4)), int(rng.integers(1, 4))
    attributes = {"height": cells[0], "width": cells[1], "points": points, "half_pixel": half, "mode": mode}
    attributes |= {"scale": float(rng.choice([0.5, 1.0]))}
    wanted, found = (np.empty((count, channels, *cells), np.float32) for _ in range(2))
    table.run(FUNCTIONS["op_roi_align"], "op_roi_align", [x, boxes, images], [wanted], attributes)
    assert by_native("op_roi_align", [x, boxes, images, found], attributes)
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)
    if count:
        images[0] = 2
        assert not by_native("op_roi_align", [x, boxes, images, found], attributes)


def words_of(operator: str, attribute: str) -> tuple[str, ...]:
    return next(a for a in OPERATORS[operator].attributes if a.name == attribute).words


@pytest.mark.sampled(0)
@given(st.data(), st.integers(0, 40), st.booleans(), st.booleans())
def test_tables_of_images_in_other_sizes(data: st.DataObject, n: int, excludes: bool, stretches: bool) -> None:
    """Places are the same to the letter, weights but for a rounding."""
    attributes = {name: data.draw(st.sampled_from(words_of("resize_taps", name)), name) for name in _WORDS}
    attributes |= {"cubic": data.draw(st.sampled_from((-0.75, -0.5))), "exclude_outside": excludes}
    attributes |= {"antialias": stretches, "at": 1}
    of_size = st.integers(-1, 90).map(lambda size: np.array([3, size]))
    of_scale = st.sampled_from((0.0, 0.1, 0.3, 0.5, 0.6, 1.0, 1.7, 2.0, 3.0, np.inf, np.nan))
    by = data.draw(st.one_of(of_size, of_scale.map(lambda scale: np.array([3, scale], np.float32))), "by")
    usual = {"nearest": 1, "linear": 2, "cubic": 4}[attributes["mode"]]
    taps = data.draw(st.sampled_from((usual, usual, usual, 6)), "taps")
    inputs, attributes = [np.array([n]), by], {**attributes, "taps": taps}
    shapes = [np.zeros(2, np.int64), np.zeros(2, np.int64)]
    name = "sizes_resize_taps"
    try:
        table.run(FUNCTIONS[name], name, inputs, shapes, attributes)
    except ArgumentError:
        assert not by_native(name, [*inputs, *shapes], attributes)
        return
    made = [np.zeros(2, np.int64), np.zeros(2, np.int64)]
    assert by_native(name, [*inputs, *made], attributes)
    assert [a.tolist() for a in made] == [a.tolist() for a in shapes]
    wanted = [np.empty(made[0], np.int64), np.empty(made[1], np.float32)]
    found, name = [np.empty_like(a) for a in wanted], "op_resize_taps"
    with np.errstate(invalid="ignore"):  # of weights of which none is left
        table.run(FUNCTIONS[name], name, inputs, wanted, attributes)
    assert by_native(name, [*inputs, *found], attributes)
    np.testing.assert_array_equal(found[0], wanted[0])
    np.testing.assert_allclose(found[1], wanted[1], rtol=3e-7, atol=1e-7)


def test_what_does_not_fit_is_left() -> None:
    x, index = np.zeros((3, 4), np.float32), np.zeros((3, 2), np.int64)
    y, other = np.zeros((3, 2), np.float32), np.zeros((3, 2), np.float64)
    assert by_native("op_take_along", [x, index, y], {"axis": 1})
    for operands, axis in (([x, index, other], 1), ([x, index, x], 1), ([x, index, y], 0), ([x, y, y], 1)):
        assert by_native("op_take_along", operands, {"axis": axis}) == (axis == 0)  # along rows all is there, too
    assert not by_native("op_take_along", [x, index[0], y], {"axis": 1})
    assert not by_native("op_top_k", [x, y, np.zeros((3, 2), np.int32)], {"axis": 1, "k": 2})
    assert not by_native("op_top_k", [x, np.zeros((3, 5), np.float32), np.zeros((3, 5), np.int64)], {"axis": 1, "k": 5})
