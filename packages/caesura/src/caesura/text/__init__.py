"""str -> Edges: where a text may be cut."""
