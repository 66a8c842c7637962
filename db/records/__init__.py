"""Records as frozen data, and as lines of JSON."""
