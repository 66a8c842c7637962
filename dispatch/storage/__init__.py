"""Kernels on disk."""
