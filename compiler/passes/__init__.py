"""Passes: functions from a module to a module, each in a file of its own; `pipeline` orders them."""
