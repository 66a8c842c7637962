"""When the benchmark of joined campaigns has a figure: as long as there is something to share."""

from __future__ import annotations

import pytest

from anytile.core.errors import MeasureError
from anytile.schedules.workloads.workload import Workload
from benchmarks.tuning.joined import MOST, SECONDS, TEMPLATE, WORKLOADS, Search

SEARCH = Search(tuple(map(Workload.parse, WORKLOADS)), TEMPLATE)
RATE = 6.0  # trials a second that one process makes of such a search, at most


def test_two_processes_do_not_come_to_the_end_of_the_spaces() -> None:
    assert MOST * SEARCH.configs > 2 * RATE * SECONDS


def test_a_template_alone_has_fewer_configs_than_all() -> None:
    assert 0 < SEARCH.configs < Search(SEARCH.workloads).configs


def test_a_campaign_without_anything_left_has_no_figure() -> None:
    SEARCH.require_more(int(MOST * SEARCH.configs))
    with pytest.raises(MeasureError, match=r"measured \d+ of \d+ configs.*give it more workloads \(--workload\)"):
        SEARCH.require_more(SEARCH.configs)
