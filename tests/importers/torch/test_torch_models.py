"""Torch models of every kind, with random weights, exported and compiled: equal to torch at three sizes, 1 included."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'anytile[torch]'")

import anytile  # noqa: E402  # behind the line that skips
from anytile.importers.torch.exported import import_program  # noqa: E402
from anytile.torch_backend import prepare  # noqa: E402

nn, F, Dim = torch.nn, torch.nn.functional, torch.export.Dim
pytestmark = pytest.mark.slow


def same(found: Any, wanted: Any) -> None:
    torch.testing.assert_close(found, wanted, rtol=1e-4, atol=1e-5)


@torch.no_grad()  # type: ignore[untyped-decorator]  # a package without types
def held(model: Any, dynamic: Any, example: Sequence[Any], given: Sequence[Sequence[Any]]) -> Any:
    """A model's program makes what the model makes of several arguments."""
    run = prepare(torch.export.export(model.eval(), tuple(example), dynamic_shapes=dynamic))
    for arguments in given:
        wanted, found = model(*arguments), run(*arguments)
        torch.utils._pytree.tree_map(same, found, wanted)
    return run


def tokens(batch: int, steps: int) -> Any:
    return torch.randint(0, 50, (batch, steps))


class Block(nn.Module):  # type: ignore[misc]  # a package without types
    """A layer of a transformer: attention and a feed-forward pair, normalised behind (BERT) or before (GPT-2)."""

    def __init__(self, width: int, heads: int, before: bool) -> None:
        super().__init__()
        self.heads, self.before = heads, before
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)

    def attention(self, x: Any, mask: Any, past: Any = None) -> tuple[Any, Any]:
        batch, steps, width = x.shape
        q, k, v = (t.view(batch, steps, self.heads, -1).transpose(1, 2) for t in self.qkv(x).chunk(3, -1))
        if past is not None:
            k, v = torch.cat([past[0], k], 2), torch.cat([past[1], v], 2)
        mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.out(mixed.transpose(1, 2).reshape(batch, steps, width)), (k, v)

    def forward(self, x: Any, mask: Any, past: Any = None) -> tuple[Any, Any]:
        attended, now = self.attention(self.first(x) if self.before else x, mask, past)
        x = x + attended if self.before else self.first(x + attended)
        made = self.down(F.gelu(self.up(self.second(x) if self.before else x)))
        return x + made if self.before else self.second(x + made), now


class Bert(nn.Module):  # type: ignore[misc]  # a package without types
    def __init__(self) -> None:
        super().__init__()
        self.words, self.places, self.kinds = nn.Embedding(50, 16), nn.Embedding(32, 16), nn.Embedding(2, 16)
        self.norm = nn.LayerNorm(16, eps=1e-12)
        self.layers = nn.ModuleList(Block(16, 2, before=False) for _ in range(2))
        self.pooler = nn.Linear(16, 16)

    def forward(self, ids: Any, mask: Any) -> Any:
        x = self.words(ids) + self.places(torch.arange(ids.shape[1])) + self.kinds(torch.zeros_like(ids))
        x, seen = self.norm(x), mask[:, None, None, :].bool()
        for layer in self.layers:
            x, _ = layer(x, seen)
        return {"hidden": x, "pooled": torch.tanh(self.pooler(x[:, 0]))}


def test_bert() -> None:
    batch, steps = Dim("batch"), Dim("steps", max=32)

    def given(b: int, t: int) -> tuple[Any, Any]:
        mask = torch.ones(b, t, dtype=torch.int64)
        mask[0, (t + 1) // 2 :] = 0
        return tokens(b, t), mask

    held(
        Bert(),
        ({0: batch, 1: steps}, {0: batch, 1: steps}),
        given(2, 5),
        [given(1, 1), given(2, 9), given(3, 17)],
    )


class Gpt(nn.Module):  # type: ignore[misc]  # a package without types
    """A decoder whose keys and values come in and go out, longer by the tokens that are new."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(50, 16), nn.Embedding(64, 16)
        self.layers = nn.ModuleList(Block(16, 2, before=True) for _ in range(2))
        self.norm = nn.LayerNorm(16)

    def forward(self, ids: Any, past: Any) -> Any:
        before, steps = past[0][0].shape[2], ids.shape[1]
        x = self.words(ids) + self.places(torch.arange(before, before + steps))
        seen = torch.arange(before + steps) <= torch.arange(before, before + steps)[:, None]
        now = []
        for layer, own in zip(self.layers, past, strict=True):
            x, cache = layer(x, seen, own)
            now.append(cache)
        return self.norm(x) @ self.words.weight.t(), now


def caches(batch: int, steps: int) -> Any:
    return [(torch.randn(batch, 2, steps, 8), torch.randn(batch, 2, steps, 8)) for _ in range(2)]


def test_gpt_with_a_cache() -> None:
    batch, steps, past = Dim("batch"), Dim("steps"), Dim("past")
    one = {0: batch, 2: past}
    held(
        Gpt(),
        ({0: batch, 1: steps}, [(one, one), (one, one)]),
        (tokens(2, 3), caches(2, 5)),
        [(tokens(1, 7), caches(1, 0)), (tokens(1, 1), caches(1, 7)), (tokens(3, 2), caches(3, 4))],
    )


class Rms(nn.Module):  # type: ignore[misc]  # a package without types
    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.rand(width) + 0.5)

    def forward(self, x: Any) -> Any:
        return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6))


class Llama(nn.Module):  # type: ignore[misc]  # a package without types
    """Rotary positions, four heads of queries over two of keys, a gated pair, a cache of fixed size as state."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(50, 32)
        self.q, self.k, self.v = (nn.Linear(32, n, bias=False) for n in (32, 16, 16))
        self.out, self.gate, self.up = (nn.Linear(32, n, bias=False) for n in (32, 48, 48))
        self.down = nn.Linear(48, 32, bias=False)
        self.first, self.second = Rms(32), Rms(32)
        self.register_buffer("keys", torch.zeros(1, 2, 16, 8))
        self.register_buffer("values", torch.zeros(1, 2, 16, 8))

    def turned(self, x: Any, at: Any) -> Any:
        angle = at[:, None] * 10000 ** (-torch.arange(0, 8, 2) / 8)
        angle = torch.cat([angle, angle], -1)
        half = torch.cat([-x[..., 4:], x[..., :4]], -1)
        return x * angle.cos() + half * angle.sin()

    def forward(self, ids: Any, at: Any) -> Any:
        steps = ids.shape[1]
        x = self.words(ids)
        own = self.first(x)
        q = self.turned(self.q(own).view(1, steps, 4, 8).transpose(1, 2), at)
        k = self.turned(self.k(own).view(1, steps, 2, 8).transpose(1, 2), at)
        self.keys.index_copy_(2, at, k)
        self.values.index_copy_(2, at, self.v(own).view(1, steps, 2, 8).transpose(1, 2))
        seen = torch.arange(16) <= at[:, None]
        mixed = F.scaled_dot_product_attention(q, self.keys, self.values, attn_mask=seen, enable_gqa=True)
        x = x + self.out(mixed.transpose(1, 2).reshape(1, steps, 32))
        y = self.second(x)
        return (x + self.down(F.silu(self.gate(y)) * self.up(y)))[:, -1] @ self.words.weight.t()


@torch.no_grad()  # type: ignore[untyped-decorator]  # a package without types
def test_llama_prefills_and_decodes() -> None:
    model = Llama().eval()
    steps = Dim("steps", max=16)
    example = (tokens(1, 3), torch.arange(3))
    run = prepare(torch.export.export(model, example, dynamic_shapes=({1: steps}, {0: steps})))
    begin = 0
    for count in (5, 1, 1, 3):
        ids, at = tokens(1, count), torch.arange(begin, begin + count)
        same(run(ids, at), model(ids, at))
        begin += count
    same(run.state["keys"], model.keys)


class Unit(nn.Module):  # type: ignore[misc]  # a package without types
    """ResNet's block, its projection beside it."""

    def __init__(self, narrow: int, wide: int, stride: int) -> None:
        super().__init__()
        self.a, self.b = nn.Conv2d(narrow, wide, 3, stride, 1, bias=False), nn.Conv2d(wide, wide, 3, 1, 1, bias=False)
        self.na, self.nb = nn.BatchNorm2d(wide), nn.BatchNorm2d(wide)
        self.beside = nn.Sequential(nn.Conv2d(narrow, wide, 1, stride, bias=False), nn.BatchNorm2d(wide))

    def forward(self, x: Any) -> Any:
        return F.relu(self.nb(self.b(F.relu(self.na(self.a(x))))) + self.beside(x))


@torch.no_grad()  # type: ignore[untyped-decorator]  # a package without types
def test_a_residual_network_in_8_bits() -> None:
    model = nn.Sequential(nn.Conv2d(3, 4, 7, 2, 3), nn.MaxPool2d(3, 2, 1), Unit(4, 8, 2), nn.Flatten()).eval()
    x = torch.randn(2, 3, 16, 12)
    program = torch.export.export(model, (x,), dynamic_shapes=({0: Dim("n")},))
    found = anytile.quantise(program, inputs={"input": x.numpy()}, ranges="extremes")
    assert [layer.dtype for layer in found.layers] == ["int8"] * 4
    for exe in (anytile.compile(program, precision="int8"), anytile.compile(found.module)):
        off = torch.from_numpy(anytile.Session(exe)(x.numpy())) - (wanted := model(x))
        assert 0 < off.norm() < 0.05 * wanted.norm()


class Gate(nn.Module):  # type: ignore[misc]  # a package without types
    """MobileNet-v3's inverted residual, with squeeze and excitation."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.up, self.down = nn.Conv2d(width, 2 * width, 1), nn.Conv2d(2 * width, width, 1)
        self.own = nn.Conv2d(2 * width, 2 * width, 5, 1, 2, groups=2 * width)
        self.squeeze, self.excite = nn.Conv2d(2 * width, 4, 1), nn.Conv2d(4, 2 * width, 1)

    def forward(self, x: Any) -> Any:
        y = F.hardswish(self.own(F.relu6(self.up(x))))
        scale = F.hardsigmoid(self.excite(F.relu(self.squeeze(F.adaptive_avg_pool2d(y, 1)))))
        return x + self.down(F.silu(y * scale))


class Shifted(nn.Module):  # type: ignore[misc]  # a package without types
    """Swin's windows, moved by half of one, and ConvNeXt's block."""

    def __init__(self) -> None:
        super().__init__()
        self.qkv, self.norm = nn.Linear(8, 24), nn.LayerNorm(8)
        self.own, self.up, self.down = nn.Conv2d(8, 8, 7, padding=3, groups=8), nn.Linear(8, 32), nn.Linear(32, 8)
        self.bias = nn.Parameter(torch.randn(2, 4, 4))

    def forward(self, x: Any) -> Any:
        n, c, h, w = x.shape
        rows = x.permute(0, 2, 3, 1)
        moved = torch.roll(self.norm(rows), (-1, -1), (1, 2))
        cut = moved.view(n, h // 2, 2, w // 2, 2, c).permute(0, 1, 3, 2, 4, 5).reshape(-1, 4, c)
        q, k, v = self.qkv(cut).reshape(-1, 4, 3, 2, 4).permute(2, 0, 3, 1, 4).unbind(0)
        mixed = (F.softmax(q @ k.transpose(-2, -1) * 0.5 + self.bias, -1) @ v).transpose(1, 2).reshape(-1, 2, 2, c)
        back = mixed.view(n, h // 2, w // 2, 2, 2, c).permute(0, 1, 3, 2, 4, 5).reshape(n, h, w, c)
        x = (rows + torch.roll(back, (1, 1), (1, 2))).permute(0, 3, 1, 2)
        y = self.down(F.gelu(self.up(F.layer_norm(self.own(x).permute(0, 2, 3, 1), (8,)))))
        return x + y.permute(0, 3, 1, 2)


class Unet(nn.Module):  # type: ignore[misc]  # a package without types
    def __init__(self) -> None:
        super().__init__()
        self.down, self.deep = nn.Conv2d(3, 4, 3, padding=1), nn.Conv2d(4, 8, 3, padding=1)
        self.up, self.last = nn.ConvTranspose2d(8, 4, 2, 2), nn.Conv2d(8, 2, 1)
        self.norm = nn.GroupNorm(2, 8)

    def forward(self, x: Any) -> Any:
        first = F.relu(self.down(x))
        deep = F.silu(self.norm(self.deep(F.max_pool2d(first, 2))))
        return self.last(torch.cat([first, self.up(deep) + F.interpolate(deep[:, :4], scale_factor=2)], 1))


class Yolo(nn.Module):  # type: ignore[misc]  # a package without types
    """A head that says boxes by distributions, two scales joined."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Conv2d(3, 8, 3, 2, 1), nn.Conv2d(8, 16, 3, 2, 1)
        self.head = nn.Conv2d(24, 4 * 4 + 3, 1)

    def forward(self, x: Any) -> Any:
        a = F.silu(self.first(x))
        b = F.silu(self.second(a))
        joined = torch.cat([a, F.interpolate(b, scale_factor=2, mode="nearest")], 1)
        made = self.head(joined).flatten(2)
        box, classes = made.split([16, 3], 1)
        far = (box.view(-1, 4, 4, made.shape[2]).softmax(2) * torch.arange(4.0)[None, None, :, None]).sum(2)
        return torch.cat([far[:, :2] - far[:, 2:], far.sum(1, keepdim=True), classes.sigmoid()], 1).transpose(1, 2)


class Vit(nn.Module):  # type: ignore[misc]  # a package without types
    def __init__(self) -> None:
        super().__init__()
        self.patches, self.token = nn.Conv2d(3, 16, 4, 4), nn.Parameter(torch.randn(1, 1, 16))
        self.places, self.layer = nn.Parameter(torch.randn(1, 5, 16)), Block(16, 2, before=True)

    def forward(self, x: Any) -> Any:
        rows = self.patches(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(x.shape[0], -1, -1), rows], 1) + self.places
        return self.layer(x, None)[0][:, 0]


IMAGES = {
    "resnet": lambda: nn.Sequential(nn.Conv2d(3, 4, 7, 2, 3), nn.MaxPool2d(3, 2, 1), Unit(4, 8, 2), nn.Flatten()),
    "mobilenet": lambda: nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1), nn.Hardswish(), Gate(8), nn.AdaptiveAvgPool2d(1)),
    "swin, convnext": lambda: nn.Sequential(nn.Conv2d(3, 8, 2, 2), Shifted()),
    "unet": Unet,
    "yolo": Yolo,
    "vit": Vit,
}


@pytest.mark.parametrize("name", IMAGES)
def test_images(name: str) -> None:
    model = IMAGES[name]()
    for layer in model.modules():
        if isinstance(layer, nn.BatchNorm2d):
            layer.running_mean.normal_()
            layer.running_var.uniform_(0.5, 2)
    held(model, ({0: Dim("n")},), (torch.randn(2, 3, 8, 8),), [(torch.randn(n, 3, 8, 8),) for n in (1, 3, 8)])


def test_an_image_of_any_size() -> None:
    h, w = Dim("h", min=1, max=64), Dim("w", min=1, max=64)
    model = nn.Sequential(nn.Conv2d(3, 4, 3, 1, 1), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(4, 2, 1))
    sizes = [(1, 4, 4), (2, 8, 6), (3, 12, 20)]
    dynamic = ({0: Dim("n"), 2: 2 * h, 3: 2 * w},)
    held(model, dynamic, (torch.randn(2, 3, 8, 8),), [(torch.randn(n, 3, a, b),) for n, a, b in sizes])


@torch.no_grad()  # type: ignore[untyped-decorator]  # a package without types
def test_sizes_behind_strides_are_torchs_as_they_are() -> None:
    model = nn.Sequential(nn.Conv2d(3, 4, 7, 2, 3), nn.MaxPool2d(3, 2, 1), Unit(4, 8, 2)).eval()
    free = ({0: Dim("n"), 2: Dim("h", min=9), 3: Dim("w", min=9)},)
    program = torch.export.export(model, (torch.randn(2, 3, 16, 12),), dynamic_shapes=free)
    assert "reshape" not in str(import_program(program).module)  # which would keep layouts apart


class Recurrent(nn.Module):  # type: ignore[misc]  # a package without types
    def __init__(self, kind: Any, **more: Any) -> None:
        super().__init__()
        self.words, self.layer = nn.Embedding(50, 6), kind(6, 5, batch_first=True, **more)

    def forward(self, ids: Any) -> Any:
        return self.layer(self.words(ids))


@pytest.mark.parametrize(
    ("kind", "more"), [("LSTM", {"num_layers": 2}), ("LSTM", {"bidirectional": True}), ("GRU", {})]
)
def test_recurrent(kind: str, more: dict[str, Any]) -> None:
    model = Recurrent(getattr(nn, kind), **more)
    held(model, ({0: Dim("batch")},), (tokens(2, 6),), [(tokens(n, 6),) for n in (1, 2, 9)])


class Whisper(nn.Module):  # type: ignore[misc]  # a package without types
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Conv1d(8, 16, 3, padding=1), nn.Conv1d(16, 16, 3, 2, 1)
        self.layer, self.norm = Block(16, 2, before=True), nn.LayerNorm(16)
        self.register_buffer("places", torch.randn(64, 16))

    def forward(self, sound: Any) -> Any:
        x = F.gelu(self.second(F.gelu(self.first(sound)))).transpose(1, 2)
        return self.norm(self.layer(x + self.places[: x.shape[1]], None)[0])


def test_sound_of_any_length() -> None:
    sizes = [(1, 2), (2, 10), (3, 40)]
    held(
        Whisper(),
        ({0: Dim("n"), 2: 2 * Dim("half", max=64)},),
        (torch.randn(2, 8, 12),),
        [(torch.randn(n, 8, t),) for n, t in sizes],
    )


class Relative(nn.Module):  # type: ignore[misc]  # a package without types
    """T5: positions relative to each other in buckets, a decoder that looks at an encoder."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.buckets = nn.Embedding(50, 16), nn.Embedding(8, 2)
        self.q, self.k, self.v, self.out = (nn.Linear(16, 16, bias=False) for _ in range(4))
        self.norm = Rms(16)

    def bias(self, rows: int, columns: int) -> Any:
        apart = torch.arange(columns)[None] - torch.arange(rows)[:, None]
        far = (torch.log(apart.abs().clamp(min=1).float()) * 2).long() + 2
        bucket = torch.where(apart.abs() < 3, apart.abs(), torch.clamp(far, max=7))
        return self.buckets(bucket).permute(2, 0, 1)[None]

    def attended(self, x: Any, other: Any, bias: Any) -> Any:
        def heads(x: Any) -> Any:
            return x.view(x.shape[0], x.shape[1], 2, 8).transpose(1, 2)

        scores = heads(self.q(x)) @ heads(self.k(other)).transpose(2, 3) + bias
        mixed = torch.softmax(scores, -1) @ heads(self.v(other))
        return x + self.out(mixed.transpose(1, 2).reshape(x.shape))

    def forward(self, ids: Any, made: Any) -> Any:
        x = self.words(ids)
        x = self.norm(self.attended(x, x, self.bias(ids.shape[1], ids.shape[1])))
        y = self.words(made)
        steps = made.shape[1]
        causal = torch.full((steps, steps), float("-inf")).triu(1)
        y = self.attended(y, y, self.bias(steps, steps) + causal)
        return self.norm(self.attended(self.norm(y), x, 0.0)) @ self.words.weight.t()


def test_t5() -> None:
    batch, steps, made = Dim("batch"), Dim("steps"), Dim("made")
    sizes = [(1, 1, 1), (2, 9, 4), (3, 5, 11)]
    held(
        Relative(),
        ({0: batch, 1: steps}, {0: batch, 1: made}),
        (tokens(2, 5), tokens(2, 3)),
        [(tokens(b, t), tokens(b, m)) for b, t, m in sizes],
    )
