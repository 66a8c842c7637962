"""The table through which generated code starts threads: its words, and what the environment says of them.

Generated code holds only the table's address: functions, how many threads may run, and when the last of them were done:
soon after that they still wait for more, later they sleep. No table means that every loop runs on the thread that calls
it. The functions are those of the process's thread team (`team.c`); they have the meaning of GOMP_parallel,
omp_get_thread_num, omp_get_num_threads and omp_get_wtime.
"""

from __future__ import annotations

import ctypes
import os

SLOT = "anytile_openmp"  # of a module; the name is from when the threads were OpenMP's, as saved code has it
FORK, NUMBER, COUNT, LIMIT, CLOCK, DONE, HOME = range(7)  # places in the table; what is at DONE is a double
LEFT_ALONE = -2  # at HOME, always: code that was saved when the threads were OpenMP's does not move them itself
MOST_TEAMS, MOST_THREADS = 64, 1024  # callers that each have a team at once, and threads of one
AWAKE = 40e-6  # seconds after its last work for which a thread surely waits for more
SPIN_NS = 80_000  # nanoseconds that a thread spins: longer than AWAKE, shorter than a turn of another process
BINDING = ("OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY")

Table = ctypes.Array[ctypes.c_int64]


def bound() -> bool:
    """Whether the user said where threads run: then nobody moves them."""
    return bool(os.environ.keys() & set(BINDING))
