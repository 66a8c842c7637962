"""Why an executable runs what it runs: one line for each kernel, the longest first where a profile says how long.

Where a plan is from was written down when it was compiled; what was changed in it since stands in its notes.
"""

from __future__ import annotations

from pathlib import Path
from textwrap import shorten

from anytile.core.command_hint import command_line
from anytile.core.plurals import counted
from anytile.db.sql.url_words import hinted
from anytile.dispatch.plans.notes import ADAPTED
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.plan import DispatchPlan
from anytile.schedules.workloads.workload import Workload
from anytile.vm.profile import Profile
from anytile.vm.program.executable import KERNEL, Executable, KernelEntry
from anytile.vm.program.isa import HOST, InvokePacked

_TUNED = ("exact", "compatible")  # rungs on records of the very workload
_SMALLEST_FLOPS = 1 << 14
_LONGEST = 400  # characters of a sentence that others wrote
_MOST_PLACES, _LONGEST_PLACE = 4, 60  # of a model that are named beside a kernel


def why(
    exe: Executable,
    profile: Profile | None = None,
    model: str | Path = "FILE",
    db: str | None = None,
    precision: str = "",
) -> str:
    """The kernels of an executable, where their plans are from, and their shares of a profiled run."""
    spent: dict[int, int] = {}
    calls: dict[int, int] = {}
    for e in profile.events if profile is not None else ():
        spent[e.kernel] = spent.get(e.kernel, 0) + e.end - e.start
        calls[e.kernel] = calls.get(e.kernel, 0) + 1
    order = sorted(range(len(exe.kernels)), key=lambda k: (-spent.get(k, 0), k))
    lines, places = [], _places(exe)
    for k in order:
        line = f"{exe.kernels[k].name}: {_what(exe.kernels[k])}"
        if k in places:
            line += f"; at {places[k]}"
        if profile is not None:
            share = spent.get(k, 0) * 1e-9 / profile.seconds if profile.seconds else 0.0
            line += f"; {share:.1%} of the time in {counted(calls.get(k, 0), 'call')}"
        lines.append(line)
    if last := untuned(exe, model, db, precision):
        lines.append(last)
    return "\n".join(lines)


def _places(exe: Executable) -> dict[int, str]:
    """Where in the user's model the calls of each kernel are: layers of a builder's module, nodes of a file."""
    found: dict[int, dict[str, None]] = {}
    for f in exe.functions:
        for at, instruction in enumerate(f.code):
            if isinstance(instruction, InvokePacked) and f.where.get(at):
                place = shorten(f.where[at], _LONGEST_PLACE, placeholder=" ...")
                found.setdefault(instruction.kernel, {})[place] = None
    return {kernel: _listed(list(places)) for kernel, places in found.items()}


def _listed(places: list[str]) -> str:
    more = len(places) - _MOST_PLACES
    return " | ".join([*places[:_MOST_PLACES], *([f"{more} more"] if more > 0 else ())])


def _what(entry: KernelEntry) -> str:
    if entry.kind != KERNEL:
        return "sizes, compiled in line" if entry.kind == "shape" else f"the host function {entry.workload}"
    plan = DispatchPlan.from_json(entry.plan)
    runs = f"{counted(len(plan.variants), 'variant')} over {counted(len(plan.ranges), 'range')}"
    words = [f"{entry.workload}: {runs}, from {entry.rung or 'a plan that was given'}"]
    adapted = plan.notes.get(ADAPTED)
    for said in (entry.because, *(adapted if isinstance(adapted, list) else ())):
        if said:
            words.append(shorten(str(said), _LONGEST, placeholder=" ..."))
    return "; ".join(words)


def untuned(exe: Executable, model: str | Path, db: str | None, precision: str = "") -> str:
    """A line that says how many kernels may become faster by tuning, and how; nothing where none may. `precision` is
    what the model has yet to be compiled with, if that is to be said.

    A plan that was given, without a word on where it is from, is nobody's to judge. Where there is a device beside the
    host, kernels of the host are little.
    """
    kernels = [k for k in exe.kernels if k.kind == KERNEL and k.device == len(exe.devices) - 1]
    found = [k for k in kernels if k.rung and k.rung not in _TUNED and worth_tuning(Workload.parse(k.workload))]
    count = len(found)
    if not count:
        return ""
    where = hinted(db)
    made_for = str(DispatchPlan.from_json(found[0].plan).target) if found[0].device != HOST else exe.target
    target = () if made_for == str(Target.host()) else ("--target", made_for)
    narrow = ("--precision", precision) if precision else ()
    words = ("tune", "--model", str(model), *narrow, *target, *(("--db", where) if where else ()))
    say = f"`{command_line(*words)}`, then compile again"
    known = f"{count} of {counted(len(kernels), 'kernel')} {'is' if count == 1 else 'are'} untuned"
    return f"{known}; {say} to make {'it' if count == 1 else 'them'} faster"


def worth_tuning(workload: Workload) -> bool:
    """Whether there is anything to gain: at one known size that takes next to nothing, or at none, there is not."""
    anchor = workload.anchor
    if any(dim == 0 for _, dim in anchor.dims):
        return False
    return not anchor.is_concrete or anchor.flops() >= _SMALLEST_FLOPS
