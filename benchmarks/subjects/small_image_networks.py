"""Small networks of images, each with something that no other has: how channels, pixels and sizes meet in it.

They stand for what people bring, not for what a paper measured: few layers, the widths of real ones, weights at random.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.nn import functional
from torch_resnet import convolved


def active(narrow: int, wide: int, kernel: int = 3, stride: int = 1, by: Any = nn.ReLU) -> Any:
    return nn.Sequential(*convolved(narrow, wide, kernel, stride), by())


def in_groups(channels: int, groups: int, kernel: int = 3, stride: int = 1) -> Any:
    across = nn.Conv2d(channels, channels, kernel, stride, kernel // 2, groups=groups, bias=False)
    return nn.Sequential(across, nn.BatchNorm2d(channels))


class Added(nn.Module):  # type: ignore[misc]  # a package without types
    """What layers make of x, beside x."""

    def __init__(self, *layers: Any) -> None:
        super().__init__()
        self.layers = nn.Sequential(*layers)

    def forward(self, x: Any) -> Any:
        return x + self.layers(x)


class Squeezed(nn.Module):  # type: ignore[misc]  # a package without types
    """Squeeze and excitation: a factor for each channel."""

    def __init__(self, channels: int, gate: Any = nn.Sigmoid) -> None:
        super().__init__()
        inner = nn.Conv2d(channels, channels // 4, 1), nn.ReLU(), nn.Conv2d(channels // 4, channels, 1)
        self.gate = nn.Sequential(nn.AdaptiveAvgPool2d(1), *inner, gate())

    def forward(self, x: Any) -> Any:
        return x * self.gate(x)


class Pooled(nn.Module):  # type: ignore[misc]  # a package without types
    """Layers, the mean over all pixels, and scores of ten classes."""

    def __init__(self, channels: int, *layers: Any) -> None:
        super().__init__()
        self.layers, self.head = nn.Sequential(*layers), nn.Linear(channels, 10)

    def forward(self, x: Any) -> Any:
        return self.head(self.layers(x).mean((2, 3)))


def mobile() -> Any:
    """Kernels of 3 and 5, hard swish, squeeze and excitation: MobileNet-v3."""
    layers, came = [active(3, 16, 3, 2, nn.Hardswish)], 16
    for wide, inner, kernel, stride in ((24, 64, 3, 2), (40, 120, 5, 2), (80, 240, 3, 2), (112, 480, 3, 1)):
        across = in_groups(inner, inner, kernel, stride), nn.Hardswish(), Squeezed(inner, nn.Hardsigmoid)
        layers += [active(came, inner, 1, 1, nn.Hardswish), *across, convolved(inner, wide, 1)]
        came = wide
    return Pooled(480, *layers, active(came, 480, 1, 1, nn.Hardswish))


def grouped() -> Any:
    """Convolutions in groups of sixteen channels: RegNet."""
    layers, came = [active(3, 32, 3, 2)], 32
    for wide, stride in ((64, 2), (64, 1), (160, 2), (160, 1)):
        across = in_groups(wide, wide // 16, 3, stride), nn.ReLU(), Squeezed(wide)
        layers += [active(came, wide, 1), *across, active(wide, wide, 1)]
        came = wide
    return Pooled(came, *layers)


class Joined(nn.Module):  # type: ignore[misc]  # a package without types
    """What layers make of x, behind x."""

    def __init__(self, came: int, more: int) -> None:
        super().__init__()
        inner = nn.Conv2d(came, 128, 1, bias=False), nn.BatchNorm2d(128), nn.ReLU()
        last = nn.Conv2d(128, more, 3, padding=1, bias=False)
        self.layers = nn.Sequential(nn.BatchNorm2d(came), nn.ReLU(), *inner, last)

    def forward(self, x: Any) -> Any:
        return torch.cat([x, self.layers(x)], 1)


def dense_links() -> Any:
    """Each layer reads all before it, normalised anew: DenseNet."""
    return Pooled(224, active(3, 64, 7, 4), *(Joined(came, 32) for came in range(64, 224, 32)))


class Shuffled(nn.Module):  # type: ignore[misc]  # a package without types
    """Half of the channels pass, half are convolved; then they are shuffled: ShuffleNet-v2."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        half = channels // 2
        self.layers = nn.Sequential(active(half, half, 1), in_groups(half, half), active(half, half, 1))

    def forward(self, x: Any) -> Any:
        left, right = x.chunk(2, 1)
        both = torch.cat([left, self.layers(right)], 1)
        return both.unflatten(1, (2, -1)).transpose(1, 2).flatten(1, 2)


def shuffled() -> Any:
    return Pooled(64, active(3, 64, 3, 4), *(Shuffled(64) for _ in range(4)))


class Unshuffled(nn.Module):  # type: ignore[misc]  # a package without types
    """An image made finer: residual blocks, then channels that become pixels."""

    def __init__(self, channels: int = 48) -> None:
        super().__init__()
        self.first, self.last = nn.Conv2d(3, channels, 3, padding=1), nn.Conv2d(channels, 12, 3, padding=1)

        def block() -> Any:
            one, two = (nn.Conv2d(channels, channels, 3, padding=1) for _ in range(2))
            return Added(one, nn.LeakyReLU(0.1), two)

        self.blocks, self.finer = nn.Sequential(block(), block(), block()), nn.PixelShuffle(2)

    def forward(self, x: Any) -> Any:
        return self.finer(self.last(self.blocks(self.first(x))))


def styled(side: int, came: int, wide: int, stride: int = 1) -> Any:
    """Pads by reflection, and a normalisation of each image."""
    padded = nn.ReflectionPad2d(side // 2), nn.Conv2d(came, wide, side, stride)
    return nn.Sequential(*padded, nn.InstanceNorm2d(wide, affine=True), nn.ReLU())


def style() -> Any:
    """Fast style transfer."""
    down = (
        styled(9, 3, 32),
        styled(3, 32, 64, 2),
        styled(3, 64, 128, 2),
        Added(styled(3, 128, 128), styled(3, 128, 128)),
    )
    up = nn.Upsample(scale_factor=2), styled(3, 128, 64), nn.Upsample(scale_factor=2), styled(3, 64, 32)
    return nn.Sequential(*down, *up, nn.ReflectionPad2d(4), nn.Conv2d(32, 3, 9))


class Dilated(nn.Module):  # type: ignore[misc]  # a package without types
    """Windows of several dilations beside each other, and bilinear resizing to the size that came: DeepLab."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(active(3, 32, 3, 2), active(32, 64, 3, 2), active(64, 128, 3, 2))
        wide = (nn.Conv2d(128, 64, 3, padding=r, dilation=r, bias=False) for r in (2, 4, 6))
        self.arms = nn.ModuleList(nn.Sequential(one, nn.BatchNorm2d(64), nn.ReLU()) for one in wide)
        self.last = nn.Sequential(active(192, 64, 1), nn.Conv2d(64, 21, 1))

    def forward(self, x: Any) -> Any:
        found = self.body(x)
        made = self.last(torch.cat([arm(found) for arm in self.arms], 1))
        return functional.interpolate(made, x.shape[2:], mode="bilinear")


class Gated(nn.Module):  # type: ignore[misc]  # a package without types
    """A U-Net whose links pass a gate of attention that the coarser side opens."""

    def __init__(self, widths: tuple[int, ...] = (24, 48, 96)) -> None:
        super().__init__()
        pairs = list(zip((3, *widths), widths, strict=False))
        self.down = nn.ModuleList(nn.Sequential(active(a, b), active(b, b)) for a, b in pairs)
        self.up = nn.ModuleList(nn.ConvTranspose2d(b, a, 2, 2) for a, b in pairs[:0:-1])
        self.gates = nn.ModuleList(nn.ModuleList(nn.Conv2d(a, a // 2, 1) for _ in "xg") for a, _ in pairs[:0:-1])
        self.opens = nn.ModuleList(nn.Conv2d(a // 2, 1, 1) for a, _ in pairs[:0:-1])
        self.join = nn.ModuleList(active(2 * a, a) for a, _ in pairs[:0:-1])
        self.last = nn.Conv2d(widths[0], 2, 1)

    def forward(self, x: Any) -> Any:
        links: list[Any] = []
        for layer in self.down:
            links.append(layer(functional.max_pool2d(links[-1], 2) if links else x))
        x = links.pop()
        for up, (of_x, of_g), opens, join in zip(self.up, self.gates, self.opens, self.join, strict=True):
            g, link = up(x), links.pop()
            x = join(torch.cat([link * opens(functional.relu(of_x(link) + of_g(g))).sigmoid(), g], 1))
        return self.last(x)


class LastNorm(nn.Module):  # type: ignore[misc]  # a package without types
    """A layer normalisation of each pixel's channels, which come second."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(channels, eps=1e-6)

    def forward(self, x: Any) -> Any:
        return self.norm(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)


class Scaled(nn.Module):  # type: ignore[misc]  # a package without types
    """Channels last behind a depthwise 7x7, and a factor for each of them: a block of ConvNeXt."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.across = nn.Conv2d(channels, channels, 7, padding=3, groups=channels)
        self.norm, self.factor = nn.LayerNorm(channels, eps=1e-6), nn.Parameter(torch.full((channels,), 0.3))
        self.up, self.down = nn.Linear(channels, 4 * channels), nn.Linear(4 * channels, channels)

    def forward(self, x: Any) -> Any:
        y = self.norm(self.across(x).permute(0, 2, 3, 1))
        y = self.factor * self.down(functional.gelu(self.up(y)))
        return x + y.permute(0, 3, 1, 2)


def next_to_last() -> Any:
    """Normalised channels last, convolved channels second: ConvNeXt."""
    layers: list[Any] = [nn.Conv2d(3, 48, 4, 4), LastNorm(48), Scaled(48), Scaled(48)]
    layers += [LastNorm(48), nn.Conv2d(48, 96, 2, 2), Scaled(96), Scaled(96)]
    return Pooled(96, *layers)


class Averaged(nn.Module):  # type: ignore[misc]  # a package without types
    """Tokens mixed by an average pool less themselves, and a pair of 1x1 convolutions: PoolFormer, EfficientFormer."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.pool = nn.AvgPool2d(3, 1, 1, count_include_pad=False)
        self.up, self.down = active(channels, 4 * channels, 1, by=nn.GELU), convolved(4 * channels, channels, 1)
        self.factors = nn.Parameter(torch.full((2, channels, 1, 1), 0.3))

    def forward(self, x: Any) -> Any:
        x = x + self.factors[0] * (self.pool(x) - x)
        return x + self.factors[1] * self.down(self.up(x))


def averaging() -> Any:
    layers = active(3, 24, 3, 2, nn.GELU), active(24, 48, 3, 2, nn.GELU), Averaged(48), Averaged(48)
    return Pooled(96, *layers, convolved(48, 96, 3, 2), Averaged(96), Averaged(96))


class Bottom(nn.Module):  # type: ignore[misc]  # a package without types
    """Features of two sizes joined both ways, split and joined within, three pools in a row: a detector's neck."""

    def __init__(self) -> None:
        super().__init__()
        silu = nn.SiLU
        self.first = nn.Sequential(active(3, 16, 3, 2, silu), active(16, 32, 3, 2, silu), active(32, 64, 3, 2, silu))
        self.second = active(64, 128, 3, 2, silu)
        self.narrow, self.wide = active(128, 64, 1, 1, silu), active(256, 128, 1, 1, silu)
        self.fine, self.pool = active(192, 64, 3, 1, silu), nn.MaxPool2d(5, 1, 2)
        self.back, self.coarse = active(64, 64, 3, 2, silu), active(192, 128, 3, 1, silu)
        self.heads = nn.ModuleList(nn.Conv2d(c, 84, 1) for c in (64, 128))

    def forward(self, x: Any) -> Any:
        high = self.first(x)
        pools = [self.narrow(self.second(high))]
        for _ in range(3):
            pools.append(self.pool(pools[-1]))
        low = self.wide(torch.cat(pools, 1))
        fine = self.fine(torch.cat([functional.interpolate(low, scale_factor=2), high], 1))
        coarse = self.coarse(torch.cat([self.back(fine), low], 1))
        return torch.cat([head(t).flatten(2) for head, t in zip(self.heads, (fine, coarse), strict=True)], 2)


class Suppressed(nn.Module):  # type: ignore[misc]  # a package without types
    """The best hundred places of a detector, decoded, and twenty of them that do not overlap."""

    def __init__(self) -> None:
        super().__init__()
        self.neck = Bottom()
        at = [torch.cartesian_prod(*[torch.arange(step / 2, 128, step)] * 2) for step in (8, 16)]
        self.register_buffer("places", torch.cat(at))

    def forward(self, x: Any) -> Any:
        made = self.neck(x)[0].T
        scores, at = made[:, 4:].sigmoid().amax(1).topk(100)
        middle, size = self.places[at] + made[at, :2], made[at, 2:4].exp() * 16
        boxes = torch.cat([middle - size / 2, middle + size / 2], 1)
        limits = (torch.tensor([20]), torch.tensor([0.6]), torch.tensor([0.1]))
        kept = torch.onnx.ops.symbolic(
            "NonMaxSuppression", (boxes[None], scores[None, None], *limits), dtype=torch.int64, shape=(20, 3)
        )
        return boxes[kept[:, 2]], scores[kept[:, 2]]


class Warped(nn.Module):  # type: ignore[misc]  # a package without types
    """Two images to where each pixel went, and the second one warped by it: optical flow by samples of a grid."""

    def __init__(self, side: int) -> None:
        super().__init__()
        self.flow = nn.Sequential(active(6, 32), active(32, 32), nn.Conv2d(32, 2, 3, padding=1), nn.Tanh())
        rows, columns = torch.meshgrid(*[torch.linspace(-1, 1, side)] * 2, indexing="ij")
        self.register_buffer("places", torch.stack([columns, rows], -1))

    def forward(self, one: Any, two: Any) -> Any:
        flow = self.flow(torch.cat([one, two], 1)).permute(0, 2, 3, 1) * 0.1
        return functional.grid_sample(two, self.places + flow, align_corners=True)


def generator() -> Any:
    """Images out of numbers, by transposed convolutions."""
    first = nn.Linear(32, 128 * 49), nn.Unflatten(1, (128, 7, 7)), nn.ConvTranspose2d(128, 64, 4, 2, 1)
    then = nn.BatchNorm2d(64), nn.ReLU(), nn.ConvTranspose2d(64, 32, 4, 2, 1), nn.ReLU()
    return nn.Sequential(*first, *then, nn.Conv2d(32, 1, 3, padding=1), nn.Sigmoid())


def volumes() -> Any:
    """Convolutions and pools of three dimensions."""
    first = nn.Conv3d(1, 16, 3, padding=1), nn.BatchNorm3d(16), nn.ReLU(), nn.MaxPool3d(2)
    then = nn.Conv3d(16, 32, 3, padding=1), nn.BatchNorm3d(32), nn.ReLU(), nn.ConvTranspose3d(32, 8, 2, 2)
    return nn.Sequential(*first, *then, nn.Conv3d(8, 2, 1))
