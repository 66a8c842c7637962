"""Functions of numbers that few models have, and the parts of numbers, against torch: at the edges, too."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'anytile[torch]'")

from tests.importers.torch.test_torch_operators import Made, held_both_ways, normal, whole  # noqa: E402  # behind the skip
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
            "step": torch.heaviside(i, i.flip(1)),
        }

    held_both_ways(made, lambda n: (normal(n, 6), whole(n, 6), edges(n)), (0, *SIZES), capfd)


@pytest.mark.slow
def test_gates_of_any_size_and_slopes_that_are_drawn_in_training(capfd: pytest.CaptureFixture[str]) -> None:
    def made(x: Any) -> Made:
        both = torch.cat((x, x * 2))
        return {"gate": F.glu(both, 0), "slope": F.rrelu(x), "slope between": F.rrelu(x, 0.1, 0.5)}

    held_both_ways(made, lambda n: (normal(n, 6),), SIZES, capfd)
