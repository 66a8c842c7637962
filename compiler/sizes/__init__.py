"""Sizes of tensors as index expressions, and the programs that compute them at run time."""
