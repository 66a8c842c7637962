"""LLVM IR of the driver's calls and returns: the part of its loop that makes frames and ends them.

A call whose result is at once returned replaces the frame that makes it. What the last frame returns ends the run; if
it is a tensor in storage of its own, its words and its memory are moved to the machine's OUT, and everything is let go.
"""

from __future__ import annotations

from anytile.vm.runtime.cell_words import (
    BACK,
    CALLER,
    CELL_CODE,
    CELL_COUNT,
    CELL_KEEPS,
    CELL_SIZE,
    CELL_TAG,
    CELL_WORDS,
    CLOSURE_CODE,
    DEPTH,
    FRAME,
    FUNCTIONS,
    HEADER,
    INTO,
    MOST_DEPTH,
    OUT,
    OUT_PAIR,
    REGISTERS,
    RESULT,
    ROOM,
    STACK,
    STEP,
)
from anytile.vm.runtime.cells import at, read, write
from anytile.vm.runtime.frames import register
from anytile.vm.runtime.step_table import DYING, FUNCTION, NEXT
from anytile.vm.runtime.tensor_words import COUNT, STORAGE_CODE

# How a run ended well: its value is the machine's RESULT; or the machine's OUT has a tensor, which Python may own.
RETURNED, RETURNED_TENSOR = range(2)

CALLS = f"""
enter:
  {register("closure", "%b")}
  {read("closure.code", "%closure", CELL_CODE)}
  %closure.is = icmp eq i64 %closure.code, {CLOSURE_CODE}
  br i1 %closure.is, label %enter.look, label %python
enter.look:
  {read("closure.function", "%closure", CELL_TAG)}
  {read("closure.size", "%closure", CELL_SIZE)}
  {read("enter.functions", "%machine", FUNCTIONS, "ptr")}
  %enter.far = mul i64 %closure.function, {FUNCTION}
  {at("enter.about", "%enter.functions", "%enter.far")}
  {read("enter.wanted", "%enter.about", 1)}
  %enter.given = add i64 %closure.size, %arguments
  %enter.fits = icmp eq i64 %enter.wanted, %enter.given
  br i1 %enter.fits, label %call, label %python
invoke:
  br label %call
tail:
  br label %call

call:
  %callee = phi i64 [ %b, %invoke ], [ %b, %tail ], [ %closure.function, %enter.look ]
  %captured = phi i64 [ 0, %invoke ], [ 0, %tail ], [ %closure.size, %enter.look ]
  %captor = phi ptr [ null, %invoke ], [ null, %tail ], [ %closure, %enter.look ]
  %is.tail = phi i64 [ 0, %invoke ], [ 1, %tail ], [ %c, %enter.look ]
  {read("functions", "%machine", FUNCTIONS, "ptr")}
  %callee.far = mul i64 %callee, {FUNCTION}
  {read("size", "%functions", "%callee.far")}
  {at("about", "%functions", "%callee.far")}
  {read("first", "%about", 2, "ptr")}
  {read("own", "%registers", REGISTERS)}
  {read("depth", "%machine", DEPTH)}
  {read("most", "%machine", MOST_DEPTH)}
  {read("room", "%machine", ROOM)}
  %last = icmp ne i64 %is.tail, 0
  br i1 %last, label %call.room, label %call.deep
call.deep:
  %too.many = icmp sge i64 %depth, %most
  %too.large = icmp slt i64 %room, %own
  %too.deep = or i1 %too.many, %too.large
  br i1 %too.deep, label %deep, label %call.room
call.room:
  {read("frame.call", "%machine", FRAME)}
  %above = add i64 %frame.call, %own
  %wanted.0 = add i64 %above, {HEADER}
  %wanted = add i64 %wanted.0, %size
  %stack.call = call ptr @stack_to(ptr %machine, i64 %wanted)
  %stack.none = icmp eq ptr %stack.call, null
  br i1 %stack.none, label %memory, label %call.pass
call.pass:
  {at("registers.call", "%stack.call", "%frame.call")}
  store ptr %registers.call, ptr %registers.var
  %above.new = add i64 %above, {HEADER}
  {at("passed", "%stack.call", "%above.new")}
  call void @take_fields(ptr %passed, ptr %captor, i64 %captured)
  {at("passed.rest", "%passed", "%captured")}
  call void @copy(ptr %passed.rest, ptr %registers.call, ptr %list, i64 %arguments)
  %given = add i64 %captured, %arguments
  call void @clear(ptr %passed, i64 %given, i64 %size)
  br i1 %last, label %call.tail, label %call.frame
call.frame:
  {read("dying", "%step", DYING)}
  {at("dead", "%list", "%arguments")}
  call void @drop(ptr %machine, ptr %registers.call, ptr %dead, i64 %dying)
  {read("next", "%step", NEXT)}
  {at("after", "%step", "%next")}
  {write("back", "%passed", BACK, "%after", "ptr")}
  {write("caller", "%passed", CALLER, "%frame.call")}
  {write("into", "%passed", INTO, "%a")}
  {write("size", "%passed", REGISTERS, "%size")}
  store i64 %above.new, ptr %frame.call.at
  %deeper = add i64 %depth, 1
  store i64 %deeper, ptr %depth.at
  %room.less = sub i64 %room, %own
  store i64 %room.less, ptr %room.at
  store ptr %passed, ptr %registers.var
  store ptr %first, ptr %step.var
  br label %loop
call.tail:
  call void @drop_frame(ptr %machine, ptr %registers.call, i64 %own)
  %moved = shl i64 %size, 3
  call void @llvm.memmove.p0.p0.i64(ptr %registers.call, ptr %passed, i64 %moved, i1 false)
  {write("tail.size", "%registers.call", REGISTERS, "%size")}
  store ptr %first, ptr %step.var
  br label %loop

back:
  {register("result", "%a")}
  store ptr null, ptr %result.at
  {read("back.size", "%registers", REGISTERS)}
  call void @drop_frame(ptr %machine, ptr %registers, i64 %back.size)
  {read("back.depth", "%machine", DEPTH)}
  %back.last = icmp eq i64 %back.depth, 0
  br i1 %back.last, label %finished, label %back.frame
back.frame:
  {read("back.step", "%registers", BACK, "ptr")}
  {read("back.caller", "%registers", CALLER)}
  {read("back.into", "%registers", INTO)}
  {write("back.to", "%machine", FRAME, "%back.caller")}
  %back.less = sub i64 %back.depth, 1
  store i64 %back.less, ptr %back.depth.at
  {read("back.stack", "%machine", STACK, "ptr")}
  {at("back.registers", "%back.stack", "%back.caller")}
  {read("back.own", "%back.registers", REGISTERS)}
  {read("back.room", "%machine", ROOM)}
  %back.more = add i64 %back.room, %back.own
  store i64 %back.more, ptr %back.room.at
  store ptr %back.registers, ptr %registers.var
  store ptr %back.step, ptr %step.var
  call void @set(ptr %machine, ptr %back.registers, i64 %back.into, ptr %result)
  br label %loop
finished:
  {write("end.result", "%machine", RESULT, "%result", "ptr")}
  {write("end.step", "%machine", STEP, "null", "ptr")}
  {read("end.count", "%result", CELL_COUNT)}
  {read("end.code", "%result", CELL_CODE)}
  %end.tensor = icmp sge i64 %end.code, 0
  %end.counted = icmp eq i64 %end.count, 1
  %end.own = and i1 %end.tensor, %end.counted
  br i1 %end.own, label %finished.tensor, label %finished.value
finished.tensor:
  {read("end.keeps", "%result", CELL_KEEPS, "ptr")}
  %end.kept = icmp ne ptr %end.keeps, null
  br i1 %end.kept, label %finished.kept, label %finished.value
finished.kept:
  {read("end.keeper", "%end.keeps", CELL_COUNT)}
  {read("end.keeper.code", "%end.keeps", CELL_CODE)}
  %end.storage = icmp eq i64 %end.keeper.code, {STORAGE_CODE}
  %end.alone = icmp eq i64 %end.keeper, 1
  %end.taken = and i1 %end.storage, %end.alone
  br i1 %end.taken, label %finished.taken, label %finished.value
finished.taken:
  {at("end.words", "%result", CELL_WORDS)}
  {at("end.out", "%machine", OUT)}
  call void @llvm.memmove.p0.p0.i64(ptr %end.out, ptr %end.words, i64 {8 * COUNT}, i1 false)
  {at("end.pair", "%end.keeps", CELL_WORDS)}
  {at("end.out.pair", "%machine", OUT_PAIR)}
  call void @llvm.memmove.p0.p0.i64(ptr %end.out.pair, ptr %end.pair, i64 16, i1 false)
  store i64 0, ptr %end.pair
  call void @let_go(ptr %machine)
  ret i32 {RETURNED_TENSOR}
finished.value:
  ret i32 {RETURNED}
"""
