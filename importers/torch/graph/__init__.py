"""Torch graphs as importers see them: nodes, sizes, tensors, and when two graphs say the same."""
