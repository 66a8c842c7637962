"""Steps of images: convolutions, pools, sizes."""

from __future__ import annotations

from tests.support.generators.functions.growth import Growth, Step, Value, need


def conv(g: Growth, x: Value) -> None:
    need(x.dtype == "float32" and x.rank in (3, 4) and x.dim(1) > 0)
    c, rank = x.dim(1), x.rank - 2
    groups = g.pick(1, 1, c)
    out, k = groups * g.pick(1, 2, 4), g.pick(1, 2, 3)
    w = g.floats(out, c // groups, *(k,) * rank, scale=(c * k**rank) ** -0.5)
    bias = g.pick("", f", {g.floats(out)}")
    padding = g.pick(0, 1, k // 2, "'same'")
    dilation = g.pick(1, 1, 2)
    stride = 1 if padding == "'same'" else g.pick(1, 1, 2)
    y = g.one(
        f"F.conv{rank}d({x}, {w}{bias}, stride={stride}, padding={padding}, groups={groups}, dilation={dilation})"
    )
    if g.chance(0.3):
        g.one(g.pick(f"F.relu({y})", f"F.silu({y})", f"{y} + {x}"))


def transposed(g: Growth, x: Value) -> None:
    need(x.dtype == "float32" and x.rank in (3, 4) and x.dim(1) > 0)
    c, rank, k = x.dim(1), x.rank - 2, g.pick(1, 2, 3)
    stride = g.pick(1, 2)
    words = f"stride={stride}, padding={g.pick(0, k // 2)}, output_padding={g.rng.randrange(stride)}"
    if g.chance(0.5):
        g.one(f"{g.layer(f'nn.ConvTranspose{rank}d({c}, {g.pick(1, 4)}, {k}, {words})')}({x})")
    else:
        groups = g.pick(1, c)
        w = g.floats(c, g.pick(1, 3), *(k,) * rank, scale=0.3)
        g.one(f"F.conv_transpose{rank}d({x}, {w}, {words}, groups={groups})")


def pool(g: Growth, x: Value) -> None:
    need(x.is_float and x.rank in (3, 4))
    rank, k = x.rank - 2, g.pick(2, 2, 3)
    words = f"{k}, {g.pick(1, 2)}, {g.pick(0, k // 2)}, ceil_mode={g.chance(0.3)}"
    g.one(
        g.pick(
            *(
                f"F.max_pool{rank}d({x}, {words})",
                f"F.avg_pool{rank}d({x}, {words}, count_include_pad={g.chance(0.5)})",
            ),
            *(
                f"F.adaptive_avg_pool{rank}d({x}, {g.pick(1, 2, 3)})",
                f"F.adaptive_max_pool{rank}d({x}, {g.pick(1, 2)})",
            ),
            f"F.lp_pool{rank}d({x}, 2, {k})",
        )
    )


def resize(g: Growth, x: Value) -> None:
    need(x.is_float and x.rank in (3, 4))
    if x.rank == 3:
        g.one(
            g.pick(f"F.interpolate({x}, scale_factor={g.pick(2, 1.5)}, mode='linear')", f"F.interpolate({x}, size=5)")
        )
        return
    h, w = f"{x}.shape[2]", f"{x}.shape[3]"
    g.one(
        g.pick(
            *(
                f"F.interpolate({x}, scale_factor={g.pick(2, 3, 1.5, 0.5)}, mode='nearest')",
                f"F.pixel_unshuffle({x}, 2)",
            ),
            f"F.interpolate({x}, scale_factor={g.pick(2, 1.5)}, mode='bilinear', align_corners={g.chance(0.5)})",
            *(f"F.interpolate({x}, size=({h} * 2, 7), mode='bilinear')", f"F.pixel_shuffle({x}, 2)"),
            *(f"F.interpolate({x}, size=(5, {w} + 1), mode='bicubic')", f"F.channel_shuffle({x}, 2)"),
            *(f"F.interpolate({x}, size={w}, mode='nearest-exact')", f"F.unfold({x}, 2, padding=1)"),
            f"F.grid_sample({x}, torch.tanh({x}[:, :2].permute(0, 2, 3, 1)), align_corners={g.chance(0.5)})",
        )
    )


STEPS: dict[Step, int] = {conv: 6, transposed: 2, pool: 4, resize: 3}
