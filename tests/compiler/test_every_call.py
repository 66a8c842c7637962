"""Every operator in a model of its own: compiled, and run on the machine both ways, it is what the evaluator says."""

from __future__ import annotations

import numpy as np
import pytest

from anytile.compiler.builder import ModuleBuilder
from tests.support.cases.compiled_modules import Compiled, check
from tests.support.cases.operator_calls import EXAMPLES, SIZES, UNKNOWN_OF_NOTHING, array, typed


@pytest.mark.sampled(36)
@pytest.mark.parametrize("case", EXAMPLES)
def test_a_model_of_one_call_means_what_the_evaluator_says(case: str) -> None:
    name, example = EXAMPLES[case]
    types = typed(example.types)
    m = ModuleBuilder()
    with m.function("main", **{f"a{i}": t for i, (_, t) in enumerate(types)}) as (f, *args):
        f.result(f.call(name, *args, **example.attributes))
    made = Compiled(m.build())
    for b, t in SIZES:
        rng = np.random.default_rng(b + t)
        if name not in UNKNOWN_OF_NOTHING or 0 not in (b, t):
            check(made, *(array(word, kind, {"b": b, "t": t}, rng) for word, kind in types))
