"""Checking and timing on CPUs."""
