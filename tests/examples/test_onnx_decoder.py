"""The example that generates tokens with a decoder out of an ONNX file: over its cache, and as onnxruntime does."""

from __future__ import annotations

from dataclasses import replace
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


@pytest.mark.slow
def test_batches_of_prompts_and_steps_with_rows_in_float32(tmp_path: Path) -> None:
    """Each step goes on from onnxruntime's cache; no step of the decoder is Python's."""
    runtime = pytest.importorskip("onnxruntime")
    proto = onnx_decoder.small_decoder(replace(TINY, accuracy=0))
    onnx.save(proto, tmp_path / "model.onnx")
    theirs = runtime.InferenceSession(str(tmp_path / "model.onnx"), providers=["CPUExecutionProvider"])
    exe = anytile.compile(tmp_path / "model.onnx")
    assert {k.name.partition(".")[0] for k in exe.kernels if k.kind == "packed"} <= {"arange"}
    results, names = ([x.name for x in infos] for infos in (proto.graph.output, proto.graph.input))
    ours = anytile.Session(exe)
    rng = np.random.default_rng(29)
    for batch in (1, 2):
        ids = rng.integers(0, TINY.words, (batch, 7))
        past = [np.zeros((batch, TINY.shared, 0, TINY.per_head), np.float32)] * len(names[2:])
        for _ in range(4):
            mask = np.ones((batch, ids.shape[1] + past[0].shape[2]), np.int64)
            feed = dict(zip(names, [ids, mask, *past], strict=True))
            wanted = theirs.run(results, feed)
            for name, a, b in zip(results, ours(*feed.values()), wanted, strict=True):
                assert np.abs(a - b).max() <= 1e-4 * np.abs(b).max(), name
            past, ids = wanted[1:], wanted[0][:, -1].argmax(-1)[:, None]
