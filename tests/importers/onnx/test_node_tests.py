"""ONNX's own tests of its operators: each does what `node_tests.txt` says, neither better nor worse.

`scripts/onnx_node_tests` writes the file again. A result that is wrong or a crash never stands in it.
"""

from __future__ import annotations

from collections import Counter

import pytest

pytest.importorskip("onnx")

from tests.support.onnx_node_tests import PASS, ROUNDED, expectations, node_tests, status

CHUNKS = 64  # the first one stands for all where nobody waits for the rest


def test_the_file_has_every_test_and_nothing_wrong() -> None:
    found = expectations()
    assert list(found) == list(node_tests())
    kinds = Counter(said.partition(":")[0] for said in found.values())
    assert kinds.keys() == {PASS, "refused", ROUNDED}
    assert kinds[ROUNDED] == 2
    assert kinds[PASS] >= 1325


FLOOR = 1100


@pytest.mark.parametrize("chunk", [pytest.param(n, marks=[pytest.mark.slow] if n else []) for n in range(CHUNKS)])
def test_a_chunk_of_them_is_as_expected(chunk: int) -> None:
    expected = expectations()
    names = list(expected)[chunk::CHUNKS]
    changed = {n: said for n in names if (said := status(node_tests()[n])) != expected[n]}
    assert not changed, "scripts/onnx_node_tests writes the file again where this is meant"
