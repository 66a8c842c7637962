"""Convolution lowering: kernels of images make what transposed convolutions and those of volumes mean."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.cases.compiled_modules import Compiled, check, compile_text, random, run_by

SPACES = {1: ((5,), (3,)), 2: ((4, 5), (3, 2)), 3: ((3, 4, 2), (2, 3, 3))}  # images, kernels


def convolved(op: str, w: np.ndarray, image: str, attrs: str, behind: str = "{y}", **more: np.ndarray) -> Compiled:
    body = behind.format(y=f"{op}(x, $w, {attrs})")
    return compile_text(f"def main(x: Tensor[({image}), float32]) {{ {body} }}", w=w, **more)


def dims(channels: int, sizes: tuple[object, ...], layout: str = "nchw") -> str:
    each = (channels, *sizes) if layout == "nchw" else (*sizes, channels)
    return ", ".join(map(str, ("?b", *each)))


def images(count: int, channels: int, sizes: tuple[int, ...], layout: str = "nchw") -> np.ndarray:
    return random(3, *((count, channels, *sizes) if layout == "nchw" else (count, *sizes, channels)))


@pytest.mark.sampled(8)
@pytest.mark.parametrize("layout", ["nchw", "nhwc"])
@pytest.mark.parametrize(
    ("stride", "pad", "dilation", "groups", "more"),
    [
        (1, 0, 1, 1, 0),
        (2, 1, 1, 2, 1),
        (3, 0, 1, 1, 0),
        (2, 1, 2, 1, 3),
        (1, 1, 2, 2, 0),
        (4, 0, 1, 1, 2),
        (2, 2, 1, 1, 0),
    ],
)
@pytest.mark.parametrize("space", [1, 2, 3])
def test_a_transposed_convolution_is_one_of_images(
    space: int, stride: int, pad: int, dilation: int, groups: int, more: int, layout: str
) -> None:
    sizes, kernel = SPACES[space]
    if min(((k - 1) * dilation + 1 + more - 2 * pad) for k in kernel) < 1:
        pad = 0  # of one element something must be left
    w = random(1, 4, 6 // groups, *kernel)
    attrs = f'stride={stride}, pad={pad}, dilation={dilation}, groups={groups}, more={more}, layout="{layout}"'
    made = convolved("conv_transpose", w, dims(4, sizes, layout), attrs)
    assert "conv2d" in run_by(made)
    assert "host" not in run_by(made)
    for count in (2, 0, 1):
        check(made, images(count, 4, sizes, layout), stages=count == 2)


@pytest.mark.parametrize(("size", "by"), [("6", "slice"), ("?t", "host")])
def test_padding_that_takes_whole_elements_of_x_away(size: str, by: str) -> None:
    """Of 6 elements of x, which make 13, the first 5 of the result and the last 4 are cut off; of 3 of them all are."""
    w = random(1, 2, 3, 3)
    made = convolved("conv_transpose", w, f"?b, 2, {size}", "stride=2, pad=(5, 4)")
    assert by in run_by(made)
    check(made, random(2, 1, 2, 6))


@pytest.mark.parametrize("op", ["conv_transpose", "conv3d"])
def test_sizes_of_run_time(op: str) -> None:
    space = 3 if op == "conv3d" else 2
    w = random(1, 4, 4, *(3, 2, 3)[:space])
    made = convolved(op, w, dims(4, ("?d", "?h", "?w")[:space]), "stride=2, pad=1")
    assert "host" not in run_by(made)
    for sizes in ((1, 2, 1), (3, 4, 5), (4, 7, 2)):
        check(made, images(2, 4, sizes[:space]))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("layout", ["nchw", "nhwc"])
@pytest.mark.parametrize(
    ("kernel", "attrs"),
    [
        ((3, 3, 2), "pad=(1, 0, 1, 1, 2, 0), stride=2"),
        ((2, 3, 3), "dilation=(2, 1, 1), pad=1, groups=2, stride=(1, 2, 1)"),
        ((1, 3, 3), "pad=(0, 1, 1, 0, 1, 1)"),
        ((3, 1, 1), "pad=(1, 0, 0, 1, 0, 0), stride=(2, 1, 1), groups=2"),
        ((1, 1, 1), "stride=(2, 1, 1)"),
        ((2, 1, 1), "stride=2"),
    ],
)
def test_a_convolution_of_volumes_is_one_of_images(kernel: tuple[int, ...], attrs: str, layout: str) -> None:
    groups = 2 if "groups=2" in attrs else 1
    made = convolved(
        "conv3d", random(1, 6, 4 // groups, *kernel), dims(4, (5, 6, 4), layout), f'{attrs}, layout="{layout}"'
    )
    assert run_by(made).count("conv2d") == 1
    assert "host" not in run_by(made)
    for count in (2, 0, 1):
        check(made, images(count, 4, (5, 6, 4), layout), stages=count == 2)


@pytest.mark.parametrize("layout", ["nchw", "nhwc"])
@pytest.mark.parametrize(("op", "space"), [("conv_transpose", 1), ("conv_transpose", 2), ("conv3d", 3)])
def test_what_every_element_takes_alone_is_the_convolutions_tail(op: str, space: int, layout: str) -> None:
    sizes, kernel = SPACES[space]
    w = random(1, 4, 4, *kernel)
    bias = random(2, 4, *([1] * space if layout == "nchw" else []))
    attrs = f'stride=2, pad=1, layout="{layout}"'
    made = convolved(op, w, dims(4, sizes, layout), attrs, "relu(multiply(0.5, add({y}, $bias)))", bias=bias)
    assert "elementwise" not in run_by(made)
    check(made, images(2, 4, sizes, layout))


@pytest.mark.parametrize(
    ("kernel", "attrs", "count"),
    [
        ((2, 2), "stride=2", 1),
        ((4, 4), "stride=2, pad=1", 1),
        ((3, 3), "stride=2, pad=1, more=1", 4),
        ((3, 3), "stride=2, pad=1, more=1, groups=2", 4),
        ((3, 1), "stride=(2, 1), pad=(1, 0, 1, 0)", 2),
        ((7, 7), "stride=5", 1),
    ],
)
def test_parts_are_made_apart_where_most_taps_would_be_nothing(kernel: tuple[int, int], attrs: str, count: int) -> None:
    groups = 2 if "groups" in attrs else 1
    made = convolved(
        "conv_transpose", random(1, 4, 4 // groups, *kernel), dims(4, (3, 4)), attrs, "relu(add({y}, 0.5))"
    )
    assert run_by(made).count("conv2d") == count
    assert run_by(made).count("concat") == (count > 1)
    assert "elementwise" not in run_by(made)
    check(made, images(2, 4, (3, 4)))


def test_what_is_read_twice_stays_behind_it() -> None:
    made = convolved(
        "conv_transpose", random(1, 4, 4, 2, 2), dims(4, (3, 3)), "stride=2", "{{ let y = {y}; add(y, sigmoid(y)) }}"
    )
    check(made, images(2, 4, (3, 3)))


def test_an_operand_of_the_whole_result_is_read_where_it_lies() -> None:
    made = compile_text(
        "def main(x: Tensor[(?b, 4, 3, 3), float32], z: Tensor[(?b, 4, 6, 6), float32]) "
        "{ relu(add(z, conv_transpose(x, $w, stride=2))) }",
        w=random(1, 4, 4, 2, 2),
    )
    assert "host" not in run_by(made)
    check(made, images(2, 4, (3, 3)), random(5, 2, 4, 6, 6))


@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("layout", ["nchw", "nhwc"])
def test_a_normalisation_goes_into_the_weights(layout: str, groups: int) -> None:
    given = {name: random(10 + i, 6) for i, name in enumerate(("gamma", "beta", "mean"))}
    made = convolved(
        "conv_transpose",
        random(1, 4, 6 // groups, 3, 3),
        dims(4, (3, 4), layout),
        f'stride=2, groups={groups}, layout="{layout}"',
        f"batch_norm({{y}}, $gamma, $beta, $mean, $variance, axis={1 if layout == 'nchw' else 3})",
        **given,
        variance=np.abs(random(14, 6)) + 0.5,
    )
    assert "elementwise" not in run_by(made)
    check(made, images(2, 4, (3, 4), layout), tolerance=1e-4)


def test_a_decoder_has_no_transpositions_inside() -> None:
    """Channels come second and leave so: two transpositions are left, but for those that bring elements to their
    places, whose last dimension stays the last one."""
    weights = {f"w{i}": random(i, 4, 4, *size) for i, size in enumerate([(2, 2), (3, 3), (4, 4), (3, 3)])}
    made = compile_text(
        """def main(x: Tensor[(?b, 4, ?h, 3), float32]) {
          let a = relu(add(conv_transpose(x, $w0, stride=2), $b));
          let c = relu(conv2d(a, $w1, pad=1));
          let d = relu(conv_transpose(c, $w2, stride=2, pad=1));
          conv2d(d, $w3, pad=1)
        }""",
        **weights,
        b=random(9, 4, 1, 1),
    )
    assert run_by(made) == [
        *("transpose", "conv2d", "transpose", "conv2d", "conv2d", "transpose", "slice", "conv2d", "transpose")
    ]
    check(made, random(20, 2, 4, 5, 3), tolerance=1e-4)


@pytest.mark.parametrize(
    ("params", "call"),
    [
        ("x: Tensor[(1, 2, 3, 3), float32], w: Tensor[(2, 2, 2, 2), float32]", "conv_transpose(x, w, stride=2)"),
        ("x: Tensor[(1, 2, 3, 3), float64]", "conv_transpose(x, $w, stride=2)"),
        ("x: Tensor[(1, 2, 1, 1), float32]", "conv_transpose(x, $w, stride=100000000)"),
        ("x: Tensor[(1, 2, 3, 3, 3), int64]", "conv3d(x, $w)"),
    ],
    ids=["weights of run time", "float64", "far apart", "int64"],
)
def test_the_rest_is_the_hosts(params: str, call: str) -> None:
    dtype = next(d for d in ("float64", "int64", "float32") if d in params)
    w = (random(1, 2, 2, *[2] * (3 if "conv3d" in call else 2)) * 3).astype(dtype)
    made = compile_text(f"def main({params}) {{ {call} }}", **({"w": w} if "$w" in call else {}))
    assert run_by(made) == ["host"]
    size = 1 if "stride=1" in call else 3
    shapes = [(1, 2, size, size, size)[: 5 if "conv3d" in call else 4], *([(2, 2, 2, 2)] if "w:" in params else [])]
    check(made, *((random(i, *s) * 3).astype(dtype if "$w" in call else "float32") for i, s in enumerate(shapes)))
