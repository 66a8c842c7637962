"""Temporary PostgreSQL server: a database cluster in a folder of its own, on a free loopback port, gone at the end.

The programs are the system's; PostgreSQL refuses to run as root, so root runs it as the user `postgres`. Run as a
program it starts a server, runs a command with $ANYTILE_TEST_POSTGRES naming an empty database, and stops it.
"""

from __future__ import annotations

import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

URL = "ANYTILE_TEST_POSTGRES"
_PLACES = "/usr/lib/postgresql"  # where Debian keeps them, a folder for each version
_NEEDED = ("initdb", "postgres", "psql")
_PATIENCE_S = 60
_USER = "postgres"  # who runs it for root


class NoServer(Exception):
    """There is none to be had here; the text says why."""


def programs() -> Path:
    """The folder of the newest PostgreSQL on this machine."""
    versions = [p for p in Path(_PLACES).glob("*/bin") if p.parent.name.isdecimal()]
    found = [*sorted(versions, key=lambda p: -int(p.parent.name)), Path(shutil.which("initdb") or "initdb").parent]
    for folder in found:
        if all((folder / name).is_file() for name in _NEEDED):
            return folder
    raise NoServer("PostgreSQL's programs are not installed; on Debian and Ubuntu: apt-get install postgresql")


class PostgresServer:
    """One server, which tests may stop, kill and start again; its data stay until it is left."""

    def __init__(self, settings: Sequence[str] = ()) -> None:
        self._programs = programs()
        self._as = _owner()
        self._folder = Path(tempfile.mkdtemp(prefix="postgres-"))
        self._settings = settings
        self._process: subprocess.Popen[bytes] | None = None
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        self.password = secrets.token_hex(8)
        try:
            self._make()
            self.start()
        except BaseException:
            self.close()
            raise

    def url(self, database: str = "postgres", user: str = "anytile", password: str | None = None) -> str:
        return f"postgresql://{user}:{password or self.password}@127.0.0.1:{self.port}/{database}"

    def start(self) -> None:
        data = ("-D", str(self._folder / "data"), "-k", str(self._folder), "-p", str(self.port), "-h", "127.0.0.1")
        settings = [word for setting in ("max_connections=200", *self._settings) for word in ("-c", setting)]
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [*self._as, str(self._programs / "postgres"), *data, *settings],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self._folder, start_new_session=True,
            )  # fmt: skip
        for _ in range(_PATIENCE_S * 10):
            if self._process.poll() is not None:
                raise NoServer(f"PostgreSQL ended at once: {self._last_line()}")
            if self._answers():
                return
            time.sleep(0.1)
        raise NoServer(f"PostgreSQL does not answer after {_PATIENCE_S} s: {self._last_line()}")

    def stop(self, at_once: bool = True) -> None:
        """End every connection and the server; `at_once` as a crash would, without finishing anything."""
        if self._process is None:
            return
        pid = int((self._folder / "data" / "postmaster.pid").read_text().split()[0])
        os.kill(pid, signal.SIGQUIT if at_once else signal.SIGINT)
        self._process.wait(_PATIENCE_S)
        self._process = None

    def kill(self) -> None:
        """Every process of it at once, as when memory runs out; the next start finds what that leaves behind."""
        if self._process is None:
            return
        pid = int((self._folder / "data" / "postmaster.pid").read_text().split()[0])
        os.kill(pid, signal.SIGSTOP)  # so that it neither tells its children nor makes new ones
        for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            with suppress(ProcessLookupError):
                os.kill(int(child), signal.SIGKILL)
        os.kill(pid, signal.SIGKILL)
        self._process.wait(_PATIENCE_S)
        self._process = None

    def sql(self, statements: str, database: str = "postgres") -> str:
        """Run statements with psql; what they print."""
        done = subprocess.run(
            [str(self._programs / "psql"), "-X", "-q", "-t", "-A", "-v", "ON_ERROR_STOP=1", "-c", statements,
             self.url(database)],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        return done.stdout.strip()

    def close(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self.stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _make(self) -> None:
        """As its owner, who must own the folder too."""
        (self._folder / "password").write_text(self.password)
        if self._as:
            owner = pwd.getpwnam(_USER)
            for path in (self._folder, self._folder / "password"):
                os.chown(path, owner.pw_uid, owner.pw_gid)
        done = subprocess.run(
            [*self._as, str(self._programs / "initdb"), "-D", str(self._folder / "data"), "-U", "anytile",
             "-A", "scram-sha-256", "--pwfile", str(self._folder / "password"), "-E", "UTF8", "--locale=C"],
            capture_output=True, text=True, cwd=self._folder, check=False,
        )  # fmt: skip
        if done.returncode:
            raise NoServer(f"PostgreSQL cannot make a cluster: {(done.stderr.strip().splitlines() or ['?'])[-1]}")

    def _answers(self) -> bool:
        ready = [str(self._programs / "psql"), "-X", "-q", "-c", "SELECT 1", self.url()]
        return subprocess.run(ready, capture_output=True, check=False).returncode == 0

    def _last_line(self) -> str:
        return ((self._folder / "log").read_text(errors="replace").strip().splitlines() or ["?"])[-1]


def _owner() -> tuple[str, ...]:
    """What runs a program as somebody who may run a server; nothing where that is us."""
    if os.geteuid() != 0:
        return ()
    try:
        pwd.getpwnam(_USER)
    except KeyError:
        raise NoServer(f"PostgreSQL does not run as root, and there is no user {_USER} to run it as") from None
    return ("setpriv", "--clear-groups", "--regid", _USER, "--reuid", _USER, "--")


def main(command: Sequence[str]) -> int:
    try:
        with PostgresServer() as server:
            return subprocess.run(command, env={**os.environ, URL: server.url()}, check=False).returncode
    except NoServer as reason:
        print(f"scripts/postgres: {reason}", file=sys.stderr)
        return 69  # sysexits.h: a service is unavailable


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
