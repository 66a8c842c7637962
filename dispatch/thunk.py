"""LLVM IR of the native thunks that stand between compiled code and a BLAS. Text only; addresses come from `rivals`.

A thunk has cblas_sgemm's signature with 64-bit integers, whatever the library's own are, and holds the library to a
number of threads while it runs. The first of several overlapping calls notes the old number, the last one puts it back;
a spin lock covers those few instructions and never the product itself.
"""

from __future__ import annotations

from dataclasses import dataclass

from anytile.schedules.errors import UnsupportedError
from anytile.schedules.workload import Any, Workload

THUNK = "anytile_blas_thunk"
ENTRY = "anytile_blas_entry"


@dataclass(frozen=True, slots=True)
class Addresses:
    """Where the library's functions are in this process, 0 for those it lacks, and three int32 of lasting state."""

    sgemm: int
    get_threads: int
    set_threads: int
    state: int


_SIGNATURE = (
    "i32 %order, i32 %ta, i32 %tb, {i} %m, {i} %n, {i} %k, "
    "float %alpha, ptr %a, {i} %lda, ptr %b, {i} %ldb, float %beta, ptr %c, {i} %ldc"
)
_INTEGERS = ("m", "n", "k", "lda", "ldb", "ldc")


def thunk_ir(at: Addresses, ilp64: bool, threads: int) -> str:
    """`void THUNK(cblas_sgemm's arguments, integers i64)`: hold the threads, call, let them go."""
    cut, arguments = "", _SIGNATURE.format(i="i64")
    if not ilp64:
        cut = "".join(f"  %{v}.32 = trunc i64 %{v} to i32\n" for v in _INTEGERS)
        arguments = _SIGNATURE.format(i="i32")
        for v in _INTEGERS:
            arguments = arguments.replace(f"i32 %{v},", f"i32 %{v}.32,")
        arguments = arguments.removesuffix("%ldc") + "%ldc.32"
    call = f"  call void inttoptr (i64 {at.sgemm} to ptr)({arguments})\n"
    before = after = helpers = ""
    if at.get_threads and at.set_threads:
        before, after = "  call void @hold_threads()\n", "  call void @release_threads()\n"
        helpers = _threads_ir(at, threads)
    head = f"define void @{THUNK}({_SIGNATURE.format(i='i64')}) {{\n"
    return f"{helpers}{head}{cut}{before}{call}{after}  ret void\n}}\n"


def _threads_ir(at: Addresses, threads: int) -> str:
    lock, users, saved = (f"inttoptr (i64 {at.state + 4 * i} to ptr)" for i in range(3))
    return f"""
define internal void @take() {{
entry:
  br label %spin
spin:
  %pair = cmpxchg ptr {lock}, i32 0, i32 1 acquire monotonic
  %won = extractvalue {{ i32, i1 }} %pair, 1
  br i1 %won, label %done, label %spin
done:
  ret void
}}
define internal void @hold_threads() {{
entry:
  call void @take()
  %users = load i32, ptr {users}
  %more = add i32 %users, 1
  store i32 %more, ptr {users}
  %first = icmp eq i32 %users, 0
  br i1 %first, label %look, label %done
look:
  %now = call i32 inttoptr (i64 {at.get_threads} to ptr)()
  %differs = icmp ne i32 %now, {threads}
  %keep = select i1 %differs, i32 %now, i32 0
  store i32 %keep, ptr {saved}
  br i1 %differs, label %change, label %done
change:
  call void inttoptr (i64 {at.set_threads} to ptr)(i32 {threads})
  br label %done
done:
  store atomic i32 0, ptr {lock} release, align 4
  ret void
}}
define internal void @release_threads() {{
entry:
  call void @take()
  %users = load i32, ptr {users}
  %fewer = sub i32 %users, 1
  store i32 %fewer, ptr {users}
  %last = icmp eq i32 %fewer, 0
  %old = load i32, ptr {saved}
  %changed = icmp ne i32 %old, 0
  %both = and i1 %last, %changed
  br i1 %both, label %restore, label %done
restore:
  store i32 0, ptr {saved}
  call void inttoptr (i64 {at.set_threads} to ptr)(i32 %old)
  br label %done
done:
  store atomic i32 0, ptr {lock} release, align 4
  ret void
}}
"""


def entry_ir(workload: Workload) -> str:
    """A kernel of the ABI that computes a dense workload by the thunk; data is x, raw w, y."""
    if workload.op != "dense":
        raise UnsupportedError(f"{workload.op}: no library rival is known; only dense has one")
    lines, values = [], {}
    for name in ("m", "n", "k"):
        dim = workload.dim(name)
        if isinstance(dim, Any):
            place = workload.symbols.index(dim.name)
            lines += [
                f"  %{name}.at = getelementptr i64, ptr %dims, i64 {place}",
                f"  %{name} = load i64, ptr %{name}.at",
            ]
        values[name] = f"%{name}" if isinstance(dim, Any) else str(dim)
    for place, name in enumerate(("x", "w", "y")):
        lines += [
            f"  %{name}.at = getelementptr ptr, ptr %data, i64 {place}",
            f"  %{name} = load ptr, ptr %{name}.at",
        ]
    m, n, k = values["m"], values["n"], values["k"]
    body = "\n".join(lines)
    return f"""
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
define i32 @{ENTRY}(ptr %data, ptr %dims, ptr %workspace) {{
{body}
  %count = mul i64 {m}, {n}
  %none = icmp eq i64 %count, 0
  br i1 %none, label %done, label %some
some:
  %flat = icmp eq i64 {k}, 0
  br i1 %flat, label %zero, label %multiply
zero:
  %bytes = mul i64 %count, 4
  call void @llvm.memset.p0.i64(ptr %y, i8 0, i64 %bytes, i1 false)
  br label %done
multiply:
  call void @{THUNK}(i32 101, i32 111, i32 112, i64 {m}, i64 {n}, i64 {k},
    float 1.0, ptr %x, i64 {k}, ptr %w, i64 {k}, float 0.0, ptr %y, i64 {n})
  br label %done
done:
  ret i32 0
}}
"""
