"""Lookup: the best record that a database has for a workload on a target, graded, and said in sentences."""
