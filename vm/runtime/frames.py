"""LLVM IR of frames: the machine's stack of words and what is on it, a run's begin and its end.

    i32 anytile_begin(ptr machine, i64 function)    makes the first frame of the tuple that the machine is GIVEN
    i32 anytile_unwind(ptr machine, i64)            lets go of what was given, of all frames and of the result

A frame's registers are cells, each counted once, or null. The stack moves when it grows: only `registers` that were
read after the last call of `stack_to` are where they were. A run that is over keeps little of what it took.
"""

from __future__ import annotations

from anytile.vm.interpreter.loop import MAX_STACK
from anytile.vm.runtime.cell_words import (
    CALLER,
    CAPACITY,
    CELL_FIELDS,
    CELLS,
    CELLS_KEPT,
    CHUNK,
    CHUNK_CELLS,
    CHUNKS,
    DEPTH,
    DONE,
    FRAME,
    FREE,
    FUNCTIONS,
    GIVEN,
    HEADER,
    OUT_PAIR,
    POOL,
    REGISTERS,
    RESULT,
    ROOM,
    STACK,
    STEP,
    TOTAL,
)
from anytile.vm.runtime.cells import at, read, write
from anytile.vm.runtime.step_table import FUNCTION

BEGUN, NO_STACK = range(2)
_LEAST = 1 << 10  # words of a stack
_KEPT = 1 << 18


def register(name: str, number: str) -> str:
    """What a register of the running frame holds."""
    return read(name, "%registers", number, "ptr")


FRAME_HELPERS = f"""
declare ptr @realloc(ptr, i64)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)

define internal ptr @stack_to(ptr %machine, i64 %words) #0 {{
  {read("stack", "%machine", STACK, "ptr")}
  {read("capacity", "%machine", CAPACITY)}
  %enough = icmp sle i64 %words, %capacity
  br i1 %enough, label %done, label %grow
grow:
  %twice = shl i64 %words, 1
  %most = call i64 @llvm.smax.i64(i64 %twice, i64 {_LEAST})
  %bytes = shl i64 %most, 3
  {read("pool", "%machine", POOL, "ptr")}
  %counted = call i64 @llvm.smax.i64(i64 %capacity, i64 {_LEAST})
  %more = sub i64 %most, %counted
  %more.bytes = shl i64 %more, 3
  %granted = call i1 @grant(ptr %pool, i64 %more.bytes)
  br i1 %granted, label %ask, label %bad
ask:
  %new = call ptr @realloc(ptr %stack, i64 %bytes)
  %none = icmp eq ptr %new, null
  br i1 %none, label %refused, label %grown
refused:
  call void @returned(ptr %pool, i64 %more.bytes)
  br label %bad
grown:
  store ptr %new, ptr %stack.at
  store i64 %most, ptr %capacity.at
  ret ptr %new
bad:
  ret ptr null
done:
  ret ptr %stack
}}

define internal void @copy(ptr %to, ptr %from, ptr %list, i64 %count) #0 {{
start:
  br label %head
head:
  %i = phi i64 [ 0, %start ], [ %i.next, %one ]
  %more = icmp slt i64 %i, %count
  br i1 %more, label %one, label %done
one:
  {read("place", "%list", "%i")}
  {read("held", "%from", "%place", "ptr")}
  call void @retain(ptr %held)
  {write("held", "%to", "%i", "%held", "ptr")}
  %i.next = add i64 %i, 1
  br label %head
done:
  ret void
}}

define internal void @drop(ptr %machine, ptr %registers, ptr %list, i64 %count) #0 {{
start:
  br label %head
head:
  %i = phi i64 [ 0, %start ], [ %i.next, %one ]
  %more = icmp slt i64 %i, %count
  br i1 %more, label %one, label %done
one:
  {read("place", "%list", "%i")}
  call void @set(ptr %machine, ptr %registers, i64 %place, ptr null)
  %i.next = add i64 %i, 1
  br label %head
done:
  ret void
}}

define internal void @drop_frame(ptr %machine, ptr %registers, i64 %count) #0 {{
start:
  br label %head
head:
  %i = phi i64 [ 0, %start ], [ %i.next, %next ]
  %more = icmp slt i64 %i, %count
  br i1 %more, label %one, label %done
one:
  {read("held", "%registers", "%i", "ptr")}
  %empty = icmp eq ptr %held, null
  br i1 %empty, label %next, label %full
full:
  store ptr null, ptr %held.at
  call void @release(ptr %machine, ptr %held)
  br label %next
next:
  %i.next = add i64 %i, 1
  br label %head
done:
  ret void
}}

define internal void @clear(ptr %registers, i64 %from, i64 %to) #0 {{
  {at("first", "%registers", "%from")}
  %words = sub i64 %to, %from
  %bytes = shl i64 %words, 3
  call void @llvm.memset.p0.i64(ptr %first, i8 0, i64 %bytes, i1 false)
  ret void
}}

define internal void @take_fields(ptr %to, ptr %value, i64 %count) #0 {{
start:
  br label %head
head:
  %i = phi i64 [ 0, %start ], [ %i.next, %one ]
  %more = icmp slt i64 %i, %count
  br i1 %more, label %one, label %done
one:
  %place = add i64 %i, {CELL_FIELDS}
  {read("held", "%value", "%place", "ptr")}
  call void @retain(ptr %held)
  {write("held", "%to", "%i", "%held", "ptr")}
  %i.next = add i64 %i, 1
  br label %head
done:
  ret void
}}

define i32 @anytile_begin(ptr %machine, i64 %function) #0 {{
  {read("functions", "%machine", FUNCTIONS, "ptr")}
  %far = mul i64 %function, {FUNCTION}
  {read("size", "%functions", "%far")}
  {at("about", "%functions", "%far")}
  {read("count", "%about", 1)}
  {read("first", "%about", 2, "ptr")}
  %words = add i64 %size, {HEADER}
  %stack = call ptr @stack_to(ptr %machine, i64 %words)
  %none = icmp eq ptr %stack, null
  br i1 %none, label %bad, label %good
good:
  {at("registers", "%stack", HEADER)}
  call void @clear(ptr %registers, i64 0, i64 %size)
  {read("arguments", "%machine", GIVEN, "ptr")}
  call void @take_fields(ptr %registers, ptr %arguments, i64 %count)
  {write("registers", "%registers", REGISTERS, "%size")}
  {write("frame", "%machine", FRAME, str(HEADER))}
  {write("step", "%machine", STEP, "%first", "ptr")}
  store ptr null, ptr %arguments.at
  call void @release(ptr %machine, ptr %arguments)
  {write("depth", "%machine", DEPTH, "0")}
  {write("room", "%machine", ROOM, str(MAX_STACK))}
  {write("done", "%machine", DONE, "0")}
  ret i32 {BEGUN}
bad:
  ret i32 {NO_STACK}
}}

define i32 @anytile_unwind(ptr %machine, i64 %zero) #0 {{
  {read("out", "%machine", OUT_PAIR)}
  %none = icmp eq i64 %out, 0
  br i1 %none, label %rest, label %out.left
out.left:
  {read("pool", "%machine", POOL, "ptr")}
  {read("size", "%machine", OUT_PAIR + 1)}
  call void @put(ptr %pool, i64 %out, i64 %size)
  store i64 0, ptr %out.at
  br label %rest
rest:
  call void @let_go(ptr %machine)
  ret i32 0
}}

define internal void @let_go(ptr %machine) #0 {{
start:
  {read("result", "%machine", RESULT, "ptr")}
  store ptr null, ptr %result.at
  call void @release(ptr %machine, ptr %result)
  {read("arguments", "%machine", GIVEN, "ptr")}
  store ptr null, ptr %arguments.at
  call void @release(ptr %machine, ptr %arguments)
  {read("step", "%machine", STEP, "ptr")}
  store ptr null, ptr %step.at
  %idle = icmp eq ptr %step, null
  br i1 %idle, label %empty, label %frames
frames:
  {read("stack", "%machine", STACK, "ptr")}
  {read("top", "%machine", FRAME)}
  {read("depth", "%machine", DEPTH)}
  br label %frame
frame:
  %here = phi i64 [ %top, %frames ], [ %caller, %frame.next ]
  %left = phi i64 [ %depth, %frames ], [ %left.next, %frame.next ]
  {at("registers", "%stack", "%here")}
  {read("size", "%registers", REGISTERS)}
  call void @drop_frame(ptr %machine, ptr %registers, i64 %size)
  %last = icmp eq i64 %left, 0
  br i1 %last, label %empty, label %frame.next
frame.next:
  {read("caller", "%registers", CALLER)}
  %left.next = sub i64 %left, 1
  br label %frame
empty:
  {read("capacity", "%machine", CAPACITY)}
  {read("pool", "%machine", POOL, "ptr")}
  %tight = call i1 @is_tight(ptr %pool)
  %long = icmp sgt i64 %capacity, {_KEPT}
  %large = or i1 %long, %tight
  br i1 %large, label %shrink, label %cells
shrink:
  %counted = call i64 @llvm.smax.i64(i64 %capacity, i64 {_LEAST})
  %beyond = sub i64 %counted, {_LEAST}
  %beyond.bytes = shl i64 %beyond, 3
  call void @returned(ptr %pool, i64 %beyond.bytes)
  {read("old", "%machine", STACK, "ptr")}
  call void @free(ptr %old)
  store ptr null, ptr %old.at
  store i64 0, ptr %capacity.at
  br label %cells
cells:
  {read("total", "%machine", TOTAL)}
  {read("free", "%machine", CELLS)}
  %far = icmp sgt i64 %total, {CELLS_KEPT}
  %some = icmp sgt i64 %total, {CHUNK_CELLS}
  %squeezed = and i1 %tight, %some
  %many = or i1 %far, %squeezed
  %unused = icmp eq i64 %total, %free
  %give = and i1 %many, %unused
  br i1 %give, label %chunks, label %done
chunks:
  %count = udiv i64 %total, {CHUNK_CELLS}
  %count.beyond = sub i64 %count, 1
  %cell.bytes = mul i64 %count.beyond, {CHUNK * 8}
  call void @returned(ptr %pool, i64 %cell.bytes)
  {read("chunk.first", "%machine", CHUNKS, "ptr")}
  store ptr null, ptr %chunk.first.at
  {write("no.cell", "%machine", FREE, "null", "ptr")}
  store i64 0, ptr %total.at
  store i64 0, ptr %free.at
  br label %chunk
chunk:
  %chunk.here = phi ptr [ %chunk.first, %chunks ], [ %chunk.next, %chunk ]
  %chunk.next = load ptr, ptr %chunk.here
  call void @free(ptr %chunk.here)
  %chunk.last = icmp eq ptr %chunk.next, null
  br i1 %chunk.last, label %done, label %chunk
done:
  ret void
}}
"""
