"""Executables of random modules compute what the modules mean, interpreted and with native runs."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from tests.support.cases.compiled_modules import Compiled, check
from tests.support.generators.random_modules import Grown, modules

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]


@pytest.mark.slow
@settings(max_examples=20, deadline=None, suppress_health_check=SLOW)
@given(modules(most=6))
def test_executables_of_random_modules(grown: Grown) -> None:
    check(Compiled(grown.module), *grown.args, tolerance=1e-4, stages=False)
