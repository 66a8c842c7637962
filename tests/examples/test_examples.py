"""The models of examples/: what their executables compute is what the evaluator says."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import bert
import decoder
import lstm
import numpy as np
import pytest
import tree_lstm

import anytile
from tests.support.cases.compiled_modules import Compiled, check, node, random


@pytest.mark.slow
def test_bert() -> None:
    made = Compiled(bert.bert(layers=1))
    for tokens in (0, 1, 9):
        check(made, random(tokens, tokens, bert.HIDDEN), stages=tokens == 1, tolerance=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("layers", [1, 2])
def test_lstm(layers: int) -> None:
    made = Compiled(lstm.lstm(layers))
    for steps in (0, 1, 5):
        check(made, random(steps, steps, lstm.INPUT), stages=steps == 1)


@pytest.mark.slow
def test_tree_lstm() -> None:
    def make(name: str, *fields: Any) -> Any:
        return node("Trees" if name in ("Nil", "Cons") else "Tree", name, *fields)

    made = Compiled(tree_lstm.tree_lstm())
    for leaves in (1, 2, 7):
        check(made, tree_lstm.random_tree(leaves, np.random.default_rng(leaves), make), stages=leaves == 2)
    check(made, make("Node", make("Nil")))  # a node without children


@pytest.mark.slow
def test_decoder() -> None:
    made = Compiled(decoder.decoder(layers=1))
    for count in (0, 1, 6):
        tokens = check(made, np.asarray(3, np.int64), np.asarray(count, np.int64), stages=count == 1)
        assert tokens.shape == (count,)


@pytest.mark.slow
def test_torch_llama() -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'anytile[torch]'")
    import torch_llama

    torch.manual_seed(0)
    sizes = replace(torch_llama.SMALL, layers=1)
    model = torch_llama.Llama(sizes).eval()
    fast = torch.compile(model, backend="anytile", dynamic=True)
    prompt = torch.tensor([[1, 2, 3, 4, 5]])
    with torch.inference_mode():
        tokens = [torch_llama.generated(run, sizes, prompt, 4) for run in (fast, model)]
    with torch.no_grad():
        tokens.append(torch_llama.stepped(model, sizes, prompt, 4))
    assert tokens[0] == tokens[1] == tokens[2]


@pytest.mark.slow
def test_torch_bert() -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'anytile[torch]'")
    import torch_bert

    torch.manual_seed(0)
    model = torch_bert.Bert(layers=1).eval()
    with torch.inference_mode():
        run = torch_bert.exported(model)
        for batch, tokens in ((1, 1), (2, 9), (3, 16)):
            given = torch_bert.sentences(batch, tokens)
            for made, wanted in zip(run(*given), model(*given), strict=True):
                torch.testing.assert_close(made, wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.slow
def test_torch_resnet() -> None:
    """All 50 layers, within 1e-4 of torch at three numbers of images."""
    torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'anytile[torch]'")
    import torch_resnet

    torch.manual_seed(0)
    model = torch_resnet.settled(torch_resnet.ResNet50())
    program = torch.export.export(model, (torch.randn(2, 3, 64, 64),), dynamic_shapes=({0: torch.export.Dim("n")},))
    run = anytile.Session(anytile.compile(program))
    with torch.inference_mode():
        for count in (1, 2, 5):
            images = torch.randn(count, 3, 64, 64)
            wanted = model(images)
            apart = torch.from_numpy(run(images.numpy())) - wanted
            assert float(apart.norm() / wanted.norm()) < 1e-4
            assert float(apart.abs().max()) < 1e-4 * float(wanted.abs().max())


@pytest.mark.parametrize("name", ["torch_bert", "torch_llama", "torch_resnet"])
def test_without_torch_it_is_one_line(name: str) -> None:
    file = Path(__file__).resolve().parents[2] / "examples" / f"{name}.py"
    program = f"import runpy, sys; sys.modules['torch'] = None; runpy.run_path({str(file)!r}, run_name='__main__')"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"{name}: error: torch is not installed: pip install 'anytile[torch]'\n"
