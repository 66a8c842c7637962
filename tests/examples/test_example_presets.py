"""The presets of models that examples/ has are what these models run: what is tuned is what is then looked up."""

from __future__ import annotations

import bert
import lstm
import pytest

from anytile.compiler.compile import workloads_of
from anytile.compiler.lowering.kernel_table import Planned
from anytile.compiler.module import Module
from anytile.compiler.pipeline import compiled
from anytile.schedules.hardware.target import Target
from anytile.schedules.workloads.workload import Workload
from anytile.tuner.presets.workloads import PRESETS


def run_by(module: Module) -> dict[Workload, int]:
    return workloads_of(compiled(module, Target.host(1), lambda workload: Planned("", "")))


def preset(name: str) -> dict[Workload, int]:
    return {Workload.parse(text): often for text, often in PRESETS[name]}


def test_bert_base_is_twelve_layers_of_the_example() -> None:
    assert preset("bert-base") == {workload: 12 * often for workload, often in run_by(bert.bert(layers=1)).items()}


def test_bert_large_differs_in_its_sizes_only() -> None:
    def bare(name: str) -> list[tuple[object, ...]]:
        return [(w.op, [d for d, _ in w.dims], w.attrs, w.const, w.symbols) for w in preset(name)]

    assert bare("bert-large") == bare("bert-base")


def test_the_three_dense_of_bert_are_tuned_without_a_preset() -> None:
    dense = {(w.dim("n"), w.dim("k")) for w in preset("bert-base") if w.op == "dense"}
    assert dense == {(768, 768), (3072, 768), (768, 3072)}


@pytest.mark.parametrize("layers", [1, 2])
def test_lstm_is_the_example(layers: int) -> None:
    found = set(run_by(lstm.lstm(layers)))
    if layers == 1:
        assert set(preset("lstm")) == found
    assert set(preset("lstm")) <= found
