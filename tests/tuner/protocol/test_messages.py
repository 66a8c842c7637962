"""Messages: what is written is read back the same, and what is no message is refused field by field."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

import pytest

from anytile.codegen.artifact import Artifact
from anytile.core.errors import SpecError
from anytile.db.records.records import Status
from anytile.schedules.hardware.target import Target
from anytile.schedules.templates.base.space import Config
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any as Dim
from anytile.tuner.protocol.candidate import Candidate, Duel, Outcome, Timing, TimingPolicy
from anytile.tuner.protocol.codecs import codec_of
from anytile.tuner.protocol.messages import (
    CANDIDATE,
    DUEL,
    POLICY,
    TIMING,
    TIMING_REQUEST,
    UNREADABLE,
    Built,
    TimingRequest,
    built_json,
    outcome_json,
    read_built,
    read_outcome,
)
from anytile.tuner.requests.request import TuneRequest
from anytile.tuner.tasks.warm_start import SOURCE, Source

W, T = dense(Dim("m"), 16, 16), Target.parse("llvm -mcpu=znver4 -threads=1")
POINT = (("m", 3),)
ASKED = Candidate(W, T, "dense.cpu", Config.of(tile_m=4, order="mn"), (POINT, (("m", 9),)), 7)
QUICK = TimingPolicy(best_seconds=1e-6, checked=False)
TIMED = Timing(POINT, Status.OK, (1e-6, 2e-6))


@pytest.mark.parametrize(
    ("codec", "message"),
    [
        (CANDIDATE, ASKED),
        (POLICY, QUICK),
        (POLICY, TimingPolicy()),
        (TIMING, TIMED),
        (TIMING, Timing(POINT, Status.WRONG, reason="y[0] is 3")),
        (DUEL, Duel(POINT, ((1e-6,), ()))),
        (TIMING_REQUEST, TimingRequest("duel", W, (POINT,), ((POINT,), ()), ({"abi": 1},), QUICK, 5)),
        (SOURCE, Source("c0ffee", W, T, "dense.cpu", 40, 12)),
        (codec_of(TuneRequest), TuneRequest((W,), T, at={"m": 5}, weights={9: 0.5, 4: 1.0}, counts=(3.0,))),
        (codec_of(TuneRequest), TuneRequest((W,), T, met=({"m": {3: 2.0}},), early_stop=None, objective="regret")),
    ],
    ids=lambda one: type(one).__name__,
)
def test_what_is_written_is_read(codec: Any, message: Any) -> None:
    assert codec.load(json.loads(json.dumps(codec.dump(message)))) == message


def test_a_build_and_an_outcome_travel_without_their_candidate() -> None:
    built = Built(ASKED, Artifact(b"code", "entry", None, (), {"spills": 2.0}), (POINT,), seconds=0.5)
    header, code = built_json(built)
    assert "candidate" not in header
    assert read_built(ASKED, json.loads(json.dumps(header)), code) == built
    with pytest.raises(UNREADABLE):
        read_built(ASKED, header, b"other code")
    failed = Built(ASKED, None, (), Status.COMPILE_ERROR, "no registers left")
    assert read_built(ASKED, json.loads(json.dumps(built_json(failed)[0])), b"") == failed
    outcome = Outcome(ASKED, (TIMED,), 0.5, 1.25, "a CPU", {"spills": 2.0})
    assert read_outcome(ASKED, json.loads(json.dumps(outcome_json(outcome)))) == outcome
    other = json.loads(json.dumps(outcome_json(replace(outcome, candidate=replace(ASKED, number=8)))))
    assert read_outcome(ASKED, other).candidate == ASKED


@pytest.mark.parametrize(
    "wrong",
    [
        {"samples": [-1.0]},
        {"samples": [0]},
        {"samples": [float("nan")]},
        {"samples": []},
        {"samples": 1.0},
        {"status": "splendid"},
        {"status": "wrong"},
        {"point": [["m", "3"]]},
        {"point": [["m"]]},
        {"point": {"m": 3}},
        {"reason": 3},
        {"more": 1},
    ],
    ids=str,
)
def test_a_timing_is_checked_field_by_field(wrong: dict[str, Any]) -> None:
    with pytest.raises(SpecError):
        TIMING.load({**TIMING.dump(TIMED), **wrong})


def test_a_field_of_a_type_without_a_form_is_found_when_the_codec_is_made() -> None:
    @dataclass(frozen=True)
    class Odd:
        what: complex = 1j

    with pytest.raises(TypeError, match="complex.* has no form"):
        codec_of(Odd)
