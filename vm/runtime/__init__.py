"""The native runtime library: memory pool, value cells, frames, calls, the driver's loop; and how their words lie."""
