"""Every operator in every dtype that it takes and kernels do not compute with: on the machine it is what numpy says."""

from __future__ import annotations

import numpy as np
import pytest

import anytile
from anytile.compiler.builder import ModuleBuilder
from anytile.compiler.infer import infer
from anytile.compiler.text.parser import parse_module
from anytile.compiler.text.printer import module_text
from anytile.core.dtypes import BY_NAME, COMPUTED, FLOAT8, MODEL
from anytile.core.errors import SpecError
from tests.support.cases.compiled_modules import Compiled, check
from tests.support.cases.operator_calls import EXAMPLES, array, typed

HOSTED = tuple(dtype for dtype in MODEL if dtype not in COMPUTED)


def _in(dtype: str, types: tuple[str, ...]) -> list[str] | None:
    """The types with one dtype in place of the first one's; None where that is bool."""
    parts = [t.rpartition(")") for t in types]
    kinds = [kind.strip() or "float32" for _, _, kind in parts]
    first = next((kind for kind in kinds if kind != "bool"), None)
    if first is None:
        return None
    return [f"{shape}) {dtype if kind == first else kind}" for (shape, _, _), kind in zip(parts, kinds, strict=True)]


def refused(m: ModuleBuilder, dtype: str) -> bool:
    """Whether types alone say that it cannot be."""
    try:
        infer(m.build())
    except SpecError as error:
        if dtype not in str(error):
            raise
        return True
    return False


@pytest.mark.slow
@pytest.mark.parametrize("case", EXAMPLES)
def test_an_operator_takes_every_dtype_of_its_kind(case: str) -> None:
    """What it does not take it refuses by the name of the dtype."""
    name, example = EXAMPLES[case]
    for dtype in HOSTED:
        types = _in(dtype, example.types)
        if types is None:
            continue
        m = ModuleBuilder()
        with m.function("main", **{f"a{i}": t for i, (_, t) in enumerate(typed(types))}) as (f, *args):
            f.result(f.call(name, *args, **example.attributes))
        if refused(m, dtype):
            continue
        made = Compiled(m.build())
        rng = np.random.default_rng(0)
        check(made, *(array(word, kind, {"b": 2, "t": 3}, rng) for word, kind in typed(types)))


@pytest.mark.parametrize("dtype", [d for d in HOSTED if d not in FLOAT8])
def test_numbers_go_in_and_come_out(dtype: str) -> None:
    """Constants, scalars of the dtype, casts there and back, and the text of the module."""
    m = ModuleBuilder()
    with m.function("main", x=f"Tensor[(?n), {dtype}]") as (f, x):
        ones = f.constant(np.ones(1, dtype))
        two = f.constant(np.asarray(2, dtype))
        f.result(f.tuple(f.multiply(f.add(x, ones), two), f.cast(f.cast(x, dtype="int64"), dtype=dtype)))
    x = np.arange(5).astype(dtype)
    for module in (m.build(), parse_module(module_text(m.build()), {})):
        doubled, same = anytile.Session(anytile.compile(module))(x)
        np.testing.assert_array_equal(np.asarray(doubled), (x + x.dtype.type(1)) * x.dtype.type(2))
        np.testing.assert_array_equal(np.asarray(same), x)
        assert np.asarray(doubled).dtype == np.asarray(same).dtype == dtype


def test_arithmetic_is_the_dtypes_own() -> None:
    """Integers wrap around in their own bits, and halves are rounded once an operator."""
    m = ModuleBuilder()
    with m.function("main", a="Tensor[(?n), uint8]", h="Tensor[(?n), float16]") as (f, a, h):
        f.result(f.tuple(f.add(a, a), f.exp(h)))
    a, h = np.array([1, 200, 255], np.uint8), np.array([0.1, 5.0, 11.5], np.float16)
    summed, grown = anytile.Session(anytile.compile(m.build()))(a, h)
    np.testing.assert_array_equal(np.asarray(summed), a + a)
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(np.asarray(grown), np.exp(h.astype(np.float64)).astype(np.float16))


@pytest.mark.parametrize("dtype", MODEL)
def test_what_is_chosen_of_two_numbers_has_their_dtype(dtype: str) -> None:
    """Alone, and as a part of what chooses once more; a number that no float32 is stays what it is."""
    most = min(np.iinfo(dtype).max, 2**53 - 1) if BY_NAME[dtype].kind in ("int", "uint") else 0.1
    m = ModuleBuilder()
    with m.function("main", x=f"Tensor[(?n), {dtype}]", b="Tensor[(?n), bool]") as (f, x, b):
        low, high = (f.constant(np.asarray(number, dtype)) for number in (most, 1))
        chosen = f.where(b, low, high)
        f.result(f.tuple(chosen, f.where(f.equal(x, low), chosen, x)))
    x, b = np.array([3, 0, 1, 2]).astype(dtype), np.array([True, False, False, True])
    made = Compiled(m.build())
    check(made, x, b)
    found, _ = anytile.Session(anytile.compile(m.build()))(x, b)
    np.testing.assert_array_equal(np.asarray(found), np.where(b, np.asarray(most, dtype), np.asarray(1, dtype)))


@pytest.mark.parametrize(
    "dtype", [d for d in HOSTED if d not in FLOAT8 and (BY_NAME[d].kind == "float" or d == "int8")]
)
def test_a_kernel_refuses_what_it_cannot_compute_with(dtype: str) -> None:
    with pytest.raises(SpecError, match=f"a cast to {dtype}; kernels compute with"):
        anytile.elementwise(f"float32({dtype}(x[d0]) + 1)", 5)
