"""OpenMP threads: the runtime's entry points, and which cores its threads run on."""
