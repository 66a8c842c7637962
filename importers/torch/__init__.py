"""PyTorch's programs as models: exported ones, and the graphs that torch.compile hands to a backend."""
