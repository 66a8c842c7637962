"""Templates for GPUs of weights that are narrower than the rows that they meet."""
