"""Loop nests as CUDA C++, and CUDA C++ as cubins through NVRTC."""
