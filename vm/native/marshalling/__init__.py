"""Marshalling: Python's values as cells of native code, and back; and the machine whose words both share."""
