"""Kernel selection: primitive functions, and which workload one is."""
