"""Why an executable runs what it runs: one line for each kernel, the longest first where a profile says how long."""

from __future__ import annotations

from anytile.dispatch.plan import DispatchPlan
from anytile.vm.executable import KERNEL, Executable, KernelEntry
from anytile.vm.profile import Profile


def why(exe: Executable, profile: Profile | None = None) -> str:
    """The kernels of an executable, where their plans are from, and their shares of a profiled run."""
    spent: dict[int, int] = {}
    calls: dict[int, int] = {}
    for e in profile.events if profile is not None else ():
        spent[e.kernel] = spent.get(e.kernel, 0) + e.end - e.start
        calls[e.kernel] = calls.get(e.kernel, 0) + 1
    order = sorted(range(len(exe.kernels)), key=lambda k: (-spent.get(k, 0), k))
    lines = []
    for k in order:
        line = f"{exe.kernels[k].name}: {_what(exe.kernels[k])}"
        if profile is not None:
            share = spent.get(k, 0) * 1e-9 / profile.seconds if profile.seconds else 0.0
            line += f"; {share:.1%} of the time in {calls.get(k, 0)} call(s)"
        lines.append(line)
    return "\n".join(lines)


def _what(entry: KernelEntry) -> str:
    if entry.kind != KERNEL:
        return "sizes, compiled in line" if entry.kind == "shape" else f"the host function {entry.workload}"
    plan = DispatchPlan.from_json(entry.plan)
    runs = f"{len(plan.variants)} variant(s) over {len(plan.ranges)} range(s)"
    return f"{entry.workload}: {runs}, from {entry.rung or 'a plan that was given'}"
