"""Schedule primitives: each rewrites a loop nest and keeps its meaning."""
