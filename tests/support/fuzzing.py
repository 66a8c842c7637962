"""What fuzzers share: cases that run in child processes, so that a fault of memory is an outcome, and shrink; words.

The child writes a line of JSON for all that it begins; when it dies, the last one says where. It must be forked from a
process that has no threads: one that has run kernels itself may have some.
"""

from __future__ import annotations

import argparse
import faulthandler
import gc
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn, Protocol, TypeVar
from unittest.mock import patch

from anytile.core.errors import AnytileError, ArgumentError, ResourceError, UnsupportedError

REFUSALS = (UnsupportedError, ResourceError, ArgumentError)
TRIES = 60
WITHIN_S = 60  # a case; what compiles for longer says nothing, a kernel that runs for longer has no end
LONGEST = 300


class Fuzzed(Protocol):
    """A case: run, it is right or raises."""

    @property
    def sizes(self) -> Sized:
        """What it is run at."""

    def run(self, told: Callable[[str, str], None]) -> None:
        """To its end. `told` hears what is begun, and what was refused."""


C = TypeVar("C", bound=Fuzzed)


@dataclass(frozen=True)
class Outcome:
    """What became of a case: `kind` is `right`, `late`, or what is wrong in a word or two, `what` is that in a line."""

    kind: str
    what: str
    refused: tuple[str, ...] = ()

    @property
    def is_wrong(self) -> bool:
        return self.kind not in ("right", "late", "refused")


def outcome(case: Fuzzed, within: int = WITHIN_S) -> Outcome:
    """Of the case in a child of its own."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _run(case, writing, within)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as lines:
        said = [json.loads(line) for line in lines if line.endswith("\n")]
    _, status = os.waitpid(child, 0)
    refused = tuple(text for what, text in said if what == "refused")
    begun = next((text for what, text in reversed(said) if what == "begun"), "begin")
    if os.WIFSIGNALED(status):
        name = signal.Signals(os.WTERMSIG(status)).name
        if name == "SIGALRM":
            return Outcome("late" if begun == "compiling" else "no end", f"no end of it {begun}", refused)
        return Outcome(name, f"{name} {begun}", refused)
    kind, what = said[-1]
    if kind == "refused" or (kind == "right" and len(refused) >= len(case.sizes)):
        return Outcome("refused", "", refused)
    return Outcome(kind, f"{kind} {begun}: {what}" if kind != "right" else what, refused)


def _run(case: Fuzzed, writing: int, within: int) -> NoReturn:
    """In the child: to its end, whatever happens, without a word on its terminal."""
    try:
        faulthandler.disable()
        gc.disable()
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(within)

        def told(what: str, text: str) -> None:
            os.write(writing, (json.dumps((what, text)) + "\n").encode())

        try:
            case.run(told)
            told("right", "")
        except REFUSALS as error:
            told("refused", str(error))
        except Exception as error:  # noqa: BLE001  # whatever a kernel does, its parent goes on and says it
            words = " ".join(str(error).split())
            told(type(error).__name__, words[:LONGEST])
    finally:
        os._exit(0)


@contextmanager
def apart() -> Iterator[Path]:
    """A folder that goes with all that is left in it: untuned, and no code that others compiled."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        emulated = folder / "cuda-cpu"  # code for GPUs, compiled for this CPU
        emulated.mkdir()
        places = {"ANYTILE_DB": folder / "none.db", "XDG_CACHE_HOME": folder / "cache", "ANYTILE_CUDA_CPU": emulated}
        with patch.dict(os.environ, {word: str(path) for word, path in places.items()}):
            yield folder


def smallest(case: C, smaller: Callable[[C], Iterable[C]], is_same: Callable[[C], bool], tries: int = TRIES) -> C:
    """The least that was found in so many tries: each step is the first of `smaller` that is still the same finding."""
    goes_on = True
    while goes_on and tries > 0:
        goes_on = False
        for one in smaller(case):
            if tries <= 0:
                break
            tries -= 1
            if is_same(one):
                case, goes_on = one, True
                break
    return case


def parser_of(script: str, doc: str | None) -> argparse.ArgumentParser:
    """The words of a fuzzer that all of them know."""
    parser = argparse.ArgumentParser(
        prog=script,
        description=(doc or "").partition("\n")[0],
        epilog="Exits with 1 where something was found, or nothing ran. The same seed draws the same cases.",
    )
    parser.add_argument("--seconds", type=float, default=60.0, help="how long; %(default)g without it")
    parser.add_argument("--cases", type=int, metavar="N", help="end after so many, if the time is not over before")
    parser.add_argument("--findings", type=int, metavar="N", help="end after so many findings")
    parser.add_argument("--seed", type=int, default=0, help="another one draws other cases")
    parser.add_argument("--whole", action="store_true", help="leave findings as they were drawn, and shrink none")
    return parser


def again(read: Callable[[], Fuzzed], within: int = WITHIN_S) -> int:
    """Run a case that a finding's line says, and tell what becomes of it; the exit status."""
    try:
        case = read()
    except AnytileError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    became = outcome(case, within)
    print("\n".join([*(f"refused: {why}" for why in became.refused), became.what or became.kind]))
    return 1 if became.is_wrong else 0


def ended(summary: str, found: int, ran: int) -> int:
    """Tell what became of all cases; the exit status."""
    print(summary)
    if not ran:
        print("nothing was run to its end", file=sys.stderr)
    return 1 if found or not ran else 0


def without_numbers(why: str) -> str:
    """A refusal without its numbers, of which there are as many as cases."""
    return re.sub(r"\d+", "#", why)[:160]


def alone(code: str, *words: str) -> tuple[int, str]:
    """The exit status and the output of a program in a process of its own, which has no threads yet."""
    command = [sys.executable, "-c", code, *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, done.stdout


__all__ = [
    *("REFUSALS", "Fuzzed", "Outcome", "again", "alone", "apart", "ended", "outcome", "parser_of", "smallest"),
    "without_numbers",
]
