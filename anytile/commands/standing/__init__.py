"""Commands that tell how a team stands: regressions, the coverage of models, and the server of pages that shows it."""
