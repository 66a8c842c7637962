"""Compilation of plans to machine code: residue kernels, packing functions, and the function that dispatches.

The module of a plan holds one internal function per variant and residue class, and around them:

    anytile_kernel(data, dims, workspace)   picks range, variant and residue class; 0, or 1 where no kernel fits
    anytile_workspace(dims)                 bytes of workspace that any of them needs
    anytile_pack_<operand>(data, dims)      data = [raw, packed]: every layout of the operand, one behind the other
    anytile_packed_<operand>(dims)          bytes of that buffer
    anytile_blas_sgemm, anytile_blas_wide   slots for a library's function, and whether it takes 64-bit sizes, that
                                            dispatch fills where a range of the plan runs the library
    anytile_openmp                          slot for the table of threads, where a loop is parallel; the loader fills it

Variants that want the same layout of a constant share one copy. A tuning candidate is compiled by the same code with
fewer residues, so what is measured is what is shipped.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial

from anytile.codegen.artifact import Artifact, Packed
from anytile.codegen.cache import CodeCache, key_of
from anytile.codegen.llvm.addresses import padded_bytes
from anytile.codegen.llvm.compile import assembly, compile_ir
from anytile.codegen.llvm.emit import emit_function, workspace_bytes
from anytile.codegen.llvm.lanewise import Instructions
from anytile.codegen.llvm.module import call, finish, kernel_function, load_data, load_dims, module, size_function
from anytile.codegen.llvm.outline_tiles import Tiles, sums_over, written
from anytile.codegen.llvm.writer import Writer, symbol
from anytile.core.dtypes import BYTES
from anytile.core.errors import SpecError, UnsupportedError
from anytile.dispatch.blas.thunk import BLAS_SLOT, BLAS_WIDE
from anytile.dispatch.cpu.plan_key import key_of_plan, made_with
from anytile.schedules.hardware.cpu import facts
from anytile.schedules.hardware.narrow import narrow_facts
from anytile.schedules.hardware.target import Target
from anytile.schedules.index.expr import Expr, const, maximum, minimum, var
from anytile.schedules.nest.dependences import to_and_fro
from anytile.schedules.nest.nodes import LoopNest
from anytile.schedules.plans.plan import DispatchPlan, Range, Variant
from anytile.schedules.primitives.blocked_layout import Blocked, layouts_text
from anytile.schedules.primitives.residue import specialise
from anytile.schedules.templates.base.definition import signature
from anytile.schedules.templates.base.symbol_names import scheduled
from anytile.schedules.templates.base.template import Pack, Scheduled
from anytile.schedules.templates.registry import template
from anytile.schedules.workloads.workload import Workload

ENTRY = "anytile_kernel"
WORKSPACE = "anytile_workspace"
BLAS = "blas"
_KEPT = 0.5  # of the second cache: a constant below that is found there again, whatever else a call reads
_MANY = 1500  # stores and updates that kernels are written as; fewer compile soon enough as they are
_TABLE_LIMIT = 1024  # ranges that start below this size are dispatched through a table of bytes


@dataclass(frozen=True, slots=True)
class _Kernel:
    """One internal function: the nest of a variant for one residue class."""

    function: str
    nest: LoopNest
    high: int  # the highest residue it serves
    calls: bool = False  # functions for its tiles, which it shares with other kernels


@dataclass(frozen=True, slots=True)
class _Layout:
    """One packed copy of a constant; `offset` is where it lies in the operand's buffer. No pack: the raw data."""

    pack: Pack | None
    offset: Expr
    size: Expr


@dataclass
class Lowered:
    """A plan as loop nests: what the module is written from, and what people look at."""

    plan: DispatchPlan
    scheduled: list[Scheduled]
    kernels: list[list[_Kernel]]
    layouts: dict[str, list[_Layout]]

    @property
    def symbols(self) -> tuple[str, ...]:
        return self.plan.workload.symbols

    def layout(self, operand: str, pack: Pack | None) -> _Layout:
        key = None if pack is None else pack.key
        return next(x for x in self.layouts[operand] if (x.pack.key if x.pack else None) == key)

    def kernel_at(self, size: int) -> _Kernel | None:
        """The function that runs at a size; None where a library does."""
        runs = self.plan.range_at(size).runs
        if not isinstance(runs, int):
            return None
        variant = self.plan.variants[runs]
        residue = size % variant.tile if variant.classes else 0
        return next((k for k in self.kernels[runs] if residue <= k.high), None)


def lower(plan: DispatchPlan, sizes: Collection[int] | None = None) -> Lowered:
    """Schedule and specialise everything the plan names; with `sizes`, only the residues that these need."""
    lowered = Lowered(plan, [], [], {})
    for r in plan.ranges:
        if isinstance(r.runs, str) and r.runs != BLAS:
            raise UnsupportedError(f"plan for {plan.workload}: no library {r.runs!r} is known; expected {BLAS!r}")
    for v, variant in enumerate(plan.variants):
        made = scheduled(template(variant.template), plan.workload, plan.target, variant.config)
        made = _turning(made, plan.workload, plan.target)
        lowered.scheduled.append(made)
        lowered.kernels.append(_kernels(made, variant, v, sizes))
    for operand in plan.workload.const:
        lowered.layouts[operand] = _layouts(plan, operand, lowered.scheduled)
    return lowered


def _turning(made: Scheduled, workload: Workload, target: Target) -> Scheduled:
    """With constants that overflow the second cache walked to and fro: a call starts with what the last one left.

    Of what is streamed nothing is left, and what is asked for ahead lies where the next round goes on.
    """
    nest = made.nest
    for packed in (p.nest.params[1] for p in made.packs if p.operand not in workload.streamed):
        size = padded_bytes(packed).value
        if size is not None and size > facts(target).l2_bytes * _KEPT:
            nest = to_and_fro(nest, packed.name)
    return replace(made, nest=nest)


def _kernels(made: Scheduled, variant: Variant, v: int, sizes: Collection[int] | None) -> list[_Kernel]:
    if not variant.classes:
        return [_Kernel(f"v{v}", made.nest, variant.tile)]
    if made.walk is None and variant.tile == 1:  # of which nothing is ever left
        return [_Kernel(f"v{v}", made.nest, 0)]
    if made.walk is None:
        raise SpecError(f"{variant.template}: residue classes for a workload without a symbol to walk")
    if made.walk.tile != variant.tile:
        raise SpecError(f"{variant.template}: the plan says a tile of {variant.tile}, the config {made.walk.tile}")
    # Whichever of them are built: what is measured is what is shipped.
    many = written(made.nest.body) * variant.tile >= _MANY and not sums_over(made.nest.body, made.walk.symbol)
    return [
        _Kernel(f"v{v}_r{low}_{high}", specialise(made.nest, made.walk, low, high), high, many)
        for low, high in variant.classes_at(sizes)
    ]


def _layouts(plan: DispatchPlan, operand: str, every: Sequence[Scheduled]) -> list[_Layout]:
    packs: dict[str | None, Pack | None] = {}
    for s in every:
        found = next((p for p in s.packs if p.operand == operand), None)
        packs.setdefault(found.key if found else None, found)
    if any(r.runs == BLAS for r in plan.ranges):
        packs.setdefault(None, None)
    layouts, offset = [], const(0)
    for pack in packs.values():
        buffer = pack.nest.params[1] if pack is not None else signature(plan.workload).param(operand)
        layouts.append(_Layout(pack, offset, padded_bytes(buffer)))
        offset = offset + layouts[-1].size
    return layouts


def _text(kernel: _Kernel, name: str, target: Target, tiles: Tiles) -> str:
    return emit_function(kernel.nest, name, target.threads, tiles if kernel.calls else None)


def emit_plan(plan: DispatchPlan, sizes: Collection[int] | None = None) -> str:
    """The plan's module as LLVM IR."""
    return _emitted(lower(plan, sizes))


def _emitted(lowered: Lowered) -> str:
    plan = lowered.plan
    tiles = Tiles()
    functions = [_text(k, k.function, plan.target, tiles) for ks in lowered.kernels for k in ks]
    functions += tiles.texts
    for operand, layouts in lowered.layouts.items():
        functions += _pack_functions(lowered, operand, layouts)
    functions.append(size_function(WORKSPACE, _workspace(lowered), lowered.symbols))
    functions.append(_dispatch_function(lowered))
    return module(functions, Instructions.of(facts(plan.target)), partial(narrow_facts, plan.target))


def compile_plan(
    plan: DispatchPlan,
    sizes: Collection[int] | None = None,
    cache: CodeCache | None = None,
    facts_too: bool = False,
) -> Artifact:
    """The plan's module as an artifact. With `sizes` it serves only the residues that these sizes need.

    What the cache has of the plan is not lowered and written down again, which takes as long as LLVM does.
    `facts_too` adds what a search wants to know of the code, and makes LLVM take twice as long.
    """
    if plan.target.kind != "llvm":
        raise UnsupportedError(f"target {plan.target}: LLVM code was asked for; expected a target such as llvm")
    if cache is None:
        return _compiled(lower(plan, sizes), cache, facts_too)
    key = key_of_plan(plan, sizes, facts_too)
    found = cache.get(key)
    if found is None:
        found = _compiled(lower(plan, sizes), cache, facts_too)
        cache.put(key, found)
    return found


def _compiled(lowered: Lowered, cache: CodeCache | None, facts_too: bool) -> Artifact:
    """From the cache where this very text was compiled, be it of another plan or by another anytile."""
    plan, ir = lowered.plan, _emitted(lowered)
    packed = tuple(
        Packed(o, f"anytile_pack_{o}", f"anytile_packed_{o}", _layout_text(lowered, o)) for o in plan.workload.const
    )
    key = key_of(ir, *made_with(plan.target, facts_too), *(p.layout for p in packed))
    found = None if cache is None else cache.get(key)
    if found is None:
        found = compile_ir(ir, plan.target, ENTRY, WORKSPACE, packed, facts_too)
        if cache is not None:
            cache.put(key, found)
    return found


def source(plan: DispatchPlan, size: int | None = None, form: str = "nest") -> str:
    """What a plan becomes, to be read: `nest`, `llvm` or `asm`; of one size, or of everything."""
    if form == "nest":
        lowered = lower(plan)
        if size is None:
            return "\n".join(str(k.nest) for ks in lowered.kernels for k in ks)
        kernel = lowered.kernel_at(size)
        return str(kernel.nest) if kernel is not None else f"{plan.symbol}={size} runs {plan.range_at(size).runs}\n"
    if form not in ("llvm", "asm"):
        raise SpecError(f"source form {form!r}: expected nest, llvm or asm")
    if size is None:
        ir = emit_plan(plan)
    else:
        kernel, tiles = lower(plan, (size,)).kernel_at(size), Tiles()
        if kernel is None:
            return f"; {plan.symbol}={size} runs {plan.range_at(size).runs}\n"
        texts = [_text(kernel, "kernel", plan.target, tiles), *tiles.texts]
        texts.append(kernel_function(ENTRY, "kernel", kernel.nest, plan.workload.symbols))
        ir = module(texts, Instructions.of(facts(plan.target)), partial(narrow_facts, plan.target))
    return ir if form == "llvm" else assembly(ir, plan.target)


def _workspace(lowered: Lowered) -> Expr:
    """The most that any kernel needs of those that may run at a size: nothing where none of its range needs any."""
    plan, found = lowered.plan, const(0)
    for variant, kernels in enumerate(lowered.kernels):
        ranges = [_is_within(r, plan.symbol) for r in plan.ranges if r.runs == variant]
        for nest in {k.nest.body: k.nest for k in kernels}.values():
            derived = {s.name: s.derived for s in nest.symbols if s.derived is not None}
            size = workspace_bytes(nest, plan.target.threads).substitute(derived)
            for needed in [within * size for within in ranges if size.value != 0]:
                found = maximum(found, needed) if found.value != 0 else needed
    return found


def _is_within(r: Range, name: str | None) -> Expr:
    """1 where a size is of a range, else 0."""
    if name is None:
        return const(1)
    size, found = var(name), const(1)
    if r.low > 0:
        found = found * minimum(maximum(size - (r.low - 1), 0), 1)
    if r.high is not None:
        found = found * minimum(maximum(const(r.high + 1) - size, 0), 1)
    return found


def _pack_functions(lowered: Lowered, operand: str, layouts: Sequence[_Layout]) -> list[str]:
    """One function that makes every layout, one that says how large they are together."""
    functions, total = [], const(0)
    w = Writer()
    load_dims(w, lowered.symbols)
    raw, packed = load_data(w, 2)
    for i, layout in enumerate(layouts):
        at = w.value(f"getelementptr i8, ptr {packed}, i64 {w.index(layout.offset)}", "p")
        if layout.pack is None:
            size = w.index(_raw_bytes(lowered, operand))
            w.put(f"call void @llvm.memcpy.p0.p0.i64(ptr {at}, ptr {raw}, i64 {size}, i1 false)")
        else:
            name = f"pack_{operand}_{i}"
            functions.append(emit_function(layout.pack.nest, name))
            w.put(call(name, layout.pack.nest, (raw, at), "null"))
        total = total + layout.size
    head = f"define i32 @anytile_pack_{operand}(ptr %data, ptr %dims, ptr %workspace) #0 {{\nstart:\n"
    functions.append(head + finish(w, "ret i32 0"))
    functions.append(size_function(f"anytile_packed_{operand}", total, lowered.symbols))
    return functions


def _layout_text(lowered: Lowered, operand: str) -> str:
    """How a constant's packed copies lie, as data."""
    raw = [e.value or 0 for e in signature(lowered.plan.workload).param(operand).shape]
    if 0 in raw:  # a size that is not known, or nothing to lay out
        return ""
    plain = Blocked.plain(raw)
    return layouts_text([plain if x.pack is None else Blocked.of(x.pack.nest) for x in lowered.layouts[operand]])


def _raw_bytes(lowered: Lowered, operand: str) -> Expr:
    buffer = signature(lowered.plan.workload).param(operand)
    size = const(BYTES[buffer.dtype])
    for extent in buffer.shape:
        size = size * extent
    return size


def _dispatch_function(lowered: Lowered) -> str:
    """The entry: a table or comparisons for the range, a switch for the residue class, a call."""
    plan, w = lowered.plan, Writer()
    tensors = plan.workload.tensors
    load_dims(w, lowered.symbols)
    _refuse_negative(w, lowered.symbols)
    pointers = load_data(w, len(tensors))
    outcomes: list[int | str] = sorted({r.runs for r in plan.ranges}, key=str)
    table = ""
    if len(outcomes) > 1:
        table = _table(plan, outcomes)
        _pick_range(w, plan, outcomes)
    else:
        w.put("br label %run0")
    for i, runs in enumerate(outcomes):
        w.label(f"run{i}")
        with w.scope():
            if isinstance(runs, int):
                _call_variant(w, lowered, runs, pointers, i)
            else:
                _call_blas(w, lowered, pointers)
    w.label("nothing")
    head = f"define i32 @{ENTRY}(ptr %data, ptr %dims, ptr %workspace) #0 {{\nstart:\n"
    text = table + head + finish(w, "ret i32 1")
    if BLAS in outcomes:
        text = f"@{BLAS_SLOT} = global ptr null\n@{BLAS_WIDE} = global i32 0\n" + text
    return text


def _refuse_negative(w: Writer, symbols: Sequence[str]) -> None:
    """A native caller is checked by nobody else, and no kernel is right at a size below zero."""
    for s in symbols:
        w.put(f"%{s}.negative = icmp slt i64 {symbol(s)}, 0")
        w.put(f"br i1 %{s}.negative, label %nothing, label %{s}.known")
        w.label(f"{s}.known")


def _table(plan: DispatchPlan, outcomes: Sequence[int | str]) -> str:
    cells = ", ".join(f"i8 {outcomes.index(plan.range_at(size).runs)}" for size in range(_TABLE_LIMIT))
    return f"@anytile_ranges = internal constant [{_TABLE_LIMIT} x i8] [{cells}]\n"


def _pick_range(w: Writer, plan: DispatchPlan, outcomes: Sequence[int | str]) -> None:
    size = symbol(plan.symbol or "")
    w.put(f"%small = icmp ult i64 {size}, {_TABLE_LIMIT}")
    w.put("br i1 %small, label %lookup, label %large0")
    w.label("lookup")
    w.put(f"%cell = getelementptr i8, ptr @anytile_ranges, i64 {size}")
    w.put("%runs = load i8, ptr %cell")
    cases = " ".join(f"i8 {i}, label %run{i}" for i in range(len(outcomes)))
    w.put(f"switch i8 %runs, label %nothing [ {cases} ]")
    large = [r for r in plan.ranges if r.high is None or r.high >= _TABLE_LIMIT]
    for i, r in enumerate(large):
        w.label(f"large{i}")
        run = f"label %run{outcomes.index(r.runs)}"
        if r.high is None:
            w.put(f"br {run}")
        else:
            w.put(f"%within{i} = icmp sle i64 {size}, {r.high}")
            w.put(f"br i1 %within{i}, {run}, label %large{i + 1}")


def _call_variant(w: Writer, lowered: Lowered, v: int, pointers: Sequence[str], place: int) -> None:
    variant, kernels = lowered.plan.variants[v], lowered.kernels[v]
    inputs = _with_layouts(w, lowered, lowered.scheduled[v], pointers)
    if not variant.classes:
        w.put(call(kernels[0].function, kernels[0].nest, inputs, "%workspace"))
        w.put("ret i32 0")
        return
    residue = w.value(f"urem i64 {symbol(lowered.plan.symbol or '')}, {variant.tile}", "r")
    lows = {high: low for low, high in variant.classes}
    by_residue = [(r, k) for k in kernels for r in range(lows[k.high], k.high + 1)]
    cases = " ".join(f"i64 {r}, label %call{place}_{k.high}" for r, k in by_residue)
    w.put(f"switch i64 {residue}, label %nothing [ {cases} ]")
    for k in kernels:
        w.label(f"call{place}_{k.high}")
        w.put(call(k.function, k.nest, inputs, "%workspace"))
        w.put("ret i32 0")


def _with_layouts(w: Writer, lowered: Lowered, made: Scheduled, pointers: Sequence[str]) -> list[str]:
    """The tensors' pointers, with each constant operand's moved to the layout that this variant reads."""
    moved = []
    for spec, pointer in zip(lowered.plan.workload.tensors, pointers, strict=True):
        if spec.name in lowered.layouts:
            pack = next((p for p in made.packs if p.operand == spec.name), None)
            offset = w.index(lowered.layout(spec.name, pack).offset)
            if offset != "0":
                pointer = w.value(f"getelementptr i8, ptr {pointer}, i64 {offset}", "p")
        moved.append(pointer)
    return moved


def _call_blas(w: Writer, lowered: Lowered, pointers: Sequence[str]) -> None:
    """y = x @ w.T by cblas_sgemm: row-major, w transposed, in the integer width of the library found.

    It reads and writes float32 and nothing beside, whatever a plan out of a file says.
    """
    workload = lowered.plan.workload
    if workload.op != "dense" or workload.dtype != "float32" or workload.stored or workload.tail:
        raise UnsupportedError(f"{workload}: no library call is known for it")
    (rows, columns), (_, depth) = (signature(workload).param(name).shape for name in ("y", "w"))
    # A library wants leading dimensions of at least 1, of empty matrices too.
    sizes = [w.index(e) for e in (rows, columns, depth, maximum(depth, 1), maximum(columns, 1))]
    x, weight, y = pointers
    if "w" in lowered.layouts:
        offset = w.index(lowered.layout("w", None).offset)
        weight = w.value(f"getelementptr i8, ptr {weight}, i64 {offset}", "p")
    function = w.always(f"load ptr, ptr @{BLAS_SLOT}", "f")
    missing = w.value(f"icmp eq ptr {function}, null", "c")
    w.put(f"br i1 {missing}, label %nothing, label %blas")
    w.label("blas")
    wide = w.always(f"load i32, ptr @{BLAS_WIDE}", "b")
    is_wide = w.value(f"icmp ne i32 {wide}, 0", "c")
    w.put(f"br i1 {is_wide}, label %blas64, label %blas32")
    for bits in (64, 32):
        w.label(f"blas{bits}")
        with w.scope():
            m, n, k, row, out = (v if bits == 64 else w.value(f"trunc i64 {v} to i32", "n") for v in sizes)
            i = f"i{bits}"
            w.put(
                f"call void {function}(i32 101, i32 111, i32 112, {i} {m}, {i} {n}, {i} {k}, float 1.0, "
                f"ptr {x}, {i} {row}, ptr {weight}, {i} {row}, float 0.0, ptr {y}, {i} {out})"
            )
            w.put("ret i32 0")
