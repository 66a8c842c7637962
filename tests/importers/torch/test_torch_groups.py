"""Rows in groups, each times a matrix of its own, as mixtures of experts in transformers multiply."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'anytile[torch]'")

from tests.importers.torch.test_torch_operators import SIZES, Made, held, normal  # noqa: E402  # behind the line


def _grouped() -> Any:
    """transformers' operator, or the same by its words where that is not installed."""
    try:
        import transformers.integrations.moe  # noqa: F401  # it registers the operator
    except ModuleNotFoundError:

        @torch.library.custom_op("transformers::grouped_mm_fallback", mutates_args=())
        def grouped(input: torch.Tensor, weight: torch.Tensor, offs: torch.Tensor) -> torch.Tensor:
            made, first = input.new_zeros(len(input), weight.shape[2]), 0
            for matrix, last in zip(weight, offs.tolist(), strict=True):
                made[first:last] = input[first:last] @ matrix
                first = last
            return made

        grouped.register_fake(lambda input, weight, offs: input.new_empty(input.shape[0], weight.shape[2]))
    return torch.ops.transformers.grouped_mm_fallback


@pytest.mark.slow
def test_rows_in_groups_times_a_matrix_each() -> None:
    grouped, matrices = _grouped(), normal(4, 6, 5)

    def made(x: Any, experts: Any, others: Any) -> Made:
        ends = torch.cumsum(torch.histc(experts.float(), bins=4, min=0, max=3), 0, dtype=torch.int32)
        return {
            "constant": grouped(x, matrices, ends),
            "transposed": grouped(x, normal(4, 5, 6).transpose(1, 2), ends),
            "given": grouped(x, others.sum(0) + matrices, ends),
        }

    # the second expert has no row, and rows of expert 4, which is none, are 0
    held(made, lambda n: (normal(n, 6), torch.arange(n) % 3 * 2, normal(n, 4, 6, 5)), SIZES)
