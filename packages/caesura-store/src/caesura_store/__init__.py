"""A store in one SQLite file, a cache of embeddings in it, and locks by key."""

__version__ = "0.2.0"
