"""BLAS libraries: found on this machine, and called from compiled code where a plan says so."""
