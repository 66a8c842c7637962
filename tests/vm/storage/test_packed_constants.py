"""Packed constants in files: mapped where the kernel reads them so, recovered and packed anew where it does not."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from anytile.codegen.cache import CodeCache
from anytile.core.errors import SpecError
from anytile.dispatch.cpu.build import compile_plan
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.templates.registry import templates_for
from anytile.schedules.workloads.workload import Workload
from anytile.vm.executable import Executable
from anytile.vm.interpreter.constants import bound_constant
from anytile.vm.interpreter.kernels import BoundKernel
from anytile.vm.session import Session
from anytile.vm.storage.file import load, save, section_lengths
from anytile.vm.storage.packed_constants import raw
from tests.support.cases.vm_executables import HOST, mlp, mlp_in_numpy

X = np.random.default_rng(0).standard_normal((3, 24), dtype=np.float32)


def saved(folder: Path) -> tuple[Executable, Executable, dict[str, np.ndarray]]:
    """A program as it was made and as it was loaded."""
    exe, weights = mlp()
    save(exe, folder / "e")
    return exe, load(folder / "e"), weights


def test_a_session_reads_what_the_file_maps_and_packs_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, found, weights = saved(tmp_path)
    packed = [c for c in found.constants if c.packed is not None]
    assert packed
    assert all(c.laid is not None for c in packed)
    monkeypatch.setattr(BoundKernel, "pack", None)
    run = Session(found)
    np.testing.assert_allclose(run(X), mlp_in_numpy(X, weights), rtol=1e-4, atol=1e-4)
    tensors = [bound_constant(c, tuple(run._program.kernels), {}) for c in packed]
    assert [t.address for t in tensors] == [c.array.ctypes.data for c in packed]


def test_the_raw_constants_come_back(tmp_path: Path) -> None:
    exe, found, _ = saved(tmp_path)
    for before, after in zip(exe.constants, found.constants, strict=True):
        assert (before.shape, before.dtype) == (after.shape, after.dtype)
        np.testing.assert_array_equal(raw(after), before.array)


def other_plans(exe: Executable) -> Executable:
    """The same program with configs that lay their weights out differently."""

    def changed(text: str) -> tuple[str, object]:
        w = Workload.parse(text)
        template = templates_for(w, HOST)[0]
        default = template.default(w, HOST)
        known = compile_plan(single_plan(w, HOST, template.name, default, classes=0), cache=CodeCache()).packed
        for config in template.space(w, HOST).sample(random.Random(0), 30):
            plan = single_plan(w, HOST, template.name, config, classes=0)
            made = compile_plan(plan, cache=CodeCache())
            if made.packed != known:
                return plan.to_json(), made
        raise AssertionError("every config packs alike")

    kernels = []
    for k in exe.kernels:
        if k.kind == "kernel" and Workload.parse(k.workload).const:
            plan, artifact = changed(k.workload)
            kernels.append(replace(k, plan=plan, artifact=artifact))  # type: ignore[arg-type]
        else:
            kernels.append(k)
    return replace(exe, kernels=tuple(kernels))


def test_kernels_that_lay_weights_out_differently_pack_them_anew(tmp_path: Path) -> None:
    exe, found, weights = saved(tmp_path)
    changed = other_plans(found)
    np.testing.assert_allclose(Session(changed)(X), mlp_in_numpy(X, weights), rtol=1e-4, atol=1e-4)
    save(changed, tmp_path / "again")  # and is saved in the layout of its own kernels
    again = load(tmp_path / "again")
    pairs = [(a, b) for a, b in zip(again.constants, found.constants, strict=True) if a.packed is not None]
    assert any(a.laid is not None and b.laid is not None and a.laid.layout != b.laid.layout for a, b in pairs)
    for before, after in zip(exe.constants, again.constants, strict=True):
        np.testing.assert_array_equal(raw(after), before.array)
    np.testing.assert_allclose(Session(again)(X), mlp_in_numpy(X, weights), rtol=1e-4, atol=1e-4)


def test_an_artifact_that_tells_no_layout_has_its_weights_stored_raw(tmp_path: Path) -> None:
    exe, weights = mlp()
    mute = [
        k
        if k.artifact is None
        else replace(k, artifact=replace(k.artifact, packed=tuple(replace(p, layout="") for p in k.artifact.packed)))
        for k in exe.kernels
    ]
    save(replace(exe, kernels=tuple(mute)), tmp_path / "e")
    found = load(tmp_path / "e")
    assert all(c.laid is None for c in found.constants)
    np.testing.assert_allclose(Session(found)(X), mlp_in_numpy(X, weights), rtol=1e-4, atol=1e-4)


def test_a_layout_that_lies_is_an_error_of_a_line(tmp_path: Path) -> None:
    _, found, _ = saved(tmp_path)
    (at, *_) = [i for i, c in enumerate(found.constants) if c.packed is not None]
    constant = found.constants[at]
    assert constant.laid is not None

    def lying(**changes: object) -> Executable:
        made = replace(constant, **changes)  # type: ignore[arg-type]
        return replace(found, constants=(*found.constants[:at], made, *found.constants[at + 1 :]))

    with pytest.raises(SpecError, match="packed bytes"):
        Session(lying(array=constant.array[:64]))
    with pytest.raises(SpecError, match="for no kernel"):
        Session(lying(packed=None))
    for text in ("[]", json.dumps([[[1], [[0]]]]), json.dumps([[[2**40, 2], [[0], [1]]]])):
        with pytest.raises(SpecError) as caught:
            Session(lying(laid=replace(constant.laid, layout=text)))
        assert "\n" not in str(caught.value)


def test_a_byte_of_packed_weights_that_changed_is_refused(tmp_path: Path) -> None:
    saved(tmp_path)
    data = bytearray((tmp_path / "e").read_bytes())
    packed = max(section_lengths(tmp_path / "e").items(), key=lambda s: s[1] if s[0].startswith("constant") else 0)
    assert packed[1] > 3000
    weights = load(tmp_path / "e").constants[int(packed[0].partition("/")[2])].array.tobytes()
    data[data.index(weights) + len(weights) // 2] ^= 1
    (tmp_path / "e").unlink()  # what is mapped stays as it was
    (tmp_path / "e").write_bytes(data)
    with pytest.raises(SpecError, match="fingerprint"):
        load(tmp_path / "e")
