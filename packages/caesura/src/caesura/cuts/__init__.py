"""(Vectors, Sizes, Limits) -> Breaks: where a text is cut."""
