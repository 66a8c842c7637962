"""Executable files: sections, checksums, packed constants, and linking when one is opened."""
