"""Placing object files: the rights of pages, what is refused, and that it agrees with LLVM's own loader."""

from __future__ import annotations

import ctypes
import platform
import struct
from pathlib import Path

import pytest

from anytile.codegen.llvm.compile import compile_ir
from anytile.codegen.load import placement
from anytile.codegen.load.elf import RELOCATIONS, sections_of
from anytile.codegen.load.linker import Unlinkable, link
from anytile.codegen.load.loader import Loaded
from anytile.schedules.hardware.target import Target

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="code is placed on x86-64 only")
HOST = Target.host()
IR = """
@state = global i64 5
@zeroed = internal global [1000 x i64] zeroinitializer
@names = internal constant [3 x ptr] [ptr @next, ptr @memcpy, ptr @state]
declare ptr @memcpy(ptr, ptr, i64)
define i64 @next(ptr %unused) noinline {
  %old = load volatile i64, ptr @state
  %new = add i64 %old, 1
  store volatile i64 %new, ptr @state
  ret i64 %new
}
define i32 @f(ptr %data, ptr %dims, ptr %workspace) {
  %out = load ptr, ptr %data
  %choice = load i64, ptr %dims
  %entry = getelementptr ptr, ptr @names, i64 %choice
  %function = load volatile ptr, ptr %entry
  %n = call i64 %function(ptr %out)
  %cell = getelementptr i64, ptr @zeroed, i64 %n
  %zero = load volatile i64, ptr %cell
  %m = add i64 %n, %zero
  store volatile i64 %m, ptr %cell
  %x = call ptr @memcpy(ptr %out, ptr %cell, i64 8)
  %h = sitofp i64 %m to double
  %g = fmul double %h, 0.37
  %at = getelementptr double, ptr %out, i64 1
  store double %g, ptr %at
  ret i32 0
}
"""


def results(loaded: Loaded) -> list[tuple[int, float]]:
    found = []
    for _ in range(3):
        out = (ctypes.c_int64 * 2)()
        assert loaded.call("f", [ctypes.addressof(out)], [0]) == 0
        found.append((out[0], struct.unpack("d", bytes(out)[8:])[0]))
    return found


def test_it_runs_as_llvm_loads_it(monkeypatch: pytest.MonkeyPatch) -> None:
    artifact = compile_ir(IR, HOST, "f", facts_too=False)
    ours = results(Loaded(artifact))
    monkeypatch.setattr(placement.platform, "machine", lambda: "another")
    monkeypatch.setattr(placement, "complaint", lambda code: None)
    assert results(Loaded(artifact)) == ours == [(n, n * 0.37) for n in (6, 7, 8)]


def test_each_loading_has_a_state_of_its_own() -> None:
    artifact = compile_ir(IR, HOST, "f", facts_too=False)
    first, second = Loaded(artifact), Loaded(artifact)
    assert results(first) == results(second)


def test_no_page_is_written_and_run() -> None:
    loaded = Loaded(compile_ir(IR, HOST, "f", facts_too=False))
    rights = {}
    for line in Path("/proc/self/maps").read_text().splitlines():
        low, high = (int(x, 16) for x in line.split()[0].split("-"))
        rights |= {name: line.split()[1][:3] for name in ("f", "state") if low <= loaded.address(name) < high}
    assert rights == {"f": "r-x", "state": "rw-"}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda offset, kind, symbol: (offset, 10, symbol), "a relocation of kind 10"),
        (lambda offset, kind, symbol: (1 << 40, kind, symbol), "a relocation outside its section"),
        (lambda offset, kind, symbol: (offset, kind, 1 << 20), "a relocation without a symbol"),
    ],
)
def test_what_cannot_be_placed_is_refused(change: object, reason: str) -> None:
    code = bytearray(compile_ir(IR, HOST, "f", facts_too=False).code)
    table = next(s for s in sections_of(bytes(code)) if s.kind == RELOCATIONS)
    offset, kind, symbol = struct.unpack_from("<QII", code, table.offset)
    struct.pack_into("<QII", code, table.offset, *change(offset, kind, symbol))  # type: ignore[operator]
    with pytest.raises(Unlinkable, match=reason):
        link(bytes(code))
