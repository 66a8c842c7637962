"""Loading code into this process: what cannot be loaded is an error, never the end of the process."""

from __future__ import annotations

import ctypes
import struct
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from anytile.codegen.artifact import Artifact
from anytile.codegen.llvm.compile import compile_ir
from anytile.codegen.load.elf import complaint
from anytile.codegen.load.loader import Loaded, time_calls
from anytile.core.errors import CodegenError
from anytile.schedules.hardware.target import Target

HOST = Target.host()
ADD = """
define i32 @add(ptr %data, ptr %dims, ptr %workspace) {
  %at = load ptr, ptr %data
  %old = load float, ptr %at
  %n = load i64, ptr %dims
  %f = sitofp i64 %n to float
  %new = fadd float %old, %f
  store float %new, ptr %at
  ret i32 0
}
define i32 @fail(ptr %data, ptr %dims, ptr %workspace) {
  ret i32 7
}
define i64 @bytes(ptr %dims) {
  %n = load i64, ptr %dims
  %b = mul i64 %n, 4
  ret i64 %b
}
"""
SLEEP = """
declare i32 @usleep(i32)
define i32 @f(ptr %data, ptr %dims, ptr %workspace) {
  %x = call i32 @usleep(i32 2000)
  ret i32 0
}
"""
WAIT = """
declare i32 @usleep(i32)
define i32 @f(ptr %data, ptr %dims, ptr %workspace) {
entry:
  %word = load ptr, ptr %data
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %more ]
  %seen = load volatile i32, ptr %word
  %told = icmp ne i32 %seen, 0
  br i1 %told, label %end, label %more
more:
  %x = call i32 @usleep(i32 1000)
  %next = add i32 %i, 1
  %late = icmp eq i32 %next, 20000
  br i1 %late, label %end, label %loop
end:
  %code = phi i32 [ 0, %loop ], [ 1, %more ]
  ret i32 %code
}
"""


@pytest.fixture(scope="module")
def good() -> Artifact:
    return compile_ir(ADD, HOST, "add", workspace="bytes", facts_too=False)


def test_call_size_and_address(good: Artifact) -> None:
    loaded, x = Loaded(good), np.float32([1.5])
    assert loaded.call("add", [x.ctypes.data], [3]) == 0
    assert x[0] == 4.5
    assert loaded.call("fail", [], []) == 7
    assert loaded.size("bytes", [5]) == loaded.workspace_bytes([5]) == 20
    assert loaded.entry == loaded.address("add") != 0
    assert loaded.artifact is good
    with pytest.raises(CodegenError, match="object code has no symbol 'nothing'"):
        loaded.address("nothing")


def test_no_workspace_function_means_no_workspace(good: Artifact) -> None:
    assert Loaded(Artifact(good.code, "add")).workspace_bytes([5]) == 0


def test_the_same_code_may_be_loaded_often(good: Artifact) -> None:
    many = [Loaded(good) for _ in range(20)]
    assert len({loaded.entry for loaded in many}) == 20
    del many[::2]
    assert all(loaded.size("bytes", [2]) == 8 for loaded in many)


def _with(code: bytes, at: int, *values: int, form: str = "H") -> bytes:
    made = bytearray(code)
    struct.pack_into("<" + form, made, at, *values)
    return bytes(made)


def test_what_is_no_object_of_this_machine_is_refused(good: Artifact) -> None:
    code = good.code
    arm = compile_ir(ADD, Target.parse("llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a72"), "add", facts_too=False).code
    cases = {
        b"": "not a 64-bit ELF file",
        b"x" * 4096: "not a 64-bit ELF file",
        b"\x7fELF" + bytes(100): "not a 64-bit ELF file",
        code[:20]: "not a 64-bit ELF file",
        code[:64]: "cut short",
        code[: len(code) // 2]: "cut short",
        code[:-1]: "cut short",
        _with(code, 16, 3): "not a relocatable object file",  # a shared library
        _with(code, 58, 32): "not a relocatable object file",  # sections of another size
        _with(code, 60, 60000): "cut short",
    }
    for wrong, reason in cases.items():
        assert complaint(wrong) == reason
        with pytest.raises(CodegenError, match=f"object code cannot be loaded: {reason}; build it again"):
            Loaded(Artifact(wrong, "add"))
    if HOST.get("mcpu") and code[18:20] != arm[18:20]:
        with pytest.raises(CodegenError, match="code for ELF machine 183, and this one is"):
            Loaded(Artifact(arm, "add"))


def test_code_that_calls_what_is_not_there_is_refused() -> None:
    ir = "declare void @nobody()\ndefine i32 @f(ptr %d, ptr %s, ptr %w) {\n  call void @nobody()\n  ret i32 0\n}\n"
    with pytest.raises(CodegenError, match="this process has no symbol 'nobody'"):
        Loaded(compile_ir(ir, HOST, "f", facts_too=False))


def test_an_entry_that_is_not_there(good: Artifact) -> None:
    with pytest.raises(CodegenError, match="no symbol 'main'"):
        Loaded(Artifact(good.code, "main"))


def test_time_calls() -> None:
    loaded = Loaded(compile_ir(SLEEP, HOST, "f", facts_too=False))
    assert 0.004 <= time_calls(loaded.entry, [[]], [], 0, 2) < 5
    failing = Loaded(compile_ir(ADD, HOST, "fail", facts_too=False))
    with pytest.raises(CodegenError, match="the kernel being timed returned an error code"):
        time_calls(failing.entry, [[]], [], 0, 1)


def test_calls_take_turns_with_their_operands() -> None:
    loaded = Loaded(compile_ir(ADD, HOST, "add", facts_too=False))
    seen = np.zeros(3, np.float32)
    time_calls(loaded.entry, [[seen[i:].ctypes.data] for i in range(3)], [2], 0, 7)
    assert seen.tolist() == [6, 4, 4]


def test_a_call_lets_other_threads_run() -> None:
    """It waits for what another thread writes, and gives up after twenty seconds."""
    loaded = Loaded(compile_ir(WAIT, HOST, "f", facts_too=False))
    word, codes = np.zeros(1, np.int32), []
    thread = threading.Thread(target=lambda: codes.append(loaded.call("f", [word.ctypes.data], [])))
    thread.start()
    word[0] = 1
    thread.join()
    assert codes == [0]


def test_loading_and_leaving_a_process(tmp_path: Path, good: Artifact) -> None:
    """Engines are torn down with the process without a crash."""
    path = tmp_path / "code"
    path.write_bytes(good.code)
    program = (
        "import sys; from anytile.codegen.load.loader import Loaded; from anytile.codegen.artifact import Artifact;"
        "code = open(sys.argv[1], 'rb').read(); kept = [Loaded(Artifact(code, 'add')) for _ in range(3)];"
        "print(kept[0].size('bytes', [4]))"
    )
    done = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "16\n"), done.stderr


CROWDED = """
import ctypes, sys
from anytile.codegen.artifact import Artifact
from anytile.codegen.load.loader import Loaded

libc, page = ctypes.CDLL(None), 4096
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
artifact = Artifact(open(sys.argv[1], "rb").read(), "sum")
Loaded(artifact)  # whatever loading itself needs is there now


def reserve(nbytes):
    return libc.mmap(None, nbytes, 0, 0x4022, -1, 0)  # private, anonymous, without memory behind it


pages = [reserve(page) for _ in range(400)]
large = reserve(3 << 30)
for count in (256, 16, 8, 4, 2, 1):
    while reserve(count * page) > large:
        pass
for address in pages[::2]:
    libc.munmap(address, page)
y = ctypes.c_float(0.5)
print(Loaded(artifact).call("sum", [ctypes.addressof(y)], []), y.value)
"""


@pytest.mark.slow
def test_code_reaches_its_constants_in_a_crowded_process(tmp_path: Path) -> None:
    """There is room for a page at a time high up, and for more only far below."""
    numbers = [(i % 500) / 1024 for i in range(3000)]
    adds = (f"%v{i + 1} = fadd float %v{i}, 0x{struct.pack('>d', x).hex()}" for i, x in enumerate(numbers))
    head = (
        "define i32 @sum(ptr %data, ptr %dims, ptr %workspace) {\n%at = load ptr, ptr %data\n%v0 = load float, ptr %at"
    )
    text = "\n".join([head, *adds, "store float %v3000, ptr %at", "ret i32 0", "}"])
    path = tmp_path / "code"
    path.write_bytes(compile_ir(text, HOST, "sum").code)
    done = subprocess.run([sys.executable, "-c", CROWDED, str(path)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, f"0 {sum(numbers) + 0.5}\n"), done.stderr


def test_addresses_can_be_called_from_anywhere(good: Artifact) -> None:
    loaded = Loaded(good)
    size = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)(loaded.address("bytes"))
    assert size((ctypes.c_int64 * 1)(11)) == 44
