"""The example that generates tokens with a decoder out of an ONNX file: over its cache, and as onnxruntime does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("onnx")
import onnx
import onnx_decoder

import anytile

TINY = onnx_decoder.Sizes(layers=2, hidden=64, heads=4, inner=96, words=50, positions=64)


@pytest.mark.slow
def test_a_file_of_a_model_builder_generates_as_onnxruntime_does(tmp_path: Path) -> None:
    """What is generated over the cache, each token's logits are those of a prompt of all tokens before it."""
    runtime = pytest.importorskip("onnxruntime")
    onnx.save(onnx_decoder.small_decoder(TINY), tmp_path / "model.onnx")
    theirs = runtime.InferenceSession(str(tmp_path / "model.onnx"), providers=["CPUExecutionProvider"])
    decoder = onnx_decoder.Decoder(anytile.compile(tmp_path / "model.onnx"))
    tokens = [3, 14, 15, 9, 2]
    found = [decoder(tokens)]
    for _ in range(6):
        tokens.append(int(found[-1].argmax()))
        found.append(decoder(tokens[-1:]))
    past = {i.name: np.zeros((1, TINY.shared, 0, TINY.per_head), np.float32) for i in theirs.get_inputs()[2:]}
    for behind, logits in zip(range(5, 12), found, strict=True):
        prompt = np.array([tokens[:behind]])
        (wanted,) = theirs.run(["logits"], {"input_ids": prompt, "attention_mask": np.ones_like(prompt), **past})
        apart = np.abs(logits - wanted[0, -1]).max()
        assert apart < 0.03 * np.abs(wanted[0, -1]).max()  # it rounds rows to 8 bits
    assert len({*tokens}) > 6
