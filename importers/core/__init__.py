"""What every importer stands on: a graph of values under construction, and sizes that are computed from sizes."""
