"""Functions of numbers that few models have, and the parts of numbers, against torch: at the edges, too."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'anytile[torch]'")

from anytile.torch_backend import prepare  # noqa: E402  # behind the line that skips
from tests.importers.torch.test_torch_operators import Made, Program, held_both_ways, normal, whole  # noqa: E402
from tests.importers.torch.test_torch_order import SIZES, edges  # noqa: E402

F = torch.nn.functional


@pytest.mark.slow
def test_parts_of_numbers(capfd: pytest.CaptureFixture[str]) -> None:
    def made(x: Any, i: Any, e: Any) -> Made:
        other = e.flip(1)
        return {
            "signs": e.signbit(),
            "signs of integers": i.signbit(),
            "signs of truths": (i > 0).signbit(),
            "signs in 64 bits": e.double().signbit(),
            "sign of another": 1 / torch.copysign(e, other),
            "sign of an integer": torch.copysign(x, i),
            "sign of a number": torch.copysign(i, -2.0),
            "larger number": torch.fmax(e, other),
            "smaller number": torch.fmin(e, other),
            "larger integer": torch.fmax(i, i.flip(1)),
            "smaller of two kinds": torch.fmin(i, x),
            "length": torch.hypot(e, other),
            "length of large ones": torch.hypot(x * 1e30, x.flip(1) * 1e30),
            "times a power": torch.ldexp(x, i),
            "next up": torch.nextafter(e, torch.tensor(float("inf"))) * 1e30,
            "next": torch.nextafter(e, other).view(torch.int32),
            "next in 64 bits": torch.nextafter(e.double(), other.double()),
            "choice of two integers": torch.where(i > 0, 1, 2),
            "one of two truths": torch.maximum(i > 0, x > 0),
            "both of two truths": torch.minimum(i > 0, x > 0),
            "step": torch.heaviside(i, i.flip(1)),
        }

    held_both_ways(made, lambda n: (normal(n, 6), whole(n, 6), edges(n)), (0, *SIZES), capfd)


@pytest.mark.slow
def test_gates_of_any_size_and_slopes_that_are_drawn_in_training(capfd: pytest.CaptureFixture[str]) -> None:
    def made(x: Any) -> Made:
        both = torch.cat((x, x * 2))
        return {"gate": F.glu(both, 0), "slope": F.rrelu(x), "slope between": F.rrelu(x, 0.1, 0.5)}

    held_both_ways(made, lambda n: (normal(n, 6),), SIZES, capfd)


@pytest.mark.slow
def test_special_functions(capfd: pytest.CaptureFixture[str]) -> None:
    def made(x: Any, i: Any, e: Any) -> Made:
        return {
            "lgamma": torch.lgamma(x * 8),
            "lgamma at the edges": torch.lgamma(e),
            "lgamma of integers": torch.lgamma(i),
            "mvlgamma": torch.mvlgamma(x.abs() + 3, 2),
            "digamma": torch.digamma(x * 8),
            "digamma at the edges": torch.where(e == -float("inf"), 0.0, torch.digamma(e)),
            "erfinv": torch.erfinv(x.tanh()),
            "erfinv at the edges": torch.erfinv(e),
            "i0": torch.i0(x * 8),
            "i0 of integers": torch.i0(i),
            "i0e": torch.special.i0e(x * 8),
            "i1": torch.special.i1(x * 8),
            "i1e": torch.special.i1e(x * 8),
            "a window": torch.i0(12 * torch.sqrt(1 - x.tanh() ** 2)) / torch.i0(torch.tensor(12.0)),
        }

    held_both_ways(made, lambda n: (normal(n, 6), whole(n, 6), edges(n)), (0, *SIZES), capfd)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_special_functions_over_all_of_their_ranges(dtype: str) -> None:
    """As close as their dtype lets them be: to torch in 64 bits, where a function is 0 by what is near."""
    kind = getattr(torch, dtype)
    wide = torch.cat((torch.logspace(-30, 6, 300), torch.linspace(0.01, 60, 601), -torch.linspace(0.013, 9.97, 300)))
    near = torch.cat((torch.linspace(-60, 60, 601), torch.logspace(-6, 1.9, 50)))
    inside = torch.cat((torch.linspace(-0.999, 0.999, 401), 1 - torch.logspace(-6.5, -1, 100)))
    functions = {
        "lgamma": (torch.lgamma, wide),
        "digamma": (torch.digamma, wide),
        **({} if dtype == "float64" else {"erfinv": (torch.erfinv, inside)}),
        "i0": (torch.i0, near),
        "i0e": (torch.special.i0e, near),
        "i1": (torch.special.i1, near),
        "i1e": (torch.special.i1e, near),
    }
    room = 2e-6 if dtype == "float32" else 1e-13
    for name, (function, numbers) in functions.items():
        x = numbers.to(kind)
        run = prepare(torch.export.export(Program(lambda x, of=function: {"y": of(x)}), (x,)))
        wanted = function(x.double())
        apart = (run(x)["y"].double() - wanted).abs() / wanted.abs().clamp(
            min=1 if name in ("lgamma", "digamma") else 0
        )
        assert apart.max() < room, (name, x[apart.argmax()], apart.max())
