"""Batches of launches: kernels of a GPU given together, by native code between Python and the driver."""
