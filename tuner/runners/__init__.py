"""Runners: where candidates are built and timed (a Ray cluster, this machine, or stored trials replayed)."""
