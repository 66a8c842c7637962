"""Children of a clone that nobody installed find the package; of an installed one they are told nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from anytile.core.installation.clone import with_rooms

ROOT = Path(__file__).resolve().parents[3]


def test_a_clone_is_put_before_what_there_is(tmp_path: Path) -> None:
    assert with_rooms({"A": "b"}) == {"A": "b", "PYTHONPATH": str(ROOT)}
    assert with_rooms({"PYTHONPATH": "/else"})["PYTHONPATH"] == f"{ROOT}{os.pathsep}/else"
    assert with_rooms({"PYTHONPATH": "/else"}, tmp_path) == {"PYTHONPATH": "/else"}


@pytest.mark.slow
def test_every_child_of_a_clone_finds_it() -> None:
    """A process of a builder, and one that asks LLVM; none of them looks into the working directory."""
    packages = os.pathsep.join(p for p in sys.path if p.endswith("site-packages"))
    program = f"""
import sys
sys.path += {packages.split(os.pathsep)!r}
import os
os.environ["PYTHONPATH"] = {packages!r}
from anytile.schedules.hardware.cpu import facts
from anytile.schedules.hardware.target import Target
target = Target.parse("llvm -mcpu=nehalem -threads=1")
facts(target)
from anytile.codegen.llvm.compile import _emitted_apart
assert _emitted_apart("assembly", "", target)
from anytile.tuner.protocol.child import Child
child = Child("anytile.tuner.builders.builder")
child.close()
print("found")
"""
    python = sys._base_executable  # type: ignore[attr-defined]  # in which this clone is not installed
    done = subprocess.run([python, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout == "found\n", done.stderr
