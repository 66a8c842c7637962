"""Explanations of a plan: why it runs what it runs at a size, with the figures, read off the plan alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from anytile.core.errors import SpecError
from anytile.core.plurals import counted, rounded
from anytile.dispatch.plans.notes import ADAPTED, number
from anytile.dispatch.plans.profile import Series, in_words, tolerable
from anytile.schedules.hardware.narrow import narrow_facts
from anytile.schedules.operators.products.grouped_dense import GROUPED_DENSE
from anytile.schedules.plans.plan import DispatchPlan, Range, Variant
from anytile.schedules.templates.cpu.narrow.terms import is_paired
from anytile.schedules.workloads.workload import MAX_DIM

if TYPE_CHECKING:
    from anytile.db.lookup.ladder import Answer

MACHINE = (
    "machine"  # the note on how disturbed the machine was: a share of the times, and how much slower its parts were
)
BUDGET = "code_budget"  # the note with the bytes that the plan's code may take


def why(plan: DispatchPlan, size: int | None = None, libraries: Mapping[str, str] | None = None) -> str:
    """One sentence for one value of the plan's symbol, or for all where that makes no difference; `libraries` names
    libraries in full."""
    if plan.symbol is None or (size is None and plan.is_uniform):
        return _fixed(plan)
    if size is None:
        raise SpecError(f"why: give a value for {plan.symbol}, as in why({plan.symbol}=64)")
    _require_size("why", plan.symbol, size)
    if size == 0 and _is_empty(plan):
        return f"{plan.symbol}=0: the result is empty, so nothing runs."
    chosen = plan.range_at(size)
    subject = f"{plan.symbol}={size}"
    if isinstance(chosen.runs, str):
        text = f"{subject} calls {chosen.runs}"
        if libraries and chosen.runs in libraries:
            text += f", which is {libraries[chosen.runs]}"
    else:
        variant = plan.variants[chosen.runs]
        how = f"{subject} runs" if variant.tile == 1 else f"{_arithmetic(subject, size, variant)} of"
        text = f"{how} variant {chosen.runs} ({variant.config})"
    if chosen.low != chosen.high:
        text += f", as every {plan.symbol}{'' if len(plan.ranges) == 1 else f' in {_span(chosen)}'} does"
    text += _figures(plan, size, chosen)
    return text + _regret(plan) + "."


def _is_empty(plan: DispatchPlan) -> bool:
    """Whether of nothing along the plan's symbol comes nothing; a sum of nothing is still there."""
    sizes = {s: int(s != plan.symbol) for s in plan.workload.symbols}
    return all(0 in plan.workload.shape(t.name, sizes) for t in plan.workload.outputs)


def of_code(plan: DispatchPlan, size: int) -> str:
    """A sentence on the size of the code that the plan became."""
    budget = int(number(plan.notes.get(BUDGET)))
    text = f"The whole plan is {size} bytes of code"
    if not budget:
        return f"{text}."
    if size <= budget:
        return f"{text}, within its budget of {budget}."
    return f"{text}, over its budget of {budget}; tune with a smaller --portfolio, or a larger --code-budget."


def asked_size(plan: DispatchPlan, at: Sequence[int], sizes: Mapping[str, int], call: str = "why") -> int | None:
    """The value that `why(17)` or `why(m=17)`, or another `call`, asks about; None where that makes no difference."""
    symbol = plan.symbol
    if symbol is None or (not at and not sizes and plan.is_uniform):
        return None
    if len(at) == 1 and not sizes:
        size = at[0]
    elif not at and symbol in sizes and set(sizes) <= set(plan.workload.symbols):
        size = sizes[symbol]
    else:
        raise SpecError(f"{call}: expected a value for {symbol}, as in {call}({symbol}=64)")
    _require_size(call, symbol, size)
    return size


def explained(answer: Answer | None, plan: DispatchPlan, text: str) -> str:
    """`why` of a kernel: first what the database answered, where it was asked, and last how the plan was changed."""
    said = [] if answer is None else [answer.why()]
    more = (without_instruction(plan), unlike(plan), disturbed(plan), changes(plan))
    return " ".join(filter(None, (*said, text, *more)))


def without_instruction(plan: DispatchPlan) -> str:
    """A sentence on products of narrow numbers that the plan's CPU has no instruction for, and what they are made of
    then; nothing for nothing."""
    workload, sums = plan.workload, plan.workload.spec.sums
    integers = workload.op == GROUPED_DENSE.name or (sums is not None and sums(workload.attributes) == "int32")
    if plan.target.kind != "llvm" or not (integers or workload.dtype == "bfloat16"):
        return ""
    offered = narrow_facts(plan.target)
    if not integers:
        widened = "they are widened, and multiplied as float32."
        if not offered.bfloat16:
            return f"This CPU has no instruction for products of bfloat16: {widened}"
        alone = any(variant.template.endswith(".depthwise") for variant in plan.variants)
        return f"Channels that do not see each other are no pairs of bfloat16: {widened}" if alone else ""
    how = "in pairs" if offered.words else "one by one"
    if is_paired(workload) and offered.adds_pairs:
        how = "in pairs, which 16 bits hold as pairs=int16 promises"
    few = "for few rows " if any(("x", "floats") in variant.config.values for variant in plan.variants) else ""
    text = f"This CPU has no instruction that multiplies and adds four 8-bit integers at once: {few}it is done {how}."
    return "" if offered.bytes else text


def unlike(plan: DispatchPlan) -> str:
    """Sentences on what may run unlike what was measured for the plan; nothing for nothing."""
    said = []
    others = ", ".join(symbol for symbol in plan.workload.symbols if symbol != plan.symbol)
    was_measured = not plan.is_uniform or plan.ranges[0].seconds is not None
    if plan.symbol is not None and others and was_measured:
        stood = f"{others} stood at one size each wherever it was measured, which `tune --at` sets"
        said.append(f"The plan goes by {plan.symbol} alone; {stood}.")
    if plan.workload.tail:
        said.append(f"The tail {plan.workload.tail} was left out wherever it was measured.")
    return " ".join(said)


def disturbed(plan: DispatchPlan) -> str:
    """A sentence on how disturbed the machine was while the plan was measured; nothing where that is not noted."""
    note = plan.notes.get(MACHINE)
    share = number(note.get("share")) if isinstance(note, Mapping) else 0.0
    parts = note.get("slow") if isinstance(note, Mapping) else None
    if not share > 0 or not isinstance(parts, Mapping):
        return ""
    slow = sorted(((number(ratio), str(name)) for name, ratio in parts.items()), reverse=True)
    most = ", ".join(f"{name} took up to {rounded(ratio)}x as long" for ratio, name in slow if ratio > 1)
    text = f"Of the times that it rests on {min(share, 1.0):.1%} were taken on a disturbed machine"
    return f"{text}{f' ({most})' if most else ''}; tune again when it is quiet."


def changes(plan: DispatchPlan) -> str:
    """A sentence on what was changed in the plan since it was chosen, so that it can run here; nothing for nothing."""
    said = plan.notes.get(ADAPTED)
    return f"Changed since: {'; '.join(map(str, said))}." if isinstance(said, list) and said else ""


def _require_size(call: str, symbol: str, size: object) -> None:
    if isinstance(size, bool) or not isinstance(size, int) or size < 0:
        raise SpecError(f"{call}: {symbol}={size!r} is not a whole number >= 0")


def _fixed(plan: DispatchPlan) -> str:
    chosen = plan.ranges[0]
    runs = chosen.runs if isinstance(chosen.runs, str) else f"{plan.variants[chosen.runs].config}"
    there = "" if chosen.at is None else f" at {plan.symbol}={chosen.at}"
    took = f" It took {in_words(chosen.seconds)}{there}." if chosen.seconds is not None else ""
    symbols = ", ".join(plan.workload.symbols)
    sizes = f"runs, at every {symbols}," if symbols else "has one size and runs"
    return f"{plan.workload} {sizes} {runs}: {chosen.because or 'nothing else was measured'}.{took}"


def _arithmetic(subject: str, size: int, variant: Variant) -> str:
    """`m=17 = 8*2 + 1 runs 2 full tiles of 8 and the kernel for a rest of 1`."""
    whole, rest = divmod(size, variant.tile)
    tiles = f"{counted(whole, 'full tile')} of {variant.tile}"
    terms = f"{subject} = {variant.tile}*{whole} + {rest} runs"
    if not variant.classes:
        return f"{terms} {tiles} and a rest of {rest} by bounds-checked code"
    if rest == 0:
        return f"{terms} {tiles} and no rest"
    low, high = next(c for c in variant.classes if c[0] <= rest <= c[1])
    kernel = f"the kernel for a rest of {rest}" if low == high else f"the guarded kernel for rests {low}..{high}"
    return f"{terms} {f'{tiles} and ' if whole else ''}{kernel}"


def _span(chosen: Range) -> str:
    return f"{chosen.low} and above" if chosen.high is None else f"{chosen.low}..{chosen.high}"


def _figures(plan: DispatchPlan, size: int, chosen: Range) -> str:
    """What was measured at this size, or what follows from what was measured elsewhere."""
    series = recorded(plan)
    mine = series.get(chosen.runs)
    if mine is None:
        if chosen.seconds is None:
            return f"; {chosen.because}" if chosen.because else "; nothing was measured for it"
        return f"; it took {in_words(chosen.seconds)} at {plan.symbol}={chosen.at}"
    seconds = float(mine.at([size])[0])
    if size in mine.seconds:
        text = f"; it measured {in_words(seconds)}"
    elif size > max(mine.seconds):
        text = f"; {in_words(seconds)} is extrapolated, since nothing above {max(mine.seconds)} was measured"
    else:
        text = f"; {in_words(seconds)} is modelled from the sizes measured around it"
    others = [(float(s.at([size])[0]), key, s) for key, s in series.items() if key != chosen.runs]
    if not others:
        return text
    rival, key, other = min(others, key=lambda o: o[0])
    name = key if isinstance(key, str) else f"variant {key}"
    kind = "took" if size in other.seconds else "would take"
    if rival < seconds:
        noise = number(plan.notes.get("noise"))
        gap = seconds / rival - 1
        return f"{text}, against {in_words(rival)} for {name}, {gap:.1%} faster and {tolerable(gap, noise)}"
    return f"{text}, where {name} {kind} {in_words(rival)}, {rival / seconds:.2f}x as long"


def _regret(plan: DispatchPlan) -> str:
    regret = plan.notes.get("regret")
    if not isinstance(regret, Mapping) or not number(regret.get("geomean")):
        return ""
    regretful = plan.notes.get("chosen_by") == "regret" and number(regret.get("worst"))
    loss = number(regret["worst" if regretful else "geomean"]) - 1
    how = f"{loss:.1%} from" if loss >= 0 else f"{-loss:.1%} ahead of"
    if regretful:
        at = f"{plan.symbol}={regret.get('worst_at')}"
        return f"; chosen by its worst cross-evaluated size: at {at} the plan is {how} the best there"
    return f"; over the cross-evaluated sizes the plan is {how} the per-size best"


def recorded(plan: DispatchPlan) -> dict[int | str, Series]:
    """The profile in the plan's notes as series again; empty where there is none, or none that can be read."""
    profile: Any = plan.notes.get("profile")
    if not isinstance(profile, Mapping):
        return {}
    sizes, rows = profile.get("sizes"), profile.get("us")
    if not isinstance(sizes, list) or not isinstance(rows, Mapping):
        return {}
    found: dict[int | str, Series] = {}
    runners: list[tuple[int | str, int]] = [(i, v.tile) for i, v in enumerate(plan.variants)]
    runners += [
        (r, 1) for r in sorted({x.runs for x in plan.ranges if isinstance(x.runs, str)} | set(rows)) if not r.isdigit()
    ]
    for runner, tile in runners:
        row = rows.get(str(runner))
        pairs = zip(sizes, row, strict=False) if isinstance(row, list) else ()
        known = {m: us * 1e-6 for m, us in pairs if isinstance(m, int) and 0 < m <= MAX_DIM and number(us) > 0}
        if known and tile > 0:
            found[runner] = Series(runner, tile, known)
    return found
