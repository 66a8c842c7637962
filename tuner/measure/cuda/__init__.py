"""Checking and timing on NVIDIA GPUs."""
