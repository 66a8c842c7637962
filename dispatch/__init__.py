"""Chooses: plans, residues, libraries; packs many kernels into one callable."""
