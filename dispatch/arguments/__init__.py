"""Arguments of a kernel call: which arrays and shapes fit a workload, on any kind of target."""
