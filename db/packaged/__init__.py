"""Built-in tuning database: plans and a cost model that come with anytile, so that a first compile is already good."""
