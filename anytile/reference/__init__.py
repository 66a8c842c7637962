"""What the documentation derives from tables: its pages, and the public names for type checkers."""
