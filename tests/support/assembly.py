"""Reading assembly: the loop in which a kernel spends its time."""

from __future__ import annotations

import re

_LABEL = re.compile(r"(\.?L\w+):")
_JUMP = re.compile(r"\t(?:j\w+|b(?:\.\w+|n?ez|eq|ne|ltu?|geu?|dnz|c)?|cbn?z)\s.*?(\.?LBB\w+)")
MULTIPLY_ADDS = ("vfmadd", "fmla", "fmadd", "vfmacc", "xvmadd")


def instructions(lines: list[str]) -> list[str]:
    return [line.split()[0] for line in lines if line.startswith("\t") and not line.startswith("\t.")]


def multiply_adds(lines: list[str]) -> int:
    return sum(name.startswith(MULTIPLY_ADDS) for name in instructions(lines))


def hot_loop(asm: str) -> list[str]:
    """The innermost loop with the most multiply-adds (or multiplications, where there is nothing better)."""
    lines, labels, loops = asm.splitlines(), {}, []
    for at, line in enumerate(lines):
        if found := _LABEL.match(line):
            labels[found[1]] = at
        elif (found := _JUMP.match(line)) and found[1] in labels:
            loops.append((labels[found[1]], at))
    inner = [(a, b) for a, b in loops if not any(a <= c and d <= b and (a, b) != (c, d) for c, d in loops)]
    bodies = [lines[a : b + 1] for a, b in inner]
    return max(bodies, key=lambda body: (multiply_adds(body), sum("mul" in name for name in instructions(body))))


def spills(lines: list[str]) -> int:
    return sum("Spill" in line or "Reload" in line for line in lines)
