"""The example that runs an ONNX file: what README shows of it is what it prints, but for its times."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

pytest.importorskip("onnx")
import onnx_model

README = Path(__file__).resolve().parents[2] / "README.md"


@pytest.mark.slow
def test_readme_shows_what_it_prints(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["onnx_model.py", "--why", "0"])
    onnx_model.main()
    (shown,) = re.findall(r"    \$ python examples/onnx_model.py --why 0\n((?:    .*\n)+)", README.read_text("utf-8"))
    lines = [line.strip() for line in shown.splitlines()]
    assert [timeless(line) for line in lines] == [timeless(line) for line in capsys.readouterr().out.splitlines()]


def timeless(line: str) -> str:
    return re.sub(r"[0-9.]+ (ms|s)\b", r"... \1", line)


@pytest.mark.slow
def test_nodes_of_the_file_are_named_beside_kernels() -> None:
    import anytile

    exe = anytile.compile(onnx_model.light_model("zfnet512"))
    (first,) = (line for line in exe.why().splitlines() if line.startswith("conv2d_add_relu_packed: "))
    assert re.search(r"; at n0; n1$", first)
