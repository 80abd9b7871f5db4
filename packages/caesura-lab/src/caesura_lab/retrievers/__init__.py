"""A retriever by name, ours or a baseline, or a user's own -> a `Retriever`: a question and a budget in, texts out."""
