"""Templates for NVIDIA GPUs."""
