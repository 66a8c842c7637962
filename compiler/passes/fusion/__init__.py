"""Fusion: operator calls become calls of primitive functions, each of which is one kernel."""
