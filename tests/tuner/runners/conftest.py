"""A Ray cluster of two nodes on this machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
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
        yield TwoNodes(cluster.address, lambda: cluster.remove_node(second, allow_graceful=False))
    finally:
        cluster.shutdown()
