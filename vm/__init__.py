"""vm runs: instructions, the executable file, its verifier, the interpreter, memory and the profiler."""
