"""Whole models on a real GPU's stream against the evaluator: interpreted, replayed, as graphs, at changing sizes."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import bert
import decoder
import lstm
import numpy as np
import pytest
import tree_lstm

from anytile.compiler.evaluate import evaluate
from anytile.compiler.lowering.host_functions import host_functions
from anytile.compiler.module import Module
from anytile.dispatch.backends import cuda_device
from anytile.dispatch.cuda.build import Compiler
from anytile.schedules.hardware.target import Target
from anytile.vm.executable import Executable
from anytile.vm.session import Session
from anytile.vm.values.stream_device import StreamDevice
from tests.support.cases.compiled_modules import for_machine, node, random, same
from tests.support.cases.gpu_models import compiled_for_gpu, host_plan

pytestmark = pytest.mark.cuda

TINY_BERT = {"HIDDEN": 64, "HEADS": 2, "INNER": 96}


def built(module: Module, precision: str = "float32") -> Executable:
    target = Target.parse(f"cuda -arch={cuda_device().facts.arch}")
    return compiled_for_gpu(module, precision, target, Compiler(), host_plan)


def on_gpu(exe: Executable, results: str = "host", device: StreamDevice | None = None) -> Session:
    devices = {"cuda": device or StreamDevice(cuda_device(), tell=pytest.fail)}  # graphs must be had
    return Session(exe, functions=host_functions(), devices=devices, results=results)


def check(session: Session, module: Module, *args: Any, times: int = 4) -> None:
    """The first run is interpreted, the second recorded, the third replayed, and from then on it is graphs."""
    wanted = evaluate(module, args)
    for _ in range(times):
        same(session(*map(for_machine, args)), wanted, 1e-3)


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> Module:
    for name, size in TINY_BERT.items():
        monkeypatch.setattr(bert, name, size)
    return bert.bert(layers=2)


def test_bert(tiny: Module) -> None:
    session = on_gpu(built(tiny))
    for tokens in (1, 9, 70, 9, 33, 70):
        check(session, tiny, random(tokens, tokens, 64))


@pytest.mark.parametrize(("precision", "near"), [("bfloat16", 3e-2), ("float16", 4e-3)])
def test_bert_in_16_bits(precision: str, near: float, tiny: Module) -> None:
    session = on_gpu(built(tiny, precision))
    for tokens in (1, 9, 70):
        x = random(tokens, tokens, 64)
        wanted = evaluate(tiny, (x,))
        found = [session(x) for _ in range(4)]
        assert np.linalg.norm(found[0] - wanted) < near * np.linalg.norm(wanted)
        for again in found[1:]:
            np.testing.assert_array_equal(again, found[0])


def test_lstm(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"INPUT": 12, "UNITS": 8, "STATE": "Tensor[(1, 8), float32]"}.items():
        monkeypatch.setattr(lstm, name, value)
    module = lstm.lstm(layers=2)
    session = on_gpu(built(module))
    for steps in (1, 9):
        check(session, module, random(steps, steps, 12))


def test_tree_lstm(monkeypatch: pytest.MonkeyPatch) -> None:
    def make(name: str, *fields: Any) -> Any:
        return node("Trees" if name in ("Nil", "Cons") else "Tree", name, *fields)

    for name, size in {"INPUT": 12, "UNITS": 8}.items():
        monkeypatch.setattr(tree_lstm, name, size)
    module = tree_lstm.tree_lstm()
    session = on_gpu(built(module))
    for leaves in (1, 2, 7):
        check(session, module, tree_lstm.random_tree(leaves, np.random.default_rng(leaves), make))


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_decoder(precision: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its lengths grow with every word, so what follows from them is worked out anew each time."""
    for name, size in {"HIDDEN": 16, "HEADS": 2, "WORDS": 30, "PER_HEAD": 8}.items():
        monkeypatch.setattr(decoder, name, size)
    module = decoder.decoder(layers=1)
    session = on_gpu(built(module, precision))
    for count in (1, 12):
        args = np.asarray(3, np.int64), np.asarray(count, np.int64)
        if precision == "float32":
            check(session, module, *args)
        else:
            found = [session(*args) for _ in range(3)]
            assert found[0].shape == evaluate(module, args).shape
            assert all(np.array_equal(found[0], again) for again in found[1:])


NETWORK = """
const $stem: Tensor[(16, 3, 3, 3), float32];
const $w: Tensor[(16, 16, 3, 3), float32];
const $wide: Tensor[(24, 16, 1, 1), float32];
const $b: Tensor[(24, 1, 1), float32];
def main(x: Tensor[(?n, 3, 21, 24), float32]) {
  let s = max_pool2d(relu(conv2d(x, $stem, stride=2, pad=1)), kernel=3, stride=2, pad=1);
  let a = relu(add(s, conv2d(relu(conv2d(s, $w, pad=1)), $w, pad=1)));
  mean(relu(add(conv2d(a, $wide), $b)), axis=(2, 3))
}
"""


@pytest.mark.parametrize(("precision", "near"), [("float32", 1e-4), ("bfloat16", 3e-2)])
def test_a_network_of_images(precision: str, near: float) -> None:
    sizes = {"stem": (16, 3, 3, 3), "w": (16, 16, 3, 3), "wide": (24, 16, 1, 1), "b": (24, 1, 1)}
    module = Module.parse(NETWORK, {name: random(i, *size) for i, (name, size) in enumerate(sizes.items())})
    session = on_gpu(built(module, precision))
    for images in (1, 3):
        x = random(images, images, 3, 21, 24)
        wanted = evaluate(module, (x,))
        for _ in range(4):
            assert np.linalg.norm(session(x) - wanted) < near * np.linalg.norm(wanted)


def test_arrays_of_torch_and_cupy_go_in_and_results_stay(tiny: Module) -> None:
    """An input whose making is under way is waited for, and what a result is read by needs no stream of ours."""
    import cupy

    session = on_gpu(built(tiny), results="cuda")
    host = random(7, 9, 64)
    wanted = evaluate(tiny, (host,))
    for _ in range(4):
        result = session(cupy.asarray(host))
        np.testing.assert_allclose(cupy.asarray(result).get(), wanted, rtol=1e-3, atol=1e-3)
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("torch sees no GPU")
    big, side = torch.randn(4096, 4096, device="cuda"), torch.cuda.Stream()
    values = torch.as_tensor(host, device="cuda")
    for _ in range(4):
        x = torch.zeros(9, 64, device="cuda")
        torch.cuda.synchronize()
        with torch.cuda.stream(side):
            for _ in range(8):
                torch.mm(big, big)
            x.copy_(values)
            result = session(x)
        found = torch.as_tensor(result, device="cuda").cpu().numpy()
        np.testing.assert_allclose(found, wanted, rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(result.numpy(), wanted, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("shared", [True, False])
def test_two_threads(shared: bool, tiny: Module) -> None:
    """On one stream or on one each, of one executable at sizes of their own."""
    exe, device = built(tiny), StreamDevice(cuda_device())
    sessions = [on_gpu(exe, device=device if shared else StreamDevice(cuda_device())) for _ in range(2)]

    def work(number: int) -> None:
        for tokens in (5, 17 + number, 5, 40, 17 + number):
            check(sessions[number], tiny, random(tokens, tokens, 64), times=3)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(work, range(2)))
