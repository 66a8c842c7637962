"""LLVM IR of the way in: a call's Python objects -> cells, looking at C fields and calling CPython, with the GIL held.

    i64 anytile_intake(ptr spec, ptr machine, ptr objects, i64 count)    0, or SLOW: something is not as simple as that

`convert` are a list, to which every array is appended, so that it lives as long as the run, then the inputs. The
arguments become one value, a tuple, which the machine is GIVEN from the begin: an intake that gives up half-way lets go
of that tuple and has left nothing. What is still to be looked at waits on the machine's stack.
"""

from __future__ import annotations

from anytile.dispatch.cpu.fast_call import ARRAY_DATA, ARRAY_DESCR, ARRAY_DIMS, ARRAY_FLAGS, ARRAY_RANK, READABLE
from anytile.vm.runtime.cell_words import ADT_CODE, CELL_CODE, CELL_FIELDS, CELL_KEEPS, CELL_WORDS, GIVEN, STACK
from anytile.vm.runtime.cells import at, read, write
from anytile.vm.runtime.tensor_words import COUNT, DIMS, ELEMENTS, FLAGS, RANK, READ_ONLY

SLOW = 1
MOST_OBJECTS = 1 << 22  # more go the slow way, which can be interrupted
# The words of a spec: how many inputs, types and functions of CPython, where Data has what it has, then ports.
(CALLED, INPUTS, ARRAY_TYPE, DATA_TYPE, TUPLE_TYPE, TUPLE_SIZE, TUPLE_ITEM, LIST_APPEND, CLEAR_ERROR) = range(9)
NAME_AT, FIELDS_AT, PORTS = range(9, 12)  # the first two in bytes
# The words of a port: a tensor's dtype object, code, rank and sizes (-1 any); of a data type, how many constructors,
# then for each its name, fields and where their ports are; of a tuple one such, without a name.
TENSOR_PORT, DATA_PORT, TUPLE_PORT = range(3)
PORT_KIND, PORT_DTYPE, PORT_CODE, PORT_RANK, PORT_DIMS = range(5)
PORT_MEMBERS, PORT_FIRST = 1, 2
MEMBER_NAME, MEMBER_SIZE, MEMBER_PORTS, MEMBER = range(4)


def _is(name: str, value: str, what: str, kind: str = "ptr") -> str:
    """Go on at `<name>.is` where two values are equal."""
    compared = f"%{name}.same = icmp eq {kind} {value}, {what}"
    return f"{compared}\n  br i1 %{name}.same, label %{name}.is, label %slow\n{name}.is:"


def _field(name: str, offset: int | str, kind: str) -> str:
    """A field of the object, whose offset is in bytes."""
    return f"%{name}.at = getelementptr i8, ptr %object, i64 {offset}\n  %{name} = load {kind}, ptr %{name}.at"


INTAKE = f"""
define i64 @anytile_intake(ptr %spec, ptr %machine, ptr %objects, i64 %count) #0 {{
start:
  %top.var = alloca i64
  %left.var = alloca i64
  store i64 {MOST_OBJECTS}, ptr %left.var
  {read("inputs", "%spec", INPUTS)}
  %inputs.more = add i64 %inputs, 1
  {_is("complete", "%inputs.more", "%count", "i64")}
  %left.over = call i32 @anytile_unwind(ptr %machine, i64 0)
  %room = call i1 @more_cells(ptr %machine, i64 1)
  br i1 %room, label %begin, label %slow
begin:
  {read("keep", "%objects", 0, "ptr")}
  {read("ports", "%spec", PORTS, "ptr")}
  {read("append", "%spec", LIST_APPEND, "ptr")}
  {read("array.type", "%spec", ARRAY_TYPE, "ptr")}
  {read("data.type", "%spec", DATA_TYPE, "ptr")}
  {read("tuple.type", "%spec", TUPLE_TYPE, "ptr")}
  {read("tuple.size", "%spec", TUPLE_SIZE, "ptr")}
  {read("tuple.item", "%spec", TUPLE_ITEM, "ptr")}
  {read("name.offset", "%spec", NAME_AT)}
  {read("fields.offset", "%spec", FIELDS_AT)}
  %root = call ptr @new_value(ptr %machine, i64 0, i64 %inputs, i64 {ADT_CODE})
  %root.none = icmp eq ptr %root, null
  br i1 %root.none, label %slow, label %rooted
rooted:
  call void @no_fields(ptr %root, i64 %inputs)
  {write("root", "%machine", GIVEN, "%root", "ptr")}
  store i64 0, ptr %top.var
  br label %input
input:
  %i = phi i64 [ 0, %rooted ], [ %i.next, %input.push ]
  %i.more = icmp slt i64 %i, %inputs
  br i1 %i.more, label %input.one, label %each
input.one:
  %i.next = add i64 %i, 1
  {read("input.object", "%objects", "%i.next", "ptr")}
  {read("input.port", "%ports", "%i", "ptr")}
  %input.place = add i64 %i, {CELL_FIELDS}
  {at("input.to", "%root", "%input.place")}
  %input.pushed = call i1 @push(ptr %machine, ptr %top.var, ptr %input.object, ptr %input.port, ptr %input.to)
  br i1 %input.pushed, label %input.push, label %slow
input.push:
  br label %input

each:
  %top = load i64, ptr %top.var
  %empty = icmp eq i64 %top, 0
  br i1 %empty, label %done, label %pop
pop:
  %left = load i64, ptr %left.var
  %left.less = sub i64 %left, 1
  store i64 %left.less, ptr %left.var
  %many = icmp slt i64 %left, 0
  br i1 %many, label %slow, label %few
few:
  %top.less = sub i64 %top, 3
  store i64 %top.less, ptr %top.var
  {read("stack", "%machine", STACK, "ptr")}
  {at("item", "%stack", "%top.less")}
  {read("object", "%item", 0, "ptr")}
  {read("port", "%item", 1, "ptr")}
  {read("to", "%item", 2, "ptr")}
  %have = call i1 @more_cells(ptr %machine, i64 1)
  br i1 %have, label %look, label %slow
look:
  {_field("type", object.__basicsize__ - 8, "ptr")}
  {read("kind", "%port", PORT_KIND)}
  switch i64 %kind, label %slow [
    i64 {TENSOR_PORT}, label %tensor
    i64 {DATA_PORT}, label %of.data
    i64 {TUPLE_PORT}, label %tuple
  ]

tensor:
  {_is("array", "%type", "%array.type")}
  {_field("descr", ARRAY_DESCR, "ptr")}
  {read("dtype", "%port", PORT_DTYPE, "ptr")}
  {_is("dtypes", "%descr", "%dtype")}
  {_field("flags", ARRAY_FLAGS, "i32")}
  %flags.seen = and i32 %flags, {READABLE}
  {_is("plain", "%flags.seen", str(READABLE), "i32")}
  {_field("rank.32", ARRAY_RANK, "i32")}
  %rank = sext i32 %rank.32 to i64
  {read("rank.wanted", "%port", PORT_RANK)}
  {_is("ranks", "%rank", "%rank.wanted", "i64")}
  {_field("dims", ARRAY_DIMS, "ptr")}
  br label %dim
dim:
  %d = phi i64 [ 0, %ranks.is ], [ %d.next, %dim.good ]
  %elements = phi i64 [ 1, %ranks.is ], [ %elements.next, %dim.good ]
  %d.more = icmp slt i64 %d, %rank
  br i1 %d.more, label %dim.one, label %fill
dim.one:
  {read("size", "%dims", "%d")}
  %d.place = add i64 %d, {PORT_DIMS}
  {read("wanted", "%port", "%d.place")}
  %any = icmp slt i64 %wanted, 0
  %equal = icmp eq i64 %wanted, %size
  %fits = or i1 %any, %equal
  br i1 %fits, label %dim.good, label %slow
dim.good:
  %elements.next = mul i64 %elements, %size
  %d.next = add i64 %d, 1
  br label %dim
fill:
  %kept = call i32 %append(ptr %keep, ptr %object)
  %kept.good = icmp eq i32 %kept, 0
  br i1 %kept.good, label %cell, label %refused
refused:
  {read("clear", "%spec", CLEAR_ERROR, "ptr")}
  call void %clear()
  br label %slow
cell:
  %made = call ptr @new_cell(ptr %machine)
  {_field("data", ARRAY_DATA, "ptr")}
  {read("code", "%port", PORT_CODE)}
  {write("made.keeps", "%made", CELL_KEEPS, "null", "ptr")}
  {write("made.data", "%made", CELL_WORDS, "%data", "ptr")}
  {write("made.elements", "%made", CELL_WORDS + ELEMENTS, "%elements")}
  {write("made.code", "%made", CELL_CODE, "%code")}
  {write("made.rank", "%made", CELL_WORDS + RANK, "%rank")}
  {write("made.flags", "%made", CELL_WORDS + FLAGS, str(READ_ONLY))}
  br label %extent
extent:
  %e = phi i64 [ 0, %cell ], [ %e.next, %extent.put ]
  %e.inside = icmp slt i64 %e, %rank
  br i1 %e.inside, label %extent.read, label %extent.put
extent.read:
  {read("e.size", "%dims", "%e")}
  br label %extent.put
extent.put:
  %e.value = phi i64 [ 1, %extent ], [ %e.size, %extent.read ]
  %e.place = add i64 %e, {CELL_WORDS + DIMS}
  {write("e.put", "%made", "%e.place", "%e.value")}
  %e.next = add i64 %e, 1
  %e.more = icmp slt i64 %e.next, {COUNT - DIMS}
  br i1 %e.more, label %extent, label %extents
extents:
  store ptr %made, ptr %to
  br label %each

of.data:
  {_is("made.by", "%type", "%data.type")}
  {_field("name", "%name.offset", "ptr")}
  {_field("fields", "%fields.offset", "ptr")}
  %unset = icmp eq ptr %fields, null
  br i1 %unset, label %slow, label %find
find:
  {read("members", "%port", PORT_MEMBERS)}
  {at("first", "%port", PORT_FIRST)}
  br label %member
member:
  %m = phi i64 [ 0, %find ], [ %m.next, %member.other ]
  %m.more = icmp slt i64 %m, %members
  br i1 %m.more, label %member.one, label %slow
member.one:
  %m.far = mul i64 %m, {MEMBER}
  {at("m.about", "%first", "%m.far")}
  {read("m.name", "%m.about", MEMBER_NAME, "ptr")}
  %m.same = icmp eq ptr %m.name, %name
  br i1 %m.same, label %several, label %member.other
member.other:
  %m.next = add i64 %m, 1
  br label %member
tuple:
  {at("only", "%port", PORT_FIRST)}
  br label %several
several:
  %tag = phi i64 [ %m, %member.one ], [ 0, %tuple ]
  %about = phi ptr [ %m.about, %member.one ], [ %only, %tuple ]
  %parts = phi ptr [ %fields, %member.one ], [ %object, %tuple ]
  %parts.type.at = getelementptr i8, ptr %parts, i64 {object.__basicsize__ - 8}
  %parts.type = load ptr, ptr %parts.type.at
  {_is("parts", "%parts.type", "%tuple.type")}
  %parts.count = call i64 %tuple.size(ptr %parts)
  {read("parts.wanted", "%about", MEMBER_SIZE)}
  {_is("counts", "%parts.count", "%parts.wanted", "i64")}
  {read("parts.ports", "%about", MEMBER_PORTS, "ptr")}
  %value = call ptr @new_value(ptr %machine, i64 %tag, i64 %parts.count, i64 {ADT_CODE})
  %value.none = icmp eq ptr %value, null
  br i1 %value.none, label %slow, label %valued
valued:
  call void @no_fields(ptr %value, i64 %parts.count)
  store ptr %value, ptr %to
  br label %part
part:
  %p = phi i64 [ 0, %valued ], [ %p.next, %part.pushed ]
  %p.more = icmp slt i64 %p, %parts.count
  br i1 %p.more, label %part.one, label %each
part.one:
  %p.object = call ptr %tuple.item(ptr %parts, i64 %p)
  {read("p.port", "%parts.ports", "%p", "ptr")}
  %p.place = add i64 %p, {CELL_FIELDS}
  {at("p.to", "%value", "%p.place")}
  %p.pushed = call i1 @push(ptr %machine, ptr %top.var, ptr %p.object, ptr %p.port, ptr %p.to)
  %p.next = add i64 %p, 1
  br i1 %p.pushed, label %part.pushed, label %slow
part.pushed:
  br label %part

done:
  ret i64 0
slow:
  %dropped = call i32 @anytile_unwind(ptr %machine, i64 0)
  ret i64 {SLOW}
}}

define internal i1 @push(ptr %machine, ptr %top.var, ptr %object, ptr %port, ptr %to) #0 {{
  %top = load i64, ptr %top.var
  %words = add i64 %top, 3
  %stack = call ptr @stack_to(ptr %machine, i64 %words)
  %none = icmp eq ptr %stack, null
  br i1 %none, label %bad, label %good
good:
  {at("item", "%stack", "%top")}
  {write("object", "%item", 0, "%object", "ptr")}
  {write("port", "%item", 1, "%port", "ptr")}
  {write("to", "%item", 2, "%to", "ptr")}
  store i64 %words, ptr %top.var
  ret i1 true
bad:
  ret i1 false
}}

define internal void @no_fields(ptr %cell, i64 %size) #0 {{
  {at("fields", "%cell", CELL_FIELDS)}
  %bytes = shl i64 %size, 3
  call void @llvm.memset.p0.i64(ptr %fields, i8 0, i64 %bytes, i1 false)
  ret void
}}
"""
