"""What is made once: by one thread, for each choice of arguments; and the sessions that rely on it."""

from __future__ import annotations

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from anytile.core.once import once


def test_threads_that_ask_at_once_get_the_same_value() -> None:
    made = []

    def slow(name: str) -> object:
        time.sleep(0.01)
        made.append(name)
        return object()

    kept = once(slow)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(kept, "aabbaabb" * 4))
    assert sorted(made) == ["a", "b"]
    assert len(set(found)) == 2
    assert kept("a") is found[0]


def test_an_error_is_not_kept() -> None:
    tries = []

    @once
    def fails_first() -> int:
        tries.append(1)
        if len(tries) == 1:
            raise OSError("no memory")
        return 5

    with pytest.raises(OSError, match="no memory"):
        fails_first()
    assert fails_first() == fails_first() == 5


FIRST_AT_ONCE = """
import sys, threading
import numpy as np
sys.path.insert(0, sys.argv[1])
from tests.support.cases.vm_executables import mlp
from anytile.vm.session import Session
exe, start, results = mlp()[0], threading.Barrier(8), []

def work():
    start.wait()
    session = Session(exe)
    results.append([session(np.ones((3, 24), np.float32)) for _ in range(50)][-1])

threads = [threading.Thread(target=work) for _ in range(8)]
[t.start() for t in threads]
[t.join() for t in threads]
assert len(results) == 8 and all(np.array_equal(r, results[0]) for r in results)
"""


@pytest.mark.slow
def test_the_first_sessions_of_a_process_may_be_made_at_once(pytestconfig: pytest.Config) -> None:
    """In a process of its own: code that is unmapped while it runs ends the process."""
    support = str(pytestconfig.rootpath / "tests" / "support")
    done = subprocess.run([sys.executable, "-c", FIRST_AT_ONCE, support], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
