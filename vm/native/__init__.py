"""The native engine: straight regions compiled, and a driver that runs them."""
