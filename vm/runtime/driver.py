"""LLVM IR of the driver: a loop over a program's steps (see `step_table`); it calls regions and does what is between.

    i32 anytile_drive(ptr machine, i64)    runs on, after it has taken in the blocks that others dropped

All a run's state is in the machine and its stack of words, so that it may stop before any step and go on later: to let
Python look around (AGAIN), or do the step (PYTHON) that native code does not know or that failed, which Python then
does again to say how. A step changes nothing before it is certain to succeed.
"""

from __future__ import annotations

from anytile.vm.native.regions import FAILED
from anytile.vm.runtime.calls import CALLS, RETURNED_TENSOR
from anytile.vm.runtime.cell_words import (
    ADT_CODE,
    BUDGET,
    CELL_CODE,
    CELL_FIELDS,
    CELL_NUMBERS,
    CELL_SIZE,
    CELL_TAG,
    CELL_WORDS,
    CELLS,
    DONE,
    FRAME,
    MOST_FIELDS,
    NEEDED,
    POOL,
    STACK,
    STEP,
)
from anytile.vm.runtime.cells import at, read, write
from anytile.vm.runtime.frames import FRAME_HELPERS, register
from anytile.vm.runtime.step_table import (
    ARGUMENTS,
    BACK_STEP,
    DYING,
    ENTER,
    FIELD,
    FIRST,
    GOTO,
    INVOKE,
    MAKE,
    NEXT,
    ON_TAG,
    OPERATION,
    PYTHON_STEP,
    RUN,
    TAG,
    TAIL,
    WHEN,
    A,
    B,
    C,
)
from anytile.vm.runtime.tensor_words import CODES, ELEMENTS

# What anytile_drive says, beside that it returned; or FAILED and more, of a run.
AGAIN, PYTHON, TOO_DEEP, NO_MEMORY = range(RETURNED_TENSOR + 1, RETURNED_TENSOR + 5)
assert NO_MEMORY < FAILED

_SCALAR = f"""
define internal {{ i1, i64 }} @scalar(ptr %cell) #0 {{
start:
  {read("code", "%cell", CELL_CODE)}
  {read("elements", "%cell", CELL_WORDS + ELEMENTS)}
  %tensor = icmp sge i64 %code, 0
  %one = icmp eq i64 %elements, 1
  %good = and i1 %tensor, %one
  br i1 %good, label %look, label %bad
look:
  {read("data", "%cell", CELL_WORDS, "ptr")}
  switch i64 %code, label %bad [
    i64 {CODES["float32"]}, label %float
    i64 {CODES["int32"]}, label %int
    i64 {CODES["int64"]}, label %long
    i64 {CODES["bool"]}, label %byte
    i64 {CODES["uint8"]}, label %byte
  ]
int:
  %int.read = load i32, ptr %data, align 1
  %int.wide = sext i32 %int.read to i64
  br label %done
long:
  %long.read = load i64, ptr %data, align 1
  br label %done
byte:
  %byte.read = load i8, ptr %data
  %byte.wide = zext i8 %byte.read to i64
  br label %done
float:
  %float.read = load float, ptr %data, align 1
  %low = fcmp oge float %float.read, 0xC3E0000000000000
  %high = fcmp olt float %float.read, 0x43E0000000000000
  %inside = and i1 %low, %high
  br i1 %inside, label %whole, label %bad
whole:
  %whole.value = fptosi float %float.read to i64
  %back = sitofp i64 %whole.value to float
  %same = fcmp oeq float %back, %float.read
  br i1 %same, label %done, label %bad
done:
  %value = phi i64 [ %int.wide, %int ], [ %long.read, %long ], [ %byte.wide, %byte ], [ %whole.value, %whole ]
  %both.0 = insertvalue {{ i1, i64 }} poison, i1 true, 0
  %both = insertvalue {{ i1, i64 }} %both.0, i64 %value, 1
  ret {{ i1, i64 }} %both
bad:
  ret {{ i1, i64 }} zeroinitializer
}}
"""

# A data type or a closure with room for its fields, which are still to be written; null where there is no memory.
_VALUE = f"""
define internal ptr @new_value(ptr %machine, i64 %tag, i64 %size, i64 %code) #0 {{
  %large = icmp sgt i64 %size, {MOST_FIELDS}
  br i1 %large, label %block, label %cell
block:
  {read("pool", "%machine", POOL, "ptr")}
  %words = add i64 %size, {CELL_FIELDS}
  %bytes = shl i64 %words, 3
  %granted = call i1 @grant(ptr %pool, i64 %bytes)
  br i1 %granted, label %ask, label %none
ask:
  %got = call ptr @realloc(ptr null, i64 %bytes)
  %nothing = icmp eq ptr %got, null
  br i1 %nothing, label %refused, label %counted
refused:
  call void @returned(ptr %pool, i64 %bytes)
  br label %none
counted:
  store i64 1, ptr %got
  br label %fill
cell:
  %new = call ptr @new_cell(ptr %machine)
  br label %fill
fill:
  %made = phi ptr [ %got, %counted ], [ %new, %cell ]
  {write("tag", "%made", CELL_TAG, "%tag")}
  {write("size", "%made", CELL_SIZE, "%size")}
  {write("code", "%made", CELL_CODE, "%code")}
  ret ptr %made
none:
  ret ptr null
}}
"""

_DRIVE = f"""
define i32 @anytile_drive(ptr %machine, i64 %zero) #0 {{
start:
  %step.var = alloca ptr
  %registers.var = alloca ptr
  %budget.var = alloca i64
  %callee.var = alloca i64
  %target.var = alloca i64
  {read("pool", "%machine", POOL, "ptr")}
  call void @settle(ptr %pool)
  {read("step.now", "%machine", STEP, "ptr")}
  {read("budget.now", "%machine", BUDGET)}
  store ptr %step.now, ptr %step.var
  store i64 %budget.now, ptr %budget.var
  br label %framed

framed:
  {read("stack", "%machine", STACK, "ptr")}
  {read("frame", "%machine", FRAME)}
  {at("registers.now", "%stack", "%frame")}
  store ptr %registers.now, ptr %registers.var
  br label %loop

loop:
  %budget = load i64, ptr %budget.var
  %less = sub i64 %budget, 1
  store i64 %less, ptr %budget.var
  %spent = icmp sle i64 %budget, 0
  br i1 %spent, label %pause, label %cells
cells:
  {read("cells.have", "%machine", CELLS)}
  {read("cells.need", "%machine", NEEDED)}
  %cells.enough = icmp sge i64 %cells.have, %cells.need
  br i1 %cells.enough, label %fetch, label %cells.more
cells.more:
  %cells.got = call i1 @more_cells(ptr %machine, i64 %cells.need)
  br i1 %cells.got, label %fetch, label %memory
fetch:
  %step = load ptr, ptr %step.var
  %registers = load ptr, ptr %registers.var
  {read("operation", "%step", OPERATION)}
  {read("a", "%step", A)}
  {read("b", "%step", B)}
  {read("c", "%step", C)}
  {read("arguments", "%step", ARGUMENTS)}
  {at("list", "%step", FIRST)}
  switch i64 %operation, label %python [
    i64 {RUN}, label %run
    i64 {FIELD}, label %field
    i64 {TAG}, label %tag
    i64 {ON_TAG}, label %on.tag
    i64 {WHEN}, label %when
    i64 {GOTO}, label %goto
    i64 {MAKE}, label %make
    i64 {INVOKE}, label %invoke
    i64 {TAIL}, label %tail
    i64 {ENTER}, label %enter
    i64 {BACK_STEP}, label %back
    i64 {PYTHON_STEP}, label %python.step
  ]

run:
  %run.code = inttoptr i64 %a to ptr
  %run.status = call i32 %run.code(ptr %registers, ptr %machine)
  %run.wide = zext i32 %run.status to i64
  %run.failed = icmp uge i64 %run.wide, {FAILED}
  br i1 %run.failed, label %stopped, label %run.done
run.done:
  {read("run.to", "%list", "%run.wide")}
  store i64 %run.to, ptr %target.var
  br label %jump

field:
  {register("field.of", "%b")}
  {read("field.code", "%field.of", CELL_CODE)}
  %field.adt = icmp eq i64 %field.code, {ADT_CODE}
  br i1 %field.adt, label %field.look, label %python
field.look:
  {read("field.size", "%field.of", CELL_SIZE)}
  %field.in = icmp ult i64 %c, %field.size
  br i1 %field.in, label %field.take, label %python
field.take:
  %field.place = add i64 %c, {CELL_FIELDS}
  {read("field.held", "%field.of", "%field.place", "ptr")}
  call void @retain(ptr %field.held)
  call void @set(ptr %machine, ptr %registers, i64 %a, ptr %field.held)
  br label %on

tag:
  {register("tag.of", "%b")}
  {read("tag.code", "%tag.of", CELL_CODE)}
  %tag.adt = icmp eq i64 %tag.code, {ADT_CODE}
  br i1 %tag.adt, label %tag.take, label %python
tag.take:
  {read("tag.value", "%tag.of", CELL_TAG)}
  %tag.cell = call ptr @new_numbers(ptr %machine, i64 1, i64 0)
  {write("tag.number", "%tag.cell", CELL_NUMBERS, "%tag.value")}
  call void @set(ptr %machine, ptr %registers, i64 %a, ptr %tag.cell)
  br label %on

on.tag:
  {register("on.of", "%a")}
  {read("on.code", "%on.of", CELL_CODE)}
  %on.adt = icmp eq i64 %on.code, {ADT_CODE}
  br i1 %on.adt, label %on.take, label %python
on.take:
  {read("on.value", "%on.of", CELL_TAG)}
  %on.same = icmp eq i64 %on.value, %b
  br label %decided

when:
  {register("when.left", "%a")}
  {register("when.right", "%b")}
  %when.x = call {{ i1, i64 }} @scalar(ptr %when.left)
  %when.y = call {{ i1, i64 }} @scalar(ptr %when.right)
  %when.x.good = extractvalue {{ i1, i64 }} %when.x, 0
  %when.y.good = extractvalue {{ i1, i64 }} %when.y, 0
  %when.good = and i1 %when.x.good, %when.y.good
  br i1 %when.good, label %when.take, label %python
when.take:
  %when.x.value = extractvalue {{ i1, i64 }} %when.x, 1
  %when.y.value = extractvalue {{ i1, i64 }} %when.y, 1
  %when.same = icmp eq i64 %when.x.value, %when.y.value
  br label %decided

decided:
  %same = phi i1 [ %on.same, %on.take ], [ %when.same, %when.take ]
  {read("then", "%list", 0)}
  {read("otherwise", "%list", 1)}
  %decided.to = select i1 %same, i64 %then, i64 %otherwise
  store i64 %decided.to, ptr %target.var
  br label %jump

goto:
  {read("goto.to", "%list", 0)}
  store i64 %goto.to, ptr %target.var
  br label %jump

make:
  %made = call ptr @new_value(ptr %machine, i64 %b, i64 %arguments, i64 %c)
  %made.none = icmp eq ptr %made, null
  br i1 %made.none, label %memory, label %make.fill
make.fill:
  {at("made.fields", "%made", CELL_FIELDS)}
  call void @copy(ptr %made.fields, ptr %registers, ptr %list, i64 %arguments)
  call void @set(ptr %machine, ptr %registers, i64 %a, ptr %made)
  br label %on

{CALLS}
python.step:
  {read("python.done", "%machine", DONE)}
  %python.did = icmp ne i64 %python.done, 0
  br i1 %python.did, label %python.go, label %python
python.go:
  store i64 0, ptr %python.done.at
  br label %on

on:
  {read("on.next", "%step", NEXT)}
  store i64 %on.next, ptr %target.var
  br label %jump
jump:
  {read("jump.dying", "%step", DYING)}
  {at("jump.dead", "%list", "%arguments")}
  call void @drop(ptr %machine, ptr %registers, ptr %jump.dead, i64 %jump.dying)
  %jump.to = load i64, ptr %target.var
  {at("jump.step", "%step", "%jump.to")}
  store ptr %jump.step, ptr %step.var
  br label %loop

pause:
  br label %save
python:
  br label %save
deep:
  br label %save
memory:
  br label %save
stopped:
  br label %save
save:
  %status = phi i32 [ {AGAIN}, %pause ], [ {PYTHON}, %python ], [ {TOO_DEEP}, %deep ], [ {NO_MEMORY}, %memory ],
                    [ %run.status, %stopped ]
  %step.stopped = load ptr, ptr %step.var
  {write("stopped", "%machine", STEP, "%step.stopped", "ptr")}
  ret i32 %status
}}
"""

DRIVER = "\n".join([FRAME_HELPERS, _SCALAR, _VALUE, _DRIVE])
