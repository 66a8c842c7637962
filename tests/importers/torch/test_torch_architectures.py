"""Published architectures at small sizes, with random weights, by torch.export and by ONNX files that torch writes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'anytile[torch]'")

import anytile  # noqa: E402  # behind the line that skips
from anytile.torch_backend import prepare  # noqa: E402

nn, F, Dim = torch.nn, torch.nn.functional, torch.export.Dim
WAYS = ("export", "onnx")
pytestmark = pytest.mark.slow


def run_of(way: str, model: Any, example: Sequence[Any], dynamic: Any, folder: Path) -> Any:
    if way == "export":
        return prepare(torch.export.export(model, tuple(example), dynamic_shapes=dynamic))
    pytest.importorskip("onnxscript", reason="onnxscript is not installed, by which torch writes ONNX files")
    path = folder / "model.onnx"
    torch.onnx.export(model, tuple(example), str(path), dynamo=True, dynamic_shapes=dynamic, verbose=False)
    run = anytile.Session(anytile.compile(path))

    def called(*arguments: Any) -> Any:
        return torch.from_numpy(run(*(a.numpy() for a in arguments)))

    return called


@torch.no_grad()  # type: ignore[untyped-decorator]  # a package without types
def held(way: str, model: Any, dynamic: Any, given: Sequence[Sequence[Any]], folder: Path) -> None:
    """What a model makes of several arguments, of which the first are the example."""
    for layer in model.modules():
        if isinstance(layer, nn.BatchNorm2d):
            layer.running_mean.normal_()
            layer.running_var.uniform_(0.5, 2)
    run = run_of(way, model.eval(), given[0], dynamic, folder)
    for arguments in given:
        torch.testing.assert_close(run(*arguments), model(*arguments), rtol=1e-4, atol=1e-5)


class DistilBert(nn.Module):  # type: ignore[misc]  # a package without types
    """No kinds of tokens and no pooler; what is masked gets the lowest number there is."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.places, self.norm = nn.Embedding(40, 16), nn.Embedding(32, 16), nn.LayerNorm(16)
        self.q, self.k, self.v, self.out = (nn.Linear(16, 16) for _ in range(4))
        self.up, self.down = nn.Linear(16, 32), nn.Linear(32, 16)
        self.first, self.second = nn.LayerNorm(16), nn.LayerNorm(16)

    def forward(self, ids: Any, mask: Any) -> Any:
        batch, steps = ids.shape
        x = self.norm(self.words(ids) + self.places(torch.arange(steps))[None])
        q, k, v = (f(x).view(batch, steps, 2, 8).transpose(1, 2) for f in (self.q, self.k, self.v))
        scores = (q / 8**0.5) @ k.transpose(2, 3)
        scores = scores.masked_fill((mask == 0)[:, None, None, :], torch.finfo(torch.float32).min)
        x = self.first(x + self.out((scores.softmax(-1) @ v).transpose(1, 2).reshape(batch, steps, 16)))
        return self.second(x + self.down(F.gelu(self.up(x))))


@pytest.mark.parametrize("way", WAYS)
def test_distilbert(way: str, tmp_path: Path) -> None:
    def given(batch: int, steps: int) -> tuple[Any, Any]:
        mask = torch.ones(batch, steps, dtype=torch.int64)
        mask[0, (steps + 1) // 2 :] = 0
        return torch.randint(0, 40, (batch, steps)), mask

    sizes = {0: Dim("batch"), 1: Dim("steps", max=32)}
    held(way, DistilBert(), (sizes, sizes), [given(2, 5), given(1, 1), given(3, 17)], tmp_path)


def convolved(narrow: int, wide: int, kernel: int, stride: int, groups: int, last: Any) -> Any:
    layer = nn.Conv2d(narrow, wide, kernel, stride, kernel // 2, groups=groups, bias=False)
    return nn.Sequential(layer, nn.BatchNorm2d(wide), last)


class Inverted(nn.Module):  # type: ignore[misc]  # a package without types
    """An inverted residual: MobileNet v2's with relu6, EfficientNet's with silu, squeeze and excitation."""

    def __init__(self, narrow: int, wide: int, stride: int, kernel: int, is_efficient: bool) -> None:
        super().__init__()
        inner = narrow * 4
        last = nn.SiLU() if is_efficient else nn.ReLU6()
        self.up = convolved(narrow, inner, 1, 1, 1, last)
        self.own = convolved(inner, inner, kernel, stride, inner, last)
        self.squeeze, self.excite = nn.Conv2d(inner, 4, 1), nn.Conv2d(4, inner, 1)
        self.down = convolved(inner, wide, 1, 1, 1, nn.Identity())
        self.is_efficient, self.is_added = is_efficient, narrow == wide and stride == 1

    def forward(self, x: Any) -> Any:
        y = self.own(self.up(x))
        if self.is_efficient:
            y = y * self.excite(F.silu(self.squeeze(F.adaptive_avg_pool2d(y, 1)))).sigmoid()
        y = self.down(y)
        return x + y if self.is_added else y


class Images(nn.Module):  # type: ignore[misc]  # a package without types
    def __init__(self, is_efficient: bool) -> None:
        super().__init__()
        last = nn.SiLU() if is_efficient else nn.ReLU6()
        self.body = nn.Sequential(
            convolved(3, 8, 3, 2, 1, last),
            Inverted(8, 8, 1, 3, is_efficient),
            Inverted(8, 12, 2, 5 if is_efficient else 3, is_efficient),
            convolved(12, 24, 1, 1, 1, last),
            nn.AdaptiveAvgPool2d(1),
            nn.Flatten(),
            nn.Dropout(0.2),
            nn.Linear(24, 10),
        )

    def forward(self, x: Any) -> Any:
        return self.body(x)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ["mobilenet v2", "efficientnet"])
def test_inverted_residuals(name: str, way: str, tmp_path: Path) -> None:
    given = [(torch.randn(n, 3, 16, 16),) for n in (2, 1, 5)]
    held(way, Images(name == "efficientnet"), ({0: Dim("n")},), given, tmp_path)


class Mixture(nn.Module):  # type: ignore[misc]  # a package without types
    """One of two experts, as a gate over all rows says."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = nn.Linear(8, 2)
        self.small, self.large = nn.Linear(8, 8), nn.Sequential(nn.Linear(8, 32), nn.GELU(), nn.Linear(32, 8))

    def forward(self, x: Any) -> Any:
        chance = self.gate(x).softmax(-1).mean(0)
        made = torch.cond(chance[0] > chance[1], lambda x: self.small(x), lambda x: self.large(x), (x,))
        return x + made * chance.max()


@pytest.mark.parametrize("way", WAYS)
def test_a_mixture(way: str, tmp_path: Path) -> None:
    model = Mixture()
    given = [(torch.randn(n, 8) * s,) for n, s in ((3, 1), (1, 5), (1, -5), (9, 3))]
    held(way, model, ({0: Dim("n")},), given, tmp_path)


def kept(boxes: Any, scores: Any, limit: float) -> Any:
    """Which boxes are kept, best first, as the definition says it."""
    left, found = scores.argsort(descending=True, stable=True).tolist(), []
    area = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    while left:
        best, *left = left
        found.append(best)
        low, high = boxes[left, :2].maximum(boxes[best, :2]), boxes[left, 2:].minimum(boxes[best, 2:])
        shared = (high - low).clamp(min=0).prod(1)
        overlap = shared / (area[best] + area[left] - shared)
        left = [i for i, o in zip(left, overlap.tolist(), strict=True) if o <= limit]
    return torch.tensor(found, dtype=torch.int64)


@cache
def suppression() -> Any:
    """torchvision's operator; where that package is missing, one of the same name and meaning."""
    try:
        import torchvision  # noqa: F401
    except ImportError:
        name = "torchvision::nms"
        torch.library.define(name, "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        torch.library.impl(name, "cpu", kept)
        torch.library.register_fake(
            name,
            lambda dets, scores, limit: dets.new_empty(torch.library.get_ctx().new_dynamic_size(), dtype=torch.int64),
        )
    return torch.ops.torchvision.nms


class Yolo(nn.Module):  # type: ignore[misc]  # a package without types
    """Boxes and scores of one image over two scales; what overlaps in one class is dropped."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Conv2d(3, 8, 3, 2, 1), nn.Conv2d(8, 16, 3, 2, 1)
        self.head, self.suppress = nn.Conv2d(24, 4 + 3, 1), suppression()

    def forward(self, x: Any) -> Any:
        a = F.silu(self.first(x))
        b = F.silu(self.second(a))
        made = self.head(torch.cat([a, F.interpolate(b, scale_factor=2, mode="nearest")], 1))[0].flatten(1).t()
        middle, sides, (best, kind) = made[:, :2] * 20, made[:, 2:4].exp() * 9, made[:, 4:].sigmoid().max(1)
        boxes = torch.cat([middle - sides / 2, middle + sides / 2], 1)
        rows = self.suppress(boxes + kind[:, None].float() * 1e3, best, 0.45)
        return torch.cat([boxes[rows], best[rows, None], kind[rows, None].float()], 1)


def test_yolo_with_suppression() -> None:
    torch.manual_seed(0)
    model = Yolo().eval()
    given = [(torch.randn(1, 3, n, n),) for n in (8, 4, 16)]
    half = Dim("half", min=1, max=16)
    with torch.no_grad():
        run = prepare(torch.export.export(model, given[0], dynamic_shapes=({2: 4 * half, 3: 4 * half},)))
        for arguments in given:
            wanted = model(*arguments)
            assert 0 < len(wanted) <= (arguments[0].shape[2] // 2) ** 2
            torch.testing.assert_close(run(*arguments), wanted, rtol=1e-4, atol=1e-4)


def test_suppression_keeps_what_the_definition_says() -> None:
    class Kept(nn.Module):  # type: ignore[misc]  # a package without types
        def __init__(self) -> None:
            super().__init__()
            self.suppress = suppression()

        def forward(self, boxes: Any, scores: Any) -> Any:
            return self.suppress(boxes, scores, 0.3)

    n = Dim("n")
    run = prepare(torch.export.export(Kept(), (torch.ones(3, 4), torch.ones(3)), dynamic_shapes=({0: n}, {0: n})))
    rng = np.random.default_rng(0)
    for count in (0, 1, 2, 60):
        corner = torch.from_numpy(rng.uniform(0, 10, (count, 2)).astype(np.float32))
        boxes = torch.cat([corner, corner + torch.from_numpy(rng.uniform(1, 6, (count, 2)).astype(np.float32))], 1)
        scores = torch.from_numpy(rng.uniform(-1, 1, count).astype(np.float32))
        assert run(boxes, scores).tolist() == kept(boxes, scores, 0.3).tolist()
