"""Random functions of torch: how they grow, and the steps that they grow by."""
