"""Spill of live values at a region's exit: what others read afterwards becomes reference-counted cells.

Each cell is counted once for the register that holds it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from anytile.vm.native.region_registers import Registers
from anytile.vm.native.regions import Owner
from anytile.vm.native.symbolic_values import LiveIn, Numbers, StorageBlock, SymbolicValue, View
from anytile.vm.program.isa import MAX_RANK
from anytile.vm.runtime.cell_words import CELL_KEEPS, CELL_NUMBERS, CELL_WORDS
from anytile.vm.runtime.tensor_words import DIMS


class Spill:
    """The cells that a region makes of its registers, when it ends; `cells` counts them."""

    def __init__(self, registers: Registers) -> None:
        self.registers, self.text, self.w = registers, registers.text, registers.w
        program = registers.program
        self._first_cell = len(program.constants) + 2 * len(program.kernels)  # of constants, in the table
        self.cells = 0

    def write(self) -> tuple[int, ...]:
        """Make cells of what registers are left with, then write the registers: a failure has none to undo."""
        values = {r: self.registers.held[r] for r in sorted(self.registers.run.leaves & self.registers.held.keys())}
        values = {r: v for r, v in values.items() if not (isinstance(v, LiveIn) and v.register == r)}
        places = Counter(
            v.owner.number for v in values.values() if isinstance(v, View | StorageBlock) and v.owner.how == "taken"
        )
        taken = {n: self._new_storage(n, count) for n, count in sorted(places.items())}
        cells = {r: self._cell(value, taken) for r, value in values.items()}
        for r, cell in cells.items():
            self.text.set_register(r, cell)
        return tuple(values)

    def _new_storage(self, number: int, count: int) -> str:
        self.cells += 1
        address, size = self.text.storage_address(number), self.text.storages[number]
        return self.text.result("ptr", "new_storage", f"ptr %machine, i64 {address}, i64 {size}, i64 {count}", "l")

    def _cell(self, value: SymbolicValue, taken: Mapping[int, str]) -> str:
        """A value as a cell, counted once more."""
        match value:
            case LiveIn(register=number) | StorageBlock(owner=Owner("storage", number)):
                return self._again(number)
            case View(constant=int(index)):
                return self.text.pointer(self._first_cell + index)
            case Numbers(elements=elements, count=count, scalar=scalar):
                return self._new_numbers(elements, count, "0" if scalar else "1")
            case StorageBlock(owner=owner):
                return taken[owner.number]
            case View(owner=Owner("stack")):
                return self._moved(value)
            case View():
                return self._new_tensor(value, taken)

    def _again(self, register: int) -> str:
        cell = self.text.cell_before(register)
        self.text.call("retain", f"ptr {cell}")
        return cell

    def _new_numbers(self, elements: Sequence[str], count: str, rank: str) -> str:
        self.cells += 1
        cell = self.text.result("ptr", "new_numbers", f"ptr %machine, i64 {count}, i64 {rank}", "l")
        for i, element in enumerate(elements):
            self.text.write(cell, CELL_NUMBERS + i, element)
        return cell

    def _moved(self, view: View) -> str:
        """Numbers that a kernel read on the stack, which ends with the run, under whatever shape they have now."""
        base = self.w.value(f"inttoptr i64 {view.address} to ptr", "p")
        elements = []
        for i in range(MAX_RANK):
            at = self.w.value(f"getelementptr i64, ptr {base}, i64 {i}", "a")
            elements.append(self.w.always(f"load i64, ptr {at}", "x"))
        cell = self._new_numbers(elements, view.elements, view.rank)
        for i, d in enumerate(view.dims):
            self.text.write(cell, CELL_WORDS + DIMS + i, d)
        return cell

    def _new_tensor(self, view: View, taken: Mapping[int, str]) -> str:
        self.cells += 1
        match view.owner:
            case Owner("taken", number):
                keeper = taken[number]
            case Owner("storage", register):
                keeper = self._again(register)
            case Owner("tensor", register):
                keeper = self.text.result("ptr", "keeper", f"ptr {self.text.cell_before(register)}", "l")
            case _:
                keeper = "null"  # a constant's memory is there for good
        cell = self.text.result("ptr", "new_cell", "ptr %machine", "l")
        at = self.w.always(f"getelementptr ptr, ptr {cell}, i64 {CELL_KEEPS}", "o")
        self.w.put(f"store ptr {keeper}, ptr {at}")
        words = (view.address, view.elements, view.code, view.rank, view.flags, *view.dims)
        for i, word in enumerate(words):
            self.text.write(cell, CELL_WORDS + i, word)
        return cell
