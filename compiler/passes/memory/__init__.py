"""Passes that make memory explicit and plan it."""
