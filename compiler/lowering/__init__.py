"""Lowering: modules with explicit memory become programs of the virtual machine."""
