"""Compiler driver: modules -> executables, with the effects that takes: plans from a database, code into a cache.

A database that lacks something is asked once for each workload, and told what it lacked; the executable then has the
template's default config there, and says so (`Executable.why`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from anytile.codegen.cache import CodeCache
from anytile.compiler.ir.nodes import Module
from anytile.compiler.lock import Lock, lock_of, planner_of, read_lock
from anytile.compiler.lowering.kernel_table import Planned, Planner
from anytile.compiler.operators.products import OF_TWO
from anytile.compiler.passes.convolutional.direct_sums import direct_sums
from anytile.compiler.passes.narrow.narrow_layers import Narrowing, narrow_layers
from anytile.compiler.passes.narrow.narrow_products import MULTIPLIED, narrow_kinds, narrow_ops
from anytile.compiler.passes.narrow.round_products import exact, round_products
from anytile.compiler.passes.narrow.rounded_weights import EXACT, FLOAT, INT8, require_precision
from anytile.compiler.passes.narrow.settle_pairs import pairs_on
from anytile.compiler.passes.narrow.store_activations import store_activations
from anytile.compiler.pipeline import Pass, Watch, compiled
from anytile.compiler.text.file import read_module
from anytile.core.dtypes import HALVES
from anytile.core.errors import SpecError, UnsupportedError
from anytile.core.regular_file import open_regular
from anytile.dispatch.service import planned
from anytile.schedules.hardware.gpu import gpu_facts
from anytile.schedules.hardware.narrow import narrow_facts
from anytile.schedules.hardware.target import Target
from anytile.schedules.operators.products.batch_matmul import BATCH_MATMUL
from anytile.schedules.operators.products.quantised_conv2d import QUANTISED_CONV2D
from anytile.schedules.operators.products.quantised_dense import IN_32_BITS
from anytile.schedules.templates.registry import is_led, is_served
from anytile.schedules.workloads.workload import Workload
from anytile.vm.executable import Executable
from anytile.vm.program import executable
from anytile.vm.program.executable import CUDA, KERNEL
from anytile.vm.program.isa import InvokePacked
from anytile.vm.storage.file import MAGIC, read
from anytile.vm.storage.link import linked, linked_as_planned
from anytile.vm.why import worth_tuning

if TYPE_CHECKING:
    from anytile.db.lookup.ladder import Rank
    from anytile.db.store import Store


_PRODUCTS = ("dense", "gated_dense", "batch_matmul", "conv2d")  # whose workloads are float32 alone in models
WITH_GPU = ("host", CUDA)


class DatabasePlanner:
    """Looks plans up in one database, each workload once; `rank` scores configs of what has no record, `reading` is the
    database to who has it open."""

    def __init__(
        self,
        target: Target,
        db: Store | str | Path | None = None,
        rank: Rank | None = None,
        reading: Store | None = None,
    ) -> None:
        self.target, self.db, self.rank, self.reading = target, db, rank, reading
        self.used: dict[Workload, Planned] = {}

    def __call__(self, workload: Workload) -> Planned:
        if workload not in self.used:
            plan, answer = planned(workload, self.target, self.db, self.rank, self.reading)
            self.used[workload] = Planned(plan.to_json(), answer.rung.value, answer.why())
        return self.used[workload]


def compile_module(
    module: Module,
    target: Target | None = None,
    db: Store | str | Path | None = None,
    cache: CodeCache | None = None,
    watch: Watch = lambda name, module: None,
    rank: Rank | None = None,
    locked: Path | None = None,
    precision: str = FLOAT,
    planners: Callable[[Target], Planner] | None = None,
    reading: Store | None = None,
) -> Executable:
    """The executable of a module, machine code included; `watch` sees the module after each pass.

    It is for this machine, or for another CPU: such a one is to be saved, and loaded there. For a GPU it is for this
    machine's CPU with that GPU beside it. Plans are out of the database, which `reading` is to who has it open, or out
    of a lock file alone, or what `planners` has for each target: a machine that lends its GPU may have no database.
    """
    target = Target.host() if target is None else target
    narrow = _narrowing(precision, target)
    of = None if locked is None else read_lock(locked)

    def planner(on: Target) -> Planner:
        if planners is not None:
            return planners(on)
        if of is None or locked is None:
            return DatabasePlanner(on, db, rank, reading)
        return planner_of(of, target, locked, on)

    host = host_of(target)
    plan, beside = planner(host), planner(target) if target.kind == CUDA else None
    if narrow is not None:
        plan = _saying_what_stays(plan, precision, target)
        beside = beside and _saying_what_stays(beside, precision, target)
    made = compiled(module, host, plan, _devices(target), watch, narrow, beside, _storing(precision, target))
    return linked(made, cache) if host.is_host else linked_as_planned(made, cache)


def host_of(target: Target) -> Target:
    """What runs a model's program and what of it is not for the target itself: beside a GPU this machine's CPU."""
    return Target.host() if target.kind == CUDA else target


def _devices(target: Target) -> tuple[str, ...]:
    return WITH_GPU if target.kind == CUDA else ("host",)


def _narrowing(precision: str, target: Target) -> Pass | None:
    """The pass that makes layers narrow, if they are to be."""
    require_precision(precision)
    if target.kind == CUDA and precision not in (FLOAT, *HALVES, EXACT):
        others = ", ".join((FLOAT, *HALVES, EXACT))
        raise UnsupportedError(f"precision {precision} is for CPUs so far; expected one of {others} for {target}")
    if precision in (FLOAT, EXACT):
        return None
    pairs = pairs_on(target) if precision == INT8 else IN_32_BITS
    return partial(narrow_layers, spec=Narrowing(precision, multiplies=_multiplied(target), pairs=pairs))


def _multiplied(target: Target) -> tuple[str, ...]:
    """The 16-bit floats that the target multiplies, which it would widen otherwise."""
    if target.kind == CUDA:
        return HALVES if gpu_facts(target).async_copies else ()
    return MULTIPLIED if narrow_facts(target).bfloat16 > 0 else ()


def _storing(precision: str, target: Target) -> Pass:
    """The pass that says of products how closely they are made, and stores what kernels leave for each other in 16
    bits, where the target multiplies such: on GPUs with matrix units all of it, on CPUs what comes to layers that allow
    it."""
    if precision == EXACT:
        store = _storing(FLOAT, target)
        return lambda module: direct_sums(store(module))
    serves = partial(is_served, target=target)
    if target.kind == CUDA and gpu_facts(target).async_copies:

        def stored(module: Module) -> Module:
            if precision in HALVES:
                module = store_activations(module, precision, serves, led=partial(is_led, target=target))
            return exact(module, QUANTISED_CONV2D.name)  # of images in float32

        return stored
    return partial(round_products, multiplies=_multiplied(target), serves=serves)


def _saying_what_stays(planner: Planner, precision: str, target: Target) -> Planner:
    """The planner, saying of products that are not narrow that they could not be."""
    multiplies = _multiplied(target)

    def plan(workload: Workload) -> Planned:
        found = planner(workload)
        if workload.op not in _PRODUCTS or workload.dtype != FLOAT:
            return found
        said = f"float32, since {precision} is for {narrow_kinds(precision, multiplies)} with constant weights"
        if workload.op in narrow_ops(precision, multiplies):
            said += "; `anytile quantise` says why it is not for this one"
        elif workload.op == BATCH_MATMUL.name and precision in OF_TWO.words:
            said += ", and for what kernels make for each other where the target multiplies it"
        return replace(found, because="; ".join(filter(None, (said, found.because))))

    return plan


def lock(
    module: Module,
    target: Target | None = None,
    db: Store | str | Path | None = None,
    rank: Rank | None = None,
    precision: str = FLOAT,
) -> Lock:
    """The plans that compiling the module in this precision takes from its database; compiles no kernel."""
    target = Target.host() if target is None else target
    host = host_of(target)
    planners, narrow = {on: DatabasePlanner(on, db, rank) for on in (host, target)}, _narrowing(precision, target)
    store = _storing(precision, target)
    compiled(module, host, planners[host], _devices(target), narrow=narrow, beside=planners[target], store=store)
    return lock_of(target, [(w, p) for planner in planners.values() for w, p in planner.used.items()])


def workloads_of(exe: executable.Executable) -> dict[Workload, int]:
    """What a model needs tuned: its kernels' workloads without their tails, and at how many places each is called.

    Workloads of one known size that take next to nothing are left out: there is nothing to gain. Of a model on a device
    beside the host only that one's count.
    """
    found: dict[Workload, int] = {}
    for function in exe.functions:
        for step in function.code:
            if isinstance(step, InvokePacked) and (entry := exe.kernels[step.kernel]).kind == KERNEL:
                if entry.device != len(exe.devices) - 1:
                    continue
                anchor = Workload.parse(entry.workload).anchor
                if worth_tuning(anchor):
                    found[anchor] = found.get(anchor, 0) + 1
    return found


def needed_by(
    path: str | Path,
    target: Target,
    read_model: Callable[[str | Path], Module] = read_module,
    precision: str = FLOAT,
) -> dict[Workload, int]:
    """The same of a file: an executable, or a module in a form that `read_model` reads, compiled in a precision."""
    narrow = _narrowing(precision, target)
    try:
        with open_regular(path) as opened:
            is_executable = opened.read(len(MAGIC)) == MAGIC
    except OSError as error:
        raise SpecError(f"{path}: the model cannot be read: {error.strerror or error}") from None
    if not is_executable:
        module, nothing = read_model(path), Planned("", "")
        store = _storing(precision, target)
        made = compiled(module, target, lambda workload: nothing, _devices(target), narrow=narrow, store=store)
        return workloads_of(made)
    if precision != FLOAT:
        raise SpecError(f"{path}: it is compiled, and has its precision; give the model, or leave {precision} out")
    return workloads_of(read(path)[0])
