"""LLVM IR of one compiled region: its body, the exits of what fails, and the function around them.

A region has one exit for all failures, with a status and two numbers; it gives back what the region took, and the
registers are as they were before it. What was checked is not checked again: a region is straight, so what was true
stays true. Where a failure is certain the region ends there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NoReturn

from anytile.codegen.llvm.writer import Writer, checked
from anytile.vm.native.regions import Failure
from anytile.vm.program.shape_programs import Check
from anytile.vm.runtime.cell_words import CELL
from anytile.vm.runtime.functions import HELPERS
from anytile.vm.runtime.machine_words import LEFT, LOG, MACHINE, POOL, RIGHT, SEEN
from anytile.vm.runtime.step_words import FAILED

TABLES = "anytile_tables"  # a slot for the addresses of constants, kernels and cells
CALLED = "anytile_called"  # a slot for the table of helpers
SLOTS = "".join(f"@{name} = global ptr null\n" for name in (TABLES, CALLED))  # beside regions, for all of them


class RegionEnds(Exception):
    """What was just written fails in any case, and the region with it."""


class RegionText:
    """The text of one region while it is written. `at` is the instruction that its failures are of."""

    def __init__(self, name: str, begin: int) -> None:
        self.name, self.at = name, begin
        self.w = Writer()
        self.storages: list[str | None] = []  # sizes of the storages that it took; None once one went back
        self.failures: dict[Failure, int] = {}
        self._exits: list[tuple[str, int, str, str]] = []  # block, status, and the two numbers
        self._checked: set[str] = set()

    def fail(
        self,
        what: str,
        detail: str,
        left: str = "0",
        right: str = "0",
        check: Check | None = None,
        values: Mapping[str, str] | None = None,
    ) -> NoReturn:
        """Leave in any case. Nothing is written behind it, which could be without end."""
        self._leave("", what, detail, left, right, check, values)
        raise RegionEnds

    def fail_if(
        self,
        wrong: str,
        what: str,
        detail: str,
        left: str = "0",
        right: str = "0",
        check: Check | None = None,
        values: Mapping[str, str] | None = None,
    ) -> None:
        """Leave where something is wrong. With a check go the values of the names in its shapes."""
        if wrong in self._checked:
            return
        self._checked.add(wrong)
        self._leave(wrong, what, detail, left, right, check, values)

    def _leave(
        self,
        wrong: str,
        what: str,
        detail: str,
        left: str,
        right: str,
        check: Check | None,
        values: Mapping[str, str] | None,
    ) -> None:
        failure = Failure(self.at, what, detail, check)
        status = FAILED + self.failures.setdefault(failure, len(self.failures))
        number = len(self._exits) + 1
        seen = [(values or {})[name] for name in failure.names]
        to = f"label %{f'seen{number}' if seen else 'fail'}"
        self.w.put(f"br i1 {wrong}, {to}, label %go{number}" if wrong else f"br {to}")
        if seen:
            self.w.label(f"seen{number}")
            for i, value in enumerate(seen):
                self.write("%machine", SEEN + i, value)
            self.w.put("br label %fail")
            self._exits.append((f"seen{number}", status, left, right))
        else:
            self._exits.append((self.w.block, status, left, right))
        if wrong:
            self.w.label(f"go{number}")

    def taken_at(self, place: int) -> str:
        """Where the region notes what it must give back if it fails: address and size of each storage that it took."""
        return self.w.value(f"getelementptr i64, ptr %taken, i64 {place}", "o")

    def storage_address(self, number: int) -> str:
        """Where a storage lies that the region took."""
        return self.w.always(f"load i64, ptr {self.taken_at(2 * number)}", "b")

    def write(self, cell: str, place: int, value: str) -> None:
        """A word of a cell, or of the machine."""
        assert 0 <= place < (MACHINE if cell == "%machine" else CELL), "a region writes within what it was given"
        at = self.w.always(f"getelementptr i64, ptr {cell}, i64 {place}", "o")
        self.w.put(f"store i64 {value}, ptr {at}")

    def cell_before(self, register: int) -> str:
        """The cell that a register held before the region, whose registers are written at its end."""
        at = self.w.value(f"getelementptr ptr, ptr %registers, i64 {register}", "r")
        return self.w.value(f"load ptr, ptr {at}", "h")

    def set_register(self, register: int, cell: str) -> None:
        self.call("set", f"ptr %machine, ptr %registers, i64 {register}, ptr {cell}")

    def call(self, helper: str, arguments: str) -> None:
        """A helper that returns nothing."""
        self.w.put(f"call void {self._helper(helper)}({arguments})")

    def result(self, kind: str, helper: str, arguments: str, hint: str = "v") -> str:
        """What a helper returns, which is of an LLVM type."""
        return self.w.always(f"call {kind} {self._helper(helper)}({arguments})", hint)

    def _helper(self, name: str) -> str:
        """Its address, loaded at each call: then the load becomes part of the call, and holds no register."""
        at = self.w.always(f"getelementptr ptr, ptr %called, i64 {HELPERS.index(name)}", "a")
        return self.w.always(f"load ptr, ptr {at}", name)

    def table(self, index: int) -> str:
        at = self.w.value(f"getelementptr i64, ptr %tables, i64 {index}", "a")
        return self.w.value(f"load i64, ptr {at}", "x")

    def pointer(self, index: int) -> str:
        return self.w.value(f"inttoptr i64 {self.table(index)} to ptr", "f")

    def function_text(self) -> str:
        """The function, with one exit for all failures."""
        count = len(self.storages)
        lines = [
            f"define i32 @{self.name}(ptr %registers, ptr %machine) #0 {{",
            "start:",
            *self.w.entry,
            f"  %taken = alloca [{max(2 * count, 1)} x i64]",
            *(f"  %clear.{n} = getelementptr i64, ptr %taken, i64 {2 * n}" for n in range(count)),
            *(f"  store i64 0, ptr %clear.{n}" for n in range(count)),
            f"  %pool.at = getelementptr i64, ptr %machine, i64 {POOL}",
            "  %pool = load ptr, ptr %pool.at",
            f"  %log.at = getelementptr i64, ptr %machine, i64 {LOG}",
            "  %log = load ptr, ptr %log.at",
            f"  %tables = load ptr, ptr @{TABLES}",
            f"  %called = load ptr, ptr @{CALLED}",
            *self.w.lines,
        ]
        if self._exits:
            status, left, right = (", ".join(f"[ {exit[i]}, %{exit[0]} ]" for exit in self._exits) for i in (1, 2, 3))
            lines += [
                "fail:",
                f"  %fail.status = phi i32 {status}",
                f"  %fail.left = phi i64 {left}",
                f"  %fail.right = phi i64 {right}",
                f"  %give.at = getelementptr ptr, ptr %called, i64 {HELPERS.index('give_back')}",
                "  %give.back = load ptr, ptr %give.at",
                f"  call void %give.back(ptr %pool, ptr %taken, i64 {count})",
                f"  %left.at = getelementptr i64, ptr %machine, i64 {LEFT}",
                "  store i64 %fail.left, ptr %left.at",
                f"  %right.at = getelementptr i64, ptr %machine, i64 {RIGHT}",
                "  store i64 %fail.right, ptr %right.at",
                "  ret i32 %fail.status",
            ]
        return checked("\n".join([*lines, "}", ""]))
