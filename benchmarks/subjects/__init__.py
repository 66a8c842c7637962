"""Models, graphs, weights and databases that are measured."""
