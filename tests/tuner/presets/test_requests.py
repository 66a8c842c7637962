"""A preset becomes a request: distinct workloads, their counts, sizes that suit, and a budget."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from anytile.core.errors import SpecError
from anytile.db.records.records import Campaign
from anytile.schedules.hardware.cpu import facts
from anytile.schedules.hardware.target import Target
from anytile.schedules.workloads import streaming
from anytile.schedules.workloads.workload import Workload
from anytile.tuner.presets.requests import model
from anytile.tuner.presets.workloads import CONVOLUTIONS, PRESETS
from anytile.tuner.requests.request import TuneRequest

HOST = Target.host(1)


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_is_a_request(name: str) -> None:
    asked = TuneRequest(target=HOST, **model(name).options(HOST))
    assert len(asked.workloads) == len(asked.counts) == len(PRESETS[name])
    assert [asked.count_of(w) for w in asked.workloads] == [float(often) for _, often in PRESETS[name]]
    bare = TuneRequest(target=HOST, **model(name).options(HOST, constants=False))
    assert not any(w.const for w in bare.workloads)


def test_bert_is_its_layers() -> None:
    """Multiply-adds of 12 layers at 128 tokens: 85 million weights, and the two products of attention. Biases, softmax
    and normalisations are next to nothing beside them."""
    found = model("bert-base")
    flops = sum(
        count * w.flops(dict.fromkeys(w.symbols, 128)) for w, count in zip(found.workloads, found.counts, strict=True)
    )
    weights = 12 * 12 * 768 * 768
    products = 2 * (128 * weights + 2 * 12 * 12 * 128 * 128 * 64)
    assert products < flops < 1.01 * products
    assert found.seconds < 300


@pytest.mark.parametrize(("name", "mib"), [("bert-base", 323), ("resnet50", 97), ("mobilenet-v2", 13), ("lstm", 6)])
def test_weights_beyond_the_caches_are_streamed(monkeypatch: pytest.MonkeyPatch, name: str, mib: int) -> None:
    """All layers' together; a recurrent model reads the same ones at every step."""
    for more in (0, 1):
        cpu = replace(facts(HOST), l3_bytes=(mib + more) << 20)
        monkeypatch.setattr(streaming, "facts", lambda _, cpu=cpu: cpu)
        found = model(name).options(HOST)["workloads"]
        assert [w.streaming(()) for w in found] == list(model(name).workloads)
        large = [w for w in found if w.op in ("dense", "gated_dense")]
        assert any(w.streamed for w in large) == (not more)
        assert not any(w.streamed for w in found if not w.const)
    assert not any(w.streamed for w in model(name).options(HOST, constants=False)["workloads"])


@pytest.mark.parametrize(("cpu", "wanted"), [("haswell", True), ("znver4", False)])
def test_layers_in_8_bits_are_searched_as_the_target_has_them(cpu: str, wanted: bool) -> None:
    target = Target.parse(f"llvm -mcpu={cpu} -threads=1")
    for name in ("bert-base-int8", "mobilenet-v2-int8"):
        layers = [w for w in model(name).options(target)["workloads"] if w.op in ("quantised_dense", *CONVOLUTIONS)]
        assert {"pairs=int16" in str(w) for w in layers if w.attributes.get("groups", 1) == 1} == {wanted}
        assert not [w for w in layers if w.attributes.get("groups", 1) != 1 and "pairs=int16" in str(w)]


def test_images_come_by_ones() -> None:
    assert model("resnet50").options(HOST)["at"] == {"n": 1}
    assert "at" not in model("lstm").options(HOST)
    assert model("resnet50").seconds == pytest.approx(30.0 * 24)


def test_a_decoder_is_searched_at_one_token() -> None:
    asked = TuneRequest(target=HOST, **model("llama-1b-int4").options(HOST))
    products = {w: dict(asked.representative_point(w)) for w in asked.workloads if "m" in w.symbols}
    assert {w.op for w in products} == {"grouped_dense", "batch_matmul", "gather"}
    assert all(point["m"] == 1 for point in products.values())
    assert {size for point in products.values() for name, size in point.items() if name != "m"} == {512}


def test_a_batch_of_images_is_one_in_the_search() -> None:
    """By the convolution's dimension, not by the symbol's name; and what is asked for goes first."""
    conv = Workload.parse("conv2d(n=?batch, ci=8, h=?n, w=14, co=8, kh=3, kw=3)")
    product = Workload.parse("dense(m=?m, n=?n, k=8)")

    def points(**changes: Any) -> list[dict[str, int]]:
        asked = TuneRequest((conv, product), HOST, **changes)
        again = TuneRequest.of(Campaign(asked.workloads, asked.target, {"request": asked.to_options()}))
        assert again == asked
        return [dict(again.representative_point(w)) for w in again.workloads]

    assert points() == [{"batch": 1, "n": 64}, {"m": 64, "n": 64}]
    assert points(at={"batch": 3, "n": 7}) == [{"batch": 3, "n": 7}, {"m": 64, "n": 7}]
    assert points(representative=32) == [{"batch": 32, "n": 32}, {"m": 32, "n": 32}]


def test_few_images_count_more_where_nobody_said() -> None:
    conv = Workload.parse("conv2d(n=?batch, ci=8, h=?n, w=14, co=8, kh=3, kw=3)")
    asked = TuneRequest((conv,), HOST, cross_sizes=(1, 2, 8))
    assert asked.weights_of(conv, "batch") == {1: 1.0, 2: 0.5, 8: 0.125}
    assert asked.weights_of(conv, "n") is None
    assert replace(asked, met=({"batch": {4: 1.0}, "n": {14: 1.0}},)).weights_of(conv, "batch") == {4: 1.0}
    assert replace(asked, weights={2: 3.0}).weights_of(conv, "batch") == {2: 3.0}


def test_an_unknown_one_is_named() -> None:
    with pytest.raises(SpecError, match="preset 'gpt': expected one of bert-base, "):
        model("gpt")
