"""torch.compile(backend="anytile"): weights that change, sizes 0 and 1, writes, numbers, what torch runs itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'anytile[torch]'")

from anytile import torch_backend  # noqa: E402  # behind the line that skips
from anytile.core.errors import SpecError  # noqa: E402  # behind the line that skips
from anytile.importers.torch import dynamo  # noqa: E402
from anytile.torch_backend import backend  # noqa: E402

nn, F = torch.nn, torch.nn.functional


@pytest.fixture(autouse=True)
def inference() -> Iterator[None]:
    torch._dynamo.reset()
    with torch.no_grad():
        yield


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Every program that is compiled."""
    programs: list[Any] = []
    new = dynamo.Programs._new

    def noted(*given: Any) -> Any:
        programs.append(new(*given))
        return programs[-1]

    monkeypatch.setattr(dynamo.Programs, "_new", noted)
    return programs


class Layer(nn.Module):  # type: ignore[misc]  # a package without types
    def __init__(self) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(10, 8), nn.Embedding(16, 8)
        self.layer, self.norm = nn.Linear(8, 8), nn.LayerNorm(8)

    def forward(self, ids: Any, mask: Any) -> Any:
        batch, steps = ids.shape
        x = self.words(ids) + self.places(torch.arange(steps))
        q = self.norm(F.gelu(self.layer(x))).view(batch, steps, 2, 4).transpose(1, 2)
        seen = F.scaled_dot_product_attention(q, q, q, attn_mask=mask[:, None, None, :].bool())
        return seen.transpose(1, 2).reshape(batch, steps, 8)


def compiled(model: Any) -> Any:
    return torch.compile(model, backend=backend, dynamic=True)


def same(found: Any, wanted: Any) -> None:
    torch.testing.assert_close(found, wanted, rtol=1e-4, atol=1e-5)


def ids(batch: int, steps: int) -> tuple[Any, Any]:
    return torch.randint(0, 10, (batch, steps)), torch.ones(batch, steps, dtype=torch.int64)


@pytest.mark.slow
def test_torch_finds_it_by_name() -> None:
    model = nn.Linear(4, 4)
    same(torch.compile(model, backend="anytile", dynamic=True)(torch.ones(3, 4)), model(torch.ones(3, 4)))
    assert "anytile" in torch.compiler.list_backends()


@pytest.mark.slow
def test_sizes_of_1_are_served_by_the_program_of_any_size(made: list[Any]) -> None:
    model = Layer().eval()
    fast = compiled(model)
    for batch, steps in ((2, 9), (3, 7), (1, 9), (1, 1), (7, 1)):
        given = ids(batch, steps)
        same(fast(*given), model(*given))
    assert len(made) == 1
    given = ids(0, 3)
    same(fast(*given), model(*given))


def test_what_torch_knows_of_a_size_is_what_a_program_serves(capfd: pytest.CaptureFixture[str]) -> None:
    """Graphs that say the same, of which one is of no more rows than a part has."""

    def part(x: Any) -> Any:
        return torch.split(x, 3, 0)[0] * 2

    fast = compiled(part)
    for rows in (3, 4, 2, 7, 4, 3):
        x = torch.randn(rows, 2)
        same(fast(x), part(x))
    assert capfd.readouterr().err == ""


def test_weights_that_are_written_are_seen(made: list[Any]) -> None:
    model = nn.Linear(4, 4)
    fast, x = compiled(model), torch.randn(3, 4)
    same(fast(x), model(x))
    same(fast(x), model(x))
    assert len(made) == 1
    model.weight.mul_(2)
    same(fast(x), model(x))
    model.weight.data = torch.randn(4, 4)
    same(fast(x), model(x))
    model.bias = nn.Parameter(torch.randn(4))
    same(fast(x), model(x))
    model.load_state_dict({k: v + 1 for k, v in model.state_dict().items()}, assign=True)
    same(fast(x), model(x))
    assert len(made) <= 5
    model.weight.data.mul_(2)  # which torch does not count
    torch.autograd.graph.increment_version(model.weight)
    same(fast(x), model(x))
    assert len(made) <= 6


def test_an_optimizers_step_is_seen(made: list[Any]) -> None:
    model = nn.Linear(4, 4)
    steps = (torch.optim.SGD(model.parameters(), 0.5), torch.optim.Adam(model.parameters(), 0.5, foreach=True))
    fast, x = compiled(model), torch.randn(3, 4)
    for optimizer in steps:
        same(fast(x), model(x))
        for weight in model.parameters():
            weight.grad = torch.ones_like(weight)
        optimizer.step()
        same(fast(x), model(x))
    assert len(made) == 3


def test_a_weight_that_always_changes_becomes_an_input(made: list[Any]) -> None:
    model = nn.Linear(4, 4)
    fast, x = compiled(model), torch.randn(3, 4)
    for _ in range(3 * dynamo.CHANGES):
        model.bias.add_(1)
        same(fast(x), model(x))
    assert len(made) <= dynamo.CHANGES + 1


@pytest.mark.slow
def test_what_is_written_is_written_in_place() -> None:
    class Cache(nn.Module):  # type: ignore[misc]  # a package without types
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("rows", torch.zeros(8, 4))

        def forward(self, x: Any, at: Any, other: Any) -> Any:
            self.rows.index_copy_(0, at, x)
            other[:, : x.shape[0]] = x.t()
            return self.rows.sum(0)

    model, wanted = Cache(), Cache()
    fast, rows = compiled(model), model.rows
    for n in (3, 2, 1):
        x, at, given, other = torch.randn(n, 4), torch.arange(n) + n, torch.zeros(4, 8), torch.zeros(4, 8)
        same(fast(x, at, given), wanted(x, at, other))
        same(given, other)
        same(rows, wanted.rows)
    assert model.rows is rows


@pytest.mark.slow
def test_results_that_are_numbers_views_or_nothing() -> None:
    def function(x: Any, n: int) -> Any:
        y = x * 2
        return y.t(), x.shape[0] * 2, x[:n], y, None, y[0]

    fast, x = compiled(function), torch.randn(5, 4)
    for n in (2, 3):
        found, wanted = fast(x, n), function(x, n)
        assert (found[1], found[4]) == (10, None)
        assert found[0].stride() == wanted[0].stride()
        for i in (0, 2, 3, 5):
            same(found[i], wanted[i])
        found[2].add_(1)  # a view of the argument
        same(found[2], x[:n])
    assert fast(torch.ones(3, 4), 2)[1] == 6


@pytest.mark.slow
@torch._dynamo.config.patch(capture_scalar_outputs=True)  # type: ignore[untyped-decorator]
def test_numbers_that_are_data(made: list[Any]) -> None:
    def signed(x: Any, y: Any) -> Any:
        n = x.item()
        return y * (n + 1), y[:2] + n * y.shape[0], n / 7, y.shape[0] / 3

    given = torch.tensor(-3), torch.ones(3)
    for found, wanted in zip(compiled(signed)(*given), signed(*given), strict=True):
        assert found == wanted if isinstance(wanted, float) else torch.equal(found, wanted)

    def first(x: Any, y: Any) -> Any:
        return x + y, torch.full((2,), x.item())

    def second(x: Any, y: Any) -> Any:
        return x + y, torch.full((2,), y.item())

    x, y = torch.tensor(3), torch.tensor(5)
    assert compiled(first)(x, y)[1].tolist() == [3, 3]
    assert compiled(second)(x, y)[1].tolist() == [5, 5]
    assert len(made) == 3


@pytest.mark.slow
@torch._dynamo.config.patch(capture_scalar_outputs=True)  # type: ignore[untyped-decorator]
def test_parts_from_a_place_that_is_data_to_the_end(capfd: pytest.CaptureFixture[str]) -> None:
    def parts(x: Any, at: Any) -> Any:
        return x[:, at.item() :] * 2, x[at.item() : -1] * 2

    fast = compiled(parts)
    for at in (3, 0, -2, -100, 100):
        given = torch.randn(5, 7), torch.tensor(at)
        same(fast(*given), parts(*given))
    assert "torch itself" not in capfd.readouterr().err


@pytest.mark.slow
def test_parts_from_a_place_that_sizes_decide_to_the_end(capfd: pytest.CaptureFixture[str]) -> None:
    def part(x: Any, y: Any) -> Any:
        return x[:, 5 - y.shape[0] :] * 2

    fast = compiled(part)
    for count, width in ((3, 9), (7, 9), (30, 11)):
        given = torch.randn(4, width), torch.randn(count)
        same(fast(*given), part(*given))
    assert "torch itself" not in capfd.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("layer", [nn.Conv2d(4, 8, 3, groups=4), nn.ConvTranspose2d(4, 6, 2, stride=2)])
def test_channels_that_only_the_weights_know(layer: Any, capfd: pytest.CaptureFixture[str]) -> None:
    def turned(x: Any) -> Any:
        return layer(x.transpose(0, 1) * 2)

    fast = compiled(turned)
    with torch.no_grad():
        for n in (2, 3):
            x = torch.randn(4, n, 6 + n, 7)
            same(fast(x), turned(x))
    assert capfd.readouterr().err == ""


@pytest.mark.slow
def test_an_image_in_blocks(capfd: pytest.CaptureFixture[str]) -> None:
    model = nn.Sequential(nn.PixelUnshuffle(2), nn.Conv2d(12, 12, 1), nn.PixelShuffle(2)).eval()
    fast = torch.compile(model, backend=backend)
    for n in (2, 3):
        x = torch.randn(n, 3, 6, 10)
        same(fast(x), model(x))
    assert "torch itself" not in capfd.readouterr().err


class Scaled(nn.Module):  # type: ignore[misc]  # a package without types
    """An epsilon and a factor that are floats of Python's, which dynamo hands over as tensors where sizes are open."""

    def __init__(self) -> None:
        super().__init__()
        self.eps, self.scale = 1e-5, 0.5

    def forward(self, x: Any) -> Any:
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + self.eps) * (self.scale / 3 + 1)


@pytest.mark.slow
def test_floats_of_python_are_constants_until_they_change(made: list[Any]) -> None:
    model = Scaled()
    fast = compiled(model)

    def as_torch(*scales: float) -> None:
        for scale in scales:
            model.scale = scale
            for n in (2, 5):
                same(fast(torch.ones(n, 8)), model(torch.ones(n, 8)))

    as_torch(0.5)
    (program,) = made
    assert len(program.numbers) == 2
    assert len(program.feeds) == 1
    as_torch(3.25, 0.75, -8.0)
    assert len(made) == 2
    assert len(made[1].numbers) == 1, "the epsilon is a constant still"


@pytest.mark.slow
def test_ints_of_python_below_zero_are_data(made: list[Any], capfd: pytest.CaptureFixture[str]) -> None:
    """They are sizes until then, which no size is; of 0 and 1 torch makes graphs of their own."""

    def model(x: Any, n: int) -> Any:
        return x * n, x + n // 2, x - n % 3, x.clamp(min=n), x.masked_fill(x > 0, n), n + 1

    fast = compiled(model)
    for rows, n in ((2, 5), (3, 4), (3, -5), (4, -2), (4, 3), (5, -4)):
        x = torch.randn(rows, 9)
        same(fast(x, n), model(x, n))
    assert len(made) == 2
    far = compiled(lambda x, n: x + abs(n))
    for n in (-3, -7):
        same(far(torch.ones(2), n), torch.ones(2) - n)
    assert capfd.readouterr().err == ""


@pytest.mark.slow
@pytest.mark.parametrize("dim", [0, 2])
def test_weights_that_are_a_length_and_a_direction(dim: int, made: list[Any]) -> None:
    """As those of vocoders are; what is computed of weights alone is so ahead of time."""
    layer = nn.utils.parametrizations.weight_norm(nn.Conv1d(4, 6, 3, padding=1), dim=dim)
    layer.parametrizations.weight.original0.uniform_(0.5, 2)
    fast = compiled(layer)
    for n in (2, 5):
        x = torch.randn(n, 4, 9)
        same(fast(x), layer(x))
    (program,) = made
    assert len(program.fixed) == 3
    assert len(program.feeds) == 1


def test_a_float_that_is_nan_is_the_same_again() -> None:
    zero, nan = (torch.tensor(x, dtype=torch.float64) for x in (0.0, float("nan")))
    assert dynamo._values([nan]) == dynamo._values([nan.clone()])
    assert dynamo._values([zero]) != dynamo._values([-zero])


@pytest.mark.slow
def test_graphs_break_where_values_decide() -> None:
    def function(x: Any) -> Any:
        y = x * 2
        return y.relu() + 1 if y.sum() > 0 else y - 1

    fast = compiled(function)
    for x in (torch.ones(3), -torch.ones(4)):
        same(fast(x), function(x))


@pytest.mark.slow
def test_elements_that_lie_anyhow() -> None:
    model = nn.Linear(4, 4)
    fast, x = compiled(model), torch.randn(4, 6)
    same(fast(x.t()), model(x.t()))
    same(fast(x.t()[::2]), model(x.t()[::2]))
    image = torch.randn(2, 3, 4, 5).to(memory_format=torch.channels_last)
    twice = compiled(lambda x: x * 2)
    found = twice(image)
    same(found, image * 2)
    assert found.stride() == (image * 2).stride()


class Images(nn.Module):  # type: ignore[misc]  # a package without types
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Conv2d(3, 4, 3, 2, 1), nn.Conv2d(4, 4, 3, 1, 1)

    def forward(self, x: Any) -> Any:
        x = F.max_pool2d(self.first(x), 2).relu()
        return (x + self.second(x)).mean((2, 3))


def bound(program: Any) -> list[tuple[int, int]]:
    return [(b.axis, b.size) for b in program.bound]


@pytest.mark.slow
def test_images_have_one_size_until_another_is_seen(made: list[Any]) -> None:
    model = Images().eval()
    fast = compiled(model)

    def run(n: int, h: int, w: int) -> int:
        x = torch.randn(n, 3, h, w)
        same(fast(x), model(x))
        return len(made)

    assert [run(2, 9, 12), run(3, 9, 12), run(1, 9, 12)] == [1, 1, 1]
    assert bound(made[0]) == [(2, 9), (3, 12)]
    model.first.weight.mul_(2)
    assert run(2, 9, 12) == 2
    assert bound(made[1]) == [(2, 9), (3, 12)]
    assert [run(2, 9, 14), run(2, 9, 12), run(4, 17, 20), run(1, 30, 4)] == [3] * 4
    assert not made[2].bound


@pytest.mark.slow
def test_a_size_that_varies_is_not_bound(made: list[Any]) -> None:
    model = Images().eval()
    fast, x = compiled(model), torch.randn(2, 3, 9, 12)
    torch._dynamo.mark_dynamic(x, 3)
    same(fast(x), model(x))
    assert bound(made[0]) == [(2, 9)]

    torch._dynamo.reset()  # which also forgets what it saw of the other
    other = Images().eval()
    seen = torch.compile(other, backend=backend)  # without dynamic=True: torch opens what it saw vary
    for w in (12, 14, 16):
        x = torch.randn(2, 3, 9, w)
        same(seen(x), other(x))
    assert len(made) == 3
    assert not made[2].bound


@pytest.mark.slow
def test_what_slides_over_sequences_leaves_their_length_open(made: list[Any]) -> None:
    model = nn.Conv1d(3, 4, 3)
    fast = compiled(model)
    for steps in (9, 7):
        x = torch.randn(2, 3, steps)
        same(fast(x), model(x))
    assert len(made) == 1


def twice(x: Any) -> Any:
    return x * 2


def turned(x: Any) -> Any:
    return (x * 2).t(), x * 2


def cut(x: Any) -> Any:
    return x[:2], x * 2


def written(x: Any) -> Any:
    return x.add_(1) * 2


@pytest.mark.slow
@pytest.mark.parametrize(("function", "passed"), [(twice, True), (turned, True), (cut, False), (written, False)])
def test_torchs_wrappers_are_passed_by_where_they_do_nothing(
    function: Any, passed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []
    within = dynamo.Graph.within

    def noted(graph: Any, wrapped: Any) -> Any:
        return within(graph, lambda *args: calls.append(args) or wrapped(*args))  # type: ignore[func-returns-value]

    monkeypatch.setattr(dynamo.Graph, "within", noted)
    fast = compiled(function)
    for n in (3, 4, 5):
        x = torch.randn(n, 4)
        same(fast(x.clone()), function(x))
    assert len(calls) == passed  # the first, which makes the program
    with torch.enable_grad(), torch.autocast("cpu"):
        same(fast(x.clone()), function(x))


def test_torch_runs_what_is_not_supported(capfd: pytest.CaptureFixture[str]) -> None:
    def function(x: Any) -> Any:
        return torch.linalg.det(x) + torch.linalg.qr(x)[1].sum()

    fast, x = compiled(function), torch.randn(3, 3)
    same(fast(x), function(x))
    same(fast(x), function(x))
    (line,) = capfd.readouterr().err.splitlines()
    assert line.startswith("torch.compile(backend='anytile'): torch itself runs a graph: ")
    assert "_linalg_det" in line
    assert "linalg_qr" in line


@pytest.mark.slow
def test_torch_runs_what_makes_nothing_with_no_word(made: list[Any], capfd: pytest.CaptureFixture[str]) -> None:
    """A graph of views and sizes, as is left where torch breaks a program off; what writes is compiled."""

    def function(x: Any, y: Any) -> Any:
        head = x.view(-1)[: x.shape[0]]
        torch._dynamo.graph_break()
        y.mul_(head.shape[0])

    fast, x, y = compiled(function), torch.randn(3, 4), torch.ones(2)
    fast(x, y)
    same(y, torch.full((2,), 3.0))
    assert capfd.readouterr().err == ""
    assert len(made) == 1


def test_torch_trains(capfd: pytest.CaptureFixture[str]) -> None:
    model = nn.Linear(4, 4)
    fast = compiled(model)
    with torch.enable_grad():
        fast(torch.ones(3, 4)).sum().backward()
    assert model.weight.grad is not None
    assert "gradients are on; call it under torch.no_grad()" in capfd.readouterr().err
    same(fast(torch.ones(3, 4)), model(torch.ones(3, 4)))


def test_modes_and_options_that_say_nothing_are_refused(tmp_path: Path) -> None:
    for given, match in (
        ({"mode": "max-autotune"}, r"expected no mode=; options= are target, precision, db, locked$"),
        ({"options": {"fast": True}}, "fast: expected some of target, precision, db, locked$"),
        ({"options": {"db": 3}}, "db=3: expected text"),
        ({"options": {"precision": "int3"}}, "precision 'int3'"),
        ({"options": {"target": "tpu"}}, "tpu"),
        ({"options": {"locked": tmp_path / "plans"}}, "plans: no such file; `anytile db lock` writes one"),
    ):
        with pytest.raises(SpecError, match=match):
            backend(None, (), **given)


@pytest.mark.slow
def test_options_are_those_of_compile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Programs of other options are others, though weights and graph are the same; torch finds them by the name."""
    asked: list[tuple[Any, dict[str, Any]]] = []
    plain = torch_backend.compile

    def noted(module: Any, target: Any, **given: Any) -> Any:
        asked.append((target, given))
        return plain(module, target, **given)

    monkeypatch.setattr(torch_backend, "compile", noted)
    model, x = nn.Linear(64, 32).eval(), torch.randn(5, 64)
    db = f"sqlite:///{tmp_path / 'plans.sqlite'}"
    for options in (None, {"precision": "int8", "target": "llvm -threads=1"}, {"db": db}, {"precision": "int8"}):
        torch._dynamo.reset()
        fast = torch.compile(model, backend="anytile", dynamic=True, **({"options": options} if options else {}))
        off = (fast(x) - model(x)).abs().max()
        assert (1e-4 < off < 0.05) if options and "precision" in options else off < 1e-5
    none = {"precision": "float32", "db": None, "locked": None}
    assert asked == [
        (None, none),
        ("llvm -threads=1", {**none, "precision": "int8"}),
        (None, {**none, "db": db}),
        (None, {**none, "precision": "int8"}),
    ]
    assert capfd.readouterr().err == ""


def test_inference_tensors_as_weights() -> None:
    with torch.inference_mode():
        model = nn.Linear(4, 4)
        fast, x = compiled(model), torch.randn(3, 4)
        same(fast(x), model(x))
        model.bias.add_(1)
        same(fast(x), model(x))
