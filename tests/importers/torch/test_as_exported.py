"""Programs that are read as they were exported, and those that torch has to take apart: the same results either way."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'anytile[torch]'")

import anytile  # noqa: E402  # behind the line that skips
from anytile.importers.torch import exported, walk  # noqa: E402
from anytile.importers.torch.exported import import_program  # noqa: E402

F, nn, export = torch.nn.functional, torch.nn, torch.export.export
X = (torch.randn(2, 4, 6, 6),)


class Said(nn.Module):  # type: ignore[misc]  # a package without types
    """A function of a tensor as a model."""

    def __init__(self, means: Any) -> None:
        super().__init__()
        self.means = means
        self.conv, self.norm = nn.Conv2d(4, 4, 3, padding=1), nn.BatchNorm2d(4)
        self.register_buffer("seen", torch.zeros(6, 6))

    def forward(self, x: Any) -> Any:
        return self.means(self, x)


def residual(m: Any, x: Any) -> Any:
    y = F.relu(m.norm(m.conv(x)), inplace=True)
    y = m.conv(y)
    y += x
    return F.hardtanh(y, inplace=True)


def twice_itself(m: Any, x: Any) -> Any:
    y = x * 2
    y.add_(y)
    y.mul_(3)
    return y


def moved(m: Any, x: Any) -> Any:
    a, b = x.flatten(1).unflatten(1, (4, 36)).transpose(1, 2).chunk(2, dim=2)
    a = torch.ones_like(a).contiguous() + torch.arange(2, dtype=torch.float32).expand_as(a)
    return F.dropout(torch.concat([a, b.square()]).reshape(2, -1).type_as(x), training=m.training), a.to(torch.int64)


def without_gradients(m: Any, x: Any) -> Any:
    with torch.no_grad():
        scale = torch.arange(6).float() / x.shape[2]
    with torch.autocast("cpu", enabled=False):
        return (x.float() * scale).sin()


def said_in_other_words(m: Any, x: Any) -> Any:
    a, b = x > 0, x < 1
    y = torch.where(a, x, 2.0) + torch.where(b, 0.5, x) + torch.max(x, x.mean()) + torch.min(x, x[:, :1])
    z = torch.outer(x[0, 0, 0], x[0, 0, 1]).tile(2, 3)
    return y, ((a & b) | (x > 2)) ^ b, z / 3, torch.where(a, 1.0, 2.0), torch.broadcast_to(z, (2, *z.shape)) + z.T.sum()


def lengths_and_directions(m: Any, x: Any) -> Any:
    v, lengths = m.conv.weight, torch.arange(1, 5, dtype=torch.float32)
    made = [
        torch._weight_norm(v, lengths.narrow(0, 0, v.shape[d]).view(s), d) for d, s in ((0, (4, 1, 1, 1)), (2, (3, 1)))
    ]
    return (*made, torch._weight_norm(v, lengths[3], -1), x.mean())


def repeated(m: Any, x: Any) -> Any:
    return x.repeat_interleave(3), x.repeat_interleave(2, -1), torch.repeat_interleave(x, 2, dim=1, output_size=8)


def spread(m: Any, x: Any) -> Any:
    return x.var(), x.std(False), x.std(1), x.var(2, False, True), *torch.var_mean(x, (1, 3), unbiased=False), x.mean()


def seen_behind_the_last_write(m: Any, x: Any) -> Any:
    y = torch.zeros_like(x)
    y.scatter_(3, x.argmax(-1, keepdim=True), 1.0)
    y += 1
    return y.flatten(1).view(-1) * 2


def between_neighbours(m: Any, x: Any) -> Any:
    n = x.shape[0]
    a, b = torch.broadcast_tensors(x[:, :1, :1, :1], torch.arange(4.0)[:, None, None])
    ends = torch.zeros(n, 4, 6, 2)
    return (
        a + b,
        x.diff(),
        x.diff(2, dim=2),
        (x > 0).diff(dim=0),
        x.diff(prepend=ends),
        x.diff(1, 3, append=ends),
        x.diff(n=7),
    )


STANDING = [
    seen_behind_the_last_write,
    between_neighbours,
    spread,
    lengths_and_directions,
    repeated,
    said_in_other_words,
    residual,
    twice_itself,
    moved,
    without_gradients,
]


def seen_by_a_view(m: Any, x: Any) -> Any:
    y = x * 2
    z = y.view(-1)
    y.add_(1)
    return z * 3


def cast_to_itself(m: Any, x: Any) -> Any:
    y = x * 2
    z, w = y.type_as(x), y.to(torch.float32)
    z.add_(1)
    w.mul_(3)
    return y


def seen_by_a_broadcast(m: Any, x: Any) -> Any:
    y = x * 2
    z, _ = torch.broadcast_tensors(y, x[0])
    y.add_(1)
    return z * 3


def written_as_a_broadcast(m: Any, x: Any) -> Any:
    y = x * 2
    z, _ = torch.broadcast_tensors(y, x[0])
    z.add_(1)
    return y * 3


def written_by_parts(m: Any, x: Any) -> Any:
    y = x * 2
    y[:, 0] = 5
    return y


def what_came_in(m: Any, x: Any) -> Any:
    return x.view(-1).contiguous().relu_() + 1


def state(m: Any, x: Any) -> Any:
    m.seen.add_(x[0, 0])
    return x * m.seen


def in_branches(m: Any, x: Any) -> Any:
    return torch.cond(x.sum() > 0, lambda x: x.clone().relu_(), lambda x: x * 2, (x,))


def composite(m: Any, x: Any) -> Any:
    return torch.trapezoid(x)


APART = [
    seen_by_a_view,
    seen_by_a_broadcast,
    written_as_a_broadcast,
    cast_to_itself,
    written_by_parts,
    state,
    in_branches,
    composite,
]


@pytest.fixture
def whole(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether each program that is imported stands as it was exported."""
    said: list[bool] = []
    found = exported.lone_writes

    def noting(*args: Any) -> Any:
        alone = found(*args)
        said.append(alone is not None)
        return alone

    monkeypatch.setattr(exported, "lone_writes", noting)
    return said


def program(means: Any) -> tuple[Any, Any]:
    torch.manual_seed(0)
    model = Said(means).eval()
    return model, export(model, X)


def results(found: Any) -> list[Any]:
    return [np.asarray(r) for r in (found if isinstance(found, list | tuple) else [found])]


@pytest.mark.parametrize("means", STANDING)
def test_what_stands_is_not_taken_apart(means: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    model, said = program(means)
    monkeypatch.setattr(type(said), "run_decompositions", lambda *_: pytest.fail("it was taken apart"))
    wanted = model(X[0].clone())
    found = anytile.Session(anytile.compile(said))(X[0].numpy())
    for f, w in zip(results(found), wanted if isinstance(wanted, tuple) else (wanted,), strict=True):
        np.testing.assert_allclose(f, w.detach().numpy(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("means", APART)
def test_what_does_not_stand_is_taken_apart(means: Any, whole: list[bool]) -> None:
    model, said = program(means)
    given = [X[0].numpy(), np.zeros((6, 6), np.float32)][: 2 if means is state else 1]
    found = anytile.Session(anytile.compile(said))(*given)
    assert whole == [False]
    np.testing.assert_allclose(results(found)[0], model(X[0].clone()).detach().numpy(), rtol=1e-4, atol=1e-5)


def test_a_write_to_what_came_in_is_not_overlooked(whole: list[bool]) -> None:
    said = program(what_came_in)[1]
    with pytest.raises(anytile.AnytileError, match="the program writes to its argument x"):
        import_program(said)
    assert whole == [False]


def test_what_is_not_supported_as_it_stands_is_taken_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """A row may be for some forms of an operator alone."""
    said = program(moved)[1]

    monkeypatch.setattr(walk, "ROWS", {name: row for name, row in walk.ROWS.items() if name != "square"})
    assert import_program(said).module.functions
