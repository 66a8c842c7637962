"""Number formatting: times, rates, sizes, durations, ages as people read them. Pure functions to short text."""

from __future__ import annotations

import math
from collections.abc import Iterable

_TIMES = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"))
_BYTES = ("B", "KiB", "MiB", "GiB", "TiB")


def time_text(seconds: float) -> str:
    """`12.3 us`: three digits with the unit that fits."""
    if not math.isfinite(seconds):
        return "-"
    for scale, unit in _TIMES:
        if seconds >= scale:
            return f"{digits(seconds / scale)} {unit}"
    return "0 s" if seconds == 0 else f"{digits(seconds / 1e-9)} ns"


def rate_text(gflops: float) -> str:
    """`261` or `61.2`, the unit left to the column's head; `-` where there is none."""
    return digits(gflops) if gflops > 0 and math.isfinite(gflops) else "-"


def digits(value: float) -> str:
    """Three significant digits, never in exponent form."""
    if value >= 100:
        return f"{value:.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def ratio_text(ratio: float) -> str:
    """`1.96x`, `12.0x`, `654x`: three digits, as more would say nothing."""
    digits = 2 if ratio < 9.995 else 1 if ratio < 99.95 else 0
    return f"{ratio:.{digits}f}x" if math.isfinite(ratio) else "-"


def duration_text(seconds: float | None) -> str:
    """`45s`, `3m 05s`, `2h 10m`."""
    if seconds is None:
        return "-"
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole}s"
    if whole < 3600:
        return f"{whole // 60}m {whole % 60:02d}s"
    return f"{whole // 3600}h {whole % 3600 // 60:02d}m"


def bytes_text(count: float) -> str:
    size, unit = float(count), 0
    while size >= 1024 and unit < len(_BYTES) - 1:
        size, unit = size / 1024, unit + 1
    return f"{size:.0f} {_BYTES[unit]}" if unit == 0 or size >= 10 else f"{size:.1f} {_BYTES[unit]}"


def age_text(created: float, now: float) -> str:
    """`5m ago`, `3d ago`; `-` where no time was stored."""
    if created <= 0:
        return "-"
    gone = max(0.0, now - created)
    for length, unit in ((86400, "d"), (3600, "h"), (60, "m")):
        if gone >= length:
            return f"{int(gone // length)}{unit} ago"
    return "just now"


def point_text(point: Iterable[tuple[str, int]]) -> str:
    """`m=17, n=768`: the sizes of the symbols at which something was measured."""
    return ", ".join(f"{name}={size}" for name, size in point) or "its shape"


def geometric_mean(values: list[float]) -> float:
    good = [v for v in values if v > 0 and math.isfinite(v)]
    return math.exp(sum(map(math.log, good)) / len(good)) if good else 0.0
