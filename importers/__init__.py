"""Importers: models of other frameworks become modules of the model language."""
