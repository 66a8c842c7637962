"""Candidates become artifacts: building children and the queue in front of them."""
