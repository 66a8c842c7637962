"""Templates for CPUs of several products and reductions in one pass over a row."""
