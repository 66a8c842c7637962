"""Loop nests as LLVM IR, and LLVM IR as object code."""
