"""HTML report of a campaign on one page: what was asked, what was found, and why the plan is what it is."""
