"""Searches and measures."""
