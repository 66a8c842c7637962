"""Candidates are checked and timed: workers, their supervisor, the oracle, the device lock."""
