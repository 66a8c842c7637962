"""Schedule primitives of GPUs: binding to threads, shared memory, pipelines, tensor cores."""
