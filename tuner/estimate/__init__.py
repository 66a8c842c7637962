"""Database-wide cost model: configs for workloads that nobody tuned, by what was measured of others."""
