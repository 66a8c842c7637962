"""The table of operators by domain and name: ONNX's own, those of onnxruntime's domain com.microsoft, which stand on
them, and one or two of others."""

from __future__ import annotations

from anytile.importers.onnx.operators import ROWS as OWN
from anytile.importers.onnx.operators.microsoft import ROWS as MICROSOFT
from anytile.importers.onnx.operators.microsoft.narrow import ROWS as NARROW
from anytile.importers.onnx.proto.call import Row

ROWS: dict[tuple[str, str], Row] = OWN | {(row.domain, row.name): row for row in (*MICROSOFT, *NARROW)}
