"""The tests, which mirror the tree; a package, so that they import what they share as `tests.support`."""
