"""Plans on CPUs: built, loaded, and called from Python by the shortest way."""
