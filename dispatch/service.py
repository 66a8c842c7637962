"""From a workload to a callable: look the plan up, compile it (or find it in the code cache), load, pack the constants.

A database is only ever read here, and need not be there: the ladder always answers. The one thing written is a miss,
so that a team sees what it compiled without having tuned it; a database that cannot take that note is none the worse.
"""

from __future__ import annotations

import contextlib
import functools
import platform
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from anytile.codegen.cache import CodeCache
from anytile.codegen.version import CODEGEN_VERSION
from anytile.core.errors import AnytileError, DatabaseError, SpecError
from anytile.core.installation.lacking import LOOKING_UP, packages_for
from anytile.core.version import __version__
from anytile.db.records.records import Versions
from anytile.dispatch.backends import AnyKernel, backend, backend_of
from anytile.dispatch.blas import in_plans
from anytile.dispatch.plans.notes import noted
from anytile.dispatch.storage.kernel_file import made_here, read_kernel
from anytile.schedules.hardware.target import Target, require_runnable
from anytile.schedules.plans.plan import DispatchPlan, default_classes
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.templates.base.template import ranged_symbol, ranged_tile
from anytile.schedules.templates.registry import template, templates_for
from anytile.schedules.workloads.workload import Workload

if TYPE_CHECKING:
    from anytile.db.lookup.ladder import Answer, Rank
    from anytile.db.store import Store


def build(
    workload: Workload | str,
    target: Target | str | None = None,
    db: Store | str | Path | None = None,
    constants: Mapping[str, object] | None = None,
    plan: DispatchPlan | str | None = None,
    rank: Rank | None = None,
    cache: CodeCache | None = None,
) -> AnyKernel:
    """The one callable that serves a workload at every size. Specs may be given as text, the plan as its JSON."""
    workload = Workload.parse(workload) if isinstance(workload, str) else workload
    workload = workload.with_const(constants or ())
    if workload.spec.over:
        raise SpecError(f"{workload}: {workload.op} writes over {workload.spec.over}, as models alone have it done")
    if isinstance(plan, str):
        plan = DispatchPlan.from_json(plan)
    if plan is not None and not isinstance(plan, DispatchPlan):
        raise SpecError(f"plan={plan!r}: expected a DispatchPlan, or its JSON as text")
    if target is None:
        target = plan.target if plan is not None else Target.host()
    target = Target.parse(target) if isinstance(target, str) else target.resolved()
    require_runnable(target)
    answer = None
    if plan is None:
        answer = _answer(workload.anchor, target, db, rank)
        plan = plan_of(answer)
    if plan.workload not in (workload, workload.anchor) or plan.target != target:
        raise SpecError(f"the plan is for {plan.workload} on {plan.target}; expected {workload} on {target}")
    plan = with_tail(plan, workload)
    return assemble(runnable(plan), constants, answer, cache)


def planned(
    workload: Workload,
    target: Target,
    db: Store | str | Path | None = None,
    rank: Rank | None = None,
    reading: Store | None = None,
) -> tuple[DispatchPlan, Answer]:
    """The plan that serves a workload, and the answer of the database that it is from; compiles nothing.

    For another CPU than this machine's it is one that can be compiled here. `reading` is the same database to who has
    it open: opening it takes longer than to look up in it.
    """
    answer = _answer(workload.anchor, target, db, rank, reading)
    plan = with_tail(plan_of(answer), workload)
    return runnable(plan) if target.is_host else compilable(plan, target), answer


def assemble(
    plan: DispatchPlan,
    constants: Mapping[str, object] | None = None,
    answer: Answer | None = None,
    cache: CodeCache | None = None,
) -> AnyKernel:
    """Compile a plan that runs here and wrap it."""
    made = backend(plan.target)
    artifact = made.compile(plan, cache=CodeCache() if cache is None else cache)
    return made.kernel(artifact, plan, constants, answer)


def load_kernel(path: str | Path, trust: bool = False, cache: CodeCache | None = None) -> AnyKernel:
    """A saved kernel, ready to call. `trust=True` runs the file's own machine code if it fits this machine."""
    stored = read_kernel(Path(path))
    plan = runnable(stored.plan, strict=False)
    made = backend(plan.target)
    if trust and plan == stored.plan and stored.made_for == made_here(made.here(), made.compiler()):
        return made.kernel(stored.artifact, plan, stored.constants, None)
    return assemble(plan, stored.constants, cache=cache)


def built_bytes(plan: DispatchPlan) -> int:
    """The bytes of the plan's code; it goes to the cache, where whoever builds the plan finds it."""
    return backend(plan.target).compile(plan, cache=CodeCache()).size


def look_up(workload: Workload, target: Target, store: Store | None, rank: Rank | None = None) -> Answer:
    """What the ladder answers for tools of these versions; a workload with a tail is tuned without it."""
    from anytile.db.lookup.layers import lookup

    answer = lookup(store, workload.anchor, target, versions_here(templates_for(workload, target)[0].name), rank)
    plan = backend(target).untuned(workload.anchor, target) if answer.rung.value == "default" else None
    return answer if plan is None else _planned(answer, plan)


def foresee(asked: Sequence[tuple[Workload, Target]], store: Store) -> None:
    """Within a moment of the store: what `look_up` of all these would ask one after another is read together."""
    from anytile.db.lookup import layers

    known: list[tuple[Workload, Target, Versions]] = []
    for workload, target in asked:
        with contextlib.suppress(AnytileError):  # which looking it up will say
            versions = versions_here(templates_for(workload, target)[0].name)
            known.append((workload.anchor, target, versions))
    layers.foresee(store, known)


def _planned(answer: Answer, plan: DispatchPlan) -> Answer:
    """An answer that would be one config for every size, with a plan instead."""
    from anytile.db.lookup import messages

    first = plan.variants[0]
    because = answer.reason.removesuffix(messages.default("", answer.template, answer.config))
    reason = messages.untuned(because, plan.symbol, len(plan.variants))
    return replace(answer, dispatch_plan=plan, template=first.template, config=first.config, reason=reason)


def plan_of(answer: Answer) -> DispatchPlan:
    """The answer's plan, or one of its config for every size."""
    if answer.dispatch_plan is not None:
        return answer.dispatch_plan
    if answer.config is None:
        raise SpecError(f"{answer.workload}: the answer has neither a plan nor a config; tune it")
    return single_plan(answer.workload, answer.target, answer.template, answer.config)


def as_run(plan: DispatchPlan) -> DispatchPlan:
    """The plan as a kernel would be built from it, where that can be told: for this machine, not for another one."""
    return runnable(plan, strict=False) if plan.target.is_host else plan


def with_tail(plan: DispatchPlan, workload: Workload) -> DispatchPlan:
    """An anchor's plan for the workload with its tail. A library cannot compute the tail, so none is left in it."""
    if plan.workload == workload:
        return plan
    plan = replace(in_plans.without_libraries(plan, "a library cannot compute the tail"), workload=workload)
    for variant in plan.variants:
        found = template(variant.template)
        if not found.suits(workload) or not found.stores(workload):
            return _default(plan, f"{variant.template} cannot compute the tail")
    return plan


def _default(plan: DispatchPlan, why: str) -> DispatchPlan:
    """The plan that stands in for one that cannot be used, and the reason."""
    untuned = backend(plan.target).untuned(plan.workload, plan.target)
    if untuned is not None:
        return noted(untuned, f"{why}, so an untuned plan is used")
    (chosen, *_) = templates_for(plan.workload, plan.target)
    config = chosen.default(plan.workload, plan.target)
    default = single_plan(plan.workload, plan.target, chosen.name, config)
    return noted(default, f"{why}, so the default config of {chosen.name} is used")


@functools.cache
def versions_here(template_name: str) -> Versions:
    found = template(template_name)
    return Versions(
        anytile=__version__,
        template=found.version,
        codegen=CODEGEN_VERSION,
        llvm=backend_of(found.kind).compiler(),
        python=platform.python_version(),
    )


def runnable(plan: DispatchPlan, strict: bool = True) -> DispatchPlan:
    """The plan as it can run here: for this machine, with configs that fit it, without libraries that are missing.

    A config that today's template does not have is an error, unless the plan was made for another machine or is not
    meant `strict`ly; then the default config takes over and the notes say so.
    """
    made_for, made = plan.target, backend(plan.target)
    plan = made.adapted(plan)
    plan = _fitting(plan, f"the plan made for {made_for} does not fit here", strict and plan.target == made_for)
    missing = [name for name in in_plans.libraries_of(plan) if not made.has_library(name)]
    return in_plans.without_libraries(plan, f"no {missing[0]} library was found here") if missing else plan


def compilable(plan: DispatchPlan, target: Target) -> DispatchPlan:
    """The plan for a machine of which nothing but the target is known: with configs that fit it, without libraries."""
    made_for = plan.target
    if made_for != target:
        plan = noted(replace(plan, target=target), f"made for {made_for}; its figures are from there")
    plan = backend(target).bounded(plan)
    plan = _fitting(plan, f"the plan made for {made_for} does not fit {target}", strict=False)
    return in_plans.without_libraries(plan, "which libraries that machine has is not known here")


def _fitting(plan: DispatchPlan, otherwise: str, strict: bool) -> DispatchPlan:
    """The plan, if today's templates have its configs; else the default, or where that is `strict`ly asked an error."""
    plan = _ranging(plan)
    _check_shape(plan)
    try:
        able = templates_for(plan.workload, plan.target)
        for variant in plan.variants:
            chosen = template(variant.template)
            if chosen not in able:
                expected = " or ".join(t.name for t in able)
                raise SpecError(f"{chosen.name} does not serve {plan.workload} on {plan.target}; expected {expected}")
            chosen.space(plan.workload, plan.target).check(variant.config)
    except SpecError as error:
        if strict:
            raise
        return _default(plan, f"{otherwise} ({error})")
    return plan


def _ranging(plan: DispatchPlan) -> DispatchPlan:
    """A plan of one config for all sizes, from before its template had ranges, as one with a single range."""
    if plan.symbol is not None or len(plan.variants) != 1:
        return plan
    (only,) = plan.variants
    chosen = template(only.template)
    symbol = ranged_symbol(chosen, plan.workload)
    if symbol is None or ranged_tile(chosen, plan.workload, only.config) != 1:
        return plan
    variant = replace(only, classes=default_classes(plan.target.kind, 1))
    return replace(plan, symbol=symbol, variants=(variant,))


def _check_shape(plan: DispatchPlan) -> None:
    """Plans come from databases and files that others wrote: what they say of themselves must hold together."""
    for variant in plan.variants:
        chosen, workload = template(variant.template), plan.workload
        if (chosen.op, chosen.kind) != (workload.op, plan.target.kind):
            raise SpecError(f"plan for {workload}: {variant.template} is a template for {chosen.op} on {chosen.kind}")
        if plan.symbol != ranged_symbol(chosen, workload):
            raise SpecError(f"plan for {workload}: it ranges over {plan.symbol}, {chosen.name} does not")
        tile = ranged_tile(chosen, workload, variant.config)
        if variant.tile != tile:
            raise SpecError(f"plan for {workload}: {variant.config} has residues 0..{tile - 1}, its classes differ")


def _answer(
    workload: Workload,
    target: Target,
    db: Store | str | Path | None,
    rank: Rank | None,
    reading: Store | None = None,
) -> Answer:
    with _reading(db) if reading is None else contextlib.nullcontext(reading) as store:
        answer = look_up(workload, target, store, rank)
    if store is not None and answer.is_miss and not store.is_packaged and not workload.spec.over:  # which none tunes
        _record_miss(workload, target, db)
    return answer


@contextlib.contextmanager
def _reading(db: Store | str | Path | None) -> Iterator[Store | None]:
    """The database to read: the given one, or the one at a place; None where there is none yet."""
    with packages_for(*LOOKING_UP):
        from anytile.db.open import open_reading
        from anytile.db.store import Store

    if isinstance(db, Store):
        yield db
        return
    store = open_reading(None if db is None else str(db))
    with contextlib.nullcontext() if store is None else store:
        yield store


def _record_miss(workload: Workload, target: Target, db: Store | str | Path | None) -> None:
    from anytile.db.store import Store

    with contextlib.suppress(DatabaseError):  # read-only, full or busy: the build does not depend on the note
        if isinstance(db, Store):
            db.record_miss(workload, target)
        else:
            with Store.open(None if db is None else str(db), patience_s=0) as store:
                store.record_miss(workload, target)
