"""Differential fuzzing of CPU kernels: random dispatch plans, compiled and run between guard pages, beside numpy."""
