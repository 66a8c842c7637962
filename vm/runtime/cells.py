"""LLVM IR of cells (see `cell_words`): making, keeping, letting go. Nothing here recurses, however deep a value is.

`new_cell` never fails: the driver sees to it, before each step, that there are as many free cells as a step can need.
"""

from __future__ import annotations

from anytile.vm.program.isa import MAX_RANK
from anytile.vm.runtime.cell_words import (
    CELL,
    CELL_CODE,
    CELL_FIELDS,
    CELL_KEEPS,
    CELL_NUMBERS,
    CELL_SIZE,
    CELL_TAG,
    CELL_WORDS,
    CELLS,
    CHUNK,
    CHUNK_CELLS,
    CHUNKS,
    FREE,
    MOST_FIELDS,
    POOL,
    TOTAL,
)
from anytile.vm.runtime.tensor_words import CODES, COUNT, DIMS, ELEMENTS, FLAGS, RANK, READ_ONLY, STORAGE_CODE


def at(name: str, base: str, index: int | str) -> str:
    """The address of a word."""
    return f"%{name} = getelementptr i64, ptr {base}, i64 {index}"


def read(name: str, base: str, index: int | str, kind: str = "i64") -> str:
    """A word, whose address is kept as `<name>.at`."""
    return f"{at(f'{name}.at', base, index)}\n  %{name} = load {kind}, ptr %{name}.at"


def write(name: str, base: str, index: int | str, value: str, kind: str = "i64") -> str:
    return f"{at(f'{name}.to', base, index)}\n  store {kind} {value}, ptr %{name}.to"


CELL_HELPERS = f"""
define internal ptr @new_cell(ptr %machine) #0 {{
  {read("cell", "%machine", FREE, "ptr")}
  %next = load ptr, ptr %cell
  store ptr %next, ptr %cell.at
  {read("cells", "%machine", CELLS)}
  %fewer = sub i64 %cells, 1
  store i64 %fewer, ptr %cells.at
  store i64 1, ptr %cell
  ret ptr %cell
}}

define internal i1 @more_cells(ptr %machine, i64 %needed) #0 {{
start:
  br label %check
check:
  {read("cells", "%machine", CELLS)}
  %enough = icmp sge i64 %cells, %needed
  br i1 %enough, label %good, label %more
more:
  {read("total", "%machine", TOTAL)}
  {read("pool", "%machine", POOL, "ptr")}
  %own = icmp eq i64 %total, 0
  %bytes = select i1 %own, i64 0, i64 {CHUNK * 8}
  %granted = call i1 @grant(ptr %pool, i64 %bytes)
  br i1 %granted, label %ask, label %bad
ask:
  %chunk = call ptr @aligned_alloc(i64 64, i64 {CHUNK * 8})
  %none = icmp eq ptr %chunk, null
  br i1 %none, label %refused, label %cut
refused:
  call void @returned(ptr %pool, i64 %bytes)
  br label %bad
cut:
  {read("before", "%machine", CHUNKS, "ptr")}
  store ptr %before, ptr %chunk
  store ptr %chunk, ptr %before.at
  br label %each
each:
  %i = phi i64 [ 8, %cut ], [ %i.next, %each ]
  {at("cell", "%chunk", "%i")}
  {read("head", "%machine", FREE, "ptr")}
  store ptr %head, ptr %cell
  store ptr %cell, ptr %head.at
  %i.next = add i64 %i, {CELL}
  %again = icmp slt i64 %i.next, {CHUNK}
  br i1 %again, label %each, label %counted
counted:
  %cells.new = add i64 %cells, {CHUNK_CELLS}
  store i64 %cells.new, ptr %cells.at
  %total.new = add i64 %total, {CHUNK_CELLS}
  store i64 %total.new, ptr %total.at
  br label %check
good:
  ret i1 true
bad:
  ret i1 false
}}

define internal void @retain(ptr %cell) #0 {{
  %count = load i64, ptr %cell
  %good = icmp eq i64 %count, 0
  br i1 %good, label %done, label %counted
counted:
  %more = add i64 %count, 1
  store i64 %more, ptr %cell
  ret void
done:
  ret void
}}

define internal void @release(ptr %machine, ptr %cell) #0 {{
start:
  %nothing = icmp eq ptr %cell, null
  br i1 %nothing, label %done, label %some
some:
  %count = load i64, ptr %cell
  %good = icmp eq i64 %count, 0
  br i1 %good, label %done, label %counted
counted:
  %less = sub i64 %count, 1
  store i64 %less, ptr %cell
  %dead = icmp eq i64 %less, 0
  br i1 %dead, label %end, label %done
end:
  store ptr null, ptr %cell
  call void @destroy(ptr %machine, ptr %cell)
  ret void
done:
  ret void
}}

define internal ptr @given_up(ptr %cell, ptr %pending) #0 {{
start:
  %nothing = icmp eq ptr %cell, null
  br i1 %nothing, label %done, label %some
some:
  %count = load i64, ptr %cell
  %good = icmp eq i64 %count, 0
  br i1 %good, label %done, label %counted
counted:
  %less = sub i64 %count, 1
  store i64 %less, ptr %cell
  %dead = icmp eq i64 %less, 0
  br i1 %dead, label %end, label %done
end:
  store ptr %pending, ptr %cell
  ret ptr %cell
done:
  ret ptr %pending
}}

define internal void @destroy(ptr %machine, ptr %first) #0 {{
start:
  br label %each
each:
  %cell = phi ptr [ %first, %start ], [ %following, %next ]
  %others = load ptr, ptr %cell
  {read("code", "%cell", CELL_CODE)}
  %has.fields = icmp slt i64 %code, {STORAGE_CODE}
  br i1 %has.fields, label %fields, label %plain
plain:
  %is.storage = icmp eq i64 %code, {STORAGE_CODE}
  br i1 %is.storage, label %storage, label %tensor
storage:
  {read("address", "%cell", CELL_WORDS)}
  %given.away = icmp eq i64 %address, 0
  br i1 %given.away, label %free, label %put
put:
  {read("pool", "%machine", POOL, "ptr")}
  {read("nbytes", "%cell", CELL_WORDS + ELEMENTS)}
  call void @put(ptr %pool, i64 %address, i64 %nbytes)
  br label %free
tensor:
  {read("keeps", "%cell", CELL_KEEPS, "ptr")}
  %left = call ptr @given_up(ptr %keeps, ptr %others)
  br label %free
fields:
  {read("size", "%cell", CELL_SIZE)}
  br label %field
field:
  %i = phi i64 [ 0, %fields ], [ %i.next, %one ]
  %pending = phi ptr [ %others, %fields ], [ %pending.next, %one ]
  %more = icmp slt i64 %i, %size
  br i1 %more, label %one, label %emptied
one:
  %place = add i64 %i, {CELL_FIELDS}
  {read("held", "%cell", "%place", "ptr")}
  %pending.next = call ptr @given_up(ptr %held, ptr %pending)
  %i.next = add i64 %i, 1
  br label %field
emptied:
  %large = icmp sgt i64 %size, {MOST_FIELDS}
  br i1 %large, label %block, label %free
block:
  {read("block.pool", "%machine", POOL, "ptr")}
  %block.words = add i64 %size, {CELL_FIELDS}
  %block.bytes = shl i64 %block.words, 3
  call void @returned(ptr %block.pool, i64 %block.bytes)
  call void @free(ptr %cell)
  br label %next
free:
  %rest = phi ptr [ %others, %storage ], [ %others, %put ], [ %left, %tensor ], [ %pending, %emptied ]
  {read("head", "%machine", FREE, "ptr")}
  store ptr %head, ptr %cell
  store ptr %cell, ptr %head.at
  {read("cells", "%machine", CELLS)}
  %cells.new = add i64 %cells, 1
  store i64 %cells.new, ptr %cells.at
  br label %next
next:
  %following = phi ptr [ %pending, %block ], [ %rest, %free ]
  %done = icmp eq ptr %following, null
  br i1 %done, label %end, label %each
end:
  ret void
}}

define internal void @set(ptr %machine, ptr %registers, i64 %register, ptr %cell) #0 {{
  {read("before", "%registers", "%register", "ptr")}
  store ptr %cell, ptr %before.at
  call void @release(ptr %machine, ptr %before)
  ret void
}}

define internal ptr @new_storage(ptr %machine, i64 %address, i64 %nbytes, i64 %count) #0 {{
  %cell = call ptr @new_cell(ptr %machine)
  store i64 %count, ptr %cell
  {write("address", "%cell", CELL_WORDS, "%address")}
  {write("nbytes", "%cell", CELL_WORDS + ELEMENTS, "%nbytes")}
  {write("code", "%cell", CELL_CODE, str(STORAGE_CODE))}
  {write("flags", "%cell", CELL_WORDS + FLAGS, "0")}
  ret ptr %cell
}}

define internal ptr @new_numbers(ptr %machine, i64 %count, i64 %rank) #0 {{
start:
  %cell = call ptr @new_cell(ptr %machine)
  {at("numbers", "%cell", CELL_NUMBERS)}
  %address = ptrtoint ptr %numbers to i64
  {write("keeps", "%cell", CELL_KEEPS, "null", "ptr")}
  {write("address", "%cell", CELL_WORDS, "%address")}
  {write("elements", "%cell", CELL_WORDS + ELEMENTS, "%count")}
  {write("code", "%cell", CELL_CODE, str(CODES["int64"]))}
  {write("rank", "%cell", CELL_WORDS + RANK, "%rank")}
  {write("flags", "%cell", CELL_WORDS + FLAGS, str(READ_ONLY))}
  {write("dim", "%cell", CELL_WORDS + DIMS, "%count")}
  br label %dims
dims:
  %i = phi i64 [ {CELL_WORDS + DIMS + 1}, %start ], [ %i.next, %dims ]
  {write("one", "%cell", "%i", "1")}
  %i.next = add i64 %i, 1
  %more = icmp slt i64 %i.next, {CELL_WORDS + COUNT}
  br i1 %more, label %dims, label %done
done:
  ret ptr %cell
}}

define internal ptr @keeper(ptr %cell) #0 {{
  {read("keeps", "%cell", CELL_KEEPS, "ptr")}
  %itself = icmp eq ptr %keeps, null
  %found = select i1 %itself, ptr %cell, ptr %keeps
  call void @retain(ptr %found)
  ret ptr %found
}}
"""

assert CELL_TAG == CELL_WORDS
assert DIMS + MAX_RANK == COUNT
