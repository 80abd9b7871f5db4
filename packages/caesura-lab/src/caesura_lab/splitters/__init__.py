"""A splitter by name, ours or a framework's, or a user's own -> a `Method`: texts and an embedder in, chunks out."""
