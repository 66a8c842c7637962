"""Search strategies, and the cost model that they learn with."""
