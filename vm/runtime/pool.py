"""LLVM IR of what runs need besides kernels: the pool's algorithm, a clock and a log, looking at positions and shapes.

A pool's free blocks are lists, one for each class; tests hold the algorithm against one in plain Python. What is no
block, as cells and frames, is granted and returned by its bytes; where that is tight, nothing of it is kept for the
next run. A log is an array of words: how many events fit, how many there are, then EVENT words for each: kernel,
begin, end, the symbols' values.
"""

from __future__ import annotations

from anytile.vm.program.isa import ALIGNMENT, MAX_BYTES
from anytile.vm.runtime.pool_words import (
    ALLOCATIONS,
    CLASSES,
    DENIED,
    HEADS,
    HELD,
    LIMIT,
    PEAK,
    RETURNED,
    STEP_BITS,
    SYSTEM_CALLS,
    UNIT_BITS,
    USED,
    VALUES,
)

EVENT = 16
EVENT_DIMS = 3  # where in an event the symbols' values begin
MAX_LOGGED_DIMS = EVENT - EVENT_DIMS
NO_WORKSPACE = 1  # the address of a workspace of no bytes
BLOCK_NEXT, BLOCK_ADDRESS, BLOCK_BYTES = range(3)  # words of a block that Python dropped


TABLES = "anytile_tables"  # a slot for the addresses of constants, kernels and cells, filled on loading


def _field(name: str, index: int) -> str:
    return f"%{name}.at = getelementptr i64, ptr %pool, i64 {index}"


def _asked(size: str, there_is: str) -> str:
    """Goes on where the limit has room for so many bytes, what is kept given back if need be; else to none."""
    return f"""%whole = load i64, ptr %limit.at
  %values = load i64, ptr %values.at
  %limit = sub i64 %whole, %values
  %held = load i64, ptr %held.at
  %would = add i64 %held, {size}
  %over = icmp sgt i64 %would, %limit
  br i1 %over, label %trim, label %ask
trim:
  call void @trim(ptr %pool)
  br label %ask
ask:
  %before = load i64, ptr %used.at
  %then = add i64 %before, {size}
  %beyond = icmp sgt i64 %then, %limit
  br i1 %beyond, label %none, label %{there_is}"""


HELPERS = f"""
@{TABLES} = global ptr null
declare ptr @aligned_alloc(i64, i64)
declare void @free(ptr)
declare i32 @clock_gettime(i32, ptr)
declare i64 @llvm.umax.i64(i64, i64)
declare i64 @llvm.smax.i64(i64, i64)
declare i64 @llvm.smin.i64(i64, i64)
declare i64 @llvm.ctlz.i64(i64, i1)
declare {{ i64, i1 }} @llvm.smul.with.overflow.i64(i64, i64)
declare {{ i64, i1 }} @llvm.sadd.with.overflow.i64(i64, i64)

define internal {{ i64, i64 }} @class_of(i64 %n) #0 {{
  %up = add i64 %n, {ALIGNMENT - 1}
  %whole = lshr i64 %up, {UNIT_BITS}
  %units = call i64 @llvm.umax.i64(i64 %whole, i64 1)
  %zeros = call i64 @llvm.ctlz.i64(i64 %units, i1 true)
  %least = sub i64 {64 - STEP_BITS - 1}, %zeros
  %shift = call i64 @llvm.smax.i64(i64 %least, i64 0)
  %step = shl i64 1, %shift
  %more = add i64 %units, %step
  %most = sub i64 %more, 1
  %steps = lshr i64 %most, %shift
  %first = shl i64 %shift, {STEP_BITS}
  %place = add i64 %first, %steps
  %rounded = shl i64 %steps, %shift
  %size = shl i64 %rounded, {UNIT_BITS}
  %one = insertvalue {{ i64, i64 }} poison, i64 %place, 0
  %both = insertvalue {{ i64, i64 }} %one, i64 %size, 1
  ret {{ i64, i64 }} %both
}}

define internal i64 @take(ptr %pool, i64 %n) #0 {{
start:
  {_field("limit", LIMIT)}
  {_field("used", USED)}
  {_field("peak", PEAK)}
  {_field("held", HELD)}
  {_field("allocations", ALLOCATIONS)}
  {_field("calls", SYSTEM_CALLS)}
  {_field("values", VALUES)}
  %large = icmp ugt i64 %n, {MAX_BYTES}
  br i1 %large, label %none, label %sized
sized:
  %class = call {{ i64, i64 }} @class_of(i64 %n)
  %place = extractvalue {{ i64, i64 }} %class, 0
  %size = extractvalue {{ i64, i64 }} %class, 1
  %index = add i64 %place, {HEADS}
  %slot = getelementptr i64, ptr %pool, i64 %index
  %head = load ptr, ptr %slot
  %empty = icmp eq ptr %head, null
  br i1 %empty, label %system, label %again
again:
  %next = load ptr, ptr %head
  store ptr %next, ptr %slot
  br label %taken
system:
  {_asked("%size", "get")}
get:
  %got = call ptr @aligned_alloc(i64 {ALIGNMENT}, i64 %size)
  %refused = icmp eq ptr %got, null
  br i1 %refused, label %none, label %counted
counted:
  %held.now = load i64, ptr %held.at
  %held.new = add i64 %held.now, %size
  store i64 %held.new, ptr %held.at
  %calls = load i64, ptr %calls.at
  %calls.new = add i64 %calls, 1
  store i64 %calls.new, ptr %calls.at
  br label %taken
taken:
  %block = phi ptr [ %head, %again ], [ %got, %counted ]
  %used = load i64, ptr %used.at
  %used.new = add i64 %used, %size
  store i64 %used.new, ptr %used.at
  %peak = load i64, ptr %peak.at
  %peak.new = call i64 @llvm.smax.i64(i64 %peak, i64 %used.new)
  store i64 %peak.new, ptr %peak.at
  %allocations = load i64, ptr %allocations.at
  %allocations.new = add i64 %allocations, 1
  store i64 %allocations.new, ptr %allocations.at
  %address = ptrtoint ptr %block to i64
  ret i64 %address
none:
  ret i64 0
}}

define internal void @put(ptr %pool, i64 %address, i64 %n) #0 {{
  {_field("used", USED)}
  %class = call {{ i64, i64 }} @class_of(i64 %n)
  %place = extractvalue {{ i64, i64 }} %class, 0
  %size = extractvalue {{ i64, i64 }} %class, 1
  %index = add i64 %place, {HEADS}
  %slot = getelementptr i64, ptr %pool, i64 %index
  %head = load ptr, ptr %slot
  %block = inttoptr i64 %address to ptr
  store ptr %head, ptr %block
  store ptr %block, ptr %slot
  %used = load i64, ptr %used.at
  %less = sub i64 %used, %size
  store i64 %less, ptr %used.at
  ret void
}}

define internal void @give_back(ptr %pool, ptr %pairs, i64 %count) #0 {{
start:
  br label %head
head:
  %i = phi i64 [ 0, %start ], [ %next, %after ]
  %more = icmp slt i64 %i, %count
  br i1 %more, label %body, label %done
body:
  %far = shl i64 %i, 1
  %pair = getelementptr i64, ptr %pairs, i64 %far
  %address = load i64, ptr %pair
  %none = icmp eq i64 %address, 0
  br i1 %none, label %after, label %some
some:
  %size.at = getelementptr i64, ptr %pair, i64 1
  %size = load i64, ptr %size.at
  call void @put(ptr %pool, i64 %address, i64 %size)
  br label %after
after:
  %next = add i64 %i, 1
  br label %head
done:
  ret void
}}

define internal void @settle(ptr %pool) #0 {{
start:
  {_field("returned", RETURNED)}
  %first = atomicrmw xchg ptr %returned.at, i64 0 acquire
  br label %head
head:
  %here = phi i64 [ %first, %start ], [ %next, %body ]
  %none = icmp eq i64 %here, 0
  br i1 %none, label %done, label %body
body:
  %record = inttoptr i64 %here to ptr
  %next.at = getelementptr i64, ptr %record, i64 {BLOCK_NEXT}
  %next = load i64, ptr %next.at
  %address.at = getelementptr i64, ptr %record, i64 {BLOCK_ADDRESS}
  %address = load i64, ptr %address.at
  %nbytes.at = getelementptr i64, ptr %record, i64 {BLOCK_BYTES}
  %nbytes = load i64, ptr %nbytes.at
  call void @put(ptr %pool, i64 %address, i64 %nbytes)
  call void @free(ptr %record)
  br label %head
done:
  ret void
}}

define internal void @trim(ptr %pool) #0 {{
start:
  {_field("held", HELD)}
  br label %class
class:
  %place = phi i64 [ 0, %start ], [ %following, %done ]
  %index = add i64 %place, {HEADS}
  %slot = getelementptr i64, ptr %pool, i64 %index
  %group = lshr i64 %place, {STEP_BITS}
  %before = sub i64 %group, 1
  %shift = call i64 @llvm.smax.i64(i64 %before, i64 0)
  %first = shl i64 %shift, {STEP_BITS}
  %steps = sub i64 %place, %first
  %rounded = shl i64 %steps, %shift
  %size = shl i64 %rounded, {UNIT_BITS}
  br label %each
each:
  %head = load ptr, ptr %slot
  %empty = icmp eq ptr %head, null
  br i1 %empty, label %done, label %drop
drop:
  %next = load ptr, ptr %head
  store ptr %next, ptr %slot
  call void @free(ptr %head)
  %held = load i64, ptr %held.at
  %less = sub i64 %held, %size
  store i64 %less, ptr %held.at
  br label %each
done:
  %following = add i64 %place, 1
  %more = icmp ult i64 %following, {CLASSES}
  br i1 %more, label %class, label %end
end:
  ret void
}}

define internal i1 @grant(ptr %pool, i64 %n) #0 {{
start:
  {_field("limit", LIMIT)}
  {_field("used", USED)}
  {_field("held", HELD)}
  {_field("values", VALUES)}
  {_field("denied", DENIED)}
  {_asked("%n", "good")}
good:
  %values.new = add i64 %values, %n
  store i64 %values.new, ptr %values.at
  store i64 0, ptr %denied.at
  ret i1 true
none:
  store i64 %n, ptr %denied.at
  ret i1 false
}}

define internal void @returned(ptr %pool, i64 %n) #0 {{
  {_field("values", VALUES)}
  %values = load i64, ptr %values.at
  %less = sub i64 %values, %n
  store i64 %less, ptr %values.at
  ret void
}}

define internal i1 @is_tight(ptr %pool) #0 {{
  {_field("limit", LIMIT)}
  {_field("values", VALUES)}
  %limit = load i64, ptr %limit.at
  %values = load i64, ptr %values.at
  %most = sdiv i64 %limit, 4
  %tight = icmp sgt i64 %values, %most
  ret i1 %tight
}}

define internal i64 @take_workspace(ptr %pool, i64 %n) #0 {{
  %none = icmp eq i64 %n, 0
  br i1 %none, label %nothing, label %some
nothing:
  ret i64 {NO_WORKSPACE}
some:
  %found = call i64 @take(ptr %pool, i64 %n)
  ret i64 %found
}}

define internal void @put_workspace(ptr %pool, i64 %address, i64 %n) #0 {{
  %none = icmp eq i64 %n, 0
  br i1 %none, label %nothing, label %some
some:
  call void @put(ptr %pool, i64 %address, i64 %n)
  br label %nothing
nothing:
  ret void
}}

define internal i64 @now(ptr %log) #0 {{
  %time = alloca {{ i64, i64 }}
  %quiet = icmp eq ptr %log, null
  br i1 %quiet, label %nothing, label %look
look:
  %status = call i32 @clock_gettime(i32 1, ptr %time)
  %seconds = load i64, ptr %time
  %rest.at = getelementptr i64, ptr %time, i64 1
  %rest = load i64, ptr %rest.at
  %whole = mul i64 %seconds, 1000000000
  %all = add i64 %whole, %rest
  ret i64 %all
nothing:
  ret i64 0
}}

define internal void @note(ptr %log, i64 %kernel, i64 %begin, ptr %dims, i64 %count) #0 {{
start:
  %quiet = icmp eq ptr %log, null
  br i1 %quiet, label %nothing, label %room
room:
  %end = call i64 @now(ptr %log)
  %fits = load i64, ptr %log
  %number.at = getelementptr i64, ptr %log, i64 1
  %number = load i64, ptr %number.at
  %next = add i64 %number, 1
  store i64 %next, ptr %number.at
  %has = icmp slt i64 %number, %fits
  br i1 %has, label %write, label %nothing
write:
  %far = mul i64 %number, {EVENT}
  %place = add i64 %far, 2
  %event = getelementptr i64, ptr %log, i64 %place
  store i64 %kernel, ptr %event
  %begin.at = getelementptr i64, ptr %event, i64 1
  store i64 %begin, ptr %begin.at
  %end.at = getelementptr i64, ptr %event, i64 2
  store i64 %end, ptr %end.at
  br label %head
head:
  %i = phi i64 [ 0, %write ], [ %i.next, %copy ]
  %more = icmp slt i64 %i, %count
  br i1 %more, label %copy, label %nothing
copy:
  %from = getelementptr i64, ptr %dims, i64 %i
  %value = load i64, ptr %from
  %to.place = add i64 %i, {EVENT_DIMS}
  %to = getelementptr i64, ptr %event, i64 %to.place
  store i64 %value, ptr %to
  %i.next = add i64 %i, 1
  br label %head
nothing:
  ret void
}}

define internal i64 @word(ptr %base, i64 %count, i64 %i) #0 {{
  %there = icmp slt i64 %i, %count
  br i1 %there, label %read, label %beyond
read:
  %at = getelementptr i64, ptr %base, i64 %i
  %value = load i64, ptr %at
  ret i64 %value
beyond:
  ret i64 1
}}
"""


def scan(bits: int) -> str:
    """`{ i64, i1 } scan<bits>(ptr, count, size)`: the first element that is no position from -size to size - 1, and
    whether there is one."""
    return f"""
define internal {{ i64, i1 }} @scan{bits}(ptr %base, i64 %count, i64 %size) #0 {{
start:
  %twice = shl i64 %size, 1
  br label %head
head:
  %i = phi i64 [ 0, %start ], [ %next, %good ]
  %more = icmp slt i64 %i, %count
  br i1 %more, label %look, label %fine
look:
  %at = getelementptr i{bits}, ptr %base, i64 %i
  %read = load i{bits}, ptr %at
  %value = {f"sext i{bits} %read to i64" if bits < 64 else "add i64 %read, 0"}
  %moved = add i64 %value, %size
  %wrong = icmp uge i64 %moved, %twice
  br i1 %wrong, label %found, label %good
good:
  %next = add i64 %i, 1
  br label %head
found:
  %said = insertvalue {{ i64, i1 }} {{ i64 0, i1 true }}, i64 %value, 0
  ret {{ i64, i1 }} %said
fine:
  ret {{ i64, i1 }} zeroinitializer
}}
"""
