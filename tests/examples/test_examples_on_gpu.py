"""The models of examples/ in small sizes on a GPU that works when somebody waits: results are the evaluator's."""

from __future__ import annotations

from typing import Any

import bert
import decoder
import lstm
import numpy as np
import pytest
import tree_lstm

import anytile
from anytile.compiler.evaluate import evaluate
from anytile.compiler.lowering.host_functions import host_functions
from anytile.compiler.module import Module
from anytile.importers.onnx.model import import_model
from anytile.schedules.workloads.workload import Workload
from anytile.vm.program.isa import InvokePacked
from anytile.vm.session import Session
from anytile.vm.values.stream_device import StreamDevice
from tests.support.cases.compiled_modules import for_machine, node, random, same
from tests.support.cases.gpu_models import compiled_for_gpu
from tests.support.cuda_cpu.compiler import missing
from tests.support.stand_ins.queued_gpu import QueuedGpu

pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(missing()), reason=missing() or "-")]


class _OnGpu:
    """A model on a GPU of its own."""

    def __init__(self, module: Module, chance: float) -> None:
        self.module, self.gpu = module, QueuedGpu(chance)
        devices = {"cuda": StreamDevice(self.gpu)}
        self._session = Session(compiled_for_gpu(module), functions=host_functions(), devices=devices)

    def check(self, *args: Any, times: int = 4) -> None:
        """Interpreted, recorded, replayed, and as graphs where addresses come again."""
        wanted = evaluate(self.module, args)
        for _ in range(times):
            before = self.gpu.launches
            same(self._session(*map(for_machine, args)), wanted, 1e-4)
            assert self.gpu.launches > before


@pytest.mark.parametrize("chance", [0.0, 0.4])
def test_bert(chance: float, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, size in {"HIDDEN": 32, "HEADS": 2, "INNER": 40}.items():
        monkeypatch.setattr(bert, name, size)
    model = _OnGpu(bert.bert(layers=2), chance)
    for count, tokens in enumerate((1, 9, 4), 1):
        model.check(random(tokens, tokens, 32))
        assert model.gpu.graphs == 2 * count  # one stretch is all of it, and the second replay is a graph
    assert model.gpu.waits == 3 * 4


@pytest.mark.parametrize(("precision", "before"), [("float32", 0), ("bfloat16", 1)])
def test_a_layer_of_bert_is_seven_kernels(precision: str, before: int) -> None:
    """One of them makes queries, keys and values; in 16 bits the model's rows are rounded first."""
    exe = compiled_for_gpu(bert.bert(layers=2), precision)
    calls = [i for f in exe.functions for i in f.code if isinstance(i, InvokePacked) and exe.kernels[i.kernel].device]
    assert len(calls) == before + 2 * 7
    found = [w for w in (exe.kernels[i.kernel].workload for i in calls) if w.startswith("batch_matmul")]
    assert len(found) == 2
    assert found[0].startswith(f"batch_matmul(b=3, m=?m, n=768, k=768, lhs=mk, rhs=bnk, dtype={precision}")


@pytest.mark.parametrize(("precision", "near"), [("bfloat16", 1e-2), ("float16", 1.2e-3)])
def test_bert_in_16_bits(precision: str, near: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside the CPU's model, whose weights are in 16 bits and nothing else: each tensor was rounded once more."""
    for name, size in {"HIDDEN": 32, "HEADS": 2, "INNER": 40}.items():
        monkeypatch.setattr(bert, name, size)
    module = bert.bert(layers=2)
    exe = compiled_for_gpu(module, precision)
    kernels = [Workload.parse(k.workload) for k in exe.kernels if k.device]
    assert {w.op: w.dtype for w in kernels} == {
        "elementwise": "float32",  # the model's own rows, rounded
        "batch_matmul": precision,  # queries, keys and values
        "dense": precision,
        "attention": precision,
        "layer_norm": "float32",
    }
    gpu = QueuedGpu(0.4)
    on_gpu = Session(exe, functions=host_functions(), devices={"cuda": StreamDevice(gpu)})
    on_cpu = anytile.Session(anytile.compile(module, precision=precision))
    for tokens in (1, 9):
        x = random(tokens, tokens, 32)
        wanted = on_cpu(x)
        for _ in range(4):
            found = on_gpu(x)
            assert near / 50 < np.linalg.norm(found - wanted) / np.linalg.norm(wanted) < near
    assert gpu.graphs == 4


@pytest.mark.parametrize(("precision", "near"), [("bfloat16", 1e-2), ("float16", 1.2e-3)])
def test_heads_that_no_kernel_of_attention_takes(precision: str, near: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are too wide: products of what kernels left for each other, in 16 bits as layers are."""
    for name, size in {"HIDDEN": 264, "HEADS": 2, "INNER": 24}.items():
        monkeypatch.setattr(bert, name, size)
    module = bert.bert(layers=1)
    exe = compiled_for_gpu(module, precision)
    products = [k for k in exe.kernels if k.device and k.workload.startswith("batch_matmul")]
    assert [Workload.parse(k.workload).dtype for k in products] == [precision] * 2
    gpu = QueuedGpu(0.4)
    on_gpu = Session(exe, functions=host_functions(), devices={"cuda": StreamDevice(gpu)})
    on_cpu = anytile.Session(anytile.compile(module, precision=precision))
    for tokens in (1, 9):
        x = random(tokens, tokens, 264)
        wanted = on_cpu(x)
        for _ in range(2):
            assert near / 50 < np.linalg.norm(on_gpu(x) - wanted) / np.linalg.norm(wanted) < near


def test_models_with_loops_in_16_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a loop passes on is in 16 bits, too; a decoder says the words that the CPU's model in 16 bits says."""
    for name, value in {"INPUT": 12, "UNITS": 8, "STATE": "Tensor[(1, 8), float32]"}.items():
        monkeypatch.setattr(lstm, name, value)
    for name, size in {"HIDDEN": 16, "HEADS": 2, "WORDS": 30, "PER_HEAD": 8}.items():
        monkeypatch.setattr(decoder, name, size)
    words = (np.asarray(3, np.int64), np.asarray(6, np.int64))
    for module, given in ((lstm.lstm(layers=2), (random(5, 5, 12),)), (decoder.decoder(layers=1), words)):
        devices = {"cuda": StreamDevice(QueuedGpu(0.1))}
        exe = compiled_for_gpu(module, "bfloat16")
        assert any("concat" in k.workload and "stored=x0:bfloat16" in k.workload for k in exe.kernels)
        on_gpu = Session(exe, functions=host_functions(), devices=devices)
        wanted = anytile.Session(anytile.compile(module, precision="bfloat16"))(*given)
        for _ in range(3):
            found = on_gpu(*given)
            assert np.linalg.norm(found - wanted) <= 1e-2 * np.linalg.norm(wanted)
            assert found.dtype == np.float32 or np.array_equal(found, wanted)


def test_lstm(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"INPUT": 12, "UNITS": 8, "STATE": "Tensor[(1, 8), float32]"}.items():
        monkeypatch.setattr(lstm, name, value)
    model = _OnGpu(lstm.lstm(layers=2), 0.1)
    for steps in (1, 5):
        model.check(random(steps, steps, 12))


def test_tree_lstm(monkeypatch: pytest.MonkeyPatch) -> None:
    def make(name: str, *fields: Any) -> Any:
        return node("Trees" if name in ("Nil", "Cons") else "Tree", name, *fields)

    for name, size in {"INPUT": 12, "UNITS": 8}.items():
        monkeypatch.setattr(tree_lstm, name, size)
    model = _OnGpu(tree_lstm.tree_lstm(), 0.1)
    for leaves in (1, 2, 7):
        model.check(tree_lstm.random_tree(leaves, np.random.default_rng(leaves), make))


def test_decoder(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, size in {"HIDDEN": 16, "HEADS": 2, "WORDS": 30, "PER_HEAD": 8}.items():
        monkeypatch.setattr(decoder, name, size)
    model = _OnGpu(decoder.decoder(layers=1), 0.1)
    for count in (1, 6):
        model.check(np.asarray(3, np.int64), np.asarray(count, np.int64))


def test_a_decoder_out_of_a_file_with_weights_in_4_bits() -> None:
    """A prompt and two steps over its cache, whose rows the host decides how to put in place."""
    pytest.importorskip("onnx")
    import onnx_decoder

    sizes = onnx_decoder.Sizes(layers=1, hidden=32, heads=2, shared=1, inner=64, words=20, positions=16)
    model = _OnGpu(import_model(onnx_decoder.small_decoder(sizes)), 0.1)
    for seen, tokens in ((0, [3, 1, 4]), (3, [15]), (4, [9])):
        cache = [random(seed, 1, 1, seen, sizes.per_head) for seed in range(2)]
        model.check(np.array([tokens]), np.ones((1, seen + len(tokens)), np.int64), *cache, times=3)
