"""Emits: loop nests become machine code through LLVM, or CUDA C++ through NVRTC."""
