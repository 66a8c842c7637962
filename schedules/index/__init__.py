"""Integer index expressions: simplified as they are built, bounded, and compiled to Python."""
