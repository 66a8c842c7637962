"""How many rounds of a duel were kept: those of one state of the machine, so fewer than were played beside others."""

from __future__ import annotations

from collections.abc import Collection

from anytile.tuner.protocol.candidate import Duel


def rounds_of(duel: Duel, rivals: Collection[int]) -> int:
    """Of each of these as many, and of nobody else any; -1 where that is not so."""
    counts = {i: len(samples) for i, samples in enumerate(duel.samples) if samples}
    return counts[min(rivals)] if set(counts) == set(rivals) and len(set(counts.values())) == 1 else -1
