"""Explicit modules become programs of the virtual machine."""
