"""Maintenance of a tuning database: pruning, compacting, and recovering what a damaged file still holds."""
