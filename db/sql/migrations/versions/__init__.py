"""The revisions, in the order their `down_revision` gives."""
