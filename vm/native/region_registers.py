"""Registers of a compiled region: what each holds, as whatever an instruction wants of it.

That is a tensor in memory, a storage, a number or a few numbers. What a register held before the region is read, and
looked at, when something first asks. Of a tensor that only one instruction can have placed there is known what that
says; and numbers are read once, until something is written that may be the same memory.
"""

from __future__ import annotations

import math
from dataclasses import replace

from anytile.core.errors import UnsupportedError
from anytile.vm.interpreter.steps import Program
from anytile.vm.native.region_arithmetic import Words
from anytile.vm.native.region_text import RegionText
from anytile.vm.native.regions import Owner, Run
from anytile.vm.native.symbolic_values import LiveIn, Numbers, StorageBlock, SymbolicValue, View, is_number
from anytile.vm.program import isa
from anytile.vm.program.isa import ITEMSIZE, MAX_BYTES, MAX_RANK
from anytile.vm.program.sizes import HIGH
from anytile.vm.runtime.cell_words import CELL_WORDS
from anytile.vm.runtime.tensor_words import (
    CODE,
    CODES,
    COUNT,
    ELEMENTS,
    FLAGS,
    OFF_HOST,
    READ_ONLY,
    STORAGE_CODE,
    WORDS,
)
from anytile.vm.values.values import Tensor

INT64 = str(CODES["int64"])
_BEFORE = {"storage", "tensor"}  # how a tensor is kept that lies in what registers held before the run


class Registers:
    """What the registers hold so far. `takes` are those whose cells the region reads."""

    def __init__(self, program: Program, run: Run, text: RegionText, words: Words) -> None:
        self.program, self.run, self.text, self.words, self.w = program, run, text, words, text.w
        self.held: dict[int, SymbolicValue] = {}
        self.takes: list[int] = []
        self._knowing: list[View] = []  # of whose elements the run knows

    def value(self, register: int) -> SymbolicValue:
        if register not in self.held:
            load = self.run.fixed.get(register)
            self.held[register] = LiveIn(register) if load is None else self.loaded(load)
        return self.held[register]

    def loaded(self, load: isa.Instruction) -> SymbolicValue:
        """The constant that an instruction loads."""
        if isinstance(load, isa.LoadConst):
            return self._constant(load.constant)
        assert isinstance(load, isa.LoadConsti)
        return Numbers((str(load.value),), "1", scalar=True)

    def _constant(self, index: int) -> View:
        (elements, code, rank, _, *shape), numbers = seen_of(self.program.constants[index])
        dims = (*map(str, shape[:rank]), *("1",) * (MAX_RANK - rank))
        words = self.text.table(index), str(elements), str(code), str(rank), str(READ_ONLY)
        known = None if numbers is None else tuple(map(str, numbers))
        return self.knows(View(*words, dims, Owner("constant", index), constant=index), known)

    def knows(self, view: View, elements: tuple[str, ...] | None) -> View:
        """The view, of which the run knows the elements from here on, or no longer does."""
        view.known = elements
        if elements is not None:
            self._knowing.append(view)
        return view

    def room(self, register: int) -> StorageBlock:
        value = self.value(register)
        if isinstance(value, StorageBlock):
            return value
        if not isinstance(value, LiveIn):
            raise UnsupportedError("a tensor where a storage should be")
        self._expect(value, "eq", STORAGE_CODE, "storage")
        nbytes = self._word(value, ELEMENTS)
        self.words.narrow(nbytes, 0, MAX_BYTES)
        return StorageBlock(self._word(value, 0), nbytes, Owner("storage", value.register))

    def view(self, register: int) -> View:
        """A register as a tensor in memory."""
        value = self.value(register)
        match value:
            case View():
                return value
            case LiveIn(tensor=View() as known):
                return known
            case LiveIn():
                self._expect(value, "sge", 0, "tensor")
                words = [self._word(value, i) for i in range(COUNT)]
                owner = Owner("tensor", value.register)
                address, elements, code, rank, flags, *dims = words
                for size in (elements, *dims):
                    self.words.narrow(size, 0, HIGH)
                value.tensor = self._as_placed(View(address, elements, code, rank, flags, tuple(dims), owner))
                return value.tensor
            case Numbers():
                return self._in_memory(value)
            case StorageBlock():
                raise UnsupportedError("a storage where a tensor should be")

    def _as_placed(self, view: View) -> View:
        """A tensor from before the run, with what the one instruction says that can have placed it there."""
        made = self.run.placed.get(view.owner.number)
        if made is None:
            return view
        offset = self.run.fixed.get(made.offset)
        start = str(offset.value) if isinstance(offset, isa.LoadConsti) else view.start
        view = replace(view, code=str(CODES[made.dtype]), start=start)
        if isinstance(made, isa.AllocTensor):
            dims = (*map(str, made.shape), *("1",) * (MAX_RANK - len(made.shape)))
            return replace(view, elements=str(math.prod(made.shape)), rank=str(len(made.shape)), dims=dims)
        shape = self.run.placed.get(made.shape)
        if not isinstance(shape, isa.AllocTensor):
            return view
        rank = math.prod(shape.shape)
        return replace(view, rank=str(rank), dims=(*view.dims[:rank], *("1",) * (MAX_RANK - rank)))

    def _expect(self, value: LiveIn, how: str, code: int, what: str) -> None:
        found = self._word(value, CODE)
        wrong = "ne" if how == "eq" else "slt"
        self.text.fail_if(self.w.value(f"icmp {wrong} i64 {found}, {code}", "c"), "kind", what)
        flags = self.w.value(f"and i64 {self._word(value, FLAGS)}, {OFF_HOST}", "f")
        self.text.fail_if(self.w.value(f"icmp ne i64 {flags}, 0", "c"), "device", what)

    def _word(self, value: LiveIn, index: int) -> str:
        if value.register not in self.takes:
            self.takes.append(value.register)
        cell = self.text.cell_before(value.register)
        at = self.w.value(f"getelementptr i64, ptr {cell}, i64 {CELL_WORDS + index}", "a")
        return self.w.value(f"load i64, ptr {at}", "x")

    def _in_memory(self, numbers: Numbers) -> View:
        """Numbers that a kernel reads: stored on the stack, for as long as the run."""
        w = self.w
        assert len(numbers.elements) <= MAX_RANK, "a run writes within what it was given"
        block = w.fresh("n")
        w.entry.append(f"  {block} = alloca [{MAX_RANK} x i64]")
        for i, element in enumerate(numbers.elements):
            at = w.always(f"getelementptr i64, ptr {block}, i64 {i}", "a")
            w.put(f"store i64 {element}, ptr {at}")
        address = w.always(f"ptrtoint ptr {block} to i64", "a")
        dims = ("1",) * MAX_RANK if numbers.scalar else (numbers.count, *("1",) * (MAX_RANK - 1))
        rank = "0" if numbers.scalar else "1"
        return View(address, numbers.count, INT64, rank, str(READ_ONLY), dims, Owner("stack", 0))

    def scalar(self, register: int) -> str:
        """An int64 scalar's value."""
        value = self.value(register)
        if isinstance(value, Numbers):
            self.words.check_equal(value.count, "1", "scalar", "")
            return value.elements[0]
        view = self.view(register)
        if view.known is not None and len(view.known) == 1:
            return view.known[0]
        self.words.check_equal(view.code, INT64, "int64", "")
        self.words.check_equal(view.elements, "1", "scalar", "")
        number = self._load(view.address, 0)
        self.knows(view, (number,))
        return number

    def numbers(self, register: int) -> Numbers:
        """An int64 tensor's elements, at most as many as a tensor has dimensions."""
        value = self.value(register)
        if isinstance(value, Numbers):
            return value
        view = self.view(register)
        if view.known is not None:
            return Numbers(view.known, str(len(view.known)))
        self.words.check_equal(view.code, INT64, "int64", "")
        self.words.check_within(view.elements, MAX_RANK, "rank", "")
        if is_number(view.elements):
            known = tuple(self._load(view.address, i) for i in range(int(view.elements)))
            self.knows(view, known)
            return Numbers(known, view.elements)
        base = self.w.value(f"inttoptr i64 {view.address} to ptr", "p")
        words = (f"ptr {base}, i64 {view.elements}, i64 {i}" for i in range(MAX_RANK))
        elements = [self.text.result("i64", "word", word) for word in words]
        return Numbers(tuple(elements), view.elements)

    def _load(self, address: str, index: int) -> str:
        base = self.w.value(f"inttoptr i64 {address} to ptr", "p")
        at = self.w.value(f"getelementptr i64, ptr {base}, i64 {index}", "a")
        return self.w.always(f"load i64, ptr {at}", "x")

    def view_of_live_in(self, value: SymbolicValue) -> View:
        if not isinstance(value, LiveIn):
            raise UnsupportedError("a storage where a tensor should be")
        return self.view(value.register) if value.tensor is None else value.tensor

    def whole(self, register: int) -> str:
        """A scalar of any whole dtype, as i64."""
        value = self.value(register)
        if isinstance(value, Numbers) or (isinstance(value, View) and value.known is not None):
            return self.scalar(register)
        view = self.view(register)
        dtype = isa.DTYPES[int(view.code)]
        bits = 8 * ITEMSIZE[dtype]
        base = self.w.value(f"inttoptr i64 {view.address} to ptr", "p")
        if dtype == "int64":
            return self.w.always(f"load i64, ptr {base}", "x")
        read = self.w.always(f"load i{bits}, ptr {base}", "x")
        if dtype == "bool":  # whatever byte says so: constants and inputs may be anybody's
            return self.w.always(f"zext i1 {self.w.always(f'icmp ne i8 {read}, 0', 'c')} to i64", "x")
        return self.w.always(f"{'sext' if dtype == 'int32' else 'zext'} i{bits} {read} to i64", "x")

    def written(self, target: View) -> None:
        """What the run knew of elements in the same memory holds no longer."""
        lost = [view for view in self._knowing if self._may_be_in(view, target)]
        for view in lost:
            view.known = None
        if lost:
            self._knowing = [view for view in self._knowing if view.known is not None]

    def _may_be_in(self, view: View, target: View) -> bool:
        """Whether a tensor may have a byte in common with one that is written."""
        blocks = self._block_of(view.owner), self._block_of(target.owner)
        if view.owner == target.owner or (None not in blocks and blocks[0] == blocks[1]):
            return view is target or not view.is_apart_from(target)
        if None not in blocks:
            return False
        # two registers from before the run may be the same memory
        return {view.owner.how, target.owner.how} <= _BEFORE

    def _block_of(self, owner: Owner) -> int | None:
        """The storage, by the one register that ever holds it, in which something from before the run lies."""
        made = self.run.placed.get(owner.number) if owner.how == "tensor" else None
        storage = owner.number if owner.how == "storage" else None if made is None else made.storage
        return storage if storage in self.run.storages else None


def seen_of(constant: Tensor) -> tuple[tuple[int, ...], tuple[int, ...] | None]:
    """All that a region's text says of a constant: its words but the address, and the elements of a few int64."""
    _, *words = WORDS.unpack(constant.words)
    elements, code, *_ = words
    few = code == CODES["int64"] and elements <= MAX_RANK
    return tuple(words), tuple(constant.ints()) if few else None
