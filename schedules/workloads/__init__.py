"""Workloads: an operator with its shapes, dtypes and attributes; their constructors and reference values."""
