"""Builders: a build is an artifact or a reason, and one that dies or never ends costs one candidate."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from anytile.codegen.artifact import ABI_VERSION
from anytile.core.errors import MeasureError
from anytile.db.records.records import Status
from anytile.schedules.hardware.target import Target
from anytile.schedules.templates.base.space import Config
from anytile.schedules.templates.registry import template
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any as Dim
from anytile.tuner.builders.builder import build, odd_sizes
from anytile.tuner.builders.builder_pool import BuilderPool
from anytile.tuner.measure.device_lock import DeviceLock, SharedCores
from anytile.tuner.protocol.candidate import Candidate, point_of

WORKLOAD = dense(Dim("m"), 32, 24, const=("w",))
HOST = Target.host()
DEFAULT = template("dense.cpu").default(WORKLOAD, HOST)


def candidate(config: Config = DEFAULT, number: int = 0, m: int = 17, name: str = "dense.cpu") -> Candidate:
    return Candidate(WORKLOAD, HOST, name, config, (point_of({"m": m}),), number)


def test_a_build_is_an_artifact_with_facts_and_odd_sizes() -> None:
    built = build(candidate())
    assert built.status is Status.OK
    assert built.artifact is not None
    assert built.artifact.facts["object_bytes"] > 0
    assert built.checks
    assert built.seconds > 0


def test_odd_sizes_share_the_residue_and_are_smaller() -> None:
    eight = DEFAULT.with_(tile_m=8)
    assert [dict(p)["m"] for p in odd_sizes(candidate(eight, m=19))] == [3, 11]
    assert [dict(p)["m"] for p in odd_sizes(candidate(eight, m=64))] == [8]
    assert odd_sizes(candidate(eight, m=5)) == ()
    concrete = Candidate(dense(64, 32, 24), HOST, "dense.cpu", eight, ((),))
    assert odd_sizes(concrete) == ()


@pytest.mark.parametrize(
    ("bad", "status", "reason"),
    [
        (candidate(Config.of(tile_m=8)), Status.CONSTRAINT, "knob .* is missing"),
        (candidate(DEFAULT.with_(tile_m=16, tile_n=6)), Status.CONSTRAINT, "is not one of|violates"),
        (candidate(name="dense.abacus"), Status.CONSTRAINT, "no template 'dense.abacus'"),
        (
            Candidate(WORKLOAD, Target.parse("cuda -arch=sm_90a"), "dense.cpu", DEFAULT, (point_of({"m": 1}),)),
            Status.CONSTRAINT,
            "target cuda",
        ),
    ],
)
def test_what_cannot_be_built_says_why_in_one_line(bad: Candidate, status: Status, reason: str) -> None:
    built = build(bad)
    assert built.artifact is None
    assert built.status is status
    assert "\n" not in built.reason
    with pytest.raises(AssertionError, match=reason):
        raise AssertionError(built.reason)


@pytest.mark.slow
def test_builders_answer_in_order_and_a_second_build_is_free() -> None:
    farm = BuilderPool(2)
    try:
        space = template("dense.cpu").space(WORKLOAD, HOST)
        asked = [candidate(space[i * len(space) // 4], i) for i in range(4)]
        asked.insert(2, candidate(Config.of(nonsense=1), 9))
        first = farm.build(asked, 60)
        assert [b.candidate for b in first] == asked
        assert [b.status for b in first] == [Status.OK, Status.OK, Status.CONSTRAINT, Status.OK, Status.OK]
        again = farm.build([candidate(asked[3].config, 77)], 0.0)  # no time at all: it must be there
        assert again[0].artifact == first[3].artifact
        assert again[0].candidate.number == 77
    finally:
        farm.close()


_BAD_BUILDER = """
import os, signal, time
from anytile.tuner.protocol import isolate, wire
link = isolate.enter(None)
wire.send(link.outward, {"hello": "builder"})
while True:
    request, _ = wire.receive(link.inward)
    tile = request["candidate"]["config"]
    if tile == "tile_m=1":
        os.write(2, b"LLVM ERROR: out of registers\\n"); os.kill(os.getpid(), signal.SIGABRT)
    if tile == "tile_m=2":
        time.sleep(60)
    if tile == "tile_m=3":
        wire.send(link.outward, {"artifact": {"abi": 99}, "status": "ok"})
        continue
    wire.send(link.outward, {"artifact": None, "checks": [], "status": "constraint", "reason": "fine", "seconds": 0.1})
"""


@pytest.mark.slow
def test_a_builder_that_dies_hangs_or_lies_costs_one_candidate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bad_builder.py").write_text(_BAD_BUILDER)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    farm = BuilderPool(2, "bad_builder")
    began = time.monotonic()
    built = farm.build([candidate(Config.of(tile_m=t)) for t in (4, 1, 2, 3, 5, 6)], 1.5)
    farm.close()
    assert time.monotonic() - began < 20
    assert [b.reason for b in built] == [
        "fine",
        "the compiler died of SIGABRT: LLVM ERROR: out of registers",
        "not built within 1.5 s",
        f"the compiler sent garbage: ABI version 99, expected {ABI_VERSION}",
        "fine",
        "fine",
    ]
    assert [b.status for b in built[1:4]] == [Status.COMPILE_ERROR] * 3


_DEAF_BUILDER = """
import os, time
from anytile.tuner.protocol import wire
wire.send(1, {"hello": "builder"})
wire.receive(0)
os.close(0)
wire.send(1, {"artifact": None, "checks": [], "status": "constraint", "reason": "fine", "seconds": 0.1})
time.sleep(0.5)
"""


@pytest.mark.slow
def test_a_builder_that_dies_idle_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "deaf_builder.py").write_text(_DEAF_BUILDER)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    farm = BuilderPool(1, "deaf_builder")
    built = farm.build([candidate(Config.of(tile_m=t)) for t in (4, 5)], 10)
    farm.close()
    assert [b.reason for b in built] == ["fine", "fine"]


def test_builders_that_cannot_start_end_measuring() -> None:
    farm = BuilderPool(1, "anytile.tuner.no_such_module")
    with pytest.raises(MeasureError, match="does not start"):
        farm.build([candidate()], 1)
    farm.close()


_NOTHING = """
from anytile.tuner.protocol import isolate, wire
link = isolate.enter(None)
wire.send(link.outward, {"hello": "builder"})
while True:
    wire.receive(link.inward)
    wire.send(link.outward, {"artifact": None, "checks": [], "status": "constraint", "reason": "fine", "seconds": 0.1})
"""


class WantedCores(SharedCores):
    """Somebody waits for them from the time when so many candidates were begun, until they are given."""

    def __init__(self, folder: Path, after: int) -> None:
        super().__init__(DeviceLock("cpu", folder))
        self.after, self.begun, self.busy = after, 0, 0
        self.given: list[tuple[int, int]] = []

    def is_wanted(self) -> bool:
        return self.begun >= self.after and not self.given

    def give_way(self) -> None:
        self.given.append((self.begun, self.busy))


@pytest.mark.slow
@pytest.mark.parametrize("builders", [1, 2])
def test_who_waits_to_time_goes_before_the_next_candidate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, builders: int
) -> None:
    (tmp_path / "no_builder.py").write_text(_NOTHING)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    cores = WantedCores(tmp_path, after=builders)
    farm = BuilderPool(builders, "no_builder", cores)
    begin, finish = farm._begin, farm._finish

    def begun(*given: Any, **named: Any) -> None:
        begin(*given, **named)
        cores.begun, cores.busy = cores.begun + 1, cores.busy + 1

    def finished(*given: Any) -> Any:
        cores.busy -= 1
        return finish(*given)

    monkeypatch.setattr(farm, "_begin", begun)
    monkeypatch.setattr(farm, "_finish", finished)
    built = farm.build([candidate(Config.of(tile_m=t)) for t in range(5)], 60)
    farm.close()
    assert [b.reason for b in built] == ["fine"] * 5
    assert cores.given == [(builders, 0)]
