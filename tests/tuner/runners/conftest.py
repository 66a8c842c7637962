"""A Ray cluster of two nodes on this machine."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any as Anything

import pytest


@dataclass
class TwoNodes:
    """`kill` ends the second one as a power cut would."""

    address: str
    kill: Callable[[], None]


@pytest.fixture
def two_nodes() -> Iterator[TwoNodes]:
    cluster_utils = pytest.importorskip("ray.cluster_utils")
    each: dict[str, Anything] = {"num_cpus": 1, "include_dashboard": False, "node_ip_address": "127.0.0.1"}
    each["object_store_memory"] = 80 << 20
    try:
        cluster = cluster_utils.Cluster(initialize_head=True, head_node_args=each)
    except Exception as error:  # noqa: BLE001  (just that is raised for a node that does not start)
        pytest.skip(f"no Ray cluster starts on this machine: {error}")
    try:
        second = cluster.add_node(**each)
        cluster.wait_for_nodes()

        def kill() -> None:
            """All of the node at once, as when its power goes; Ray's own way leaves its workers to find out."""
            (raylet,) = second.all_processes["raylet"]
            there = _and_children(raylet.process.pid)
            for process in there:
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
            cluster.remove_node(second, allow_graceful=False)

        yield TwoNodes(cluster.address, kill)
    finally:
        cluster.shutdown()


def _and_children(process: int) -> list[int]:
    """A process, and those that it started."""
    found = [process]
    for task in Path(f"/proc/{process}/task").iterdir():
        found += map(int, (task / "children").read_text().split())
    return found
