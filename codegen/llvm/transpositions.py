"""Vectors whose lanes lie apart in memory, read and written four at a time: transpositions of short rows, or long ones.

Neighbouring elements of a row that four unrolled rounds read one after the other are loaded together, and shuffled into
four vectors: for each group of four lanes a 4x4 transposition, which every vector unit does within its 128-bit parts
where elements have 32 bits. Four bytes of each lane that lie apart become a word of it. What four rounds write is
shuffled the other way round, and stored as a short row for each lane.
"""

from __future__ import annotations

from collections.abc import Sequence

from anytile.codegen.llvm.writer import Writer

RUN = 4  # elements of a row that are loaded together


def transpose(w: Writer, rows: Sequence[str], element: str) -> list[str]:
    """Four vectors: the first elements of the rows, their second, third and fourth ones; `element` is their type."""
    lanes = len(rows)
    # part[q] holds rows q, q + 4, q + 8, ... one behind the other, so that within 128 bits only four rows mix
    return _transposed_within(w, [_joined(w, rows[q::RUN], RUN, element) for q in range(RUN)], lanes, element)


def as_rows(w: Writer, vectors: Sequence[str], lanes: int, element: str) -> list[str]:
    """For each lane what two or four vectors have there, one behind the other."""
    if len(vectors) == RUN:
        made = _transposed_within(w, vectors, lanes, element)
    else:
        made = [_woven(w, (vectors[0], vectors[1]), lanes, 1, start, element) for start in (0, 2)]
    each, rows, kind = RUN // len(made), list[str](), f"<{lanes} x {element}>"
    for lane in range(lanes):
        first = lane // RUN * RUN + lane % each * len(vectors)
        mask = ", ".join(f"i32 {first + i}" for i in range(len(vectors)))
        of = f"{kind} {made[lane % RUN // each]}, {kind} poison, <{len(vectors)} x i32> <{mask}>"
        rows.append(w.value(f"shufflevector {of}", "t"))
    return rows


def _transposed_within(w: Writer, vectors: Sequence[str], lanes: int, element: str) -> list[str]:
    """Four vectors, in each group of four lanes of which the four are columns."""
    a, b, c, d = vectors
    low, high = (_woven(w, (a, b), lanes, 1, start, element) for start in (0, 2))
    low2, high2 = (_woven(w, (c, d), lanes, 1, start, element) for start in (0, 2))
    return [_woven(w, pair, lanes, 2, start, element) for pair in ((low, low2), (high, high2)) for start in (0, 2)]


def interleave(w: Writer, rows: Sequence[str], lanes: int, element: str) -> str:
    """One vector in which the elements that two or four rows have in a lane are neighbours.

    Four are put together in pairs first: who reads rows 2 to 5 shares that of rows 2 and 3 with who reads 0 to 3.
    """
    half = len(rows) // 2
    pair = _joined(w, rows[:half], lanes, element), _joined(w, rows[half:], lanes, element)
    picked = [row * lanes + lane for lane in range(lanes) for row in range(len(rows))]
    return _shuffled(w, pair, half * lanes, picked, element)


def _joined(w: Writer, parts: Sequence[str], lanes: int, element: str) -> str:
    """Vectors one behind the other."""
    if len(parts) == 1:
        return parts[0]
    both = zip(parts[::2], parts[1::2], strict=True)
    pairs = [_shuffled(w, pair, lanes, range(2 * lanes), element) for pair in both]
    return _joined(w, pairs, 2 * lanes, element)


def _woven(w: Writer, pair: tuple[str, str], lanes: int, run: int, start: int, element: str) -> str:
    """In each group of four lanes `run` of both in turns, from lane `start` of the group on."""
    picked = []
    for group in range(0, lanes, RUN):
        for at in range(group + start, group + start + 2, run):
            picked += [*range(at, at + run), *range(lanes + at, lanes + at + run)]
    return _shuffled(w, pair, lanes, picked, element)


def _shuffled(w: Writer, pair: tuple[str, str], lanes: int, picked: Sequence[int], element: str) -> str:
    kind = f"<{lanes} x {element}>"
    mask = ", ".join(f"i32 {i}" for i in picked)
    return w.value(f"shufflevector {kind} {pair[0]}, {kind} {pair[1]}, <{len(picked)} x i32> <{mask}>", "t")
