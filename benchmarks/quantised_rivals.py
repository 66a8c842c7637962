"""What users have for BERT in 8-bit integers without data: onnxruntime's and torch's dynamic quantisation."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import model_graphs
import rivals
from model_graphs import Layers
from model_rivals import ModelRival, OnnxRuntime, Torch

ONNXRUNTIME, TORCH = "onnxruntime int8", "torch int8"
RIVALS = (ONNXRUNTIME, TORCH)
_QUANTISE = """
import sys
from onnxruntime.quantization import QuantType, quantize_dynamic
before, after, by_channel = sys.argv[1:]
quantize_dynamic(before, after, ["MatMul"], per_channel=by_channel == "True", weight_type=QuantType.QInt8)
"""
_NEEDS = ("onnxruntime", "torch")


class _OnnxRuntime(OnnxRuntime):
    name = ONNXRUNTIME


def missing() -> Sequence[str]:
    return [name for name in rivals.missing() if name in _NEEDS]


def bert_rivals(layers: Layers, heads: int, eps: float, threads: int) -> list[ModelRival]:
    """Those that are installed: x[t, hidden]."""
    absent, found = missing(), list[ModelRival]()
    if "onnxruntime" not in absent:
        plain = model_graphs.bert(layers, heads, eps, False)
        models = {"one scale": _quantised(plain, False), "scale for each channel": _quantised(plain, True)}
        found.append(_OnnxRuntime(models, threads, lambda x: ((1, *x.shape), (1, *x.shape))))
    if "torch" not in absent:
        torch = rivals.inferring(threads)
        encoder = _torch(torch, layers, heads, eps)
        found.append(Torch(TORCH, {"quantize_dynamic": encoder}, torch.from_numpy))
    return found


def _quantised(model: bytes, by_channel: bool) -> bytes:
    """The graph with its products of weights in 8 bits, made by a process of its own: the quantiser imports modules by
    bare names, which examples/ has, too."""
    with tempfile.TemporaryDirectory() as name:
        before, after = Path(name) / "float.onnx", Path(name) / "int8.onnx"
        before.write_bytes(model)
        command = [sys.executable, "-c", _QUANTISE, str(before), str(after), str(by_channel)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"onnxruntime does not quantise the model: {done.stderr[-2000:]}")
        return after.read_bytes()


def _torch(torch: Any, layers: Layers, heads: int, eps: float) -> Any:
    """The encoder of linear modules, which torch quantises."""
    nn, functional = torch.nn, torch.nn.functional

    def linear(w: Any, b: Any) -> Any:
        made = nn.Linear(w.shape[1], w.shape[0])
        made.weight.copy_(torch.from_numpy(w))
        made.bias.copy_(torch.from_numpy(b))
        return made

    def normalised(w: Any, name: str) -> Any:
        made = nn.LayerNorm(len(w[f"gamma_{name}"]), eps=eps)
        made.weight.copy_(torch.from_numpy(w[f"gamma_{name}"]))
        made.bias.copy_(torch.from_numpy(w[f"beta_{name}"]))
        return made

    class Layer(torch.nn.Module):  # type: ignore[misc]  # torch is Any here
        def __init__(self, w: Any) -> None:
            super().__init__()
            for name in ("q", "k", "v", "out", "inner", "outer"):
                setattr(self, name, linear(w[f"w_{name}"], w[f"b_{name}"]))
            self.attended, self.final = normalised(w, "attended"), normalised(w, "final")

        def forward(self, x: Any) -> Any:
            t, hidden = x.shape
            q, k, v = (one(x).view(t, heads, hidden // heads).transpose(0, 1) for one in (self.q, self.k, self.v))
            mixed = functional.scaled_dot_product_attention(q[None], k[None], v[None])[0]
            x = self.attended(x + self.out(mixed.transpose(0, 1).reshape(t, hidden)))
            return self.final(x + self.outer(functional.gelu(self.inner(x))))

    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it is deprecated; it is what there is
        encoder = nn.Sequential(*(Layer(w) for w in layers)).eval()
        return torch.ao.quantization.quantize_dynamic(encoder, {nn.Linear}, dtype=torch.qint8)
