"""How a shape on the command line becomes a workload: which operands are known ahead of time where nobody says."""

from __future__ import annotations

import pytest

from anytile.commands.reading import read_workload

USUAL = {
    "dense m=?,n=8,k=4": ("w",),
    "dense m=?,n=?,k=?": ("w",),
    "conv2d n=?,ci=4,h=9,w=9,co=8,kh=3,kw=3": ("w",),
    "batch_matmul b=2,m=?t,n=?t,k=8": (),
    "elementwise d0=?,d1=64,rank=2,f=gelu(a[d0, d1] + b[d1])": ("b",),
    "elementwise d0=4,rank=1,f=a[d0] + b[d0]": (),
    "layer_norm rows=?,n=64,pre=x + r[rows, n]": ("beta", "gamma"),
    "batch_norm outer=?,c=3,inner=?": ("beta", "gamma", "mean", "variance"),
    "gated_dense m=?,u=8,k=4,cell=c2 = z1 * c[m, u] + z0; h2 = z3 * tanh(c2),start=bias[g, u]": ("bias", "w"),
    "gather n=99,m=?,outer=1,inner=8": ("x",),
    "softmax outer=?,n=64,inner=1": (),
}


@pytest.mark.parametrize("text", USUAL)
def test_weights_are_constant_and_data_is_not(text: str) -> None:
    op, _, shape = text.partition(" ")
    workload = read_workload(op, shape, "float32", None)
    assert workload.const == USUAL[text]
    assert len(workload.const) < len(workload.inputs)
    assert read_workload(op, shape, "float32", False).const == ()
    assert set(read_workload(op, shape, "float32", True).const) == set(workload.constant_operands)
