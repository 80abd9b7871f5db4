"""A name or a function -> an `Embedder`: a file for each library that has a name, imported when it is named."""
