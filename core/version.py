"""The version of anytile: what the package exports, the command line prints and stored trials name."""

__version__ = "0.1.0"
