"""Inputs and results of models on the command line: files, JSON, random values."""
