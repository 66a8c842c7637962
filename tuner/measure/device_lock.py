"""One device, one timing: an operating-system lock that campaigns of one user on one host share.

Timing holds the lock exclusively; building holds it shared, so that nobody compiles on the cores beside a kernel that
is being timed. The system drops the lock with the process, so no crash leaves it behind. A turnstile in front keeps
it fair: whoever waits goes before whoever has just released.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import stat
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from anytile.core.errors import MeasureError

_FIRST_NAP, _LONGEST_NAP = 0.0005, 0.02
_NAP_SHARE = 0.1  # of what was waited already: nobody comes later than by that much
_NOTICE_AFTER = 2.0
_OTHER_FOLDER = "set XDG_RUNTIME_DIR to a folder of yours"


def default_lock_folder() -> Path:
    """A folder of the user's own: the session's run-time folder, or one under the temporary folder."""
    uid = os.getuid()
    for name in (os.environ.get("XDG_RUNTIME_DIR"), f"/run/user/{uid}"):
        if name and os.path.isdir(name) and os.access(name, os.W_OK):
            return Path(name) / "anytile"
    return Path(tempfile.gettempdir()) / f"anytile-{uid}"


class SharedCores:
    """A process's hold of its host's cores, to build on and to think on: taken once, however deep it is asked for."""

    def __init__(self, lock: DeviceLock) -> None:
        self._lock = lock
        self._depth = 0
        self._held = contextlib.ExitStack()

    @contextlib.contextmanager
    def building(self) -> Iterator[None]:
        if self._depth == 0:
            self._held.enter_context(self._lock.building())
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1
            if self._depth == 0:
                self._held.close()

    @contextlib.contextmanager
    def given_back(self) -> Iterator[None]:
        """While other processes build for this one: between the two, someone who wants to time may stand."""
        depth, self._depth = self._depth, 0
        self._held.close()
        try:
            yield
        finally:
            self._depth = depth  # whatever happens on the way back in, as many holds are left as were entered
            if depth:
                self._held.enter_context(self._lock.building())

    def is_wanted(self) -> bool:
        """Whether somebody waits for them to time."""
        return self._depth > 0 and self._lock.is_awaited()

    def give_way(self) -> None:
        """Let those who wait have their turn now, and go on after them."""
        with self.given_back():
            pass


class DeviceLock:
    """The lock of one device. Not reentrant, and not for threads: one process holds it once at a time."""

    def __init__(
        self, device: str = "cpu", folder: Path | None = None, log: Callable[[str], None] | None = None
    ) -> None:
        """A `folder` of one's own choosing may be shared with other users; the default one is private."""
        self.device = device
        self._log = log
        private = folder is None
        self._folder = default_lock_folder() if folder is None else folder
        self._stem = re.sub(r"[^A-Za-z0-9_.-]+", "_", device) or "device"
        try:
            self._folder.mkdir(mode=0o700 if private else 0o777, parents=True, exist_ok=True)
            found = os.lstat(self._folder)
        except OSError as error:
            raise MeasureError(f"lock folder {self._folder}: {error.strerror}; {_OTHER_FOLDER}") from None
        if private and (not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid()):
            raise MeasureError(f"lock folder {self._folder} is not a folder of this user's own; {_OTHER_FOLDER}")

    @contextlib.contextmanager
    def timing(self, timeout: float | None = None) -> Iterator[None]:
        """Hold the device alone."""
        with self._held(fcntl.LOCK_EX, timeout):
            yield

    @contextlib.contextmanager
    def building(self) -> Iterator[None]:
        """Hold the host's cores together with other builders, while nothing is being timed."""
        with self._held(fcntl.LOCK_SH, None):
            yield

    def is_awaited(self) -> bool:
        """Whether somebody stands at the turnstile. Of one who goes through it just now that may be said, too."""
        with self._opened("turnstile") as turnstile:
            try:
                fcntl.flock(turnstile, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
        return False

    @contextlib.contextmanager
    def _held(self, mode: int, timeout: float | None) -> Iterator[None]:
        until = None if timeout is None else time.monotonic() + timeout
        with self._opened("lock") as lock:
            with self._opened("turnstile") as turnstile:
                self._take(turnstile, fcntl.LOCK_EX, until)
                self._take(lock, mode, until)
            yield

    @contextlib.contextmanager
    def _opened(self, suffix: str) -> Iterator[int]:
        path = self._folder / f"{self._stem}.{suffix}"
        try:
            fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o666)
        except OSError as error:
            raise MeasureError(f"lock file {path}: {error.strerror}; {_OTHER_FOLDER}") from None
        try:
            yield fd
        finally:
            os.close(fd)  # drops the lock with it

    def _take(self, fd: int, mode: int, until: float | None) -> None:
        """Naps instead of blocking: Ctrl-C must get through even if its handler does not raise."""
        began, told = time.monotonic(), False
        while True:
            try:
                fcntl.flock(fd, mode | fcntl.LOCK_NB)
            except BlockingIOError:
                now = time.monotonic()
                if until is not None and now >= until:
                    raise MeasureError(
                        f"device {self.device} is being timed by another campaign; wait for it, or stop it"
                    ) from None
                if not told and self._log is not None and now - began > _NOTICE_AFTER:
                    self._log(f"waiting for another campaign that is timing on {self.device}")
                    told = True
                time.sleep(min(max(_FIRST_NAP, (now - began) * _NAP_SHARE), _LONGEST_NAP))
            else:
                return
