"""Steps of arithmetic: functions of numbers, pairs, comparisons, reductions, dtypes."""

from __future__ import annotations

from tests.support.generators.functions.growth import Growth, Step, Value, need
from tests.support.generators.functions.operands import alike, any_axis, any_value, other_of

UNARY = (
    "torch.relu({x})", "torch.sigmoid({x})", "{x}.tanh()", "torch.exp({x})", "{x}.abs()", "-{x}", "torch.erf({x})",
    "torch.sqrt({x}.abs() + 0.5)", "F.gelu({x})", "F.gelu({x}, approximate='tanh')", "F.silu({x})", "{x}.sin()",
    "torch.cos({x})", "torch.floor({x})", "{x}.round()", "F.softplus({x})", "F.elu({x})", "F.leaky_relu({x}, 0.1)",
    "F.hardswish({x})", "torch.log1p({x}.abs())", "1 / ({x}.abs() + 1)", "torch.sign({x})", "{x} ** 2", "F.mish({x})",
    "torch.rsqrt({x}.abs() + 0.5)", "{x}.expm1()", "torch.atan({x})", "F.relu6({x})", "F.selu({x})", "F.hardtanh({x})",
    "F.logsigmoid({x})", "F.softsign({x})", "F.tanhshrink({x})", "{x}.trunc()", "torch.asinh({x})", "F.celu({x}, 0.7)",
    "{x}.abs() ** 1.5", "torch.log2({x}.abs() + 1)", "{x}.square()", "{x}.frac()", "torch.nan_to_num({x})", "{x} ** 3",
    "torch.exp2({x})", "F.hardsigmoid({x})", "F.threshold({x}, 0.2, -1.0)", "torch.sinc({x})", "{x}.neg().exp()",
)  # fmt: skip
PAIRS = (
    "{x} + {y}", "{x} - {y}", "{x} * {y}", "{y} - {x}", "{x} / (abs({y}) + 1)", "torch.maximum({x}, {y})",
    "torch.minimum({x}, {y})", "torch.add({x}, {y}, alpha=2)", "{x}.mul({y})", "torch.atan2({x}, {y})",
    "torch.remainder({x}, {y})", "{x} // {y}", "torch.fmod({x}, {y})", "torch.lerp({x}, {y}, 0.3)",
    "torch.addcmul({x}, {y}, {y}, value=0.5)", "torch.hypot({x}, {y})", "torch.where({x} > {y}, {x}, {y})",
    "torch.rsub({x}, {y})", "torch.true_divide({x}, abs({y}) + 1)", "torch.div({x}, {y}, rounding_mode='floor')",
)  # fmt: skip
REDUCTIONS = (
    "{x}.sum({a})", "{x}.float().mean({a}, keepdim=True)", "{x}.amax({a})", "{x}.amin({a}, keepdim=True)", "{x}.sum()",
    "{x}.float().logsumexp({a})", "{x}.prod({a})", "{x}.max({a}).values", "{x}.float().mean()", "{x}.max()",
    "{x}.min({a}, keepdim=True)[0]", "torch.count_nonzero({x}, {a})", "torch.aminmax({x}, dim={a}).max",
    "{x}.float().norm(dim={a})", "{x}.float().norm(p=1, dim={a}, keepdim=True)", "torch.linalg.norm({x}.float())",
    "{x}.float().std({a})", "{x}.float().var({a}, keepdim=True, unbiased=False)", "{x}.any({a})", "({x} != 0).all({a})",
    "{x}.float().mean(dim=(0, -1))", "{x}.sum(dim=({a},), dtype=torch.float64)", "{x}.float().median({a}).values",
    "torch.var_mean({x}.float(), {a})[1]", "{x}.nansum({a})", "{x}.float().quantile(0.5, {a})",
)  # fmt: skip


def unary(g: Growth, x: Value) -> None:
    need(x.is_float)
    g.one(g.rng.choice(UNARY).format(x=x))


def binary(g: Growth, x: Value) -> None:
    need(x.dtype != "bool")
    g.one(g.rng.choice(PAIRS[:9] if g.chance(0.6) else PAIRS).format(x=x, y=other_of(g, x)))


def compare(g: Growth, x: Value) -> None:
    y = g.pick("0", "0.3", other_of(g, x))
    text = f"{x} {g.pick('>', '<', '<=', '==', '!=')} {y}"
    g.one(g.pick(f"({text})", f"({text}).float()", f"({text}).sum()", f"({text}) & ({x} < 2)", f"~({text})"))


def where(g: Growth, x: Value) -> None:
    truths = [v for v in g.values.values() if v.dtype == "bool"]
    condition = str(g.rng.choice(truths)) if truths and g.chance(0.5) else f"{x} > {g.pick('0', other_of(g, x))}"
    g.one(f"torch.where({condition}, {any_value(g)}, {g.pick('0.0', x, '-1e4', other_of(g, x))})")


def clamped(g: Growth, x: Value) -> None:
    need(x.dtype != "bool")
    y = alike(g, x)
    g.one(
        g.pick(
            *(f"{x}.clamp(-1, 1)", f"{x}.clamp(min=0.1)", f"torch.clamp({x}, max={y})", f"{x}.clamp_min(0)"),
            *(f"{x}.masked_fill({y} > 0.5, -2.0)", f"{x}.clip(-0.5, 2)"),
        )
    )


def cast(g: Growth, x: Value) -> None:
    g.one(
        f"{x}.{g.pick('long()', 'int().float()', 'bool()', 'double()', 'to(torch.int32)', 'float()', 'float()')}"
        if g.chance(0.85)
        else f"{x}.{g.pick('half()', 'to(torch.bfloat16)')}"
    )


def reduction(g: Growth, x: Value) -> None:
    g.one(g.rng.choice(REDUCTIONS).format(x=x, a=any_axis(g, x)))


def softmax(g: Growth, x: Value) -> None:
    need(x.is_float)
    a = any_axis(g, x)
    g.one(
        g.pick(f"F.softmax({x}, {a})", f"F.log_softmax({x}, dim={a})", f"F.softmin({x}, {a})", f"{x}.softmax({a}) * 2")
    )


def cumulative(g: Growth, x: Value) -> None:
    a = any_axis(g, x)
    g.one(
        g.pick(
            *(f"{x}.cumsum({a})", f"{x}.flip({a}).cumsum({a})", f"{x}.cumprod({a})", f"torch.cummax({x}, {a}).values"),
            *(f"torch.diff({x}, dim={a})", f"torch.logcumsumexp({x}, {a})", f"({x} > 0).cumsum({a})"),
        )
    )


def logical(g: Growth, x: Value) -> None:
    y = alike(g, x)
    if x.is_float:
        g.one(g.pick(f"torch.logical_and({x} > 0, {y} < 1)", f"({x} > 0) ^ ({y} > 0.5)", f"torch.isfinite({x})"))
    else:
        g.one(g.pick(f"{x} & {y}", f"{x} | {y}", f"{x} ^ {y}", f"torch.logical_not({x})", f"{x} << 1", f"{x} >> 1"))


def distances(g: Growth, x: Value) -> None:
    need(x.is_float and x.rank >= 2)
    y = alike(g, x)
    g.one(
        g.pick(
            *(f"F.cosine_similarity({x}, {y} + 0.1, dim={any_axis(g, x)})", f"torch.cdist({x}, {x} * 0.5)"),
            *(
                f"F.mse_loss({x}, {y} * 2)",
                f"F.smooth_l1_loss({x}, {y} + 1, reduction='none')",
                f"F.l1_loss({x}, -{x})",
            ),
            *(f"F.normalize({x}, dim={any_axis(g, x)})", f"F.pairwise_distance({x}, {y} + 1)"),
        )
    )


STEPS: dict[Step, int] = {
    unary: 8, binary: 10, compare: 3, where: 3, clamped: 2, cast: 2, reduction: 7, softmax: 2, cumulative: 2,
    logical: 1, distances: 1,
}  # fmt: skip
