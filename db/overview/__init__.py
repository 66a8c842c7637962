"""Overview of a tuning database in all its layers: what pages, `--json` and tables show of it, as plain data."""
