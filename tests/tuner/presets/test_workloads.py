"""Presets are canonical workloads that templates serve, and add up to the models they stand for."""

from __future__ import annotations

import pytest

from anytile.schedules.hardware.target import Target
from anytile.schedules.templates.registry import templates_for
from anytile.schedules.workloads.workload import Workload
from anytile.tuner.presets.workloads import PRESETS

HOST = Target.host(1)


@pytest.mark.parametrize("name", PRESETS)
def test_every_workload_is_canonical_distinct_and_served(name: str) -> None:
    texts = [text for text, _ in PRESETS[name]]
    assert len(set(texts)) == len(texts)
    for text, often in PRESETS[name]:
        workload = Workload.parse(text)
        assert str(workload) == text
        assert templates_for(workload, HOST)
        assert often >= 1


# Multiply-adds of one image and layers with weights, as the papers count them; in 8 bits those are convolutions.
COUNTED = [
    ("resnet50", 4.09, 54),
    ("mobilenet-v2", 0.30, 53),
    ("resnet50-int8", 4.09, 53),
    ("mobilenet-v2-int8", 0.30, 52),
]


@pytest.mark.parametrize(("name", "billions", "layers"), COUNTED)
def test_layers_add_up_to_the_model(name: str, billions: float, layers: int) -> None:
    preset = [(Workload.parse(text), often) for text, often in PRESETS[name]]
    assert sum(often for _, often in preset) == layers
    products = sum(w.flops(dict.fromkeys(w.symbols, 1)) / 2 * often for w, often in preset)
    assert products / 1e9 == pytest.approx(billions, rel=0.02)
