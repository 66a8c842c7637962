"""Passes change models, not kernels: those of any number of rows have two classes of residues here."""

from __future__ import annotations

from tests.support.few_residues import few_residues as few_residues
