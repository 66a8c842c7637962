"""Passes for convolutional networks: one layout for all of one, normalisations folded into the weights before them."""
