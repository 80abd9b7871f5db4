"""Search small, return large: the index of a hierarchy, its document store, and the retriever that merges."""
