"""The workloads of well-known models."""
