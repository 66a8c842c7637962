"""Templates for CPUs of weights that are narrower than what multiplies them, and of making numbers narrow."""
