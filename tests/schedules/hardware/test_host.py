"""The host taken for a lesser CPU by one setting: all that asks for it agrees, and what is more than it is refused."""

from __future__ import annotations

import platform
import re

import pytest

from anytile import doctor
from anytile.core.errors import AnytileError, SpecError, UnsupportedError
from anytile.dispatch import service
from anytile.schedules.hardware import host as host_module
from anytile.schedules.hardware.cpu import facts, features
from anytile.schedules.hardware.host import HOST_SETTING, Host, host, lacking
from anytile.schedules.hardware.target import Target, require_runnable
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.templates.registry import templates_for
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any
from anytile.vm.storage import link

X86 = pytest.mark.skipif(platform.machine() != "x86_64", reason="names CPUs of x86-64")


@pytest.fixture(autouse=True)
def no_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(HOST_SETTING, raising=False)


def _taken_for(monkeypatch: pytest.MonkeyPatch, setting: str) -> Host:
    monkeypatch.setenv(HOST_SETTING, setting)
    return host()


@pytest.mark.sampled(0)
@X86
def test_everything_that_asks_for_the_host_agrees(monkeypatch: pytest.MonkeyPatch) -> None:
    real = Target.host()
    _taken_for(monkeypatch, "-mcpu=x86-64")
    taken = Target.host()
    assert str(taken) == f"llvm -mcpu=x86-64 -threads={real.threads}"
    assert taken == Target.parse("llvm") == Target.parse("llvm -mcpu=native") == Target.parse("llvm -mcpu=x86-64")
    assert taken.is_host
    assert not Target.parse(str(real)).is_host
    found = facts(taken)
    assert (found.vector_bits, found.lanes, found.vector_registers, found.has_fma) == (128, 4, 16, False)
    assert "+avx" not in features(taken)
    assert link.here()["target"] == "llvm -mcpu=x86-64"
    with pytest.raises(UnsupportedError, match="this machine is 'llvm -mcpu=x86-64 .*, not run"):
        require_runnable(real)
    monkeypatch.delenv(HOST_SETTING)
    assert Target.host() == real
    assert real.is_host
    assert not taken.is_host


@X86
def test_its_caches_stay_what_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    real = facts(Target.host())
    _taken_for(monkeypatch, "-mcpu=x86-64")
    taken = facts(Target.host())
    assert (taken.l1_bytes, taken.l2_bytes, taken.l3_bytes) == (real.l1_bytes, real.l2_bytes, real.l3_bytes)


@pytest.mark.sampled(0)
@X86
def test_attributes_are_a_part_of_the_target(monkeypatch: pytest.MonkeyPatch) -> None:
    real = Target.host()
    _taken_for(monkeypatch, "-mattr=-avx")
    taken = Target.host()
    assert taken.get("mattr") == "-avx"
    assert taken == Target.parse("llvm") == Target.parse(str(taken))
    assert taken.is_host
    assert not real.is_host
    assert facts(taken).vector_bits == 128
    assert features(taken).endswith(",-avx")
    _taken_for(monkeypatch, "-mcpu=x86-64 -mattr=+sse4.2")
    assert "-mcpu=x86-64 -mattr=+sse4.2" in str(Target.host())
    assert features(Target.host()) == "+sse4.2"


def test_its_own_name_is_the_machine_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    real = host()
    for same in (f"-mcpu={real.cpu}", "-mcpu=native", " "):
        found = _taken_for(monkeypatch, same)
        assert (found.cpu, found.attributes, found.features) == (real.cpu, "", real.features)


@pytest.mark.sampled(0)
@X86
def test_a_host_that_claims_more_is_refused_by_what_it_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the machine had no AVX: Haswell has, and so has what switches it on."""
    there = dict(host_module._machine_features())
    monkeypatch.setattr(host_module, "_machine_features", lambda: {**there, "avx": False, "avx2": False, "pku": False})
    host_module._host.cache_clear()
    try:
        line = r"^ANYTILE_HOST='?-m.*: this machine, \S+, has no avx.*, and .*; name a CPU that is less than this one.*"
        for setting in ("-mcpu=haswell", "-mcpu=x86-64 -mattr=+avx", "-mattr=+avx", "-mcpu=x86-64 -mattr=+avx2"):
            with pytest.raises(UnsupportedError, match=line):
                _taken_for(monkeypatch, setting)
        with pytest.raises(UnsupportedError, match=line.replace("avx.*,", "avx, avx2,")):
            _taken_for(monkeypatch, "-mcpu=haswell")
        _taken_for(monkeypatch, "-mcpu=nehalem")
        monkeypatch.delenv(HOST_SETTING)
        with pytest.raises(UnsupportedError, match="this machine has no avx2; code that uses it can be emitted"):
            require_runnable(Target.parse(f"llvm -mcpu={host().cpu} -mattr=+avx2"))
    finally:
        host_module._host.cache_clear()


@X86
@pytest.mark.parametrize(
    ("attributes", "missing"),
    [
        ("", []),
        ("+sse2,+prefer-256-bit,-avx512f,+fast-gather", []),
        ("+invented", ["invented"]),
        ("+evex512,+sse2,+avx10.1-512", ["evex512", "avx10.1-512"]),  # spelt in another way than in the machine's table
        ("+soft-float,+x32,+retpoline-external-thunk", ["soft-float", "x32", "retpoline-external-thunk"]),
        ("-sse2,-64bit-mode", ["code of -sse2", "code of -64bit-mode"]),
        ("sse2", ["code of sse2"]),
    ],
)
def test_a_list_out_of_a_file_has_nothing_that_ends_the_process(attributes: str, missing: list[str]) -> None:
    assert lacking(attributes) == missing
    target = Target("llvm", (("mcpu", host().cpu), ("threads", "1"), *((("mattr", attributes),) if attributes else ())))
    if missing:
        with pytest.raises(
            UnsupportedError, match=f"this machine has no {re.escape(', '.join(missing))}; code that uses"
        ):
            require_runnable(target)
    else:
        require_runnable(target)


@X86
def test_no_code_is_made_to_run_here_of_a_plan_that_this_cpu_does_not_fit() -> None:
    """Neither of a plan that is given, nor of one in a file, nor for a target that is."""
    absent = next(name for name, there in host_module._machine_features().items() if not there)
    target = Target("llvm", (("mcpu", host().cpu), ("mattr", f"+{absent}"), ("threads", "1")))
    workload = dense(Any("m"), 8, 8)
    template = templates_for(workload, Target.host(1))[0]
    plan = single_plan(workload, target, template.name, template.default(workload, Target.host(1)))
    for attempt in (
        lambda: service.build(workload, plan=plan),
        lambda: service.build(workload, target),
        lambda: service.runnable(plan, strict=False),
    ):
        with pytest.raises(UnsupportedError, match=f"this machine has no {absent}"):
            attempt()


@pytest.mark.sampled(0)
@X86
def test_what_hypervisors_hide_is_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    there = dict(host_module._machine_features())
    monkeypatch.setattr(host_module, "_machine_features", lambda: {**there, "fsgsbase": False})
    host_module._host.cache_clear()
    try:
        assert _taken_for(monkeypatch, "-mcpu=ivybridge").features == "-fsgsbase"
    finally:
        host_module._host.cache_clear()


@pytest.mark.parametrize(
    ("setting", "reason"),
    [
        ("haswell", "'haswell' is none of its options; expected -mcpu, -mattr or both"),
        ("-mcpu", "'-mcpu' is none of its options"),
        ("-mcpu=", "'-mcpu=' is none of its options"),
        ("-threads=1", "'-threads=1' is none of its options"),
        ("-mcpu=a -mcpu=b", "'-mcpu=b' is given twice"),
        ("-mattr=avx2", "'avx2' of -mattr is neither"),
        ("'-mcpu=a b'", "'a b' is no name"),
        ("-mcpu='", "No closing quotation"),
        ("-mcpu=nosuchcpu", "LLVM refuses it: 'nosuchcpu' is not a recognized processor"),
        ("-mattr=-nosuchfeature", "LLVM refuses it: '-nosuchfeature' is not a recognized feature"),
        pytest.param("-mcpu=i386", "LLVM refuses it: .*64-bit code", marks=X86),
    ],
)
def test_a_malformed_setting_is_one_line(setting: str, reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SpecError, match=f"^ANYTILE_HOST=.*{reason}") as error:
        _taken_for(monkeypatch, setting)
    assert "\n" not in str(error.value)


@pytest.mark.sampled(0)
@X86
def test_the_doctor_says_it(monkeypatch: pytest.MonkeyPatch) -> None:
    _taken_for(monkeypatch, "-mcpu=x86-64")
    checks = {check.name: check for check in doctor.examine()}
    assert checks["cpu"].seen.endswith(", taken for '-mcpu=x86-64' by ANYTILE_HOST")
    assert checks["vector unit"].data["target"] == str(Target.host())
    monkeypatch.setenv(HOST_SETTING, "nothing")
    (cpu,) = (check for check in doctor.examine() if check.name == "cpu")
    assert cpu.state == doctor.WARN
    assert re.match("ANYTILE_HOST=nothing: ", cpu.seen)


def test_errors_are_the_users(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HOST_SETTING, "nothing")
    for ask in (Target.host, lambda: Target.parse("llvm"), lambda: facts(Target.parse("llvm -mcpu=haswell"))):
        with pytest.raises(AnytileError, match="ANYTILE_HOST=nothing"):
            ask()
