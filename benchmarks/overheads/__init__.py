"""Benchmarks of what stands around kernels: calls, the virtual machine, launches, importers, databases, pages."""
