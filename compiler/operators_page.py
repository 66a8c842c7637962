"""Reference page of the operators: what each takes, how it runs, and where its result's shape comes from."""

from __future__ import annotations

from anytile.compiler.ir import memory_dialect as dialect
from anytile.compiler.operators import SECTIONS, Operator
from anytile.compiler.operators.spec import REQUIRED, Attribute
from anytile.compiler.passes.memory.manifest_alloc import APPEND, VIEWS

_ABOUT = """\
# The operators of the model language

One row of the table in `compiler/operators/` is an operator: type inference, shape functions, the evaluator, kernels
and this page derive from it. In Python every operator is a method of a builder's block, `f.softmax(x, axis=-1)`; in
the [text form](text-form.md) it is a call, `softmax(x, axis=-1)`. `x?` may be left out, `x...` be given any number of
times.

**Runs as** says what becomes of a call. *kernel*: machine code through a workload of the tuning database; calls whose
types leave it open (whether an unknown dimension is 1 and broadcast) go to the host. *fused*: also as a part of a
product's tail or of a chain of such calls, in one kernel. *view*: nothing runs, the memory is seen in another shape.
*instruction*: the virtual machine does it itself. *host*: a function of the host library, in numpy; a pass makes other
operators, with kernels, of most calls of `conv3d`, `conv_transpose`, `resize` and `resize_by`.

**Shape** says what a result's shape follows from. *arguments*: from the arguments' shapes, by compiled integer
arithmetic, one program for all calls of a block that can be computed together. *values*: from the arguments' elements,
before the result is computed: *compiled* where that is arithmetic on a few whole numbers (a float, an int32 or a step
that is not known go to the host), else by the *host* library in numpy. *bound*: memory is taken for an upper bound that
the host library computes, and the result is as large as it turns out to be.
"""


def reference() -> str:
    """The page."""
    lines = [_ABOUT]
    for title, rows in SECTIONS.items():
        lines += [f"## {title}", "", "| operator | runs as | shape | what it is |", "| --- | --- | --- | --- |"]
        lines += [f"| {' | '.join(map(_cell, _row(row)))} |" for row in rows]
        lines.append("")
    lines += ["## The memory dialect", "", "What calls become when memory is explicit; `anytile compile --print-after"]
    lines += [
        "manifest_alloc` shows it.",
        "",
        "| operation | arguments | attributes | makes |",
        "| --- | --- | --- | --- |",
    ]
    for step in dialect.ROWS.values():
        arity = "any number" if step.arity is None else str(step.arity)
        lines.append(f"| `{step.name}` | {arity} | {', '.join(step.attributes)} | {step.makes} |")
    return "\n".join(lines) + "\n"


def _row(row: Operator) -> tuple[str, ...]:
    words = [f"{name}..." if row.variadic and name == row.inputs[-1] else name for name in row.inputs]
    for i in range(row.optional):
        words[len(words) - 1 - i] += "?"
    words += [_attribute(a) for a in row.attributes]
    notes = "; ".join(f"{a.name}: {a.doc}{_choices(a)}" for a in row.attributes)
    return (
        f"`{row.name}({', '.join(words)})`",
        _runs_as(row),
        _shape(row),
        f"{row.summary}{f'; {notes}' if notes else ''}",
    )


def _attribute(a: Attribute) -> str:
    if a.default == REQUIRED:
        return f"{a.name}="
    value = a.default
    return f"{a.name}={str(value).lower() if isinstance(value, bool) else repr(value)}"


def _choices(a: Attribute) -> str:
    return f" ({', '.join(a.words)})" if a.words else ""


def _runs_as(row: Operator) -> str:
    if row.name in VIEWS:
        return "view"
    if row.name == APPEND:
        return "instruction"
    if row.schedule is None:
        return "host"
    return "kernel, fused" if row.element is not None else "kernel"


def _shape(row: Operator) -> str:
    if row.mode == "independent":
        return "arguments"
    if row.mode == "upper_bound":
        return "bound, host"
    return "values, host" if row.arithmetic is None else "values, compiled"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
