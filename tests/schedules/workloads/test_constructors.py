"""Every operator has a constructor with a public name; what it makes means what numpy's function of that kind does."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import anytile
from anytile import Any
from anytile.core.errors import SpecError
from anytile.schedules.operators import OPERATORS
from anytile.schedules.workloads.constructors import BY_HAND, BY_ROW
from anytile.schedules.workloads.reference import evaluate
from anytile.schedules.workloads.workload import Workload

A, B = Any("a"), Any("b")
MADE: tuple[Workload, ...] = (
    anytile.dense(A, 3, 4, tail="relu(y)"),
    anytile.batch_matmul(A, B, 3, 4, rhs="bnk"),
    anytile.conv2d(A, 3, B, 9, 4, 3, 3, pad=1),
    anytile.lstm_cell(A, 5, 6),
    anytile.gated_dense(A, 5, 6, "c2 = sigmoid(z0) * tanh(z2) + fc[m, u]; h2 = sigmoid(z1) * tanh(c2)", gates=3),
    anytile.elementwise("x[d0, d1] + 1", A, B),
    anytile.reduce("sum", A, B, axes=-1),
    anytile.softmax(A, outer=B),
    anytile.layer_norm(A, B),
    anytile.rms_norm(A, B),
    anytile.batch_norm(A, outer=B),
    anytile.cumsum(A, outer=B),
    anytile.transpose(A, B, 3, perm=(2, 0, 1)),
    anytile.gather(A, B, inner=8, const=("x",)),
    anytile.one_hot(A, 9, dtype="int32"),
    anytile.concat(A, B, 3, inner=2),
    anytile.split(A, 3, inner=B),
    anytile.slice_of(A, B, at=np.s_[1:, ::-2]),
    anytile.pad(A, B, around=((1, 2), (0, 3)), value=-np.inf),
    anytile.max_pool2d(A, 3, B, 9, kernel=3, stride=2, pad=1),
    anytile.avg_pool2d(A, 3, B, 9, kernel=(2, 3), count="image", ceil=True, layout="nhwc"),
)


def test_every_operator_has_a_constructor_with_a_public_name() -> None:
    assert {w.op for w in MADE} | set(BY_ROW) == {name for name, row in OPERATORS.items() if not row.over}
    assert {*BY_ROW, *BY_HAND} <= set(anytile.__all__)


@pytest.mark.parametrize("text", [text for name in BY_ROW for text in OPERATORS[name].examples])
def test_constructors_take_what_a_workload_says(text: str) -> None:
    workload = Workload.parse(text)
    given = {key: getattr(workload, key) for key in ("dtype", "const", "tail") if getattr(workload, key)}
    if workload.dtype == "float32":
        del given["dtype"]
    attrs = dict(workload.attrs)
    dims = [dim for _, dim in workload.dims] if attrs.pop("rank", 0) else []
    named = {} if dims else dict(workload.dims)
    assert getattr(anytile, workload.op)(*dims, **named, **attrs, **given) == workload


@pytest.mark.parametrize("workload", MADE, ids=str)
def test_its_text_says_all(workload: Workload) -> None:
    assert Workload.parse(str(workload)) == workload


def _x(*shape: int) -> np.ndarray:
    return np.arange(1, 1 + int(np.prod(shape)), dtype=np.float32).reshape(shape)


X = _x(4, 6)
POSITIONS = np.array([3, 0, -1, 3])
MEANT: dict[str, tuple[Workload, dict[str, np.ndarray], list[np.ndarray]]] = {
    "transpose": (anytile.transpose(2, 3, 4, perm=(2, 0, 1)), {"x": _x(2, 3, 4)}, [_x(2, 3, 4).transpose(2, 0, 1)]),
    "gather": (anytile.gather(4, 4, inner=6), {"x": X[None], "index": POSITIONS}, [X[None, POSITIONS]]),
    "one_hot": (anytile.one_hot(4, 5), {"index": POSITIONS}, [np.eye(5, dtype=np.float32)[POSITIONS]]),
    "concat": (
        anytile.concat(2, 2, outer=1, inner=6),
        {"x0": X[None, :2], "x1": X[None, 2:]},
        [X[None]],
    ),
    "split in three": (anytile.split(4, 3, inner=6), {"x": X[None]}, np.array_split(X[None], 3, axis=1)),
    "split at": (anytile.split(4, (1, 1, 9), inner=6), {"x": X[None]}, np.split(X[None], (1, 1, 9), axis=1)),
    "split before the first": (anytile.split(4, (0, 2), inner=6), {"x": X[None]}, np.split(X[None], (0, 2), axis=1)),
    "pad": (anytile.pad(4, 6, around=((1, 0), (2, 3)), value=0.1), {"x": X},
            [np.pad(X, ((1, 0), (2, 3)), constant_values=np.float32(0.1))]),
    "reflected": (anytile.pad(4, 6, around=((1, 0), (2, 3)), mode="reflect"), {"x": X},
                  [np.pad(X, ((1, 0), (2, 3)), mode="reflect")]),
    "max_pool2d": (anytile.max_pool2d(1, 1, 4, 6), {"x": X[None, None]},
                   [X.reshape(2, 2, 3, 2).max(axis=(1, 3))[None, None]]),
    "avg_pool2d": (anytile.avg_pool2d(1, 1, 4, 6), {"x": X[None, None]},
                   [X.reshape(2, 2, 3, 2).mean(axis=(1, 3))[None, None]]),
}  # fmt: skip


@pytest.mark.parametrize("name", MEANT)
def test_it_means_what_numpy_does(name: str) -> None:
    workload, inputs, wanted = MEANT[name]
    for got, expected in zip(evaluate(workload, inputs).values(), wanted, strict=True):
        np.testing.assert_array_equal(got, expected)


_POSITION = st.none() | st.integers(-9, 9)
_SLICE = st.builds(slice, _POSITION, _POSITION, st.none() | st.integers(-3, 3).filter(bool))


@given(_SLICE, _SLICE)
def test_any_slice_is_pythons(rows: slice, columns: slice) -> None:
    workload = anytile.slice_of(A, B, at=(rows, columns))
    assert Workload.parse(str(workload)) == workload
    for shape in ((4, 6), (1, 9), (0, 2)):
        got = evaluate(workload, {"x": _x(*shape)})["y"]
        np.testing.assert_array_equal(got, _x(*shape)[rows, columns])
        assert workload.shape("y", dict(zip("ab", shape, strict=True))) == got.shape


WRONG: dict[str, tuple[Callable[[], Workload], str]] = {
    "a slice too few": (lambda: anytile.slice_of(4, 6, at=(slice(1),)), "1 slices of 2 dimensions"),
    "a pair too few": (lambda: anytile.pad(4, 6, around=((1, 1),)), "1 pairs for 2 dimensions"),
    "a negative pad": (lambda: anytile.pad(4, around=((-1, 1),)), "-1 is less than 0"),
    "cuts nowhere": (lambda: anytile.split(4, (0, 0)), "expected one behind the first element"),
    "cuts out of order": (lambda: anytile.split(4, (3, 1)), "expected positions in their order"),
    "no parts": (lambda: anytile.split(4, 0), "0 is less than 1"),
    "nothing to join": (lambda: anytile.concat(), "0 is less than 1"),
    "a dimension twice": (
        lambda: anytile.transpose(4, 6, perm=(0, 0)),
        "transpose: perm=0: expected every number from 0 to 1 once",
    ),
    "no such mode": (lambda: anytile.pad(4, around=((1, 1),), mode="wrap"), "expected constant, edge, reflect"),
    "numbers in a list": (lambda: anytile.conv2d(1, 4, 9, 9, 4, 3, 3, stride=[2, 2]), r"conv2d: .* as in \(1, 1\)$"),
    "an empty step": (lambda: anytile.slice_of(4, at=(slice(0, 3, 0),)), "expected a step that is not 0"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_said_in_one_line(name: str) -> None:
    make, reason = WRONG[name]
    with pytest.raises(SpecError, match=reason) as error:
        make()
    assert "\n" not in str(error.value)


CALLED_WRONG: dict[str, tuple[Callable[[], Workload], str]] = {
    "too few": (lambda: anytile.dense(1, 2), r"dense\(\): missing a required argument: 'k'"),  # type: ignore[call-arg]
    "too many": (lambda: anytile.dense(1, 2, 3, "float32", (), "", "exact", 7), "too many positional arguments"),  # type: ignore[call-arg]
    "twice": (lambda: anytile.dense(1, 2, 3, m=4), "multiple values for argument 'm'"),  # type: ignore[misc]
    "unknown": (lambda: anytile.softmax(1, width=4), "unexpected keyword argument 'width'"),  # type: ignore[call-arg]
    "no perm": (lambda: anytile.transpose(1, 2), r"transpose\(\): missing a required argument: 'perm'"),  # type: ignore[call-arg]
    "dims by name": (lambda: anytile.transpose(1, 2, perm=(0, 1), dims=1), "unexpected keyword argument 'dims'"),  # type: ignore[call-arg]
}


@pytest.mark.parametrize("name", CALLED_WRONG)
def test_a_constructor_is_called_as_python_functions_are(name: str) -> None:
    make, reason = CALLED_WRONG[name]
    with pytest.raises(TypeError, match=reason):
        make()
