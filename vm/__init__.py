"""vm runs: 22 instructions, the executable file, its verifier, the interpreter, memory and the profiler."""
