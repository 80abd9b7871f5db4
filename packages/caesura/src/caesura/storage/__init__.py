"""A store in one SQLite file, a cache of embeddings in it, and locks by key. Not loaded by `import caesura`."""
