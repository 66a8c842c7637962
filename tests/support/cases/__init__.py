"""Ready-made cases: small kernels, modules and programs, and functions that check them against what they mean."""
