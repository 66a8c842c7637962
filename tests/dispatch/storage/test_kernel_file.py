"""Kernel files: what was saved comes back, on any machine; what is damaged or hostile is refused."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import anytile.dispatch.storage.kernel_file as kernel_file
from anytile.codegen.cache import CodeCache
from anytile.core.container import PREFIX
from anytile.core.errors import AnytileError, ResourceError, SpecError
from anytile.dispatch import service
from anytile.dispatch.cpu.build import compile_plan
from anytile.dispatch.cpu.kernel import DispatchKernel
from anytile.dispatch.service import load_kernel
from anytile.dispatch.storage.kernel_file import FILE, read_kernel
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.plan import DispatchPlan
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.templates.registry import template, templates_for
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any

HOST = Target.host()
N, K = 24, 12


def rand(*shape: int) -> np.ndarray:
    return np.random.default_rng(sum(shape)).standard_normal(shape, dtype=np.float32)


@pytest.fixture(scope="module")
def kernel() -> DispatchKernel:
    workload = dense(Any("m"), N, K, const=("w",))
    config = template("dense.cpu").default(workload, HOST).with_(tile_m=4, tile_n=2)
    plan = single_plan(workload, HOST, "dense.cpu", config, classes=2)
    return DispatchKernel(plan, compile_plan(plan), {"w": rand(N, K)})


@pytest.fixture(scope="module")
def saved(kernel: DispatchKernel, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("saved") / "dense.kernel"
    kernel.save(path)
    return path.read_bytes()


def rewrite(saved: bytes, change: Callable[[dict[str, object], bytes], bytes]) -> bytes:
    """The file with its header (or body) changed and every hash made right again."""
    _, _, length, _ = PREFIX.unpack_from(saved)
    header = json.loads(saved[PREFIX.size : PREFIX.size + length])
    body = change(header, saved[PREFIX.size + length :])
    text = json.dumps(header, sort_keys=True).encode()
    return PREFIX.pack(FILE.magic, FILE.version, len(text), hashlib.sha256(text).digest()) + text + body


def put_section(header: dict[str, dict[str, dict[str, object]]], body: bytes, name: str, data: bytes) -> bytes:
    header["sections"][name] = {"offset": len(body), "length": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    return body + data


@pytest.mark.parametrize("trust", [False, True])
def test_what_was_saved_comes_back(kernel: DispatchKernel, saved: bytes, tmp_path: Path, trust: bool) -> None:
    path = tmp_path / "a.kernel"
    path.write_bytes(saved)
    loaded = load_kernel(path, trust=trust)
    assert loaded.plan == kernel.plan
    for m in (0, 1, 3, 4, 5, 101):
        assert np.array_equal(loaded(rand(m, K)), kernel(rand(m, K)))
    again = tmp_path / "b.kernel"
    loaded.save(again)
    assert read_kernel(again).constants["w"].tobytes() == rand(N, K).tobytes()


def test_stored_code_runs_only_if_trusted(saved: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.kernel"
    path.write_bytes(saved)
    compiled: list[DispatchPlan] = []
    real = service.assemble

    def watched(plan: DispatchPlan, *args: object, **options: CodeCache | None) -> DispatchKernel:
        compiled.append(plan)
        return real(plan, *args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(service, "assemble", watched)
    load_kernel(path, trust=True)
    assert not compiled
    load_kernel(path)
    assert len(compiled) == 1
    monkeypatch.setattr(kernel_file, "CODEGEN_VERSION", 10**6)  # a file of another version
    load_kernel(path, trust=True)
    assert len(compiled) == 2


def test_a_kernel_of_another_cpu_is_compiled_for_this_one(saved: bytes, tmp_path: Path) -> None:
    def foreign(header: dict, body: bytes) -> bytes:  # type: ignore[type-arg]
        plan = kernel_file._parse(saved).plan
        other = replace(plan, target=Target.parse("llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a72"))
        return put_section(header, body, "plan", other.to_json().encode())

    path = tmp_path / "arm.kernel"
    path.write_bytes(rewrite(saved, foreign))
    loaded = load_kernel(path, trust=True)
    x = rand(7, K)
    assert loaded.plan.target == Target.host(1)
    assert np.allclose(loaded(x), x @ rand(N, K).T, atol=1e-5)
    assert any("cortex-a72" in d for d in loaded.plan.notes["decisions"])


@pytest.mark.parametrize("target", ["llvm -mcpu=generic", str(HOST)])
def test_a_config_of_no_use_here_gives_way_to_the_default(saved: bytes, tmp_path: Path, target: str) -> None:
    def foreign(header: dict, body: bytes) -> bytes:  # type: ignore[type-arg]
        plan = kernel_file._parse(saved).plan
        variant = replace(plan.variants[0], config=plan.variants[0].config.with_(tile_m=4, tile_n=999))
        other = replace(plan, target=Target.parse(target), variants=(variant,))
        return put_section(header, body, "plan", other.to_json().encode())

    path = tmp_path / "odd.kernel"
    path.write_bytes(rewrite(saved, foreign))
    loaded = load_kernel(path)
    assert any("does not fit here" in d for d in loaded.plan.notes["decisions"])
    assert np.allclose(loaded(rand(7, K)), rand(7, K) @ rand(N, K).T, atol=1e-5)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_damage_is_found(saved: bytes, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(saved) - 1))
    kind = data.draw(st.sampled_from(["cut", "flip", "insert"]))
    if kind == "cut":
        broken = saved[:at]
    elif kind == "flip":
        broken = saved[:at] + bytes([saved[at] ^ (1 << data.draw(st.integers(0, 7)))]) + saved[at + 1 :]
    else:
        broken = saved[:at] + b"\0" + saved[at:]
    with pytest.raises((AnytileError, ValueError, KeyError)):
        kernel_file._parse(broken)


HOSTILE = {
    "length": lambda h, b: h["sections"]["code"].update(length=2**62) or b,
    "offset": lambda h, b: h["sections"]["code"].update(offset=-8) or b,
    "float": lambda h, b: h["sections"]["code"].update(offset=0.5) or b,
    "no plan": lambda h, b: h["sections"].pop("plan") and b,
    "plan": lambda h, b: put_section(h, b, "plan", b"{}"),
    "deep": lambda h, b: put_section(h, b, "plan", b"[" * 200_000),
    "not text": lambda h, b: put_section(h, b, "plan", b"\xff\xfe"),
    "shape": lambda h, b: h["constants"]["w"].update(shape=[2**40, 2**40]) or b,
    "endless": lambda h, b: h["constants"]["w"].update(shape=[math.inf]) or b,
    "negative": lambda h, b: h["constants"]["w"].update(shape=[-N, -K]) or b,
    "dtype": lambda h, b: h["constants"]["w"].update(dtype="|O") or b,
    "missing": lambda h, b: h.update(constants={}) or b,
    "code": lambda h, b: put_section(h, b, "code", b"x"),
    "list": lambda h, b: h.update(sections=[]) or b,
}


@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_headers_are_one_line(saved: bytes, tmp_path: Path, what: str) -> None:
    path = tmp_path / "hostile.kernel"
    path.write_bytes(rewrite(saved, HOSTILE[what]))
    with pytest.raises(SpecError) as caught:
        load_kernel(path, trust=True)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("classes", "tile"), [([[0, 10**15]], 4), ([[0, 1], [3, 3]], 4), ([[0, 3]], 5), ([[2, 1], [0, 3]], 4)]
)
def test_plans_whose_classes_do_not_cover_are_refused(
    saved: bytes, tmp_path: Path, classes: list[list[int]], tile: int
) -> None:
    def change(header: dict, body: bytes) -> bytes:  # type: ignore[type-arg]
        plan = json.loads(kernel_file._parse(saved).plan.to_json())
        plan["variants"][0].update(classes=classes, tile=tile)
        return put_section(header, body, "plan", json.dumps(plan).encode())

    path = tmp_path / "gaps.kernel"
    path.write_bytes(rewrite(saved, change))
    with pytest.raises(SpecError, match="classes"):
        load_kernel(path)


def test_files_that_are_none(tmp_path: Path) -> None:
    for name, content in (("empty", b""), ("text", b"hello" * 100), ("elf", b"\x7fELF" * 100)):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(SpecError, match="not a kernel file"):
            load_kernel(tmp_path / name)
    with pytest.raises(SpecError, match="cannot be read"):
        load_kernel(tmp_path / "nowhere")
    with pytest.raises(SpecError, match="cannot be read"):
        load_kernel(tmp_path)


def test_halves_are_constants_too(kernel: DispatchKernel, tmp_path: Path) -> None:
    """What a GPU's kernel in float16 saves; its code stays out of the way here."""
    workload, target = dense(Any("m"), N, K, dtype="float16", const=("w",)), Target.parse("cuda -arch=sm_90a")
    chosen = templates_for(workload, target)[0]
    plan = single_plan(workload, target, chosen.name, chosen.default(workload, target))
    w = rand(N, K).astype(np.float16)
    kernel_file.save_kernel(tmp_path / "half.kernel", plan, kernel.artifact, {"w": w}, {})
    found = read_kernel(tmp_path / "half.kernel").constants["w"]
    assert found.dtype == np.float16
    np.testing.assert_array_equal(found, w)


def test_a_newer_format_says_what_to_do(saved: bytes, tmp_path: Path) -> None:
    path = tmp_path / "new.kernel"
    path.write_bytes(saved[:8] + (FILE.version + 1).to_bytes(4, "little") + saved[12:])
    with pytest.raises(SpecError, match=f"format {FILE.version + 1}, expected {FILE.version}; upgrade"):
        load_kernel(path)


def test_a_save_that_fails_leaves_the_old_file(
    kernel: DispatchKernel, saved: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.kernel"
    path.write_bytes(saved)

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(ResourceError, match="cannot be saved: No space left on device; make room, or "):
        kernel.save(path)
    assert path.read_bytes() == saved
    assert [p.name for p in tmp_path.iterdir()] == ["a.kernel"]
    with pytest.raises(ResourceError, match="cannot be saved"):
        kernel.save(tmp_path / "no" / "folder")
