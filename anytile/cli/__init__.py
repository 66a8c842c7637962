"""The command line: entry points, and how errors and hints are shown."""
