"""Code generation for the virtual machine: a function for each function and closure, an entry for each kernel.

A variable is a register, a step an instruction or a few. A call, a branch or a match in the last place of a function is
left at once, so that recursion in the last place does not grow the stack. Every kernel's plan is looked up once. A
tuple is made where somebody needs the whole of it; its fields are known without.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from anytile.compiler.ir import memory_dialect as dialect
from anytile.compiler.ir import nodes as ir
from anytile.compiler.ir.traverse import bindings_of, free, result_of
from anytile.compiler.ir.types import StorageType
from anytile.compiler.lowering.kernel_table import Argument, KernelTable, Weight
from anytile.compiler.lowering.ports import kind_of, ports_of
from anytile.compiler.lowering.split_tuples import Split, Uses
from anytile.core.errors import SpecError, UnsupportedError
from anytile.vm.executable import Executable
from anytile.vm.program import isa
from anytile.vm.program.executable import VMFunction

TUPLE_TAG = 0

Place = int | tuple["Place", ...]  # where a value goes: a register, or for each field of a tuple where that goes


def lower(module: ir.Module, table: KernelTable, devices: Sequence[str] = ("host",)) -> Executable:
    """The executable of a module whose memory is explicit. `table` looks plans up and holds kernels and constants."""
    names = [name for name, f in module.functions.items() if not f.is_primitive]
    lowering = _Lowering(module, table, {name: i for i, name in enumerate(names)}, [None] * len(names))
    for name in names:
        f = module.functions[name]
        lowering.functions[lowering.numbers[name]] = _Body(lowering, name, f.params).of(f)
    inputs, output, data = ports_of(module)
    functions = tuple(f for f in lowering.functions if f is not None)
    return Executable(
        str(table.target), functions, table.constants(), table.kernels(), inputs, output, data, tuple(devices)
    )


@dataclass
class _Lowering:
    """A module on its way: the functions so far; closures are numbered behind those that have names."""

    module: ir.Module
    table: KernelTable
    numbers: dict[str, int]
    functions: list[VMFunction | None]

    def closure(self, name: str, f: ir.Function, captured: Sequence[ir.Var]) -> int:
        """The number of the function that a closure runs, its captured values first."""
        number = len(self.functions)
        self.functions.append(None)
        self.functions[number] = _Body(self, f"{name}.{number}", (*captured, *f.params)).of(f)
        return number


@dataclass
class _Label:
    """A place in the code that is not known yet."""

    at: int | None = None


@dataclass
class _Body:
    """One function while its code is written."""

    lowering: _Lowering
    name: str
    params: tuple[ir.Var, ...]
    registers: dict[ir.Var, int] = field(default_factory=dict)
    count: int = 0
    code: list[isa.Instruction] = field(default_factory=list)
    jumps: list[tuple[int, tuple[_Label, ...]]] = field(default_factory=list)
    where: dict[int, str] = field(default_factory=dict)
    loaded: list[dict[object, int]] = field(default_factory=list)  # constants and tuples in registers, by block
    fields: dict[ir.Var, tuple[ir.Expr, ...]] = field(default_factory=dict)  # of tuples that were not made yet
    same: dict[ir.Var, ir.Expr] = field(default_factory=dict)  # fields of such tuples, by another name

    def of(self, f: ir.Function) -> VMFunction:
        for p in self.params:
            self.registers[p] = self.register()
        self.uses = Uses(f.body)
        self.block(f.body, None)
        for at, labels in self.jumps:
            self.code[at] = _resolved(self.code[at], at, labels)
        kinds = tuple(kind_of(p.type) for p in self.params)
        return VMFunction(self.name, kinds, kind_of(f.result), self.count, tuple(self.code), self.where)

    def register(self) -> int:
        self.count += 1
        return self.count - 1

    def put(self, instruction: isa.Instruction, where: str = "") -> None:
        if where:
            self.where[len(self.code)] = where
        self.code.append(instruction)

    def jump(self, make: Callable[..., isa.Instruction], *labels: _Label) -> None:
        """An instruction whose jumps are filled in when its labels have places."""
        self.jumps.append((len(self.code), labels))
        self.put(make(*(0 for _ in labels)))

    def mark(self, label: _Label) -> None:
        label.at = len(self.code)

    # -- blocks ----------------------------------------------------------------------------------------------------

    def block(self, body: ir.Expr, dst: Place | None) -> None:
        """A block whose value goes to a place, or is what the function returns."""
        self.loaded.append({})
        bindings, result = bindings_of(body), result_of(body)
        last = bindings[-1] if bindings and bindings[-1][0] is result else None
        for var, value in bindings[: len(bindings) - (last is not None)]:
            if not self.known(var, value):
                self.step(value, self.place(var, value), var.name)
        if last is not None and isinstance(last[1], ir.If | ir.Match):
            self.branches(last[1], dst)
        elif last is None or self.known(*last):
            self.give(result, dst)
        else:
            to = dst if isinstance(dst, int) else self.register()
            self.registers[last[0]] = to
            self.step(last[1], to, last[0].name)
            if to != dst:
                self.give(result, dst)
        self.loaded.pop()

    def known(self, var: ir.Var, value: ir.Expr) -> bool:
        """Whether a variable needs no register: a tuple, of which we keep what is in it, or a field of such a one."""
        if isinstance(value, ir.TupleExpr):
            self.fields[var] = value.fields
            return True
        if isinstance(value, ir.TupleGet):
            fields = self.in_it(self.named(value.value))
            if fields is not None:
                self.same[var] = fields[value.index]
                return True
        return False

    def place(self, var: ir.Var, value: ir.Expr) -> Place:
        """Where a variable goes: a register, or several where branches give a tuple that is only taken apart."""
        split = self.uses.split(var) if isinstance(value, ir.If | ir.Match) else None
        if split is not None:
            return self.apart(var, split)
        self.registers[var] = self.register()
        return self.registers[var]

    def apart(self, var: ir.Var, split: Split) -> Place:
        """Places for the fields of a tuple, which from now on is known by them."""
        fields = tuple(ir.Var(f"{var.name}.{i}") for i in range(len(split)))
        self.fields[var] = fields
        places: list[Place] = []
        for part, inner in zip(fields, split, strict=True):
            if inner is None:
                self.registers[part] = self.register()
                places.append(self.registers[part])
            else:
                places.append(self.apart(part, inner))
        return tuple(places)

    def give(self, e: ir.Expr, dst: Place | None) -> None:
        """Bring a value to a place, or return it."""
        e = self.named(e)
        fields = self.in_it(e)
        if dst is None:
            self.put(isa.Ret(self.atom(e)))
        elif isinstance(dst, int):
            self.put(isa.Move(dst, self.atom(e)) if fields is None else self.made(dst, fields))
        else:
            for i, place in enumerate(dst):
                if fields is not None:
                    self.give(fields[i], place)
                elif isinstance(place, int):
                    self.put(isa.GetField(place, self.atom(e), i))
                else:
                    part = ir.Var("")
                    self.registers[part] = self.register()
                    self.put(isa.GetField(self.registers[part], self.atom(e), i))
                    self.give(part, place)

    def in_it(self, e: ir.Expr) -> tuple[ir.Expr, ...] | None:
        """What a tuple that was not made yet is made of."""
        return self.fields.get(e) if isinstance(e, ir.Var) else None

    def made(self, dst: int, fields: Sequence[ir.Expr]) -> isa.Instruction:
        return isa.AllocADT(dst, TUPLE_TAG, tuple(map(self.atom, fields)))

    def named(self, e: ir.Expr) -> ir.Expr:
        """The first of several names."""
        while isinstance(e, ir.Var) and e in self.same:
            e = self.same[e]
        return e

    def branches(self, value: ir.If | ir.Match, dst: Place | None) -> None:
        """Blocks of which one runs; without a place each returns for itself."""
        end = _Label()
        if isinstance(value, ir.If):
            then, otherwise = _Label(), _Label()
            yes = self.atom(ir.Constant(np.asarray(True)))
            condition = self.atom(value.condition)
            self.jump(lambda a, b: isa.If(condition, yes, a, b), then, otherwise)
            self.mark(then)
            self.block(value.then, dst)
            if dst is not None:
                self.jump(isa.Goto, end)
            self.mark(otherwise)
            self.block(value.otherwise, dst)
        else:
            source = self.atom(value.value)
            for number, (pattern, body) in enumerate(value.clauses, 1):
                # the last needs no test: type inference saw that it fits what the others leave
                following = _Label() if number < len(value.clauses) else None
                self.loaded.append({})
                self.fit(pattern, source, following)
                self.block(body, dst)
                self.loaded.pop()
                if following is not None:
                    if dst is not None:
                        self.jump(isa.Goto, end)
                    self.mark(following)
        self.mark(end)

    def fit(self, pattern: ir.Pattern, source: int, otherwise: _Label | None) -> None:
        """Go on where a value fits, its parts in the registers of the pattern's variables; else to the label. Without a
        label it is known to fit."""
        match pattern:
            case ir.Wildcard():
                return
            case ir.Bind(var):
                self.registers[var] = source
                return
            case ir.Construct(constructor, patterns):
                data = self.lowering.module.data_type(constructor.data)
                if len(data.constructors) > 1 and otherwise is not None:
                    tag, wanted = self.register(), self.number(data.tag(constructor.name))
                    self.put(isa.GetTag(tag, source))
                    after = _Label()
                    self.jump(lambda a, b: isa.If(tag, wanted, a, b), after, otherwise)
                    self.mark(after)
            case ir.TuplePattern(patterns):
                pass
        for i, inner in enumerate(patterns):
            if not isinstance(inner, ir.Wildcard):
                part = self.register()
                self.put(isa.GetField(part, source, i))
                self.fit(inner, part, otherwise)

    # -- atoms -----------------------------------------------------------------------------------------------------

    def atom(self, e: ir.Expr) -> int:
        """The register of a variable, or of a constant or tuple, which is made once where it is needed first."""
        e = self.named(e)
        fields = self.in_it(e)
        if fields is not None:
            return self.load(e, lambda dst: self.made(dst, fields))
        if isinstance(e, ir.Var):
            try:
                return self.registers[e]
            except KeyError:
                raise SpecError(
                    f"function {self.name}: {e.name} is read before it is bound; run the verifier"
                ) from None
        if isinstance(e, ir.GlobalRef):
            number = self.lowering.numbers[e.name]
            return self.load(("function", number), lambda dst: isa.AllocClosure(dst, number, ()))
        if isinstance(e, ir.Constant):
            if e.array.dtype == np.int64 and e.array.ndim == 0:
                return self.number(int(e.array))
            index = self.lowering.table.constant(e)
            return self.load(("constant", index), lambda dst: isa.LoadConst(dst, index))
        raise SpecError(f"function {self.name}: a {type(e).__name__} stands where an atom is expected; run to_anf")

    def argument(self, e: Argument) -> int:
        if not isinstance(e, Weight):
            return self.atom(e)
        index = self.lowering.table.constant(e.value, e.packed)
        return self.load(("constant", index), lambda dst: isa.LoadConst(dst, index))

    def number(self, value: int) -> int:
        return self.load(value, lambda dst: isa.LoadConsti(dst, value))

    def load(self, key: object, make: Callable[[int], isa.Instruction]) -> int:
        for scope in reversed(self.loaded):
            if key in scope:
                return scope[key]
        dst = self.loaded[-1][key] = self.register()
        self.put(make(dst))
        return dst

    # -- steps -----------------------------------------------------------------------------------------------------

    def step(self, value: ir.Expr, dst: Place, name: str) -> None:
        if isinstance(value, ir.If | ir.Match):
            self.branches(value, dst)
            return
        assert isinstance(dst, int)
        match value:
            case ir.TupleGet(source, index):
                self.put(isa.GetField(dst, self.atom(source), index))
            case ir.Function():
                captured = tuple(free(value))
                number = self.lowering.closure(f"{self.name}.{name}", value, captured)
                self.put(isa.AllocClosure(dst, number, tuple(map(self.atom, captured))))
            case ir.Call(ir.ConstructorRef(data, constructor), args):
                tag = self.lowering.module.data_type(data).tag(constructor)
                self.put(isa.AllocADT(dst, tag, tuple(map(self.atom, args))), value.where)
            case ir.Call(ir.OperatorRef()):
                self.operation(value, dst)
            case ir.Call(ir.GlobalRef(called), args):
                registers = tuple(map(self.atom, args))
                self.put(isa.Invoke(dst, self.lowering.numbers[called], registers), value.where)
            case ir.Call(callee, args):
                closure = self.atom(callee)  # type: ignore[arg-type]  # no constructor and no operator
                self.put(isa.InvokeClosure(dst, closure, tuple(map(self.atom, args))), value.where)
            case _:
                self.put(isa.Move(dst, self.atom(value)))

    def operation(self, call: ir.Call, dst: int) -> None:
        """An operation of the memory dialect."""
        name = dialect.name_of(call)
        table, where = self.lowering.table, call.where
        match name:
            case dialect.ALLOC_STORAGE:
                alignment, device = _whole(call, "alignment"), _whole(call, "device")
                self.put(isa.AllocStorage(dst, self.atom(call.args[0]), alignment, device), where)
            case dialect.ALLOC_TENSOR | dialect.PART:
                storage, offset, shape = call.args[-3:]
                at, dtype = (self.atom(storage), self.atom(offset)), str(call.attr("dtype"))
                if isinstance(shape, ir.Constant):
                    self.put(isa.AllocTensor(dst, *at, tuple(int(n) for n in shape.array), dtype), where)
                else:
                    self.put(isa.AllocTensorReg(dst, *at, self.atom(shape), dtype), where)
            case dialect.KILL:
                gone = call.args[0]
                held = isinstance(gone, ir.Var) and isinstance(gone.type, StorageType)
                self.put((isa.FreeStorage if held else isa.FreeTensor)(self.atom(gone)))
            case dialect.SHAPE_OF:
                self.put(isa.ShapeOf(dst, self.atom(call.args[0])), where)
            case dialect.RESHAPE:
                self.put(isa.ReshapeTensor(dst, *map(self.atom, call.args)), where)
            case dialect.APPEND:
                tensor, rows = map(self.atom, call.args)
                axis, dtype = _whole(call, "axis"), str(call.attr("dtype"))
                self.put(isa.AppendTensor(dst, tensor, rows, axis, dtype), where)
            case dialect.DEVICE_COPY if isinstance(call.args[0], ir.Constant):  # once for the session, not at every run
                self.put(isa.LoadConst(dst, table.constant(call.args[0], device=_whole(call, "to"))), where)
            case dialect.DEVICE_COPY:
                self.put(isa.DeviceCopy(dst, self.atom(call.args[0]), _whole(call, "from"), _whole(call, "to")), where)
            case dialect.INVOKE_MUT:
                kernel, args = table.kernel(call, self.lowering.module)
                self.invoke(call, kernel, args)
            case dialect.INVOKE_SHAPE:
                self.invoke(call, table.shape(str(call.attr("program"))), call.args)
            case dialect.INVOKE_PACKED:
                self.invoke(call, table.host(str(call.attr("call"))), call.args)
            case _:
                assert isinstance(call.callee, ir.OperatorRef)
                raise UnsupportedError(f"{call.callee.name} at {call.where or self.name}: run manifest_alloc first")

    def invoke(self, call: ir.Call, kernel: int, args: Sequence[Argument]) -> None:
        registers = tuple(map(self.argument, args))
        self.put(isa.InvokePacked(kernel, len(dialect.outputs_of(call)), registers), call.where)


def _whole(call: ir.Call, name: str) -> int:
    value = call.attr(name)
    assert isinstance(value, int)
    return value


def _resolved(instruction: isa.Instruction, at: int, labels: Sequence[_Label]) -> isa.Instruction:
    """The instruction with its jumps."""
    places = [label.at - at for label in labels if label.at is not None]
    if isinstance(instruction, isa.If):
        return replace(instruction, then=places[0], otherwise=places[1])
    assert isinstance(instruction, isa.Goto)
    return replace(instruction, to=places[0])
