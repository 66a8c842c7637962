"""Builds that processes on other cores share: `python -m anytile.vm.storage.shared_builds` is one of them.

Who has built kernels for half a second, and at that rate would go on for as long, starts others. Each takes what is
left kernel by kernel and leaves the code in the cache, out of which it is taken here: nothing else passes between them.
What one does not leave there, since it met an error, cannot write, or is gone, is built by this process, which so says
why it cannot be. Invariant: the code is what this process alone would have made, and no process outlives its call.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from pathlib import Path

from anytile.codegen.artifact import Artifact
from anytile.codegen.cache import CodeCache
from anytile.core.errors import SpecError
from anytile.core.installation.clone import with_rooms
from anytile.schedules.hardware.target import usable_cores
from anytile.schedules.plans.plan import DispatchPlan
from anytile.vm.storage.kernel_code import Wanted, built, kept

SETTING = "ANYTILE_JOBS"
_MOST = 8  # processes of one call; each takes 100 MB
_ALONE = 0.5  # seconds: what a process takes to start is less
_DONE = b"\n"


def jobs() -> int:
    """How many processes may build the kernels of one program."""
    asked = os.environ.get(SETTING)
    if not asked:
        return min(usable_cores(), _MOST)
    if not re.fullmatch("[1-9][0-9]{0,4}", asked):
        raise SpecError(f"{SETTING}={asked}: expected how many processes build kernels, as 4; 1 is this one alone")
    return int(asked)


def all_built(wanted: Sequence[Wanted], cache: CodeCache) -> list[Artifact]:
    """The code of each, of which the cache has none."""
    shared = _Shared(wanted, cache)
    began, most = time.perf_counter(), jobs()
    while shared.left and not _worth_sharing(time.perf_counter() - began, len(shared.code), len(shared.left), most):
        shared.build_one()
    if shared.left:
        with _others(min(most, len(shared.left)) - 1, shared):
            shared.build_all()
        shared.build_all()  # what they gave back
    return [shared.code[i] for i in range(len(wanted))]


def _worth_sharing(seconds: float, done: int, left: int, most: int) -> bool:
    """Whether others would have something to do once they have started."""
    return most > 1 and left > 1 and seconds > _ALONE and seconds * left > _ALONE * done


class _Shared:
    """Kernels by number: those that nobody has taken yet, and the code of those that are built."""

    def __init__(self, wanted: Sequence[Wanted], cache: CodeCache) -> None:
        self.wanted, self.cache = wanted, cache
        self.left = deque(range(len(wanted)))
        self.code: dict[int, Artifact] = {}

    def build_one(self) -> None:
        if (i := self._next()) is not None:
            self.code[i] = built(self.wanted[i], self.cache)

    def build_all(self) -> None:
        while self.left:
            self.build_one()

    def hand_out(self, other: _Other) -> None:
        """Kernel after kernel to another process once it is ready, until there are no more or it lets one down."""
        other.is_ready = other.says_so()
        while other.is_ready and (i := self._next()) is not None:
            code = kept(self.wanted[i], self.cache) if other.builds(self.wanted[i]) else None
            if code is None:
                self.left.append(i)
                return
            self.code[i] = code

    def _next(self) -> int | None:
        """One that nobody else will build; None where another thread took the last."""
        try:
            return self.left.popleft()
        except IndexError:
            return None


class _Other:
    """A process that builds beside this one, in a session of its own: Ctrl-C is for this one, which then ends it."""

    def __init__(self, cache: CodeCache) -> None:
        command = [sys.executable, "-P", "-m", __name__, str(cache.folder), str(cache.limit_bytes)]
        pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
        self.process = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=nowhere, env=with_rooms(os.environ), start_new_session=True
        )
        self.is_ready = False

    def says_so(self) -> bool:
        assert self.process.stdout is not None
        return self.process.stdout.readline() == _DONE

    def builds(self, wanted: Wanted) -> bool:
        """Whether it says that it did; waits for that."""
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(json.dumps([wanted.kind, wanted.text]).encode() + b"\n")
            self.process.stdin.flush()
        except OSError:
            return False
        return self.says_so()


@contextlib.contextmanager
def _others(count: int, shared: _Shared) -> Iterator[None]:
    """Processes that build beside this one: what each has begun is waited for, unless this one fails."""
    with contextlib.ExitStack() as stack:
        others, threads = list[_Other](), list[threading.Thread]()
        stack.callback(_end, others, threads)
        with contextlib.suppress(OSError):  # there can be no more processes
            while len(others) < count:
                others.append(_Other(shared.cache))
        for other in others:
            threads.append(threading.Thread(target=shared.hand_out, args=(other,), daemon=True))
            threads[-1].start()
        yield
        for other, thread in zip(others, threads, strict=True):
            if other.is_ready:
                thread.join()


def _end(others: Sequence[_Other], threads: Sequence[threading.Thread]) -> None:
    for other in others:
        other.process.kill()
    for thread in threads:
        thread.join()
    for other in others:
        other.process.communicate()


def main() -> None:
    """Say that this process is ready, and of what each line of the input asks for that it is built; an error ends it,
    and is met again by who asked."""
    cache = CodeCache(Path(sys.argv[1]), int(sys.argv[2]))
    _say_done()
    for line in sys.stdin.buffer:
        kind, text = json.loads(line)
        built(Wanted(kind, DispatchPlan.from_json(text), text), cache)
        _say_done()


def _say_done() -> None:
    sys.stdout.buffer.write(_DONE)
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
