"""CUDA kernels on the CPU: the text that NVRTC gets, compiled by the system's C++ compiler, watched at every access."""
