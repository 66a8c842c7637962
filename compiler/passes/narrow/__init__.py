"""Narrow numbers in models: which layers get them, how their weights are rounded, and what that costs."""
