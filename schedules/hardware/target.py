"""Targets: what code is made for. Frozen data with one text form, `llvm -mcpu=znver4 -threads=1`.

`Target.parse("llvm")` with no CPU means this machine, or what `host.py` takes it for, with every core that this process
may use, as far as its quota of time goes; code for another CPU is for one thread unless -threads says more.
`Target.parse("cuda")` means this machine's device. A target carries no facts: `cpu.facts(target)` asks LLVM what a CPU
offers, so that every CPU that LLVM knows is served without a table of ours, and `gpu.gpu_facts(target)` has the table
of GPUs.
"""

from __future__ import annotations

import hashlib
import math
import os
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Protocol

from anytile.core.cgroup import quota
from anytile.core.errors import SpecError, UnsupportedError
from anytile.schedules.hardware.host import host, lacking

KINDS = ("llvm", "cuda")
OPTIONS = {
    "llvm": ("mtriple", "mcpu", "mattr", "threads"),
    "cuda": ("arch", "sm", "smem"),
}
_COUNTS = {"threads", "sm", "smem"}
_COUNT = re.compile(r"[1-9][0-9]{0,8}")


@dataclass(frozen=True, slots=True)
class Target:
    """A kind of code generator and its options, sorted as `OPTIONS` lists them."""

    kind: str
    options: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise SpecError(f"target {self.kind!r}: expected one of {', '.join(KINDS)}, as in 'llvm -mcpu=znver4'")
        known = OPTIONS[self.kind]
        for name, value in self.options:
            if name not in known:
                expected = ", ".join(f"-{option}" for option in known)
                raise SpecError(f"target {self.kind}: unknown option -{name}; expected {expected}")
            if not value:
                raise SpecError(f"target {self.kind}: -{name} needs a value, as in -{name}=...")
            if shlex.quote(value) != value:
                raise SpecError(f"target {self.kind}: -{name}={value!r}: expected letters, digits and -_.,+:=@%/")
        if len(dict(self.options)) < len(self.options):
            raise SpecError(f"target {self.kind}: an option is given twice; expected each once")
        for name in _COUNTS & {name for name, _ in self.options}:
            count = dict(self.options)[name]
            if not _COUNT.fullmatch(count):
                raise SpecError(f"target {self.kind}: -{name}={count} is not a positive whole number")
        ordered = sorted(self.options, key=lambda o: known.index(o[0]))
        object.__setattr__(self, "options", tuple(ordered))

    @classmethod
    def parse(cls, text: str) -> Target:
        """Read the text form. `llvm` without -mcpu and -mtriple is the machine this runs on."""
        try:
            words = shlex.split(text)
        except ValueError as error:
            raise SpecError(f"target {text!r}: {error}") from None
        if not words:
            raise SpecError("target '': expected 'llvm' or 'cuda', with options as in 'llvm -mcpu=znver4 -threads=1'")
        options: list[tuple[str, str]] = []
        for word in words[1:]:
            name, eq, value = word.partition("=")
            if not name.startswith("-") or not eq:
                raise SpecError(f"target {text!r}: {word!r} is not -option=value")
            options.append((name.lstrip("-"), value))
        target = cls(words[0], tuple(options))
        return target.resolved()

    @classmethod
    def host(cls, threads: int | None = None) -> Target:
        """The CPU this process runs on, as LLVM names it, by default with every core that the process may use."""
        return cls("llvm", (*_host_options().items(), ("threads", str(threads or usable_cores()))))

    def resolved(self) -> Target:
        """Fill in what the text left open, so that equal machines give equal targets."""
        return replace(self, options=tuple(_machine(self.kind).complete(dict(self.options)).items()))

    def __str__(self) -> str:
        return " ".join([self.kind, *(f"-{name}={value}" for name, value in self.options)])

    def get(self, name: str, default: str = "") -> str:
        """An option's value, as `mcpu`."""
        return dict(self.options).get(name, default)

    @property
    def threads(self) -> int:
        return int(self.get("threads", "1"))

    @property
    def is_host(self) -> bool:
        """Whether code for this target runs in this process, or on this machine's device."""
        return _machine(self.kind).is_here(dict(self.options))

    @property
    def fingerprint(self) -> str:
        """A stable short name: the same text gives the same fingerprint on every machine."""
        return hashlib.sha256(str(self).encode()).hexdigest()[:16]

    def distance(self, other: Target) -> Iterator[str]:
        """The options in which two targets differ, for saying how compatible a record is."""
        if self.kind != other.kind:
            yield "kind"
        for name in OPTIONS[self.kind]:
            if self.get(name) != other.get(name):
                yield name


class _Machine(Protocol):
    """What this machine says of targets of one kind; `options` are a target's."""

    def complete(self, options: dict[str, str]) -> dict[str, str]:
        """With what their text left open filled in."""
        ...

    def is_here(self, options: dict[str, str]) -> bool: ...

    def objection(self, options: dict[str, str]) -> str | None:
        """Why code for them cannot run here; None where it can."""
        ...


class _Cpu:
    """The CPU of this machine, as LLVM names it."""

    def complete(self, options: dict[str, str]) -> dict[str, str]:
        if "mtriple" not in options and options.get("mcpu", "host") in ("host", "native"):
            options = {**_host_options(), **options, "mcpu": host().cpu}
        options = {"mcpu": "generic", **options}
        if "threads" in options:
            return options
        return {**options, "threads": str(usable_cores()) if self.is_here(options) else "1"}

    def is_here(self, options: dict[str, str]) -> bool:
        """A host that is taken for less than it is runs nothing but what was made for that."""
        here = host()
        if options.get("mtriple") or options.get("mcpu") != here.cpu:
            return False
        return here.attributes in ("", options.get("mattr", ""))

    def objection(self, options: dict[str, str]) -> str | None:
        if not self.is_here(options):
            return f"this machine is '{Target.host()}'; code for another CPU can be emitted, not run"
        if missing := lacking(options.get("mattr", "")):
            return f"this machine has no {', '.join(missing)}; code that uses it can be emitted, not run"
        return None


def _machine(kind: str) -> _Machine:
    if kind == "cuda":
        from anytile.schedules.hardware import nvidia_driver

        return nvidia_driver
    return _Cpu()


def _host_options() -> dict[str, str]:
    here = host()
    return {"mcpu": here.cpu, **({"mattr": here.attributes} if here.attributes else {})}


def usable_cores() -> int:
    """How many cores this process may keep busy: those it may run on, and no more than its quota of time is worth."""
    cores, share = len(os.sched_getaffinity(0)), quota()
    return cores if share is None else max(1, min(cores, math.ceil(share)))


def require_cores(target: Target) -> None:
    """Say why this process cannot measure the target: a kernel runs with fewer threads, its timings mean nothing."""
    cores = usable_cores()
    if target.threads > cores:
        raise UnsupportedError(
            f"target {target}: timing {target.threads} threads takes as many cores, and this process may use {cores}; "
            f"use -threads={cores}"
        )


def require_runnable(target: Target) -> None:
    """Say in one line why code for this target cannot run here, if it cannot."""
    objection = _machine(target.kind).objection(dict(target.options))
    if objection is not None:
        raise UnsupportedError(f"target {target}: {objection}")
