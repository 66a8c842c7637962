"""Templates for products of groups of warps, which sm_90a alone has."""
