"""Search small, return large: what keeps nodes of all levels, finds the small ones and returns the large."""
