"""Renders a report: findings and the style sheet that lies beside this module, as one document."""

from __future__ import annotations

from importlib.resources import files

from anytile.show.findings import Findings
from anytile.show.report.page import page


def render(findings: Findings) -> str:
    return page(findings, files("anytile.show.report").joinpath("style.css").read_text(encoding="utf-8"))
