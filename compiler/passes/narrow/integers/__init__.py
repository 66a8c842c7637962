"""Products of whole numbers, as quantised models have them, on what a device multiplies."""
