"""Steps of networks: products, norms, attention, and modules of torch.nn as a whole."""

from __future__ import annotations

from tests.support.generators.functions.growth import Growth, Step, Value, need
from tests.support.generators.functions.operands import alike, any_value, last, shape

WIDTHS = (1, 3, 4, 8, 15, 16, 17, 24)


def linear(g: Growth, x: Value) -> None:
    need(x.dtype in ("float32", "float64"))
    k, n = last(x), g.rng.choice(WIDTHS)
    w, b = g.floats(n, k, like=x, scale=k**-0.5), g.floats(n, like=x)
    y = g.one(
        g.pick(
            *(f"F.linear({x}, {w}, {b})", f"F.linear({x}, {w})", f"{x} @ {w}.t() + {b}", f"torch.matmul({x}, {w}.mT)"),
            *(f"torch.addmm({b}, {x}, {w}.t())", f"torch.einsum('...i,oi->...o', {x}, {w})"),
        )
    )
    if g.chance(0.4):
        g.one(g.pick(f"F.relu({y})", f"F.gelu({y})", f"{y} + {b}", f"torch.tanh({y})"))


def product(g: Growth, x: Value) -> None:
    need(x.is_float and x.rank >= 1)
    y = any_value(g)
    g.one(
        g.pick(
            *(f"{x} @ {x}.transpose(-1, -2) / 4", f"{x}.mT @ {x} / 4", f"torch.matmul({x}, {y})", f"{x} @ {y}.mT"),
            *(
                f"torch.bmm({x}, {x}.mT)",
                f"torch.baddbmm({x} @ {x}.mT, {x}, {x}.mT, alpha=0.5)",
                f"torch.outer({x}, {y})",
            ),
            *(f"torch.mv({x}, {y})", f"torch.dot({x}, {x})", f"torch.tensordot({x}, {x}, dims=([0], [0]))"),
        )
    )


def einsum(g: Growth, x: Value) -> None:
    need(x.is_float and 2 <= x.rank <= 4)
    all_ = "abcd"[: x.rank]
    g.one(
        g.pick(
            *(f"torch.einsum('{all_},{all_}->{all_[:-1]}', {x}, {x})", f"torch.einsum('{all_}->{all_[::-1]}', {x})"),
            *(
                f"torch.einsum('{all_},{all_[:-2]}z{all_[-1]}->{all_[:-1]}z', {x}, {x})",
                f"torch.einsum('{all_}->', {x})",
            ),
            *(
                f"torch.einsum('...i,...j->...ij', {x}, {x})",
                f"torch.einsum('{all_},{all_[-1]}->{all_[0]}', {x}, {x}[{'0, ' * (x.rank - 1)}])",
            ),
        )
    )


def norm(g: Growth, x: Value) -> None:
    need(x.dtype in ("float32", "float64"))
    k = last(x)
    w, b = g.floats(k, like=x), g.floats(k, like=x)
    g.one(
        g.pick(
            *(
                f"F.layer_norm({x}, ({k},), {w}, {b})",
                f"F.layer_norm({x}, {x}.shape[-1:])",
                f"F.rms_norm({x}, ({k},), {w})",
            ),
            *(
                f"{x} * torch.rsqrt({x}.pow(2).mean(-1, keepdim=True) + 1e-3) * {w}",
                f"F.layer_norm({x}, {x}.shape[-2:])",
            ),
            f"({x} - {x}.mean(-1, keepdim=True)) / ({x}.std(-1, keepdim=True) + 0.1) * {w} + {b}",
        )
    )


def channel_norm(g: Growth, x: Value) -> None:
    need(x.dtype == "float32" and x.rank in (3, 4) and x.dim(1) > 0)
    c = x.dim(1)
    mean, var = g.floats(c), g.const((g.arrays.random(c) + 0.5).astype("float32"))
    groups = g.rng.choice([k for k in range(1, c + 1) if c % k == 0])
    g.one(
        g.pick(
            *(f"F.batch_norm({x}, {mean}, {var}, {var}, {mean})", f"F.group_norm({x}, {groups}, {mean}, {var})"),
            *(
                f"F.instance_norm({x})",
                f"F.prelu({x}, {mean})",
                f"{x} * {mean}.view(-1, {', '.join('1' * (x.rank - 2))})",
            ),
        )
    )


def attention(g: Growth, x: Value) -> None:
    need(x.is_float and x.rank in (3, 4))
    y = alike(g, x)
    n = f"{x}.shape[-2]"
    mask = f"torch.ones({n}, {n}, dtype=torch.bool).tril()"
    far = f"torch.zeros({n}, {n}).masked_fill(~{mask}, float('-inf'))"
    scores = f"{x} @ {y}.transpose(-1, -2) / {x}.shape[-1] ** 0.5"
    g.one(
        g.pick(
            *(f"F.scaled_dot_product_attention({x}, {y}, {x})", f"F.softmax({scores}, -1) @ {x}"),
            *(
                f"F.scaled_dot_product_attention({x}, {y}, {x}, is_causal=True)",
                f"F.softmax({scores} + {far}, -1) @ {x}",
            ),
            *(f"F.scaled_dot_product_attention({x}, {y}, {x}, attn_mask={mask}, scale=0.3)",),
            *(f"F.scaled_dot_product_attention({x}, {y}, {x}, attn_mask={far})",),
            f"({scores}).masked_fill(~{mask}, -1e4).softmax(-1) @ {y}",
        )
    )


def heads(g: Growth, x: Value) -> None:
    """Projected, split, turned, multiplied, joined, as models write it."""
    need(x.dtype == "float32" and x.rank == 3)
    k, count, width = last(x), g.pick(1, 2, 3), g.pick(2, 4)
    b, n, _ = shape(x)
    inner = count * width
    if g.chance(0.5):
        qkv = g.one(f"F.linear({x}, {g.floats(3 * inner, k, scale=k**-0.5)})")
        qkv = g.one(f"{qkv}.reshape({b}, {n}, 3, {count}, {width}).permute(2, 0, 3, 1, 4)")
        q, k_, v = f"{qkv}[0]", f"{qkv}[1]", f"{qkv}[2]"
    else:
        split = f"view({b}, {n}, {count}, {width}).transpose(1, 2)"
        weights = [g.floats(inner, k, scale=k**-0.5) for _ in range(3)]
        q, k_, v = (str(g.one(f"F.linear({x}, {w}).{split}")) for w in weights)
    causal = g.pick("", ", is_causal=True")
    if g.chance(0.5):
        y = g.one(f"F.scaled_dot_product_attention({q}, {k_}, {v}{causal})")
    else:
        y = g.one(f"torch.softmax({q} @ {k_}.mT * {width**-0.5}, -1) @ {v}")
    g.one(
        g.pick(
            f"{y}.transpose(1, 2).reshape({b}, {n}, -1)", f"{y}.transpose(1, 2).contiguous().view({b}, {n}, {inner})"
        )
    )


def gate(g: Growth, x: Value) -> None:
    need(x.is_float and last(x) % 2 == 0)
    g.one(
        g.pick(
            f"F.glu({x}, -1)",
            f"F.silu({x}.chunk(2, -1)[0]) * {x}.chunk(2, -1)[1]",
            f"F.gelu({x}[..., ::2]) * {x}[..., 1::2]",
        )
    )


def module(g: Growth, x: Value) -> None:
    need(x.dtype == "float32" and x.rank >= 2)
    k, n = last(x), g.rng.choice(WIDTHS)
    count = g.rng.choice([h for h in (1, 2, 4) if k % h == 0])
    first = g.pick("batch_first=True", "batch_first=False")
    ways = [
        ("nn.Sequential(nn.Linear({k}, {n}), nn.ReLU(), nn.Linear({n}, {k}))", "{m}({x}) + {x}"),
        ("nn.MultiheadAttention({k}, {h}, {first})", "{m}({x}, {x}, {x}, need_weights=False)[0]"),
        ("nn.MultiheadAttention({k}, {h}, {first})", "{m}({x}, {x} * 2, {x})[1]"),
        ("nn.TransformerEncoderLayer({k}, {h}, 16, {first})", "{m}({x})"),
        ("nn.TransformerEncoderLayer({k}, {h}, 8, norm_first=True, activation='gelu', {first})", "{m}({x})"),
        ("nn.TransformerDecoderLayer({k}, {h}, 8, {first})", "{m}({x}, {x} * 0.5)"),
        ("nn.LSTM({k}, {n}, {first})", "{m}({x})[0]"),
        ("nn.LSTM({k}, 4, num_layers=2, bidirectional=True, {first})", "{m}({x})[1][0]"),
        ("nn.GRU({k}, {n}, {first})", "{m}({x})[0]"),
        ("nn.GRU({k}, 3, bidirectional=True, {first})", "torch.cat({m}({x}), {a})"),
        ("nn.RNN({k}, {n}, {first})", "{m}({x})[1]"),
        ("nn.GRUCell({k}, {n})", "{m}({x})"),
        ("nn.LSTMCell({k}, {n})", "{m}({x})[1]"),
        ("nn.Bilinear({k}, {k}, {n})", "{m}({x}, {x} + 1)"),
        ("nn.LayerNorm({k})", "{m}({x})"),
        ("nn.PReLU()", "{m}({x})"),
    ]
    text, call = g.rng.choice(ways)
    m = g.layer(text.format(k=k, n=n, h=count, first=first))
    g.one(call.format(m=m, x=x, a=g.pick(0, 1)))


def embedding(g: Growth, x: Value) -> None:
    need(x.dtype == "int64")
    rows, n = 10, g.pick(1, 4, 8)
    i = f"{x} % {rows}" if any(int(a.min()) < 0 or int(a.max()) >= rows for a in x.at) else str(x)
    w = g.floats(rows, n)
    m = g.layer(f"nn.Embedding({rows}, {n}, padding_idx=0)")
    g.one(
        g.pick(
            f"F.embedding({i}, {w})", f"{m}({i})", f"{w}[{i}]", f"F.one_hot({i}, {rows})", f"F.embedding_bag({i}, {w})"
        )
    )


STEPS: dict[Step, int] = {
    linear: 6, product: 3, einsum: 1, norm: 3, channel_norm: 2, attention: 2, heads: 2, gate: 1, module: 3,
    embedding: 4,
}  # fmt: skip
