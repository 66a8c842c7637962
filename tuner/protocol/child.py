"""A child process, from its parent's side: start it, talk to it under deadlines, and end it without mercy.

A child that dies, hangs or talks nonsense becomes one `ChildLost` that says so in words; the caller starts another.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any

from anytile.core.errors import MeasureError
from anytile.core.installation.clone import with_rooms
from anytile.tuner.protocol.wire import Frame, WireClosed, WireError, WireTimeout, receive, send

_START_TIMEOUT = 120.0
_LAST_WORDS = 200
# One thread per child: a library's own pool beside a kernel that is being timed is noise, and its stacks are memory.
_LIBRARY_THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")
# OpenBLAS's threads spin for a tenth of a second after a call, on the cores of the kernel that is timed next: it was
# seen 2.6 times slower. The library itself loses nothing where they go to sleep after 2^16 ticks, some microseconds;
# with much less each call has to wake them, and small products took twice as long on two threads.
_NO_SPIN = {"OPENBLAS_THREAD_TIMEOUT": "16"}


class ChildLost(MeasureError):
    """The child did not answer: it died, or was killed because its time was up, or because of what it said."""

    def __init__(self, message: str, *, timed_out: bool = False, died: bool = False) -> None:
        super().__init__(message)
        self.timed_out = timed_out
        self.died = died


class Child:
    """One running `python -m MODULE ARGS`, with pipes for frames and a file for its last words."""

    def __init__(self, module: str, args: Sequence[str] = (), threads: int = 1) -> None:
        # The death signal is sent when the starting *thread* ends; only the main thread surely lives as long as we do.
        bound = threading.current_thread() is threading.main_thread()
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115  (closed in `close`)
        settings = {**dict.fromkeys(_LIBRARY_THREADS, "1"), "OMP_NUM_THREADS": str(threads), **_NO_SPIN}
        self._process = subprocess.Popen(
            # -P: the user's working directory must not shadow our modules.
            [sys.executable, "-P", "-m", module, *(["--parent", str(os.getpid())] if bound else []), *args],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            env=with_rooms({**os.environ, **settings}),
            start_new_session=True,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._in, self._out = self._process.stdin.fileno(), self._process.stdout.fileno()
        os.set_blocking(self._in, False)
        try:
            hello, _ = self.receive(_START_TIMEOUT)
        except ChildLost as error:
            raise MeasureError(f"python -m {module} does not start: {error}; run it by hand to see why") from None
        except BaseException:
            self.close()
            raise
        self.hello = hello

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def fileno(self) -> int:
        """Readable when there is an answer, or when the child is gone."""
        return self._out

    def send(self, header: Mapping[str, Any], blobs: Sequence[bytes] = (), timeout: float = 60.0) -> None:
        try:
            send(self._in, header, blobs, time.monotonic() + timeout)
        except WireError as error:
            raise self._lost(error, timeout) from None

    def receive(self, timeout: float) -> Frame:
        try:
            return receive(self._out, time.monotonic() + timeout)
        except WireError as error:
            raise self._lost(error, timeout) from None

    def close(self) -> None:
        """End the child now, whatever it is doing, and collect it."""
        if self._process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)  # its own session: whatever it forked goes with it
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._stderr):
            with contextlib.suppress(OSError):
                stream.close()  # type: ignore[union-attr]

    def _lost(self, error: WireError, timeout: float) -> ChildLost:
        if isinstance(error, WireTimeout):
            self.close()
            return ChildLost(f"no answer within {timeout:.3g} s", timed_out=True)
        died = isinstance(error, WireClosed)
        if died:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(5.0)  # its pipe is closed, so it is about to be gone
            reason = _how(self._process.poll()) + self._last_words()
        else:
            reason = f"it sent garbage: {error}"
        self.close()
        return ChildLost(reason, died=died)

    def _last_words(self) -> str:
        self._stderr.seek(max(0, self._stderr.seek(0, os.SEEK_END) - 4096))
        lines = self._stderr.read().decode(errors="replace").strip().splitlines()
        return f": {lines[-1].strip()[:_LAST_WORDS]}" if lines else ""


def _how(code: int | None) -> str:
    if code is None:
        return "closed its pipe"
    if code >= 0:
        return f"exited with status {code}"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    return f"died of {name}"
