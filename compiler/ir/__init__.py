"""The intermediate representation (IR) of models, as data: expressions, types, blocks, the memory dialect."""
