"""Quotas of control groups: both versions, nested groups, and files that say nothing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from anytile.core.cgroup import quota
from anytile.schedules.hardware import target
from anytile.schedules.hardware.target import Target, usable_cores

CASES: dict[str, tuple[dict[str, str], float | None]] = {
    "nothing": ({}, None),
    "version 2": ({"sys/fs/cgroup/cpu.max": "200000 100000\n"}, 2.0),
    "version 2 without a limit": ({"sys/fs/cgroup/cpu.max": "max 100000\n"}, None),
    "version 2, less than a core": ({"sys/fs/cgroup/cpu.max": "25000 100000"}, 0.25),
    "version 2, a service": (
        {"proc/self/cgroup": "0::/a.slice/b.service\n", "sys/fs/cgroup/a.slice/b.service/cpu.max": "150000 100000"}, 1.5
    ),
    "version 2, the group around has less": (
        {"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/cpu.max": "400000 100000",
         "sys/fs/cgroup/a/cpu.max": "300000 100000"}, 3.0
    ),
    "version 2, another group": ({"proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/b/cpu.max": "100000 100000"}, None),
    "version 2, a group outside": (
        {"proc/self/cgroup": "0::/../../x\n", "sys/x/cpu.max": "100000 100000"}, None
    ),
    "version 1": (
        {"sys/fs/cgroup/cpu/cpu.cfs_quota_us": "350000\n", "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n"}, 3.5
    ),
    "version 1 without a limit": (
        {"sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1\n", "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n"}, None
    ),
    "version 1, a named group": (
        {"proc/self/cgroup": "5:memory:/m\n4:cpu,cpuacct:/docker/x\n",
         "sys/fs/cgroup/cpu,cpuacct/docker/x/cpu.cfs_quota_us": "50000",
         "sys/fs/cgroup/cpu,cpuacct/docker/x/cpu.cfs_period_us": "50000"}, 1.0
    ),
    "no numbers": ({"sys/fs/cgroup/cpu.max": "many few"}, None),
    "no period": ({"sys/fs/cgroup/cpu.max": "100 0"}, None),
    "no text": ({"sys/fs/cgroup/cpu.max": "\udcff"}, None),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_what_the_files_say(name: str, tmp_path: Path) -> None:
    files, cores = CASES[name]
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(text.encode(errors="surrogateescape"))
    assert quota(tmp_path) == cores


@pytest.mark.parametrize(("share", "threads"), [(None, 8), (2.0, 2), (2.1, 3), (0.2, 1), (7.5, 8), (64.0, 8)])
def test_threads_are_the_smaller_of_cores_and_quota(
    share: float | None, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(8)))
    monkeypatch.setattr(target, "quota", lambda: share)
    assert usable_cores() == threads
    assert Target.host() == Target.parse("llvm") == Target.host(threads)
    assert Target.parse("llvm -threads=5").threads == 5
