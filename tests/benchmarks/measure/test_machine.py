"""Holding a run to its cores, and describing the machine without naming it."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.measure import machine

ROOT = Path(machine.__file__).parents[2]
PROGRAM = """
import json, os, sys
sys.path.insert(0, sys.argv[1])
from benchmarks.measure import machine
machine.confine(int(sys.argv[2]))
print(json.dumps([len(os.sched_getaffinity(0)), [os.environ[n] for n in machine.THREAD_SETTINGS], sys.argv[3]]))
"""


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return run_text(PROGRAM, *arguments)


def run_text(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    env = {k: v for k, v in os.environ.items() if k not in machine.THREAD_SETTINGS}
    command = [sys.executable, "-c", program, str(ROOT), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=env, timeout=60)


def test_one_core_and_one_thread_for_every_library_and_the_arguments_survive() -> None:
    done = run("1", "an argument")
    assert json.loads(done.stdout) == [1, ["1"] * len(machine.THREAD_SETTINGS), "an argument"], done.stderr


@pytest.mark.slow
def test_further_settings_are_there_before_anything_is_imported() -> None:
    program = (
        "import os, sys; sys.path.insert(0, sys.argv[1])\n"
        "from benchmarks.measure import machine; machine.confine(1, machine.AVX2)\n"
        "print(os.environ['ONEDNN_MAX_CPU_ISA'], machine.describe(1)['vector_bits'] <= 256)"
    )
    done = run_text(program)
    assert done.stdout == "AVX2 True\n", done.stderr


@pytest.mark.parametrize("threads", ["0", "100000"])
def test_more_cores_than_there_are_is_an_error(threads: str) -> None:
    done = run(threads, "")
    assert done.returncode == 1
    assert done.stderr.startswith(f"error: --threads {threads}: this process may use 1 to")
    assert len(done.stderr.splitlines()) == 1


def test_the_description_is_plain_data_and_names_no_host() -> None:
    described = json.loads(json.dumps(machine.describe(1)))
    assert not {socket.gethostname(), socket.getfqdn()} & {str(v) for v in described.values()}
    assert described["threads"] == 1
    assert described["vector_bits"] in (128, 256, 512)
    assert described["versions"]["numpy"]
    assert described["blas"]


def test_a_missing_distribution_has_no_version() -> None:
    assert machine.version("a-distribution-that-nobody-made") is None
