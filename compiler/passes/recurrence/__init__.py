"""Passes for recurrences and recursion over data: products made for all steps at once."""
