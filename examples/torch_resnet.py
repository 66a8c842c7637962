"""ResNet-50 as a torch module, with random weights: exported with any number of images, compiled, held against torch.

    python examples/torch_resnet.py --images 2 --size 224

The executable has batch norms folded into convolutions. Needs torch: pip install 'anytile[torch]'.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import anytile

try:
    import torch
    from torch import nn
except ModuleNotFoundError:
    raise SystemExit("torch_resnet: error: torch is not installed: pip install 'anytile[torch]'") from None

CLASSES, STAGES = 1000, ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2))  # width, blocks, stride of the first


def convolved(narrow: int, wide: int, kernel: int, stride: int = 1) -> Any:
    return nn.Sequential(nn.Conv2d(narrow, wide, kernel, stride, kernel // 2, bias=False), nn.BatchNorm2d(wide))


class Bottleneck(nn.Module):  # type: ignore[misc]  # a package without types
    """Three convolutions, of which the middle one is narrow and may stride, added to what came in."""

    def __init__(self, came: int, width: int, stride: int) -> None:
        super().__init__()
        self.down, self.across = convolved(came, width, 1), convolved(width, width, 3, stride)
        self.up = convolved(width, 4 * width, 1)
        self.beside = convolved(came, 4 * width, 1, stride) if came != 4 * width or stride != 1 else nn.Identity()

    def forward(self, x: Any) -> Any:
        made = self.up(self.across(self.down(x).relu()).relu())
        return (made + self.beside(x)).relu()


class ResNet50(nn.Module):  # type: ignore[misc]  # a package without types
    """Images to scores of classes."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(convolved(3, 64, 7, 2), nn.ReLU(), nn.MaxPool2d(3, 2, 1))
        blocks, came = [], 64
        for width, count, stride in STAGES:
            for i in range(count):
                blocks.append(Bottleneck(came, width, stride if i == 0 else 1))
                came = 4 * width
        self.blocks, self.head = nn.Sequential(*blocks), nn.Linear(came, CLASSES)

    def forward(self, images: Any) -> Any:
        return self.head(self.blocks(self.stem(images)).mean((2, 3)))


def settled(model: Any) -> Any:
    """The model with statistics of its own in its batch norms, as training would leave them."""
    for layer in model.modules():
        if isinstance(layer, nn.BatchNorm2d):
            layer.running_mean.normal_(0, 0.1)
            layer.running_var.uniform_(0.5, 1.5)
            layer.weight.data.uniform_(0.2, 0.8)
    return model.eval()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--images", type=int, default=2)
    parser.add_argument("--size", type=int, default=224, help="of an image's sides")
    options = parser.parse_args()
    torch.manual_seed(0)
    model = settled(ResNet50())
    images = torch.randn(options.images, 3, options.size, options.size)
    example = torch.randn(2, 3, options.size, options.size)
    program = torch.export.export(model, (example,), dynamic_shapes=({0: torch.export.Dim("images")},))
    begin = time.perf_counter()
    run = anytile.Session(anytile.compile(program))
    print(f"compiled in {time.perf_counter() - begin:.1f} s")
    made = torch.from_numpy(run(images.numpy()))
    with torch.inference_mode():
        wanted = model(images)
    apart = float((made - wanted).norm() / wanted.norm())
    print(f"{options.images} images, classes {made.argmax(1).tolist()}, {apart:.1e} from torch")


if __name__ == "__main__":
    main()
