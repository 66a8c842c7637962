"""Object code into this process: linked, placed in memory, called."""
