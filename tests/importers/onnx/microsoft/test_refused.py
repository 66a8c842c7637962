"""What is refused whatever it reads says so in a line, with what to do, its subgraphs and attributes unread."""

from __future__ import annotations

import pytest

from anytile.core.errors import UnsupportedError
from tests.importers.onnx.microsoft.models import contrib, imported, onnx


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("GreedySearch", "a loop that writes text; export the model that scores the next word"),
        ("QMoE", "experts, of which each row asks some"),
        ("PagedAttention", "a cache that is written in place"),
        ("MatMulBnb4", "codes of bitsandbytes"),
    ],
)
def test_what_is_refused(name: str, said: str) -> None:
    graph = onnx.helper.make_graph([], "decoder", [], [])
    node = contrib(name, ["x"] * 9, ["y"], decoder=graph, some=1)
    with pytest.raises(UnsupportedError, match=f"^1 thing of this model is not supported: {name} .*: {said}"):
        imported([node], {"x": (1, "m")}, ["y"])
