"""Kinds of ports: what an executable's inputs must be, as native code looks at Python's objects (see `inputs.h`)."""

from __future__ import annotations

TENSOR_PORT, DATA_PORT, TUPLE_PORT = range(3)
MOST_OBJECTS = 1 << 22  # of one call; more go the slow way, which can be interrupted
