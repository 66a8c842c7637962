"""Helpers of compiled regions: one module for all programs, called through a table."""

from __future__ import annotations

import ctypes
import re

from anytile.vm.runtime.functions import HELPERS, helpers_table, region_helpers


def test_the_table_has_what_regions_may_call() -> None:
    defined = re.findall(r"^define internal (?!fastcc).*?@(\w+)\(", region_helpers(), re.MULTILINE)
    assert sorted(HELPERS) == sorted(defined)


def test_each_is_at_its_place() -> None:
    addresses = (ctypes.c_int64 * len(HELPERS)).from_address(helpers_table())
    assert len({*addresses}) == len(HELPERS)
    numbers = (ctypes.c_int64 * 2)(3, 4)
    kind = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
    word = kind(addresses[HELPERS.index("word")])
    assert [word(ctypes.addressof(numbers), 2, i) for i in range(3)] == [3, 4, 1]


def test_it_is_made_once() -> None:
    assert helpers_table() == helpers_table()
