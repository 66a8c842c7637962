"""Passes for convolutional networks: normalisations that are known become part of the weights before them."""
