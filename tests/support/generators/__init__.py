"""Hypothesis generators: random expressions, nests, workloads, modules and programs, each with what it means."""
