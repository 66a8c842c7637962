"""Overflow-checked arithmetic of a compiled region: words that are SSA values or numbers, and what is known of each.

Numbers are folded exactly and equal products are equal SSA values. What is known of a word's range decides which steps
and checks cannot fail; the others end the region, as the interpreter's raise (see `program.sizes`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from anytile.core.errors import UnsupportedError
from anytile.schedules.index.expr import Expr
from anytile.schedules.workloads.workload import MAX_DIM
from anytile.vm.native.region_text import RegionText
from anytile.vm.native.symbolic_values import is_number
from anytile.vm.program.isa import MAX_BYTES
from anytile.vm.program.sizes import HIGH, LOW, Arithmetic, fits


class Words(Arithmetic[str]):
    """Whole numbers of 64 bits in a region's text."""

    def __init__(self, text: RegionText) -> None:
        self.text, self.w = text, text.w
        self._ranges: dict[str, tuple[int, int]] = {}
        self._made: dict[str, str] = {}  # what steps gave; sums and products however they were written
        self._counts: dict[tuple[int, tuple[str, ...]], str] = {}  # of tensors, by what is checked of them

    def index(self, e: Expr, names: Mapping[str, str]) -> str:
        """An index expression over names that stand for SSA values or numbers."""
        missing = e.names - names.keys()
        if missing:
            raise UnsupportedError(f"{min(missing)} is not known to compiled code")
        return self.total(e, names)

    def extent(self, e: Expr, symbols: Mapping[str, str], detail: str) -> str:
        """A dimension, from 0 to MAX_DIM: symbols are; derived ones may come out below 0, and are then empty."""
        value = self.extreme("max", self.index(e, symbols), "0")
        self.check_within(value, MAX_DIM, "size", detail)
        return value

    def element_count(self, dims: Sequence[str], itemsize: int, detail: str = "") -> str:
        """How many elements a tensor has, as `sizes` says it, of dimensions from 0 to MAX_DIM."""
        asked = itemsize, tuple(dims)
        if asked not in self._counts:
            self._counts[asked] = self._checked_count(dims, MAX_BYTES // itemsize, detail)
        return self._counts[asked]

    def _checked_count(self, dims: Sequence[str], most: int, detail: str) -> str:
        filled = [self.extreme("max", d, "1") for d in dims]
        if math.prod([self.bounds(d)[1] for d in filled]) > most:
            self.check_within(self._product(filled), most, "elements of a tensor", detail)
        return self._product(dims, most)

    def _product(self, factors: Sequence[str], most: int | None = None) -> str:
        """Numbers last, so that equal products are equal values. Where `most` is known of it no step can fail."""
        total, number = "1", "1"
        for f in filter(is_number, factors):
            number = self.multiplied(number, f)
        for f in sorted(f for f in factors if not is_number(f)):
            total = self.multiplied(total, f, most)
        return self.multiplied(total, number, most)

    # -- steps, each exact or the end of the region --------------------------------------------------------------------

    def bounds(self, word: str) -> tuple[int, int]:
        """The least and the most that a word can be."""
        return (int(word), int(word)) if is_number(word) else self._ranges.get(word, (LOW, HIGH))

    def narrow(self, word: str, low: int, high: int) -> None:
        """From here on it is known what a word can be."""
        if not is_number(word):
            before = self.bounds(word)
            self._ranges[word] = max(before[0], low), min(before[1], high)

    def number(self, n: int) -> str:
        return self._exact(n, str(n))

    def _exact(self, n: int, what: str) -> str:
        if not fits(n):
            self.text.fail("wide", what)
        return str(n)

    def multiplied(self, a: str, b: str, most: int | None = None) -> str:
        """`most` is what is known of products of numbers from 0."""
        if "1" in (a, b):
            return a if b == "1" else b
        if "0" in (a, b):
            return "0"
        if is_number(a) and is_number(b):
            return self._exact(int(a) * int(b), f"{a} * {b}")
        if most is not None:
            return self._step("mul", "*", a, b, 0, most)
        (a_low, a_high), (b_low, b_high) = self.bounds(a), self.bounds(b)
        corners = (a_low * b_low, a_low * b_high, a_high * b_low, a_high * b_high)
        return self._step("mul", "*", a, b, min(corners), max(corners))

    def added(self, a: str, b: str) -> str:
        if "0" in (a, b):
            return a if b == "0" else b
        if is_number(a) and is_number(b):
            return self._exact(int(a) + int(b), f"{a} + {b}")
        (a_low, a_high), (b_low, b_high) = self.bounds(a), self.bounds(b)
        return self._step("add", "+", a, b, a_low + b_low, a_high + b_high)

    def _step(self, how: str, sign: str, a: str, b: str, low: int, high: int) -> str:
        """A sum or a product that is from `low` to `high`."""
        a, b = sorted((a, b), key=lambda x: (is_number(x), x))
        known = f"{how} {a} {b}"
        if known not in self._made:
            w = self.w
            if fits(low) and fits(high):
                self._made[known] = w.value(f"{how} nsw i64 {a}, {b}", "i")
            else:
                both = w.value(f"call {{ i64, i1 }} @llvm.s{how}.with.overflow.i64(i64 {a}, i64 {b})", "m")
                self.text.fail_if(w.value(f"extractvalue {{ i64, i1 }} {both}, 1", "c"), "wide", sign, a, b)
                self._made[known] = w.value(f"extractvalue {{ i64, i1 }} {both}, 0", "i")
        self.narrow(self._made[known], low, high)
        return self._made[known]

    def floor(self, a: str, by: int) -> str:
        if by == 1:
            return a
        if is_number(a):
            return str(int(a) // by)
        known = f"floor {a} {by}"
        if known not in self._made:
            self._made[known] = self._floored(a, by)
        return self._made[known]

    def _floored(self, a: str, by: int) -> str:
        low, high = self.bounds(a)
        if by & (by - 1) == 0:
            found = self.w.value(f"ashr i64 {a}, {by.bit_length() - 1}", "i")
        else:
            found = self.w.value(f"sdiv i64 {a}, {by}", "i")
            if low < 0:  # it rounds towards 0
                below = self.w.value(f"icmp slt i64 {self.w.value(f'srem i64 {a}, {by}', 'i')}, 0", "c")
                found = self.w.value(f"sub nsw i64 {found}, {self.w.value(f'zext i1 {below} to i64', 'i')}", "i")
        self.narrow(found, low // by, high // by)
        return found

    def rest(self, a: str, by: int) -> str:
        if by == 1:
            return "0"
        if is_number(a):
            return str(int(a) % by)
        known = f"rest {a} {by}"
        if known not in self._made:
            self._made[known] = self._left(a, by)
        return self._made[known]

    def _left(self, a: str, by: int) -> str:
        if by & (by - 1) == 0:
            found = self.w.value(f"and i64 {a}, {by - 1}", "i")
        else:
            found = self.w.value(f"srem i64 {a}, {by}", "i")
            if self.bounds(a)[0] < 0:
                below = self.w.value(f"icmp slt i64 {found}, 0", "c")
                more = self.w.value(f"add nsw i64 {found}, {by}", "i")
                found = self.w.value(f"select i1 {below}, i64 {more}, i64 {found}", "i")
        self.narrow(found, 0, by - 1)
        return found

    def extreme(self, kind: str, a: str, b: str) -> str:
        (a_low, a_high), (b_low, b_high) = self.bounds(a), self.bounds(b)
        if a_high <= b_low or b_high <= a_low:
            return a if (a_high <= b_low) == (kind == "min") else b
        a, b = sorted((a, b), key=lambda x: (is_number(x), x))
        known = f"{kind} {a} {b}"
        if known not in self._made:
            self._made[known] = self.w.value(f"call i64 @llvm.s{kind}.i64(i64 {a}, i64 {b})", "i")
        pick = min if kind == "min" else max
        self.narrow(self._made[known], pick(a_low, b_low), pick(a_high, b_high))
        return self._made[known]

    # -- checks --------------------------------------------------------------------------------------------------------

    def check_equal(self, a: str, b: str, what: str, detail: str) -> None:
        if a == b:
            return
        if is_number(a) and is_number(b):
            self.text.fail(what, detail, a, b)
        else:
            self.text.fail_if(self.w.value(f"icmp ne i64 {a}, {b}", "c"), what, detail, a, b)

    def check_within(self, value: str, most: int, what: str, detail: str) -> None:
        """From 0 to `most`; values of which that is known are not looked at."""
        low, high = self.bounds(value)
        if low >= 0 and high <= most:
            return
        if is_number(value):
            self.text.fail(what, detail, value, str(most))
        self.text.fail_if(self.w.value(f"icmp ugt i64 {value}, {most}", "c"), what, detail, value, str(most))
        self.narrow(value, 0, most)

    def check_at_most(self, value: str, most: str, what: str, detail: str) -> None:
        """Of two words from 0."""
        if value == most or self.bounds(value)[1] <= self.bounds(most)[0]:
            return
        if is_number(value) and is_number(most):
            self.text.fail(what, detail, value, most)
        self.text.fail_if(self.w.value(f"icmp ugt i64 {value}, {most}", "c"), what, detail, value, most)
