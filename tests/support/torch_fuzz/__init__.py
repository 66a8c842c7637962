"""Differential fuzzing of torch.compile: random functions, compiled as modules and run, beside torch itself."""
