"""Thread teams: the native code that shares loops out to threads, and the table by which generated code finds it."""
