"""Where a text may be cut: str -> Edges."""
