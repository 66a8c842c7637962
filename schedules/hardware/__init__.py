"""What a nest runs on: targets, and the facts of CPUs and GPUs that templates read."""
