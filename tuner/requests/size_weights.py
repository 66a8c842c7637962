"""Weights of sizes, how much each counts: reads `m,weight` tables, and refuses all that would silently skew a choice.

A weight is a share of calls (or of time); only ratios matter. Every error of a table names the file and the line.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Mapping
from pathlib import Path

from anytile.core.errors import SpecError
from anytile.core.plurals import counted
from anytile.schedules.workloads.workload import MAX_DIM

COLUMNS = ("m", "weight")
MOST_TEXT = 16 * 2**20  # characters of a file
MOST_PROFILED = 64  # weighted sizes that are profiled for their own sake
_SMALLER = "only ratios matter, so make them smaller"
Sizes = Mapping[str, Mapping[int, float]]  # by symbol, how much each size counts


def load_weights(path: str | Path) -> dict[int, float]:
    """The weights file of `--weights FILE`: a header `m,weight`, then one size and its weight per line."""
    try:
        # utf-8-sig: spreadsheets put a byte-order mark before the first column's name
        with open(path, encoding="utf-8-sig") as file:
            text = file.read(MOST_TEXT + 1)
    except OSError as error:
        reason = error.strerror or str(error)
        raise SpecError(f"weights file {path}: {reason}; expected CSV with the columns m,weight") from None
    except UnicodeDecodeError:
        raise SpecError(f"weights file {path}: not text; expected CSV with the columns m,weight") from None
    if len(text) > MOST_TEXT:  # a device, which has no end
        raise SpecError(f"weights file {path}: longer than {MOST_TEXT} characters; expected CSV with a line per size")
    return parse_weights(text.splitlines(), str(path))


def parse_weights(lines: Iterable[str], where: str) -> dict[int, float]:
    """Read the table from its lines; `where` names it in errors."""
    reader = csv.reader(lines)
    header: list[str] | None = None
    found: dict[int, float] = {}
    first_seen: dict[int, int] = {}
    try:
        for row in reader:
            cells = [cell.strip() for cell in row]
            if not any(cells) or cells[0].startswith("#"):
                continue
            at = f"{where}:{reader.line_num}"
            if header is None:
                header = _header(cells, at)
                continue
            if len(cells) != len(header):
                counts = f"{counted(len(cells), 'value')} under {counted(len(header), 'column')}"
                raise SpecError(f"{at}: {counts}; expected a line like 64,0.5")
            values = dict(zip(header, cells, strict=True))
            m, weight = _size(values["m"], at), _weight(values["weight"], at)
            if m in found:
                raise SpecError(f"{at}: m={m} was given before, on line {first_seen[m]}; give each m once")
            found[m], first_seen[m] = weight, reader.line_num
    except csv.Error as error:
        raise SpecError(f"{where}:{reader.line_num}: not CSV: {error}") from None
    if header is None:
        raise SpecError(f"{where}:1: empty; expected the header m,weight and a line per size")
    if not found:
        raise SpecError(f"{where}:{reader.line_num}: no weight under the header; expected a line like 64,0.5")
    if sum(found.values()) <= 0:
        raise SpecError(f"{where}:{reader.line_num}: the weights add up to 0; at least one must be positive")
    if sum(found.values()) == math.inf:
        raise SpecError(f"{where}:{reader.line_num}: the weights add up to more than a number holds; {_SMALLER}")
    return found


def check_weights(weights: Mapping[int, float]) -> None:
    """The same rules for weights that a program passes in."""
    for m, weight in weights.items():
        if isinstance(m, bool) or not isinstance(m, int) or not 0 <= m <= MAX_DIM:
            raise SpecError(f"weights: size {m!r} is not a whole number from 0 to {MAX_DIM}")
        if not math.isfinite(weight) or weight < 0:
            raise SpecError(f"weights: the weight of {m} is {weight}; expected a finite number, 0 or more")
    if not weights or sum(weights.values()) <= 0:
        raise SpecError("weights: they add up to zero; at least one must be positive")
    if sum(weights.values()) == math.inf:
        raise SpecError(f"weights: they add up to more than a number holds; {_SMALLER}")


def typical_size(weights: Mapping[int, float], most: int) -> int:
    """The size up to which half of the work lies, where work grows as the size does; not above `most`."""
    left = sum(size * weight for size, weight in weights.items()) / 2
    for size, weight in sorted(weights.items()):
        left -= size * weight
        if left <= 0:
            return max(1, min(size, most))
    return most


def heaviest(weights: Mapping[int, float], most: int = MOST_PROFILED) -> tuple[int, ...]:
    """The sizes that count most, in order; of equal ones the smaller."""
    return tuple(sorted(sorted(weights, key=lambda size: (-weights[size], size))[:most]))


def _header(cells: list[str], at: str) -> list[str]:
    names = [cell.lower() for cell in cells]
    missing = [column for column in COLUMNS if column not in names]
    if missing:
        what = f"the column {missing[0]} is" if len(missing) == 1 else f"the columns {' and '.join(missing)} are"
        raise SpecError(f"{at}: {what} missing; expected the header m,weight, got {','.join(cells)}")
    if len(set(names)) != len(names):
        what = "a column is named twice"
        raise SpecError(f"{at}: {what}; expected the header m,weight, got {','.join(cells)}")
    return names


def _size(text: str, at: str) -> int:
    try:
        m = int(text)
    except ValueError:
        raise SpecError(f"{at}: m={text or '(empty)'} is not a whole number") from None
    if not 0 <= m <= MAX_DIM:
        raise SpecError(f"{at}: m={m} is out of range; expected 0 to {MAX_DIM}")
    return m


def _weight(text: str, at: str) -> float:
    try:
        weight = float(text)
    except ValueError:
        raise SpecError(f"{at}: weight {text or '(empty)'} is not a number") from None
    if not math.isfinite(weight):
        raise SpecError(f"{at}: weight {text} is not finite; expected a number, 0 or more")
    if weight < 0:
        raise SpecError(f"{at}: weight {text} is negative; expected a number, 0 or more")
    return weight
