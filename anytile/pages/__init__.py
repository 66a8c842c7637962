"""Web pages of a tuning database, and the JSON beneath them: read-only, served by `anytile db serve`."""
