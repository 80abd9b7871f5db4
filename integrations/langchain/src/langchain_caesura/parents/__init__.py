"""Parent retrieval: splitting, records, indexing and search."""
