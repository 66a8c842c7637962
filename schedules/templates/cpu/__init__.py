"""Templates for CPUs, one file an operator."""
