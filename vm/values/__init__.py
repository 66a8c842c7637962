"""What registers hold: tensors, storage from a memory pool, data types, closures."""
