"""Machine code of CPUs that are not here, run by an emulator that Debian packages."""
