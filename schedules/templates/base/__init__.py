"""What templates are made of: their protocol, config spaces, definitions of operators as nests, and shared knobs."""
