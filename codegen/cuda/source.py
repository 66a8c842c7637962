"""A loop nest as a CUDA kernel: its text, as a CUDA programmer would want to read it, and how it is launched.

The text is complete but for the prelude, whose functions stand for every instruction that C++ has no words for; so the
very same text is compiled for a GPU and, in tests, for the CPU. Positions are of type int: `Launch.objection` knows at
which sizes that is too little.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

from anytile.codegen.cuda.buffers import Home, homes
from anytile.codegen.cuda.emit import Emitter, map_name
from anytile.codegen.cuda.expressions import index_text, name_text
from anytile.codegen.cuda.launch import COUNTERS, Launch, TensorMap
from anytile.codegen.cuda.prelude import PRELUDE_DEVICE
from anytile.codegen.cuda.threads import Layout, cluster_of, layout_of, warp_wide
from anytile.core.dtypes import BYTES
from anytile.schedules.index.expr import Expr, const, expr
from anytile.schedules.nest.mma_operations import matrix_operation
from anytile.schedules.nest.nodes import Alloc, Buffer, BulkCopy, Deliver, Last, LoopNest, Relay, Scope, Tile
from anytile.schedules.nest.traverse import walk

_STATIC = 48 << 10  # bytes of shared memory that a kernel has without asking
_ALIGN = 128
_MBARRIER = 8  # bytes
_SWIZZLED = 1024  # where what a group of warps multiplies begins: its swizzle is told by the address
_LINE = 116
_REGISTERS = 65536  # of a multiprocessor
_FILLER, _MOST = 40, 240  # registers: of a thread that fills, and at most of one that works
_BESIDE_SUMS = 56
_BESIDE_LOADS, _LEAST = 48, 64  # registers of a thread beside what it holds, and that it is given in any case
_BLOCKS = 16  # that every architecture has room for


@dataclass(frozen=True, slots=True)
class CudaSource:
    """`params` are the tensors in the order of the workload, with what their addresses must be multiples of; `shared`
    is what a block takes of the shared memory in all, that which the launch must bring or not.
    """

    text: str
    name: str
    launches: tuple[Launch, ...]
    params: tuple[Buffer, ...]
    symbols: tuple[str, ...]
    shared: int

    @property
    def full(self) -> str:
        """What NVRTC gets."""
        return f"{PRELUDE_DEVICE}\n{self.text}"

    def objection(self, symbols: Mapping[str, int]) -> str | None:
        """In words why it cannot run at these sizes, or nothing."""
        return next((o for launch in self.launches if (o := launch.objection(symbols))), None)


def cuda_source(nest: LoopNest, name: str, title: str = "") -> CudaSource:
    """The kernel of a nest whose loops are bound to blocks and threads; `title` is a comment."""
    layout = layout_of(nest)
    where = homes(nest, layout.spread)
    groups = any(isinstance(s, Tile) and matrix_operation(s.name).warps > 1 for s in walk(nest.body))
    relay = next((s for s in walk(nest.body) if isinstance(s, Relay)), None)
    declared, total = _shared(where, _SWIZZLED if groups else _ALIGN, 0 if relay is None else relay.stages)
    maps = tensor_maps(nest)
    dynamic = total if total > _STATIC else 0
    spaces, workspace = _workspace(where)
    meets = any(isinstance(s, Last) and not s.along for s in walk(nest.body))
    meetings = _meetings(nest, layout)
    emitter = Emitter(layout, where, groups)
    lines = [f"// {title}"] if title else []
    lines += [
        _launched(layout, dynamic),
        *_head(nest, name, layout, where, bool(spaces) or meets, [nest.params[m.tensor] for m in maps]),
        *(f"  {line}" for line in _sizes(nest)),
    ]
    lines += [f"  {line}" for line in (*declared, *spaces)]
    if meets:
        lines.append("  unsigned* meeting = reinterpret_cast<unsigned*>(workspace);")
    lines += [f"  {line}" for line in _places(layout, warp_wide(nest.body))]
    if cluster_of(nest.body) is not None:
        lines.append("  at_cluster_arrive();")
    emitter.begin(nest.body)
    if relay is None:
        emitter.all_of(nest.body)
    else:
        emitter.roles(nest.body, _moved(layout, where))
    text = "\n".join([*lines, *emitter.lines, "}", ""])
    x, y, z = (_given(nest, e) for e in layout.grid)
    launch = Launch(
        kernel=name,
        grid=(x, y, z),
        block=(layout.launched, 1, 1),
        shared=dynamic,
        workspace=_given(nest, workspace) if spaces else const(COUNTERS if meets else 0),
        extents=tuple(_given(nest, _elements(b)) for b in (*nest.params, *_in_workspace(where))),
        meetings=_given(nest, meetings),
        maps=maps,
        waits=True,
    )
    return CudaSource(text, name, (launch,), nest.params, nest.given, total)


def _launched(layout: Layout, dynamic: int) -> str:
    """How it is launched, in a comment, and where what it calls stands."""
    grid = ", ".join(index_text(e) for e in layout.grid)
    room = f", {dynamic} bytes of dynamic shared memory" if dynamic else ""
    return f"// <<<({grid}), {layout.launched}>>>{room}; at_... are short functions of anytile.codegen.cuda.prelude"


def _given(nest: LoopNest, e: Expr) -> Expr:
    """An expression in terms of the symbols that a launch is given."""
    for s in reversed(nest.symbols):
        if s.derived is not None:
            e = e.substitute({s.name: s.derived})
    return nest.bounds.simplify(e)


def tensor_maps(nest: LoopNest) -> tuple[TensorMap, ...]:
    """Of the parameters that are copied or stored in bulk, in their order."""
    boxes = {s.buffer: (s.box, (1,) * len(s.box)) for s in walk(nest.body) if isinstance(s, Deliver)}
    for relay in (s for s in walk(nest.body) if isinstance(s, Relay)):
        for s in (c for c in walk(relay.fill) if isinstance(c, BulkCopy)):
            among = [relay.cluster if s.shared and d == s.parted else 1 for d in range(len(s.box))]
            box = tuple(size // blocks for size, blocks in zip(s.box, among, strict=True))
            boxes[s.source.buffer] = (box, s.steps or (1,) * len(box))
    return tuple(
        TensorMap(number, b.dtype, tuple(_given(nest, e) for e in b.shape), *boxes[b.name])
        for number, b in enumerate(nest.params)
        if b.name in boxes
    )


def _moved(layout: Layout, where: Mapping[str, Home]) -> tuple[int, int] | None:
    """What fillers keep and workers get of a block's registers, where an equal part is too little for their sums."""
    sums = max((prod(h.extents) for h in where.values() if h.buffer.scope is Scope.REGISTER), default=0)
    if sums + _BESIDE_SUMS <= _REGISTERS // layout.launched:
        return None
    left = (_REGISTERS - _FILLER * layout.fillers) // layout.threads
    return _FILLER, min(left, _MOST) // 8 * 8


def _bounds(nest: LoopNest, layout: Layout, where: Mapping[str, Home]) -> tuple[int, ...]:
    """Threads of a block, and how many blocks a multiprocessor is to have, if that is said.

    What streams an operand waits for memory: of all that a thread has room for, every load is to be under way before
    the first is used. ptxas would rather give the same registers to one after the other, unless it is told that no more
    blocks are wanted than have room for that.
    """
    if layout.fillers and _moved(layout, where):
        return layout.launched, 1
    if not any(b.streamed for b in nest.params):
        return (layout.launched,)
    homes_ = [h for h in where.values() if h.buffer.scope is Scope.REGISTER]
    held = sum(prod(h.extents) * (4 if h.packed else BYTES[h.buffer.dtype]) for h in homes_) // 4
    room = _REGISTERS // (max(held + _BESIDE_LOADS, _LEAST) * layout.launched)
    return layout.launched, min(max(room, 1), _BLOCKS)


def _head(
    nest: LoopNest, name: str, layout: Layout, where: Mapping[str, Home], workspace: bool, mapped: list[Buffer]
) -> list[str]:
    args = [_argument(where[b.name]) for b in nest.params]
    args += ["unsigned char* workspace"] if workspace else []
    args += [f"long long {name_text(s)}_size" for s in nest.given]
    args += [f"const __grid_constant__ at_tensor_map {map_name(where[b.name])}" for b in mapped]
    bounds = f"__launch_bounds__({', '.join(map(str, _bounds(nest, layout, where)))})"
    bounds = f"__cluster_dims__({layout.cluster}, 1, 1) {bounds}" if layout.cluster > 1 else bounds
    first, rest = f'extern "C" __global__ void {bounds} {name}(', ", ".join(args)
    if len(first + rest) <= _LINE:
        return [f"{first}{rest}) {{"]
    if len(rest) + 4 <= _LINE:
        return [first, f"    {rest}) {{"]
    return [first, *(f"    {arg}," for arg in args[:-1]), f"    {args[-1]}) {{"]


def _argument(home: Home) -> str:
    return f"{'' if home.buffer.output else 'const '}{home.type}* __restrict__ {home.name}"


def _sizes(nest: LoopNest) -> list[str]:
    lines = [f"const int {name_text(s)} = (int){name_text(s)}_size;" for s in nest.given]
    for s in nest.symbols:
        if s.derived is not None:
            lines.append(f"const int {name_text(s.name)} = {index_text(s.derived)};")
    return lines


def _places(layout: Layout, lane: bool) -> list[str]:
    """Which block and thread this is."""
    lines = []
    for axis, loops in zip("xyz", layout.axes, strict=True):
        inner = 1
        for at, loop in enumerate(reversed(loops)):
            text = f"blockIdx.{axis}" if inner == 1 else f"(int)blockIdx.{axis} / {inner}"
            if at < len(loops) - 1:
                text += f" % {loop.extent.value}"
            lines.append(f"const int {name_text(loop.var)} = {text};")
            inner *= loop.extent.value or 0
    lines += [f"const int {name_text(v)} = {s.text(layout.threads)};" for v, s in layout.spread.items()]
    return [*lines, "const int lane = threadIdx.x % 32;"] if lane else lines


def _shared(where: Mapping[str, Home], align: int, stages: int = 0) -> tuple[list[str], int]:
    """Declarations, and how many bytes they take; beyond _STATIC the launch must bring them. The mbarriers of a relay's
    stages come last."""
    arrays = [h for h in where.values() if h.buffer.scope in (Scope.SHARED, Scope.CLUSTER)]
    phases = 2 * stages * _MBARRIER
    total = sum(_rounded(h.bytes, align) for h in arrays) + phases
    if total <= _STATIC:
        lines = [f"__shared__ __align__({align}) {h.type} {h.declared()};" for h in arrays]
        return [*lines, f"__shared__ unsigned long long full[{stages}], empty[{stages}];"] if stages else lines, total
    lines, start = [f"extern __shared__ __align__({align}) unsigned char at_shared[];"], 0
    for h in arrays:
        inner = "".join(f"[{n}]" for n in h.extents[1:])
        pointer = f"{h.type} (*{h.name}){inner}"
        cast = f"reinterpret_cast<{h.type} (*){inner}>(at_shared + {start})"
        lines.append(f"{pointer} = {cast};")
        start += _rounded(h.bytes, align)
    if stages:
        lines.append(f"unsigned long long* full = reinterpret_cast<unsigned long long*>(at_shared + {start});")
        lines.append(f"unsigned long long* empty = full + {stages};")
    return lines, total


def shared_bytes(sizes: list[int]) -> int:
    """What arrays of so many bytes take together."""
    return sum(map(_rounded, sizes))


def _rounded(size: int, align: int = _ALIGN) -> int:
    return -(-size // align) * align


def _workspace(where: Mapping[str, Home]) -> tuple[list[str], Expr]:
    lines, start = [], const(COUNTERS)
    for h in where.values():
        if h.buffer.scope is Scope.WORKSPACE:
            name = h.name
            lines.append(f"{h.type}* {name} = reinterpret_cast<{h.type}*>(workspace + {index_text(start)});")
            start = start + _elements(h.buffer) * BYTES[h.buffer.dtype]
    return lines, start


def _in_workspace(where: Mapping[str, Home]) -> list[Buffer]:
    return [h.buffer for h in where.values() if h.buffer.scope is Scope.WORKSPACE]


def _meetings(nest: LoopNest, layout: Layout) -> Expr:
    for s in walk(nest.body):
        if isinstance(s, Last) and not s.along:
            return prod((loop.extent for loop in layout.blocks if loop.var != s.var), start=const(1))
    return const(0)


def _elements(b: Buffer) -> Expr:
    return prod((expr(e) for e in b.shape), start=const(1))


def allocated(nest: LoopNest) -> tuple[Buffer, ...]:
    return tuple(s.buffer for s in walk(nest.body) if isinstance(s, Alloc))
