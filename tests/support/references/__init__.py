"""Reference implementations in plain Python that exist for tests alone; those of the product live with it."""
