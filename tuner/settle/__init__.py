"""From a finished search to a plan: cross-evaluation, duels, the dense profile, the choice."""
