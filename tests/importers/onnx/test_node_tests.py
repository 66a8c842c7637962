"""ONNX's own tests of its operators, and of models in files: each does what is written down, neither better nor worse.

`scripts/onnx_node_tests` writes `node_tests.txt` and `model_tests.txt` again. A result that is wrong or a crash never
stands in them.
"""

from __future__ import annotations

from collections import Counter

import pytest

pytest.importorskip("onnx")

from tests.support.onnx_node_tests import MODELS, PASS, ROUNDED, cases, expectations, status

CHUNKS = 64
PLAIN = {1, 6, 7, 9}  # float32, int32, int64, bool


@pytest.mark.slow
def test_the_file_has_every_test_and_nothing_wrong() -> None:
    found = expectations("node")
    assert list(found) == list(cases("node"))
    kinds = Counter(said.partition(":")[0] for said in found.values())
    assert kinds.keys() == {PASS, "refused", ROUNDED}
    assert kinds[ROUNDED] <= 12  # of which bfloat16 has 10
    assert kinds[PASS] >= 1640


@pytest.mark.slow
def test_of_the_plain_dtypes_nearly_all_pass() -> None:
    found = expectations("node")
    plain = [name for name, case in cases("node").items() if _plain(case.model)]
    assert len(plain) >= 1350
    assert sum(found[name] == PASS for name in plain) >= 1290


def _plain(model: object) -> bool:
    """Whether inputs and results are tensors of plain dtypes."""
    ends = [*model.graph.input, *model.graph.output]  # type: ignore[attr-defined]  # a package without types
    return all(e.type.HasField("tensor_type") and e.type.tensor_type.elem_type in PLAIN for e in ends)


@pytest.mark.slow
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_a_chunk_of_them_is_as_expected(chunk: int) -> None:
    require_expected("node", list(expectations("node"))[chunk::CHUNKS])


def test_the_file_of_models_has_every_test() -> None:
    found = expectations("model")
    assert list(found) == list(cases("model"))
    assert len(found) >= 82 + 35
    assert set(found.values()) == {PASS} | {said for said in found.values() if said.startswith("refused: ")}
    assert len(MODELS) == 3


@pytest.mark.slow
@pytest.mark.parametrize("chunk", range(8))
def test_a_chunk_of_models_is_as_expected(chunk: int) -> None:
    require_expected("model", list(expectations("model"))[chunk::8])


def require_expected(kind: str, names: list[str]) -> None:
    expected = expectations(kind)
    changed = {n: said for n in names if (said := status(cases(kind)[n])) != expected[n]}
    assert not changed, "scripts/onnx_node_tests writes the file again where this is meant"
