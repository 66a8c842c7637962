"""conv2d on a CPU by minimal filtering (Winograd): the template, and its transforms as data."""
