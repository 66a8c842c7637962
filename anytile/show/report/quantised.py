"""HTML page of a quantised model: what became of each layer, what that costs, and the ranges of what comes to them.

One self-contained document, as a campaign's report is: no network, no clock, no script.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from anytile.compiler.passes.narrow.histograms import Histogram, Range
from anytile.compiler.passes.narrow.narrow_layers import Layer
from anytile.compiler.quantise import Quantised
from anytile.core.plurals import counted
from anytile.show.report.charts import count_chart
from anytile.show.report.document import CONTENT, document
from anytile.show.report.markup import Markup, el
from anytile.show.report.page import POLICY

_COLUMNS = 160  # of a chart


def render(found: Quantised, name: str) -> str:
    """The whole document; `name` is the model's."""
    main = el("main", _header(found, name), _layers(found.layers), *_activations(found.layers), id=CONTENT, tabindex=-1)
    return document(f"{name}, quantised - anytile", main, POLICY)


def _header(found: Quantised, name: str) -> Markup:
    narrow = [layer for layer in found.layers if layer.dtype != "float32"]
    worst = max((layer.error for layer in narrow if not math.isnan(layer.error)), default=math.nan)
    tiles = [
        (f"{len(narrow)} of {len(found.layers)}", "layers are narrow"),
        (_share(sum(map(_weights, narrow)), sum(map(_weights, found.layers))), "of the weights are in these"),
        (_error(worst), "relative error of the worst of them"),
        (_error(found.error), "relative error of the model's results"),
    ]
    return el(
        "header",
        el("p", "quantised model", class_="kicker"),
        el("h1", name),
        *([el("p", found.made_for, class_="note")] if found.made_for else ()),
        el("div", *(el("div", el("b", b), el("span", s), class_="tile") for b, s in tiles), class_="tiles"),
    )


def _layers(layers: Sequence[Layer]) -> Markup:
    heads = ("layer", "weight", "dtype", ">error", ">from", ">to", ">beyond", "")
    rows = [el("tr", *(el("th", h.lstrip(">"), class_="num" if h.startswith(">") else None) for h in heads))]
    for layer in layers:
        ends = ("", "", "") if layer.range is None else (*_ends(layer.range), f"{layer.beyond:.2%}")
        rows.append(
            el(
                "tr",
                el("td", el("code", layer.name)),
                el("td", "x".join(map(str, layer.shape)), class_="key"),
                el("td", layer.dtype, class_="key" if layer.dtype != "float32" else "key lose"),
                el("td", _error(layer.error), class_="num"),
                *(el("td", end, class_="num") for end in ends),
                el("td", layer.kept or layer.attended),
            )
        )
    note = "An error is in L2, of what a layer makes, relative to what it should make of what came to it."
    return el("section", el("h2", "Layers"), el("p", note, class_="note"), el("div", el("table", *rows), class_="wide"))


def _activations(layers: Sequence[Layer]) -> list[Markup]:
    """Of each tensor that layers read a chart of its values; layers that read the same share one."""
    read: dict[int, list[Layer]] = {}
    for layer in layers:
        if layer.histogram is not None:
            read.setdefault(id(layer.histogram), []).append(layer)
    charts = []
    for together in read.values():
        first = together[0]
        assert first.histogram is not None
        within = next((layer.range for layer in together if layer.range is not None), None)
        charts.append(el("h3", *(el("code", f"{layer.name} ") for layer in together)))
        charts.append(_chart(first.histogram, within))
    if not charts:
        return []
    note = "How often values stood where, on a logarithmic scale; the band is what 8 bits hold, where one range does."
    open_ = len(read) <= 8
    inside = el("details", el("summary", counted(len(read), "tensor")), *charts, open=open_)
    return [el("section", el("h2", "What came to the layers"), el("p", note, class_="note"), inside)]


def _chart(found: Histogram, within: Range | None) -> Markup:
    if not found.is_finite:
        return el("p", "NaN or infinity came, which has no place in a chart.", class_="note")
    counts, edges = found.columns(_COLUMNS)
    ends = None if within is None else (within.low, within.high)
    return count_chart([float(e) for e in edges], [int(c) for c in counts], ends)


def _ends(within: Range) -> tuple[str, str]:
    return f"{within.low:.4g}", f"{within.high:.4g}"


def _weights(layer: Layer) -> int:
    return math.prod(layer.shape) if layer.shape else 0


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.0%}" if whole else "-"


def _error(error: float) -> str:
    return "-" if math.isnan(error) else f"{error:.2%}" if error >= 1e-4 else f"{error:.1e}"
