"""The loop nest: nodes, printer, verifier, simplifier, and the interpreter that says what it means."""
