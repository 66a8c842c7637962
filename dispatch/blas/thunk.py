"""LLVM IR of the native thunks that stand between compiled code and a BLAS. Text only; addresses come from `in_plans`.

A thunk has cblas_sgemm's signature with 64-bit integers, whatever the library's own are, and holds the library to a
number of threads while it runs. The first of several overlapping calls notes the old number, the last one puts it back;
a spin lock covers those few instructions and never the product itself.
"""

from __future__ import annotations

from dataclasses import dataclass

THUNK = "anytile_blas_thunk"
# In compiled code with a library range, to be filled before it runs: where the function is, and how wide it counts.
BLAS_SLOT = "anytile_blas_sgemm"
BLAS_WIDE = "anytile_blas_wide"


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
_SIZES, _STRIDES = ("m", "n", "k"), ("lda", "ldb", "ldc")


def thunk_ir(at: Addresses, ilp64: bool, threads: int) -> str:
    """`void THUNK(cblas_sgemm's arguments, integers i64)`: hold the threads, call, let them go."""
    width = "i64" if ilp64 else "i32"
    # A stride of 0, which an empty k gives, is an error to BLAS even where it is never used.
    lines = [f"  %{v}.one = call i64 @llvm.smax.i64(i64 %{v}, i64 1)" for v in _STRIDES]
    arguments = _SIGNATURE.format(i=width) + ","
    for v in (*_SIZES, *_STRIDES):
        value = f"{v}.one" if v in _STRIDES else v
        if not ilp64:
            lines.append(f"  %{v}.cut = trunc i64 %{value} to i32")
            value = f"{v}.cut"
        arguments = arguments.replace(f"{width} %{v},", f"{width} %{value},")
    call = f"  call void inttoptr (i64 {at.sgemm} to ptr)({arguments.rstrip(',')})"
    helpers = "declare i64 @llvm.smax.i64(i64, i64)\n"
    if at.get_threads and at.set_threads:
        helpers += _threads_ir(at, threads)
        lines += ["  call void @hold_threads()", call, "  call void @release_threads()"]
    else:
        lines.append(call)
    body = "\n".join(lines)
    return f"{helpers}define void @{THUNK}({_SIGNATURE.format(i='i64')}) {{\n{body}\n  ret void\n}}\n"


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
