"""Inference on random modules: it refuses none that computes something, and every shape is what its type says.

At sizes that a module was not grown at it may fail, but then a check that was recorded is why.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anytile.compiler.evaluate import Value, evaluate
from anytile.compiler.infer import Inferred, infer
from anytile.compiler.ir.equality import alpha_equal
from anytile.compiler.ir.nodes import Array, Var
from anytile.compiler.ir.types import Any, TensorType
from anytile.compiler.module import Module
from anytile.compiler.text.printer import stored
from anytile.core.errors import ArgumentError
from tests.support.generators.random_modules import Grown, array_of, modules

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]
RANDOM = settings(max_examples=100, deadline=None, suppress_health_check=SLOW)
SIZES = st.fixed_dictionaries({name: st.sampled_from([0, 1, 2, 3, 4, 5, 17]) for name in "nmpq"})


@pytest.mark.slow
@RANDOM
@given(modules())
def test_modules_round_trip_through_text(grown: Grown) -> None:
    text = str(grown.module)
    assert alpha_equal(Module.parse(text, stored(grown.module)), grown.module)
    assert str(Module.parse(text, stored(grown.module))) == text


@pytest.mark.slow
@RANDOM
@given(modules())
def test_what_was_inferred_is_inferred_again_from_its_text(grown: Grown) -> None:
    found = infer(grown.module)
    text = str(found.module)
    assert str(infer(found.module).module) == text
    assert str(infer(Module.parse(text, stored(found.module))).module) == text


def evaluated(found: Inferred, args: tuple[Array, ...]) -> Value:
    """The value of main; every variable on the way must have the shape that its type says, equal names being equal."""
    sizes: dict[str, int] = {}

    def watch(function: str, v: Var, value: Value) -> None:
        if not isinstance(v.type, TensorType):
            assert v.type is not None
            return
        assert isinstance(value, np.ndarray)
        assert (value.ndim, value.dtype) == (v.type.rank, v.type.dtype)
        for dim, n in zip(v.type.shape, value.shape, strict=True):
            if isinstance(dim, Any):
                # a closure's own names are new in every call
                assert dim.name.startswith("own") or sizes.setdefault(dim.name, n) == n, (v, value.shape)
            else:
                assert dim == n, (v, value.shape)

    result = evaluate(found.module, args, watch=watch)
    for name, size in found.definitions["main"].items():
        if name in sizes and size.names <= sizes.keys():
            assert size.evaluate(sizes) == sizes[name]
    return result


@pytest.mark.slow
@RANDOM
@given(modules())
def test_every_shape_is_what_its_type_says(grown: Grown) -> None:
    np.testing.assert_array_equal(evaluated(infer(grown.module), grown.args), grown.result)


@pytest.mark.slow
@RANDOM
@given(modules(), SIZES)
def test_at_other_sizes_nothing_fails_that_no_check_foresaw(grown: Grown, sizes: dict[str, int]) -> None:
    found = infer(grown.module)
    types = [p.type for p in grown.module.main.params]
    args = tuple(array_of(t, sizes, 0) for t in types if isinstance(t, TensorType))
    conditions = [check.condition for check in found.checks if not check.conditional]
    try:
        evaluated(found, args)
        said = ""
    except ArgumentError as error:
        said = str(error)
    if not said:
        assert all(c.holds(sizes) for c in conditions if c.a.names | c.b.names <= sizes.keys())
    elif " is out of bounds for axis " not in said:  # an index is data
        foreseen = {f"main: {start}{check.operator}" for check in found.checks for start in ("", "expect at ")}
        foreseen |= {"main: argument "} if found.refinements else set()
        assert any(said.startswith(beginning) for beginning in foreseen), said
