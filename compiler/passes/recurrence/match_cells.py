"""Cells of recurrent networks: a product that is cut into gates, and what elementwise steps make of these, one kernel.

    y = dense(h, w) + pre;  i, o, f, c = slices of y        (2 * units of a GRU, 4 of an LSTM)
    c2 = sigmoid(f) * c1 + sigmoid(i) * tanh(c);  h2 = sigmoid(o) * tanh(c2)

is `gated_dense`, which has the sums of a unit's gates in registers when it makes the unit. Frameworks write a layer's
weight as one matrix and cut what it makes, each cut a copy and each step a kernel. A product of the same rows that has
as many columns as a gate, as that of a GRU's new state, is one more gate. What is added to gates is read in place, by
part. Steps join as long as nothing else reads what they make, so that the kernel stands where the last of them stood.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeGuard

import numpy as np

from anytile.compiler.ir.nodes import (
    Array,
    AttrValue,
    Call,
    Constant,
    Expr,
    Module,
    OperatorRef,
    TupleGet,
    Var,
    is_operator_call,
    operator_of,
    tensor_of,
    type_of,
)
from anytile.compiler.ir.traverse import (
    Binding,
    bindings_of,
    each_block,
    make_block,
    map_blocks,
    result_of,
    variables_read,
)
from anytile.compiler.ir.types import TensorType, TupleType
from anytile.compiler.kernels.kernel_of import kernel_of, literal
from anytile.compiler.kernels.primitive_functions import joined_where, primitive
from anytile.compiler.operators import operator
from anytile.compiler.operators.movement import Part, part_of
from anytile.core.errors import SpecError
from anytile.schedules.nest.elementwise_text import LONGEST, operands
from anytile.schedules.operators.products.gated_dense import outputs

_MOST_GATES = 8  # whose sums every CPU has registers for
_LANES, _MOST_PADDING = 16, 1.25  # of units that are not whole vectors, by gates apart


def match_cells(module: Module) -> Module:
    made = _Constants()

    def celled(block: Expr) -> Expr:
        steps = [(var, map_blocks(value, celled)) for var, value in bindings_of(block)]
        return _Block(steps, result_of(block), made).celled()

    return each_block(module, celled)


class _Constants:
    """What a module's constants become, each once: large ones are one by their identity alone."""

    def __init__(self) -> None:
        self.made: dict[tuple[int, ...], tuple[Constant, Sequence[Constant]]] = {}  # and what it is made of

    def stacked(self, weights: Sequence[Constant], units: int) -> Constant:
        """Weights of gates one behind the other."""
        key = tuple(map(id, weights))
        if key not in self.made:
            whole = np.concatenate([w.array.reshape(-1, units, w.array.shape[-1]) for w in weights])
            self.made[key] = Constant(whole, "_".join(w.name for w in weights if w.name)), weights
        return self.made[key][0]

    def part(self, whole: Constant, number: int, array: Array) -> Constant:
        key = id(whole), -1, number
        if key not in self.made:
            self.made[key] = Constant(np.ascontiguousarray(array), whole.name), (whole,)
        return self.made[key][0]


@dataclass(frozen=True, slots=True)
class _Product:
    """A product of rows with a constant weight, made of gates: `parts` are the variables that they are, each with which
    one it is, `added` what is added before they are cut, and `inner` all steps that are gone then."""

    call: Call
    gates: int
    parts: Mapping[Var, int]
    added: tuple[Expr, ...]
    inner: frozenset[Var]

    @property
    def x(self) -> Expr:
        return self.call.args[0]

    @property
    def weight(self) -> Constant:
        weight = self.call.args[1]
        assert isinstance(weight, Constant)
        return weight


@dataclass
class _Cell:
    """Steps on gates, in their order, and the products that the gates are of."""

    products: Sequence[_Product]
    steps: list[tuple[Var, Call]] = field(default_factory=list)

    @property
    def unit(self) -> TensorType:
        return tensor_of(next(iter(self.products[0].parts)))

    @property
    def units(self) -> int:
        units = self.unit.shape[-1]
        assert isinstance(units, int)
        return units

    @property
    def gates(self) -> int:
        return sum(p.gates for p in self.products)

    @property
    def parts(self) -> dict[Var, tuple[_Product, int]]:
        """Every gate with its product, and which of all gates it is."""
        found, first = dict[Var, tuple[_Product, int]](), 0
        for product in self.products:
            found |= {var: (product, first + at) for var, at in product.parts.items()}
            first += product.gates
        return found

    @property
    def made(self) -> tuple[Var, ...]:
        """Everything of which others may read one: the gates and what steps make."""
        return *self.parts, *(var for var, _ in self.steps)

    @property
    def work(self) -> object:
        """Equal for cells that do the same with the same weights, which are one kernel whatever is read of each."""
        steps = tuple((operator_of(step), step.attrs) for _, step in self.steps)
        return tuple(id(p.weight) for p in self.products), tuple(gate for _, gate in self.parts.values()), steps

    @property
    def met(self) -> set[Var]:
        """The gates that meet others in what is made of them."""
        made_of: dict[Expr, set[Var]] = {gate: {gate} for gate in self.parts}
        for var, step in self.steps:
            made_of[var] = set().union(*(made_of.get(a, ()) for a in step.args))
        return set().union(*(gates for gates in made_of.values() if len(gates) > 1))

    @property
    def inner(self) -> set[Var]:
        return {v for p in self.products for v in p.inner} | {v for v, _ in self.steps}


class _Block:
    """One block while its cells are made: `readers` are its steps that read a variable, blocks inside them included."""

    def __init__(self, steps: Sequence[Binding], result: Expr, constants: _Constants) -> None:
        self.steps, self.result, self.constants = steps, result, constants
        self.values = dict(self.steps)
        self.readers: dict[Var, list[Var]] = defaultdict(list)
        self.read_by = {var: set(variables_read(value)) for var, value in self.steps}
        for var, read in self.read_by.items():
            for each in read:
                self.readers[each].append(var)

    def celled(self) -> Expr:
        cells = list(self._cells())
        read: dict[object, set[int]] = defaultdict(set)
        for cell in cells:
            read[cell.work] |= {i for i, var in enumerate(cell.made) if self._is_read_outside(var, cell)}
        gone: set[Var] = set()
        ends: dict[Var, list[Binding]] = {}
        for cell in cells:
            results = [var for i, var in enumerate(cell.made) if i in read[cell.work]]
            if results and not cell.inner & gone and (written := self._written(cell, results)) is not None:
                gone |= cell.inner
                ends[cell.steps[-1][0]] = written
        kept: list[Binding] = []
        for var, value in self.steps:
            if var not in gone:
                kept.append((var, value))
            kept += ends.get(var, ())
        return make_block(kept, self.result)

    # -- finding ---------------------------------------------------------------------------------------------------

    def _cells(self) -> Iterator[_Cell]:
        """Cells of the products of the same rows that are gates, or are cut into such, of one size."""
        groups: dict[tuple[Expr, TensorType], list[_Product]] = defaultdict(list)
        taken: set[Var] = set()
        for var, step in self.steps:
            if _multiplies(step, var):
                product = self._in_parts(var, step)
                if product is None or product.inner & taken:  # as of a product that is added to one before it is cut
                    product = _Product(step, 1, {var: 0}, (), frozenset((var,)))
                taken |= product.inner
                groups[product.x, _Cell((product,)).unit].append(product)
        for group in groups.values():
            cell = self._grown(group)
            met = cell.met
            used = [p for p in group if met & p.parts.keys()]
            if not used:
                continue
            if len(used) < len(group):
                cell = self._grown(used)
            if cell.gates <= _MOST_GATES and _fills_vectors(cell.units, cell.gates):
                yield cell

    def _in_parts(self, var: Var, call: Call) -> _Product | None:
        """The product with what is added to it, if all that reads that are cuts into parts of one size."""
        kind, last, added, inner = tensor_of(var), var, list[Expr](), [var]
        while len(self.readers[last]) == 1 and last is not self.result:
            (reader,) = self.readers[last]
            step = self.values[reader]
            if not is_operator_call(step, "add") or reader.type != kind:
                break
            other = step.args[1] if step.args[0] is last else step.args[0]
            if other is last or not (_is_row(other, kind) if isinstance(other, Constant) else type_of(other) == kind):
                break
            added.append(other)
            inner.append(last := reader)
        cuts = {reader: last_part(self.values[reader]) for reader in self.readers[last]}
        counts = {part.count if part is not None else 1 for part in cuts.values()}
        if len(counts) != 1 or 1 in counts or last is self.result:
            return None
        parts = {reader: part.number for reader, part in cuts.items() if part is not None}
        return _Product(call, counts.pop(), parts, tuple(added), frozenset((*inner, *parts)))

    def _grown(self, products: Sequence[_Product]) -> _Cell:
        """The cell of some products with all the steps that can be its own."""
        cell = _Cell(products)
        inner, own = cell.inner, set(cell.parts)
        first = next(i for i, (var, _) in enumerate(self.steps) if var in inner)
        for var, step in self.steps[first:]:
            if var in inner or not (own | inner) & self.read_by[var]:
                continue
            if not self._joins(step, var, own, cell.unit):
                break
            cell.steps.append((var, step))
            own.add(var)
        return cell

    def _joins(self, step: Expr, var: Var, own: set[Var], kind: TensorType) -> TypeGuard[Call]:
        """Whether a step makes one element of a unit of elements of the same."""
        if not is_operator_call(step) or var.type != kind:
            return False
        row = operator(operator_of(step))
        if row.element is None or row.mode != "independent":
            return False
        return all(a in own or self._is_read(a, kind) for a in step.args)

    def _is_read(self, atom: Expr, kind: TensorType) -> bool:
        """Whether a cell can read something that is not its own."""
        if isinstance(atom, Constant):
            return literal(atom) is not None or _is_row(atom, kind)
        return type_of(atom) == kind

    # -- writing ---------------------------------------------------------------------------------------------------

    def _is_read_outside(self, var: Var, cell: _Cell) -> bool:
        return var is self.result or any(reader not in cell.inner for reader in self.readers[var])

    def _written(self, cell: _Cell, results: Sequence[Var]) -> list[Binding] | None:
        """The steps in place of a cell's, or None where there is no kernel."""
        made = _Written(cell, self.values, self.constants)
        try:
            text = made.text(results)
            attrs: dict[str, AttrValue] = {"cell": text, "gates": cell.gates}
            order = dict.fromkeys(name for value in outputs(attrs).values() for name in operands(value, text))
        except SpecError:  # longer than an expression may be
            return None
        if made.count:
            attrs["parts"] = made.count
        weight = self.constants.stacked([p.weight for p in cell.products], cell.units)
        args = (cell.products[0].x, weight, *(made.operands[name] for name in order if name in made.operands))
        where = joined_where([*(p.call for p in cell.products), *(step for _, step in cell.steps)])
        whole = Var("cell", TupleType((cell.unit,) * len(results)))
        call = Call(OperatorRef("gated_dense"), args, tuple(attrs.items()), where)
        if kernel_of(primitive([(whole, call)])[0]) is None:
            return None
        return [*made.views, (whole, call), *((v, TupleGet(whole, i)) for i, v in enumerate(results))]


class _Written:
    """A cell as expressions: `operands` are what they read by its name there, `views` are tensors seen as parts, all as
    `count` of them."""

    def __init__(self, cell: _Cell, values: Mapping[Var, Expr], constants: _Constants) -> None:
        self.cell, self.values, self.constants = cell, values, constants
        self.operands: dict[str, Expr] = {}
        self.views: list[Binding] = []
        self.count = 0
        self._names: dict[object, str] = {}

    def text(self, results: Collection[Var]) -> str:
        """The assignment of each result."""
        texts: dict[Expr, str] = {}
        assigned: list[str] = []

        def put(var: Var, text: str) -> None:
            if len(text) > LONGEST:
                raise SpecError(f"a cell's {var.name} takes {len(text)} characters; expected at most {LONGEST}")
            texts[var] = f"({text})"
            if var in results:
                texts[var] = f"o{len(assigned)}"
                assigned.append(f"{texts[var]} = {text}")

        for var, (product, gate) in self.cell.parts.items():
            own = product.parts[var]
            put(var, " + ".join([f"z{gate}", *(self._part(a, own, product.gates) for a in product.added)]))
        for var, step in self.cell.steps:
            row = operator(operator_of(step))
            assert row.element is not None
            args = [texts[a] if a in texts else self._read(a) for a in step.args]
            put(var, row.element(args, row.complete(step.attrs)))
        return "; ".join(assigned)

    def _read(self, atom: Expr) -> str:
        """How what a step takes from outside is read: by part where it is one, so that nobody cuts it off."""
        if isinstance(atom, Constant):
            return literal(atom) or self._row(atom, 0, 1)
        step = self.values.get(atom) if isinstance(atom, Var) else None
        part = None if step is None else last_part(step)
        if part is not None and isinstance(step, Call):
            text = self._by_part(step.args[0], part.number, part.count)
            if text:
                return text
        return self._named(atom, lambda: atom) + "[m, u]"

    def _part(self, added: Expr, number: int, count: int) -> str:
        """How the part of something as wide as several gates is read."""
        if isinstance(added, Constant):
            return self._row(added, number, count)
        text = self._by_part(added, number, count)
        if text:
            return text
        ends = {"axes": (-1,), "start": (number * self.cell.units,), "stop": ((number + 1) * self.cell.units,)}
        cut = Call(OperatorRef("slice"), (added,), tuple(ends.items()))
        own = Var("part", self.cell.unit)
        self.views.append((own, cut))
        return self._named(own, lambda: own) + "[m, u]"

    def _row(self, row: Constant, number: int, count: int) -> str:
        array = row.array.reshape(count, -1)[number]
        return self._named((id(row), number), lambda: self.constants.part(row, number, array)) + "[u]"

    def _by_part(self, wide: Expr, number: int, count: int) -> str:
        """A tensor read by part, all of which have as many."""
        kind, unit = tensor_of(wide), self.cell.unit
        if kind.shape[:-1] != unit.shape[:-1] or self.count not in (0, count):
            return ""
        self.count = count

        def view() -> Var:
            seen = Var("parts", TensorType((*unit.shape[:-1], count, unit.shape[-1]), kind.dtype))
            self.views.append((seen, Call(OperatorRef("reshape"), (wide,), (("shape", (0, count, self.cell.units)),))))
            return seen

        return self._named((wide, count), view) + f"[m, {number}, u]"

    def _named(self, key: object, make: Callable[[], Expr]) -> str:
        if key not in self._names:
            name = self._names[key] = f"b{len(self._names)}"
            self.operands[name] = make()
        return self._names[key]


def _multiplies(step: Expr, var: Var) -> TypeGuard[Call]:
    """Whether a step is a product of rows with a constant weight in float32."""
    if not is_operator_call(step, "dense") or step.attrs or not isinstance(step.args[1], Constant):
        return False
    kinds = [tensor_of(e) for e in (var, *step.args)]
    return all(kind.dtype == "float32" and kind.rank == 2 for kind in kinds) and isinstance(kinds[0].shape[-1], int)


def last_part(step: Expr) -> Part | None:
    """The part of a tensor's last dimension that a step cuts off."""
    if not is_operator_call(step, "slice"):
        return None
    x = tensor_of(step.args[0])
    part = part_of(x, operator("slice").complete(step.attrs))
    return part if part is not None and part.axis == x.rank - 1 else None


def _is_row(constant: Constant, kind: TensorType) -> bool:
    """Whether a constant is one row of a tensor, for all of its rows."""
    *others, last = constant.array.shape or (0,)
    return constant.array.dtype == np.float32 and last == kind.shape[-1] and all(d == 1 for d in others)


def _fills_vectors(units: int, gates: int) -> bool:
    """Whether gates apart, each of whole vectors, are hardly more than all of them in one."""
    apart = -(-units // _LANES) * _LANES * gates
    return apart <= _MOST_PADDING * -(-units * gates // _LANES) * _LANES
