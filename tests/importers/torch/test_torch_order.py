"""What torch makes of the order of elements: extremes so far, medians, places among others, how often they occur."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'anytile[torch]'")

from tests.importers.torch.test_torch_operators import (  # noqa: E402  # behind the line that skips
    Made,
    held,
    held_both_ways,
    normal,
    whole,
)

SIZES = (1, 4, 7)
EDGES = torch.tensor([0.0, -0.0, 1.0, -1.0, float("inf"), -float("inf"), float("nan"), 2.5, -2.5, 0.1, 6.0])


def edges(n: int) -> Any:
    """Rows of numbers at the edges, each of which begins at another."""
    return torch.stack([EDGES.roll(-i) for i in range(n)]) if n else EDGES[:0, None].expand(0, 11)


@pytest.mark.slow
def test_what_all_up_to_each_make(capfd: pytest.CaptureFixture[str]) -> None:
    def made(x: Any, i: Any, e: Any) -> Made:
        return {
            "products": x.cumprod(0),
            "products of rows": x.cumprod(-1),
            "products of integers": i.cumprod(1),
            "products of truths": (i > -3).cumprod(1),
            "products as floats": i.cumprod(1, dtype=torch.float32),
            "of a scalar": x.sum().cumprod(0),
            "exponentials": x.logcumsumexp(0),
            "exponentials at the edges": e.logcumsumexp(1),
            "exponentials of large numbers": (x * 1000).logcumsumexp(-1),
            **{f"maxima {k}": v for k, v in enumerate((*x.cummax(0), *x.cummax(-1), *e.cummax(1), *i.cummax(1)))},
            **{f"minima {k}": v for k, v in enumerate((*x.cummin(0), *x.cummin(-1), *e.cummin(1), *i.cummin(1)))},
            **{f"of equal ones {k}": v for k, v in enumerate((*(i % 2).cummax(1), *(i % 2).cummin(0)))},
            **{f"truths {k}": v for k, v in enumerate((*(i > 0).cummax(1), *(i > 0).cummin(1)))},
            "bytes": i.abs().to(torch.uint8).cummin(1)[0],
        }

    held_both_ways(made, lambda n: (normal(n, 6), whole(n, 6), edges(n)), (0, *SIZES), capfd)


@pytest.mark.slow
def test_elements_at_a_place_of_the_order(capfd: pytest.CaptureFixture[str]) -> None:
    def made(x: Any, i: Any, e: Any) -> Made:
        return {
            "median": x.median(),
            **{f"truths {k}": v for k, v in enumerate((x > 0).sort(dim=1, stable=True))},
            **{f"truths falling {k}": v for k, v in enumerate((x > 0).sort(dim=0, descending=True, stable=True))},
            "median of integers": i.median(),
            "median where one is none": e.median(),
            "median of numbers": e.nanmedian(),
            **{f"rows {k}": v for k, v in enumerate((*x.median(1), *x[:, :4].median(-1), *x.median(0, keepdim=True)))},
            **{f"where one is none {k}": v for k, v in enumerate((*e.median(1), *e[:, :3].median(1)))},
            **{f"of numbers {k}": v for k, v in enumerate((*e.nanmedian(1), *e.nanmedian(0, keepdim=True)))},
            "of no number": (e * float("nan")).nanmedian(1)[0],
            "median of rows of integers": i.median(1)[0],
            **{f"kth {k}": v for k, v in enumerate((*x.kthvalue(2), *x.kthvalue(1, 0, keepdim=True), *e.kthvalue(11)))},
            "quantiles": x.quantile(torch.tensor([0.1, 0.5]), 1),
        }

    held_both_ways(made, lambda n: (normal(n, 6), whole(n, 6), edges(n)), SIZES, capfd)


@pytest.mark.slow
def test_where_numbers_stand_among_others(capfd: pytest.CaptureFixture[str]) -> None:
    borders = torch.tensor([-1.0, 0.0, 0.0, 0.5, 2.5])

    def made(x: Any, i: Any, e: Any) -> Made:
        rows = x.sort(1)[0]
        return {
            "left": torch.bucketize(e, borders),
            "right": torch.bucketize(e, borders, right=True),
            "small integers": torch.bucketize(x, borders, out_int32=True),
            "integers": torch.bucketize(i, torch.tensor([-3, 0, 2]), right=True),
            "one number": torch.bucketize(0.25, borders),
            "row by row": torch.searchsorted(rows, x * 2),
            "row by row, right": torch.searchsorted(rows, rows, right=True),
            "by a side": torch.searchsorted(borders, e, side="right"),
            "of no order": torch.searchsorted(x, x * 2, sorter=x.argsort(1)),
            "one number among rows": torch.searchsorted(x[:, 0].sort()[0], 0.1),
        }

    held_both_ways(made, lambda n: (normal(n, 6), whole(n, 6), edges(n)), (0, *SIZES), capfd)


@pytest.mark.slow
def test_histograms() -> None:
    def made(x: Any, classes: Any) -> Made:
        return {
            "floats": torch.histc(x, bins=7, min=-1, max=1.5),
            "classes": torch.histc(classes.float(), bins=9, min=0, max=8),
        }

    held(made, lambda n: (normal(n, 9), whole(n, 5).abs()), SIZES)


@pytest.mark.slow
def test_how_often_elements_occur(capfd: pytest.CaptureFixture[str]) -> None:
    def made(x: Any) -> Made:
        return {"between": torch.histc(x, 5, -1, 1), "all": torch.histc(x, 4), "of one": torch.histc(x * 0 + 3, 4)}

    held_both_ways(made, lambda n: (normal(n, 6),), SIZES, capfd)

    def counted(i: Any) -> Made:
        classes = i[:, 0].abs()
        values, places, counts = torch.unique(i, return_inverse=True, return_counts=True)
        firsts, stretches, lengths = torch.unique_consecutive(i % 2, return_inverse=True, return_counts=True)
        return {
            "counts": torch.bincount(classes, minlength=3),
            "weighted": torch.bincount(classes, weights=i[:, 1] * 0.5),
            "values": values,
            "places": places,
            "how often": counts,
            "values alone": torch.unique(i[:, 0]),
            "firsts": firsts,
            "stretches": stretches,
            "lengths": lengths,
            "firsts alone": torch.unique_consecutive(classes, dim=0),
            "again": classes.repeat_interleave(classes),
            "rows again": i.repeat_interleave(torch.tensor([1, 0, 2, 0, 0, 1]), dim=1),
            "by one number": i.repeat_interleave(torch.tensor(2), dim=1),
        }

    held(counted, lambda n: (whole(n, 6),), SIZES)


@pytest.mark.slow
def test_nothing_has_no_stretches_and_no_classes() -> None:
    def counted(i: Any) -> Made:
        firsts, stretches, lengths = torch.unique_consecutive(i, return_inverse=True, return_counts=True)
        return {
            "counts": torch.bincount(i, minlength=3),
            "firsts": firsts,
            "stretches": stretches,
            "lengths": lengths,
            "again": i.repeat_interleave(i.abs()),
        }

    held(counted, lambda n: (whole(n).abs(),), (0, 1, 5))
