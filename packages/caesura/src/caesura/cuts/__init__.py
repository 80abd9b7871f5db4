"""Where a text is cut: (Vectors, Sizes, Limits) -> Breaks."""
