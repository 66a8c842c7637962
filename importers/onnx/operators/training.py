"""ONNX's optimisers (the preview of training): steps of Adagrad, Adam and Momentum, each a line of arithmetic."""

from __future__ import annotations

from collections.abc import Callable

from anytile.importers.core.graph import Refusal, Value
from anytile.importers.onnx.proto.call import Call, Row

DOMAIN = "ai.onnx.preview.training"
Step = Callable[[Call, Value, Value, list[Value]], tuple[Value, ...]]


def _steps(step: Step, each: int) -> Callable[[Call], tuple[Value, ...]]:
    """One step of every tensor: inputs and results stand kind by kind, those of one kind side by side."""

    def means(c: Call) -> tuple[Value, ...]:
        rate, time, *rest = c.tensors
        count, left = divmod(len(rest), each)
        if left or not count:
            raise Refusal(f"{len(rest)} tensors; expected {each} for each that is optimised")
        made = [step(c, rate, time, rest[i::count]) for i in range(count)]
        return tuple(one[kind] for kind in range(len(made[0])) for one in made)

    return means


def _times(c: Call, x: Value, by: float) -> Value:
    return c.do("multiply", x, c.number(by, x))


def _gradient(c: Call, x: Value, g: Value) -> Value:
    """With the gradient of what keeps weights small."""
    return c.do("add", _times(c, x, c.attr("norm_coefficient", 0.0)), g)


def _begun(c: Call, time: Value, then: Value, else_: Value) -> Value:
    return c.do("where", c.do("greater", time, c.number(0, time)), then, else_)


def _adagrad(c: Call, rate: Value, time: Value, state: list[Value]) -> tuple[Value, ...]:
    x, g, h = state
    steps = _times(c, c.cast(time, rate.dtype), c.attr("decay_factor", 0.0))
    rate = c.do("divide", rate, c.do("add", steps, c.number(1, rate)))
    g = _gradient(c, x, g)
    h = c.do("add", h, c.do("square", g))
    apart = c.do("add", c.do("sqrt", h), c.number(c.attr("epsilon", 0.0), h))
    return c.do("subtract", x, c.do("divide", c.do("multiply", rate, g), apart)), h


def _adam(c: Call, rate: Value, time: Value, state: list[Value]) -> tuple[Value, ...]:
    x, g, v, h = state
    alpha, beta = c.attr("alpha", 0.9), c.attr("beta", 0.999)
    g = _gradient(c, x, g)
    v = c.do("add", _times(c, v, alpha), _times(c, g, 1 - alpha))
    h = c.do("add", _times(c, h, beta), _times(c, c.do("square", g), 1 - beta))
    steps, one = c.cast(time, rate.dtype), c.number(1, rate)
    left = [c.do("subtract", one, c.do("pow", c.number(base, rate), steps)) for base in (alpha, beta)]
    corrected = c.do("divide", c.do("multiply", rate, c.do("sqrt", left[1])), left[0])
    rate = _begun(c, time, corrected, rate)
    apart = c.do("add", c.do("sqrt", h), c.number(c.attr("epsilon", 0.0), h))
    x = c.do("subtract", x, c.do("multiply", rate, c.do("divide", v, apart)))
    return _times(c, x, 1 - c.attr("norm_coefficient_post", 0.0)), v, h


def _momentum(c: Call, rate: Value, time: Value, state: list[Value]) -> tuple[Value, ...]:
    x, g, v = state
    alpha, mode = c.attr("alpha"), str(c.attr("mode"))
    if mode not in ("standard", "nesterov"):
        raise Refusal(f"mode={mode}; expected standard or nesterov")
    g = _gradient(c, x, g)
    by = _begun(c, time, c.number(c.attr("beta"), g), c.number(1, g))
    v = c.do("add", _times(c, v, alpha), c.do("multiply", by, g))
    step = v if mode == "standard" else c.do("add", g, _times(c, v, alpha))
    return c.do("subtract", x, c.do("multiply", rate, step)), v


ROWS = (
    Row("Adagrad", _steps(_adagrad, 3), domain=DOMAIN),
    Row("Adam", _steps(_adam, 4), domain=DOMAIN),
    Row("Momentum", _steps(_momentum, 3), domain=DOMAIN),
)
