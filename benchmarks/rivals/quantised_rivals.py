"""What users have for BERT in 8-bit integers: onnxruntime's and torch's dynamic quantisation, and OpenVINO's integers.

OpenVINO computes in 8 bits what a file has between quantising and dequantising steps, whose ranges are told ahead.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.rivals import dense_rivals
from benchmarks.rivals.model_rivals import ModelRival, OnnxRuntime, OpenVino, Torch
from benchmarks.rivals.onnx_quantiser import ranges_ahead, ranges_of_rows
from benchmarks.subjects import model_graphs
from benchmarks.subjects.model_graphs import Layers

ONNXRUNTIME, OPENVINO, TORCH = "onnxruntime int8", "openvino int8", "torch int8"
RIVALS = (ONNXRUNTIME, OPENVINO, TORCH)
_NEEDS = ("onnxruntime", "openvino", "torch")


class _OnnxRuntime(OnnxRuntime):
    name = ONNXRUNTIME


class _OpenVino(OpenVino):
    name = OPENVINO


def missing() -> Sequence[str]:
    return [name for name in dense_rivals.missing() if name in _NEEDS]


def quantised_file(layers: Layers, heads: int, eps: float) -> bytes:
    """What onnxruntime's dynamic quantisation writes, one scale for each weight: x[batch, t, hidden]."""
    return ranges_of_rows(model_graphs.bert(layers, heads, eps, False), False)


def bert_rivals(
    layers: Layers, heads: int, eps: float, threads: int, runs: Sequence[NDArray[Any]], without: Sequence[str] = ()
) -> list[ModelRival]:
    """Those that are installed, but some: x[t, hidden]. Who takes ranges ahead of time takes those of the runs."""
    absent, found = missing(), list[ModelRival]()
    plain = b"" if "onnxruntime" in absent else model_graphs.bert(layers, heads, eps, False)
    if "onnxruntime" not in absent and ONNXRUNTIME not in without:
        models = {"one scale": ranges_of_rows(plain, False), "scale for each channel": ranges_of_rows(plain, True)}
        found.append(_OnnxRuntime(models, threads, lambda x: ((1, *x.shape), (1, *x.shape))))
    if not {"onnxruntime", "openvino"} & {*absent}:  # the one makes what the other runs
        ahead = ranges_ahead(plain, [x[None] for x in runs], ["MatMul"])
        rival = _OpenVino("ranges ahead", ahead, threads, lambda x: ((1, *x.shape), (1, *x.shape)))
        rival.ways(np.zeros((2, layers[0]["w_q"].shape[1]), np.float32))[0].call()  # as bert_field says
        found.append(rival)
    if "torch" not in absent:
        torch = dense_rivals.inferring(threads)
        encoder = _torch(torch, layers, heads, eps)
        found.append(Torch(TORCH, {"quantize_dynamic": encoder}, torch.from_numpy))
    return found


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
