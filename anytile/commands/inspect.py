"""`anytile lookup`, `why`, `source`: what is known about a workload, why, and the code it becomes."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from anytile.commands.options import (
    ConstOption,
    DbOption,
    DtypeOption,
    JsonOption,
    OpOption,
    ShapeOption,
    SizeOption,
    TargetOption,
    WorkloadArgument,
    existing,
    point_of,
    read_text_or_shape,
    write_file,
)
from anytile.commands.reading import read_target
from anytile.core.errors import SpecError
from anytile.core.printable import printable, say

if TYPE_CHECKING:
    from anytile.db.lookup.ladder import Answer
    from anytile.schedules.hardware.target import Target
    from anytile.schedules.plans.plan import DispatchPlan
    from anytile.schedules.workloads.workload import Workload

FORMS = ("nest", "llvm", "asm", "object", "cuda")
COMMENTS = {"nest": "#", "llvm": ";", "asm": "#", "cuda": "//"}


def lookup(
    workload: WorkloadArgument = None,
    op: OpOption = "dense",
    shape: ShapeOption = None,
    target: TargetOption = "llvm",
    dtype: DtypeOption = "float32",
    const: ConstOption = None,
    db: DbOption = None,
    json: JsonOption = False,
) -> None:
    """Say what the database answers for a workload, and from which rung of the ladder."""
    from anytile.api import lookup as look_up
    from anytile.dispatch.service import plan_of
    from anytile.show.jsonable import dump
    from anytile.show.plan_words import plan_lines

    answer = look_up(read_text_or_shape(workload, op, shape, dtype, const), read_target(target), existing(db))
    plan = plan_of(answer)
    if json:
        found = {"workload": answer.workload, "target": answer.target, "rung": answer.rung, "grade": answer.grade}
        said = {"plan": plan, "source": _source(answer), "why": answer.why()}
        say(dump({**found, "template": answer.template, "config": answer.config, **said}))
        return
    say(f"{answer.workload} on {answer.target}")
    say(f"{answer.rung.value}: {answer.why()}")
    for line in plan_lines(plan):
        say(f"  {line}")


def why(
    workload: WorkloadArgument = None,
    op: OpOption = "dense",
    shape: ShapeOption = None,
    m: SizeOption = None,
    target: TargetOption = "llvm",
    dtype: DtypeOption = "float32",
    const: ConstOption = None,
    db: DbOption = None,
    json: JsonOption = False,
) -> None:
    """Say in a sentence or two why a size runs what it runs; without a size, why the plan is what it is."""
    from anytile.api import lookup as look_up
    from anytile.dispatch.plans.why import changes, disturbed, unlike
    from anytile.dispatch.plans.why import why as plan_why
    from anytile.dispatch.service import as_run, plan_of, with_tail
    from anytile.show.jsonable import dump
    from anytile.show.plan_words import plan_lines

    wanted = read_text_or_shape(workload, op, shape, dtype, const)
    answer = look_up(wanted, read_target(target), existing(db))
    plan = as_run(with_tail(plan_of(answer), wanted))
    point = point_of(plan, m)
    sentences = [answer.why()]
    if point or plan.is_uniform:
        sentences.append(plan_why(plan, point.get(plan.symbol) if plan.symbol else None))
        sentences += filter(None, (unlike(plan), disturbed(plan), changes(plan)))
    else:
        sentences += [*plan_lines(plan), *map(str, plan.notes.get("decisions", ()))]
        sentences += filter(None, (unlike(plan), disturbed(plan)))
    if json:
        found = {"workload": wanted, "target": answer.target, "point": point, "why": sentences}
        say(dump({**found, "source": _source(answer)}))
    else:
        say("\n".join(sentences))


def _source(answer: Answer) -> dict[str, object] | None:
    from anytile.db.lookup.evidence import provenance

    return None if answer.source is None else provenance(answer.source)


def source(
    workload: WorkloadArgument = None,
    op: OpOption = "dense",
    shape: ShapeOption = None,
    m: SizeOption = None,
    form: Annotated[str, typer.Option("--form", metavar="|".join(FORMS), help="What to show.")] = "nest",
    config: Annotated[
        str | None, typer.Option("--config", metavar="CONFIG", help="This config, instead of what the database says.")
    ] = None,
    template: Annotated[
        str | None, typer.Option("--template", metavar="NAME", help="The template of --config.")
    ] = None,
    classes: Annotated[
        str | None,
        typer.Option(
            "--classes",
            metavar="N|none",
            help="Residues in so many classes, instead of those of the plan; none guards every row.",
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", metavar="FILE", help="Write to this file; --form object needs one.")
    ] = None,
    target: TargetOption = "llvm",
    dtype: DtypeOption = "float32",
    const: ConstOption = None,
    db: DbOption = None,
) -> None:
    """Show the code a workload becomes: loop nest, LLVM IR, assembly; or write an object file, for any CPU."""
    from anytile.dispatch.backends import backend
    from anytile.schedules.plans.plan import in_classes

    if form not in FORMS:
        raise SpecError(f"--form {form!r}: expected one of {', '.join(FORMS)}")
    if form == "object" and out is None:
        raise SpecError("--form object: an object file is not for reading; expected -o FILE")
    if template is not None and config is None:
        raise SpecError(f"--template {template}: only goes with --config")
    wanted = read_text_or_shape(workload, op, shape, dtype, const)
    plan = _plan(wanted, read_target(target), template, config, db)
    if classes is not None:
        plan = in_classes(plan, _read_classes(classes))
    size = next(iter(point_of(plan, m).values()), None)
    made = backend(plan.target)
    if form not in made.forms:
        raise SpecError(f"--form {form}: code for {plan.target.kind} can be shown as {', '.join(made.forms)}")
    if form == "object":
        code: str | bytes = made.compile(plan, None if size is None else (size,)).code
    else:
        code = made.source(plan, size, form)
        if size is None and not plan.is_uniform:
            lines = (f"{COMMENTS[form]} variant {i}, {v.residues}\n" for i, v in enumerate(plan.variants))
            code = "".join((*lines, code))
    if out is None:
        sys.stdout.write(printable(code) if isinstance(code, str) else "")
        return
    write_file(out, code)
    say(f"{out}: {len(code)} bytes for {plan.target}")


def _read_classes(text: str) -> int:
    """How many classes of residues; 0 is none."""
    if text == "none":
        return 0
    if not re.fullmatch(r"[1-9][0-9]{0,5}", text):
        raise SpecError(f"--classes {text!r}: expected a whole number above 0, or none")
    return int(text)


def _plan(w: Workload, target: Target, template: str | None, config: str | None, db: str | None) -> DispatchPlan:
    from anytile.api import lookup as look_up
    from anytile.dispatch.service import plan_of, with_tail

    if config is None:
        return with_tail(plan_of(look_up(w, target, existing(db))), w)
    from anytile.schedules.plans.single_plan import single_plan
    from anytile.schedules.templates.base.space import Config
    from anytile.schedules.templates.registry import template as template_named
    from anytile.schedules.templates.registry import templates_for

    used = template_named(template) if template else templates_for(w, target)[0]
    wanted = Config.parse(config)
    used.space(w, target).check(wanted)
    return single_plan(w, target, used.name, wanted)


COMMANDS: dict[str, Callable[..., None]] = {"lookup": lookup, "why": why, "source": source}
