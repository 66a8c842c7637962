"""Search tasks: one template for one workload, what it knows, and whose turn it is."""
