"""One run -> LLVM IR: `int32 run(ptr in, ptr out, ptr pool, ptr tables, ptr log)`.

`in` are the words of the registers that it takes (see `layout`), `tables` the addresses of constants and kernels. What
instructions say of shapes becomes arithmetic on values that LLVM sees; a storage goes back to the pool after the last
instruction that reads anything in it. Every check of the plain steps is made here too, before machine code sees what is
checked; where one fails the run stops with a status, having noted in `out` which storages it still holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from anytile.codegen.text import Writer
from anytile.schedules.errors import UnsupportedError
from anytile.schedules.expr import Expr, const
from anytile.schedules.workload import MAX_DIM
from anytile.vm import isa
from anytile.vm.executable import VMFunction
from anytile.vm.isa import ITEMSIZE, MAX_RANK
from anytile.vm.kernels import BoundKernel, BoundShape, Operand
from anytile.vm.layout import CODE, CODES, COUNT, ELEMENTS, FLAGS, OFF_HOST, READ_ONLY, STORAGE_CODE
from anytile.vm.poolcode import MAX_LOGGED_DIMS
from anytile.vm.runs import FAILED, RESULT_STORAGES, Emitted, Failure, Keeps, Left, Run
from anytile.vm.shapes import Check
from anytile.vm.steps import Program
from anytile.vm.values import Tensor

_INT64 = str(CODES["int64"])
_BEFORE = {"storage", "tensor"}  # how a tensor is kept that lies in what registers held before the run


@dataclass(eq=False, slots=True)
class Taken:
    """What a register held before the run, not yet looked at."""

    register: int
    place: int | None = None  # among the words that the run takes, once it reads them
    tensor: View | None = None


@dataclass(eq=False, slots=True)
class View:
    """A tensor: each word as an SSA name or a number. `known` are its elements where the run knows them."""

    address: str
    elements: str
    code: str
    rank: str
    flags: str
    dims: tuple[str, ...]
    keeps: Keeps
    known: tuple[str, ...] | None = None
    constant: int | None = None  # it is this constant of the executable


@dataclass(eq=False, slots=True)
class Room:
    """A storage."""

    address: str
    nbytes: str
    keeps: Keeps


@dataclass(eq=False, slots=True)
class Numbers:
    """An int64 tensor of the run's own that has no memory yet: a scalar, or a shape of `count` elements."""

    elements: tuple[str, ...]
    count: str
    scalar: bool = False


Held = Taken | View | Room | Numbers


class Emitter:
    """One run being written."""

    def __init__(self, program: Program, run: Run) -> None:
        self.program, self.run = program, run
        self.function: VMFunction = program.exe.functions[run.function]
        self.w = Writer()
        self.held: dict[int, Held] = {}
        self.takes: list[int] = []
        self.failures: dict[Failure, int] = {}
        self.exits: list[tuple[str, int, str, str]] = []  # block, failure, and its two numbers
        self.storages: list[str | None] = []  # sizes; None once it went back
        self.checked: set[str] = set()
        self.at = run.begin
        self.labels = 0

    def emit(self) -> Emitted:
        """The whole run."""
        w, code = self.w, self.function.code
        w.entry += ["  %args = alloca [32 x ptr]", "  %sizes = alloca [16 x i64]"]
        branches = None
        for self.at in range(self.run.begin, self.run.end):
            instruction = code[self.at]
            if isinstance(instruction, isa.If):
                branches = (self.at + instruction.then, self.at + instruction.otherwise)
                decided = self._same(instruction)
            else:
                self._instruction(instruction)
            for r in self.run.dying[self.at - self.run.begin]:
                self.held.pop(r, None)
            self._release()
        leaves, words = self._leave()
        self._line(f"ret i32 {decided}" if branches is not None else "ret i32 0")
        takes = tuple(self.takes)
        text = self._function_text()
        return Emitted(self.run, text, takes, leaves, len(self.storages), words, tuple(self.failures), branches)

    # -- instructions ----------------------------------------------------------------------------------------------

    def _instruction(self, instruction: isa.Instruction) -> None:
        match instruction:
            case isa.Move(dst=dst, src=src):
                self.held[dst] = self._value(src)
            case isa.LoadConst(dst=dst, constant=constant):
                self.held[dst] = self._constant(constant)
            case isa.LoadConsti(dst=dst, value=value):
                self.held[dst] = Numbers((str(value),), "1", scalar=True)
            case isa.AllocStorage(dst=dst, size=size):
                self.held[dst] = self._storage(self._scalar(size))
            case isa.AllocTensor(dst=dst, storage=storage, offset=offset, shape=shape, dtype=dtype):
                dims = Numbers(tuple(map(str, shape)), str(len(shape)))
                self.held[dst] = self._placed(storage, offset, dims, dtype)
            case isa.AllocTensorReg(dst=dst, storage=storage, offset=offset, shape=dims_in, dtype=dtype):
                self.held[dst] = self._placed(storage, offset, self._numbers(dims_in), dtype)
            case isa.FreeStorage(src=src) | isa.FreeTensor(src=src):
                self.held.pop(src, None)
            case isa.ShapeOf(dst=dst, tensor=tensor):
                self.held[dst] = self._shape_of(self._value(tensor))
            case isa.ReshapeTensor(dst=dst, tensor=tensor, shape=dims_in):
                self.held[dst] = self._reshaped(self._view(tensor), self._numbers(dims_in))
            case isa.InvokePacked(kernel=kernel, args=args, outputs=outputs):
                bound = self.program.kernels[kernel]
                if isinstance(bound, BoundKernel):
                    self._kernel(kernel, bound, args)
                elif isinstance(bound, BoundShape):
                    self._shape(bound, args, outputs)
                else:
                    raise UnsupportedError(f"{bound.name}: host functions do not run in compiled code")
            case _:
                raise UnsupportedError(f"{type(instruction).__name__} does not run in compiled code")

    def _value(self, register: int) -> Held:
        return self.held.setdefault(register, Taken(register))

    def _constant(self, index: int) -> View:
        tensor: Tensor = self.program.constants[index]
        address = self._table(index)
        dims = (*map(str, tensor.shape), *("1",) * (MAX_RANK - len(tensor.shape)))
        known = None
        if tensor.dtype == "int64" and tensor.elements <= MAX_RANK:
            known = tuple(map(str, tensor.ints()))
        return View(
            address,
            str(tensor.elements),
            str(CODES[tensor.dtype]),
            str(len(tensor.shape)),
            str(READ_ONLY),
            dims,
            Keeps("constant", index),
            known,
            index,
        )

    def _storage(self, size: str) -> Room:
        w = self.w
        self._check_unsigned(size, 2**48, "request", "")
        address = w.always(f"call i64 @take(ptr %pool, i64 {size})", "b")
        self._fail_if(w.always(f"icmp eq i64 {address}, 0", "c"), "memory", "", size)
        number = len(self.storages)
        self.storages.append(size)
        self._note_storage(number, address, size)
        return Room(address, size, Keeps("taken", number))

    def _note_storage(self, number: int, address: str, size: str) -> None:
        place = RESULT_STORAGES + 2 * number
        for offset, value in ((0, address), (1, size)):
            self._store_out(place + offset, value)

    def _room(self, register: int) -> Room:
        value = self._value(register)
        if isinstance(value, Room):
            return value
        if not isinstance(value, Taken):
            raise UnsupportedError("a tensor where a storage should be")
        self._expect(value, "eq", STORAGE_CODE, "storage")
        return Room(self._word(value, 0), self._word(value, ELEMENTS), Keeps("storage", value.register))

    def _view(self, register: int) -> View:
        """A register as a tensor in memory."""
        value = self._value(register)
        match value:
            case View():
                return value
            case Taken(tensor=View() as known):
                return known
            case Taken():
                self._expect(value, "ne", STORAGE_CODE, "tensor")
                words = [self._word(value, i) for i in range(COUNT)]
                keeps = Keeps("tensor", value.register)
                address, elements, code, rank, flags, *dims = words
                value.tensor = View(address, elements, code, rank, flags, tuple(dims), keeps)
                return value.tensor
            case Numbers():
                return self._in_memory(value)
            case Room():
                raise UnsupportedError("a storage where a tensor should be")

    def _expect(self, value: Taken, how: str, code: int, what: str) -> None:
        found = self._word(value, CODE)
        wrong = "ne" if how == "eq" else "eq"
        self._fail_if(self.w.value(f"icmp {wrong} i64 {found}, {code}", "c"), "kind", what)
        flags = self.w.value(f"and i64 {self._word(value, FLAGS)}, {OFF_HOST}", "f")
        self._fail_if(self.w.value(f"icmp ne i64 {flags}, 0", "c"), "device", what)

    def _word(self, value: Taken, index: int) -> str:
        if value.place is None:
            value.place = len(self.takes)
            self.takes.append(value.register)
        at = self.w.value(f"getelementptr i64, ptr %in, i64 {value.place * COUNT + index}", "a")
        return self.w.value(f"load i64, ptr {at}", "x")

    def _in_memory(self, numbers: Numbers) -> View:
        """Numbers that a kernel reads: stored on the stack, for as long as the run."""
        w = self.w
        block = w.fresh("n")
        w.entry.append(f"  {block} = alloca [{MAX_RANK} x i64]")
        for i, element in enumerate(numbers.elements):
            at = w.always(f"getelementptr i64, ptr {block}, i64 {i}", "a")
            w.put(f"store i64 {element}, ptr {at}")
        address = w.always(f"ptrtoint ptr {block} to i64", "a")
        dims = ("1",) * MAX_RANK if numbers.scalar else (numbers.count, *("1",) * (MAX_RANK - 1))
        rank = "0" if numbers.scalar else "1"
        return View(address, numbers.count, _INT64, rank, str(READ_ONLY), dims, Keeps("literal", 0))

    def _scalar(self, register: int) -> str:
        """An int64 scalar's value."""
        value = self._value(register)
        if isinstance(value, Numbers):
            self._equal(value.count, "1", "scalar", "")
            return value.elements[0]
        view = self._view(register)
        if view.known is not None and len(view.known) == 1:
            return view.known[0]
        self._equal(view.code, _INT64, "int64", "")
        self._equal(view.elements, "1", "scalar", "")
        return self._load(view.address, 0)

    def _numbers(self, register: int) -> Numbers:
        """An int64 tensor's elements, at most as many as a tensor has dimensions."""
        value = self._value(register)
        if isinstance(value, Numbers):
            return value
        view = self._view(register)
        if view.known is not None:
            return Numbers(view.known, str(len(view.known)))
        self._equal(view.code, _INT64, "int64", "")
        self._check_unsigned(view.elements, MAX_RANK, "rank", "")
        if _is_number(view.elements):
            return Numbers(tuple(self._load(view.address, i) for i in range(int(view.elements))), view.elements)
        base = self.w.value(f"inttoptr i64 {view.address} to ptr", "p")
        elements = [self.w.always(f"call i64 @word(ptr {base}, i64 {view.elements}, i64 {i})") for i in range(MAX_RANK)]
        return Numbers(tuple(elements), view.elements)

    def _load(self, address: str, index: int) -> str:
        base = self.w.value(f"inttoptr i64 {address} to ptr", "p")
        at = self.w.value(f"getelementptr i64, ptr {base}, i64 {index}", "a")
        return self.w.always(f"load i64, ptr {at}", "x")

    def _shape_of(self, value: Held) -> Numbers:
        if isinstance(value, Numbers):
            return Numbers(() if value.scalar else (value.count,), "0" if value.scalar else "1")
        view = value if isinstance(value, View) else self._view_of_taken(value)
        count = int(view.rank) if _is_number(view.rank) else MAX_RANK
        return Numbers(view.dims[:count], view.rank)

    def _view_of_taken(self, value: Held) -> View:
        if not isinstance(value, Taken):
            raise UnsupportedError("a storage where a tensor should be")
        return self._view(value.register) if value.tensor is None else value.tensor

    def _placed(self, storage: int, offset: int, shape: Numbers, dtype: str) -> View:
        room, start, w = self._room(storage), self._scalar(offset), self.w
        dims, elements = self._dims(shape)
        item = ITEMSIZE[dtype]
        self._check_unsigned(start, 2**48, "offset", "")
        if start != "0" and item > 1:
            rest = self._fold(f"and i64 {start}, {item - 1}", start, lambda n: n & (item - 1))
            self._equal(rest, "0", "offset", "")
        nbytes = self._times(elements, item)
        end = nbytes if start == "0" else self._plus(start, nbytes)
        if end != room.nbytes:
            if _is_number(end) and _is_number(room.nbytes):
                beyond = "true" if int(end) > int(room.nbytes) else ""
            else:
                beyond = w.value(f"icmp ugt i64 {end}, {room.nbytes}", "c")
            if beyond:
                self._fail_if(beyond, "storage", dtype, end, room.nbytes)
        address = room.address if start == "0" else self._plus(room.address, start)
        return View(address, elements, str(CODES[dtype]), shape.count, "0", dims, room.keeps)

    def _dims(self, shape: Numbers) -> tuple[tuple[str, ...], str]:
        """Eight dimensions, each within bounds, and how many elements they are."""
        for d in shape.elements:
            self._check_unsigned(d, MAX_DIM, "size", "")
        dims = (*shape.elements, *("1",) * (MAX_RANK - len(shape.elements)))
        return dims, self._product(shape.elements)

    def _reshaped(self, view: View, shape: Numbers) -> View:
        dims, elements = self._dims(shape)
        if elements != view.elements:
            wrong = self.w.value(f"icmp ugt i64 {elements}, {view.elements}", "c")
            self._fail_if(wrong, "reshape", "", elements, view.elements)
        known = view.known if elements == view.elements else None
        return replace(view, elements=elements, rank=shape.count, dims=dims, known=known, constant=None)

    def _same(self, i: isa.If) -> str:
        """1 where the two sides differ: the status of a branch not taken."""
        left, right = (self._whole(r) for r in (i.left, i.right))
        differ = self.w.always(f"icmp ne i64 {left}, {right}", "c")
        return self.w.always(f"zext i1 {differ} to i32", "s")

    def _whole(self, register: int) -> str:
        """A scalar of any whole dtype, as i64."""
        value = self._value(register)
        if isinstance(value, Numbers) or (isinstance(value, View) and value.known is not None):
            return self._scalar(register)
        view = self._view(register)
        dtype = isa.DTYPES[int(view.code)]
        bits = 8 * ITEMSIZE[dtype]
        base = self.w.value(f"inttoptr i64 {view.address} to ptr", "p")
        if dtype == "int64":
            return self.w.always(f"load i64, ptr {base}", "x")
        read = self.w.always(f"load i{bits}, ptr {base}", "x")
        return self.w.always(f"{'sext' if dtype == 'int32' else 'zext'} i{bits} {read} to i64", "x")

    # -- kernels ---------------------------------------------------------------------------------------------------

    def _shape(self, bound: BoundShape, args: Sequence[int], outputs: int) -> None:
        """A shape program: its arithmetic, in line."""
        inputs = [self._numbers(r) if n is not None else None for r, n in zip(args, bound.program.reads, strict=False)]
        for numbers, count in zip(inputs, bound.program.reads, strict=True):
            if numbers is not None and count is not None:
                self._equal(numbers.count, str(count), "numbers", bound.name)
        names = {
            f"a{i}_{j}": e for i, n in enumerate(inputs) if n is not None for j, e in enumerate(n.elements)
        }
        for check in bound.program.checks:
            self._size_check(check, names)
        results = [[self._index(e, names) for e in result] for result in bound.program.results]
        for r, result in zip(args[len(args) - outputs :], results, strict=True):
            target = self._view(r)
            self._equal(target.code, _INT64, "int64", "")
            self._equal(target.elements, str(len(result)), "numbers", bound.name)
            self._writable(target, bound.name)
            base = self.w.value(f"inttoptr i64 {target.address} to ptr", "p")
            for i, element in enumerate(result):
                at = self.w.value(f"getelementptr i64, ptr {base}, i64 {i}", "a")
                self.w.put(f"store i64 {element}, ptr {at}")
            self._written(target)
            target.known = tuple(result) if len(result) <= MAX_RANK else None

    def _size_check(self, check: Check, names: dict[str, str]) -> None:
        left, right = self._index(check.left, names), self._index(check.right, names)
        if left == right:
            return
        w = self.w
        wrong = w.value(f"icmp {'sgt' if check.relation == '<=' else 'ne'} i64 {left}, {right}", "c")
        if check.relation == "broadcast":
            for side in (left, right):
                other = w.value(f"icmp ne i64 {side}, 1", "c")
                wrong = w.value(f"and i1 {wrong}, {other}", "c")
        self._fail_if(wrong, f"check {check.relation}", check.where, left, right)

    def _kernel(self, number: int, bound: BoundKernel, args: Sequence[int]) -> None:
        """A call of machine code, after all its checks."""
        w = self.w
        if len(args) > 32 or len(bound.dims) > MAX_LOGGED_DIMS:
            raise UnsupportedError(f"{bound.name}: expected at most 32 arguments and {MAX_LOGGED_DIMS} symbols")
        views = [self._view(r) for r in args]
        names = {f"a{i}_{j}": d for i, v in enumerate(views) for j, d in enumerate(v.dims)}
        symbols: dict[str, str] = {}
        for symbol, e in zip(bound.workload.symbols, bound.dims, strict=True):
            symbols[symbol] = self._index(e, names)
            self._check_unsigned(symbols[symbol], MAX_DIM, "symbol", f"{bound.name}: {symbol}")
        for operand, view in zip(bound.operands, views, strict=True):
            self._operand(bound, operand, view, symbols)
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
            function = self._pointer(constants + kernels + number)
            size = w.always(f"call i64 {function}(ptr %sizes)", "s")
            self._check_unsigned(size, 2**48, "request", bound.name)
            workspace = w.always(f"call i64 @take_workspace(ptr %pool, i64 {size})", "b")
            self._fail_if(w.always(f"icmp eq i64 {workspace}, 0", "c"), "memory", bound.name, size)
        pointer = w.always(f"inttoptr i64 {workspace} to ptr", "p")
        begin = w.always("call i64 @now(ptr %log)", "t")
        status = w.always(f"call i32 {self._pointer(constants + number)}(ptr %args, ptr %sizes, ptr {pointer})", "s")
        w.put(f"call void @note(ptr %log, i64 {number}, i64 {begin}, ptr %sizes, i64 {len(symbols)})")
        if size:
            w.put(f"call void @put_workspace(ptr %pool, i64 {workspace}, i64 {size})")
        wide = w.always(f"sext i32 {status} to i64", "s")
        self._fail_if(w.always(f"icmp ne i32 {status}, 0", "c"), "status", bound.name, wide)
        for operand, view in zip(bound.operands, views, strict=True):
            if operand.written:
                self._written(view)

    def _operand(self, bound: BoundKernel, operand: Operand, view: View, symbols: dict[str, str]) -> None:
        what = f"{bound.name}: {operand.name}"
        self._equal(view.code, str(CODES[operand.dtype]), "dtype", f"{what}: expected {operand.dtype}")
        if operand.packed_bytes is not None:
            wanted = str(operand.packed_bytes)
        else:
            extents = [self._index(e, symbols) for e in operand.extents]
            wanted = self._product([self._at_least_0(x, e) for x, e in zip(extents, operand.extents, strict=True)])
        self._equal(view.elements, wanted, "elements", what)
        if operand.written:
            self._writable(view, what)
        if operand.positions_in is not None:
            self._positions(operand, view, self._index(operand.positions_in, symbols), what)

    def _positions(self, operand: Operand, view: View, size: str, what: str) -> None:
        w, bits = self.w, 8 * ITEMSIZE[operand.dtype]
        base = w.value(f"inttoptr i64 {view.address} to ptr", "p")
        found = w.always(f"call i64 @scan{bits}(ptr {base}, i64 {view.elements}, i64 {size})", "w")
        self._fail_if(w.always(f"icmp sge i64 {found}, 0", "c"), "positions", what, found, size)

    def _writable(self, view: View, what: str) -> None:
        if _is_number(view.flags):
            bad = "true" if int(view.flags) & READ_ONLY else ""
        else:
            bit = self.w.value(f"and i64 {view.flags}, {READ_ONLY}", "f")
            bad = self.w.value(f"icmp ne i64 {bit}, 0", "c")
        if bad:
            self._fail_if(bad, "read-only", what)

    def _written(self, target: View) -> None:
        """What the run knew of elements in the same memory holds no longer."""
        views = [v.tensor if isinstance(v, Taken) else v for v in self.held.values()]
        for view in (*views, target):
            # Two registers from before the run may be the same memory.
            if isinstance(view, View) and (view.keeps == target.keeps or {view.keeps.how, target.keeps.how} <= _BEFORE):
                view.known = None

    # -- arithmetic ------------------------------------------------------------------------------------------------

    def _index(self, e: Expr, names: dict[str, str]) -> str:
        """An index expression over names that stand for SSA values or numbers."""
        used = {name: names.get(name) for name in e.names}
        for name, value in used.items():
            if value is None:
                raise UnsupportedError(f"{name} is not known to compiled code")
        numbers = {name: const(int(v)) for name, v in used.items() if v is not None and _is_number(v)}
        # Expressions are named by what they stand for, so that equal ones of two kernels are computed once.
        for name, v in used.items():
            if v is not None and name not in numbers:
                self.w.bind(name, v)
        return self.w.index(e.substitute(numbers) if numbers else e)

    def _at_least_0(self, value: str, e: Expr) -> str:
        """Derived dimensions may come out below 0, and are then empty; symbols and numbers cannot."""
        if _is_number(value):
            return str(max(int(value), 0))
        plain = len(e.terms) == 1 and e.terms[0][1] > 0 and all(hasattr(a, "name") for a in e.terms[0][0])
        return value if plain else self.w.value(f"call i64 @llvm.smax.i64(i64 {value}, i64 0)", "i")

    def _product(self, factors: Sequence[str]) -> str:
        """Of factors from 0 to MAX_DIM; numbers last, so that equal products are equal values."""
        number, bound = 1, 1
        total = ""
        for f in factors:
            if _is_number(f):
                number *= int(f)
        for f in sorted(f for f in factors if not _is_number(f)):
            bound *= MAX_DIM
            total = f if not total else self._multiplied(total, f, bound)
        if not total or number == 0:
            return str(number)
        return total if number == 1 else self._multiplied(total, str(number), bound * number)

    def _multiplied(self, a: str, b: str, bound: int) -> str:
        w = self.w
        if bound < 2**63:
            return w.value(f"mul nsw i64 {a}, {b}", "i")
        both = w.value(f"call {{ i64, i1 }} @llvm.smul.with.overflow.i64(i64 {a}, i64 {b})", "m")
        self._fail_if(w.value(f"extractvalue {{ i64, i1 }} {both}, 1", "c"), "size", "", a, b)
        return w.value(f"extractvalue {{ i64, i1 }} {both}, 0", "i")

    def _times(self, value: str, by: int) -> str:
        if _is_number(value):
            return str(int(value) * by)
        return value if by == 1 else self._multiplied(value, str(by), 2**63)

    def _plus(self, a: str, b: str) -> str:
        if _is_number(a) and _is_number(b):
            return str(int(a) + int(b))
        return self.w.value(f"add i64 {a}, {b}", "i")

    def _fold(self, code: str, value: str, meaning: object) -> str:
        if _is_number(value) and callable(meaning):
            return str(meaning(int(value)))
        return self.w.value(code, "i")

    # -- checks ----------------------------------------------------------------------------------------------------

    def _equal(self, a: str, b: str, what: str, detail: str) -> None:
        if a == b:
            return
        if _is_number(a) and _is_number(b):
            self._fail_if("true", what, detail, a, b)
        else:
            self._fail_if(self.w.value(f"icmp ne i64 {a}, {b}", "c"), what, detail, a, b)

    def _check_unsigned(self, value: str, most: int, what: str, detail: str) -> None:
        """From 0 to `most`; values that were looked at before are not again."""
        key = f"{value} {most}"
        if key in self.checked:
            return
        self.checked.add(key)
        if _is_number(value):
            if not 0 <= int(value) <= most:
                self._fail_if("true", what, detail, value, str(most))
        else:
            self._fail_if(self.w.value(f"icmp ugt i64 {value}, {most}", "c"), what, detail, value, str(most))

    def _fail_if(self, wrong: str, what: str, detail: str, left: str = "0", right: str = "0") -> None:
        if wrong in self.checked:
            return
        if wrong != "true":
            self.checked.add(wrong)
        failure = Failure(self.at, what, detail)
        number = self.failures.setdefault(failure, len(self.failures))
        self.labels += 1
        self.exits.append((self.w.block, FAILED + number, left, right))
        self.w.put(f"br i1 {wrong}, label %fail, label %go{self.labels}")
        self.w.label(f"go{self.labels}")

    # -- storages and results --------------------------------------------------------------------------------------

    def _release(self) -> None:
        """Give back every storage that nothing held lies in."""
        used = {v.keeps for v in self.held.values() if isinstance(v, View | Room)}
        for number, size in enumerate(self.storages):
            if size is not None and Keeps("taken", number) not in used:
                address = self._storage_address(number)
                self.w.put(f"call void @put(ptr %pool, i64 {address}, i64 {size})")
                self._store_out(RESULT_STORAGES + 2 * number, "0")
                self.storages[number] = None

    def _storage_address(self, number: int) -> str:
        at = self.w.value(f"getelementptr i64, ptr %out, i64 {RESULT_STORAGES + 2 * number}", "o")
        return self.w.always(f"load i64, ptr {at}", "b")

    def _store_out(self, place: int, value: str) -> None:
        at = self.w.value(f"getelementptr i64, ptr %out, i64 {place}", "o")
        self.w.put(f"store i64 {value}, ptr {at}")

    def _leave(self) -> tuple[tuple[Left, ...], int]:
        """Write what registers are left with; a value in two registers is written once for each."""
        place = RESULT_STORAGES + 2 * len(self.storages)
        found: list[Left] = []
        for r in sorted(self.run.leaves & self.held.keys()):
            value = self.held[r]
            match value:
                case Taken(register=number):
                    if number != r:
                        found.append(Left(r, "same", number))
                case View(constant=int(index)):
                    found.append(Left(r, "constant", index))
                case Numbers(elements=(one,), scalar=True) if _is_number(one):
                    found.append(Left(r, "literal", int(one)))
                case Numbers(elements=elements, count=count, scalar=scalar):
                    for i, word in enumerate((count, *elements)):
                        self._store_out(place + i, word)
                    found.append(Left(r, "numbers", len(elements), place, scalar))
                    place += 1 + len(elements)
                case Room(keeps=Keeps("taken", number)):
                    found.append(Left(r, "taken", number))
                case Room(keeps=keeps):
                    found.append(Left(r, "same", keeps.number))
                case View(keeps=keeps):
                    words = (value.address, value.elements, value.code, value.rank, value.flags, *value.dims)
                    for i, word in enumerate(words):
                        self._store_out(place + i, word)
                    found.append(Left(r, "tensor", 0, place, keeps=keeps))
                    place += COUNT
        return tuple(found), place

    def _table(self, index: int) -> str:
        at = self.w.value(f"getelementptr i64, ptr %tables, i64 {index}", "a")
        return self.w.value(f"load i64, ptr {at}", "x")

    def _pointer(self, index: int) -> str:
        return self.w.value(f"inttoptr i64 {self._table(index)} to ptr", "f")

    def _line(self, code: str) -> None:
        self.w.put(code)

    def _function_text(self) -> str:
        """The function, with one exit for all failures."""
        clear = []
        for number in range(len(self.storages)):
            at = f"%clear.{number}.at"
            clear.append(f"  {at} = getelementptr i64, ptr %out, i64 {RESULT_STORAGES + 2 * number}")
            clear.append(f"  store i64 0, ptr {at}")
        lines = [
            f"define i32 @{self.run.name}(ptr %in, ptr %out, ptr %pool, ptr %tables, ptr %log) #0 {{",
            "start:",
            *self.w.entry,
            *clear,
            *self.w.lines,
        ]
        if self.exits:
            status, left, right = (
                ", ".join(f"[ {exit[i]}, %{exit[0]} ]" for exit in self.exits) for i in (1, 2, 3)
            )
            lines += [
                "fail:",
                f"  %fail.status = phi i32 {status}",
                f"  %fail.left = phi i64 {left}",
                f"  %fail.right = phi i64 {right}",
                "  store i64 %fail.left, ptr %out",
                "  %fail.right.at = getelementptr i64, ptr %out, i64 1",
                "  store i64 %fail.right, ptr %fail.right.at",
                "  ret i32 %fail.status",
            ]
        return "\n".join([*lines, "}", ""])


def _is_number(value: str) -> bool:
    return not value.startswith("%")


def emit_run(program: Program, run: Run) -> Emitted:
    """One run as LLVM IR."""
    return Emitter(program, run).emit()

