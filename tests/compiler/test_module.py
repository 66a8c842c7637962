"""The public face of a module: text, files and `print`, and passes that keep it."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import anytile
from anytile.compiler.ir.equality import alpha_equal
from anytile.compiler.pipeline import passes
from anytile.compiler.text.file import read_module

TEXT = "def main(x: Tensor[(?n, 3), float32]) { relu(dense(x, $w)) }"
DECLARED = f"const $w: Tensor[(4, 3), float32];\n{TEXT}"
W = np.arange(12, dtype=np.float32).reshape(4, 3)


def test_it_prints_what_it_parses(tmp_path: Path) -> None:
    module = anytile.Module.parse(DECLARED, {"w": W})
    assert type(module) is anytile.Module
    assert alpha_equal(anytile.Module.parse(str(module), {"w": W}), module)
    assert repr(module).startswith("Module(functions={'main': Function(")
    module.save(tmp_path / "model.txt")
    assert (tmp_path / "model.txt").read_text() == str(module)
    assert alpha_equal(anytile.Module.of(read_module(tmp_path / "model.txt")), module)


def test_passes_keep_the_face_that_they_are_given() -> None:
    made: object = anytile.Module.parse(DECLARED, {"w": W})
    for name, run in passes():
        made = run(made)  # type: ignore[arg-type]  # a module, or the next line says otherwise
        assert type(made) is anytile.Module, name


def test_who_watches_sees_modules_that_print(tmp_path: Path) -> None:
    path, seen = tmp_path / "model.txt", dict[str, str]()
    anytile.Module.parse(DECLARED, {"w": W}).save(path)
    anytile.compile(path, watch=lambda name, module: seen.update({name: str(module)}))
    assert list(seen) == list(dict.fromkeys(name for name, _ in passes(store=lambda module: module)))
    assert "vm.invoke_mut(dense_relu" in seen["plan_memory"]
