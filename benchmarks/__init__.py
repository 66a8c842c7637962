"""Benchmarks beside rivals, run by `scripts/bench NAME`; their rooms are listed here from the bottom up.

`measure` is how all of them time, judge and report; `rivals` is what users have today; `subjects` are the models,
graphs and databases that are measured. What is run lies in `kernels` (one operator), `whole_models`, `overheads` (what
stands around kernels), `tuning` (searches and their plans) and `gpu` (all that takes one). `results` holds the runs
that are kept, `data` tables of whole spaces that searches are replayed on. The models of `examples/` are imported by
their names, as `import bert`.
"""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "examples"))
