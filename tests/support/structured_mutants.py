"""Structure-aware fuzzer of executable files: mutants that load, run by the driver and by the interpreter.

A program of its own, so that a crash is a failed test: `scripts/mutants executables FIRST COUNT [SEED]` runs so many
mutants of each of its programs and prints a tally as JSON. A mutant's fingerprints are right. It is refused, or both
engines end alike: in the same values, or in errors of one line of the same kind at the same place, or are stopped by a
timer. What depends on memory that was never written is told by running the interpreter on memory of other bytes, and is
not compared; nor is what ends at a limit, which counts more in native code. A mutant that takes longer than MOST_S of
processor time, or MOST_BYTES of address space beyond what there was, fails.
"""

from __future__ import annotations

import ctypes
import json
import random
import resource
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from anytile.core.errors import AnytileError, ResourceError
from anytile.schedules.index.expr import const, maximum
from anytile.vm.executable import Executable
from anytile.vm.program import isa
from anytile.vm.program.codec import decode, encode
from anytile.vm.program.executable import (
    Constructor,
    DataPort,
    DataType,
    Port,
    TensorPort,
    TuplePort,
    constant,
)
from anytile.vm.program.isa import DTYPES, Instruction, Operand
from anytile.vm.program.shape_programs import Check, argument, program
from anytile.vm.session import Session
from anytile.vm.storage import file
from anytile.vm.storage.link import linked
from anytile.vm.values.memory import Pool, Storage
from anytile.vm.values.ports import Data
from tests.support.cases.vm_executables import ADD, ADD_INTS, executable, kernel, list_sum, packed_kernel, shape_kernel
from tests.support.executable_mutants import Container, LateError, one_line, without_code

MOST_S, MOST_BYTES = 20.0, 4 << 30
WITHIN_S = 0.3  # of processor time, each run
MEMORY, DEPTH = 1 << 24, 500
WIDTH = 40
NUMBERS = (0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 24, 63, 64, 255, 2**16, 2**31 - 1, 2**31, 2**32, 2**48, 2**62, 2**63 - 1)
Given = Sequence[tuple[Any, ...]]

_WIDE = "\n".join(
    [
        "function main(adt) -> adt, registers 60:",
        *(f"  GetField r{1 + i}, r0, {i}" for i in range(WIDTH)),
        "  LoadConsti r41, 8",
        "  LoadConsti r42, 0",
        "  LoadConst r43, c0",
        "  AllocStorage r44, r41, 8, d0",
        "  AllocTensor r45, r44, r42, [2], float32",
        "  InvokePacked k0, 1, [r1, r43, r45]",
        "  AllocStorage r46, r41, 8, d0",
        "  AllocTensor r47, r46, r42, [2], float32",
        "  InvokePacked k0, 1, [r45, r39, r47]",
        f"  AllocADT r48, 0, [{', '.join(f'r{1 + i}' for i in range(WIDTH - 1))}, r47]",
        "  Ret r48",
    ]
)


def wide() -> tuple[Executable, Given]:
    """A tuple of many inputs, two of which meet a constant."""
    port = TuplePort((TensorPort((2,), "float32"),) * WIDTH)
    made = constant(np.arange(2, dtype=np.float32))
    exe = executable(_WIDE, [kernel(ADD, ("a0_0",))], [("x", port)], port, [made])
    return exe, [(tuple(np.full(2, i, np.float32) for i in range(WIDTH)),)]


def lists() -> tuple[Executable, Given]:
    """Recursion over a data type."""
    cells = Data("Nil")
    for i in range(5):
        cells = Data("Cons", np.full(1, i, np.float32), cells)
    return list_sum(), [(cells,), (Data("Nil"),)]


_SIZES = """
function main(tensor, tensor) -> tensor, registers 24:
  ShapeOf r2, r0
  ShapeOf r3, r1
  LoadConsti r4, 16
  LoadConsti r5, 0
  AllocStorage r6, r4, 8, d0
  AllocTensor r7, r6, r5, [2], int64
  LoadConsti r8, 8
  AllocStorage r9, r8, 8, d0
  AllocTensor r10, r9, r5, [], int64
  InvokePacked k0, 2, [r2, r3, r7, r10]
  AllocStorage r11, r10, 64, d0
  AllocTensorReg r12, r11, r5, r7, int64
  InvokePacked k1, 1, [r0, r0, r12]
  AllocStorage r13, r10, 64, d0
  AllocTensorReg r14, r13, r5, r7, int64
  AllocStorage r15, r8, 8, d0
  AllocTensor r16, r15, r5, [1], int64
  InvokePacked k2, 2, [r12, r14, r16]
  ReshapeTensor r17, r14, r16
  If r10, r8, one, many
one:
  Ret r12
many:
  Ret r17
"""


def sizes() -> tuple[Executable, Given]:
    """Shape programs, with checks, before kernels and a function of the host."""
    n, m = argument(0, 0), argument(1, 0)
    said = Check(n, "broadcast", m, "here", ((n,), (m,))), Check(const(1), "<=", m, "there")
    made = shape_kernel(program((1, 1), [(n, (m + 1) // 2 * 0 + 1), (maximum(n, 1) * 8,)], said))
    kernels = [made, kernel(ADD_INTS, ("a0_0",)), packed_kernel("unique")]
    port = TensorPort((None,), "int64")
    exe = executable(_SIZES, kernels, [("x", port), ("y", port)], port)
    numbers = np.array([5, 3, 5, 9, 3], np.int64)
    return exe, [(numbers, numbers), (numbers[:1], numbers), (numbers[:0], numbers[:1]), (numbers, numbers[:2])]


_CALLS = """
function main(tensor, any) -> any, registers 14:
  LoadConsti r2, 3
  If r0, r2, even, odd
even:
  AllocClosure r3, @grown, [r1]
  InvokeClosure r4, r3, [r0]
  Goto out
odd:
  Invoke r4, @grown, [r1, r2]
  GetTag r5, r4
  LoadConsti r6, 1
  If r5, r6, out, again
again:
  Move r4, r1
out:
  AllocADT r7, 1, [r0, r4]
  FreeTensor r0
  Ret r7

function grown(any, tensor) -> any, registers 12:
  LoadConsti r2, 8
  LoadConsti r3, 0
  If r1, r3, done, more
more:
  AllocStorage r4, r2, 8, d0
  AllocTensor r5, r4, r3, [1], int64
  LoadConst r6, c0
  InvokePacked k0, 1, [r1, r6, r5]
  AllocADT r7, 1, [r5, r0]
  Invoke r8, @grown, [r7, r5]
  Ret r8
done:
  Ret r0
"""


def calls() -> tuple[Executable, Given]:
    """Closures, tail calls, branches and values that share parts."""
    number = TensorPort((None,), "int64")
    data = DataType("List", (Constructor("Nil", ()), Constructor("Cons", (number, DataPort("List")))))
    less = constant(np.array([-1], np.int64))
    inputs: list[tuple[str, Port]] = [("n", number), ("l", DataPort("List"))]
    exe = executable(_CALLS, [kernel(ADD_INTS, ("a0_0",))], inputs, DataPort("List"), [less], [data])
    return exe, [(np.array([n], np.int64), Data("Cons", np.array([n], np.int64), Data("Nil"))) for n in (3, 5)]


PROGRAMS: dict[str, Callable[[], tuple[Executable, Given]]] = {
    "wide": wide,
    "lists": lists,
    "sizes": sizes,
    "calls": calls,
}


def mutant(rng: random.Random, whole: Container) -> memoryview:
    """A file with one to three changes of what it says, and fingerprints that fit."""
    header, sections = json.loads(json.dumps(whole.header)), dict(whole.sections)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        rng.choice((_code, _code, _code, _code, _sizes, _port, _constant, _kernel))(rng, header, sections)
    return whole.written(header, sections)


def _code(rng: random.Random, header: Any, sections: dict[str, bytes]) -> None:
    """Other operands of an instruction, or one more, fewer or elsewhere."""
    codes, at = [], 0
    for function in header["functions"]:
        codes.append(list(decode(sections["code"][at : at + function[4]])))
        at += function[4]
    number = rng.randrange(len(codes))
    code, place = codes[number], rng.randrange(len(codes[number]))
    match rng.randrange(8):
        case 0:
            del code[place]
        case 1:
            code.insert(place, rng.choice(rng.choice(codes)))
        case 2:
            other = rng.randrange(len(code))
            code[place], code[other] = code[other], code[place]
        case _:
            code[place] = _instruction(rng, code[place], header["functions"][number][3])
    header["functions"][number][3] = rng.choice([header["functions"][number][3]] * 9 + [rng.choice(NUMBERS)])
    texts = [encode(c) for c in codes]
    for function, text in zip(header["functions"], texts, strict=True):
        function[4] = len(text)
    sections["code"] = b"".join(texts)


def _instruction(rng: random.Random, i: Instruction, registers: int) -> Instruction:
    operands = list(isa.operands(i))
    if not operands:
        return i
    name, kind, value = rng.choice(operands)
    register = rng.randrange(max(min(registers, 1 << 16), 1))
    match kind:
        case Operand.DST | Operand.REG:
            value = register
        case Operand.REGS | Operand.SHAPE:
            value = list(value)
            one = register if kind is Operand.REGS else rng.choice(NUMBERS)
            if value and rng.random() < 0.7:
                value[rng.randrange(len(value))] = one
            elif value and rng.random() < 0.5:
                value.pop()
            else:
                value.append(one)
            value = tuple(value)
        case Operand.INT | Operand.JUMP:
            value = rng.choice((*NUMBERS, *(-n for n in NUMBERS), -(2**63), value + 1, value - 1))
            value = max(-(2**63), min(value, 2**63 - 1))
            value = rng.randrange(-5, 6) if kind is Operand.JUMP and rng.random() < 0.8 else value
        case Operand.DTYPE:
            value = rng.choice(DTYPES)
        case Operand.TEXT:
            value += "x"
        case _:
            value = rng.choice((0, 1, 2, value + 1, rng.choice(NUMBERS)))
    return replace(i, **{name: value})


def _sizes(rng: random.Random, header: Any, sections: dict[str, bytes]) -> None:
    """Other numbers, signs and names in what kernels compute sizes by."""
    entries = [k for k in header["kernels"] if k[1] == "shape" or k[4]]
    if not entries:
        return
    entry = rng.choice(entries)
    if entry[1] == "shape":
        entry[2] = _edited(rng, entry[2])
    else:
        entry[4][0] = _edited(rng, entry[4][0])


def _edited(rng: random.Random, text: str) -> str:
    pieces: tuple[str, ...] = (
        "a0_0",
        "a1_0",
        "a0_1",
        "0",
        "1",
        "7",
        "+",
        "-",
        "*",
        "//",
        "%",
        "min(a0_0, 3)",
        "==",
        "broadcast",
        "<=",
    )
    pieces += (*map(str, NUMBERS), "*" + "*".join(["(a0_0+a1_0+1)"] * 12))
    place = rng.randrange(len(text) + 1)
    return text[:place] + rng.choice(pieces) + text[place + rng.choice((0, 1, 1, 2, 4)) :]


def _port(rng: random.Random, header: Any, sections: dict[str, bytes]) -> None:
    """Another type of an input, the result or a field."""
    places: list[tuple[Any, Any]] = [(header, "output"), *((i, 1) for i in header["inputs"])]
    places += [(c[1], f) for d in header["data"] for c in d[1] for f in range(len(c[1]))]
    holder, key = rng.choice(places)
    port = holder[key]
    names = [d[0] for d in header["data"]] or ["None"]
    shape = [rng.choice((None, "n", "m", 0, 1, 2, *NUMBERS)) for _ in range(rng.randrange(4))]
    made: tuple[Any, ...] = ([rng.choice(DTYPES), shape], rng.choice(names), {"tuple": [port, port]}, {"tuple": []})
    if isinstance(port, dict) and port["tuple"] and rng.random() < 0.7:
        fields = [*port["tuple"]]
        fields[rng.randrange(len(fields))] = rng.choice(made)
        made = ({"tuple": fields}, {"tuple": fields[1:]}, {"tuple": fields + fields})
    holder[key] = rng.choice(made)


def _constant(rng: random.Random, header: Any, sections: dict[str, bytes]) -> None:
    """Other bytes, or another shape or dtype of as many."""
    if not header["constants"]:
        return
    said = rng.choice(header["constants"])
    name = f"constant/{said[6]}"
    data = bytearray(sections[name])
    match rng.randrange(3):
        case 0 if data:
            data[rng.randrange(len(data))] = rng.choice((0, 1, 2, 127, 128, 255))
            sections[name] = bytes(data)
        case 1:
            said[1] = rng.choice(DTYPES)
            said[2] = [len(data) // isa.ITEMSIZE[said[1]]]
        case _:
            said[2] = [*said[2], rng.choice((0, 1, 1, 2))] if rng.random() < 0.7 else said[2][1:]


def _kernel(rng: random.Random, header: Any, sections: dict[str, bytes]) -> None:
    """Kernels in another order, or of another kind."""
    kernels = header["kernels"]
    one, other = rng.randrange(len(kernels)), rng.randrange(len(kernels))
    if rng.random() < 0.7:
        kernels[one], kernels[other] = kernels[other], kernels[one]
    else:
        kernels[one][1] = rng.choice(("kernel", "shape", "packed"))


class FilledPool(Pool):
    """A pool whose blocks are full of one byte when somebody takes them."""

    byte = 0

    def allocate(self, nbytes: int) -> Storage:
        found = super().allocate(nbytes)
        ctypes.memset(found.address, self.byte, nbytes)
        return found


def ended(session: Session, given: tuple[Any, ...], byte: int | None = None) -> Any:
    """How a run ends: its values, or the kind and the place of its error, or None where it came too late."""
    if byte is not None:
        pool = FilledPool(MEMORY)
        pool.byte = byte
        session._idle[:] = [session._engine.machine(pool, {})]
    try:
        signal.setitimer(signal.ITIMER_PROF, WITHIN_S)
        return _flat(session(*given))
    except AnytileError as error:
        one_line(error)
        return ("limit",) if isinstance(error, ResourceError) else (type(error).__name__, str(error).partition(":")[0])
    except LateError:
        return None
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _flat(value: Any) -> Any:
    """A value that can be compared: arrays in the order in which they are first met."""
    done: list[Any] = []
    waiting, seen = [value], set[int]()
    while waiting and len(done) < 10_000:
        item = waiting.pop()
        if isinstance(item, np.ndarray):
            done.append((item.dtype.name, item.shape, item.tobytes()))
            continue
        fields = item.fields if isinstance(item, Data) else item
        done.append((item.constructor if isinstance(item, Data) else "", len(fields)))
        if id(item) not in seen:
            waiting += fields
        seen.add(id(item))
    return done


def compare(made: memoryview, given: Given, tally: Counter[str]) -> None:
    """Load a mutant and run it by both engines."""
    with tempfile.NamedTemporaryFile() as opened:
        opened.write(made)
        opened.flush()
        try:
            exe = linked(without_code(file.read(opened.name)[0]))
            driver = Session(exe, memory_limit=MEMORY, max_depth=DEPTH)
            reference = Session(exe, memory_limit=MEMORY, max_depth=DEPTH, compiled=False)
        except AnytileError as error:
            one_line(error)
            tally["refused"] += 1
            return
    for one in given:
        expected = ended(reference, one, 0)
        found = ended(driver, one)
        if None in (expected, found) or ("limit",) in (expected, found):
            tally["stopped"] += 1
        elif found == expected:
            tally["failed alike" if isinstance(found, tuple) else "ran alike"] += 1
        else:
            filled = [ended(reference, one, byte) for byte in (1, 0x55, 255)]
            assert any(f != expected for f in filled), f"{found!r:.300} of native code, {expected!r:.300} interpreted"
            tally["never written"] += 1


def main(first: str, count: str, seed: str = "0") -> None:
    def late(*_: object) -> None:
        raise LateError

    signal.signal(signal.SIGPROF, late)
    bases = {name: make() for name, make in PROGRAMS.items()}
    wholes: dict[str, Container] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, (exe, given) in bases.items():
            file.save(exe, Path(folder) / name)
            wholes[name] = Container((Path(folder) / name).read_bytes())
            tally: Counter[str] = Counter()
            compare(wholes[name].written(wholes[name].header, wholes[name].sections), given, tally)
            assert tally["ran alike"], (name, tally)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MOST_BYTES, resource.getrlimit(resource.RLIMIT_AS)[1]))
    tallies = {name: Counter(mutants=int(count)) for name in PROGRAMS}
    for number in range(int(first), int(first) + int(count)):
        for name, (_, given) in bases.items():
            print(f"{name} {number}", file=sys.stderr, flush=True)  # the last one, if it ends the process
            begin = time.process_time()
            compare(mutant(random.Random(f"{seed} {name} {number}"), wholes[name]), given, tallies[name])
            took = time.process_time() - begin
            assert took < MOST_S, f"{name} {number} took {took:.1f} s"
            tallies[name]["slow"] += took > MOST_S / 10
    print(json.dumps(tallies))


if __name__ == "__main__":
    main(*sys.argv[1:])
