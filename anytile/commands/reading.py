"""Parsers of option values, whichever front end took the words. Readers raise SpecError and nothing else."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from anytile.core.errors import SpecError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anytile.schedules.hardware.target import Target
    from anytile.schedules.workloads.workload import Workload

BERT_BASE = ("m=?,n=768,k=768", "m=?,n=3072,k=768", "m=?,n=768,k=3072")  # its dense layers
_DURATION = re.compile(r"(?:(\d{1,9})h)?(?:(\d{1,9})m(?!s))?(?:(\d{1,9}(?:\.\d+)?)s?)?\Z")
_LONGEST = 18  # digits of a number


def read_workload(op: str, shape: str, dtype: str, const: bool | None) -> Workload:
    """The workload that the options mean; `const` marks every operand that may be constant, None what usually is."""
    from anytile.schedules.workloads.workload import parse_shape

    workload = parse_shape(op, shape, dtype)
    marked = _weights(workload) if const is None else workload.constant_operands if const else ()
    return workload.with_const(marked)


def _weights(workload: Workload) -> list[str]:
    """Of the operands that may be constant all that lack a dimension of the results: what has them all is data."""
    results = [set(t.dims) for t in workload.outputs]
    found = [t for t in workload.inputs if t.may_be_constant and workload.spec.has_weights]
    return [t.name for t in found if not any(dims <= set(t.dims) for dims in results)]


def read_workloads(op: str, shapes: Sequence[str] | None, dtype: str, const: bool | None) -> tuple[Workload, ...]:
    """Each workload once; without shapes the dense layers of BERT-base."""
    if not shapes and op != "dense":
        from anytile.schedules.operators import operator

        dims = ",".join(f"{d}=..." for d in operator(op).form(operator(op).complete({})).dims)
        raise SpecError(f"--op {op}: --shape is missing; expected --shape {dims}")
    return tuple(dict.fromkeys(read_workload(op, text, dtype, const) for text in shapes or BERT_BASE))


def read_target(text: str) -> Target:
    """The target, known to this LLVM or to the table of GPUs."""
    from anytile.schedules.hardware.cpu import facts
    from anytile.schedules.hardware.gpu import gpu_facts
    from anytile.schedules.hardware.target import Target

    target = Target.parse(text)
    (gpu_facts if target.kind == "cuda" else facts)(target)
    return target


def read_duration(text: str, option: str = "--time") -> float:
    """`90`, `90s`, `3m`, `1m30s`, `1h` as seconds."""
    match = _DURATION.match(text.strip().lower())
    if match is None or not any(match.groups()):
        raise SpecError(f"{option} {text!r}: expected a duration such as 90s, 3m or 1h30m")
    hours, minutes, seconds = match.groups()
    total = int(hours or 0) * 3600 + int(minutes or 0) * 60 + float(seconds or 0)
    if total <= 0:
        raise SpecError(f"{option} {text!r}: expected more than nothing, such as 90s")
    return total


def read_bytes(text: str) -> int:
    """`65536`, `64k`, `2M` as bytes."""
    match = re.match(rf"(\d{{1,{_LONGEST}}})\s*([kKmM]?)(?:i?[bB])?\Z", text.strip())
    if match is None or int(match.group(1)) == 0:
        raise SpecError(f"--code-budget {text!r}: expected a size such as 256k or 1M")
    return int(match.group(1)) << {"": 0, "k": 10, "m": 20}[match.group(2).lower()]


def at_least(option: str, value: int | None, least: int) -> None:
    if value is not None and value < least:
        raise SpecError(f"{option} {value}: expected {least} or more")


def read_bounds(option: str, text: str) -> dict[str, int | tuple[int, int]]:
    """`batch=1,seq=1..512` as sizes by name, or their least and most."""
    made: dict[str, int | tuple[int, int]] = {}
    for part in text.split(","):
        name, _, given = (word.strip() for word in part.partition("="))
        low, apart, high = given.partition("..")
        numbers = [low, high] if apart else [low]
        if not name or name in made or not all(map(_is_whole, numbers)):
            raise SpecError(f"{option} {text}: expected sizes or bounds, as in {option} batch=1,seq=1..512")
        made[name] = (int(low), int(high)) if apart else int(low)
    return made


def read_sizes(option: str, text: str) -> dict[str, int]:
    """`n=1,h=56` as sizes by symbol."""
    sizes: dict[str, int] = {}
    for part in text.split(","):
        name, _, size = (word.strip() for word in part.partition("="))
        if not (name.isidentifier() and _is_whole(size)) or name in sizes:
            raise SpecError(f"{option} {text}: expected a size for each symbol, as in {option} n=1,h=56")
        sizes[name] = int(size)
    return sizes


def _is_whole(text: str) -> bool:
    """Digits, as many as a size may have; Python refuses to read thousands."""
    return text.isdecimal() and text.isascii() and len(text) <= _LONGEST
