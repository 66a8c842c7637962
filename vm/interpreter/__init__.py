"""The reference interpreter: one step after another, in Python."""
