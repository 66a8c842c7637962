"""Test doubles of what a machine may lack or that must fail on demand: a GPU, threads, a second device, a campaign."""
