"""Commands for a GPU that is not here: compile, look at, ask why; and what each says where something is missing."""

from __future__ import annotations

import json
import pickle
import re
from pathlib import Path

import pytest

from anytile.cli.main import run, umbrella
from anytile.codegen.cuda import nvrtc
from anytile.core.errors import UnsupportedError
from anytile.dispatch import backends
from anytile.schedules.hardware import nvidia_driver

ARCH = ["--target", "cuda -arch=sm_80"]
SHAPE = ["--shape", "m=?,n=32,k=32"]


def _has_nvrtc() -> bool:
    try:
        nvrtc.version()
    except UnsupportedError:
        return False
    return True


def said(words: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    code = run(umbrella(), words, "anytile")
    out = capsys.readouterr()
    return code, out.out, out.err


@pytest.mark.slow
@pytest.mark.skipif(not _has_nvrtc(), reason="NVRTC is not installed")
def test_compiling_only(capsys: pytest.CaptureFixture[str], own_home: Path) -> None:
    code, out, err = said(["tune", *SHAPE, *ARCH, "--compile-only", "--trials", "2"], capsys)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert all("2 of 2 configs compile" in line and "registers" in line for line in lines)
    assert not (own_home / "tuning.db").exists()


@pytest.mark.slow
@pytest.mark.skipif(not _has_nvrtc(), reason="NVRTC is not installed")
def test_what_compiled_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = said(["tune", *SHAPE, *ARCH, "--compile-only", "--trials", "2", "--json"], capsys)
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert found["target"] == "cuda -arch=sm_80"
    assert [c["template"] for c in found["compiled"]] == ["dense.cuda.simt", "dense.cuda.narrow"]
    for compiled in found["compiled"]:
        assert (compiled["built"], compiled["failed"], compiled["reasons"]) == (2, {}, [])
        low, high = compiled["facts"]["registers"]
        assert 0 < low <= high


@pytest.mark.parametrize("words", [["source"], ["why"], ["lookup"]], ids=lambda words: str(words[0]))
def test_the_next_step_without_a_device_can_be_typed(
    words: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def absent() -> None:
        raise UnsupportedError(f"no device; {nvidia_driver.COMPILE_ONLY}")

    monkeypatch.setattr(nvidia_driver, "find", absent)
    code, _, err = said([*words, *SHAPE, "--target", "cuda"], capsys)
    assert (code, err.count("\n")) == (3, 1)
    advice = re.search("with --target '([^']+)'", err)
    assert advice is not None
    assert words[0] in err
    assert said([*words, *SHAPE, "--target", advice[1]], capsys)[0] == 0


@pytest.mark.slow
@pytest.mark.skipif(not _has_nvrtc(), reason="NVRTC is not installed")
def test_running_without_a_device_says_what_can_be_done(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    model, exe = tmp_path / "model.txt", tmp_path / "model.exe"
    model.write_text("def main(x: Tensor[(?n, 4), float32]) -> Tensor[(?n, 4), float32] { softmax(x) }\n")
    assert said(["compile", str(model), *ARCH, "-o", str(exe)], capsys)[0] == 0

    def absent() -> None:
        raise nvidia_driver.NoDevice("there is none")

    monkeypatch.setattr(nvidia_driver, "find", absent)
    monkeypatch.setitem(backends._BACKENDS, "cuda", backends.CudaBackend())
    for command in ("run", "bench", "profile"):
        code, out, err = said([command, str(exe), "--input", "x=random:3x4"], capsys)
        assert (code, out) == (3, "")
        assert err == (
            "error: session: the executable is for an NVIDIA GPU: there is none; `anytile dump EXE --why` shows what "
            "is in it without one, and `anytile compile MODEL --target llvm -o FILE` makes one for this CPU\n"
        )
    assert "softmax.cuda" in said(["dump", str(exe), "--why"], capsys)[1]
    assert said(["compile", str(model), "--target", "llvm", "-o", str(exe)], capsys)[0] == 0
    assert said(["run", str(exe), "--input", "x=random:3x4"], capsys)[0] == 0


def test_there_is_no_device_survives_a_process() -> None:
    error = pickle.loads(pickle.dumps(nvidia_driver.NoDevice("there is none")))
    assert (error.reason, str(error)) == ("there is none", f"there is none; {nvidia_driver.COMPILE_ONLY}")


@pytest.mark.skipif(not _has_nvrtc(), reason="NVRTC is not installed")
def test_looking_at_a_kernel(capsys: pytest.CaptureFixture[str]) -> None:
    assert "__global__" in said(["source", *SHAPE, *ARCH, "--m", "17", "--form", "cuda"], capsys)[1]
    assert "dense" in said(["source", *SHAPE, *ARCH, "--m", "17"], capsys)[1]
    assert "m=17" in said(["why", *SHAPE, *ARCH, "--m", "17"], capsys)[1]
    code, _, err = said(["source", *SHAPE, *ARCH, "--form", "asm"], capsys)
    assert (code, err) == (2, "error: --form asm: code for cuda can be shown as nest, cuda\n")


def test_without_nvrtc_or_a_device_it_is_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, _, err = said(["tune", *SHAPE, "--target", "cuda -arch=sm_75"], capsys)
    assert code == 3
    assert "--compile-only" in err
    assert err.count("\n") == 1

    def missing() -> str:
        raise UnsupportedError(
            "NVRTC is not installed, and CUDA code cannot be compiled; pip install 'anytile[cuda13]'"
        )

    from anytile.dispatch.service import versions_here

    versions_here.cache_clear()
    monkeypatch.setattr(nvrtc, "version", missing)
    code, _, err = said(["why", *SHAPE, *ARCH, "--m", "17"], capsys)
    versions_here.cache_clear()
    assert (code, err.count("\n")) == (3, 1)
    assert "pip install 'anytile[cuda13]'" in err
