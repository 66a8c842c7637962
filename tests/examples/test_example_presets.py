"""The presets of models that examples/ has are what these models run: what is tuned is what is then looked up."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import bert
import llama
import lstm
import numpy as np
import pytest

from anytile.compiler.compile import WITH_GPU, workloads_of
from anytile.compiler.lowering.kernel_table import Planned
from anytile.compiler.module import Module
from anytile.compiler.passes.narrow.narrow_layers import Narrowing, narrow_layers
from anytile.compiler.pipeline import compiled
from anytile.schedules.hardware.target import Target
from anytile.schedules.workloads.workload import Workload
from anytile.tuner.presets.requests import model
from anytile.tuner.presets.workloads import PRESETS

GPU = Target.parse("cuda -arch=sm_90a")


def run_by(module: Module, precision: str = "", devices: tuple[str, ...] = ("host",)) -> dict[Workload, int]:
    """What a model runs, and how often. A request streams by itself what overflows the target's caches."""
    narrow = partial(narrow_layers, spec=Narrowing(precision)) if precision else None
    found = workloads_of(compiled(module, Target.host(1), lambda workload: Planned("", ""), devices, narrow=narrow))
    return {workload.streaming(()): often for workload, often in found.items()}


def preset(name: str) -> dict[Workload, int]:
    return {Workload.parse(text): often for text, often in PRESETS[name]}


def test_bert_base_is_twelve_layers_of_the_example() -> None:
    assert preset("bert-base") == {workload: 12 * often for workload, often in run_by(bert.bert(layers=1)).items()}


def test_bert_in_int8_is_twelve_layers_of_the_example() -> None:
    found = run_by(bert.bert(layers=1), "int8")
    assert preset("bert-base-int8") == {workload: 12 * often for workload, often in found.items()}


@pytest.mark.slow
def test_llama_is_the_example(monkeypatch: pytest.MonkeyPatch) -> None:
    """Weights are of no matter, and take no memory here. Layers are alike, so one and two say what 22 run."""
    size = llama.SIZES["1.1b"]
    assert size.layers == 22

    def nothing(shape: tuple[int, ...], dtype: str) -> llama.Array:
        return np.broadcast_to(np.zeros((), dtype), shape)

    def packed(w: llama.Array) -> tuple[llama.Array, llama.Array]:
        return nothing((len(w), w.shape[1] // 2), "uint8"), nothing((len(w), w.shape[1] // 32), "float16")

    monkeypatch.setattr(llama, "_matrix", lambda rng, n, k: nothing((n, k), "float32"))
    monkeypatch.setattr(llama, "grouped_weight", packed)
    one, two = (run_by(llama.llama(replace(size, layers=layers))) for layers in (1, 2))
    found = {w: often + 21 * (two[w] - often) for w, often in one.items()}
    assert preset("llama-1b-int4") == found


def asked_of_a_gpu(name: str) -> dict[Workload, float]:
    options = model(name).options(GPU)
    return dict(zip(options["workloads"], options["counts"], strict=True))


def test_on_a_gpu_bert_base_is_twelve_layers_of_what_runs_there() -> None:
    """Queries, keys and values are batches of one product, which finds the plan that the preset tuned."""
    found = run_by(bert.bert(layers=1), devices=WITH_GPU)
    assert asked_of_a_gpu("bert-base") == {workload: 12 * often for workload, often in found.items()}


def test_on_a_gpu_the_lstms_cell_is_one_and_its_rows_are_gathered_by_the_host() -> None:
    assert set(asked_of_a_gpu("lstm")) == set(run_by(lstm.lstm(1), devices=WITH_GPU))


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
