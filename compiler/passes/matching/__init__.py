"""Pattern matching: what exporters write as many operators becomes the one operator that it is."""
