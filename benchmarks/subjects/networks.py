"""Convolutional networks as modules with channels second: ResNet-50, MobileNet-v2, VGG-19, SqueezeNet 1.1.

Normalisations are folded into the convolutions, and every weight is zero: what is asked of them here is how much memory
a run takes, which no number changes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from anytile.compiler.builder import Block, ModuleBuilder, Node
from anytile.compiler.module import Module

CLASSES = 1000
RESNET, MOBILENET, VGG, SQUEEZENET = "resnet50", "mobilenet-v2", "vgg19", "squeezenet"
STAGES = ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2))  # of ResNet: width, blocks, stride of the first
INVERTED = ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1))
DEPTHS = ((64, 2), (128, 2), (256, 4), (512, 4), (512, 4))  # of VGG: width, convolutions before a pool
FIRES = (((16, 64), (16, 64)), ((32, 128), (32, 128)), ((48, 192), (48, 192), (64, 256), (64, 256)))


class Layers:
    """A network on its way: how many channels it has so far, and layers behind them."""

    def __init__(self, f: Block, x: Node, channels: int = 3) -> None:
        self.f, self.x, self.channels = f, x, channels

    def conv(self, wide: int, kernel: int, stride: int = 1, groups: int = 1, relu: bool = True) -> Layers:
        f = self.f
        weight, bias = np.zeros((wide, self.channels // groups, kernel, kernel), np.float32), np.zeros((wide, 1, 1))
        made = f.conv2d(self.x, weight, stride=stride, pad=kernel // 2, groups=groups) + bias.astype(np.float32)
        return Layers(f, f.relu(made) if relu else made, wide)

    def pool(self, kernel: int, pad: int = 0) -> Layers:
        return Layers(self.f, self.f.max_pool2d(self.x, kernel=kernel, stride=2, pad=pad), self.channels)

    def means(self) -> Node:
        return self.f.mean(self.x, axis=(2, 3))


def dense(f: Block, x: Node, inputs: int, outputs: int) -> Node:
    return f.dense(x, np.zeros((outputs, inputs), np.float32)) + np.zeros(outputs, np.float32)


def resnet50(f: Block, x: Node, size: int) -> Node:
    at = Layers(f, x).conv(64, 7, 2).pool(3, 1)
    for width, count, stride in STAGES:
        for i in range(count):
            step = stride if i == 0 else 1
            up = at.conv(width, 1).conv(width, 3, step).conv(4 * width, 1, relu=False)
            beside = at if at.channels == 4 * width else at.conv(4 * width, 1, step, relu=False)
            at = Layers(f, f.relu(up.x + beside.x), 4 * width)
    return dense(f, at.means(), at.channels, CLASSES)


def mobilenet_v2(f: Block, x: Node, size: int) -> Node:
    at = Layers(f, x).conv(32, 3, 2)
    for factor, width, count, stride in INVERTED:
        for i in range(count):
            wide = factor * at.channels
            inside = at if factor == 1 else at.conv(wide, 1)
            down = inside.conv(wide, 3, stride if i == 0 else 1, groups=wide).conv(width, 1, relu=False)
            at = down if i == 0 else Layers(f, at.x + down.x, width)
    at = at.conv(1280, 1)
    return dense(f, at.means(), at.channels, CLASSES)


def vgg19(f: Block, x: Node, size: int) -> Node:
    at = Layers(f, x)
    for width, count in DEPTHS:
        for _ in range(count):
            at = at.conv(width, 3)
        at = at.pool(2)
    inputs = at.channels * (size // 32) ** 2
    flat = f.reshape(at.x, shape=(-1, inputs))
    wide = f.relu(dense(f, f.relu(dense(f, flat, inputs, 4096)), 4096, 4096))
    return dense(f, wide, 4096, CLASSES)


def squeezenet(f: Block, x: Node, size: int) -> Node:
    at = Layers(f, x).conv(64, 3, 2)
    for fires in FIRES:
        at = at.pool(3)
        for narrow, wide in fires:
            inside = at.conv(narrow, 1)
            both = f.concat(inside.conv(wide, 1).x, inside.conv(wide, 3).x, axis=1)
            at = Layers(f, both, 2 * wide)
    return at.conv(CLASSES, 1).means()


NETWORKS: Mapping[str, Callable[[Block, Node, int], Node]] = {
    RESNET: resnet50,
    MOBILENET: mobilenet_v2,
    VGG: vgg19,
    SQUEEZENET: squeezenet,
}


def network(name: str, images: str, size: int) -> Module:
    """One by its name, for images so many and so large: a number, or `?n`."""
    m = ModuleBuilder()
    with m.function("main", x=f"Tensor[({images}, 3, {size}, {size}), float32]") as (f, x):
        f.result(NETWORKS[name](f, x, size))
    return m.build()
