"""The model language as data: expressions, types, blocks, the memory dialect."""
