"""Mutation fuzzer of executable files: the fingerprints of a mutant are right, and it is loaded and run.

A program of its own, so that a crash is a failed test: `executable_mutants.py FILE SEED PART=COUNT ...` prints a tally
as JSON. A mutant is refused, or runs to a result or an error of one line, or is stopped by a timer. Plans and debug
names say nothing about what a program computes, so such a mutant that loads must return what the program itself does.
"""

from __future__ import annotations

import json
import random
import re
import signal
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from anytile.core.errors import AnytileError
from anytile.vm.program.executable import Executable
from anytile.vm.session import Session
from anytile.vm.storage import file
from anytile.vm.storage.checksum import fingerprint
from anytile.vm.storage.link import linked
from anytile.vm.values.ports import Data

PARTS = ("code", "header", "plan", "record", "debug", "constants")
PLAN, ARTIFACT = 3, 5  # of a kernel in the header
WITHIN_S = 0.1  # of this process, whatever else the machine does
KEEPS_MEANING = ("plan", "record", "debug")
Path_ = tuple[Any, ...]
ODD: tuple[Any, ...] = (None, -1, 0, 1, 2, 3, 5, 255, 2**31, 2**63, 1.5, "x", [], {}, True)


class LateError(Exception):
    """The timer rang."""


class Container:
    """A file taken apart, and written again with fingerprints that fit."""

    def __init__(self, data: bytes) -> None:
        self.header, start = file.FILE.header(data)
        places = self.header.pop("sections")
        self.sections = {
            name: data[start + p["offset"] : start + p["offset"] + p["length"]] for name, p in places.items()
        }

    def written(self, header: Mapping[str, Any], sections: Mapping[str, bytes]) -> memoryview:
        parts = file.FILE.parts(header, {name: (data, fingerprint(data)) for name, data in sections.items()})
        return memoryview(b"".join(parts))


def leaves(node: Any, path: Path_ = ()) -> Iterator[Path_]:
    if isinstance(node, (dict, list)):
        for key, value in node.items() if isinstance(node, dict) else enumerate(node):
            yield from leaves(value, (*path, key))
    else:
        yield path


def change(rng: random.Random, node: Any, path: Path_) -> None:
    """Another value at a path: text loses, gains or swaps characters, anything else becomes something odd."""
    for step in path[:-1]:
        node = node[step]
    old = node[path[-1]]
    if isinstance(old, str) and old:
        i = rng.randrange(len(old))
        digit = old[i].isdigit() and rng.random() < 0.7  # numbers in texts: configs, workloads
        other = rng.choice("0123456789") if digit else chr(rng.randrange(32, 127))
        node[path[-1]] = rng.choice([old[:i] + other + old[i + 1 :]] * 3 + ["", old[:i], old + old])
    else:
        node[path[-1]] = rng.choice(ODD)


def mutated(rng: random.Random, whole: Container, part: str) -> memoryview:
    """A mutant of one part."""
    header, sections = json.loads(json.dumps(whole.header)), dict(whole.sections)
    paths = [p for p in leaves(header) if p[0] != "made_for"]
    of_kernels = [p for p in paths if p[0] == "kernels" and p[2] in (PLAN, ARTIFACT)]
    if part == "code":
        code = bytearray(sections["code"])
        for _ in range(rng.choice([1, 1, 2, 3])):
            code[rng.randrange(len(code))] = rng.choice([rng.randrange(256), rng.randrange(24)])
        sections["code"] = bytes(code)
    elif part == "debug":
        notes = json.loads(sections["debug"])
        found = list(leaves(notes))
        if found and rng.random() < 0.7:
            change(rng, notes, rng.choice(found))
            sections["debug"] = json.dumps(notes).encode()
        else:
            sections["debug"] = _garbled(rng, sections["debug"])
    elif part == "constants":
        named = [name for name in sections if name.startswith("constant/")]
        if named:
            name = rng.choice(named)
            sections[name] = _garbled(rng, sections[name])
    elif part == "record":
        change(rng, header, rng.choice([p for p in of_kernels if p[2] == ARTIFACT]))
    elif part == "plan":
        kernel = rng.choice([k for k in header["kernels"] if k[PLAN]])
        kernel[PLAN] = _another_plan(rng, kernel[PLAN])
    else:
        change(rng, header, rng.choice([p for p in paths if p not in of_kernels]))
    return whole.written(header, sections)


def _another_plan(rng: random.Random, text: str) -> str:
    """Mostly another number in a config, which many a time is a plan that builds; else anything of it."""
    plan = json.loads(text)
    variant = rng.choice(plan["variants"])
    numbers = list(re.finditer(r"\d+", variant["config"]))
    if numbers and rng.random() < 0.6:
        place = rng.choice(numbers)
        number = rng.choice([0, 1, 2, 3, 4, 6, 8, 16, 32, 64, 10**9])
        variant["config"] = f"{variant['config'][: place.start()]}{number}{variant['config'][place.end() :]}"
        return json.dumps(plan)
    if rng.random() < 0.2:
        held = {"": text}
        change(rng, held, ("",))
        return held[""]
    if rng.random() < 0.2:  # for something else that is computed from the same tensors
        plan["workload"] = plan["workload"].replace(" + ", " - ").replace(" < ", " > ")
        return json.dumps(plan)
    part = rng.choice(sorted(plan))  # not of all leaves: residue classes are most of them
    change(rng, plan, rng.choice([p for p in leaves(plan) if p[0] == part] or [("symbol",)]))
    return json.dumps(plan)


def _garbled(rng: random.Random, data: bytes) -> bytes:
    if not data:
        return b"\0"
    i = rng.randrange(len(data))
    swapped = data[:i] + bytes([rng.randrange(256)]) + data[i + 1 :]
    return rng.choice([swapped, swapped, swapped, data[:i], data + data])


def without_code(exe: Executable) -> Executable:
    """As a file that is not trusted is loaded: kernels are built again, from what plans say."""
    return replace(exe, kernels=tuple(replace(k, artifact=None) for k in exe.kernels))


def inputs() -> list[Any]:
    one = np.ones(1, np.float32)
    cells = Data("Cons", one, Data("Cons", one, Data("Nil")))
    numbers, three = np.array([5, 3, 5, 9, 3], np.int64), np.ones(3, np.float32)
    return [(one,), (np.array(3, np.int64),), (np.ones((5, 24), np.float32),), (numbers,), (three, three), (cells,)]


def one_line(error: AnytileError) -> None:
    assert "\n" not in str(error), error


def results(session: Session, given: Sequence[Any], tally: Counter[str]) -> list[Any]:
    """What each input gives; None where that is an error."""
    found: list[Any] = []
    for x in given:
        found.append(None)
        try:
            signal.setitimer(signal.ITIMER_PROF, WITHIN_S)
            found[-1] = session(*x)
            tally["ran"] += 1
        except AnytileError as error:
            one_line(error)
            tally["failed"] += 1
        except LateError:
            tally["late"] += 1
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
    return found


def main(path: str, seed: str, *counts: str) -> None:
    def late(*_: object) -> None:
        raise LateError

    signal.signal(signal.SIGPROF, late)
    whole, rng = Container(Path(path).read_bytes()), random.Random(int(seed))
    exe, _ = file.parse(whole.written(whole.header, whole.sections))
    wanted = results(Session(exe), inputs(), Counter())
    assert any(y is not None for y in wanted)
    tallies: dict[str, Counter[str]] = {}
    for part, count in (pair.split("=") for pair in counts):
        assert part in PARTS, part
        tally = tallies[part] = Counter(mutants=int(count), refused=0, ran=0, failed=0, late=0)
        for _ in range(int(count)):
            try:
                found, _ = file.parse(mutated(rng, whole, part))
                built = without_code(found) if part in ("plan", "record") else found
                session = Session(linked(built), memory_limit=1 << 24, max_depth=1000, compiled=rng.random() < 0.5)
            except AnytileError as error:
                one_line(error)
                tally["refused"] += 1
                continue
            got = results(session, inputs(), tally)
            if part in KEEPS_MEANING:
                for y, meant in zip(got, wanted, strict=True):
                    assert (y is None) == (meant is None), part
                    if y is not None:
                        np.testing.assert_allclose(y, meant, rtol=1e-4, atol=1e-4)
    print(json.dumps(tallies))


if __name__ == "__main__":
    with suppress(BrokenPipeError):
        main(*sys.argv[1:])
