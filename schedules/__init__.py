"""Describes: workloads, targets, config spaces, loop nests, and the templates that schedule them."""
