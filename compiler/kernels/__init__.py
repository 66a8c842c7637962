"""From primitive functions to kernels: which workload one is."""
