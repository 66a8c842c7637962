"""Plans on NVIDIA GPUs: built, loaded, and called on the caller's stream."""
