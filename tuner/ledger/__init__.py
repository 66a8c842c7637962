"""How a campaign stands: its rows in order, its budget, what it tells, who works on it."""
