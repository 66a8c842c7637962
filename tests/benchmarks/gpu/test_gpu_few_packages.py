"""The GPU benchmark on a machine that lends its GPU and few packages: every part is there, and BERT is compiled."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
HIDDEN = ("xgboost", "sqlalchemy", "alembic", "ray", "psycopg", "scipy", "hypothesis")
PROGRAM = """
    import sys
    from pathlib import Path
    from types import SimpleNamespace

    HIDDEN = set(sys.argv[1].split(","))

    class Without:
        def __init__(self, finder):
            self.finder = finder

        def find_spec(self, name, path=None, target=None):
            return None if name.partition(".")[0] in HIDDEN else self.finder.find_spec(name, path, target)

    sys.meta_path = [Without(finder) for finder in sys.meta_path]

    from anytile.codegen.cuda import nvrtc

    facts = {"registers": 32.0, "stack": 0.0, "spills": 0.0, "static_shared": 0.0}
    nvrtc.compile_cubin, nvrtc.version = lambda text, arch: nvrtc.Cubin(b"", facts=facts), lambda: "0"

    from anytile.codegen.cache import CodeCache
    from anytile.schedules.hardware.target import Target
    from benchmarks.gpu import bert, program

    options = program.options_of([])
    assert options.search == "random"
    units = program.units_of(options)
    bert.bert.HIDDEN, bert.bert.HEADS, bert.bert.INNER = 128, 2, 256
    folder = Path(sys.argv[2])
    run = SimpleNamespace(target=Target.parse("cuda -arch=sm_90a"), cache=CodeCache(folder), journal=folder / "j.jsonl")
    exe = bert.executable(run, 1)
    kernels = sorted({k.workload.partition("(")[0] for k in exe.kernels if k.device})
    print(len(units), "units;", bert.rungs(exe), "of", ", ".join(kernels))
    assert not HIDDEN & set(sys.modules), HIDDEN & set(sys.modules)
"""


@pytest.mark.slow
def test_every_part_is_there_and_bert_is_compiled_for_a_gpu(tmp_path: Path) -> None:
    command = [sys.executable, "-P", "-c", textwrap.dedent(PROGRAM), ",".join(HIDDEN), str(tmp_path)]
    done = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)}, cwd=tmp_path, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "22 units; 8 default of attention, batch_matmul, dense, elementwise, layer_norm\n"
