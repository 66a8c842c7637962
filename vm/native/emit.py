"""One run -> LLVM IR: `int32 run(ptr registers, ptr machine)`, over the cells that a frame's registers hold.

What instructions say of shapes becomes arithmetic on values that LLVM sees; a storage goes back to the pool after the
last instruction that reads anything in it, and only what others read afterwards becomes cells, at the end. Every check
of the plain steps is made here too, before machine code sees what is checked; where one fails the run gives back what
it took and stops with a status, the registers as they were before it.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace

from anytile.core.errors import UnsupportedError
from anytile.schedules.index.expr import const
from anytile.schedules.workloads.workload import MAX_DIM
from anytile.vm.interpreter.host_functions import ARANGE
from anytile.vm.interpreter.kernels import BoundKernel, BoundPacked, BoundShape, Operand
from anytile.vm.interpreter.steps import Program
from anytile.vm.native.region_arithmetic import Words
from anytile.vm.native.region_registers import INT64, Registers
from anytile.vm.native.region_spill import Spill
from anytile.vm.native.region_text import RegionEnds, RegionText
from anytile.vm.native.regions import Emitted, Interface, Owner, Run
from anytile.vm.native.symbolic_values import Numbers, StorageBlock, SymbolicValue, View, is_number
from anytile.vm.program import isa
from anytile.vm.program.executable import VMFunction
from anytile.vm.program.isa import ITEMSIZE, MAX_BYTES, MAX_RANK
from anytile.vm.program.shape_programs import Check, holds
from anytile.vm.runtime.machine_words import MAX_LOGGED_DIMS, MOST_SEEN, REPEATING
from anytile.vm.runtime.tensor_words import CODES, READ_ONLY


class Emitter:
    """One region being written, an instruction after another."""

    def __init__(self, program: Program, run: Run) -> None:
        self.program, self.run = program, run
        self.function: VMFunction = program.exe.functions[run.function]
        self.text = RegionText(run.name, run.begin)
        self.w = self.text.w
        self.words = Words(self.text)
        self.registers = Registers(program, run, self.text, self.words)
        self.spill = Spill(self.registers)
        # By kernel and symbols' values, the elements of its operands: layers call the same kernels at the same sizes.
        self._wanted: dict[tuple[int, tuple[str, ...]], tuple[str, ...]] = {}

    def emit(self) -> Emitted:
        """The whole run."""
        w, code = self.w, self.function.code
        calls = [i for i in code[self.run.begin : self.run.end] if isinstance(i, isa.InvokePacked)]
        most = max((len(i.args) for i in calls), default=0)
        w.entry += [f"  %args = alloca [{most} x ptr]", f"  %sizes = alloca [{MAX_LOGGED_DIMS} x i64]"]
        w.entry += [f"  %repeating = alloca [{REPEATING} x i64]"]
        last = code[self.run.end - 1]
        branches = (
            (self.run.end - 1 + last.then, self.run.end - 1 + last.otherwise) if isinstance(last, isa.If) else None
        )
        leaves: tuple[int, ...] = ()
        try:
            decided = self._body()
            leaves = self.spill.write()
            w.put(f"ret i32 {decided}")
        except RegionEnds:
            pass  # by the failure that was written last
        run = self.run
        interface = Interface(run.function, run.begin, run.end, self._frees(), leaves, self.spill.cells, branches)
        return Emitted(interface, self.text.function_text(), tuple(self.registers.takes), tuple(self.text.failures))

    def _body(self) -> str:
        """Every instruction; the status of the run that nothing stopped."""
        decided = "0"
        held = self.registers.held
        for at in range(self.run.begin, self.run.end):
            self.text.at, instruction = at, self.function.code[at]
            before = held.get(made) if (made := isa.writes(instruction)) is not None else None
            if isinstance(instruction, isa.If):
                decided = self._same(instruction)
            else:
                self._instruction(instruction)
            dying = self.run.dying[at - self.run.begin]
            for r in dying:
                held.pop(r, None)
            if dying or before is not None or isinstance(instruction, isa.FreeStorage | isa.FreeTensor):
                self._release()
        return decided

    # -- instructions ----------------------------------------------------------------------------------------------

    def _instruction(self, instruction: isa.Instruction) -> None:
        match instruction:
            case isa.Move(dst=dst, src=src):
                self.registers.held[dst] = self.registers.value(src)
            case isa.LoadConst(dst=dst) | isa.LoadConsti(dst=dst):
                self.registers.held[dst] = self.registers.loaded(instruction)
            case isa.AllocStorage(dst=dst, size=size):
                self.registers.held[dst] = self._storage(self.registers.scalar(size))
            case isa.AllocTensor(dst=dst, storage=storage, offset=offset, shape=shape, dtype=dtype):
                dims = Numbers(tuple(map(str, shape)), str(len(shape)))
                self.registers.held[dst] = self._placed(storage, offset, dims, dtype)
            case isa.AllocTensorReg(dst=dst, storage=storage, offset=offset, shape=dims_in, dtype=dtype):
                self.registers.held[dst] = self._placed(storage, offset, self.registers.numbers(dims_in), dtype)
            case isa.FreeStorage(src=src) | isa.FreeTensor(src=src):
                self.registers.held.pop(src, None)
            case isa.ShapeOf(dst=dst, tensor=tensor):
                self.registers.held[dst] = self._shape_of(self.registers.value(tensor))
            case isa.ReshapeTensor(dst=dst, tensor=tensor, shape=dims_in):
                self.registers.held[dst] = self._reshaped(self.registers.view(tensor), self.registers.numbers(dims_in))
            case isa.InvokePacked(kernel=kernel, args=args, outputs=outputs):
                bound = self.program.kernels[kernel]
                if isinstance(bound, BoundKernel):
                    self._kernel(kernel, bound, args)
                elif isinstance(bound, BoundShape):
                    self._shape(bound, args, outputs)
                elif isinstance(bound, BoundPacked) and bound.is_compiled(len(args), outputs):
                    self._host_function(kernel, bound, args)
                else:
                    raise UnsupportedError(f"{bound.name}: host functions do not run in compiled code")
            case _:
                raise UnsupportedError(f"{type(instruction).__name__} does not run in compiled code")

    def _storage(self, size: str) -> StorageBlock:
        w = self.w
        self.words.check_within(size, MAX_BYTES, "request", "")
        address = self.text.result("i64", "take", f"ptr %pool, i64 {size}", "b")
        self.text.fail_if(w.always(f"icmp eq i64 {address}, 0", "c"), "memory", "", size)
        number = len(self.text.storages)
        self.text.storages.append(size)
        self._note_storage(number, address, size)
        return StorageBlock(address, size, Owner("taken", number))

    def _note_storage(self, number: int, address: str, size: str) -> None:
        for place, value in ((2 * number, address), (2 * number + 1, size)):
            self.w.put(f"store i64 {value}, ptr {self.text.taken_at(place)}")

    def _shape_of(self, value: SymbolicValue) -> Numbers:
        if isinstance(value, Numbers):
            return Numbers(() if value.scalar else (value.count,), "0" if value.scalar else "1")
        view = value if isinstance(value, View) else self.registers.view_of_live_in(value)
        count = int(view.rank) if is_number(view.rank) else MAX_RANK
        return Numbers(view.dims[:count], view.rank)

    def _placed(self, storage: int, offset: int, shape: Numbers, dtype: str) -> View:
        room, start = self.registers.room(storage), self.registers.scalar(offset)
        item = ITEMSIZE[dtype]
        dims, elements = self._dims(shape, item)
        self.words.check_within(start, MAX_BYTES, "offset", "")
        self.words.check_equal(self.words.rest(start, item), "0", "offset", "")
        end = self.words.added(start, self.words.multiplied(elements, str(item)))
        self.words.check_at_most(end, room.nbytes, "storage", dtype)
        address = room.address if start == "0" else self.w.value(f"add i64 {room.address}, {start}", "i")
        return View(address, elements, str(CODES[dtype]), shape.count, "0", dims, room.owner, start=start)

    def _dims(self, shape: Numbers, itemsize: int) -> tuple[tuple[str, ...], str]:
        """Eight dimensions, each within bounds, and how many elements they are."""
        for d in shape.elements:
            self.words.check_within(d, MAX_DIM, "size", "")
        dims = (*shape.elements, *("1",) * (MAX_RANK - len(shape.elements)))
        return dims, self.words.element_count(shape.elements, itemsize)

    def _reshaped(self, view: View, shape: Numbers) -> View:
        dims, elements = self._dims(shape, 1)
        self.words.check_at_most(elements, view.elements, "reshape", "")
        known = view.known if elements == view.elements else None
        made = replace(view, elements=elements, rank=shape.count, dims=dims, known=None, constant=None)
        return self.registers.knows(made, known)

    def _same(self, i: isa.If) -> str:
        """1 where the two sides differ: the status of a branch not taken."""
        left, right = (self.registers.whole(r) for r in (i.left, i.right))
        differ = self.w.always(f"icmp ne i64 {left}, {right}", "c")
        return self.w.always(f"zext i1 {differ} to i32", "s")

    # -- kernels ---------------------------------------------------------------------------------------------------

    def _shape(self, bound: BoundShape, args: Sequence[int], outputs: int) -> None:
        """A shape program: its arithmetic, in line."""
        inputs = [
            self.registers.numbers(r) if n is not None else None
            for r, n in zip(args, bound.program.reads, strict=False)
        ]
        for numbers, count in zip(inputs, bound.program.reads, strict=True):
            if numbers is not None and count is not None:
                self.words.check_equal(numbers.count, str(count), "numbers", bound.name)
        names = {f"a{i}_{j}": e for i, n in enumerate(inputs) if n is not None for j, e in enumerate(n.elements)}
        for check in bound.program.checks:
            self._size_check(check, names)
        results = [[self.words.index(e, names) for e in result] for result in bound.program.results]
        for r, result in zip(args[len(args) - outputs :], results, strict=True):
            target = self.registers.view(r)
            self.words.check_equal(target.code, INT64, "int64", "")
            self.words.check_equal(target.elements, str(len(result)), "numbers", bound.name)
            self._writable(target, bound.name)
            base = self.w.value(f"inttoptr i64 {target.address} to ptr", "p")
            for i, element in enumerate(result):
                at = self.w.value(f"getelementptr i64, ptr {base}, i64 {i}", "a")
                self.w.put(f"store i64 {element}, ptr {at}")
            self.registers.written(target)
            self.registers.knows(target, tuple(result) if len(result) <= MAX_RANK else None)

    def _size_check(self, check: Check, names: dict[str, str]) -> None:
        left, right = self.words.index(check.left, names), self.words.index(check.right, names)
        if left == right:
            return
        w, decided = self.w, is_number(left) and is_number(right)
        if decided and holds(check.relation, int(left), int(right)):
            return
        wrong = w.value(f"icmp {'sgt' if check.relation == '<=' else 'ne'} i64 {left}, {right}", "c")
        if check.relation == "broadcast":
            for side in (left, right):
                other = w.value(f"icmp ne i64 {side}, 1", "c")
                wrong = w.value(f"and i1 {wrong}, {other}", "c")
        numbers = {n: const(int(v)) for n, v in names.items() if is_number(v)}
        said = replace(check, shapes=check.rewritten(lambda e: e.substitute(numbers)).shapes)
        seen = {n for shape in said.shapes for d in shape for n in d.names}
        if not seen <= names.keys():
            raise UnsupportedError(f"{min(seen - names.keys())} is not known to compiled code")
        if len(seen) > MOST_SEEN:
            said = replace(said, shapes=())  # a list of them, of which the two numbers say enough
        if decided:
            self.text.fail("check", "", left, right, said, names)
        self.text.fail_if(wrong, "check", "", left, right, said, names)

    def _kernel(self, number: int, bound: BoundKernel, args: Sequence[int]) -> None:
        """A call of machine code, after all its checks."""
        w = self.w
        if len(bound.dims) > MAX_LOGGED_DIMS:
            raise UnsupportedError(f"{bound.name}: expected at most {MAX_LOGGED_DIMS} symbols, got {len(bound.dims)}")
        views = [self.registers.view(r) for r in args]
        names = {name: views[i].dims[j] for name, i, j in bound.named if i < len(views) and j < MAX_RANK}
        symbols: dict[str, str] = {}
        for symbol, e in zip(bound.workload.symbols, bound.dims, strict=True):
            symbols[symbol] = self.words.index(e, names)
            self.words.check_within(symbols[symbol], MAX_DIM, "symbol", f"{bound.name}: {symbol}")
        called = number, tuple(symbols.values())
        if called not in self._wanted:
            self._wanted[called] = tuple(self._elements(bound, operand, symbols) for operand in bound.operands)
        for operand, view, wanted in zip(bound.operands, views, self._wanted[called], strict=True):
            self._operand(bound, operand, view, wanted, symbols)
        for i, view in enumerate(views):
            at = w.value(f"getelementptr ptr, ptr %args, i64 {i}", "a")
            pointer = w.value(f"inttoptr i64 {view.address} to ptr", "p")
            w.put(f"store ptr {pointer}, ptr {at}")
        for i, value in enumerate(symbols.values()):
            at = w.value(f"getelementptr i64, ptr %sizes, i64 {i}", "a")
            w.put(f"store i64 {value}, ptr {at}")
        size = ""
        workspace = "0"
        constants, kernels = len(self.program.constants), len(self.program.kernels)
        if bound.may_need_workspace:
            function = self.text.pointer(constants + kernels + number)
            size = w.always(f"call i64 {function}(ptr %sizes)", "s")
            self.words.check_within(size, MAX_BYTES, "request", bound.name)
            workspace = self.text.result("i64", "take_workspace", f"ptr %pool, i64 {size}", "b")
            self.text.fail_if(w.always(f"icmp eq i64 {workspace}, 0", "c"), "memory", bound.name, size)
        pointer = w.always(f"inttoptr i64 {workspace} to ptr", "p")
        begin = self.text.result("i64", "now", "ptr %log", "t")
        status = w.always(
            f"call i32 {self.text.pointer(constants + number)}(ptr %args, ptr %sizes, ptr {pointer})", "s"
        )
        self.text.call("note", f"ptr %log, i64 {number}, i64 {begin}, ptr %sizes, i64 {len(symbols)}")
        if size:
            self.text.call("put_workspace", f"ptr %pool, i64 {workspace}, i64 {size}")
        wide = w.always(f"sext i32 {status} to i64", "s")
        self.text.fail_if(w.always(f"icmp ne i32 {status}, 0", "c"), "status", bound.name, wide)
        for operand, view in zip(bound.operands, views, strict=True):
            if operand.written:
                self.registers.written(view)

    def _host_function(self, number: int, bound: BoundPacked, args: Sequence[int]) -> None:
        """One that is a helper, too: after its checks, noted with how many elements each argument has."""
        w, views = self.w, [self.registers.view(r) for r in args]
        made, counts = views[-1], bound.function_name == ARANGE
        item = str(ITEMSIZE["int64"]) if counts else self._itemsize(made.code)
        self.words.check_equal(
            made.code, INT64 if counts else views[0].code, "dtype", f"{bound.name}: expected another"
        )
        self._writable(made, bound.name)
        to, source = (w.value(f"inttoptr i64 {v.address} to ptr", "p") for v in (made, views[0]))
        if counts:
            start, step = self.registers.scalar(args[0]), self.registers.scalar(args[2])
            begin = self.text.result("i64", "now", "ptr %log", "t")
            self.text.call("arange", f"ptr {to}, i64 {made.elements}, i64 {start}, i64 {step}")
        else:
            said = (made.rank, made.elements, views[0].rank, views[0].elements, item, *made.dims, *views[0].dims)
            self._store_all("%repeating", said)
            begin = self.text.result("i64", "now", "ptr %log", "t")
            fits = self.text.result("i1", "repeat", f"ptr {to}, ptr {source}, ptr %repeating", "c")
            wrong = w.always(f"xor i1 {fits}, true", "c")
            self.text.fail_if(wrong, "elements", f"{bound.name}: its input", views[0].elements, made.elements)
        elements = [v.elements for v in views]
        nbytes = self.words.multiplied(functools.reduce(self.words.added, elements), item)
        self._store_all("%sizes", (nbytes, str(len(views)), *elements))
        self.text.call("note", f"ptr %log, i64 {number}, i64 {begin}, ptr %sizes, i64 {2 + len(views)}")
        self.registers.written(made)

    def _store_all(self, at: str, words: Sequence[str]) -> None:
        for i, word in enumerate(words):
            place = self.w.value(f"getelementptr i64, ptr {at}, i64 {i}", "a")
            self.w.put(f"store i64 {word}, ptr {place}")

    def _itemsize(self, code: str) -> str:
        """The bytes of an element of a dtype."""
        if is_number(code):
            return str(ITEMSIZE[isa.DTYPES[int(code)]])
        found = "0"
        for dtype, number in CODES.items():
            same = self.w.value(f"icmp eq i64 {code}, {number}", "c")
            found = self.w.value(f"select i1 {same}, i64 {ITEMSIZE[dtype]}, i64 {found}", "x")
        return found

    def _elements(self, bound: BoundKernel, operand: Operand, symbols: dict[str, str]) -> str:
        """How many elements an operand has to have. What is checked on the way holds from there on."""
        if operand.packed_bytes is not None:
            return str(operand.packed_bytes)
        what = f"{bound.name}: {operand.name}"
        extents = [self.words.extent(e, symbols, what) for e in operand.extents]
        return self.words.element_count(extents, ITEMSIZE[operand.dtype], what)

    def _operand(self, bound: BoundKernel, operand: Operand, view: View, wanted: str, symbols: dict[str, str]) -> None:
        what = f"{bound.name}: {operand.name}"
        own, *others = map(str, operand.codes)
        code = view.code
        for other in others:
            code = own if code == other else code if is_number(code) else self._either(code, other, own)
        self.words.check_equal(code, own, "dtype", f"{what}: expected {operand.dtype}")
        self.words.check_equal(view.elements, wanted, "elements", what)
        if operand.written:
            self._writable(view, what)
        if operand.positions_in is not None:
            self._positions(operand, view, self.words.index(operand.positions_in, symbols), what)

    def _either(self, code: str, other: str, own: str) -> str:
        """A dtype's code, or another in the place of one that stands for it."""
        same = self.w.value(f"icmp eq i64 {code}, {other}", "c")
        return self.w.value(f"select i1 {same}, i64 {own}, i64 {code}", "x")

    def _positions(self, operand: Operand, view: View, size: str, what: str) -> None:
        w, bits = self.w, 8 * ITEMSIZE[operand.dtype]
        base = w.value(f"inttoptr i64 {view.address} to ptr", "p")
        found = self.text.result("{ i64, i64 }", f"scan{bits}", f"ptr {base}, i64 {view.elements}, i64 {size}", "w")
        wrong = w.always(f"icmp ne i64 {w.always(f'extractvalue {{ i64, i64 }} {found}, 1', 'w')}, 0", "c")
        self.text.fail_if(wrong, "positions", what, w.always(f"extractvalue {{ i64, i64 }} {found}, 0", "w"), size)

    def _writable(self, view: View, what: str) -> None:
        if not is_number(view.flags):
            bit = self.w.value(f"and i64 {view.flags}, {READ_ONLY}", "f")
            self.text.fail_if(self.w.value(f"icmp ne i64 {bit}, 0", "c"), "read-only", what)
        elif int(view.flags) & READ_ONLY:
            self.text.fail("read-only", what)

    # -- storages --------------------------------------------------------------------------------------

    def _release(self) -> None:
        """Give back every storage that nothing held lies in."""
        if not any(self.text.storages):
            return
        keeping = [v.owner for v in self.registers.held.values() if isinstance(v, View | StorageBlock)]
        used = {k.number for k in keeping if k.how == "taken"}
        for number, size in enumerate(self.text.storages):
            if size is not None and number not in used:
                address = self.text.storage_address(number)
                self.text.call("put", f"ptr %pool, i64 {address}, i64 {size}")
                self.w.put(f"store i64 0, ptr {self.text.taken_at(2 * number)}")
                self.text.storages[number] = None

    def _frees(self) -> tuple[int, ...]:
        """What was held before the run and is dead after it."""
        before: set[int] = set()
        written: set[int] = set()
        for i in self.function.code[self.run.begin : self.run.end]:
            before |= set(isa.reads(i)) - written
            made = isa.writes(i)
            written |= set() if made is None else {made}
        return tuple(sorted(before - self.run.leaves))


def emit_run(program: Program, run: Run) -> Emitted:
    """One run as LLVM IR."""
    return Emitter(program, run).emit()
