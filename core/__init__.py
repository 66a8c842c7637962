"""What every room stands on: errors, counting words, files written whole, and what the process may use."""
