"""Which rows the floors of plans, threads and convolutions are held against; what a database says of a search."""

from __future__ import annotations

from pathlib import Path

import anytile
from anytile.db.records.records import Campaign, Selection, Versions
from anytile.db.store import Store
from benchmarks.kernels import conv2d, threads
from benchmarks.measure.harness import Row
from benchmarks.tuning import plans


def rows(n: int, slower: float) -> list[Row]:
    case = {"op": "dense", "n": n, "k": 8}
    pairs = ((plans.SHORT, slower), (plans.LONG, 1.0))
    return [
        Row({**case, "m": m, "searched": {"of": who}}, who, seconds, 0.0, 0.0, 1)
        for m in plans.SIZES
        for who, seconds in pairs
    ]


def test_every_shape_has_its_floor() -> None:
    good, bad = plans.claims([*rows(8, 1.02), *rows(16, 1.05)])
    assert good.ok
    assert not bad.ok
    assert "16x8" in bad.claim


def test_how_a_plan_was_searched(tmp_path: Path) -> None:
    workload, target = anytile.dense(m=anytile.Any("m"), n=8, k=8, const=("w",)), anytile.Target.host(1)
    said = {"strategy": "grid", "trials": 9, "early_stop": 0}
    options = {"request": {**said, "seed": 0}, "progress": {"spent": 4.5}}
    campaign = Campaign((workload,), target, options)
    path = str(tmp_path / "tuning.db")
    with Store.open(path) as store:
        store.add_campaign(campaign)
    assert plans.searched(path, workload, target) == {}
    with Store.open(path) as store:
        store.add_selection(Selection(workload, target, "{}", Versions("1", 1, 1, "1", "3"), campaign_id=campaign.id))
    found = plans.searched(path, workload, target)
    assert found == {**said, "seconds": 4.5, "workloads": 1, "measured": 0}


def test_convolutions_of_other_models_and_batches_are_rows_without_a_floor() -> None:
    def row(model: str, n: int, who: str, gflops: float) -> Row:
        return Row({"model": model, "n": n, "layer": "l", "flops": 1e9}, who, 1.0, gflops, 0.0, 1)

    resnet = [row(conv2d.RESNET, n, who, 1.0) for n in (1, 8) for who in (conv2d.STATIC, conv2d.BATCH)]
    resnet.append(row(conv2d.RESNET, 1, conv2d.IMAGE, 1.0))
    slow = [row(conv2d.MOBILENET, 8, who, 0.1) for who in (conv2d.BATCH, conv2d.IMAGE)]
    slow += [row(conv2d.MOBILENET, 8, conv2d.STATIC, 1.0), row(conv2d.RESNET, 8, conv2d.IMAGE, 0.1)]
    found = conv2d.claims([*resnet, *slow])
    assert [claim.value for claim in found] == [1.0, 1.0]


def test_small_operators_and_depthwise_layers_are_never_slower_with_threads() -> None:
    names = {task.name.partition(" ")[0] for task in threads.tasks()}
    assert {"softmax", "layer_norm", "gelu", "depthwise"} <= names
    pairs = ((threads.ONE, 1.0), (threads.AGAIN, 1.0), (threads.SEVERAL, 1.1))
    slow = [Row({"op": "gelu", "m": 1}, who, seconds, 0.0, 0.0, 1) for who, seconds in pairs]
    assert [claim.ok for claim in threads.claims(slow)[1:]] == [False]
