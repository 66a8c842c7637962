"""Functions for narrow numbers, which code calls and a module then has: conversions and short dot products."""
