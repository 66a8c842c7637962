"""Test support: input generators, ready-made cases, slow references, stand-ins for devices and runtimes."""
