"""Operators over whole dimensions: sums and their kin, softmax, normalisations, running sums, pooling."""
