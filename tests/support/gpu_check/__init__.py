"""First contact with a GPU: the tests marked `cuda` and NVIDIA's sanitizers, in children that may hang or die."""
