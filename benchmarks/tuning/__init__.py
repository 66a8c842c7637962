"""Benchmarks of searches and of the plans that they end in."""
