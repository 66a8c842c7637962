"""Every template, one file each. A new one is its file plus its line here."""

from __future__ import annotations

from anytile.schedules.template import register
from anytile.schedules.templates.dense_cpu import DenseCpu

register(DenseCpu())
