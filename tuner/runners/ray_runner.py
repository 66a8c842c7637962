"""The runner of a Ray cluster, a local one by default: builders are tasks, each node has measuring stations.

A node has one station, or where GPUs are timed one for each that Ray counts there: Ray lends it that GPU and no other
($CUDA_VISIBLE_DEVICES), so several GPUs time a campaign's candidates side by side. A node, a task or a station that is
lost costs nothing but time: what it was doing is done again elsewhere, once. Ray is started by `prepare` or the first
candidate, and stopped at `close` if it was this runner that started it.
"""

from __future__ import annotations

import contextlib
import json
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anytile.core.errors import MeasureError
from anytile.db.records.records import Status
from anytile.schedules.hardware.target import Target
from anytile.tuner.builders.recent_builds import RecentBuilds
from anytile.tuner.measure.device_lock import DeviceLock, SharedCores
from anytile.tuner.protocol.candidate import Candidate, Duel, Facts, Outcome, TimingPolicy
from anytile.tuner.protocol.messages import CANDIDATE, DUEL, POLICY, Built, built_json, read_outcome
from anytile.tuner.runners.ray_remote import Station, build, read_answer
from anytile.tuner.runners.ray_start import connect, first_line
from anytile.tuner.runners.timing_setups import timing_setup

PHASE = 64  # candidates built before they are timed
ATTEMPTS = 2
_NO_NODE_FOR = 60.0  # how long the cluster may be without any usable node
_NOTICE_AFTER = 30.0  # of waiting while nothing is under way
Place = tuple[str, int]  # a node, and which of its stations


@dataclass(eq=False, slots=True)
class _Post:
    """One station and what it is doing: `work` is Ray's reference, `index` the candidate, -1 the question `serves`.
    One that is `lent` a GPU begins when there is one."""

    place: Place
    station: Any
    work: Any
    index: int = -1
    lent: bool = False


class RayRunner:
    """Builds and times wherever the cluster has nodes of the right kind."""

    name = "ray"

    def __init__(
        self,
        address: str | None = None,
        lock_folder: Path | None = None,
        log: Callable[[str], None] | None = None,
        station: type[Station] = Station,
    ) -> None:
        self._address = address
        self._lock_folder = None if lock_folder is None else str(lock_folder)
        self._log = log or (lambda line: None)
        self._ray: Any = None
        self._ours = False
        self._task: Any = None
        self._station_type = station
        self._station: Any = None
        self._target: Target | None = None
        self._posts: dict[Place, _Post] = {}
        self._unfit: dict[Place, str] = {}  # who cannot time this target, and why
        self._said = False  # that GPUs are waited for
        self._kept = RecentBuilds()
        self._cores = SharedCores(DeviceLock("cpu", lock_folder, log))

    def prepare(self, target: Target) -> None:
        """A cluster has to have a node that can time it; our own Ray has this one, whose station starts meanwhile."""
        self._connect()
        if self._ours and self._address is None:
            timing_setup(target).require(target)
        self._visit(target)
        if not self._ours or self._address is not None:
            self._await_fit(target)

    def run(self, candidates: Sequence[Candidate], policy: TimingPolicy) -> Iterator[Outcome]:
        if candidates:
            self._connect()
            self._visit(candidates[0].target)  # stations start up while builders build
        for start in range(0, len(candidates), PHASE):
            builts = self._build(candidates[start : start + PHASE], policy.build_timeout_s)
            yield from self._time(builts, policy)

    def inspect(self, candidates: Sequence[Candidate], policy: TimingPolicy) -> list[Facts]:
        self._connect()
        return [built.facts for built in self._build(candidates, policy.build_timeout_s)]

    def duel(self, candidates: Sequence[Candidate], rounds: int, policy: TimingPolicy) -> list[Duel]:
        """All rivals meet on one node; if it is lost, they meet again on another."""
        if not candidates:
            return []
        self._connect()
        self._visit(candidates[0].target)
        builts = self._build(candidates, policy.build_timeout_s)
        packed = [_pack(b) for b in builts]
        if all(b.artifact is None for b in builts):
            return [Duel(p, tuple(() for _ in builts)) for p in candidates[0].points]

        def meet(station: Any, index: int) -> Any:
            return station.duel.remote(packed, rounds, json.dumps(POLICY.dump(policy)))

        for _, answer in self._everywhere(1, candidates[0].target, meet):
            if answer is None:
                raise MeasureError(f"a duel lost its node {ATTEMPTS} times; try --runner inline")
            return [DUEL.load(d) for d in json.loads(answer)]
        raise AssertionError("one index was asked for, so one is answered")

    def close(self) -> None:
        if self._ray is None:
            return
        for post in list(self._posts.values()):
            self._leave(post)
        if self._ours:
            self._ray.shutdown()
        self._ray = None

    def _connect(self) -> None:
        if self._ray is not None:
            return
        ray, self._ours = connect(self._address)
        self._ray = ray
        self._task = ray.remote(num_cpus=1, max_retries=ATTEMPTS - 1, scheduling_strategy="SPREAD")(build)
        self._station = ray.remote(num_cpus=0, max_restarts=0)(self._station_type)

    def thinking(self) -> AbstractContextManager[None]:
        return self._cores.building()

    def _build(self, candidates: Sequence[Candidate], timeout: float) -> list[Built]:
        with self._cores.given_back():
            return self._kept.fill(candidates, lambda lacking: self._build_anew(lacking, timeout))

    def _build_anew(self, candidates: Sequence[Candidate], timeout: float) -> list[Built]:
        refs = {
            self._task.remote(json.dumps(CANDIDATE.dump(c)), timeout, self._lock_folder): i
            for i, c in enumerate(candidates)
        }
        answers: dict[int, Built] = {}
        waiting = list(refs)
        try:
            while waiting:
                done, waiting = self._ray.wait(waiting, num_returns=1)
                for ref in done:
                    candidate = candidates[refs[ref]]
                    try:
                        answers[refs[ref]] = read_answer(candidate, self._ray.get(ref))
                    except self._ray.exceptions.RayTaskError as error:
                        raise MeasureError(f"a builder cannot work: {first_line(error)}") from None
                    except self._ray.exceptions.RayError as error:
                        reason = f"its builder was lost {ATTEMPTS} times: {first_line(error)}"
                        answers[refs[ref]] = Built(candidate, None, (), Status.CRASHED, reason)
        finally:
            for ref in waiting:  # not empty only when interrupted
                self._ray.cancel(ref)
        return [answers[i] for i in range(len(candidates))]

    def _time(self, builts: Sequence[Built], policy: TimingPolicy) -> Iterator[Outcome]:
        sound = [i for i, b in enumerate(builts) if b.artifact is not None]
        outcomes = {i: b.failed(b.status, b.reason) for i, b in enumerate(builts) if b.artifact is None}

        def measure(station: Any, index: int) -> Any:
            return station.measure.remote(_pack(builts[sound[index]]), json.dumps(POLICY.dump(policy)))

        following = 0
        with contextlib.closing(self._everywhere(len(sound), builts[0].candidate.target, measure)) as arriving:
            while following < len(builts):
                if following in outcomes:
                    yield outcomes.pop(following)
                    following += 1
                    continue
                index, answer = next(arriving)
                built = builts[sound[index]]
                outcomes[sound[index]] = (
                    built.failed(Status.CRASHED, f"its node was lost {ATTEMPTS} times")
                    if answer is None
                    else read_outcome(built.candidate, json.loads(answer))
                )

    def _everywhere(
        self, count: int, target: Target, begin: Callable[[Any, int], Any]
    ) -> Generator[tuple[int, str | None], None, None]:
        """Do 0..count-1 on whichever stations are free; yield answers as they come, None for what was lost for good."""
        waiting = deque(range(count))
        attempts = [0] * count
        if not count:
            return
        deserted: float | None = None
        try:
            self._visit(target)
            while waiting or any(p.index >= 0 for p in self._posts.values()):
                for post in self._posts.values():
                    if post.work is None and waiting:
                        post.index = waiting.popleft()
                        attempts[post.index] += 1
                        post.work = begin(post.station, post.index)
                busy = {p.work: p for p in self._posts.values() if p.work is not None}
                if not busy:
                    deserted = deserted or time.monotonic()
                    self._give_up_if(time.monotonic() - deserted > _NO_NODE_FOR, target)
                    time.sleep(0.2)
                    self._visit(target)
                    continue
                deserted = None
                for ref in self._first_of(busy):
                    post = busy[ref]
                    answer = self._collect(post, ref)
                    index, post.index, post.work = post.index, -1, None
                    if index < 0:
                        continue
                    if answer is not None or attempts[index] >= ATTEMPTS:
                        yield index, answer
                    else:
                        waiting.appendleft(index)
                    if answer is None:
                        self._visit(target)
        finally:
            for post in [p for p in self._posts.values() if p.index >= 0]:
                self._leave(post)  # interrupted: it is in the middle of something

    def _collect(self, post: _Post, ref: Any) -> Any:
        """The answer, or None when the station is lost or of no use; then its post is given up."""
        try:
            answer = self._ray.get(ref)
        except self._ray.exceptions.RayTaskError as error:
            self._unfit[post.place] = first_line(error)
            if post.index >= 0:  # it was fit
                self._log(f"a measuring station gives up: {first_line(error)}")
        except self._ray.exceptions.RayError as error:
            self._log(f"lost a measuring station: {first_line(error)}")
        else:
            if answer is False:
                self._unfit[post.place] = "it has another kind of CPU, or of GPU"
            else:
                return answer
        self._leave(post)
        return None

    def _first_of(self, busy: Mapping[Any, _Post]) -> list[Any]:
        """What is done first; said once, where all that is waited for are GPUs that others hold."""
        done: list[Any] = []
        while not done:
            done, _ = self._ray.wait(list(busy), num_returns=1, timeout=_NOTICE_AFTER)
            if not done and not self._said and all(post.index < 0 and post.lent for post in busy.values()):
                self._said = True
                self._log("waiting for a GPU of the cluster that nobody else holds")
        return done

    def _visit(self, target: Target) -> None:
        """Keep stations on every live node that may be fit, and none elsewhere."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        if target != self._target:
            if self._target is not None and target.kind != self._target.kind:
                for post in list(self._posts.values()):
                    self._leave(post)  # what it was lent is of no use
            self._target = target
            self._unfit.clear()
            for post in [p for p in self._posts.values() if p.work is not None]:
                self._leave(post)  # it is still being asked about another target
            for post in self._posts.values():
                post.work = post.station.serves.remote(str(target))
        live = [n for n in self._ray.nodes() if n["Alive"] and n["Resources"].get("CPU", 0) > 0]
        gpus = {n["NodeID"]: int(n["Resources"].get("GPU", 0)) * (target.kind == "cuda") for n in live}
        places = {(node, number) for node, count in gpus.items() for number in range(max(count, 1))}
        for post in [p for place, p in self._posts.items() if place not in places and p.work is None]:
            self._leave(post)
        for place in sorted(places - set(self._posts) - set(self._unfit)):
            here = NodeAffinitySchedulingStrategy(node_id=place[0], soft=False)
            lent = min(gpus[place[0]], 1)
            station = self._station.options(scheduling_strategy=here, num_gpus=lent).remote(self._lock_folder)
            self._posts[place] = _Post(place, station, station.serves.remote(str(target)), lent=lent > 0)

    def _await_fit(self, target: Target) -> None:
        """Until one station says that it can time this target."""
        began = time.monotonic()
        while all(post.work is not None for post in self._posts.values()):
            busy = {p.work: p for p in self._posts.values()}
            if busy:
                for ref in self._first_of(busy):
                    post = busy[ref]
                    post.work = None
                    self._collect(post, ref)
            else:
                self._give_up_if(time.monotonic() - began > _NO_NODE_FOR, target)
                time.sleep(0.2)
                self._visit(target)

    def _give_up_if(self, late: bool, target: Target) -> None:
        """Without any fit node and with reasons for it, waiting will not help."""
        if self._unfit and not self._posts:
            reasons = "; ".join(sorted(set(self._unfit.values())))
            raise MeasureError(f"no node of the cluster can time code for {target}: {reasons}")
        if late:
            raise MeasureError(f"the cluster has no node for {_NO_NODE_FOR:.0f} s; start one or try --runner inline")

    def _leave(self, post: _Post) -> None:
        self._posts.pop(post.place, None)
        with contextlib.suppress(self._ray.exceptions.RayError):
            self._ray.kill(post.station)


def _pack(built: Built) -> tuple[str, str, bytes]:
    header, code = built_json(built)
    return json.dumps(CANDIDATE.dump(built.candidate)), json.dumps(header), code
