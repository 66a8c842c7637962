"""Dump of an executable, as text for people and as data for `--json`. It describes; nothing is built or run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from anytile.core.plurals import counted
from anytile.schedules.plans.plan import DispatchPlan
from anytile.show.figures import bytes_text
from anytile.vm.program.assembly import disassemble
from anytile.vm.program.executable import KERNEL, Executable


def plans(exe: Executable) -> dict[str, DispatchPlan]:
    """The plan of every kernel that has one, by the kernel's name."""
    return {f"k{i} {k.name}": DispatchPlan.from_json(k.plan) for i, k in enumerate(exe.kernels) if k.kind == KERNEL}


def contents(exe: Executable, lengths: Mapping[str, int]) -> dict[str, Any]:
    """The same as `text`, as data; kernels and constants stand at their numbers."""
    return {
        "target": exe.target,
        "inputs": {name: str(port) for name, port in exe.inputs},
        "output": str(exe.output),
        "functions": [{"name": f.name, "registers": f.registers, "instructions": len(f.code)} for f in exe.functions],
        "code": disassemble(exe.functions),
        "kernels": [
            {"name": k.name, "kind": k.kind, "workload": k.workload, "dims": k.dims, "rung": k.rung}
            | {"because": k.because}
            for k in exe.kernels
        ],
        "constants": [
            {"name": c.name, "shape": c.shape, "dtype": c.dtype, "packed_for": c.packed}
            | {"device": exe.devices[c.device]}
            for c in exe.constants
        ],
        "sections": dict(lengths),
    }


def text(exe: Executable, lengths: Mapping[str, int]) -> str:
    """Signature, disassembly, kernels, constants, and the sizes of the file's sections."""
    inputs = ", ".join(f"{name}: {port}" for name, port in exe.inputs)
    lines = [f"target {exe.target}", f"main({inputs}) -> {exe.output}", "", disassemble(exe.functions)]
    lines.append(counted(len(exe.kernels), "kernel"))
    for i, k in enumerate(exe.kernels):
        lines.append(f"  k{i} {k.kind:<6}  {k.name}: {k.workload}{f', from {k.rung}' if k.rung else ''}")
    lines += ["", counted(len(exe.constants), "constant")]
    for i, c in enumerate(exe.constants):
        shape = ", ".join(map(str, c.shape))
        packed = "" if c.packed is None else f", packed for {c.packed.operand} of k{c.packed.kernel}"
        there = f", on {exe.devices[c.device]}" if c.device else ""
        size = f"{c.dtype}, {bytes_text(c.array.nbytes)}"
        lines.append(f"  c{i} {c.name or '-'}: ({shape}) {size}{packed}{there}")
    lines += ["", f"{counted(len(lengths), 'section')}, {bytes_text(sum(lengths.values()))}"]
    lines += [f"  {name:<20.20} {bytes_text(length)}" for name, length in lengths.items()]
    return "\n".join(lines)
