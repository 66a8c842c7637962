"""Worker attribution: who measured a trial, as a number among its facts.

A campaign has the names of those who measured for it, in the order in which they came, among its options. A trial of
the first has no such fact, as trials of before there were several.
"""

from __future__ import annotations

from collections.abc import Mapping

from anytile.db.records.records import MACHINE

_WORKER = f"{MACHINE}worker"  # it says nothing of the code, so it goes where the machine's state goes
_UNKNOWN = 0.0


def number_to_facts(number: int | None) -> dict[str, float]:
    """None where it could not be known."""
    return {} if number == 1 else {_WORKER: _UNKNOWN if number is None else float(number)}


def number_in(facts: Mapping[str, float]) -> int:
    """From 1 on; 0 where it is not known."""
    return int(facts.get(_WORKER, 1.0))
