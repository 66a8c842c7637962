"""Writing one run: arithmetic on words that may be numbers, checks that end the run, cells, and the function around.

Numbers are folded, equal products are equal SSA values, and what was checked is not checked again: a run is straight,
so what was true stays true. All failures leave by one exit, with a status and two numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from anytile.codegen.llvm.writer import Writer
from anytile.core.errors import UnsupportedError
from anytile.schedules.index.expr import Expr, Var, const
from anytile.schedules.workloads.workload import MAX_DIM
from anytile.vm.native.regions import FAILED, Failure
from anytile.vm.native.symbolic_values import is_number
from anytile.vm.program.shape_programs import Check
from anytile.vm.runtime.cell_words import CELL, LEFT, LOG, MACHINE, POOL, RIGHT, SEEN
from anytile.vm.runtime.cells import read, write
from anytile.vm.runtime.pool import TABLES


class RunWriter:
    """The text of one run."""

    def __init__(self, name: str, begin: int) -> None:
        self.name, self.at = name, begin
        self.w = Writer()
        self.takes: list[int] = []  # the registers whose cells the run reads
        self.storages: list[str | None] = []  # sizes of the storages it took; None once one went back
        self.failures: dict[Failure, int] = {}
        self._exits: list[tuple[str, int, str, str]] = []  # block, status, and the two numbers
        self._checked: set[str] = set()

    def index(self, e: Expr, names: dict[str, str]) -> str:
        """An index expression over names that stand for SSA values or numbers."""
        used = {name: names.get(name) for name in e.names}
        for name, value in used.items():
            if value is None:
                raise UnsupportedError(f"{name} is not known to compiled code")
        numbers = {name: const(int(v)) for name, v in used.items() if v is not None and is_number(v)}
        for name, v in used.items():
            if v is not None and name not in numbers:
                self.w.bind(name, v)
        return self.w.index(e.substitute(numbers) if numbers else e)

    def extent(self, e: Expr, symbols: dict[str, str], detail: str) -> str:
        """A dimension, from 0 to MAX_DIM: symbols are; derived ones may come out below 0, and are then empty."""
        value = self.index(e, symbols)
        if is_number(value):
            return str(max(int(value), 0))
        if len(e.terms) == 1 and e.terms[0][1] == 1 and len(e.terms[0][0]) == 1 and isinstance(e.terms[0][0][0], Var):
            return value
        value = self.w.value(f"call i64 @llvm.smax.i64(i64 {value}, i64 0)", "i")
        self.check_within(value, MAX_DIM, "size", detail)
        return value

    def product(self, factors: Sequence[str]) -> str:
        """Of factors from 0 to MAX_DIM; numbers last, so that equal products are equal values."""
        number, bound = 1, 1
        total = ""
        for f in factors:
            if is_number(f):
                number *= int(f)
        for f in sorted(f for f in factors if not is_number(f)):
            bound *= MAX_DIM
            total = f if not total else self.multiplied(total, f, bound)
        if not total or number == 0:
            return str(number)
        return total if number == 1 else self.multiplied(total, str(number), bound * number)

    def multiplied(self, a: str, b: str, bound: int) -> str:
        w = self.w
        if bound < 2**63:
            return w.value(f"mul nsw i64 {a}, {b}", "i")
        both = w.value(f"call {{ i64, i1 }} @llvm.smul.with.overflow.i64(i64 {a}, i64 {b})", "m")
        self.fail_if(w.value(f"extractvalue {{ i64, i1 }} {both}, 1", "c"), "size", "", a, b)
        return w.value(f"extractvalue {{ i64, i1 }} {both}, 0", "i")

    def times(self, value: str, by: int) -> str:
        if is_number(value):
            return str(int(value) * by)
        return value if by == 1 else self.multiplied(value, str(by), 2**63)

    def plus(self, a: str, b: str) -> str:
        if is_number(a) and is_number(b):
            return str(int(a) + int(b))
        return self.w.value(f"add i64 {a}, {b}", "i")

    def check_equal(self, a: str, b: str, what: str, detail: str) -> None:
        if a == b:
            return
        if is_number(a) and is_number(b):
            self.fail_if("true", what, detail, a, b)
        else:
            self.fail_if(self.w.value(f"icmp ne i64 {a}, {b}", "c"), what, detail, a, b)

    def check_within(self, value: str, most: int, what: str, detail: str) -> None:
        """From 0 to `most`; values that were looked at before are not again."""
        key = f"{value} {most}"
        if key in self._checked:
            return
        self._checked.add(key)
        if is_number(value):
            if not 0 <= int(value) <= most:
                self.fail_if("true", what, detail, value, str(most))
        else:
            self.fail_if(self.w.value(f"icmp ugt i64 {value}, {most}", "c"), what, detail, value, str(most))

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
        if wrong != "true":
            self._checked.add(wrong)
        failure = Failure(self.at, what, detail, check)
        status = FAILED + self.failures.setdefault(failure, len(self.failures))
        number = len(self._exits) + 1
        seen = [(values or {})[name] for name in failure.names]
        self.w.put(f"br i1 {wrong}, label %{f'seen{number}' if seen else 'fail'}, label %go{number}")
        if seen:
            self.w.label(f"seen{number}")
            for i, value in enumerate(seen):
                self.write("%machine", SEEN + i, value)
            self.w.put("br label %fail")
            self._exits.append((f"seen{number}", status, left, right))
        else:
            self._exits.append((self.w.block, status, left, right))
        self.w.label(f"go{number}")

    def held_at(self, place: int) -> str:
        """Where the run notes what it must give back if it fails: address and size of each storage that it took."""
        return self.w.value(f"getelementptr i64, ptr %taken, i64 {place}", "o")

    def write(self, cell: str, place: int, value: str) -> None:
        """A word of a cell, or of the machine."""
        assert 0 <= place < (MACHINE if cell == "%machine" else CELL), "a run writes within what it was given"
        at = self.w.always(f"getelementptr i64, ptr {cell}, i64 {place}", "o")
        self.w.put(f"store i64 {value}, ptr {at}")

    def cell_before(self, register: int) -> str:
        """The cell that a register held before the run, whose registers are written at its end."""
        at = self.w.value(f"getelementptr ptr, ptr %registers, i64 {register}", "r")
        return self.w.value(f"load ptr, ptr {at}", "h")

    def set_register(self, register: int, cell: str) -> None:
        self.w.put(f"call void @set(ptr %machine, ptr %registers, i64 {register}, ptr {cell})")

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
            "  " + read("pool", "%machine", POOL, "ptr"),
            "  " + read("log", "%machine", LOG, "ptr"),
            f"  %tables = load ptr, ptr @{TABLES}",
            *self.w.lines,
        ]
        if self._exits:
            status, left, right = (", ".join(f"[ {exit[i]}, %{exit[0]} ]" for exit in self._exits) for i in (1, 2, 3))
            lines += [
                "fail:",
                f"  %fail.status = phi i32 {status}",
                f"  %fail.left = phi i64 {left}",
                f"  %fail.right = phi i64 {right}",
                f"  call void @give_back(ptr %pool, ptr %taken, i64 {count})",
                "  " + write("left", "%machine", LEFT, "%fail.left"),
                "  " + write("right", "%machine", RIGHT, "%fail.right"),
                "  ret i32 %fail.status",
            ]
        return "\n".join([*lines, "}", ""])
