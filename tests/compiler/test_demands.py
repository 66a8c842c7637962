"""An input that does not fit is told which steps of the model want it otherwise, from a file, too."""

from __future__ import annotations

from pathlib import Path

import pytest

from anytile.core.errors import ArgumentError
from anytile.vm.session import Session
from anytile.vm.storage.file import load
from tests.support.cases.compiled_modules import compile_text, random


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "shapes", "said"),
    [
        (  # sizes that the types leave apart, and a step makes one: it is told already where inputs come in
            'dense(x, y) @"fc"', ("?n, ?m", "?a, ?b", (2, 3), (3, 2)),
            "with b=3 as in x of shape (2, 3), got shape (3, 2); because of dense at fc of (?n, ?m) and (?a, ?b)",
        ),
        (
            'dense(x, y) @"fc"', ("?, ?", "?, ?", (2, 3), (3, 2)),
            "as in x of shape (2, 3), got shape (3, 2); because of dense at fc of (?any, ?any1) and (?any2, ?any3)",
        ),
        (
            'concat(x, y, axis=1) @"scores"', ("?n, 1, 4", "3, ?, 4", (2, 1, 4), (3, 2, 4)),
            "dimension 0 is 2; because of concat at scores of (?n, 1, 4) and (3, ?any, 4)",
        ),
        (
            'concat(concat(x, y, axis=1) @"one", exp(y), axis=1) @"two"', ("?n, 3", "?m, 4", (2, 3), (3, 4)),
            "as in x of shape (2, 3), got shape (3, 4); because of concat at one of (?n, 3) and (?m, 4)",
        ),
        (  # the user's own wish, which no step need explain
            "tanh(concat(x, y, axis=1))", ("?n, 3", "?n, 4", (2, 3), (3, 4)),
            "y: expected Tensor[(?n, 4), float32] with n=2 as in x of shape (2, 3), got shape (3, 4)",
        ),
    ],
)  # fmt: skip
def test_a_wrong_input_names_the_step_that_wants_another(
    body: str, shapes: tuple[str, str, tuple[int, ...], tuple[int, ...]], said: str, tmp_path: Path
) -> None:
    x, y, *given = shapes
    made = compile_text(f"def main(x: Tensor[({x}), float32], y: Tensor[({y}), float32]) {{ {body} }}")
    made.exe.save(tmp_path / "model.exe")
    for session in (made.session(True), made.session(False), Session(load(tmp_path / "model.exe"))):
        with pytest.raises(ArgumentError) as caught:
            session(*(random(0, *shape) for shape in given))
        assert str(caught.value).endswith(said)
