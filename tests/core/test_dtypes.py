"""The table of dtypes: what files and other systems call them stays, and numpy agrees about their sizes."""

from __future__ import annotations

import numpy as np
import pytest

from anytile.core import dtypes
from anytile.core.dtypes import BY_NAME, ROWS, Dtype


def test_codes_in_executables_stay() -> None:
    """A code is what files have: a new dtype takes the next one."""
    assert dtypes.IN_EXECUTABLES[:5] == ("float32", "int32", "int64", "bool", "uint8")
    assert sorted(row.code for row in ROWS if row.code is not None) == [*range(len(dtypes.IN_EXECUTABLES))]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: str(row.name))
def test_numpy_holds_what_a_row_says(row: Dtype) -> None:
    held = np.dtype(row.held or row.name)
    assert held.kind == {"float": "f", "int": "i", "uint": "u", "bool": "b"}[row.kind]
    assert row.held or held.itemsize == dtypes.BYTES[row.name] == row.nbytes(1)
    kind, bits = row.dlpack
    assert bits == row.bits
    added = {"bfloat16": 4, "float8_e4m3fn": 10, "float8_e5m2": 12}  # kDLBfloat, kDLFloat8_e4m3fn, kDLFloat8_e5m2
    assert kind == (added[row.name] if row.held else {"f": 2, "i": 0, "u": 1, "b": 6}[held.kind])


def test_dtypes_below_a_byte_share_one() -> None:
    int4 = Dtype("int4", "int", 4, 99)
    assert [int4.nbytes(n) for n in (0, 1, 2, 3)] == [0, 1, 1, 2]


def test_every_list_is_of_rows() -> None:
    assert (*dtypes.NUMBERS, "bool") == dtypes.COMPUTED
    assert {*dtypes.COMPUTED, *dtypes.STORED} == {row.name for row in ROWS if row.role != "hosted"}
    assert {*dtypes.MODEL_NUMBERS, *dtypes.FLOAT8, "bool"} == {*dtypes.MODEL} == {*BY_NAME}
    assert {*dtypes.HALVES, *dtypes.FLOAT8} == {*dtypes.STORED_FLOATS}
    assert dtypes.kin(("float32",)) == dtypes.MODEL_FLOATS
    assert dtypes.kin(("float32",), moved=True) == (*dtypes.MODEL_FLOATS, *dtypes.FLOAT8)
    assert dtypes.kin(("int64",)) == dtypes.MODEL_INTEGERS
    assert dtypes.kin(("bool",)) == ("bool",)
    assert all(BY_NAME[name].llvm and BY_NAME[name].cuda for name in dtypes.COMPUTED)
    assert BY_NAME["bool"].llvm == "i1"
    assert BY_NAME["bool"].llvm_memory == "i8"
