"""The ceilings of importing, compiling and calling, from invented rows."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.measure.harness import Row
from benchmarks.overheads import front_ends


def _row(case: dict[str, Any], system: str, seconds: float) -> Row:
    return Row(case, system, seconds, 0.0, 0.0, 3)


def test_files_are_held_to_seconds_with_code_that_is_there() -> None:
    rows = [_row({"what": what, "layers": 4, "MB": 113}, "ONNX file", 2.1) for what in ("import", "compile")]
    rows.append(_row({"what": "compile, cold code cache", "layers": 4, "MB": 113}, "ONNX file", 60.0))
    assert [(claim.value, claim.ok) for claim in front_ends.claims(rows)] == [(2.1, False), (2.1, True)]


@pytest.mark.parametrize(("seconds", "ok"), [(39e-6, True), (41e-6, False)])
def test_a_call_through_torch_is_held_against_a_sessions(seconds: float, ok: bool) -> None:
    rows = [
        _row({"what": "call", "weights": weights}, system, at)
        for weights in (4, 200)
        for system, at in ((front_ends.COMPILED, seconds), (front_ends.SESSION, 10e-6), (front_ends.TORCH, 1.0))
    ]
    found = front_ends.claims(rows)
    assert [claim.ok for claim in found] == [ok, ok]
    assert found[0].value == pytest.approx((seconds - 10e-6) * 1e6)


def test_an_imported_model_is_held_against_our_own() -> None:
    rows = [
        _row({"what": "run", "layers": 12, "tokens": tokens}, system, at)
        for tokens, slower in ((1, 1.01), (128, 1.03))
        for system, at in ((front_ends.IMPORTED, slower), (front_ends.OWN, 1.0))
    ]
    assert [(claim.value, claim.ok) for claim in front_ends.claims(rows)] == [(1.01, True), (1.03, False)]
