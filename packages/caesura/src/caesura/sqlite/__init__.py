"""What `store.py` stands on: one SQLite file, and a connection to it."""
