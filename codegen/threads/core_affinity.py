"""Keeping the threads of a team off each other's cores, without binding the caller's to one.

Who wakes a thread that sleeps is running, and the kernel likes to put the woken one onto the same core. Two threads
that take turns there, each asleep while the other works, never look like too much for one core, so nothing moves them:
with two cores a pause of some milliseconds cost the next hundred regions several times what one thread would have
taken. So before it starts them the caller looks which core it is on. Where the team keeps off that one, all is well.
Else it holds itself there for a moment, has each of the others leave that core out from now on, and is free again.

The word HOME of the runtime's table says which core is left out, and OWNER for whose team. Where the user bound the
threads, or gave the caller a single core, nothing is done.
"""

from __future__ import annotations

from anytile.codegen.threads.openmp import FORK, HOME, LEFT_ALONE, NUMBER, OWNER

NAME = "anytile_apart"  # void anytile_apart(table, threads)
_BYTES = 128  # of a set of cores, as the C library has it: 1024 of them
_SET = f"[{_BYTES // 8} x i64]"


def _word(name: str, kind: str, place: int) -> str:
    return f"%{name}.at = getelementptr i64, ptr %table, i64 {place}\n  %{name} = load {kind}, ptr %{name}.at, align 8"


TEXT = f"""
declare i32 @sched_getcpu()
declare i32 @sched_getaffinity(i32, i64, ptr)
declare i32 @sched_setaffinity(i32, i64, ptr)
declare i64 @pthread_self()

define internal void @{NAME}(ptr %table, i32 %threads) noinline #0 {{
start:
  %all = alloca {_SET}, align 8
  %one = alloca {_SET}, align 8
  %context = alloca {{ {_SET}, ptr }}, align 8
  {_word("home", "i64", HOME)}
  {_word("owner", "i64", OWNER)}
  %bound = icmp eq i64 %home, {LEFT_ALONE}
  br i1 %bound, label %done, label %look
look:
  %cpu = call i32 @sched_getcpu()
  %here = sext i32 %cpu to i64
  %me = call i64 @pthread_self()
  %still = icmp eq i64 %home, %here
  %mine = icmp eq i64 %owner, %me
  %settled = and i1 %still, %mine
  br i1 %settled, label %done, label %ask
ask:
  store {_SET} zeroinitializer, ptr %all, align 8
  store {_SET} zeroinitializer, ptr %one, align 8
  %refused = call i32 @sched_getaffinity(i32 0, i64 {_BYTES}, ptr %all)
  %told = icmp eq i32 %refused, 0
  %small = icmp ult i64 %here, {8 * _BYTES}
  %known = and i1 %told, %small
  br i1 %known, label %divide, label %done
divide:
  %word = lshr i64 %here, 6
  %shift = and i64 %here, 63
  %bit = shl i64 1, %shift
  %rest = xor i64 %bit, -1
  %one.at = getelementptr i64, ptr %one, i64 %word
  store i64 %bit, ptr %one.at, align 8
  %cores = load {_SET}, ptr %all, align 8
  store {_SET} %cores, ptr %context, align 8
  %others.at = getelementptr i64, ptr %context, i64 %word
  %others = load i64, ptr %others.at, align 8
  %without = and i64 %others, %rest
  store i64 %without, ptr %others.at, align 8
  %left = load i{8 * _BYTES}, ptr %context, align 8
  %some = icmp ne i{8 * _BYTES} %left, 0
  br i1 %some, label %part, label %done
part:
  %table.at = getelementptr {{ {_SET}, ptr }}, ptr %context, i64 0, i32 1
  store ptr %table, ptr %table.at, align 8
  {_word("fork", "ptr", FORK)}
  %held = call i32 @sched_setaffinity(i32 0, i64 {_BYTES}, ptr %one)
  call void %fork(ptr @{NAME}.run, ptr %context, i32 %threads, i32 0)
  %freed = call i32 @sched_setaffinity(i32 0, i64 {_BYTES}, ptr %all)
  store i64 %here, ptr %home.at, align 8
  store i64 %me, ptr %owner.at, align 8
  br label %done
done:
  ret void
}}

define internal void @{NAME}.run(ptr %context) #0 {{
start:
  %table.at = getelementptr {{ {_SET}, ptr }}, ptr %context, i64 0, i32 1
  %table = load ptr, ptr %table.at, align 8
  {_word("number", "ptr", NUMBER)}
  %which = call i32 %number()
  %caller = icmp eq i32 %which, 0
  br i1 %caller, label %done, label %leave
leave:
  %left = call i32 @sched_setaffinity(i32 0, i64 {_BYTES}, ptr %context)
  br label %done
done:
  ret void
}}
"""
