"""The host CPU: LLVM's name and features of the machine this runs on, or of the lesser CPU that it is to be taken for.

Everything that asks what this machine is asks here: which code runs, how wide its vectors are, what a plan was made
for. `ANYTILE_HOST="-mcpu=haswell"` makes the answer another one, for a cluster whose machines shall share their code,
or to see what an older CPU gets. A host that claims an instruction which the machine lacks is refused, as its code
would end the process. What LLVM thinks that a name claims is asked by inlining: it puts a function into another only
where the caller has every feature of the callee, so callers that lack one feature each tell what a callee's CPU has.
"""

from __future__ import annotations

import functools
import json
import os
import re
import shlex
import sys
from dataclasses import dataclass

from anytile.core.errors import SpecError, UnsupportedError
from anytile.schedules.hardware.apart import HOST_SETTING as HOST_SETTING
from anytile.schedules.hardware.apart import asked_apart
from anytile.schedules.hardware.llvm_library import host_cpu_features, host_cpu_name

_OPTIONS = ("mcpu", "mattr")
_EXAMPLE = f'{HOST_SETTING}="-mcpu=haswell"'
# Instructions that no compiler writes unasked. Hypervisors hide some of them, which makes no CPU another one.
_SYSTEM = frozenset(
    ("cldemote", "clzero", "enqcmd", "fsgsbase", "hreset", "invpcid", "kl", "mwaitx", "pconfig", "pku", "prefetchi",
     "ptwrite", "rdpid", "rdpru", "rtm", "serialize", "sgx", "tsxldtrk", "uintr", "waitpkg", "wbnoinvd", "widekl",
     "xsaves")
)  # fmt: skip
_TUNING = re.compile(
    r"(fast|faster|slow|prefer|false-deps|no-bypass-delay|tuning|allow-light|use-[gs]lm|lea|idiv[lq]-to)-"
    r"|(branchfusion|macrofusion|branch-hint|vzeroupper|ermsb|fsrm|nopl|pad-short-functions|sbb-dep-breaking)$"
)
_CALLED_WITH = ("sse", "sse2", "fxsr", "cmov", "cx8")


@dataclass(frozen=True, slots=True)
class Host:
    """`attributes` are those that a target's text carries as -mattr, `features` all that LLVM is told."""

    cpu: str
    attributes: str
    features: str
    setting: str = ""


def host() -> Host:
    """What this machine is, or is taken for."""
    return _host(os.environ.get(HOST_SETTING, "").strip())


def lacking(attributes: str) -> list[str]:
    """What of a -mattr list code that runs here cannot have: features that this machine has not got.

    The list may be anybody's, out of a file. LLVM's table of an x86 machine names every set of instructions but for
    those that are spelt in another way, so there a name that it lacks has to be one of tuning; what changes how
    functions are called is none, and what every function is called with cannot be switched off.
    """
    there = _machine_features()
    is_x86 = "sse2" in there

    def runs(sign: str, name: str) -> bool:
        if not is_x86:
            return sign != "+" or there.get(name) is not False
        if name not in there:
            return sign in "+-" and _TUNING.match(name) is not None
        return there[name] if sign == "+" else sign == "-" and name not in _CALLED_WITH

    given = [(a[0], a[1:]) for a in attributes.split(",") if a]
    return [name if sign == "+" else f"code of {sign}{name}" for sign, name in given if not runs(sign, name)]


@functools.cache
def _host(setting: str) -> Host:
    machine, there = host_cpu_name(), _machine_features()
    own = ",".join(f"{'+' if there[name] else '-'}{name}" for name in sorted(there))
    if not setting:
        return Host(machine, "", own)
    options = _parsed(setting)
    cpu, attributes = options.get("mcpu", "native"), options.get("mattr", "")
    if cpu in ("host", "native", machine):
        if attributes:
            asked_apart(__name__, json.dumps([machine, attributes, []]), f"{HOST_SETTING}={shlex.quote(setting)}")
        if missing := lacking(attributes):
            raise _too_much(setting, machine, missing)
        return Host(machine, attributes, ",".join(filter(None, (own, attributes))), setting)
    absent = sorted(name for name, there in _machine_features().items() if not there)
    asker = f"{HOST_SETTING}={shlex.quote(setting)}"
    claimed = json.loads(asked_apart(__name__, json.dumps([cpu, attributes, absent]), asker))
    if missing := [name for name in claimed if name not in _SYSTEM]:
        raise _too_much(setting, machine, missing)
    return Host(cpu, attributes, ",".join(filter(None, (attributes, *(f"-{name}" for name in claimed)))), setting)


def _too_much(setting: str, machine: str, missing: list[str]) -> UnsupportedError:
    return UnsupportedError(
        f"{HOST_SETTING}={shlex.quote(setting)}: this machine, {machine}, has no {', '.join(missing)}, and code that "
        f"uses it would end the process; name a CPU that is less than this one, or unset it"
    )


def _parsed(setting: str) -> dict[str, str]:
    def wrong(why: str) -> SpecError:
        return SpecError(f"{HOST_SETTING}={shlex.quote(setting)}: {why}; expected -mcpu, -mattr or both, as {_EXAMPLE}")

    try:
        words = shlex.split(setting)
    except ValueError as error:
        raise wrong(str(error)) from None
    options: dict[str, str] = {}
    for word in words:
        name, _, value = word.removeprefix("-").partition("=")
        if not word.startswith("-") or name not in _OPTIONS or not value:
            raise wrong(f"{word!r} is none of its options")
        if name in options or shlex.quote(value) != value:
            raise wrong(f"{word!r} is given twice" if name in options else f"{value!r} is no name")
        options[name] = value
    if bare := [a for a in options.get("mattr", "+").split(",") if not a.startswith(("+", "-"))]:
        raise wrong(f"{bare[0]!r} of -mattr is neither +feature nor -feature")
    return options


@functools.cache
def _machine_features() -> dict[str, bool]:
    return host_cpu_features()


_CLAIMED = """define internal i32 @claimed(i32 %x) #0 {{
  %y = add i32 %x, 1
  ret i32 %y
}}
attributes #0 = {{ "target-cpu"="{cpu}" "target-features"="{attributes}" }}
"""
_WITHOUT = """define i32 @"without {name}"(i32 %x) #{number} {{
  %y = call i32 @claimed(i32 %x)
  ret i32 %y
}}
attributes #{number} = {{ "target-cpu"="{cpu}" "target-features"="{attributes}" }}
"""


def _claims(cpu: str, attributes: str, features: list[str]) -> list[str]:
    """Which of the features a CPU has by its name and its attributes."""
    import llvmlite.binding as llvm

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    functions = [_CLAIMED.format(cpu=cpu, attributes=attributes)]
    for number, name in enumerate(features, 1):
        less = ",".join(filter(None, (attributes, f"-{name}")))
        functions.append(_WITHOUT.format(name=name, number=number, cpu=cpu, attributes=less))
    tm = llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine(cpu=cpu, features=attributes)
    module = llvm.parse_assembly("".join(functions))
    module.triple = tm.triple
    builder = llvm.create_pass_builder(tm, llvm.create_pipeline_tuning_options(speed_level=2))
    builder.getModulePassManager().run(module, builder)
    kept = {f.name.removeprefix("without ") for f in module.functions if "@claimed(" in str(f)}
    tm.emit_object(module)  # where LLVM aborts on a CPU, it does so here and not in the process that asked
    return [name for name in features if name in kept]


if __name__ == "__main__":
    print(json.dumps(_claims(*json.loads(sys.argv[1]))))
