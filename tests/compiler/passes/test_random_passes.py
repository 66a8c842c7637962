"""Every pass on random modules: the verifier accepts what it makes, its text is it, and its meaning is what it was."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from anytile.compiler.evaluate import evaluate
from anytile.compiler.ir.equality import alpha_equal
from anytile.compiler.module import Module
from anytile.compiler.passes.verify import is_explicit, verify
from anytile.compiler.pipeline import passes
from anytile.compiler.text.printer import stored
from tests.support.cases.compiled_modules import same
from tests.support.generators.random_modules import Grown, modules
from tests.support.references.explicit_memory import Run

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]


@pytest.mark.slow
@settings(max_examples=40, deadline=None, suppress_health_check=SLOW)
@given(modules())
def test_every_pass_keeps_the_meaning(grown: Grown) -> None:
    module = grown.module
    for device in (0, 1):
        at = module
        for number, (name, run) in enumerate(passes(device)):
            at = run(at)
            verify(at, anf=number > 0)
            assert alpha_equal(Module.parse(str(at), stored(at)), at), f"on {device} after {name}: {at}"
            got = Run(at).main(*grown.args) if is_explicit(at) else evaluate(at, grown.args)
            try:
                same(got, grown.result, tolerance=1e-4)
            except AssertionError as error:
                pytest.fail(f"on {device} after {name}: {error}\n{module}\n{at}")


@pytest.mark.slow
@settings(max_examples=40, deadline=None, suppress_health_check=SLOW)
@given(modules())
def test_every_pass_is_at_rest_after_it_ran(grown: Grown) -> None:
    """A simplification that is run again finds nothing."""
    at = grown.module
    for name, run in passes():
        at = run(at)
        if name in ("to_anf", "dead_code", "common_subexpressions", "fold_constants"):
            assert str(run(at)) == str(at), name
