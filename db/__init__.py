"""Remembers: the tuning database, its records, and the ladder that answers lookups."""
