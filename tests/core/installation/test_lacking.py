"""Missing packages are said in a line, wherever they are met; a module of ours that is missing is a defect."""

from __future__ import annotations

import subprocess
import sys

import pytest

from anytile.core.errors import UnsupportedError
from anytile.core.installation.lacking import lacking, packages_for


def test_others_packages_and_ours() -> None:
    assert lacking(ModuleNotFoundError("no", name="made.up")) == "made is not installed; pip install made"
    assert lacking(ModuleNotFoundError("no", name="anytile.db")) is None
    assert lacking(ModuleNotFoundError("no")) is None
    says = "^flying: made is not installed; pip install made, or walk$"
    with pytest.raises(UnsupportedError, match=says), packages_for("flying", "walk"):
        raise ModuleNotFoundError("no", name="made")
    with pytest.raises(ModuleNotFoundError), packages_for("flying", "walk"):
        raise ModuleNotFoundError("no", name="anytile.wings")


WITHOUT = """
import sys
sys.modules["sqlalchemy"] = None
import anytile
from anytile.cli.main import run, umbrella
from anytile.core.errors import UnsupportedError
for work in (
    lambda: anytile.build("softmax(rows=?m, columns=8)"),
    lambda: anytile.compile(anytile.Module.parse("def main(x: Tensor[(?n), float32]) { relu(x) }", {})),
):
    try:
        work()
    except UnsupportedError as error:
        print(error)
print(run(umbrella(), ["doctor"], "anytile"))
print(run(umbrella(), ["db", "stats"], "anytile"))
"""


@pytest.mark.slow
def test_without_a_database_library_everything_that_needs_it_says_so() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr + done.stdout, done.stderr
    missing = "sqlalchemy is not installed; pip install sqlalchemy"
    says = f"looking a plan up: {missing}, or give the plan itself (plan=, locked=)"
    assert done.stdout.splitlines()[:2] == [says, says]
    assert f"warn  database     {missing}" in done.stdout
    assert "nvrtc" in done.stdout  # what comes after that was looked at, too
    assert done.stdout.splitlines()[-1] == "3"
    assert done.stderr.splitlines()[-1] == f"error: {missing}"
