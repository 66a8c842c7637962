"""What is measured on a machine with an NVIDIA GPU, in parts, each of which answers for some of the GPU claims."""
