"""A process that loads a saved executable and runs it once, compiles BERT or imports a file: how long it took, as JSON.

`timed_loads`, `timed_compiles` and `timed_files` start such processes, several in turn, and give the median of each
step. They import from bytecode that is cached, as an installed program does, however this process was started; `cold`
ones find an empty code cache, each its own.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

_LOAD = """
import json, sys, time
began = time.perf_counter()
import numpy as np
import anytile
anytile.load, anytile.Session  # whose modules are imported where they are first named
imported = time.perf_counter()
path, trust, feeds = sys.argv[1], sys.argv[2] == "trust", np.load(sys.argv[3])
start = time.perf_counter()
exe = anytile.load(path, trust)
loaded = time.perf_counter()
session = anytile.Session(exe)
bound = time.perf_counter()
result = session.run({name: feeds[name] for name in feeds.files})
end = time.perf_counter()
assert np.allclose(result, np.load(sys.argv[4]), rtol=1e-3, atol=1e-3)
print(json.dumps({"import": imported - began, "load": loaded - start, "session": bound - loaded, "run": end - bound,
                  "all": end - start}))
"""

_COMPILE = """
import json, sys, time
import anytile
sys.path.insert(0, sys.argv[1])
import bert
module, db = bert.bert(int(sys.argv[2])), sys.argv[4] or None
start = time.perf_counter()
anytile.compile(module, sys.argv[3], db=db)
print(json.dumps({"all": time.perf_counter() - start}))
"""

_FILE = """
import json, sys, time
import anytile
path, target, db = sys.argv[1], sys.argv[2], sys.argv[3] or None
start = time.perf_counter()
from anytile.importers.onnx.model import read_onnx
module = read_onnx(path)
imported = time.perf_counter()
if target:
    anytile.compile(module, target, db=db)
print(json.dumps({"import": imported - start, "all": time.perf_counter() - start}))
"""


def timed_loads(
    path: Path, trust: bool, feeds: Path, result: Path, folder: Path, runs: int, cold: bool = False
) -> Mapping[str, float]:
    """From `anytile.load` to the first result, by steps; the import comes before and is not in `all`."""
    return _median(_LOAD, [str(path), "trust" if trust else "", str(feeds), str(result)], folder, runs, cold)


def timed_compiles(
    layers: int, target: str, db: str | None, folder: Path, runs: int, cold: bool = False
) -> Mapping[str, float]:
    """`anytile.compile` of BERT, the module made before."""
    examples = Path(__file__).resolve().parents[2] / "examples"
    return _median(_COMPILE, [str(examples), str(layers), target, db or ""], folder, runs, cold)


def timed_files(
    path: Path, target: str, db: str | None, folder: Path, runs: int, cold: bool = False
) -> Mapping[str, float]:
    """From an ONNX file to the executable, or to the module alone where there is no target."""
    return _median(_FILE, [str(path), target, db or ""], folder, runs, cold)


def _median(program: str, arguments: Sequence[str], folder: Path, runs: int, cold: bool) -> Mapping[str, float]:
    """Each step's median over fresh processes, after one that warms caches; if `cold`, only that of bytecode."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment = {**kept, "PYTHONPYCACHEPREFIX": str(folder / "bytecode")}
    samples: list[dict[str, float]] = []
    for _ in range(runs + 1):
        if cold:
            environment["XDG_CACHE_HOME"] = tempfile.mkdtemp(dir=folder)
        command = [sys.executable, "-c", program, *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
        if done.returncode:
            raise RuntimeError(f"a process that was to be timed failed: {done.stderr[-2000:]}")
        samples.append(json.loads(done.stdout))
    return {step: statistics.median(s[step] for s in samples[1:]) for step in samples[0]}
