"""Programs as text: `assemble` reads what `disassemble` writes, instruction for instruction.

    function loop(tensor, adt) -> any, registers 5:
      LoadConsti r2, 1
    L1:
      If r0, r2, L2, L4        # comments go to the end of the line
      Invoke r3, @loop, [r0, r1]
      Ret r3

Operands stand in the order of the table: r registers, k kernels, c constants, d devices, @ functions by name, labels
for jumps, JSON texts. `where` notes of a function are comments, and are not read back.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any as AnyType

from anytile.core.errors import SpecError
from anytile.core.plurals import counted
from anytile.vm.program.executable import VMFunction
from anytile.vm.program.isa import BY_NAME, DTYPES, Instruction, Kind, Operand, operands

_PREFIX = {
    Operand.DST: "r",
    Operand.REG: "r",
    Operand.REGS: "r",
    Operand.CONST: "c",
    Operand.KERNEL: "k",
    Operand.DEVICE: "d",
}
_HEAD = re.compile(r"function\s+(\S+?)\s*\(([\w\s,]*)\)\s*->\s*(\w+)\s*,\s*registers\s+(\d+)\s*:$")
_LABEL = re.compile(r"(\w+):$")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|\[[^\]]*\]|[^\s,"\[\]]+')
_COMMENT = re.compile(r'((?:[^"#]|"(?:[^"\\]|\\.)*")*)')


def disassemble(functions: Sequence[VMFunction]) -> str:
    """Every function as text."""
    names = [f.name for f in functions]
    return "\n".join(_function_text(f, names) for f in functions)


def instruction_text(instruction: Instruction, names: Sequence[str], labels: Mapping[int, str], at: int) -> str:
    """One instruction; `labels` are those of the function by place."""
    words = []
    for _, kind, value in operands(instruction):
        prefix = _PREFIX.get(kind, "")
        if kind in (Operand.REGS, Operand.SHAPE):
            words.append(f"[{', '.join(f'{prefix}{one}' for one in value)}]")
        elif kind is Operand.JUMP:
            words.append(labels[at + value])
        elif kind is Operand.FUNCTION:
            words.append(f"@{names[value]}" if value < len(names) else f"@{value}")
        elif kind is Operand.TEXT:
            words.append(json.dumps(value))
        else:
            words.append(f"{prefix}{value}")
    return " ".join([type(instruction).__name__, ", ".join(words)]).rstrip()


def labels_of(code: Sequence[Instruction]) -> dict[int, str]:
    """A label for every place that something jumps to."""
    targets = {at + v for at, i in enumerate(code) for _, kind, v in operands(i) if kind is Operand.JUMP}
    return {at: f"L{at}" for at in sorted(targets)}


def _function_text(function: VMFunction, names: Sequence[str]) -> str:
    labels = labels_of(function.code)
    params = ", ".join(kind.value for kind in function.params)
    lines = [f"function {function.name}({params}) -> {function.result.value}, registers {function.registers}:"]
    for at, instruction in enumerate(function.code):
        if at in labels:
            lines.append(f"{labels[at]}:")
        note = f"  # {function.where[at]}" if at in function.where else ""
        lines.append(f"  {instruction_text(instruction, names, labels, at)}{note}")
    return "\n".join(lines) + "\n"


def assemble(text: str) -> tuple[VMFunction, ...]:
    """The functions that a text describes."""
    blocks: list[tuple[re.Match[str], list[tuple[int, str]]]] = []
    for number, raw in enumerate(text.splitlines(), 1):
        match = _COMMENT.match(raw)
        line = match[1].strip() if match else ""
        if not line:
            continue
        head = _HEAD.match(line)
        if head is not None:
            blocks.append((head, []))
        elif not blocks:
            raise SpecError(
                f"assembly line {number}: expected 'function name(kinds) -> kind, registers n:', got {line}"
            )
        else:
            blocks[-1][1].append((number, line))
    names = [head[1] for head, _ in blocks]
    return tuple(_function(head, lines, names) for head, lines in blocks)


def _function(head: re.Match[str], lines: Iterable[tuple[int, str]], names: Sequence[str]) -> VMFunction:
    labels: dict[str, int] = {}
    rows: list[tuple[int, str]] = []
    for number, line in lines:
        label = _LABEL.match(line)
        if label is None:
            rows.append((number, line))
        else:
            labels[label[1]] = len(rows)
    code = [_instruction(number, line, at, labels, names) for at, (number, line) in enumerate(rows)]
    try:
        params = tuple(Kind(word.strip()) for word in head[2].split(",") if word.strip())
        return VMFunction(head[1], params, Kind(head[3]), int(head[4]), tuple(code))
    except ValueError as error:
        known = ", ".join(kind.value for kind in Kind)
        raise SpecError(f"assembly of {head[1]}: {error}; expected one of {known}") from None


def _instruction(number: int, line: str, at: int, labels: Mapping[str, int], names: Sequence[str]) -> Instruction:
    name, _, rest = line.partition(" ")
    row = BY_NAME.get(name)
    if row is None:
        raise SpecError(f"assembly line {number}: {name!r} is no instruction; expected one of {', '.join(BY_NAME)}")
    words = _TOKEN.findall(rest)
    if len(words) != len(row.operands):
        expected = ", ".join(n for n, _ in row.operands)
        raise SpecError(f"assembly line {number}: {name} takes {expected}; got {counted(len(words), 'operand')}")
    values = []
    for word, (operand, kind) in zip(words, row.operands, strict=True):
        try:
            values.append(_operand(word, kind, at, labels, names))
        except (ValueError, KeyError) as error:
            raise SpecError(
                f"assembly line {number}: {operand}: expected {kind.value}, got {word} ({error}); see isa.reference()"
            ) from None
    return row.kind(*values)


def _operand(word: str, kind: Operand, at: int, labels: Mapping[str, int], names: Sequence[str]) -> AnyType:
    if kind in (Operand.REGS, Operand.SHAPE):
        if not (word.startswith("[") and word.endswith("]")):
            raise ValueError("no [list]")
        return tuple(_number(one.strip(), kind) for one in word[1:-1].split(",") if one.strip())
    if kind is Operand.JUMP:
        return labels[word] - at
    if kind is Operand.FUNCTION:
        return names.index(word.removeprefix("@"))
    if kind is Operand.TEXT:
        return str(json.loads(word))
    if kind is Operand.DTYPE:
        return DTYPES[DTYPES.index(word)]
    return _number(word, kind)


def _number(word: str, kind: Operand) -> int:
    prefix = _PREFIX.get(kind, "")
    if not word.startswith(prefix):
        raise ValueError(f"no {prefix}")
    return int(word.removeprefix(prefix))
