"""Benchmarks of one operator: products, convolutions and small ones, in wide and narrow numbers, on CPU and GPU."""
