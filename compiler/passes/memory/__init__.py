"""Passes that make memory explicit and plan it: allocation, shape functions, liveness, offsets in one arena."""
