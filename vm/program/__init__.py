"""Programs of the virtual machine: instructions, executables, text and bytes, verifier."""
